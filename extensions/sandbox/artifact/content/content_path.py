# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The targets of content requests, `/{repo}[;k=v]/{path}[!{entry}][;k=v]`, as the server reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, unquote_plus

from ..items.tree import Tree, parent_path
from ..protocol.errors import ApiError, ArtifactError
from ..protocol.formats import encode_path

METADATA = ":"
PROPERTIES = ":properties"
# Path parameters are removed before the servlet container checks a path.
PARAMETERS = re.compile(r";[^/]*")
MALFORMED = re.compile(r"\\|%5c|%00|%(?![0-9a-f]{2})", re.IGNORECASE)
REFUSED_CHARACTERS = '\\|:*?"'


@dataclass(frozen=True)
class ContentPath:
    """A place in a repository.

    `path` has no slash at either end and no empty parts; `written` has the empty parts that the client wrote. `entry`
    follows a `!`: only downloads read it, all other calls act on the file before the `!`. `properties` are the matrix
    parameters.
    """

    repo: str
    path: str
    is_folder: bool = False
    entry: str | None = None
    properties: dict[str, list[str]] = field(default_factory=dict)
    written: str = ""

    @property
    def is_metadata(self) -> bool:
        """Whether the name has the colon of the old notation for metadata."""
        return METADATA in self.name

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path[self.path.rfind("/") + 1 :]

    def __str__(self) -> str:
        return f"{self.repo}:{self.path}"


def parse(target: str) -> ContentPath:
    """Read a target that is still encoded.

    Matrix parameters of the repository's part belong to the item as well. Their values are decoded, their keys are not.
    """
    key, _slash, rest = target.partition("/")
    properties: dict[str, list[str]] = {}
    repo = unquote(_without_parameters(key, properties))
    clean = _without_parameters(rest.removesuffix("/"), properties)
    path, mark, entry = unquote(clean).partition("!")
    if not path:
        path, mark = mark + entry, ""
    is_folder = target.endswith("/") or clean.endswith("/")
    inside = entry.removeprefix("/") if mark else None
    return ContentPath(repo, _normalized(path), is_folder, inside, properties, path.strip("/").rstrip())


def strip_browser_prefix(path: str) -> str:
    """Return the path of a request without the prefixes of the old browsers, which lead to the same content."""
    for prefix in ("/list/", "/simple/"):
        if path.startswith(prefix):
            return path[len(prefix) - 1 :]
    return path


def folder_redirect_url(base: str, raw_path: str) -> str:
    """Return where a request for a folder is sent: to its own path, without parameters, with a slash."""
    path = unquote(PARAMETERS.sub("", raw_path))
    return f"{base}{encode_path(path.removeprefix('/artifactory'))}/"


def strip_metadata_suffix(path: str) -> str:
    """Return the path of the item whose metadata a path names in the old notation."""
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(METADATA)[0] or name)


def check_encoding(raw_path: str) -> None:
    """Refuse what the servlet container refuses: backslashes, NUL, broken percent-encoding."""
    if MALFORMED.search(PARAMETERS.sub("", raw_path)):
        raise ApiError(400)


def check_storable(items: Tree, repo: str, path: str) -> None:
    """Refuse a path at which the server cannot store a file.

    The server ignores blanks at the ends of names when it looks for a file in the way, and does so first.
    """
    try:
        check_names(repo, path)
    except ArtifactError:
        trimmed = "/".join(name.rstrip() for name in path.split("/"))
        place = items.find_obstacle(repo, parent_path(trimmed) or "", folder=True)
        if place is not None:
            raise conflict(repo, trimmed, place) from None
        raise


def check_names(repo: str, path: str) -> None:
    """Refuse names that the server cannot store; folders are checked from the top, and shown with a slash."""
    *folders, _name = parts = path.split("/")
    for number, part in enumerate(parts):
        end = "/" if number < len(folders) else ""
        _check_name(part, f"{repo}/{'/'.join(parts[: number + 1])}{end}")


def conflict(repo: str, path: str, place: str, written: str | None = None) -> ArtifactError:
    """Return the refusal of a file because of what is stored at a place: a folder at its path, or a file above it.

    `written` is the path as the client wrote it.
    """
    if place == path:
        return ArtifactError(500, f"Expected a file but found a folder, at: {repo}:{written or path}")
    return ArtifactError(400, f"Parent {parent_path(path)} must be a folder")


def _check_name(name: str, shown: str) -> None:
    refused = next((character for character in name if character in REFUSED_CHARACTERS), None)
    if refused:
        raise ArtifactError(500, f"Invalid path. '{refused}' is not a valid name character: {shown}")
    if name[:1].isspace():
        raise ArtifactError(500, f"Path cannot have a space after a slash: {shown}")
    if name[-1:].isspace():
        raise ArtifactError(500, f"Path cannot have a slash after a space: {shown}")
    if name and not name.strip("."):
        raise ArtifactError(500, f"Path element cannot end with a dot: {shown}")
    if name and not name.strip("&"):
        raise ArtifactError(500, f"Path cannot have single ampersand: {shown}")


def _normalized(path: str) -> str:
    return "/".join(filter(None, path.split("/"))).rstrip()


def _without_parameters(part: str, properties: dict[str, list[str]]) -> str:
    """A part of the target without its matrix parameters, which are added to the properties."""
    clean, *parameters = part.split(";")
    for parameter in filter(None, parameters):
        name, _equals, value = parameter.partition("=")
        if name:
            properties.setdefault(name, []).append(unquote_plus(value))
        else:
            properties.setdefault(parameter, []).append("")
    return clean
