# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Upload and delete files."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import typing as t
from urllib.parse import quote

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.files import snapshots
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import item_info, paths, properties
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import (
    LocalFile,
    LocalText,
    check_readable,
    find_files,
    is_pattern,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, find_differences
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Keys of the result; values are `None` if they are unknown
RESULT_KEYS = (
    *("repo", "path", "type", "size", "checksums", "mime_type", "download_uri"),
    *("created", "created_by", "modified", "modified_by"),
)
ACCEPTED = (200, 201, 202)
# The server splits properties in URLs at all other characters, even if they are encoded
_URL_SAFE = re.compile(r"[\w.:/@-]*", re.ASCII)
_NO_MESSAGE = re.compile(r'"message"\s*:\s*""')
_REPOSITORY_MISSING = "Could not find a local repository"
# Artifactory interprets such a file as the checksum of the file without the extension
_CHECKSUM = re.compile(r".+\.(sha1|sha256|md5)")
_DELETE_REMEDY = (
    "Items can only be deleted from local repositories and from the caches of remote repositories ('<key>-cache')."
)
_NOTHING_TO_DELETE = "Nothing to delete"


def check(params: Fields) -> None:
    """Validate the options of one file.

    :raises BadOption: if they are invalid
    """
    path = target_path(params)
    if not path:
        raise BadOption("path", "must be a file or folder in the repository, not the repository itself")
    if params["state"] == "present" and _CHECKSUM.fullmatch(path):
        name = os.path.basename(path)
        raise BadOption(
            "path", f"'{name}' cannot be uploaded: Artifactory interprets this name as the checksum of another file"
        )
    properties.normalize(params["properties"] or {}, "properties")
    if params["state"] == "present" and params["src"] is not None:
        if is_pattern(params["src"]):
            raise BadOption("src", f"'{params['src']}' does not exist. Patterns are only supported in 'items'")
        check_readable(params["src"], "src")
    paths.check_content_path(params["repo"], path)
    paths.check_path(params["repo"], path, is_stored=params["state"] == "present")


def target_path(params: Fields) -> str:
    """Return the path of the file in the repository. If `path` is a folder, the file keeps its local name."""
    path = params["path"]
    if params["state"] == "present" and path.endswith("/") and params["src"]:
        path += os.path.basename(params["src"])
    elif params["state"] == "present" and path.endswith("/"):
        raise BadOption("path", "must not end with a slash if 'src' is not set")
    return path.strip("/")


def expand_pattern(params: Fields) -> list[Fields]:
    """Return the options that differ for each file that a pattern matches, or one empty dictionary if `src` is not a
    pattern.

    :raises BadOption: if the pattern matches no file
    """
    src, folder = params["src"], params["path"]
    if params["state"] == "absent" or not src or not is_pattern(src):
        return [{}]
    if not folder.endswith("/"):
        raise BadOption("path", f"must end with a slash, because '{src}' is a pattern")
    files = find_files(src)
    if not files:
        raise BadOption("src", f"'{src}' matches no file")
    return [{"src": path, "path": folder + below} for path, below in files.items()]


def item_key(params: Fields) -> tuple[str, str]:
    """Return repository and path, which must be unique among the items."""
    return params["repo"], target_path(params)


class File:
    """A file in a repository, or a folder to delete, and its desired state."""

    def __init__(self, task: Task) -> None:
        check(task.params)
        self._task = task
        self._artifact = ArtifactService(task)
        self._repo = task.params["repo"]
        self._path = target_path(task.params)
        self._current_path = self._path
        self._exists = False
        self._is_upload = False
        self._stored_path: str | None = None  # known after an upload
        self._properties = properties.normalize(task.params["properties"] or {}, "properties")
        self._content: Fields = {}

    def read(self) -> Fields | None:
        """Return the current item, with its properties if they are managed."""
        item = self._find()
        self._current_path = item["path"] if item else self._path
        self._exists = item is not None
        self._add_missing_checksums(item)
        if item and self._properties and self._task.params["state"] == "present":
            item["properties"] = self._artifact.find_properties(self._repo, item["path"]) or {}
        return item

    def _add_missing_checksums(self, item: Fields | None) -> None:
        """Add checksums of the desired content that the server does not return to an item whose other ones are equal.

        Old versions do not support SHA-256.
        """
        compared, stored = self._content.get("checksums", {}), (item or {}).get("checksums") or {}
        if item and stored and _find_comparable(compared, item).items() <= stored.items():
            item["checksums"] = {**stored, **compared}

    def _find(self) -> Fields | None:
        """Return the item. For an upload, this can be a Maven snapshot that Artifactory stored under another name."""
        item = item_info.find_item(self._artifact, self._repo, self._stored_path or self._path)
        if item is None and not self._stored_path and self._task.params["state"] == "present":
            renamed = snapshots.find_renamed(self._artifact, self._repo, self._path)
            return item_info.find_item(self._artifact, self._repo, renamed) if renamed else None
        return item

    def get_desired(self, before: Fields | None) -> Fields:
        """Return the desired file: type, size, the checksums that the server returns as well, and properties."""
        checksums = _find_comparable(self._source.checksums, before)
        self._content = {"type": "file", "size": self._source.size, "checksums": checksums}
        if not self._properties:
            return self._content
        return {
            **self._content,
            "properties": {key: value for key, value in self._properties.items() if value or before},
        }

    def replace_reason(self, before: Fields) -> str | None:
        """Return why the file must be uploaded again. An upload replaces the properties of the old content as well."""
        return "its content differs" if find_differences(before, self._content) else None

    def check(self, before: Fields | None, desired: Fields | None) -> None:
        """Verify that the change is allowed.

        :raises ToolchainError: if an upload would replace a folder, if a folder would be deleted without `recursive`,
            or if the server would refuse properties that require a separate request
        """
        self._is_upload = "type" in (desired or {})
        unsafe = _select_unsafe_properties((desired or {}).get("properties") or {})
        if unsafe and self._is_upload:
            feature = features.PROPERTIES._replace(
                name=f"The property '{min(unsafe)}', which cannot be sent with the upload,"
            )
            editions.check(self._artifact, feature)
        elif desired is not None and not self._is_upload:
            editions.check(self._artifact, features.PROPERTIES)
        if before is None or before["type"] == "file":
            return
        if desired is not None:
            raise ToolchainError(f"'{self._path}' in '{self._repo}' is a folder and cannot be replaced by a file.")
        if not self._task.params["recursive"]:
            raise ToolchainError(
                f"'{self._path}' in '{self._repo}' is a folder. To delete it with its contents, set 'recursive: true'."
            )

    def deploy(self, fields: Fields) -> None:
        """Upload the content and its properties. A second request sets properties that an upload cannot carry."""
        desired = {key: values for key, values in fields.get("properties", {}).items() if values}
        separate = _select_unsafe_properties(desired)
        repo, self._stored_path = self._upload({key: values for key, values in desired.items() if key not in separate})
        if separate:
            properties.write_properties(self._artifact, repo, self._stored_path, separate)

    def annotate(self, fields: Fields) -> None:
        """Set and delete properties."""
        properties.write_properties(self._artifact, self._repo, self._current_path, fields["properties"])

    def delete(self) -> None:
        """Delete the item with its contents."""
        address = self._artifact.content_address(self._repo, self._path)
        response = self._artifact.http.write("DELETE", address, accept=(200, 204, 404), policy=IDEMPOTENT)
        if response.status == 404 and _NOTHING_TO_DELETE not in response.text:
            raise ToolchainError(f"DELETE {address}: 404. {_DELETE_REMEDY}")

    def predict_refusal(self) -> None:
        """Predict whether Artifactory accepts the change.

        :raises ToolchainError: if it would refuse the upload or deletion
        """
        if self._is_upload:
            predict_upload(
                self._artifact,
                self._repo,
                [self._path],
                None if self._exists else self._path,
                may_be_missing=self._task.predicts_missing,
            )
            return
        if self._task.params["state"] == "present":
            return
        repository = queries.find_if_visible(self._artifact, self._repo)
        if repository and repository["type"] in ("virtual", "remote"):
            raise ToolchainError(f"The repository '{self._repo}' is {repository['type']}. {_DELETE_REMEDY}")

    def to_result(self, item: Fields) -> Fields:
        """Return the item as part of the result. Members that are not known yet are `None`."""
        result = {name: item.get(name) for name in RESULT_KEYS}
        result.update(repo=item.get("repo", self._repo), path=item.get("path", self._path))
        return {**result, "properties": item["properties"]} if "properties" in item else result

    @functools.cached_property
    def _source(self) -> LocalFile | LocalText:
        """The content to upload, with its checksums."""
        src = self._task.params["src"]
        if src is None:
            return LocalText.from_text(self._task.params["content"])
        return LocalFile.from_path(src, self._report_progress)

    def _report_progress(self, sent: int) -> None:
        self._task.report_progress(f"{sent / 2**20:,.0f} of {self._source.size / 2**20:,.0f} MiB sent", "sending")

    def _upload(self, simple: Fields) -> tuple[str, str]:
        """Upload the content and return the repository and path at which Artifactory stored it.

        The repository differs for a virtual repository, the path for a Maven snapshot.

        The first request sends only the checksums. If the server already has the content, it needs no other. If it
        refuses the upload, it does so before a large file is sent.
        """
        address = self._artifact.content_address(self._repo, self._path) + _to_matrix_parameters(simple)
        headers = {f"X-Checksum-{name.capitalize()}": value for name, value in self._source.checksums.items()}
        response = self._put(address, {**headers, "X-Checksum-Deploy": "true"}, accept=(*ACCEPTED, 404))
        if _REPOSITORY_MISSING in response.text:
            raise ToolchainError(f"PUT {address}: 404 {response.server_message}")
        if response.status == 404:
            try:
                response = self._put(address, headers, data=self._source.data)
            except ServerRefusal as refusal:
                if refusal.status == 409:
                    self._source.check_unchanged()
                raise
        created = response.json_or_none()
        item = created if isinstance(created, dict) else {}
        repo, path = item.get("repo"), str(item.get("path")).strip("/")
        return (
            repo if isinstance(repo, str) else self._repo,
            path if snapshots.is_renamed(self._path, path) else self._path,
        )

    def _put(
        self, address: str, headers: dict[str, str], data: t.Any = None, accept: t.Container[int] = ACCEPTED
    ) -> Response:
        # the checksums make the server refuse truncated content
        with explain_refusal(self._artifact, self._repo, [self._path]):
            return self._artifact.http.write(
                "PUT", address, headers=headers, data=data, accept=accept, policy=IDEMPOTENT
            )


def _find_comparable(checksums: dict[str, str], item: Fields | None) -> dict[str, str]:
    """Return the checksums that the item has as well. If it has no checksums, its content is unknown: return all of
    them.
    """
    returned = (item or {}).get("checksums") or {}
    return {name: value for name, value in checksums.items() if returned.get(name)} or dict(checksums)


@contextlib.contextmanager
def explain_refusal(artifact: ArtifactService, repo: str, stored: t.Iterable[str]) -> t.Iterator[None]:
    """Replace the error of an upload that the server refuses without a reason, as it does for a missing repository.

    :arg stored: paths of all files to store
    :raises ToolchainError: if the repository does not exist or does not accept the upload
    """
    try:
        yield
    except ServerRefusal as refusal:
        if refusal.status == 403 and _NO_MESSAGE.search(refusal.text):
            queries.check_upload(artifact, repo, stored)
        raise


def predict_upload(
    artifact: ArtifactService, repo: str, stored: t.Iterable[str], new: str | None, may_be_missing: bool = False
) -> None:
    """Predict whether Artifactory accepts an upload, as far as read requests show it.

    :arg stored: paths of all files to store
    :arg new: path of the file or folder to create, `None` if it exists
    :arg may_be_missing: whether an earlier task may create the repository
    :raises ToolchainError: if Artifactory would refuse the upload
    """
    if may_be_missing and queries.find_if_visible(artifact, repo) is None:
        return
    target = queries.check_upload(artifact, repo, stored)
    if target is None:
        return
    for folder in paths.iter_parents(new or ""):
        kind = item_info.find_cached_type(artifact, target, folder)
        if kind == "file":
            raise ToolchainError(f"'{folder}' in '{repo}' is a file and cannot contain other items.")
        if kind:
            return


def _select_unsafe_properties(fields: Fields) -> Fields:
    """Return the properties whose keys or values cannot be sent in the URL of an upload."""
    return {key: values for key, values in fields.items() if not all(map(_URL_SAFE.fullmatch, (key, *(values or ()))))}


def _to_matrix_parameters(fields: Fields) -> str:
    """Return properties as matrix parameters of a URL.

    Each value needs its own parameter, because Artifactory reads `a=b,c` as one value. It decodes only values, so that
    a colon in a key must not be encoded.
    """
    pairs = ((key, value) for key, values in fields.items() for value in values)
    return "".join(f";{quote(key, safe=':')}={quote(value)}" for key, value in pairs)
