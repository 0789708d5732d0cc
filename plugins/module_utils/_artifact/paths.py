# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Paths of items: which ones Artifactory takes for another item, which ones it refuses to store, and their folders."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

_FORBIDDEN = re.compile(r'[?*|"]')


def misread(path: str) -> str | None:
    """Return why a request for a path would act on another item, or `None` if it acts on the item itself.

    A write or deletion with such a path overwrites, annotates or deletes an item that the path does not name. This
    holds for the key of a repository, too.
    """
    if "!" in path:
        return "'!' separates an archive from its members: Artifactory acts on the item before it"
    if path.rstrip("/").endswith(":properties"):
        return "':properties' stands for the properties of the item before it"
    if path != path.rstrip():
        return "Artifactory removes blanks at the end"
    return None


def unstorable(path: str) -> str | None:
    """Return why Artifactory stores no file at a path, or `None` if the path does not speak against it."""
    for name in path.split("/"):
        if found := _FORBIDDEN.search(name):
            return f"Artifactory refuses the character {found.group()} in a name"
        if name[:1].isspace() or name[-1:].isspace():
            return "Artifactory refuses names that begin or end with a blank"
        if name == "&":
            return "Artifactory refuses the name '&'"
    return None


def folders_above(path: str) -> t.Iterator[str]:
    """Yield the folders that contain a path, the innermost first."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def check(repo: str, path: str, *, repo_option: str = "repo", option: str = "path", stores: bool = False) -> None:
    """Check the place of a write or deletion.

    :arg repo: key of the repository, empty when the task has none
    :arg path: a path inside the repository, empty for the repository itself
    :arg stores: whether a file is stored there
    :raises BadOption: when the place cannot exist, or when Artifactory would act on another one
    """
    path = path.strip("/")
    if repo:
        _check(repo, repo_option, misread(repo))
    if path:
        _check(path, option, misread(path) or (unstorable(path) if stores else None))


def check_content(repo: str, path: str) -> None:
    """Check a place that is addressed by its content, by an upload, a download or a deletion.

    :raises BadOption: when the place cannot exist, or cannot be addressed
    """
    for option, place in (("repo", repo), ("path", path)):
        separated = "';' separates a path from properties: Artifactory acts on the item before it"
        _check(place, option, separated if ";" in place else None)


def _check(path: str, option: str, problem: str | None) -> None:
    for name in path.split("/"):
        if name in ("", ".", ".."):
            raise BadOption(option, f"'{name}' cannot be a part of a path")
    if problem:
        raise BadOption(option, f"cannot be '{path}': {problem}")
