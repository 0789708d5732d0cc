# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The query language: how a query is written so that it means what it says, its pages, and its rows."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import MISSING
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

# Each domain with the fields that a row has when none are named
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

# What names an item. An ordinary account has to ask for it, and pages go by it
_ITEM = ("repo", "path", "name")
_DEMANDED = {"items": _ITEM, "builds": ("name", "number")}
_OTHER_DOMAINS = frozenset(
    ("item", "property", "stat", "archive", "entry", "artifact", "dependency", "module", "build", "promotion")
)
_LISTS = ("$and", "$or", "$msp", "$rf")
_AGES = ("$last", "$before")
_AGE = re.compile(
    r"[+-]?(\d+(ms|millis))?(\d+(mi|minutes))?(\d+(d|days))?(\d+(mo|months))?(\d+(y|years))?(\d+(s|seconds))?(\d+(w|weeks))?",
    re.IGNORECASE,
)
# The server needs a multiple of the time for each level
_DEEPEST = 8
_TIMES = frozenset(("created", "modified", "updated", "started", "downloaded", "remote_downloaded"))
_IN_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_TRASH = "auto-trashcan"

_T = t.TypeVar("_T")
_K = t.TypeVar("_K")
_V = t.TypeVar("_V")
Find = t.Union[dict[str, t.Any], list[t.Any]]


class Trimmed(ToolchainError):
    """The server gave fewer rows than there are."""


@dataclasses.dataclass(frozen=True)
class Query:
    """What is asked for.

    :ivar domain: what the rows are
    :ivar find: conditions by field, all of which must hold; a list of such means the same
    :ivar include: fields of a row, and those of other domains; without them the fields of `DOMAINS`
    :ivar sort: fields to sort by
    :ivar offset: number of rows to pass over
    :ivar limit: number of rows at most
    """

    domain: str
    find: Find
    include: tuple[str, ...] = ()
    sort: tuple[str, ...] = ()
    descending: bool = False
    offset: int = 0
    limit: int | None = None

    def __str__(self) -> str:
        """The text of the query. Whatever is in the values, it asks for nothing else.

        :raises BadOption: when something cannot be written in the query language
        """
        tail = []
        if self.include:
            tail.append(f".include({_quoted(self.include, 'include')})")
        if self.sort:
            tail.append(f'.sort({{"${"desc" if self.descending else "asc"}":[{_quoted(self.sort, "sort")}]}})')
        if self.offset:
            tail.append(f".offset({self.offset})")
        if self.limit is not None:
            tail.append(f".limit({self.limit})")
        return f"{self.domain}.find({','.join(_conditions(self.find, 'find'))}){''.join(tail)}"

    @property
    def reaches_out(self) -> bool:
        """Whether rows have fields of other domains; then the server neither sorts nor counts them as one expects."""
        return any(map(_is_foreign, self.include))


def prepared(query: Query) -> Query:
    """The query as it can be asked: with the fields that the server demands, and without its surprises.

    :raises BadOption: when it asks for what the server does not do, although it would not say so
    """
    if query.reaches_out and (query.sort or query.offset):
        raise BadOption(
            "sort" if query.sort else "offset",
            "cannot go with fields of other domains in 'include', for the server does otherwise then",
        )
    find = query.find
    if query.domain == "items" and _pairs(find) == [("type", "any")]:
        # alone it lets the trash in, but only on the first page
        find = [find, {"repo": {"$ne": _TRASH}}]
    own = [field for field in query.include if not _is_foreign(field)]
    if "*" in own:  # beside it the server looks at the others alone
        own = ["*"]
    elif own:
        own += [field for field in (*_DEMANDED.get(query.domain, ()), *query.sort) if field not in own]
    prepared = dataclasses.replace(query, find=find, include=(*own, *filter(_is_foreign, query.include)))
    str(prepared)
    return prepared


def rows(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[Fields]:
    """The rows of a query, as they come; memory does not grow with their number.

    :arg query: as `prepared` gives it
    :arg page_size: rows to ask for at once, 0 for all of them
    :raises ToolchainError: when the server does not give all of them
    """
    try:
        yield from _rows(artifact, query, page_size)
    except ServerRefusal as refusal:
        include = (*query.include, *_demanded(refusal, query))
        if include == query.include:
            raise
        yield from _rows(artifact, dataclasses.replace(query, include=include), page_size)


def item_pages(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[list[Fields]]:
    """The rows of a query for items, a page at a time, sorted by repository, path and name.

    Each page begins behind the last item of the one before, so that none is passed over when items go in between. Only
    a name that cannot be written is no place to begin behind: what follows such a place is asked for once more.

    :arg query: as `prepared` gives it, without a sort of its own
    """
    beyond, offset, left = None, query.offset, query.limit
    seen: set[tuple[str, str, str]] = set()
    while True:
        wanted = page_size if left is None else min(page_size, left)
        asked = wanted + len(seen)
        find = [query.find, beyond] if beyond else query.find
        found = list(_answered(artifact, dataclasses.replace(query, find=find, sort=_ITEM, offset=offset, limit=asked)))
        new = [row for row in found if _key(row) not in seen]
        page = new[:wanted]
        yield page
        left = None if left is None else left - len(page)
        if left == 0 or (len(found) < asked and len(new) <= wanted):
            return
        behind = next((number for number, row in enumerate(reversed(page)) if is_writable(row)), None)
        if behind is None:
            seen.update(map(_key, page))
        else:
            beyond, offset = _side(page[-1 - behind], "$gt", "$gt"), 0
            seen = set(map(_key, page[len(page) - behind :]))


def in_parts(ask: t.Callable[[t.Sequence[_T]], dict[_K, _V]], items: t.Sequence[_T]) -> dict[_K, _V]:
    """What a query returns about items, asked about fewer at a time if the server trims the response."""
    try:
        return ask(items)
    except Trimmed:
        if len(items) < 2:
            raise
    middle = len(items) // 2
    return {**in_parts(ask, items[:middle]), **in_parts(ask, items[middle:])}


def rows_of_text(artifact: ArtifactService, text: str) -> t.Iterator[Fields]:
    """The rows of a query that somebody else wrote, as they come."""
    return _read(artifact, text, "Narrow the query, or let the task ask for pages: give 'find' instead of 'query'.")


def _rows(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[Fields]:
    walk = _walk(query) if page_size else None
    if walk:
        found: t.Iterator[Fields] = itertools.chain.from_iterable(walk(artifact, query, page_size))
    else:
        found = _answered(artifact, dataclasses.replace(query, limit=None) if query.reaches_out else query)
    return itertools.islice(found, query.limit)


def _demanded(refusal: ServerRefusal, query: Query) -> list[str]:
    """The fields that the server refused to do without, for this account; which ones differs by its version."""
    said = re.search(r"demands the following fields: ([\w, ]+)", refusal.text)
    names = re.findall(r"\w+", said.group(1)) if said and query.include else []
    return [name for name in names if name != "and" and name not in query.include]


def _walk(
    query: Query,
) -> t.Callable[[ArtifactService, Query, int], t.Iterator[list[Fields]]] | None:
    """How to go from page to page, `None` when there is no way."""
    if query.domain == "items" and not query.sort:
        return _wide_pages if query.reaches_out else item_pages
    if query.reaches_out or "*" in query.include:
        return None
    return _counted_pages


def _wide_pages(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[list[Fields]]:
    """Pages of items with fields of other domains.

    Such rows the server neither sorts nor counts as items. So the items are asked for first, then all of a page.
    """
    keys: list[Fields] = []
    beyond = None
    for page in item_pages(artifact, dataclasses.replace(query, include=_ITEM, limit=None), page_size):
        keys += page
        if keys and is_writable(keys[-1]):
            yield _wide_page(artifact, query, keys, [beyond, _side(keys[-1], "$lt", "$lte")])
            keys, beyond = [], _side(keys[-1], "$gt", "$gt")
    if keys:
        yield _wide_page(artifact, query, keys, [beyond])


def _wide_page(
    artifact: ArtifactService, query: Query, keys: list[Fields], bounds: list[Fields | None]
) -> list[Fields]:
    """The rows between two items, in the order of `keys`."""
    place = {_key(row): number for number, row in enumerate(keys)}
    find = [query.find, *filter(None, bounds)]
    found = _answered(artifact, dataclasses.replace(query, find=find, limit=None))
    return sorted(found, key=lambda row: place.get(_key(row), len(place)))


def _counted_pages(artifact: ArtifactService, query: Query, page_size: int) -> t.Iterator[list[Fields]]:
    """Pages by their number, until one is empty: equal rows are one, so a page that is short is not the last."""
    if not query.include:
        query = dataclasses.replace(query, include=DOMAINS[query.domain])
    sort = (*query.sort, *(field for field in query.include if field not in query.sort))
    for offset in itertools.count(query.offset, page_size):
        left = None if query.limit is None else query.offset + query.limit - offset
        if left is not None and left <= 0:
            return
        wanted = page_size if left is None else min(page_size, left)
        page = list(_answered(artifact, dataclasses.replace(query, sort=sort, offset=offset, limit=wanted)))
        if not page:
            return
        yield page


def _answered(artifact: ArtifactService, query: Query) -> t.Iterator[Fields]:
    """The rows of one request."""
    advice = "Narrow 'find', by 'repo' or 'path' for example, or set 'page_size' to less."
    return _read(artifact, str(query), advice, _ITEM if query.domain == "items" else ())


def _read(artifact: ArtifactService, text: str, advice: str, needed: t.Sequence[str] = ()) -> t.Iterator[Fields]:
    """Yield the rows of a response, each of which has the fields that are needed.

    :raises UnexpectedResponse: for a response without `range`, which Artifactory always sends: its list may be empty
        for another reason than that nothing was found
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
    for found in response.entries("results", others):
        count += 1
        for field in needed:
            found.text(field)
        yield _row(found)
    about = others.get("range")
    if not isinstance(about, dict):
        raise response.unexpected_value("range", "an object", others.get("range", MISSING))
    if notification := others.get("notification") or about.get("notification"):
        raise Trimmed(f"The server gave {count:,} rows and says: {notification} {advice}")


def _row(found: dict[str, t.Any]) -> Fields:
    """A row without the domain before its members' names, times in UTC."""
    row: Fields = {}
    for name, value in found.items():
        short, is_time = _short_name(name)
        if isinstance(value, list):
            value = [_row(entry) if isinstance(entry, dict) else entry for entry in value]
        elif is_time:
            value = _moment(value)
        row[name if short in row else short] = value
    return row


@functools.lru_cache(maxsize=1000)
def _short_name(name: str) -> tuple[str, bool]:
    """Return the name of a member without the domain before it, and whether the member is a time."""
    short = name.rpartition(".")[2]
    return short, short in _TIMES


def _moment(value: t.Any) -> t.Any:
    if isinstance(value, str) and _IN_UTC.fullmatch(value):
        return value
    try:
        return times.utc(value)
    except ValueError:
        return value


def _conditions(find: t.Any, option: str, depth: int = 0) -> list[str]:
    """The conditions, each of one pair, for the server joins the pairs in one pair of braces by `or` in some places."""
    if depth > _DEEPEST:
        raise BadOption(option, f"is nested too deep, more than {_DEEPEST} levels")
    if isinstance(find, list):
        return [text for number, one in enumerate(find) for text in _conditions(one, f"{option}[{number}]", depth)]
    if not isinstance(find, dict):
        raise BadOption(
            option, "takes a dictionary of conditions, or a list of them; a query as a text goes into 'query'"
        )
    return [text for name, value in find.items() for text in _condition(str(name), value, f"{option}.{name}", depth)]


def _condition(name: str, value: t.Any, option: str, depth: int) -> t.Iterator[str]:
    if name in _LISTS:
        yield from _group(name, value, option, depth)
        return
    if name.startswith("$"):
        raise BadOption(option, f"there is no '{name}'; there are {', '.join(_LISTS)}")
    field = _text(name, option)
    if not isinstance(value, dict):
        yield f"{{{field}:{_value(name, None, value, option)}}}"
        return
    if not value:
        raise BadOption(option, f"takes a value, or one of {', '.join(OPERATORS)} with a value")
    for operator, operand in value.items():
        if operator not in OPERATORS:
            raise BadOption(option, f"there is no '{operator}'; there are {', '.join(OPERATORS)}")
        yield f'{{{field}:{{"{operator}":{_value(name, operator, operand, f"{option}.{operator}")}}}}}'


def _group(name: str, value: t.Any, option: str, depth: int) -> t.Iterator[str]:
    if not isinstance(value, list):
        raise BadOption(option, "takes a list of dictionaries of conditions")
    arms = [_conditions(one, f"{option}[{number}]", depth + 1) for number, one in enumerate(value)]
    if not arms or not all(arms):
        raise BadOption(option, "must not be empty, and have nothing empty in it")
    if name == "$and":
        yield from itertools.chain.from_iterable(arms)
    elif name == "$or":
        yield f'{{"$or":[{",".join(map(_joined, arms))}]}}'
    else:
        yield f'{{"{name}":[{",".join(itertools.chain.from_iterable(arms))}]}}'


def _joined(conditions: list[str]) -> str:
    return conditions[0] if len(conditions) == 1 else f'{{"$and":[{",".join(conditions)}]}}'


def _value(field: str, operator: str | None, value: t.Any, option: str) -> str:
    if value is None:
        if operator not in (None, "$eq", "$ne") or (field.startswith("@") and operator is None):
            raise BadOption(option, "cannot be null here; the query language has null for equal and not equal alone")
        return "null"
    if isinstance(value, (bool, float)):
        raise BadOption(option, "takes a text, a whole number or null; put other numbers, true and false in quotes")
    if not isinstance(value, (str, int)):
        raise BadOption(option, "takes one value; for several use '$or'")
    if operator in _AGES and not _AGE.fullmatch(str(value)):
        raise BadOption(
            option, f"takes an age such as 4w, 3days or 90mi (units: ms, s, mi, d, w, mo, y), not '{value}'"
        )
    return _text(str(value), option)


def _quoted(names: t.Iterable[str], option: str) -> str:
    return ",".join(_text(name, f"{option}[{number}]") for number, name in enumerate(names))


def _text(text: str, option: str) -> str:
    """A text in the query language, which ends at the next quotation mark and knows no escapes."""
    if problem := _unwritable(text):
        raise BadOption(option, problem)
    return f'"{text}"'


def _unwritable(text: str) -> str | None:
    if '"' in text or text.splitlines() not in ([text], []) or any(map(_is_control, text)):
        return "cannot have quotation marks, line breaks or control characters: the query language has none"
    if text != text.lstrip():
        return "cannot begin with a blank: the server would drop it, and find something else"
    return None


def _is_control(letter: str) -> bool:
    return ord(letter) < 32 or ord(letter) == 127 or "\ud800" <= letter <= "\udfff"


def wide(pattern: str) -> str:
    """What matches at least the same as a pattern, as an operand of `$match`.

    That drops blanks in front, and takes `%` and `^` for something else in some patterns.
    """
    wide = re.sub("[%^]", "?", pattern)
    return f"?{wide[1:]}" if wide.startswith(" ") else wide


def is_writable(row: Fields) -> bool:
    """Whether repository, path and name of an item can be conditions of a query."""
    return not any(_unwritable(str(row[field])) for field in _ITEM)


def _side(row: Fields, strict: str, own: str) -> dict[str, t.Any]:
    """Items on one side of an item in the order of repository, path and name.

    No equality: one on a repository would let the trash in.

    :arg strict: `$gt` or `$lt`
    :arg own: the same, or with `e` for the item itself, too
    """
    repo, path, name = _key(row)
    same_repo = {"path": {f"{strict}e": path}, "$or": [{"path": {strict: path}}, {"name": {own: name}}]}
    return {"repo": {f"{strict}e": repo}, "$or": [{"repo": {strict: repo}}, same_repo]}


def _key(row: Fields) -> tuple[str, str, str]:
    return row["repo"], row["path"], row["name"]


def _is_foreign(field: str) -> bool:
    """Whether a field is one of another domain."""
    return field.startswith("@") or "." in field or field in _OTHER_DOMAINS


def _pairs(find: t.Any) -> list[tuple[str, t.Any]]:
    if isinstance(find, list):
        return [pair for one in find for pair in _pairs(one)]
    return list(find.items()) if isinstance(find, dict) else []
