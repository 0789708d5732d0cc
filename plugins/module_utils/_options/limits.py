# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Limits of the values of options, which Ansible's argument specs cannot express.

An option has them beside its `type`:

    at_least, at_most   limits of a number
    not_empty           a string, list or dictionary must not be empty
    one_line            a string must not contain control characters, or start or end with whitespace
    matches             a regular expression for the whole string, and a description of matching strings
    each_element        limits of each element of a list
    unchecked           instead of limits: the reason for their absence, or the code that checks the value

A dictionary has `text_values: True` if its values are strings. A number with a fraction is an error there, as in all
options of type `str`, because YAML reads an unquoted version 1.10 as 1.1.

A dictionary has `secret_members: True` if its members, also nested ones, with names such as `password` and the
passwords of URLs are secrets.

A string has `secret_elements: True` if it is an XML document. The texts of its elements with names such as `password`
are secrets.

A string has `address: True` if it is a server URL. A password in it is a secret.

An option has `refused_with_undeclared: True` if it describes objects, but does not narrow which of them are undeclared.
It must be set in `items` then, not beside them. `with_items` checks this.

An option has `narrows_scope: True` if it narrows what a task deletes, moves, overwrites or publishes. Null is an error
there, because it would widen the scope. `ArgumentSpec.find_type_error` checks this.

Null at any depth inside a dictionary or list without suboptions is an error if the option has `narrows_scope: True` or
`refuses_null: True`, unless it has `accepts_null` with the documented meaning of null. `ArgumentSpec.check` checks this
after the checks of the module, whose messages are more precise.
"""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option, Options, walk

LIMITS = ("at_least", "at_most", "not_empty", "one_line", "matches", "each_element", "unchecked")
EXTENSIONS = (
    *LIMITS,
    *("narrows_scope", "refused_with_undeclared", "refuses_null", "accepts_null"),
    *("text_values", "secret_members", "secret_elements", "address"),
)
NAME: Option = dict(not_empty=True, one_line=True)
# A name that becomes an identifier in an XML document
XML_NAME: Option = dict(
    **NAME,
    matches=(
        r"(?![\d.-])(?:[^\W\u00b2\u00b3\u00b9\u00bc-\u00be\u2070-\u218f\u2460-\u24ff]|[.-])+",
        "an XML name: letters, digits, '_', '-' and '.', of which the first is a letter or '_'",
    ),
)
# A single segment of a URL path
SEGMENT: Option = dict(**NAME, matches=(r"(?!\.{1,2}$)[^/]*", "a name without '/', other than '.' and '..'"))
# The same on servers that refuse paths with an encoded backslash, as Tomcat does
TOMCAT_SEGMENT: Option = dict(
    **NAME, matches=(r"(?!\.{1,2}$)[^/\\]*", "a name without '/' and '\\', other than '.' and '..'")
)

_LONGEST_QUOTE = 40
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def compile_patterns(option: Option) -> Option:
    """Compile the patterns of an option, so that `re` has them in its cache. Return the option."""
    for limits in (option, option.get("each_element", {})):
        if "matches" in limits:
            re.compile(limits["matches"][0])
    return option


def check_limits(options: Options, parameters: dict[str, t.Any]) -> None:
    """Verify that validated parameters are within the limits of their options.

    :raises BadOption: with the path of the option, such as `assignments[0].account`, and its limit
    """
    for group in walk({"options": options}, parameters):
        for name, option in group.options.items():
            if (value := group.values.get(name)) is not None:
                _check(f"{group.prefix}{name}", option, value)


def describe_range(option: Option) -> str | None:
    """Return the range of a number as a text, or `None` if it has no limits."""
    least, most = option.get("at_least"), option.get("at_most")
    if least is None and most is None:
        return None
    if least is None:
        return f"{most:,} or less"
    return f"{least:,} or more" if most is None else f"{least:,} to {most:,}"


def _check(path: str, option: Option, value: t.Any) -> None:
    if problem := _find_problem(option, value):
        may_be_secret = option.get("no_log") or option.get("address")
        raise BadOption(path, problem if may_be_secret else f"{problem}{quote(value)}")
    if isinstance(value, dict):
        if not all(map(_is_unicode, value)):
            raise BadOption(path, "must have only keys that are valid Unicode")
        if not option.get("options"):
            for key, member in value.items():
                if member is not None:
                    _check(f"{path}.{key}", {}, member)
    if isinstance(value, list):
        element = {**option.get("each_element", {}), "options": option.get("options"), "no_log": option.get("no_log")}
        for number, item in enumerate(value):
            _check(f"{path}[{number}]", element, item)


def _find_problem(option: Option, value: t.Any) -> str | None:
    if option.get("not_empty") and value in ("", [], {}):
        return "must not be empty"
    if isinstance(value, str):
        return _find_text_problem(option, value)
    return None if _is_in_range(option, value) else f"must be {describe_range(option)}"


def _find_text_problem(option: Option, text: str) -> str | None:
    if not _is_unicode(text):
        return "must be valid Unicode"
    if option.get("one_line"):
        if _CONTROL.search(text):
            return "must be one line without control characters"
        if text != text.strip():
            return "must not start or end with whitespace"
    if option.get("type") == "path" and "\0" in text:
        return "must be a path without NUL characters"
    pattern, description = option.get("matches", (None, None))
    if pattern and not re.fullmatch(pattern, text):
        return f"must be {description}"
    return None


def _is_unicode(text: str) -> bool:
    return not _SURROGATE.search(text)


def _is_in_range(option: Option, value: t.Any) -> bool:
    """Return whether a value is within the range of an option, if it has one. Booleans and NaN never are."""
    least, most = option.get("at_least"), option.get("at_most")
    if least is None and most is None:
        return True
    return not isinstance(value, bool) and (least is None or least <= value) and (most is None or value <= most)


def quote(value: t.Any) -> str:
    """Return a value for a message about it, shortened, or an empty string if the value is empty."""
    if value in ("", [], {}):
        return ""
    text = repr(value)
    return f", not {text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + '…'}"
