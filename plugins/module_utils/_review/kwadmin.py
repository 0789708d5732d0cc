# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Klocwork's administration tool `kwadmin`, which runs on the host on which the task runs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.ltoken import find_login, format_ltoken_file
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import check_url

ADMIN_TOOL = ArgumentSpec(
    dict(
        admin_tool=dict(type="list", elements="str", default=["kwadmin"], not_empty=True, each_element=NAME),
        admin_tool_timeout=dict(type="float", default=600.0, at_least=0.1, at_most=86_400),
    )
)

# kwadmin treats such arguments as options or as files with arguments
_SPECIAL_PREFIXES = ("-", "@")


class AdminTool:
    """Runs subcommands of kwadmin.

    The login token is passed in a private temporary file, whose path is in the environment variable KLOCWORK_LTOKEN.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self._url = check_url(task.params["url"])
        self._login = find_login(task, self._url)

    def read_lines(self, command: str, *arguments: str) -> list[str]:
        """Run a read-only subcommand and return its output without empty lines and warnings.

        :raises ToolchainError: if it fails or exceeds its timeout
        """
        output_lines = [line for line in self._run(command, arguments).splitlines() if line.strip()]
        self._warn(line for line in output_lines if _is_login_warning(line))
        return [line for line in output_lines if not _is_login_warning(line)]

    def write(self, command: str, *arguments: str) -> None:
        """Run a subcommand that changes the server.

        :raises OutcomeUnknown: if it exceeds its timeout or is killed
        :raises ToolchainError: if it fails
        """
        with self._task.guard_write(f"kwadmin {command}"):
            try:
                self._run(command, arguments)
            except _CommandAborted as error:
                raise OutcomeUnknown(str(error)) from None

    def _run(self, command: str, arguments: t.Sequence[str]) -> str:
        check_arguments(*arguments)
        with self._login_environment() as environment:
            status, output, error = self._execute(command, [command, *arguments], environment)
        self._warn(line for line in error.splitlines() if _is_warning(line))
        if status < 0:
            raise _CommandAborted(f"'kwadmin {command}' was killed by signal {-status}.")
        if status:
            text = _extract_error(error) or _extract_error(output) or "it printed no error message"
            advice = "" if self._login.ltoken else f" {self._login.advice}"
            raise ToolchainError(f"'kwadmin {command}' failed with exit code {status}: {text}.{advice}")
        return output

    def _execute(self, command: str, arguments: list[str], environment: dict[str, str]) -> tuple[int, str, str]:
        """Run kwadmin and return its exit code, standard output and standard error."""
        timeout = self._task.params["admin_tool_timeout"]
        tool = self._task.params["admin_tool"]
        try:
            process = subprocess.Popen(
                [*tool, "--url", self._url, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            problem = f"cannot run '{tool[0]}' on the host on which the task runs: {error.strerror}"
            raise BadOption("admin_tool", problem) from None
        with process:
            try:
                output, error_text = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                limit = f"'admin_tool_timeout' ({timeout:g} s)"
                raise _CommandAborted(f"'kwadmin {command}' did not finish within {limit} and was killed.") from None
            finally:
                _kill(process)
        return process.returncode, output, error_text

    @contextlib.contextmanager
    def _login_environment(self) -> t.Iterator[dict[str, str]]:
        """Provide the environment with the login of the task, or with kwadmin's own login if the task has none."""
        environment = dict(os.environ)
        content = format_ltoken_file(self._login, self._url)
        if content is None:
            yield environment
            return
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", prefix="ltoken-") as file:
            file.write(content)
            file.flush()
            yield {**environment, "KLOCWORK_LTOKEN": file.name}

    def _warn(self, lines: t.Iterable[str]) -> None:
        for line in lines:
            if line not in self._task.warnings:
                self._task.warn(line)


def check_arguments(*arguments: str) -> None:
    """Refuse arguments that kwadmin would misinterpret.

    :raises ToolchainError: for an argument that looks like an option or a file of arguments
    """
    for argument in arguments:
        if argument.startswith(_SPECIAL_PREFIXES):
            raise ToolchainError(
                f"'{argument}' cannot be passed to kwadmin because it looks like an option or a file name. Rename it."
            )


class _CommandAborted(ToolchainError):
    """kwadmin did not finish."""


def _extract_error(text: str) -> str:
    return "; ".join(line.strip() for line in text.splitlines() if line.strip() and not _is_warning(line))


def _is_warning(line: str) -> bool:
    return line.lower().startswith("warning")


def _is_login_warning(line: str) -> bool:
    """Return whether a line of the output is a warning. Listed names can begin with the word as well."""
    return line.lower().startswith("warning:")


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill a process and its children."""
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
