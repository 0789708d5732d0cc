# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prediction of refusals in check mode: names in a project that do not exist, or exist already."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import groups, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import (
    environments,
    form,
    platform,
    projects,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName, join_names
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields


class ProjectPrediction:
    """Predicts whether Artifactory accepts a project. What the account may not read is not verified.

    :arg declared: the declared settings and parts
    :arg current: the existing ones, empty for a new project
    :arg other_roles: names of the roles that are not custom
    :arg list_environments: returns the environments that the project has or will have
    """

    def __init__(
        self,
        artifact: ArtifactService,
        key: str,
        declared: Fields,
        current: Fields,
        other_roles: set[str],
        list_environments: t.Callable[[], t.Iterable[str]],
    ) -> None:
        self._artifact, self._key = artifact, key
        self._declared, self._current, self._other_roles = declared, current, other_roles
        self._list_environments = list_environments

    def check(self) -> None:
        """Verify that a new display name is free, and that users, groups, roles and environments exist.

        :raises BadOption: if Artifactory would refuse the change
        """
        if self._current:
            self.check_display_name()
        members = self._find_changed("members")
        added = members.keys() - self._current.get("members", {}).keys()
        for kind, find_missing in (("users", users.find_missing), ("groups", groups.find_missing)):
            names = [name.partition("/")[2] for name in members if name in added and name.startswith(kind)]
            with platform.allow_forbidden():
                refuse_missing("members", kind, find_missing(self._artifact, names) if names else [])
        if used := {role for roles in members.values() for role in roles} - set(form.PREDEFINED_ROLES):
            refuse_missing("members", "roles", used - self._list_roles())
        roles = self._find_changed("roles").values()
        if used := {name for role in roles for name in role.get("environments", ())} - set(environments.BUILT_IN):
            with platform.allow_forbidden():
                existing = {*environments.list_names(self._artifact), *self._list_environments()}
                refuse_missing("roles", "environments", used - existing)

    def check_display_name(self) -> None:
        """Verify that no other project has the display name.

        :raises BadOption: if one has it
        """
        name = self._declared.get("display_name")
        if name in (None, self._current.get("display_name")):
            return
        for other in projects.list_all(self._artifact):
            if other.maybe_text("display_name") == name and other.text("project_key") != self._key:
                raise BadOption("display_name", f"'{name}' is the name of project '{other.text('project_key')}'")

    def _find_changed(self, part: str) -> Fields:
        """Return the declared entries of a part that differ from the current ones."""
        current = self._current.get(part, {})
        return {name: value for name, value in self._declared.get(part, {}).items() if current.get(name) != value}

    def _list_roles(self) -> set[str]:
        """Return the names of the roles that the project has or will have."""
        names = {*self._declared.get("roles", ()), *self._current.get("roles", ()), *self._other_roles}
        if self._current and "roles" not in self._current:
            roles, others = projects.read_roles(self._artifact, self._key)
            names |= {*roles, *others}
        return names


def refuse_missing(option: str, kind: str, missing: t.Collection[str]) -> None:
    """Refuse names of objects that do not exist.

    :arg kind: what the names are, such as `users`
    :raises BadOption: if there are such names
    """
    if missing:
        raise MissingName(option, f"these {kind} do not exist: {join_names(missing)}")
