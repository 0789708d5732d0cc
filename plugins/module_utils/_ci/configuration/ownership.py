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
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.comparison import USERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.forms import Path
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import ask_if_permitted
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError

NODES = ("jenkins", "nodes")
_SCRIPT_NAME = "list the members that configuration sources set"
# Only names of members and users leave the server. Classes are loaded by name, because the plugin may be missing
_SCRIPT = r"""
def server = jenkins.model.Jenkins.get()
def loader = server.pluginManager.uberClassLoader
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
// Sources of the next start, reload or application. getSources() lists those of the last one
def configured = System.getProperty('casc.jenkins.config', System.getenv('CASC_JENKINS_CONFIG'))
if (!configured?.trim()) {
    configured = jenkins.model.GlobalConfiguration.all().get(load('CasCGlobalConfig'))?.configurationPath ?: configured
}
if (configured == null) {
    def file = new File(server.rootDir, 'jenkins.yaml')
    configured = file.exists() ? file.path : ''
}
def next = configured.split(',').collect { it.trim() }.findAll()
def read = { name ->
    // isSupportedURI also accepts paths since 2116, but YamlSource.of(String) does not
    def isUrl = name ==~ '(?i)(https?|file):.*'
    if (!isUrl && !plugin.isSupportedURI(name) && !new File(name).exists()) {
        return name in next ? [[name: name, missing: true]] : []
    }
    return (isUrl ? [name] : casc.configs(name)).collect { file ->
        def root = yamlUtils.loadFrom([yamlSource.of(file)], context)
        [name: file.toString(), paths: listPaths(root, []), users: listUsers(root)]
    }
}
return (next + casc.getSources()).unique().collectMany { name ->
    try {
        return read(name)
    } catch (Exception problem) {
        // other lines of the message may quote the file
        return [[name: name, problem: "${problem.class.simpleName}: ${problem.message?.readLines()?.find()}"]]
    }
}
"""


class Source(t.NamedTuple):
    """A configuration source of the server.

    :ivar name: its path or URL on the server
    :ivar paths: the members that it sets, with at most three names each
    :ivar users: the users that it sets, in lower case. Jenkins does not change other users
    :ivar is_missing: whether Jenkins is configured to read a file that does not exist
    :ivar problem: why the source cannot be read, or `None`
    """

    name: str
    paths: frozenset[Path] = frozenset()
    users: frozenset[str] = frozenset()
    is_missing: bool = False
    problem: str | None = None

    @classmethod
    def of(cls, entry: dict[str, t.Any]) -> Source:
        """Return a source from the value of the script."""
        return cls(
            entry["name"],
            frozenset(map(tuple, entry.get("paths", ()))),
            frozenset(entry.get("users", ())),
            entry.get("missing", False),
            entry.get("problem"),
        )

    def sets(self, path: Path) -> bool:
        """Return whether the source sets a member, a part of it, or an object around it."""
        self._check_readable()
        return any(owned and all(one == other for one, other in zip(owned, path)) for owned in self.paths)

    def list_users(self) -> frozenset[str]:
        """Return the users that the source sets."""
        self._check_readable()
        return self.users

    def _check_readable(self) -> None:
        """
        :raises ToolchainError: if it is not known what the source sets
        """
        if self.problem is not None:
            raise ToolchainError(
                f"Cannot read the configuration source '{self.name}' of Jenkins: {self.problem}. Correct the source, "
                "or remove it from the sources of Jenkins."
            )


def fetch_sources(ci: CiService) -> list[Source]:
    """Return the sources of the server. Without Overall/Administer they are not known, and the list is empty.

    They include files that Jenkins has not loaded yet, because it will apply them with the next change.
    """
    value = ask_if_permitted(ci, _SCRIPT_NAME, _SCRIPT, {"users": USERS})
    return [] if value is None else [Source.of(entry) for entry in value]


def refuse_owned_by(sources: t.Iterable[Source], path: Path, name: str) -> None:
    """Refuse to change a member if a source sets it, a part of it, or an object around it.

    :raises ToolchainError: if a source sets the member
    """
    for source in sources:
        if source.sets(path):
            raise _refusal(name, source, ".".join(path))


def refuse_missing(sources: t.Iterable[Source]) -> None:
    """Refuse to apply configuration if the file of a source is missing, because Jenkins refuses it then.

    :raises ToolchainError: if a file is missing
    """
    for source in sources:
        if source.is_missing:
            raise ToolchainError(
                f"Cannot apply configuration: the configuration source '{source.name}' of Jenkins does not exist, so "
                "Jenkins refuses each change and does not start again. Restore the file, or remove it from "
                "CASC_JENKINS_CONFIG."
            )


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
            if name.lower() in source.list_users():
                raise _refusal(f"user '{name}'", source, f"{'.'.join(USERS)}[{name}]")

    def refuse_missing(self, ci: CiService) -> None:
        """Refuse to apply configuration if the file of a source is missing. See `refuse_missing`.

        :raises ToolchainError: if a file is missing
        """
        refuse_missing(self._fetch(ci))

    def list_users(self, ci: CiService) -> set[str]:
        """Return the users that configuration sources of the server set, in lower case.

        :raises ToolchainError: if the file of a source is missing, because its users are not known
        """
        sources = self._fetch(ci)
        for source in sources:
            if source.is_missing:
                raise ToolchainError(
                    f"Cannot determine the undeclared users: the configuration source '{source.name}' of Jenkins does "
                    "not exist, so its users are not known. Restore the file, or remove it from CASC_JENKINS_CONFIG."
                )
        return {user for source in sources for user in source.list_users()}

    def _fetch(self, ci: CiService) -> list[Source]:
        return self._values.get("sources", lambda: fetch_sources(ci))
