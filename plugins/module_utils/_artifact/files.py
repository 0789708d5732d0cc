# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files as they are deployed into a repository, and removed from it."""

from __future__ import annotations

import functools
import os
import re
import typing as t
from urllib.parse import quote

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import (
    items,
    paths,
    properties,
    repositories,
    snapshots,
)
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

# What an item has in the result, known already or not
MEMBERS = (
    *("repo", "path", "type", "size", "checksums", "mime_type", "download_uri"),
    *("created", "created_by", "modified", "modified_by"),
)
DEPLOYED = (200, 201, 202)
# In an address the server splits properties at these before and after it decodes them
_PLAIN = re.compile(r"[\w.:/@-]*", re.ASCII)
_NO_REPOSITORY = "Could not find a local repository"
# A file of such a name is no item: the server takes it for a checksum of the file without it
_CHECKSUM = re.compile(r".+\.(sha1|sha256|md5)")
_HELD = (
    "Items are removed from the repository that holds them: a local one, or the cache of a remote one ('<key>-cache')."
)
_NOTHING_THERE = "Nothing to delete"


def check(params: Fields) -> None:
    """
    :raises BadOption: when the options of one file cannot work
    """
    path = placed(params)
    if not path:
        raise BadOption("path", "takes a file or folder inside of the repository, not the repository itself")
    if params["state"] == "present" and _CHECKSUM.fullmatch(path):
        name = os.path.basename(path)
        raise BadOption(
            "path", f"'{name}' is no file to the server, which tells the checksums of files under such names"
        )
    properties.normalised(params["properties"] or {}, "properties")
    if params["state"] == "present" and params["src"] is not None:
        if is_pattern(params["src"]):
            raise BadOption("src", f"there is no '{params['src']}'; a pattern belongs into 'items'")
        check_readable(params["src"], "src")
    paths.check_content(params["repo"], path)
    paths.check(params["repo"], path, stores=params["state"] == "present")


def placed(params: Fields) -> str:
    """The path of the file in the repository; in a folder it has the name that it has here."""
    path = params["path"]
    if params["state"] == "present" and path.endswith("/") and params["src"]:
        path += os.path.basename(params["src"])
    elif params["state"] == "present" and path.endswith("/"):
        raise BadOption("path", "ends with a slash, as only a folder for 'src' does")
    return path.strip("/")


def expanded(params: Fields) -> list[Fields]:
    """For a pattern, what differs for each of the files that it matches; otherwise one without a difference.

    :raises BadOption: when it matches none
    """
    src, folder = params["src"], params["path"]
    if params["state"] == "absent" or not src or not is_pattern(src):
        return [{}]
    if not folder.endswith("/"):
        raise BadOption("path", f"must end with a slash, for '{src}' stands for several files, which need a folder")
    found = find_files(src)
    if not found:
        raise BadOption("src", f"'{src}' matches no file")
    return [{"src": path, "path": folder + below} for path, below in found.items()]


def location(params: Fields) -> tuple[str, str]:
    """What no two of many files may have in common."""
    return params["repo"], placed(params)


class File:
    """A file of a repository, or a folder when it is to be removed, and what it shall be."""

    def __init__(self, task: Task) -> None:
        check(task.params)
        self._task = task
        self._artifact = ArtifactService(task)
        self._repo = task.params["repo"]
        self._path = placed(task.params)
        self._current_path = self._path
        self._exists = False
        self._is_upload = False
        self._stored_path: str | None = None  # known after an upload
        self._properties = properties.normalised(task.params["properties"] or {}, "properties")
        self._content: Fields = {}

    def read(self) -> Fields | None:
        """The item as it is; with its properties when they matter."""
        item = self._find()
        self._current_path = item["path"] if item else self._path
        self._exists = item is not None
        self._drop_missing_checksums(item)
        if item and self._properties and self._task.params["state"] == "present":
            item["properties"] = self._artifact.properties_if_any(self._repo, item["path"]) or {}
        return item

    def _drop_missing_checksums(self, item: Fields | None) -> None:
        """Compare an upload only with the checksums that the server returns. Old versions know no SHA-256."""
        compared = self._content.get("checksums", {})
        for name in compared.keys() - _find_comparable(compared, item).keys():
            del compared[name]

    def _find(self) -> Fields | None:
        """Return the item, for an upload also a Maven snapshot that Artifactory stored under another name."""
        item = items.find(self._artifact, self._repo, self._stored_path or self._path)
        if item is None and not self._stored_path and self._task.params["state"] == "present":
            renamed = snapshots.find_renamed(self._artifact, self._repo, self._path)
            return items.find(self._artifact, self._repo, renamed) if renamed else None
        return item

    def desired(self, before: Fields | None) -> Fields:
        """Return the desired file: its content by the checksums that the server returns, and its properties."""
        checksums = _find_comparable(self._source.checksums, before)
        self._content = {"type": "file", "size": self._source.size, "checksums": checksums}
        if not self._properties:
            return self._content
        return {
            **self._content,
            "properties": {key: value for key, value in self._properties.items() if value or before},
        }

    def stale(self, before: Fields) -> str | None:
        """Why it must be deployed again, with all that belongs to it: with the old content the old properties go."""
        return "its content is another" if find_differences(before, self._content) else None

    def check(self, before: Fields | None, wanted: Fields | None) -> None:
        """
        :raises ToolchainError: when a folder is in the way, or would go with all that is in it, or when properties
            that need another request than the upload would be refused
        """
        self._is_upload = "type" in (wanted or {})
        odd = _odd_properties((wanted or {}).get("properties") or {})
        if odd and self._is_upload:
            self._artifact.check_pro(f"The property '{min(odd)}', whose key or value an upload cannot carry,")
        if before is None or before["type"] == "file":
            return
        if wanted is not None:
            raise ToolchainError(f"'{self._path}' in '{self._repo}' is a folder, so no file can be there.")
        if not self._task.params["recursive"]:
            raise ToolchainError(
                f"'{self._path}' in '{self._repo}' is a folder. "
                "To remove it with all that is in it, set 'recursive: true'."
            )

    def deploy(self, fields: Fields) -> None:
        """Deploy the content with its properties; those that an address cannot carry unharmed come right after it."""
        wanted = {key: values for key, values in fields.get("properties", {}).items() if values}
        late = _odd_properties(wanted)
        repo, self._stored_path = self._upload({key: values for key, values in wanted.items() if key not in late})
        if late:
            properties.write(self._artifact, repo, self._stored_path, late)

    def annotate(self, fields: Fields) -> None:
        """Set and remove properties."""
        properties.write(self._artifact, self._repo, self._current_path, fields["properties"])

    def delete(self) -> None:
        """Remove the item, with all that is in it."""
        address = self._artifact.content(self._repo, self._path)
        response = self._artifact.http.write("DELETE", address, accept=(200, 204, 404), policy=IDEMPOTENT)
        if response.status == 404 and _NOTHING_THERE not in response.text:
            raise ToolchainError(f"DELETE {address}: 404. {_HELD}")

    def predict_refusal(self) -> None:
        """
        :raises ToolchainError: when the server would refuse the upload or deletion
        """
        if self._is_upload:
            predict_upload(self._artifact, self._repo, [self._path], None if self._exists else self._path)
            return
        if self._task.params["state"] == "present":
            self._artifact.check_pro("Setting the properties of an existing item")
            return
        repository = repositories.find_if_visible(self._artifact, self._repo)
        if repository and repository["type"] in ("virtual", "remote"):
            raise ToolchainError(f"The repository '{self._repo}' is {repository['type']}. {_HELD}")

    def show(self, item: Fields) -> Fields:
        """The item with all members, `None` for what is not known yet."""
        shown = {name: item.get(name) for name in MEMBERS}
        shown.update(repo=item.get("repo", self._repo), path=item.get("path", self._path))
        return {**shown, "properties": item["properties"]} if "properties" in item else shown

    @functools.cached_property
    def _source(self) -> LocalFile | LocalText:
        """What is to be there, hashed once."""
        src = self._task.params["src"]
        if src is None:
            return LocalText.from_text(self._task.params["content"])
        return LocalFile.from_path(src, self._tell)

    def _tell(self, sent: int) -> None:
        self._task.report_progress(f"{sent / 2**20:,.0f} of {self._source.size / 2**20:,.0f} MiB sent", "sending")

    def _upload(self, simple: Fields) -> tuple[str, str]:
        """Upload the content and return the repository and path at which Artifactory stored it.

        The repository is another one for a virtual repository, the path for a Maven snapshot.

        The server is asked first whether it has the content already. That also tells what speaks against the
        deployment before anything large is sent.
        """
        address = self._artifact.content(self._repo, self._path) + _matrix(simple)
        headers = {f"X-Checksum-{name.capitalize()}": value for name, value in self._source.checksums.items()}
        response = self._put(address, {**headers, "X-Checksum-Deploy": "true"}, accept=(*DEPLOYED, 404))
        if _NO_REPOSITORY in response.text:
            raise ToolchainError(f"PUT {address}: 404 {response.server_message}")
        if response.status == 404:
            try:
                response = self._put(address, headers, data=self._source.data)
            except ServerRefusal as refusal:
                if refusal.status == 409:
                    self._source.check_unchanged()
                raise
        created = response.json_or_none()
        found = created if isinstance(created, dict) else {}
        repo, path = found.get("repo"), str(found.get("path")).strip("/")
        return (
            repo if isinstance(repo, str) else self._repo,
            path if snapshots.is_renamed(self._path, path) else self._path,
        )

    def _put(
        self, address: str, headers: dict[str, str], data: t.Any = None, accept: t.Container[int] = DEPLOYED
    ) -> Response:
        # a content that arrives in part only does not have these checksums: the server refuses it
        return self._artifact.http.write("PUT", address, headers=headers, data=data, accept=accept, policy=IDEMPOTENT)


def _find_comparable(checksums: dict[str, str], item: Fields | None) -> dict[str, str]:
    """Return the checksums that an item has as well. All of them if it has none: its content is unknown then."""
    returned = (item or {}).get("checksums") or {}
    return {name: value for name, value in checksums.items() if returned.get(name)} or dict(checksums)


def predict_upload(artifact: ArtifactService, repo: str, stored: t.Iterable[str], new: str | None) -> None:
    """Predict whether Artifactory takes an upload, as far as reads show it.

    :arg stored: the paths of all files to store
    :arg new: the file or folder to create with them, `None` if it exists
    :raises ToolchainError: when Artifactory would refuse the upload
    """
    target = repositories.check_upload(artifact, repo, stored)
    if target is None:
        return
    for folder in paths.folders_above(new or ""):
        kind = items.remembered_type(artifact, target, folder)
        if kind == "file":
            raise ToolchainError(f"'{folder}' in '{repo}' is a file, so nothing can be in it.")
        if kind:
            return


def _odd_properties(fields: Fields) -> Fields:
    """Return the properties whose keys or values the address of an upload cannot carry."""
    return {key: values for key, values in fields.items() if not all(map(_PLAIN.fullmatch, (key, *(values or ()))))}


def _matrix(fields: Fields) -> str:
    """Return properties as a part of an address.

    Each value has a pair of its own, because Artifactory takes `a=b,c` for one value. It decodes values only, so a
    colon in a key stays as it is.
    """
    pairs = ((key, value) for key, values in fields.items() for value in values)
    return "".join(f";{quote(key, safe=':')}={quote(value)}" for key, value in pairs)
