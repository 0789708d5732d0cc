# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that several modules share, each with a doc fragment of its name: `SPEC = CI + WAIT + ...`."""

from __future__ import annotations

import contextlib
import functools
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, prefix_errors
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.templates import Template

_DAY = 86400

# Read by `reconcile`
STATE = ArgumentSpec(dict(state=dict(type="str", choices=["present", "absent"], default="present")))

# Whether to delete entries that are not listed
PURGE = ArgumentSpec(dict(purge=dict(type="bool", default=False)))

# Whether check mode assumes that an earlier task creates missing resources, see `Task.predicts_missing`
PREDICT_MISSING = ArgumentSpec(dict(predict_missing=dict(type="bool", default=False)))

# When to send secrets that the service does not return, see `WriteOnlySecrets`
UPDATE_SECRET = ArgumentSpec(
    dict(update_secret=dict(type="str", choices=["on_create", "always"], default="on_create", no_log=False))
)

# How long `reconcile` waits until the service returns a change
VISIBILITY = ArgumentSpec(dict(visibility_timeout=dict(type="float", default=10.0, at_least=0, at_most=3600)))

# What to do with objects that no item declares, see `_undeclared.py`
UNDECLARED_ENTRIES = ArgumentSpec(
    dict(undeclared=dict(type="str", choices=["keep", "report", "remove"], default="keep", narrows_scope=True))
)
# Read by `_bulk.py`
UNDECLARED = UNDECLARED_ENTRIES + ArgumentSpec(
    dict(deletions_only=dict(type="bool", default=False, narrows_scope=True))
)

# Options that an item must not inherit by a null value
_NOT_INHERITED = (*STATE.options, *PURGE.options)

# Arguments of `wait_for`
DEADLINE = ArgumentSpec(
    dict(
        wait_timeout=dict(type="float", default=600.0, at_least=0, at_most=30 * _DAY),
        wait_delay=dict(type="float", default=1.0, at_least=0.1, at_most=_DAY),
    )
)

# Whether to wait at all
WAIT = ArgumentSpec(dict(wait=dict(type="bool", default=True))) + DEADLINE

# Read by `read_concurrently` in _bulk.py
WORKERS = ArgumentSpec(dict(workers=dict(type="int", default=8, at_least=1, at_most=64)))

# Read by `_bulk.py`
BULK = ArgumentSpec(
    dict(
        workers=dict(type="int", default=4, at_least=1, at_most=64),
        on_error=dict(type="str", choices=["fail", "report"], default="fail"),
        max_failures=dict(type="int", narrows_scope=True, at_least=1, at_most=1_000_000),
        result_limit=dict(type="int", default=10, at_least=0, at_most=10_000),
        to_file=dict(type="path", not_empty=True),
    )
)

# Owner and mode of a file that the task writes, see `Target.from_options`
TO_FILE = ArgumentSpec(
    dict(
        owner=dict(type="str", **NAME),
        group=dict(type="str", **NAME),
        mode=dict(type="str", matches=("0?[0-7]{3}", "three octal digits in quotes, such as '0600'")),
    )
)

# File for a long list, and masking of secrets, see `output_list`
LISTING = TO_FILE + ArgumentSpec(
    dict(
        to_file=dict(type="path", not_empty=True),
        mask_secrets=dict(type="bool", no_log=False),
        secret_members=dict(type="list", elements="str", no_log=False, each_element=NAME),
    )
)


def with_items(item: ArgumentSpec, **names: str) -> ArgumentSpec:
    """Return the options of a module for one item or, in the option `items`, many items.

    The options beside `items` are the defaults of all items. The rules of `item` apply to each item with these
    defaults. In options that decide which object is changed and how, null in an item is an error instead.

    :arg names: names in `items` of options whose name there is that of a connection option. The module renames them
    """
    beside = {name: _drop_key(option, "required") for name, option in item.options.items()}
    inside = {name: _drop_key(option, "default") for name, option in beside.items()}
    for name, option in item.options.items():
        if option.get("required") or name in _NOT_INHERITED:
            inside[name]["narrows_scope"] = True
    inside = {names.get(name, name): option for name, option in inside.items()}
    items = dict(type="list", elements="dict", narrows_scope=True, options=inside)
    check = functools.partial(_check_items, item, {inner: name for name, inner in names.items()})
    return ArgumentSpec({**beside, "items": items}, partial_checks=[check]) + BULK


def inherit_options(parameters: dict[str, t.Any], item: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the parameters of a task, replaced by those of an entry of `items` that are not null."""
    return {**parameters, **drop_null(item)}


def drop_null(item: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the options of an entry of `items` that are set."""
    return {name: value for name, value in item.items() if value is not None}


def _check_items(spec: ArgumentSpec, names: dict[str, str], parameters: dict[str, t.Any]) -> None:
    """Check the rules between the options of each entry of `items`, or of the task if `items` is not set.

    :arg names: names of the options that have another name in `items`, by that name
    :raises ToolchainError: if a rule is violated, or if no item says which objects are declared
    """
    items = parameters["items"]
    if parameters.get("undeclared") in ("report", "remove"):
        _check_undeclared(spec, parameters)
    if items is None and parameters.get("deletions_only") is True:
        raise BadOption("deletions_only", "requires 'items'")
    if items is None:
        spec.check_rules(parameters)
    elif not isinstance(items, Template):
        for index, item in enumerate(items):
            named = {names.get(name, name): value for name, value in item.items()}
            with prefix_errors(f"items[{index}]"), _explain_inherited(parameters, item):
                spec.check_rules(inherit_options(parameters, named))


@contextlib.contextmanager
def _explain_inherited(parameters: dict[str, t.Any], item: dict[str, t.Any]) -> t.Iterator[None]:
    """Complete the message about an option that an item does not set, but inherits."""
    try:
        yield
    except BadOption as error:
        if item.get(error.option) is not None or parameters.get(error.option) is None:
            raise
        problem = f"{error.problem}. The item inherits the option from the task. Set it in the items that need it"
        raise BadOption(error.option, problem) from None


def _check_undeclared(spec: ArgumentSpec, parameters: dict[str, t.Any]) -> None:
    """Check that the items and the options beside them say exactly which objects are undeclared."""
    items, mode = parameters["items"], parameters["undeclared"]
    if not items:
        raise BadOption("undeclared", "must be 'keep' without 'items'. List at least one object that should exist")
    given = {name for name, value in parameters.items() if not isinstance(value, (Template, type(None)))}
    for name, option in spec.options.items():
        if name in given and option.get("refused_with_undeclared"):
            raise BadOption(name, f"does not narrow 'undeclared: {mode}'. Set it in 'items'")
    if mode == "report":
        return
    if not isinstance(items, Template) and all(_is_absent(parameters, item) for item in items):
        raise BadOption(
            "undeclared", "must not be 'remove' if all items are absent. List at least one that should exist"
        )
    if "previous_name" in given:
        raise BadOption("previous_name", "must be set in 'items' with 'undeclared: remove', not for all objects")


def _is_absent(parameters: dict[str, t.Any], item: dict[str, t.Any]) -> bool:
    return (item.get("state") or parameters.get("state")) == "absent"


def _drop_key(option: dict[str, t.Any], key: str) -> dict[str, t.Any]:
    return {name: value for name, value in option.items() if name != key}
