# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the calls for users and groups in the Access API share: callers, bodies, pages and lists of changes."""

from __future__ import annotations

import math
from typing import Any

from ...parsing.documents import parse_json
from ..access.accounts import Principal
from ..access.token_api import require_caller
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import AccessError

PAGE_SIZE = 1000
# Part of the system in scopes such as `system:identities:r`, which permit reading users and groups.
IDENTITIES = "identities"


def require_reader(call: Call) -> None:
    """Fail unless the caller may read users and groups."""
    caller = _require_caller(call)
    if not caller.admin and not (caller.claims is not None and _may_read_identities(call, caller)):
        raise AccessError(403, "Forbidden")


def require_administrator(call: Call) -> Principal:
    """Return the caller, or fail unless it is an administrator."""
    caller = _require_caller(call)
    if not caller.admin:
        raise AccessError(403, "Forbidden")
    return caller


def read_name(body: dict[str, Any], member: str, refusal: str, max_length: float = math.inf) -> str:
    """Return a name, or fail with 400 if it is missing, blank or too long."""
    name = body.get(member)
    if not isinstance(name, str) or not name.strip() or len(name) > max_length:
        raise AccessError(400, refusal)
    return name


async def read_object(call: Call) -> dict[str, Any]:
    """Return the JSON object in the body, or fail with 400."""
    try:
        body = parse_json(await call.request.body())
    except ValueError:
        raise AccessError(400, "Failed to parse the request body") from None
    if not isinstance(body, dict):
        raise AccessError(400, "Failed to parse the request body")
    return body


async def read_changes(call: Call) -> tuple[list[str], list[str]]:
    """Return the names to add and to remove in the body, or fail with 400 if they are missing or overlap."""
    body = await read_object(call)
    added, removed = (body.get(name) or [] for name in ("add", "remove"))
    if not is_name_list(added) or not is_name_list(removed):
        raise AccessError(400, "Invalid input: 'add' and 'remove' must be lists of names")
    if not added and not removed:
        raise AccessError(400, "Invalid input: 'add' or 'remove' must be provided")
    if overlap := sorted(set(added) & set(removed)):
        raise AccessError(400, f"Invalid input: {overlap[0]} is both in 'add' and 'remove'")
    return added, removed


def select_fields(body: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the body that the version knows, or fail with 400 if one has the wrong type."""
    fields = {name: body[name] for name in defaults if body.get(name) is not None}
    for name, value in fields.items():
        if not isinstance(value, bool if isinstance(defaults[name], bool) else str):
            raise AccessError(400, f"Invalid value of '{name}'")
    return fields


def select_page(call: Call, names: list[str]) -> tuple[list[str], str | None]:
    """Return a page of sorted names, and the cursor of the next page."""
    limit = call.query.get("limit", str(PAGE_SIZE))
    if not limit.isdecimal() or int(limit) < 1:
        raise AccessError(400, f"Invalid limit: {limit}")
    remaining = [name for name in names if name > call.query.get("cursor", "")]
    page = remaining[: int(limit)]
    return page, page[-1] if len(page) < len(remaining) else None


def is_name_list(value: Any) -> bool:
    """Return whether a value is a list of strings."""
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _require_caller(call: Call) -> Principal:
    if not call.supports(feature_versions.PLATFORM_IDENTITIES):
        raise AccessError(404, "HTTP 404 Not Found")
    caller = require_caller(call)
    if caller.claims is None and call.get_switch("access_requires_token"):
        raise AccessError(401, "Bad credentials")
    return caller


def _may_read_identities(call: Call, caller: Principal) -> bool:
    return call.request.method == "GET" and caller.may_read_system(IDENTITIES)
