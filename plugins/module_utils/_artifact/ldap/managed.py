# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of an LDAP setting and its group settings."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import realm_lockout
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.ldap import form, settings
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ToolchainError,
    UnexpectedResponse,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import inherit_options
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    add_removals,
    find_differences,
    recover_write,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

_REALM = "ldap"


class SharedLists:
    """Lists of existing objects, each requested once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def get(self, artifact: ArtifactService, kind: settings.Kind) -> dict[str, Record]:
        """Return all objects of a kind by key, as they were before this task changed one."""
        return self._values.get(kind.address, lambda: settings.list_all(artifact, kind))


class ManagedSetting:
    """The LDAP setting that a task manages.

    :arg shared: shared by all items of a task
    :arg declared: the declared fields, as `form.parse_options` returns them
    """

    def __init__(self, task: Task, artifact: ArtifactService, shared: SharedLists, declared: Fields) -> None:
        self._task, self._artifact, self._shared, self._declared = task, artifact, shared, declared
        self._key: str = task.params["key"]
        self._is_read = False
        self._may_disable = False
        self._stored: Record | None = None
        self._stored_groups: dict[str, Record] = {}
        self._current: Fields = {}
        self._groups: Fields = {}
        self._password: str | None = None
        update = "always" if task.params["update_secret"] == "always" else "verify"
        # a change of another field replaces the whole setting, so it sends the password
        self.secrets = WriteOnlySecrets([form.PASSWORD], update, self._is_unchanged)

    def find(self) -> Fields | None:
        """Return the fields of the setting, or `None` if it does not exist.

        It has `groups` if they are declared, or if the setting should not exist. The first call for an item uses the
        lists of all objects.
        """
        is_listed = self._task.params["items"] is not None and not self._is_read
        self._is_read = True
        if is_listed:
            self._stored = self._shared.get(self._artifact, settings.SETTING).get(self._key)
        else:
            self._stored = settings.find(self._artifact, settings.SETTING, self._key)
        is_deleted = self._stored is not None and self._task.params["state"] == "absent"
        has_groups = is_deleted or "groups" in self._declared
        self._stored_groups, self._groups = {}, {}
        self._current = {} if self._stored is None else form.read_setting(self._task, self._stored)
        if self._current.get("search_filter") == "":
            self._current["search_sub_tree"] = True  # the server may not store it without a filter
        if has_groups:
            self._read_groups(is_listed)
        if self._stored is None:
            return None
        return {**self._current, **({"groups": self._groups} if has_groups else {})}

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare, with `None` for each group setting to remove."""
        fields = dict(self._declared)
        if "search_filter" in fields and not fields["search_filter"]:
            fields.update(dict.fromkeys(form.SEARCH_TEXTS, ""))
        if not {**(before or {}), **fields}.get("search_filter"):
            fields.pop("search_sub_tree", None)
            if before and not before["search_sub_tree"]:
                fields["search_sub_tree"] = True
        if "groups" in fields and self._task.params["purge"]:
            fields["groups"] = add_removals(self._groups, fields["groups"])
        return fields

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that the server would refuse, that destroy the password, or that lock out the account.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or does not apply
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            self._check_deletion()
        else:
            changes = _select_scalars(fields)
            if before is None and "ldap_url" not in changes:
                raise BadOption("ldap_url", f"is required, because LDAP setting '{self._key}' does not exist")
            if before is None or changes:
                self._check_login({**form.NEW_SETTING, **(before or {}), **changes})
                self._password = self._resolve_password(before or {}, changes)
            for name, group in fields.get("groups", {}).items():
                if group is not None:
                    self._check_group(name, group)
        if before and not self._task.params["allow_lockout"]:
            self._check_lockout(before, fields)

    def _check_lockout(self, before: Fields, fields: Fields | None) -> None:
        is_disabled = fields is None or fields.get("enabled") is False
        if before["enabled"] and is_disabled and not self._may_disable:
            realm_lockout.check(self._artifact, _REALM)
        elif any(name in self._groups and group is None for name, group in (fields or {}).get("groups", {}).items()):
            realm_lockout.check_groups(self._artifact, _REALM)

    def may_disable(self, fields: Fields) -> bool:
        """Return whether the setting can be disabled while it is changed, without locking out the account."""
        title = f"LDAP setting '{self._key}'"
        is_replaced = self._stored is not None and bool(_select_scalars(fields))
        self._may_disable = is_replaced and realm_lockout.may_disable(self._task, self._artifact, _REALM, title)
        return self._may_disable

    def create(self, fields: Fields) -> None:
        """Delete group settings that have no setting, create the setting, then its group settings."""
        self._delete_groups(fields)
        merged = {**form.NEW_SETTING, **_select_scalars(fields)}
        body = form.to_body(self._key, merged, self._password, None)
        settings.create(self._artifact, settings.SETTING, body)
        self._write_groups(fields)

    def update(self, fields: Fields) -> None:
        """Delete group settings, replace the setting if one of its fields differs, and write other group settings."""
        self._delete_groups(fields)
        if changes := _select_scalars(fields):
            body = form.to_body(self._key, {**self._current, **changes}, self._password, self._stored)
            settings.replace(self._artifact, settings.SETTING, body)
        self._write_groups(fields)

    def delete(self) -> None:
        """Delete the group settings of the setting, then the setting.

        :raises UnexpectedResponse: if a group setting still exists. Later runs would not find it without the setting
        """
        groups = list(self._groups)
        for name in groups:
            self._delete_group(name)
        if groups:
            self._read_groups(is_listed=False)
        if self._groups:
            raise UnexpectedResponse(
                f"LDAP setting '{self._key}' was not deleted, because the group settings {join_names(self._groups)} "
                "still exist. Run the task again."
            )
        settings.delete(self._artifact, settings.SETTING, self._key, may_be_missing=bool(groups))
        if groups:  # another client may have created some before the setting was deleted
            self._read_groups(is_listed=False)
            for name in self._groups:
                settings.delete(self._artifact, settings.GROUP, name, may_be_missing=True)

    def to_result(self, fields: Fields) -> Fields:
        """Return the setting as the module returns it; a predicted one with the values of a new setting."""
        completed = {**form.NEW_SETTING, **fields}
        if "groups" in fields:
            completed["groups"] = {name: {**form.NEW_GROUP, **group} for name, group in fields["groups"].items()}
        return form.to_result(self._key, completed)

    def _is_unchanged(self) -> bool:
        """Return whether the setting itself does not change. Group settings are separate objects."""
        declared = self.secrets.strip(_select_scalars(self.desired(self._current or None)))
        return not find_differences(self._current, declared)

    def _check_deletion(self) -> None:
        """Refuse to delete a setting with group settings, unless the task deletes them as well."""
        if self._groups and not self._task.params["purge"]:
            raise ToolchainError(
                f"Cannot delete LDAP setting '{self._key}': it has the group settings {join_names(self._groups)}. "
                "Set 'purge: true' to delete them as well."
            )

    def _read_groups(self, is_listed: bool) -> None:
        """Read the group settings of the setting, and the declared ones of others.

        :arg is_listed: whether to use the list that all items share
        """
        read = self._shared.get if is_listed else settings.list_all
        self._stored_groups = read(self._artifact, settings.GROUP)
        groups = {name: form.read_group(record) for name, record in self._stored_groups.items()}
        declared = self._declared.get("groups", ())
        self._groups = {name: group for name, group in groups.items() if group["ldap"] == self._key or name in declared}

    def _check_login(self, after: Fields) -> None:
        """Refuse a setting that permits no login, or options that have no effect."""
        if after.get(form.PASSWORD) and not after["manager_dn"]:
            raise BadOption(form.PASSWORD, "requires 'manager_dn'")
        if after["search_filter"]:
            return
        if not after["user_dn_pattern"]:
            raise BadOption("user_dn_pattern", "is required without 'search_filter'")
        for option in form.SEARCH_TEXTS:
            if after[option]:
                raise BadOption(option, "requires 'search_filter'")

    def _check_group(self, name: str, changes: Fields) -> None:
        """Refuse to write a group setting that belongs to another LDAP setting, or that is incomplete."""
        current = self._groups.get(name)
        if current is None:
            for option in form.REQUIRED_OF_GROUP:
                if not changes.get(option):
                    raise BadOption(f"groups.{option}", f"is required, because group setting '{name}' does not exist")
        elif current["ldap"] not in ("", self._key):
            raise ToolchainError(
                f"Group setting '{name}' belongs to LDAP setting '{current['ldap']}'. Use another name, or delete it "
                "there first."
            )
        elif changes.get("sub_tree") and current["strategy"] == form.HIERARCHICAL and "strategy" not in changes:
            raise BadOption(
                "groups.sub_tree", f"must be false, because group setting '{name}' has the strategy 'hierarchical'"
            )

    def _resolve_password(self, before: Fields, changes: Fields) -> str | None:
        """Return the password to send. A request without it could delete the stored one, which is not returned."""
        declared: str | None = self._declared.get(form.PASSWORD)
        if declared is not None or not {**before, **changes}.get("manager_dn"):
            return declared
        if not before.get("manager_dn"):
            raise BadOption(form.PASSWORD, "is required with 'manager_dn'. Set an empty string if it has none")
        raise BadOption(
            form.PASSWORD,
            f"is required to change LDAP setting '{self._key}': Artifactory replaces the whole setting, but does not "
            "return its password. Set an empty string if it has none",
        )

    def _write_groups(self, fields: Fields) -> None:
        groups: Fields = fields.get("groups", {})
        for name, changes in sorted(groups.items(), key=lambda entry: entry[0] not in self._stored_groups):
            if changes is not None:
                stored = self._stored_groups.get(name)
                group = {**form.NEW_GROUP, **self._groups.get(name, {}), **changes, "ldap": self._key}
                write = settings.replace if stored is not None else settings.create
                write(self._artifact, settings.GROUP, form.to_group_body(name, group, stored))

    def _delete_group(self, name: str) -> None:
        """Delete a group setting. If the response is lost, the list of group settings decides."""
        recover_write(
            self._task,
            lambda: settings.delete(self._artifact, settings.GROUP, name, may_be_missing=True),
            lambda: None if name in settings.list_all(self._artifact, settings.GROUP) else True,
        )

    def _delete_groups(self, fields: Fields) -> None:
        for name, group in fields.get("groups", {}).items():
            if group is None:
                settings.delete(self._artifact, settings.GROUP, name, may_be_missing=True)


def check_unique_groups(task: Task, items: t.Iterable[Item]) -> None:
    """Verify that no group setting is declared by two items.

    :raises BadOption: if one is
    """
    owners: dict[str, str] = {}
    for index, item in enumerate(items):
        params = inherit_options(task.params, item)
        for group in (params["groups"] or ()) if params["state"] == "present" else ():
            owner = owners.setdefault(group["name"], params["key"])
            if owner != params["key"]:
                raise BadOption(f"items[{index}].groups", f"'{group['name']}' is already declared for '{owner}'")


def _select_scalars(fields: Fields) -> Fields:
    """Return the fields of the setting itself, which one request writes."""
    return {name: value for name, value in fields.items() if name != "groups"}
