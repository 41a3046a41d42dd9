"""One's own account and its keys; for administrators, all accounts with their keys, and the audit log."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from ocr_ui.domain.access import MAY, Action, Role
from ocr_ui.domain.exact_json import dumps
from ocr_ui.services.access import acting
from ocr_ui.services.account_view import account_value, audit_value, key_value
from ocr_ui.services.workbench import Workbench

NAME = Field(min_length=1, max_length=200)
PASSWORD = Field(max_length=2_000)


class KeyBody(BaseModel):
    """`scopes`: what the key may do, of what its owner may; none for all of that. `days` until it is over."""

    name: str = NAME
    scopes: list[Action] = []
    days: int | None = Field(None, ge=1, le=3_650)


class PasswordBody(BaseModel):
    old: str = PASSWORD
    new: str = PASSWORD


class AccountBody(BaseModel):
    name: str = NAME
    role: Role
    password: str = PASSWORD


class ChangeBody(BaseModel):
    """What is given is changed."""

    role: Role | None = None
    disabled: bool | None = None
    password: str | None = Field(None, max_length=2_000)


def account_routes(workbench: Workbench) -> APIRouter:
    routes = APIRouter(tags=["accounts"])
    accounts, auth = workbench.accounts, workbench.settings.auth

    @routes.get("/v1/me")
    async def me() -> dict[str, Any]:
        """Who is logged in, and what they may do. Without logins: nobody, who may do all."""
        identity = acting().identity
        return {
            "auth": auth,
            "name": identity.name,
            "role": identity.role,
            "via": identity.via,
            "actions": sorted(identity.actions),
        }

    @routes.post("/v1/password", status_code=204)
    async def password(body: PasswordBody) -> Response:
        """Changes one's own password; all sessions of the account end."""
        await asyncio.to_thread(accounts.change_password, body.old, body.new)
        return Response(status_code=204)

    @routes.get("/v1/keys")
    async def keys() -> dict[str, Any]:
        """One's own API keys, without their secrets."""
        return {"keys": [key_value(one) for one in await asyncio.to_thread(accounts.keys)]}

    @routes.post("/v1/keys", status_code=201)
    async def add_key(body: KeyBody) -> dict[str, Any]:
        """A new API key. `key` is told this once and cannot be shown again."""
        secret, kept = await asyncio.to_thread(accounts.add_key, body.name, body.scopes, body.days)
        return {"key": secret, **key_value(kept)}

    @routes.delete("/v1/keys/{key_id}", status_code=204)
    async def revoke(key_id: int) -> Response:
        """The key opens nothing any more."""
        await asyncio.to_thread(accounts.revoke_key, key_id)
        return Response(status_code=204)

    @routes.get("/v1/accounts/{name:path}/keys")
    async def keys_of(name: str) -> dict[str, Any]:
        """Somebody's API keys, without their secrets. For administrators, and not with a key."""
        return {"keys": [key_value(one) for one in await asyncio.to_thread(accounts.keys_of, name)]}

    @routes.post("/v1/accounts/{name:path}/keys", status_code=201)
    async def add_key_of(name: str, body: KeyBody) -> dict[str, Any]:
        """As `POST /v1/keys`, for somebody else. For administrators, and not with a key."""
        secret, kept = await asyncio.to_thread(accounts.add_key, body.name, body.scopes, body.days, name)
        return {"key": secret, **key_value(kept)}

    @routes.delete("/v1/accounts/{name:path}/keys/{key_id}", status_code=204)
    async def revoke_of(name: str, key_id: int) -> Response:
        """For administrators, and not with a key."""
        await asyncio.to_thread(accounts.revoke_key, key_id, name)
        return Response(status_code=204)

    @routes.get("/v1/accounts")
    async def listed() -> dict[str, Any]:
        """All accounts, and what each role may do. For administrators."""
        found = await asyncio.to_thread(accounts.list)
        return {"accounts": [account_value(one) for one in found], "roles": {r: sorted(MAY[r]) for r in Role}}

    @routes.post("/v1/accounts", status_code=201)
    async def add(body: AccountBody) -> dict[str, Any]:
        """For administrators."""
        return account_value(await asyncio.to_thread(accounts.add, body.name, body.role, body.password))

    @routes.patch("/v1/accounts/{name:path}")
    async def change(name: str, body: ChangeBody) -> dict[str, Any]:
        """For administrators. Whoever is disabled, or gets another password, is logged out everywhere. Nobody changes
        their own role or disables themselves; a key changes no password."""
        return account_value(await asyncio.to_thread(_change, name, body))

    def _change(name: str, body: ChangeBody) -> Any:
        changed = None
        if body.role is not None:
            changed = accounts.set_role(name, body.role)
        if body.password is not None:
            changed = accounts.set_password(name, body.password)
        if body.disabled is not None:
            changed = accounts.disable(name) if body.disabled else accounts.enable(name)
        return changed or accounts.one(name)

    @routes.get("/v1/audit", responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}})
    async def audit(
        after: Annotated[int, Query(ge=0, lt=2**63)] = 0, limit: Annotated[int, Query(ge=1, le=10_000)] = 1_000
    ) -> StreamingResponse:
        """Rows of the audit log as JSON Lines, oldest first, from behind the row `after`. For administrators."""
        rows = await asyncio.to_thread(accounts.audit, after, limit)
        lines = (dumps(audit_value(row)) + "\n" for row in rows)
        return StreamingResponse(lines, media_type="application/x-ndjson")

    return routes
