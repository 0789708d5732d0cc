# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Families of options that many modules share, each with a doc fragment of its name: `SPEC = CI + WAIT + ...`."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec

_DAY = 86400

# Whether the resource shall be there; `reconcile` reads it
STATE = ArgumentSpec(dict(state=dict(type="str", choices=["present", "absent"], default="present")))

# Whether what is not given goes
PURGE = ArgumentSpec(dict(purge=dict(type="bool", default=False)))

# What an item must not take from the task by a null
_EFFECTS = (*STATE.options, *PURGE.options)

# How long to wait for the end of what was asked for; `wait_for` takes the seconds
DEADLINE = ArgumentSpec(
    dict(
        wait_timeout=dict(type="float", default=600.0, at_least=0, at_most=30 * _DAY),
        wait_delay=dict(type="float", default=1.0, at_least=0.1, at_most=_DAY),
    )
)

# Whether to wait for it at all
WAIT = ArgumentSpec(dict(wait=dict(type="bool", default=True))) + DEADLINE

# How to work through many items; `_bulk.py` takes them
BULK = ArgumentSpec(
    dict(
        workers=dict(type="int", default=4, at_least=1, at_most=64),
        on_error=dict(type="str", choices=["fail", "report"], default="fail"),
        max_failures=dict(type="int", narrows_scope=True, at_least=1, at_most=1_000_000),
        shown=dict(type="int", default=10, at_least=0, at_most=10_000),
        to_file=dict(type="path", not_empty=True),
    )
)

# Who may read a file that the task writes; `store` in _files/private.py takes them
TO_FILE = ArgumentSpec(
    dict(
        owner=dict(type="str", **NAME),
        group=dict(type="str", **NAME),
        mode=dict(type="str", matches=("0?[0-7]{3}", "three octal digits in quotes, such as '0600'")),
    )
)

# Where a long list goes, and whether secrets in it are masked; `gather` in _files/private.py takes them
LISTING = TO_FILE + ArgumentSpec(
    dict(to_file=dict(type="path", not_empty=True), mask_secrets=dict(type="bool", no_log=False))
)


def with_items(item: ArgumentSpec) -> ArgumentSpec:
    """The options of a module that takes one item or many: those of an item, and `items`, each with its own.

    What is given beside `items` is the default for all of them. `process_one_or_items` in _bulk.py sees to the rules of
    an item. Null in an item does not stand for this default in options that decide which object is changed, and how.
    """
    beside = {name: _without(option, "required") for name, option in item.options.items()}
    inside = {name: _without(option, "default") for name, option in beside.items()}
    for name, option in item.options.items():
        if option.get("required") or name in _EFFECTS:
            inside[name]["narrows_scope"] = True
    return (
        ArgumentSpec({**beside, "items": dict(type="list", elements="dict", narrows_scope=True, options=inside)}) + BULK
    )


def _without(option: dict[str, t.Any], key: str) -> dict[str, t.Any]:
    return {name: value for name, value in option.items() if name != key}
