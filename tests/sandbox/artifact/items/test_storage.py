# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the trash can, copy and move, statistics, the storage summary and seeds in Artifactory."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from support.session import Session
from support.wire.artifact import APP, CONTENT, error_of, properties_of

TRASHED = f"generic-local/{APP}"


def list_children(artifactory: Session, path: str) -> list[str]:
    """Return the names of a folder's children."""
    return [child["uri"][1:] for child in artifactory.get(f"/api/storage/{path}").json()["children"]]


def copy_or_move(artifactory: Session, path: str, status: int, level: str) -> str:
    """Copy or move an item, check status and level, and return the only message."""
    response = artifactory.post(path)
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.storage.CopyOrMoveResult+json"
    (message,) = response.json()["messages"]
    assert (response.status_code, message["level"]) == (status, level)
    return message["message"]


# --- The trash can ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [TRASHED, "generic-local/app", "generic-local"])
def test_clean_deletes_a_trashed_item(artifactory, path):
    artifactory.delete(f"/{TRASHED}")
    response = artifactory.delete(f"/api/trash/clean/{path}")
    assert (response.status_code, response.content) == (204, b"")
    assert artifactory.get(f"/api/storage/auto-trashcan/{path}").status_code == 404


def test_clean_is_400_when_the_item_is_missing(artifactory):
    response = artifactory.delete(f"/api/trash/clean/{TRASHED}")
    assert error_of(response) == (400, f"Could not locate artifact 'auto-trashcan:{TRASHED}' (Nothing to delete).")


def test_clean_deletes_trashed_build_records(artifactory):
    artifactory.delete("/api/build/app?deleteAll=1")
    assert list_children(artifactory, "auto-trashcan/artifactory-build-info") == ["app"]
    assert artifactory.delete("/api/trash/clean/artifactory-build-info").status_code == 204
    assert list_children(artifactory, "auto-trashcan") == ["generic-local"]  # the seed deletes a file of generic-local


def test_empty_deletes_all_trashed_items(artifactory):
    artifactory.delete(f"/{TRASHED}")
    response = artifactory.post("/api/trash/empty")
    assert (response.status_code, response.text) == (202, "Successfully deleted all trashcan items")
    assert list_children(artifactory, "auto-trashcan") == []
    assert artifactory.post("/api/trash/empty").status_code == 202


@pytest.mark.parametrize("path", [TRASHED, "generic-local/app"])
def test_restore_moves_an_item_back(artifactory, path):
    artifactory.delete(f"/{path}")
    response = artifactory.post(f"/api/trash/restore/{path}")
    assert (response.status_code, response.text) == (202, "Successfully restored trash items")
    assert artifactory.get(f"/{TRASHED}").content == CONTENT
    assert properties_of(artifactory, TRASHED) == {"build.name": ["app"], "build.number": ["1"]}
    assert artifactory.get(f"/api/storage/auto-trashcan/{path}").status_code == 404


def test_restore_moves_an_item_to_a_new_path(artifactory):
    artifactory.delete(f"/{TRASHED}")
    artifactory.post(f"/api/trash/restore/{TRASHED}?to=generic-release-local/back.tar.gz")
    assert artifactory.get("/generic-release-local/back.tar.gz").content == CONTENT
    assert artifactory.get(f"/{TRASHED}").status_code == 404


def test_restore_is_400_when_the_repository_or_item_is_missing(artifactory):
    artifactory.delete(f"/{TRASHED}")
    response = artifactory.post(f"/api/trash/restore/{TRASHED}?to=nothing/a")
    assert error_of(response) == (400, "Restore repo 'nothing' doesn't exist")
    assert error_of(artifactory.post("/api/trash/restore/generic-local/nothing"))[0] == 400


def test_trash_can_calls_require_an_administrator(artifactory_reader):
    assert error_of(artifactory_reader.delete("/api/trash/clean/generic-local"))[0] == 403
    assert error_of(artifactory_reader.post("/api/trash/empty"))[0] == 403
    assert error_of(artifactory_reader.post(f"/api/trash/restore/{TRASHED}"))[0] == 403
    assert artifactory_reader.get("/api/storage/auto-trashcan").status_code == 403


# --- Copies and moves -------------------------------------------------------------------------------------------------


def test_copy_keeps_content_and_properties(artifactory):
    text = copy_or_move(artifactory, f"/api/copy/{TRASHED}?to=/generic-release-local/a/b.tar.gz", 200, "INFO")
    assert text == (
        f"copying generic-local:{APP} to generic-release-local:a/b.tar.gz completed successfully,"
        " 1 artifacts and 0 folders were copied"
    )
    assert artifactory.get("/generic-release-local/a/b.tar.gz").content == CONTENT
    assert artifactory.get(f"/{TRASHED}").content == CONTENT
    assert properties_of(artifactory, "generic-release-local/a/b.tar.gz") == {
        "build.name": ["app"],
        "build.number": ["1"],
    }


def test_move_relocates_a_folder(artifactory):
    text = copy_or_move(artifactory, "/api/move/generic-local/app?to=/generic-release-local/x", 200, "INFO")
    assert "3 artifacts and 3 folders were moved" in text
    assert list_children(artifactory, "generic-release-local/x") == ["1.0", "1.1", "README.txt"]
    assert artifactory.get("/api/storage/generic-local/app").status_code == 404


@pytest.mark.parametrize("act", ["copy", "move"])
def test_dry_run_changes_nothing(artifactory, act):
    text = copy_or_move(artifactory, f"/api/{act}/generic-local/app?to=/generic-release-local/x&dry=1", 200, "INFO")
    assert text.startswith("Dry Run for ")
    assert list_children(artifactory, "generic-release-local") == []
    assert list_children(artifactory, "generic-local/app") == ["1.0", "1.1", "README.txt"]


@pytest.mark.parametrize("act", ["copy", "move"])
@pytest.mark.parametrize("dry", [0, 1])
def test_copy_or_move_is_409_when_a_file_blocks_the_target_folder(artifactory, act, dry):
    artifactory.put("/generic-release-local/x", data=b"file")
    to = f"/generic-release-local/x/y&dry={dry}"
    text = copy_or_move(artifactory, f"/api/{act}/generic-local/app?to={to}", 409, "ERROR")
    assert text == "A folder and a file are in each other's way at 'generic-release-local:x'."


@pytest.mark.parametrize("act", ["copy", "move"])
def test_copy_or_move_overwrites_an_existing_file(artifactory, act):
    artifactory.put("/generic-release-local/a", data=b"before")
    copy_or_move(artifactory, f"/api/{act}/{TRASHED}?to=/generic-release-local/a", 200, "INFO")
    assert artifactory.get("/generic-release-local/a").content == CONTENT


@pytest.mark.parametrize(
    ("source", "target", "result"),
    [
        (TRASHED, "generic-local/app", "generic-local/app/app-1.0.tar.gz"),
        (TRASHED, "generic-local/new/", "generic-local/new/app-1.0.tar.gz"),
        (TRASHED, "generic-release-local", f"generic-release-local/{APP}"),
        ("generic-local/app/1.0", "generic-local/new/", "generic-local/new/1.0/app-1.0.tar.gz"),
        ("generic-local/app/1.0", "generic-local/app/1.1", "generic-local/app/1.1/app-1.0.tar.gz"),
    ],
)
def test_copy_into_a_folder(artifactory, source, target, result):
    copy_or_move(artifactory, f"/api/copy/{source}?to=/{target}", 200, "INFO")
    assert artifactory.get(f"/{result}").content == CONTENT


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("generic-local/nothing?to=/generic-release-local/a", 404),
        (f"{TRASHED}?to=/nothing/a", 404),
        (f"{TRASHED}?to=/libs-release/a", 404),
        (f"{TRASHED}?to=/{TRASHED}", 409),
        ("generic-local/app?to=/generic-local/app/sub", 409),
        ("generic-local/app?to=/generic-local/app/", 409),
        ("generic-local?to=/generic-local/sub", 409),
    ],
)
def test_move_is_refused_when_source_or_target_is_invalid(artifactory, path, status):
    assert copy_or_move(artifactory, f"/api/move/{path}", status, "ERROR")
    assert artifactory.get(f"/{TRASHED}").content == CONTENT


def test_move_is_409_when_permissions_are_missing(artifactory_reader):
    assert copy_or_move(artifactory_reader, f"/api/move/{TRASHED}?to=/generic-release-local/a", 409, "ERROR")


# --- Statistics -------------------------------------------------------------------------------------------------------


def test_downloads_are_counted(sandbox, artifactory, artifactory_reader):
    sandbox.clock(set=1_800_000_000, frozen=True)
    path = f"/api/storage/{TRASHED}?stats"
    response = artifactory.get(path)
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.storage.StatsInfo+json"
    assert response.json() == {
        "uri": f"{artifactory.base}/{TRASHED}",
        "downloadCount": 0,
        "lastDownloaded": 0,
        "remoteDownloadCount": 0,
        "remoteLastDownloaded": 0,
    }
    artifactory.head(f"/{TRASHED}")
    artifactory.get(f"/{TRASHED}")
    artifactory_reader.get(f"/{TRASHED}")
    counted = artifactory.get(path).json()
    assert (counted["downloadCount"], counted["lastDownloaded"], counted["lastDownloadedBy"]) == (
        2,
        1_800_000_000_000,
        "reader",
    )


def test_statistics_are_404_when_the_item_is_missing(artifactory):
    assert error_of(artifactory.get("/api/storage/generic-local/nothing?stats")) == (404, "Unable to find item path")


# --- The storage summary ----------------------------------------------------------------------------------------------


def test_storage_summary(artifactory):
    response = artifactory.get("/api/storageinfo")
    assert response.headers["Content-Type"] == "application/json"
    summary = response.json()
    assert summary["binariesSummary"].keys() == {
        "binariesCount",
        "binariesSize",
        "artifactsSize",
        "optimization",
        "itemsCount",
        "artifactsCount",
    }
    assert all(isinstance(value, str) for value in summary["binariesSummary"].values())
    assert summary["fileStoreSummary"].keys() == {
        "storageType",
        "storageDirectory",
        "totalSpace",
        "usedSpace",
        "freeSpace",
    }
    rows = {row["repoKey"]: row for row in summary["repositoriesSummaryList"]}
    assert rows["generic-local"] == {
        "repoKey": "generic-local",
        "repoType": "LOCAL",
        "foldersCount": 3,
        "filesCount": 3,
        "usedSpace": "50 bytes",
        "usedSpaceInBytes": 50,
        "itemsCount": 6,
        "packageType": "Generic",
        "projectKey": "default",
        "percentage": rows["generic-local"]["percentage"],
    }
    assert rows["libs-remote-cache"]["repoType"] == "CACHE"
    assert (rows["libs-release"]["repoType"], rows["libs-release"]["percentage"]) == ("VIRTUAL", "0%")
    assert rows.keys() & {"libs-remote", "auto-trashcan"} == set()


def test_last_row_of_the_storage_summary_is_the_total(artifactory):
    rows = artifactory.get("/api/storageinfo").json()["repositoriesSummaryList"]
    total = rows[-1]
    assert (total["repoKey"], total["repoType"]) == ("TOTAL", "NA")
    assert total.keys() & {"packageType", "percentage"} == set()
    assert total["filesCount"] == sum(row["filesCount"] for row in rows[:-1])


def test_storage_summary_is_that_of_the_last_calculation(artifactory):
    before = artifactory.get("/api/storageinfo").json()
    artifactory.put("/generic-local/big.bin", data=b"x" * 5_000)
    assert artifactory.get("/api/storageinfo").json() == before
    response = artifactory.post("/api/storageinfo/calculate")
    assert (response.status_code, response.json()) == (
        202,
        {"info": "Calculating storage summary scheduled to run successfully"},
    )
    rows = {row["repoKey"]: row for row in artifactory.get("/api/storageinfo").json()["repositoriesSummaryList"]}
    assert (rows["generic-local"]["filesCount"], rows["generic-local"]["usedSpaceInBytes"]) == (4, 5050)
    assert rows["generic-local"]["usedSpace"] == "4.93 KB"


def test_storage_summary_uses_thousands_separators(sandbox, artifactory):
    generate = [{"path": "many/{n}.bin", "count": 1500, "size": 1024**2}]
    repository = {"key": "many-local", "rclass": "local", "packageType": "generic", "generate": generate}
    sandbox.seed({"artifact": {"repositories": [repository]}})
    artifactory.post("/api/storageinfo/calculate")
    summary = artifactory.get("/api/storageinfo").json()
    assert summary["binariesSummary"]["artifactsCount"].startswith("1,5")
    row = next(row for row in summary["repositoriesSummaryList"] if row["repoKey"] == "many-local")
    assert (row["usedSpace"], row["filesCount"]) == ("1.46 GB", 1500)


def test_storage_summary_requires_an_administrator(sandbox, artifactory_reader, artifactory_anonymous):
    sandbox.switch("artifact", anonymous=True)
    for method, path in (("GET", "/api/storageinfo"), ("POST", "/api/storageinfo/calculate")):
        assert error_of(artifactory_reader.request(method, path))[0] == 403
        assert error_of(artifactory_anonymous.request(method, path))[0] == 401


# --- Seeds ------------------------------------------------------------------------------------------------------------


def test_seeded_item_has_the_values_of_the_seed(sandbox, artifactory):
    item = {
        "repo": "generic-local",
        "path": "old/app.jar",
        "created": "2020-01-01T00:00:00Z",
        "created_by": "ci",
        "modified": 1600000000,
        "modified_by": "alice",
        "updated": "2021-01-01T00:00:00+01:00",
        "size": 1024,
        "sha1": "a" * 40,
        "md5": "b" * 32,
        "sha256": "c" * 64,
        "original_sha1": "d" * 40,
        "properties": {"qa": ["passed", "twice"]},
        "statistics": [{"downloads": 3, "downloaded": "2021-01-01T00:00:00Z", "downloaded_by": "bob"}],
    }
    sandbox.seed({"artifact": {"items": [item]}})
    info = artifactory.get("/api/storage/generic-local/old/app.jar").json()
    assert {
        name: info[name] for name in ("created", "createdBy", "lastModified", "modifiedBy", "lastUpdated", "size")
    } == {
        "created": "2020-01-01T00:00:00.000Z",
        "createdBy": "ci",
        "lastModified": "2020-09-13T12:26:40.000Z",
        "modifiedBy": "alice",
        "lastUpdated": "2020-12-31T23:00:00.000Z",
        "size": "1024",
    }
    assert info["checksums"] == {"sha1": "a" * 40, "md5": "b" * 32, "sha256": "c" * 64}
    assert info["originalChecksums"] == {"sha1": "d" * 40, "sha256": "c" * 64}
    assert properties_of(artifactory, "generic-local/old/app.jar") == {"qa": ["passed", "twice"]}
    assert artifactory.get("/api/storage/generic-local/old/app.jar?stats").json()["downloadCount"] == 3
    assert error_of(artifactory.get("/generic-local/old/app.jar"))[0] == 404


def test_seed_generates_items(sandbox, artifactory):
    generate = [
        {
            "path": "nightly/{n}/app.tgz",
            "count": 3,
            "size": 7,
            "by": "ci",
            "created": ["2024-01-01T00:00:00Z", "2024-01-03T00:00:00Z"],
            "downloaded": "2025-01-01T00:00:00Z",
            "properties": {"build.number": "{n}"},
        }
    ]
    repository = {"key": "generic-local", "rclass": "local", "packageType": "generic", "generate": generate}
    sandbox.seed({"artifact": {"repositories": [repository]}})
    query = (
        'items.find({"path":{"$match":"nightly/*"}}).include("path","size","created","created_by","property","stat")'
    )
    response = artifactory.post("/api/search/aql", data=query, headers={"Content-Type": "text/plain"})
    assert response.json()["results"] == [
        {
            "path": f"nightly/{number}",
            "size": 7,
            "created": f"2024-01-0{number + 1}T00:00:00.000Z",
            "created_by": "ci",
            "properties": [{"key": "build.number", "value": str(number)}],
            "stats": [
                {
                    "downloads": 1,
                    "downloaded": "2025-01-01T00:00:00.000Z",
                    "downloaded_by": "ci",
                    "remote_downloads": 0,
                }
            ],
        }
        for number in range(3)
    ]
    assert list_children(artifactory, "generic-local/nightly") == ["0", "1", "2"]
    checksums = {
        artifactory.get(f"/api/storage/generic-local/nightly/{n}/app.tgz").json()["checksums"]["sha1"] for n in "012"
    }
    assert len(checksums) == 3


def test_seeded_build_has_the_values_of_the_seed(sandbox, artifactory):
    build = {
        "name": "seeded",
        "number": 5,
        "started": datetime(2024, 5, 1, tzinfo=UTC).timestamp(),
        "created_by": "ci",
        "properties": {"a": "b"},
        "modules": [{"id": "m", "artifacts": [{"name": "x", "type": "jar", "sha1": "a" * 40}]}],
        "promotions": [{"status": "staged", "repo": "generic-local", "created": "2024-05-02T00:00:00Z"}],
    }
    sandbox.seed({"artifact": {"builds": [build]}})
    record = artifactory.get("/api/build/seeded/5").json()["buildInfo"]
    assert (record["number"], record["started"], record["modules"]) == (
        "5",
        "2024-05-01T00:00:00.000+0000",
        build["modules"],
    )
    assert [entry["status"] for entry in record["statuses"]] == ["staged"]
