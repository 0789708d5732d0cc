# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API keys: classes, scopes and authentication."""

from __future__ import annotations

import base64
import binascii
import json
from typing import NamedTuple

from starlette.requests import Request

from ..runtime.runtime import Runtime
from .protocol.errors import ApiError, ScopeError

# Prefixes of scopes by class of key; secret keys have all other scopes. The classes do not overlap: an admin key cannot
# call a model, and a project key cannot read the organization.
_CLASSES = {
    "api.management.": ("admin", "session"),
    "api.usage.": ("admin",),
    "api.audit_logs.": ("admin",),
    "session": ("session",),
}

# Resolution of the last use of a key, in seconds
USE_IS_NOTED_EVERY = 3600

PREFIXES = ("sk-admin-", "sk-proj-", "sk-svcacct-", "sk-", "sess-")

NO_KEY = (
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth "
    "(i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the "
    "API from your browser and are prompted for a username and password. You can obtain an API key from "
    "https://platform.openai.com/account/api-keys."
)


class Caller(NamedTuple):
    """The owner of the key, and the scopes of a restricted key."""

    key_class: str
    organization: str
    organization_name: str
    project: str
    key_id: str
    user_id: str | None
    scopes: frozenset[str] | None

    def has(self, scope: str) -> bool:
        """Return whether the key has a scope."""
        classes = next((classes for start, classes in _CLASSES.items() if scope.startswith(start)), ("secret",))
        return self.key_class in classes and (self.scopes is None or scope in self.scopes)


def authenticate(runtime: Runtime, request: Request) -> Caller:
    """Return the caller for the Authorization header, in the organization and project that the headers select."""
    key = _read_key(request.headers.get("authorization", ""))
    if not key:
        raise ApiError(401, NO_KEY, headers={"WWW-Authenticate": 'Basic realm="OpenAI API"'})
    row = runtime.db.execute(
        """
        SELECT k.*, o.name AS organization_name
        FROM inference_keys k JOIN inference_organizations o ON o.id = k.organization WHERE k.key = ?
        """,
        (key,),
    ).fetchone()
    now = int(runtime.clock.now())
    if row is None or (row["expires_at"] or now) < now:
        raise ApiError(
            401,
            f"Incorrect API key provided: {mask_key(key)}. You can find your API key at "
            "https://platform.openai.com/account/api-keys.",
            code="invalid_api_key",
        )
    runtime.db.execute(
        "UPDATE inference_keys SET last_used_at = ? WHERE id = ? AND coalesce(last_used_at, 0) <= ?",
        (now, row["id"], now - USE_IS_NOTED_EVERY),
    )
    organization = request.headers.get("openai-organization") or row["organization"]
    if organization != row["organization"]:
        raise ApiError(
            401, "OpenAI-Organization header should match organization for API key", code="mismatched_organization"
        )
    project = request.headers.get("openai-project") or row["project"] or ""
    if not _may_select_project(runtime, row["organization"], row["project"], project):
        raise ApiError(401, "OpenAI-Project header should match project for API key", code="mismatched_project")
    scopes = None if row["scopes"] is None else frozenset(json.loads(row["scopes"]))
    return Caller(get_key_class(key), organization, row["organization_name"], project, row["id"], row["owner"], scopes)


def require_scope(runtime: Runtime, caller: Caller, scope: str, call: str) -> None:
    """Refuse a caller whose key lacks the scope."""
    if caller.has(scope):
        return
    if scope == "session":
        raise ApiError(
            403,
            f"Your request to {call} must be made with a session key (that is, it can only be made from the browser). "
            f"You made it with the following key type: {caller.key_class}.",
            type="server_error",
        )
    raise ScopeError(scope, bare=runtime.get_switch("inference", "bare_scope_errors"))


def get_key_class(key: str) -> str:
    """Return the class of a key by its prefix."""
    if key.startswith("sk-admin-"):
        return "admin"
    return "session" if key.startswith("sess-") else "secret"


def mask_key(key: str) -> str:
    """Return a key as error messages show it."""
    if len(key) <= 16:
        return f"{key[:3]}****"
    return f"{key[:8]}****{key[-4:]}"


def redact_key(key: str) -> str:
    """Return a key as lists show it."""
    return f"{key[: len(get_key_prefix(key)) + 3]}...{key[-4:]}"


def get_key_prefix(key: str) -> str:
    """Return the part of a key that determines its class."""
    return next((prefix for prefix in PREFIXES if key.startswith(prefix)), "")


def _read_key(authorization: str) -> str:
    scheme, _blank, value = authorization.partition(" ")
    if scheme.lower() == "bearer":
        return value.strip()
    if scheme.lower() == "basic":
        try:
            user, _colon, password = base64.b64decode(value).decode().partition(":")
        except (binascii.Error, UnicodeDecodeError):
            return ""
        return "" if user else password
    return ""


def _may_select_project(runtime: Runtime, organization: str, own: str | None, chosen: str) -> bool:
    """Return whether the key may act for a project. Keys without a project may act for all projects."""
    if own or not chosen:
        return chosen == (own or "")
    row = runtime.db.execute(
        "SELECT 1 FROM inference_projects WHERE id = ? AND organization = ?", (chosen, organization)
    ).fetchone()
    return row is not None
