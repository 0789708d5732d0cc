# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Uploads: PUT /{repo}/{path}."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from xml.etree import ElementTree

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from ...http.routing import Route
from ...parsing.documents import parse_xml
from ...parsing.integers import parse_integer_or_none
from ...runtime.file_store import StoredFile
from ..builds.records import parse_time
from ..call import CONTENT_PATH, NON_API_PREFIX, Call
from ..items.item_info import file_fields
from ..items.properties import validate_name
from ..items.storage import ClientChecksums, NotAFolder
from ..items.tree import Item, Tree, parent_path
from ..maven import poms, snapshots
from ..maven.metadata import PLUGIN_PROPERTY
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import CHARSET, format_json, format_time, to_header_text
from ..protocol.negotiation import vendor_media_type
from ..repositories.repositories import Repository
from . import archives, content_path
from .content_path import PROPERTIES_SUFFIX, ContentPath

SERVER_GENERATED = "server-generated-checksums"
OLD_NOTATION = "Old metadata notation is not supported anymore"
CHECKSUM_FILES = {".sha1": "sha1", ".md5": "md5", ".sha256": "sha256"}
ALGORITHM_BY_LENGTH = {32: "md5", 40: "sha1", 64: "sha256"}
# Before versions calculate SHA-256, a checksum deploy stores that of the client here.
SHA256_PROPERTY = "sha256"
ALGORITHM_LABELS = {"sha256": "SHA-256", "sha1": "SHA-1"}


async def upload_file(call: Call, target: str) -> Response:
    """Handle `PUT /{repo}/{path}[;k=v]`."""
    requested = call.parse_target(target)
    if not requested.path and call.supports(feature_versions.ROOT_IS_FOLDER):
        return await _create_folder(call, requested)
    return await _upload_file(call, requested)


async def create_folder(call: Call, target: str) -> Response:
    """Handle `PUT /{repo}/{path}/[;k=v]`."""
    requested = call.parse_target(target)
    return await (_create_folder if requested.is_folder else _upload_file)(call, requested)


async def _upload_file(call: Call, requested: ContentPath) -> Response:
    repository, location = _resolve_target(call, requested)
    if location.path.endswith(PROPERTIES_SUFFIX):
        return await _upload_properties(call, location)
    check_upload(call, repository, location)
    if any(_is_header_true(call, name) for name in ("x-explode-archive", "x-explode-archive-atomic")):
        return await archives.explode(call, repository, location.path)
    described_path, algorithm = resolve_checksum_file(call, location.path)
    if algorithm:
        return await _set_client_checksum(call, repository, location.path, described_path, algorithm)
    if not location.path:
        raise ArtifactError(500, "Cannot save resource, no parent repo path exists")
    if location.is_metadata:
        raise ArtifactError(409, f"{OLD_NOTATION}: {location}")
    if call.repositories.generates_metadata(location.repo, location.path):
        await call.discard_body()
        return Response(status_code=202)
    properties = _validate_properties(call, location)
    client_checksums = _read_client_checksums(call)
    content = await _receive_content(call, client_checksums)
    try:
        if _is_header_true(call, "x-checksum-deploy"):
            client_checksums = ClientChecksums(client_checksums.sha256 and content.sha256, content.sha1, content.md5)
        _verify_checksums(call, repository, location, client_checksums, content)
        path = _resolve_stored_path(call, repository, location)
        if path.endswith(snapshots.POM):
            await run_in_threadpool(poms.check_pom, repository, path, call.runtime.files.path(content.sha256))
        original_path = location.original_path if path == location.path else path
        entries = await archives.list_entries(call.runtime.files, path, content)
        item = _store_file(call, location.repo, path, original_path, content, client_checksums, properties, entries)
        await _mark_plugin(call, repository, item, content)
    finally:
        call.items.release_content(content)
    await call.maven.update_after_upload(item.repo, [item.path], call.principal.name)
    body = {
        "repo": item.repo,
        "path": f"/{original_path}",
        "created": format_time(item.created),
        "createdBy": item.created_by,
        **file_fields(call, item, item.repo),
        "downloadUri": f"{call.base}/{item.repo}/{original_path}",
        "uri": f"{call.base}/{item.repo}/{original_path}",
    }
    return _created_response(call, item.repo, original_path, body)


async def _create_folder(call: Call, requested: ContentPath) -> Response:
    repository, location = _resolve_target(call, requested)
    check_upload(call, repository, location, is_folder=True)
    if requested.repo != repository.key and not call.supports(feature_versions.FOLDERS_IN_VIRTUAL_REPOSITORIES):
        raise ArtifactError(500, f"Repository '{requested.repo}' is not a local repository")
    properties = _validate_properties(call, location)
    content_path.validate_names(location.repo, f"{location.path}/")
    existing = call.items.find(location.repo, location.path)
    try:
        with call.runtime.transaction():
            folder = call.items.create_folder(location.repo, location.path, call.principal.name)
            _replace_properties(call, folder, properties)
    except NotAFolder as error:
        if str(error) == location.path:
            raise ArtifactError(500, f"Expected a folder but found a file, at: {location}") from None
        message = "Could not create fsItem"
        if call.supports(feature_versions.FOLDER_CONFLICT_MESSAGES):
            message = f"Could not create file system item Parent {parent_path(location.path)} must be a folder"
        raise ArtifactError(500, message) from None
    body = {
        "repo": location.repo,
        "path": f"/{location.path}/".replace("//", "/"),
        "created": format_time(folder.created),
        "createdBy": existing and existing.created_by,  # the real server does not know the creator of a new folder yet
        "uri": f"{call.base}/{location.repo}/{location.path}".rstrip("/") + "/",
    }
    return _created_response(call, location.repo, location.path, body)


def _resolve_target(call: Call, location: ContentPath) -> tuple[Repository, ContentPath]:
    """Return the local repository that an upload is stored in, and the path in it."""
    key = location.repo
    if call.repositories.is_virtual(key):
        virtual = call.repositories.find(key)
        key = virtual.configuration.get("defaultDeploymentRepo") or "" if virtual else ""
        if not key:
            raise ArtifactError(
                405,
                "No local repository was configured as local deployment repository for the"
                f" ({location.repo}) virtual repository.",
                {"Allow": "GET"},
            )
    repository = call.repositories.find(key)
    if repository is None or not call.repositories.is_stored(key):
        raise ArtifactError(404, f"Could not find a local repository named {key} to deploy to.")
    return repository, replace(location, repo=key)


def check_upload(call: Call, repository: Repository, location: ContentPath, is_folder: bool = False) -> None:
    """Fail if the caller may not upload to the path or the repository settings forbid it."""
    call.require_deploy(location.repo, location.path)
    call.require_disk_space()
    call.check_path(repository, location.path, is_folder=is_folder)


def _resolve_stored_path(call: Call, repository: Repository, location: ContentPath) -> str:
    """Return the path that a file is stored at. The repository may rename Maven snapshots."""
    if not (repository.renames_snapshots and snapshots.is_snapshot(location.path)):
        return location.path
    if repository.snapshot_behavior == "non-unique":
        return snapshots.to_non_unique_path(location.path)
    folder = call.maven.read_snapshot_folder(location.repo, location.path)
    return snapshots.to_unique_path(location.path, folder, call.runtime.clock.now(), _parse_build_timestamp(location))


def _parse_build_timestamp(location: ContentPath) -> float | None:
    """Return the build timestamp that the client sent, in seconds since the epoch, or `None`."""
    millis = parse_integer_or_none(location.properties.get("build.timestamp", [""])[0], 64)
    with contextlib.suppress(ValueError):
        return None if millis is None else parse_time(millis)
    return None


def _resolve_checksum_target(call: Call, repository: Repository, path: str) -> str:
    """Return the path of the file that an uploaded checksum belongs to; for a snapshot, the latest one."""
    if not (repository.renames_snapshots and snapshots.is_snapshot(path)):
        return path
    if repository.snapshot_behavior == "non-unique":
        return snapshots.to_non_unique_path(path)
    return snapshots.find_latest_unique_path(path, call.maven.read_snapshot_folder(repository.key, path))


def _read_client_checksums(call: Call) -> ClientChecksums:
    headers = call.request.headers
    checksums = {name: headers.get(f"x-checksum-{name}") for name in ("sha256", "sha1", "md5")}
    generic_checksum = headers.get("x-checksum", "") if call.supports(feature_versions.GENERIC_CHECKSUM_HEADER) else ""
    algorithm = ALGORITHM_BY_LENGTH.get(len(generic_checksum))
    if algorithm and not checksums[algorithm]:
        checksums[algorithm] = generic_checksum
    if not call.supports_sha256:
        del checksums["sha256"]
    return ClientChecksums(**{name: value.lower() for name, value in checksums.items() if value})


async def _receive_content(call: Call, client_checksums: ClientChecksums) -> StoredFile:
    """Return the uploaded content, or existing content if the client refers to it by checksum."""
    if _is_header_true(call, "x-checksum-deploy"):
        return await _find_existing_content(call, client_checksums)
    if call.request.headers.get("expect", "").lower() == "100-continue":
        with contextlib.suppress(ArtifactError):
            return await _find_existing_content(call, client_checksums)
    return await call.runtime.files.put_stream(call.request.stream())


async def _find_existing_content(call: Call, client_checksums: ClientChecksums) -> StoredFile:
    """Return existing content that the caller may read in some repository."""
    if call.supports(feature_versions.CHECKSUM_DEPLOY_MESSAGES):
        algorithm, checksum = _select_checksum(client_checksums)
        label = ALGORITHM_LABELS[algorithm]
    else:
        algorithm, checksum = "sha1", await _select_sha1(call, client_checksums)
        label = "SHA1"
    if ALGORITHM_BY_LENGTH.get(len(checksum)) != algorithm:
        raise _checksum_error(f"Invalid {label}: {checksum}")
    item = await _find_readable(call, lambda tree: tree.find_by_content(algorithm, checksum))
    # The content may have been deleted meanwhile.
    if item is not None and next(call.items.find_by_content(algorithm, checksum), None) is not None:
        assert item.sha256 and item.sha1 and item.md5 and item.size is not None
        return StoredFile(item.sha256, item.sha1, item.md5, item.size)
    raise _checksum_error(f"No existing file with {label}: {checksum}")


def _select_checksum(client_checksums: ClientChecksums) -> tuple[str, str]:
    """Return the algorithm and the checksum that a checksum deploy refers to."""
    for algorithm in ("sha256", "sha1"):
        if checksum := getattr(client_checksums, algorithm):
            return algorithm, checksum
    raise _checksum_error("no checksum header 'X-Checksum-Sha1/X-Checksum-Sha256' was found.")


async def _select_sha1(call: Call, client_checksums: ClientChecksums) -> str:
    """Return the SHA-1 that a checksum deploy refers to, in some versions through the property `sha256`."""
    if client_checksums.sha1:
        return client_checksums.sha1
    sha256 = call.request.headers.get("x-checksum-sha256")
    if not sha256:
        raise _checksum_error("SHA1 / SHA256 header 'X-Checksum-Sha1/X-Checksum-Sha256' doesn't exist")
    item = await _find_readable(call, lambda tree: tree.find_by_property_value(SHA256_PROPERTY, sha256))
    if item is None or not item.sha1:
        raise _checksum_error(f"Invalid SHA256: {sha256}")
    return item.sha1


async def _find_readable(call: Call, find: Callable[[Tree], Iterator[Item]]) -> Item | None:
    """Return the first found item that the caller may read."""
    may = call.principal.may
    return await call.runtime.readers.read(
        lambda db: next((item for item in find(Tree(db)) if may("r", item.repo, item.path)), None)
    )


def _checksum_error(message: str) -> ArtifactError:
    return ArtifactError(404, f"Checksum deploy failed. {message}")


def _verify_checksums(
    call: Call, repository: Repository, location: ContentPath, client_checksums: ClientChecksums, content: StoredFile
) -> None:
    """Fail if a checksum of the client differs, unless the policy is server-generated."""
    if repository.configuration["checksumPolicyType"] == SERVER_GENERATED:
        return
    algorithms = {"SHA-1": "sha1", "MD5": "md5", **({"SHA-256": "sha256"} if call.supports_sha256 else {})}
    checksums = {label: (getattr(client_checksums, name), getattr(content, name)) for label, name in algorithms.items()}
    if any(original and original != actual for original, actual in checksums.values()):
        infos = ", ".join(
            f"{label}=ChecksumInfo{{type={label}, original='{original or 'null'}', actual='{actual}'}}"
            for label, (original, actual) in checksums.items()
        )
        policy = f"Checksum policy 'LocalRepoChecksumPolicy: CLIENT' rejected the artifact '{location}'."
        raise ArtifactError(409, f"{policy} Checksums info: ChecksumsInfo{{checksums={{{infos}}}}}")


async def _mark_plugin(call: Call, repository: Repository, item: Item, content: StoredFile) -> None:
    """Mark the POM of a Maven plugin, so that the group metadata lists it."""
    if repository.is_maven and item.path.endswith(snapshots.POM):
        plugin = await run_in_threadpool(poms.read_plugin, call.runtime.files.path(content.sha256))
        if plugin:
            call.items.set_properties(item, {PLUGIN_PROPERTY: ["true"]})


def _store_file(
    call: Call,
    repo: str,
    path: str,
    original_path: str,
    content: StoredFile,
    client_checksums: ClientChecksums,
    properties: dict[str, list[str]],
    entries: list[tuple[str, str]],
) -> Item:
    """Store a file.

    :arg original_path: the path in the notation of the request
    :arg entries: the entries of the file, if it is an archive
    """
    user = call.principal.name
    call.require_overwrite(repo, path, content.sha1)
    content_path.validate_storable(call.items, repo, path)
    try:
        with call.runtime.transaction():
            item = call.items.put_file(repo, path, content, client_checksums, user)
            _replace_properties(call, item, properties)
            call.items.record_archive_entries(item.sha1, entries)
    except NotAFolder as error:
        raise content_path.conflict_error(repo, path, str(error), original_path) from None
    return item


def _replace_properties(call: Call, item: Item, properties: dict[str, list[str]]) -> None:
    """Replace the properties of an item, unless `properties` is empty."""
    if properties:
        removed: dict[str, list[str]] = {name: [] for name in call.items.get_properties(item)}
        call.items.set_properties(item, removed | properties)


def resolve_checksum_file(call: Call, path: str) -> tuple[str, str]:
    """Return the path of the artifact and the algorithm, if the path is that of a checksum file.

    The algorithm is empty for other files.
    """
    described_path, dot, suffix = path.rpartition(".")
    if suffix == "sha256" and not call.supports_sha256:
        return described_path, ""
    return described_path, CHECKSUM_FILES.get(dot + suffix, "")


async def _set_client_checksum(
    call: Call, repository: Repository, path: str, described_path: str, algorithm: str
) -> Response:
    """Set the client's checksum of a file, which was uploaded as a file beside it."""
    text = (await call.request.body()).decode("latin-1").split()
    repo = repository.key
    if described_path.endswith(snapshots.METADATA):
        return Response(status_code=200)  # the server calculates the checksums of metadata
    described_path = _resolve_checksum_target(call, repository, described_path)
    item = call.items.find(repo, described_path)
    if item is None or item.folder:
        raise ArtifactError(404, f"Target file to set checksum on doesn't exist: {repo}:{described_path}")
    received, actual = text[0].lower() if text else "", getattr(item, algorithm)
    call.items.set_client_checksum(item, algorithm, received)
    if received != actual and repository.configuration["checksumPolicyType"] != SERVER_GENERATED:
        raise ArtifactError(409, f"Checksum error for '{path}': received '{received}' but actual is '{actual}'")
    return Response(status_code=201, headers={"Location": _build_location(call, repo, described_path)})


async def _upload_properties(call: Call, location: ContentPath) -> Response:
    """Replace the properties of an item with those in an uploaded XML document."""
    described_path = location.path.removesuffix(PROPERTIES_SUFFIX)
    call.require_permission(
        "a",
        location.repo,
        described_path,
        f"Not enough permissions to annotate '{location.repo}:{described_path}'.",
    )
    try:
        root = parse_xml(await call.request.body())
    except ElementTree.ParseError as error:
        raise ArtifactError(409, f"Failed to deploy properties : {error} on path {location}") from None
    item = call.items.find(location.repo, described_path)
    if item is None:
        raise ArtifactError(404, f"Failed to set properties on {location.repo}:{described_path}")
    properties: dict[str, list[str]] = {}
    for element in root:
        properties.setdefault(element.tag, []).append(element.text or "")
    _replace_properties(call, item, properties)
    return Response(status_code=201)


def _validate_properties(call: Call, location: ContentPath) -> dict[str, list[str]]:
    """Return the matrix parameters as properties; empty if the caller lacks the Annotate permission."""
    if not call.principal.may("a", location.repo, location.path):
        return {}
    if not call.supports_sha256 and (sha256 := call.request.headers.get("x-checksum-sha256")):
        location.properties.update({SHA256_PROPERTY: [sha256]} if _is_header_true(call, "x-checksum-deploy") else {})
    if not call.supports(feature_versions.PROPERTY_NAME_VALIDATION):
        return location.properties
    return {validate_name(name): values for name, values in location.properties.items()}


def _created_response(call: Call, repo: str, path: str, body: Mapping[str, object]) -> Response:
    headers = {
        "Content-Type": f"{vendor_media_type('storage.ItemCreated')};charset=ISO-8859-1",
        "Location": _build_location(call, repo, path),
    }
    return Response(format_json(body).encode(*CHARSET), 201, headers)


def _build_location(call: Call, repo: str, path: str) -> str:
    """Return the Location header of an uploaded file, which is not encoded."""
    return to_header_text(f"{call.base}/{repo}/{path}")


def _is_header_true(call: Call, header: str) -> bool:
    return call.request.headers.get(header, "").lower() == "true"


# Matches a slash before the matrix parameters or at the end.
FOLDER_PATH = f"{NON_API_PREFIX}{{target:[^/]+/([^;]*/)?(;.*)?|[^/].*/}}"
ROUTES = (
    Route("PUT", FOLDER_PATH, create_folder, "create_folder"),
    Route("PUT", CONTENT_PATH, upload_file, "deploy_file"),
)
