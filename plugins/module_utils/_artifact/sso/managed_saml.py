# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a SAML setting."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import realm_lockout
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import saml
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_REALM = "saml"


class SharedSettings:
    """The settings of a server, requested once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def list_all(self, artifact: ArtifactService) -> dict[str, Record]:
        """Return all settings by name, as they were before this task changed one."""
        return self._values.get("settings", lambda: saml.list_all(artifact))


class ManagedSetting:
    """The setting that a task manages.

    :arg shared: shared by all items of a task
    :arg declared: the declared fields, as `saml.parse_options` returns them
    """

    def __init__(self, task: Task, artifact: ArtifactService, shared: SharedSettings, declared: Fields) -> None:
        self._task, self._artifact, self._shared = task, artifact, shared
        self._name: str = task.params["name"]
        self._allow_lockout: bool = task.params["allow_lockout"]
        self._is_single: bool = task.params["items"] is None
        self._is_read = False
        self._may_disable = False
        self._stored: Fields = {}
        self.desired = declared

    def find(self) -> Fields | None:
        """Return the fields of the setting, or `None` if it does not exist. After the first call, read it again."""
        if self._is_single or self._is_read:
            record = saml.find(self._artifact, self._name)
        else:
            record = self._shared.list_all(self._artifact).get(self._name)
        self._is_read = True
        self._stored = {} if record is None else dict(record)
        return None if record is None else saml.read_fields(record)

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that the server would refuse, and that lock out the account of the task.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or not supported
        :raises ToolchainError: if the change is refused
        """
        if fields is not None:
            if before is None:
                for option in saml.REQUIRED:
                    if option not in fields:
                        raise BadOption(option, f"is required, because the SAML setting '{self._name}' does not exist")
            if fields.get(saml.LDAP_GROUPS) and not self._artifact.supports(features.SAML_LDAP_GROUPS.since):
                raise BadOption(saml.LDAP_GROUPS, f"requires Artifactory {features.SAML_LDAP_GROUPS.since} or later")
        is_disabled = fields is None or fields.get("enabled") is False
        is_safe = self._allow_lockout or self._may_disable
        if before is not None and before["enabled"] and is_disabled and not is_safe:
            realm_lockout.check(self._artifact, _REALM)
        if before and before["sync_groups"] and (fields or {}).get("sync_groups") is False and not self._allow_lockout:
            realm_lockout.check_groups(self._artifact, _REALM)

    def may_disable(self, _fields: Fields) -> bool:
        """Return whether the setting can be disabled while it is changed, without locking out the account."""
        title = f"SAML setting '{self._name}'"
        self._may_disable = bool(self._stored) and realm_lockout.may_disable(self._task, self._artifact, _REALM, title)
        return self._may_disable

    def create(self, fields: Fields) -> None:
        """Create the setting."""
        saml.create(self._artifact, saml.to_body(self._name, fields, {}))

    def update(self, fields: Fields) -> None:
        """Replace the setting."""
        saml.replace(self._artifact, self._name, saml.to_body(self._name, fields, self._stored))

    def delete(self) -> None:
        """Delete the setting."""
        saml.delete(self._artifact, self._name)

    def to_result(self, fields: Fields) -> Fields:
        """Return the setting as the module returns it; a predicted one with the values of a new setting."""
        return saml.to_result(self._name, fields)
