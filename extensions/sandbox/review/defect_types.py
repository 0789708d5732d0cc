# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taxonomies, and the defect types of a project: which checkers run, and how bad is what they find."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from .call import Call, Record, action, major_version
from .protocol import ActionError, not_found
from .storage import OF_ALL, insert, project_by

TAXONOMIES = ("C and C++", "C#", "Java", "MISRA Checkers Package", "Metrics")


class Checker(NamedTuple):
    """A defect type as a project has it at first."""

    code: str
    name: str
    taxonomies: tuple[str, ...]
    severity: int
    enabled: bool = True
    support_level: int | None = 2


CHECKERS = (
    Checker("ABV.GENERAL", "Buffer Overflow - Array Index Out of Bounds", ("C and C++",), 1),
    Checker("ABV.ITERATOR", "Buffer Overflow - Array Index may be out of Bounds", ("C and C++",), 1),
    Checker("NPD.FUNC.MUST", "Result of function that may return NULL will be dereferenced", ("C and C++",), 1),
    Checker("RLK.MAIN", "Resource leak", ("C and C++",), 3),
    Checker("UNINIT.STACK.MUST", "Uninitialized Variable", ("C and C++",), 1),
    Checker("VA_UNUSED.GEN", "Value is Never Used after Assignment", ("C and C++",), 4, enabled=False),
    Checker("CS.NRE.FUNC.MUST", "Null returned from function is dereferenced", ("C#",), 1),
    Checker("CS.RLK", "Resource leak", ("C#",), 2),
    Checker("JD.BITCMP", "Bitwise operators in a boolean expression", ("Java",), 4),
    Checker("SV.TAINTED.INJECTION", "Command Injection", ("Java",), 2),
    Checker("MISRA.DEFINE.NOTGLOBAL", "Define not at the global level", ("MISRA Checkers Package",), 4, enabled=False),
    Checker("MISRA.GOTO", "Goto statement is used", ("MISRA Checkers Package",), 4, enabled=False),
    Checker("NCNBLOC_FILE.HIGH", "Too many lines of code in a file", ("Metrics",), 5, enabled=False),
)


def taxonomies(call: Call) -> Iterable[Record]:
    project = project_by(call, "name", call.parameters.text("project"))["id"]
    for name, custom in taxonomies_of(call, project).items():
        yield {"name": name, "is_custom": custom}


def defect_types(call: Call) -> Iterable[Record]:
    """Those that are enabled and those that are not, of one taxonomy or of all."""
    project = project_by(call, "name", call.parameters.text("project"))["id"]
    changed = _changed(call, project)
    taxonomy = call.parameters.text("taxonomy")
    if taxonomy and taxonomy not in taxonomies_of(call, project):
        raise not_found("Taxonomy", taxonomy)
    tells_support = major_version(call.runtime) >= 23
    for checker in _checkers(call, project):
        if taxonomy in ("", *checker.taxonomies):
            supported = {"supportLevel": checker.support_level} if tells_support and checker.support_level else {}
            enabled, severity = changed.get(checker.code, (checker.enabled, checker.severity))
            yield {
                "code": checker.code,
                "name": checker.name,
                "enabled": enabled,
                "severity": severity,
                **supported,
            }


def update_defect_type(call: Call) -> None:
    """Change what is given, for the next analysis."""
    parameters, code = call.parameters, call.parameters.text("code")
    project = project_by(call, "name", parameters.text("project"))["id"]
    call.access.require("change_project_settings", project)
    checker = next((checker for checker in _checkers(call, project) if checker.code == code), None)
    if checker is None:
        raise not_found("Defect type", code)
    enabled, severity = _changed(call, project).get(code, (checker.enabled, checker.severity))
    wanted = parameters.integer("severity", default=severity)
    if not 1 <= wanted <= 10:
        raise ActionError(400, f"Invalid value for parameter severity: {wanted}")
    fields = {"enabled": parameters.boolean("enabled", default=enabled), "severity": wanted}
    insert(call.db, "review_defect_types", project=project, code=code, **fields)


def taxonomies_of(call: Call, project: str) -> dict[str, bool]:
    """The taxonomies of a project, and whether each is the site's own."""
    rows = _seeded(call, "review_taxonomies", project)
    return {row["name"]: bool(row["custom"]) for row in rows} or dict.fromkeys(TAXONOMIES, False)


def _checkers(call: Call, project: str) -> Iterable[Checker]:
    rows = _seeded(call, "review_checkers", project)
    return [
        Checker(
            row["code"],
            row["name"],
            tuple(json.loads(row["taxonomies"])),
            row["severity"],
            bool(row["enabled"]),
            row["support_level"],
        )
        for row in rows
    ] or CHECKERS


def _seeded(call: Call, table: str, project: str) -> list[sqlite3.Row]:
    """What a seed says of the project, or else of all that it says nothing of."""
    sql = f"SELECT * FROM {table} WHERE project = ? ORDER BY rowid"
    return call.db.execute(sql, (project,)).fetchall() or call.db.execute(sql, (OF_ALL,)).fetchall()


def _changed(call: Call, project: str) -> dict[str, tuple[bool, int]]:
    """What was changed of the project's defect types: whether each is enabled, and its severity."""
    rows = call.db.execute("SELECT * FROM review_defect_types WHERE project = ?", (project,))
    return {row["code"]: (bool(row["enabled"]), row["severity"]) for row in rows}


ROUTES = tuple(map(action, (taxonomies, defect_types, update_defect_type)))
