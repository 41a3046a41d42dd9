"""Addresses of stores of files, in the form of fsspec: what of them may be shown, and what a store needs."""

from __future__ import annotations

from urllib.parse import unquote

from ocr_ui.errors import BadInput


def shown_address(address: str) -> str:
    """The address without the user, password and query that it may hold, for messages and the log of exports."""
    scheme, _, rest = address.partition("://")
    host, slash, path = rest.partition("?")[0].partition("/")
    return f"{scheme}://{host.rpartition('@')[2]}{slash}{path}"


def hidden(reason: str, address: str) -> str:
    """What a store says, without the password of the address it was reached by."""
    user = address.partition("://")[2].partition("/")[0].rpartition("@")[0]
    for secret in filter(None, (address, user, unquote(user), user.partition(":")[2], unquote(user.partition(":")[2]))):
        reason = reason.replace(secret, "***")
    return reason


def not_installed(address: str, error: ImportError) -> BadInput:
    scheme = address.partition("://")[0]
    package = {"s3": "s3fs", "s3a": "s3fs", "gs": "gcsfs", "gcs": "gcsfs", "az": "adlfs", "abfs": "adlfs"}.get(scheme)
    told = f"pip install {package}" if package else str(error)
    return BadInput(
        "store_not_installed",
        f"What writes to {scheme}:// is not installed.",
        f"Run: {told}",
        scheme=scheme,
        told=told,
    )
