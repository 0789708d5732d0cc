# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Defect types of a project in the review service: what is looked for, and how bad it is."""

from __future__ import annotations

import fnmatch
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.projects import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_MANAGED_FIELDS = ("enabled", "severity")


def list_defect_types(review: ReviewService, project: str, taxonomy: str | None = None) -> dict[str, Fields]:
    """The defect types of a project, or of one taxonomy, sorted by their codes."""
    records = review.records("defect_types", project=project, taxonomy=taxonomy)
    found = {record.text("code"): _parse_defect_type(record) for record in records}
    return dict(sorted(found.items()))


def add_taxonomies(review: ReviewService, project: str, found: dict[str, Fields]) -> dict[str, Fields]:
    """The defect types, each with the taxonomies that it is in, which costs a request for each of them."""
    within = {
        taxonomy["name"]: list_defect_types(review, project, taxonomy["name"])
        for taxonomy in projects.list_taxonomies(review, project)
    }
    return {
        code: {**one, "taxonomies": [name for name, types in within.items() if code in types]}
        for code, one in found.items()
    }


def filter_by_code(types: dict[str, Fields], pattern: str | None) -> dict[str, Fields]:
    """Those whose codes fit a pattern, in which `*` stands for anything; all without one."""
    return {code: one for code, one in types.items() if pattern is None or fnmatch.fnmatchcase(code, pattern)}


class DefectTypeRules:
    """How which defect types shall be. Of several rules for one of them the last that says something counts."""

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._task, self._review = task, review
        self._project: str = task.params["project"]
        self._rules: list[Fields] = task.params["defect_types"]
        self._codes: set[str] = set()

    def read(self) -> dict[str, Fields]:
        """All defect types, by code."""
        return list_defect_types(self._review, self._project)

    def desired(self, before: Fields | None) -> Fields:
        """What the rules say of those that they fit, by code.

        :raises BadOption: when a rule fits none
        """
        wanted: Fields = {}
        for number, rule in enumerate(self._rules):
            codes = self._match(rule, before or {})
            if not codes:
                raise BadOption(f"defect_types[{number}]", f"fits no defect type of the project '{self._project}'")
            said = {name: rule[name] for name in _MANAGED_FIELDS if rule[name] is not None}
            for code in codes:
                wanted[code] = {**wanted.get(code, {}), **said}
        self._codes = set(wanted)
        return wanted

    def update(self, changes: Fields) -> None:
        """Send what differs, a request for each of them."""
        for number, (code, fields) in enumerate(changes.items(), 1):
            self._task.report_progress(f"{number:,} of {len(changes):,} defect types", "at work")
            self._review.write("update_defect_type", repeatable=True, project=self._project, code=code, **fields)

    def select_managed(self, types: Fields) -> Fields:
        """Those that are managed."""
        return {code: one for code, one in types.items() if code in self._codes}

    def _match(self, rule: Fields, types: dict[str, Fields]) -> t.Iterable[str]:
        if rule["taxonomy"]:
            # a record does not tell its taxonomy
            within = list_defect_types(self._review, self._project, rule["taxonomy"])
            types = {code: one for code, one in types.items() if code in within}
        return filter_by_code(types, rule["code"])


def _parse_defect_type(record: Record) -> Fields:
    return {
        "name": record.maybe_text("name"),
        "enabled": record.flag("enabled"),
        "severity": record.integer("severity"),
        "support_level": record.maybe_integer("supportLevel"),
    }
