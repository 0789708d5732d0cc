# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Rate limits of a project or of the organization, in the same format."""

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
# The value that means unlimited
UNLIMITED = 2**31 - 1
# no_log=False, because Ansible takes "tokens" in a name for a secret
LIMIT_OPTIONS = {name: dict(type="int", no_log=False, at_least=0, at_most=UNLIMITED) for name in LIMITS}

# The limits of one model
MODEL_OPTIONS = dict(model=dict(type="str", required=True, **NAME), **LIMIT_OPTIONS)

_PATH = "/organization/projects/{}/rate_limits"


def fetch_project_limits(admin: AdminClient, project: str) -> Fields:
    """Return the limits of a project by model."""
    entries = {entry.text("model"): entry for entry in admin.iter_entries(_PATH, project)}
    return to_result({model: _parse_row(model, entry, entry.text("id")) for model, entry in sorted(entries.items())})


def fetch_dashboard_limits(inference: InferenceService) -> Fields:
    """Return the limits of the organization by model, read from the dashboard."""
    record = inference.fetch_dashboard("/rate_limits").record()
    return to_result({name: _parse_row(name, record.record(name), None) for name in sorted(record)})


def to_result(rows: Fields) -> Fields:
    """Return the rows, each with the names of the unlimited limits."""
    return {
        model: {**row, "unlimited": [name for name in LIMITS if (row.get(name) or 0) >= UNLIMITED]}
        for model, row in rows.items()
    }


class ProjectLimits:
    """The limits of the declared models in a project.

    :arg project: its ID, `None` if an earlier task would create it
    :arg desired: the declared limits by model, each `{name of the limit: value}`
    """

    def __init__(self, admin: AdminClient, project: str | None, desired: dict[str, Fields]) -> None:
        self._admin = admin
        self._project = project
        self._desired = desired
        self._ids: dict[str, str] = {}

    def read(self) -> Fields:
        """Return the limits of the declared models. Those of a project that does not exist yet are unknown.

        :raises ToolchainError: if the project has no limits for a model
        """
        if self._project is None:
            return {model: _parse_missing_row(model) for model in self._desired}
        rows = fetch_project_limits(self._admin, self._project)
        for model in self._desired:
            if model not in rows:
                raise ToolchainError(
                    f"Project '{self._project}' has no limits for the model '{model}'. Check the ID of the model."
                )
        self._ids = {model: rows[model]["id"] for model in self._desired}
        return {model: rows[model] for model in self._desired}

    def check(self, before: Fields | None, desired: Fields | None) -> None:
        """Check that the models have the declared limits.

        :raises ToolchainError: if a model does not have one of them
        """
        for model, limits in (desired or {}).items():
            for name in limits:
                if before and before[model][name] is None and self._project is not None:
                    raise ToolchainError(f"The model '{model}' has no limit '{name}'. Remove it from 'limits'.")

    def predict_refusal(self) -> None:
        """Predict whether the API refuses the change, as for archived projects, whose limits are read-only.

        :raises ToolchainError: if the project is archived
        """
        if self._project is not None and projects.is_archived(self._admin, self._project):
            raise ToolchainError(
                f"Cannot change the rate limits of project '{self._project}': the project is archived."
            )

    def update(self, changes: Fields) -> None:
        """Set the changed limits with one request for each model."""
        for model, limits in changes.items():
            self._admin.post(f"{_PATH}/{{}}", self._project or "", self._ids[model], json=limits, is_idempotent=True)


def parse_limits(entries: list[Fields], option: str = "limits") -> dict[str, Fields]:
    """Return the declared limits by model.

    :arg option: name of the option, for messages
    :raises BadOption: if a model is listed twice or has no limit
    """
    desired: dict[str, Fields] = {}
    for number, entry in enumerate(entries):
        limits = {name: entry[name] for name in LIMITS if entry[name] is not None}
        if not limits:
            raise BadOption(f"{option}[{number}]", f"must set at least one limit: {', '.join(LIMITS)}")
        if entry["model"] in desired:
            raise BadOption(f"{option}[{number}].model", f"'{entry['model']}' is listed twice")
        desired[entry["model"]] = limits
    return desired


def _parse_row(name: str, entry: Record, id_: str | None) -> dict[str, t.Any]:
    return {"id": id_, "kind": _classify(name), **{limit: entry.maybe_integer(limit) for limit in LIMITS}}


def _parse_missing_row(name: str) -> dict[str, t.Any]:
    return {"id": None, "kind": _classify(name), **dict.fromkeys(LIMITS)}


def _classify(name: str) -> str:
    if name == "*":
        return "fallback"
    if name.startswith("ft:"):
        return "fine_tuned"
    return "long_context" if name.endswith("-long-context") else "model"
