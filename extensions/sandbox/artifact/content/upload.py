# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Uploads: PUT /{repo}/{path}."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
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
from ..items.properties import checked
from ..items.storage import ClientChecksums, NotAFolder
from ..items.tree import Item, Tree
from ..maven import poms, snapshots
from ..maven.metadata import PLUGIN
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import (
    CHARSET,
    format_json,
    format_time,
    to_header_text,
)
from ..protocol.negotiation import vendor_media_type
from ..repositories.repositories import Repository
from . import archives, content_path
from .content_path import PROPERTIES, ContentPath

SERVER_CHECKSUMS = "server-generated-checksums"
OLD_NOTATION = "Old metadata notation is not supported anymore"
CHECKSUM_FILES = {".sha1": "sha1", ".md5": "md5", ".sha256": "sha256"}
ALGORITHM_BY_LENGTH = {32: "md5", 40: "sha1", 64: "sha256"}
SHOWN = {"sha256": "SHA-256", "sha1": "SHA-1"}


async def deploy(call: Call, target: str) -> Response:
    """PUT /{repo}/{path}[;k=v]"""
    repository, asked = _local(call, content_path.parse(target))
    if asked.path.endswith(PROPERTIES):
        return await _take_properties(call, asked)
    permit(call, repository, asked)
    if any(_is_true(call, name) for name in ("x-explode-archive", "x-explode-archive-atomic")):
        return await archives.explode(call, repository, asked.path)
    described, algorithm = resolve_checksum_file(call, asked.path)
    if algorithm:
        return await _take_checksum(call, repository, asked.path, described, algorithm)
    if not asked.path:
        raise ArtifactError(500, "Cannot save resource, no parent repo path exists")
    if asked.is_metadata:
        raise ArtifactError(409, f"{OLD_NOTATION}: {asked}")
    if call.repositories.generates_metadata(asked.repo, asked.path):
        await call.discard_body()
        return Response(status_code=202)
    properties = _properties(call, asked)
    client = _client_checksums(call)
    content = await _content(call, client)
    try:
        if _is_true(call, "x-checksum-deploy"):
            client = ClientChecksums(client.sha256 and content.sha256, content.sha1, content.md5)
        _check_checksums(call, repository, asked, client, content)
        path = _stored_path(call, repository, asked)
        if path.endswith(snapshots.POM):
            await run_in_threadpool(poms.check, repository, path, call.runtime.files.path(content.sha256))
        written = asked.written if path == asked.path else path
        entries = await archives.entries(call.runtime.files, path, content)
        item = _put(call, asked.repo, path, written, content, client, properties, entries)
        await _note_plugin(call, repository, item, content)
    finally:
        call.items.release_content(content)
    await call.maven.update_after_upload(item.repo, [item.path], call.principal.name)
    created = {
        "repo": item.repo,
        "path": f"/{written}",
        "created": format_time(item.created),
        "createdBy": item.created_by,
        **file_fields(call, item, item.repo),
        "downloadUri": f"{call.base}/{item.repo}/{written}",
        "uri": f"{call.base}/{item.repo}/{written}",
    }
    return _created(call, item.repo, written, created)


async def create_folder(call: Call, target: str) -> Response:
    """PUT /{repo}/{path}/[;k=v]"""
    repository, asked = _local(call, content_path.parse(target))
    permit(call, repository, asked, is_folder=True)
    properties = _properties(call, asked)
    content_path.check_names(asked.repo, f"{asked.path}/")
    before = call.items.find(asked.repo, asked.path)
    try:
        with call.runtime.transaction():
            folder = call.items.create_folder(asked.repo, asked.path, call.principal.name)
            _replace_properties(call, folder, properties)
    except NotAFolder as error:
        if str(error) == asked.path:
            raise ArtifactError(500, f"Expected a folder but found a file, at: {asked}") from None
        raise ArtifactError(500, "Could not create fsItem") from None
    created = {
        "repo": asked.repo,
        "path": f"/{asked.path}/".replace("//", "/"),
        "created": format_time(folder.created),
        "createdBy": before and before.created_by,  # that of a new folder is not known yet
        "uri": f"{call.base}/{asked.repo}/{asked.path}".rstrip("/") + "/",
    }
    return _created(call, asked.repo, asked.path, created)


def _local(call: Call, asked: ContentPath) -> tuple[Repository, ContentPath]:
    """The local repository that an upload ends up in, and the place in it."""
    key = asked.repo
    if call.repositories.is_virtual(key):
        virtual = call.repositories.find(key)
        key = virtual.configuration.get("defaultDeploymentRepo") or "" if virtual else ""
        if not key:
            raise ArtifactError(
                405,
                "No local repository was configured as local deployment repository for the"
                f" ({asked.repo}) virtual repository.",
                {"Allow": "GET"},
            )
    repository = call.repositories.find(key)
    if repository is None or not call.repositories.is_stored(key):
        raise ArtifactError(404, f"Could not find a local repository named {key} to deploy to.")
    return repository, replace(asked, repo=key)


def permit(call: Call, repository: Repository, asked: ContentPath, is_folder: bool = False) -> None:
    """Refuse the upload if the caller has no right to it, or the repository's settings forbid it."""
    call.require_deploy(asked.repo, asked.path)
    call.require_disk_space()
    repository.check_path(asked.path, is_folder=is_folder)


def _stored_path(call: Call, repository: Repository, asked: ContentPath) -> str:
    """Where the repository stores a file: it can give Maven snapshots other names."""
    if not (repository.renames_snapshots and snapshots.is_snapshot(asked.path)):
        return asked.path
    if repository.snapshot_behavior == "non-unique":
        return snapshots.non_unique_path(asked.path)
    folder = call.maven.read_snapshot_folder(asked.repo, asked.path)
    return snapshots.unique_path(asked.path, folder, call.runtime.clock.now(), _build_time(asked))


def _build_time(asked: ContentPath) -> float | None:
    """Return the time of the build that the client sent, in seconds since the epoch; None if it is not a time."""
    millis = parse_integer_or_none(asked.properties.get("build.timestamp", [""])[0], 64)
    with contextlib.suppress(ValueError):
        return None if millis is None else parse_time(millis)
    return None


def _described_path(call: Call, repository: Repository, path: str) -> str:
    """The file that an uploaded checksum belongs to: of a snapshot, the one that the repository stored last."""
    if not (repository.renames_snapshots and snapshots.is_snapshot(path)):
        return path
    if repository.snapshot_behavior == "non-unique":
        return snapshots.non_unique_path(path)
    return snapshots.latest_unique_path(path, call.maven.read_snapshot_folder(repository.key, path))


def _client_checksums(call: Call) -> ClientChecksums:
    headers = call.request.headers
    given = {name: headers.get(f"x-checksum-{name}") for name in ("sha256", "sha1", "md5")}
    unnamed = headers.get("x-checksum", "")
    algorithm = ALGORITHM_BY_LENGTH.get(len(unnamed))
    if algorithm and not given[algorithm]:
        given[algorithm] = unnamed
    if not call.supports_sha256:
        del given["sha256"]
    return ClientChecksums(**{name: value.lower() for name, value in given.items() if value})


async def _content(call: Call, client: ClientChecksums) -> StoredFile:
    """What is deployed: a content that the server has already, or the one that is sent."""
    if _is_true(call, "x-checksum-deploy"):
        return await _known_content(call, client)
    if call.request.headers.get("expect", "").lower() == "100-continue":
        with contextlib.suppress(ArtifactError):
            return await _known_content(call, client)
    return await call.runtime.files.put_stream(call.request.stream())


async def _known_content(call: Call, client: ClientChecksums) -> StoredFile:
    """A content that the server has already, and that the caller may read somewhere."""
    algorithm, checksum = ("sha256", client.sha256) if client.sha256 else ("sha1", client.sha1)
    if not checksum:
        if sha256 := call.request.headers.get("x-checksum-sha256"):  # to a server that does not know it
            raise ArtifactError(404, f"Checksum deploy failed. Invalid SHA256: {sha256}")
        raise ArtifactError(
            404,
            "Checksum deploy failed. no checksum header 'X-Checksum-Sha1/X-Checksum-Sha256' was found.",
        )
    if ALGORITHM_BY_LENGTH.get(len(checksum)) != algorithm:
        raise ArtifactError(404, f"Checksum deploy failed. Invalid {SHOWN[algorithm]}: {checksum}")
    may = call.principal.may
    readable = await call.runtime.readers.read(
        lambda db: next(
            (item for item in Tree(db).find_by_content(algorithm, checksum) if may("r", item.repo, item.path)), None
        )
    )
    # It may have gone meanwhile.
    if readable is not None and next(call.items.find_by_content(algorithm, checksum), None) is not None:
        assert readable.sha256 and readable.sha1 and readable.md5 and readable.size is not None
        return StoredFile(readable.sha256, readable.sha1, readable.md5, readable.size)
    raise ArtifactError(404, f"Checksum deploy failed. No existing file with {SHOWN[algorithm]}: {checksum}")


def _check_checksums(
    call: Call, repository: Repository, asked: ContentPath, client: ClientChecksums, content: StoredFile
) -> None:
    """Refuse a content with other checksums than the client sent, unless the repository trusts its own alone."""
    if repository.configuration["checksumPolicyType"] == SERVER_CHECKSUMS:
        return
    algorithms = {"SHA-1": "sha1", "MD5": "md5", **({"SHA-256": "sha256"} if call.supports_sha256 else {})}
    checksums = {shown: (getattr(client, name), getattr(content, name)) for shown, name in algorithms.items()}
    if any(original and original != actual for original, actual in checksums.values()):
        infos = ", ".join(
            f"{shown}=ChecksumInfo{{type={shown}, original='{original or 'null'}', actual='{actual}'}}"
            for shown, (original, actual) in checksums.items()
        )
        policy = f"Checksum policy 'LocalRepoChecksumPolicy: CLIENT' rejected the artifact '{asked}'."
        raise ArtifactError(409, f"{policy} Checksums info: ChecksumsInfo{{checksums={{{infos}}}}}")


async def _note_plugin(call: Call, repository: Repository, item: Item, content: StoredFile) -> None:
    """Mark the POM of a Maven plugin, so that the metadata of its group lists the plugin."""
    if repository.is_maven and item.path.endswith(snapshots.POM):
        found = await run_in_threadpool(poms.plugin, call.runtime.files.path(content.sha256))
        if found:
            call.items.set_properties(item, {PLUGIN: ["true"]})


def _put(
    call: Call,
    repo: str,
    path: str,
    written: str,
    content: StoredFile,
    client: ClientChecksums,
    properties: dict[str, list[str]],
    entries: list[tuple[str, str]],
) -> Item:
    """Store a file.

    :arg written: the path as the client wrote it
    :arg entries: of the file, if it is an archive
    """
    user = call.principal.name
    call.require_overwrite(repo, path, content.sha1)
    content_path.check_storable(call.items, repo, path)
    try:
        with call.runtime.transaction():
            item = call.items.put_file(repo, path, content, client, user)
            _replace_properties(call, item, properties)
            call.items.record_archive_entries(item.sha1, entries)
    except NotAFolder as error:
        raise content_path.conflict(repo, path, str(error), written) from None
    return item


def _replace_properties(call: Call, item: Item, properties: dict[str, list[str]]) -> None:
    """Give an item these properties and no others; without any it keeps those that it has."""
    if properties:
        others: dict[str, list[str]] = {name: [] for name in call.items.get_properties(item)}
        call.items.set_properties(item, others | properties)


def resolve_checksum_file(call: Call, path: str) -> tuple[str, str]:
    """The file to which a checksum belongs that has this path, and the algorithm; that is empty for other files."""
    of, dot, suffix = path.rpartition(".")
    if suffix == "sha256" and not call.supports_sha256:
        return of, ""
    return of, CHECKSUM_FILES.get(dot + suffix, "")


async def _take_checksum(call: Call, repository: Repository, path: str, of: str, algorithm: str) -> Response:
    """A checksum that is uploaded as a file belongs to the file it is named after."""
    text = (await call.request.body()).decode("latin-1").split()
    repo = repository.key
    if of.endswith(snapshots.METADATA):
        return Response(status_code=200)  # the server calculates them
    of = _described_path(call, repository, of)
    item = call.items.find(repo, of)
    if item is None or item.folder:
        raise ArtifactError(404, f"Target file to set checksum on doesn't exist: {repo}:{of}")
    received, actual = text[0].lower() if text else "", getattr(item, algorithm)
    call.items.set_client_checksum(item, algorithm, received)
    if received != actual and repository.configuration["checksumPolicyType"] != SERVER_CHECKSUMS:
        raise ArtifactError(409, f"Checksum error for '{path}': received '{received}' but actual is '{actual}'")
    return Response(status_code=201, headers={"Location": _location(call, repo, of)})


async def _take_properties(call: Call, asked: ContentPath) -> Response:
    """The properties of an item, uploaded as XML in the old notation: they replace all that it has."""
    of = asked.path.removesuffix(PROPERTIES)
    call.require_permission("a", asked.repo, of, f"Not enough permissions to annotate '{asked.repo}:{of}'.")
    try:
        root = parse_xml(await call.request.body())
    except ElementTree.ParseError as error:
        raise ArtifactError(409, f"Failed to deploy properties : {error} on path {asked}") from None
    item = call.items.find(asked.repo, of)
    if item is None:
        raise ArtifactError(404, f"Failed to set properties on {asked.repo}:{of}")
    given: dict[str, list[str]] = {}
    for element in root:
        given.setdefault(element.tag, []).append(element.text or "")
    _replace_properties(call, item, given)
    return Response(status_code=201)


def _properties(call: Call, asked: ContentPath) -> dict[str, list[str]]:
    """The properties that an upload sets; a caller without the right to annotate sets none."""
    if not call.principal.may("a", asked.repo, asked.path):
        return {}
    if not call.supports(feature_versions.PROPERTY_NAME_VALIDATION):
        return asked.properties
    return {checked(name): values for name, values in asked.properties.items()}


def _created(call: Call, repo: str, path: str, body: Mapping[str, object]) -> Response:
    headers = {
        "Content-Type": f"{vendor_media_type('storage.ItemCreated')};charset=ISO-8859-1",
        "Location": _location(call, repo, path),
    }
    return Response(format_json(body).encode(*CHARSET), 201, headers)


def _location(call: Call, repo: str, path: str) -> str:
    """Where an upload lies, which is not encoded."""
    return to_header_text(f"{call.base}/{repo}/{path}")


def _is_true(call: Call, header: str) -> bool:
    return call.request.headers.get(header, "").lower() == "true"


# A slash before the matrix parameters, or at the very end
FOLDER = f"{NON_API_PREFIX}{{target:[^/]+/([^;]*/)?(;.*)?|[^/].*/}}"
ROUTES = (
    Route("PUT", FOLDER, create_folder, "create_folder"),
    Route("PUT", CONTENT_PATH, deploy, "deploy_file"),
)
