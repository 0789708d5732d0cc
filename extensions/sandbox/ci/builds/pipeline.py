# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Simulation of Pipeline builds by the plain steps of their scripts."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from .shell import Plan, Shell

_TEXT = r"'''(.*?)'''|\"\"\"(.*?)\"\"\"|'([^'\n]*)'|\"([^\"\n]*)\""
_STEP = re.compile(rf"(?s)\b(sh|echo|error|unstable|archiveArtifacts|sleep)\b\s*(?:\(\s*)?(?:{_TEXT}|(\d+(?:\.\d+)?))")


def plan_build(script: str, environment: Mapping[str, str], workspace: str) -> Plan:
    """Simulate the steps `sh`, `echo`, `sleep`, `error`, `unstable` and `archiveArtifacts` in their order.

    Stages, conditions and loops are ignored.
    """
    shell = Shell(environment)
    for line in ("Start of Pipeline", "node"):
        shell.print_line(f"[Pipeline] {line}")
    shell.print_line(f"Running on Jenkins in {workspace}")
    shell.print_line("[Pipeline] {")
    outcome, reason = "SUCCESS", ""
    artifacts: dict[str, str] = {}
    for match in _STEP.finditer(script):
        step, argument = match[1], next(text for text in match.groups()[1:] if text is not None)
        shell.print_line(f"[Pipeline] {step}")
        if step == "archiveArtifacts":
            shell.print_line("Archiving artifacts")
            artifacts |= shell.archive(re.split(r"\s*,\s*", argument))
        reason = _run_step(shell, step, argument)
        if reason:
            outcome = "FAILURE"
            break
        if step == "unstable":
            outcome = "UNSTABLE"
    for line in ("}", "// node", "End of Pipeline"):
        shell.print_line(f"[Pipeline] {line}")
    if reason:
        shell.print_line(f"ERROR: {reason}")
    return Plan(shell.seconds, outcome, shell.lines, artifacts, shell.resists)


def _run_step(shell: Shell, step: str, argument: str) -> str:
    """Simulate a step and return the reason of its failure, or an empty text."""
    if step == "sh" and not shell.run(textwrap.dedent(argument)):
        return "script returned exit code 1"
    if step == "error":
        return argument
    if step == "unstable":
        shell.print_line(f"WARNING: {argument}")
    elif step == "echo":
        shell.print_line(argument)
    elif step == "sleep":
        shell.print_line(f"Sleeping for {argument} sec")
        shell.seconds += float(argument)
    return ""
