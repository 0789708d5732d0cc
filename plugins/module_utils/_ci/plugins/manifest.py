# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plugin files (.hpi, .jpi) and their manifests."""

from __future__ import annotations

import typing as t
import zipfile
import zlib

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable

SUFFIXES = (".hpi", ".jpi")
_MANIFEST = "META-INF/MANIFEST.MF"
_MAX_MANIFEST = 1024 * 1024
_OPTIONAL = "resolution:=optional"


class Dependency(t.NamedTuple):
    """A plugin that another plugin depends on.

    :ivar version: minimum version
    :ivar optional: whether the other plugin loads without it
    """

    name: str
    version: str
    optional: bool


class PluginFile(t.NamedTuple):
    """A plugin file.

    :ivar name: short name
    :ivar core: minimum version of Jenkins, if the manifest has one
    """

    path: str
    name: str | None
    version: str | None
    core: str | None
    dependencies: list[Dependency]


def read_plugin_file(path: str, option: str) -> PluginFile:
    """Read the manifest of a plugin file.

    :arg option: the option that the path comes from
    :raises BadOption: if it is not a plugin
    """
    check_readable(path, option)
    if not path.endswith(SUFFIXES):
        raise BadOption(option, f"must be a .hpi or .jpi file, not '{path}'")
    try:
        with zipfile.ZipFile(rehearsal.resolve_read(path)) as archive, archive.open(_MANIFEST) as member:
            text = member.read(_MAX_MANIFEST).decode("utf-8", "replace")
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, OSError, RuntimeError, NotImplementedError):
        raise BadOption(option, f"must be a plugin, but '{path}' is not an archive with a manifest") from None
    attributes = _parse_attributes(text)
    try:
        dependencies = [
            _parse_dependency(entry) for entry in attributes.get("Plugin-Dependencies", "").split(",") if entry
        ]
    except ValueError as error:
        raise BadOption(option, f"must be a plugin, but in '{path}' the dependency '{error}' has no version") from None
    core = attributes.get("Jenkins-Version") or attributes.get("Hudson-Version")
    return PluginFile(path, attributes.get("Short-Name"), attributes.get("Plugin-Version"), core, dependencies)


def _parse_attributes(manifest: str) -> dict[str, str]:
    """Return the main attributes, up to the first empty line. A line that starts with a blank continues another."""
    main = manifest.replace("\r\n", "\n").replace("\n ", "").partition("\n\n")[0]
    return {name: value.strip() for name, colon, value in (line.partition(": ") for line in main.splitlines()) if colon}


def _parse_dependency(entry: str) -> Dependency:
    """Return a dependency.

    :raises ValueError: if the entry has no version
    """
    name, _colon, version = entry.partition(";")[0].strip().partition(":")
    if not (name and version):
        raise ValueError(entry.strip())
    return Dependency(name, version, _OPTIONAL in entry)
