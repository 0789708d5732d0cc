# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The container registry as pushes see it: blobs that are uploaded, and manifests that make images of them.

A tag is a folder with its manifest and its layers, and so is a manifest without a tag, in a folder with its digest as
name. Blobs wait in the folder `_uploads` of the image until a manifest names them.
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
    address,
    denied_error,
    invalid_digest_error,
    parse_digest,
    permit,
    registry_storages,
    unknown_manifest_error,
    writable,
)
from .uploads import Upload

LONGEST_MANIFEST = 4 * 1024 * 1024
DOCKER_MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"
CONTENT_RANGE = re.compile(r"(?:bytes )?([0-9]{1,18})-([0-9]{1,18})(?:/.*)?")


async def start(call: Call, repo: str, image: str) -> Response:
    """POST /api/docker/{repo}/v2/{image}/blobs/uploads/[?mount={digest}[&from={image}]] or [?digest={digest}]"""
    repository = writable(call, repo, image)
    call.require_disk_space()
    if "mount" in call.query:
        known = _mountable(call, repository, call.query["mount"])
        if known is not None:
            _keep(call, repository.key, image, _content_of(known))
            return _created(call, repo, image, f"blobs/sha256:{known.sha256}", known.sha256)
    upload = call.uploads.start(repository.key, image)
    if "digest" in call.query:
        try:
            return await _finish(call, repo, upload)
        finally:
            call.uploads.cancel(upload)
    return _status(call, repo, upload, 202)


async def append(call: Call, repo: str, image: str, id: str) -> Response:
    """PATCH /api/docker/{repo}/v2/{image}/blobs/uploads/{id}"""
    upload = _existing(call, repo, image, id)
    async with upload.writing:
        _existing(call, repo, image, id)  # It may have been finished meanwhile.
        await _append(call, repo, upload)
    return _status(call, repo, upload, 202)


async def finish(call: Call, repo: str, image: str, id: str) -> Response:
    """PUT /api/docker/{repo}/v2/{image}/blobs/uploads/{id}?digest={digest}"""
    upload = _existing(call, repo, image, id)
    async with upload.writing:
        _existing(call, repo, image, id)
        return await _finish(call, repo, upload)


async def status(call: Call, repo: str, image: str, id: str) -> Response:
    """GET /api/docker/{repo}/v2/{image}/blobs/uploads/{id}"""
    return _status(call, repo, _existing(call, repo, image, id), 204)


async def cancel(call: Call, repo: str, image: str, id: str) -> Response:
    """DELETE /api/docker/{repo}/v2/{image}/blobs/uploads/{id}"""
    call.uploads.cancel(_existing(call, repo, image, id))
    return Response(status_code=204, headers=VERSION_HEADER)


async def put_manifest(call: Call, repo: str, image: str, reference: str) -> Response:
    """PUT /api/docker/{repo}/v2/{image}/manifests/{reference}"""
    repository = writable(call, repo, image)
    call.require_disk_space()
    content = await _body(call)
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
                raise _unknown_blob(digest)
        blobs = {digest: _blob(call, repository, digest) for digest in manifest.blobs}
        _permit_replacing(call, repo, repository, f"{image}/{reference}", checksum)
        await _store(call, repository, image, reference, manifest, blobs)
    return _created(call, repo, image, f"manifests/sha256:{checksum}", checksum)


async def delete_manifest(call: Call, repo: str, image: str, reference: str) -> Response:
    """DELETE /api/docker/{repo}/v2/{image}/manifests/{reference}; a digest stands for all tags that have it"""
    repository = writable(call, repo, image)
    found = await find_manifests(call, repository.key, image, reference)
    if not found:
        raise unknown_manifest_error(reference)
    for manifest in found:
        permit(call, "d", repository.key, manifest.parent or "", repo)
    for manifest in found:
        await _delete_tag(call, repository.key, manifest.parent or "")
    return Response(status_code=202, headers=VERSION_HEADER)


async def _delete_tag(call: Call, key: str, path: str) -> None:
    """Delete the folder of a tag; of one that contains other images as well, its files alone."""
    content, folder = list(call.items.list_children(key, path)), call.items.find(key, path)
    if any(item.folder for item in content):
        for item in content:
            if _is_of_tag(item) and not item.folder:
                await call.delete_item(item)
    elif folder is not None:
        await call.delete_item(folder)


async def delete_blob(call: Call, repo: str, image: str, digest: str) -> Response:
    """DELETE /api/docker/{repo}/v2/{image}/blobs/{digest}, which is of no use: blobs go with their manifests"""
    writable(call, repo, image)
    raise DockerError(405, "UNSUPPORTED", "The operation is unsupported.", {"digest": digest})


class _Manifest:
    """A manifest or a list of manifests, and what it names."""

    def __init__(self, content: bytes, content_type: str) -> None:
        self.content = content
        try:
            document = parse_json(content)
            self.type = self._type(document, content_type.partition(";")[0].strip())
            self.is_list = "manifests" in document
            self.name = MANIFEST_LIST_NAME if self.is_list else MANIFEST_NAME
            self.members = [member["digest"] for member in document["manifests"]] if self.is_list else []
            self.config = None if self.is_list else document["config"]["digest"]
            layers = () if self.is_list else document["layers"]
            named = [layer["digest"] for layer in layers if not layer.get("urls")]
            self.blobs = [] if self.is_list else list(dict.fromkeys([self.config, *named]))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise _invalid("manifest invalid") from None
        for digest in (*self.blobs, *self.members):
            parse_digest(str(digest))

    @staticmethod
    def _type(document: dict[str, Any], sent: str) -> str:
        named = document.get("mediaType") or ""
        found = named or sent or DOCKER_MANIFEST
        if document.get("schemaVersion") != 2 or not MEDIA_TYPE.fullmatch(found):
            raise ValueError
        if named and sent not in ("", "application/json", named):
            raise ValueError
        return str(found)


async def _store(
    call: Call, repository: Repository, image: str, reference: str, manifest: _Manifest, blobs: dict[str, Item]
) -> None:
    """Make the folder of a tag what the manifest says, and nothing else."""
    key, folder, user = repository.key, f"{image}/{reference}", call.principal.name
    stored = call.runtime.files.put_bytes(manifest.content)
    try:
        with call.runtime.transaction():
            for blob in blobs.values():
                path = f"{folder}/sha256__{blob.sha256}"
                call.items.put_file(key, path, _content_of(blob), ClientChecksums(), user)
            item = call.items.put_file(key, f"{folder}/{manifest.name}", stored, ClientChecksums(), user)
            call.items.set_properties(item, _properties(call, image, reference, manifest, stored, blobs))
    except NotAFolder as error:
        raise _invalid(f"A folder and a file are in each other's way at '{key}:{error}'.") from None
    finally:
        call.items.release_content(stored)
    kept = {manifest.name, *(f"sha256__{blob.sha256}" for blob in blobs.values())}
    for item in list(call.items.list_children(key, folder)):
        if not item.folder and item.name not in kept and _is_of_tag(item):
            await call.items.delete(item)
    await call.uploads.remove_pending_blobs(key, image, {blob.sha256 or "" for blob in blobs.values()})


def _is_of_tag(item: Item) -> bool:
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
        **{f"docker.label.{name}": [value] for name, value in _labels(call, blobs.get(manifest.config or ""))},
    }


def _labels(call: Call, config: Item | None) -> Iterator[tuple[str, str]]:
    """Yield the labels in the configuration of an image, if it is one."""
    if config is None or (config.size or 0) > LONGEST_MANIFEST:
        return
    try:
        labels = parse_json(call.runtime.files.path(config.sha256 or "").read_bytes())["config"]["Labels"]
        yield from ((name, value) for name, value in labels.items() if isinstance(value, str))
    except (ValueError, KeyError, TypeError, AttributeError):
        return


def _permit_replacing(call: Call, repo: str, repository: Repository, folder: str, checksum: str) -> None:
    """Refuse to give a tag another manifest if the caller may not delete the one that it has."""
    found = (call.items.find(repository.key, f"{folder}/{name}") for name in (MANIFEST_NAME, MANIFEST_LIST_NAME))
    if any(item and item.sha256 != checksum for item in found):
        permit(call, "d", repository.key, folder, repo)


def _blob(call: Call, repository: Repository, digest: str) -> Item:
    """Return the blob that a manifest names, which waits or belongs to another image of the repository."""
    found = find_blob(call, [repository.key], parse_digest(digest))
    if found is None:
        raise _unknown_blob(digest)
    return found


def _mountable(call: Call, repository: Repository, digest: str) -> Item | None:
    """Return the blob that another image has, in this repository or in the one that is named."""
    first = call.query.get("from", "").partition("/")[0]
    others = registry_storages(call, first) if first else []
    return find_blob(call, [repository.key, *others], parse_digest(digest))


def _existing(call: Call, repo: str, image: str, id: str) -> Upload:
    upload = call.uploads.find(id, writable(call, repo, image).key, image)
    if upload is None:
        raise _unknown_upload(id)
    return upload


async def _append(call: Call, repo: str, upload: Upload) -> None:
    """Add the body of a request, which says with Content-Range where it belongs, or belongs at the end."""
    call.require_disk_space()
    sent = call.request.headers.get("content-range")
    found = CONTENT_RANGE.fullmatch(sent) if sent is not None else None
    if sent is not None and (found is None or int(found[1]) != upload.size):
        headers = _progress(call, repo, upload)
        raise DockerError(416, "BLOB_UPLOAD_INVALID", "blob upload invalid", {"range": sent}, headers)
    await call.uploads.append(upload, call.request.stream())
    if not call.uploads.is_open(upload):  # It was cancelled meanwhile.
        raise _unknown_upload(upload.id)


async def _finish(call: Call, repo: str, upload: Upload) -> Response:
    digest = call.query.get("digest", "")
    checksum = parse_digest(digest)
    await _append(call, repo, upload)
    content = await call.uploads.finish(upload)
    try:
        if content.sha256 != checksum:
            raise invalid_digest_error(digest)
        _keep(call, upload.repo, upload.image, content)
    finally:
        call.items.release_content(content)
    return _created(call, repo, upload.image, f"blobs/{digest}", checksum)


def _keep(call: Call, repo: str, image: str, content: StoredFile) -> None:
    try:
        call.uploads.store_pending_blob(repo, image, content, call.principal.name)
    except NotAFolder as error:
        raise _invalid(f"A file is in the way at '{repo}:{error}'.") from None


async def _body(call: Call) -> bytes:
    content = bytearray()
    async for chunk in call.request.stream():
        content += chunk
        if len(content) > LONGEST_MANIFEST:
            raise DockerError(413, "SIZE_INVALID", "manifest too large", {"limit": LONGEST_MANIFEST})
    return bytes(content)


def _content_of(item: Item) -> StoredFile:
    assert item.sha256 and item.sha1 and item.md5 and item.size is not None
    return StoredFile(item.sha256, item.sha1, item.md5, item.size)


def _status(call: Call, repo: str, upload: Upload, status: int) -> Response:
    return Response(status_code=status, headers=_progress(call, repo, upload))


def _progress(call: Call, repo: str, upload: Upload) -> dict[str, str]:
    return {
        **VERSION_HEADER,
        "Docker-Upload-Uuid": upload.id,
        "Location": address(call, repo, f"{upload.image}/blobs/uploads/{upload.id}"),
        "Range": f"0-{max(upload.size - 1, 0)}",
    }


def _created(call: Call, repo: str, image: str, place: str, checksum: str | None) -> Response:
    digest = {"Docker-Content-Digest": f"sha256:{checksum}"}
    headers = {**VERSION_HEADER, **digest, "Location": address(call, repo, f"{image}/{place}")}
    return Response(status_code=201, headers=headers)


def _unknown_upload(id: str) -> DockerError:
    return DockerError(404, "BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry", {"uuid": id})


def _unknown_blob(digest: str) -> DockerError:
    return DockerError(400, "MANIFEST_BLOB_UNKNOWN", "blob unknown to registry", {"digest": digest})


def _invalid(message: str) -> DockerError:
    return DockerError(400, "MANIFEST_INVALID", message, None)


IMAGE = f"{BASE}/{{image:.+}}"
UPLOAD = f"{IMAGE}/blobs/uploads/{{id}}"
ROUTES = (
    Route("POST", f"{IMAGE}/blobs/uploads", start, "start_blob", scope=REGISTRY),
    Route("PATCH", UPLOAD, append, "append_blob", scope=REGISTRY),
    Route("PUT", UPLOAD, finish, "finish_blob", scope=REGISTRY),
    Route("GET", UPLOAD, status, "blob_upload", scope=REGISTRY),
    Route("DELETE", UPLOAD, cancel, "cancel_blob", scope=REGISTRY),
    Route("DELETE", f"{IMAGE}/blobs/{{digest}}", delete_blob, "delete_blob", scope=REGISTRY),
    Route("PUT", f"{IMAGE}/manifests/{{reference}}", put_manifest, "push_manifest", scope=REGISTRY),
    Route("DELETE", f"{IMAGE}/manifests/{{reference}}", delete_manifest, "delete_manifest", scope=REGISTRY),
)
