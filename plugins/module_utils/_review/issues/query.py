# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Queries for issues: written out of typed parts, or taken as they are."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._review import server
from ansible_collections.buildworks.toolchain.plugins.module_utils._review.service import ReviewService

STATUSES = [
    "Analyze",
    "Ignore",
    "Not a Problem",
    "Fix",
    "Fix in Next Release",
    "Fix in Later Release",
    "Defer",
    "Filter",
]
_SPELLINGS = {status.lower(): status for status in STATUSES}
STATES = ["New", "Existing", "Fixed"]
# Parts that are texts, each with its keyword
TEXT_KEYWORDS = {
    "category": "category",
    "code": "code",
    "file": "file",
    "issue_owner": "owner",
    "module": "module",
    "reference": "reference",
    "taxonomy": "taxonomy",
}
QUERY_OPTIONS = (*TEXT_KEYWORDS, "state", "status", "severity", "build", "text")

EXACT_BUILD_NAMES_SINCE = 24  # the major version from which on a server finds builds by their whole names only
_QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")


def build_query(review: ReviewService, parts: dict[str, t.Any]) -> str:
    """The query that the parts make; the state is always stated.

    :raises BadOption: for what the language cannot express, or not that of this server
    """
    terms = [f"state:{','.join(parts['state'])}"]
    terms += _build_term("status", "status", parts["status"], exact=True)
    if parts["severity"]:
        terms.append(f"severity:{','.join(parts['severity'])}")
    for option, keyword in TEXT_KEYWORDS.items():
        terms += _build_term(option, keyword, parts[option], exact=parts["exact"])
    terms += [quote(text, "text") for text in parts["text"] or ()]
    if parts["build"]:
        terms.append(f"build:{_format_build(review, parts['build'])}")
    return " ".join(terms)


def add_grouping(query: str, grouped: bool, option: str = "query") -> str:
    """The query, which says whether issues that are alike are one, for servers differ in what they take for granted.

    :raises BadOption: when it says so itself
    """
    if has_keyword(query, "grouping"):
        raise BadOption(option, "leaves 'grouping:' to the module, which adds it")
    return f"grouping:{'on' if grouped else 'off'} {query}".rstrip()


def has_keyword(query: str, keyword: str) -> bool:
    """Whether a term of the query has the keyword."""
    return bool(re.search(rf"(^|\s)[-+]?{keyword}:", _QUOTED.sub("", query), re.IGNORECASE))


def normalize_status(status: str) -> str:
    """A status as servers take it; some tell it in other letters, such as Not a problem."""
    return _SPELLINGS.get(status.lower(), status)


def quote(text: str, option: str) -> str:
    """A value in quotation marks.

    :raises BadOption: when it has both kinds of them in it, which the language cannot express
    """
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    raise BadOption(option, "cannot have both kinds of quotation marks in it: a query has no way to write them")


def _build_term(option: str, keyword: str, values: list[str] | None, exact: bool) -> list[str]:
    if not values:
        return []
    return [f"{keyword}:{','.join(('+' if exact else '') + quote(value, option) for value in values)}"]


def _format_build(review: ReviewService, build: dict[str, t.Any]) -> str:
    if build["any"] is not None:
        if not build["any"]:
            raise BadOption("build.any", "takes only true: leave it out for the last build")
        return "any"
    if build["id"] is not None:
        return str(build["id"])
    if build["name"] is not None:
        return f"+{quote(build['name'], 'build.name')}"
    if server.major_version(server.read_version(review)) >= EXACT_BUILD_NAMES_SINCE:
        raise BadOption(
            "build.contains", "cannot be asked of this server, which finds builds by their whole names only"
        )
    return quote(build["contains"], "build.contains")
