# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The control API below `/_sandbox`: reset, seed, clock, switches, faults and journal."""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import fields
from typing import Any

import yaml
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route, Router
from starlette.types import Receive, Scope, Send

from .. import console
from ..parsing.documents import parse_json
from ..runtime.clock import Clock
from ..sandbox import Sandbox
from .curl import build_command
from .details import describe_request, list_credentials
from .faults import UnknownFaultError
from .journal import Filter, JournalEntry, UnknownEntryError
from .masking import Masker
from .presets import UnknownPresetError, describe_presets, expand_preset
from .replay import find_obstacle, replay_request

Handler = Callable[[Request], Awaitable[Any]]

HEALTH = "/_sandbox/health"
FILTERS = tuple(field.name for field in fields(Filter))
LIMITS = ("after", "before", "last")
LATEST = 220_000_000_000  # latest time of the clock, in seconds since the epoch
# These paths need no secret because their responses contain no data of the sandbox.
PUBLIC_PATHS = {HEALTH, *(route.path for route in console.ROUTES)}


class UnknownTableError(LookupError):
    """The table of the state does not exist."""


class ControlAPI:
    """The ASGI application of the control API. All paths except the public ones require the secret."""

    def __init__(self, sandbox: Sandbox, secret: str) -> None:
        """Create the application for a sandbox."""
        self._sandbox = sandbox
        self._secret = secret
        self._authorization = f"Bearer {secret}"
        self._router = Router(
            [
                *console.ROUTES,
                Route(HEALTH, _json_endpoint(self._health)),
                Route("/_sandbox/reset", _json_endpoint(self._reset), methods=["POST"]),
                Route("/_sandbox/seed", _json_endpoint(self._seed, ("reset",)), methods=["GET", "POST"]),
                Route("/_sandbox/snapshot", _json_endpoint(self._snapshot), methods=["POST"]),
                Route("/_sandbox/exports", _json_endpoint(self._exports)),
                Route("/_sandbox/state", _json_endpoint(self._state)),
                Route("/_sandbox/state/{service}/{table}", _json_endpoint(self._state_table, ("parent", "offset"))),
                Route("/_sandbox/clock", _json_endpoint(self._clock), methods=["GET", "PUT"]),
                Route("/_sandbox/switches", _json_endpoint(self._switches), methods=["GET", "PATCH"]),
                Route("/_sandbox/faults", _json_endpoint(self._list_faults), methods=["GET", "POST", "DELETE"]),
                Route("/_sandbox/faults/presets", _json_endpoint(self._list_presets)),
                Route("/_sandbox/faults/presets/{name}", _json_endpoint(self._add_preset), methods=["POST"]),
                Route("/_sandbox/faults/{id:int}", _json_endpoint(self._remove_fault), methods=["DELETE"]),
                Route(
                    "/_sandbox/journal", _json_endpoint(self._journal, (*FILTERS, *LIMITS)), methods=["GET", "DELETE"]
                ),
                Route("/_sandbox/journal/{n:int}", _json_endpoint(self._journal_entry)),
                Route("/_sandbox/journal/{n:int}/replay", _json_endpoint(self._replay), methods=["POST"]),
                *(Mount(f"/_sandbox/{service.name}", routes=service.control_routes()) for service in sandbox.services),
            ]
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request, after any running seed."""
        if scope["path"] not in PUBLIC_PATHS:
            authorization = Request(scope).headers.get("authorization", "")
            if not secrets.compare_digest(authorization.encode("utf-8"), self._authorization.encode("utf-8")):
                refusal = {"error": "The control API requires the secret that the sandbox printed at startup."}
                await JSONResponse(refusal, 401)(scope, receive, send)
                return
            await self._sandbox.wait_for_seeding()
        await self._router(scope, receive, send)

    async def _health(self, _request: Request) -> Any:
        return {"status": "ok", "services": [service.name for service in self._sandbox.services]}

    async def _reset(self, request: Request) -> Any:
        self._sandbox.reset()
        self._export(request)
        return {}

    async def _seed(self, request: Request) -> Any:
        if request.method == "GET":
            return await self._sandbox.export_seed_in_thread()
        reset = request.query_params.get("reset", "0")
        if reset not in ("0", "1"):
            raise ValueError("The argument 'reset' must be 0 or 1.")
        await self._sandbox.seed_in_thread(_parse_seed(await request.body()), reset=reset == "1")
        self._export(request)
        return {}

    async def _snapshot(self, request: Request) -> Any:
        files = await _read_mapping(request, "A snapshot")
        await self._sandbox.load_snapshot_in_thread(files)
        self._export(request)
        return {}

    async def _exports(self, request: Request) -> Any:
        return self._export(request)

    def _export(self, request: Request) -> dict[str, str]:
        """Return the environment variables of all services, and update the credential files that they name."""
        return self._sandbox.exports(str(request.base_url).rstrip("/"))

    async def _state(self, _request: Request) -> Any:
        return await self._sandbox.state()

    async def _state_table(self, request: Request) -> Any:
        service, table = request.path_params["service"], request.path_params["table"]
        offset = _parse_number(request, "offset") if "offset" in request.query_params else 0
        try:
            return await self._sandbox.state_table(service, table, request.query_params.get("parent"), offset)
        except (KeyError, ValueError):
            raise UnknownTableError(f"The table {table!r} of {service!r} does not exist.") from None

    async def _clock(self, request: Request) -> Any:
        clock = self._sandbox.runtime.clock
        if request.method == "PUT":
            change = await _read_mapping(request, "A change of the clock")
            _change_clock(clock, change)
        return clock.state()

    async def _switches(self, request: Request) -> Any:
        if request.method == "PATCH":
            self._sandbox.runtime.set_switches(await _read_mapping(request, "A change of switches"))
        return self._sandbox.runtime.all_switches()

    async def _list_faults(self, request: Request) -> Any:
        if request.method == "POST":
            return self._sandbox.faults.add(await _read_mapping(request, "A fault"))
        if request.method == "DELETE":
            self._sandbox.faults.clear()
        return {"faults": self._sandbox.faults.to_list()}

    async def _list_presets(self, _request: Request) -> Any:
        return {"presets": describe_presets(self._sandbox.services)}

    async def _add_preset(self, request: Request) -> Any:
        changes = await _read_mapping(request, "A change of a preset", b"{}")
        faults = expand_preset(request.path_params["name"], self._sandbox.services, changes)
        return {"faults": [self._sandbox.faults.add(fault) for fault in faults]}

    async def _remove_fault(self, request: Request) -> Any:
        self._sandbox.faults.remove(request.path_params["id"])
        return {"faults": self._sandbox.faults.to_list()}

    async def _journal(self, request: Request) -> Any:
        journal = self._sandbox.journal
        if request.method == "DELETE":
            journal.clear()
        query = request.query_params
        limits = {name: _parse_number(request, name) for name in LIMITS if name in query}
        criteria = Filter(**{name: query[name] for name in FILTERS if name in query})
        criteria.check([service.name for service in self._sandbox.services])
        return {
            "began": journal.log.began,
            "total": len(journal.log.entries),
            "requests": journal.entries(criteria, Masker(self._list_secrets()), **limits),
        }

    async def _journal_entry(self, request: Request) -> Any:
        entry = self._find_entry(request)
        known = self._list_secrets()
        command = None
        if entry.recording:
            known.extend(list_credentials(entry.recording))
            command = build_command(entry, entry.recording, known, self._export(request))
        return {
            **describe_request(entry, Masker(known)),
            "curl": command,
            "replay_obstacle": find_obstacle(entry),
        }

    def _list_secrets(self) -> list[str]:
        return [self._secret, *self._sandbox.list_secrets()]

    async def _replay(self, request: Request) -> Any:
        return {"n": await replay_request(self._sandbox.journal, self._find_entry(request))}

    def _find_entry(self, request: Request) -> JournalEntry:
        return self._sandbox.journal.find(request.path_params["n"])


def _json_endpoint(handler: Handler, arguments: tuple[str, ...] = ()) -> Callable[[Request], Awaitable[Response]]:
    """Return an endpoint with JSON responses: 400 if the input is invalid, 404 if an object does not exist.

    :arg arguments: names of the arguments that the query can have
    """

    async def endpoint(request: Request) -> Response:
        try:
            _check_arguments(request, arguments)
            return JSONResponse(await handler(request))
        except (UnknownEntryError, UnknownFaultError, UnknownPresetError, UnknownTableError) as error:
            return JSONResponse({"error": str(error)}, 404)
        except ValueError as error:
            return JSONResponse({"error": str(error)}, 400)
        except RecursionError:
            return JSONResponse({"error": "The request body is nested too deeply."}, 400)

    return endpoint


def _check_arguments(request: Request, known: tuple[str, ...]) -> None:
    """Fail if the query has an unknown argument, or one twice.

    :raises ValueError: if it does
    """
    names = [name for name, _value in request.query_params.multi_items()]
    if unknown := next((name for name in names if name not in known), None):
        valid = f"Valid arguments: {', '.join(known)}." if known else "The path has no arguments."
        raise ValueError(f"Unknown argument {unknown!r}. {valid}")
    if len(names) != len(set(names)):
        raise ValueError("An argument is given twice.")


def _parse_body(body: bytes, subject: str) -> Any:
    try:
        return parse_json(body)
    except json.JSONDecodeError as error:
        raise ValueError(f"{subject} is not valid JSON: see line {error.lineno}, column {error.colno}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"{subject} is not UTF-8.") from None


def _parse_seed(body: bytes) -> Any:
    """Parse a seed as JSON or, if it is not JSON, as YAML. YAML interprets some escapes of JSON differently."""
    try:
        return parse_json(body)
    except ValueError:
        pass
    try:
        return yaml.safe_load(body)
    except (yaml.YAMLError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f": see line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ValueError(f"The seed is neither valid JSON nor valid YAML{place}.") from None


def _change_clock(clock: Clock, change: dict[str, Any]) -> None:
    """Change the clock, if the whole change is valid.

    :raises ValueError: if it is not
    """
    if not change or set(change) - {"advance", "set", "frozen"}:
        raise ValueError("A change of the clock requires 'advance', 'set' or 'frozen', and nothing else.")
    if not isinstance(change.get("frozen", False), bool):
        raise ValueError("'frozen' of the clock must be true or false.")
    for name in ("set", "advance"):
        value = change.get(name, 0)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not -LATEST <= value <= LATEST:
            raise ValueError(f"{name!r} of the clock must be a number of seconds.")
    if not 0 <= change.get("set", clock.now()) + change.get("advance", 0) <= LATEST or change.get("set", 0) < 0:
        raise ValueError("The time of the clock must be between 1970 and the year 9000.")
    if "frozen" in change:  # first, so that the clock shows exactly the time that is set with it
        clock.freeze(change["frozen"])
    if "set" in change:
        clock.set(float(change["set"]))
    if "advance" in change:
        clock.set(clock.now() + float(change["advance"]))


def _parse_number(request: Request, name: str) -> int:
    value = request.query_params[name]
    if not re.fullmatch("[0-9]{1,15}", value):
        raise ValueError(f"{name} must be a number, not {value!r}.")
    return int(value)


async def _read_mapping(request: Request, subject: str, default: bytes = b"") -> dict[str, Any]:
    value = _parse_body(await request.body() or default, subject)
    if not isinstance(value, dict):
        raise ValueError(f"{subject} must be an object.")
    return value
