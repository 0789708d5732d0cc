# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The schema of the service's section of a seed, and how it is loaded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

from ...seeds.schema import mapping_schema
from ..access.permissions import complete_resources
from ..builds.records import Promotion
from ..identities.fields import SEED_GROUP_FIELDS, SEED_USER_FIELDS, select_seed_fields
from ..images.pull import MANIFEST_TYPE
from ..items.storage import ClientChecksums
from ..items.tree import TRASH_REPO, parent_path
from ..protocol.formats import format_time_with_offset, parse_seed_time
from ..repositories.repositories import CONFIGURATION_FIELDS
from ..state import State
from .administration import SCHEMAS, SHARING_FIELDS, add_administration, share_repository
from .bulk_insert import LOCAL_STATISTICS, STATISTICS, path_columns
from .generated_files import generate

# Fields of a build record besides modules and promotions, and fields of a module.
BUILD_FIELDS = (
    "name number started project url properties vcs agent buildAgent version type durationMillis principal"
    " artifactoryPrincipal"
)
MODULE_FIELDS = "id type repository properties artifacts dependencies"
BUILD_CHANGE_FIELDS = ("created", "created_by", "modified", "modified_by")
# Keys of a repository that contain its items, not its settings.
CONTENT_FIELDS = ("files", "generate", "images")
TIME_FIELDS = ("created", "modified", "updated")
SEED_SCHEMA = mapping_schema(
    "version edition",
    groups=[mapping_schema(f"name! permissions {' '.join(SEED_GROUP_FIELDS)}")],
    users=[mapping_schema(f"name! password api_key locked groups permissions {' '.join(SEED_USER_FIELDS)}")],
    permissions=[mapping_schema("name! resources!")],
    tokens=[
        mapping_schema("token! username! token_id scope expires_in issued_at expiry refreshable description exported")
    ],
    repositories=[
        mapping_schema(
            f"key! rclass! count files images {' '.join((*SHARING_FIELDS, *CONFIGURATION_FIELDS))}",
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
            f"name! number! started! {BUILD_FIELDS} {' '.join(BUILD_CHANGE_FIELDS)}",
            modules=[mapping_schema(f"id! {MODULE_FIELDS}")],
            promotions=[mapping_schema("status! created created_by repo comment ci_user")],
        )
    ],
    **SCHEMAS,
)


def load_seed(state: State, data: dict[str, Any]) -> None:
    """Add the content of a seed, and the trash can."""
    state.runtime.set_switches({"artifact": {name: data[name] for name in ("version", "edition") if name in data}})
    _add_accounts(state, data)
    state.items.create_folder(TRASH_REPO, "", None)
    repositories = [numbered for repository in data.get("repositories", ()) for numbered in _expand(repository)]
    generated_count = sum(files["count"] for repository in repositories for files in repository.get("generate", ()))
    with state.bulk_insert.defer_indexes() if generated_count > state.bulk_insert.next_id() // 4 else nullcontext():
        for repository in repositories:
            _add_repository(state, repository)
    add_administration(state, data)
    for repository in repositories:
        share_repository(state, repository)
    for item in data.get("items", ()):
        _add_item(state, item)
    for archive in data.get("archives", ()):
        state.items.record_archive_entries(
            archive["sha1"], [(entry["path"], entry["name"]) for entry in archive["entries"]]
        )
    for build in data.get("builds", ()):
        _add_build(state, build)
    state.bulk_insert.analyze()


def _add_accounts(state: State, data: dict[str, Any]) -> None:
    for group in data.get("groups", ()):
        about = select_seed_fields(group, SEED_GROUP_FIELDS)
        state.accounts.save_group(group["name"], group.get("permissions", {}), about)
    for user in data.get("users", ()):
        state.accounts.save_user({**user, "about": select_seed_fields(user, SEED_USER_FIELDS)})
    for permission in data.get("permissions", ()):
        state.accounts.permissions.save(permission["name"], complete_resources(permission["resources"]), None)
    for token in data.get("tokens", ()):
        state.tokens.add(token)


def _expand(repository: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield `count` repositories; `{n}` in their settings is the number of the repository, beginning with 0."""
    fields = {name: value for name, value in repository.items() if name != "count"}
    if "count" not in repository:
        yield fields
        return
    for number in range(repository["count"]):
        yield {
            name: value if name in CONTENT_FIELDS else _insert_number(value, number) for name, value in fields.items()
        }


def _insert_number(value: Any, number: int) -> Any:
    if isinstance(value, list):
        return [_insert_number(element, number) for element in value]
    return value.replace("{n}", str(number)) if isinstance(value, str) else value


def _add_repository(state: State, repository: dict[str, Any]) -> None:
    key = repository["key"]
    state.repositories.save(key, {name: value for name, value in repository.items() if name not in CONTENT_FIELDS})
    storage = f"{key}-cache" if repository["rclass"] == "remote" else key
    for path, file in repository.get("files", {}).items():
        _add_file(state, storage, path, file if isinstance(file, dict) else {"content": file})
    for files in repository.get("generate", ()):
        generate(state, storage, **files)
    for image, tags in repository.get("images", {}).items():
        for tag in tags:
            _add_image(state, storage, image, str(tag))


def _add_file(state: State, repo: str, path: str, file: dict[str, Any]) -> None:
    stored = state.runtime.files.put_bytes(str(file.get("content", "")).encode())
    item = state.items.put_file(repo, path, stored, ClientChecksums(), file.get("by", "admin"))
    state.items.set_properties(item, _parse_properties(file))


def _add_item(state: State, item: dict[str, Any]) -> None:
    """Add an item with all its fields. Missing parent folders are created."""
    repo, path = item["repo"], item["path"].strip("/")
    if path:
        state.items.create_folder(repo, parent_path(path) or "", None)
    now = state.runtime.clock.now()
    times = {name: parse_seed_time(item[name]) if name in item else now for name in TIME_FIELDS}
    folder = bool(item.get("folder"))
    state.bulk_insert.remove_row(repo, path)
    state.bulk_insert.add_items(
        [
            {
                **{name: item.get(name) for name in ("created_by", "modified_by", "sha256", "sha1", "md5")},
                **times,
                **path_columns(repo, path),
                "folder": folder,
                "size": None if folder else item.get("size", 0),
                "client_sha1": item.get("original_sha1"),
                "client_md5": item.get("original_md5"),
            }
        ]
    )
    added = state.items.find(repo, path)
    assert added is not None
    state.items.set_properties(added, _parse_properties(item))
    for values in _merge_statistics(item.get("statistics", ())):
        times = {
            name: parse_seed_time(values[name]) for name in ("downloaded", "remote_downloaded") if values.get(name)
        }
        state.bulk_insert.add_statistics(added, {**values, **times})


def _merge_statistics(statistics: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row for each origin of remote downloads, or a single row; each contains the local downloads."""
    rows = [{name: value for name, value in values.items() if value is not None} for values in statistics]
    local = {name: values[name] for values in rows for name in LOCAL_STATISTICS if name in values}
    remote = [values for values in rows if values.keys() - set(LOCAL_STATISTICS)]
    return [{**values, **local} for values in remote] or ([local] if local else [])


def _add_build(state: State, build: dict[str, Any]) -> None:
    fields = {
        name: value for name, value in build.items() if name not in ("promotions", "project", *BUILD_CHANGE_FIELDS)
    }
    started = parse_seed_time(build["started"])
    record = {**fields, "number": str(build["number"]), "started": format_time_with_offset(started)}
    published = state.builds.publish(build.get("project", ""), record, build.get("created_by", "admin"))
    changes = {name: build[name] for name in BUILD_CHANGE_FIELDS if build.get(name) is not None}
    state.builds.set_times(
        published, {name: parse_seed_time(value) if name in TIME_FIELDS else value for name, value in changes.items()}
    )
    for promotion in build.get("promotions", ()):
        created = parse_seed_time(promotion["created"]) if "created" in promotion else state.runtime.clock.now()
        promotion_fields = {
            name: promotion.get(name) for name in ("created_by", "status", "repo", "comment", "ci_user")
        }
        state.builds.add_promotion(published, Promotion(created, **promotion_fields))


def _parse_properties(data: dict[str, Any]) -> dict[str, list[str]]:
    return {
        name: [str(value) for value in (values if isinstance(values, list) else [values])]
        for name, values in data.get("properties", {}).items()
    }


def _add_image(state: State, repo: str, image: str, tag: str) -> None:
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
