# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What rules keep for a property, told with the plan, so that a mark that comes later is heeded as well."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import conditions
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.patterns import Patterns
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.scan import Condition

Told = dict[str, t.Any]

_LISTS = ("repos", "paths", "exclude_paths", "names", "exclude_names")
_PROPERTIES = ("properties", "keep_properties")


def told(rule: Rule, repos: t.Sequence[str]) -> Told:
    """What a rule keeps, and of what; in JSON.

    :arg repos: keys of the repositories that it is about
    """
    return {
        "repos": list(repos),
        "paths": rule.paths.wanted,
        "exclude_paths": rule.paths.unwanted,
        "names": rule.names.wanted,
        "exclude_names": rule.names.unwanted,
        "properties": rule.properties,
        "keep_properties": rule.keep_properties,
    }


def is_told(value: t.Any) -> bool:
    """Whether a value that comes from a file is what `told` gives."""
    return (
        isinstance(value, dict)
        and value.keys() == {*_LISTS, *_PROPERTIES}
        and all(_are_texts(value[name]) for name in _LISTS)
        and all(isinstance(value[name], dict) and all(map(_are_texts, value[name].values())) for name in _PROPERTIES)
        and bool(value["keep_properties"])
    )


class Keeping:
    """One rule's word on what stays."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._paths = Patterns(told["paths"], told["exclude_paths"])
        self._names = Patterns(told["names"], told["exclude_names"])

    def is_about(self, repo: str, path: str) -> bool:
        """Whether the rule is about a file or tag, as far as names tell."""
        folder, _slash, name = path.rpartition("/")
        return repo in self._told["repos"] and self._paths.match(folder or ".") and self._names.match(name)

    def conditions(self) -> list[Condition]:
        """What an artifact that it is about has, if it stays."""
        properties = [conditions.any_property({key: values}) for key, values in self._told["properties"].items()]
        return [*properties, conditions.any_property(self._told["keep_properties"])]


def _are_texts(value: t.Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)
