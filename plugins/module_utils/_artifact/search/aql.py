# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Artifactory Query Language: generate queries, read large results by page, and parse rows."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.search.aql_text import check_read_only
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    SORTING_REFUSED,
    ArtifactService,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
    add_advice,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import MISSING
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Domains with their default fields
DOMAINS: dict[str, tuple[str, ...]] = {
    "items": (
        *("repo", "path", "name", "type", "size"),
        *("created", "created_by", "modified", "modified_by", "updated"),
    ),
    "builds": ("name", "number", "started", "url", "created", "created_by", "modified", "modified_by"),
    "modules": ("name",),
    "artifacts": ("name", "type"),
    "dependencies": ("name", "scope", "type"),
    "properties": ("key", "value"),
    "build.properties": ("key", "value"),
    "module.properties": ("key", "value"),
    "build.promotions": ("created", "created_by", "status", "repo", "comment", "user"),
    "stats": ("downloads", "downloaded", "downloaded_by"),
    "archive.entries": ("name", "path"),
}
OPERATORS = (
    *("$eq", "$ne", "$gt", "$gte", "$lt", "$lte", "$match", "$nmatch", "$eqic", "$matchic"),
    *("$last", "$before"),
)

# Fields that identify an item, and that pages are sorted by. Only administrators may omit them
_ITEM = ("repo", "path", "name")
_REQUIRED = {"items": _ITEM, "builds": ("name", "number")}
_OTHER_DOMAINS = frozenset(
    ("item", "property", "stat", "archive", "entry", "artifact", "dependency", "module", "build", "promotion")
)
_LISTS = ("$and", "$or", "$msp", "$rf")
_AGE_OPERATORS = ("$last", "$before")
_AGE = re.compile(
    r"[+-]?(\d+(ms|millis))?(\d+(mi|minutes))?(\d+(d|days))?(\d+(mo|months))?(\d+(y|years))?(\d+(s|seconds))?(\d+(w|weeks))?",
    re.IGNORECASE,
)
# Each level multiplies the time that the server needs
_MAX_DEPTH = 8
_TIMES = frozenset(("created", "modified", "updated", "started", "downloaded", "remote_downloaded"))
_IN_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_TRASH = "auto-trashcan"

_T = t.TypeVar("_T")
_K = t.TypeVar("_K")
_V = t.TypeVar("_V")
Find = t.Union[dict[str, t.Any], list[t.Any]]


class TruncatedResult(ToolchainError):
    """The server truncated the result."""


@dataclasses.dataclass(frozen=True)
class Query:
    """A query.

    :ivar domain: the domain of the rows
    :ivar find: conditions by field, all of which must be met, or a list of such dictionaries
    :ivar include: fields to return, also of other domains; the default is `DOMAINS`
    :ivar sort: fields to sort by
    :ivar offset: number of rows to skip
    :ivar limit: maximum number of rows
    """

    domain: str
    find: Find
    include: tuple[str, ...] = ()
    sort: tuple[str, ...] = ()
    descending: bool = False
    offset: int = 0
    limit: int | None = None

    def __str__(self) -> str:
        """Return the query in AQL. Values cannot change its meaning.

        :raises BadOption: if AQL cannot express it
        """
        tail = []
        if self.include:
            tail.append(f".include({_quote_all(self.include, 'include')})")
        if self.sort:
            tail.append(f'.sort({{"${"desc" if self.descending else "asc"}":[{_quote_all(self.sort, "sort")}]}})')
        if self.offset:
            tail.append(f".offset({self.offset})")
        if self.limit is not None:
            tail.append(f".limit({self.limit})")
        return f"{self.domain}.find({','.join(_format_conditions(self.find, 'find'))}){''.join(tail)}"

    @property
    def has_foreign_fields(self) -> bool:
        """Return whether rows include fields of other domains. Artifactory does not sort or count such rows."""
        return any(map(_is_foreign, self.include))


def prepare(query: Query) -> Query:
    """Return the query with the fields that Artifactory requires, without constructs that it treats unexpectedly.

    :raises BadOption: if the query uses something that Artifactory silently ignores
    """
    if query.has_foreign_fields and (query.sort or query.offset):
        raise BadOption(
            "sort" if query.sort else "offset",
            "cannot be combined with fields of other domains in 'include', because the server ignores it then",
        )
    find = query.find
    if query.domain == "items" and _list_pairs(find) == [("type", "any")]:
        # without another condition, it includes the trash can, but only on the first page
        find = [find, {"repo": {"$ne": _TRASH}}]
    own = [field for field in query.include if not _is_foreign(field)]
    if "*" in own:  # the server ignores it if there are other fields
        own = ["*"]
    elif own:
        own += [field for field in (*_REQUIRED.get(query.domain, ()), *query.sort) if field not in own]
    prepared = dataclasses.replace(query, find=find, include=(*own, *filter(_is_foreign, query.include)))
    str(prepared)
    return prepared


def fetch_rows(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[Fields]:
    """Yield the rows of a query as they arrive, with constant memory.

    :arg query: a query as returned by `prepared`
    :arg page_size: number of rows in one request, 0 for all
    :raises ToolchainError: if the server truncates the result
    """
    try:
        yield from _fetch_rows(artifact, query, page_size)
    except ServerRefusal as refusal:
        include = (*query.include, *_find_required_fields(refusal, query))
        if include == query.include:
            raise
        yield from _fetch_rows(artifact, dataclasses.replace(query, include=include), page_size)


def fetch_repository(artifact: ArtifactService, query: Query, key: str) -> t.Iterator[Fields]:
    """Yield the rows of a query for items in one repository, without sorting.

    :arg query: a query as returned by `prepared`
    """
    return fetch_rows(artifact, dataclasses.replace(query, find=[{"repo": key}, query.find]), 0)


@contextlib.contextmanager
def suggest_unsorted() -> t.Iterator[None]:
    """Add to the refusal of a sorted query by the open-source edition how the options of a task avoid it."""
    try:
        yield
    except ServerRefusal as refusal:
        if SORTING_REFUSED in refusal.text:
            raise add_advice(refusal, "Set 'page_size: 0' and omit 'sort', or set 'by_repository: true'.") from None
        raise


def fetch_item_pages(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[list[Fields]]:
    """Yield the rows of a query for items page by page, sorted by repository, path and name.

    Each page begins after the last item of the previous one, so that deleting items does not shift pages. If the name
    of the last item cannot be expressed in AQL, the page begins after an earlier item and overlapping rows are skipped.

    :arg query: a query as returned by `prepared`, without a sort
    """
    after, offset, remaining = None, query.offset, query.limit
    overlap: set[tuple[str, str, str]] = set()
    while True:
        count = page_size if remaining is None else min(page_size, remaining)
        limit = count + len(overlap)
        find = [query.find, after] if after else query.find
        rows = list(
            _fetch_once(artifact, dataclasses.replace(query, find=find, sort=_ITEM, offset=offset, limit=limit))
        )
        new = [row for row in rows if _item_key(row) not in overlap]
        page = new[:count]
        yield page
        remaining = None if remaining is None else remaining - len(page)
        if remaining == 0 or (len(rows) < limit and len(new) <= count):
            return
        index = next((number for number, row in enumerate(reversed(page)) if is_writable(row)), None)
        if index is None:
            overlap.update(map(_item_key, page))
        else:
            after, offset = _compare_key(page[-1 - index], "$gt", "$gt"), 0
            overlap = set(map(_item_key, page[len(page) - index :]))


def fetch_in_parts(fetch: t.Callable[[t.Sequence[_T]], dict[_K, _V]], items: t.Sequence[_T]) -> dict[_K, _V]:
    """Return the results of a query for some items, split into smaller queries if the server truncates the result."""
    try:
        return fetch(items)
    except TruncatedResult:
        if len(items) < 2:
            raise
    middle = len(items) // 2
    return {**fetch_in_parts(fetch, items[:middle]), **fetch_in_parts(fetch, items[middle:])}


def fetch_text_rows(artifact: ArtifactService, text: str) -> t.Iterator[Fields]:
    """Yield the rows of a query in AQL as they arrive.

    :raises BadOption: if the query does not only read
    """
    check_read_only("query", text)
    return _read_rows(
        artifact, text, "Narrow the query, or use 'find' instead of 'query' to read the result page by page."
    )


def _fetch_rows(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[Fields]:
    read_pages = _select_paging(query) if page_size else None
    if read_pages:
        rows: t.Iterator[Fields] = itertools.chain.from_iterable(read_pages(artifact, query, page_size))
    else:
        rows = _fetch_once(artifact, dataclasses.replace(query, limit=None) if query.has_foreign_fields else query)
    return itertools.islice(rows, query.limit)


def _find_required_fields(refusal: ServerRefusal, query: Query) -> list[str]:
    """Return the missing fields that the server requires for this account. They depend on its version."""
    match = re.search(r"demands the following fields: ([\w, ]+)", refusal.text)
    names = re.findall(r"\w+", match.group(1)) if match and query.include else []
    return [name for name in names if name != "and" and name not in query.include]


def _select_paging(
    query: Query,
) -> t.Callable[[ArtifactService, Query, int], t.Iterator[list[Fields]]] | None:
    """Return the function that reads the query page by page, or `None` if paging is not possible."""
    if query.domain == "items" and not query.sort:
        return _fetch_wide_pages if query.has_foreign_fields else fetch_item_pages
    if query.has_foreign_fields or "*" in query.include:
        return None
    return _fetch_offset_pages


def _fetch_wide_pages(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[list[Fields]]:
    """Yield pages of items with fields of other domains.

    Artifactory neither sorts nor counts such rows as items. So the items of a page are queried first, then their
    fields.
    """
    keys: list[Fields] = []
    after = None
    for page in fetch_item_pages(artifact, dataclasses.replace(query, include=_ITEM, limit=None), page_size):
        keys += page
        if keys and is_writable(keys[-1]):
            yield _fetch_wide_page(artifact, query, keys, [after, _compare_key(keys[-1], "$lt", "$lte")])
            keys, after = [], _compare_key(keys[-1], "$gt", "$gt")
    if keys:
        yield _fetch_wide_page(artifact, query, keys, [after])


def _fetch_wide_page(
    artifact: ArtifactService, query: Query, keys: list[Fields], bounds: list[Fields | None]
) -> list[Fields]:
    """Return the rows between two items, in the order of `keys`."""
    position = {_item_key(row): number for number, row in enumerate(keys)}
    find = [query.find, *filter(None, bounds)]
    rows = _fetch_once(artifact, dataclasses.replace(query, find=find, limit=None))
    return sorted(rows, key=lambda row: position.get(_item_key(row), len(position)))


def _fetch_offset_pages(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[list[Fields]]:
    """Yield pages by offset until one is empty. A short page is not the last, because Artifactory merges equal rows."""
    if not query.include:
        query = dataclasses.replace(query, include=DOMAINS[query.domain])
    sort = (*query.sort, *(field for field in query.include if field not in query.sort))
    for offset in itertools.count(query.offset, page_size):
        remaining = None if query.limit is None else query.offset + query.limit - offset
        if remaining is not None and remaining <= 0:
            return
        count = page_size if remaining is None else min(page_size, remaining)
        page = list(_fetch_once(artifact, dataclasses.replace(query, sort=sort, offset=offset, limit=count)))
        if not page:
            return
        yield page


def _fetch_once(artifact: ArtifactService, query: Query) -> t.Iterator[Fields]:
    """Yield the rows of one request."""
    advice = "Narrow 'find', for example by 'repo' or 'path', or reduce 'page_size'."
    return _read_rows(artifact, str(query), advice, _ITEM if query.domain == "items" else ())


def _read_rows(artifact: ArtifactService, text: str, advice: str, needed: t.Sequence[str] = ()) -> t.Iterator[Fields]:
    """Yield the rows of a response, and verify that they have the required fields.

    :raises UnexpectedResponse: if the response has no `range`, which Artifactory always sends: an empty list does not
        prove then that there are no results
    """
    response = artifact.http.read(
        "POST",
        "/artifactory/api/search/aql",
        data=text.encode(),
        headers={"Content-Type": "text/plain; charset=utf-8"},
        stream=True,
    )
    others: dict[str, t.Any] = {}
    count = 0
    for record in response.entries("results", others):
        count += 1
        for field in needed:
            record.text(field)
        yield _to_row(record)
    range_info = others.get("range")
    if not isinstance(range_info, dict):
        raise response.unexpected_value("range", "an object", others.get("range", MISSING))
    if notification := others.get("notification") or range_info.get("notification"):
        raise TruncatedResult(f"The server truncated the result after {count:,} rows: {notification} {advice}")


def _to_row(record: dict[str, t.Any]) -> Fields:
    """Return a row with short names, and times in UTC."""
    row: Fields = {}
    for name, value in record.items():
        short, is_time = _short_name(name)
        if isinstance(value, list):
            value = [_to_row(entry) if isinstance(entry, dict) else entry for entry in value]
        elif is_time:
            value = _to_utc(value)
        row[name if short in row else short] = value
    return row


@functools.lru_cache(maxsize=1000)
def _short_name(name: str) -> tuple[str, bool]:
    """Return the name of a member without the domain, and whether the member is a time."""
    short = name.rpartition(".")[2]
    return short, short in _TIMES


def _to_utc(value: t.Any) -> t.Any:
    if isinstance(value, str) and _IN_UTC.fullmatch(value):
        return value
    try:
        return times.to_utc(value)
    except ValueError:
        return value


def _format_conditions(find: t.Any, option: str, depth: int = 0) -> list[str]:
    """Return the conditions, each with one pair, because Artifactory may join several pairs in one object by OR."""
    if depth > _MAX_DEPTH:
        raise BadOption(option, f"is nested too deeply (more than {_MAX_DEPTH} levels)")
    if isinstance(find, list):
        return [
            text
            for number, entry in enumerate(find)
            for text in _format_conditions(entry, f"{option}[{number}]", depth)
        ]
    if not isinstance(find, dict):
        raise BadOption(option, "must be a dictionary of conditions or a list of them. Use 'query' for a query in AQL")
    return [
        text for name, value in find.items() for text in _format_condition(str(name), value, f"{option}.{name}", depth)
    ]


def _format_condition(name: str, value: t.Any, option: str, depth: int) -> t.Iterator[str]:
    if name in _LISTS:
        yield from _format_group(name, value, option, depth)
        return
    if name.startswith("$"):
        raise BadOption(option, f"'{name}' is not supported. Supported are {', '.join(_LISTS)}")
    field = _quote(name, option)
    if not isinstance(value, dict):
        yield f"{{{field}:{_format_value(name, None, value, option)}}}"
        return
    if not value:
        raise BadOption(option, f"must be a value, or a dictionary with one of {', '.join(OPERATORS)}")
    for operator, operand in value.items():
        if operator not in OPERATORS:
            raise BadOption(option, f"'{operator}' is not supported. Supported are {', '.join(OPERATORS)}")
        yield f'{{{field}:{{"{operator}":{_format_value(name, operator, operand, f"{option}.{operator}")}}}}}'


def _format_group(name: str, value: t.Any, option: str, depth: int) -> t.Iterator[str]:
    if not isinstance(value, list):
        raise BadOption(option, "must be a list of dictionaries of conditions")
    branches = [_format_conditions(entry, f"{option}[{number}]", depth + 1) for number, entry in enumerate(value)]
    if not branches or not all(branches):
        raise BadOption(option, "must not be empty or contain empty conditions")
    if name == "$and":
        yield from itertools.chain.from_iterable(branches)
    elif name == "$or":
        yield f'{{"$or":[{",".join(map(_join_and, branches))}]}}'
    else:
        yield f'{{"{name}":[{",".join(itertools.chain.from_iterable(branches))}]}}'


def _join_and(conditions: list[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f'{{"$and":[{",".join(conditions)}]}}'


def _format_value(field: str, operator: str | None, value: t.Any, option: str) -> str:
    if value is None:
        if operator not in (None, "$eq", "$ne") or (field.startswith("@") and operator is None):
            raise BadOption(option, "cannot be null here: AQL supports null only with $eq and $ne")
        return "null"
    if isinstance(value, (bool, float)):
        raise BadOption(option, "must be a string, an integer or null. Put other numbers, true and false in quotes")
    if not isinstance(value, (str, int)):
        raise BadOption(option, "must be a single value. Use '$or' for alternatives")
    if operator in _AGE_OPERATORS and not _AGE.fullmatch(str(value)):
        raise BadOption(
            option, f"must be an age such as 4w, 3days or 90mi (units: ms, s, mi, d, w, mo, y), not '{value}'"
        )
    return _quote(str(value), option)


def _quote_all(names: t.Iterable[str], option: str) -> str:
    return ",".join(_quote(name, f"{option}[{number}]") for number, name in enumerate(names))


def _quote(text: str, option: str) -> str:
    """Return a string literal in AQL, which has no escape sequences."""
    if problem := _explain_unwritable(text):
        raise BadOption(option, problem)
    return f'"{text}"'


def _explain_unwritable(text: str) -> str | None:
    if '"' in text or text.splitlines() not in ([text], []) or any(map(_is_control, text)):
        return "cannot contain quotation marks, line breaks or control characters, because AQL cannot express them"
    if text != text.lstrip():
        return "cannot begin with a space, because the server would ignore it"
    return None


def _is_control(letter: str) -> bool:
    return ord(letter) < 32 or ord(letter) == 127 or "\ud800" <= letter <= "\udfff"


def widen_pattern(pattern: str) -> str:
    """Return an operand of `$match` that matches at least what the pattern matches.

    `$match` ignores leading spaces, and interprets `%` and `^` differently in some patterns.
    """
    wide = re.sub("[%^]", "?", pattern)
    return f"?{wide[1:]}" if wide.startswith(" ") else wide


def is_writable(row: Fields) -> bool:
    """Return whether AQL can express repository, path and name of an item."""
    return not any(_explain_unwritable(str(row[field])) for field in _ITEM)


def _compare_key(row: Fields, strict: str, own: str) -> dict[str, t.Any]:
    """Return the condition for items before or after an item in the order of repository, path and name.

    It uses no equality on the repository, because that would include the trash can.

    :arg strict: `$gt` or `$lt`
    :arg own: `$gte` or `$lte` to include the item itself, otherwise the same as `strict`
    """
    repo, path, name = _item_key(row)
    same_repo = {"path": {f"{strict}e": path}, "$or": [{"path": {strict: path}}, {"name": {own: name}}]}
    return {"repo": {f"{strict}e": repo}, "$or": [{"repo": {strict: repo}}, same_repo]}


def _item_key(row: Fields) -> tuple[str, str, str]:
    return row["repo"], row["path"], row["name"]


def _is_foreign(field: str) -> bool:
    """Return whether a field belongs to another domain."""
    return field.startswith("@") or "." in field or field in _OTHER_DOMAINS


def _list_pairs(find: t.Any) -> list[tuple[str, t.Any]]:
    if isinstance(find, list):
        return [pair for entry in find for pair in _list_pairs(entry)]
    return list(find.items()) if isinstance(find, dict) else []
