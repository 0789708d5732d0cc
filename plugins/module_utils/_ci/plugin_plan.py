# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The plan of a change of plugins: what has to be done, in which order, and what speaks against it."""

from __future__ import annotations

import functools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import failed_plugins, server, update_center
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugin_file import Dependency
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.update_center import Center, Job, Offer
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.versions import is_older
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.wanted_plugins import Wanted
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record

ABSENT = {"installed": False, "version": None, "enabled": None}

Fields = dict[str, t.Any]

_RESULT = ("action", "name", "old_version", "version", "required_by", "needs_restart")


class Step(t.NamedTuple):
    """One step of a plan.

    :ivar action: `install`, `upload`, `enable`, `disable` or `uninstall`
    :ivar version: the one that comes of it
    :ivar required_by: the plugin that needs it, if the task does not list it
    :ivar needs_restart: whether it shows from the next start on only; `None`: the server knows when it has the file
    :ivar new: whether the server has no such plugin
    """

    action: str
    name: str
    old_version: str | None
    version: str | None
    required_by: str | None
    needs_restart: bool | None
    new: bool = False
    url: str | None = None
    src: str | None = None

    def shown(self) -> Fields:
        """The step in a result."""
        members = self._asdict()
        return {name: members[name] for name in _RESULT}


class Look(t.NamedTuple):
    """What the server tells at a moment: its list, the update centre, and its version where the list has that."""

    listed: dict[str, Record]
    center: Center
    version: str | None = None

    def pending(self, name: str) -> Job | None:
        """The installation of a plugin that waits for a restart; a later one of the same does not say so again."""
        jobs = [job for job in self.center.jobs if job.plugin == name and job.waits_for_restart]
        return jobs[-1] if jobs else None

    def lacks(self, needed: Dependency) -> bool:
        """Whether a plugin that needs this cannot be loaded. An optional dependency counts only while it is in use."""
        listed = self.listed.get(needed.name)
        if listed is None:
            return not needed.optional
        if needed.optional and not (listed.maybe_flag("active") or listed.flag("enabled")):
            return False
        return is_older(listed.text("version"), needed.version)

    def dependants(self, name: str, going: t.Container[str]) -> list[str]:
        """The plugins that need one, and are not `going` themselves."""
        return sorted(
            other
            for other, plugin in self.listed.items()
            if other not in going and plugin.flag("enabled") and not plugin.maybe_flag("deleted")
            for needed in plugin.maybe_records("dependencies")
            if needed.text("shortName") == name and not needed.maybe_flag("optional")
        )

    @property
    def restart_required(self) -> bool:
        """Whether anything waits for a restart; a part of that the update centre does not count."""
        changes = any(
            plugin.maybe_flag("deleted") or plugin.maybe_flag("active") != plugin.maybe_flag("enabled")
            for plugin in self.listed.values()
        )
        return self.center.restart_required or changes


class Planning:
    """What has to be done, and what speaks against it.

    :arg may_guess: whether plugins may be planned of which Jenkins cannot know whether they are offered
    :ivar guesses: these plugins
    """

    def __init__(
        self, ci: CiService, look: Look, wanted: list[Wanted], unsatisfied: set[str], *, may_guess: bool
    ) -> None:
        self._ci = ci
        self._look = look
        self._wanted = wanted
        self._unsatisfied = unsatisfied
        self._before: Fields = {}
        self._offers: dict[str, Offer | None] = {}
        self._files = {plugin.name: plugin.file for plugin in wanted if plugin.file and plugin.name in unsatisfied}
        self._going = {plugin.name for plugin in wanted if plugin.absent or plugin.enabled is False}
        self._installs: dict[str, Step] = {}
        self._may_guess = may_guess
        self.problems: list[str] = []
        self.guesses: list[str] = []

    def steps(self, before: Fields) -> list[Step]:
        """All steps, in the order in which they are taken."""
        unlisted = [p.name for p in self._wanted if not before[p.name]["installed"] and p.name not in self._look.listed]
        failed = failed_plugins.reasons(self._ci, unlisted) if unlisted else {}
        changes: list[Step] = []
        self._before = before
        for plugin in self._wanted:
            state = before[plugin.name]
            if plugin.absent:
                changes += self._absent(plugin.name, state, failed)
            elif not state["installed"] and plugin.enabled is False:
                self.problems.append(f"{plugin.name} cannot be disabled: {_missing(plugin.name, failed)}")
            else:
                if plugin.name in self._unsatisfied:
                    self._install(plugin)
                if state["installed"] and plugin.enabled not in (None, state["enabled"]):
                    action = "enable" if plugin.enabled else "disable"
                    changes.append(Step(action, plugin.name, state["version"], state["version"], None, True))
        return [*self._installs.values(), *changes]

    def _absent(self, name: str, state: Fields, failed: dict[str, str]) -> t.Iterator[Step]:
        if state["installed"]:
            yield Step("uninstall", name, state["version"], None, None, True)
        elif name in failed:
            self.problems.append(
                f"{name} is not loaded ({failed[name]}), but its file is there and is tried at each start: remove "
                f"plugins/{name}.jpi from the server's home"
            )

    def _install(self, plugin: Wanted) -> None:
        """The steps that install a plugin, what it needs first."""
        name = plugin.name
        if plugin.file:
            self._add_file(name)
            return
        if plugin.url:
            self._add_upload(name, plugin.exactly, plugin.url)
            return
        offer = self._offer(name)
        if offer is None and self._knows_nothing:
            self._add_guess(name, plugin.exactly, None)
        elif offer is None:
            self.problems.append(f"{name} is not offered by the update site, as far as the server knows")
        elif plugin.exactly and plugin.exactly != offer.version:
            url = _other_version(offer, plugin.exactly)
            if url:
                self._add_upload(name, plugin.exactly, url)
            else:
                self.problems.append(
                    f"{name} {plugin.exactly} is not offered, {offer.version} is: give its file by 'src' or 'url'"
                )
        elif plugin.minimum and is_older(offer.version, plugin.minimum):
            self.problems.append(f"{name} is offered in version {offer.version} only, {plugin.minimum} is needed")
        elif self._comes_by_upload(plugin, offer):
            self._add_upload(name, offer.version, offer.url)
        else:
            self._add_offer(offer, None)

    def _add_file(self, name: str) -> None:
        """Upload a file after what it needs: Jenkins keeps a file that it cannot load, and tries it at each start."""
        file = self._files.pop(name, None)
        if file is None:  # not a file, or added before because another file needs it
            return
        subject = f"{name} {file.version}"
        if file.core and is_older(core := self._look.version or server.release(self._ci)[1], file.core):
            self.problems.append(f"{subject} needs Jenkins {file.core}, this is {core}")
        needs = [needed for needed in file.dependencies if not needed.optional or self._look.lacks(needed)]
        for needed in needs:
            self._add_needed(needed.name, needed.version, name)
        self._add_upload(name, file.version, src=file.path)
        late = sorted({needed.name for needed in needs if self._is_late(needed.name)})
        if late and self._installs[name].new:
            self.problems.append(
                f"{subject} needs {', '.join(late)}, which Jenkins loads with its next start: install or enable that "
                "in a task of its own, with 'restart: when_needed'"
            )

    def _is_late(self, name: str) -> bool:
        """Whether a plugin can be used after a restart only."""
        if step := self._installs.get(name):
            return bool(step.needs_restart)
        listed = self._look.listed.get(name)
        return listed is not None and listed.maybe_flag("active") is False

    def _comes_by_upload(self, plugin: Wanted, offer: Offer) -> bool:
        """The server takes a plugin for installed that is uninstalled, and never goes back to an older version."""
        listed = self._look.listed.get(plugin.name)
        if listed is None:
            return False
        return bool(listed.maybe_flag("deleted")) or not is_older(listed.text("version"), offer.version)

    def _add_upload(self, name: str, version: str | None, url: str | None = None, src: str | None = None) -> None:
        new = name not in self._look.listed
        before, waits = self._before[name]["version"], None if new else True
        self._installs[name] = Step("upload", name, before, version, None, waits, new, url, src)

    def _add_offer(self, offer: Offer, required_by: str | None) -> None:
        """Install what is offered, after its dependencies."""
        if offer.name in self._installs:
            if required_by is None:
                self._installs[offer.name] = self._installs[offer.name]._replace(required_by=None)
            return
        if not offer.compatible:
            self.problems.append(f"{offer.name} {offer.version} needs version {offer.required_core} of the server")
        for name, version in sorted(offer.needs.items()):
            self._add_needed(name, version, offer.name)
        self._add_install(offer.name, offer.version, required_by, waits=any(map(self._is_late, offer.needs)))

    @functools.cached_property
    def _knows_nothing(self) -> bool:
        """Whether Jenkins has never read its update site."""
        return self._may_guess and not update_center.has_offers(self._ci)

    def _add_guess(self, name: str, version: str | None, required_by: str | None) -> None:
        """Predict the installation of a plugin that the update site may offer."""
        self._add_install(name, version, required_by, waits=False)
        self.guesses.append(name)

    def _add_install(self, name: str, version: str | None, required_by: str | None, *, waits: bool) -> None:
        """
        :arg waits: whether something that the plugin needs is loaded by the next start only
        """
        listed = self._look.listed.get(name)
        if listed is None:
            self._installs[name] = Step("install", name, None, version, required_by, waits or None, new=True)
        else:
            self._installs[name] = Step("install", name, listed.text("version"), version, required_by, True)

    def _add_needed(self, name: str, version: str, dependant: str) -> None:
        if name in self._going:
            self.problems.append(f"{dependant} needs {name}, which this task removes or disables")
            return
        self._add_file(name)
        if step := self._installs.get(name):
            if step.version is not None and is_older(step.version, version):
                self.problems.append(f"{dependant} needs {name} {version}, this task brings {step.version}")
            return
        listed = self._look.listed.get(name)
        if listed is not None and listed.maybe_flag("deleted"):
            self.problems.append(f"{dependant} needs {name}, which is uninstalled with the next start")
        elif listed is not None and not is_older(listed.text("version"), version):
            if not listed.flag("enabled"):
                self._installs[name] = Step("enable", name, None, listed.text("version"), dependant, True)
        else:
            self._add_needed_offer(name, version, dependant)

    def _add_needed_offer(self, name: str, version: str, dependant: str) -> None:
        offer = self._offer(name)
        if offer is None and self._knows_nothing:
            self._add_guess(name, None, dependant)
        elif offer is None or is_older(offer.version, version):
            self.problems.append(f"{dependant} needs {name} {version}, which is neither installed nor offered")
        else:
            self._add_offer(offer, dependant)

    def _offer(self, name: str) -> Offer | None:
        if name not in self._offers:
            self._offers[name] = update_center.offer(self._ci, name)
        return self._offers[name]


def brought_about(steps: t.Iterable[Step]) -> Fields:
    """What steps bring about, by plugin."""
    fields: Fields = {}
    for step in steps:
        if step.action == "uninstall":
            fields[step.name] = dict(ABSENT)
        elif step.action in ("enable", "disable"):
            fields.setdefault(step.name, {})["enabled"] = step.action == "enable"
        else:
            enabled = {"enabled": True} if step.new else {}
            fields.setdefault(step.name, {}).update(installed=True, version=step.version, **enabled)
    return fields


def _other_version(offer: Offer, version: str) -> str | None:
    """The address of another version than the one that is offered, which sites keep beside it."""
    here, there = f"/{offer.version}/", f"/{version}/"
    return offer.url.replace(here, there) if offer.url and here in offer.url else None


def _missing(name: str, failed: dict[str, str]) -> str:
    return f"it failed to load ({failed[name]})" if name in failed else "it is not installed"
