# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of AQL queries: results, response format, permissions, refused queries."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox import client
from support.aql_cases import NAME_CASES, REFUSED_CASES, ROW_CASES, SERVER_ERROR_CASES, SYNTAX_ERROR_CASES
from support.aql_seed import NOW, SEED
from support.session import Session
from support.wire.artifact import error_of

AQL = "/api/search/aql"
TEXT = {"Content-Type": "text/plain"}


@pytest.fixture(scope="module")
def seeded() -> Iterator[client.Sandbox]:
    """A sandbox with only the items of the query cases and a frozen clock."""
    with client.start() as sandbox:
        sandbox.seed(SEED, reset=True)
        sandbox.clock(set=datetime.fromisoformat(NOW).timestamp(), frozen=True)
        yield sandbox


@pytest.fixture(scope="module")
def admin(seeded: client.Sandbox) -> Session:
    """A session of the administrator."""
    return Session(f"{seeded.url}/artifactory", ("admin", "admin"))


@pytest.fixture(scope="module")
def reader(seeded: client.Sandbox) -> Session:
    """A session of a user without administrator permissions."""
    return Session(f"{seeded.url}/artifactory", ("reader", "reader"))


@pytest.fixture
def switches(seeded: client.Sandbox) -> Iterator[client.Sandbox]:
    """The sandbox. Changed switches are restored after the test."""
    before = seeded.switches()["artifact"]
    yield seeded
    seeded.switch("artifact", **before)


def run_query(session: Session, query: str) -> list[dict[str, Any]]:
    """Run a query that succeeds and return its rows."""
    response = session.post(AQL, data=query.encode(), headers=TEXT)
    assert response.status_code == 200, response.text
    return response.json()["results"]


def find_names(session: Session, query: str) -> list[str]:
    """Return the names of the items that a query finds."""
    return [row["name"] for row in run_query(session, query)]


def canonical(value: Any) -> Any:
    """Sort the lists in a value, whose order is undefined."""
    if isinstance(value, dict):
        return {name: canonical(member) for name, member in value.items()}
    return sorted(map(canonical, value), key=json.dumps) if isinstance(value, list) else value


def test_case_files_contain_at_least_300_queries():
    assert sum(map(len, (NAME_CASES, ROW_CASES, SYNTAX_ERROR_CASES, REFUSED_CASES, SERVER_ERROR_CASES))) >= 300


@pytest.mark.parametrize(("query", "names"), NAME_CASES, ids=[query for query, _names in NAME_CASES])
def test_query_finds_items(admin, query, names):
    actual = find_names(admin, query)
    assert " ".join(actual if "sort" in query else sorted(actual)) == names


@pytest.mark.parametrize(("query", "rows"), ROW_CASES, ids=[query for query, _rows in ROW_CASES])
def test_query_returns_rows(admin, query, rows):
    actual = [canonical(row) for row in run_query(admin, query)]
    if ".sort(" not in query:
        actual.sort(key=json.dumps)
        rows = sorted(map(canonical, rows), key=json.dumps)
    assert actual == [canonical(row) for row in rows]


@pytest.mark.parametrize(("query", "rest"), SYNTAX_ERROR_CASES, ids=[query for query, _rest in SYNTAX_ERROR_CASES])
def test_query_is_400_when_its_syntax_is_invalid(admin, query, rest):
    near = "it looks like there is syntax error near the following sub-query:"
    response = admin.post(AQL, data=query, headers=TEXT)
    assert error_of(response) == (400, f"Failed to parse query: {query}, {near} {rest}")


@pytest.mark.parametrize(("query", "message"), REFUSED_CASES, ids=[query for query, _message in REFUSED_CASES])
def test_query_is_400_when_a_value_is_invalid(admin, query, message):
    assert error_of(admin.post(AQL, data=query, headers=TEXT)) == (400, message)


@pytest.mark.parametrize("query", SERVER_ERROR_CASES)
def test_query_is_500_when_the_real_server_fails(admin, query):
    assert error_of(admin.post(AQL, data=query, headers=TEXT)) == (500, "Internal Server Error")


def test_rows_repeat_local_downloads_when_remote_downloads_have_origins(artifactory, sandbox):
    origins = [{"remote_downloads": number, "remote_origin": f"edge-{number}"} for number in (1, 2)]
    item = {"repo": "generic-local", "path": "counted.txt", "statistics": [{"downloads": 5}, *origins]}
    sandbox.seed({"artifact": {"items": [item]}})
    query = 'items.find({"name":"counted.txt"}).include("name","stat.downloads","stat.remote_origin")'
    (row,) = run_query(artifactory, query)
    expected = [{"downloads": 5, "remote_origin": f"edge-{number}"} for number in (1, 2)]
    assert canonical(row["stats"]) == canonical(expected)
    rows = run_query(artifactory, 'items.find({"name":"counted.txt","stat.downloads":null})')
    assert rows == []


# --- Request and response ---------------------------------------------------------------------------------------------


def test_response_has_the_format_of_a_real_server(admin):
    query = 'items.find({"name":"README"}).include("repo","path","name","created").limit(50)'
    response = admin.post(AQL, data=query, headers=TEXT)
    assert response.headers["Content-Type"] == "application/json"
    assert response.text == (
        '\n{\n"results" : [ {\n  "repo" : "libs-local",\n  "path" : ".",\n  "name" : "README",\n'
        '  "created" : "2022-01-01T00:00:00.000Z"\n} ],\n'
        '"range" : {\n  "start_pos" : 0,\n  "end_pos" : 1,\n  "total" : 1,\n  "limit" : 50\n}\n}\n'
    )


def test_response_has_no_rows_when_nothing_matches(admin):
    response = admin.post(AQL, data='items.find({"name":"nothing"})', headers=TEXT)
    assert '"results" : [  ]' in response.text
    assert response.json()["range"] == {"start_pos": 0, "end_pos": 0, "total": 0}


def test_range_describes_only_the_current_page(admin):
    query = 'items.find({"repo":"libs"}).include("name").sort({"$asc":["name"]}).offset(2).limit(2)'
    assert admin.post(AQL, data=query, headers=TEXT).json()["range"] == {
        "start_pos": 2,
        "end_pos": 2,
        "total": 2,
        "limit": 2,
    }


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded", "text/html"])
def test_query_is_415_when_the_content_type_is_not_plain_text(admin, content_type):
    response = admin.post(AQL, data="items.find()", headers={"Content-Type": content_type})
    assert error_of(response) == (415, "Unsupported Media Type")


@pytest.mark.parametrize("content_type", ["text/plain", "text/plain; charset=utf-8", "Text/Plain"])
def test_query_accepts_plain_text_with_parameters(admin, content_type):
    assert admin.post(AQL, data="items.find()", headers={"Content-Type": content_type}).status_code == 200


@pytest.mark.parametrize("body", ["", " \n"])
def test_query_is_read_from_the_url_when_the_body_is_blank(admin, body):
    response = admin.post(AQL, params={"query": 'items.find({"name":"README"})'}, data=body, headers=TEXT)
    assert [row["name"] for row in response.json()["results"]] == ["README"]


def test_request_is_400_when_the_query_is_missing(admin):
    assert error_of(admin.post(AQL, headers=TEXT)) == (400, "Bad Request")


def test_query_is_403_when_the_caller_is_anonymous(switches):
    switches.switch("artifact", anonymous=True)
    response = Session(f"{switches.url}/artifactory").post(AQL, data="items.find()", headers=TEXT)
    assert error_of(response) == (403, "Only non-anonymous users are allowed to access AQL queries\n")


def test_user_finds_only_readable_items(reader):
    assert sorted(find_names(reader, "items.find()")) == ["README", "app-1.0.jar", "app-1.1.jar", "lib_x.txt"]
    assert find_names(reader, 'items.find({"type":"folder","repo":"docs-local"})') == ["empty"]


@pytest.mark.parametrize("include", ['"name"', '"repo","path"', '"*","name"', '"repo","name","property"'])
def test_user_query_is_400_when_it_does_not_include_repo_path_and_name(reader, include):
    response = reader.post(AQL, data=f"items.find().include({include})", headers=TEXT)
    message = "For permissions reasons AQL demands the following fields: repo, path and name."
    assert error_of(response) == (400, message)


@pytest.mark.parametrize("include", ['"*"', '"property"', '"@os"', '"repo","path","name"', '"name","*"'])
def test_user_query_succeeds_when_it_includes_repo_path_and_name(reader, include):
    assert run_query(reader, f"items.find().include({include})")


@pytest.mark.parametrize("domain", ["builds", "properties", "stats", "artifacts", "build.promotions"])
def test_user_finds_nothing_in_other_domains(reader, domain):
    assert run_query(reader, f"{domain}.find()") == []


def test_rows_are_trimmed_when_the_hard_limit_is_reached(switches, admin):
    switches.switch("artifact", aql_hard_limit=3)
    response = admin.post(AQL, data='items.find({"repo":"libs"})', headers=TEXT).json()
    assert len(response["results"]) == response["range"]["total"] == 3
    assert response["range"]["notification"] == "AQL query reached the search hard limit, results are trimmed."
    complete = admin.post(AQL, data='items.find({"repo":"libs-local","size":{"$gt":0}})', headers=TEXT).json()
    assert len(complete["results"]) == 3
    assert "notification" not in complete["range"]


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
def test_oss_refuses_sorting_and_property_filters(switches, admin, query, message):
    switches.switch("artifact", edition="oss")
    assert error_of(admin.post(AQL, data=query, headers=TEXT)) == (400, message)
    assert find_names(admin, 'items.find({"name":"README"}).include("name","@*")') == ["README"]


def test_journal_records_a_query_as_a_read(seeded, admin):
    seeded.clear_journal()
    run_query(admin, "items.find()")
    (entry,) = seeded.journal("artifact")
    assert (entry["label"], entry["effect"]) == ("query", "read")


# --- Parser -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("group", ["$and", "$or", "$msp"])
def test_nested_groups_are_parsed(admin, group):
    query = '{"name":"README"}'
    for _level in range(50):
        query = f'{{"{group}":[{query},{{"name":"README"}}]}}'
    assert find_names(admin, f"items.find({query})") == ["README"]


def test_query_accepts_thousands_of_alternatives(admin):
    alternatives = ",".join(f'{{"name":"n{number}"}}' for number in range(5000))
    assert find_names(admin, f'items.find({{"$or":[{alternatives},{{"name":"README"}}]}})') == ["README"]


FRAGMENTS = [
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
@given(text=st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join) | st.text(max_size=60))
def test_random_text_causes_no_unexpected_status(admin, text):
    response = admin.post(AQL, data=text.encode("utf-8", "surrogatepass"), headers=TEXT)
    assert response.status_code in ((500,) if text.strip(" \t\r\n\f\v") in ("items", "builds") else (200, 400))


@settings(max_examples=60, deadline=None)
@given(pieces=st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join))
def test_random_text_within_a_query_causes_no_server_error(admin, pieces):
    response = admin.post(AQL, data=f'items.find({{"name":"x",{pieces}'.encode(), headers=TEXT)
    assert response.status_code in (200, 400)


# --- Actions ----------------------------------------------------------------------------------------------------------

DELETE = 'items.delete({"repo":"generic-local","path":"del"})'
UPDATE = 'properties.update({"item.repo":"generic-local","item.path":"del","key":"k"}).keys("k","l").newValue("new")'


@pytest.fixture
def doomed(sandbox: client.Sandbox) -> client.Sandbox:
    """A sandbox with a file that has a property."""
    item = {"repo": "generic-local", "path": "del/a.txt", "properties": {"k": ["old"], "m": ["old"]}}
    sandbox.seed({"artifact": {"items": [item]}})
    return sandbox


def is_deleted(artifactory: Session) -> bool:
    return artifactory.get("/api/storage/generic-local/del/a.txt").status_code == 404


@pytest.mark.parametrize("version", ["5.4.6", "6.20.0", "7.161.0"])
@pytest.mark.parametrize("query", [DELETE, f'{DELETE}.dryRun("true")'])
def test_delete_lists_the_items_when_it_is_a_trial(artifactory, doomed, query, version):
    doomed.switch("artifact", version=version)
    assert find_names(artifactory, query) == ["a.txt"]
    assert not is_deleted(artifactory)
    assert [entry["effect"] for entry in doomed.journal() if entry["label"] == "query"] == ["read"]


@pytest.mark.parametrize(
    "query", [f'{DELETE}.dryRun("false")', f'{DELETE} . dryRun ( "false" )\n'.replace(".d", " . d")]
)
def test_delete_deletes_items_when_it_is_not_a_trial(artifactory, doomed, query):
    doomed.switch("artifact", edition="oss", version="5.4.6")
    assert find_names(artifactory, query) == ["a.txt"]
    assert is_deleted(artifactory)
    assert [entry["effect"] for entry in doomed.journal() if entry["label"] == "query"] == ["write"]


def test_actions_are_a_syntax_error_when_the_version_has_none(artifactory, doomed):
    doomed.switch("artifact", version="4.4.2")
    for query in (DELETE, UPDATE):
        response = artifactory.post(AQL, data=query, headers=TEXT)
        assert response.status_code == 400
        assert response.text.startswith("Fail to parse query")
    assert not is_deleted(artifactory)


def test_delete_deletes_nothing_when_the_account_lacks_the_permission(doomed):
    doomed.seed({"artifact": {"users": [{"name": "guest", "password": "pw", "permissions": {"*": "r"}}]}})
    reader = Session(f"{doomed.url}/artifactory", ("guest", "pw"))
    run_query(reader, f'{DELETE}.dryRun("false")')
    assert not is_deleted(Session(f"{doomed.url}/artifactory", ("admin", "admin")))


def test_update_sets_properties_when_it_is_not_a_trial(artifactory, doomed):
    properties = "/api/storage/generic-local/del/a.txt?properties"
    run_query(artifactory, UPDATE)
    assert artifactory.get(properties).json()["properties"] == {"k": ["old"], "m": ["old"]}
    run_query(artifactory, f'{UPDATE}.dryRun("false")')
    assert artifactory.get(properties).json()["properties"] == {"k": ["new"], "m": ["old"]}


def test_update_requires_pro(artifactory, doomed):
    doomed.switch("artifact", edition="oss")
    message = "Filtering properties result is not supported by AQL in the open source version\n"
    assert error_of(artifactory.post(AQL, data=UPDATE, headers=TEXT)) == (400, message)


FIND = 'items.find({"repo":"generic-local"})'


@pytest.mark.parametrize(
    ("version", "query", "rest"),
    [
        # What later versions know, with the rest of the query that the error names.
        ("4.4.2", f'{FIND}.include("name","virtual_repos")', 'virtual_repos")'),
        ("5.4.6", f'{FIND}.include("sha256")', 'sha256")'),
        ("5.4.6", f'{FIND}.include("repo_path_checksum")', 'repo_path_checksum")'),
        ("5.4.6", 'items.find({"sha256":"x"})', 'sha256":"x"})'),
        ("5.4.6", 'builds.find().include("name","started")', 'started")'),
        ("5.4.6", "releases.find()", "releases.find()"),
        ("6.20.0", f"{FIND}.transitive()", "transitive()"),
        ("4.4.2", 'items.find({"modified":{"$last":"1d"}})', '$last":"1d"}})'),
        ("4.4.2", 'items.find({"modified":{"$before":"1d"}})', '$before":"1d"}})'),
        # A value without quotation marks before a comma.
        ("5.4.6", 'items.find({"depth":1,"name":"x"})', '1,"name":"x"})'),
        ("5.4.6", 'items.find({"name":null,"depth":"1"})', 'null,"depth":"1"})'),
        ("6.20.0", 'items.find({"depth":1,"name":"x"})', ',"name":"x"})'),
    ],
)
def test_old_version_names_what_it_does_not_know_in_plain_text(artifactory, sandbox, version, query, rest):
    sandbox.switch("artifact", version=version)
    response = artifactory.post(AQL, data=query, headers=TEXT)
    verb = "Fail" if version == "4.4.2" else "Failed"
    end = f"it looks like there is syntax error near the following sub-query: {rest}"
    assert (response.status_code, response.text) == (400, f"{verb} to parse query: {query}, {end}")
    assert response.headers["Content-Type"].startswith("application/json")


@pytest.mark.parametrize(
    ("version", "missing"),
    [
        ("4.4.2", {"virtual_repos", "sha256", "repo_path_checksum"}),
        ("5.4.6", {"sha256", "repo_path_checksum"}),
        ("6.20.0", set()),
    ],
)
def test_all_fields_are_those_of_the_version(artifactory, sandbox, version, missing):
    query = f'{FIND}.include("*")'
    fields = set(run_query(artifactory, query)[0])
    sandbox.switch("artifact", version=version)
    assert fields - set(run_query(artifactory, query)[0]) == missing


@pytest.mark.parametrize(
    ("version", "limit", "status"),
    [("4.4.2", -1, 400), ("4.4.2", 0, 400), ("5.4.6", -1, 200), ("5.4.6", 0, 400), ("6.20.0", 0, 200)],
)
def test_limits_that_old_versions_cannot_execute(artifactory, sandbox, version, limit, status):
    sandbox.switch("artifact", version=version)
    assert artifactory.post(AQL, data=f"{FIND}.limit({limit})", headers=TEXT).status_code == status


@pytest.mark.parametrize(("version", "status"), [("4.4.2", 200), ("5.4.6", 415)])
def test_version_4_accepts_queries_of_any_media_type(artifactory, sandbox, version, status):
    sandbox.switch("artifact", version=version)
    assert artifactory.post(AQL, data=FIND, headers={"Content-Type": "application/json"}).status_code == status
