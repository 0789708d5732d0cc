# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options and the rules between them, as one value that can be added to another."""

from __future__ import annotations

import typing as t

_RULES = ("mutually_exclusive", "required_together", "required_one_of", "required_if")


class ArgumentSpec:
    """What a module takes: its options and the rules between them.

    :arg options: name to option, in the form of C(argument_spec)
    :arg rules: C(mutually_exclusive), C(required_together), C(required_one_of) and C(required_if), in Ansible's forms
    """

    def __init__(self, options: dict[str, dict[str, t.Any]], **rules: t.Iterable[t.Any]) -> None:
        self.options = options
        self.rules = {rule: list(rules.pop(rule, ())) for rule in _RULES}
        if rules:
            raise TypeError(f"unknown rules: {', '.join(rules)}")

    def __add__(self, other: ArgumentSpec) -> ArgumentSpec:
        """Both sets of options, and the rules of both."""
        twice = self.options.keys() & other.options.keys()
        if twice:
            raise ValueError(f"options given twice: {', '.join(sorted(twice))}")
        rules = {rule: self.rules[rule] + other.rules[rule] for rule in _RULES}
        return ArgumentSpec({**self.options, **other.options}, **rules)

    def keywords(self) -> dict[str, t.Any]:
        """Keyword arguments for C(AnsibleModule) and for C(ArgumentSpecValidator)."""
        return {"argument_spec": self.options, **self.rules}

    def secrets(self, parameters: dict[str, t.Any]) -> set[str]:
        """The values in I(parameters) that must never be shown."""
        return set(_secrets(self.options, parameters))


def _secrets(options: dict[str, dict[str, t.Any]], parameters: dict[str, t.Any]) -> t.Iterator[str]:
    for name, option in options.items():
        value = parameters.get(name)
        if value in (None, ""):
            continue
        if option.get("no_log"):
            yield from _texts(value)
        elif option.get("options"):
            for entry in value if isinstance(value, list) else [value]:
                yield from _secrets(option["options"], entry)


def _texts(value: t.Any) -> t.Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value not in (None, "", True, False):
        yield str(value)
