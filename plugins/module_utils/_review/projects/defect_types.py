# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Defect types (checkers) of a Klocwork project: whether they are enabled, and their severities."""

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
    """Return the defect types of a project or of one taxonomy by code, sorted."""
    records = review.records("defect_types", project=project, taxonomy=taxonomy)
    defect_types = {record.text("code"): _parse_defect_type(record) for record in records}
    return dict(sorted(defect_types.items()))


def add_taxonomies(review: ReviewService, project: str, defect_types: dict[str, Fields]) -> dict[str, Fields]:
    """Return the defect types with their taxonomies. Sends one request for each taxonomy of the project."""
    by_taxonomy = {
        taxonomy["name"]: list_defect_types(review, project, taxonomy["name"])
        for taxonomy in projects.list_taxonomies(review, project)
    }
    return {
        code: {**defect_type, "taxonomies": [name for name, types in by_taxonomy.items() if code in types]}
        for code, defect_type in defect_types.items()
    }


def filter_by_code(types: dict[str, Fields], pattern: str | None) -> dict[str, Fields]:
    """Return the defect types whose code matches a pattern with `*` and `?`; all if the pattern is `None`."""
    return {
        code: defect_type
        for code, defect_type in types.items()
        if pattern is None or fnmatch.fnmatchcase(code, pattern)
    }


class DefectTypeRules:
    """Desired settings of defect types. If several rules match a defect type, the last one applies to each field."""

    def __init__(self, task: Task, review: ReviewService) -> None:
        self._task, self._review = task, review
        self._project: str = task.params["project"]
        self._rules: list[Fields] = task.params["defect_types"]
        self._codes: set[str] = set()

    def read(self) -> dict[str, Fields]:
        """Return all defect types by code."""
        return list_defect_types(self._review, self._project)

    def desired(self, before: Fields | None) -> Fields:
        """Return the desired fields of the matching defect types by code.

        :raises BadOption: if a rule matches no defect type
        """
        desired: Fields = {}
        for number, rule in enumerate(self._rules):
            codes = self._match(rule, before or {})
            if not codes:
                raise BadOption(f"defect_types[{number}]", f"matches no defect type of project '{self._project}'")
            fields = {name: rule[name] for name in _MANAGED_FIELDS if rule[name] is not None}
            for code in codes:
                desired[code] = {**desired.get(code, {}), **fields}
        self._codes = set(desired)
        return desired

    def update(self, changes: Fields) -> None:
        """Update the defect types that differ, with one request each."""
        for number, (code, fields) in enumerate(changes.items(), 1):
            self._task.report_progress(f"updating defect types: {number:,} of {len(changes):,}", "running")
            self._review.write("update_defect_type", repeatable=True, project=self._project, code=code, **fields)

    def select_managed(self, types: Fields) -> Fields:
        """Return the defect types that the rules match."""
        return {code: defect_type for code, defect_type in types.items() if code in self._codes}

    def _match(self, rule: Fields, types: dict[str, Fields]) -> t.Iterable[str]:
        if rule["taxonomy"]:
            # records do not contain the taxonomy
            within = list_defect_types(self._review, self._project, rule["taxonomy"])
            types = {code: defect_type for code, defect_type in types.items() if code in within}
        return filter_by_code(types, rule["code"])


def _parse_defect_type(record: Record) -> Fields:
    return {
        "name": record.maybe_text("name"),
        "enabled": record.flag("enabled"),
        "severity": record.integer("severity"),
        "support_level": record.maybe_integer("supportLevel"),
    }
