# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Triggering builds."""

from __future__ import annotations

import re
from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ...parsing.documents import parse_json
from ...parsing.integers import parse_integer, parse_integer_or_none
from ..access.permissions import JOB_BUILD
from ..builds import actions
from ..call import JOB, Call
from ..http import pages
from ..http.refusals import AccessDenied, EngineError, InternalError, NotServed
from ..jobs import configuration
from ..jobs.configuration import FILE, Definition, Parameter
from ..jobs.item_kinds import MULTIBRANCH
from ..storage import Job
from ..xml import secrets

_DELAY = re.compile(r"(-?\d+)\s*(secs?)?")
NAMED_PLAIN_400_SINCE = (2, 524)
SEE_OTHER_SINCE = (2, 308)


def _delay(call: Call, definition: Definition) -> float:
    """Return the quiet period in seconds. A number without unit in `delay` is in milliseconds."""
    text = call.parameter("delay")
    if text is None:
        own = definition.quiet_period
        return float(call.switch("quiet_period")) if own is None else own
    match = _DELAY.fullmatch(text.strip())
    if not match:
        raise InternalError
    try:
        number = parse_integer(match[1], 64)
    except ValueError:
        raise InternalError from None
    return max(0, number if match[2] else number // 1000)


def _check_trigger(call: Call, definition: Definition) -> dict[str, Any]:
    """Require the build permission or the token of the job, which allows GET; return the cause."""
    token = call.parameter("token")
    if definition.trigger_token and token is not None:
        if token == secrets.reveal(call.storage, definition.trigger_token):
            return actions.remote_cause(call)
        raise AccessDenied(message="Invalid token provided.")
    call.require(JOB_BUILD)
    call.require_post()
    return actions.user_cause(call)


def _require_buildable(job: Job, definition: Definition) -> None:
    if definition.disabled or job.on_hold:
        raise EngineError(409, f"{job.name} is not buildable")


def _schedule(
    call: Call, job: Job, definition: Definition, parameters: list[dict[str, Any]] | None, cause: dict[str, Any]
) -> tuple[str, bool]:
    """Queue a build. Return the URL of the item and whether it was already queued."""
    due = call.now + _delay(call, definition)
    item, waited = call.scheduler.schedule(job, due, parameters, cause, call.now)
    return f"{call.root}queue/item/{item.id}/", waited


def _build(call: Call, job: str) -> Response:
    if configuration.parse_configuration(call.job(job).config).kind is MULTIBRANCH:
        call.require_post()
        call.require(JOB_BUILD)
        raise NotServed("scans of branches")
    found = call.project(job)
    definition = configuration.parse_configuration(found.config)
    _require_buildable(found, definition)
    if definition.parameters and call.method != "POST":
        return call.page("Jenkins", "<h1>This build requires parameters</h1>", 405)
    cause = _check_trigger(call, definition)
    if definition.parameters:
        return _build_from_form(call, found, definition, cause)
    location, _unused = _schedule(call, found, definition, None, cause)
    return pages.redirect(location, 201)


def _build_from_form(call: Call, job: Job, definition: Definition, cause: dict[str, Any]) -> Response:
    submitted = call.parameter("json")
    if not submitted:
        nothing = call.is_empty_submission
        raise EngineError(400, "Nothing is submitted" if nothing else "This page expects a form submission")
    form = _json_object(submitted)
    location, waited = _schedule(call, job, definition, _form_values(call, form, definition), cause)
    if waited:
        return pages.redirect(call.current_folder_path)
    target = str(form.get("redirectTo", ""))
    if "://" not in target and not target.startswith("//"):
        location = call.absolute(target or call.current_folder_path)
    status = parse_integer_or_none(str(form.get("statusCode", ""))) or 0
    return pages.redirect(location, status if 200 <= status < 600 else 201)


def _json_object(text: str) -> dict[str, Any]:
    try:
        form = parse_json(text)
    except ValueError:
        raise InternalError from None
    if not isinstance(form, dict):
        raise InternalError
    return form


def _form_values(call: Call, form: dict[str, Any], definition: Definition) -> list[dict[str, Any]]:
    """Return the parameters that a form submission contains."""
    entries = form.get("parameter", [])
    values = []
    for entry in entries if isinstance(entries, list) else [entries]:
        parameter = definition.parameter(entry.get("name", "")) if isinstance(entry, dict) else None
        if not parameter:
            raise InternalError
        if parameter.kind == FILE:
            value = _submitted_file(call, parameter, str(entry.get("file", "")))
        else:
            value = _value(parameter, _submitted_text(entry.get("value")))
        if not value:
            raise InternalError
        values.append(value)
    return values


def _submitted_file(call: Call, parameter: Parameter, part: str) -> dict[str, Any] | None:
    """Return the file of a form part, or None if it is missing."""
    file = call.file(part)
    if file is None or file.file_name is None:
        return None
    stored = call.controller.runtime.files.put(file.chunks())
    return parameter.file_value(file.file_name, stored.sha256)


def _submitted_text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(parameter: Parameter, text: str) -> dict[str, Any]:
    try:
        return parameter.value(text)
    except ValueError:
        raise InternalError from None


def _build_with_parameters(call: Call, job: str) -> Response:
    found = call.project(job)
    definition = configuration.parse_configuration(found.config)
    cause = _check_trigger(call, definition)
    _require_buildable(found, definition)
    if not definition.parameters:
        if _version(call) < NAMED_PLAIN_400_SINCE:
            raise InternalError
        raise EngineError(400, f"{found.leaf} is not parameterized")
    values = [value for parameter in definition.parameters if (value := _submitted_value(call, parameter))]
    location, waited = _schedule(call, found, definition, values, cause)
    return pages.redirect(location, 303 if waited and _version(call) >= SEE_OTHER_SINCE else 201)


def _submitted_value(call: Call, parameter: Parameter) -> dict[str, Any] | None:
    """Return the value of a submitted parameter, or None for a missing file."""
    if parameter.kind == FILE:
        return _submitted_file(call, parameter, parameter.name)
    values = call.parameters(parameter.name)
    if not values:
        return configuration.default_value(call.storage, parameter)
    if len(values) > 1:
        raise InternalError
    return _value(parameter, values[0])


def _version(call: Call) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", call.switch("version")))


ROUTES = (
    Route(ANY, JOB + "/build{:/?}", _build, "build"),
    Route(ANY, JOB + "/buildWithParameters{:/?}", _build_with_parameters, "build"),
)
