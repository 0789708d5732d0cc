# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The central configuration as XML."""

from __future__ import annotations

import base64
import hashlib
import xml.etree.ElementTree as ET
from collections.abc import Callable, Mapping
from typing import Any

from .schema import Keyed, Text, TextList
from .values import UnknownMember, ViolatesSchema

ENCRYPTED_PREFIX = "AM."
Encrypt = Callable[[str], str]


def encrypt(secret: str) -> str:
    """Return an encrypted secret as the server shows it. Encrypted ones remain as they are."""
    if secret.startswith(ENCRYPTED_PREFIX):
        return secret
    digest = hashlib.sha256(f"artifact:{secret}".encode()).digest()
    return ENCRYPTED_PREFIX + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def add_value(parent: ET.Element, name: str, kind: Any, value: Any, encrypt_secret: Encrypt) -> None:
    """Add the element of a value; `encrypt_secret` converts secrets."""
    element = ET.SubElement(parent, name)
    if isinstance(kind, Keyed):
        for key, members in value.items():
            add_members(
                ET.SubElement(element, kind.element), kind.members, members, encrypt_secret, key=(kind.key, key)
            )
    elif isinstance(kind, TextList):
        for text in value:
            ET.SubElement(element, kind.element).text = text
    elif isinstance(kind, Mapping):
        add_members(element, kind, value, encrypt_secret)
    elif isinstance(value, bool):
        element.text = str(value).lower()
    else:
        is_secret = isinstance(kind, Text) and kind.is_secret
        element.text = encrypt_secret(value) if is_secret else str(value)


def add_members(
    element: ET.Element,
    kinds: Mapping[str, Any],
    members: Mapping[str, Any],
    encrypt_secret: Encrypt,
    key: tuple[str, str] | None = None,
) -> None:
    """Add the elements of the members in the order of the schema, first that of the key."""
    if key:
        ET.SubElement(element, key[0]).text = key[1]
    for name, kind in kinds.items():
        if name in members:
            add_value(element, name, kind, members[name], encrypt_secret)


def parse_value(kind: Any, element: ET.Element) -> Any:
    """Return the value of an element in the form of YAML.

    :raises ViolatesSchema: if the schema does not allow it
    """
    if isinstance(kind, Keyed):
        return dict(_parse_keyed(kind, child) for child in _check_unique(kind, element))
    if isinstance(kind, TextList):
        return [child.text or "" for child in element if _check_tag(child, kind.element)]
    if isinstance(kind, Mapping):
        return parse_members(kind, element)
    if len(element):
        raise ViolatesSchema(local_name(element))
    return element.text or ""


def parse_members(kinds: Mapping[str, Any], element: ET.Element, skipped: str = "") -> dict[str, Any]:
    """Return the members of an element, which must have the order of the schema.

    :arg skipped: name of the member with the key
    """
    names = [local_name(child) for child in element if local_name(child) != skipped]
    for name in names:
        if name not in kinds:
            raise UnknownMember(name)
    if names != [name for name in kinds if name in names]:
        raise ViolatesSchema(local_name(element))
    return {
        local_name(child): parse_value(kinds[local_name(child)], child)
        for child in element
        if local_name(child) != skipped
    }


def local_name(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _parse_keyed(kind: Keyed, element: ET.Element) -> tuple[str, dict[str, Any]]:
    return _find_key(kind, element), parse_members(kind.members, element, skipped=kind.key)


def _check_unique(kind: Keyed, element: ET.Element) -> list[ET.Element]:
    children = [child for child in element if _check_tag(child, kind.element)]
    keys = [_find_key(kind, child) for child in children]
    if len(keys) != len(set(keys)):
        raise ViolatesSchema(local_name(element))
    return children


def _find_key(kind: Keyed, element: ET.Element) -> str:
    key = next((child.text for child in element if local_name(child) == kind.key), None)
    if not key:
        raise ViolatesSchema(kind.element)
    return key


def _check_tag(element: ET.Element, name: str) -> bool:
    if local_name(element) != name:
        raise UnknownMember(local_name(element))
    return True
