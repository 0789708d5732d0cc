# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurators: which members the configuration has, and how each is read, converted and written.

Parts of the sandbox that own state register the members for it, see `members.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import yaml

from ..controller import Controller
from .documents import ConfiguratorError, Resolver, is_null, read_members, to_data

TRUE = ("true", "yes", "on", "y", "t", "1")
# Other names of classes in lower case: further symbols, and names that the plugin derives from the class
ALIASES = {
    "allview": "all",
    "default": "standard",
    "defaultcrumbissuer": "standard",
    "dumb": "permanent",
    "dumbslave": "permanent",
    "environmentvariables": "envVars",
    "environmentvariablesnodeproperty": "envVars",
    "fullcontrolonceloggedin": "loggedInUsersCanDoAnything",
    "globalmatrixauthorizationstrategy": "globalMatrix",
    "hudsonprivate": "local",
    "hudsonprivatesecurityrealm": "local",
    "jnlp": "inbound",
    "jnlplauncher": "inbound",
    "listview": "list",
    "projectmatrixauthorizationstrategy": "projectMatrix",
    "rolebasedauthorizationstrategy": "roleBased",
    "slave": "permanent",
}
# Deprecated members by class
DEPRECATED = {"hudson.model.ListView": ("statusFilter",), "jenkins.model.Jenkins": ("agentProtocols",)}


@dataclass(frozen=True)
class Context:
    """Values that configurators need.

    :arg server: the state of the server
    :arg document: name of the document in messages
    """

    server: Controller
    document: str
    resolver: Resolver

    def describe(self, node: yaml.Node) -> str:
        """Return the place of a node in messages."""
        return f"{self.document}:{node.start_mark.line + 1}"


Convert = Callable[[Context, yaml.Node, str], Any]


@dataclass(frozen=True)
class Attribute:
    """A member of a configurator.

    :arg read: returns the value to export, or None
    :arg write: stores a converted value; raises `ValueError` to refuse it, which the check does not detect
    :arg convert: checks and converts a node; raises `ConfiguratorError`
    :arg schema: JSON schema of the values
    """

    name: str
    read: Callable[[Controller], Any]
    write: Callable[[Controller, Any], None]
    convert: Convert
    schema: dict[str, Any]


@dataclass(frozen=True)
class Structure:
    """A class whose objects are always created again. Omitted members have their defaults.

    :arg label: its name in messages
    :arg java_class: its class in messages
    :arg members: for each member, the function that converts it
    """

    label: str
    java_class: str
    members: dict[str, Convert]

    def convert(self, context: Context, node: yaml.Node | None) -> dict[str, Any]:
        """Return the given members.

        :raises ConfiguratorError: if a member is refused
        """
        given = {} if node is None else match_names(mapping(context, node), self.members)
        check_names(self.label, self.java_class, given, sorted(self.members))
        return {
            name: self.members[name](context, inner, self.label) for name, inner in given.items() if not is_null(inner)
        }


@dataclass(frozen=True)
class Configurator:
    """An object with attributes. Omitted attributes stay as they are.

    :arg label: its name in messages
    :arg java_class: its class in messages
    :arg attributes: in the order in which they are written
    :arg others: names of further attributes, which the sandbox stores as they are
    :arg defaults: exported values of the further attributes
    """

    label: str
    java_class: str
    attributes: tuple[Attribute, ...]
    others: tuple[str, ...] = ()
    defaults: dict[str, Any] | None = None

    def find(self, name: str) -> Attribute | None:
        """Return an attribute."""
        known = next((attribute for attribute in self.attributes if attribute.name == name), None)
        if known or name not in self.others:
            return known
        return stored_attribute(name, f"{self.label}.{name}", (self.defaults or {}).get(name))

    def names(self) -> list[str]:
        """Return the names of all attributes."""
        return sorted({*(attribute.name for attribute in self.attributes), *self.others})

    def plan(self, context: Context, node: yaml.Node) -> list[tuple[Attribute, Any, yaml.Node]]:
        """Check members and return them converted, in the order in which they are written.

        :raises ConfiguratorError: if a member is refused
        """
        members = match_names(mapping(context, node), self.names())
        check_names(self.label, self.java_class, members, self.names())
        given = [(self.find(name), inner) for name, inner in members.items() if not is_null(inner)]
        order = {attribute.name: place for place, attribute in enumerate(self.attributes)}
        given.sort(key=lambda entry: order.get(entry[0].name if entry[0] else "", len(order)))
        return [
            (attribute, attribute.convert(context, inner, self.label), inner) for attribute, inner in given if attribute
        ]

    def write(self, context: Context, plan: list[tuple[Attribute, Any, yaml.Node]]) -> None:
        """Write converted members one after the other.

        :raises ConfiguratorError: if one is refused; those before it stay written
        """
        for attribute, value, node in plan:
            try:
                attribute.write(context.server, value)
            except ValueError:
                raise ConfiguratorError(failed_attribute(context, node, self.label, attribute.name)) from None

    def export(self, server: Controller) -> dict[str, Any]:
        """Return the values of all attributes that have one."""
        attributes = [self.find(name) for name in self.names()]
        values = {attribute.name: attribute.read(server) for attribute in attributes if attribute}
        return {name: value for name, value in values.items() if value not in (None, "", [])}

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the object."""
        attributes = [self.find(name) for name in self.names()]
        properties = {attribute.name: attribute.schema for attribute in attributes if attribute}
        return {"type": "object", "additionalProperties": False, "properties": properties}


def match_names(members: dict[str, yaml.Node], known: Iterable[str]) -> dict[str, yaml.Node]:
    """Return members with the known names, which differ at most in upper and lower case."""
    names = {name.lower(): name for name in known}
    return {names.get(name.lower(), name): inner for name, inner in members.items()}


def check_names(label: str, java_class: str, names: Iterable[str], known: list[str]) -> None:
    """
    :raises ConfiguratorError: if a name is deprecated or not known
    """
    for name in names:
        if name in DEPRECATED.get(java_class, ()):
            raise ConfiguratorError(f"'{name}' is deprecated")
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ConfiguratorError(
            f"{label}: Invalid configuration elements for type: class {java_class} : {','.join(unknown)}.\n"
            f"Available attributes : {', '.join(known)}",
            "UnknownAttributesException",
        )


def failed_attribute(context: Context, node: yaml.Node, label: str, name: str) -> str:
    """Return the message for a refused value."""
    return f"{label}: Failed to set attribute '{name}'\n  at {context.describe(node)} (path: {name})"


def mapping(context: Context, node: yaml.Node) -> dict[str, yaml.Node]:
    """Return the members of a mapping.

    :raises ConfiguratorError: if the node is something else
    """
    if not isinstance(node, yaml.MappingNode):
        raise ConfiguratorError(f"Item isn't a Mapping {context.describe(node)}")
    return read_members(node)


def sequence(context: Context, node: yaml.Node) -> list[yaml.Node]:
    """Return the elements of a list.

    :raises ConfiguratorError: if the node is something else
    """
    if not isinstance(node, yaml.SequenceNode):
        raise ConfiguratorError(f"Item isn't a Sequence {context.describe(node)}")
    return list(node.value)


def text(context: Context, node: yaml.Node, _label: str = "") -> str:
    """Return a text with its variables replaced.

    :raises ConfiguratorError: if the node is something else
    """
    if not isinstance(node, yaml.ScalarNode):
        raise ConfiguratorError(f"Item isn't a Scalar {context.describe(node)}")
    return context.resolver.resolve(node.value)


def integer(context: Context, node: yaml.Node, label: str = "") -> int:
    """Return a number. Texts that are not numbers become 0."""
    try:
        return int(text(context, node, label))
    except ValueError:
        return 0


def flag(context: Context, node: yaml.Node, label: str = "") -> bool:
    """Return a boolean. Texts that do not mean true become false."""
    return text(context, node, label).lower() in TRUE


def symbol(
    context: Context, node: yaml.Node, attribute: str, base: str, known: Iterable[str]
) -> tuple[str, yaml.Node | None]:
    """Return the symbol of an implementation, and the node with its members if there is one.

    :arg base: Java class that the implementations extend
    """
    if isinstance(node, yaml.ScalarNode):
        name, inner = text(context, node), None
    else:
        members = mapping(context, node)
        if len(members) != 1:
            raise ConfiguratorError(f"Single entry map expected to configure a {base} {context.describe(node)}")
        name, inner = next(iter(members.items()))
    found = find_symbol(name, known)
    if found is None:
        raise ConfiguratorError(f"{attribute}: No {base} implementation found for {name}")
    return found, None if inner is None or is_null(inner) else inner


def find_symbol(name: str, known: Iterable[str]) -> str | None:
    """Return the exported symbol of a class that is named by any of its names, or None."""
    names = {symbol.lower(): symbol for symbol in known}
    return names.get(name.lower()) or names.get(ALIASES.get(name.lower(), "").lower())


def rename_symbol(value: Any, known: Iterable[str]) -> Any:
    """Return an object with the exported symbol of its class. Objects of other classes are not changed."""
    if isinstance(value, dict) and len(value) == 1:
        name, members = next(iter(value.items()))
        return {find_symbol(name, known) or name: members}
    return find_symbol(value, known) or value if isinstance(value, str) else value


def with_members(name: str, members: dict[str, Any]) -> Any:
    """Return the exported form of an object: its symbol only if all members have their defaults."""
    return {name: members} if members else name


def data(context: Context, node: yaml.Node, _label: str = "") -> Any:
    """Return any value as it is."""
    return to_data(node, context.resolver)


def values(context: Context, node: yaml.Node, _label: str = "") -> list[Any]:
    """Return the values of a list.

    :raises ConfiguratorError: if the node is something else
    """
    return [to_data(element, context.resolver) for element in sequence(context, node)]


def stored_attribute(name: str, key: str, default: Any = None) -> Attribute:
    """Return an attribute whose values the sandbox stores as they are."""
    setting = f"configuration:{key}"
    return Attribute(
        name,
        lambda server: server.storage.setting(setting, default),
        lambda server, value: server.storage.set(setting, value),
        data,
        {},
    )


def text_attribute(name: str, setting: str) -> Attribute:
    """Return an attribute with a text in a setting of the storage."""
    return Attribute(
        name,
        lambda server: server.storage.setting(setting),
        lambda server, value: server.storage.set(setting, value or None),
        text,
        {"type": "string"},
    )
