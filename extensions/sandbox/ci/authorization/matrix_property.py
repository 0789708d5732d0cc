# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The property of matrix-auth in the configurations of folders, jobs and nodes."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from ..access.permissions import JOB_CONFIGURE, Permission
from .strategies import EITHER, GROUP, USER, Entry, Sid, find_permission, list_entries

FOLDER_PROPERTY = "com.cloudbees.hudson.plugins.folder.properties.AuthorizationMatrixProperty"
JOB_PROPERTY = "hudson.security.AuthorizationMatrixProperty"
NODE_PROPERTY = "org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty"
ITEM_PROPERTIES = (FOLDER_PROPERTY, JOB_PROPERTY)
INHERITANCE = "org.jenkinsci.plugins.matrixauth.inheritance."
FROM_PARENT = f"{INHERITANCE}InheritParentStrategy"
FROM_GLOBAL = f"{INHERITANCE}InheritGlobalStrategy"
NOT_INHERITED = f"{INHERITANCE}NonInheritingStrategy"
# Groups of the permissions that a property can have (hudson.security.PermissionScope)
GROUPS = {
    FOLDER_PROPERTY: ("Job", "Run", "View", "SCM", "Credentials"),
    JOB_PROPERTY: ("Job", "Run", "SCM", "Credentials"),
    NODE_PROPERTY: ("Agent",),
}
_OF_CONTAINERS = {JOB_PROPERTY: ("Job/Create",), NODE_PROPERTY: ("Agent/Create", "Agent/Provision")}


def applies(permission: Permission, tag: str) -> bool:
    """Return whether a permission applies to the objects that have a property."""
    group = permission.title.partition("/")[0]
    return group in GROUPS[tag] and permission.title not in _OF_CONTAINERS.get(tag, ())


def lacks_sid(element: etree._Element) -> bool:
    """Return whether a permission names neither a user nor a group. Jenkins then drops the property."""
    return not all(all(_split_row(row.text or "")) for row in element.findall("permission"))


def rewrite_property(element: etree._Element) -> etree._Element:
    """Return a property as Jenkins stores it: sorted, without unknown permissions."""
    written = etree.Element(element.tag)
    strategy = element.find("inheritanceStrategy")
    known = (FROM_PARENT, FROM_GLOBAL, NOT_INHERITED)
    inheritance = strategy.get("class") if strategy is not None else None
    if element.findtext("blocksInheritance") == "true":  # of former versions
        inheritance = NOT_INHERITED
    etree.SubElement(written, "inheritanceStrategy", {"class": inheritance if inheritance in known else FROM_PARENT})
    entries = read_entries(element)
    grants = sorted(
        (identifier, entry.sid.name, entry.sid.type) for entry in entries for identifier in entry.permissions
    )
    for identifier, name, kind in grants:
        prefix = "" if kind == EITHER else f"{kind}:"
        etree.SubElement(written, "permission").text = f"{prefix}{identifier}:{name}"
    return written


def read_entries(element: etree._Element) -> list[Entry]:
    """Return the entries of a property."""
    return list_entries(_list_grants(element))


def read_inheritance(element: etree._Element) -> str:
    """Return the class of the inheritance strategy."""
    strategy = element.find("inheritanceStrategy")
    return (strategy.get("class") if strategy is not None else None) or FROM_PARENT


def add_creator(root: etree._Element, is_folder: bool, user: str) -> None:
    """Let the user who creates an item configure it, as the plugin does unless the user may do so anyway."""
    tag = FOLDER_PROPERTY if is_folder else JOB_PROPERTY
    properties = root.find("properties")
    if properties is None:
        properties = etree.SubElement(root, "properties")
    element = properties.find(tag)
    if element is None:
        element = etree.SubElement(properties, tag)
        etree.SubElement(element, "inheritanceStrategy", {"class": FROM_PARENT})
    etree.SubElement(element, "permission").text = f"USER:{JOB_CONFIGURE.id}:{user}"


def _list_grants(element: etree._Element) -> Iterator[tuple[Sid, str]]:
    for row in element.findall("permission"):
        kind, name, sid = _split_row(row.text or "")
        permission = find_permission(name)
        if permission and applies(permission, element.tag):
            yield Sid(kind, sid), permission.id


def _split_row(text: str) -> tuple[str, str, str]:
    """Return the type, the permission and the name of the user or group in a row."""
    kind, _colon, rest = text.partition(":")
    if kind not in (USER, GROUP):
        kind, rest = EITHER, text
    name, _colon, sid = rest.partition(":")
    return kind, name, sid
