"""Certificate and key for https."""

from __future__ import annotations

import ssl

from ocr_ui.errors import WorkbenchError
from ocr_ui.settings import Settings


def check_tls(settings: Settings) -> None:
    """Raises WorkbenchError (`tls_unusable`) where certificate and key are not both there, or do not fit."""
    if not (settings.tls_cert or settings.tls_key):
        return
    try:
        if not (settings.tls_cert and settings.tls_key):
            raise ValueError("both are needed")
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_cert, settings.tls_key)
    except (OSError, ValueError) as error:
        raise WorkbenchError(
            "tls_unusable",
            f"Certificate and key for https cannot be used: {error}.",
            "Correct OCR_UI_TLS_CERT and OCR_UI_TLS_KEY.",
            reason=str(error),
        ) from error
