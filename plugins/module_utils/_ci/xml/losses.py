# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What happens to declared elements that Jenkins does not store."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import list_plugins
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import unstorable
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.dropped import Dropped, omit, restore
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import copy_declared
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.normal_forms import normalize
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.outdated import find_outdated, replace
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.unknown import find_unknown
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.unstorable import Question, Unstorable
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

ON_DROPPED = ArgumentSpec(dict(on_dropped=dict(type="str", choices=["fail", "warn"], default="fail")))
_MAX_NAMED = 10


class LossPolicy:
    """Refuses or reports the declared elements of an object that Jenkins does not store.

    :arg what: the object, such as `job 'app'`
    :arg fetch_plugins: returns whether each installed plugin is active, or `None` if the account may not list them
    """

    def __init__(
        self,
        task: Task,
        ci: CiService,
        what: str,
        fetch_plugins: t.Callable[[CiService], dict[str, bool] | None] = list_plugins,
    ) -> None:
        self._task, self._ci, self._what = task, ci, what
        self._list_plugins = fetch_plugins
        self._plugins: list[dict[str, bool] | None] = []
        self.accepts = task.params["on_dropped"] == "warn"

    def refuse_wrong(self, wrong: list[Unstorable]) -> None:
        """
        :raises ToolchainError: if Jenkins would not read these values
        """
        if wrong:
            raise self._refusal(_join(wrong), "Correct them.")

    def refuse(self, elements: list[Unstorable]) -> None:
        """
        :raises ToolchainError: if there are elements that Jenkins does not keep
        """
        if elements:
            raise self._refusal(_join(elements), "Remove or replace them, or set 'on_dropped: warn'.")

    def refuse_missing_plugins(self, objects: list[Dropped]) -> None:
        """Refuse objects whose plugin is missing, unless another plugin has the class now.

        :raises ToolchainError: if there are such objects
        """
        missing = [dropped for dropped in objects if self.lacks_plugin(dropped)]
        unknown = find_unknown(self._ci, [unstorable.ask_class(dropped) for dropped in missing])
        if unknown is not None:
            paths = {element.path for element in unknown}
            missing = [dropped for dropped in missing if dropped.path in paths]
        if missing:
            raise self._refusal(
                self._describe(missing), "Install the plugin, remove the elements, or set 'on_dropped: warn'."
            )

    def warn_of_outdated(self, outdated: list[Unstorable]) -> None:
        """Warn that elements are replaced or left out."""
        if outdated:
            self._task.warn(
                f"Jenkins does not keep these elements of the configuration of {self._what} as declared: "
                f"{_join(outdated)}."
            )

    def warn(self, dropped: list[Dropped]) -> None:
        """Warn that Jenkins has not stored elements."""
        if dropped:
            self._task.warn(
                f"Jenkins did not keep these elements of the configuration of {self._what}: {self._describe(dropped)}."
            )

    def explain(self, dropped: list[Dropped]) -> str:
        """Return a sentence that says which elements Jenkins has not stored and why, or an empty text."""
        if not dropped:
            return ""
        return (
            f" Jenkins did not keep these elements: {self._describe(dropped)}. Remove them from the configuration, "
            "install the plugin, or set 'on_dropped: warn'."
        )

    def lacks_plugin(self, dropped: Dropped) -> bool:
        """Return whether the plugin of an element is surely missing or inactive."""
        name, _version = dropped.plugin
        if not name or not dropped.has_class or name in self._ci.predicted_plugins:
            return False
        plugins = self._fetch_plugins()
        return plugins is not None and not plugins.get(name)

    def refuse_unknown(self, questions: list[Question]) -> None:
        """
        :raises ToolchainError: if Jenkins does not have a class or permission
        """
        self.refuse(find_unknown(self._ci, questions) or [])

    def _refusal(self, elements: str, advice: str) -> ToolchainError:
        return ToolchainError(
            f"The configuration of {self._what} was not sent, because Jenkins would not keep these elements as "
            f"declared: {elements}. {advice}"
        )

    def _fetch_plugins(self) -> dict[str, bool] | None:
        if not self._plugins:
            self._plugins.append(self._list_plugins(self._ci))
        return self._plugins[0]

    def _describe(self, dropped: list[Dropped]) -> str:
        named = [f"'{loss.path}' ({loss.permission}{self._find_reason(loss)})" for loss in dropped[:_MAX_NAMED]]
        rest = f", and {len(dropped) - _MAX_NAMED} others" if len(dropped) > _MAX_NAMED else ""
        return ", ".join(named) + rest

    def _find_reason(self, dropped: Dropped) -> str:
        name, version = dropped.plugin
        if not name:
            return "unknown or outdated" + (", or its plugin is not installed" if dropped.has_class else "")
        plugins = self._fetch_plugins()
        declared = f"'{name}'{f', {version} in the XML,' if version else ''}"
        if plugins is None:
            return f"unknown or outdated, or the plugin {declared} is not installed"
        if name not in plugins:
            return f"the plugin {declared} is not installed"
        if not plugins[name]:
            return f"the plugin {declared} is not active"
        return f"unknown to the installed plugin {declared} or outdated"


class Losses:
    """The elements of a declared configuration that Jenkins does not store.

    :arg policy: what happens to them; by default they count as missing
    """

    def __init__(self, policy: LossPolicy | None) -> None:
        self._policy = policy
        self._is_compared = self._is_accepted = False
        self._refusals: list[t.Callable[[LossPolicy], None]] = []
        self._dropped: list[Dropped] = []

    def find_known(self, declared: ET.Element, stored: ET.Element | None) -> bool:
        """Find the losses that are known before the change at the first comparison.

        Outdated elements are replaced if their loss is accepted. Return whether the declared configuration was changed.
        """
        if self._is_compared or self._policy is None:
            return False
        self._is_compared = True
        wrong = unstorable.find_wrong_values(declared, stored)
        self._refusals = [lambda policy: policy.refuse_wrong(wrong)]
        outdated = list(find_outdated(declared, stored))
        reasons = [Unstorable(found.path, f"outdated: {found.rule.advice}") for found in outdated]
        if self._policy.accepts:
            self._policy.warn_of_outdated(reasons)
            for found in outdated:
                replace(found)
            return bool(outdated)
        useless = unstorable.find_useless(declared, stored)
        objects = unstorable.find_objects(declared, stored)
        questions = unstorable.find_questions(declared, objects)
        self._refusals += [
            lambda policy: policy.refuse([*reasons, *useless]),
            lambda policy: policy.refuse_missing_plugins(objects),
            lambda policy: policy.refuse_unknown(questions),
        ]
        return False

    def check(self) -> None:
        """Refuse a configuration before the change if its losses are known and not accepted.

        :raises ToolchainError: if there are such losses
        """
        if self._policy is not None:
            for refuse in self._refusals:
                refuse(self._policy)

    def record_acceptance(self) -> None:
        """Record that Jenkins has accepted the configuration: what it lacks from now on, Jenkins has dropped."""
        self._is_accepted = True

    def predict_stored(self, declared: ET.Element) -> ET.Element:
        """Return the configuration of a new object without the elements whose accepted loss is known."""
        predicted = copy_declared(declared)
        if self._accepts:
            omit(predicted, self._is_explained)
        return predicted

    def restore(self, stored: ET.Element, declared: ET.Element, is_written: bool) -> ET.Element:
        """Return a stored configuration in normal form, with the lost elements whose loss is accepted.

        :arg is_written: whether this task has written the configuration
        """
        self._dropped = []

        def accepts(dropped: Dropped) -> bool:
            if dropped.is_insignificant:
                return True
            is_accepted = self._accepts and dropped.is_acceptable and self._is_explained(dropped)
            if is_accepted or is_written:
                self._dropped.append(dropped)
            return is_accepted

        restored = _restore(stored, declared, accepts)
        if self._policy is not None and self._policy.accepts:
            self._policy.warn(self._dropped)
        return restored

    def find_kept(self, stored: ET.Element, declared: ET.Element) -> ET.Element | None:
        """Return a stored configuration without lost elements, or `None` if no loss was accepted."""
        if not (self._accepts and self._dropped):
            return None
        return _restore(stored, declared, lambda dropped: dropped.is_insignificant)

    def select_kept(self, texts: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return the texts of a predicted configuration without those of elements whose loss is accepted."""
        if not self._accepts:
            return texts
        kept = {path: text for path, text in texts.items() if not any(_is_in(path, loss) for loss in self._dropped)}
        for loss in self._dropped:
            parent, _slash, name = loss.path.rpartition("/")
            order = f"{parent}/@order".removeprefix("/")
            if kept.get(order):
                names = _without(kept[order].split(", "), name.partition("[")[0])
                kept.pop(order)
                kept.update({order: ", ".join(names)} if len(set(names)) > 1 else {})
        return kept

    def explain(self) -> str:
        """Return why the configuration that was read last lacks declared elements, or an empty text."""
        return "" if self._policy is None or self._policy.accepts else self._policy.explain(self._dropped)

    @property
    def _accepts(self) -> bool:
        return self._policy is not None and self._policy.accepts

    def _is_explained(self, dropped: Dropped) -> bool:
        """Return whether Jenkins has surely dropped an element: it accepted it before, or it does not know it."""
        if self._policy is None:
            return False
        return self._is_accepted or bool(unstorable.explain(dropped)) or self._policy.lacks_plugin(dropped)


def _restore(stored: ET.Element, declared: ET.Element, accepts: t.Callable[[Dropped], bool]) -> ET.Element:
    return restore(normalize(stored), normalize(copy_declared(declared)), accepts)


def _is_in(path: str, dropped: Dropped) -> bool:
    """Return whether a path is that of a lost element, or inside it."""
    return path == dropped.path or path.startswith(f"{dropped.path}/")


def _without(names: list[str], name: str) -> list[str]:
    """Return a list without the last occurrence of a name."""
    reverse = names[::-1]
    if name in reverse:
        reverse.remove(name)
    return reverse[::-1]


def _join(elements: list[Unstorable]) -> str:
    paths: dict[str, list[str]] = {}
    for element in elements:
        paths.setdefault(element.reason, []).append(f"'{element.path}'")
    return ", ".join(f"{', '.join(named)} ({reason})" for reason, named in paths.items())
