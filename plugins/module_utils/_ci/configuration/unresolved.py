# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Variables without a value, and properties of users whose plugin is missing.

Jenkins replaces an unknown variable by an empty text without an error. It does not check users without changing them.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.comparison import USERS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.forms import Path, is_variable
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import ask_if_permitted
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ToolchainError,
    join_names,
)

# Symbols of hudson.model.UserProperty in Jenkins itself
_OWN_PROPERTIES = frozenset(
    (
        *("apiToken", "consoleUrlProvider", "experimentalFlags", "lastGrantedAuthorities", "myView", "password"),
        *("timezone", "userSeed"),
    )
)
_NAME = "find unknown variables and user properties"
# Classes are loaded by name, because the plugin may be missing
FIND_UNRESOLVED = """\
import hudson.model.UserProperty
import jenkins.model.Jenkins
def loader = Jenkins.get().pluginManager.uberClassLoader
def load = { name -> loader.loadClass('io.jenkins.plugins.casc.' + name) }
def registry = load('ConfiguratorRegistry')
// Groovy 2.4 does not call static methods of interfaces
def context = load('ConfigurationContext').getConstructor(registry).newInstance(registry.getMethod('get').invoke(null))
def symbols = load('impl.attributes.DescribableAttribute')
def known = UserProperty.all().collectMany { symbols.getSymbols(it, UserProperty, it.clazz) }*.toLowerCase(Locale.ROOT)
return [
    variables: args.variables.findAll { !context.getSecretSourceResolver().resolve(it)?.trim() },
    properties: args.properties.findAll { !(it.toLowerCase(Locale.ROOT) in known) },
]
"""


def refuse_unresolved(ci: CiService, sent: dict[Path, t.Any]) -> None:
    """Refuse values that consist of a variable without a value, and unknown properties of users.

    :arg sent: the attributes that the task sends
    :raises ToolchainError: if Jenkins would not store them as declared
    """
    variables = [entry for path, value in sent.items() for entry in _list_variables(path, value)]
    names = {
        "variables": sorted({text for _label, text in variables}),
        "properties": sorted(_list_properties(sent.get(USERS))),
    }
    if not any(names.values()):
        return
    unknown = ask_if_permitted(ci, _NAME, FIND_UNRESOLVED, names)
    if unknown is None:
        return
    if unknown["variables"]:
        labels = {label for label, text in variables if text in unknown["variables"]}  # a text can be a secret
        raise ToolchainError(
            f"Cannot apply the configuration: Jenkins has no value for the variable in {join_names(sorted(labels))}. "
            "Define the variable for Jenkins, or declare a default, such as '${NAME:-default}'."
        )
    if unknown["properties"]:
        raise ToolchainError(
            f"Cannot apply '{'.'.join(USERS)}': Jenkins has no user property {join_names(unknown['properties'])}. "
            "Install the plugin that has it, or remove it from the users."
        )


def _list_variables(path: Path, value: t.Any) -> t.Iterator[tuple[str, str]]:
    """Yield the texts that consist of variables without defaults, each with the names of its members."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _list_variables((*path, name), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _list_variables(path, inner)
    elif isinstance(value, str) and is_variable(value) and ":-" not in value:
        yield ".".join(path), value


def _list_properties(users: t.Any) -> set[str]:
    """Return the symbols of the properties of users that plugins have."""
    members = [user.get("properties") for user in users or () if isinstance(user, dict)]
    properties = [entry for listed in members if isinstance(listed, list) for entry in listed]
    return {
        entry if isinstance(entry, str) else str(next(iter(entry))) for entry in properties if entry
    } - _OWN_PROPERTIES
