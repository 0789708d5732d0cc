# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The central configuration descriptor, read as XML and returned in the form of its YAML documents."""

from __future__ import annotations

import re
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.kinds import (
    REFUSED_SECTIONS,
    SECTIONS,
    Collection,
    NameSet,
    Scalar,
    inner_kind,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import is_password, mask_text

PATH = "/artifactory/api/system/configuration"
_FLAGS = {"true": True, "false": False}
_INTEGER = re.compile(r"0|-?[1-9]\d{0,17}")
# Values that the server has encrypted
_ENCRYPTED = re.compile(r"AM\.[\w+/=-]{6,}|JE[\w+/=-]{14,}")


def fetch(artifact: ArtifactService) -> dict[str, t.Any]:
    """Return the descriptor of the server, without the sections that this adapter refuses.

    :raises UnexpectedResponse: if the response is not a descriptor
    """
    return parse(fetch_element(artifact))


def fetch_element(artifact: ArtifactService) -> ET.Element:
    """Return the descriptor of the server as an XML element.

    :raises UnexpectedResponse: if the response is not a descriptor
    """
    return artifact.http.read("GET", PATH, headers={"Accept": "application/xml"}).xml("config")


def parse(root: ET.Element) -> dict[str, t.Any]:
    """Return the sections of a descriptor, without those that this adapter refuses."""
    return {name: value for name, value in _parse_members(SECTIONS, root).items() if name not in REFUSED_SECTIONS}


def select_sections(descriptor: dict[str, t.Any], sections: list[str] | None) -> dict[str, t.Any]:
    """Return the sections of a descriptor without secrets, sorted by name.

    :arg sections: names of the sections; `None` for all
    """
    selected = {name: descriptor[name] for name in sorted(descriptor) if sections is None or name in sections}
    return t.cast("dict[str, t.Any]", remove_secrets(SECTIONS, selected))


def remove_secrets(kind: t.Any, value: t.Any, keeps_texts: bool = False) -> t.Any:
    """Return a value without secret members, including those that are secret by their name or their content.

    :arg keeps_texts: whether to keep strings of which a part is secret
    """
    if not isinstance(value, dict):
        return value
    is_collection = isinstance(kind, Collection)
    return {
        name: remove_secrets(inner_kind(kind, name), inner, keeps_texts)
        for name, inner in value.items()
        if is_collection or not _is_secret(inner_kind(kind, name), name, inner, keeps_texts)
    }


def mask_secrets(kind: t.Any, value: t.Any) -> t.Any:
    """Return a value without secret members. Secrets inside of strings, such as the password of a URL, are masked."""
    value = remove_secrets(kind, value, keeps_texts=True)
    return _mask_texts(value)


def is_secret_name(kind: t.Any, name: str) -> bool:
    """Return whether a member is secret, by its kind or, if that is not known, by its name."""
    return kind is Scalar.SECRET or (kind is Scalar.UNKNOWN and is_password(name))


def _is_secret(kind: t.Any, name: str, value: t.Any, keeps_texts: bool) -> bool:
    if isinstance(value, (dict, list, bool)):
        return False
    if is_secret_name(kind, name) or _ENCRYPTED.fullmatch(str(value)):
        return True
    return not keeps_texts and isinstance(value, str) and mask_text(value) != value


def _mask_texts(value: t.Any) -> t.Any:
    if isinstance(value, dict):
        return {name: _mask_texts(inner) for name, inner in value.items()}
    return mask_text(value) if isinstance(value, str) else value


def _parse_members(kinds: t.Any, element: ET.Element, key: str | None = None) -> dict[str, t.Any]:
    """Return the members of an element by name, except the one named `key`."""
    return {_name(child): _parse(inner_kind(kinds, _name(child)), child) for child in element if _name(child) != key}


def _parse(kind: t.Any, element: ET.Element) -> t.Any:
    if isinstance(kind, Collection):
        return _parse_objects(kind, element)
    if isinstance(kind, NameSet):
        return sorted({(child.text or "").strip() for child in element})
    if isinstance(kind, dict):
        return _parse_members(kind, element)
    if len(element):
        return _parse_unknown(element)
    text = element.text or ""
    if kind in (Scalar.FLAG, Scalar.NUMBER, Scalar.UNKNOWN):
        return _guess(text)
    return text


def _parse_objects(kind: Collection, element: ET.Element) -> dict[str, t.Any]:
    objects: dict[str, t.Any] = {}
    for child in element:
        name = next((member.text for member in child if _name(member) == kind.key), None)
        objects[(name or "").strip()] = _parse_members(kind.members, child, kind.key)
    return objects


def _parse_unknown(element: ET.Element) -> t.Any:
    """Return the content of an element that this adapter does not know: a list if its children have the same name."""
    names = [_name(child) for child in element]
    if len(names) != len(set(names)) or all(name.endswith("Ref") for name in names):
        return [_parse(Scalar.UNKNOWN, child) for child in element]
    return _parse_members(Scalar.UNKNOWN, element)


def _guess(text: str) -> t.Any:
    stripped = text.strip()
    return int(stripped) if _INTEGER.fullmatch(stripped) else _FLAGS.get(stripped, text)


def _name(element: ET.Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]
