# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Validate paths: which ones Artifactory interprets as another item, and which ones it does not store."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

_FORBIDDEN = re.compile(r'[?*|"]')


def explain_misread(path: str) -> str | None:
    """Return why a request with this path would affect another item, or `None` if it affects the item itself.

    A write or delete request with such a path would overwrite, annotate or delete an item that the path does not name.
    This also applies to repository keys.
    """
    if "!" in path:
        return "'!' separates an archive from its members, so that Artifactory acts on the item before it"
    if path.rstrip("/").endswith(":properties"):
        return "':properties' refers to the properties of the item before it"
    if path != path.rstrip():
        return "Artifactory removes trailing spaces"
    return None


def explain_unstorable(path: str) -> str | None:
    """Return why Artifactory cannot store a file at this path, or `None` if the path is valid."""
    for name in path.split("/"):
        if match := _FORBIDDEN.search(name):
            return f"Artifactory refuses the character {match.group()} in a name"
        if name[:1].isspace() or name[-1:].isspace():
            return "Artifactory refuses names that begin or end with a space"
        if name == "&":
            return "Artifactory refuses the name '&'"
    return None


def iter_parents(path: str) -> t.Iterator[str]:
    """Yield the folders that contain a path, innermost first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def check_path(
    repo: str, path: str, *, repo_option: str = "repo", option: str = "path", is_stored: bool = False
) -> None:
    """Validate the path of a write or delete request.

    :arg repo: repository key, empty if not set
    :arg path: path in the repository, empty for the repository itself
    :arg stores: whether a file will be stored at the path
    :raises BadOption: if the path is invalid or Artifactory would interpret it as another item
    """
    path = path.strip("/")
    if repo:
        _check_names(repo, repo_option, explain_misread(repo))
    if path:
        _check_names(path, option, explain_misread(path) or (explain_unstorable(path) if is_stored else None))


def check_content_path(repo: str, path: str) -> None:
    """Validate a path that is used to upload, download or delete an item.

    :raises BadOption: if the path is invalid or cannot be part of a URL
    """
    for option, place in (("repo", repo), ("path", path)):
        separated = "';' separates a path from properties, so that Artifactory acts on the item before it"
        _check_names(place, option, separated if ";" in place else None)


def _check_names(path: str, option: str, problem: str | None) -> None:
    for name in path.split("/"):
        if name in ("", ".", ".."):
            raise BadOption(option, f"'{name}' is not a valid part of a path")
    if problem:
        raise BadOption(option, f"cannot be '{path}': {problem}")
