# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of users and groups."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_time
from ..protocol.json_response import json_response
from ..protocol.request_body import parse_json_body
from .accounts import ANONYMOUS
from .passwords import find_violation

REALM = "internal"
OWN_USER_MESSAGE = "Action cancelled. You are logged-in as the user you have selected for removal"
# Fields of users and groups, with their defaults.
USER_DEFAULTS = {
    "email": None,
    "admin": False,
    "profileUpdatable": True,
    "disableUIAccess": True,
    "internalPasswordDisabled": False,
    "realm": REALM,
}
GROUP_DEFAULTS = {
    "description": "",
    "autoJoin": False,
    "adminPrivileges": False,
    "realm": REALM,
    "realmAttributes": None,
    "externalId": None,
}
# Roles that this API has besides the Access API, since CLASSIC_GROUP_ROLES.
GROUP_ROLES = {"watchManager": False, "policyManager": False, "reportsManager": False}
# The names under which fields are stored, which are those of the Access API.
STORED_NAMES = {
    "profileUpdatable": "profile_updatable",
    "disableUIAccess": "disable_ui_access",
    "internalPasswordDisabled": "internal_password_disabled",
    "autoJoin": "auto_join",
    "adminPrivileges": "admin_privileges",
    "realmAttributes": "realm_attributes",
    "externalId": "external_id",
    "watchManager": "watch_manager",
    "policyManager": "policy_manager",
    "reportsManager": "reports_manager",
}
READ_ONLY_USER_FIELDS = ("admin", "realm")
STRING_FIELDS = ("email", "password", "description", "realm", "realmAttributes", "externalId")
BOOLEAN_FIELDS = tuple(
    name for name, default in {**USER_DEFAULTS, **GROUP_DEFAULTS, **GROUP_ROLES}.items() if isinstance(default, bool)
)
BOOLEAN_STRINGS = {"true": True, "false": False, "": None}


async def list_users(call: Call) -> Response:
    """Handle `GET /api/security/users`."""
    require_security_admin(call)
    users = [
        {**list_entry(call, "users", user["name"]), "realm": user["about"].get("realm", REALM)}
        for user in call.accounts.list_users()
    ]
    return call.vendor_json("security.Users", users)


async def get_user(call: Call, name: str) -> Response:
    """Handle `GET /api/security/users/{name}`."""
    require_security_admin(call)
    user = require_existing(call.accounts.find_user(name))
    fields = {**_load_fields(user["about"], USER_DEFAULTS), "admin": user["admin"]}
    last_login = call.accounts.last_login(user["name"])
    return call.vendor_json(
        "security.User",
        {
            "name": user["name"],
            **fields,
            "groups": user["groups"],
            "lastLoggedIn": None if last_login is None else format_time(last_login),
        },
    )


async def replace_user(call: Call, name: str) -> Response:
    """Handle `PUT /api/security/users/{name}`. Missing fields get their defaults."""
    require_security_admin(call)
    body = await read_body(call, "User")
    if not body.get("email"):
        raise ArtifactError(400, "The user's email is missing")
    if not (body.get("password") or body.get("internalPasswordDisabled")):
        raise ArtifactError(400, "The user's password is missing")
    existing = call.accounts.find_user(name) or {}
    preserved: dict[str, Any] = {
        member: existing[member] for member in ("api_key", "permissions", "locked") if member in existing
    }
    if not existing:  # new users join such groups, whatever the request says
        body["groups"] = list(dict.fromkeys([*body.get("groups", ()), *call.accounts.list_auto_join_groups()]))
    call.accounts.save_user({"name": name, **preserved, **_to_seed(call, body, {})})
    return Response(status_code=201)


async def update_user(call: Call, name: str) -> Response:
    """Handle `POST /api/security/users/{name}`. Missing fields are not changed."""
    require_security_admin(call)
    body = await read_body(call, "User")
    existing = require_existing(call.accounts.find_user(name))
    call.accounts.save_user({**existing, **_to_seed(call, body, existing["about"])})
    return Response()


async def delete_user(call: Call, name: str) -> Response:
    """Handle `DELETE /api/security/users/{name}`."""
    require_security_admin(call)
    user = require_existing(call.accounts.find_user(name))
    if user["name"] == call.principal.name:
        raise ArtifactError(403, OWN_USER_MESSAGE)
    if user["name"] == ANONYMOUS:
        raise ArtifactError(403, f"User '{ANONYMOUS}' cannot be removed")
    call.accounts.delete_user(name)
    return PlainTextResponse(f"The user: '{name}' has been removed successfully.")


async def list_groups(call: Call) -> Response:
    """Handle `GET /api/security/groups`."""
    require_security_admin(call)
    return call.vendor_json(
        "security.Groups", [list_entry(call, "groups", group["name"]) for group in call.accounts.list_groups()]
    )


async def get_group(call: Call, name: str) -> Response:
    """Handle `GET /api/security/groups/{name}[?includeUsers=true]`."""
    require_security_admin(call)
    group = require_existing(call.accounts.find_group(name))
    fields = {"name": name, **_load_fields(group["about"], _group_defaults(call))}
    fields["realm"] = fields["realm"].lower()
    has_members = call.supports(feature_versions.CLASSIC_GROUP_MEMBERS)
    if has_members and call.query.get("includeUsers", "").lower() == "true":
        fields["userNames"] = call.accounts.list_members(name)
    return call.vendor_json("security.Group", fields)


async def replace_group(call: Call, name: str) -> Response:
    """Handle `PUT /api/security/groups/{name}`. Missing fields get their defaults."""
    require_security_admin(call)
    body = await _read_group(call)
    existing = call.accounts.find_group(name) or {"permissions": {}}
    _save_group(call, name, existing["permissions"], body, {})
    if "userNames" in body:
        call.accounts.set_members(name, body["userNames"])
    return Response(status_code=201)


async def update_group(call: Call, name: str) -> Response:
    """Handle `POST /api/security/groups/{name}`. Missing fields are not changed, and no member is removed."""
    require_security_admin(call)
    body = await _read_group(call)
    existing = require_existing(call.accounts.find_group(name))
    _save_group(call, name, existing["permissions"], body, existing["about"])
    call.accounts.change_members(name, body.get("userNames", ()), ())
    return Response()


async def delete_group(call: Call, name: str) -> Response:
    """Handle `DELETE /api/security/groups/{name}`."""
    require_security_admin(call)
    require_existing(call.accounts.find_group(name))
    call.accounts.delete_group(name)
    return PlainTextResponse(f"Group '{name}' has been removed successfully.")


async def list_locked_users(call: Call) -> Response:
    """Handle `GET /api/security/lockedUsers`."""
    call.require_admin()
    locked = [user["name"] for user in call.accounts.list_users() if user["locked"]]
    return json_response(locked)


async def unlock_user(call: Call, name: str) -> Response:
    """Handle `POST /api/security/unlockUsers/{name}`, which succeeds even if the user does not exist."""
    call.require_admin()
    call.accounts.unlock([name])
    return PlainTextResponse(f"The user: '{name}' was successfully unlocked")


async def unlock_users(call: Call) -> Response:
    """Handle `POST /api/security/unlockUsers`."""
    call.require_admin()
    names = await parse_json_body(call)
    if not is_string_list(names):
        raise ArtifactError(400)
    call.accounts.unlock(names)
    return PlainTextResponse("Specified users were successfully unlocked")


async def unlock_all_users(call: Call) -> Response:
    """Handle `POST /api/security/unlockAllUsers`."""
    call.require_admin()
    call.accounts.unlock(user["name"] for user in call.accounts.list_users())
    return PlainTextResponse("All users were successfully unlocked")


def require_security_admin(call: Call) -> None:
    """Fail unless the caller is an administrator and the edition is not OSS."""
    call.require_pro()
    call.require_admin()


def list_entry(call: Call, kind: str, name: str) -> dict[str, Any]:
    """Return the entry of a user, group or permission target in a list."""
    return {"name": name, "uri": f"{call.base}/api/security/{kind}/{quote(name)}"}


def require_existing(details: dict[str, Any] | None) -> dict[str, Any]:
    """Return the object, or fail with 404 if it does not exist."""
    if details is None:
        raise ArtifactError(404)
    return details


async def read_body(call: Call, kind: str) -> dict[str, Any]:
    """Return the JSON object in the body; `kind` is the JFrog media type that is accepted besides JSON."""
    media_type = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in ("application/json", f"application/vnd.org.jfrog.artifactory.security.{kind}+json".lower()):
        raise ArtifactError(415)
    body = await parse_json_body(call)
    if not isinstance(body, dict):
        raise ArtifactError(400)
    if not all(is_string_list(body.get(name) or []) for name in ("groups", "userNames")):
        raise ArtifactError(400)
    converted = {name: _convert_field(name, value) for name, value in body.items()}
    return {name: value for name, value in converted.items() if value is not None}


def _convert_field(name: str, value: Any) -> Any:
    """Convert a field as Jackson does: scalars to strings, strings and integers to booleans."""
    if name in STRING_FIELDS and isinstance(value, (dict, list)):
        raise ArtifactError(400)
    if name in STRING_FIELDS and isinstance(value, (bool, int, float)):
        return json.dumps(value)
    if name not in BOOLEAN_FIELDS or value is None:
        return value
    if isinstance(value, int):
        return bool(value)
    if not isinstance(value, str) or value.strip() not in BOOLEAN_STRINGS:
        raise ArtifactError(400)
    return BOOLEAN_STRINGS[value.strip()]


def is_string_list(value: Any) -> bool:
    """Return whether a value is a list of strings."""
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _load_fields(about: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return stored fields with the names of this API."""
    return {name: about.get(STORED_NAMES.get(name, name), default) for name, default in defaults.items()}


def _store_fields(body: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return fields of the body with the names under which they are stored."""
    return {STORED_NAMES.get(name, name): body[name] for name in names if name in body}


def _to_seed(call: Call, body: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a user in the format of seeds; `about` contains the previous fields."""
    for group in body.get("groups", ()):
        if call.accounts.find_group(group) is None:
            raise ArtifactError(400, f"Unable to find group '{group}'")
    if violation := find_violation(call, body["password"]) if body.get("password") else None:
        raise ArtifactError(400, violation)
    fields: dict[str, Any] = {name: body[name] for name in ("password", "admin", "groups") if name in body}
    return {
        **fields,
        "about": {**about, **_store_fields(body, USER_DEFAULTS.keys() - READ_ONLY_USER_FIELDS)},
    }


async def _read_group(call: Call) -> dict[str, Any]:
    """Return the group in the body, without members if the version does not know them."""
    body = await read_body(call, "Group")
    ignored = () if call.supports(feature_versions.CLASSIC_GROUP_MEMBERS) else ("userNames",)
    return {name: value for name, value in body.items() if name not in ignored}


def _save_group(
    call: Call, name: str, permissions: dict[str, str], body: dict[str, Any], about: dict[str, Any]
) -> None:
    fields = {**about, **_store_fields(body, _group_defaults(call))}
    if fields.get("auto_join") and fields.get("admin_privileges"):
        raise ArtifactError(400, "A group with administrative privileges cannot be joined automatically")
    for user in body.get("userNames", ()):
        if call.accounts.find_user(user) is None:
            raise ArtifactError(400, f"Unable to find user '{user}'")
    call.accounts.save_group(name, permissions, fields)


def _group_defaults(call: Call) -> dict[str, Any]:
    return {**GROUP_DEFAULTS, **(GROUP_ROLES if call.supports(feature_versions.CLASSIC_GROUP_ROLES) else {})}


async def get_api_key(call: Call) -> Response:
    """Handle `GET /api/security/apiKey`."""
    call.require_login()
    user = call.accounts.find_user(call.principal.name)
    key = user.get("api_key") if user else None
    response = json_response({"apiKey": key} if key else {})
    response.headers["Cache-Control"] = "no-store"
    return response


USERS, GROUPS = "/api/security/users", "/api/security/groups"
ROUTES = (
    Route("GET", USERS, list_users, "list_users"),
    Route("GET", f"{USERS}/{{name}}", get_user, "user_detail"),
    Route("PUT", f"{USERS}/{{name}}", replace_user, "replace_user"),
    Route("POST", f"{USERS}/{{name}}", update_user, "update_user"),
    Route("DELETE", f"{USERS}/{{name}}", delete_user, "delete_user"),
    Route("GET", GROUPS, list_groups, "list_groups"),
    Route("GET", f"{GROUPS}/{{name}}", get_group, "group_detail"),
    Route("PUT", f"{GROUPS}/{{name}}", replace_group, "replace_group"),
    Route("POST", f"{GROUPS}/{{name}}", update_group, "update_group"),
    Route("DELETE", f"{GROUPS}/{{name}}", delete_group, "delete_group"),
    Route("GET", "/api/security/apiKey", get_api_key, "api_key"),
    Route("GET", "/api/security/lockedUsers", list_locked_users, "locked_users"),
    Route("POST", "/api/security/unlockUsers", unlock_users, "unlock_users"),
    Route("POST", "/api/security/unlockUsers/{name}", unlock_user, "unlock_user"),
    Route("POST", "/api/security/unlockAllUsers", unlock_all_users, "unlock_all_users"),
)
