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

from ansible_collections.buildworks.toolchain.plugins.module_utils import _rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._local_file import seen
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import (
    check_writable,
    open_private,
    store_output,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, masked

Line = dict[str, t.Any]

# What becomes of a prompt
OUTCOMES = ("answered", "refused", "cut_off", "mismatched", "failed")
_NONE = -1
_MOST = 100_000_000


class AnswersFile:
    """What is in the file, by the number of the prompt. Of each line only its place is kept in memory.

    :arg option: the option that names the file
    :ivar disordered: whether the lines are in another order than the prompts, as a run that was killed leaves them
    :raises BadOption: when it cannot be written, or has something else in it than answers
    """

    def __init__(self, task: Task, path: str, option: str) -> None:
        check_writable(task, path, option)
        _rehearsal.claim(path, with_content=True)
        self._task = task
        self._path = path
        self._option = option
        self._file: t.Any = None
        self._size = 0
        self.disordered = False
        self._places = array.array("q")
        self._requests = array.array("Q")
        self._outcomes = array.array("b")
        self._seen = seen(path) if os.path.exists(_rehearsal.current(path)) else None
        if self._seen:
            self._read()

    def outcome(self, number: int, request: str) -> str | None:
        """What became of this very request, if it has an answer."""
        known = number < len(self._places) and self._requests[number] == _short(request)
        return OUTCOMES[self._outcomes[number]] if known else None

    @contextlib.contextmanager
    def growing(self) -> t.Iterator[None]:
        """While answers are added. When that comes to an end, they are put in the order of the prompts.

        :raises ToolchainError: when the file cannot be written, or another run writes it
        """
        try:
            with (
                self._task.acting(f"Writing '{self._path}'", lasting=False),
                open_private(self._path, "ab") as self._file,
            ):
                try:
                    fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise BadOption(self._option, f"another run writes '{self._path}' just now") from None
                self._check_unchanged()
                self._file.truncate(self._size)  # what a run that was killed did not write to its end
                yield
                self._put_in_order()
        except OSError as error:
            raise BadOption(self._option, f"'{self._path}' cannot be written: {error.strerror}") from None

    def add(self, line: Line) -> None:
        """Add what became of a prompt, in the place of what was there of it; what failed is asked again some day.

        :arg line: with the `index` of the prompt, the digest of the `request`, and the `outcome`
        """
        # what a model says is not looked through for secrets: it was paid for, and is there to be parsed
        told = {**line, "reason": masked(line["reason"], self._task.secrets)}
        data = (json.dumps(told) + "\n").encode()
        self._append(data)
        self._note(line)
        self._size += len(data)

    def _append(self, data: bytes) -> None:
        """Write all of it or, when the disk is full, nothing."""
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError:
            self._file.truncate(self._size)
            raise

    def _read(self) -> None:
        with open(_rehearsal.current(self._path), "rb") as file:
            for data in file:
                if not data.endswith(b"\n"):
                    break
                line = self._answer(data)
                self._note(line)
                self._size += len(data)

    def _answer(self, data: bytes) -> Line:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
            line = json.loads(data)
            _short(line["request"])
            if isinstance(line["index"], int) and 0 <= line["index"] < _MOST and line["outcome"] in OUTCOMES:
                return line
        raise BadOption(self._option, f"'{self._path}' has something else in it than answers, and is left as it is")

    def _note(self, line: Line) -> None:
        number = line["index"]
        missing = number + 1 - len(self._places)
        if missing > 0:
            self._places.extend([_NONE] * missing)
            self._requests.extend([0] * missing)
            self._outcomes.extend([0] * missing)
        self.disordered = self.disordered or missing != 1
        self._places[number] = self._size
        self._requests[number] = 0 if line["outcome"] == "failed" else _short(line["request"])
        self._outcomes[number] = OUTCOMES.index(line["outcome"])

    def _check_unchanged(self) -> None:
        now = seen(self._path)
        if now != self._seen if self._seen else now[0]:
            raise ToolchainError(f"Another run wrote '{self._path}' meanwhile. Try again.")

    def _put_in_order(self) -> None:
        if self.disordered:
            store_output(self._task, self._path, self._in_order())

    def _in_order(self) -> t.Iterator[bytes]:
        with open(_rehearsal.current(self._path), "rb") as file:
            for place in self._places:
                if place != _NONE:
                    file.seek(place)
                    yield file.readline()


def _short(request: str) -> int:
    """Enough of a digest to tell two requests apart; never 0."""
    return int(request[:16], 16) or 1
