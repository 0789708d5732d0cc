# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Walk over a tree of options and the values of a task."""

from __future__ import annotations

import typing as t

Option = dict[str, t.Any]
Options = dict[str, Option]


class Node(t.NamedTuple):
    """An option of the tree with its value.

    :ivar path: the path of the option in messages, such as `items[0].name`
    :ivar option: the option, an element of `ArgumentSpec.options` or of its suboptions
    :ivar value: the value, `None` if it is null or missing
    :ivar is_set: whether the value exists, even if it is null
    """

    path: str
    option: Option
    value: t.Any
    is_set: bool


def walk(options: Options, parameters: t.Mapping[str, t.Any], prefix: str = "") -> t.Iterator[Node]:
    """Yield each option with its value, each one before its suboptions.

    Values that are neither a dictionary nor a list of dictionaries have no suboptions.
    """
    for name, option in options.items():
        value, path = parameters.get(name), f"{prefix}{name}"
        yield Node(path, option, value, name in parameters)
        for entry_path, entry in _list_entries(path, option, value):
            yield from walk(option["options"], entry, f"{entry_path}.")


def walk_options(options: Options) -> t.Iterator[Option]:
    """Yield each option, without values, and its suboptions."""
    for option in options.values():
        yield option
        yield from walk_options(option.get("options") or {})


def convert(options: Options, change: t.Callable[[Option], Option]) -> Options:
    """Return a copy of the tree with changed options."""
    converted = {}
    for name, option in options.items():
        converted[name] = change(option)
        if option.get("options"):
            converted[name]["options"] = convert(option["options"], change)
    return converted


def _list_entries(path: str, option: Option, value: t.Any) -> t.Iterator[tuple[str, dict[str, t.Any]]]:
    if not option.get("options"):
        return
    if isinstance(value, list):
        entries = [(f"{path}[{number}]", entry) for number, entry in enumerate(value)]
    else:
        entries = [(path, value)]
    yield from ((entry_path, entry) for entry_path, entry in entries if isinstance(entry, dict))
