# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of downloads from Artifactory: ranges, conditions, folders, archive entries."""

from __future__ import annotations

import asyncio
import html
import io
import re
import zipfile
from email.utils import parsedate_to_datetime

import pytest

from sandbox.artifact.content import ranges
from support.wire.artifact import APP, CONTENT, MD5, SHA1, SHA256, error_of


def test_get_and_head_return_checksum_headers(artifactory):
    get, head = artifactory.get(f"/generic-local/{APP}"), artifactory.head(f"/generic-local/{APP}")
    assert (get.content, head.content) == (CONTENT, b"")
    for response in (get, head):
        headers = response.headers
        assert response.status_code == 200
        assert headers["ETag"].strip('"') == headers["X-Checksum-Sha1"] == SHA1
        assert (headers["X-Checksum-Sha256"], headers["X-Checksum-Md5"]) == (SHA256, MD5)
        assert headers["Accept-Ranges"] == "bytes"
        assert headers["X-Artifactory-Filename"] == "app-1.0.tar.gz"
        assert headers["Content-Disposition"] == (
            "attachment; filename=\"app-1.0.tar.gz\"; filename*=UTF-8''app-1.0.tar.gz"
        )
        assert headers["Content-Length"] == str(len(CONTENT))
        assert parsedate_to_datetime(headers["Last-Modified"])


def test_disposition_has_plain_and_encoded_name_when_it_is_not_ascii(artifactory):
    artifactory.put("/generic-local/a%20%E4%B8%AD@ä(1).txt", b"x")
    headers = artifactory.get("/generic-local/a%20%E4%B8%AD@ä(1).txt").headers
    assert headers["X-Artifactory-Filename"] == "a%20%E4%B8%AD@%C3%A4(1).txt"
    assert headers["Content-Disposition"] == (
        "attachment; filename=\"a ?@ä(1).txt\"; filename*=UTF-8''a%20%E4%B8%AD@%C3%A4(1).txt"
    )


@pytest.mark.parametrize(
    ("range_header", "content", "bounds"),
    [
        ("bytes=4-8", CONTENT[4:9], "4-8"),
        ("bytes= 4 - 8 ", CONTENT[4:9], "4-8"),
        ("bytes=4-", CONTENT[4:], f"4-{len(CONTENT) - 1}"),
        ("bytes=0-999", CONTENT, f"0-{len(CONTENT) - 1}"),
        ("chars=0-1", CONTENT[:2], "0-1"),
        ("bytes=-2", CONTENT[:3], "0-2"),
        ("bytes=2", CONTENT[:3], "0-2"),
        ("bytes=0-1,2-3", CONTENT[:4], "0-3"),
        ("bytes=0-1,500-600", CONTENT[:2], "0-1"),
        ("bytes=0-1/9,a-b", CONTENT[:2], "0-1"),
    ],
)
def test_content_is_partial_when_one_range_is_in_the_file(artifactory, range_header, content, bounds):
    response = artifactory.get(f"/generic-local/{APP}", headers={"Range": range_header})
    assert (response.status_code, response.content) == (206, content)
    assert response.headers["Content-Range"] == f"bytes {bounds}/{len(CONTENT)}"
    assert response.headers["ETag"] == SHA1


@pytest.mark.parametrize("range_header", ["bytes=", "bytes", "bytes=0-1=2", "", "bytes=,"])
def test_range_is_ignored_when_it_has_no_bounds(artifactory, range_header):
    response = artifactory.get(f"/generic-local/{APP}", headers={"Range": range_header})
    assert (response.status_code, response.content) == (200, CONTENT)


@pytest.mark.parametrize(
    "range_header", ["bytes=100-", "bytes=5-2", "bytes=a-b", "bytes=0-1;x", "bytes= ,x", "bytes=99-,5-2"]
)
def test_ranges_are_416_when_all_are_outside_the_file(artifactory, range_header):
    response = artifactory.get(f"/generic-local/{APP}", headers={"Range": range_header})
    assert (response.status_code, response.headers["Content-Range"], response.content) == (
        416,
        f"bytes */{len(CONTENT)}",
        b"",
    )
    assert "ETag" not in response.headers


def test_body_is_multipart_when_there_are_several_ranges(artifactory):
    artifactory.put("/generic-local/a.txt", b"alpha\n")
    response = artifactory.get("/generic-local/a.txt", headers={"Range": "bytes=3-4,0-1"})
    assert response.status_code == 206
    assert response.headers["Content-Type"] == "multipart/byteranges; boundary=BCD64322345343217845286A"
    assert response.headers["Content-Length"] == str(len(response.content)) == "204"
    assert response.text == "".join(
        (
            "--BCD64322345343217845286A\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/6\r\n\r\nal\r\n",
            "--BCD64322345343217845286A\r\nContent-Type: text/plain\r\nContent-Range: bytes 3-4/6\r\n\r\nha",
            "--BCD64322345343217845286A--\r\n",
        )
    )


@pytest.mark.parametrize("path", ["nothing", "nothing/app", "nothing/app/"])
def test_download_is_404_when_the_repository_is_unknown(artifactory, artifactory_reader, path):
    for session in (artifactory, artifactory_reader):
        assert error_of(session.get(f"/{path}")) == (404, "Not Found")


@pytest.mark.parametrize(("offline", "state"), [(False, "assumed offline"), (True, "offline")])
def test_remote_repository_never_contacts_its_upstream(artifactory, offline, state):
    assert artifactory.post("/api/repositories/libs-remote", json={"offline": offline}).status_code == 200
    refusal = f"libs-remote: is {state}, 'libs-remote:some/none.jar' is not found at 'some/none.jar'."
    assert error_of(artifactory.get("/libs-remote/some/none.jar")) == (404, refusal)
    assert error_of(artifactory.get("/libs-remote-cache/some/none.jar")) == (404, "File not found.")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("path", ["ui", "ui/", "ui/x", "api/x"])
def test_content_requests_are_404_when_the_path_belongs_to_the_api_or_ui(artifactory, method, path):
    assert error_of(artifactory.request(method, f"/{path}")) == (404, "Not Found")


def test_range_is_ignored_when_the_method_is_head(artifactory):
    for range_header in ("bytes=0-1", "bytes=0-1,3-4", "bytes=100-", "bytes=a-b"):
        response = artifactory.head(f"/generic-local/{APP}", headers={"Range": range_header})
        assert (response.status_code, response.headers["Content-Length"]) == (200, str(len(CONTENT)))


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        (SHA1, 206),
        (f"{SHA1}-0-1", 206),
        ("other", 200),
        (f'"{SHA1}"', 200),
        ("Fri, 01 Jan 2100 00:00:00 GMT", 206),
        ("Sat, 01 Jan 2000 00:00:00 GMT", 200),
    ],
)
def test_range_is_ignored_when_if_range_does_not_match(artifactory, condition, status):
    response = artifactory.get(f"/generic-local/{APP}", headers={"Range": "bytes=0-1", "If-Range": condition})
    assert response.status_code == status


def test_etag_contains_the_range_bounds_when_the_version_is_before_5(artifactory, sandbox):
    sandbox.switch("artifact", version="4.16.1")
    tags = [
        artifactory.get(f"/generic-local/{APP}", headers={"Range": range_header}).headers["ETag"]
        for range_header in ("bytes=0-1", "bytes=0-1,3-4", "bytes=")
    ]
    assert tags == [f"{SHA1}-0-1", f"{SHA1}-0-1-3-4", SHA1]


@pytest.mark.parametrize(
    ("condition", "status"),
    [
        ({"If-None-Match": SHA1}, 304),
        ({"If-None-Match": f'"{SHA1}"'}, 200),
        ({"If-None-Match": f"W/{SHA1}"}, 200),
        ({"If-None-Match": "*"}, 200),
        ({"If-None-Match": "other", "If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}, 200),
        ({"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"}, 304),
        ({"If-Modified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}, 200),
        ({"If-Match": "other"}, 200),
        ({"If-Unmodified-Since": "Sat, 01 Jan 2000 00:00:00 GMT"}, 200),
    ],
)
def test_conditional_headers_decide_the_status(artifactory, condition, status):
    response = artifactory.get(f"/generic-local/{APP}", headers=condition)
    assert (response.status_code, response.content) == (status, CONTENT if status == 200 else b"")
    assert (response.headers["ETag"], response.headers["Accept-Ranges"]) == (SHA1, "bytes")


def test_download_is_500_when_a_date_is_invalid(artifactory):
    for path in (APP, "nothing"):
        response = artifactory.get(f"/generic-local/{path}", headers={"If-Modified-Since": "yesterday"})
        assert error_of(response) == (500, "Could not process download request: yesterday")


def test_content_type_has_no_charset(artifactory):
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
def test_media_type_follows_the_extension_when_its_case_differs(artifactory, name, media_type):
    artifactory.put(f"/generic-local/types/{name}", b"x")
    assert artifactory.get(f"/generic-local/types/{name}").headers["Content-Type"] == media_type
    assert artifactory.get(f"/api/storage/generic-local/types/{name}").json()["mimeType"] == media_type


def test_checksum_files_are_downloadable(artifactory):
    for suffix, checksum in (("sha1", SHA1), ("md5", MD5), ("sha256", SHA256)):
        response = artifactory.get(f"/generic-local/{APP}.{suffix}")
        assert (response.text, response.headers["Content-Type"]) == (checksum, "application/x-checksum")
    assert artifactory.get("/generic-local/nothing.sha1").status_code == 404
    assert artifactory.get("/generic-local/app.sha1").status_code == 404


def test_folder_redirects_to_a_listing_page_with_a_trailing_slash(artifactory):
    artifactory.put("/generic-local/app/a <b>.txt", b"x")
    for path in ("/generic-local/app", "/generic-local"):
        for method in ("GET", "HEAD"):
            redirect = artifactory.request(method, path, allow_redirects=False)
            assert (redirect.status_code, redirect.headers["Location"]) == (302, f"{artifactory.base}{path}/")
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


def test_folder_page_is_not_cacheable(artifactory):
    for method in ("GET", "HEAD"):
        assert artifactory.request(method, "/generic-local/app/").headers["Cache-Control"] == "no-store"


def test_redirect_keeps_the_path_when_the_trailing_slash_is_missing(artifactory):
    artifactory.put("/generic-local/a ä/b/c.txt", b"x")
    redirect = artifactory.get("/generic-local/a%20%C3%A4//b;k=v", allow_redirects=False)
    assert redirect.headers["Location"] == f"{artifactory.base}/generic-local/a%20%C3%A4//b/"


@pytest.mark.parametrize("prefix", ["list", "simple"])
def test_content_is_served_when_the_path_has_a_legacy_browser_prefix(artifactory, prefix):
    assert artifactory.get(f"/{prefix}/generic-local/{APP}").content == CONTENT
    assert artifactory.head(f"/{prefix}/generic-local/{APP}").headers["ETag"] == SHA1
    assert "<title>Index of generic-local/app</title>" in artifactory.get(f"/{prefix}/generic-local/app/").text
    redirect = artifactory.get(f"/{prefix}/generic-local/app", allow_redirects=False)
    assert redirect.headers["Location"] == f"{artifactory.base}/{prefix}/generic-local/app/"
    assert artifactory.put(f"/{prefix}/generic-local/new.txt", b"x").json()["repo"] == "generic-local"
    assert artifactory.delete(f"/{prefix}/generic-local/new.txt").status_code == 204
    assert artifactory.get("/generic-local/new.txt").status_code == 404


def test_redirect_adds_a_slash_when_the_path_is_empty(artifactory_anonymous):
    for suffix in ("", "?a=b"):
        response = artifactory_anonymous.get(suffix, allow_redirects=False)
        assert (response.status_code, response.headers["Location"]) == (302, f"{artifactory_anonymous.base}/{suffix}")


def test_redirect_leads_to_the_ui_when_the_root_is_requested(artifactory, artifactory_anonymous):
    for session in (artifactory, artifactory_anonymous):
        for path in ("/", "/webapp"):
            response = session.get(path, allow_redirects=False)
            assert (response.status_code, response.headers["Location"]) == (302, f"{artifactory.base}/webapp/")
    assert artifactory.head("/").status_code == 404
    assert artifactory_anonymous.head("/").status_code == 401


def test_archive_entry_is_downloadable(artifactory):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0")
        archive.writestr("a b.txt", "x")
    artifactory.put("/generic-local/a.jar", content.getvalue())
    assert artifactory.get("/generic-local/a.jar!/META-INF/MANIFEST.MF").text == "Manifest-Version: 1.0"
    assert artifactory.get("/generic-local/a.jar!/a b.txt").headers["Content-Type"] == "text/plain"
    for path in ("a.jar!/none", "none.jar!/a b.txt", f"{APP}!/a", "app!/a"):
        assert error_of(artifactory.get(f"/generic-local/{path}"))[0] == 404


def test_cached_file_is_served_by_virtual_and_remote_repositories(artifactory):
    for key in ("libs-release", "libs-remote", "libs-remote-cache"):
        assert artifactory.get(f"/{key}/junit/junit/4.13/junit-4.13.pom").text == "<project/>"


def test_download_is_404_when_the_file_is_missing(artifactory):
    assert error_of(artifactory.get("/generic-local/nothing"))[0] == 404
    assert artifactory.head("/nothing/nothing").status_code == 404


def test_properties_are_returned_for_a_content_path(artifactory):
    response = artifactory.get(f"/generic-local/{APP}?properties")
    assert response.json()["properties"] == {"build.name": ["app"], "build.number": ["1"]}


@pytest.mark.parametrize("size", [0, 10, ranges.CHUNK_SIZE + 10])
@pytest.mark.parametrize("is_whole", [True, False])
def test_download_completes_when_the_file_is_deleted_meanwhile(tmp_path, size, is_whole):
    content = bytes(number % 251 for number in range(size))
    file = tmp_path / "file"
    file.write_bytes(content)
    parts = [ranges.Range(0, size - 1)]
    response = ranges.serve_whole(file, size, {}) if is_whole else ranges.serve_partially(file, size, parts, {})
    file.unlink()
    messages = []

    async def send(message):
        messages.append(message)

    asyncio.run(response({"type": "http", "asgi": {"spec_version": "2.4"}}, None, send))
    assert b"".join(message.get("body", b"") for message in messages) == content
    assert (b"content-length", str(size).encode()) in messages[0]["headers"]
