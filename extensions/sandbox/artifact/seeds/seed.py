# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a seed says of this service, and how it is planted."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import Any

from ...seeds.schema import mapping_schema
from ..builds.records import Promotion
from ..images.pull import MANIFEST_TYPE
from ..items.storage import ClientChecksums
from ..items.tree import TRASH_REPO, parent_path
from ..protocol.formats import format_time_with_offset, seconds
from ..repositories.repositories import CONFIGURATION
from ..state import State
from .bulk_insert import LOCAL_STATISTICS, STATISTICS, located
from .generated_files import generate

# What a record has besides its modules and promotions, and what a module has
BUILD_RECORD = (
    "name number started project url properties vcs agent buildAgent version type durationMillis principal"
    " artifactoryPrincipal"
)
MODULE = "id type repository properties artifacts dependencies"
ABOUT_RECORD = ("created", "created_by", "modified", "modified_by")
TIMES = ("created", "modified", "updated")
SEED_SHAPE = mapping_schema(
    "",
    groups=[mapping_schema("name! permissions")],
    users=[mapping_schema("name! password api_key admin locked groups permissions")],
    tokens=[
        mapping_schema("token! username! token_id scope expires_in issued_at expiry refreshable description exported")
    ],
    repositories=[
        mapping_schema(
            f"key! rclass! files images {' '.join(CONFIGURATION)}",
            generate=[mapping_schema("path! count! content by size created modified downloaded properties")],
        )
    ],
    items=[
        mapping_schema(
            "repo! path! folder created created_by modified modified_by updated size sha1 md5 sha256 original_sha1"
            " original_md5 properties",
            statistics=[mapping_schema(" ".join(STATISTICS))],
        )
    ],
    archives=[mapping_schema("sha1!", entries=[mapping_schema("path! name!")])],
    builds=[
        mapping_schema(
            f"name! number! started! {BUILD_RECORD} {' '.join(ABOUT_RECORD)}",
            modules=[mapping_schema(f"id! {MODULE}")],
            promotions=[mapping_schema("status! created created_by repo comment ci_user")],
        )
    ],
)


def plant(state: State, data: dict[str, Any]) -> None:
    """Add what a seed describes, and the trash can if it is not there yet."""
    for group in data.get("groups", ()):
        state.accounts.save_group(group["name"], group.get("permissions", {}))
    for user in data.get("users", ()):
        state.accounts.save_user(user)
    for token in data.get("tokens", ()):
        state.tokens.add(token)
    state.items.create_folder(TRASH_REPO, "", None)
    repositories = data.get("repositories", ())
    generated = sum(files["count"] for found in repositories for files in found.get("generate", ()))
    with state.bulk_insert.defer_indexes() if generated > state.bulk_insert.next_id() // 4 else nullcontext():
        for repository in repositories:
            _plant_repository(state, repository)
    for item in data.get("items", ()):
        _plant_item(state, item)
    for archive in data.get("archives", ()):
        state.items.record_archive_entries(
            archive["sha1"], [(entry["path"], entry["name"]) for entry in archive["entries"]]
        )
    for build in data.get("builds", ()):
        _plant_build(state, build)
    state.bulk_insert.settle()


def _plant_repository(state: State, repository: dict[str, Any]) -> None:
    key, content = repository["key"], ("files", "generate", "images")
    state.repositories.save(key, {name: value for name, value in repository.items() if name not in content})
    storage = f"{key}-cache" if repository["rclass"] == "remote" else key
    for path, file in repository.get("files", {}).items():
        _plant_file(state, storage, path, file if isinstance(file, dict) else {"content": file})
    for files in repository.get("generate", ()):
        generate(state, storage, **files)
    for image, tags in repository.get("images", {}).items():
        for tag in tags:
            _push(state, storage, image, str(tag))


def _plant_file(state: State, repo: str, path: str, file: dict[str, Any]) -> None:
    stored = state.runtime.files.put_bytes(str(file.get("content", "")).encode())
    item = state.items.put_file(repo, path, stored, ClientChecksums(), file.get("by", "admin"))
    state.items.set_properties(item, _properties(file))


def _plant_item(state: State, item: dict[str, Any]) -> None:
    """An item of which everything is said; the folders above it are made if they are not said before it."""
    repo, path = item["repo"], item["path"].strip("/")
    if path:
        state.items.create_folder(repo, parent_path(path) or "", None)
    now = state.runtime.clock.now()
    times = {name: seconds(item[name]) if name in item else now for name in TIMES}
    folder = bool(item.get("folder"))
    state.bulk_insert.forget(repo, path)
    state.bulk_insert.items(
        [
            {
                **{name: item.get(name) for name in ("created_by", "modified_by", "sha256", "sha1", "md5")},
                **times,
                **located(repo, path),
                "folder": folder,
                "size": None if folder else item.get("size", 0),
                "client_sha1": item.get("original_sha1"),
                "client_md5": item.get("original_md5"),
            }
        ]
    )
    planted = state.items.find(repo, path)
    assert planted is not None
    state.items.set_properties(planted, _properties(item))
    for counted in _joined(item.get("statistics", ())):
        times = {name: seconds(counted[name]) for name in ("downloaded", "remote_downloaded") if counted.get(name)}
        state.bulk_insert.statistics(planted, {**counted, **times})


def _joined(statistics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each origin of remote downloads, or one without: each has what was downloaded here."""
    given = [{name: value for name, value in counted.items() if value is not None} for counted in statistics]
    local = {name: counted[name] for counted in given for name in LOCAL_STATISTICS if name in counted}
    remote = [counted for counted in given if counted.keys() - set(LOCAL_STATISTICS)]
    return [{**counted, **local} for counted in remote] or ([local] if local else [])


def _plant_build(state: State, build: dict[str, Any]) -> None:
    described = {name: value for name, value in build.items() if name not in ("promotions", "project", *ABOUT_RECORD)}
    started = seconds(build["started"])
    record = {**described, "number": str(build["number"]), "started": format_time_with_offset(started)}
    kept = state.builds.publish(build.get("project", ""), record, build.get("created_by", "admin"))
    about = {name: build[name] for name in ABOUT_RECORD if build.get(name) is not None}
    state.builds.set_times(kept, {name: seconds(value) if name in TIMES else value for name, value in about.items()})
    for promotion in build.get("promotions", ()):
        created = seconds(promotion["created"]) if "created" in promotion else state.runtime.clock.now()
        told = {name: promotion.get(name) for name in ("created_by", "status", "repo", "comment", "ci_user")}
        state.builds.add_promotion(kept, Promotion(created, **told))


def _properties(described: dict[str, Any]) -> dict[str, list[str]]:
    return {
        name: [str(value) for value in (values if isinstance(values, list) else [values])]
        for name, values in described.get("properties", {}).items()
    }


def _push(state: State, repo: str, image: str, tag: str) -> None:
    config = {"architecture": "amd64", "os": "linux", "config": {"Labels": {"image": image, "tag": tag}}}
    stored = state.runtime.files.put_bytes(json.dumps(config).encode())
    manifest = {
        "schemaVersion": 2,
        "mediaType": MANIFEST_TYPE,
        "config": {
            "mediaType": "application/vnd.docker.container.image.v1+json",
            "size": stored.size,
            "digest": f"sha256:{stored.sha256}",
        },
        "layers": [],
    }
    content = state.runtime.files.put_bytes(json.dumps(manifest).encode())
    folder = f"{image}/{tag}"
    state.items.put_file(repo, f"{folder}/sha256__{stored.sha256}", stored, ClientChecksums(), "admin")
    item = state.items.put_file(repo, f"{folder}/manifest.json", content, ClientChecksums(), "admin")
    properties = {
        "docker.manifest": [tag],
        "docker.manifest.digest": [f"sha256:{content.sha256}"],
        "docker.manifest.type": [MANIFEST_TYPE],
        "docker.repoName": [image],
        "sha256": [content.sha256],
    }
    state.items.set_properties(item, properties)
