# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of LDAP settings and LDAP group settings under /access. No LDAP server is contacted."""

from __future__ import annotations

import functools
from typing import Any

from starlette.responses import JSONResponse, Response

from ...http.routing import Route
from ..call import Call
from ..identities.platform_call import read_object, require_administrator
from ..protocol import feature_versions
from ..protocol.errors import AccessError, ArtifactError
from ..system.configuration.schema import SECTIONS, Keyed
from ..system.configuration.xml_format import encrypt
from .ldap_settings import GROUP, PASSWORD, SEARCH, SETTING, Kind, delete, load_all, parse, save

MASK = "********"


async def list_objects(call: Call, kind: Kind) -> Response:
    """Handle `GET` of a list. The switch `ldap_lists` decides whether its entries have all members."""
    _require_rights(call)
    entries = [_show(call, value) for value in load_all(call.state, kind).values()]
    if call.get_switch("ldap_lists") == "keys":
        entries = [{kind.identity: entry[kind.identity]} for entry in entries]
    return JSONResponse(entries)


async def get_object(call: Call, name: str, kind: Kind) -> Response:
    """Handle `GET` of an object."""
    _require_rights(call)
    found = load_all(call.state, kind).get(name)
    if found is None:
        raise AccessError(call.get_switch("missing_ldap_status"), f"{kind.name} {name} not found")
    return JSONResponse(_show(call, found))


async def create_object(call: Call, kind: Kind) -> Response:
    """Handle `POST` to a list."""
    _require_rights(call)
    value = parse(call.state, kind, await read_object(call))
    name = value[kind.identity]
    if name in load_all(call.state, kind):
        raise AccessError(409, f"{kind.name} {name} already exists")
    if kind is SETTING and _is_key_in_use(call, name):
        raise AccessError(400, f"Invalid {kind.name}: the key {name} is already in use")
    _save(call, kind, value)
    return JSONResponse(_show(call, load_all(call.state, kind)[name]), 201)


async def replace_object(call: Call, kind: Kind, name: str | None = None) -> Response:
    """Handle `PUT` to a list, with the key in the body, and `PUT` of an object. Missing members get their defaults."""
    _require_rights(call)
    value = parse(call.state, kind, await read_object(call))
    key = value[kind.identity]
    previous = load_all(call.state, kind).get(key)
    if previous is None or name not in (None, key):
        raise AccessError(404, f"{kind.name} {name or key} not found")
    if kind is SETTING:
        _keep_password(call, value[SEARCH], previous[SEARCH])
    _save(call, kind, value)
    return JSONResponse(_show(call, load_all(call.state, kind)[key]))


async def delete_object(call: Call, name: str, kind: Kind) -> Response:
    """Handle `DELETE` of an object. The group settings of an LDAP setting are kept."""
    _require_rights(call)
    if name not in load_all(call.state, kind):
        raise AccessError(404, f"{kind.name} {name} not found")
    try:
        delete(call.state, kind, name)
    except ArtifactError as error:
        raise AccessError(error.status, error.message) from None
    return Response(status_code=204)


def _require_rights(call: Call) -> None:
    if not call.supports(feature_versions.LDAP_SETTINGS):
        raise AccessError(404, "HTTP 404 Not Found")
    require_administrator(call)


def _is_key_in_use(call: Call, key: str) -> bool:
    """Return whether another kind of object of the central configuration has a key."""
    sections = [name for name, kind in SECTIONS.items() if isinstance(kind, Keyed) and kind.is_id]
    is_element = any(key in call.descriptor.list_names(section) for section in sections)
    return is_element or call.repositories.find(key) is not None


def _save(call: Call, kind: Kind, value: dict[str, Any]) -> None:
    try:
        save(call.state, kind, value)
    except ArtifactError as error:
        raise AccessError(error.status, error.message) from None


def _keep_password(call: Call, search: dict[str, Any], previous: dict[str, Any]) -> None:
    """Keep the previous password if it is sent as the server returns it, or if the switch `ldap_keeps_password` is on.

    The latter only applies to a search block with the same manager.
    """
    sent, old = search.get(PASSWORD), previous[PASSWORD]
    is_kept = sent is None and call.get_switch("ldap_keeps_password") and search.get("manager_dn")
    if old and (is_kept or (sent and sent == _hide(call, old))):
        search[PASSWORD] = old


def _show(call: Call, value: dict[str, Any]) -> dict[str, Any]:
    """Return an object as the server returns it."""
    if SEARCH not in value:
        return value
    return {**value, SEARCH: {**value[SEARCH], PASSWORD: _hide(call, value[SEARCH][PASSWORD])}}


def _hide(call: Call, password: str | None) -> str | None:
    """Return a password as the switch `ldap_passwords` says: as stored, masked, encrypted, or null."""
    mode = call.get_switch("ldap_passwords")
    if not password or mode == "stored":
        return password
    return {"masked": MASK, "encrypted": encrypt(password)}.get(mode)


def _list_routes(kind: Kind, path: str, label: str) -> tuple[Route, ...]:
    item = f"{path}/{{name}}"
    return (
        Route("GET", path, functools.partial(list_objects, kind=kind), f"list_{label}s"),
        Route("POST", path, functools.partial(create_object, kind=kind), f"create_{label}"),
        Route("PUT", path, functools.partial(replace_object, kind=kind), f"replace_{label}"),
        Route("GET", item, functools.partial(get_object, kind=kind), f"get_{label}"),
        Route("PUT", item, functools.partial(replace_object, kind=kind), f"replace_{label}_by_key"),
        Route("DELETE", item, functools.partial(delete_object, kind=kind), f"delete_{label}"),
    )


ROUTES = (
    *_list_routes(SETTING, "/api/v1/ldap/settings", "ldap_setting"),
    *_list_routes(GROUP, "/api/v1/ldap/groups", "ldap_group"),
)
