# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation of builds by their shell steps."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch

STARTUP_SECONDS = 0.1  # measured overhead of a build on a real server
SIGNALS = {"stop": "TERM", "term": "KILL"}
_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


@dataclass(frozen=True)
class Plan:
    """The course of a build: duration, result, timed output and artifacts.

    :arg resists: methods to stop the build that it ignores
    """

    seconds: float
    outcome: str
    lines: list[tuple[float, str]]
    artifacts: dict[str, str]
    resists: list[str]


class Shell:
    """Simulates shell steps in a workspace without running them.

    `sleep` takes its time, `echo` prints (or writes with `>` and `>>`), `exit` and `false` fail, and `trap` ignores
    signals: TERM is sent by `stop`, KILL by `term`.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.seconds = STARTUP_SECONDS
        self.lines: list[tuple[float, str]] = []
        self.files: dict[str, str] = {}
        self.resists: list[str] = []
        self._environment = environment

    def print_line(self, line: str) -> None:
        """Print a line."""
        self.lines.append((self.seconds, line))

    def run(self, script: str) -> bool:
        """Run a step and return whether it succeeds."""
        failed = False
        for operator, command in _commands(script, self._environment):
            if (operator == "&&" and failed) or (operator == "||" and not failed):
                continue
            if failed and operator == ";":
                break
            command, target = _split_redirection(command)
            self.print_line("+ " + " ".join(command))
            program, argument = command[0], command[1] if command[1:] else ""
            failed = program == "false" or (program == "exit" and argument not in ("", "0"))
            if program == "echo":
                self._print(" ".join(command[1:]), target)
            elif program == "sleep" and _NUMBER.fullmatch(argument):
                self.seconds += float(argument)
            elif program == "trap":
                self.resists = [way for way, signal in SIGNALS.items() if signal in command[2:]]
            elif program == "exit":
                break
        return not failed

    def archive(self, patterns: Sequence[str]) -> dict[str, str]:
        """Return the files that a pattern matches, sorted by path."""
        return {
            path: self.files[path] for path in sorted(self.files) if any(fnmatch(path, pattern) for pattern in patterns)
        }

    def _print(self, text: str, target: list[str]) -> None:
        if not target:
            self.print_line(text)
            return
        operator, path = target
        before = self.files.get(path, "") if operator == ">>" else ""
        self.files[path] = f"{before}{text}\n"


def plan_build(commands: Sequence[str], environment: Mapping[str, str], archived: Sequence[str] = ()) -> Plan:
    """Simulate a freestyle build with these steps."""
    shell = Shell(environment)
    outcome = "SUCCESS" if all(map(shell.run, commands)) else "FAILURE"
    if outcome == "FAILURE":
        shell.print_line("Build step 'Execute shell' marked build as failure")
    if any(archived):
        shell.print_line("Archiving artifacts")
    return Plan(shell.seconds, outcome, shell.lines, shell.archive(archived), shell.resists)


def _split_redirection(command: list[str]) -> tuple[list[str], list[str]]:
    """Return a command, and the operator and file of its redirection."""
    if len(command) > 2 and command[-2] in (">", ">>"):
        return command[:-2], command[-2:]
    return command, []


def _commands(script: str, environment: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Return the words of each command with the preceding operator."""
    for line in script.splitlines():
        operator, words = ";", []
        for word in [*_parse_line(line), ";"]:
            if word not in (";", "&&", "||"):
                words.append(_VARIABLE.sub(lambda m: environment.get(m[1] or m[2], ""), word))
                continue
            if words:
                yield operator, words
            operator, words = word, []


def _parse_line(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    try:
        return list(lexer)
    except ValueError:
        return [line]
