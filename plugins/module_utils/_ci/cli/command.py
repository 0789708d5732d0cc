# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One CLI command: its input, its output and the meaning of its exit code."""

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

STDOUT, STDERR = "stdout", "stderr"
RESULT_NAMES = ("rc", "stdout", "stdout_lines", "stderr", "stderr_lines")
_MAX_OUTPUT = 4 * 1024 * 1024
_READ_SIZE = 60_000
_MAX_ARGUMENT = 65535
_MEANINGS = {
    1: "an exception on the server",
    2: "invalid command or arguments",
    3: "an object does not exist",
    4: "an object is in an invalid state",
    5: "the command was aborted",
    6: "the account lacks a permission or is not logged in",
    7: "the credentials are invalid",
}
_LOST = 255
# Exit codes of commands that had no effect, if the error output confirms it. Hudson only has the last one
_REFUSED = (2, 3, 4, 6, 7, _LOST)
# Exit codes of local programs that failed before they reached the server
_PROGRAM_FAILED = (1, 3, 15, 255)
_ERROR = re.compile(r"^(?:ERROR: (.+)|(No such (?:command|job).+)|(\".*\" is not a valid option))", re.MULTILINE)
# Error output of local programs if the command was not started
_NOT_STARTED = re.compile(
    r"CLI handshake failed|HTTP response code: |There's no Jenkins running|Connection refused|Permission denied"
    r"|Host key verification failed|Could not resolve|UnknownHostException|no main manifest attribute"
)
_TRACE = re.compile(r"^(\S.*)\n\tat ", re.MULTILINE)
_ERROR_MESSAGES = (
    re.compile(r"^X-CLI-Error: (.+)", re.MULTILINE),
    _TRACE,
    _ERROR,
    re.compile(r"^(CLI handshake failed.*)"),
)
_UNAUTHORIZED = re.compile(r"status code 401|response code: 401")
_ANNOTATIONS = re.compile(r"\x1b\[8m.*?\x1b\[0m|[\x00-\x08\x0b-\x1f\x7f]")


class Output(t.NamedTuple):
    """A chunk of output.

    :ivar stream: `STDOUT` or `STDERR`
    """

    stream: str
    chunk: bytes


# The output of a command and, at the end, its exit code
Events = t.Iterator[t.Union[Output, int]]


class CommandFailed(ToolchainError):
    """The exit code of a command is not accepted."""


@dataclasses.dataclass
class Tail:
    """The end of an output.

    :ivar size: size of the whole output in bytes
    """

    size: int = 0
    _chunks: collections.deque[bytes] = dataclasses.field(default_factory=collections.deque)
    _stored: int = 0

    def add(self, chunk: bytes) -> None:
        """Add a chunk, and drop the oldest ones if the limit is exceeded."""
        self.size += len(chunk)
        self._stored += len(chunk)
        self._chunks.append(chunk)
        while self._stored - len(self._chunks[0]) >= _MAX_OUTPUT:
            self._stored -= len(self._chunks.popleft())

    @property
    def text(self) -> str:
        """The stored output; invalid UTF-8 is replaced."""
        return b"".join(self._chunks)[-_MAX_OUTPUT:].decode("utf-8", "replace")


# Commands of Jenkins and of its usual plugins that change nothing, whatever their arguments and input are
_READING_COMMANDS = frozenset(
    (
        *("check-configuration", "console", "declarative-linter", "export-configuration", "get-credentials-as-xml"),
        *("get-credentials-domain-as-xml", "get-job", "get-node", "get-view", "help", "list-changes"),
        *("list-credentials", "list-credentials-as-xml", "list-credentials-context-resolvers"),
        *("list-credentials-providers", "list-jobs", "list-plugins", "session-id", "version", "wait-node-offline"),
        *("wait-node-online", "who-am-i"),
    )
)


class Command:
    """The command of a task.

    :ivar words: name and arguments
    :ivar read_only: whether the command surely only reads: the task says so, and it is one of `_READING_COMMANDS`
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        params = task.params
        self.words: list[str] = [params["command"], *params["arguments"]]
        self.read_only: bool = params["read_only"] and params["command"] in _READING_COMMANDS
        self._tails = {STDOUT: Tail(), STDERR: Tail()}
        for number, word in enumerate(params["arguments"]):
            if len(word.encode()) > _MAX_ARGUMENT:
                raise BadOption(f"arguments[{number}]", f"must have at most {_MAX_ARGUMENT} bytes")
        if params["stdin_file"]:
            check_readable(params["stdin_file"], "stdin_file")
        if params["to_file"]:
            check_writable(task, params["to_file"], "to_file")
            check_ownership(task)

    def __str__(self) -> str:
        return f"'{shlex.join(self.words)}'"

    def plan(self) -> dict[str, t.Any]:
        """Return the action of the task."""
        return {"command": self.words, "via": self._task.params["via"]}

    @contextlib.contextmanager
    def open_input(self) -> t.Iterator[t.Iterator[bytes]]:
        """Open the standard input as chunks."""
        if self._task.params["stdin_file"]:
            with open(rehearsal.resolve_read(self._task.params["stdin_file"]), "rb") as file:
                yield iter(lambda: file.read(_READ_SIZE), b"")
        else:
            text = (self._task.params["stdin"] or "").encode()
            yield (text[start : start + _READ_SIZE] for start in range(0, len(text), _READ_SIZE))

    @contextlib.contextmanager
    def open_input_file(self) -> t.Iterator[t.Any]:
        """Open the standard input as a file."""
        if self._task.params["stdin_file"]:
            with open(rehearsal.resolve_read(self._task.params["stdin_file"]), "rb") as file:
                yield file
        else:
            with tempfile.TemporaryFile() as file:
                file.write((self._task.params["stdin"] or "").encode())
                file.seek(0)
                yield file

    def timeout_error(self) -> ToolchainError:
        """Return the error for a command that did not end in time."""
        cause = f"Waited {self._task.params['wait_timeout']:g} s, but the command {self} is still running"
        return ToolchainError(cause) if self.read_only else self.outcome_unknown(cause)

    def outcome_unknown(self, cause: str) -> ToolchainError:
        """Return the error for a command whose end was not observed."""
        cause = cause.rstrip(".")
        if self.read_only:
            return IncompleteResponse(f"{cause}. Try again.")
        return OutcomeUnknown(f"{cause}. Jenkins interrupts a command if its client disconnects.")

    def run(self, execute: t.Callable[[], Events]) -> dict[str, t.Any]:
        """Run the command; return its exit code and output.

        :arg execute: starts the command with one of the transports
        :raises CommandFailed: if the exit code is not accepted
        """
        try:
            with contextlib.nullcontext() if self.read_only else self._task.guard_action(f"the command {self}"):
                self._run_with_retries(execute)
            self._task.has_written = not self._task.params["read_only"]
        except ToolchainError:
            self._task.result.update(self._to_result())
            raise
        result = self._to_result()
        return {**result, STDOUT: "", f"{STDOUT}_lines": []} if self._task.params["to_file"] else result

    def _run_with_retries(self, execute: t.Callable[[], Events]) -> None:
        """Run the command; repeat a read-only command if the connection is lost."""
        retries = self._task.params["retries"]
        for attempt in itertools.count():
            self._tails = {STDOUT: Tail(), STDERR: Tail()}
            try:
                self._process_events(execute())
                break
            except IncompleteResponse as incomplete:
                if attempt == retries:
                    raise
                self._task.record_retry(str(incomplete), attempt + 1, retries)
            time.sleep(retry.backoff(attempt))

    def _process_events(self, events: Events) -> None:
        chunks = self._iterate_stdout(events)
        params = self._task.params
        if params["to_file"]:
            store_output(self._task, Target.from_options(self._task, params["to_file"]), chunks)
        else:
            collections.deque(chunks, maxlen=0)

    def _iterate_stdout(self, events: Events) -> t.Iterator[bytes]:
        """Yield the standard output; at the end, check the exit code."""
        with contextlib.closing(events):  # type: ignore[type-var]
            for event in events:
                if isinstance(event, int):
                    self._check_exit_code(event)
                    return
                self._report_progress(event.chunk)
                self._tails[event.stream].add(event.chunk)
                if event.stream == STDOUT:
                    yield event.chunk

    def _report_progress(self, chunk: bytes) -> None:
        lines = _ANNOTATIONS.sub("", chunk[-2000:].decode("utf-8", "replace")).split("\n")
        if last := next(filter(None, map(str.strip, reversed(lines))), None):
            self._task.report_progress(last)

    def _check_exit_code(self, code: int) -> None:
        self._task.result["rc"] = code
        if code in self._task.params["accept"]:
            return
        error = self._tails[STDERR].text
        is_refused = bool(
            (code in _REFUSED and _ERROR.search(error)) or (code in _PROGRAM_FAILED and _NOT_STARTED.search(error))
        )
        is_unknown = code == _LOST and not is_refused
        self._task.has_written = self._task.has_written or not (
            self._task.params["read_only"] or is_refused or is_unknown
        )
        message = self._describe_failure(code, error)
        raise self.outcome_unknown(message) if is_unknown else CommandFailed(message)

    def _describe_failure(self, code: int, error: str) -> str:
        reason = _find_error_message(error) or _last_line(self._tails[STDOUT].text)
        meaning = _MEANINGS.get(code) if _ERROR.search(error) else None
        message = f"The command {self} failed with exit code {code}"
        message += f", {meaning}" if meaning else ""
        message += f": {reason}" if reason else ""
        if _UNAUTHORIZED.search(error):
            message += ". Check the user name and the password or API token"
        return message

    def _to_result(self) -> dict[str, t.Any]:
        result: dict[str, t.Any] = {"rc": self._task.result.get("rc")}
        for name, tail in self._tails.items():
            if tail.size > _MAX_OUTPUT and not (name == STDOUT and self._task.params["to_file"]):
                self._task.warn(
                    f"The {name} of the command {self} has {tail.size} bytes. The result contains only the last "
                    f"{_MAX_OUTPUT}. Use 'to_file' to store the whole standard output."
                )
            result[name] = tail.text
            result[f"{name}_lines"] = tail.text.splitlines()
        return result


def _find_error_message(error: str) -> str | None:
    """Return the error message in the error output, or its last line."""
    match = next(filter(None, (pattern.search(error) for pattern in _ERROR_MESSAGES)), None)
    return next(filter(None, match.groups())).strip() if match else _last_line(error)


def _last_line(text: str) -> str | None:
    return next(filter(None, map(str.strip, reversed(text.splitlines()))), None)
