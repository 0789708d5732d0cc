# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""JSON objects of responses with typed access: errors name the path and the expected type."""

from __future__ import annotations

import datetime
import json
import typing as t

Unexpected = t.Callable[[str, str, t.Any], Exception]

Converted = t.TypeVar("Converted")

# Stands for a missing value
MISSING = object()
_MAX_INTEGER = 2**63


class Record(dict[str, t.Any]):
    """A JSON object of a response.

    The methods `maybe_...` return `None` or an empty list for a member that is missing or null. All methods raise
    `UnexpectedResponse` for a value of another type, and `record["name"]` raises it for a missing member.

    :arg value: the object
    :arg unexpected: returns the exception for a path, the expected type and the value
    :arg path: path of the object in the response, empty for the whole body
    """

    def __init__(self, value: dict[str, t.Any], unexpected: Unexpected, path: str = "") -> None:
        super().__init__(value)
        self._unexpected = unexpected
        self._path = path

    def __missing__(self, name: str) -> t.NoReturn:
        raise self._unexpected(self._path_of(name), "a member", MISSING)

    def text(self, name: str) -> str:
        value = self.get(name)
        return value if isinstance(value, str) else self._read(name, "a text", _is_text)

    def maybe_text(self, name: str) -> str | None:
        return None if self.get(name) is None else self.text(name)

    def integer(self, name: str) -> int:
        return int(self._read(name, "a whole number", _is_integer))

    def maybe_integer(self, name: str) -> int | None:
        return None if self.get(name) is None else self.integer(name)

    def flag(self, name: str) -> bool:
        return self._read(name, "true or false", _is_flag)

    def maybe_flag(self, name: str) -> bool | None:
        return None if self.get(name) is None else self.flag(name)

    def scalar(self, name: str, default: bool | int | str) -> t.Any:
        """Return a boolean, a whole number or a text, whichever the default is."""
        if isinstance(default, bool):
            return self.flag(name)
        return self.integer(name) if isinstance(default, int) else self.text(name)

    def maybe_timestamp(self, name: str, per_second: int = 1) -> str | None:
        """Return a time as an ISO 8601 text in UTC.

        :arg per_second: units per second, 1000 if the member is in milliseconds since 1970
        """
        if (ticks := self.maybe_integer(name)) is None:
            return None
        try:
            time = datetime.datetime.fromtimestamp(ticks // per_second, datetime.timezone.utc)
        except (OverflowError, ValueError, OSError):
            unit = "milliseconds" if per_second == 1000 else "seconds"
            raise self._unexpected(self._path_of(name), f"a number of {unit} since 1970", ticks) from None
        return time.strftime("%Y-%m-%dT%H:%M:%SZ")

    def convert(self, name: str, expected: str, converter: t.Callable[[t.Any], Converted]) -> Converted:
        """Return a converted member. `converter` raises `ValueError` for values that it cannot convert."""
        value = self.get(name, MISSING)
        try:
            return converter(value)
        except ValueError:
            raise self._unexpected(self._path_of(name), expected, value) from None

    def texts(self, name: str) -> list[str]:
        return self._list(name, "a text", _is_text)

    def maybe_texts(self, name: str) -> list[str]:
        return [] if self.get(name) is None else self.texts(name)

    def record(self, name: str) -> Record:
        return Record(self._read(name, "an object", _is_object), self._unexpected, self._path_of(name))

    def maybe_record(self, name: str) -> Record | None:
        return None if self.get(name) is None else self.record(name)

    def records(self, name: str) -> list[Record]:
        entries = self._list(name, "an object", _is_object)
        return [
            Record(entry, self._unexpected, f"{self._path_of(name)}[{number}]") for number, entry in enumerate(entries)
        ]

    def maybe_records(self, name: str) -> list[Record]:
        return [] if self.get(name) is None else self.records(name)

    def _read(self, name: str, expected: str, is_valid: t.Callable[[t.Any], bool]) -> t.Any:
        value = self.get(name, MISSING)
        if not is_valid(value):
            raise self._unexpected(self._path_of(name), expected, value)
        return value

    def _list(self, name: str, expected: str, is_valid: t.Callable[[t.Any], bool]) -> list[t.Any]:
        entries = self._read(name, "a list", lambda value: isinstance(value, list))
        for number, entry in enumerate(entries):
            if not is_valid(entry):
                raise self._unexpected(f"{self._path_of(name)}[{number}]", expected, entry)
        return entries

    def _path_of(self, name: str) -> str:
        return f"{self._path}.{name}" if self._path else name


def describe_mismatch(path: str, expected: str, value: t.Any) -> str:
    """Return a description of an unexpected value in a response."""
    if value is MISSING:
        return f"without '{path}'"
    place = f"'{path}' is {describe_type(value)}" if path else f"with {describe_type(value)}"
    return f"{place} instead of {expected}"


def describe_type(value: t.Any) -> str:
    """Return a description of a JSON value."""
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, (int, float)):
        return f"the number {value:.6g}" if -_MAX_INTEGER < value < _MAX_INTEGER else "a huge number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list) else "an object"


def _is_text(value: t.Any) -> bool:
    return isinstance(value, str)


def _is_flag(value: t.Any) -> bool:
    return isinstance(value, bool)


def _is_object(value: t.Any) -> bool:
    return isinstance(value, dict)


def _is_integer(value: t.Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return -_MAX_INTEGER < value < _MAX_INTEGER and value == int(value)
