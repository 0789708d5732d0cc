# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The wire format: requests are form-encoded, responses contain one JSON object per line or an error object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from ...http.bodies import MAX_FORM_FIELDS

HEADERS = {"Content-Type": "application/json;charset=UTF-8"}
FORM = "application/x-www-form-urlencoded"

# Gson's default escapes, which are safe in HTML. These characters occur only inside JSON strings, never as syntax.
_GSON_ESCAPES = str.maketrans({char: f"\\u{ord(char):04x}" for char in "=<>&'\u2028\u2029"})


class ActionError(Exception):
    """An error response. The error object contains the HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        """Create an error with an HTTP status."""
        super().__init__(message)
        self.status = status
        self.message = message


def missing_parameter(name: str) -> ActionError:
    """Return the error for a missing parameter."""
    return ActionError(400, f"Missing required parameter: {name}")


def not_found(kind: str, name: str) -> ActionError:
    """Return the error for an object that does not exist."""
    return ActionError(404, f"{kind} not found: {name}")


def already_exists(kind: str, name: str) -> ActionError:
    """Return the error for a name that is in use."""
    return ActionError(409, f"{kind} already exists: {name}")


class Parameters(dict[str, str]):
    """The decoded form fields of a request."""

    def text(self, name: str) -> str:
        """Return a field, or an empty string if it is missing."""
        return self.get(name, "")

    def boolean(self, name: str, default: bool = False) -> bool:
        """Return a boolean.

        :raises ActionError: with status 400 if the value is invalid
        """
        value = self.text(name)
        if not value:
            return default
        if value.lower() not in ("true", "false"):
            raise ActionError(400, f"Invalid value for parameter {name}: {value}")
        return value.lower() == "true"

    def integer(self, name: str, default: int) -> int:
        """Return a number without a sign.

        :raises ActionError: with status 400 if the value is invalid
        """
        value = self.text(name)
        if not value:
            return default
        if not re.fullmatch("[0-9]{1,9}", value):
            raise ActionError(400, f"Invalid value for parameter {name}: {value}")
        return int(value)

    def names(self, name: str) -> list[str]:
        r"""Return the items of a comma-separated list. ``\,`` is a literal comma, ``\\`` a literal backslash."""
        items = re.findall(r"(?:\\.|[^\\,]|\\$)+", self.text(name), re.DOTALL)
        unescaped = (re.sub(r"\\([\\,])", r"\1", item).strip() for item in items)
        return list(dict.fromkeys(filter(None, unescaped)))


async def read_parameters(request: Request) -> Parameters:
    """Decode the parameters as a servlet does: `+` is a blank, and the default charset of the body is Latin-1.

    :raises ActionError: with status 400 if they cannot be decoded
    """
    content_type = request.headers.get("content-type", FORM)
    match = re.search(r'charset="?([\w-]+)', content_type, re.IGNORECASE)
    charset = match[1] if match else "latin-1"
    is_form = content_type.split(";")[0].strip().lower() == FORM
    body = await request.body() if is_form else b""
    try:
        # The fields of the query come first, and the first value of a repeated field is used.
        pairs = _decode_fields(request.scope["query_string"], "utf-8") + _decode_fields(body, charset)
    except (LookupError, ValueError) as error:
        raise ActionError(400, "Cannot decode the form fields of the request") from error
    return Parameters(reversed(pairs))


def _decode_fields(encoded: bytes, charset: str) -> list[tuple[str, str]]:
    text = encoded.decode(charset, "replace")
    return parse_qsl(text, keep_blank_values=True, encoding=charset, max_num_fields=MAX_FORM_FIELDS)


def encode_records(records: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """Return the response of an action that reads, one line for each record."""
    return map(_encode_record, records)


def empty_response() -> Response:
    """Return the response of an action that writes."""
    return Response(headers=HEADERS)


def error_response(status: int, message: str) -> Response:
    """Return the response of an action that failed."""
    return Response(_encode_record({"status": status, "message": message}), status, HEADERS)


def _encode_record(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).translate(_GSON_ESCAPES) + "\n"
