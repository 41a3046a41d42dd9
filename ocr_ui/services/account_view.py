"""Accounts, keys and the audit log as plain JSON values: never a secret, nor its hash."""

from __future__ import annotations

from typing import Any

from ocr_ui.storage.records import AuditRow, StoredAccount, StoredKey


def account_value(account: StoredAccount) -> dict[str, Any]:
    return {
        "name": account.name,
        "role": account.role.value,
        "disabled": account.disabled,
        "has_password": bool(account.password),
        "created_at": account.created_at.isoformat(),
    }


def key_value(key: StoredKey) -> dict[str, Any]:
    times = {name: getattr(key, name) for name in ("created_at", "used_at", "until", "revoked_at")}
    told = {name: moment and moment.isoformat() for name, moment in times.items()}
    return {"id": key.id, "name": key.name, "scopes": [scope.value for scope in key.scopes], **told}


def audit_value(row: AuditRow) -> dict[str, Any]:
    told = {name: getattr(row, name) for name in ("name", "via", "action", "target", "details", "address")}
    return {"id": row.id, "at": row.at.isoformat(), **told}
