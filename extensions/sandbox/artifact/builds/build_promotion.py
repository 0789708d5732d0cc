# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build promotion: files to the next repository, and an entry in the build's history."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ..call import Call
from ..items.tree import Item
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_json
from ..protocol.json_conversion import boolean
from ..protocol.negotiation import VND
from . import build_api
from .records import Build, Promotion, moment

Message = dict[str, str]
BOOLEANS = ("dryRun", "copy", "artifacts", "dependencies", "failFast")


async def promote(call: Call, name: str, number: str) -> Response:
    """POST /api/build/promote/{name}/{number}"""
    call.require_pro()
    order = await build_api.read_json_object(call, **dict.fromkeys(BOOLEANS, boolean))
    order["dryRun"] = _is_rehearsal(call, order)
    if order["dryRun"]:
        call.mark_as_read("rehearse_promotion")
    build = build_api.existing(call, name, number)
    call.require_permission(
        "r", build_api.RECORDS, name, f"The user: '{call.principal.name}' may not promote the build '{name}'."
    )
    if order.get("mappings") and (order.get("sourceRepo") or order.get("targetRepo")):
        raise ArtifactError(400, "The use of both 'sourceRepo' or 'targetRepo' and 'mappings' fields is forbidden")
    messages: list[Message] = []
    if order.get("targetRepo") or order.get("mappings"):
        await _take_files(call, build, order, messages)
    failed = any(message["level"] != "INFO" for message in messages)
    if not (failed and order.get("failFast", True)):
        _note_status(call, build, order, messages)
        failed = any(message["level"] != "INFO" for message in messages)
    status = 400 if failed and order.get("failFast", True) else 200
    body = format_json({"messages": messages}).encode()
    return Response(body, status, {"Content-Type": f"{VND}build.PromotionResult+json"})


def _is_rehearsal(call: Call, order: dict[str, Any]) -> bool:
    """Whether a dry run is asked for, and is one."""
    earnest = call.get_switch("dry_run_promotes")
    return bool(order.get("dryRun")) and not (earnest == "always" or (earnest == "with_status" and order.get("status")))


async def _take_files(call: Call, build: Build, order: dict[str, Any], messages: list[Message]) -> None:
    """Copy or move each file of the build; with `failFast` nothing happens once one of them cannot."""
    if order.get("targetRepo") and not call.repositories.is_stored(order["targetRepo"]):
        messages.append(_error(f"Cannot locate target repository: {order['targetRepo']}"))
        return
    chosen: list[tuple[Item, str, str]] = []
    for file in _files(build, order):
        item = _stored(call, build, file, order.get("sourceRepo"))
        if item is None:
            messages.append(_error(f"Unable to find artifact '{file.get('name') or file.get('id')}' of the build."))
        elif target := _target(item, order):
            chosen.append((item, *target))
    copying = bool(order.get("copy"))
    messages += [refusal for one in chosen if (refusal := _refusal(call, *one, copying))]
    if order.get("dryRun") or (messages and order.get("failFast", True)):
        return
    for item, repo, path in chosen:
        if refusal := _refusal(call, item, repo, path, copying):
            # It may be in the way of a file that was taken just now
            messages += [] if refusal in messages else [refusal]
        else:
            taken = await call.relocate(item, repo, path, copying)
            call.items.set_properties(taken, _properties(order))


def _target(item: Item, order: dict[str, Any]) -> tuple[str, str] | None:
    """Where a file goes: to the same path of the target, or as the first mapping that fits says; None when it stays."""
    place = f"{item.repo}/{item.path}"
    wanted = _mapped(place, order["mappings"]) if order.get("mappings") else f"{order['targetRepo']}/{item.path}"
    repo, _slash, path = wanted.partition("/")
    return None if wanted == place else (repo, path)


def _mapped(place: str, mappings: list[dict[str, str]]) -> str:
    for mapping in mappings:
        found = re.fullmatch(mapping["input"], place)
        if found:
            return found.expand(re.sub(r"\$(\d+)", r"\\\1", mapping["output"]))
    return place


def _files(build: Build, order: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The artifacts of a build as they are recorded, and its dependencies if they are wanted."""
    scopes = set(order.get("scopes") or ())
    for module in build.record.get("modules") or ():
        if order.get("artifacts", True):
            yield from module.get("artifacts") or ()
        if order.get("dependencies"):
            for needed in module.get("dependencies") or ():
                if not scopes or scopes & set(needed.get("scopes") or ()):
                    yield needed


def find_artifacts(call: Call, build: Build) -> list[Item]:
    """The files of a build's artifacts, as far as they are still there."""
    found = (_stored(call, build, file, None) for file in _files(build, {}))
    return [item for item in found if item is not None]


def _stored(call: Call, build: Build, file: dict[str, Any], source: str | None) -> Item | None:
    """Where the file lies: best where its properties say that it is of this run."""
    found = [
        item
        for item in call.items.find_by_content("sha1", file.get("sha1") or "")
        if (item.repo == source or source is None)
        and call.repositories.is_stored(item.repo)
        and call.principal.may("r", item.repo, item.path)
    ]
    mine = {"build.name": [build.name], "build.number": [build.number]}
    found.sort(key=lambda item: mine.items() <= call.items.get_properties(item).items(), reverse=True)
    return found[0] if found else None


def _refusal(call: Call, item: Item, repo: str, path: str, copying: bool) -> Message | None:
    may = call.principal.may
    if not call.repositories.is_stored(repo):
        return _error(f"Cannot locate target repository: {repo}")
    if not may("w", repo, path):
        return _error(call.permission_message("deploy", repo, path))
    if not copying and not may("d", item.repo, item.path):
        return _error(f"Not enough permissions to delete/overwrite artifact '{item.repo}:{item.path}'.")
    conflict = call.find_conflict(item, repo, path)
    return _error(conflict) if conflict else None


def _note_status(call: Call, build: Build, order: dict[str, Any], messages: list[Message]) -> None:
    if not order.get("status") or order.get("dryRun"):
        return
    try:
        created = moment(order["timestamp"]) if order.get("timestamp") else call.runtime.clock.now()
    except ValueError:
        text = f"Skipping promotion status update: invalid unparsable timestamp {order['timestamp']}."
        messages.append(_error(text))
        return
    call.builds.add_promotion(
        build,
        Promotion(
            created,
            call.principal.name,
            order["status"],
            order.get("targetRepo"),
            order.get("comment"),
            order.get("ciUser"),
        ),
    )


def _properties(order: dict[str, Any]) -> dict[str, list[str]]:
    return {key: [str(value) for value in values] for key, values in (order.get("properties") or {}).items()}


def _error(text: str) -> Message:
    return {"level": "ERROR", "message": text}


ROUTES = (Route("POST", f"/api/build/promote/{build_api.NAMED}", promote, "promote_build"),)
