# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: downloads."""

from __future__ import annotations

import html
import io
import re
import zipfile
from email.utils import parsedate_to_datetime

import pytest

from support.wire.artifact import APP, CONTENT, MD5, SHA1, SHA256, error_of


def test_get_and_head(artifactory):
    got, head = artifactory.get(f"/generic-local/{APP}"), artifactory.head(f"/generic-local/{APP}")
    assert (got.content, head.content) == (CONTENT, b"")
    for answer in (got, head):
        headers = answer.headers
        assert answer.status_code == 200
        assert headers["ETag"].strip('"') == headers["X-Checksum-Sha1"] == SHA1
        assert (headers["X-Checksum-Sha256"], headers["X-Checksum-Md5"]) == (SHA256, MD5)
        assert headers["Accept-Ranges"] == "bytes"
        assert headers["X-Artifactory-Filename"] == "app-1.0.tar.gz"
        assert headers["Content-Disposition"] == 'attachment; filename="app-1.0.tar.gz"'
        assert headers["Content-Length"] == str(len(CONTENT))
        assert parsedate_to_datetime(headers["Last-Modified"])


def test_range_and_not_modified(artifactory):
    answer = artifactory.get(f"/generic-local/{APP}", headers={"Range": "bytes=4-8"})
    assert (answer.status_code, answer.content) == (206, b"first")
    beyond = artifactory.get(f"/generic-local/{APP}", headers={"Range": "bytes=100-"})
    assert (beyond.status_code, beyond.headers["Content-Range"]) == (416, f"bytes */{len(CONTENT)}")


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ({"If-None-Match": SHA1}, 304),
        ({"If-None-Match": f'"other", W/"{SHA1}"'}, 304),
        ({"If-None-Match": "*"}, 304),
        ({"If-None-Match": "other", "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}, 200),
        ({"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}, 304),
        ({"If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}, 200),
        ({"If-Modified-Since": "yesterday"}, 200),
    ],
)
def test_conditions(artifactory, condition, status):
    answer = artifactory.get(f"/generic-local/{APP}", headers=condition)
    assert (answer.status_code, answer.content) == (status, CONTENT if status == 200 else b"")


def test_the_content_type_has_no_charset(artifactory):
    assert artifactory.get("/generic-local/app/README.txt").headers["Content-Type"] == "text/plain"


@pytest.mark.parametrize(
    ("name", "media_type"),
    [
        ("install.sh", "text/x-script.sh"),
        ("INDEX.HTML", "text/html"),
        ("values.yaml", "text/plain"),
        ("app.rpm", "application/x-rpm"),
        ("schema.xsd", "application/xml-schema"),
        ("README.md", "application/octet-stream"),
        ("noextension", "application/octet-stream"),
    ],
)
def test_the_media_type_follows_the_extension_in_any_case(artifactory, name, media_type):
    artifactory.put(f"/generic-local/types/{name}", b"x")
    assert artifactory.get(f"/generic-local/types/{name}").headers["Content-Type"] == media_type
    assert artifactory.get(f"/api/storage/generic-local/types/{name}").json()["mimeType"] == media_type


def test_checksums_can_be_asked_for_as_files(artifactory):
    for suffix, checksum in (("sha1", SHA1), ("md5", MD5), ("sha256", SHA256)):
        answer = artifactory.get(f"/generic-local/{APP}.{suffix}")
        assert (answer.text, answer.headers["Content-Type"]) == (checksum, "application/x-checksum")
    assert artifactory.get("/generic-local/nothing.sha1").status_code == 404
    assert artifactory.get("/generic-local/app.sha1").status_code == 404


def test_a_folder_is_a_page_whose_address_ends_with_a_slash(artifactory):
    artifactory.put("/generic-local/app/a <b>.txt", b"x")
    for path in ("/generic-local/app", "/generic-local"):
        for method in ("GET", "HEAD"):
            sent = artifactory.request(method, path, allow_redirects=False)
            assert (sent.status_code, sent.headers["Location"]) == (302, f"{artifactory.base}{path}/")
    page = artifactory.get("/generic-local/app")
    assert page.url == f"{artifactory.base}/generic-local/app/"
    assert page.headers["Content-Type"].startswith("text/html")
    assert "<title>Index of generic-local/app</title>" in page.text
    assert [html.unescape(name) for name in re.findall(r'<a href="[^"]*">([^<]*)</a>', page.text)] == [
        "../",
        "1.0/",
        "1.1/",
        "README.txt",
        "a <b>.txt",
    ]
    assert re.search(r"README.txt</a>  \d\d-[A-Z][a-z]{2}-\d{4} \d\d:\d\d  15 bytes\n", page.text)
    assert '<a href="../">' not in artifactory.get("/generic-local/").text


def test_an_entry_of_an_archive(artifactory):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0")
        archive.writestr("a b.txt", "x")
    artifactory.put("/generic-local/a.jar", content.getvalue())
    assert artifactory.get("/generic-local/a.jar!/META-INF/MANIFEST.MF").text == "Manifest-Version: 1.0"
    assert artifactory.get("/generic-local/a.jar!/a b.txt").headers["Content-Type"] == "text/plain"
    for path in ("a.jar!/none", "none.jar!/a b.txt", f"{APP}!/a", "app!/a"):
        assert error_of(artifactory.get(f"/generic-local/{path}"))[0] == 404


def test_through_virtual_and_remote(artifactory):
    for key in ("libs-release", "libs-remote", "libs-remote-cache"):
        assert artifactory.get(f"/{key}/junit/junit/4.13/junit-4.13.pom").text == "<project/>"


def test_missing(artifactory):
    assert error_of(artifactory.get("/generic-local/nothing"))[0] == 404
    assert artifactory.head("/nothing/nothing").status_code == 404


def test_properties_without_api(artifactory):
    answer = artifactory.get(f"/generic-local/{APP}?properties")
    assert answer.json()["properties"] == {"build.name": ["app"], "build.number": ["1"]}
