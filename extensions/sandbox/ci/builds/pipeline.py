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


def plan(script: str, environment: Mapping[str, str], workspace: str) -> Plan:
    """Simulate the steps `sh`, `echo`, `sleep`, `error`, `unstable` and `archiveArtifacts` in their order.

    Stages, conditions and loops are ignored.
    """
    shell = Shell(environment)
    for line in ("Start of Pipeline", "node"):
        shell.say(f"[Pipeline] {line}")
    shell.say(f"Running on Jenkins in {workspace}")
    shell.say("[Pipeline] {")
    outcome, reason = "SUCCESS", ""
    artifacts: dict[str, str] = {}
    for found in _STEP.finditer(script):
        step, argument = found[1], next(text for text in found.groups()[1:] if text is not None)
        shell.say(f"[Pipeline] {step}")
        if step == "sh" and not shell.run(textwrap.dedent(argument)):
            outcome, reason = "FAILURE", "script returned exit code 1"
        elif step == "error":
            outcome, reason = "FAILURE", argument
        elif step == "unstable":
            outcome = "UNSTABLE"
            shell.say(f"WARNING: {argument}")
        elif step == "echo":
            shell.say(argument)
        elif step == "sleep":
            shell.say(f"Sleeping for {argument} sec")
            shell.seconds += float(argument)
        elif step == "archiveArtifacts":
            shell.say("Archiving artifacts")
            artifacts |= shell.archive(re.split(r"\s*,\s*", argument))
        if reason:
            break
    for line in ("}", "// node", "End of Pipeline"):
        shell.say(f"[Pipeline] {line}")
    if reason:
        shell.say(f"ERROR: {reason}")
    return Plan(shell.seconds, outcome, shell.lines, artifacts, shell.resists)
