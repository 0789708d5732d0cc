# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts of the modules of buildworks.toolchain, which use classes of Jenkins.

Each starts with a line that says what it does. The part of the sandbox with the data registers a function for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import unquote

from ..call import Call
from .script_answers import ScriptResult, to_result
from .script_runner import extract_code

Arguments = dict[str, Any]
Function = Callable[[Call, Arguments], Any]
NAME = re.compile(r"// buildworks\.toolchain: (.*)\n")


class KnownScript(NamedTuple):
    """A script that the sandbox answers.

    :ivar function: returns the value of the script
    :ivar label: name of the request in the journal and in the conditions of faults
    :ivar is_read_only: whether the journal shows the request as one that changes nothing
    """

    function: Function
    label: str
    is_read_only: bool


SCRIPTS: dict[str, KnownScript] = {}


class ScriptError(Exception):
    """The script throws an exception.

    :arg kind: class of the exception
    """

    def __init__(self, message: str, kind: str = "java.lang.IllegalStateException") -> None:
        super().__init__(message)
        self.kind = kind


def known_script(name: str, read_only: bool = False, label: str = "script") -> Callable[[Function], Function]:
    """Register the function that answers the script with a name.

    The other arguments are those of `KnownScript`.
    """

    def register(function: Function) -> Function:
        SCRIPTS[name] = KnownScript(function, label, read_only)
        return function

    return register


def run_known_script(call: Call, script: str) -> ScriptResult | None:
    """Return the result of a known script, or None for other scripts."""
    name = NAME.match(extract_code(call, script))
    known = SCRIPTS.get(name[1]) if name else None
    if known is None:
        return None
    call.enter(known.label, reads=known.is_read_only)
    try:
        return to_result({"value": known.function(call, _read_tokens(call.parameter("args") or "m0"))})
    except ScriptError as error:
        return to_result({"error": {"type": error.kind, "message": str(error)}})


def _read_tokens(text: str) -> Any:
    """Return the data that the runner reads from its tokens."""
    return _read_value(iter(text.split()))


def _read_value(tokens: Iterator[str]) -> Any:
    token = next(tokens)
    kind, rest = token[0], token[1:]
    if kind == "m":
        return {_read_value(tokens): _read_value(tokens) for _entry in range(int(rest))}
    if kind == "l":
        return [_read_value(tokens) for _element in range(int(rest))]
    if kind == "s":
        return unquote(rest)
    return {"b": rest == "true", "n": None}.get(kind) if kind in "bn" else (int if kind == "i" else float)(rest)
