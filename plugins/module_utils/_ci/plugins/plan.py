# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plan changes of plugins: the steps in their order, and the problems that prevent them."""

from __future__ import annotations

import functools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import (
    failures,
    remote_file,
    update_center,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.desired import DesiredPlugin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.inventory import (
    ABSENT,
    Fields,
    PluginInventory,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.manifest import PluginFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.update_center import Offer
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.versions import is_older
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService

_RESULT_NAMES = ("action", "name", "old_version", "version", "required_by", "needs_restart")


class Step(t.NamedTuple):
    """One step of a plan.

    :ivar action: `install`, `upload`, `enable`, `disable` or `uninstall`
    :ivar version: version after the step
    :ivar required_by: the plugin that depends on this one, if the task does not list this one
    :ivar needs_restart: whether the step takes effect after a restart; `None` if only the server can decide it
    :ivar is_new: whether the plugin is not installed yet
    """

    action: str
    name: str
    old_version: str | None
    version: str | None
    required_by: str | None
    needs_restart: bool | None
    is_new: bool = False
    url: str | None = None
    src: str | None = None

    def to_result(self) -> Fields:
        """Return the result for the step."""
        members = self._asdict()
        return {name: members[name] for name in _RESULT_NAMES}


class Plan(t.NamedTuple):
    """Steps in their order.

    :ivar problems: reasons why the steps must not be taken
    :ivar assumed: plugins that are assumed to be available
    :ivar undeclared: installed plugins that are neither desired nor dependencies of desired ones
    :ivar unknown: plugins with unknown dependencies, because of which undeclared plugins must not be removed
    """

    steps: list[Step]
    problems: list[str]
    assumed: list[str]
    undeclared: list[str]
    unknown: list[str]

    def select(self, *actions: str) -> list[Step]:
        """Return the steps with one of these actions."""
        return [step for step in self.steps if step.action in actions]

    def resulting_states(self) -> Fields:
        """Return the fields that the steps change, by plugin."""
        states: Fields = {}
        for step in self.steps:
            if step.action == "uninstall":
                states[step.name] = dict(ABSENT)
            elif step.action in ("enable", "disable"):
                states.setdefault(step.name, {})["enabled"] = step.action == "enable"
            else:
                enabled = {"enabled": True} if step.is_new else {}
                states.setdefault(step.name, {}).update(installed=True, version=step.version, **enabled)
        return states


EMPTY_PLAN = Plan([], [], [], [], [])


class PlanSources:
    """The information that a planner reads from the server on demand; nothing is changed.

    :arg may_lack_metadata: whether the metadata of the update site may be missing, so that it must be checked
    """

    def __init__(self, ci: CiService, may_lack_metadata: bool) -> None:
        self._ci = ci
        self._may_lack_metadata = may_lack_metadata
        self._offers: dict[str, Offer | None] = {}

    def find_offer(self, name: str) -> Offer | None:
        """Return an available plugin, or `None`."""
        if name not in self._offers:
            self._offers[name] = update_center.fetch_offer(self._ci, name)
        return self._offers[name]

    @functools.cached_property
    def lacks_metadata(self) -> bool:
        """Whether Jenkins has no metadata of its update site."""
        return self._may_lack_metadata and not update_center.has_metadata(self._ci)

    def fetch_load_failures(self, names: list[str]) -> dict[str, str]:
        """Return by name why plugins failed to load."""
        return failures.fetch_reasons(self._ci, names) if names else {}

    def find_problem_of_file(self, name: str, version: str | None, url: str) -> str | None:
        """Return why the file at a URL is not a plugin in a version, or `None` if it is."""
        return remote_file.find_problem(self._ci, name, version, url)

    def fetch_server_version(self) -> str:
        """Return the version of the server."""
        return server.fetch_release(self._ci)[1]


class Planner:
    """Plans the changes to plugins.

    :arg states: current states by name
    :arg unsatisfied: names of the plugins to install or upgrade
    :arg break_dependents: whether other plugins may depend on plugins that are disabled or uninstalled
    :arg may_restart: whether the server may be restarted before plugins are uninstalled
    :arg remove_undeclared: whether to uninstall plugins that are neither desired nor dependencies of desired ones
    """

    def __init__(
        self,
        sources: PlanSources,
        inventory: PluginInventory,
        desired: list[DesiredPlugin],
        states: Fields,
        unsatisfied: set[str],
        *,
        break_dependents: bool,
        may_restart: bool,
        remove_undeclared: bool,
    ) -> None:
        self._sources = sources
        self._inventory = inventory
        self._desired = desired
        self._states = states
        self._unsatisfied = unsatisfied
        self._break_dependents = break_dependents
        self._may_restart = may_restart
        self._remove_undeclared = remove_undeclared
        self._removed = {plugin.name for plugin in desired if not plugin.needs_installation}
        self._files: dict[str, PluginFile] = {
            plugin.name: plugin.file for plugin in desired if plugin.file and plugin.name in unsatisfied
        }
        self._installations: dict[str, Step] = {}
        self._dependencies: set[str] = set()
        self._problems: list[str] = []
        self._assumed: list[str] = []

    def plan(self) -> Plan:
        """Return the plan."""
        names = [plugin.name for plugin in self._desired]
        unlisted = [
            name for name in names if not self._states[name]["installed"] and name not in self._inventory.plugins
        ]
        load_failures = self._sources.fetch_load_failures(unlisted)
        changes = [step for plugin in self._desired for step in self._plan_plugin(plugin, load_failures)]
        undeclared, unknown = self._find_undeclared(), self._find_unknown()
        if self._remove_undeclared and not unknown:
            changes += [_uninstall(name, self._inventory.plugins[name].text("version")) for name in undeclared]
        steps = [*self._installations.values(), *changes]
        problems = [*self._problems, *self._find_broken_dependents(steps), *self._find_unloaded(steps)]
        return Plan(steps, problems, self._assumed, undeclared, unknown)

    def _find_undeclared(self) -> list[str]:
        """Return the installed plugins that are neither desired nor dependencies of plugins that should exist."""
        existing = {plugin.name for plugin in self._desired if not plugin.is_absent}
        unrequired = self._inventory.find_unrequired({*existing, *self._installations, *self._dependencies})
        return sorted(unrequired - {plugin.name for plugin in self._desired})

    def _find_unknown(self) -> list[str]:
        """Return the plugins whose dependencies are unknown until Jenkins has loaded them."""
        from_url = {name for name, step in self._installations.items() if step.url}
        return sorted({*from_url, *self._assumed, *self._inventory.pending_installations})

    def _plan_plugin(self, plugin: DesiredPlugin, load_failures: dict[str, str]) -> list[Step]:
        """Add the installations for a plugin; return its other steps."""
        name, state = plugin.name, self._states[plugin.name]
        if plugin.is_absent:
            return self._plan_removal(name, state, load_failures)
        if not state["installed"] and plugin.enabled is False:
            failure = load_failures.get(name)
            reason = f"it failed to load ({failure})" if failure is not None else "it is not installed"
            self._problems.append(f"{name} cannot be disabled: {reason}")
            return []
        if name in self._unsatisfied:
            self._add_plugin(plugin)
        if not state["installed"] or plugin.enabled in (None, state["enabled"]):
            return []
        action = "enable" if plugin.enabled else "disable"
        return [Step(action, name, state["version"], state["version"], None, True)]

    def _plan_removal(self, name: str, state: Fields, load_failures: dict[str, str]) -> list[Step]:
        if state["installed"]:
            return [_uninstall(name, state["version"])]
        if name in load_failures:
            self._problems.append(
                f"{name} is not loaded ({load_failures[name]}), but Jenkins tries to load its file at each start. "
                f"Delete plugins/{name}.jpi in the home directory of Jenkins"
            )
        return []

    def _find_broken_dependents(self, steps: list[Step]) -> list[str]:
        """Return a problem for each plugin to disable or uninstall that others require."""
        if self._break_dependents:
            return []
        removed = {step.name for step in steps if step.action in ("disable", "uninstall")}
        dependents = {name: self._inventory.find_dependents(name, removed) for name in sorted(removed)}
        return [
            f"{name} is required by {', '.join(others)} (see 'break_dependents')"
            for name, others in dependents.items()
            if others
        ]

    def _find_unloaded(self, steps: list[Step]) -> list[str]:
        """Return a problem for each plugin to uninstall that is not loaded yet."""
        if self._may_restart:
            return []
        return [
            f"{step.name} can only be uninstalled after the pending restart (see 'restart')"
            for step in steps
            if step.action == "uninstall" and step.name not in self._inventory.plugins
        ]

    def _add_plugin(self, plugin: DesiredPlugin) -> None:
        """Add the installation of a plugin and its dependencies."""
        name = plugin.name
        if plugin.file:
            self._add_file(name)
        elif plugin.url:
            self._add_url(name, plugin.exact, plugin.url)
        elif offer := self._sources.find_offer(name):
            self._add_from_site(plugin, offer)
        elif self._sources.lacks_metadata:
            self._assume_installation(name, plugin.exact, None)
        else:
            self._problems.append(f"{name} is not available from the update site")

    def _add_url(self, name: str, version: str | None, url: str) -> None:
        """Add an upload from a URL, unless its file is another plugin. Jenkins would install that one."""
        if problem := self._sources.find_problem_of_file(name, version, url):
            self._problems.append(problem)
        else:
            self._add_upload(name, version, url=url)

    def _add_from_site(self, plugin: DesiredPlugin, offer: Offer) -> None:
        name = plugin.name
        if plugin.exact and plugin.exact != offer.version:
            if url := _url_of_version(offer, plugin.exact):
                self._add_upload(name, plugin.exact, url=url)
            else:
                self._problems.append(
                    f"{name} {plugin.exact} is not available, only {offer.version}: set its file in 'src' or 'url'"
                )
        elif plugin.minimum and is_older(offer.version, plugin.minimum):
            self._problems.append(f"{name} {plugin.minimum} is not available, only {offer.version}")
        elif self._must_upload(name, offer):
            self._add_upload(name, offer.version, url=offer.url)
        else:
            self._add_offer(offer, None)

    def _must_upload(self, name: str, offer: Offer) -> bool:
        """Return whether Jenkins would not install the offer: it ignores uninstalled plugins and older versions."""
        plugin = self._inventory.plugins.get(name)
        if plugin is None:
            return False
        return bool(plugin.maybe_flag("deleted")) or not is_older(plugin.text("version"), offer.version)

    def _add_file(self, name: str) -> None:
        """Add an upload after its dependencies. Jenkins keeps a file that it cannot load, and retries at each start."""
        file = self._files.pop(name, None)
        if file is None:  # not a file, or already added as a dependency of another file
            return
        subject = f"{name} {file.version}"
        if file.core:
            core = self._inventory.version or self._sources.fetch_server_version()
            if is_older(core, file.core):
                self._problems.append(f"{subject} requires Jenkins {file.core}, but the server is {core}")
        dependencies = [one for one in file.dependencies if not one.optional or self._inventory.lacks(one)]
        for dependency in dependencies:
            self._add_dependency(dependency.name, dependency.version, name)
        self._add_upload(name, file.version, src=file.path)
        unloaded = sorted({one.name for one in dependencies if self._is_loaded_late(one.name)})
        if unloaded and self._installations[name].is_new:
            self._problems.append(
                f"{subject} requires {', '.join(unloaded)}, which Jenkins loads at its next start: install or enable "
                "the dependencies first, in a separate task with 'restart: when_needed'"
            )

    def _is_loaded_late(self, name: str) -> bool:
        """Return whether a plugin is only usable after a restart."""
        if step := self._installations.get(name):
            return bool(step.needs_restart)
        plugin = self._inventory.plugins.get(name)
        return plugin is not None and plugin.maybe_flag("active") is False

    def _add_upload(self, name: str, version: str | None, url: str | None = None, src: str | None = None) -> None:
        is_new = name not in self._inventory.plugins
        old_version = self._states[name]["version"]
        needs_restart = None if is_new else True
        self._installations[name] = Step(
            "upload", name, old_version, version, None, needs_restart, is_new, url=url, src=src
        )

    def _add_offer(self, offer: Offer, required_by: str | None) -> None:
        """Add the installation of an available plugin after its dependencies."""
        if offer.name in self._installations:
            if required_by is None:
                step = self._installations[offer.name]
                self._installations[offer.name] = step._replace(required_by=None)
            return
        if not offer.is_compatible:
            self._problems.append(f"{offer.name} {offer.version} requires Jenkins {offer.required_core}")
        for name, version in sorted(offer.dependencies.items()):
            self._add_dependency(name, version, offer.name)
        is_late = any(map(self._is_loaded_late, offer.dependencies))
        self._add_installation(offer.name, offer.version, required_by, is_late=is_late)

    def _assume_installation(self, name: str, version: str | None, required_by: str | None) -> None:
        """Add the installation of a plugin that is assumed to be available."""
        self._add_installation(name, version, required_by, is_late=False)
        self._assumed.append(name)

    def _add_installation(self, name: str, version: str | None, required_by: str | None, *, is_late: bool) -> None:
        """Add an installation.

        :arg is_late: whether a dependency is only loaded by the next start
        """
        plugin = self._inventory.plugins.get(name)
        if plugin is None:
            step = Step("install", name, None, version, required_by, is_late or None, is_new=True)
        else:
            step = Step("install", name, plugin.text("version"), version, required_by, True)
        self._installations[name] = step

    def _add_dependency(self, name: str, version: str, dependent: str) -> None:
        self._dependencies.add(name)
        if name in self._removed:
            self._problems.append(f"{dependent} requires {name}, which this task uninstalls or disables")
            return
        self._add_file(name)
        if step := self._installations.get(name):
            if step.version is not None and is_older(step.version, version):
                self._problems.append(f"{dependent} requires {name} {version}, but this task installs {step.version}")
            return
        plugin = self._inventory.plugins.get(name)
        if plugin is not None and plugin.maybe_flag("deleted"):
            self._problems.append(f"{dependent} requires {name}, which is uninstalled at the next start")
        elif plugin is not None and not is_older(plugin.text("version"), version):
            if not plugin.flag("enabled"):
                current = plugin.text("version")
                self._installations[name] = Step("enable", name, current, current, dependent, True)
        else:
            self._add_available_dependency(name, version, dependent)

    def _add_available_dependency(self, name: str, version: str, dependent: str) -> None:
        offer = self._sources.find_offer(name)
        if offer is None and self._sources.lacks_metadata:
            self._assume_installation(name, None, dependent)
        elif offer is None or is_older(offer.version, version):
            self._problems.append(f"{dependent} requires {name} {version}, which is neither installed nor available")
        else:
            self._add_offer(offer, dependent)


def _uninstall(name: str, version: str | None) -> Step:
    return Step("uninstall", name, version, None, None, True)


def _url_of_version(offer: Offer, version: str) -> str | None:
    """Return the URL of another version, which update sites keep next to the offered one."""
    offered, requested = f"/{offer.version}/", f"/{version}/"
    return offer.url.replace(offered, requested) if offer.url and offered in offer.url else None
