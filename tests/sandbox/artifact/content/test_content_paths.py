# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of how Artifactory parses the paths of content requests."""

from __future__ import annotations

import http.client
import io
import json
import zipfile
from urllib.parse import unquote

import pytest

from support.wire.artifact import APP, CONTENT, error_of, properties_of

REPO = "generic-local"
FILE = f"{REPO}/v/victim"
OLD_NOTATION = "Old metadata notation is not supported anymore"


@pytest.mark.parametrize("rest", ["!x.txt", "%21x.txt", "!/x.txt", "!x!y", "!", "!;a=b"])
def test_upload_overwrites_the_file_before_an_exclamation_mark(artifactory, sandbox, rest):
    artifactory.put(f"/{FILE}", b"precious")
    response = artifactory.put(f"/{FILE}{rest}", b"overwritten")
    assert (response.status_code, response.json()["path"]) == (201, "/v/victim")
    assert response.headers["Location"] == response.json()["uri"] == f"{sandbox.url}/artifactory/{FILE}"
    assert artifactory.get(f"/{FILE}").content == b"overwritten"
    assert artifactory.get(f"/api/storage/{REPO}/v").json()["children"] == [{"uri": "/victim", "folder": False}]


def test_exclamation_mark_is_part_of_the_name_when_it_comes_first(artifactory):
    assert artifactory.put(f"/{REPO}/!x", b"x").json()["path"] == "/!x"


@pytest.mark.parametrize("rest", ["!x", "%21x", "!/x/y"])
def test_delete_removes_the_file_before_an_exclamation_mark(artifactory, rest):
    artifactory.put(f"/{FILE}", b"precious")
    assert artifactory.delete(f"/{FILE}{rest}").status_code == 204
    assert artifactory.get(f"/{FILE}").status_code == 404


def test_download_reads_the_entry_of_an_archive_after_an_exclamation_mark(artifactory, sandbox):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("in/side.txt", "entry")
    artifactory.put(f"/{REPO}/a.zip", content.getvalue())
    assert artifactory.get(f"/{REPO}/a.zip!/in/side.txt").text == "entry"
    assert artifactory.get(f"/{REPO}/a.zip!in/side.txt").text == "entry"
    for path in ("a.zip!/none", f"{APP}!x", "none!x"):
        assert error_of(artifactory.get(f"/{REPO}/{path}")) == (404, "File not found.")
    sandbox.switch("artifact", edition="oss")
    refusal = "Direct resource download from zip requires the Filtered resources add-on."
    assert error_of(artifactory.get(f"/{REPO}/{APP}!x")) == (403, refusal)
    assert error_of(artifactory.get(f"/{REPO}/none!x")) == (404, "File not found.")


def test_entry_of_an_archive_is_not_found_when_a_slash_follows(artifactory):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("in/side.txt", "entry")
    artifactory.put(f"/{REPO}/a.zip", content.getvalue())
    for path in ("a.zip!/", "a.zip!/in/"):
        response = artifactory.get(f"/{REPO}/{path}")
        assert error_of(response) == (404, '{"error":"not found"}')
        assert response.headers["Cache-Control"] == "no-store"


def test_parent_file_is_reported_when_the_name_is_invalid_as_well(artifactory):
    artifactory.put(f"/{REPO}/n/trail", b"file")
    for path in ("n/trail%20/x", "n/trail/a%7Cb"):
        assert error_of(artifactory.put(f"/{REPO}/{path}", b"x")) == (400, "Parent n/trail must be a folder")
    refusal = f"Path cannot have a slash after a space: {REPO}/n/other /"
    assert error_of(artifactory.put(f"/{REPO}/n/other%20/x", b"x")) == (500, refusal)


@pytest.mark.parametrize("method", ["PUT", "GET"])
@pytest.mark.parametrize("name", ["x:y", "x%3Ay", ":x", "x:statistics"])
def test_old_metadata_notation_is_refused_when_a_name_has_a_colon(artifactory, method, name):
    response = artifactory.request(method, f"/{REPO}/v/{name}", data=b"x")
    assert error_of(response) == (409, f"{OLD_NOTATION}: {REPO}:v/{name.replace('%3A', ':')}")
    assert artifactory.get(f"/api/storage/{REPO}/v").status_code == 404


def test_delete_of_properties_keeps_the_file(artifactory):
    artifactory.put(f"/{FILE};a=b;c=d", b"precious")
    assert artifactory.delete(f"/{FILE}:properties").status_code == 204
    assert properties_of(artifactory, FILE) is None
    assert artifactory.get(f"/{FILE}").content == b"precious"


def test_upload_of_properties_replaces_all_properties(artifactory):
    artifactory.put(f"/{FILE};a=b;c=d", b"precious")
    xml = "<properties><a>1</a><a>2</a><empty/></properties>"
    assert artifactory.put(f"/{FILE}:properties", xml).status_code == 201
    assert properties_of(artifactory, FILE) == {"a": ["1", "2"], "empty": [""]}
    status, message = error_of(artifactory.put(f"/{FILE}:properties", "no XML"))
    assert (status, message.partition(" :")[0]) == (409, "Failed to deploy properties")
    assert error_of(artifactory.put(f"/{REPO}/none:properties", xml))[0] == 404
    assert artifactory.get(f"/{FILE}").content == b"precious"


def test_download_of_properties_redirects_to_their_xml(artifactory, sandbox):
    artifactory.put(f"/{FILE};a=b", b"precious")
    response = artifactory.get(f"/{FILE}:properties", allow_redirects=False)
    assert response.status_code == 302
    assert response.headers["Location"] == f"{sandbox.url}/artifactory/api/storage/{FILE}?propertiesXml"
    assert "<a>b</a>" in artifactory.get(f"/{FILE}:properties").text


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        (";os=linux,win", {"os": ["linux,win"]}),
        (";os=linux;os=win;b=x%3By", {"os": ["linux", "win"], "b": ["x;y"]}),
        (";a=b=c;empty=;none", {"a": ["b=c"], "empty": [""], "none": [""]}),
        (";a=b/c.txt", {"a": ["b/c.txt"]}),
        (";a=+%2B%C3%A4%7C%5C", {"a": [" +ä|\\"]}),
        (";;a=b;", {"a": ["b"]}),
        (";a:b=c", {"a:b": ["c"]}),
    ],
)
def test_matrix_parameter_has_one_value(artifactory, parameters, expected):
    response = artifactory.put(f"/{FILE}{parameters}", b"m")
    assert (response.status_code, response.json()["path"]) == (201, "/v/victim")
    assert properties_of(artifactory, FILE) == expected
    assert artifactory.get(f"/{FILE}{parameters}").content == b"m"


def test_matrix_parameter_keys_are_not_decoded(artifactory, sandbox):
    for key in ("a%3Ab", "sp%20ace", "a*", "="):
        assert error_of(artifactory.put(f"/{FILE};{key}=c", b"m"))[0] == 400
    sandbox.switch("artifact", version="4.4.2")
    assert artifactory.put(f"/{FILE};a%3Ab=c;a*=d;=e", b"m").status_code == 201
    assert properties_of(artifactory, FILE) == {"a%3Ab": ["c"], "a*": ["d"], "=e": [""]}


def test_matrix_parameters_of_the_repository_apply_to_the_file(artifactory):
    response = artifactory.put(f"/{REPO};a=b/v/x;c=d", b"m")
    assert (response.status_code, response.json()["path"]) == (201, "/v/x")
    assert properties_of(artifactory, f"{REPO}/v/x") == {"a": ["b"], "c": ["d"]}
    assert properties_of(artifactory, REPO) is None


def test_matrix_parameters_end_the_path_when_they_are_in_the_middle(artifactory):
    assert artifactory.put(f"/{REPO}/v;a=b/x", b"m").json()["path"] == "/v"
    assert properties_of(artifactory, f"{REPO}/v") == {"a": ["b/x"]}


@pytest.mark.parametrize("path", [f"{REPO}/some/;a=b+c", f"{REPO}/some;a=b+c/", f"{REPO};a=b+c/some/"])
def test_folder_is_created_when_the_path_or_its_parameters_end_with_a_slash(artifactory, path):
    assert artifactory.put(f"/{path}").json()["path"] == "/some/"
    assert properties_of(artifactory, f"{REPO}/some") == {"a": ["b c"]}


@pytest.mark.parametrize("path", [f"{APP}/", f"{APP}//", "none/"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_file_is_404_when_a_slash_follows(artifactory, method, path):
    response = artifactory.request(method, f"/{REPO}/{path}")
    assert (response.status_code, response.headers["Cache-Control"]) == (404, "no-store")


def test_file_is_deleted_when_a_slash_follows(artifactory):
    assert artifactory.delete(f"/{REPO}/{APP}/").status_code == 204
    assert artifactory.get(f"/{REPO}/{APP}").status_code == 404


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("q%3Fm", "Invalid path. '?' is not a valid name character: generic-local/q?m"),
        ("star*/x", "Invalid path. '*' is not a valid name character: generic-local/star*/"),
        ("v/dq%22", "Invalid path. '\"' is not a valid name character: generic-local/v/dq\""),
        ("pipe%7C", "Invalid path. '|' is not a valid name character: generic-local/pipe|"),
        ("v/%20lead", "Path cannot have a space after a slash: generic-local/v/ lead"),
        ("trail%20/x", "Path cannot have a slash after a space: generic-local/trail /"),
        ("%26", "Path cannot have single ampersand: generic-local/&"),
        ("%26/x", "Path cannot have single ampersand: generic-local/&/"),
        ("..%2Fx", "Path element cannot end with a dot: generic-local/../"),
        ("%2E/x", "Path element cannot end with a dot: generic-local/./"),
        ("v/...", "Path element cannot end with a dot: generic-local/v/..."),
        ("v%7C/w/", "Invalid path. '|' is not a valid name character: generic-local/v|/"),
    ],
)
def test_upload_is_refused_when_a_name_cannot_be_stored(artifactory, sandbox, path, message):
    status, body = _exchange(artifactory, sandbox, "PUT", f"/{REPO}/{path}")
    assert (status, json.loads(body)["errors"]) == (500, [{"status": 500, "message": message}])
    assert artifactory.get(f"/api/storage/{REPO}").json()["children"] == [{"uri": "/app", "folder": True}]


@pytest.mark.parametrize(
    "name", ["amp&x", "&x", "a&", "dot.", ".hidden", "..x", "-", "in side", "<>", "a%5Bb%5D{}", "$", "at@x"]
)
def test_upload_accepts_unusual_names(artifactory, name):
    stored = unquote(name)
    assert artifactory.put(f"/{REPO}/v/{name}", b"x").json()["path"] == f"/v/{stored}"
    assert artifactory.get(f"/api/storage/{REPO}/v").json()["children"] == [{"uri": f"/{stored}", "folder": False}]


def test_trailing_blanks_are_removed(artifactory):
    assert artifactory.put(f"/{REPO}/v/trail%20", b"x").json()["path"] == "/v/trail"
    assert artifactory.get(f"/{REPO}/v/trail%20").content == b"x"
    assert artifactory.get(f"/api/storage/{REPO}/v/trail%20").json()["path"] == "/v/trail"


def test_empty_segments_remain_in_the_response_when_a_file_is_uploaded(artifactory, sandbox):
    created = artifactory.put(f"/{REPO}/v//x", b"x").json()
    assert created["path"] == "/v//x"
    assert created["downloadUri"] == created["uri"] == f"{sandbox.url}/artifactory/{REPO}/v//x"
    assert artifactory.get(f"/{REPO}/v//x").content == b"x"
    assert artifactory.get(f"/api/storage/{REPO}/v/x").json()["path"] == "/v/x"


@pytest.mark.parametrize("path", ["app/./README.txt", "app/1.0/../README.txt"])
def test_dot_segments_are_not_resolved(artifactory, sandbox, path):
    assert _status(artifactory, sandbox, "GET", f"/{REPO}/{path}") == 404
    assert _status(artifactory, sandbox, "GET", f"/api/storage/{REPO}/{path}") == 404
    assert _status(artifactory, sandbox, "DELETE", f"/{REPO}/{path}") == 404
    assert artifactory.get(f"/{REPO}/{APP}").content == CONTENT


@pytest.mark.parametrize("version", ["5.4.6", "6.20.0"])
def test_versions_5_and_6_remove_the_current_folder_from_paths(artifactory, sandbox, version):
    sandbox.switch("artifact", version=version)
    status, body = _exchange(artifactory, sandbox, "PUT", f"/{REPO}/v/./w/./x;k=a/./b")
    assert (status, json.loads(body)["path"]) == (201, "/v/w/x")
    assert _exchange(artifactory, sandbox, "GET", f"/{REPO}/v/w/./x") == (200, b"")
    assert _status(artifactory, sandbox, "GET", f"/{REPO}/v/../v/w/x") == 404
    assert _status(artifactory, sandbox, "DELETE", f"/{REPO}/v/./w/x") == 204
    assert _status(artifactory, sandbox, "GET", f"/{REPO}/v/w/x") == 404


@pytest.mark.parametrize("method", ["PUT", "GET", "DELETE"])
@pytest.mark.parametrize("name", ["a%5Cb", "a\\b", "a%00", "a%zz", "%"])
def test_malformed_paths_are_400(artifactory, sandbox, method, name):
    assert _status(artifactory, sandbox, method, f"/{REPO}/{name}") == 400


def _status(artifactory, sandbox, method: str, path: str) -> int:
    return _exchange(artifactory, sandbox, method, path)[0]


def _exchange(artifactory, sandbox, method: str, path: str) -> tuple[int, bytes]:
    """Send a request without normalizing its path. Return the status and the body."""
    connection = http.client.HTTPConnection(sandbox.url.removeprefix("http://"))
    connection.request(method, f"/artifactory{path}", b"", {"Authorization": artifactory.headers["Authorization"]})
    try:
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()
