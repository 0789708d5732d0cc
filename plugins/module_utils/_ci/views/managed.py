# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a view."""

from __future__ import annotations

import collections
import copy
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import require_plugin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views.owners import (
    Listing,
    MissingOwner,
    Owner,
    SharedListings,
    list_views,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document, stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.fields import (
    DesiredConfiguration,
    check_complete,
    hide_encrypted,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.losses import LossPolicy
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingName,
    ServerRefusal,
    ToolchainError,
    add_advice,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_VIEWS = ("jenkins", "views")
_NESTED_PLUGIN = "nested-view"
# Status with which Jenkins responds to a configuration that it cannot load
_UNKNOWN_CLASS = 500


class ManagedView:
    """The view that a task manages.

    :arg shared: shared by all items of a task
    :arg declared: the declared fields, as `form.parse_options` returns them
    """

    def __init__(self, task: Task, ci: CiService, shared: SharedListings, declared: Fields) -> None:
        self._task, self._ci, self._shared, self._declared = task, ci, shared, declared
        self._name: str = task.params["name"]
        self._owner = Owner.from_params(task.params)
        self._path = self._owner.view_path(self._name)
        self._purge: bool = task.params["purge"]
        config = form.parse_config(task.params["config"]) if task.params["state"] == "present" else None
        losses = LossPolicy(task, ci, f"view '{self._name}'")
        self._configuration = None if config is None else DesiredConfiguration(config, losses=losses)
        self._listing: Listing | None = None
        self._stored: ET.Element | None = None
        self._is_read = False
        self._is_name_taken = False

    def find(self) -> Fields | None:
        """Return the fields of the view, or `None` if it does not exist.

        The first call uses the list of views that all items share.

        :raises MissingOwner: if the owner does not exist, unless check mode predicts it
        """
        is_first, self._is_read = not self._is_read, True
        self._stored = None
        try:
            self._listing = self._shared.views(self._ci, self._owner) if is_first else list_views(self._ci, self._owner)
        except MissingOwner:
            if self._task.predicts_missing or (self._task.check_mode and self._shared.creates(self._owner)):
                return None
            raise
        if is_first and self._name not in self._listing.classes:
            self._search_unlisted()
        if self._name in self._listing.classes:
            self._stored = stored.fetch(self._ci, self._path)
        return None if self._stored is None else self._read_fields(self._stored)

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare."""
        if self._configuration is None:
            return {"type": "list", **self._declared} if before is None else self._declared
        kind = form.get_type(self._configuration.declared)
        return {"type": kind, "elements": self._configuration.list_desired(self._stored)}

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that Jenkins would refuse, ignore, revert or do although they are harmful.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option does not apply
        :raises ToolchainError: if the change is refused
        """
        if not self._owner.folder:
            self._shared.sources.refuse_owned(self._ci, _VIEWS, f"view '{self._name}'")
        if fields is None:
            self._check_deletion()
            return
        if self._configuration is not None:
            self._configuration.check_kept()
        kind = fields["type"] if before is None else before["type"]
        if before is None:
            self._check_creation(kind)
        else:
            self._check_update(kind, fields)
        if "jobs" in fields or "recurse" in fields:
            self._check_jobs({**(before or {}), **fields})

    def create(self, fields: Fields) -> None:
        """Create the view."""
        if self._configuration is None:
            root = form.change(form.new_configuration(fields["type"], self._name), fields)
        else:
            root = copy.deepcopy(self._configuration.declared)
            ET.SubElement(root, "name").text = self._name
        try:
            self._ci.post(f"{self._owner.path}/createView", query={"name": self._name}, data=document.XmlBody(root))
        except ServerRefusal as refusal:
            if self._configuration is None or refusal.status != _UNKNOWN_CLASS:
                raise
            advice = f"Check that the plugin with the view type '{form.get_type(root)}' is installed."
            raise add_advice(refusal, advice) from None
        self._record_acceptance()

    def update(self, fields: Fields) -> None:
        """Write the fields that differ."""
        root = t.cast(ET.Element, self._stored)
        if self._configuration is None:
            root = form.change(root, fields, self._purge)
        else:
            root = self._configuration.merge(root)
        stored.write(self._ci, self._path, root)
        self._record_acceptance()

    def delete(self) -> None:
        """Delete the view."""
        self._ci.post(f"{self._path}/doDelete", accept=(302,))

    def to_result(self, fields: Fields) -> Fields:
        """Return the view as the module returns it; a predicted one with the values of a new view."""
        result = {**_identify(self._owner, self._name), **form.complete_fields(fields)}
        if self._configuration is not None and "elements" in fields:
            result["elements"] = self._configuration.show(fields["elements"])
        return result

    def explain_loss(self) -> str:
        """Return why the view lacks declared elements, or an empty text."""
        return "" if self._configuration is None else self._configuration.explain_loss()

    def _record_acceptance(self) -> None:
        if self._configuration is not None:
            self._configuration.record_acceptance()

    def _search_unlisted(self) -> None:
        """Find out whether the view exists, although it is not listed.

        :raises ServerRefusal: if the account may not see it
        """
        if stored.fetch(self._ci, self._path) is not None:
            # of a view inside a nested view, or of one that another client has created since the listing
            self._listing = list_views(self._ci, self._owner)
            self._is_name_taken = self._name not in self._listing.classes

    def _read_fields(self, root: ET.Element) -> Fields:
        if self._configuration is None:
            return form.read_fields(root, self._purge)
        elements = self._configuration.read(root, is_written=self._task.has_written)
        return {"type": form.get_type(root), "elements": elements}

    def _check_deletion(self) -> None:
        if self._listing and self._name == self._listing.primary:
            raise ToolchainError(
                f"View '{self._name}' was not deleted: it is the primary view of {self._owner}, which is shown by "
                "default. Make another view the primary view first."
            )

    def _check_creation(self, kind: str) -> None:
        if self._is_name_taken:
            raise ToolchainError(
                f"View '{self._name}' cannot be created, because a view inside a nested view of {self._owner} has this "
                "name. Specify another name."
            )
        if kind == "nested":
            require_plugin(self._ci, _NESTED_PLUGIN, "Managing nested views")

    def _check_update(self, kind: str, fields: Fields) -> None:
        if "type" in fields:
            raise ToolchainError(
                f"The type of view '{self._name}' cannot be changed from '{kind}' to '{fields['type']}'. Delete the "
                "view and create it again."
            )
        if kind != "list":
            for name in form.LIST_OPTIONS:
                if name in fields:
                    raise BadOption(name, f"applies only to list views, but the type of the existing view is '{kind}'")
        if kind == "nested":
            raise ToolchainError(
                f"View '{self._name}' was not changed: writing the configuration of a nested view can break the views "
                "inside. Change it on the pages of Jenkins."
            )
        check_complete(t.cast(ET.Element, self._stored), f"view '{self._name}'")

    def _check_jobs(self, after: Fields) -> None:
        """Verify that the jobs to add exist, because Jenkins stores any name.

        :raises BadOption: if a job does not exist or would not be shown
        """
        names = set(self._declared.get("jobs", ()))
        if not after.get("recurse") and (inner := sorted(name for name in names if "/" in name)):
            raise BadOption("recurse", f"must be true to show jobs of subfolders, such as '{inner[0]}'")
        if self._task.predicts_missing:
            return
        current = set() if self._stored is None else set(form.read_fields(self._stored).get("jobs", ()))
        by_folder: dict[str, list[str]] = collections.defaultdict(list)
        for name in sorted(names - current):
            by_folder[f"{self._owner.folder}/{name}".removeprefix("/").rpartition("/")[0]].append(name)
        missing = [
            name
            for folder, inner in by_folder.items()
            for name in inner
            if name.rpartition("/")[2] not in self._shared.jobs(self._ci, folder)
        ]
        if missing:
            raise MissingName(
                "jobs",
                f"these jobs do not exist, or the account has no Job/Read permission on them: {join_names(missing)}",
            )


def describe_views(task: Task, owner: Owner, name: str | None) -> Fields:
    """Return the views of an owner, or one of them, with the options that create them; and the primary view.

    :raises MissingOwner: if the owner does not exist
    """
    listing = list_views(CiService(task), owner)
    names = [other for other in listing.classes if name in (None, other)]
    found = read_concurrently(
        task, names, lambda item_task, key: stored.fetch(CiService(item_task), owner.view_path(key))
    )
    has_config = task.params["include_config"]
    views = [{**_identify(owner, key), **_describe(found[key], has_config)} for key in names if key in found]
    return {"views": views, "primary": listing.primary}


def _describe(root: ET.Element, has_config: bool) -> Fields:
    """Return the fields of a view that has one of the types, and the configuration of others."""
    fields = form.read_fields(root)
    config = {"config": document.serialize(hide_encrypted(root))}
    if fields["type"] not in form.CLASSES:
        return config
    return {**fields, **config} if has_config else fields


def _identify(owner: Owner, name: str) -> Fields:
    return {"name": name, "folder": owner.folder, "parent": owner.parent}
