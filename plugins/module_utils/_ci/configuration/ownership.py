# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configuration sources of a server, which own the members that they set.

Jenkins applies its sources at each start, at each reload and whenever configuration is applied. It would revert what a
module changes there.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.comparison import USERS, Path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import run_internal
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError

NODES = ("jenkins", "nodes")
_SCRIPT_NAME = "list the members that configuration sources set"
# Only names of members and users leave the server. Classes are loaded by name, because the plugin may be missing
_SCRIPT = r"""
def loader = jenkins.model.Jenkins.get().pluginManager.uberClassLoader
def load = { name -> loader.loadClass('io.jenkins.plugins.casc.' + name) }
def plugin
try {
    plugin = load('ConfigurationAsCode')
} catch (ClassNotFoundException missing) {
    return []
}
def registry = load('ConfiguratorRegistry')
// Groovy 2.4 does not call static methods of interfaces
def context = load('ConfigurationContext').getConstructor(registry).newInstance(registry.getMethod('get').invoke(null))
def yamlSource = load('yaml.YamlSource')
def yamlUtils = load('yaml.YamlUtils')
def resolve = { text -> context.getSecretSourceResolver().resolve(text) }
def casc = plugin.get()
// node.type would be a member of the configuration
def isMapping = { node -> node != null && node.getType().name() == 'MAPPING' }
def listUsers = { root ->
    def users = args.users.inject(root) { node, name -> isMapping(node) ? node.get(name) : null }
    return (users ?: []).collect { resolve(it.get('id').toString()).toLowerCase(Locale.ENGLISH) }
}
def listPaths
listPaths = { node, path ->
    if (node == null) {
        return []
    }
    if (!isMapping(node) || path.size() == 3) {
        return [path]
    }
    return node.collectMany { name, inner -> listPaths(inner, path + [name.toString()]) }
}
def files = casc.getSources().collectMany { name -> plugin.isSupportedURI(name) ? [name] : casc.configs(name) }
return files.collect { file ->
    def root = yamlUtils.loadFrom([yamlSource.of(file)], context)
    [name: file.toString(), paths: listPaths(root, []), users: listUsers(root)]
}
"""


class Source(t.NamedTuple):
    """A configuration source of the server.

    :ivar name: its path or URL on the server
    :ivar paths: the members that it sets, with at most three names each
    :ivar users: the users that it sets, in lower case. Jenkins does not change other users
    """

    name: str
    paths: frozenset[Path]
    users: frozenset[str] = frozenset()


def fetch_sources(ci: CiService) -> list[Source]:
    """Return the sources of the server. Without Overall/Administer they are not known, and the list is empty.

    :raises ToolchainError: if the server cannot read its sources
    """
    try:
        value = run_internal(ci, _SCRIPT_NAME, _SCRIPT, {"users": USERS}, read_only=True)
    except ServerRefusal as refusal:
        if refusal.status in (403, 404):
            return []
        raise
    return [Source(entry["name"], frozenset(map(tuple, entry["paths"])), frozenset(entry["users"])) for entry in value]


def refuse_owned_by(sources: t.Iterable[Source], path: Path, name: str) -> None:
    """Refuse to change a member if a source sets it, a part of it, or an object around it.

    :raises ToolchainError: if a source sets the member
    """
    for source in sources:
        if any(owned and all(one == other for one, other in zip(owned, path)) for owned in source.paths):
            raise _refusal(name, source, ".".join(path))


def _refusal(name: str, source: Source, member: str) -> ToolchainError:
    return ToolchainError(
        f"Cannot change {name}: the configuration source '{source.name}' of Jenkins sets '{member}', so Jenkins would "
        "revert the change. Change the source instead, or remove this member from it."
    )


class SharedSources:
    """The configuration sources of a server, requested once for all items of a task."""

    def __init__(self) -> None:
        self._values = SharedValues()

    def refuse_owned(self, ci: CiService, path: Path, name: str) -> None:
        """Refuse to change what a configuration source of the server sets.

        To be called before a write, also in check mode. Accounts without the permission Overall/Administer cannot read
        the sources and pass.

        :arg path: the member of the configuration that the write changes, such as `("jenkins", "nodes")`
        :arg name: what is changed, such as `node 'linux-1'`
        :raises ToolchainError: if a source sets the member
        """
        refuse_owned_by(self._fetch(ci), path, name)

    def refuse_user(self, ci: CiService, name: str) -> None:
        """Refuse to change a user that a configuration source of the server sets. See `refuse_owned`.

        :raises ToolchainError: if a source sets the user
        """
        for source in self._fetch(ci):
            if name.lower() in source.users:
                raise _refusal(f"user '{name}'", source, f"{'.'.join(USERS)}[{name}]")

    def list_users(self, ci: CiService) -> set[str]:
        """Return the users that configuration sources of the server set, in lower case."""
        return {user for source in self._fetch(ci) for user in source.users}

    def _fetch(self, ci: CiService) -> list[Source]:
        return self._values.get("sources", lambda: fetch_sources(ci))
