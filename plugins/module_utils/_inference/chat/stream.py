# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A reply that comes in chunks, put together to the one that comes at once otherwise."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response

# Of the members of a server-sent event, only this one has something in it
_DATA = "data:"
_END = "[DONE]"


class CompletionStream:
    """A reply on its way.

    :ivar letters: how many letters came so far
    :ivar broken: why it broke off, if it did
    """

    def __init__(self, response: Response) -> None:
        self.characters = 0
        self.interruption: str | None = None
        self._answer = response
        self._head: dict[str, t.Any] = {"model": None, "usage": None}
        self._choices: dict[int, _Choice] = {}

    def read(self, tell: t.Callable[[int], None]) -> None:
        """Read it to its end, or to where it breaks off.

        :arg tell: called with the number of letters so far, for each chunk
        :raises ToolchainError: when there is no reply at all
        """
        try:
            for chunk in self._chunks():
                self._add(chunk)
                tell(self.characters)
            if not self._choices or not all(choice.finish_reason for choice in self._choices.values()):
                raise ToolchainError(f"{self._answer}, but the answer has no end.")
        except ToolchainError as error:
            if not self._choices:
                raise
            self.interruption = f"The answer broke off: {error}"

    def to_record(self) -> Record:
        """What came, in the form of a reply that comes at once."""
        choices = [choice.whole() for _index, choice in sorted(self._choices.items())]
        return Record({**self._head, "choices": choices}, self._answer.unexpected_value)

    def _chunks(self) -> t.Iterator[Record]:
        for line in self._answer.lines():
            data = line[len(_DATA) :].strip()
            if not line.startswith(_DATA) or data in ("", _END):
                continue
            event = self._answer.with_body(data.encode())
            chunk = event.record()
            if chunk.get("error"):
                words, advice = event.explain(event)
                said = f"{event}, but then: {(words or data).rstrip('. ')}."
                raise ToolchainError(" ".join(filter(None, (said, advice))))
            yield chunk

    def _add(self, chunk: Record) -> None:
        for member in self._head:
            self._head[member] = chunk.get(member) or self._head[member]
        for entry in chunk.maybe_records("choices"):
            choice = self._choices.setdefault(entry.integer("index"), _Choice())
            self.characters += choice.add(entry)


class _Choice:
    """One of the answers in a reply."""

    def __init__(self) -> None:
        self.finish_reason: str | None = None
        self._texts: dict[str, list[str]] = {"content": [], "refusal": []}
        self._calls: dict[int, _Call] = {}

    def add(self, entry: Record) -> int:
        """Add a chunk, and tell of how many letters it is."""
        self.finish_reason = entry.maybe_text("finish_reason") or self.finish_reason
        delta = entry.maybe_record("delta")
        if delta is None:
            return 0
        letters = 0
        for name, pieces in self._texts.items():
            if piece := delta.maybe_text(name):
                pieces.append(piece)
                letters += len(piece)
        for call in delta.maybe_records("tool_calls"):
            letters += self._calls.setdefault(call.integer("index"), _Call()).add(call)
        return letters

    def whole(self) -> dict[str, t.Any]:
        message: dict[str, t.Any] = {name: "".join(pieces) or None for name, pieces in self._texts.items()}
        if self._calls:
            message["tool_calls"] = [call.whole() for _index, call in sorted(self._calls.items())]
        return {"message": message, "finish_reason": self.finish_reason}


class _Call:
    """A call of a tool in an answer."""

    def __init__(self) -> None:
        self._id: str | None = None
        self._function: dict[str, list[str]] = {"name": [], "arguments": []}

    def add(self, call: Record) -> int:
        """Add a chunk, and tell of how many letters it is."""
        self._id = call.maybe_text("id") or self._id
        function = call.maybe_record("function")
        if function is None:
            return 0
        pieces = {name: function.maybe_text(name) or "" for name in self._function}
        for name, piece in pieces.items():
            self._function[name].append(piece)
        return sum(map(len, pieces.values()))

    def whole(self) -> dict[str, t.Any]:
        return {"id": self._id, "function": {name: "".join(pieces) for name, pieces in self._function.items()}}
