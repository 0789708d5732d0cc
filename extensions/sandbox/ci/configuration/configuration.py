# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check, application and export of configuration, and the sources that Jenkins applies with each of them."""

from __future__ import annotations

import contextlib

import yaml

from ..controller import Controller
from ..plugins.versions import is_older
from . import users
from .configurators import Context
from .documents import ConfiguratorError, Document, Resolver, is_null, merge, read_members, write_document
from .roots import Plan, list_roots

PLUGIN = ("configuration-as-code",)
IGNORED = "x-"
MAX_NAMES = 3
SOURCES, ENVIRONMENT = "configuration_sources", "configuration_environment"


# First version that gets all sources with extensions, see io.jenkins.plugins.casc.fetcher.CasCConfigFetcher
_EXTENSIBLE = "2116.v98dde145b_dce"


def list_sources(server: Controller) -> dict[str, str | None]:
    """Return the texts of the configured sources by name. The text of a missing file is None."""
    sources: dict[str, str | None] = server.storage.setting(SOURCES, {})
    return sources


def is_extensible(server: Controller) -> bool:
    """Return whether the version of the plugin gets sources with extensions."""
    plugin = server.plugins.find(*PLUGIN)
    return plugin is not None and not is_older(str(plugin["version"]), _EXTENSIBLE)


def _read_sources(server: Controller) -> list[Document]:
    documents = []
    for name, text in list_sources(server).items():
        if text is None:
            raise ConfiguratorError(
                f"Source '{name}' is not supported by any registered configuration fetcher or does not exist."
                if is_extensible(server)
                else f"Invalid configuration: '{name}' isn't a valid path."
            )
        documents.append(Document(text, name))
    return documents


def describe_sources(server: Controller) -> list[dict[str, object]]:
    """Return the paths of the members that each source sets, with at most three names each, and the users."""
    return [_describe_source(server, name, text) for name, text in list_sources(server).items()]


def _describe_source(server: Controller, name: str, text: str | None) -> dict[str, object]:
    if text is None:
        return {"name": name, "missing": True}
    try:
        roots = merge([Document(text, name)])
    except ConfiguratorError as error:
        return {"name": name, "problem": f"{error.kind}: {str(error).splitlines()[0]}"}
    paths = [path for root, node in roots.items() for path in _list_paths(node, [root])]
    return {"name": name, "paths": paths, "users": users.list_names(_context(server, name), roots)}


def _list_paths(node: yaml.Node, path: list[str]) -> list[list[str]]:
    if is_null(node):
        return []
    if not isinstance(node, yaml.MappingNode) or len(path) == MAX_NAMES:
        return [path]
    return [found for name, inner in read_members(node).items() for found in _list_paths(inner, [*path, name])]


def check(server: Controller, text: str, name: str) -> None:
    """Check a document, without the sources. Users in it are written nevertheless.

    :arg name: the name of the document in messages
    :raises ConfiguratorError: if it is refused
    """
    _plan(_context(server, name), merge([Document(text, name)]))


def has_users(text: str) -> bool:
    """Return whether a document names users, which its check changes."""
    try:
        return bool(users.find_users(merge([Document(text, "")])))
    except ConfiguratorError:
        return False


def apply(server: Controller, text: str | None, name: str) -> None:
    """Apply all sources and a document.

    :arg text: None to apply only the sources
    :raises ConfiguratorError: if it is refused; what is written before a refused value stays
    """
    documents = _read_sources(server)
    if text is not None:
        documents.append(Document(text, name))
    context = _context(server, name)
    for configurator, members in _plan(context, merge(documents)):
        configurator.write(context, members)


def apply_at_start(server: Controller) -> None:
    """Apply the sources when the server starts. One that has become invalid would stop a real server."""
    if server.plugins.have(PLUGIN) and list_sources(server):
        with contextlib.suppress(ConfiguratorError):
            apply(server, None, "")


def find_unresolved(server: Controller, variables: list[str], properties: list[str]) -> dict[str, list[str]]:
    """Return the texts that are empty with the values of their variables, and the properties that no plugin has."""
    resolver = _context(server, "").resolver
    known = [name.lower() for name in users.list_properties(server)]
    return {
        "variables": [text for text in variables if not resolver.resolve(text).strip()],
        "properties": [name for name in properties if name.lower() not in known],
    }


def _context(server: Controller, name: str) -> Context:
    return Context(server, name, Resolver(server.storage.setting(ENVIRONMENT, {})))


def _plan(context: Context, given: dict[str, yaml.Node]) -> Plan:
    users.write_users(context, given)
    roots = list_roots(context.server)
    known = {root.name.lower() for root in roots}
    for name in given:
        if name.lower() not in known and not name.startswith(IGNORED):
            raise ConfiguratorError(
                f"No configurator found for the following root element: {name}. This may indicate that the required "
                "plugin is not installed or failed to load. Verify that the plugin is installed and check the Jenkins "
                f"startup logs for plugin loading errors.{name}",
                "UnknownConfiguratorException",
            )
    by_name = {name.lower(): node for name, node in given.items() if not is_null(node)}
    return [
        step
        for root in roots
        if root.name.lower() in by_name
        for step in root.plan(context, by_name[root.name.lower()])
    ]


def export(server: Controller) -> str:
    """Return the configuration as YAML."""
    return write_document({root.name: root.export(server) for root in list_roots(server)})


def schema(server: Controller) -> dict[str, object]:
    """Return the JSON schema of the configuration."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "description": "Jenkins Configuration as Code",
        "additionalProperties": False,
        "type": "object",
        "properties": {root.name: root.schema() for root in list_roots(server)},
    }
