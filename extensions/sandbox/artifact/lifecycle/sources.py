# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The contents of new release bundles: artifacts of paths, queries, builds and other release bundles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..aql import compiler, parser, records
from ..aql.errors import QueryError, QueryFailure
from ..builds import build_api, build_promotion
from ..call import Call
from ..items.tree import MANIFEST_LIST_NAME, MANIFEST_NAME, Item
from ..protocol.errors import AccessError
from . import bundles
from .bundles import Artifact, find_repository_key
from .lifecycle_call import DEFAULT_PROJECT

KINDS = ("artifacts", "aql", "builds", "release_bundles")


class MissingSource(Exception):
    """A source does not exist, or the caller may not read it."""


def parse_sources(body: dict[str, Any]) -> dict[str, Any]:
    """Return the sources of a request by kind, or fail with 400. Newer clients send a list of them."""
    entries = body.get("sources")
    if entries is None:
        source = body.get("source")
        kind = body.get("source_type")
        entries = [{"source_type": kind, **source}] if isinstance(source, dict) else None
    if not isinstance(entries, list) or not entries:
        raise AccessError(400, "Invalid release bundle: source is required")
    sources: dict[str, Any] = {}
    for entry in entries:
        kind = entry.get("source_type") if isinstance(entry, dict) else None
        if kind not in KINDS:
            raise AccessError(400, f"Invalid release bundle: unknown source type {kind}")
        value = entry.get(kind)
        if not value or not isinstance(value, str if kind == "aql" else list):
            raise AccessError(400, f"Invalid release bundle: {kind} is required")
        if isinstance(value, list) and not all(isinstance(source, dict) for source in value):
            raise AccessError(400, f"Invalid release bundle: {kind} must be a list of objects")
        sources[kind] = value
    return sources


async def resolve_sources(call: Call, project: str, sources: dict[str, Any], skips_layers: bool) -> list[Artifact]:
    """Return the artifacts of the sources, sorted.

    :arg skips_layers: whether the layers of container images are left out
    :raises MissingSource: if a source does not exist
    """
    found: dict[tuple[str, str], Artifact] = {}
    for kind, value in sources.items():
        artifacts = (
            _list_bundle_artifacts(call, project, value)
            if kind == "release_bundles"
            else [_describe(call, item) for item in await _find_items(call, project, kind, value, skips_layers)]
        )
        found.update({(artifact["source_repository_key"], artifact["path"]): artifact for artifact in artifacts})
    return [found[key] for key in sorted(found)]


def describe_sources(sources: dict[str, Any]) -> dict[str, Any]:
    """Return the sources as the record of the release bundle has them. Artifacts are only in its contents."""
    described: dict[str, Any] = {}
    if "aql" in sources:
        described["aql"] = sources["aql"]
    if "builds" in sources:
        described["builds"] = [
            {"build_repository": build_api.BUILD_INFO_REPO, "include_dependencies": False, **build}
            for build in sources["builds"]
        ]
    if "release_bundles" in sources:
        described["release_bundles"] = [
            {
                "project_key": bundle.get("project_key") or bundle.get("project") or DEFAULT_PROJECT,
                "repository_key": find_repository_key(_find_source_project(bundle)),
                "release_bundle_name": bundle.get("release_bundle_name"),
                "release_bundle_version": bundle.get("release_bundle_version"),
            }
            for bundle in sources["release_bundles"]
        ]
    return described


async def _find_items(call: Call, project: str, kind: str, value: Any, skips_layers: bool) -> list[Item]:
    if kind == "artifacts":
        items = [_find_artifact(call, artifact) for artifact in value]
    elif kind == "aql":
        items = await _query(call, value)
    else:
        items = [item for build in value for item in _list_build_files(call, project, build)]
    return items if skips_layers else [layer for item in items for layer in _with_layers(call, item)]


def _find_artifact(call: Call, artifact: dict[str, Any]) -> Item:
    path = str(artifact.get("path", ""))
    repo, _slash, rest = path.partition("/")
    item = call.items.find(repo, rest) if rest and call.repositories.is_stored(repo) else None
    if item is None or item.folder or not call.principal.may("r", repo, rest):
        raise MissingSource(f"Artifact not found: {path}")
    if artifact.get("sha256") not in (None, "", item.sha256):
        raise MissingSource(f"Artifact has another checksum: {path}")
    return item


async def _query(call: Call, text: str) -> list[Item]:
    context = compiler.QueryContext(call.runtime.clock.now(), call.repositories.virtual_members())
    try:
        statement = compiler.compile_query(parser.parse(text), context)
    except (QueryError, QueryFailure):
        raise MissingSource("Invalid AQL query for Release Bundle creation") from None
    if statement.query.domain.name != "items":
        raise MissingSource("Invalid AQL query for Release Bundle creation")
    converter = records.RecordConverter(statement, context.virtual)
    rows = await call.runtime.readers.read(
        lambda db: list(converter.convert(db.execute(statement.sql, statement.parameters)))
    )
    paths = [(row["repo"], "/".join(part for part in (row["path"], row["name"]) if part != ".")) for row in rows]
    found = [call.items.find(repo, path) for repo, path in paths if call.principal.may("r", repo, path)]
    items = [item for item in found if item is not None and not item.folder]
    if not items:
        raise MissingSource("The AQL query returned no artifacts")
    return items


def _list_build_files(call: Call, project: str, build: dict[str, Any]) -> list[Item]:
    name, number = (str(build.get(member, "")) for member in ("build_name", "build_number"))
    run = call.builds.find(project, name, number) or call.builds.find("", name, number)
    if run is None or not call.principal.may("r", build_api.BUILD_INFO_REPO, name):
        raise MissingSource(f"Build not found: {name}/{number}")
    return build_promotion.find_artifacts(call, run, bool(build.get("include_dependencies")))


def _list_bundle_artifacts(call: Call, project: str, sources: list[dict[str, Any]]) -> list[Artifact]:
    artifacts: list[Artifact] = []
    for source in sources:
        name, version = (str(source.get(f"release_bundle_{member}", "")) for member in ("name", "version"))
        bundle = call.release_bundles.find(_find_source_project(source, project), name, version)
        if bundle is None or call.release_bundles.get_status(bundle) != bundles.COMPLETED:
            raise MissingSource(f"Release bundle not found: {name}/{version}")
        artifacts += bundle.artifacts
    return artifacts


def _find_source_project(source: dict[str, Any], default: str = "") -> str:
    project = source.get("project_key") or source.get("project") or default
    return "" if project == DEFAULT_PROJECT else str(project)


def _with_layers(call: Call, item: Item) -> Iterator[Item]:
    """Yield a file, and the other files of the image if it is the manifest of one."""
    yield item
    repository = call.repositories.find(item.repo)
    if repository and repository.is_registry and item.name in (MANIFEST_NAME, MANIFEST_LIST_NAME):
        for sibling in call.items.list_children(item.repo, item.parent or ""):
            if not sibling.folder and sibling.id != item.id:
                yield sibling


def _describe(call: Call, item: Item) -> Artifact:
    repository = call.repositories.resolve(item.repo)
    properties = call.items.get_properties(item)
    return {
        "path": item.path,
        "checksum": item.sha256,
        "source_repository_key": item.repo,
        "package_type": repository.package_type if repository else "generic",
        "size": item.size,
        "properties": [{"key": key, "values": values} for key, values in properties.items()],
    }
