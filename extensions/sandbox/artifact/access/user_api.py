# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users and groups, as administrators manage them in the repository service."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from starlette.responses import PlainTextResponse, Response

from ...http.routing import Route
from ...parsing.documents import parse_json
from ..call import Call
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_json

REALM = "internal"
# What is told of each besides its name, and what that is as long as nobody says otherwise
USER = {
    "email": None,
    "admin": False,
    "profileUpdatable": True,
    "disableUIAccess": True,
    "internalPasswordDisabled": False,
}
GROUP = {
    "description": "",
    "autoJoin": False,
    "adminPrivileges": False,
    "realm": REALM,
    "realmAttributes": None,
}
TEXTS = ("email", "password", "description", "realm", "realmAttributes")
FLAGS = tuple(name for name, default in {**USER, **GROUP}.items() if isinstance(default, bool))
FLAGS_AS_TEXTS = {"true": True, "false": False, "": None}


async def list_users(call: Call) -> Response:
    """GET /api/security/users"""
    permit(call)
    listed = [{**entry(call, "users", user["name"]), "realm": REALM} for user in call.accounts.list_users()]
    return call.vendor_json("security.Users", listed)


async def user_detail(call: Call, name: str) -> Response:
    """GET /api/security/users/{name}"""
    permit(call)
    user = known(call.accounts.find_user(name))
    told = {**USER, **user["about"], "admin": user["admin"]}
    return call.vendor_json("security.User", {"name": name, **told, "realm": REALM, "groups": user["groups"]})


async def replace_user(call: Call, name: str) -> Response:
    """PUT /api/security/users/{name}: what is not given is as it is by default"""
    permit(call)
    given = await read_body(call, "User")
    if not given.get("email"):
        raise ArtifactError(400, "The user's email is missing")
    if not (given.get("password") or given.get("internalPasswordDisabled")):
        raise ArtifactError(400, "The user's password is missing")
    before = call.accounts.find_user(name) or {}
    joined = [group["name"] for group in call.accounts.list_groups() if group["about"].get("autoJoin")]
    kept: dict[str, Any] = {
        member: before[member] for member in ("api_key", "permissions", "locked") if member in before
    }
    call.accounts.save_user({"name": name, **kept, **_user(call, {"groups": joined, **given}, {})})
    return Response(status_code=201)


async def update_user(call: Call, name: str) -> Response:
    """POST /api/security/users/{name}: what is not given stays"""
    permit(call)
    given = await read_body(call, "User")
    before = known(call.accounts.find_user(name))
    call.accounts.save_user({**before, **_user(call, given, before["about"])})
    return Response()


async def delete_user(call: Call, name: str) -> Response:
    """DELETE /api/security/users/{name}"""
    permit(call)
    known(call.accounts.find_user(name))
    call.accounts.delete_user(name)
    return PlainTextResponse(f"User '{name}' has been removed successfully.")


async def list_groups(call: Call) -> Response:
    """GET /api/security/groups"""
    permit(call)
    return call.vendor_json(
        "security.Groups", [entry(call, "groups", group["name"]) for group in call.accounts.list_groups()]
    )


async def group_detail(call: Call, name: str) -> Response:
    """GET /api/security/groups/{name}[?includeUsers=true]"""
    permit(call)
    group = known(call.accounts.find_group(name))
    told = {"name": name, **GROUP, **group["about"]}
    if call.query.get("includeUsers", "").lower() == "true":
        told["userNames"] = call.accounts.list_members(name)
    return call.vendor_json("security.Group", told)


async def replace_group(call: Call, name: str) -> Response:
    """PUT /api/security/groups/{name}: what is not given is as it is by default"""
    permit(call)
    given = await read_body(call, "Group")
    before = call.accounts.find_group(name) or {"permissions": {}}
    _save_group(call, name, before["permissions"], given, {})
    return Response(status_code=201)


async def update_group(call: Call, name: str) -> Response:
    """POST /api/security/groups/{name}: what is not given stays"""
    permit(call)
    given = await read_body(call, "Group")
    before = known(call.accounts.find_group(name))
    _save_group(call, name, before["permissions"], given, before["about"])
    return Response()


async def delete_group(call: Call, name: str) -> Response:
    """DELETE /api/security/groups/{name}"""
    permit(call)
    known(call.accounts.find_group(name))
    call.accounts.delete_group(name)
    return PlainTextResponse(f"Group '{name}' has been removed successfully.")


async def locked_users(call: Call) -> Response:
    """GET /api/security/lockedUsers"""
    call.require_admin()
    locked = [user["name"] for user in call.accounts.list_users() if user["locked"]]
    return Response(format_json(locked), media_type="application/json")


async def unlock_user(call: Call, name: str) -> Response:
    """POST /api/security/unlockUsers/{name}: one that is not there is as good as unlocked"""
    call.require_admin()
    call.accounts.unlock([name])
    return PlainTextResponse(f"The user: '{name}' was successfully unlocked")


async def unlock_users(call: Call) -> Response:
    """POST /api/security/unlockUsers"""
    call.require_admin()
    names = await _body(call)
    if not is_string_list(names):
        raise ArtifactError(400)
    call.accounts.unlock(names)
    return PlainTextResponse("Specified users were successfully unlocked")


async def unlock_all_users(call: Call) -> Response:
    """POST /api/security/unlockAllUsers"""
    call.require_admin()
    call.accounts.unlock(user["name"] for user in call.accounts.list_users())
    return PlainTextResponse("All users were successfully unlocked")


def permit(call: Call) -> None:
    """Refuse all but administrators, and the free edition."""
    call.require_pro()
    call.require_admin()


def entry(call: Call, kind: str, name: str) -> dict[str, Any]:
    """What a list tells of one."""
    return {"name": name, "uri": f"{call.base}/api/security/{kind}/{quote(name)}"}


def known(found: dict[str, Any] | None) -> dict[str, Any]:
    """What was found, or 404."""
    if found is None:
        raise ArtifactError(404)
    return found


async def read_body(call: Call, kind: str) -> dict[str, Any]:
    """What the body describes, in one of the two types that it may have."""
    media_type = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in ("application/json", f"application/vnd.org.jfrog.artifactory.security.{kind}+json".lower()):
        raise ArtifactError(415)
    given = await _body(call)
    if not isinstance(given, dict):
        raise ArtifactError(400)
    if not all(is_string_list(given.get(name) or []) for name in ("groups", "userNames")):
        raise ArtifactError(400)
    bound = {name: _bound(name, value) for name, value in given.items()}
    return {name: value for name, value in bound.items() if value is not None}


def _bound(name: str, value: Any) -> Any:
    """What Jackson makes of a member: numbers and flags do for texts, and texts and whole numbers for flags."""
    if name in TEXTS and isinstance(value, (dict, list)):
        raise ArtifactError(400)
    if name in TEXTS and isinstance(value, (bool, int, float)):
        return json.dumps(value)
    if name not in FLAGS or value is None:
        return value
    if isinstance(value, int):
        return bool(value)
    if not isinstance(value, str) or value.strip() not in FLAGS_AS_TEXTS:
        raise ArtifactError(400)
    return FLAGS_AS_TEXTS[value.strip()]


def is_string_list(value: Any) -> bool:
    """Whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


async def _body(call: Call) -> Any:
    try:
        return parse_json(await call.request.body())
    except ValueError:
        raise ArtifactError(400, "Error parsing json body") from None


def _user(call: Call, given: dict[str, Any], about: dict[str, Any]) -> dict[str, Any]:
    """What a body says of a user, as seeds say it, in addition to what is known about the user."""
    for group in given.get("groups", ()):
        if call.accounts.find_group(group) is None:
            raise ArtifactError(400, f"Unable to find group '{group}'")
    told: dict[str, Any] = {name: given[name] for name in ("password", "admin", "groups") if name in given}
    return {**told, "about": {**about, **{name: given[name] for name in USER if name in given and name != "admin"}}}


def _save_group(
    call: Call, name: str, permissions: dict[str, str], given: dict[str, Any], about: dict[str, Any]
) -> None:
    told = {**about, **{member: given[member] for member in GROUP if member in given}}
    if told.get("autoJoin") and told.get("adminPrivileges"):
        raise ArtifactError(400, "A group with administrative privileges cannot be joined automatically")
    for user in given.get("userNames", ()):
        if call.accounts.find_user(user) is None:
            raise ArtifactError(400, f"Unable to find user '{user}'")
    call.accounts.save_group(name, permissions, told)
    if "userNames" in given:
        call.accounts.set_members(name, given["userNames"])


USERS, GROUPS = "/api/security/users", "/api/security/groups"
ROUTES = (
    Route("GET", USERS, list_users, "list_users"),
    Route("GET", f"{USERS}/{{name}}", user_detail, "user_detail"),
    Route("PUT", f"{USERS}/{{name}}", replace_user, "replace_user"),
    Route("POST", f"{USERS}/{{name}}", update_user, "update_user"),
    Route("DELETE", f"{USERS}/{{name}}", delete_user, "delete_user"),
    Route("GET", GROUPS, list_groups, "list_groups"),
    Route("GET", f"{GROUPS}/{{name}}", group_detail, "group_detail"),
    Route("PUT", f"{GROUPS}/{{name}}", replace_group, "replace_group"),
    Route("POST", f"{GROUPS}/{{name}}", update_group, "update_group"),
    Route("DELETE", f"{GROUPS}/{{name}}", delete_group, "delete_group"),
    Route("GET", "/api/security/lockedUsers", locked_users, "locked_users"),
    Route("POST", "/api/security/unlockUsers", unlock_users, "unlock_users"),
    Route("POST", "/api/security/unlockUsers/{name}", unlock_user, "unlock_user"),
    Route("POST", "/api/security/unlockAllUsers", unlock_all_users, "unlock_all_users"),
)
