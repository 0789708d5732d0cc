# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles that users and groups have in an organization or a project."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from . import objects, users
from .common import ORGANIZATION, Record, admin_route, check_name, read_body
from .groups import require_group
from .objects import CREATED, find_owner
from .roles import PROJECT_ROLES, ROLE


@dataclass(frozen=True)
class Assignments:
    """The calls for the roles of a kind of principals.

    :arg principal: `user` or `group`
    :arg find_principal: returns the record of a principal
    """

    principal: str
    find_principal: Callable[[Call, str], Record]

    async def list(self, call: Call, principal: str, project: str | None = None) -> Response:
        """List the roles of a principal that still exist."""
        owner = find_owner(call, project)
        self.find_principal(call, principal)
        assigned = objects.list_all(call, self._kind, f"{owner}/{principal}")
        roles = (objects.find(call, ROLE.kind, owner, entry["role"]) for entry in assigned)
        return paginate(call, (_describe(role) for role in roles if role), by_cursor=True)

    async def create(self, call: Call, principal: str, project: str | None = None) -> Response:
        """Give a principal a role."""
        owner = find_owner(call, project)
        found = self.find_principal(call, principal)
        id = (await read_body(call, ("role_id",), role_id=check_name))["role_id"]
        role = objects.require(call, ROLE.kind, owner, id)
        objects.save(call, self._kind, f"{owner}/{principal}", id, {"role": id})
        return json_response({"object": f"{self.principal}.role", self.principal: found, "role": role})

    async def retrieve(self, call: Call, principal: str, id: str, project: str | None = None) -> Response:
        """Get a role of a principal."""
        owner = find_owner(call, project)
        self.find_principal(call, principal)
        objects.require(call, self._kind, f"{owner}/{principal}", id)
        return json_response(_describe(objects.require(call, ROLE.kind, owner, id)))

    async def delete(self, call: Call, principal: str, id: str, project: str | None = None) -> Response:
        """Take a role from a principal."""
        owner = find_owner(call, project)
        self.find_principal(call, principal)
        objects.delete(call, self._kind, f"{owner}/{principal}", id)
        return json_response({"object": f"{self.principal}.role.deleted", "deleted": True})

    def build_routes(self, *owners: str) -> Iterator[Route]:
        """Yield the routes below the paths of owners."""
        for owner in owners:
            path, label = f"{owner}/{self.principal}s/{{principal}}/roles", f"{self.principal}_role"
            yield admin_route("GET", path, self.list, f"list_{label}s")
            yield admin_route("POST", path, self.create, f"create_{label}")
            yield admin_route("GET", f"{path}/{{id}}", self.retrieve, f"retrieve_{label}")
            yield admin_route("DELETE", f"{path}/{{id}}", self.delete, f"delete_{label}")

    @property
    def _kind(self) -> str:
        return f"role of the {self.principal}"


def _describe(role: Record) -> Record:
    return {name: value for name, value in role.items() if name != "object"}


def _find_group(call: Call, group: str) -> Record:
    """Return a group as assignments show it."""
    found = require_group(call, group)
    return {
        "object": "group",
        **{name: found[name] for name in ("id", "name", CREATED)},
        "scim_managed": found["is_scim_managed"],
    }


def _find_user(call: Call, user: str) -> Record:
    return users.record(users.find_user(call, user))


ROUTES = (
    *Assignments("user", _find_user).build_routes(ORGANIZATION, PROJECT_ROLES),
    *Assignments("group", _find_group).build_routes(ORGANIZATION, PROJECT_ROLES),
)
