# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Change the plugins of a server: prepare, plan, apply, and verify the list of plugins."""

from __future__ import annotations

from xml.sax.saxutils import quoteattr

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import (
    failures,
    inventory,
    security,
    update_center,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.desired import DesiredPlugin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.installer import PluginInstaller
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.inventory import (
    ABSENT,
    Fields,
    PluginInventory,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.plan import (
    EMPTY_PLAN,
    Plan,
    Planner,
    PlanSources,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.update_center import Job, UpdateCenter
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.versions import is_older
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.restarts import restart
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError, join_names
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import run_or_predict
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import warn_of_undeclared

_NO_METADATA = (
    "Assumed that the update site offers {names}: Jenkins has not read the site yet and does not read it in check mode."
)
_UNDECLARED_KEPT = (
    "Undeclared plugins were kept: {names}. Jenkins reports the dependencies of {unknown} only after loading the new "
    "version. Run the task again once Jenkins has restarted to remove the undeclared plugins."
)


class PluginManager:
    """Brings the plugins of a server to their desired states. Call `prepare`, reconcile, and call `finish`."""

    def __init__(self, task: Task, ci: CiService, desired: list[DesiredPlugin]) -> None:
        self._task = task
        self._ci = ci
        self._desired = desired
        self._installer = PluginInstaller(task, ci)
        self._inventory = PluginInventory({}, UpdateCenter([], False, 0, 0, None))
        self._is_prepared = False
        self._may_lack_metadata = False
        self._unsatisfied: set[str] | None = None
        self._plan = EMPTY_PLAN
        task.result.update(plan=[], restart=None)

    def prepare(self) -> None:
        """Read the inventory, wait for installations in progress and refresh outdated metadata of the update site."""
        self._inventory = inventory.fetch_inventory(self._ci)
        run_or_predict(self._task, self._wait_for_installations, lambda: None)
        self._unsatisfied = self._find_unsatisfied(self._states())
        if self._has_outdated_metadata(self._unsatisfied):
            run_or_predict(self._task, self._refresh_metadata, self._predict_metadata)
        self._is_prepared = True

    def read(self) -> Fields:
        """Return the states of the plugins of the plan, as they are after the pending restart."""
        if not self._is_prepared:
            self._inventory = inventory.fetch_inventory(self._ci)
            self._wait_for_installations()
        self._is_prepared = False
        return self._states()

    def _wait_for_installations(self) -> None:
        if any(job.is_in_progress for job in self._inventory.center.jobs):
            update_center.wait_until_installed(self._task, self._ci, self._inventory.center)
            self._inventory = inventory.fetch_inventory(self._ci)

    def _states(self) -> Fields:
        names = {plugin.name for plugin in self._desired} | {step.name for step in self._plan.steps}
        if self._task.params["undeclared"] != "keep":
            names |= self._inventory.find_unrequired(plugin.name for plugin in self._desired if not plugin.is_absent)
        return {name: self._state(name) for name in sorted(names)}

    def _state(self, name: str) -> Fields:
        return self._inventory.state(name, self._installer.uploaded)

    def desired(self, states: Fields | None) -> Fields:
        """Plan the changes; return the fields that they change.

        :raises ToolchainError: if there are problems, listing all of them
        """
        plan = self._plan = self.plan(states or {})
        if plan.assumed:
            self._task.warn(_NO_METADATA.format(names=", ".join(plan.assumed)))
        self._task.result["plan"] = [step.to_result() for step in plan.steps]
        self._report_undeclared(plan)
        if plan.problems:
            raise ToolchainError(
                f"No plugin was changed because of {len(plan.problems)} problem(s): {'; '.join(plan.problems)}"
            )
        return plan.resulting_states()

    def check(self, _before: Fields | None, _changes: Fields | None) -> None:
        """Refuse a plan that disables or uninstalls plugins of the security settings, unless this is allowed.

        :raises ToolchainError: if it does
        """
        if not self._task.params["allow_lockout"]:
            security.check_lockout(self._ci, self._inventory, self._plan)

    def _report_undeclared(self, plan: Plan) -> None:
        mode = self._task.params["undeclared"]
        if mode == "keep":
            return
        self._task.result["undeclared"] = plan.undeclared
        if mode == "report":
            warn_of_undeclared(self._task, "plugins", plan.undeclared)
        elif plan.undeclared and plan.unknown:
            names, unknown = join_names(plan.undeclared), join_names(plan.unknown)
            self._task.warn(_UNDECLARED_KEPT.format(names=names, unknown=unknown))

    def plan(self, states: Fields) -> Plan:
        """Return the plan for the current states, without changing anything."""
        unsatisfied, self._unsatisfied = self._unsatisfied, None
        planner = Planner(
            PlanSources(self._ci, self._may_lack_metadata),
            self._inventory,
            self._desired,
            states,
            self._find_unsatisfied(states) if unsatisfied is None else unsatisfied,
            break_dependents=self._task.params["break_dependents"],
            may_restart=self._task.params["restart"] == "when_needed",
            remove_undeclared=self._task.params["undeclared"] == "remove",
        )
        return planner.plan()

    def _find_unsatisfied(self, states: Fields) -> set[str]:
        """Return the names of the plugins that are missing or have the wrong version."""
        unsatisfied, to_compare = set(), {}
        for plugin in self._desired:
            state = states[plugin.name]
            if not plugin.needs_installation:
                continue
            is_other = plugin.exact not in (None, state["version"])
            if not state["installed"] or is_other or self._is_outdated(plugin, state):
                unsatisfied.add(plugin.name)
            elif plugin.minimum and plugin.minimum != state["version"]:
                to_compare[plugin.name] = plugin.minimum
        return unsatisfied | self._find_too_old(to_compare, states)

    def _is_outdated(self, plugin: DesiredPlugin, state: Fields) -> bool:
        """Return whether a plugin should have the latest version but has not, even after the pending restart."""
        listed = self._inventory.plugins.get(plugin.name)
        if not plugin.is_latest or listed is None or state["version"] != listed.text("version"):
            return False
        return bool(listed.maybe_flag("hasUpdate"))

    def _find_too_old(self, minimums: dict[str, str], states: Fields) -> set[str]:
        """Return the names of the plugins that are older than required. Jenkins compares those that are loaded."""
        loaded = {name for name in minimums if self._inventory.pending_installation(name) is None}
        too_old = {
            name
            for name in minimums.keys() - loaded
            if not states[name]["version"] or is_older(states[name]["version"], minimums[name])
        }
        if not loaded:
            return too_old
        elements = "".join(f"<plugin plugin={quoteattr(f'{name}@{minimums[name]}')}/>" for name in sorted(loaded))
        document = f"<plugins>{elements}</plugins>".encode()
        response = self._ci.post("/pluginManager/prevalidateConfig", read_only=True, data=document)
        return too_old | ({entry.text("name") for entry in response.records()} & loaded)

    def _has_outdated_metadata(self, unsatisfied: set[str]) -> bool:
        """Return whether the plan depends on the update site and Jenkins' metadata of it is too old."""
        is_needed = any(
            plugin.is_latest or (plugin.name in unsatisfied and self._needs_site(plugin)) for plugin in self._desired
        )
        age = self._inventory.center.server_time - self._inventory.center.metadata_time
        return is_needed and age > self._task.params["metadata_max_age"]

    def _needs_site(self, plugin: DesiredPlugin) -> bool:
        """Return whether a plugin, or a dependency of its file, is installed from the update site."""
        if plugin.file:
            return any(map(self._inventory.lacks, plugin.file.dependencies))
        return not plugin.url

    def _refresh_metadata(self) -> None:
        problem = update_center.refresh_metadata(self._ci, self._inventory.center)
        self._inventory = inventory.fetch_inventory(self._ci)
        if problem and any(plugin.is_latest for plugin in self._desired):
            raise ToolchainError(f"The latest versions are unknown: refreshing the update site failed ({problem}).")
        if problem:
            self._task.warn(f"Refreshing the update site failed ({problem}). The existing metadata was used.")
        self._unsatisfied = self._find_unsatisfied(self._states())

    def _predict_metadata(self) -> None:
        """Predict that the refreshed metadata offers what the plan needs."""
        self._may_lack_metadata = True

    def predict_refusal(self) -> None:
        """Check in check mode whether the account may change plugins.

        :raises ServerRefusal: if it may not
        """
        server.check_administer_permission(self._ci)

    def to_result(self, states: Fields) -> Fields:
        """Return the plugins with all fields; a prediction contains only those that change."""
        return {name: self._complete_state(name, {**ABSENT, **state}) for name, state in states.items()}

    def _complete_state(self, name: str, state: Fields) -> Fields:
        listed = self._inventory.plugins.get(name)
        if state["installed"] and state["enabled"] is None and listed is not None:
            return {**state, "enabled": listed.flag("enabled")}
        return state

    def update(self, _changes: Fields) -> None:
        """Apply the plan that `desired` has made."""
        self.apply(self._plan)

    def apply(self, plan: Plan) -> None:
        """Take the steps of a plan.

        :raises ToolchainError: if a step had no effect, listing all of these with the reason
        """
        if any(step.name not in self._inventory.plugins for step in plan.select("uninstall")):
            self._restart()  # because only loaded plugins can be uninstalled
        disabled = {name for name, plugin in self._inventory.plugins.items() if not plugin.flag("enabled")}
        last_job_id = self._inventory.center.last_job_id
        self._installer.change(plan.select("enable"))
        if self._installer.install(plan):
            update_center.wait_until_installed(self._task, self._ci, self._inventory.center)
            self._inventory = inventory.fetch_inventory(self._ci)
            self._verify_installed(plan, last_job_id)
            enabled = {step.name for step in plan.select("enable")}
            self._installer.disable_again(disabled - enabled, self._inventory)
        self._installer.change(plan.select("disable"))
        self._installer.change(plan.select("uninstall"))

    def _verify_installed(self, plan: Plan, last_job_id: int) -> None:
        """Check that the list contains the installed versions.

        :raises ToolchainError: if it does not, with the reasons
        """
        steps = plan.select("install", "upload")
        states = {step.name: self._state(step.name) for step in steps}
        missing = [step for step in steps if states[step.name]["version"] != step.version]
        if not missing:
            return
        self._task.result["plugins"] = self._states()
        load_failures = failures.fetch_reasons(self._ci, [step.name for step in missing])
        center_jobs = self._inventory.center.jobs
        jobs = {job.plugin: job for job in center_jobs if job.id > last_job_id and job.status == "Failure"}
        reasons = [
            f"{step.name} {step.version}: "
            f"{_describe_failure(jobs.get(step.name), load_failures.get(step.name), states[step.name])}"
            for step in missing
        ]
        raise ToolchainError(f"{len(missing)} of {len(steps)} plugin(s) were not installed: {'; '.join(reasons)}")

    def finish(self) -> None:
        """Restart the server if required and requested, verify the plugins, and report whether a restart is pending."""
        if self._inventory.is_restart_required and self._task.params["restart"] == "when_needed":
            run_or_predict(self._task, self._restart_and_verify, self._predict_restart)
        will_require_restart = run_or_predict(self._task, lambda: False, self._plan_needs_restart)
        self._task.result["restart_required"] = self._inventory.is_restart_required or will_require_restart

    def _restart_and_verify(self) -> None:
        self._restart()
        self._task.changed = True
        self._verify_after_restart()

    def _predict_restart(self) -> None:
        self._task.changed = True

    def _plan_needs_restart(self) -> bool:
        return any(step.needs_restart for step in self._plan.steps)

    def _restart(self) -> None:
        self._task.result["restart"] = restart.update_center_restart(self._task, self._ci).apply()
        self._inventory = inventory.fetch_inventory(self._ci)

    def _verify_after_restart(self) -> None:
        """Check the plugins after a restart, which skips those that it cannot load."""
        states = self._states()
        self._task.result["plugins"] = states
        wrong = [name for name, state in states.items() if not self._is_as_desired(name, state)]
        if not wrong:
            return
        load_failures = failures.fetch_reasons(self._ci, wrong)
        reasons = [f"{name}: {load_failures.get(name) or f'it is {_describe_state(states[name])}'}" for name in wrong]
        raise ToolchainError(
            f"After the restart, {len(wrong)} plugin(s) are not in the desired state: {'; '.join(reasons)}"
        )

    def _is_as_desired(self, name: str, state: Fields) -> bool:
        fields = self._plan.resulting_states().get(name, {})
        plugin = next((plugin for plugin in self._desired if plugin.name == name), None)
        should_exist = fields.get("installed", not (plugin and plugin.is_absent))
        return state["installed"] is should_exist and all(state[field] == value for field, value in fields.items())


def _describe_failure(job: Job | None, load_failure: str | None, state: Fields) -> str:
    """Return why an installation had no effect."""
    if job or load_failure:
        error = job.error if job else None
        return f"{error or 'Jenkins gave no reason'}{f' ({load_failure})' if load_failure else ''}"
    if not state["installed"]:
        return "Jenkins does not list it. Check whether Jenkins restarted or the file contains another plugin"
    return f"Jenkins lists version {state['version']}. Check whether the file contains another version"


def _describe_state(state: Fields) -> str:
    if not state["installed"]:
        return "not installed"
    return f"installed in version {state['version']} and {'enabled' if state['enabled'] else 'disabled'}"
