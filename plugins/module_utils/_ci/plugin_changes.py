# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Changes of plugins: planned, carried out one after the other, and believed only when the server's list has them."""

from __future__ import annotations

from urllib.parse import quote
from xml.sax.saxutils import quoteattr

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import failed_plugins, server, update_center
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugin_plan import (
    ABSENT,
    Fields,
    Look,
    Planning,
    Step,
    brought_about,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugin_restart import RestartBehindInstallations
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.update_center import UPLOADED, Center, Job
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.versions import is_older
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.wanted_plugins import Wanted
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import LocalFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.multipart import Multipart
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_LISTED = "plugins[active,deleted,dependencies[optional,shortName,version],enabled,hasUpdate,shortName,version]"
_BRING = ("install", "upload")
_GUESSED = (
    "Whether the update site offers {names} is not known: Jenkins has not read it yet, and does not in check mode."
)


class PluginChanges:
    """Brings the plugins of a server to where they shall be."""

    def __init__(self, task: Task, ci: CiService, wanted: list[Wanted]) -> None:
        self._task = task
        self._ci = ci
        self._wanted = wanted
        self._steps: list[Step] = []
        self._uploaded: dict[str, str] = {}
        self._look = Look({}, Center([], False, 0, 0, None))
        task.result.update(plan=[], restart=None)

    def _looked(self) -> Look:
        response = self._ci.view("/pluginManager", _LISTED, accept=(200, 404))
        if response.status == 404:
            raise ToolchainError(
                "This server does not list its plugins (Hudson does not). Or is the path in 'url' right?"
            )
        listed = {plugin.text("shortName"): plugin for plugin in response.record().records("plugins")}
        return Look(listed, update_center.center(self._ci), response.headers.get("X-Jenkins"))

    def _wait(self) -> None:
        """Until no installation is under way."""
        update_center.wait_until_installed(self._task, self._ci, self._look.center)
        self._look = self._looked()

    def read(self) -> Fields:
        """The plugins that the plan is about, as they are, or will be after a restart that is pending."""
        self._look = self._looked()
        if not self._task.check_mode and any(job.under_way for job in self._look.center.jobs):
            self._wait()
        return self._states()

    def _states(self) -> Fields:
        names = {plugin.name for plugin in self._wanted} | {step.name for step in self._steps}
        return {name: self._state(name) for name in sorted(names)}

    def _state(self, name: str) -> Fields:
        listed, pending = self._look.listed.get(name), self._look.pending(name)
        if listed is None:
            return {"installed": True, "version": self._coming(pending), "enabled": True} if pending else dict(ABSENT)
        if listed.maybe_flag("deleted"):
            return dict(ABSENT)
        version = self._coming(pending) if pending else listed.text("version")
        return {"installed": True, "version": version, "enabled": listed.flag("enabled")}

    def _coming(self, pending: Job) -> str | None:
        """The version that comes with the next start; of a file that was handed in by others it is not told."""
        known = self._uploaded.get(str(pending.plugin))
        return known if pending.version == UPLOADED else pending.version

    def desired(self, states: Fields | None) -> Fields:
        """The plan, as the fields that it brings about.

        :raises ToolchainError: naming all that speaks against it
        """
        before = states or {}
        unsatisfied = self._unsatisfied(before)
        outdated = self._is_outdated(unsatisfied)
        if outdated and not self._task.check_mode:
            self._refresh()
            unsatisfied = self._unsatisfied(before)
        may_guess = outdated and self._task.check_mode
        planning = Planning(self._ci, self._look, self._wanted, unsatisfied, may_guess=may_guess)
        self._steps = planning.steps(before)
        if planning.guesses:
            self._task.warn(_GUESSED.format(names=", ".join(planning.guesses)))
        self._task.result["plan"] = [step.shown() for step in self._steps]
        if problems := [*planning.problems, *self._broken_dependants(), *self._not_yet_loaded()]:
            raise ToolchainError(f"Nothing was changed, for {len(problems)} reason(s): {'; '.join(problems)}")
        return brought_about(self._steps)

    def _unsatisfied(self, before: Fields) -> set[str]:
        """Names of the plugins that are not there, or not in the version that is asked for."""
        found, asked = set(), {}
        for plugin in self._wanted:
            state = before[plugin.name]
            if plugin.absent or plugin.enabled is False:
                continue
            if not state["installed"] or plugin.exactly not in (None, state["version"]) or self._lags(plugin, state):
                found.add(plugin.name)
            elif plugin.minimum and plugin.minimum != state["version"]:
                asked[plugin.name] = plugin
        return found | self._too_old(asked, before)

    def _lags(self, plugin: Wanted, state: Fields) -> bool:
        """Whether a plugin that shall be the latest is not, even after a restart that is pending."""
        listed = self._look.listed.get(plugin.name)
        if not plugin.latest or listed is None or state["version"] != listed.text("version"):
            return False
        return bool(listed.maybe_flag("hasUpdate"))

    def _too_old(self, asked: dict[str, Wanted], before: Fields) -> set[str]:
        """Those that are older than they shall be; the server itself compares what it has loaded."""
        loaded = {name for name in asked if self._look.pending(name) is None}
        waiting = {
            name
            for name in asked.keys() - loaded
            if not before[name]["version"] or is_older(before[name]["version"], str(asked[name].minimum))
        }
        if not loaded:
            return waiting
        elements = "".join(f"<plugin plugin={quoteattr(f'{name}@{asked[name].minimum}')}/>" for name in sorted(loaded))
        response = self._ci.post(
            "/pluginManager/prevalidateConfig", reads=True, data=f"<plugins>{elements}</plugins>".encode()
        )
        return waiting | ({entry.text("name") for entry in response.records()} & loaded)

    def _is_outdated(self, unsatisfied: set[str]) -> bool:
        """Whether it matters what the update site offers, and Jenkins last read it too long ago."""
        matters = any(
            plugin.latest or (plugin.name in unsatisfied and self._needs_site(plugin)) for plugin in self._wanted
        )
        age = self._look.center.now - self._look.center.stamp
        return matters and age > self._task.params["metadata_max_age"]

    def _needs_site(self, plugin: Wanted) -> bool:
        """Whether a plugin, or a dependency of its file, comes from the update site."""
        if plugin.file:
            return any(map(self._look.lacks, plugin.file.dependencies))
        return not plugin.url

    def _refresh(self) -> None:
        """Let the server ask its update site."""
        problem = update_center.refresh(self._ci, self._look.center)
        self._look = self._looked()
        if problem and any(plugin.latest for plugin in self._wanted):
            raise ToolchainError(f"What is the latest version is not known: the update site failed ({problem}).")
        if problem:
            self._task.warn(f"The update site failed ({problem}): what the server knew of it before is used.")

    def _broken_dependants(self) -> list[str]:
        """What would no longer load, because a plugin that it needs goes or is disabled."""
        going = {step.name for step in self._steps if step.action in ("disable", "uninstall")}
        if self._task.params["break_dependents"]:
            return []
        found = {name: self._look.dependants(name, going) for name in sorted(going)}
        return [
            f"{name} is needed by {', '.join(names)} (see 'break_dependents')" for name, names in found.items() if names
        ]

    def _not_yet_loaded(self) -> list[str]:
        """What shall be uninstalled, but waits for a restart; the server does that only with what is loaded."""
        names = [step.name for step in self._steps if self._comes_with_restart(step)]
        if self._task.params["restart"] == "when_needed":
            return []
        return [f"{name} waits for a restart, and can be uninstalled after that only (see 'restart')" for name in names]

    def _comes_with_restart(self, step: Step) -> bool:
        return step.action == "uninstall" and step.name not in self._look.listed

    def predict_refusal(self) -> None:
        """Check in check mode whether the account may change plugins.

        :raises ServerRefusal: if it may not
        """
        server.check_administers(self._ci)

    def show(self, states: Fields) -> Fields:
        """The plugins as results show them, with all members; a prediction has only those that change."""
        return {name: self._shown(name, {**ABSENT, **state}) for name, state in states.items()}

    def _shown(self, name: str, state: Fields) -> Fields:
        """A plugin with what another version of it leaves as it is."""
        listed = self._look.listed.get(name)
        if state["installed"] and state["enabled"] is None and listed is not None:
            return {**state, "enabled": listed.flag("enabled")}
        return state

    def carry_out(self, _changes: Fields) -> None:
        """Take the steps.

        :raises ToolchainError: naming each that did not have its effect, with the reason
        """
        if any(map(self._comes_with_restart, self._steps)):
            self._restart()
        disabled = {name for name, plugin in self._look.listed.items() if not plugin.flag("enabled")}
        last = self._look.center.last_id
        self._each("enable", "makeEnabled")
        self._install([step for step in self._steps if step.action == "install"])
        for step in self._steps:
            if step.action == "upload":
                self._upload(step)
        if any(step.action in _BRING for step in self._steps):
            self._wait()
            self._check(last)
            self._disable_again(disabled)
        self._each("disable", "makeDisabled")
        self._each("uninstall", "doUninstall")

    def _each(self, action: str, call: str) -> None:
        for step in self._steps:
            if step.action == action:
                self._call(step.name, call)

    def _call(self, name: str, call: str) -> None:
        path = f"/pluginManager/plugin/{quote(name)}/{call}"
        self._ci.post(path, policy=IDEMPOTENT, accept=(200, 302))

    def _disable_again(self, disabled: set[str]) -> None:
        """What an installation has enabled by the way."""
        enabled = {step.name for step in self._steps if step.action == "enable"}
        for name in sorted(disabled - enabled):
            if name in self._look.listed and self._look.listed[name].flag("enabled"):
                self._call(name, "makeDisabled")

    def _install(self, steps: list[Step]) -> None:
        """Install plugins. One that needs what the next start loads cannot be loaded at once, and would fail."""
        asked = [step for step in steps if step.required_by is None]
        late = [step.name for step in asked if step.new and step.needs_restart]
        self._install_by_name([step.name for step in asked if step.name not in late], dynamic=True)
        self._install_by_name(late, dynamic=False)

    def _install_by_name(self, names: list[str], dynamic: bool) -> None:
        if not names:
            return
        response = self._ci.post(
            "/pluginManager/installPlugins", policy=IDEMPOTENT, json={"plugins": names, "dynamicLoad": dynamic}
        )
        self._task.changed = True  # installations go on in the background, so that reading back may not show them yet
        told = response.record()
        if told.text("status") != "ok":
            raise ToolchainError(f"The server refused to install plugins: {told.maybe_text('message')}.")

    def _upload(self, step: Step) -> None:
        """Hand a file in, or an address from which the server gets it: two parts in this order, the other one empty."""
        if step.src:
            form = Multipart({"pluginUrl": ""}, {"name": LocalFile.from_path_unhashed(step.src)})
        else:
            form = Multipart({"name": "", "pluginUrl": step.url or ""}, {})
        try:
            self._ci.post("/pluginManager/uploadPlugin", policy=IDEMPOTENT, accept=(302,), data=form)
        except ServerRefusal as refusal:
            if refusal.status == 500:
                what = step.src or step.url
                raise ToolchainError(f"{refusal} Could the server get {what}, and is it a plugin?") from None
            raise
        self._task.changed = True  # as in _install
        self._uploaded[step.name] = str(step.version)

    def _check(self, last: int) -> None:
        """Believe only the list; where that has not what was asked for, find out why."""
        steps = [step for step in self._steps if step.action in _BRING]
        states = {step.name: self._state(step.name) for step in steps}
        missing = [step for step in steps if states[step.name]["version"] != step.version]
        if not missing:
            return
        self._task.result["plugins"] = self._states()
        failed = failed_plugins.reasons(self._ci, [step.name for step in missing])
        jobs = {job.plugin: job for job in self._look.center.jobs if job.id > last and job.status == "Failure"}
        reasons = [
            f"{step.name} {step.version}: {_reason(jobs.get(step.name), failed.get(step.name), states[step.name])}"
            for step in missing
        ]
        raise ToolchainError(f"{len(missing)} of {len(steps)} plugin(s) were not installed: {'; '.join(reasons)}")

    def settle(self) -> None:
        """Restart the server if that is wanted and needed, and see that everything is so afterwards."""
        when_needed = self._task.params["restart"] == "when_needed"
        if self._task.check_mode:
            foreseen = any(step.needs_restart for step in self._steps)
            self._task.result["restart_required"] = foreseen or self._look.restart_required
            self._task.changed = self._task.changed or (when_needed and self._look.restart_required)
            return
        if when_needed and self._look.restart_required:
            self._restart()
            self._task.changed = True
            self._check_after_restart()
        self._task.result["restart_required"] = self._look.restart_required

    def _restart(self) -> None:
        restart = RestartBehindInstallations(self._task, self._ci)
        self._task.result["restart"] = restart.carry_out()
        self._look = self._looked()

    def _check_after_restart(self) -> None:
        """A start leaves out what it cannot load."""
        states = self._states()
        self._task.result["plugins"] = states
        bad = [name for name, state in states.items() if not self._is_as_wanted(name, state)]
        if not bad:
            return
        failed = failed_plugins.reasons(self._ci, bad)
        reasons = [f"{name}: {failed.get(name) or f'it is {_words(states[name])}'}" for name in bad]
        raise ToolchainError(f"After the restart {len(bad)} plugin(s) are not as asked for: {'; '.join(reasons)}")

    def _is_as_wanted(self, name: str, state: Fields) -> bool:
        wanted = brought_about([step for step in self._steps if step.name == name])
        plugin = next((plugin for plugin in self._wanted if plugin.name == name), None)
        there = state["installed"] is not bool(plugin and plugin.absent)
        return there and all(state[member] == value for member, value in wanted.get(name, {}).items())


def _reason(job: Job | None, failed: str | None, state: Fields) -> str:
    """Why an installation had not the effect that was asked for."""
    if job or failed:
        said = job.error if job else None
        return f"{said or 'the server does not say why'}{f' ({failed})' if failed else ''}"
    if not state["installed"]:
        return "the server does not list it; did it restart meanwhile, or is the file another plugin than said?"
    return f"the server lists version {state['version']}; is the file another one than the site says?"


def _words(state: Fields) -> str:
    if not state["installed"]:
        return "not there"
    return f"there in version {state['version']}, {'enabled' if state['enabled'] else 'disabled'}"
