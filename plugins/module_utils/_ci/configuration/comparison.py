# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Comparison of declared configuration with the export of Jenkins.

An attribute is a part that Jenkins replaces as a whole, such as `jenkins.nodes`. See `list_attributes`.
"""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import forms
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.forms import (
    Path,
    has_variable,
    is_blank,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import (
    MASK,
    SecretMasker,
    is_password,
)

SENT = f"{MASK} (sent)"
USERS = ("jenkins", "securityRealm", "local", "users")
MASKS = (MASK, SENT, "********")
_EMPTY: tuple[t.Any, ...] = (None, "", [], {})
_ENCRYPTED = re.compile(r"\{[A-Za-z0-9+/]{16,}={0,2}\}")
_POSSIBLE_DEFAULT = re.compile(r"true|false|-?\d+")
_WHOLE_NUMBER = re.compile(r"[+-]?\d+")
_TRUE, _FALSE = ("true", "yes", "on", "y", "t", "1"), ("false", "no", "off", "n", "f", "0")
# Roots whose members are attributes. In other roots, the members of each member are attributes
_FLAT_ROOTS = ("jenkins", "configuration-as-code")
_FLAT_DEPTH, _DEPTH = 2, 3
# Lists that Jenkins extends. It replaces all other lists
_EXTENDED_LISTS = (("jenkins", "labelAtoms"), USERS, (*USERS, "properties"))
# Jenkins adds monitors that are not declared, with this member
_MONITORS, _IGNORED = ("jenkins", "nodeMonitors"), "ignored"
# Members of roles that hold a name
_HOLDERS = ("user", "group", "either")
# Members that name an element of a list, in the order of their precedence
_NAMES = ("id", "name", "key")
# The list whose names are equal in upper and lower case, by the last two members
_VARIABLES = ("envVars", "env")
# Lists of which Jenkins keeps only one of several elements with the same name, or mixes them
_UNIQUE: tuple[Path, ...] = (
    ("jenkins", "nodes"),
    ("system", "domainCredentials"),
    ("domainCredentials", "credentials"),
    _VARIABLES,
    *(("roles", kind) for kind in ("global", "items", "agents")),
)
# Values that Jenkins does not export. Others that are missing are not known
_DEFAULTS: dict[tuple[str, ...], str] = {
    ("all", "filterExecutors"): "false",
    ("all", "filterQueue"): "false",
    ("basicSSHUserPrivateKey", "usernameSecret"): "false",
    ("inbound", "webSocket"): "false",
    ("list", "filterExecutors"): "false",
    ("list", "filterQueue"): "false",
    ("list", "recurse"): "false",
    ("permanent", "mode"): "NORMAL",
    ("permanent", "numExecutors"): "1",
    ("standard", "excludeClientIPFromCrumb"): "false",
    ("usernamePassword", "usernameSecret"): "false",
    ("workDirSettings", "disabled"): "false",
    ("workDirSettings", "failIfWorkDirIsMissing"): "false",
    ("workDirSettings", "internalDir"): "remoting",
}


class Place(t.NamedTuple):
    """A place in the configuration.

    :ivar path: names of the members, without the elements of lists
    :ivar label: the place for messages, such as `jenkins.nodes[permanent linux].mode`
    :ivar assumes_defaults: whether a missing member has the declared value if that can be a default. Jenkins does not
        export defaults
    """

    path: Path
    label: str
    assumes_defaults: bool = False

    @classmethod
    def of(cls, path: Path, assumes_defaults: bool = False) -> Place:
        """Return the place of a path."""
        return cls(path, ".".join(path), assumes_defaults)

    def member(self, name: str) -> Place:
        """Return the place of a member."""
        return self._replace(path=(*self.path, name), label=f"{self.label}.{name}")

    def element(self, name: str) -> Place:
        """Return the place of an element of a list."""
        return self._replace(label=f"{self.label}[{name}]")


class Mismatch(t.NamedTuple):
    """A declared value that Jenkins does not have."""

    place: Place
    declared: t.Any
    current: t.Any


class Loss(t.NamedTuple):
    """Something that Jenkins has and that an attribute does not declare.

    :ivar is_removal: whether an element of a list is removed. Otherwise a member returns to its default
    """

    label: str
    is_removal: bool


def list_attributes(configuration: dict[str, t.Any]) -> dict[Path, t.Any]:
    """Return the attributes of a configuration by path.

    The users of Jenkins' own database are separate from the security realm, because they are kept if they are omitted.
    """
    attributes: dict[Path, t.Any] = {}
    for root, members in configuration.items():
        attributes.update(_list_members((root,), members, get_attribute_depth(root)))
    realm = attributes.get(USERS[:2])
    if isinstance(realm, dict) and isinstance(realm.get("local"), dict) and "users" in realm["local"]:
        others = {name: value for name, value in realm["local"].items() if name != "users"}
        attributes[USERS[:2]] = {**realm, "local": others}
        attributes[USERS] = realm["local"]["users"]
    return attributes


def get_attribute_depth(root: str) -> int:
    """Return the number of names in the paths of the attributes of a root."""
    return _FLAT_DEPTH if root in _FLAT_ROOTS else _DEPTH


def _list_members(path: Path, value: t.Any, depth: int) -> t.Iterator[tuple[Path, t.Any]]:
    if len(path) == depth or not isinstance(value, dict):
        yield path, value
        return
    for name, inner in value.items():
        yield from _list_members((*path, name), inner, depth)


def build_configuration(attributes: t.Mapping[Path, t.Any]) -> dict[str, t.Any]:
    """Return the configuration with these attributes, the reverse of `list_attributes`."""
    configuration: dict[str, t.Any] = {}
    for path in sorted(attributes, key=len):  # the users after the security realm
        members = configuration
        for name in path[:-1]:
            members[name] = dict(members[name]) if isinstance(members.get(name), dict) else {}
            members = members[name]
        members[path[-1]] = attributes[path]
    return configuration


def find_value(configuration: t.Any, path: Path) -> t.Any:
    """Return the value at a path, or `None`."""
    for name in path:
        configuration = _expand_symbol(configuration)
        configuration = configuration.get(name) if isinstance(configuration, dict) else None
    return configuration


def matches(place: Place, declared: t.Any, current: t.Any) -> bool:
    """Return whether the current value has everything that is declared."""
    return next(find_mismatches(place, declared, current), None) is None


def find_mismatches(place: Place, declared: t.Any, current: t.Any) -> t.Iterator[Mismatch]:
    """Yield the declared values that the current value does not have.

    Secrets cannot be compared. They match every value except a missing one. Of values with variables, the other parts
    are compared.
    """
    if isinstance(declared, dict):
        yield from _find_member_mismatches(place, declared, current)
    elif isinstance(declared, list):
        yield from _find_list_mismatches(place, declared, current)
    elif isinstance(current, dict):  # the symbol of a class, exported with its members
        if current.keys() != {declared}:
            yield Mismatch(place, declared, current)
    elif isinstance(current, list) or not _is_same_scalar(place, declared, current):
        yield Mismatch(place, declared, current)


def _find_member_mismatches(place: Place, declared: dict[str, t.Any], current: t.Any) -> t.Iterator[Mismatch]:
    members = _expand_symbol(current)
    if not isinstance(members, dict):
        is_class = len(declared) == 1 and all(isinstance(inner, dict) for inner in declared.values())
        if is_class or current not in _EMPTY:
            yield Mismatch(place, declared, current)
            return
        members = {}
    for name, inner in declared.items():
        found = members.get(name)
        if inner != {}:
            yield from find_mismatches(place.member(name), inner, found)
        elif found is None:
            yield Mismatch(place.member(name), inner, None)


def _find_list_mismatches(place: Place, declared: list[t.Any], current: t.Any) -> t.Iterator[Mismatch]:
    if current is not None and not isinstance(current, list):
        yield Mismatch(place, declared, current)
        return
    elements = current or []
    is_extended = place.path in _EXTENDED_LISTS
    if _are_scalars([*declared, *elements]) and not is_extended:
        if not _are_same_scalars(place, declared, elements):
            yield Mismatch(place, declared, current)
        return
    pairs, others = pair_elements(declared, elements)
    for name, element, found in pairs:
        if found is None:
            yield Mismatch(place.element(name), element, None)
        else:
            yield from find_mismatches(place.element(name), element, found)
    for name, element in others if not is_extended else ():
        if not (place.path == _MONITORS and _is_ignored(element)):
            yield Mismatch(place.element(name), None, element)


def _are_same_scalars(place: Place, declared: list[t.Any], current: list[t.Any]) -> bool:
    """Return whether two lists have the same scalars. Jenkins does not export blank ones."""
    one, other = ([value for value in values if not is_blank(value)] for values in (declared, current))
    if place.path[-1] not in forms.SETS:
        return len(one) == len(other) and all(_is_same_scalar(place, *pair) for pair in zip(one, other))
    remaining = {*map(_to_text, other)}
    for text in sorted({*map(_to_text, one)}, key=has_variable):
        found = next((value for value in sorted(remaining) if _is_same_scalar(place, text, value)), None)
        if found is None:
            return False
        remaining.remove(found)
    return not remaining


def _is_ignored(monitor: t.Any) -> bool:
    members = next(iter(monitor.values()), None) if isinstance(monitor, dict) else None
    return isinstance(members, dict) and members.get(_IGNORED) is True


def _is_same_scalar(place: Place, declared: t.Any, current: t.Any) -> bool:
    if is_encrypted(current):  # Jenkins encrypts an empty secret as well
        return True
    if is_blank(current) or is_blank(declared):
        return (is_blank(current) and is_blank(declared)) or (current is None and _is_default(place, declared))
    one, other = (forms.normalize_text(place.path, _to_text(value)) for value in (declared, current))
    if has_variable(declared):
        return forms.fits_literal_parts(one, other)
    if isinstance(current, bool):
        return one.lower() in (_TRUE if current else _FALSE)
    return one == other or (isinstance(current, int) and forms.is_same_number(one, current))


def _is_default(place: Place, declared: t.Any) -> bool:
    """Return whether a declared value that is not exported is a default."""
    if place.path == (*USERS, "password"):  # never exported
        return True
    text = _to_text(declared)
    return text == _DEFAULTS.get(place.path[-2:]) or (
        place.assumes_defaults and bool(_POSSIBLE_DEFAULT.fullmatch(text))
    )


def pair_elements(
    declared: list[t.Any], current: list[t.Any], *, is_exact: bool = False
) -> tuple[list[tuple[str, t.Any, t.Any]], list[tuple[str, t.Any]]]:
    """Return each declared element with its name and the current element or `None`, and the other current elements.

    :arg is_exact: whether a name with a variable stands for no current element. Otherwise it stands for the first one
        that fits and that no other declared element names
    """
    remaining = [(_name_element(element, number), element) for number, element in enumerate(current)]
    named = [(_name_element(element, number), element) for number, element in enumerate(declared)]
    found: dict[int, t.Any] = {}
    for fits in (str.__eq__,) if is_exact else (str.__eq__, forms.fits_literal_parts):
        for number, (name, _element) in enumerate(named):
            match = None if number in found else next((entry for entry in remaining if fits(name, entry[0])), None)
            if match:
                found[number] = match[1]
                remaining.remove(match)
    pairs = [(name, element, found.get(number)) for number, (name, element) in enumerate(named)]
    return pairs, [(name, element) for name, element in remaining if not _is_placeholder(element)]


def _name_element(element: t.Any, number: int) -> str:
    """Return what identifies an element of a list: its name, with the symbol of its class if it has one."""
    if not isinstance(element, dict):
        return _to_text(element)
    for name in _NAMES:
        if isinstance(element.get(name), (str, int)):
            return _to_text(element[name])
    if "domain" in element or "credentials" in element:
        domain = element.get("domain")
        return str(domain.get("name", "global")) if isinstance(domain, dict) else "global"
    if len(element) == 1:
        symbol, members = next(iter(element.items()))
        if symbol in _HOLDERS and isinstance(members, str):
            return f"{symbol} {members}"
        found = _find_own_name(members)
        return symbol if found is None else f"{symbol} {found}"
    return str(number)


def _find_own_name(members: t.Any) -> str | None:
    """Return the name that an object has among its members, or `None`."""
    names = [members[name] for name in _NAMES if name in members] if isinstance(members, dict) else []
    return _to_text(names[0]) if names and isinstance(names[0], (str, int)) else None


def _is_placeholder(element: t.Any) -> bool:
    """Return whether an element stands for the global domain without credentials, which always exists."""
    return isinstance(element, dict) and element.keys() == {"domain"} and element["domain"] in _EMPTY


def _are_scalars(values: list[t.Any]) -> bool:
    return not any(isinstance(value, (dict, list)) for value in values)


def find_losses(place: Place, declared: t.Any, current: t.Any) -> t.Iterator[Loss]:
    """Yield what Jenkins resets or removes when it replaces the current value of an attribute by the declared one."""
    if place.path in _EXTENDED_LISTS or current in _EMPTY:
        return
    if isinstance(current, list):
        yield from _find_lost_elements(place, declared if isinstance(declared, list) else [], current)
    elif isinstance(current, dict):
        members = _expand_symbol(declared)
        for name, inner in current.items():
            if isinstance(members, dict) and name in members:
                yield from find_losses(place.member(name), members[name], inner)
            else:
                yield from _find_lost_member(place.member(name), inner)


def _find_lost_member(place: Place, current: t.Any) -> t.Iterator[Loss]:
    losses = list(find_losses(place, None, current)) if isinstance(current, (dict, list)) else []
    removals = [loss for loss in losses if loss.is_removal]
    yield from removals
    if not removals and current not in _EMPTY and place.path not in _EXTENDED_LISTS:
        yield Loss(place.label, is_removal=False)


def _find_lost_elements(place: Place, declared: list[t.Any], current: list[t.Any]) -> t.Iterator[Loss]:
    pairs, others = pair_elements(declared, current, is_exact=True)
    for name, element, found in pairs:
        yield from find_losses(place.element(name), element, found)
    for name, element in others:
        if isinstance(element, dict):
            yield Loss(place.element(name).label, is_removal=True)


def find_duplicates(place: Place, declared: t.Any) -> t.Iterator[tuple[str, str]]:
    """Yield the places of declared lists with several elements of the same name, and the name."""
    if isinstance(declared, dict):
        for name, inner in declared.items():
            yield from find_duplicates(place.member(name), inner)
    elif isinstance(declared, list):
        names: set[str] = set()
        for number, element in enumerate(declared):
            name = _find_unique_name(place, element) if place.path[-2:] in _UNIQUE else None
            if name in names:
                yield place.label, name
            if name is not None and not has_variable(name):
                names.add(name)
            yield from find_duplicates(place.element(_name_element(element, number)), element)


def _find_unique_name(place: Place, element: t.Any) -> str | None:
    if not isinstance(element, dict):
        return None
    if place.path[-1] == "domainCredentials":
        return _name_element(element, 0)
    inner = next(iter(element.values()), None)  # of the symbol
    name = _find_own_name(inner if len(element) == 1 and isinstance(inner, dict) else element)
    return name.lower() if name and place.path[-2:] == _VARIABLES else name


def find_wrong_types(place: Place, declared: t.Any, current: t.Any) -> t.Iterator[tuple[str, str]]:
    """Yield the places of declared texts that are no number or boolean, and what Jenkins would read them as."""
    if isinstance(declared, dict) and isinstance(current, dict):
        for name, inner in declared.items():
            yield from find_wrong_types(place.member(name), inner, current.get(name))
    elif isinstance(declared, list) and isinstance(current, list):
        for name, element, found in pair_elements(declared, current)[0]:
            yield from find_wrong_types(place.element(name), element, found)
    elif declared is not None and not isinstance(declared, (dict, list)) and not has_variable(declared):
        if isinstance(current, bool):
            if _to_text(declared).lower() not in (*_TRUE, *_FALSE):
                yield place.label, "false"
        elif isinstance(current, int) and not _WHOLE_NUMBER.fullmatch(_to_text(declared)):
            yield place.label, "0"


def find_lost_secrets(place: Place, declared: t.Any, current: t.Any) -> t.Iterator[str]:
    """Yield the places of stored secrets that Jenkins deletes, because a declared object does not contain them.

    Elements of lists that are deleted with their secrets are losses, see `find_losses`.
    """
    if place.path in _EXTENDED_LISTS:
        return
    if isinstance(current, list):
        elements = declared if isinstance(declared, list) else []
        if _are_scalars(current):
            yield from (place.label for value in current[len(elements) :] if is_secret(place.path[-1], value))
            return
        for name, element, found in pair_elements(elements, current, is_exact=True)[0]:
            if found is not None:
                yield from find_lost_secrets(place.element(name), element, found)
    elif isinstance(current, dict):
        members = _expand_symbol(declared)
        for name, inner in current.items():
            found = members.get(name) if isinstance(members, dict) else None
            yield from find_lost_secrets(place.member(name), found, inner)
    elif is_secret(place.path[-1], current) and declared in _EMPTY:
        yield place.label


def align(place: Place, declared: t.Any, current: t.Any, mask: str, keeps_others: bool) -> t.Any:
    """Return the current value in the form of the declared one where both mean the same, without secrets.

    :arg mask: text in place of secrets
    :arg keeps_others: whether to keep members and elements that are not declared
    """
    if matches(place, declared, current):
        return conceal(declared, mask, place.path[-1])
    members = _expand_symbol(current)
    if isinstance(declared, dict) and isinstance(members, dict):
        aligned = {}
        for name in {**members, **declared} if keeps_others else declared:
            inner = members.get(name)
            if name not in declared:
                aligned[name] = mask_secrets(inner, name)
            elif declared[name] != {} or inner is not None:
                aligned[name] = align(place.member(name), declared[name], inner, mask, keeps_others)
        return {name: value for name, value in aligned.items() if value is not None}
    if isinstance(declared, list) and isinstance(current, list) and not _are_scalars(current):
        pairs, others = pair_elements(declared, current)
        elements = [
            align(place.element(name), element, found, mask, keeps_others)
            for name, element, found in pairs
            if found is not None
        ]
        if place.path not in _EXTENDED_LISTS:
            elements += [mask_secrets(element, place.path[-1]) for _name, element in others]
        return elements
    return mask_secrets(current, place.path[-1])


def conceal(declared: t.Any, mask: str, name: str = "") -> t.Any:
    """Return a declared value with a text in place of its secrets.

    :arg name: name of the member with this value
    """
    if isinstance(declared, dict):
        return {member: conceal(inner, mask, member) for member, inner in declared.items()}
    if isinstance(declared, list):
        return [conceal(element, mask, name) for element in declared]
    return mask if is_secret(name, declared) else declared


def list_secrets(place: Place, declared: t.Any) -> t.Iterator[tuple[str, str]]:
    """Yield the places and values of the secrets in a declared value."""
    if isinstance(declared, dict):
        for name, inner in declared.items():
            yield from list_secrets(place.member(name), inner)
    elif isinstance(declared, list):
        for number, element in enumerate(declared):
            yield from list_secrets(place.element(_name_element(element, number)), element)
    elif is_secret(place.path[-1], declared):
        yield place.label, declared


def is_secret(name: str, value: t.Any) -> bool:
    """Return whether a member is a secret by its name or because it is encrypted."""
    return isinstance(value, str) and value != "" and (is_encrypted(value) or is_password(name))


def is_encrypted(value: t.Any) -> bool:
    """Return whether Jenkins has encrypted a value."""
    return isinstance(value, str) and bool(_ENCRYPTED.fullmatch(value))


def mask_secrets(value: t.Any, name: str) -> t.Any:
    """Return an exported value without secrets.

    :arg name: name of the member with this value
    """
    return SecretMasker().mask({name: value})[name]


def _expand_symbol(value: t.Any) -> t.Any:
    """Return the members of a class that is exported as its symbol only, because all members have their defaults."""
    return {value: {}} if isinstance(value, str) and value else value


def _to_text(value: t.Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
