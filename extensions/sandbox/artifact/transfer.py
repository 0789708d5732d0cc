# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Files up and down: deploy, download, delete."""

from __future__ import annotations

import contextlib
import html
from collections.abc import Mapping
from email.utils import formatdate, parsedate_to_datetime
from urllib.parse import quote, unquote, unquote_plus

from starlette.datastructures import Headers
from starlette.responses import FileResponse, HTMLResponse, Response

from ..world import Stored, World
from .call import VND, Call
from .errors import ArtifactError, Refusal
from .formats import colon_time, jackson, media_type
from .items import TRASH, ClientChecksums, Item, Items, NotAFolder
from .properties import Properties, checked, split
from .repositories import Repositories
from .storage import file_facts

PROPERTIES_OF = ":properties"
CHECKSUM_TYPE = "application/x-checksum"
CHECKSUM_FILES = {".sha1": "sha1", ".md5": "md5", ".sha256": "sha256"}
ALGORITHM_BY_LENGTH = {32: "md5", 40: "sha1", 64: "sha256"}
SHOWN = {"sha256": "SHA-256", "sha1": "SHA-1"}
DISK_FULL = (
    "Datastore disk usage is too high. Contact your Artifactory administrator to add additional storage space or"
    " change the disk quota limits."
)


class Transfer:
    """The calls on /{repo}/{path}."""

    def __init__(self, world: World, items: Items, repositories: Repositories, properties: Properties) -> None:
        self._world = world
        self._items = items
        self._repositories = repositories
        self._properties = properties

    async def download(self, call: Call, repo: str, path: str) -> Response:
        """GET or HEAD /{repo}/{path}"""
        if "properties" in call.query:
            return await self._properties.get(call, repo, path)
        if repo == TRASH:
            call.need_admin()
        found = self._repositories.items_at(call, repo, path)
        if not found:
            return self._checksum(call, repo, path)
        if found[0].folder:
            return self._index(repo, path, found)
        return self._file(call, found[0])

    def _checksum(self, call: Call, repo: str, path: str) -> Response:
        """A checksum, asked for as if it were a file beside the one it belongs to."""
        of, dot, suffix = path.rpartition(".")
        files = self._repositories.items_at(call, repo, of) if dot + suffix in CHECKSUM_FILES else []
        if not files or files[0].folder:
            raise ArtifactError(404, "File not found.")
        return Response(getattr(files[0], CHECKSUM_FILES[dot + suffix]), headers={"Content-Type": CHECKSUM_TYPE})

    def _file(self, call: Call, item: Item) -> Response:
        assert item.sha256 and item.sha1 and item.md5
        headers = {
            "ETag": item.sha1,
            "Last-Modified": formatdate(item.modified, usegmt=True),
            "X-Checksum-Sha1": item.sha1,
            "X-Checksum-Sha256": item.sha256,
            "X-Checksum-Md5": item.md5,
            "X-Artifactory-Filename": quote(item.name),
        }
        if _is_known(call.request.headers, item):
            return Response(status_code=304, headers=headers)
        headers["Content-Type"] = media_type(item.name)
        return FileResponse(self._world.files.path(item.sha256), headers=headers, filename=item.name)

    async def deploy(self, call: Call, repo: str, path: str, matrix: str) -> Response:
        """PUT /{repo}/{path}[;k=v]"""
        if any(_is_true(call, name) for name in ("x-explode-archive", "x-explode-archive-atomic")):
            raise ArtifactError(501, "Deploying and exploding an archive is not served yet.")
        target = self._target(call, repo, path)
        suffix = path[path.rfind(".") :]
        if suffix in CHECKSUM_FILES:
            return await self._take_checksum(call, target, path, CHECKSUM_FILES[suffix])
        if self._repositories.makes_metadata(target, path):
            return Response(status_code=202)
        properties = self._matrix_properties(call, target, path, matrix)
        client = self._client_checksums(call)
        content = await self._content(call, path, client)
        item = self._put(call, target, path, content, client, properties)
        created = {
            "repo": target,
            "path": f"/{item.path}",
            "created": colon_time(item.created),
            "createdBy": item.created_by,
            **file_facts(call, item, target),
            "uri": f"{call.base}/{target}/{item.path}",
        }
        return self._created(call, target, path, created)

    async def create_folder(self, call: Call, repo: str, path: str, matrix: str) -> Response:
        """PUT /{repo}/{path}/[;k=v]"""
        target = self._target(call, repo, path)
        properties = self._matrix_properties(call, target, path, matrix)
        try:
            with self._world.transaction():
                folder = self._items.make_folder(target, path, call.principal.name)
                self._items.set_properties(folder, properties, recursive=False)
        except NotAFolder as error:
            raise ArtifactError(409, f"Expected a folder but found a file: '{target}:{error}'.") from None
        created = {
            "repo": target,
            "path": f"/{path}/".replace("//", "/"),
            "created": colon_time(folder.created),
            "createdBy": folder.created_by,
            "uri": f"{call.base}/{target}/{path}".rstrip("/") + "/",
        }
        return self._created(call, target, path, created)

    async def delete(self, call: Call, repo: str, path: str) -> Response:
        """DELETE /{repo}/{path}"""
        path, marker = path.removesuffix(PROPERTIES_OF), path.endswith(PROPERTIES_OF)
        if not self._repositories.is_stored(repo):
            raise Refusal(404)
        self._permit_deleting(call, repo, path)
        if not path or repo == TRASH:
            call.need_admin(f"Not enough permissions to delete '{repo}:{path}'. This requires admin privileges.")
        item = self._items.find(repo, path)
        if item is None:
            raise ArtifactError(404, f"Could not locate artifact '{repo}:{path}' (Nothing to delete).")
        self._permit_deleting_below(call, item)
        if marker:
            self._items.set_properties(item, {name: [] for name in self._items.properties(item)}, recursive=False)
        elif self._repositories.find(repo) and call.switch("trashcan"):
            self._items.move_to_trash(item, call.principal.name)
        else:
            self._items.delete(item)
        return Response(status_code=204)

    def _permit_deleting(self, call: Call, repo: str, path: str) -> None:
        needed = f"(user: '{call.principal.name}' needs DELETE permission)."
        call.permit("d", repo, path, f"Not enough permissions to delete/overwrite artifact '{repo}:{path}' {needed}")

    def _permit_deleting_below(self, call: Call, item: Item) -> None:
        if call.principal.admin:
            return
        for below in self._items.below(item):
            if not call.principal.may("d", below.repo, below.path):
                needed = f"(user: '{call.principal.name}' needs DELETE permission)."
                raise ArtifactError(
                    403,
                    "Not enough permissions to delete/overwrite all artifacts under"
                    f" '{item.repo}:{item.path}' {needed}",
                )

    def _index(self, repo: str, path: str, folders: list[Item]) -> Response:
        names = {child.name + "/" * child.folder for item in folders for child in self._items.children(item.repo, path)}
        links = "".join(f'<a href="{quote(name)}">{html.escape(name)}</a>\n' for name in sorted(names))
        title = html.escape(f"Index of {repo}/{path}")
        return HTMLResponse(
            f"<html>\n<head><title>{title}</title></head>\n<body><h1>{title}</h1><pre>{links}</pre></body></html>"
        )

    def _target(self, call: Call, repo: str, path: str) -> str:
        """The key of the repository that a deployment ends up in, if it may."""
        target = repo
        if self._repositories.is_virtual(repo):
            virtual = self._repositories.find(repo)
            target = virtual.configuration.get("defaultDeploymentRepo") or "" if virtual else ""
            if not target:
                raise ArtifactError(
                    405,
                    "No local repository was configured as local deployment repository for the"
                    f" ({repo}) virtual repository.",
                    {"Allow": "GET"},
                )
        repository = self._repositories.find(target)
        if repository is None or not self._repositories.is_stored(target):
            raise ArtifactError(404, f"Could not find a local repository named {target} to deploy to.")
        user = call.principal.name
        call.permit(
            "w", target, path, f"The user: '{user}' is not permitted to deploy '{path}' into '{target}:{path}'."
        )
        if call.switch("disk_full"):
            raise ArtifactError(413, DISK_FULL)
        rejected = f"The repository '{target}' rejected the artifact '{target}:{path}' due to its"
        if not repository.accepts(path):
            raise ArtifactError(409, f"{rejected} include/exclude patterns settings.")
        if not repository.handles(path):
            raise ArtifactError(409, f"{rejected} snapshot/release handling policy.")
        return target

    def _client_checksums(self, call: Call) -> ClientChecksums:
        headers = call.request.headers
        given = {name: headers.get(f"x-checksum-{name}") for name in ("sha256", "sha1", "md5")}
        unnamed = headers.get("x-checksum", "")
        algorithm = ALGORITHM_BY_LENGTH.get(len(unnamed))
        if algorithm and not given[algorithm]:
            given[algorithm] = unnamed
        return ClientChecksums(**{name: value.lower() for name, value in given.items() if value})

    async def _content(self, call: Call, path: str, client: ClientChecksums) -> Stored:
        """What is deployed: a content that the server has already, or the one that is sent."""
        if _is_true(call, "x-checksum-deploy"):
            return self._known_content(call, client)
        if call.request.headers.get("expect", "").lower() == "100-continue":
            with contextlib.suppress(ArtifactError):
                return self._known_content(call, client)
        content = await self._world.files.put_stream(call.request.stream())
        self._compare(path, client, content)
        return content

    def _known_content(self, call: Call, client: ClientChecksums) -> Stored:
        """A content that the server has already, and that the caller may read somewhere."""
        algorithm, checksum = ("sha256", client.sha256) if client.sha256 else ("sha1", client.sha1)
        if not checksum:
            raise ArtifactError(
                404,
                "Checksum deploy failed. no checksum header 'X-Checksum-Sha1/X-Checksum-Sha256' was found.",
            )
        if ALGORITHM_BY_LENGTH.get(len(checksum)) != algorithm:
            raise ArtifactError(404, f"Checksum deploy failed. Invalid {SHOWN[algorithm]}: {checksum}")
        for item in self._items.with_content(algorithm, checksum):
            if call.principal.may("r", item.repo, item.path):
                assert item.sha256 and item.sha1 and item.md5 and item.size is not None
                return Stored(item.sha256, item.sha1, item.md5, item.size)
        raise ArtifactError(404, f"Checksum deploy failed. No existing file with {SHOWN[algorithm]}: {checksum}")

    def _compare(self, path: str, client: ClientChecksums, content: Stored) -> None:
        for algorithm in ("sha256", "sha1", "md5"):
            received, actual = getattr(client, algorithm), getattr(content, algorithm)
            if received and received != actual:
                raise ArtifactError(409, f"Checksum error for '{path}': received '{received}' but actual is '{actual}'")

    def _put(
        self,
        call: Call,
        repo: str,
        path: str,
        content: Stored,
        client: ClientChecksums,
        properties: dict[str, list[str]],
    ) -> Item:
        user = call.principal.name
        before = self._items.find(repo, path)
        if before is not None and not before.folder and before.sha1 != content.sha1:
            self._permit_deleting(call, repo, path)
        try:
            with self._world.transaction():
                item = self._items.put_file(repo, path, content, client, user)
                self._items.set_properties(item, properties, recursive=False)
        except NotAFolder as error:
            raise ArtifactError(409, f"A folder and a file are in each other's way at '{repo}:{error}'.") from None
        return item

    async def _take_checksum(self, call: Call, repo: str, path: str, algorithm: str) -> Response:
        """A checksum that is uploaded as a file belongs to the file it is named after."""
        text = (await call.request.body()).decode("latin-1").split()
        of = path[: path.rfind(".")]
        item = self._items.find(repo, of)
        if item is None or item.folder:
            raise ArtifactError(404, f"Target file to set checksum on doesn't exist: {repo}:{of}")
        received, actual = text[0].lower() if text else "", getattr(item, algorithm)
        self._items.note_client_checksum(item, algorithm, received)
        if received != actual:
            raise ArtifactError(409, f"Checksum error for '{path}': received '{received}' but actual is '{actual}'")
        return Response(status_code=201, headers={"Location": f"{call.base}/{repo}/{quote(of)}"})

    def _matrix_properties(self, call: Call, repo: str, path: str, matrix: str) -> dict[str, list[str]]:
        """The properties in matrix parameters, `k=v,w;l=x`; who may not set any has given none."""
        properties: dict[str, list[str]] = {}
        if call.principal.may("a", repo, path):
            for parameter in filter(None, matrix.split(";")):
                name, _unused, values = parameter.partition("=")
                properties.setdefault(checked(unquote(name)), []).extend(split(unquote_plus(values), ","))
        return properties

    def _created(self, call: Call, repo: str, path: str, body: Mapping[str, object]) -> Response:
        headers = {
            "Content-Type": f"{VND}storage.ItemCreated+json",
            "Location": f"{call.base}/{repo}/{quote(path)}".rstrip("/"),
        }
        return Response(jackson(body).encode(), 201, headers)


def _is_true(call: Call, header: str) -> bool:
    return call.request.headers.get(header, "").lower() == "true"


def _is_known(headers: Headers, item: Item) -> bool:
    """Whether a conditional request is from somebody who has this content."""
    known = [tag.strip().removeprefix("W/").strip('"') for tag in headers.get("if-none-match", "").split(",")]
    if "if-none-match" in headers:
        return "*" in known or item.sha1 in known
    try:
        return int(item.modified) <= parsedate_to_datetime(headers["if-modified-since"]).timestamp()
    except (KeyError, ValueError):
        return False
