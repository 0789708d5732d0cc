# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of an OIDC provider and its identity mappings."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.projects import platform, projects
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import mappings, oidc, providers
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, add_removals
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import is_selected


class SharedProviders:
    """The providers of a server, requested once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def list_all(self, artifact: ArtifactService) -> dict[str, Record]:
        """Return all providers by name, as they were before this task changed one."""
        return self._values.get("providers", lambda: oidc.list_all(artifact))

    def list_selected(self, task: Task) -> list[str]:
        """Return the names of the providers of the type that the task names."""
        found = {name: providers.read_fields(record) for name, record in self.list_all(ArtifactService(task)).items()}
        return [name for name, fields in found.items() if is_selected(task, provider_type=fields["provider_type"])]


class ManagedProvider:
    """The provider that a task manages.

    :arg shared: shared by all items of a task
    :arg declared: the declared fields, as `providers.parse_options` returns them
    """

    def __init__(self, task: Task, artifact: ArtifactService, shared: SharedProviders, declared: Fields) -> None:
        self._task, self._artifact, self._shared, self._declared = task, artifact, shared, declared
        self._name: str = task.params["name"]
        self._is_read = False
        self._stored: Fields = {}
        self._mappings: dict[str, Record] = {}
        self._projects: dict[str, str] = {}  # of the mappings

    def find(self) -> Fields | None:
        """Return the fields of the provider, or `None` if it does not exist. After the first call, read it again."""
        record = self._find_record()
        self._is_read = True
        self._stored, self._mappings, self._projects = {}, {}, {}
        if record is None:
            return None
        self._stored = dict(record)
        fields = providers.read_fields(record)
        if providers.MAPPINGS in self._declared:
            self._read_mappings(fields["project"])
            fields[providers.MAPPINGS] = {name: mappings.read_fields(entry) for name, entry in self._mappings.items()}
        return fields

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare, with `None` for each mapping to remove."""
        if providers.MAPPINGS not in self._declared:
            return self._declared
        existing: Fields = (before or {}).get(providers.MAPPINGS, {})
        declared = {
            name: mappings.desired_mapping(existing.get(name), mapping)
            for name, mapping in self._declared[providers.MAPPINGS].items()
        }
        removals = add_removals(existing, declared) if self._task.params["purge"] else declared
        return {**self._declared, providers.MAPPINGS: removals}

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that the server would refuse, and mappings that are not safe.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or does not apply
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            return
        if before is None:
            for option in providers.REQUIRED:
                if option not in fields:
                    raise BadOption(option, f"is required, because OIDC provider '{self._name}' does not exist")
        else:
            for option in providers.FIXED:
                if option in fields:
                    raise ToolchainError(
                        f"The option '{option}' of OIDC provider '{self._name}' cannot be changed from "
                        f"'{before[option]}' to '{fields[option]}'. Delete the provider and create it again."
                    )
            providers.check_type(fields, before["provider_type"])
        self._warn_of_slash(fields)
        provider = {**(before or {}), **fields}
        for name, changes in fields.get(providers.MAPPINGS, {}).items():
            if changes is not None:
                self._check_mapping(name, (before or {}).get(providers.MAPPINGS, {}).get(name), changes, provider)
        if before is not None and fields.keys() & providers.LIMITS:
            self._check_unchanged_mappings(before, fields, provider)

    def _warn_of_slash(self, fields: Fields) -> None:
        if fields.get("issuer_url", "").endswith("/"):
            self._task.warn(
                "Option 'issuer_url': ends with '/', so Artifactory may be unable to read the keys of the provider. "
                "Remove the slash, unless the issuer in the tokens ends with it."
            )

    def predict_refusal(self) -> None:
        """Verify that the project of a new provider exists.

        :raises BadOption: if it does not exist
        """
        project = self._declared.get("project")
        if self._stored or not project or self._task.predicts_missing:
            return
        with platform.allow_forbidden():
            if projects.find(self._artifact, project) is None:
                raise MissingName("project", f"'{project}' does not exist on this server")

    def create(self, fields: Fields) -> None:
        """Create the provider, then its mappings."""
        oidc.create(self._artifact, providers.to_body(self._name, fields, {}))
        self._write_mappings(fields, fields.get("project", ""))

    def update(self, fields: Fields) -> None:
        """Remove and narrow mappings, replace the provider, then write the other mappings that differ."""
        project = str(self._stored.get("project_key") or "")
        written: Fields = {}
        narrowed: Fields = {}
        for name, changes in fields.get(providers.MAPPINGS, {}).items():
            if changes is None:
                oidc.delete_mapping(self._artifact, self._name, self._projects[name], name)
                continue
            record = self._mappings.get(name)
            is_narrowed = record is not None and mappings.narrows(mappings.read_fields(record), changes)
            (narrowed if is_narrowed else written)[name] = changes
        self._write_mappings({providers.MAPPINGS: narrowed}, project)
        if fields.keys() - {providers.MAPPINGS}:
            oidc.replace(self._artifact, self._name, providers.to_body(self._name, fields, self._stored))
        self._write_mappings({providers.MAPPINGS: written}, project)

    def delete(self) -> None:
        """Delete the provider."""
        oidc.delete(self._artifact, self._name)

    def to_result(self, fields: Fields) -> Fields:
        """Return the provider as the module returns it; a predicted one with the values of a new provider."""
        return providers.to_result(self._name, fields)

    def _find_record(self) -> Record | None:
        if self._task.params["items"] is None or self._is_read:
            return oidc.find(self._artifact, self._name)
        record = self._shared.list_all(self._artifact).get(self._name)
        if record is None or self._task.params["state"] == "absent" or providers.is_complete(record, self._declared):
            return record
        return oidc.find(self._artifact, self._name)

    def _read_mappings(self, project: str) -> None:
        """Read the mappings of the provider, and those of the projects whose roles declared mappings grant."""
        declared = self._declared[providers.MAPPINGS].values()
        granted = {mappings.find_project(mapping.get("scope", "")) for mapping in declared}
        for key in (project, *sorted(granted - {"", project})):
            for record in oidc.list_mappings(self._artifact, self._name, key):
                name = record.text("name")
                if name not in self._mappings:
                    self._mappings[name] = record
                    self._projects[name] = record.maybe_text("project_key") or key

    def _check_mapping(self, name: str, before: Fields | None, changes: Fields, provider: Fields) -> None:
        if before is None:
            for field in mappings.REQUIRED:
                if field not in changes:
                    raise BadOption(
                        providers.MAPPINGS, f"'{name}' requires '{field}', because the mapping does not exist"
                    )
        mapping = {**mappings.NEW_MAPPING, **(before or {}), **changes}
        mappings.check_complete(name, mapping)
        params = self._task.params
        option = self._name_option(name)
        editions.check_options(self._artifact, features.OIDC_MAPPING_OPTIONS, changes, option)
        mappings.check_safety(option, mapping, params["allow_any_token"], params["allow_admin_scope"])
        if self._must_name_owner(provider):
            mappings.check_owner(option, mapping, provider["issuer_url"])

    def _check_unchanged_mappings(self, before: Fields, fields: Fields, provider: Fields) -> None:
        """Refuse to accept tokens of more organizations if mappings that do not change name no owner."""
        if not self._must_name_owner(provider):
            return
        existing = before.get(providers.MAPPINGS)
        if existing is None:
            records = oidc.list_mappings(self._artifact, self._name, before["project"])
            existing = {record.text("name"): mappings.read_fields(record) for record in records}
        for name in existing.keys() - fields.get(providers.MAPPINGS, {}).keys():
            mappings.check_owner(self._name_option(name), existing[name], provider["issuer_url"])

    def _must_name_owner(self, provider: Fields) -> bool:
        """Return whether mappings must name the owner of the pipelines, because anybody can get tokens."""
        is_limited = providers.is_limited_to_organization(provider) or self._task.params["allow_any_token"]
        return not is_limited and mappings.is_public(provider["issuer_url"])

    def _name_option(self, name: str) -> str:
        """Return the suboption of a mapping, with its name if it is not declared."""
        declared = list(self._declared.get(providers.MAPPINGS, ()))
        return f"{providers.MAPPINGS}[{declared.index(name) if name in declared else repr(name)}]"

    def _find_audience(self, name: str) -> str | None:
        """Return the audience of a mapping as the task declares it."""
        entries = self._task.params[providers.MAPPINGS] or ()
        return next((entry["audience"] for entry in entries if entry["name"] == name), None)

    def _write_mappings(self, fields: Fields, project: str) -> None:
        """Replace the mappings that differ, then create the missing ones."""
        written = {name: changes for name, changes in fields.get(providers.MAPPINGS, {}).items() if changes is not None}
        for name in sorted(written, key=lambda name: name not in self._mappings):
            record = self._mappings.get(name)
            before = None if record is None else mappings.read_fields(record)
            mapping = {**mappings.NEW_MAPPING, **(before or {}), **written[name]}
            body = mappings.to_body(self._name, name, mapping, dict(record or {}), self._find_audience(name))
            if record is None:
                own_project = mappings.find_project(mapping["scope"]) or project
                oidc.create_mapping(self._artifact, self._name, own_project, body)
            else:
                oidc.replace_mapping(self._artifact, self._name, self._projects[name], body)
