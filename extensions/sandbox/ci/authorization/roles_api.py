# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The API of role-strategy, and the script that lists permissions.

Most calls answer 200, whether they have an effect or not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import ADMINISTER, BY_ID
from ..call import Call
from ..http.refusals import AccessDenied, EngineError, InternalError, NotFound
from ..java_patterns import PatternError, compile_pattern
from ..nodes import stored_nodes
from ..scripts.known_scripts import Arguments, known_script
from .strategies import (
    EITHER,
    GROUP,
    ROLE_TYPES,
    ROLES,
    USER,
    Role,
    Sid,
    Strategy,
    find_permission,
    load_strategy,
    save_strategy,
)

BASE = "/role-strategy/strategy/"
GLOBAL, PROJECT, AGENT = ROLE_TYPES


class _Request:
    """A call with the strategy that it reads or changes."""

    def __init__(self, call: Call, changes: bool = False) -> None:
        strategy = load_strategy(call.storage)
        if strategy.kind != ROLES or not call.plugins.have(("role-strategy",)):
            raise NotFound
        if changes:
            call.require_post()
        if not call.principal.may(ADMINISTER):
            raise AccessDenied(message=f"{call.principal.name} is missing a permission to administer roles")
        self.call = call
        self.strategy = strategy

    def text(self, name: str) -> str:
        """Return a required parameter."""
        value = self.call.parameter(name)
        if value is None:
            raise InternalError
        return value

    def role_type(self, default: str | None = None) -> str:
        """Return the type of roles."""
        kind = self.call.parameter("type") or default
        if kind not in ROLE_TYPES:
            raise InternalError
        return kind

    def names(self, name: str) -> list[str]:
        """Return the elements of a comma-separated parameter."""
        return [entry for entry in self.text(name).split(",") if entry]

    def save(self) -> Response:
        """Store the strategy."""
        save_strategy(self.call.storage, self.strategy)
        return Response()


def _find_role(strategy: Strategy, kind: str, name: str) -> Role | None:
    return next((role for role in strategy.roles[kind] if role.name == name), None)


def _find_permissions(names: list[str]) -> list[str]:
    """Return the IDs of the known permissions. Others are dropped silently."""
    return sorted({permission.id for name in names if (permission := find_permission(name))})


def _add_role(call: Call) -> Response:
    request = _Request(call, changes=True)
    kind, name, overwrite = request.role_type(), request.text("roleName"), request.text("overwrite") == "true"
    pattern = call.parameter("pattern") or ".*" if kind != GLOBAL else ".*"
    _compile(pattern)
    permissions = _find_permissions(request.names("permissionIds"))
    template = call.parameter("template") or "" if kind == PROJECT else None
    if template:
        if template not in request.strategy.templates:
            raise EngineError(400, f"A template with name {template} doesn't exists.")
        permissions = request.strategy.templates[template]
    roles = request.strategy.roles[kind]
    if existing := _find_role(request.strategy, kind, name):
        if not overwrite:
            return Response()
        roles.remove(existing)
    roles.append(Role(name, permissions, pattern, template=template))
    return request.save()


def _remove_roles(call: Call) -> Response:
    request = _Request(call, changes=True)
    kind, names = request.role_type(), request.names("roleNames")
    request.strategy.roles[kind] = [role for role in request.strategy.roles[kind] if role.name not in names]
    return request.save()


def _assign(call: Call, kind: str) -> Response:
    request = _Request(call, changes=True)
    role = _find_role(request.strategy, request.role_type(), request.text("roleName"))
    sid = _read_sid(request, kind)
    if role and sid not in role.sids:
        role.sids.append(sid)
    return request.save()


def _unassign(call: Call, kind: str) -> Response:
    request = _Request(call, changes=True)
    role = _find_role(request.strategy, request.role_type(), request.text("roleName"))
    sid = _read_sid(request, kind)
    if role:
        role.sids = [other for other in role.sids if other != sid]
    return request.save()


def _delete_sid(call: Call, kind: str) -> Response:
    request = _Request(call, changes=True)
    sid = _read_sid(request, kind)
    for role in request.strategy.roles[request.role_type()]:
        role.sids = [other for other in role.sids if other != sid]
    return request.save()


def _read_sid(request: _Request, kind: str) -> Sid:
    sid_type, parameter = {"User": (USER, "user"), "Group": (GROUP, "group")}.get(kind, (EITHER, "sid"))
    return Sid(sid_type, request.text(parameter))


def _get_role(call: Call) -> Response:
    request = _Request(call)
    kind = request.role_type()
    role = _find_role(request.strategy, kind, request.text("roleName"))
    if not role:
        return _json({})
    shown: dict[str, Any] = {"permissionIds": dict.fromkeys(role.permissions, True)}
    if kind != GLOBAL:
        shown["pattern"] = role.pattern
    shown["sids"] = _list_sids(role)
    if role.template is not None:
        shown["template"] = role.template
    return _json(shown)


def _get_all_roles(call: Call) -> Response:
    request = _Request(call)
    roles = sorted(request.strategy.roles[request.role_type(GLOBAL)], key=lambda role: role.name)
    return _json({role.name: _list_sids(role) for role in roles})


def _get_assignments(call: Call) -> Response:
    request = _Request(call)
    assigned: dict[Sid, list[str]] = {}
    for role in sorted(request.strategy.roles[request.role_type(GLOBAL)], key=lambda role: role.name):
        for sid in role.sids:
            assigned.setdefault(sid, []).append(role.name)
    order = (USER, GROUP, EITHER)
    sids = sorted(assigned, key=lambda sid: (order.index(sid.type), sid.name))
    return _json([{"name": sid.name, "type": sid.type, "roles": assigned[sid]} for sid in sids])


def _get_matching_jobs(call: Call) -> Response:
    request = _Request(call)
    matching = _match(request, [job.name for job in call.storage.all_jobs()])
    return _json({"matchingJobs": _limit(call, matching, "maxJobs"), "itemCount": len(matching)})


def _get_matching_agents(call: Call) -> Response:
    request = _Request(call)
    matching = _match(request, [node.name for node in stored_nodes.list_nodes(call.storage)])
    return _json({"matchingAgents": _limit(call, matching, "maxAgents"), "agentCount": len(matching)})


def _match(request: _Request, names: list[str]) -> list[str]:
    pattern = _compile(request.text("pattern"))
    return [name for name in names if pattern.fullmatch(name)]


def _compile(pattern: str) -> re.Pattern[str]:
    try:
        return compile_pattern(pattern)
    except PatternError:
        raise InternalError from None


def _limit(call: Call, names: list[str], parameter: str) -> list[str]:
    """Return as many names as a parameter says, none without it."""
    return names[: int(call.parameter(parameter) or 0)]


def _add_template(call: Call) -> Response:
    request = _Request(call, changes=True)
    name, overwrite = request.text("name"), request.text("overwrite") == "true"
    if name in request.strategy.templates and not overwrite:
        raise EngineError(400, f"A template with name {name} already exists.")
    request.strategy.templates[name] = _find_permissions(request.names("permissionIds"))
    return request.save()


def _remove_templates(call: Call) -> Response:
    """Remove templates. Without `force`, used ones are kept."""
    request = _Request(call, changes=True)
    for name in request.names("names"):
        users = _list_users_of(request.strategy, name)
        if name in request.strategy.templates and (not users or call.parameter("force") == "true"):
            del request.strategy.templates[name]
            for role in users:
                role.template = None
    return request.save()


def _get_template(call: Call) -> Response:
    request = _Request(call)
    name = request.text("name")
    if name not in request.strategy.templates:
        return _json({})
    permissions = dict.fromkeys(request.strategy.templates[name], True)
    return _json({"permissionIds": permissions, "isUsed": bool(_list_users_of(request.strategy, name))})


def _list_users_of(strategy: Strategy, template: str) -> list[Role]:
    return [role for role in strategy.roles[PROJECT] if role.template == template]


def _list_sids(role: Role) -> list[dict[str, str]]:
    return [{"type": sid.type, "sid": sid.name} for sid in role.sids]


def _json(value: Any) -> Response:
    content = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return Response(content.encode(), headers={"Content-Type": "application/json;charset=utf-8"})


@known_script("list permissions", read_only=True)
def _list_permissions(_call: Call, _args: Arguments) -> list[list[str]]:
    """Return the IDs and names of all permissions."""
    return [[permission.id, permission.title] for permission in BY_ID.values()]


@known_script("check regular expressions", read_only=True)
def _check_patterns(_call: Call, args: Arguments) -> dict[str, str]:
    """Return the reasons why patterns are not regular expressions."""
    errors = {}
    for pattern in args["patterns"]:
        try:
            compile_pattern(pattern)
        except PatternError as error:
            errors[pattern] = str(error)
    return errors


_READS: dict[str, Callable[[Call], Response]] = {
    "getRole": _get_role,
    "getAllRoles": _get_all_roles,
    "getRoleAssignments": _get_assignments,
    "getMatchingJobs": _get_matching_jobs,
    "getMatchingAgents": _get_matching_agents,
    "getTemplate": _get_template,
}
_WRITES: dict[str, Callable[[Call], Response]] = {
    "addRole": _add_role,
    "removeRoles": _remove_roles,
    "addTemplate": _add_template,
    "removeTemplates": _remove_templates,
}
ROUTES = (
    *(Route(ANY, BASE + path, handler, "roles", read_only=True) for path, handler in _READS.items()),
    *(Route(ANY, BASE + path, handler, "change_roles") for path, handler in _WRITES.items()),
    Route(ANY, BASE + "assign{kind:User|Group|}Role", _assign, "change_roles"),
    Route(ANY, BASE + "unassign{kind:User|Group|}Role", _unassign, "change_roles"),
    Route(ANY, BASE + "delete{kind:User|Group|Sid}", _delete_sid, "change_roles"),
)
