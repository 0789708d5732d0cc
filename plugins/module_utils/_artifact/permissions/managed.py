# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a permission."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import groups, users
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions import (
    form,
    lockout,
    permissions,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.permissions.platform import (
    PlatformPermissions,
    is_added,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingName,
    ServerRefusal,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, find_differences
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_CACHE = "-cache"
# Statuses with which a server could refuse to remove something with a request for differences
_UNSUPPORTED = (400, 405)


class SharedLists:
    """Lists of existing objects, each requested once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def repositories(self, artifact: ArtifactService) -> dict[str, str]:
        """Return the classes of all repositories by key, such as `REMOTE`."""
        return self._values.get("repositories", lambda: _list_classes(artifact))

    def names(self, kind: str, artifact: ArtifactService) -> set[str] | None:
        """Return the names of all users or groups, or `None` if the account may not read them."""
        list_names = users.list_names if kind == "users" else groups.list_names

        def read() -> set[str] | None:
            try:
                return set(list_names(artifact))
            except ServerRefusal as refusal:
                if refusal.status in (401, 403):
                    return None
                raise

        return self._values.get(kind, read)


class ManagedPermission:
    """The permission that a task manages.

    :arg declared: the declared resources, as `form.parse_options` returns them
    """

    def __init__(self, task: Task, artifact: ArtifactService, shared: SharedLists, declared: Fields) -> None:
        self._task, self._artifact, self._shared = task, artifact, shared
        self._name: str = task.params["name"]
        self._purge: bool = task.params["purge"]
        self._declared = declared
        self._current: Fields = {}
        self._found: Fields = {}  # in the spelling of the server

    def find(self) -> Fields | None:
        """Return the resources of the permission in the spelling of the task, or `None` if it does not exist."""
        found = permissions.find(self._artifact, self._name)
        self._found = found or {}
        if found is None:
            self._current = {}
            return None
        self._current = {
            option: self._respell(option, resource)
            for option, resource in found.items()
            if option in self._declared or not is_added(option, resource)
        }
        return self._current

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare: of each declared resource the declared members, and what is to be removed."""
        current = before or {}
        fields: Fields = {}
        if self._purge:
            fields = dict.fromkeys(option for option in current if option not in self._declared)
        for option, resource in self._declared.items():
            fields[option] = {
                member: self._desired_members(option, member, current.get(option))
                for member in ("targets", *form.PRINCIPALS)
                if self._purge or member in resource
            }
        return fields

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that the server cannot store, and that lock out the account of the task.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or not supported by the server
        :raises ToolchainError: if the change is refused
        """
        after = {} if fields is None else form.apply(self._current if before is not None else {}, fields)
        api = permissions.get_api(self._artifact)
        if fields is not None:
            self._check_complete(after)
            api.check(self._name, after)
        if before is not None and not self._task.params["allow_lockout"] and not api.is_for_administrators:
            lockout.check(self._artifact, self._current, after)
        if before is not None and fields is not None and len(fields) > 1:
            self.predict_refusal()  # the server could refuse the second of several requests

    def predict_refusal(self) -> None:
        """Verify that the repositories, users and groups that the task adds exist.

        :raises BadOption: if one does not exist
        """
        if self._task.params["state"] == "absent" or self._task.predicts_missing:
            return
        for option, resource in self._declared.items():
            current = self._current.get(option) or {}
            added = {
                member: [name for name, value in names.items() if value and name not in current.get(member, {})]
                for member, names in resource.items()
            }
            if option == "repositories":
                self._check_repositories(added.get("targets", []))
            for kind in form.PRINCIPALS:
                self._check_principals(option, kind, added.get(kind, []))

    def create(self, fields: Fields) -> None:
        """Create the permission."""
        permissions.get_api(self._artifact).create(self._name, form.apply({}, fields))

    def update(self, fields: Fields) -> None:
        """Write the resources that differ, first those of which something is removed.

        Where the API has a request for it, only the differences are written. A resource that is replaced is read again
        immediately before, so that no right comes back that another client removed.
        """
        api = permissions.get_api(self._artifact)
        if isinstance(api, PlatformPermissions):
            for option in sorted(fields, key=lambda option: not self._loses(option, fields[option])):
                self._update_part(api, option, fields[option])
        else:
            if changes := self._compare_again(fields):
                api.update(self._name, form.apply(self._current, changes))

    def delete(self) -> None:
        """Delete the permission."""
        permissions.get_api(self._artifact).delete(self._name)

    def to_result(self, resources: Fields) -> Fields:
        """Return the permission as the module returns it."""
        return form.to_result(self._name, resources)

    def _loses(self, option: str, change: Fields | None) -> bool:
        """Return whether a change of a resource takes an action, a target or a path from somebody."""
        before = self._current.get(option)
        if change is None or before is None:
            return change is None
        return bool(change.get("targets", {}).keys() & before["targets"].keys()) or any(
            not {*before[kind].get(name, ())} <= {*(actions or ())}
            for kind in form.PRINCIPALS
            for name, actions in change.get(kind, {}).items()
        )

    def _update_part(self, api: PlatformPermissions, option: str, change: Fields | None) -> None:
        if change is None:
            api.delete_part(self._name, option)
            return
        if self._can_change(option, change):
            try:
                api.change_part(self._name, option, self._to_stored_names(option, change))
            except ServerRefusal as refusal:
                if refusal.status not in _UNSUPPORTED:
                    raise
            else:
                return
        changes = self._compare_again({option: change})
        if option in changes:
            api.replace_part(self._name, option, form.apply(self._current, changes)[option])

    def _can_change(self, option: str, change: Fields) -> bool:
        """Return whether a request can change the differences of a resource. None can remove a target."""
        targets, found = change.get("targets", {}), self._found.get(option)
        if found is None or None in targets.values():
            return False
        return not targets or found["targets"].keys() == self._current[option]["targets"].keys()

    def _to_stored_names(self, option: str, change: Fields) -> Fields:
        """Return a change with the names of existing groups as the server stores them, and complete patterns."""
        found, after = self._found[option], form.apply(self._current, {option: change})[option]
        spellings = {name.lower(): name for name in found["groups"]}
        named = dict(change)
        if "groups" in change:
            named["groups"] = {
                name if name in found["groups"] else spellings.get(name.lower(), name): actions
                for name, actions in change["groups"].items()
            }
        if "targets" in change:
            named["targets"] = {name: after["targets"][name] for name in change["targets"]}
        return {member: names for member, names in named.items() if names}

    def _compare_again(self, fields: Fields) -> Fields:
        """Read the permission again, and return what still differs of the given resources."""
        self.find()
        differences = find_differences(self._current, self.desired(self._current))
        changes = {option: differences[option] for option in fields if option in differences}
        if changes != fields:
            self.check(self._current, changes)
        return changes

    def _desired_members(self, option: str, member: str, current: Fields | None) -> Fields:
        """Return the desired members of a resource by name, `None` for each member to remove."""
        declared = self._declared[option].get(member, {})
        existing = (current or {}).get(member, {})
        desired = {name: value or None for name, value in declared.items() if value or name in existing}
        return {**dict.fromkeys(existing), **desired} if self._purge else desired

    def _check_complete(self, after: Fields) -> None:
        """Refuse a permission without resources, resources without targets, and builds with several targets.

        :raises BadOption: if an option is missing or has too many targets
        """
        if not after:
            raise BadOption("repositories", f"is required, or another one of {', '.join(form.TYPES)}")
        for option, resource in after.items():
            if not resource["targets"]:
                raise BadOption(f"{option}.targets", f"is required, because permission '{self._name}' has none")
            if option == "builds" and len(resource["targets"]) > 1:
                kept = join_names(sorted(resource["targets"].keys() - self._declared[option]["targets"].keys()))
                raise BadOption(
                    f"{option}.targets",
                    f"must contain only one repository of builds, but permission '{self._name}' has {kept}. To replace "
                    "it, set 'purge: true'",
                )

    def _check_repositories(self, keys: list[str]) -> None:
        missing = []
        for key in keys:
            if key in form.WILDCARDS:
                continue
            existing = self._shared.repositories(self._artifact)
            if key not in existing and not (
                key.endswith(_CACHE) and existing.get(key.removesuffix(_CACHE)) == "REMOTE"
            ):
                missing.append(key)
        if missing:
            problem = f"these repositories do not exist: {join_names(missing)}"
            if wildcards := sorted({wildcard for key in missing if (wildcard := form.find_wildcard(key))}):
                advice = f"Use {join_names(wildcards)} for all repositories of a class"
                raise BadOption("repositories.targets", f"{problem}. {advice}")
            raise MissingName("repositories.targets", problem)

    def _check_principals(self, option: str, kind: str, names: list[str]) -> None:
        checked = [name for name in names if (kind, name) != ("users", users.ANONYMOUS)]
        existing = self._shared.names(kind, self._artifact) if checked else None
        if existing is None:
            return
        if kind == "groups" and permissions.get_api(self._artifact).lowers_groups:
            missing = [name for name in checked if not {name, name.lower()} & existing]
        else:
            missing = [name for name in checked if name not in existing]
        if missing:
            raise MissingName(f"{option}.{kind}", f"these {kind} do not exist: {join_names(missing)}")

    def _respell(self, option: str, resource: Fields) -> Fields:
        """Return an existing resource with the names that the task uses for the same targets and groups."""
        declared = self._declared.get(option)
        if declared is None:
            return resource
        names = declared.get("groups", {})
        if permissions.get_api(self._artifact).lowers_groups:
            spellings = {name.lower(): name for name in names if name not in resource["groups"]}
            groups_by_name = {spellings.get(name, name): actions for name, actions in resource["groups"].items()}
            resource = {**resource, "groups": groups_by_name}
        if option == "repositories" and "targets" in declared:
            targets = self._respell_caches(resource["targets"], declared["targets"])
            resource = {**resource, "targets": self._collapse_wildcards(targets, declared["targets"])}
        return resource

    def _respell_caches(self, current: Fields, declared: Fields) -> Fields:
        """Return targets where a remote repository and its cache have the declared name. They are the same target."""
        targets = dict(current)
        for name in declared:
            if name in current:
                continue
            other = name.removesuffix(_CACHE) if name.endswith(_CACHE) else f"{name}{_CACHE}"
            remote = min(name, other, key=len)
            if other in targets and other not in declared and self._class_of(remote) == "REMOTE":
                targets[name] = targets.pop(other)
        return targets

    def _class_of(self, key: str) -> str | None:
        return self._shared.repositories(self._artifact).get(key)

    def _collapse_wildcards(self, current: Fields, declared: Fields) -> Fields:
        """Return targets without the repositories that a declared name for all repositories of a class stands for.

        Some servers return these repositories besides or instead of the name.
        """
        targets = dict(current)
        for wildcard, patterns in declared.items():
            if wildcard not in form.WILDCARDS or not targets.keys() - declared.keys():
                continue
            if wildcard in targets and not self._purge:
                continue
            existing = self._shared.repositories(self._artifact)
            always, possibly = form.WILDCARDS[wildcard]
            required = {key for key, rclass in existing.items() if rclass in always}
            members = required | {key for key, rclass in existing.items() if rclass in possibly}
            matching = {
                key
                for key, value in targets.items()
                if key not in declared and value == patterns and {key, key.removesuffix(_CACHE)} & members
            }
            is_expanded = required and required <= {key.removesuffix(_CACHE) for key in matching} | matching
            if wildcard in targets or is_expanded:
                targets = {wildcard: patterns, **{key: value for key, value in targets.items() if key not in matching}}
        return targets


def _list_classes(artifact: ArtifactService) -> dict[str, str]:
    return {entry["key"]: str(entry["type"]).upper() for entry in queries.list_repositories(artifact)}
