# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plugin that shall be so, as the user wrote it."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import plugin_file
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugin_file import ENDINGS, PluginFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec

LATEST = "latest"

# The server takes what follows a dot for the name of an update site
_SHORT_NAME = ("[A-Za-z0-9_-]+", "a short name: letters, digits, '-' and '_'")
_VERSION = ("[^@\"'<>&\\s]+", "a version number, such as 5.2.1")

WANTED = ArgumentSpec(
    dict(
        name=dict(type="str", required=True, matches=_SHORT_NAME),
        version=dict(type="str", narrows_scope=True, matches=_VERSION),
        exact=dict(type="bool", default=False),
        state=dict(type="str", choices=["present", "enabled", "disabled", "absent"], default="present"),
        src=dict(type="path", narrows_scope=True, not_empty=True),
        url=dict(type="str", address=True, narrows_scope=True, **NAME),
    )
)


class Wanted(t.NamedTuple):
    """A plugin that shall be so.

    :ivar minimum: the version that it shall have at least
    :ivar latest: whether it shall be the version that the site offers
    :ivar exactly: the version that it shall have
    :ivar enabled: whether it shall be enabled; `None` leaves that alone
    :ivar file: the file to upload
    :ivar url: where the server finds the file
    """

    name: str
    minimum: str | None
    latest: bool
    exactly: str | None
    absent: bool
    enabled: bool | None
    file: PluginFile | None
    url: str | None


def wanted(plugins: t.Sequence[dict[str, t.Any]]) -> list[Wanted]:
    """The plugins of the option `plugins`.

    :raises BadOption: where options contradict each other, or a file is no such plugin
    """
    found = [_wanted(plugin, f"plugins[{number}]") for number, plugin in enumerate(plugins)]
    seen: set[str] = set()
    for number, plugin in enumerate(found):
        if plugin.name in seen:
            raise BadOption(f"plugins[{number}].name", f"'{plugin.name}' is in the list already")
        seen.add(plugin.name)
    return found


def _wanted(plugin: dict[str, t.Any], path: str) -> Wanted:
    name, version, src, url, state = (plugin[key] for key in ("name", "version", "src", "url", "state"))
    if state in ("absent", "disabled"):
        for option in ("version", "src", "url"):
            if plugin[option] is not None:
                raise BadOption(f"{path}.{option}", f"does not go with state={state}")
    if src is not None and url is not None:
        raise BadOption(f"{path}.src", "does not go with 'url'")
    if url is not None and (version in (None, LATEST) or not url.endswith(ENDINGS)):
        raise BadOption(f"{path}.url", "takes the address of a file .hpi or .jpi, and needs its version in 'version'")
    if plugin["exact"] and src is None and version in (None, LATEST):
        raise BadOption(f"{path}.exact", "needs a version in 'version'")
    file = None if src is None else _read_file(src, name, version, f"{path}.src")
    if file:
        version = file.version
    exactly = version if plugin["exact"] or file or url else None
    return Wanted(
        name=name,
        minimum=None if exactly or version == LATEST else version,
        latest=version == LATEST,
        exactly=exactly,
        absent=state == "absent",
        enabled={"enabled": True, "disabled": False}.get(state),
        file=file,
        url=url,
    )


def _read_file(path: str, name: str, version: str | None, option: str) -> PluginFile:
    """The plugin's file, which must be of the plugin and the version that are asked for."""
    file = plugin_file.read(path, option)
    if file.name != name or not file.version or version not in (None, file.version):
        raise BadOption(
            option, f"'{path}' is the plugin {file.name} {file.version}, not {' '.join(filter(None, (name, version)))}"
        )
    return file
