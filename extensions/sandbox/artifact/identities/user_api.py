# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users in the Access API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from starlette.responses import Response

from ...http.routing import Route
from ..access.accounts import ANONYMOUS
from ..access.passwords import find_violation
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import AccessError
from ..protocol.formats import format_time, parse_seed_time
from ..protocol.json_response import json_response
from .fields import ENABLED, LOCKED, REALM, supported_user_fields
from .platform_call import (
    is_name_list,
    read_changes,
    read_name,
    read_object,
    require_administrator,
    require_reader,
    select_fields,
    select_page,
)

STATUSES = ("invited", ENABLED, "disabled", LOCKED)


async def list_users(call: Call) -> Response:
    """Handle `GET /access/api/v2/users`."""
    require_reader(call)
    users = {user["name"]: user for user in call.accounts.list_users() if _is_selected(call, user)}
    names, cursor = select_page(call, list(users))
    base = call.base.removesuffix("/artifactory")
    entries = [
        {
            "username": name,
            "uri": f"{base}{USERS_PATH}/{quote(name, safe='')}",
            "realm": users[name]["about"].get("realm", REALM),
            "status": _status(users[name]),
        }
        for name in names
    ]
    return json_response({"users": entries, "cursor": cursor})


async def get_user(call: Call, name: str) -> Response:
    """Handle `GET /access/api/v2/users/{name}`."""
    require_reader(call)
    return json_response(_to_json(call, _require_user(call, name)))


async def create_user(call: Call) -> Response:
    """Handle `POST /access/api/v2/users`. The user also joins the groups that new users join."""
    require_administrator(call)
    body = await read_object(call)
    name = read_name(body, "username", "Username must be provided")
    if not body.get("email"):
        raise AccessError(400, "Email must be provided")
    if call.accounts.find_user(name) is not None:
        raise AccessError(409, f"User {name.lower()} already exists")
    groups = body.get("groups") or []
    if not is_name_list(groups):
        raise AccessError(400, "Invalid value of 'groups'")
    groups = [_require_group(call, group) for group in groups]
    fields = _change_fields(call, body, None)
    joined = dict.fromkeys([*groups, *call.accounts.list_auto_join_groups()])
    call.accounts.save_user({**fields, "name": name, "groups": list(joined)})
    return json_response(_to_json(call, _require_user(call, name)), 201)


async def update_user(call: Call, name: str) -> Response:
    """Handle `PATCH /access/api/v2/users/{name}`. Missing fields are not changed."""
    require_administrator(call)
    user = _require_user(call, name)
    fields = _change_fields(call, await read_object(call), user)
    call.accounts.save_user({**user, **fields})
    return json_response(_to_json(call, _require_user(call, name)))


async def delete_user(call: Call, name: str) -> Response:
    """Handle `DELETE /access/api/v2/users/{name}`."""
    require_administrator(call)
    if _require_user(call, name)["name"] == ANONYMOUS:
        raise AccessError(403, f"User {ANONYMOUS} cannot be deleted")
    call.accounts.delete_user(name)
    return Response(status_code=204)


async def change_password(call: Call, name: str) -> Response:
    """Handle `PUT /access/api/v2/users/{name}/password`."""
    require_administrator(call)
    user = _require_user(call, name)
    password = (await read_object(call)).get("password")
    if user["about"].get("internal_password_disabled"):
        raise AccessError(400, "The internal password of the user is disabled")
    _check_password(call, password)
    call.accounts.save_user({**user, "password": password})
    return Response(status_code=204)


async def change_groups(call: Call, name: str) -> Response:
    """Handle `PATCH /access/api/v2/users/{name}/groups`."""
    require_administrator(call)
    user = _require_user(call, name)
    added, removed = ([_require_group(call, group) for group in names] for names in await read_changes(call))
    groups = [group for group in dict.fromkeys([*user["groups"], *added]) if group not in removed]
    call.accounts.save_user({**user, "groups": groups})
    return json_response({"groups": groups})


def _is_selected(call: Call, user: dict[str, Any]) -> bool:
    """Return whether a user matches the filters of the query."""
    status = call.query.get("status")
    if status not in (None, *STATUSES):
        raise AccessError(400, f"Invalid status: {status}")
    only_admins = call.query.get("onlyAdmins") == "true" and call.supports(feature_versions.ROLE_FILTERS)
    return (
        status in (None, _status(user))
        and call.query.get("username", "").lower() in user["name"]
        and (not only_admins or call.accounts.is_admin(user["name"]))
    )


def _require_user(call: Call, name: str) -> dict[str, Any]:
    user = call.accounts.find_user(name)
    if user is None:
        raise AccessError(404, f"User {name} not found")
    return user


def _require_group(call: Call, name: str) -> str:
    group = call.accounts.find_group(call.accounts.fold_group(name))
    if group is None:
        raise AccessError(400, f"Group {name} does not exist")
    return str(group["name"])


def _change_fields(call: Call, body: dict[str, Any], user: dict[str, Any] | None) -> dict[str, Any]:
    """Return the changed fields of a user, as they are stored.

    :arg user: the current user, or `None` for a new one
    """
    current = {**user["about"], "admin": user["admin"]} if user else {}
    fields = {**current, **select_fields(body, supported_user_fields(call))}
    admin = fields.pop("admin", False)
    if admin and fields.get("disable_ui_access"):
        raise AccessError(400, "UI access cannot be disabled for an administrator")
    stored = {"admin": admin, "about": fields}
    has_password = user is not None and not current.get("internal_password_disabled")
    if body.get("password") is None and (has_password or fields.get("internal_password_disabled")):
        return stored
    _check_password(call, body.get("password"))
    return {**stored, "password": body["password"]}


def _check_password(call: Call, password: Any) -> None:
    if not isinstance(password, str) or not password:
        raise AccessError(400, "Password must be provided")
    if violation := find_violation(call, password):
        raise AccessError(400, violation)


def _status(user: dict[str, Any]) -> str:
    return LOCKED if user["locked"] else str(user["about"].get("status", ENABLED))


def _to_json(call: Call, user: dict[str, Any]) -> dict[str, Any]:
    name, about = user["name"], user["about"]
    defaults = supported_user_fields(call)
    last_login = call.accounts.last_login(name)
    if last_login is None and "last_logged_in" in about:
        last_login = parse_seed_time(about["last_logged_in"])
    return {
        "username": name,
        **{field: about.get(field, default) for field, default in defaults.items()},
        "admin": user["admin"],
        "effective_admin": call.accounts.is_admin(name) if call.supports(feature_versions.EFFECTIVE_ADMIN) else None,
        "last_logged_in": None if last_login is None else format_time(last_login),
        "realm": about.get("realm", REALM),
        "groups": user["groups"],
        "status": _status(user),
    }


USERS = "/api/v2/users"
USERS_PATH = f"/access{USERS}"
ROUTES = (
    Route("GET", USERS, list_users, "list_platform_users"),
    Route("POST", USERS, create_user, "create_platform_user"),
    Route("GET", f"{USERS}/{{name}}", get_user, "platform_user"),
    Route("PATCH", f"{USERS}/{{name}}", update_user, "update_platform_user"),
    Route("DELETE", f"{USERS}/{{name}}", delete_user, "delete_platform_user"),
    Route("PUT", f"{USERS}/{{name}}/password", change_password, "change_platform_user_password"),
    Route("PATCH", f"{USERS}/{{name}}/groups", change_groups, "change_platform_user_groups"),
)
