# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AQL API."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator

from starlette.responses import Response

from ...http.routing import Route
from ..aql import compiler, parser, records
from ..aql.dialects import create_dialect
from ..aql.errors import QueryError, QueryFailure
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError, PlainError

ACCEPTED_CONTENT_TYPES = ("text/plain", "")


async def run_query(call: Call) -> Response:
    """Handle `POST /api/search/aql`."""
    media_type = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in ACCEPTED_CONTENT_TYPES and call.supports(feature_versions.AQL_MEDIA_TYPE):
        raise ArtifactError(415)
    if call.principal.anonymous:
        raise ArtifactError(403, "Only non-anonymous users are allowed to access AQL queries\n")
    text = (await call.request.body()).decode("utf-8", "replace")
    if not text.strip():
        text = call.query.get("query", "")
    if not text.strip():
        raise ArtifactError(400)
    virtual_members = call.repositories.virtual_members()
    try:
        query = parser.parse(text, create_dialect(call.supports))
        statement = _compile(call, query, compiler.QueryContext(call.runtime.clock.now(), virtual_members))
        converter = records.RecordConverter(statement, virtual_members)
        return await (_act if query.action else _response)(call, statement, converter)
    except QueryError as error:
        raise _query_error(call, str(error)) from None
    except QueryFailure:
        raise ArtifactError(500) from None
    except (sqlite3.OperationalError, RecursionError):  # nested too deeply
        raise _query_error(call, "Failed to execute the following sql query") from None


def _query_error(call: Call, message: str) -> ArtifactError:
    """Return the error of a query. In old versions, its body is the bare message."""
    return (ArtifactError if call.supports(feature_versions.AQL_JSON_ERRORS) else PlainError)(400, message)


def _compile(call: Call, query: parser.Query, context: compiler.QueryContext) -> compiler.Statement:
    context.is_restricted = not call.principal.admin
    statement = compiler.compile_query(query, context)
    if call.is_oss:
        _check_edition(query)
    return statement


def _check_edition(query: parser.Query) -> None:
    if (query.domain.name == "properties" and query.action) or any(
        path.key not in (None, "*") for path in query.includes
    ):
        raise QueryError("Filtering properties result is not supported by AQL in the open source version\n")
    if query.sort_by:
        raise QueryError("Sorting is not supported by AQL in the open source version\n")


async def _response(call: Call, statement: compiler.Statement, converter: records.RecordConverter) -> Response:
    query, hard_limit = statement.query, call.get_switch("aql_hard_limit") or None

    def iterate_parts(db: sqlite3.Connection) -> Iterator[str]:
        db.create_function("repo_path_checksum", 3, _compute_checksum, deterministic=True)
        rows = converter.convert(db.execute(statement.sql, statement.parameters))
        return records.format_response(_filter_readable(call, query, rows), query.offset, query.limit, hard_limit)

    return await call.stream_text(iterate_parts, **{"Content-Type": "application/json"})


async def _act(call: Call, statement: compiler.Statement, converter: records.RecordConverter) -> Response:
    """Return the rows of a query that acts, after the action, unless it is a trial."""
    query = statement.query
    assert query.action

    def read_rows(db: sqlite3.Connection) -> list[records.Record]:
        db.create_function("repo_path_checksum", 3, _compute_checksum, deterministic=True)
        return list(_filter_readable(call, query, converter.convert(db.execute(statement.sql, statement.parameters))))

    rows = await call.runtime.readers.read(read_rows)
    if not query.action.is_trial:
        call.request.scope["sandbox.enter"]("query", "write")
        await (_delete_items if query.action.name == "delete" else _update_properties)(call, query.action, rows)
    return Response("".join(records.format_response(rows, 0, None, None)), 200, {"Content-Type": "application/json"})


async def _delete_items(call: Call, _action: parser.Action, rows: list[records.Record]) -> None:
    for row in rows:
        item = call.items.find(row["repo"], _item_path(row))
        if item is not None and call.principal.may("d", item.repo, item.path):
            await call.delete_item(item)


async def _update_properties(call: Call, action: parser.Action, rows: list[records.Record]) -> None:
    for row in rows:
        for place in row.get("items", ()):
            item = call.items.find(place["repo"], _item_path(place))
            if item is not None and row["key"] in action.keys:
                call.items.set_properties(item, {row["key"]: [action.new_value]})


def _filter_readable(call: Call, query: parser.Query, rows: Iterator[records.Record]) -> Iterator[records.Record]:
    if call.principal.admin:
        return rows
    if query.domain.name != "items":
        return iter(())
    return (record for record in rows if call.principal.may("r", record["repo"], _item_path(record)))


def _compute_checksum(repo: str | None, path: str, name: str) -> str | None:
    """Return the SHA-1 of an item's path, in which the server omits dots."""
    if repo is None:
        return None
    parts = (repo, *("" if part == "." else part for part in (path, name)))
    return hashlib.sha1("/".join(parts).encode()).hexdigest()


def _item_path(record: records.Record) -> str:
    return "/".join(part for part in (record["path"], record["name"]) if part != ".")


ROUTES = (Route("POST", "/api/search/aql", run_query, "query", read_only=True),)
