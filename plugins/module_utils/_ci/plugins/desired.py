# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The desired state of plugins, as specified by the user."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import manifest, plugins_file
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.manifest import SUFFIXES, PluginFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.plugins_file import LATEST, Entry
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import SHORT_NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, check_limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec, find_passwords
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Jenkins interprets the text after a dot as the name of an update site
_VERSION = ("[^@#;?/\\\\%\"'<>&\\s]+", "a version number, such as 5.2.1")

PLUGIN_SPEC = ArgumentSpec(
    dict(
        name=dict(type="str", required=True, matches=SHORT_NAME),
        version=dict(type="str", narrows_scope=True, matches=_VERSION),
        exact=dict(type="bool", default=False),
        state=dict(type="str", choices=["present", "enabled", "disabled", "absent"], default="present"),
        src=dict(type="path", narrows_scope=True, not_empty=True),
        url=dict(type="str", address=True, narrows_scope=True, **NAME),
    )
)


class DesiredPlugin(t.NamedTuple):
    """The desired state of a plugin.

    :ivar minimum: minimum version
    :ivar is_latest: whether the version of the update site is desired
    :ivar exact: exact version
    :ivar enabled: whether it is enabled; `None` for either
    :ivar file: the file to upload
    :ivar url: the URL from which the server downloads the file
    """

    name: str
    minimum: str | None
    is_latest: bool
    exact: str | None
    is_absent: bool
    enabled: bool | None
    file: PluginFile | None
    url: str | None

    @property
    def needs_installation(self) -> bool:
        """Whether the plugin must be installed; a disabled plugin must exist already."""
        return not self.is_absent and self.enabled is not False


def parse_desired(task: Task) -> list[DesiredPlugin]:
    """Return the plugins of the options `plugins` and `plugins_file`.

    :raises BadOption: if options contradict each other, or a file is invalid or is not the plugin
    """
    path = task.params["plugins_file"]
    desired = [
        _parse_plugin(plugin, f"plugins[{number}]") for number, plugin in enumerate(task.params["plugins"] or ())
    ]
    places: dict[str, str] = {}
    for number, plugin in enumerate(desired):
        if plugin.name in places:
            raise BadOption(f"plugins[{number}].name", f"must be unique: '{plugin.name}' occurs twice")
        places[plugin.name] = f"plugins[{number}]"
    for entry in plugins_file.read_entries(path, "plugins_file") if path is not None else ():
        if entry.name in places:
            raise BadOption("plugins_file", f"{entry.place}: '{entry.name}' is already in {places[entry.name]}")
        places[entry.name] = entry.place
        for password in find_passwords(entry.url or ""):
            task.register_secret(password)
        desired.append(_parse_entry(entry))
    if task.params["undeclared"] != "keep" and all(plugin.is_absent for plugin in desired):
        raise BadOption("undeclared", "must be 'keep' unless at least one plugin should exist. List such a plugin")
    return desired


def _parse_entry(entry: Entry) -> DesiredPlugin:
    """Return the plugin of a file. The file names the exact version."""
    is_exact = entry.version not in (None, LATEST)
    plugin = {
        "name": entry.name,
        "version": entry.version,
        "exact": is_exact,
        "state": "present",
        "src": None,
        "url": entry.url,
    }
    try:
        check_limits(PLUGIN_SPEC.options, plugin)
        return _parse_plugin(plugin, "")
    except BadOption as error:
        option = error.option.removeprefix(".")
        raise BadOption("plugins_file", f"{entry.place} is invalid: the {option} {error.problem}") from None


def _parse_plugin(plugin: dict[str, t.Any], path: str) -> DesiredPlugin:
    _check_combination(plugin, path)
    name, version, src, state = (plugin[key] for key in ("name", "version", "src", "state"))
    file = None if src is None else _read_file(src, name, version, f"{path}.src")
    if file:
        version = file.version
    exact = version if plugin["exact"] or file or plugin["url"] else None
    return DesiredPlugin(
        name=name,
        minimum=None if exact or version == LATEST else version,
        is_latest=version == LATEST,
        exact=exact,
        is_absent=state == "absent",
        enabled={"enabled": True, "disabled": False}.get(state),
        file=file,
        url=plugin["url"],
    )


def _check_combination(plugin: dict[str, t.Any], path: str) -> None:
    """Check that the options of a plugin do not contradict each other."""
    version, src, url, state = (plugin[key] for key in ("version", "src", "url", "state"))
    if state in ("absent", "disabled"):
        for option in ("version", "src", "url"):
            if plugin[option] is not None:
                raise BadOption(f"{path}.{option}", f"cannot be combined with state={state}")
    if src is not None and url is not None:
        raise BadOption(f"{path}.src", "cannot be combined with 'url'")
    has_version = version not in (None, LATEST)
    if url is not None and not (has_version and url.endswith(SUFFIXES)):
        raise BadOption(f"{path}.url", "must be the URL of a .hpi or .jpi file and requires its 'version'")
    if plugin["exact"] and src is None and not has_version:
        raise BadOption(f"{path}.exact", "requires a version in 'version'")


def _read_file(path: str, name: str, version: str | None, option: str) -> PluginFile:
    """Read a plugin file, which must contain this plugin in this version."""
    file = manifest.read_plugin_file(path, option)
    if file.name != name or not file.version or version not in (None, file.version):
        expected = " ".join(filter(None, (name, version)))
        raise BadOption(option, f"must be {expected}, but '{path}' is the plugin {file.name} {file.version}")
    return file
