# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plugins of a server at one moment, with pending changes."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import update_center
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.manifest import Dependency
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.update_center import (
    UPLOADED,
    Job,
    UpdateCenter,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.versions import is_older
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

ABSENT = {"installed": False, "version": None, "enabled": None}
_TREE = "plugins[active,bundled,deleted,dependencies[optional,shortName,version],enabled,hasUpdate,shortName,version]"

Fields = dict[str, t.Any]


class PluginInventory(t.NamedTuple):
    """The plugins of a server and its update center.

    :ivar plugins: the listed plugins by name
    :ivar version: version of the server, if the response contains it
    """

    plugins: dict[str, Record]
    center: UpdateCenter
    version: str | None = None

    def state(self, name: str, uploaded: t.Mapping[str, str]) -> Fields:
        """Return the state of a plugin as it is after the pending restart.

        :arg uploaded: versions of the files that the task uploaded, which the update center does not report
        """
        plugin, pending = self.plugins.get(name), self.pending_installation(name)
        if plugin is None:
            if not pending:
                return dict(ABSENT)
            return {"installed": True, "version": _pending_version(pending, uploaded), "enabled": True}
        if plugin.maybe_flag("deleted"):
            return dict(ABSENT)
        version = _pending_version(pending, uploaded) if pending else plugin.text("version")
        return {"installed": True, "version": version, "enabled": plugin.flag("enabled")}

    def pending_installation(self, name: str) -> Job | None:
        """Return the last installation of a plugin that requires a restart. Later ones may not report that."""
        jobs = [job for job in self.center.jobs if job.plugin == name and job.needs_restart]
        return jobs[-1] if jobs else None

    def lacks(self, dependency: Dependency) -> bool:
        """Return whether a plugin with this dependency cannot be loaded. Optional ones only count if they are used."""
        plugin = self.plugins.get(dependency.name)
        if plugin is None:
            return not dependency.optional
        if dependency.optional and not (plugin.maybe_flag("active") or plugin.flag("enabled")):
            return False
        return is_older(plugin.text("version"), dependency.version)

    def find_dependents(self, name: str, removed: t.Container[str]) -> list[str]:
        """Return the enabled plugins that require a plugin, except for those in `removed`."""
        return sorted(
            other
            for other, plugin in self.plugins.items()
            if other not in removed and plugin.flag("enabled") and not plugin.maybe_flag("deleted")
            for dependency in plugin.maybe_records("dependencies")
            if dependency.text("shortName") == name and not dependency.maybe_flag("optional")
        )

    def find_unrequired(self, required: t.Iterable[str]) -> set[str]:
        """Return the installed plugins that are neither required nor dependencies of required plugins.

        Plugins that Jenkins contains are required.

        :arg required: names of the required plugins, which may be missing
        """
        bundled = {name for name, plugin in self.plugins.items() if plugin.maybe_flag("bundled")}
        remaining, needed = {*required, *bundled}, set()
        while remaining:
            needed |= remaining
            remaining = {
                dependency.text("shortName")
                for name in remaining
                if name in self.plugins
                for dependency in self.plugins[name].maybe_records("dependencies")
                if not dependency.maybe_flag("optional")
            } - needed
        return {name for name, plugin in self.plugins.items() if not plugin.maybe_flag("deleted")} - needed

    @property
    def pending_installations(self) -> set[str]:
        """Names of the plugins whose installed files Jenkins loads at its next start."""
        return {str(job.plugin) for job in self.center.jobs if job.needs_restart}

    @property
    def is_restart_required(self) -> bool:
        """Whether a restart is pending; the update center only reports installations."""
        has_changes = any(
            plugin.maybe_flag("deleted") or plugin.maybe_flag("active") != plugin.maybe_flag("enabled")
            for plugin in self.plugins.values()
        )
        return self.center.is_restart_required or has_changes


def fetch_inventory(ci: CiService) -> PluginInventory:
    """Return the current inventory.

    :raises ToolchainError: if the server does not provide it
    """
    response = ci.view("/pluginManager", _TREE, accept=(200, 404))
    if response.status == 404:
        raise ToolchainError(
            "The server does not list its plugins. Hudson is not supported; for Jenkins, check the path in 'url'."
        )
    plugins = {plugin.text("shortName"): plugin for plugin in response.record().records("plugins")}
    return PluginInventory(plugins, update_center.fetch_update_center(ci), response.headers.get("X-Jenkins"))


def _pending_version(job: Job, uploaded: t.Mapping[str, str]) -> str | None:
    """Return the version after the next restart, or `None` for a file that another client uploaded."""
    return uploaded.get(str(job.plugin)) if job.version == UPLOADED else job.version
