# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The AQL API."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterator

from starlette.responses import Response

from ...http.routing import Route
from ..aql import compiler, parser, records
from ..aql.errors import QueryError, QueryFailure
from ..call import Call
from ..protocol.errors import ArtifactError

SHA256_FIELD = re.compile(r'"(item\.)?sha256"')
ACCEPTED_CONTENT_TYPES = ("text/plain", "")


async def run_query(call: Call) -> Response:
    """Handle `POST /api/search/aql`."""
    if call.request.headers.get("content-type", "").partition(";")[0].strip().lower() not in ACCEPTED_CONTENT_TYPES:
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
        _check_version(call, text)
        statement = _compile(call, parser.parse(text), compiler.QueryContext(call.runtime.clock.now(), virtual_members))
        return await _response(call, statement, records.RecordConverter(statement, virtual_members))
    except QueryError as error:
        raise ArtifactError(400, str(error)) from None
    except QueryFailure:
        raise ArtifactError(500) from None
    except (sqlite3.OperationalError, RecursionError):  # nested too deeply
        raise ArtifactError(400, "Failed to execute the following sql query") from None


def _check_version(call: Call, text: str) -> None:
    """Fail if the query uses a field that the version does not have."""
    match = None if call.supports_sha256 else SHA256_FIELD.search(text)
    if match:
        rest = text[match.start() :]
        raise QueryError(
            f"Failed to parse query: {text}, it looks like there is syntax error near the following sub-query: {rest}"
        )


def _compile(call: Call, query: parser.Query, context: compiler.QueryContext) -> compiler.Statement:
    context.is_restricted = not call.principal.admin
    statement = compiler.compile_query(query, context)
    if call.is_oss:
        _check_edition(query)
    return statement


def _check_edition(query: parser.Query) -> None:
    if any(path.key not in (None, "*") for path in query.includes):
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
