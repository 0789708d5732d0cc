# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API keys: their classes, and what each may do."""

from __future__ import annotations

import base64
import binascii
import json
from typing import NamedTuple

from starlette.requests import Request

from ..runtime.runtime import Runtime
from .errors import ApiError, ScopeError

# What begins so is for these classes of keys; everything else is for secret ones. They do not overlap: an admin key
# may not ask a model, a project's key may not see the organization.
_CLASSES = {
    "api.management.": ("admin", "session"),
    "api.usage.": ("admin",),
    "api.audit_logs.": ("admin",),
    "session": ("session",),
}

# Seconds: the last use of a key is told no finer.
USE_IS_NOTED_EVERY = 3600

PREFIXES = ("sk-admin-", "sk-proj-", "sk-svcacct-", "sk-", "sess-")

NO_KEY = (
    "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth "
    "(i.e. Authorization: Bearer YOUR_KEY), or as the password field (with blank username) if you're accessing the "
    "API from your browser and are prompted for a username and password. You can obtain an API key from "
    "https://platform.openai.com/account/api-keys."
)


class Caller(NamedTuple):
    """Whose key it is, and the scopes that it is restricted to, if it is."""

    key_class: str
    organization: str
    organization_name: str
    project: str
    scopes: frozenset[str] | None

    def has(self, scope: str) -> bool:
        """Whether the key is good for this."""
        classes = next((classes for start, classes in _CLASSES.items() if scope.startswith(start)), ("secret",))
        return self.key_class in classes and (self.scopes is None or scope in self.scopes)


def authenticate(runtime: Runtime, request: Request) -> Caller:
    """The caller that the Authorization header proves, for the organization and project that the headers choose."""
    key = _given_key(request.headers.get("authorization", ""))
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
            f"Incorrect API key provided: {masked(key)}. You can find your API key at "
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
    if not _may_choose(runtime, row["organization"], row["project"], project):
        raise ApiError(401, "OpenAI-Project header should match project for API key", code="mismatched_project")
    scopes = None if row["scopes"] is None else frozenset(json.loads(row["scopes"]))
    return Caller(key_class(key), organization, row["organization_name"], project, scopes)


def require_scope(runtime: Runtime, caller: Caller, scope: str, call: str) -> None:
    """Refuse a caller whose key does not have the scope."""
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


def key_class(key: str) -> str:
    """The class of a key, which its prefix tells."""
    if key.startswith("sk-admin-"):
        return "admin"
    return "session" if key.startswith("sess-") else "secret"


def masked(key: str) -> str:
    """A key as error messages echo it."""
    if len(key) <= 16:
        return f"{key[:3]}****"
    return f"{key[:8]}****{key[-4:]}"


def redacted(key: str) -> str:
    """A key as lists show it."""
    return f"{key[: len(key_prefix(key)) + 3]}...{key[-4:]}"


def key_prefix(key: str) -> str:
    """What tells the class of a key."""
    return next((prefix for prefix in PREFIXES if key.startswith(prefix)), "")


def _given_key(authorization: str) -> str:
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


def _may_choose(runtime: Runtime, organization: str, own: str | None, chosen: str) -> bool:
    """A project's key is for that project, any other key for all projects of its organization."""
    if own or not chosen:
        return chosen == (own or "")
    row = runtime.db.execute(
        "SELECT 1 FROM inference_projects WHERE id = ? AND organization = ?", (chosen, organization)
    ).fetchone()
    return row is not None
