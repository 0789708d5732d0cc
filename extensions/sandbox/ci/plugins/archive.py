# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Manifests of plugin files."""

from __future__ import annotations

import zipfile
from typing import Any, BinaryIO

MANIFEST = "META-INF/MANIFEST.MF"
MAX_MANIFEST_SIZE = 1024 * 1024  # bytes

# Members of a manifest: name, version, long_name, dependencies ([{name, version, optional}]),
# required_core_version, minimum_java_version, supports_dynamic_load, url, and broken (why its code cannot be loaded).
Archive = dict[str, Any]

_MEMBERS = {
    "Short-Name": "name",
    "Plugin-Version": "version",
    "Long-Name": "long_name",
    "Jenkins-Version": "required_core_version",
    "Minimum-Java-Version": "minimum_java_version",
    "Url": "url",
}
_DYNAMIC = {"true": "YES", "false": "NO"}


def read_manifest(file: BinaryIO) -> Archive:
    """Return the manifest of a plugin file.

    :raises ValueError: if it is not a plugin
    """
    try:
        with zipfile.ZipFile(file) as archive, archive.open(MANIFEST) as manifest:
            attributes = _attributes(manifest.read(MAX_MANIFEST_SIZE).decode())
        members: Archive = {member: attributes[name] for name, member in _MEMBERS.items() if name in attributes}
        dependencies = attributes.get("Plugin-Dependencies", "")
        return {
            "long_name": members["name"],
            **members,
            "dependencies": [_dependency(entry) for entry in dependencies.split(",") if entry],
            "supports_dynamic_load": _DYNAMIC.get(attributes.get("Support-Dynamic-Loading", ""), "MAYBE"),
        }
    except (zipfile.BadZipFile, KeyError, UnicodeDecodeError) as error:
        raise ValueError(f"no plugin: {error}") from error


def _attributes(manifest: str) -> dict[str, str]:
    lines = manifest.replace("\r\n", "\n").replace("\n ", "").splitlines()
    return dict(line.split(": ", 1) for line in lines if ": " in line)


def _dependency(entry: str) -> dict[str, Any]:
    name, version = entry.split(";")[0].split(":")
    return {"name": name, "version": version, "optional": "resolution:=optional" in entry}
