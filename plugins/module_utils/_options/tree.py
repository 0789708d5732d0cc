# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Walk over the tree of options and suboptions."""

from __future__ import annotations

import typing as t

from ansible.module_utils.common.validation import (
    check_mutually_exclusive,
    check_required_by,
    check_required_if,
    check_required_one_of,
    check_required_together,
)

# The rules between options, with the functions that check them
RULES = {
    "mutually_exclusive": check_mutually_exclusive,
    "required_together": check_required_together,
    "required_one_of": check_required_one_of,
    "required_if": check_required_if,
    "required_by": check_required_by,
}

Option = dict[str, t.Any]
Options = dict[str, Option]


class Group(t.NamedTuple):
    """The options of the module or of one suboptions entry, with their values.

    :ivar prefix: prefix of the option names in messages, such as `items[0].`
    :ivar names: names of the enclosing options
    :ivar parent: the dictionary that contains `options` and the rules between them
    :ivar values: values by name of the option
    """

    prefix: str
    names: tuple[str, ...]
    parent: t.Mapping[str, t.Any]
    values: dict[str, t.Any]

    @property
    def options(self) -> Options:
        """The options by name."""
        return self.parent["options"]


def _to_dictionary(value: t.Any) -> dict[str, t.Any] | None:
    return value if isinstance(value, dict) else None


def walk(
    parent: t.Mapping[str, t.Any],
    values: dict[str, t.Any],
    convert: t.Callable[[t.Any], dict[str, t.Any] | None] = _to_dictionary,
    prefix: str = "",
    names: tuple[str, ...] = (),
) -> t.Iterator[Group]:
    """Yield the options with their values, then each entry of their suboptions.

    :arg parent: dictionary that contains `options` and the rules between them
    :arg convert: returns an entry as a dictionary, or `None` to skip it
    """
    yield Group(prefix, names, parent, values)
    for name, option in parent["options"].items():
        if not option.get("options") or (value := values.get(name)) is None:
            continue
        path = f"{prefix}{name}"
        entries = (
            [(f"{path}[{number}].", entry) for number, entry in enumerate(value)] if isinstance(value, list) else []
        )
        for entry_prefix, entry in entries or [(f"{path}.", value)]:
            if (entry_values := convert(entry)) is not None:
                yield from walk(option, entry_values, convert, entry_prefix, (*names, name))


def convert_options(options: Options, convert: t.Callable[[Option], Option]) -> Options:
    """Return a copy of the tree in which each option is converted."""
    converted = {}
    for name, option in options.items():
        converted[name] = convert(option)
        if option.get("options"):
            converted[name]["options"] = convert_options(option["options"], convert)
    return converted
