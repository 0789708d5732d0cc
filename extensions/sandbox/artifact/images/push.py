# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The push side of the Docker registry API: blob uploads and manifests.

A tag is stored as a folder with its manifest and layers. A manifest without a tag is stored in a folder named after
its digest. Blobs are stored in the folder `_uploads` of the image until a manifest refers to them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

from starlette.responses import Response

from ...http.routing import Route
from ...parsing.documents import parse_json
from ...runtime.file_store import StoredFile
from ..call import Call
from ..items.storage import ClientChecksums, NotAFolder
from ..items.tree import MANIFEST_LIST_NAME, MANIFEST_NAME, Item
from ..protocol.errors import DockerError
from ..repositories.repositories import Repository
from .pull import find_blob, find_manifests
from .registry import (
    BASE,
    MEDIA_TYPE,
    REGISTRY,
    TAG,
    VERSION_HEADER,
    denied_error,
    invalid_digest_error,
    parse_digest,
    registry_storages,
    registry_url,
    require_registry_permission,
    require_writable,
    unknown_manifest_error,
)
from .uploads import Upload

MAX_MANIFEST_SIZE = 4 * 1024 * 1024
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
CONTENT_RANGE = re.compile(r"(?:bytes )?([0-9]{1,18})-([0-9]{1,18})(?:/.*)?")


async def start_upload(call: Call, repo: str, image: str) -> Response:
    """Handle `POST /api/docker/{repo}/v2/{image}/blobs/uploads/`.

    The query may contain `mount={digest}`, optionally with `from={image}`, or `digest={digest}` for an upload in one
    request.
    """
    repository = require_writable(call, repo, image)
    call.require_disk_space()
    if "mount" in call.query:
        blob = _find_mountable(call, repository, call.query["mount"])
        if blob is not None:
            _store_pending_blob(call, repository.key, image, _stored_file(blob))
            return _created_response(call, repo, image, f"blobs/sha256:{blob.sha256}", blob.sha256)
    upload = call.uploads.start(repository.key, image)
    if "digest" in call.query:
        try:
            return await _complete_upload(call, repo, upload)
        finally:
            call.uploads.cancel(upload)
    return _status_response(call, repo, upload, 202)


async def append_chunk(call: Call, repo: str, image: str, id: str) -> Response:
    """Handle `PATCH /api/docker/{repo}/v2/{image}/blobs/uploads/{id}`."""
    upload = _require_upload(call, repo, image, id)
    async with upload.writing:
        _require_upload(call, repo, image, id)  # it may have been finished while waiting for the lock
        await _append_body(call, repo, upload)
    return _status_response(call, repo, upload, 202)


async def finish_upload(call: Call, repo: str, image: str, id: str) -> Response:
    """Handle `PUT /api/docker/{repo}/v2/{image}/blobs/uploads/{id}?digest={digest}`."""
    upload = _require_upload(call, repo, image, id)
    async with upload.writing:
        _require_upload(call, repo, image, id)
        return await _complete_upload(call, repo, upload)


async def get_upload_status(call: Call, repo: str, image: str, id: str) -> Response:
    """Handle `GET /api/docker/{repo}/v2/{image}/blobs/uploads/{id}`."""
    return _status_response(call, repo, _require_upload(call, repo, image, id), 204)


async def cancel_upload(call: Call, repo: str, image: str, id: str) -> Response:
    """Handle `DELETE /api/docker/{repo}/v2/{image}/blobs/uploads/{id}`."""
    call.uploads.cancel(_require_upload(call, repo, image, id))
    return Response(status_code=204, headers=VERSION_HEADER)


async def put_manifest(call: Call, repo: str, image: str, reference: str) -> Response:
    """Handle `PUT /api/docker/{repo}/v2/{image}/manifests/{reference}`."""
    repository = require_writable(call, repo, image)
    call.require_disk_space()
    content = await _read_body(call)
    checksum = hashlib.sha256(content).hexdigest()
    if reference.startswith("sha256:"):
        if parse_digest(reference) != checksum:
            raise invalid_digest_error(reference)
    elif not TAG.fullmatch(reference):
        raise DockerError(400, "TAG_INVALID", "manifest tag did not match URI", {"tag": reference})
    manifest = _Manifest(content, call.request.headers.get("content-type", ""))
    if not repository.accepts(f"{image}/{reference}/{manifest.name}"):
        raise denied_error(image)
    async with call.uploads.storing:
        for digest in manifest.members:
            if not await find_manifests(call, repository.key, image, digest):
                raise _unknown_blob_error(digest)
        blobs = {digest: _require_blob(call, repository, digest) for digest in manifest.blobs}
        _require_overwrite(call, repo, repository, f"{image}/{reference}", checksum)
        await _store(call, repository, image, reference, manifest, blobs)
    return _created_response(call, repo, image, f"manifests/sha256:{checksum}", checksum)


async def delete_manifest(call: Call, repo: str, image: str, reference: str) -> Response:
    """Handle `DELETE /api/docker/{repo}/v2/{image}/manifests/{reference}`. A digest deletes all its tags."""
    repository = require_writable(call, repo, image)
    manifests = await find_manifests(call, repository.key, image, reference)
    if not manifests:
        raise unknown_manifest_error(reference)
    for manifest in manifests:
        require_registry_permission(call, "d", repository.key, manifest.parent or "", repo)
    for manifest in manifests:
        await _delete_tag(call, repository.key, manifest.parent or "")
    return Response(status_code=202, headers=VERSION_HEADER)


async def _delete_tag(call: Call, key: str, path: str) -> None:
    """Delete the folder of a tag, or only the files of the tag if the folder contains other images."""
    content, folder = list(call.items.list_children(key, path)), call.items.find(key, path)
    if any(item.folder for item in content):
        for item in content:
            if _is_tag_file(item) and not item.folder:
                await call.delete_item(item)
    elif folder is not None:
        await call.delete_item(folder)


async def delete_blob(call: Call, repo: str, image: str, digest: str) -> Response:
    """Handle `DELETE /api/docker/{repo}/v2/{image}/blobs/{digest}`.

    It is unsupported, because blobs are deleted with their manifests.
    """
    require_writable(call, repo, image)
    raise DockerError(405, "UNSUPPORTED", "The operation is unsupported.", {"digest": digest})


class _Manifest:
    """A manifest or manifest list with the digests it refers to."""

    def __init__(self, content: bytes, content_type: str) -> None:
        """Parse a manifest."""
        self.content = content
        try:
            document = parse_json(content)
            self.type = self._type(document, content_type.partition(";")[0].strip())
            self.is_list = "manifests" in document
            self.name = MANIFEST_LIST_NAME if self.is_list else MANIFEST_NAME
            self.members = [member["digest"] for member in document["manifests"]] if self.is_list else []
            self.config = None if self.is_list else document["config"]["digest"]
            layers = () if self.is_list else document["layers"]
            layer_digests = [layer["digest"] for layer in layers if not layer.get("urls")]
            self.blobs = [] if self.is_list else list(dict.fromkeys([self.config, *layer_digests]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise _invalid_manifest_error("manifest invalid") from None
        for digest in (*self.blobs, *self.members):
            parse_digest(str(digest))

    @staticmethod
    def _type(document: dict[str, Any], request_type: str) -> str:
        declared = document.get("mediaType") or ""
        media_type = declared or request_type or DOCKER_MANIFEST
        if document.get("schemaVersion") != 2 or not MEDIA_TYPE.fullmatch(media_type):
            raise ValueError
        if declared and request_type not in ("", "application/json", declared):
            raise ValueError
        return str(media_type)


async def _store(
    call: Call, repository: Repository, image: str, reference: str, manifest: _Manifest, blobs: dict[str, Item]
) -> None:
    """Store the manifest and its blobs in the folder of the tag and delete all other files of the tag."""
    key, folder, user = repository.key, f"{image}/{reference}", call.principal.name
    stored = call.runtime.files.put_bytes(manifest.content)
    try:
        with call.runtime.transaction():
            for blob in blobs.values():
                path = f"{folder}/sha256__{blob.sha256}"
                call.items.put_file(key, path, _stored_file(blob), ClientChecksums(), user)
            item = call.items.put_file(key, f"{folder}/{manifest.name}", stored, ClientChecksums(), user)
            call.items.set_properties(item, _properties(call, image, reference, manifest, stored, blobs))
    except NotAFolder as error:
        raise _invalid_manifest_error(f"A folder and a file are in each other's way at '{key}:{error}'.") from None
    finally:
        call.items.release_content(stored)
    names = {manifest.name, *(f"sha256__{blob.sha256}" for blob in blobs.values())}
    for item in list(call.items.list_children(key, folder)):
        if not item.folder and item.name not in names and _is_tag_file(item):
            await call.items.delete(item)
    await call.uploads.remove_pending_blobs(key, image, {blob.sha256 or "" for blob in blobs.values()})


def _is_tag_file(item: Item) -> bool:
    return item.name in (MANIFEST_NAME, MANIFEST_LIST_NAME) or item.name.startswith("sha256__")


def _properties(
    call: Call, image: str, reference: str, manifest: _Manifest, stored: StoredFile, blobs: dict[str, Item]
) -> dict[str, list[str]]:
    return {
        "docker.manifest": [reference],
        "docker.manifest.digest": [f"sha256:{stored.sha256}"],
        "docker.manifest.type": [manifest.type],
        "docker.repoName": [image],
        "sha256": [stored.sha256],
        **{f"docker.label.{name}": [value] for name, value in _read_labels(call, blobs.get(manifest.config or ""))},
    }


def _read_labels(call: Call, config: Item | None) -> Iterator[tuple[str, str]]:
    """Yield the labels in the configuration of an image."""
    if config is None or (config.size or 0) > MAX_MANIFEST_SIZE:
        return
    try:
        labels = parse_json(call.runtime.files.path(config.sha256 or "").read_bytes())["config"]["Labels"]
        yield from ((name, value) for name, value in labels.items() if isinstance(value, str))
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def _require_overwrite(call: Call, repo: str, repository: Repository, folder: str, checksum: str) -> None:
    """Fail if the tag has a different manifest that the caller may not delete."""
    existing = (call.items.find(repository.key, f"{folder}/{name}") for name in (MANIFEST_NAME, MANIFEST_LIST_NAME))
    if any(item and item.sha256 != checksum for item in existing):
        require_registry_permission(call, "d", repository.key, folder, repo)


def _require_blob(call: Call, repository: Repository, digest: str) -> Item:
    """Return a blob of the repository, or fail if it does not exist."""
    blob = find_blob(call, [repository.key], parse_digest(digest))
    if blob is None:
        raise _unknown_blob_error(digest)
    return blob


def _find_mountable(call: Call, repository: Repository, digest: str) -> Item | None:
    """Return a blob that can be mounted, from this repository or the one in the query."""
    source_repo = call.query.get("from", "").partition("/")[0]
    source_storages = registry_storages(call, source_repo) if source_repo else []
    return find_blob(call, [repository.key, *source_storages], parse_digest(digest))


def _require_upload(call: Call, repo: str, image: str, id: str) -> Upload:
    upload = call.uploads.find(id, require_writable(call, repo, image).key, image)
    if upload is None:
        raise _unknown_upload_error(id)
    return upload


async def _append_body(call: Call, repo: str, upload: Upload) -> None:
    """Append the body of a request at the position in Content-Range, or at the end."""
    call.require_disk_space()
    content_range = call.request.headers.get("content-range")
    match = CONTENT_RANGE.fullmatch(content_range) if content_range is not None else None
    if content_range is not None and (match is None or int(match[1]) != upload.size):
        headers = _progress_headers(call, repo, upload)
        raise DockerError(416, "BLOB_UPLOAD_INVALID", "blob upload invalid", {"range": content_range}, headers)
    await call.uploads.append(upload, call.request.stream())
    if not call.uploads.is_open(upload):  # cancelled meanwhile
        raise _unknown_upload_error(upload.id)


async def _complete_upload(call: Call, repo: str, upload: Upload) -> Response:
    digest = call.query.get("digest", "")
    checksum = parse_digest(digest)
    await _append_body(call, repo, upload)
    content = await call.uploads.finish(upload)
    try:
        if content.sha256 != checksum:
            raise invalid_digest_error(digest)
        _store_pending_blob(call, upload.repo, upload.image, content)
    finally:
        call.items.release_content(content)
    return _created_response(call, repo, upload.image, f"blobs/{digest}", checksum)


def _store_pending_blob(call: Call, repo: str, image: str, content: StoredFile) -> None:
    try:
        call.uploads.store_pending_blob(repo, image, content, call.principal.name)
    except NotAFolder as error:
        raise _invalid_manifest_error(f"A file is in the way at '{repo}:{error}'.") from None


async def _read_body(call: Call) -> bytes:
    content = bytearray()
    async for chunk in call.request.stream():
        content += chunk
        if len(content) > MAX_MANIFEST_SIZE:
            raise DockerError(413, "SIZE_INVALID", "manifest too large", {"limit": MAX_MANIFEST_SIZE})
    return bytes(content)


def _stored_file(item: Item) -> StoredFile:
    assert item.sha256 and item.sha1 and item.md5 and item.size is not None
    return StoredFile(item.sha256, item.sha1, item.md5, item.size)


def _status_response(call: Call, repo: str, upload: Upload, status: int) -> Response:
    return Response(status_code=status, headers=_progress_headers(call, repo, upload))


def _progress_headers(call: Call, repo: str, upload: Upload) -> dict[str, str]:
    return {
        **VERSION_HEADER,
        "Docker-Upload-Uuid": upload.id,
        "Location": registry_url(call, repo, f"{upload.image}/blobs/uploads/{upload.id}"),
        "Range": f"0-{max(upload.size - 1, 0)}",
    }


def _created_response(call: Call, repo: str, image: str, path: str, checksum: str | None) -> Response:
    digest = {"Docker-Content-Digest": f"sha256:{checksum}"}
    headers = {**VERSION_HEADER, **digest, "Location": registry_url(call, repo, f"{image}/{path}")}
    return Response(status_code=201, headers=headers)


def _unknown_upload_error(id: str) -> DockerError:
    return DockerError(404, "BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry", {"uuid": id})


def _unknown_blob_error(digest: str) -> DockerError:
    return DockerError(400, "MANIFEST_BLOB_UNKNOWN", "blob unknown to registry", {"digest": digest})


def _invalid_manifest_error(message: str) -> DockerError:
    return DockerError(400, "MANIFEST_INVALID", message, None)


IMAGE = f"{BASE}/{{image:.+}}"
UPLOAD = f"{IMAGE}/blobs/uploads/{{id}}"
ROUTES = (
    Route("POST", f"{IMAGE}/blobs/uploads", start_upload, "start_blob", scope=REGISTRY),
    Route("PATCH", UPLOAD, append_chunk, "append_blob", scope=REGISTRY),
    Route("PUT", UPLOAD, finish_upload, "finish_blob", scope=REGISTRY),
    Route("GET", UPLOAD, get_upload_status, "blob_upload", scope=REGISTRY),
    Route("DELETE", UPLOAD, cancel_upload, "cancel_blob", scope=REGISTRY),
    Route("DELETE", f"{IMAGE}/blobs/{{digest}}", delete_blob, "delete_blob", scope=REGISTRY),
    Route("PUT", f"{IMAGE}/manifests/{{reference}}", put_manifest, "push_manifest", scope=REGISTRY),
    Route("DELETE", f"{IMAGE}/manifests/{{reference}}", delete_manifest, "delete_manifest", scope=REGISTRY),
)
