# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script of the modules with configurations that asks for classes and permissions."""

from __future__ import annotations

from ..authorization import matrix_property
from ..authorization.strategies import find_permission
from ..call import Call
from ..scripts.known_scripts import Arguments, known_script
from .item_kinds import BY_ROOT

_TAGS = {
    "folder": matrix_property.FOLDER_PROPERTY,
    "job": matrix_property.JOB_PROPERTY,
    "node": matrix_property.NODE_PROPERTY,
}


@known_script("find unknown classes and permissions", read_only=True)
def _find_unknown(call: Call, args: Arguments) -> dict[str, list[str]]:
    """Return the classes that no plugin has, and the permissions that an object cannot have."""
    return {
        kind: [name for name in names if not (_has_class(call, name) if kind == "class" else _applies(name, kind))]
        for kind, names in args["names"].items()
    }


def _has_class(call: Call, name: str) -> bool:
    return call.plugins.provide(BY_ROOT[name]) if name in BY_ROOT else call.writer.has_class(name)


def _applies(name: str, kind: str) -> bool:
    permission = find_permission(name)
    return permission is not None and matrix_property.applies(permission, _TAGS[kind])
