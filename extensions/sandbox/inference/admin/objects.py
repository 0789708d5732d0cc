# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects that the service only keeps and returns: their store, and their calls.

The objects of an organization and those of a project have the same calls. The paths of projects contain `{project}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..protocol.checks import Check
from ..protocol.json_bodies import json_response
from ..protocol.pagination import paginate
from .common import (
    Record,
    admin_route,
    build_error,
    current_time,
    deletion_response,
    find_project,
    new_id,
    query_rows,
    read_body,
)

CREATED = "created_at"


def find(call: Call, kind: str, owner: str, id: str = "") -> Record | None:
    """Return an object, or null if it does not exist."""
    rows = query_rows(
        call, "SELECT value FROM inference_objects WHERE kind = ? AND owner = ? AND id = ?", kind, owner, id
    )
    return json.loads(rows[0]["value"]) if rows else None


def require(call: Call, kind: str, owner: str, id: str = "") -> Record:
    """Return an object.

    :raises AdminError: 404 if it does not exist
    """
    found = find(call, kind, owner, id)
    if found is None:
        raise build_error(call, 404, f"The {kind} {id} was not found".replace("  ", " "))
    return found


def list_all(call: Call, kind: str, owner: str) -> list[Record]:
    """Return the objects of an owner in the order of their creation."""
    query = "SELECT value FROM inference_objects WHERE kind = ? AND owner = ? ORDER BY rowid"
    return [json.loads(row["value"]) for row in query_rows(call, query, kind, owner)]


def save(call: Call, kind: str, owner: str, id: str, value: Record) -> None:
    """Create or replace an object."""
    call.runtime.db.execute(
        "INSERT INTO inference_objects VALUES (?, ?, ?, ?)"
        " ON CONFLICT (kind, owner, id) DO UPDATE SET value = excluded.value",
        (kind, owner, id, json.dumps(value)),
    )


def delete(call: Call, kind: str, owner: str, id: str = "") -> None:
    """Delete an object.

    :raises AdminError: 404 if it does not exist
    """
    require(call, kind, owner, id)
    call.runtime.db.execute("DELETE FROM inference_objects WHERE kind = ? AND owner = ? AND id = ?", (kind, owner, id))


def find_owner(call: Call, project: str | None) -> str:
    """Return the id of the project, or of the caller's organization. Archived projects cannot be changed."""
    if project is None:
        return call.caller.organization
    return str(find_project(call, project, active=call.request.method != "GET")["id"])


def find_scope(project: str | None) -> str:
    """Return the kind of an owner."""
    return "organization" if project is None else "project"


@dataclass(frozen=True)
class Collection:
    """The calls for a kind of objects.

    :arg kind: the name in messages and, with underscores, in the labels of the calls
    :arg prefix: how ids start
    :arg object: the member `object`; `{scope}` is the kind of the owner
    :arg checks: the members of a body
    :arg needed: the members that a new object must have
    :arg build: returns the members of an object from those of a body, for a kind of owner
    :arg defaults: members of a new object that no body contains
    :arg by_cursor: whether pages have the member `next` instead of the first and the last id
    """

    kind: str
    prefix: str
    object: str
    checks: Mapping[str, Check]
    needed: tuple[str, ...]
    build: Callable[[str, Record], Record] = lambda _scope, values: values
    defaults: Mapping[str, Any] = field(default_factory=dict)
    by_cursor: bool = False

    async def list(self, call: Call, project: str | None = None) -> Response:
        """List the objects."""
        return paginate(call, list_all(call, self.kind, find_owner(call, project)), by_cursor=self.by_cursor)

    async def create(self, call: Call, project: str | None = None) -> Response:
        """Create an object."""
        owner, scope = find_owner(call, project), find_scope(project)
        values = await read_body(call, self.needed, **self.checks)
        new = {
            "object": self.object.format(scope=scope),
            "id": new_id(self.prefix),
            **self.defaults,
            **self.build(scope, values),
        }
        if CREATED in new:
            new[CREATED] = current_time(call)
        save(call, self.kind, owner, new["id"], new)
        return json_response(new)

    async def retrieve(self, call: Call, id: str, project: str | None = None) -> Response:
        """Get an object."""
        return json_response(require(call, self.kind, find_owner(call, project), id))

    async def update(self, call: Call, id: str, project: str | None = None) -> Response:
        """Change the members of an object that the body contains."""
        owner = find_owner(call, project)
        current = require(call, self.kind, owner, id)
        values = await read_body(call, **self.checks)
        changed = {**current, **self.build(find_scope(project), values)}
        save(call, self.kind, owner, id, changed)
        return json_response(changed)

    async def delete(self, call: Call, id: str, project: str | None = None) -> Response:
        """Delete an object."""
        owner = find_owner(call, project)
        kind = require(call, self.kind, owner, id)["object"]
        delete(call, self.kind, owner, id)
        return deletion_response(kind, id)

    def build_routes(self, path: str) -> Iterator[Route]:
        """Yield the routes for the objects below a path."""
        one, label = f"{path}/{{id}}", self.kind.replace(" ", "_")
        yield admin_route("GET", path, self.list, f"list_{label}s")
        yield admin_route("POST", path, self.create, f"create_{label}")
        yield admin_route("GET", one, self.retrieve, f"retrieve_{label}")
        yield admin_route("POST", one, self.update, f"update_{label}")
        yield admin_route("DELETE", one, self.delete, f"delete_{label}")


@dataclass(frozen=True)
class Setting:
    """The calls for an object that an owner has at most once.

    :arg kind: the name in messages and, with underscores, in paths and labels
    :arg checks: the members of a body
    :arg needed: the members that a body must have
    :arg build: returns the members of the object from the current ones and those of the body
    :arg defaults: the objects of owners without one, by the kind of the owner; if not set, an object can be deleted
    """

    kind: str
    checks: Mapping[str, Check]
    needed: tuple[str, ...] = ()
    build: Callable[[Record, Record], Record] = lambda _current, values: values
    defaults: Mapping[str, Record] | None = None

    @property
    def name(self) -> str:
        """The name in paths and labels."""
        return self.kind.replace(" ", "_")

    async def retrieve(self, call: Call, project: str | None = None) -> Response:
        """Get the object."""
        owner, scope = find_owner(call, project), find_scope(project)
        current = self._find(call, owner, scope) or require(call, self.kind, owner)
        return json_response({"object": f"{scope}.{self.name}", **current})

    async def update(self, call: Call, project: str | None = None) -> Response:
        """Change the members that the body contains."""
        owner, scope = find_owner(call, project), find_scope(project)
        values = await read_body(call, self.needed, **self.checks)
        changed = self.build(self._find(call, owner, scope) or {}, values)
        save(call, self.kind, owner, "", changed)
        return json_response({"object": f"{scope}.{self.name}", **changed})

    async def delete(self, call: Call, project: str | None = None) -> Response:
        """Delete the object."""
        owner, scope = find_owner(call, project), find_scope(project)
        delete(call, self.kind, owner)
        return json_response({"object": f"{scope}.{self.name}.deleted", "deleted": True})

    def build_routes(self, *owners: str) -> Iterator[Route]:
        """Yield the routes below the paths of owners."""
        for owner in owners:
            path = f"{owner}/{self.name}"
            yield admin_route("GET", path, self.retrieve, f"retrieve_{self.name}")
            yield admin_route("POST", path, self.update, f"update_{self.name}")
            if self.defaults is None:
                yield admin_route("DELETE", path, self.delete, f"delete_{self.name}")

    def _find(self, call: Call, owner: str, scope: str) -> Record | None:
        return find(call, self.kind, owner) or (self.defaults or {}).get(scope)
