# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Asking for builds, and the queue where they wait."""

from __future__ import annotations

import json
import re
from typing import Any

from starlette.responses import Response

from . import builds, configuration, jobs, pages
from .call import Call, Route
from .configuration import Definition, Parameter
from .exposition import ALWAYS, Bean, Property
from .permissions import JOB_BUILD, JOB_CANCEL, JOB_READ
from .remote_api import API, serve
from .store import Item, Job

_DELAY = re.compile(r"(-?\d+)\s*(secs?)?")
NAMED_PLAIN_400_SINCE = (2, 524)
SEE_OTHER_SINCE = (2, 308)


def bean(call: Call, item: Item) -> Bean:
    """A queue item as the remote API shows it."""
    kind, why = _state(call, item)
    job = call.store.job(item.job)
    common = (
        Property("actions", lambda: [*builds.parameter_actions(item.parameters), builds.cause_action(item.causes)]),
        Property("blocked", kind == "BlockedItem", ALWAYS),
        Property("buildable", kind == "BuildableItem", ALWAYS),
        Property("id", item.id, ALWAYS),
        Property("inQueueSince", int(item.since * 1000), ALWAYS),
        Property("params", "".join(f"\n{_shown(parameter)}" for parameter in item.parameters or []), ALWAYS),
        Property("stuck", False, ALWAYS),
        Property("task", jobs.bean(call, job) if job else None, ALWAYS),
        Property("url", f"queue/item/{item.id}/", ALWAYS),
        Property("why", why, ALWAYS),
    )
    return Bean(f"hudson.model.Queue${kind}", *common, *_own_properties(call, item, kind))


def _shown(parameter: dict[str, Any]) -> str:
    value = parameter["value"]
    if parameter["_class"] == builds.SECRET_KIND:
        value = "****"
    return f"{parameter['name']}={str(value).lower() if isinstance(value, bool) else value}"


def _own_properties(call: Call, item: Item, kind: str) -> list[Property]:
    if kind == "WaitingItem":
        return [Property("timestamp", int(item.due * 1000), ALWAYS)]
    if kind == "LeftItem":
        build = call.store.build(item.job, item.number) if item.number else None
        return [
            Property("cancelled", item.cancelled, ALWAYS),
            Property("executable", builds.bean(call, build) if build else None, ALWAYS),
        ]
    since = Property("buildableStartMilliseconds", int(item.due * 1000), ALWAYS)
    return [since] if kind == "BlockedItem" else [since, Property("pending", False, ALWAYS)]


def _state(call: Call, item: Item) -> tuple[str, str | None]:
    """The class of an item, and what it waits for."""
    if item.left is not None:
        return "LeftItem", None
    if call.now < item.due:
        return "WaitingItem", f"In the quiet period. Expires in {_span(item.due - call.now)}"
    if call.service.lifecycle.quieting:
        return "BuildableItem", "Jenkins is about to shut down"
    scheduler = call.service.scheduler
    if build := scheduler.blocking(item, call.now):
        estimate = scheduler.estimate(item.job)
        left = (estimate or 0) - (call.now - build.started)
        eta = _span(left) if left > 0 else "N/A"
        return "BlockedItem", f"Build #{build.number} is already in progress (ETA: {eta})"
    return "BuildableItem", "Waiting for next available executor"


def _span(seconds: float) -> str:
    """A time as the server words it."""
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600} hr {whole % 3600 // 60} min"
    if whole >= 60:
        return f"{whole // 60} min {whole % 60} sec"
    if whole >= 10:
        return f"{whole} sec"
    if whole >= 1:
        return f"{int(seconds * 10) / 10:g} sec"
    return f"{int(seconds * 100) / 100:g} sec" if seconds >= 0.1 else f"{int(seconds * 1000)} ms"


def _delay(call: Call, definition: Definition) -> float:
    """How long the quiet period is, in seconds; a bare number in `delay` counts milliseconds."""
    text = call.parameter("delay")
    if text is None:
        own = definition.quiet_period
        return float(call.switch("quiet_period")) if own is None else own
    found = _DELAY.fullmatch(text.strip())
    if not found:
        raise pages.Oops
    number = int(found[1])
    return max(0, number if found[2] else number // 1000)


def _check_trigger(call: Call, definition: Definition) -> None:
    """Let only those pass who may build, or know the job's own token; only these may use GET."""
    token = call.parameter("token")
    if definition.trigger_token and token is not None:
        if token == definition.trigger_token:
            return
        raise pages.AccessDenied(message="Invalid token provided.")
    call.require(JOB_BUILD)
    call.require_post()


def _require_buildable(job: Job, definition: Definition) -> None:
    if definition.disabled:
        raise pages.EngineError(409, f"{job.name} is not buildable")


def _schedule(
    call: Call, job: Job, definition: Definition, parameters: list[dict[str, Any]] | None
) -> tuple[str, bool]:
    """Put a build into the queue; tells the item's address and whether it waited there already."""
    due = call.now + _delay(call, definition)
    item, waited = call.service.scheduler.schedule(job, due, parameters, builds.cause(call), call.now)
    return f"{call.root}queue/item/{item.id}/", waited


def _build(call: Call, job: str) -> Response:
    found = call.job(job)
    definition = configuration.parse(found.config)
    _require_buildable(found, definition)
    if definition.parameters and call.method != "POST":
        return pages.page(f"{found.name} - Jenkins", "<h1>This build requires parameters</h1>", 405)
    _check_trigger(call, definition)
    if definition.parameters:
        return _build_from_form(call, found, definition)
    location, _unused = _schedule(call, found, definition, None)
    return pages.redirect(location, 201)


def _build_from_form(call: Call, job: Job, definition: Definition) -> Response:
    submitted = call.parameter("json")
    if not submitted:
        nothing = call.submits_nothing
        raise pages.EngineError(400, "Nothing is submitted" if nothing else "This page expects a form submission")
    form = _json_object(submitted)
    location, waited = _schedule(call, job, definition, _form_values(form, definition))
    if waited:
        return pages.redirect(call.here)
    target = str(form.get("redirectTo", ""))
    if "://" not in target and not target.startswith("//"):
        location = call.absolute(target or call.here)
    status = str(form.get("statusCode", ""))
    return pages.redirect(location, int(status) if status.isdigit() else 201)


def _json_object(text: str) -> dict[str, Any]:
    try:
        form = json.loads(text)
    except ValueError:
        raise pages.Oops from None
    if not isinstance(form, dict):
        raise pages.Oops
    return form


def _form_values(form: dict[str, Any], definition: Definition) -> list[dict[str, Any]]:
    """The parameters of a form submission: only those it names."""
    entries = form.get("parameter", [])
    values = []
    for entry in entries if isinstance(entries, list) else [entries]:
        parameter = definition.parameter(entry.get("name", "")) if isinstance(entry, dict) else None
        if not parameter:
            raise pages.Oops
        values.append(_value(parameter, _submitted_text(entry.get("value"))))
    return values


def _submitted_text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(parameter: Parameter, text: str) -> dict[str, Any]:
    try:
        return parameter.value(text)
    except ValueError:
        raise pages.Oops from None


def _build_with_parameters(call: Call, job: str) -> Response:
    found = call.job(job)
    definition = configuration.parse(found.config)
    _check_trigger(call, definition)
    _require_buildable(found, definition)
    if not definition.parameters:
        if _version(call) < NAMED_PLAIN_400_SINCE:
            raise pages.Oops
        raise pages.EngineError(400, f"{found.name} is not parameterized")
    values = [_submitted_value(call, parameter) for parameter in definition.parameters]
    location, waited = _schedule(call, found, definition, values)
    return pages.redirect(location, 303 if waited and _version(call) >= SEE_OTHER_SINCE else 201)


def _submitted_value(call: Call, parameter: Parameter) -> dict[str, Any]:
    given = call.parameters(parameter.name)
    if not given:
        return parameter.default_value()
    if len(given) > 1:
        raise pages.Oops
    return _value(parameter, given[0])


def _version(call: Call) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", call.switch("version")))


def _queue(call: Call, form: str) -> Response:
    items = call.store.queue() if call.principal.may(JOB_READ) else []
    members = (
        Property("discoverableItems", [], inline=True),
        Property("items", lambda: [bean(call, item) for item in items], inline=True),
    )
    return serve(call, Bean("hudson.model.Queue", *members), form)


def _item(call: Call, number: str) -> Item:
    if not number.isdigit():
        raise pages.Oops
    item = call.service.scheduler.item(int(number), call.now)
    if not item or not call.principal.may(JOB_READ):
        raise pages.NotFound
    return item


def _show_item(call: Call, number: str, form: str) -> Response:
    return serve(call, bean(call, _item(call, number)), form)


def _item_page(call: Call, number: str) -> Response:
    item = _item(call, number)
    example = f"{call.context}/queue/item/{item.id}/api/json?tree=cancelled,executable[url]"
    return pages.text(f"Queue item exists. For details check, for example, {example}")


def _cancel(call: Call, item: Item) -> None:
    item.left, item.cancelled = call.now, True
    call.store.put_item(item)


def _cancel_item(call: Call) -> Response:
    call.require_post()
    number = call.parameter("id") or ""
    item = call.service.scheduler.item(int(number), call.now) if number.isdigit() else None
    if not item:
        raise pages.Oops(404)
    if not call.principal.may(JOB_CANCEL):
        raise pages.Oops(422)
    if item.left is not None:
        raise pages.Oops
    _cancel(call, item)
    return Response(status_code=204)


def _cancel_queue(call: Call, number: str) -> Response:
    item = _item(call, number)
    call.require_post()
    if item.left is None and call.principal.may(JOB_CANCEL):
        _cancel(call, item)
    return Response(status_code=204)


ROUTES = (
    Route("/job/{job}/build/?", _build, "build"),
    Route("/job/{job}/buildWithParameters/?", _build_with_parameters, "build"),
    Route("/queue" + API, _queue, "queue", reads=True),
    Route("/queue/item/{number}" + API, _show_item, "queue_item", reads=True),
    Route("/queue/item/{number}/", _item_page, "queue_item", reads=True),
    Route("/queue/item/{number}/cancelQueue", _cancel_queue, "cancel_item"),
    Route("/queue/cancelItem", _cancel_item, "cancel_item"),
)
