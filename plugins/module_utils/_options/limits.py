# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What values an option takes, beyond its type: limits that Ansible has no words for.

An option has them beside its `type`:

    at_least, at_most   for a number
    not_empty           a text, list or dict must have something in it
    one_line            a text has neither control characters nor blanks at its ends
    matches             a regular expression for the whole text, and what it takes, in words
    each_element        limits for each element of a list
    unchecked           instead of limits: why there are none, or where else the value is checked

A dict has `text_values: True` if its values are texts. A number with a fraction is an error there, as in each option
for a text, because YAML reads an unquoted version 1.10 as 1.1.

A text has `address: True` if it is the address of a server. A password in it is a secret.

Besides, an option has `narrows_scope: True` if it narrows what a task deletes, moves, overwrites or publishes. Null is
an error there, because it would widen the effect. `ArgumentSpec.find_type_error` checks this.
"""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

Option = dict[str, t.Any]

LIMITS = ("at_least", "at_most", "not_empty", "one_line", "matches", "each_element", "unchecked")
_UNKNOWN_TO_ANSIBLE = (*LIMITS, "narrows_scope", "text_values", "address")
NAME: Option = dict(not_empty=True, one_line=True)
# One that is a single segment of an address
SEGMENT: Option = dict(**NAME, matches=("[^/]*", "a name without '/'"))

_LONGEST_SHOWN = 40
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def without_limits(options: dict[str, Option]) -> dict[str, Option]:
    """The options as Ansible knows them."""
    plain = {}
    for name, option in options.items():
        plain[name] = {key: value for key, value in option.items() if key not in _UNKNOWN_TO_ANSIBLE}
        if option.get("options"):
            plain[name]["options"] = without_limits(option["options"])
    return plain


def compile_patterns(options: dict[str, Option]) -> None:
    """Have the patterns ready that texts are checked with."""
    for option in options.values():
        for limits in (option, option.get("each_element", {})):
            if "matches" in limits:
                re.compile(limits["matches"][0])
        compile_patterns(option.get("options") or {})


def check_limits(options: dict[str, Option], parameters: dict[str, t.Any], inside: str = "") -> None:
    """See to it that each of the validated parameters is within the limits of its option.

    :arg inside: path of the option that these are inside of
    :raises BadOption: naming the option by its path, such as `assignments[0].account`, and what it takes
    """
    for name, option in options.items():
        value = parameters.get(name)
        path = f"{inside}.{name}" if inside else name
        if value is not None:
            _check(path, option, value)


def describe_range(option: Option) -> str | None:
    """The numbers that an option takes, in words, or `None` when it has no limits for them."""
    least, most = option.get("at_least"), option.get("at_most")
    if least is None and most is None:
        return None
    if least is None:
        return f"{most:,} or less"
    return f"{least:,} or more" if most is None else f"{least:,} to {most:,}"


def _check(path: str, option: Option, value: t.Any) -> None:
    if problem := _problem(option, value):
        shown = "" if option.get("no_log") else _shown(value)
        raise BadOption(path, f"{problem}{shown}")
    if isinstance(value, dict):
        if not all(map(_is_unicode, value)):
            raise BadOption(path, "takes Unicode, which one of its keys is not")
        check_limits(option.get("options") or {key: {} for key in value}, value, path)
    if isinstance(value, list):
        element = {**option.get("each_element", {}), "options": option.get("options"), "no_log": option.get("no_log")}
        for number, item in enumerate(value):
            _check(f"{path}[{number}]", element, item)


def _problem(option: Option, value: t.Any) -> str | None:
    """What is wrong with a value, if anything is."""
    if option.get("not_empty") and value in ("", [], {}):
        return "must not be empty"
    if isinstance(value, str):
        return _text_problem(option, value)
    return None if _within(option, value) else f"takes {describe_range(option)}"


def _text_problem(option: Option, text: str) -> str | None:
    if not _is_unicode(text):
        return "takes Unicode, which this text is not"
    if option.get("one_line"):
        if _CONTROL.search(text):
            return "takes one line, without control characters"
        if text != text.strip():
            return "takes a text without blanks at its ends"
    if option.get("type") == "path" and "\0" in text:
        return "takes a path, which has no NUL in it"
    pattern, takes = option.get("matches", (None, None))
    if pattern and not re.fullmatch(pattern, text):
        return f"takes {takes}"
    return None


def _is_unicode(text: str) -> bool:
    return not _SURROGATE.search(text)


def _within(option: Option, value: t.Any) -> bool:
    """Whether a value is within the limits for numbers, if any, as neither a boolean nor NaN is."""
    least, most = option.get("at_least"), option.get("at_most")
    if least is None and most is None:
        return True
    return not isinstance(value, bool) and (least is None or least <= value) and (most is None or value <= most)


def _shown(value: t.Any) -> str:
    if value in ("", [], {}):
        return ""
    text = repr(value)
    return f", not {text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + ' and so on'}"
