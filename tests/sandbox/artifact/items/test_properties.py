# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of item properties in Artifactory."""

from __future__ import annotations

import http.client

import pytest
import requests

from support.session import Session
from support.wire.artifact import APP, error_of, properties_of

ITEM = "/api/storage/generic-local/app/README.txt"
PATH = "generic-local/app/README.txt"


def test_properties_are_returned(artifactory, sandbox):
    response = artifactory.get(f"/api/storage/generic-local/{APP}?properties")
    assert response.headers["Content-Type"].endswith("storage.ItemProperties+json")
    assert response.headers["Cache-Control"] == "no-store"
    assert response.json() == {
        "properties": {"build.name": ["app"], "build.number": ["1"]},
        "uri": f"{sandbox.url}/artifactory/api/storage/generic-local/{APP}",
    }
    some = artifactory.get(f"/api/storage/generic-local/{APP}?properties=build.number,other").json()
    assert some["properties"] == {"build.number": ["1"]}


def test_property_names_and_values_are_sorted(artifactory):
    values = ["linux", "aix", "macos", "bsd", "windows", "solaris", "qnx", "hurd"]
    artifactory.put(f"{ITEM}?properties=os={','.join(values)};arch=x,m,a&recursive=0")
    properties = artifactory.get(f"{ITEM}?properties").json()["properties"]
    assert list(properties.items()) == [("arch", ["a", "m", "x"]), ("os", sorted(values))]


def test_virtual_repository_returns_the_properties_of_the_first_member_with_any(artifactory, sandbox):
    artifactory.put("/api/storage/libs-remote-cache/junit?properties=from=cache&recursive=0")
    artifactory.put("/libs-release-local/junit/")
    response = artifactory.get("/api/storage/libs-release/junit?properties").json()
    assert response["properties"] == {"from": ["cache"]}
    assert response["uri"] == f"{sandbox.url}/artifactory/api/storage/libs-release/junit"
    assert "/libs-remote-cache/junit" in artifactory.get("/api/storage/libs-remote/junit?properties").json()["uri"]


def test_properties_are_returned_as_xml(artifactory):
    artifactory.put(ITEM, params={"properties": "os=linux,windows;under_score=<&>;it's=ü"})
    response = artifactory.get(f"{ITEM}?propertiesXml")
    assert (response.headers["Content-Type"], response.headers["Cache-Control"]) == ("application/xml", "no-store")
    assert response.content.decode().splitlines() == [
        "<?xml version='1.0' encoding='UTF-8'?>",
        "<properties>",
        "  <it_.0027s>ü</it_.0027s>",
        "  <os>linux</os>",
        "  <os>windows</os>",
        "  <under__score>&lt;&amp;&gt;</under__score>",
        "</properties>",
    ]
    assert error_of(artifactory.get("/api/storage/libs-release-local?propertiesXml"))[0] == 404


def test_control_characters_are_references_in_xml(artifactory):
    props = {"a": "\x01\t\r\n\x7f\uffff"}
    artifactory.patch(ITEM.replace("storage", "metadata", 1), json={"props": props})
    assert "  <a>&#x1;\t&#xd;\n&#x7f;&#xffff;</a>\n" in artifactory.get(f"{ITEM}?propertiesXml").content.decode()


def test_properties_are_404_when_the_item_has_no_properties(artifactory):
    assert error_of(artifactory.get(f"{ITEM}?properties")) == (404, "No properties could be found.")
    response = artifactory.get(f"/api/storage/generic-local/{APP}?properties=other")
    assert error_of(response) == (404, "No properties could be found.")


@pytest.mark.parametrize("path", ["generic-local/nothing", "nothing/nothing", "libs-remote/nothing"])
@pytest.mark.parametrize("argument", ["properties", "properties=a", "propertiesXml"])
def test_properties_are_404_when_the_item_is_missing(artifactory, path, argument):
    response = artifactory.get(f"/api/storage/{path}?{argument}")
    assert error_of(response) == (404, "No properties could be found.")


def test_properties_are_404_when_the_caller_may_not_read_the_item(sandbox):
    sandbox.seed({"artifact": {"users": [{"name": "out", "password": "out"}]}})
    response = Session(f"{sandbox.url}/artifactory", ("out", "out")).get(f"{ITEM}?properties")
    assert error_of(response) == (404, "No properties could be found.")


@pytest.mark.parametrize(
    ("text", "properties"),
    [
        ("a=b", {"a": ["b"]}),
        ("a=b,c,b;d=e|f=g", {"a": ["b", "c"], "d": ["e"], "f": ["g"]}),
        (r"a=b\,c,d", {"a": ["b,c", "d"]}),
        (r"a=b\;c;d=\|\=\\", {"a": ["b;c"], "d": ["|=\\"]}),
        ("a=", {"a": [""]}),
        ("a=b=c;d=e", {"d": ["e"]}),
        ("a=b=c", None),
        ("a= b  c ", {"a": [" b  c "]}),
        ("a=ü€%+&", {"a": ["ü€%+&"]}),
    ],
)
def test_property_syntax_is_parsed(artifactory, text, properties):
    response = artifactory.put(ITEM, params={"properties": text})
    assert (response.status_code, response.content) == (204, b"")
    assert properties_of(artifactory, PATH) == properties


def test_unencoded_request_target_is_accepted(sandbox, artifactory):
    address = sandbox.url.removeprefix("http://")
    connection = http.client.HTTPConnection(address)
    headers = {"Authorization": artifactory.headers["Authorization"]}
    connection.request("PUT", f"/artifactory{ITEM}?properties=a=[1]{{2}}|b=c", headers=headers)
    assert connection.getresponse().status == 204
    connection.close()
    assert properties_of(artifactory, PATH) == {"a": ["[1]{2}"], "b": ["c"]}


def test_set_keeps_properties_that_are_not_named(artifactory):
    artifactory.put(f"{ITEM}?properties=a=1,2;b=3")
    artifactory.put(f"{ITEM}?properties=a=4")
    assert properties_of(artifactory, PATH) == {"a": ["4"], "b": ["3"]}


@pytest.mark.parametrize("name", ["1a", "a b", "a(b", "a/b", "a@b", "-a", "a§", "", "a%b"])
def test_set_is_400_when_a_name_is_invalid(artifactory, name):
    response = artifactory.put(ITEM, params={"properties": f"{name}=x"})
    assert (response.status_code, "must start with a letter" in error_of(response)[1]) == (400, True)
    assert properties_of(artifactory, PATH) is None


@pytest.mark.parametrize("name", ["a.b-c_d:e", "ü", "a1"])
def test_set_accepts_valid_names(artifactory, name):
    assert artifactory.put(ITEM, params={"properties": f"{name}=x"}).status_code == 204
    assert properties_of(artifactory, PATH) == {name: ["x"]}


@pytest.mark.parametrize(("recursive", "is_recursive"), [("", True), ("&recursive=1", True), ("&recursive=0", False)])
def test_folder_properties_are_recursive_by_default(artifactory, recursive, is_recursive):
    artifactory.put(f"/api/storage/generic-local/app?properties=a=b{recursive}")
    assert properties_of(artifactory, "generic-local/app") == {"a": ["b"]}
    descendant = properties_of(artifactory, f"generic-local/{APP}") or {}
    assert ("a" in descendant) is is_recursive
    artifactory.delete(f"/api/storage/generic-local/app?properties=a,build.name,nothing{recursive}")
    assert properties_of(artifactory, "generic-local/app") is None
    descendant = properties_of(artifactory, f"generic-local/{APP}") or {}
    assert ("build.name" in descendant) is not is_recursive


def test_recursion_is_limited_to_the_folder(artifactory):
    artifactory.put("/generic-local/app-2/file", b"")
    artifactory.put("/api/storage/generic-local/app?properties=a=b")
    assert properties_of(artifactory, "generic-local/app-2/file") is None


def test_changes_are_refused_when_the_request_is_invalid(artifactory, artifactory_reader):
    assert error_of(artifactory.put("/api/storage/generic-local/nothing?properties=a=b"))[0] == 404
    assert error_of(artifactory.put("/api/storage/nothing/nothing?properties=a=b"))[0] == 404
    assert error_of(artifactory.delete("/api/storage/generic-local/nothing?properties=a"))[0] == 404
    assert error_of(artifactory_reader.put(f"{ITEM}?properties=a=b"))[0] == 403
    assert error_of(artifactory.put(f"{ITEM}?properties="))[0] == 400
    assert error_of(artifactory.put(ITEM))[0] == 400
    assert error_of(artifactory.delete(ITEM))[0] == 400
    assert error_of(artifactory.put("/api/storage/libs-release/org?properties=a=b"))[0] == 400


def test_delete_succeeds_when_the_property_is_missing(artifactory):
    response = artifactory.delete(f"{ITEM}?properties=nothing")
    assert (response.status_code, response.content) == (204, b"")


def test_delete_removes_all_properties(artifactory):
    assert artifactory.delete(f"/generic-local/{APP}:properties").status_code == 204
    assert properties_of(artifactory, f"generic-local/{APP}") is None
    assert artifactory.get(f"/generic-local/{APP}").status_code == 200


def test_patch_sets_and_removes_properties(artifactory):
    special = r"a,b|c=d;e\f ü"
    props = {"build.name": None, "qa": ["x", "y"], "odd": special, "gone": None, "scalars": [True, 1.5]}
    response = artifactory.patch(f"/api/metadata/generic-local/{APP}", json={"props": props})
    assert (response.status_code, response.content) == (204, b"")
    assert properties_of(artifactory, f"generic-local/{APP}") == {
        "build.number": ["1"],
        "qa": ["x", "y"],
        "odd": [special],
        "scalars": ["1.5", "true"],
    }


def test_recursive_change_of_an_empty_repository_sets_the_properties_of_its_root(artifactory):
    artifactory.put("/api/repositories/empty", json={"rclass": "local"})
    assert artifactory.put("/api/storage/empty?properties=a=b&recursive=1").status_code == 204
    assert artifactory.get("/api/storage/empty?properties").json()["properties"] == {"a": ["b"]}


def test_patch_is_recursive_by_default(artifactory):
    body = {"props": {"a": "b"}}
    artifactory.patch("/api/metadata/generic-local/app?recursiveProperties=0", json=body)
    assert "a" not in properties_of(artifactory, f"generic-local/{APP}")
    artifactory.patch("/api/metadata/generic-local/app", json=body)
    assert properties_of(artifactory, f"generic-local/{APP}")["a"] == ["b"]


def test_patch_is_refused_when_the_request_is_invalid(artifactory, artifactory_reader):
    path, body = f"/api/metadata/generic-local/{APP}", {"props": {"a": "b"}}
    assert error_of(artifactory.patch(path, json={})) == (400, "props or stats fields required")
    assert error_of(artifactory.patch(path, data="{"))[0] == 400
    assert error_of(artifactory.patch(path, json={"props": {"a b": "c"}}))[0] == 400
    assert error_of(artifactory_reader.patch(path, json=body))[0] == 403
    assert error_of(artifactory.patch("/api/metadata/generic-local/nothing", json=body))[0] == 404


def test_patch_is_404_when_the_version_is_before_6_1(artifactory, sandbox):
    sandbox.switch("artifact", version="6.0.3")
    response = artifactory.patch(f"/api/metadata/{PATH}?recursiveProperties=0", json={"props": {"a": "b"}})
    assert error_of(response) == (404, "Not Found")


def test_request_is_414_when_the_request_line_is_too_long(artifactory, sandbox):
    def put(length: int) -> requests.Response:
        return artifactory.put(f"{ITEM}?recursive=0&properties=a={'b' * length}")

    line = len(f"PUT /artifactory{ITEM}?recursive=0&properties=a= HTTP/1.1")
    assert put(8192 - line).status_code == 204
    response = put(8193 - line)
    assert response.status_code == 414
    assert response.headers["Content-Type"] == "text/html"
    assert "<h1>414 Request-URI Too Large</h1>" in response.text
    sandbox.switch("artifact", longest_request_line=65536)
    assert put(20_000).status_code == 204


def test_patch_accepts_long_values(artifactory):
    value = "b" * 100_000
    response = artifactory.patch(f"/api/metadata/{PATH}?recursiveProperties=0", json={"props": {"a": value}})
    assert response.status_code == 204
    assert properties_of(artifactory, PATH) == {"a": [value]}
