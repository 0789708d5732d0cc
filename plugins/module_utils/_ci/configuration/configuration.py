# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading and applying a declared part of the configuration."""

from __future__ import annotations

import hashlib
import os
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import lockout, roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.casc import list_objects
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.lockout import SecurityChange
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.comparison import (
    MASKS,
    SENT,
    USERS,
    Loss,
    Mismatch,
    Place,
    align,
    build_configuration,
    conceal,
    find_losses,
    find_lost_secrets,
    find_mismatches,
    find_value,
    find_wrong_types,
    is_secret,
    list_attributes,
    list_secrets,
    matches,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.declaration import (
    Declaration,
    normalize,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.forms import (
    Path,
    find_remedy,
    has_variable,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import (
    fetch_sources,
    refuse_missing,
    refuse_owned_by,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.unresolved import refuse_unresolved
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import Target, read_text, store_text
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, read_back, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import MASK
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_FAILED_EXPORT = "FAILED TO EXPORT"
_REALM = USERS[:2]
_STRATEGY = ("jenkins", "authorizationStrategy")
_CLOUDS, _LABELS, _NODES = ("jenkins", "clouds"), ("jenkins", "labelAtoms"), ("jenkins", "nodes")
_OWN_LABELS = ("jenkins", "labelString")
_ROLES = "roleBased"
_MAX_MISMATCHES = 10
# Also the status of values that plugins refuse
_INTERNAL_SERVER_ERROR = 500
_MAX_QUOTE = 100

Attributes = dict[Path, t.Any]


class Configuration:
    """The declared part of the configuration of a server, and the source file of the task."""

    def __init__(self, task: Task, ci: CiService, declaration: Declaration) -> None:
        self._task, self._ci, self._declaration = task, ci, declaration
        self._file = task.params["source_file"]
        self._export: Fields = {}
        self._unread: Fields | None = None
        self._outgoing: dict[Path, t.Any] = {}
        self._has_sent = False
        self._reloads = False
        self._is_unchanged = False
        task.result.update(removed=[], reset=[], sent_secrets=[])

    def reconcile(self) -> None:
        """Apply the declaration unless the server has it already."""
        try:
            reconcile(
                self._task,
                "configuration",
                read=self._read,
                desired=self._desired,
                update=self._update,
                check=self._check_change,
                predict_refusal=self._predict_refusal,
                replaces=True,
            )
        finally:
            self._complete_result()

    def _read(self) -> Fields:
        """Return the declared attributes as the server has them, and the checksum of the source file."""
        self._export = self._unread or server.fetch_export(self._ci)
        self._unread = None
        attributes = {path: self._align(path, value) for path, value in self._declaration.attributes.items()}
        fields: Fields = {
            "configuration": build_configuration(
                {path: value for path, value in attributes.items() if value is not None}
            )
        }
        return {**fields, **self._describe_run(read_text(self._file) if self._file else None, self._has_sent)}

    def _describe_run(self, text: str | None, is_applied: bool) -> Fields:
        """Return the source file and, with `force`, whether the configuration was applied by this task."""
        fields: Fields = {}
        if self._file:
            checksum = None if text is None else hashlib.sha256(text.encode()).hexdigest()
            fields["source_file"] = {"path": self._file, "checksum": checksum}
        if self._task.params["force"]:
            fields["applied"] = is_applied
        return fields

    def _align(self, path: Path, declared: t.Any) -> t.Any:
        current = self._current(path)
        if _FAILED_EXPORT in str(current):
            raise ToolchainError(
                f"Cannot compare '{'.'.join(path)}': Jenkins failed to export it. Remove it from the declaration."
            )
        is_sent = self._has_sent and path in self._outgoing
        place = Place.of(path, assumes_defaults=is_sent)
        return align(place, declared, current, SENT if is_sent else MASK, keeps_others=not self._has_sent)

    def _current(self, path: Path) -> t.Any:
        """Return the exported value of an attribute. The users are separate from the security realm."""
        value = normalize(path, find_value(self._export, path))
        if path == _REALM and isinstance(value, dict) and isinstance(value.get("local"), dict):
            return {"local": {name: inner for name, inner in value["local"].items() if name != "users"}}
        return value

    def _desired(self, before: Fields | None) -> Fields:
        """Return the fields after the task, and remember which attributes to send."""
        self._has_sent = False
        declared = self._declaration.attributes
        self._outgoing = {
            path: value
            for path, value in declared.items()
            if self._task.params["force"] or not matches(Place.of(path), value, self._current(path))
        }
        if USERS in self._outgoing:
            self._outgoing[_REALM] = declared[_REALM]
        attributes = {}
        for path, value in declared.items():
            is_sent = path in self._outgoing
            attributes[path] = conceal(value, SENT if is_sent else MASK, path[-1])
            if is_sent and before:
                attributes[path] = _mark_lost(attributes[path], find_value(before["configuration"], path))
        return {"configuration": build_configuration(attributes), **self._describe_run(self._declaration.text, True)}

    def _check_change(self, _before: Fields | None, _fields: Fields | None) -> None:
        """Refuse changes that would cause unwanted losses, and record the losses of the others.

        :raises ToolchainError: if the change is refused
        """
        self._check_users()
        self._check_sources()
        # a reload applies the whole file, and so does the next start of Jenkins
        lasting = self._declaration.attributes if self._file else self._outgoing
        applied = self._declaration.attributes if self._reloads else self._outgoing
        self._check_types(applied)
        self._check_roles(lasting)
        self._check_labels(applied)
        self._check_lockout(lasting)
        self._declaration.refuse_duplicates([_STRATEGY])
        self._check_secrets(lasting)
        secrets = [entry for path, value in applied.items() for entry in list_secrets(Place.of(path), value)]
        for label, value in secrets:
            if value in MASKS:
                raise BadOption(self._declaration.option, f"'{label}' is a mask instead of the secret. Set the secret")
        losses = [
            loss for path, value in applied.items() for loss in find_losses(Place.of(path), value, self._current(path))
        ]
        self._check_removals(losses)
        self._task.result.update(
            removed=sorted(loss.label for loss in losses if loss.is_removal),
            reset=sorted(loss.label for loss in losses if not loss.is_removal),
            sent_secrets=sorted(label for label, _value in secrets),
        )
        refuse_unresolved(self._ci, self._list_sent(applied))

    def _check_users(self) -> None:
        is_affected = USERS in self._outgoing or (self._file and self._declaration.users)
        if is_affected and not self._task.params["allow_user_changes"]:
            raise ToolchainError(
                f"Cannot apply '{'.'.join(USERS)}': Jenkins would set the passwords of these users and delete the API "
                "tokens of those with 'properties'. Use ci_user, or set 'allow_user_changes' to allow this."
            )

    def _check_secrets(self, applied: Attributes) -> None:
        lost = [
            label
            for path, value in applied.items()
            for label in find_lost_secrets(Place.of(path), value, self._current(path))
        ]
        if lost and not self._task.params["allow_secret_removals"]:
            raise ToolchainError(
                f"Cannot apply the configuration: it does not contain {join_names(sorted(lost))}, so Jenkins would "
                "delete the stored secrets. Declare them, or set 'allow_secret_removals' to allow this."
            )

    def _check_removals(self, losses: list[Loss]) -> None:
        removed = [loss.label for loss in losses if loss.is_removal]
        if removed and not self._task.params["allow_removals"]:
            raise ToolchainError(
                f"Cannot apply the configuration: Jenkins replaces lists as a whole, so it would delete "
                f"{join_names(removed)}. Declare them, or set 'allow_removals' to allow this."
            )

    def _check_types(self, applied: Attributes) -> None:
        for path, value in applied.items():
            for label, meaning in find_wrong_types(Place.of(path), value, self._current(path)):
                raise BadOption(
                    self._declaration.option,
                    f"'{label}' is a text that Jenkins would read as {meaning}. Set a whole number or a boolean",
                )

    def _check_roles(self, applied: Attributes) -> None:
        strategy = applied.get(_STRATEGY)
        if isinstance(strategy, dict) and _ROLES in strategy and self._changes(_STRATEGY, strategy):
            roles.check_declared(self._ci, strategy[_ROLES])
            for role, permission in roles.list_without_effect(strategy[_ROLES]):
                self._task.warn(f"'{permission}' has no effect in the role '{role}', because it does not apply there.")

    def _check_labels(self, applied: Attributes) -> None:
        """Refuse labels that no node has. Jenkins drops them without an error. Nodes of clouds can have any label."""
        nodes = applied.get(_NODES, self._current(_NODES))
        declared = {str(label.get("name")) for label in list_objects(applied.get(_LABELS))}
        known = {str(label.get("name")) for label in list_objects(self._current(_LABELS))}
        if self._current(_CLOUDS) or applied.get(_CLOUDS) or any(map(has_variable, declared)) or not declared - known:
            return
        members = [inner for node in list_objects(nodes) for inner in node.values() if isinstance(inner, dict)]
        texts = [applied.get(_OWN_LABELS), *(inner.get(name) for inner in members for name in ("labelString", "name"))]
        known |= {label for text in texts if text for label in str(text).split()}
        if declared - known and not any(map(has_variable, texts)):
            raise ToolchainError(
                f"Cannot apply '{'.'.join(_LABELS)}': no node has {join_names(sorted(declared - known))}, so Jenkins "
                "would drop the declared properties. Remove the labels, or add them to a node."
            )

    def _check_lockout(self, applied: Attributes) -> None:
        """Refuse a change after which the account of the task is not an administrator or cannot log in.

        :arg applied: the attributes that the task applies
        """
        if self._task.params["allow_lockout"]:
            return
        changed = [path for path in (_STRATEGY, _REALM) if path in applied and self._changes(path, applied[path])]
        writes_users = USERS in self._outgoing or self._file
        change = SecurityChange(
            strategy=applied.get(_STRATEGY, self._current(_STRATEGY)),
            changes_strategy=_STRATEGY in changed,
            realm_before=self._current(_REALM),
            realm=applied.get(_REALM),
            changes_realm=_REALM in changed,
            users=self._declaration.users if writes_users else None,
        )
        lockout.check(self._ci, change)

    def _changes(self, path: Path, value: t.Any) -> bool:
        place, current = Place.of(path), self._current(path)
        return not matches(place, value, current) or any(find_losses(place, value, current))

    def _check_sources(self) -> None:
        """Refuse what another source sets. If the source file of the task is a source, its content is reloaded."""
        if not self._outgoing:
            return
        sources = fetch_sources(self._ci)
        own = [
            source for source in sources if self._file and os.path.basename(source.name) == os.path.basename(self._file)
        ]
        others = [source for source in sources if source not in own]
        self._reloads = bool(own)
        refuse_missing(others)
        for path in self._outgoing:
            refuse_owned_by(others, path, f"'{'.'.join(path)}'")

    def _predict_refusal(self) -> None:
        """Let the server check the configuration without the users, which it would change.

        :raises ServerRefusal: if the server would refuse the configuration
        """
        self._check_on_server()
        if USERS in self._outgoing:
            self._task.warn(f"'{'.'.join(USERS)}' was not checked by Jenkins, because the check changes users.")

    def _check_on_server(self) -> None:
        checked = self._list_sent(path for path in self._outgoing if path != USERS)
        if checked:
            try:
                server.check(self._ci, build_configuration(checked))
            except ServerRefusal as refusal:
                raise _explain(refusal) from None

    def _list_sent(self, paths: t.Iterable[Path]) -> Attributes:
        """Return attributes as they are declared."""
        return {path: self._declaration.sent[path] for path in paths}

    def _update(self, _fields: Fields) -> None:
        """Apply the attributes that differ, write the source file, and verify the effect.

        :raises ToolchainError: if the server refuses an attribute or has other values afterwards
        """
        before = self._unread = self._export
        if self._outgoing:
            self._has_sent = True
            if self._reloads:
                self._check_on_server()
                self._store_file()
            try:
                self._apply()
            except OutcomeUnknown as lost:
                if isinstance(lost, ServerRefusal) and lost.status == _INTERNAL_SERVER_ERROR:
                    self._explain_refusal(lost, before)
                self._unread = read_back(lambda: server.fetch_export(self._ci), lost)
                self._has_sent = self._unread != before
                raise
            except ServerRefusal as refusal:
                self._explain_refusal(refusal, before)
            self._unread = read_back(lambda: server.fetch_export(self._ci), None)
            self._verify(before)
        if not self._reloads:
            self._store_file()

    def _apply(self) -> None:
        if self._reloads:
            server.reload_sources(self._ci)
        else:
            server.apply(self._ci, build_configuration(self._list_sent(self._outgoing)))

    def _explain_refusal(self, refusal: ServerRefusal, before: Fields) -> t.NoReturn:
        """Raise the refusal. Its message names the changes that the server has applied nevertheless."""
        self._has_sent = False
        if refusal.status not in (400, _INTERNAL_SERVER_ERROR):
            raise refusal
        after = list_attributes(server.fetch_export(self._ci))
        earlier = list_attributes(before)
        applied = [".".join(path) for path in self._outgoing if after.get(path) != earlier.get(path)]
        if not applied:
            raise ToolchainError(str(_explain(refusal)))
        self._task.has_written = True
        raise ToolchainError(f"{refusal} Jenkins applied a part of the configuration: {join_names(applied)}.")

    def _verify(self, before: Fields) -> None:
        """
        :raises ToolchainError: if the server has other values than declared
        """
        self._export, earlier = t.cast(Fields, self._unread), before
        certain: list[Mismatch] = []
        uncertain: list[Mismatch] = []
        for path, value in self._outgoing.items():
            current = self._current(path)
            certain += find_mismatches(Place.of(path, assumes_defaults=True), value, current)
            uncertain += find_mismatches(Place.of(path), value, current)
        if certain:
            described = "; ".join(_describe_mismatch(mismatch) for mismatch in certain[:_MAX_MISMATCHES])
            raise ToolchainError(f"Jenkins accepted the configuration, but not all values took effect: {described}.")
        if uncertain:
            labels = [mismatch.place.label for mismatch in uncertain]
            self._task.warn(
                f"Jenkins does not export default values, so these values cannot be compared: {join_names(labels)}. "
                "They are applied in each run. If they are the defaults, remove them from the declaration."
            )
        self._is_unchanged = self._export == earlier and USERS not in self._outgoing

    def _store_file(self) -> None:
        if self._file and read_text(self._file) != self._declaration.text:
            store_text(self._task, Target.from_options(self._task, self._file), self._declaration.text)
            self._is_unchanged = False

    def _complete_result(self) -> None:
        """Return the configuration without the other compared fields, and `changed` by the effect on the server."""
        fields = self._task.result.get("configuration")
        if fields is not None:
            self._task.result["configuration"] = fields["configuration"]
        if self._is_unchanged and not self._task.params["force"]:
            self._task.changed = False
            if "diff" in self._task.result:
                self._task.result["diff"]["before"] = self._task.result["diff"]["after"]


def _mark_lost(desired: t.Any, before: t.Any) -> t.Any:
    """Return desired fields, and `None` for each other existing field inside of dictionaries."""
    if not (isinstance(desired, dict) and isinstance(before, dict)):
        return desired
    return {**dict.fromkeys(before), **{name: _mark_lost(value, before.get(name)) for name, value in desired.items()}}


def _explain(refusal: ServerRefusal) -> ToolchainError:
    """Return the refusal. If it names a deprecated member, the message says what to declare instead."""
    remedy = find_remedy(refusal.text)
    return ToolchainError(f"{refusal} {remedy}.") if remedy else refusal


def _describe_mismatch(mismatch: Mismatch) -> str:
    """Return the place of a mismatch with the declared and the current value, without secrets."""
    label, declared, current = mismatch.place.label, mismatch.declared, mismatch.current
    if current is None and has_variable(declared):
        return f"'{label}' is missing, because its variable is empty or not known to Jenkins"
    if current is None:
        return f"'{label}' is missing"
    if declared is None:
        return f"'{label}' still exists"
    if is_secret(mismatch.place.path[-1], declared) or isinstance(declared, (dict, list)):
        return f"'{label}' differs"
    return f"'{label}' is {_quote(current)} instead of {_quote(declared)}"


def _quote(value: t.Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"'{text}'" if len(text) <= _MAX_QUOTE else f"'{text[:_MAX_QUOTE]}...'"
