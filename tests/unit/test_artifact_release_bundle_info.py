# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.editions import LICENSES_ADDRESS
from support.conversation import Call, call, conversation
from support.running import run

API = "/lifecycle/api/v2"
NAMES = f"{API}/release_bundle/names"
VERSION_ADDRESS = "/artifactory/api/system/version"
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "not found"}]}
TIME = "2026-05-01T12:11:12.345+02:00"
UTC = "2026-05-01T10:11:12.345Z"


def version(name: str, status: str = "COMPLETED", **more: Any) -> dict[str, Any]:
    return {"release_bundle_version": name, "status": status, "created": TIME, "created_by": "ci", **more}


def versions(*entries: dict[str, Any], query: str = "", offset: int = 0, total: int | None = None) -> Call:
    """Return the read of a page of versions."""
    body = {"release_bundles": list(entries), "total": len(entries) if total is None else total}
    address = f"{API}/release_bundle/records/app?{query}include=messages&limit=250&offset={offset}"
    return call("GET", address, json=body)


def expected(name: str, **more: Any) -> dict[str, Any]:
    common = {"name": "app", "version": name, "project": "", "status": "COMPLETED", "created": UTC, "created_by": "ci"}
    return {**common, "messages": [], **more}


def test_names_are_listed_with_one_request() -> None:
    body = {
        "release_bundles": [
            {"release_bundle_name": "web", "project_key": "web"},
            {"release_bundle_name": "lib", "project_key": "default"},
            {"release_bundle_name": "app"},
        ]
    }
    with conversation(call("GET", NAMES, json=body)) as server:
        result = run("artifact_release_bundle_info", url=server.url, include=["artifacts"])
    assert result["names"] == [
        {"name": "app", "project": ""},
        {"name": "lib", "project": ""},
        {"name": "web", "project": "web"},
    ]
    assert "release_bundles" not in result
    with conversation(call("GET", f"{NAMES}?project=web", json={"release_bundles": []})) as server:
        assert run("artifact_release_bundle_info", url=server.url, project="web")["names"] == []


def test_versions_are_listed_with_one_request() -> None:
    failed = version("2.0", "FAILED", messages=[{"text": "Artifact not found"}, {}])
    with conversation(versions(failed, version("1.0"))) as server:
        result = run("artifact_release_bundle_info", url=server.url, name="app")
    assert result["release_bundles"] == [
        expected("2.0", status="FAILED", messages=["Artifact not found"]),
        expected("1.0"),
    ]


def test_all_pages_are_read() -> None:
    pages = [versions(version("2.0"), total=2), versions(version("1.0"), offset=1, total=2)]
    with conversation(*pages) as server:
        result = run("artifact_release_bundle_info", url=server.url, name="app", version="1.0")
    assert result["release_bundles"] == [expected("1.0")]
    with conversation(versions(version("2.0"), total=9), versions(offset=1, total=9)) as server:
        assert len(run("artifact_release_bundle_info", url=server.url, name="app")["release_bundles"]) == 1


def test_parts_are_included_on_request() -> None:
    promotions = {
        "promotions": [
            {"environment": "DEV", "status": "COMPLETED", "created_millis": 1, "created": TIME, "created_by": "ci"},
            {"environment": "PROD", "status": "FAILED", "created_millis": 2, "messages": [{"text": "no"}]},
        ],
        "total": 2,
    }
    record = {
        "artifacts": [
            {"source_repository_key": "libs", "path": "b.jar", "checksum": "B" * 64},
            {"source_repository_key": "libs", "path": "a.jar", "checksum": "a" * 64},
        ]
    }
    calls = [
        versions(version("1.0"), query="project=web&"),
        call(
            "GET", f"{API}/promotion/records/app/1.0?project=web&include=messages&limit=250&offset=0", json=promotions
        ),
        call("GET", f"{API}/release_bundle/records/app/1.0?project=web&limit=250&offset=0", json=record),
    ]
    options = {"name": "app", "project": "web", "include": ["promotions", "artifacts"]}
    with conversation(*calls) as server:
        (bundle,) = run("artifact_release_bundle_info", url=server.url, **options)["release_bundles"]
    assert bundle == expected(
        "1.0",
        project="web",
        environments=["DEV"],
        promotions=[
            {"environment": "PROD", "status": "FAILED", "created": None, "created_by": None, "messages": ["no"]},
            {"environment": "DEV", "status": "COMPLETED", "created": UTC, "created_by": "ci", "messages": []},
        ],
        artifacts=[{"path": "libs/a.jar", "sha256": "a" * 64}, {"path": "libs/b.jar", "sha256": "b" * 64}],
    )


def test_missing_release_bundle_has_no_versions() -> None:
    address = f"{API}/release_bundle/records/app?include=messages&limit=250&offset=0"
    reads = [
        call("GET", address, 404, json=NOT_FOUND),
        call("GET", VERSION_ADDRESS, json={"version": "7.77.3", "license": "x"}),
    ]
    with conversation(*reads) as server:
        assert run("artifact_release_bundle_info", url=server.url, name="app")["release_bundles"] == []


@pytest.mark.parametrize(
    ("license_text", "message"),
    [
        ("Artifactory OSS", "requires Artifactory Enterprise, but the server is the open-source edition."),
        ("x", "its reverse proxy forwards /lifecycle"),
    ],
)
def test_names_of_a_server_without_the_api_are_an_error(license_text: str, message: str) -> None:
    reads = [
        call("GET", NAMES, 404, json=NOT_FOUND if license_text == "x" else None, text="no"),
        call("GET", VERSION_ADDRESS, json={"version": "7.77.3", "license": license_text}),
    ]
    with conversation(*reads) as server:
        assert message in run("artifact_release_bundle_info", url=server.url)["msg"]


def test_refusal_names_the_edition() -> None:
    reads = [
        call("GET", NAMES, 403, json=NOT_FOUND),
        call("GET", VERSION_ADDRESS, json={"version": "7.77.3", "license": "x"}),
        call("GET", LICENSES_ADDRESS, json={"type": "Commercial"}),
    ]
    with conversation(*reads) as server:
        assert "license of the type 'Commercial'" in run("artifact_release_bundle_info", url=server.url)["msg"]


def test_version_requires_a_name() -> None:
    with conversation() as server:
        result = run("artifact_release_bundle_info", url=server.url, version="1.0")
    assert result["msg"] == "missing parameter(s) required by 'version': name"


@pytest.mark.parametrize("body", [{}, [], {"release_bundles": {}}, {"release_bundles": [{}]}, {"errors": []}])
def test_unexpected_response_is_an_error(body: Any) -> None:
    with conversation(call("GET", NAMES, json=body)) as server:
        result = run("artifact_release_bundle_info", url=server.url)
    assert result["failed"]
    assert "defect" not in result["msg"]
