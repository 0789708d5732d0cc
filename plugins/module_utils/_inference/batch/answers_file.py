# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The JSON Lines file of answers. Lines are appended during a run and sorted at its end."""

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

# Outcomes of a prompt
OUTCOMES = ("answered", "refused", "truncated", "mismatched", "failed")
# Outcomes in files of earlier versions
_RENAMED_OUTCOMES = {"cut_off": "truncated"}
_FAILED = OUTCOMES.index("failed")
_NONE = -1
_MAX_PROMPTS = 100_000_000
# Start of each line
_LINE_START = b'{"index": '


class AnswersFile:
    """The file of answers. The n-th of several equal requests has the n-th of their answers.

    Only the positions of the lines and digests of their texts are kept in memory.

    :arg option: the option that contains the path
    :raises BadOption: if the file is not writable or contains anything else
    """

    def __init__(self, task: Task, path: str, option: str) -> None:
        check_writable(task, path, option)
        rehearsal.resolve_write(path, copy_content=True)
        self._task = task
        self._path = path
        self._option = option
        self._file: t.Any = None
        self._size = 0
        self._is_last_line_open = False
        # arrays by line
        self._offsets = array.array("q")
        self._outcomes = array.array("b")
        self._indexes = array.array("q")
        self._id_hashes = array.array("q")
        self._next_equal = array.array("q")
        # arrays by prompt
        self._lines = array.array("q")
        self._requests = array.array("Q")
        self._new_ids: dict[int, str | None] = {}
        self._renamed_lines: set[int] = set()  # lines with an outcome of an earlier version
        # the first unassigned line by request: lines with an answer, and failures
        self._answers: dict[int, int] = {}
        self._failures: dict[int, int] = {}
        self._fingerprint = get_fingerprint(path) if os.path.exists(rehearsal.resolve_read(path)) else None
        if self._fingerprint:
            self._read()

    def assign(self, request: str, name: str | None) -> str | None:
        """Assign the next answer to a request to the next prompt, and return its outcome, `None` if there is none.

        :arg name: ID of the prompt
        """
        key, number = _shorten(request), len(self._lines)
        line = self._take(self._answers, key)
        if line == _NONE:
            line = self._take(self._failures, key)
        self._lines.append(line)
        self._requests.append(key)
        if line != _NONE and self._id_hashes[line] != hash(name):
            self._new_ids[number] = name
        return self.outcome(number)

    def outcome(self, number: int) -> str | None:
        """Return the outcome of a prompt, `None` if it has no answer."""
        line = self._lines[number]
        return None if line == _NONE or self._outcomes[line] == _FAILED else OUTCOMES[self._outcomes[line]]

    def is_assigned(self, number: int, request: str) -> bool:
        """Return whether a prompt still has the request that was assigned to it."""
        return self._requests[number] == _shorten(request)

    @property
    def is_sorted(self) -> bool:
        """Whether the lines are in the order of the prompts, followed by unassigned answers."""
        count = 0
        for count, (line, number) in enumerate(self._iter_sorted(), start=1):
            if line != count - 1 or self._is_outdated(line, number):
                return False
        return count == len(self._offsets)

    @contextlib.contextmanager
    def open_for_appending(self) -> t.Iterator[None]:
        """Open the file for appending and lock it. On exit, sort the lines into the order of the prompts.

        :raises ToolchainError: if the file cannot be written, or another run is writing to it
        """
        try:
            with (
                self._task.guard_action(f"Writing '{self._path}'", changes_state=False),
                open_private(self._path, "ab") as self._file,
            ):
                try:
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise BadOption(self._option, f"'{self._path}' is in use by another run") from None
                self._check_unchanged()
                self._file.truncate(self._size)  # drop an incomplete line left by a killed run
                self._end_last_line()
                was_sorted = self.is_sorted
                yield
                self._sort()
                self._task.changed = self._task.changed or not was_sorted
        except OSError as error:
            raise BadOption(self._option, f"'{self._path}' cannot be written: {error.strerror}") from None

    def add(self, line: Line) -> None:
        """Append the outcome of a prompt, which replaces its previous line.

        :arg line: `index` and `id` of the prompt, digest of the `request`, `outcome`, and fields of the completion
        """
        # secrets in answers are not masked, because that would invalidate data that was charged
        masked_line = {**line, "reason": mask_secrets(line["reason"], self._task.secrets)}
        data = _encode(masked_line)
        try:
            self._append(data)
        except OSError:
            if line["outcome"] != "failed":  # the request was charged
                self._task.result.setdefault("unwritten_lines", []).append(masked_line)
            raise
        self._lines[line["index"]] = self._record(line, len(data))
        self._new_ids.pop(line["index"], None)

    def _end_last_line(self) -> None:
        """Add the missing line break of a file that was edited."""
        if self._is_last_line_open:
            self._append(b"\n")
            self._size += 1

    def _append(self, data: bytes) -> None:
        """Write all data or, if the disk is full, nothing."""
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
                self._is_last_line_open = not data.endswith(b"\n")
                answer = self._parse_line(data)
                if answer is None:
                    break
                requests.append(_shorten(answer["request"]))
                self._record(answer, len(data))
        self._next_equal.extend([_NONE] * len(self._offsets))
        # lines that no prompt had are assigned last
        for line in sorted(
            range(len(self._offsets)), key=lambda line: self._indexes[line] % _MAX_PROMPTS, reverse=True
        ):
            first = self._failures if self._outcomes[line] == _FAILED else self._answers
            self._next_equal[line] = first.get(requests[line], _NONE)
            first[requests[line]] = line

    def _take(self, first: dict[int, int], key: int) -> int:
        """Remove and return the first line with a request, `_NONE` if there is none."""
        line = first.pop(key, _NONE)
        if line != _NONE and self._next_equal[line] != _NONE:
            first[key] = self._next_equal[line]
        return line

    def _parse_line(self, data: bytes) -> Line | None:
        """Return the answer in a line, `None` for an incomplete last line left by a killed run."""
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            line = json.loads(data)
            _shorten(line["request"])
            index = line["index"]
            has_index = index is None or (isinstance(index, int) and 0 <= index < _MAX_PROMPTS - 1)
            has_outcome = line["outcome"] in OUTCOMES or line["outcome"] in _RENAMED_OUTCOMES
            if has_index and has_outcome and isinstance(line["id"], (str, type(None))):
                return line
        if self._is_last_line_open and _LINE_START.startswith(data[: len(_LINE_START)]):
            self._is_last_line_open = False
            return None
        raise BadOption(self._option, f"'{self._path}' is not a file of answers. Specify another file")

    def _record(self, line: Line, size: int) -> int:
        """Record a line with its size in bytes, and return its number."""
        if line["outcome"] in _RENAMED_OUTCOMES:
            self._renamed_lines.add(len(self._offsets))
        self._offsets.append(self._size)
        self._outcomes.append(OUTCOMES.index(_RENAMED_OUTCOMES.get(line["outcome"], line["outcome"])))
        self._indexes.append(_NONE if line["index"] is None else line["index"])
        self._id_hashes.append(hash(line["id"]))
        self._size += size
        return len(self._offsets) - 1

    def _check_unchanged(self) -> None:
        fingerprint = get_fingerprint(self._path)
        if fingerprint != self._fingerprint if self._fingerprint else fingerprint[0]:
            raise ToolchainError(f"'{self._path}' was changed by another run. Run the task again.")

    def _sort(self) -> None:
        if not self.is_sorted:
            store_output(self._task, Target(self._path), self._read_sorted())

    def _iter_sorted(self) -> t.Iterator[tuple[int, int]]:
        """Yield each line to keep with the number of its prompt, then the unassigned answers."""
        is_used = bytearray(len(self._offsets))
        for number, line in enumerate(self._lines):
            if line != _NONE:
                is_used[line] = True
                yield line, number
        for line, outcome in enumerate(self._outcomes):
            if not is_used[line] and outcome != _FAILED:
                yield line, _NONE

    def _is_outdated(self, line: int, number: int) -> bool:
        """Return whether the index or the ID in a line differs from that of its prompt, or its outcome is renamed."""
        has_other_id = number in self._new_ids if number != _NONE else self._id_hashes[line] != hash(None)
        return self._indexes[line] != number or has_other_id or line in self._renamed_lines

    def _read_sorted(self) -> t.Iterator[bytes]:
        with open(rehearsal.resolve_read(self._path), "rb") as file:
            for line, number in self._iter_sorted():
                file.seek(self._offsets[line])
                data = file.readline()
                yield self._update_line(data, number) if self._is_outdated(line, number) else data

    def _update_line(self, data: bytes, number: int) -> bytes:
        """Return a line with the index and the ID of its prompt, and the current name of its outcome."""
        answer = json.loads(data)
        answer["outcome"] = _RENAMED_OUTCOMES.get(answer["outcome"], answer["outcome"])
        answer["index"] = None if number == _NONE else number
        answer["id"] = None if number == _NONE else self._new_ids.get(number, answer["id"])
        return _encode(answer)


def _encode(line: Line) -> bytes:
    return (json.dumps(line) + "\n").encode()


def _shorten(request: str) -> int:
    """Return 64 bits of a digest, never 0."""
    return int(request[:16], 16) or 1
