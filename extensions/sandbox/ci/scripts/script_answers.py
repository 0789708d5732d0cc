# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripted answers for Groovy scripts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ...runtime.evaluator import EvaluationError
from ...seeds.schema import MappingSchema, mapping_schema
from ..state import State
from ..storage import Storage

SHAPE: MappingSchema = mapping_schema(
    "script pattern name node after output value seconds",
    error=mapping_schema("type! message line"),
)
UNKNOWN = {
    "error": {
        "type": "sandbox.NoSuchScript",
        "message": "The sandbox has no answer for this script. Give one in 'scripts' of the section 'ci' of a seed.",
        "line": 1,
    }
}
COMPILE_ERROR = "MultipleCompilationErrorsException"


@dataclass(frozen=True)
class ScriptResult:
    """The result of a script: output and value, or an error with `type`, `message` and `line`."""

    output: str
    value: Any
    error: dict[str, Any] | None
    seconds: float

    @property
    def is_compiled(self) -> bool:
        """Return whether the script was compiled."""
        return self.error is None or COMPILE_ERROR not in self.error["type"]


def check_answer(entry: dict[str, Any]) -> None:
    """Refuse an invalid answer."""
    if ("script" in entry) == ("pattern" in entry):
        raise ValueError("A script has either its text as script, or a pattern.")
    re.compile(entry.get("pattern", ""))


async def find_answer(state: State, code: str, node: str) -> ScriptResult | None:
    """Return the first matching answer and record that the script was run; None if nothing matches.

    :arg node: empty for the controller
    """
    storage = state.storage
    for entry in storage.scripts():
        if not _is_for(entry, node, storage):
            continue
        try:
            if not await _fits(entry, code, state):
                continue
        except EvaluationError as error:
            message = f"Whether the pattern {entry['pattern']!r} of a script is found is not known: {error}."
            return to_result({"error": {"type": "sandbox.UnknownMatch", "message": message}})
        if name := entry.get("name"):
            storage.set("scripts_run", sorted({*storage.setting("scripts_run", []), name}))
        return to_result(entry)
    return None


def to_result(entry: dict[str, Any]) -> ScriptResult:
    """Return the result that an answer describes."""
    error = entry.get("error")
    whole_error = error and {"message": None, "line": 1, **error}
    return ScriptResult(entry.get("output", ""), entry.get("value"), whole_error, entry.get("seconds", 0))


def _is_for(entry: dict[str, Any], node: str, storage: Storage) -> bool:
    if entry.get("node", node) != node:
        return False
    return "after" not in entry or entry["after"] in storage.setting("scripts_run", [])


async def _fits(entry: dict[str, Any], code: str, state: State) -> bool:
    if "pattern" in entry:
        (is_match,) = await state.runtime.evaluator.search([entry["pattern"]], code)
        return is_match
    return bool(entry["script"].strip() == code.strip())
