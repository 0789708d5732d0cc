# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a project."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import (
    environments,
    form,
    lockout,
    ordering,
    platform,
    prediction,
    projects,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects.writer import ProjectWriter
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ToolchainError,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    merge_fields,
    sort_unique,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_NEW_PROJECT = {
    "description": "",
    "soft_limit": False,
    "storage_quota_email_notification": True,
    "storage_quota": form.UNLIMITED,
}
# Parts that a later task can add to a project, because they refer to objects that can be in the project
_ADDED_PARTS = {"members", "repositories", "shared_repositories"}


class ManagedProject:
    """The project that a task manages.

    :arg declared: the declared settings and parts, as `form.parse_options` returns them
    """

    def __init__(self, task: Task, artifact: ArtifactService, declared: Fields) -> None:
        self._task, self._artifact, self._declared = task, artifact, declared
        self._key: str = task.params["key"]
        self._purge: bool = task.params["purge"]
        self._stored: Fields = {}
        self._current: Fields = {}
        self._other_roles: set[str] = set(form.PREDEFINED_ROLES)
        self._missing_shared: list[str] = []
        self._read_only: dict[str, bool] = {}  # declared shared repositories
        self._owners: dict[str, str | None] = {}
        self._attached: list[str] = []
        self._sent: Fields = {}  # all settings, if they were replaced
        self._roles: Fields = {}  # the declared ones with full names of environments
        self._environments: Fields | None = None
        self._writer = ProjectWriter(task, artifact, self._key)

    def find(self) -> Fields | None:
        """Return the project with the declared parts, or `None` if it does not exist."""
        self._current, self._stored, self._environments = {}, {}, None
        record = projects.find(self._artifact, self._key)
        if record is None:
            if self._is_created_earlier:
                return self._predict_new()
            if "shared_repositories" in self._declared:
                self._read_shared()  # for `desired`
            return None
        self._stored = dict(record)
        self._current = projects.parse_settings(record)
        readers = {
            "environments": lambda: projects.read_environments(self._artifact, self._key),
            "roles": self._read_roles,
            "members": self._read_members,
            "repositories": self._read_repositories,
            "shared_repositories": self._read_shared,
        }
        self._current.update({part: read() for part, read in readers.items() if part in self._declared})
        return self._current

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare, with `None` for each entry to remove.

        After a write that replaces settings or a role as a whole, these are all its fields.
        """
        fields = {**self._declared, **self._sent}
        if "roles" in fields:
            existing = (before or {}).get("roles", {})
            self._roles = {name: self._resolve(role, existing.get(name)) for name, role in fields["roles"].items()}
            fields["roles"] = {**self._roles, **self._writer.sent_roles}
        for part in form.PARTS:
            if part in fields and self._purge and part != "shared_repositories":
                fields[part] = {**dict.fromkeys((before or {}).get(part, ())), **fields[part]}
        if "shared_repositories" in fields:
            fields["shared_repositories"] = self._desired_sharing(is_new=before is None)
        return fields

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that the server would refuse, that move a repository, or that lock out the account.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or not supported
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            if not self._task.predicts_missing:  # otherwise an earlier task would delete or detach the repositories
                self._check_content()
            return
        self._check_undeclared(fields)
        if before is None and not fields.get("display_name"):
            raise BadOption("display_name", f"is required, because project '{self._key}' does not exist")
        for name in fields.get("roles", ()):
            if name in self._other_roles:
                raise BadOption("roles", f"'{name}' is a predefined role, which cannot be changed. Choose another name")
        self._check_removed_names(fields)
        for repo, value in fields.get("repositories", {}).items():
            if value:
                self._check_owner(repo)
        self._check_version(fields)
        if before is not None and "members" in fields and not self._task.params["allow_lockout"]:
            lockout.check(
                self._artifact, before["members"], form.select_present({**before["members"], **fields["members"]})
            )
        self._check_references()

    def _check_version(self, fields: Fields) -> None:
        """Refuse fields that the version of the server does not have.

        :raises BadOption: if it cannot share repositories without write access, or does not have a privilege
        :raises ToolchainError: if it has no environments
        """
        is_read_only = any(value and value.get("read_only") for value in fields.get("shared_repositories", {}).values())
        if is_read_only and not self._artifact.supports(features.READ_ONLY_SHARING.since):
            raise BadOption(
                "shared_repositories.read_only", f"requires Artifactory {features.READ_ONLY_SHARING.since} or later"
            )
        may_manage_remote = (fields.get("admin_privileges") or {}).get("manage_remote_repository")
        if may_manage_remote and not self._artifact.supports(features.REMOTE_REPOSITORY_PRIVILEGE.since):
            raise BadOption(
                "admin_privileges.manage_remote_repository",
                f"requires Artifactory {features.REMOTE_REPOSITORY_PRIVILEGE.since} or later",
            )
        if fields.get("environments"):
            editions.check(self._artifact, features.ENVIRONMENTS)

    def _check_undeclared(self, fields: Fields) -> None:
        """Refuse to write a field that the task does not declare again, if it changed after it was sent.

        Another client may have revoked a right in between.

        :raises ToolchainError: if there is such a field
        """
        settings = {name: fields[name] for name in form.SCALARS if name in fields}
        found = [*_list_undeclared(settings, self._declared)]
        for name, role in form.select_present(fields.get("roles", {})).items():
            found += _list_undeclared(role, self._roles.get(name, {}), f"roles.{name}.")
        if found:
            raise ToolchainError(
                f"The server accepted the change, but these fields of project '{self._key}', which the task does not "
                f"declare, have other values now: {join_names(found)}. Another client may have changed them."
            )

    def _check_references(self) -> None:
        """Verify that the users, groups, roles, environments and repositories that the task refers to exist.

        The server would refuse them only after other parts have been written.

        :raises BadOption: if one does not exist
        """
        if self._task.predicts_missing:
            return
        shared = form.select_present(self._declared.get("shared_repositories", {}))
        missing = [repo for repo, owner in self._owners.items() if owner is None]
        prediction.refuse_missing("repositories", "repositories", missing)
        missing = [repo for repo in self._missing_shared if repo in shared]
        prediction.refuse_missing("shared_repositories", "repositories", missing)
        self._predict().check()

    def predict_refusal(self) -> None:
        """Verify that the name of a new project is free. The server refuses another one with the first write.

        :raises BadOption: if another project has it
        """
        if self._task.params["state"] == "present" and not self._task.predicts_missing and not self._current:
            self._predict().check_display_name()

    def _predict(self) -> prediction.ProjectPrediction:
        declared = {**self._declared, "roles": self._roles}
        return prediction.ProjectPrediction(
            self._artifact, self._key, declared, self._current, self._other_roles, self._list_environments
        )

    def create(self, fields: Fields) -> None:
        """Create the project, then its parts."""
        self._writer.create(_to_settings(fields, {}))
        self._writer.open_access(ordering.split(fields, {}).opening, {}, self._moved)

    def update(self, fields: Fields) -> None:
        """Write the entries of parts that lose something, the settings, and the entries that gain something."""
        closing, opening = ordering.split(fields, self._current)
        self._writer.close_access(closing, self._current)
        if any(name in fields for name in form.SCALARS):
            self._replace_settings(fields)
        self._writer.open_access(opening, self._current, self._moved)

    def delete(self) -> None:
        """Detach the repositories of the project and delete it."""
        self._writer.delete(self._attached)

    def to_result(self, project: Fields) -> Fields:
        """Return the project as the module returns it; a predicted one with the values of a new project."""
        complete = {**_NEW_PROJECT, **project}
        complete["admin_privileges"] = {**dict.fromkeys(form.PRIVILEGES), **(project.get("admin_privileges") or {})}
        if (roles := complete.get("roles")) is not None:
            complete["roles"] = {name: {**form.NEW_ROLE, **role} for name, role in roles.items()}
        return form.to_result(self._key, complete)

    def _replace_settings(self, fields: Fields) -> None:
        """Replace the settings, based on what they are now: another client may have changed some of them."""
        record = projects.find(self._artifact, self._key)
        stored = {name: value for name, value in (record or self._stored).items() if value is not None}
        current = self._current if record is None else projects.parse_settings(record)
        changes = {name: fields[name] for name in form.SCALARS if name in fields}
        self._sent = merge_fields({name: current[name] for name in form.SCALARS}, changes)
        self._writer.replace_settings({**stored, **_to_settings(fields, stored)})

    @property
    def _moved(self) -> set[str]:
        """The declared repositories that are attached to another project."""
        return {repo for repo, owner in self._owners.items() if owner not in (None, "", self._key)}

    @property
    def _is_created_earlier(self) -> bool:
        """Whether check mode assumes that an earlier task creates the project, to which this one only adds parts."""
        is_addition = self._task.params["state"] == "present" and self._declared.keys() <= _ADDED_PARTS
        return self._task.predicts_missing and is_addition

    def _predict_new(self) -> Fields:
        """Return the parts of the project as an earlier task creates it, if the server supports the declared ones."""
        parts: Fields = {part: {} for part in self._declared}
        if "shared_repositories" in parts:
            parts["shared_repositories"] = self._read_shared()
        return parts

    def _read_roles(self) -> Fields:
        roles, self._other_roles = projects.read_roles(self._artifact, self._key)
        return roles

    def _read_members(self) -> Fields:
        """Return the members, with the declared spelling of groups, whose names the server stores in lower case."""
        spellings = {name.lower(): name for name in self._declared["members"]}
        found = projects.read_members(self._artifact, self._key)
        return {spellings.get(name.lower(), name): roles for name, roles in found.items()}

    def _read_repositories(self) -> Fields:
        """Return the attached repositories. Others in the list of the project would not be detached."""
        found = projects.read_repositories(self._artifact, self._key)
        if not self._purge:
            return found
        declared = self._declared["repositories"]
        return {
            repo: True for repo in found if repo in declared or projects.find_owner(self._artifact, repo) == self._key
        }

    def _read_shared(self) -> Fields:
        shared: Fields = {}
        self._missing_shared, self._read_only = [], {}
        for repo in self._declared["shared_repositories"]:
            sharing = projects.find_sharing(self._artifact, repo)
            if sharing is None:
                self._missing_shared.append(repo)
                continue
            self._read_only[repo] = bool(sharing.maybe_flag("shared_read_only"))
            if self._key in sharing.maybe_texts("shared_with_projects"):
                shared[repo] = {"read_only": self._read_only[repo]}
        return shared

    def _desired_sharing(self, is_new: bool) -> Fields:
        """Return how to share the declared repositories. The other projects of a repository keep it as it is."""
        desired: Fields = {}
        for repo, sharing in self._declared["shared_repositories"].items():
            if sharing is not None:
                desired[repo] = {"read_only": self._read_only.get(repo, False), **sharing}
            elif not is_new:
                desired[repo] = None
        return desired

    def _resolve(self, role: Fields, before: Fields | None) -> Fields:
        """Return a role with the full names of environments, whose prefix can be omitted as in `environments`."""
        if "environments" not in role:
            return role
        used = (before or {}).get("environments", ())
        return {**role, "environments": sort_unique(self._find_full_name(name, used) for name in role["environments"])}

    def _find_full_name(self, name: str, used: t.Container[str]) -> str:
        """Return the name of an environment of the project, or the same name if it is a global one.

        :arg used: the current environments of the role
        """
        prefix = f"{self._key}-"
        if name in environments.BUILT_IN or name.startswith(prefix) or name in used:
            return name
        full_name = f"{prefix}{name}"
        if full_name in used or full_name in self._declared.get("environments", ()):
            return full_name
        with platform.allow_forbidden():
            return full_name if full_name in self._list_environments() else name
        return name

    def _list_environments(self) -> Fields:
        """Return the environments of the project, those that the task declares and the existing ones."""
        if self._environments is None:
            existing = self._current.get("environments")
            if existing is None and self._stored:
                existing = projects.read_environments(self._artifact, self._key)
            self._environments = {**(existing or {}), **self._declared.get("environments", {})}
        return self._environments

    def _check_removed_names(self, fields: Fields) -> None:
        """Refuse to remove a role of a declared member, or an environment of a declared role."""
        members, roles = self._declared.get("members", {}).values(), self._roles.values()
        uses = (
            ("members", "roles", {role for names in members for role in names}),
            ("roles", "environments", {name for role in roles for name in role.get("environments", ())}),
        )
        for option, part, used in uses:
            removed = {name for name, value in fields.get(part, {}).items() if value is None}
            for name in sorted(used & removed):
                raise BadOption(option, f"contains '{name}', which 'purge' would remove. Add it to '{part}'")

    def _check_owner(self, repo: str) -> None:
        """Refuse to move a repository of another project, unless the task allows it."""
        owner = self._owners[repo] = projects.find_owner(self._artifact, repo)
        if owner and owner != self._key and not self._task.params["allow_move"]:
            raise ToolchainError(
                f"Repository '{repo}' belongs to project '{owner}'. Set 'allow_move: true' to move it to project "
                f"'{self._key}', or share it with 'shared_repositories'."
            )

    def _check_content(self) -> None:
        """Refuse to delete a project that has repositories, unless the task detaches them."""
        self._attached = sorted(projects.read_repositories(self._artifact, self._key))
        if self._attached and not self._task.params["detach_repositories"]:
            raise ToolchainError(
                f"Cannot delete project '{self._key}': it contains the repositories {join_names(self._attached)}. "
                "Move or delete them, or set 'detach_repositories: true' to keep them without a project."
            )
        self._attached = [repo for repo in self._attached if projects.find_owner(self._artifact, repo) == self._key]


def _to_settings(fields: Fields, stored: Fields) -> Fields:
    """Return settings as the server takes them."""
    settings = {name: fields[name] for name in form.SETTINGS if name in fields}
    if "storage_quota" in fields:
        settings["storage_quota_bytes"] = form.parse_quota(fields["storage_quota"])
    if "admin_privileges" in fields:
        settings["admin_privileges"] = {**(stored.get("admin_privileges") or {}), **fields["admin_privileges"]}
    return settings


def _list_undeclared(fields: Fields, declared: Fields, prefix: str = "") -> t.Iterator[str]:
    """Yield the paths of fields that are not declared."""
    for name, value in fields.items():
        if name not in declared:
            yield f"{prefix}{name}"
        elif isinstance(value, dict) and isinstance(declared[name], dict):
            yield from _list_undeclared(value, declared[name], f"{prefix}{name}.")
