# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A file of answers, a line of JSON each: it grows as they come, and is in the order of the prompts in the end."""

from __future__ import annotations

import array
import contextlib
import fcntl
import json
import os
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import get_fingerprint
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_writable,
    open_private,
    store_output,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, mask_secrets

Line = dict[str, t.Any]

# What becomes of a prompt
OUTCOMES = ("answered", "refused", "truncated", "mismatched", "failed")
_FAILED = OUTCOMES.index("failed")
_NONE = -1
_MOST = 100_000_000
# Each line begins so
_BEGIN = b'{"index": '


class AnswersFile:
    """The lines of the file. A prompt is known by its request: the n-th of equal prompts has the n-th of equal answers.

    Of each line only its place is kept in memory, with numbers in place of its texts.

    :arg option: the option that names the file
    :raises BadOption: when it cannot be written, or has something else in it than answers
    """

    def __init__(self, task: Task, path: str, option: str) -> None:
        check_writable(task, path, option)
        rehearsal.resolve_write(path, copy_content=True)
        self._task = task
        self._path = path
        self._option = option
        self._file: t.Any = None
        self._size = 0
        self._has_open_line = False
        # by line
        self._places = array.array("q")
        self._outcomes = array.array("b")
        self._indexes = array.array("q")
        self._id_hashes = array.array("q")
        self._next_equal = array.array("q")
        # by prompt
        self._lines = array.array("q")
        self._requests = array.array("Q")
        self._new_ids: dict[int, str | None] = {}
        # by request, the first of equal lines that no prompt has yet: those with an answer, and those without
        self._answers: dict[int, int] = {}
        self._failures: dict[int, int] = {}
        self._seen = get_fingerprint(path) if os.path.exists(rehearsal.resolve_read(path)) else None
        if self._seen:
            self._read()

    def assign(self, request: str, name: str | None) -> str | None:
        """Assign the next answer to this request to the next prompt, and return its outcome if there is one.

        :arg name: the id of the prompt
        """
        key, number = _short(request), len(self._lines)
        line = self._take(self._answers, key)
        if line == _NONE:
            line = self._take(self._failures, key)
        self._lines.append(line)
        self._requests.append(key)
        if line != _NONE and self._id_hashes[line] != hash(name):
            self._new_ids[number] = name
        return self.outcome(number)

    def outcome(self, number: int) -> str | None:
        """Return the outcome of a prompt that has an answer."""
        line = self._lines[number]
        return None if line == _NONE or self._outcomes[line] == _FAILED else OUTCOMES[self._outcomes[line]]

    def is_assigned(self, number: int, request: str) -> bool:
        """Return whether a prompt has the same request as when it was assigned."""
        return self._requests[number] == _short(request)

    @property
    def is_disordered(self) -> bool:
        """Whether the lines are not those of the prompts in their order, with the answers that no prompt has behind."""
        count = 0
        for count, (line, number) in enumerate(self._order(), start=1):
            if line != count - 1 or self._is_stale(line, number):
                return True
        return count != len(self._places)

    @contextlib.contextmanager
    def growing(self) -> t.Iterator[None]:
        """While answers are added. When that comes to an end, they are put in the order of the prompts.

        :raises ToolchainError: when the file cannot be written, or another run writes it
        """
        try:
            with (
                self._task.guard_action(f"Writing '{self._path}'", changes_state=False),
                open_private(self._path, "ab") as self._file,
            ):
                try:
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise BadOption(self._option, f"another run writes '{self._path}' just now") from None
                self._check_unchanged()
                self._file.truncate(self._size)  # removes what a killed run did not write to its end
                self._end_last_line()
                was_disordered = self.is_disordered
                yield
                self._put_in_order()
                self._task.changed = self._task.changed or was_disordered
        except OSError as error:
            raise BadOption(self._option, f"'{self._path}' cannot be written: {error.strerror}") from None

    def add(self, line: Line) -> None:
        """Add what became of a prompt, in the place of what was there of it; what failed is asked again some day.

        :arg line: with the `index` and `id` of the prompt, the digest of the `request`, and the `outcome`
        """
        # what a model says is not looked through for secrets: it was paid for, and is there to be parsed
        masked_line = {**line, "reason": mask_secrets(line["reason"], self._task.secrets)}
        data = _encoded(masked_line)
        try:
            self._append(data)
        except OSError:
            if line["outcome"] != "failed":  # it was paid for
                self._task.result.setdefault("unwritten_lines", []).append(masked_line)
            raise
        self._lines[line["index"]] = self._note(line, len(data))
        self._new_ids.pop(line["index"], None)

    def _end_last_line(self) -> None:
        """Write the line break that an editor, or who appended an answer, left out."""
        if self._has_open_line:
            self._append(b"\n")
            self._size += 1

    def _append(self, data: bytes) -> None:
        """Write all of it or, when the disk is full, nothing."""
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError:
            self._file.truncate(self._size)
            raise

    def _read(self) -> None:
        requests = array.array("Q")
        with open(rehearsal.resolve_read(self._path), "rb") as file:
            for data in file:
                self._has_open_line = not data.endswith(b"\n")
                answer = self._answer(data)
                if answer is None:
                    break
                requests.append(_short(answer["request"]))
                self._note(answer, len(data))
        self._next_equal.extend([_NONE] * len(self._places))
        # those that no prompt had come last
        for line in sorted(range(len(self._places)), key=lambda line: self._indexes[line] % _MOST, reverse=True):
            first = self._failures if self._outcomes[line] == _FAILED else self._answers
            self._next_equal[line] = first.get(requests[line], _NONE)
            first[requests[line]] = line

    def _take(self, first: dict[int, int], key: int) -> int:
        """Take the first of equal lines, if one is left."""
        line = first.pop(key, _NONE)
        if line != _NONE and self._next_equal[line] != _NONE:
            first[key] = self._next_equal[line]
        return line

    def _answer(self, data: bytes) -> Line | None:
        """Return the answer in a line, `None` for a last line that a killed run did not write to its end."""
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            line = json.loads(data)
            _short(line["request"])
            index = line["index"]
            has_index = index is None or (isinstance(index, int) and 0 <= index < _MOST - 1)
            if has_index and line["outcome"] in OUTCOMES and isinstance(line["id"], (str, type(None))):
                return line
        if self._has_open_line and _BEGIN.startswith(data[: len(_BEGIN)]):
            self._has_open_line = False
            return None
        raise BadOption(self._option, f"'{self._path}' has something else in it than answers, and is not changed")

    def _note(self, line: Line, size: int) -> int:
        """Add a line of so many bytes, and return its number."""
        self._places.append(self._size)
        self._outcomes.append(OUTCOMES.index(line["outcome"]))
        self._indexes.append(_NONE if line["index"] is None else line["index"])
        self._id_hashes.append(hash(line["id"]))
        self._size += size
        return len(self._places) - 1

    def _check_unchanged(self) -> None:
        now = get_fingerprint(self._path)
        if now != self._seen if self._seen else now[0]:
            raise ToolchainError(f"Another run wrote '{self._path}' meanwhile. Try again.")

    def _put_in_order(self) -> None:
        if self.is_disordered:
            store_output(self._task, Target(self._path), self._in_order())

    def _order(self) -> t.Iterator[tuple[int, int]]:
        """Each line to keep, with the number of its prompt: at the end the answers that no prompt has."""
        is_used = bytearray(len(self._places))
        for number, line in enumerate(self._lines):
            if line != _NONE:
                is_used[line] = True
                yield line, number
        for line, outcome in enumerate(self._outcomes):
            if not is_used[line] and outcome != _FAILED:
                yield line, _NONE

    def _is_stale(self, line: int, number: int) -> bool:
        """Return whether a line has the index or the id of another prompt."""
        has_other_id = number in self._new_ids if number != _NONE else self._id_hashes[line] != hash(None)
        return self._indexes[line] != number or has_other_id

    def _in_order(self) -> t.Iterator[bytes]:
        with open(rehearsal.resolve_read(self._path), "rb") as file:
            for line, number in self._order():
                file.seek(self._places[line])
                data = file.readline()
                yield self._renewed(data, line, number) if self._is_stale(line, number) else data

    def _renewed(self, data: bytes, line: int, number: int) -> bytes:
        """Return a line with the index and the id of its prompt."""
        answer = json.loads(data)
        answer["index"] = None if number == _NONE else number
        answer["id"] = None if number == _NONE else self._new_ids.get(number, answer["id"])
        return _encoded(answer)


def _encoded(line: Line) -> bytes:
    return (json.dumps(line) + "\n").encode()


def _short(request: str) -> int:
    """Enough of a digest to tell two requests apart; never 0."""
    return int(request[:16], 16) or 1
