# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client rtpy works with the Artifactory sandbox."""

from __future__ import annotations

import pytest
import rtpy

from sandbox import client

APP = "app/1.0/app-1.0.tar.gz"


@pytest.fixture
def server(sandbox: client.Sandbox) -> rtpy.Rtpy:
    """Return the client with an API key."""
    return rtpy.Rtpy({"af_url": f"{sandbox.url}/artifactory", "api_key": "sandbox-admin-api-key"})


def test_system_information_is_returned(server):
    assert server.system_and_configuration.system_health_ping() == "OK"
    assert server.system_and_configuration.version_and_addons_information()["version"] == "7.77.3"


def test_repositories_are_managed(server):
    keys = {repository["key"] for repository in server.repositories.get_repositories("?type=local")}
    assert keys >= {"generic-local", "docker-local"}
    assert server.repositories.repository_configuration("generic-local")["rclass"] == "local"
    server.repositories.create_repository({"key": "new-local", "rclass": "local", "packageType": "generic"})
    server.repositories.update_repository_configuration({"key": "new-local", "rclass": "local", "notes": "ours"})
    assert server.repositories.repository_configuration("new-local")["notes"] == "ours"
    server.repositories.delete_repository("new-local")
    with pytest.raises(server.AfApiError):
        server.repositories.repository_configuration("new-local")


def test_items_are_returned(server):
    storage = server.artifacts_and_storage
    assert storage.file_info("generic-local", APP)["size"] == str(len("the first release"))
    folder = storage.folder_info("generic-local", "app")
    assert [child["uri"] for child in folder["children"]] == ["/1.0", "/1.1", "/README.txt"]
    assert storage.item_last_modified("generic-local", APP)["lastModified"].endswith("+0000")
    assert storage.file_statistics("generic-local", APP)["downloadCount"] == 0
    entries = storage.file_list("generic-local", "app", "&deep=1")
    assert sorted(file["uri"] for file in entries["files"])[0] == "/1.0/app-1.0.tar.gz"
    with pytest.raises(server.AfApiError) as refused:
        storage.file_info("generic-local", "nothing")
    assert refused.value.status_code == 404


def test_files_are_uploaded_and_deleted(server, tmp_path):
    storage = server.artifacts_and_storage
    (tmp_path / "file").write_text("content")
    created = storage.deploy_artifact("generic-local", str(tmp_path / "file"), "new/file")
    assert created["path"] == "/new/file"
    copy = storage.deploy_artifact_by_checksum("generic-local", "new/copy", "sha1", created["checksums"]["sha1"])
    assert copy["checksums"] == created["checksums"]
    assert storage.retrieve_artifact("generic-local", "new/copy").content == b"content"
    storage.create_directory("generic-local", "made/")
    assert storage.folder_info("generic-local", "made")["children"] == []
    storage.copy_item("generic-local", "new", "generic-release-local", "new")
    storage.move_item("generic-local", "new/file", "generic-local", "moved")
    assert storage.file_info("generic-release-local", "new/file")["size"] == "7"
    assert storage.file_info("generic-local", "moved")["size"] == "7"


def test_properties_are_managed(server):
    storage = server.artifacts_and_storage
    storage.set_item_properties("generic-local", APP, "qa=passed")
    assert storage.item_properties("generic-local", APP)["properties"]["qa"] == ["passed"]
    storage.delete_item_properties("generic-local", APP, "qa")
    with pytest.raises(server.AfApiError):
        storage.item_properties("generic-local", APP, "qa")


def test_trash_can_is_managed(server):
    storage = server.artifacts_and_storage
    storage.delete_item("generic-local", APP)
    storage.restore_item_from_trash_can(f"generic-local/{APP}", f"generic-local/{APP}")
    assert storage.file_info("generic-local", APP)["repo"] == "generic-local"
    storage.delete_item("generic-local", APP)
    storage.delete_item_from_trash_can(f"generic-local/{APP}")
    storage.delete_item("generic-local", "app/README.txt")
    storage.empty_trash_can()
    assert storage.folder_info("auto-trashcan", "")["children"] == []


def test_storage_summary_is_returned(server):
    rows = server.artifacts_and_storage.get_storage_summary_info()["repositoriesSummaryList"]
    assert rows[-1]["repoKey"] == "TOTAL"


def test_builds_are_returned(server):
    assert [build["uri"] for build in server.builds.all_builds()["builds"]] == ["/acme%2Fnightly%20of%20web", "/app"]


def test_searches_return_items(server):
    items = server.searches.artifactory_query_language('items.find({"name":{"$match":"*.txt"}})')
    assert [row["name"] for row in items["results"]] == ["README.txt"]
    assert server.searches.list_docker_repositories("docker-local")["repositories"] == ["acme/web", "acme/worker"]
    assert server.searches.list_docker_tags("docker-local", "acme/web")["tags"] == ["1.0.0", "1.0.1", "latest"]
