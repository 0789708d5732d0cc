# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wire format: form-encoded parameters in; one JSON object per line, or an error object, out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from ..http.bodies import MAX_FORM_FIELDS

HEADERS = {"Content-Type": "application/json;charset=UTF-8"}
FORM = "application/x-www-form-urlencoded"

# Gson's default (HTML-safe) escapes. None of these characters is JSON syntax, so replacing them in the
# serialised text only ever touches the inside of strings.
_GSON_ESCAPES = str.maketrans({char: f"\\u{ord(char):04x}" for char in "=<>&'\u2028\u2029"})


class ActionError(Exception):
    """A failed action: becomes the error object, with the same number as the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


def missing_parameter(name: str) -> ActionError:
    return ActionError(400, f"Missing required parameter: {name}")


def not_found(kind: str, name: str) -> ActionError:
    return ActionError(404, f"{kind} not found: {name}")


def already_exists(kind: str, name: str) -> ActionError:
    return ActionError(409, f"{kind} already exists: {name}")


class Parameters(dict[str, str]):
    """The decoded form fields of one request, read by type."""

    def text(self, name: str) -> str:
        return self.get(name, "")

    def boolean(self, name: str, default: bool = False) -> bool:
        value = self.text(name)
        if not value:
            return default
        if value.lower() not in ("true", "false"):
            raise ActionError(400, f"Invalid value for parameter {name}: {value}")
        return value.lower() == "true"

    def integer(self, name: str, default: int) -> int:
        value = self.text(name)
        if not value:
            return default
        if not re.fullmatch("[0-9]{1,9}", value):
            raise ActionError(400, f"Invalid value for parameter {name}: {value}")
        return int(value)

    def names(self, name: str) -> list[str]:
        r"""A comma-separated list, in which ``\,`` is a comma and ``\\`` a backslash."""
        items = re.findall(r"(?:\\.|[^\\,]|\\$)+", self.text(name), re.DOTALL)
        unescaped = (re.sub(r"\\([\\,])", r"\1", item).strip() for item in items)
        return list(dict.fromkeys(filter(None, unescaped)))


async def read_parameters(request: Request) -> Parameters:
    """Decode a form body as a servlet does: a raw `+` is a blank, and without a charset the bytes are Latin-1."""
    content_type = request.headers.get("content-type", FORM)
    found = re.search(r'charset="?([\w-]+)', content_type, re.IGNORECASE)
    charset = found[1] if found else "latin-1"
    is_form = content_type.split(";")[0].strip().lower() == FORM
    body = await request.body() if is_form else b""
    try:
        # Those in the query come first, and of a repeated field the first one counts.
        pairs = _fields(request.scope["query_string"], "utf-8") + _fields(body, charset)
    except (LookupError, ValueError) as error:
        raise ActionError(400, "Cannot decode the form fields of the request") from error
    return Parameters(reversed(pairs))


def _fields(encoded: bytes, charset: str) -> list[tuple[str, str]]:
    text = encoded.decode(charset, "replace")
    return parse_qsl(text, keep_blank_values=True, encoding=charset, max_num_fields=MAX_FORM_FIELDS)


def lines(records: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """The reply of an action that reads: every record on a line of its own."""
    return map(_line, records)


def empty() -> Response:
    """The reply of an action that writes."""
    return Response(headers=HEADERS)


def error_line(status: int, message: str) -> Response:
    """The reply of a failed action."""
    return Response(_line({"status": status, "message": message}), status, HEADERS)


def _line(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).translate(_GSON_ESCAPES) + "\n"
