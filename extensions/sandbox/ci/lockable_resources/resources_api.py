# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lockable resources: the list, reservations, and the scripts of modules that change the configuration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...seeds.schema import mapping_schema
from ..access.permissions import ADMINISTER, LOCKABLE_RESERVE, LOCKABLE_STEAL, LOCKABLE_UNLOCK, Permission
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import AccessDenied, EngineError, NotFound
from ..remote_api.api import API, serve
from ..remote_api.beans import ALWAYS, Bean, Property
from ..scripts.known_scripts import Arguments, ScriptError, known_script
from ..storage import Storage

PLUGINS = ("lockable-resources",)
SHAPE = mapping_schema("name! description labels note properties ephemeral reserved_by locked_by queued stolen")
SETTING = "lockable_resources"
PATH = "/lockable-resources"
PACKAGE = "org.jenkins.plugins.lockableresources"
_DEFAULTS: dict[str, Any] = {
    "description": "",
    "labels": [],
    "note": "",
    "properties": {},
    "ephemeral": False,
    "reserved_by": None,
    "reserved_at": None,
    "locked_by": None,
    "queued": False,
    "stolen": False,
}

Resource = dict[str, Any]


def add_resource(storage: Storage, data: dict[str, Any]) -> None:
    """Add or replace a resource of a seed."""
    _put(storage, {**_DEFAULTS, **data})


def _resources(storage: Storage) -> list[Resource]:
    resources: list[Resource] = storage.setting(SETTING, [])
    return resources


def _find(storage: Storage, name: str | None) -> Resource | None:
    return next((resource for resource in _resources(storage) if resource["name"] == name), None)


def _put(storage: Storage, resource: Resource) -> None:
    resources = {each["name"]: each for each in _resources(storage)}
    storage.set(SETTING, list({**resources, resource["name"]: resource}.values()))


def _delete(storage: Storage, name: str) -> None:
    storage.set(SETTING, [resource for resource in _resources(storage) if resource["name"] != name])


def _require_plugin(call: Call) -> None:
    if not call.plugins.have(PLUGINS):
        raise NotFound


def _list(call: Call, form: str) -> Answer:
    _require_plugin(call)
    resources = [_bean(resource) for resource in _resources(call.storage)]
    return serve(call, Bean(f"{PACKAGE}.actions.LockableResourcesRootAction", Property("resources", resources)), form)


def _bean(resource: Resource) -> Bean:
    at = resource["reserved_at"]
    members = {
        "buildName": resource["locked_by"],
        "description": resource["description"],
        "ephemeral": resource["ephemeral"],
        "labels": " ".join(resource["labels"]),
        "labelsAsList": resource["labels"],
        "lockReason": None,
        "locked": resource["locked_by"] is not None,
        "name": resource["name"],
        "note": resource["note"],
        "properties": [_property_bean(*item) for item in resource["properties"].items()],
        "reserved": resource["reserved_by"] is not None,
        "reservedBy": resource["reserved_by"],
        "reservedByEmail": None,
        "reservedTimestamp": None if at is None else int(at * 1000),
        "stolen": resource["stolen"],
    }
    properties = (Property(name, value, visibility=ALWAYS) for name, value in members.items())
    return Bean(f"{PACKAGE}.LockableResource", *properties, typed=False)


def _property_bean(name: str, value: str) -> Bean:
    members = (Property("name", name, visibility=ALWAYS), Property("value", value, visibility=ALWAYS))
    return Bean(f"{PACKAGE}.LockableResourceProperty", *members, typed=False)


def _reserve(call: Call, resource: Resource) -> Resource:
    if resource["reserved_by"] or resource["locked_by"] or resource["queued"]:
        raise EngineError(423, f"Resource [{resource['name']}] already reserved or locked!")
    return {**resource, "reserved_by": _user_name(call), "reserved_at": call.now}


def _steal(call: Call, resource: Resource) -> Resource:
    taken = {"reserved_by": _user_name(call), "reserved_at": call.now, "stolen": True}
    return {**resource, **taken, "locked_by": None}


def _reassign(call: Call, resource: Resource) -> Resource:
    return {**resource, "reserved_by": _user_name(call), "reserved_at": call.now}


def _unreserve(call: Call, resource: Resource) -> Resource:
    if resource["reserved_by"] != _user_name(call) and not call.principal.may(ADMINISTER):
        raise AccessDenied(LOCKABLE_RESERVE)
    return {**resource, "reserved_by": None, "reserved_at": None, "stolen": False}


def _unlock(_call: Call, resource: Resource) -> Resource:
    return {**resource, "locked_by": None}


def _reset(_call: Call, resource: Resource) -> Resource:
    free = {"reserved_by": None, "reserved_at": None, "stolen": False}
    return {**resource, **free, "locked_by": None, "queued": False}


def _save_note(call: Call, resource: Resource) -> Resource:
    return {**resource, "note": call.parameter("note") or call.parameter("resourceNote") or ""}


def _user_name(call: Call) -> str:
    user = call.storage.user(call.principal.name)
    if not user:
        raise EngineError(401, "You are not authenticated")
    return user.full_name


Action = Callable[[Call, Resource], Resource]
ACTIONS: dict[str, tuple[Permission, Action, str]] = {
    "reserve": (LOCKABLE_RESERVE, _reserve, "reserve_resource"),
    "steal": (LOCKABLE_STEAL, _steal, "steal_resource"),
    "reassign": (LOCKABLE_STEAL, _reassign, "reassign_resource"),
    "unreserve": (LOCKABLE_RESERVE, _unreserve, "unreserve_resource"),
    "unlock": (LOCKABLE_UNLOCK, _unlock, "unlock_resource"),
    "reset": (LOCKABLE_UNLOCK, _reset, "reset_resource"),
    "saveNote": (LOCKABLE_RESERVE, _save_note, "save_resource_note"),
}


def _handler(permission: Permission, change: Action) -> Callable[[Call], Response]:
    def act(call: Call) -> Response:
        _require_plugin(call)
        call.require_post()
        call.require(permission)
        resource = _find(call.storage, call.parameter("resource"))
        if not resource:
            raise EngineError(404, f"Resource does not exist {call.parameter('resource')}")
        changed = change(call, resource)
        # A temporary resource is deleted when it is released
        if changed["ephemeral"] and resource["locked_by"] and not changed["locked_by"] and not changed["reserved_by"]:
            _delete(call.storage, resource["name"])
        else:
            _put(call.storage, changed)
        return pages.redirect(call.headers.get("Referer", "."))

    return act


@known_script("save a lockable resource", label="save_resource")
def _save(call: Call, args: Arguments) -> None:
    _require_classes(call)
    resource = _find(call.storage, args["name"]) or {**_DEFAULTS, "name": args["name"]}
    changes = {name: args[name] for name in ("description", "note", "properties") if args[name] is not None}
    if args["labels"] is not None:
        changes["labels"] = args["labels"].split()
    _put(call.storage, {**resource, **changes, "ephemeral": False})


@known_script("delete a lockable resource", label="delete_resource")
def _delete_unused(call: Call, args: Arguments) -> bool:
    """Delete a resource, and return whether it was kept because it is in use."""
    _require_classes(call)
    resource = _find(call.storage, args["name"])
    if resource is None:
        return False
    is_reserved = resource["reserved_by"] != args["reserved_by"]
    if not args["force"] and (is_reserved or resource["locked_by"] or resource["queued"]):
        return True
    _delete(call.storage, args["name"])
    return False


def _require_classes(call: Call) -> None:
    if not call.plugins.have(PLUGINS):
        raise ScriptError(
            f"startup failed:\nTaskScript.groovy: 2: unable to resolve class {PACKAGE}.LockableResource",
            "org.codehaus.groovy.control.MultipleCompilationErrorsException",
        )


ROUTES = (
    Route("GET", PATH + API, _list, "list_resources"),
    *(
        Route(ANY, f"{PATH}/{name}", _handler(permission, change), label)
        for name, (permission, change, label) in ACTIONS.items()
    ),
)
