# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parsing and validation of the targets of content requests: `/{repo}[;k=v]/{path}[!{entry}][;k=v]`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import unquote, unquote_plus

from ..items.tree import Tree, parent_path
from ..protocol.errors import ApiError, ArtifactError
from ..protocol.formats import encode_path

METADATA_SEPARATOR = ":"
PROPERTIES_SUFFIX = ":properties"
# The servlet container removes path parameters before it validates a path.
PATH_PARAMETERS = re.compile(r";[^/]*")
MALFORMED_ENCODING = re.compile(r"\\|%5c|%00|%(?![0-9a-f]{2})", re.IGNORECASE)
INVALID_CHARACTERS = '\\|:*?"'


@dataclass(frozen=True)
class ContentPath:
    """A path in a repository.

    `path` has no leading or trailing slash and no empty segments; `original_path` keeps the empty segments of the
    request. `entry` is the part after `!`: downloads read this entry of an archive, all other calls act on the file
    before the `!`. `properties` are the matrix parameters.
    """

    repo: str
    path: str
    is_folder: bool = False
    entry: str | None = None
    properties: dict[str, list[str]] = field(default_factory=dict)
    original_path: str = ""

    @property
    def is_metadata(self) -> bool:
        """Whether the name contains the colon of the old notation for metadata."""
        return METADATA_SEPARATOR in self.name

    @property
    def name(self) -> str:
        """The last segment of the path."""
        return self.path[self.path.rfind("/") + 1 :]

    def __str__(self) -> str:
        """Return the path in the format of messages."""
        return f"{self.repo}:{self.path}"


def parse_target(target: str, resolves_dots: bool = False) -> ContentPath:
    """Parse an encoded target.

    Matrix parameters of the repository segment apply to the item as well. Their values are decoded, their keys are
    not.

    :arg resolves_dots: whether the version removes segments `.`, and ignores a slash after matrix parameters
    """
    key, slash, rest = target.partition("/")
    properties: dict[str, list[str]] = {}
    repo = unquote(_strip_parameters(key, properties))
    if resolves_dots:
        rest = _resolve_dots(rest)
        target = key + slash + rest.partition(";")[0]
    path_part = _strip_parameters(rest.removesuffix("/"), properties)
    path, mark, entry = unquote(path_part).partition("!")
    if not path:
        path, mark = mark + entry, ""
    is_folder = target.endswith("/") or path_part.endswith("/")
    entry_name = entry.removeprefix("/") if mark else None
    return ContentPath(repo, _normalize(path), is_folder, entry_name, properties, path.strip("/").rstrip())


def strip_browser_prefix(path: str) -> str:
    """Return the path without the prefixes `/list` and `/simple` of legacy browsers."""
    for prefix in ("/list/", "/simple/"):
        if path.startswith(prefix):
            return path[len(prefix) - 1 :]
    return path


def folder_redirect_url(base: str, raw_path: str) -> str:
    """Return the URL that a folder request is redirected to: its path without parameters, with a slash."""
    path = unquote(PATH_PARAMETERS.sub("", raw_path))
    return f"{base}{encode_path(path.removeprefix('/artifactory'))}/"


def strip_metadata_suffix(path: str) -> str:
    """Return the path of an item without a metadata suffix in the old notation."""
    folder, slash, name = path.rpartition("/")
    return folder + slash + (name.rpartition(METADATA_SEPARATOR)[0] or name)


def validate_encoding(raw_path: str) -> None:
    """Fail as the servlet container does if the path has backslashes, NUL or malformed percent-encoding."""
    if MALFORMED_ENCODING.search(PATH_PARAMETERS.sub("", raw_path)):
        raise ApiError(400)


def validate_storable(items: Tree, repo: str, path: str) -> None:
    """Fail if the server cannot store a file at a path.

    The server first looks for a file in place of a parent folder, ignoring trailing blanks of names.
    """
    try:
        validate_names(repo, path)
    except ArtifactError:
        trimmed = "/".join(name.rstrip() for name in path.split("/"))
        obstacle = items.find_obstacle(repo, parent_path(trimmed) or "", folder=True)
        if obstacle is not None:
            raise conflict_error(repo, trimmed, obstacle) from None
        raise


def validate_names(repo: str, path: str) -> None:
    """Fail if a name in the path is invalid. Folders are checked from the top."""
    *folders, _name = parts = path.split("/")
    for number, name in enumerate(parts):
        slash = "/" if number < len(folders) else ""
        _validate_name(name, f"{repo}/{'/'.join(parts[: number + 1])}{slash}")


def conflict_error(repo: str, path: str, obstacle: str, original_path: str | None = None) -> ArtifactError:
    """Return the error for a file whose path is a folder or whose parent is a file at `obstacle`.

    `original_path` is the path in the notation of the request.
    """
    if obstacle == path:
        return ArtifactError(500, f"Expected a file but found a folder, at: {repo}:{original_path or path}")
    return ArtifactError(400, f"Parent {parent_path(path)} must be a folder")


def _validate_name(name: str, full_path: str) -> None:
    invalid = next((character for character in name if character in INVALID_CHARACTERS), None)
    if invalid:
        raise ArtifactError(500, f"Invalid path. '{invalid}' is not a valid name character: {full_path}")
    if name[:1].isspace():
        raise ArtifactError(500, f"Path cannot have a space after a slash: {full_path}")
    if name[-1:].isspace():
        raise ArtifactError(500, f"Path cannot have a slash after a space: {full_path}")
    if name and not name.strip("."):
        raise ArtifactError(500, f"Path element cannot end with a dot: {full_path}")
    if name and not name.strip("&"):
        raise ArtifactError(500, f"Path cannot have single ampersand: {full_path}")


def _resolve_dots(path: str) -> str:
    """Return the path without segments `.` before its parameters. The server leaves every other one of several."""
    path, semicolon, parameters = path.partition(";")
    path = path.replace("/./", "/")
    if path.endswith("/."):
        path = path.replace("/.", "/")
    return ("/" if path == "./" else path) + semicolon + parameters


def _normalize(path: str) -> str:
    return "/".join(filter(None, path.split("/"))).rstrip()


def _strip_parameters(part: str, properties: dict[str, list[str]]) -> str:
    """Return a part of the target without its matrix parameters, which are added to `properties`."""
    stripped, *parameters = part.split(";")
    for parameter in filter(None, parameters):
        name, _equals, value = parameter.partition("=")
        if name:
            properties.setdefault(name, []).append(unquote_plus(value))
        else:
            properties.setdefault(parameter, []).append("")
    return stripped
