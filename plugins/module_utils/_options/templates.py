# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Values that contain Jinja templates, whose result is unknown when ansible-lint checks a task."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import RULES, Option, Options

_DELIMITERS = ("{{", "{%")
# Properties of an option that do not depend on its value
_KEPT = ("required", "default", "no_log")


class Template(str):
    """A string in place of a value that contains a template. The value may have any type, or be omitted."""


def mark_templates(options: Options, values: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return values of options in which a `Template` replaces each value that contains a template.

    Dictionaries with suboptions are kept, with marked members.
    """
    return {name: _mark(options.get(name, {}), value) for name, value in values.items()}


def accept_templates(options: Options, entries: list[dict[str, t.Any]]) -> Options:
    """Return options without rules and fallbacks that accept templates.

    :arg entries: marked values of the options, several in the entries of a list
    """
    accepting = {}
    for name, option in options.items():
        values = [entry[name] for entry in entries if name in entry]
        if any(isinstance(value, Template) for value in values):
            accepting[name] = {"type": "raw", **{key: option[key] for key in _KEPT if key in option}}
        elif option.get("options"):
            inner = [entry for value in values for entry in _list_entries(value) if isinstance(entry, dict)]
            accepting[name] = {key: value for key, value in option.items() if key not in RULES}
            accepting[name]["options"] = accept_templates(option["options"], inner)
        else:
            accepting[name] = {key: value for key, value in option.items() if key != "fallback"}
    return accepting


def _mark(option: Option, value: t.Any) -> t.Any:
    suboptions = option.get("options")
    if not suboptions:
        return Template(value) if _has_template(value) else value
    if any(_has_template(entry) for entry in _list_entries(value) if not isinstance(entry, dict)):
        return Template(value)
    marked = [mark_templates(suboptions, entry) if isinstance(entry, dict) else entry for entry in _list_entries(value)]
    return marked if isinstance(value, list) else marked[0]


def _has_template(value: t.Any) -> bool:
    if isinstance(value, dict):
        return any(_has_template(key) or _has_template(member) for key, member in value.items())
    if isinstance(value, list):
        return any(map(_has_template, value))
    return isinstance(value, str) and any(delimiter in value for delimiter in _DELIMITERS)


def _list_entries(value: t.Any) -> list[t.Any]:
    return value if isinstance(value, list) else [value]
