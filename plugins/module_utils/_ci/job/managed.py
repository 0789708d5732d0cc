# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The job that a task manages."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import location, names, tree
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items.location import item_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job import declared, types
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job.history import fetch_history
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job.shared import MEMBERS, SharedJobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import class_plugins, stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import fields as xml_fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.document import serialize
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.fields import DesiredConfiguration
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.losses import LossPolicy
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import copy_declared, is_encrypted
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingName,
    ServerRefusal,
    ToolchainError,
    add_advice,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_REWRITTEN = "(encrypted, rewritten)"
_DISABLED = "disabled"


class ManagedJob:
    """The job that a task manages.

    :arg shared: shared by all items of a task
    :arg declared_root: the configuration in the option `config` or `src`
    """

    def __init__(self, task: Task, ci: CiService, shared: SharedJobs, declared_root: ET.Element | None) -> None:
        self._task, self._ci, self._shared, self._declared_root = task, ci, shared, declared_root
        self._name: str = task.params["name"]
        self._previous_name: str | None = task.params["previous_name"]
        self._source: str | None = task.params["copy_from"]
        self._is_read = self._is_sent = False
        self._stored: ET.Element | None = None
        self._basis: ET.Element | None = None  # the configuration that is completed: stored, or of the job to copy
        self._configuration: DesiredConfiguration | None = None
        self._managed: set[str] = set()
        self._secret_paths: set[str] = set()

    def find(self) -> Fields | None:
        """Return the job, the one to rename, or `None` if neither exists.

        The first call uses the list of the jobs in the folder. To delete a job, its configuration is not read.
        """
        is_first, self._is_read = not self._is_read, True
        candidates = self._list_listed_names() if is_first else self._list_names()
        if self._task.params["state"] == "absent":
            exists = candidates and (is_first or self._exists())
            return {"name": self._name} if exists else None
        for name in candidates:
            self._stored = stored.fetch(self._ci, item_path(name))
            if self._stored is not None:
                return self._read(name, self._stored)
        self._stored = None
        return None

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare.

        :raises BadOption: if the options do not suffice to create the job
        :raises ToolchainError: if the job has another type than the declared one
        """
        if before is None:
            self._configure_new_job()
        configuration = t.cast("DesiredConfiguration", self._configuration)
        fields: Fields = {
            "name": self._name,
            "type": types.get_type(configuration.declared.tag),
            "elements": configuration.list_desired(self._stored),
        }
        self._managed.update(fields["elements"])
        if self._source is not None:
            fields["on_hold"] = False
        return fields

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that Jenkins would refuse, or that would destroy builds or secrets.

        :arg fields: the fields to write; `None` for a deletion
        :raises ToolchainError: if the change is refused
        """
        if fields is None:
            self._check_deletion()
            return
        if before is None:
            self._check_place()
            tree.check_interrupted_move(self._shared.tree, self._ci, self._name, self._previous_name)
        elif "name" in fields:
            self._check_place()
            self._check_renaming(before["name"])
        configuration = t.cast("DesiredConfiguration", self._configuration)
        configuration.check_kept()
        root = configuration.declared
        declared.check_retention(root if self._basis is None else configuration.merge(self._basis), self._name)
        if before is None or any(path.endswith("@class") for path in fields.get("elements", ())):
            # other losses than that of the job itself can be accepted
            required = root if self._task.params["on_dropped"] == "fail" else ET.Element(root.tag)
            plugins = class_plugins.list_plugins(required)
            self._shared.check_plugins(self._ci, plugins, f"The configuration of job '{self._name}'")
        if self._stored is not None:
            xml_fields.check_complete(self._stored, f"job '{self._name}'")

    def create(self, _fields: Fields) -> None:
        """Create the job, or copy another one and save the copy, which Jenkins does not build before."""
        self._is_sent = True
        configuration = t.cast("DesiredConfiguration", self._configuration)
        try:
            if self._source is None:
                location.create(self._ci, self._name, copy_declared(configuration.declared))
                configuration.record_acceptance()
                return
            location.copy(self._ci, self._name, self._source)
            copied = stored.fetch(self._ci, item_path(self._name))
            if copied is not None:
                self._complete_copy(copied, configuration.merge(copied))
        except ServerRefusal as refusal:
            raise _explain(refusal, configuration.declared) from None

    def _complete_copy(self, copied: ET.Element, root: ET.Element) -> None:
        """Write the configuration of the copy unless it has no changes, and release the copy."""
        if serialize(copied) != serialize(root):
            xml_fields.check_complete(copied, f"job '{self._name}'")
            stored.write(self._ci, item_path(self._name), root)
            t.cast("DesiredConfiguration", self._configuration).record_acceptance()
        self._release(root)

    def _release(self, root: ET.Element) -> None:
        """Release a copied job with this configuration."""
        if types.is_held_when_copied(root.tag):
            description = root.findtext("description")
            location.release(self._ci, self._name, description)

    def update(self, fields: Fields) -> None:
        """Move or rename the job, change its configuration, and release it if it is a copy.

        It is enabled or disabled by a request of its own, with which Jenkins also cancels its queued builds and
        releases a copy.
        """
        self._is_sent = True
        configuration = t.cast("DesiredConfiguration", self._configuration)
        if "name" in fields:
            location.relocate(self._ci, t.cast(str, self._previous_name), self._name)
        changes = dict(fields.get("elements", {}))
        is_switched = _DISABLED in changes
        disabled = changes.pop(_DISABLED, None)
        current = t.cast(ET.Element, self._stored)
        root = configuration.merge(current)
        try:
            if changes:
                if is_switched:
                    _set_text(root, _DISABLED, current.findtext(_DISABLED))
                stored.write(self._ci, item_path(self._name), root)
                configuration.record_acceptance()
        except ServerRefusal as refusal:
            raise _explain(refusal, configuration.declared) from None
        if is_switched:
            action = "disable" if disabled == "true" else "enable"
            self._ci.post(f"{item_path(self._name)}/{action}", accept=(302,))
        elif "on_hold" in fields:
            self._release(root)

    def delete(self) -> None:
        """Delete the job with its builds."""
        location.delete(self._ci, self._name)

    def to_result(self, fields: Fields) -> Fields:
        """Return the job as the module returns it, of the configuration only the managed elements without secrets."""
        if "elements" not in fields:
            return fields
        texts = {
            path: self._hide(text) if path in self._secret_paths else text
            for path, text in t.cast("DesiredConfiguration", self._configuration).show(fields["elements"]).items()
            if path in self._managed
        }
        return {**fields, "elements": texts}

    def explain_loss(self) -> str:
        """Return why the job lacks declared elements, or an empty text."""
        return self._configuration.explain_loss() if self._configuration else ""

    def _list_names(self) -> list[str]:
        """Return the names that the job can have, the desired one first."""
        return [self._name] if self._previous_name is None else [self._name, self._previous_name]

    def _list_listed_names(self) -> list[str]:
        """Return the current name of the job, if the folder lists it.

        :raises ToolchainError: if the item with this name is a folder
        """
        for name in self._list_names():
            item = self._shared.tree.find(self._ci, name)
            if item and item.class_name in types.FOLDERS:
                raise ToolchainError(f"'{name}' is a folder, not a job. Choose another name.")
            if item:
                return [name]
        return []

    def _exists(self) -> bool:
        return self._ci.find(item_path(self._name), "name", "name") is not None

    def _read(self, name: str, root: ET.Element) -> Fields:
        """Return the fields of the job with a stored configuration."""
        if self._configuration is None or not self._is_sent:
            self._configure(types.get_type(root.tag), root)
        configuration = t.cast("DesiredConfiguration", self._configuration)
        if not self._is_sent:
            configuration.list_desired(root)  # finds what is removed, also if the job is read again before the update
        self._secret_paths |= {path for path, text in xml_fields.list_texts(root).items() if is_encrypted(text)}
        fields: Fields = {
            "name": name,
            "type": types.get_type(root.tag),
            "elements": configuration.read(root, is_written=self._is_sent),
        }
        if self._source is not None:
            fields["on_hold"] = self._is_on_hold(name, root)
        return fields

    def _is_on_hold(self, name: str, root: ET.Element) -> bool:
        """Return whether Jenkins does not build the job until it is saved, although it is enabled."""
        if not types.is_held_when_copied(root.tag):
            return False
        item = tree.fetch(self._ci, name, MEMBERS) if self._is_sent else self._shared.tree.find(self._ci, name)
        is_enabled = root.findtext(_DISABLED) != "true"
        return is_enabled and item is not None and item.record.maybe_flag("buildable") is False

    def _configure_new_job(self) -> None:
        """Set the declared configuration of a job that does not exist.

        :raises BadOption: if the options do not suffice to create it
        """
        params = self._task.params
        source = None if self._source is None else self._fetch_source()
        declared_type = self._find_declared_type()
        if source is not None:
            source_type = types.get_type(source.tag)
            if declared_type not in (None, source_type):
                raise BadOption(
                    "copy_from",
                    f"job '{self._source}' is {types.describe(source_type)}, not {types.describe(str(declared_type))}",
                )
            self._configure(source_type, source)
        elif declared_type is None and self._source is None:
            raise BadOption(
                "type",
                f"is required, because job '{self._name}' does not exist. Set 'type', 'config', 'src' or 'copy_from'",
            )
        else:
            if self._source is None:
                declared.check_sufficient(params)
            self._configure(declared_type or "freestyle", None)

    def _find_declared_type(self) -> str | None:
        if self._declared_root is not None:
            return types.get_type(self._declared_root.tag)
        return t.cast("str | None", self._task.params["type"])

    def _fetch_source(self) -> ET.Element | None:
        """Return the configuration of the job to copy, or `None` if it is only predicted.

        :raises BadOption: if it does not exist, or if it is a folder, which Jenkins would copy with its content
        """
        source = t.cast(str, self._source)
        root = stored.fetch(self._ci, item_path(source))
        if root is None and not self._task.predicts_missing:
            raise MissingName("copy_from", f"job '{source}' does not exist, or the account has no Job/Read permission")
        if root is not None and root.tag in types.FOLDERS:
            raise BadOption("copy_from", f"'{source}' is a folder, not a job")
        return root

    def _configure(self, type_name: str, root: ET.Element | None) -> None:
        """Set the declared configuration.

        :arg type_name: type of the existing job, or of the job to create
        :arg root: configuration that is completed: the stored one or that of the job to copy, or `None` for a new job
        :raises ToolchainError: if the job has another type than the declared one
        """
        self._basis = root
        params, declared_type = self._task.params, self._find_declared_type()
        if declared_type not in (None, type_name):
            raise ToolchainError(
                f"Job '{self._name}' is {types.describe(type_name)}, and Jenkins cannot change it to "
                f"{types.describe(str(declared_type))}. Delete the job first, or use another name."
            )
        declared.check_applicable(params, type_name)
        declared_root = declared.build(params, type_name, self._declared_root, root)
        self._secret_paths.update(declared.find_secrets(declared_root))
        self._configuration = DesiredConfiguration(
            declared_root,
            exact=params["exact"],
            update_secret=params["update_secret"],
            losses=LossPolicy(self._task, self._ci, f"job '{self._name}'", self._shared.list_plugins),
        )

    def _check_place(self) -> None:
        """Refuse a name that is invalid, or in a folder that does not exist or cannot contain the job."""
        names.check_new_name(self._name, "name")
        folder, _last = names.split(self._name)
        listing = self._shared.tree.list(self._ci, folder)
        if listing:
            tree.check_may_contain(listing, folder)
        elif not self._task.predicts_missing:
            raise tree.folder_missing(folder)

    def _check_renaming(self, current: str) -> None:
        """Refuse to rename a job while it is building, as Jenkins does. It can be moved."""
        if names.split(current)[1] == names.split(self._name)[1]:
            return
        if running := fetch_history(self._ci, current).running:
            raise ToolchainError(
                f"Job '{current}' cannot be renamed, because {running} is running. Wait until it has finished."
            )

    def _check_deletion(self) -> None:
        history = fetch_history(self._ci, self._name)
        if history.running:
            raise ToolchainError(
                f"Job '{self._name}' is not deleted, because {history.running} is running and would be aborted. Wait "
                "until it has finished, or stop it with the module ci_build_stop."
            )
        if history.builds and not self._task.params["allow_delete_builds"]:
            raise ToolchainError(
                f"Job '{self._name}' is not deleted, because it has {history.builds}. Set "
                "'allow_delete_builds: true' to delete them as well."
            )

    def _hide(self, text: str | None) -> str | None:
        if not text or text == xml_fields.ENCRYPTED or self._task.params["update_secret"] == "on_create":
            return text and xml_fields.ENCRYPTED
        return _REWRITTEN


def _explain(refusal: ServerRefusal, root: ET.Element) -> ServerRefusal:
    """Return the error with the usual causes if Jenkins gives no reason."""
    if refusal.status != 500:
        return refusal
    return add_advice(
        refusal,
        "Jenkins could not load the configuration and gives the reason only in its log. Usually, no installed plugin "
        f"provides the root element '{root.tag}' or a class in it, or a value is invalid.",
    )


def _set_text(root: ET.Element, tag: str, text: str | None) -> None:
    element = root.find(tag)
    if element is not None:
        element.text = text
