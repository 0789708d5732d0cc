# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files during a rehearsal: tasks write to copies, and read the copy of a file if there is one."""

from __future__ import annotations

import glob
import os
import shutil
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError

# URL of the sandbox that replaces the services
URL_VARIABLE = "TOOLCHAIN_REHEARSAL_URL"
# Directory of the copies, which have the paths of the files
COPIES_VARIABLE = "TOOLCHAIN_REHEARSAL_FILES"


def resolve_write(path: str, copy_content: bool = False) -> str:
    """Return the path to write in place of a file or directory. Outside a rehearsal, this is the path itself.

    If the parent directory exists, the parent directory of the copy exists afterwards.

    :arg copy_content: whether the copy starts with the content of the file, because the caller appends to it
    :raises ToolchainError: if the rehearsal has no directory for copies, or the copy cannot be made
    """
    if not os.environ.get(URL_VARIABLE):
        return path
    root, real = _root(), os.path.realpath(path)
    if not root:
        raise ToolchainError(
            f"This is a rehearsal, and its directory for copies ({COPIES_VARIABLE}) is missing, so '{path}' is "
            "not written."
        )
    copy = _copy(root, real)
    try:
        if os.path.isdir(os.path.dirname(real)):
            os.makedirs(os.path.dirname(copy), mode=0o700, exist_ok=True)
        if copy_content and os.path.isfile(real) and not os.path.lexists(copy):
            shutil.copyfile(real, copy)
    except OSError as error:
        raise ToolchainError(f"This is a rehearsal, and '{path}' cannot be copied: {error.strerror}.") from None
    return copy


def resolve_read(path: str) -> str:
    """Return the path to read in place of a file or directory: in a rehearsal that of the copy, if there is one.

    An existing directory is read itself, because its copy contains only the files that the rehearsal wrote.
    """
    root = _root()
    if not root:
        return path
    copy = _copy(root, os.path.realpath(path))
    return copy if os.path.lexists(copy) and not (os.path.isdir(copy) and os.path.isdir(path)) else path


def holds_production_secret(path: str) -> bool:
    """Return whether a file contains a production secret: in a rehearsal, any secret that it did not store itself."""
    return bool(os.environ.get(URL_VARIABLE)) and resolve_read(path) == path


def find_copies(pattern: str, directory: str) -> t.Iterator[str]:
    """Yield the paths of files that match a pattern and have copies.

    :arg directory: the part of the pattern that precedes the first wildcard
    """
    root = _root()
    if root:
        copied = _copy(root, os.path.realpath(directory))
        below = os.path.relpath(pattern, directory or os.curdir)
        for path in glob.iglob(os.path.join(glob.escape(copied), below), recursive=True):
            yield os.path.join(directory, os.path.relpath(path, copied))


def _root() -> str | None:
    """Return the directory of the copies, or `None` outside a rehearsal and after its end."""
    directory = os.environ.get(COPIES_VARIABLE) if os.environ.get(URL_VARIABLE) else None
    return os.path.realpath(directory) if directory and os.path.isdir(directory) else None


def _copy(root: str, real: str) -> str:
    return real if os.path.commonpath((root, real)) == root else root + real
