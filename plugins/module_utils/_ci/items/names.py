# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Full names of items, such as `team/web/app`, and the rules that Jenkins has for the names of new items."""

from __future__ import annotations

import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.object_names import UNREADABLE, UNSAFE
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

_UNSAFE = re.compile(f"[{UNSAFE}]")
_UNREADABLE = re.compile(f"[{UNREADABLE}]")
# Jenkins stores each item in a directory of this name, and file systems refuse longer names
_MAX_BYTES = 255


def split(name: str) -> tuple[str, str]:
    """Return the full name of the folder that contains an item, empty for the root, and the last part of its name."""
    folder, _slash, last = name.rpartition("/")
    return folder, last


def join(folder: str, last: str) -> str:
    """Return the full name of an item in a folder, whose name is empty for the root."""
    return f"{folder}/{last}" if folder else last


def check_new_name(name: str, option: str) -> None:
    """Refuse the full name of a new item that Jenkins would refuse or change.

    :arg option: the option that the name comes from
    :raises BadOption: if a part of the name is invalid
    """
    for part in name.split("/"):
        if problem := _find_problem(part):
            raise BadOption(option, f"'{part}' is not a valid name in Jenkins: it must not {problem}")


def identify(name: str) -> str:
    """Return a full name for comparisons. Jenkins ignores the case of names at the root, but not of others."""
    root, slash, rest = name.partition("/")
    return root.lower() + slash + rest


def _find_problem(part: str) -> str | None:
    """Return what is wrong with one part of a name, or `None`."""
    if part in ("", ".", ".."):
        return "be empty, '.' or '..'"
    if part != part.strip():
        return "start or end with whitespace"
    if _UNREADABLE.search(part):
        return "contain control characters"
    if unsafe := _UNSAFE.search(part):
        return f"contain '{unsafe.group()}'"
    if part.endswith("."):
        return "end with '.'"
    if len(part.encode()) > _MAX_BYTES:
        return f"be longer than {_MAX_BYTES} bytes"
    return None
