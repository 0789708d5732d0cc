# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: the query language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox import client
from support.aql_cases import FAILED, FOUND, REFUSED, ROWS, SYNTAX
from support.aql_seed import NOW, SEED
from support.session import Session
from support.wire.artifact import error_of

CALL = "/api/search/aql"
TEXT = {"Content-Type": "text/plain"}


@pytest.fixture(scope="module")
def seeded() -> Iterator[client.Sandbox]:
    """A sandbox with the items that the queries ask for, and nothing else; its clock stands still."""
    with client.start() as sandbox:
        sandbox.seed(SEED, reset=True)
        sandbox.clock(set=datetime.fromisoformat(NOW).timestamp(), frozen=True)
        yield sandbox


@pytest.fixture(scope="module")
def admin(seeded: client.Sandbox) -> Session:
    """Its repository service, as the administrator."""
    return Session(f"{seeded.url}/artifactory", ("admin", "admin"))


@pytest.fixture(scope="module")
def reader(seeded: client.Sandbox) -> Session:
    """The same as an ordinary account."""
    return Session(f"{seeded.url}/artifactory", ("reader", "reader"))


@pytest.fixture
def switches(seeded: client.Sandbox) -> Iterator[client.Sandbox]:
    """The sandbox for a test that sets switches; they are put back."""
    before = seeded.switches()["artifact"]
    yield seeded
    seeded.switch("artifact", **before)


def rows_of(session: Session, query: str) -> list[dict[str, Any]]:
    """The rows of a query that is answered."""
    answer = session.post(CALL, data=query.encode(), headers=TEXT)
    assert answer.status_code == 200, answer.text
    return answer.json()["results"]


def names_of(session: Session, query: str) -> list[str]:
    """The names of the items that a query finds."""
    return [row["name"] for row in rows_of(session, query)]


def canonical(value: Any) -> Any:
    """A value with the lists in it sorted: their order means nothing."""
    if isinstance(value, dict):
        return {name: canonical(member) for name, member in value.items()}
    return sorted(map(canonical, value), key=json.dumps) if isinstance(value, list) else value


def test_there_are_many_cases():
    assert sum(map(len, (FOUND, ROWS, SYNTAX, REFUSED, FAILED))) >= 300


@pytest.mark.parametrize(("query", "names"), FOUND, ids=[query for query, _names in FOUND])
def test_items_are_found(admin, query, names):
    found = names_of(admin, query)
    assert " ".join(found if "sort" in query else sorted(found)) == names


@pytest.mark.parametrize(("query", "rows"), ROWS, ids=[query for query, _rows in ROWS])
def test_rows_are_shown(admin, query, rows):
    found = [canonical(row) for row in rows_of(admin, query)]
    if ".sort(" not in query:
        found.sort(key=json.dumps)
        rows = sorted(map(canonical, rows), key=json.dumps)
    assert found == [canonical(row) for row in rows]


@pytest.mark.parametrize(("query", "rest"), SYNTAX, ids=[query for query, _rest in SYNTAX])
def test_what_is_no_query_is_refused(admin, query, rest):
    near = "it looks like there is syntax error near the following sub-query:"
    answer = admin.post(CALL, data=query, headers=TEXT)
    assert error_of(answer) == (400, f"Failed to parse query: {query}, {near} {rest}")


@pytest.mark.parametrize(("query", "message"), REFUSED, ids=[query for query, _message in REFUSED])
def test_wrong_values_are_refused(admin, query, message):
    assert error_of(admin.post(CALL, data=query, headers=TEXT)) == (400, message)


@pytest.mark.parametrize("query", FAILED)
def test_the_server_stumbles(admin, query):
    assert error_of(admin.post(CALL, data=query, headers=TEXT)) == (500, "Internal Server Error")


def test_local_downloads_are_in_each_row_when_a_seed_tells_remote_ones_apart(artifactory, sandbox):
    origins = [{"remote_downloads": number, "remote_origin": f"edge-{number}"} for number in (1, 2)]
    item = {"repo": "generic-local", "path": "counted.txt", "statistics": [{"downloads": 5}, *origins]}
    sandbox.seed({"artifact": {"items": [item]}})
    query = 'items.find({"name":"counted.txt"}).include("name","stat.downloads","stat.remote_origin")'
    (row,) = rows_of(artifactory, query)
    shown = [{"downloads": 5, "remote_origin": f"edge-{number}"} for number in (1, 2)]
    assert canonical(row["stats"]) == canonical(shown)
    missing = rows_of(artifactory, 'items.find({"name":"counted.txt","stat.downloads":null})')
    assert missing == []


# --- The call ---------------------------------------------------------------------------------------------------------


def test_the_answer_is_a_text_of_its_own(admin):
    query = 'items.find({"name":"README"}).include("repo","path","name","created").limit(50)'
    answer = admin.post(CALL, data=query, headers=TEXT)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.text == (
        '\n{\n"results" : [ {\n  "repo" : "libs-local",\n  "path" : ".",\n  "name" : "README",\n'
        '  "created" : "2022-01-01T00:00:00.000Z"\n} ],\n'
        '"range" : {\n  "start_pos" : 0,\n  "end_pos" : 1,\n  "total" : 1,\n  "limit" : 50\n}\n}\n'
    )


def test_an_answer_without_rows(admin):
    answer = admin.post(CALL, data='items.find({"name":"nothing"})', headers=TEXT)
    assert '"results" : [  ]' in answer.text
    assert answer.json()["range"] == {"start_pos": 0, "end_pos": 0, "total": 0}


def test_the_range_tells_of_this_page_alone(admin):
    query = 'items.find({"repo":"libs"}).include("name").sort({"$asc":["name"]}).offset(2).limit(2)'
    assert admin.post(CALL, data=query, headers=TEXT).json()["range"] == {
        "start_pos": 2,
        "end_pos": 2,
        "total": 2,
        "limit": 2,
    }


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded", "text/html"])
def test_only_plain_text_is_taken(admin, content_type):
    answer = admin.post(CALL, data="items.find()", headers={"Content-Type": content_type})
    assert error_of(answer) == (415, "Unsupported Media Type")


@pytest.mark.parametrize("content_type", ["text/plain", "text/plain; charset=utf-8", "Text/Plain"])
def test_plain_text_with_parameters_is_taken(admin, content_type):
    assert admin.post(CALL, data="items.find()", headers={"Content-Type": content_type}).status_code == 200


@pytest.mark.parametrize("body", ["", " \n"])
def test_a_query_may_stand_in_the_address(admin, body):
    answer = admin.post(CALL, params={"query": 'items.find({"name":"README"})'}, data=body, headers=TEXT)
    assert [row["name"] for row in answer.json()["results"]] == ["README"]


def test_no_query_at_all(admin):
    assert error_of(admin.post(CALL, headers=TEXT)) == (400, "Bad Request")


def test_anonymous_callers_are_refused(switches):
    switches.switch("artifact", anonymous=True)
    answer = Session(f"{switches.url}/artifactory").post(CALL, data="items.find()", headers=TEXT)
    assert error_of(answer) == (403, "Only non-anonymous users are allowed to access AQL queries\n")


def test_ordinary_accounts_see_what_they_may_read(reader):
    assert sorted(names_of(reader, "items.find()")) == ["README", "app-1.0.jar", "app-1.1.jar", "lib_x.txt"]
    assert names_of(reader, 'items.find({"type":"folder","repo":"docs-local"})') == ["empty"]


@pytest.mark.parametrize("include", ['"name"', '"repo","path"', '"*","name"', '"repo","name","property"'])
def test_ordinary_accounts_have_to_ask_where_items_lie(reader, include):
    answer = reader.post(CALL, data=f"items.find().include({include})", headers=TEXT)
    message = "For permissions reasons AQL demands the following fields: repo, path and name."
    assert error_of(answer) == (400, message)


@pytest.mark.parametrize("include", ['"*"', '"property"', '"@os"', '"repo","path","name"', '"name","*"'])
def test_ordinary_accounts_that_ask_where_items_lie(reader, include):
    assert rows_of(reader, f"items.find().include({include})")


@pytest.mark.parametrize("domain", ["builds", "properties", "stats", "artifacts", "build.promotions"])
def test_ordinary_accounts_see_no_other_domain(reader, domain):
    assert rows_of(reader, f"{domain}.find()") == []


def test_beyond_the_hard_limit_an_answer_is_trimmed(switches, admin):
    switches.switch("artifact", aql_hard_limit=3)
    answer = admin.post(CALL, data='items.find({"repo":"libs"})', headers=TEXT).json()
    assert len(answer["results"]) == answer["range"]["total"] == 3
    assert answer["range"]["notification"] == "AQL query reached the search hard limit, results are trimmed."
    whole = admin.post(CALL, data='items.find({"repo":"libs-local","size":{"$gt":0}})', headers=TEXT).json()
    assert len(whole["results"]) == 3
    assert "notification" not in whole["range"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ('items.find().sort({"$asc":["name"]})', "Sorting is not supported by AQL in the open source version\n"),
        (
            'items.find().include("@os")',
            "Filtering properties result is not supported by AQL in the open source version\n",
        ),
    ],
)
def test_the_open_source_edition_does_less(switches, admin, query, message):
    switches.switch("artifact", edition="oss")
    assert error_of(admin.post(CALL, data=query, headers=TEXT)) == (400, message)
    assert names_of(admin, 'items.find({"name":"README"}).include("name","@*")') == ["README"]


def test_a_query_is_a_read(seeded, admin):
    seeded.clear_journal()
    rows_of(admin, "items.find()")
    (entry,) = seeded.journal("artifact")
    assert (entry["label"], entry["effect"]) == ("query", "read")


# --- The reader of queries --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", ["$and", "$or", "$msp"])
def test_deep_groups_are_read_at_once(admin, group):
    query = '{"name":"README"}'
    for _level in range(50):
        query = f'{{"{group}":[{query},{{"name":"README"}}]}}'
    assert names_of(admin, f"items.find({query})") == ["README"]


def test_thousands_of_alternatives(admin):
    alternatives = ",".join(f'{{"name":"n{number}"}}' for number in range(5000))
    assert names_of(admin, f'items.find({{"$or":[{alternatives},{{"name":"README"}}]}})') == ["README"]


PIECES = [
    *(
        "items",
        "builds",
        ".find",
        ".include",
        ".sort",
        ".limit",
        ".offset",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        " ",
    ),
    *(
        "\t",
        "\n",
        "5",
        "1.5",
        "null",
        "'",
        '"',
        "\\",
        "\u00a0",
        "\u00e9",
        '"name"',
        '"$or"',
        '"$msp"',
        '"$asc"',
        '"$ne"',
    ),
    *('"@k"', '"@*"', '"*"', '"property.value"', '"stat"', '{"name":"x"}', '"$match"', '"x"', '"\U0001f600"', "NaN"),
]


@settings(max_examples=100, deadline=None)
@given(text=st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=60))
def test_garbage_is_refused(admin, text):
    answer = admin.post(CALL, data=text.encode("utf-8", "surrogatepass"), headers=TEXT)
    assert answer.status_code in ((500,) if text.strip(" \t\r\n\f\v") in ("items", "builds") else (200, 400))


@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_garbage_within_a_query_is_refused(admin, pieces):
    answer = admin.post(CALL, data=f'items.find({{"name":"x",{pieces}'.encode(), headers=TEXT)
    assert answer.status_code in (200, 400)
