# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rate limits: those of a project, and those that the dashboard tells, in one shape."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization import projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.organization.admin_client import (
    AdminClient,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

LIMITS = (
    "max_requests_per_1_minute",
    "max_tokens_per_1_minute",
    "max_images_per_1_minute",
    "max_audio_megabytes_per_1_minute",
    "max_requests_per_1_day",
    "batch_1_day_max_input_tokens",
)
# What the service has for as many as one likes
UNLIMITED = 2**31 - 1
# A count of tokens is no secret, though the name could be one's
LIMIT_OPTIONS = {name: dict(type="int", no_log=False, at_least=0, at_most=UNLIMITED) for name in LIMITS}

# Those of one model
MODEL_OPTIONS = dict(model=dict(type="str", required=True, **NAME), **LIMIT_OPTIONS)

_OF_PROJECT = "/organization/projects/{}/rate_limits"


def fetch_project_limits(admin: AdminClient, project: str) -> Fields:
    """The limits of a project, by model."""
    entries = {entry.text("model"): entry for entry in admin.iter_entries(_OF_PROJECT, project)}
    return to_result({model: _row(model, entry, entry.text("id")) for model, entry in sorted(entries.items())})


def fetch_dashboard_limits(inference: InferenceService) -> Fields:
    """The limits of the organization, as the dashboard has them."""
    answer = inference.fetch_dashboard("/rate_limits").record()
    return to_result({name: _row(name, answer.record(name), None) for name in sorted(answer)})


def to_result(rows: Fields) -> Fields:
    """The rows, each with the names of those limits that are none in truth."""
    return {
        model: {**row, "unlimited": [name for name in LIMITS if (row.get(name) or 0) >= UNLIMITED]}
        for model, row in rows.items()
    }


class ProjectLimits:
    """Those limits of a project that the user cares for: model to limit to number.

    :arg wanted: what the user gives
    """

    def __init__(self, admin: AdminClient, project: str, wanted: dict[str, Fields]) -> None:
        self._admin = admin
        self._project = project
        self._wanted = wanted
        self._ids: dict[str, str] = {}

    def read(self) -> Fields:
        """The limits of these models.

        :raises ToolchainError: when the project knows no such model
        """
        rows = fetch_project_limits(self._admin, self._project)
        for model in self._wanted:
            if model not in rows:
                raise ToolchainError(f"The project '{self._project}' has no limits for the model '{model}'.")
        self._ids = {model: rows[model]["id"] for model in self._wanted}
        return {model: rows[model] for model in self._wanted}

    def check(self, before: Fields | None, wanted: Fields | None) -> None:
        """
        :raises ToolchainError: when a model has no such limit
        """
        for model, limits in (wanted or {}).items():
            for name in limits:
                if before and before[model][name] is None:
                    raise ToolchainError(f"The model '{model}' has no limit '{name}'.")

    def predict_refusal(self) -> None:
        """
        :raises ToolchainError: when the project is archived, so that the service lists its limits and changes none
        """
        if projects.is_archived(self._admin, self._project):
            raise ToolchainError(f"The project '{self._project}' is archived: its rate limits cannot be changed.")

    def update(self, changes: Fields) -> None:
        """Set those that differ, a request for each model."""
        for model, limits in changes.items():
            self._admin.post(f"{_OF_PROJECT}/{{}}", self._project, self._ids[model], json=limits, repeatable=True)


def parse_limits(given: list[Fields], option: str = "limits") -> dict[str, Fields]:
    """What the user gives, by model.

    :arg option: where it is given
    :raises BadOption: when a model is given twice, or without a limit
    """
    wanted: dict[str, Fields] = {}
    for number, entry in enumerate(given):
        limits = {name: entry[name] for name in LIMITS if entry[name] is not None}
        if not limits:
            raise BadOption(f"{option}[{number}]", f"has no limit; it takes {', '.join(LIMITS)}")
        if entry["model"] in wanted:
            raise BadOption(f"{option}[{number}].model", f"'{entry['model']}' is there already")
        wanted[entry["model"]] = limits
    return wanted


def _row(name: str, entry: Record, id_: str | None) -> dict[str, t.Any]:
    return {"id": id_, "kind": _kind(name), **{limit: entry.maybe_integer(limit) for limit in LIMITS}}


def _kind(name: str) -> str:
    if name == "*":
        return "fallback"
    if name.startswith("ft:"):
        return "fine_tuned"
    return "long_context" if name.endswith("-long-context") else "model"
