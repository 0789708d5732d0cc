# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API tokens of users."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, timedelta
from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..call import Call
from ..http.refusals import EngineError, InternalError
from ..storage import User
from . import accounts
from .permissions import ADMINISTER
from .users import find_user

PATH = "/descriptorByName/jenkins.security.ApiTokenProperty/"
VALUE = re.compile("11[0-9a-f]{32}", re.IGNORECASE)
DAYS_TO_WARN = 7


def _respond(**content: Any) -> Response:
    body = json.dumps(content, separators=(",", ":")).encode()
    return Response(body, headers={"Content-Type": "application/json;charset=utf-8"})


def _fail(message: str) -> Response:
    return _respond(status="error", message=message)


def _may_create(call: Call, user: User) -> bool:
    """Return whether the caller may create tokens of a user. Administrators may only if the server is set up for it."""
    is_own = user.name == call.principal.name
    return is_own or (call.principal.may(ADMINISTER) and bool(call.switch("admin_can_generate_tokens")))


def _owner(call: Call, name: str | None) -> User:
    user = find_user(call, call.principal.name if name is None else name)
    call.require_post()
    return user


def _owner_to_change(call: Call, name: str | None) -> User:
    user = _owner(call, name)
    if user.name != call.principal.name:
        call.require(ADMINISTER)
    return user


def _name_of_new_token(call: Call) -> str:
    return call.parameter("newTokenName") or f"Token created on {datetime.fromtimestamp(call.now, UTC).isoformat()}"


def _expiration(call: Call) -> date | None:
    """Return the last day of a new token."""
    duration = call.parameter("expirationDuration") or "never"
    if duration == "never":
        return None
    try:
        if duration == "custom":
            return date.fromisoformat(call.parameter("tokenExpiration") or "")
        return datetime.fromtimestamp(call.now, UTC).date() + timedelta(days=int(duration))
    except ValueError:
        raise InternalError from None


def _generate(call: Call, name: str | None = None) -> Response:
    user = _owner(call, name)
    if not _may_create(call, user):
        return Response(status_code=403)
    expires, today = _expiration(call), datetime.fromtimestamp(call.now, UTC).date()
    if expires and expires < today:
        return _fail("Expiration date is in the past.")
    token = accounts.new_token(_name_of_new_token(call), call.now, expires=expires.isoformat() if expires else None)
    accounts.set_tokens(call.storage, user, [*user.tokens, token])
    data = {
        "aboutToExpire": expires is not None and expires < today + timedelta(days=DAYS_TO_WARN),
        "tokenName": token.name,
        "tokenUuid": token.uuid,
        "tokenValue": token.value,
        "expirationDate": f"{expires.month}/{expires.day}/{expires:%y}" if expires else "never",
    }
    return _respond(status="ok", data=data)


def _add_fixed(call: Call, name: str | None = None) -> Response:
    user = _owner(call, name)
    if not _may_create(call, user):
        return Response(status_code=403)
    value = call.parameter("newTokenPlainValue") or ""
    if not VALUE.fullmatch(value):
        raise InternalError
    token = accounts.new_token(_name_of_new_token(call), call.now, value.lower())
    accounts.set_tokens(call.storage, user, [*user.tokens, token])
    return _respond(status="ok", data={"tokenName": token.name, "tokenUuid": token.uuid})


def _rename(call: Call, name: str | None = None) -> Response:
    user = _owner_to_change(call, name)
    new_name = (call.parameter("newName") or "").strip()
    if not new_name:
        return _fail("The name cannot be empty")
    token = next((token for token in user.tokens if token.uuid == call.parameter("tokenUuid")), None)
    if not token:
        return _fail("No token found, try refreshing the page")
    token.name = new_name
    call.storage.put_user(user)
    return _respond(status="ok")


def _revoke(call: Call, name: str | None = None) -> Response:
    """Revoke a token. An unknown UUID is not an error."""
    user = _owner_to_change(call, name)
    identifier = call.parameter("tokenUuid")
    if not identifier and user.tokens:
        raise EngineError(400, "The tokenUuid cannot be empty")
    accounts.set_tokens(call.storage, user, [token for token in user.tokens if token.uuid != identifier])
    return Response()


def _revoke_all(call: Call, name: str | None = None) -> Response:
    accounts.set_tokens(call.storage, _owner_to_change(call, name), [])
    return Response()


def _revoke_all_except(call: Call, name: str | None = None) -> Response:
    user = _owner_to_change(call, name)
    identifier = call.parameter("tokenUuid")
    if not identifier:
        raise EngineError(400, "The tokenUuid cannot be empty")
    accounts.set_tokens(call.storage, user, [token for token in user.tokens if token.uuid == identifier])
    return Response()


CALLS = (
    ("generateNewToken", _generate, "generate_token"),
    ("addFixedToken", _add_fixed, "add_fixed_token"),
    ("rename", _rename, "rename_token"),
    ("revoke", _revoke, "revoke_token"),
    ("revokeAll", _revoke_all, "revoke_all_tokens"),
    ("revokeAllExcept", _revoke_all_except, "revoke_all_tokens"),
)
ROUTES = tuple(
    Route(ANY, owner + PATH + path, handler, label)
    for path, handler, label in CALLS
    for owner in ("/me", "/user/{name}")
)
