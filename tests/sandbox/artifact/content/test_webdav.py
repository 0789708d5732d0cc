# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the WebDAV methods of Artifactory."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from support.wire.artifact import APP, CONTENT, error_of

METHODS = "mkcol,move,propfind,unlock,post,proppatch,options,lock,delete"
DAV = "{DAV:}"


def test_allow_names_the_methods_of_webdav_when_content_lacks_a_method(artifactory):
    response = artifactory.options("/generic-local/nothing")
    assert (response.status_code, response.content, response.headers["Allow"]) == (200, b"", METHODS)
    assert (response.headers["DAV"], response.headers["MS-Author-Via"]) == ("1,2", "DAV")
    for method in ("PATCH", "COPY", "FOO"):
        response = artifactory.request(method, f"/generic-local/{APP}")
        assert (response.status_code, response.content, response.headers["Allow"]) == (405, b"", METHODS)
    for repo, allowed in (("generic-local", "GET,PUT,DELETE"), ("libs-release", "GET")):
        response = artifactory.post(f"/{repo}/{APP}")
        assert (response.status_code, response.content, response.headers["Allow"]) == (405, b"", allowed)
    assert artifactory.options("/nothing/x").status_code == 404


def test_mkcol_creates_a_folder_when_its_parent_exists(artifactory, artifactory_reader):
    response = artifactory.request("MKCOL", "/generic-local/made")
    assert (response.status_code, response.content) == (201, b"")
    assert artifactory.get("/api/storage/generic-local/made").json()["children"] == []
    for path, refusal in (
        ("made", (405, "MKCOL can only be executed on non-existent resource: generic-local:made")),
        ("", (405, "MKCOL can only be executed on non-existent resource: generic-local:")),
        ("none/made", (409, "Directory cannot be created: parent doesn't exist: generic-local:none")),
        (f"{APP}/made", (500, f"Expected a folder but found a file, at: generic-local:{APP}")),
        ("a%2A", (500, "Invalid path. '*' is not a valid name character: generic-local/a*/")),
    ):
        assert error_of(artifactory.request("MKCOL", f"/generic-local/{path}")) == refusal
    assert error_of(artifactory.request("MKCOL", "/libs-release/made"))[0] == 404
    assert error_of(artifactory_reader.request("MKCOL", "/generic-local/other"))[0] == 403


def test_propfind_lists_a_folder_to_the_requested_depth(artifactory):
    hrefs = {}
    for depth in ("0", "1", "infinity", None):
        response = artifactory.request("PROPFIND", "/generic-local/app", headers={"Depth": depth})
        assert (response.status_code, response.headers["Content-Type"]) == (207, "text/xml;charset=UTF-8")
        hrefs[depth] = [href.text for href in ElementTree.fromstring(response.content).iter(f"{DAV}href")]
    root = "/artifactory/generic-local/app"
    assert hrefs["0"] == [root]
    assert hrefs["1"] == [root, f"{root}/1.0", f"{root}/1.1", f"{root}/README.txt"]
    assert hrefs["infinity"] == hrefs[None] and f"/artifactory/generic-local/{APP}" in hrefs[None]


def test_propfind_returns_only_the_properties_named_in_the_body(artifactory):
    all_properties = artifactory.request("PROPFIND", f"/generic-local/{APP}", headers={"Depth": "0"}).content
    prop = ElementTree.fromstring(all_properties).find(f"{DAV}response/{DAV}propstat/{DAV}prop")
    values = {element.tag.removeprefix(DAV): element.text for element in prop}
    assert values["getcontentlength"] == str(len(CONTENT))
    assert (values["getcontenttype"], values["displayname"]) == ("application/x-gzip", "app-1.0.tar.gz")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", values["creationdate"])
    body = '<a:propfind xmlns:a="DAV:"><a:prop><a:getetag/><a:unknown/></a:prop></a:propfind>'
    named_properties = artifactory.request("PROPFIND", f"/generic-local/{APP}", data=body).content
    prop = ElementTree.fromstring(named_properties).find(f"{DAV}response/{DAV}propstat/{DAV}prop")
    assert [element.tag for element in prop] == [f"{DAV}getetag", f"{DAV}resourcetype"]


def test_propfind_is_empty_when_an_item_is_missing_or_unreadable(artifactory, sandbox):
    user = {"name": "blind", "password": "blind-secret"}
    sandbox.seed({"artifact": {"users": [user]}})
    for path, auth in (("none", None), (APP, ("blind", "blind-secret"))):
        response = artifactory.request("PROPFIND", f"/generic-local/{path}", auth=auth or artifactory.auth)
        assert (response.status_code, list(ElementTree.fromstring(response.content))) == (207, [])


@pytest.mark.parametrize("body", ["<a", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>"])
def test_request_is_refused_when_its_xml_is_invalid(artifactory, body):
    assert error_of(artifactory.request("LOCK", f"/generic-local/{APP}", data=body)) == (400, "Bad lock request")
    response = artifactory.request("PROPFIND", f"/generic-local/{APP}", data=body)
    assert error_of(response) == (500, "Webdav propfind failed.")


def test_deletion_succeeds_when_an_item_is_locked(artifactory):
    assert error_of(artifactory.request("LOCK", f"/generic-local/{APP}")) == (400, "Bad lock request")
    kinds = "<lockscope><exclusive/></lockscope><locktype><write/></locktype><owner><href>me &amp; you</href></owner>"
    body = f'<lockinfo xmlns="DAV:">{kinds}</lockinfo>'
    response = artifactory.request("LOCK", f"/generic-local/{APP}", data=body)
    assert (response.status_code, response.headers["Lock-Token"]) == (200, "<Artifactory:fake-lock-token>")
    active = ElementTree.fromstring(response.content).find(f"{DAV}lockdiscovery/{DAV}activelock")
    assert active.find(f"{DAV}locktype/{DAV}write") is not None
    assert active.findtext(f"{DAV}owner/{DAV}href") == "me & you"
    assert artifactory.request("UNLOCK", f"/generic-local/{APP}").status_code == 204
    assert artifactory.delete(f"/generic-local/{APP}").status_code == 204


def test_proppatch_is_404_when_the_item_is_missing(artifactory):
    assert artifactory.request("PROPPATCH", f"/generic-local/{APP}").status_code == 200
    response = artifactory.request("PROPPATCH", "/generic-local/none")
    assert error_of(response) == (404, "Resource generic-local/none does not exists.")


def test_move_relocates_an_item_when_the_caller_may_delete_and_deploy(artifactory, artifactory_reader):
    destination = {"Destination": f"{artifactory.base}/generic-local/moved/a%20b.tgz"}
    assert error_of(artifactory_reader.request("MOVE", f"/generic-local/{APP}", headers=destination))[0] == 403
    assert error_of(artifactory.request("MOVE", f"/generic-local/{APP}"))[0] == 400
    assert error_of(artifactory.request("MOVE", "/generic-local/", headers=destination))[0] == 400
    assert error_of(artifactory.request("MOVE", "/generic-local/none", headers=destination))[0] == 404
    response = artifactory.request("MOVE", f"/generic-local/{APP}", headers=destination)
    assert (response.status_code, response.content) == (200, b"")
    assert artifactory.get("/generic-local/moved/a b.tgz").content == CONTENT
    assert artifactory.get(f"/generic-local/{APP}").status_code == 404


def test_move_is_409_when_the_target_is_inside_the_folder(artifactory):
    destination = {"Destination": f"{artifactory.base}/generic-local/app/sub"}
    response = artifactory.request("MOVE", "/generic-local/app", headers=destination)
    assert error_of(response) == (409, "Cannot move 'generic-local:app' into itself.")
    assert artifactory.get(f"/generic-local/{APP}").content == CONTENT


def test_journal_records_the_effects_of_webdav_methods(artifactory, sandbox):
    artifactory.request("PROPFIND", "/generic-local/app")
    artifactory.request("MKCOL", "/generic-local/made")
    entries = [(entry["label"], entry["effect"], entry["status"]) for entry in sandbox.journal("artifact")]
    assert entries == [("find_properties", "read", 207), ("make_collection", "write", 201)]
