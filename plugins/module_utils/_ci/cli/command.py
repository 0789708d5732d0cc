# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One command: what it is, what becomes of what it writes, and what its exit code means."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import re
import shlex
import tempfile
import time
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    IncompleteResponse,
    OutcomeUnknown,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_ownership,
    check_writable,
    store_output,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

OUT, ERROR = "stdout", "stderr"
GIVES = ("rc", "stdout", "stdout_lines", "stderr", "stderr_lines")
_KEPT = 4 * 1024 * 1024
_READ_AT_ONCE = 60_000
_LONGEST_ARGUMENT = 65535
_MEANINGS = {
    1: "an exception on the server",
    2: "the command or its arguments are not as the server wants them",
    3: "what it names is not there",
    4: "what it names is in no state for that",
    5: "the command gave up",
    6: "the account lacks a permission for this, or has to log in",
    7: "the credentials are not accepted",
}
_LOST = 255
# With these and the server's word for it the command did nothing; Hudson has but one
_REFUSALS = (2, 3, 4, 6, 7, _LOST)
# With these the programs end that do not get as far as the command
_OF_PROGRAMS = (1, 3, 15, 255)
_ERROR = re.compile(r"^(?:ERROR: (.+)|(No such (?:command|job).+)|(\".*\" is not a valid option))", re.MULTILINE)
# What clients that run as programs say when the command did not even begin
_NEVER_BEGAN = re.compile(
    r"CLI handshake failed|HTTP response code: |There's no Jenkins running|Connection refused|Permission denied"
    r"|Host key verification failed|Could not resolve|UnknownHostException|no main manifest attribute"
)
_TRACE = re.compile(r"^(\S.*)\n\tat ", re.MULTILINE)
_WORDS = (re.compile(r"^X-CLI-Error: (.+)", re.MULTILINE), _TRACE, _ERROR, re.compile(r"^(CLI handshake failed.*)"))
_LOGIN = re.compile(r"status code 401|response code: 401")
_NOTES = re.compile(r"\x1b\[8m.*?\x1b\[0m|[\x00-\x08\x0b-\x1f\x7f]")


class Written(t.NamedTuple):
    """A piece of what the command writes."""

    where: str
    piece: bytes


# What a command writes, piece by piece, and at last its exit code
Course = t.Iterator[t.Union[Written, int]]


class Refused(ToolchainError):
    """The command ended with an exit code that is not accepted."""


@dataclasses.dataclass
class Tail:
    """The end of what was written, and how much it was in all, in bytes."""

    size: int = 0
    _pieces: collections.deque[bytes] = dataclasses.field(default_factory=collections.deque)
    _kept: int = 0

    def add(self, piece: bytes) -> None:
        """One more piece; the oldest are forgotten when there are too many."""
        self.size += len(piece)
        self._kept += len(piece)
        self._pieces.append(piece)
        while self._kept - len(self._pieces[0]) >= _KEPT:
            self._kept -= len(self._pieces.popleft())

    @property
    def text(self) -> str:
        """What is kept; what is not UTF-8 is replaced."""
        return b"".join(self._pieces)[-_KEPT:].decode("utf-8", "replace")


class Command:
    """The command that a task asks for."""

    def __init__(self, task: Task) -> None:
        self._task = task
        params = task.params
        self.words: list[str] = [params["command"], *params["arguments"]]
        self.reads: bool = params["read_only"]
        self._written = {OUT: Tail(), ERROR: Tail()}
        for number, word in enumerate(params["arguments"]):
            if len(word.encode()) > _LONGEST_ARGUMENT:
                raise BadOption(f"arguments[{number}]", f"takes at most {_LONGEST_ARGUMENT} bytes")
        if params["stdin_file"]:
            check_readable(params["stdin_file"], "stdin_file")
        if params["to_file"]:
            check_writable(task, params["to_file"], "to_file")
            check_ownership(task)

    def __str__(self) -> str:
        return f"'{shlex.join(self.words)}'"

    def plan(self) -> dict[str, t.Any]:
        """What is done, or would be done in check mode."""
        return {"command": self.words, "via": self._task.params["via"]}

    @contextlib.contextmanager
    def input(self) -> t.Iterator[t.Iterator[bytes]]:
        """What the command reads, piece by piece."""
        if self._task.params["stdin_file"]:
            with open(rehearsal.resolve_read(self._task.params["stdin_file"]), "rb") as file:
                yield iter(lambda: file.read(_READ_AT_ONCE), b"")
        else:
            text = (self._task.params["stdin"] or "").encode()
            yield (text[place : place + _READ_AT_ONCE] for place in range(0, len(text), _READ_AT_ONCE))

    @contextlib.contextmanager
    def input_file(self) -> t.Iterator[t.Any]:
        """What the command reads, as a file that is open."""
        if self._task.params["stdin_file"]:
            with open(rehearsal.resolve_read(self._task.params["stdin_file"]), "rb") as file:
                yield file
        else:
            with tempfile.TemporaryFile() as file:
                file.write((self._task.params["stdin"] or "").encode())
                file.seek(0)
                yield file

    def goes_on(self) -> ToolchainError:
        """What to raise when it has not ended in time."""
        what = f"Waited {self._task.params['wait_timeout']:g} s, but the command {self} goes on"
        return ToolchainError(what) if self.reads else self.unknown(what)

    def unknown(self, what: str) -> ToolchainError:
        """What to raise when its end was not seen."""
        what = what.rstrip(".")
        if self.reads:
            return IncompleteResponse(f"{what}. Try again.")
        return OutcomeUnknown(f"{what}. The server interrupts a command whose client is gone.")

    def run(self, start: t.Callable[[], Course]) -> dict[str, t.Any]:
        """Carry the command out; gives its exit code and what it wrote.

        :arg start: what begins it, in one of the ways in which it can reach the server
        :raises Refused: when its exit code is not accepted
        """
        try:
            with contextlib.nullcontext() if self.reads else self._task.guard_write(f"the command {self}"):
                self._follow_to_its_end(start)
        except ToolchainError:
            self._task.result.update(self._told())
            raise
        told = self._told()
        return {**told, OUT: "", f"{OUT}_lines": []} if self._task.params["to_file"] else told

    def _follow_to_its_end(self, start: t.Callable[[], Course]) -> None:
        """Run it; one that only reads is run again when the connection breaks off."""
        retries = self._task.params["retries"]
        for attempt in itertools.count():
            self._written = {OUT: Tail(), ERROR: Tail()}
            try:
                self._follow(start())
                break
            except IncompleteResponse as broken:
                if attempt == retries:
                    raise
                self._task.record_retry(str(broken), attempt + 1, retries)
            time.sleep(retry.backoff(attempt))

    def _follow(self, course: Course) -> None:
        output = self._output(course)
        params = self._task.params
        if params["to_file"]:
            store_output(self._task, Target.from_options(self._task, params["to_file"]), output)
        else:
            collections.deque(output, maxlen=0)

    def _output(self, course: Course) -> t.Iterator[bytes]:
        """The pieces of the standard output; at the end the exit code is judged."""
        with contextlib.closing(course):  # type: ignore[type-var]
            for event in course:
                if isinstance(event, int):
                    self._judge(event)
                    return
                self._tell(event.piece)
                self._written[event.where].add(event.piece)
                if event.where == OUT:
                    yield event.piece

    def _tell(self, piece: bytes) -> None:
        lines = _NOTES.sub("", piece[-2000:].decode("utf-8", "replace")).split("\n")
        if last := next(filter(None, map(str.strip, reversed(lines))), None):
            self._task.report_progress(last)

    def _judge(self, code: int) -> None:
        self._task.result["rc"] = code
        if code in self._task.params["accept"]:
            return
        error = self._written[ERROR].text
        refused = (code in _REFUSALS and _ERROR.search(error)) or (code in _OF_PROGRAMS and _NEVER_BEGAN.search(error))
        unknown = code == _LOST and not refused
        self._task.has_written = self._task.has_written or not (self.reads or refused or unknown)
        words = _words(error) or _last_line(self._written[OUT].text)
        meaning = _MEANINGS.get(code) if _ERROR.search(error) else None
        text = f"The command {self} ended with exit code {code}"
        text = f"{text}{f', {meaning}' if meaning else ''}{f': {words}' if words else ''}"
        if _LOGIN.search(error):
            text = f"{text}. The user name does not fit the password or API token"
        raise self.unknown(text) if unknown else Refused(text)

    def _told(self) -> dict[str, t.Any]:
        told: dict[str, t.Any] = {"rc": self._task.result.get("rc")}
        for name, tail in self._written.items():
            if tail.size > _KEPT and not (name == OUT and self._task.params["to_file"]):
                self._task.warn(
                    f"The command {self} wrote {tail.size} bytes to its {name}, of which the result has the last "
                    f"{_KEPT}. 'to_file' takes all of its standard output."
                )
            told[name] = tail.text
            told[f"{name}_lines"] = tail.text.splitlines()
        return told


def _words(error: str) -> str | None:
    """What a standard error says, in a line."""
    found = next(filter(None, (pattern.search(error) for pattern in _WORDS)), None)
    return next(filter(None, found.groups())).strip() if found else _last_line(error)


def _last_line(text: str) -> str | None:
    return next(filter(None, map(str.strip, reversed(text.splitlines()))), None)
