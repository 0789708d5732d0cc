# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One repository: its current and desired fields, and its writes."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects.environments import BUILT_IN
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import (
    batches,
    content,
    members,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.configurations import (
    find_configuration,
    own_url,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.options import desired_fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.prediction import (
    check_new_key,
    check_references,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.provisioning import (
    Provisioning,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.virtuals import (
    check_not_contained,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

# Artifactory ignores an empty default deployment repository, and forgets one that does not exist
_NO_DEPLOYMENT = "no-default-deployment-repository"
# Members that a new repository has only with a value
_OMITTED_IF_EMPTY = ("defaultDeploymentRepo", "projectKey")
_FIXED = {
    "type": "class",
    "package_type": "package type",
    "terraform_type": "Terraform type",
}


class Repository:
    """A repository of a task or of one of its items.

    :arg provisioning: shared by all items of a task
    """

    def __init__(self, task: Task, provisioning: Provisioning) -> None:
        self._task = task
        self._artifact = ArtifactService(task)
        self._shared = provisioning
        self._key: str = task.params["key"]
        self._is_absent = task.params["state"] == "absent"
        self._options: Fields = {} if self._is_absent else desired_fields(task.params)
        self._own_member = self._take_own_member()
        self._generation: int | None = None
        self._has_own_write = False
        self._current: Fields | None = None
        self._pending: Fields | None = None

    def reconcile(self) -> None:
        """Create, update or delete the repository."""
        reconcile(
            self._task,
            "repository",
            read=self._read,
            desired=self._desired,
            create=self._create,
            update=self._update,
            delete=self._delete,
            check=self._check,
            predict_refusal=self._predict_refusal,
            to_result=members.to_result,
            secrets=WriteOnlySecrets(members.SECRETS, self._task.params["update_secret"]),
        )

    def _read(self) -> Fields | None:
        if self._has_own_write or not self._shared.has_snapshot:
            self._current = find_configuration(self._artifact, self._key)
        else:
            self._generation, self._current = self._shared.find(self._key, self._generation)
        return self._current

    def _desired(self, current: Fields | None) -> Fields:
        fields = dict(self._options)
        if current is None:
            fields.setdefault("layout", members.layout_for(fields))
            return fields
        enabled = fields.get("external_dependencies_enabled", current.get("external_dependencies_enabled"))
        if enabled and fields.get("external_dependencies_patterns") == []:
            fields["external_dependencies_patterns"] = ["**"]  # as the server stores it
        if "members" in fields:
            fields["members"] = self._add_own_member(fields["members"], current)
        return fields

    def _take_own_member(self) -> list[Fields]:
        """Remove the repository itself from its declared federated members, which are compared without it."""
        url = own_url(self._artifact, self._key)
        declared = self._options.get("members") or []
        own = [member for member in declared if member["enabled"] and members.is_same_url(member["url"], url)]
        if own:
            self._options["members"] = [member for member in declared if member not in own]
        return own

    def _add_own_member(self, desired: list[Fields], current: Fields) -> list[Fields]:
        """Return the desired federated members with the own one, if the server lists it under another address.

        The server adds itself with its base URL, which can differ from the URL of the connection.
        """
        urls = {member["url"] for member in desired}
        others = [member for member in current["members"] if member["url"] not in urls]
        own = [member for member in others if member["url"].endswith(f"/{self._key}")]
        has_own = current["is_own_listed"] or len(others) > len(own[:1])
        return desired if has_own else members.normalize("members", [*desired, *own[:1]])

    def _create(self, fields: Fields) -> None:
        body = members.restore_order(members.to_members(fields, None), self._task.params)
        body = {name: value for name, value in body.items() if value != "" or name not in _OMITTED_IF_EMPTY}
        self._send("create", body, fields)

    def _update(self, fields: Fields) -> None:
        body = members.restore_order(members.to_members(fields, self._current), self._task.params)
        if body.get("defaultDeploymentRepo") == "":
            body["defaultDeploymentRepo"] = _NO_DEPLOYMENT
        self._send("update", body, fields)

    def _delete(self) -> None:
        current = self._current or {}
        self._send("delete", {"repositories": current.get("repositories") or []}, {})

    def _send(self, kind: str, body: Fields, fields: Fields) -> None:
        current = self._current or self._options
        identity = {"key": self._key, "rclass": current["type"], "packageType": current["package_type"]}
        if "members" in body:
            body = {**body, "members": [*self._own_member, *body["members"]]}
        write = batches.Write(kind, self._key, {**identity, **body}, fields)
        if self._shared.claim(self._task, write):
            return
        self._has_own_write = True
        batches.send(self._artifact, write)

    def _check(self, before: Fields | None, fields: Fields | None) -> None:
        self._pending = fields
        if not self._shared.has_outcome(self._key):
            self._check_change(before, fields)
            self._check_features(before, fields or {})

    def _check_change(self, before: Fields | None, fields: Fields | None) -> None:
        if before is None:
            return
        if fields is None:
            check_not_contained(self._task, self._artifact, self._shared, self._key)
            if not self._task.params["allow_delete_content"]:
                content.check_empty(self._artifact, self._key, before["type"])
            return
        for option, name in _FIXED.items():
            if option in fields:
                raise ToolchainError(
                    f"The {name} of repository '{self._key}' cannot be changed from '{before[option]}' to "
                    f"'{fields[option]}'. Create another repository, move the artifacts, and delete this one."
                )
        if "project" in fields:
            raise ToolchainError(
                f"Repository '{self._key}' exists already and is "
                + (f"in project '{before['project']}'" if before["project"] else "in no project")
                + ". 'project' is only used to create a repository. Assign existing repositories with artifact_project."
            )
        if fields.get("remote_layout") == "":
            raise ToolchainError(
                f"Artifactory cannot remove the remote layout of repository '{self._key}'. Set another one."
            )

    def _check_features(self, before: Fields | None, fields: Fields) -> None:
        """Refuse what the edition or the version of the server lacks.

        :raises BadOption: if it lacks an option
        :raises ToolchainError: if it has no federated repositories
        """
        if (before or fields)["type"] == "federated":
            editions.check(self._artifact, features.FEDERATED_REPOSITORIES)
        editions.check_options(self._artifact, features.REPOSITORY_OPTIONS, fields)
        if environments := set(fields.get("environments") or ()):
            self._check_environments(environments)

    def _check_environments(self, environments: set[str]) -> None:
        """Refuse environments that the version lacks. Before it had others, a repository could have both of them.

        :raises BadOption: if it lacks one
        """
        custom = environments - set(BUILT_IN)
        if custom and (lack := editions.find_lack(self._artifact, features.CUSTOM_ENVIRONMENTS)):
            raise BadOption("environments", f"environment '{min(custom)}' {lack}")
        if len(environments) == 1 or self._artifact.is_older_than(features.CUSTOM_ENVIRONMENTS.since):
            return
        if lack := editions.find_lack(self._artifact, features.SEVERAL_ENVIRONMENTS):
            raise BadOption("environments", f"more than one environment {lack}")

    def _predict_refusal(self) -> None:
        if self._pending is None:
            editions.check(self._artifact, features.REPOSITORY_DELETION)
        else:
            check_references(self._task, self._artifact, self._shared, self._options, self._pending)
            if self._current is None:
                check_new_key(self._artifact, self._shared, self._key)
