# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Combine the chunks of a streamed completion into the response of a request without streaming."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response

# The only field of server-sent events that is used
_DATA = "data:"
_END = "[DONE]"


class CompletionStream:
    """A streamed completion.

    :ivar characters: number of received characters
    :ivar interruption: the reason for which the stream ended early
    """

    def __init__(self, response: Response) -> None:
        self.characters = 0
        self.interruption: str | None = None
        self._response = response
        self._head: dict[str, t.Any] = {"model": None, "usage": None}
        self._choices: dict[int, _Choice] = {}

    def read(self, on_progress: t.Callable[[int], None]) -> None:
        """Read the stream until it ends or is interrupted.

        :arg on_progress: called with the number of received characters after each chunk
        :raises ToolchainError: if nothing was received
        """
        try:
            for chunk in self._chunks():
                self._add(chunk)
                on_progress(self.characters)
            if not self._choices or not all(choice.finish_reason for choice in self._choices.values()):
                raise ToolchainError(f"{self._response}: the stream ended before the answer was complete.")
        except ToolchainError as error:
            if not self._choices:
                raise
            self.interruption = f"The stream was interrupted: {error}"

    def to_record(self) -> Record:
        """Return the received part in the format of a response without streaming."""
        choices = [choice.to_message() for _index, choice in sorted(self._choices.items())]
        return Record({**self._head, "choices": choices}, self._response.unexpected_value)

    def _chunks(self) -> t.Iterator[Record]:
        for line in self._response.lines():
            data = line[len(_DATA) :].strip()
            if not line.startswith(_DATA) or data in ("", _END):
                continue
            event = self._response.with_body(data.encode())
            chunk = event.record()
            if chunk.get("error"):
                message, remedy = event.explain(event)
                problem = f"{event}, followed by an error: {(message or data).rstrip('. ')}."
                raise ToolchainError(" ".join(filter(None, (problem, remedy))))
            yield chunk

    def _add(self, chunk: Record) -> None:
        for name in self._head:
            self._head[name] = chunk.get(name) or self._head[name]
        for entry in chunk.maybe_records("choices"):
            choice = self._choices.setdefault(entry.integer("index"), _Choice())
            self.characters += choice.add(entry)


class _Choice:
    """One of the answers of a completion."""

    def __init__(self) -> None:
        self.finish_reason: str | None = None
        self._texts: dict[str, list[str]] = {"content": [], "refusal": []}
        self._calls: dict[int, _Call] = {}

    def add(self, entry: Record) -> int:
        """Add a chunk, and return its number of characters."""
        self.finish_reason = entry.maybe_text("finish_reason") or self.finish_reason
        delta = entry.maybe_record("delta")
        if delta is None:
            return 0
        characters = 0
        for name, pieces in self._texts.items():
            if piece := delta.maybe_text(name):
                pieces.append(piece)
                characters += len(piece)
        for call in delta.maybe_records("tool_calls"):
            characters += self._calls.setdefault(call.integer("index"), _Call()).add(call)
        return characters

    def to_message(self) -> dict[str, t.Any]:
        message: dict[str, t.Any] = {name: "".join(pieces) or None for name, pieces in self._texts.items()}
        if self._calls:
            message["tool_calls"] = [call.to_dict() for _index, call in sorted(self._calls.items())]
        return {"message": message, "finish_reason": self.finish_reason}


class _Call:
    """A function call in an answer."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._function: dict[str, list[str]] = {"name": [], "arguments": []}

    def add(self, call: Record) -> int:
        """Add a chunk, and return its number of characters."""
        self._id = call.maybe_text("id") or self._id
        function = call.maybe_record("function")
        if function is None:
            return 0
        pieces = {name: function.maybe_text(name) or "" for name in self._function}
        for name, piece in pieces.items():
            self._function[name].append(piece)
        return sum(map(len, pieces.values()))

    def to_dict(self) -> dict[str, t.Any]:
        return {"id": self._id, "function": {name: "".join(pieces) for name, pieces in self._function.items()}}
