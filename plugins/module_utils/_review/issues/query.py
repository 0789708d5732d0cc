# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Search queries for issues, built from options."""

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
# Options that are lists of texts, with their keywords
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

EXACT_BUILD_NAMES_SINCE = 24  # since this major version, servers find builds by their whole names only
_QUOTED = re.compile(r"""'[^']*'|"[^"]*\"""")


def build_query(review: ReviewService, parts: dict[str, t.Any]) -> str:
    """Return the query for the options. It always contains the state.

    :raises BadOption: if the query language, or that of this server, cannot express an option
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
    """Return the query with the `grouping:` keyword, because its default depends on the version of Klocwork.

    :raises BadOption: if the query contains `grouping:`
    """
    if has_keyword(query, "grouping"):
        raise BadOption(option, "must not contain 'grouping:', which the module adds. Remove it")
    return f"grouping:{'on' if grouped else 'off'} {query}".rstrip()


def has_keyword(query: str, keyword: str) -> bool:
    """Return whether a term of the query has the keyword."""
    return bool(re.search(rf"(^|\s)[-+]?{keyword}:", _QUOTED.sub("", query), re.IGNORECASE))


def normalize_status(status: str) -> str:
    """Return a status in the spelling of requests. Some servers return others, such as `Not a problem`."""
    return _SPELLINGS.get(status.lower(), status)


def quote(text: str, option: str) -> str:
    """Return a value in quotation marks.

    :raises BadOption: if the value contains both kinds of quotation marks
    """
    if '"' not in text:
        return f'"{text}"'
    if "'" not in text:
        return f"'{text}'"
    raise BadOption(option, "must not contain both kinds of quotation marks, because queries cannot escape them")


def _build_term(option: str, keyword: str, values: list[str] | None, exact: bool) -> list[str]:
    if not values:
        return []
    return [f"{keyword}:{','.join(('+' if exact else '') + quote(value, option) for value in values)}"]


def _format_build(review: ReviewService, build: dict[str, t.Any]) -> str:
    if build["any"] is not None:
        if not build["any"]:
            raise BadOption("build.any", "must be true. Omit it to search the latest build")
        return "any"
    if build["id"] is not None:
        return str(build["id"])
    if build["name"] is not None:
        return f"+{quote(build['name'], 'build.name')}"
    if server.major_version(server.read_version(review)) >= EXACT_BUILD_NAMES_SINCE:
        raise BadOption(
            "build.contains",
            "is not supported by this server, which finds builds only by their whole names. Use 'name'",
        )
    return quote(build["contains"], "build.contains")
