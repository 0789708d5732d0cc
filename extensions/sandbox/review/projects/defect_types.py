# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Taxonomies and defect types of a project. A defect type has a checker, which can be enabled, and a severity."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from typing import NamedTuple

from ..api.call import Call, Record, action_route, major_version
from ..api.protocol import ActionError, not_found
from ..storage import ALL_PROJECTS, insert, require_project_id

TAXONOMIES = ("C and C++", "C#", "Java", "MISRA Checkers Package", "Metrics")


class Checker(NamedTuple):
    """A defect type with its initial settings."""

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
    """Yield the taxonomies of a project."""
    project = require_project_id(call)
    for name, custom in load_taxonomies(call, project).items():
        yield {"name": name, "is_custom": custom}


def defect_types(call: Call) -> Iterable[Record]:
    """Yield the defect types of a taxonomy or, by default, of all."""
    project = require_project_id(call)
    changes = _load_changes(call, project)
    taxonomy = call.parameters.text("taxonomy")
    if taxonomy and taxonomy not in load_taxonomies(call, project):
        raise not_found("Taxonomy", taxonomy)
    has_support_level = major_version(call.runtime) >= 23
    for checker in _load_checkers(call, project):
        if taxonomy in ("", *checker.taxonomies):
            supported = {"supportLevel": checker.support_level} if has_support_level and checker.support_level else {}
            enabled, severity = changes.get(checker.code, (checker.enabled, checker.severity))
            yield {
                "code": checker.code,
                "name": checker.name,
                "enabled": enabled,
                "severity": severity,
                **supported,
            }


def update_defect_type(call: Call) -> None:
    """Update the settings of a defect type for the next analysis."""
    parameters, code = call.parameters, call.parameters.text("code")
    project = require_project_id(call)
    call.access.require("change_project_settings", project)
    checker = next((checker for checker in _load_checkers(call, project) if checker.code == code), None)
    if checker is None:
        raise not_found("Defect type", code)
    enabled, severity = _load_changes(call, project).get(code, (checker.enabled, checker.severity))
    new_severity = parameters.integer("severity", default=severity)
    if not 1 <= new_severity <= 10:
        raise ActionError(400, f"Invalid value for parameter severity: {new_severity}")
    fields = {"enabled": parameters.boolean("enabled", default=enabled), "severity": new_severity}
    insert(call.db, "review_defect_types", project=project, code=code, **fields)


def load_taxonomies(call: Call, project: str) -> dict[str, bool]:
    """Return for each taxonomy of a project whether it is custom."""
    rows = _load_seeded_rows(call, "review_taxonomies", project)
    return {row["name"]: bool(row["custom"]) for row in rows} or dict.fromkeys(TAXONOMIES, False)


def _load_checkers(call: Call, project: str) -> Iterable[Checker]:
    rows = _load_seeded_rows(call, "review_checkers", project)
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


def _load_seeded_rows(call: Call, table: str, project: str) -> list[sqlite3.Row]:
    """Return the rows for a project or, if there are none, those for all projects."""
    sql = f"SELECT * FROM {table} WHERE project = ? ORDER BY rowid"
    return call.db.execute(sql, (project,)).fetchall() or call.db.execute(sql, (ALL_PROJECTS,)).fetchall()


def _load_changes(call: Call, project: str) -> dict[str, tuple[bool, int]]:
    """Return the changed defect types of a project by code, each with whether it is enabled and its severity."""
    rows = call.db.execute("SELECT * FROM review_defect_types WHERE project = ?", (project,))
    return {row["code"]: (bool(row["enabled"]), row["severity"]) for row in rows}


ROUTES = tuple(map(action_route, (taxonomies, defect_types, update_defect_type)))
