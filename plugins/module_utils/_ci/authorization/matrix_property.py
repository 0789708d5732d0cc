# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The matrix of a folder, job or node: a property in its configuration."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.permissions import (
    Permissions,
    applies,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import ownership
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import job_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes.nodes import BUILT_IN
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import require_plugin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import fields as xml_fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingObject,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, merge_fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_INHERITANCE = {
    "parent": "org.jenkinsci.plugins.matrixauth.inheritance.InheritParentStrategy",
    "global": "org.jenkinsci.plugins.matrixauth.inheritance.InheritGlobalStrategy",
    "none": "org.jenkinsci.plugins.matrixauth.inheritance.NonInheritingStrategy",
}
_BUILT_IN = (BUILT_IN, f"({BUILT_IN})", "(master)")
_PREFIXES = {"users": "USER:", "groups": "GROUP:", "users_or_groups": ""}


class Target(t.NamedTuple):
    """The object that has the matrix.

    :ivar option: the option that names it
    :ivar name: its name
    :ivar path: its path on the server
    :ivar tag: name of the property
    :ivar container: element with the properties
    """

    option: str
    name: str
    path: str
    tag: str
    container: str

    @property
    def label(self) -> str:
        """The object for messages."""
        return f"{self.option} '{self.name}'"


def find_target(params: Fields) -> Target | None:
    """Return the folder, job or node that the options name, or `None` for the whole server.

    :raises BadOption: if it is the built-in node, which has no configuration with permissions
    """
    if folder := params["folder"]:
        tag = "com.cloudbees.hudson.plugins.folder.properties.AuthorizationMatrixProperty"
        return Target("folder", folder, job_path(folder, "folder"), tag, "properties")
    if job := params["job"]:
        return Target("job", job, job_path(job), "hudson.security.AuthorizationMatrixProperty", "properties")
    if node := params["node"]:
        if node in _BUILT_IN:
            raise BadOption(
                "node",
                f"must not be '{node}', because Jenkins has no permission matrix for the built-in node. Manage the "
                "permissions of the whole server",
            )
        tag = "org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty"
        return Target("node", node, f"/computer{encode_path(node, option='node')}", tag, "nodeProperties")
    return None


def check_permissions(target: Target, holders: Fields) -> None:
    """Refuse permissions that do not apply to the object. Jenkins ignores them without an error.

    :raises BadOption: if a permission does not apply
    """
    for kind, named in holders.items():
        for name, permissions in named.items():
            for permission in permissions or ():
                if not applies(permission, target.option):
                    raise BadOption(f"{kind}.{name}", f"'{permission}' does not apply to a {target.option}")


class MatrixProperty:
    """The matrix of a folder, job or node.

    :arg shared: values that the items of a task share
    :arg snapshots: what was read before, by target, for the first call of `find`
    :ivar snapshot: the configuration that was read last
    """

    def __init__(
        self, task: Task, ci: CiService, shared: SharedValues, target: Target, snapshots: dict[t.Any, t.Any]
    ) -> None:
        self._task, self._ci, self._target = task, ci, target
        self._permissions = Permissions(ci, shared)
        self._snapshots = snapshots
        self.snapshot: ET.Element | None = None

    def find(self) -> Fields | None:
        """Return the matrix, or `None` if the object has none.

        :raises ToolchainError: if the object does not exist
        """
        if self._target in self._snapshots:
            self.snapshot = self._snapshots.pop(self._target)
        else:
            self.snapshot = stored.fetch(self._ci, self._target.path)
        if self.snapshot is None and not self._task.predicts_missing:
            raise MissingObject(
                f"Cannot manage the permissions of {self._target.label}: it does not exist, or the account has no "
                "permission to see it. Create it first."
            )
        element = None if self.snapshot is None else self.snapshot.find(f"{self._target.container}/{self._target.tag}")
        return None if element is None else self._read(element)

    def desired(self, before: Fields | None) -> Fields:
        """Return the declared part of the matrix."""
        params = self._task.params
        desired = form.parse_holders(params, self._permissions.to_name)
        if params["inheritance"] is not None or before is None:
            desired["inheritance"] = params["inheritance"] or "parent"
        return form.purge(before or {}, desired) if params["purge"] else desired

    def to_result(self, matrix: Fields) -> Fields:
        """Return a matrix with all its members, also a predicted one."""
        return {"inheritance": "parent", **form.read_matrix(()), **matrix}

    def create(self, fields: Fields) -> None:
        """Add a matrix to the current configuration of the object, which may have changed since it was read."""
        self.find()
        self.write(fields)

    def write(self, changes: Fields) -> None:
        """Write the matrix with the changed fields."""
        root = t.cast(ET.Element, self.snapshot)
        container = root.find(self._target.container)
        if container is None:
            container = ET.SubElement(root, self._target.container)
        element = container.find(self._target.tag)
        current = {} if element is None else self._read(element)
        if element is None:
            element = ET.SubElement(container, self._target.tag)
        self._fill(element, merge_fields(current, changes))
        stored.write(self._ci, self._target.path, root)

    def delete(self) -> None:
        """Remove the matrix from the current configuration of the object."""
        self.find()
        root = t.cast(ET.Element, self.snapshot)
        container = root.find(self._target.container)
        element = None if container is None else container.find(self._target.tag)
        if container is not None and element is not None:
            container.remove(element)
        stored.write(self._ci, self._target.path, root)

    def check(self, sources: SharedSources, changes: Fields | None) -> None:
        """Refuse a change that Jenkins would ignore or revert.

        :arg sources: the configuration sources
        :raises ToolchainError: if the change is refused
        """
        require_plugin(self._ci, "matrix-auth", f"Managing the permissions of {self._target.label}")
        if self.snapshot is not None:
            xml_fields.check_complete(self.snapshot, self._target.label)
        self._permissions.check_known(form.list_permissions(changes or {}))
        if self._target.option == "node":
            sources.refuse_owned(self._ci, ownership.NODES, self._target.label)

    def _read(self, element: ET.Element) -> Fields:
        strategy = element.find("inheritanceStrategy")
        class_name = None if strategy is None else strategy.get("class")
        inheritance = next((name for name, other in _INHERITANCE.items() if other == class_name), "parent")
        entries = (self._read_row(row.text or "") for row in element.iter("permission"))
        return {"inheritance": inheritance, **form.read_matrix(entries)}

    def _read_row(self, text: str) -> tuple[str, str, str]:
        kind = next(kind for kind, prefix in _PREFIXES.items() if text.startswith(prefix))
        permission, _colon, name = text[len(_PREFIXES[kind]) :].partition(":")
        return kind, name, self._permissions.to_name(permission)

    def _fill(self, element: ET.Element, fields: Fields) -> None:
        for child in [*element.findall("permission"), *element.findall("inheritanceStrategy")]:
            element.remove(child)
        ET.SubElement(element, "inheritanceStrategy", {"class": _INHERITANCE[fields["inheritance"]]})
        rows = sorted(
            f"{_PREFIXES[kind]}{self._permissions.to_id(permission)}:{name}"
            for kind in form.HOLDERS
            for name, permissions in fields.get(kind, {}).items()
            for permission in permissions
        )
        for row in rows:
            ET.SubElement(element, "permission").text = row
