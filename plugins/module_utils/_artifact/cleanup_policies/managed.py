# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a clean-up policy."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup_policies import form, policies
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cron import is_same_cron
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import platform, projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import inherit_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, add_removals, merge_fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_REQUIRED = ("package_types", "repositories")
_PROPERTIES = ("included_properties", "excluded_properties")


class SharedLists:
    """Lists of existing objects, each requested once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def policies(self, artifact: ArtifactService) -> dict[str, Record]:
        """Return all policies by key, as they were before this task changed one."""
        return self._values.get("policies", lambda: policies.list_all(artifact))

    def list_undeclared(
        self, artifact: ArtifactService, items: t.Collection[Fields], defaults: Fields
    ) -> dict[str, Fields]:
        """Return key and project of the policies that no item declares, by key: those of the items' projects.

        :arg defaults: options of the items that do not set them
        """
        declared = [inherit_options(defaults, item) for item in items]
        keys = {item["key"] for item in declared}
        scopes = {form.parse_project(item["project"] or "") for item in declared}
        found = {key: form.read_fields(record)["project"] for key, record in self.policies(artifact).items()}
        return {
            key: {"key": key, "project": project}
            for key, project in found.items()
            if key not in keys and project in scopes
        }

    def repositories(self, artifact: ArtifactService) -> set[str]:
        """Return the keys of all repositories."""
        return self._values.get("repositories", lambda: {entry["key"] for entry in queries.list_repositories(artifact)})


class ManagedPolicy:
    """The policy that a task manages.

    :arg shared: shared by all items of a task
    :arg declared: the declared fields, as `form.parse_options` returns them
    """

    def __init__(self, task: Task, artifact: ArtifactService, shared: SharedLists, declared: Fields) -> None:
        self._task, self._artifact, self._shared, self._declared = task, artifact, shared, declared
        self._key: str = task.params["key"]
        self._is_read = False
        self._stored: Record | None = None
        self._current: Fields | None = None
        self._after: Fields = {}

    def find(self) -> Fields | None:
        """Return the fields of the policy, or `None` if it does not exist.

        The first call for an item uses the list of all policies.
        """
        if self._task.params["items"] is None or self._is_read:
            self._stored = policies.find(self._artifact, self._key)
        else:
            self._stored = self._shared.policies(self._artifact).get(self._key)
        self._is_read = True
        self._current = form.read_fields(self._stored) if self._stored else None
        return self._current

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare, with `None` for each property to remove from the criteria."""
        fields = dict(self._declared)
        if before is None:
            return {"enabled": False, **fields}
        if "cron" in fields and is_same_cron(before["cron"], fields["cron"]):
            fields["cron"] = before["cron"]
        if "criteria" in fields:
            removals = {
                name: add_removals(before["criteria"][name], fields["criteria"][name])
                for name in _PROPERTIES
                if name in fields["criteria"]
            }
            fields["criteria"] = form.replace_units(before["criteria"], {**fields["criteria"], **removals})
        return fields

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that the server would refuse, or after which the policy would delete too much.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or does not apply
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            self._check_project_of_deletion(before)
            return
        declared = self._declared.get("criteria", {})
        if before is None:
            for option in _REQUIRED:
                if not declared.get(option):
                    raise BadOption(
                        f"criteria.{option}", f"is required, because clean-up policy '{self._key}' does not exist"
                    )
        elif "project" in fields:
            raise ToolchainError(
                f"The project of clean-up policy '{self._key}' cannot be changed from '{before['project']}' to "
                f"'{fields['project']}'. Delete the policy and create it again."
            )
        self._after = merge_fields(form.defaults() if before is None else before, fields)
        form.check_conditions(self._after["criteria"], declared)
        if fields != {"enabled": False}:
            self._check_breadth(self._after["criteria"])

    def predict_refusal(self) -> None:
        """Verify that the project and the repositories that the task adds exist.

        :raises BadOption: if one does not exist
        """
        if self._task.params["state"] == "absent" or self._task.predicts_missing:
            return
        project = self._declared.get("project")
        if project and self._current is None and not self._has_project(project):
            raise MissingName("project", f"'{project}' does not exist on this server")
        current = self._current["criteria"]["repositories"] if self._current else ()
        added = set(self._declared.get("criteria", {}).get("repositories", ())) - set(current)
        named = {name for name in added if "*" not in name}
        if named and (missing := sorted(named - self._shared.repositories(self._artifact))):
            raise MissingName("criteria.repositories", f"these repositories do not exist: {', '.join(missing)}")

    def create(self, _fields: Fields) -> None:
        """Create the policy, which is disabled until what the server stores has been verified."""
        policies.create(self._artifact, self._key, form.to_body(self._key, {**self._after, "enabled": False}, None))

    def update(self, changes: Fields) -> None:
        """Disable the policy, replace it, or enable it."""
        enabled = changes.get("enabled")
        if enabled is False and (self._current or {}).get("enabled"):
            policies.set_enabled(self._artifact, self._key, False)
        if changes.keys() - {"enabled"}:
            body = form.to_body(self._key, {**self._after, "enabled": False}, self._stored)
            policies.replace(self._artifact, self._key, body)
        if enabled:
            policies.set_enabled(self._artifact, self._key, True)

    def delete(self) -> None:
        """Delete the policy."""
        policies.delete(self._artifact, self._key)

    def to_result(self, fields: Fields) -> Fields:
        """Return the policy as the module returns it; a predicted one with the values of a new policy."""
        return form.to_result(self._key, merge_fields(form.defaults(), fields))

    def _check_project_of_deletion(self, before: Fields | None) -> None:
        """Refuse to delete a policy of another project.

        :raises ToolchainError: if the task names another project
        """
        declared, current = self._task.params["project"], (before or {}).get("project")
        if declared is not None and current is not None and form.parse_project(declared) != current:
            raise ToolchainError(
                f"Clean-up policy '{self._key}' is not deleted, because its project is '{current}', not '{declared}'."
            )

    def _check_breadth(self, criteria: Fields) -> None:
        reason = form.find_broad_criterion(criteria)
        if reason and not self._task.params["allow_broad_criteria"]:
            raise ToolchainError(
                f"Clean-up policy '{self._key}' was not written: {reason}. Narrow 'criteria', or set "
                "'allow_broad_criteria: true'."
            )

    def _has_project(self, key: str) -> bool:
        """Return whether a project exists, or may exist because the account may not read it."""
        with platform.allow_forbidden():
            return projects.find(self._artifact, key) is not None
        return True
