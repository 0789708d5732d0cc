# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The call that takes a query in the query language."""

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

SHA256 = re.compile(r'"(item\.)?sha256"')
CONTENT_TYPES = ("text/plain", "")


async def query(call: Call) -> Response:
    """POST /api/search/aql"""
    if call.request.headers.get("content-type", "").partition(";")[0].strip().lower() not in CONTENT_TYPES:
        raise ArtifactError(415)
    if call.principal.anonymous:
        raise ArtifactError(403, "Only non-anonymous users are allowed to access AQL queries\n")
    asked = (await call.request.body()).decode("utf-8", "replace")
    if not asked.strip():
        asked = call.query.get("query", "")
    if not asked.strip():
        raise ArtifactError(400)
    virtual = call.repositories.virtual_members()
    try:
        _check_fields(call, asked)
        statement = _statement(call, parser.read(asked), compiler.World(call.runtime.clock.now(), virtual))
        return await _answer(call, statement, records.Rows(statement, virtual))
    except QueryError as error:
        raise ArtifactError(400, str(error)) from None
    except QueryFailure:
        raise ArtifactError(500) from None
    except (sqlite3.OperationalError, RecursionError):  # nested too deep
        raise ArtifactError(400, "Failed to execute the following sql query") from None


def _check_fields(call: Call, asked: str) -> None:
    """Refuse the field that older versions do not know."""
    found = None if call.supports_sha256 else SHA256.search(asked)
    if found:
        rest = asked[found.start() :]
        raise QueryError(
            f"Failed to parse query: {asked}, it looks like there is syntax error near the following sub-query: {rest}"
        )


def _statement(call: Call, read: parser.Query, runtime: compiler.World) -> compiler.Statement:
    runtime.ordinary_account = not call.principal.admin
    statement = compiler.statement(read, runtime)
    if call.is_oss:
        _check_edition(read)
    return statement


def _check_edition(read: parser.Query) -> None:
    if any(path.key not in (None, "*") for path in read.includes):
        raise QueryError("Filtering properties result is not supported by AQL in the open source version\n")
    if read.sort_by:
        raise QueryError("Sorting is not supported by AQL in the open source version\n")


async def _answer(call: Call, statement: compiler.Statement, found: records.Rows) -> Response:
    read, hard_limit = statement.query, call.get_switch("aql_hard_limit") or None

    def answered(db: sqlite3.Connection) -> Iterator[str]:
        db.create_function("repo_path_checksum", 3, _checksum, deterministic=True)
        rows = found.records(db.execute(statement.sql, statement.parameters))
        return records.answer(_permitted(call, read, rows), read.offset, read.limit, hard_limit)

    return await call.stream_text(answered, **{"Content-Type": "application/json"})


def _permitted(call: Call, read: parser.Query, records: Iterator[records.Record]) -> Iterator[records.Record]:
    if call.principal.admin:
        return records
    if read.domain.name != "items":
        return iter(())
    return (record for record in records if call.principal.may("r", record["repo"], _path(record)))


def _checksum(repo: str | None, path: str, name: str) -> str | None:
    """The SHA-1 that the server knows an item by; dots are as nothing in it."""
    if repo is None:
        return None
    parts = (repo, *("" if part == "." else part for part in (path, name)))
    return hashlib.sha1("/".join(parts).encode()).hexdigest()


def _path(record: records.Record) -> str:
    return "/".join(part for part in (record["path"], record["name"]) if part != ".")


ROUTES = (Route("POST", "/api/search/aql", query, "query", read_only=True),)
