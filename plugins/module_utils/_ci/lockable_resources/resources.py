# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Resources of the plugin lockable-resources.

Its remote API lists resources and changes reservations. Most releases create, change and delete resources only in the
configuration form, so scripts do this.
"""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import (
    predicts_plugin,
    require_plugin,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import run_internal
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

PLUGIN = "lockable-resources"
PURPOSE = "Managing lockable resources"
# The member of the configuration that contains all resources
_DECLARED = ("unclassified", "lockableResourcesManager", "declaredResources")
# Fields that a script changes; a new resource has them all
_CONFIGURED = frozenset(("name", "description", "labels", "note", "properties", "ephemeral"))
_PATH = "/lockable-resources"
# The status if the resource is reserved, locked, or assigned to a build in the queue
_NOT_FREE = 423
_TREE = "resources[buildName,description,ephemeral,labels,locked,name,note,properties[name,value],reservedBy,stolen]"

# Old releases synchronize on the manager and have no methods to add and remove resources
_MANAGER = """\
import org.jenkins.plugins.lockableresources.LockableResource
import org.jenkins.plugins.lockableresources.LockableResourcesManager

def manager = LockableResourcesManager.get()
def mutex
try {
    mutex = LockableResourcesManager.syncResources
} catch (MissingPropertyException older) {
    mutex = manager
}
"""
_SAVE = f"""\
{_MANAGER}
synchronized (mutex) {{
    def resource = manager.fromName(args.name)
    def isNew = resource == null
    if (isNew) resource = new LockableResource(args.name)
    if (args.description != null) resource.setDescription(args.description)
    if (args.labels != null) resource.setLabels(args.labels)
    if (args.note != null) resource.setNote(args.note)
    if (args.properties != null) {{
        def type = manager.class.classLoader.loadClass(LockableResource.name + 'Property')
        resource.setProperties(args.properties.collect {{ key, value ->
            def property = type.getDeclaredConstructor().newInstance()
            property.setName(key)
            property.setValue(value)
            property
        }})
    }}
    resource.setEphemeral(false)
    if (isNew && manager.metaClass.respondsTo(manager, 'addResource')) manager.addResource(resource)
    else if (isNew) manager.getResources().add(resource)
    manager.save()
}}
return null
"""
_DELETE = f"""\
{_MANAGER}
synchronized (mutex) {{
    def resource = manager.fromName(args.name)
    if (resource == null) return false
    def isReserved = resource.getReservedBy() != args.reserved_by
    if (!args.force && (isReserved || resource.isLocked() || resource.isQueued())) return true
    if (manager.metaClass.respondsTo(manager, 'removeResources')) manager.removeResources([resource])
    else manager.getResources().remove(resource)
    manager.save()
}}
return false
"""


def list_resources(ci: CiService) -> list[Fields]:
    """Return all resources, sorted by name.

    :raises ToolchainError: if the plugin is missing, or the account must not see the resources
    """
    response = ci.view(_PATH, _TREE, accept=(200, 404))
    if response.status == 404:
        if predicts_plugin(ci, PLUGIN):
            return []
        require_plugin(ci, PLUGIN, PURPOSE)
        raise ToolchainError(
            "The server does not list its lockable resources. Check that the plugin 'lockable-resources' is installed, "
            "the account has the permission Lockable Resources/View, and the path in 'url' is correct."
        )
    return sorted(map(_to_fields, response.record().records("resources")), key=lambda resource: resource["name"])


def _to_fields(resource: Record) -> Fields:
    properties = {entry.text("name"): entry.maybe_text("value") or "" for entry in resource.maybe_records("properties")}
    build = resource.maybe_text("buildName")
    return {
        "name": resource.text("name"),
        "description": resource.maybe_text("description") or "",
        "labels": sorted((resource.maybe_text("labels") or "").split()),
        "note": resource.maybe_text("note") or "",
        "properties": properties,
        "ephemeral": bool(resource.maybe_flag("ephemeral")),
        "reserved_by": resource.maybe_text("reservedBy"),
        "locked_by": build or ("an unknown build" if resource.maybe_flag("locked") else None),
        "stolen": bool(resource.maybe_flag("stolen")),
    }


def is_configured(changes: Fields) -> bool:
    """Return whether changes affect the configuration of a resource, and not only who uses it."""
    return not _CONFIGURED.isdisjoint(changes)


class Resources:
    """The resources of a server and the account of the task, requested once for all items of a task.

    :ivar sources: the configuration sources
    """

    def __init__(self) -> None:
        self._values = SharedValues()
        self.sources = SharedSources()

    def list(self, ci: CiService) -> list[Fields]:
        """Return the resources as they were before this task changed one."""
        return self._values.get("resources", lambda: list_resources(ci))

    def list_persistent(self, ci: CiService) -> set[str]:
        """Return the names of the resources that are not deleted when a build releases them."""
        return {resource["name"] for resource in self.list(ci) if not resource["ephemeral"]}

    def account(self, ci: CiService) -> str:
        """Return the full name of the account, by which the plugin identifies who reserves a resource."""
        return self._values.get("account", lambda: ci.view("/me", "fullName").record().text("fullName"))


class ManagedResource:
    """The resource that a task manages."""

    def __init__(self, ci: CiService, shared: Resources, name: str) -> None:
        self._ci, self._shared, self._name = ci, shared, name
        self._current: Fields | None = None
        self._is_read = False
        self._needs_script = False

    def find(self) -> Fields | None:
        """Return the resource, or `None` if it does not exist. After the first call, the server is asked again."""
        resources = list_resources(self._ci) if self._is_read else self._shared.list(self._ci)
        self._is_read = True
        self._current = next((resource for resource in resources if resource["name"] == self._name), None)
        return self._current

    def check(self, before: Fields | None, desired: Fields | None, *, allow_in_use: bool) -> None:
        """Check that a change is allowed.

        :arg desired: the fields to write, or `None` if the resource will be deleted
        :raises ToolchainError: if a build has locked the resource, another account has reserved it, or a configuration
            source sets it
        """
        self._needs_script = desired is None or is_configured(desired)
        if self._needs_script:
            self._shared.sources.refuse_owned(self._ci, _DECLARED, f"lockable resource '{self._name}'")
        if before and not allow_in_use:
            self._check_unused(before, desired)

    def predict_refusal(self) -> None:
        """Check in check mode whether the account may run the script that the change needs, if it needs one."""
        if self._needs_script:
            server.check_administer_permission(self._ci)

    def _check_unused(self, before: Fields, desired: Fields | None) -> None:
        fields = {"locked_by": None, "reserved_by": None} if desired is None else desired
        action = "deleted" if desired is None else "changed"
        build, owner = before["locked_by"], before["reserved_by"]
        is_reservation = fields.get("reserved_by") is not None and fields["reserved_by"] != owner
        if build and (is_reservation or ("locked_by" in fields and fields["locked_by"] is None)):
            raise ToolchainError(
                f"The resource '{self._name}' was not {action}: the build {build} has locked it. "
                "Wait for the build, or set 'allow_in_use'."
            )
        is_release = "reserved_by" in fields and owner not in (None, fields["reserved_by"])
        if is_release and owner != self._shared.account(self._ci):
            raise ToolchainError(
                f"The resource '{self._name}' was not {action}: {owner} has reserved it. "
                "Ask for its release, or set 'allow_in_use'."
            )

    def save(self, fields: Fields) -> None:
        """Create the resource or change its configuration.

        :arg fields: the fields to set; others are kept
        """
        labels = fields.get("labels")
        arguments = {
            "name": self._name,
            "description": fields.get("description"),
            "labels": None if labels is None else " ".join(labels),
            "note": fields.get("note"),
            "properties": fields.get("properties"),
        }
        run_internal(self._ci, "save a lockable resource", _SAVE, arguments, read_only=False)

    def change_use(self, changes: Fields) -> None:
        """Reserve or release the resource.

        :arg changes: `reserved_by` is the account of the task, or `None` to release the reservation; `locked_by` is
            `None` to release the lock of a build
        """
        current = self._current or {"reserved_by": None, "locked_by": None}
        is_used = current["reserved_by"] is not None or current["locked_by"] is not None
        if (account := changes.get("reserved_by")) is not None:
            if is_used:
                self._call("steal")  # releases the lock, too
            elif self._call("reserve", accept=(200, 302, _NOT_FREE)).status == _NOT_FREE:
                self._check_reserved_by(account)
            return
        if "reserved_by" in changes and current["reserved_by"] is not None:
            self._call("unreserve")
        if "locked_by" in changes and current["locked_by"] is not None:
            self._call("unlock")

    def _call(self, action: str, accept: tuple[int, ...] = (200, 302)) -> Response:
        return self._ci.post(f"{_PATH}/{action}", form={"resource": self._name}, accept=accept)

    def _check_reserved_by(self, account: str) -> None:
        """Check whether another task of the same account has reserved the resource in the meantime."""
        resource = self.find()
        owner = resource and (resource["reserved_by"] or resource["locked_by"])
        if owner != account:
            raise ToolchainError(
                f"The resource '{self._name}' was not reserved: {owner or 'a queued build'} has it since the task "
                "started. Run the task again later."
            )

    def delete(self, *, force: bool) -> None:
        """Delete the resource.

        :arg force: whether to delete it if a build or another account has it
        :raises ToolchainError: if it is in use since it was read
        """
        reserved_by = self._current and self._current["reserved_by"]
        arguments = {"name": self._name, "reserved_by": reserved_by, "force": force}
        if run_internal(self._ci, "delete a lockable resource", _DELETE, arguments, read_only=False):
            raise ToolchainError(
                f"The resource '{self._name}' was not deleted: it is in use since the task started. Run the task again."
            )
