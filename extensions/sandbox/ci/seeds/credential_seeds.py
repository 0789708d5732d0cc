# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials and domains in the `ci` section of a seed."""

from __future__ import annotations

import base64
from typing import Any

from lxml import etree

from ...seeds.schema import MappingSchema, mapping_schema
from ..credentials import stores
from ..credentials.classes import DOMAIN, Loader
from ..credentials.stores import Store
from ..storage import Storage
from ..xml import document

CREDENTIALS_SHAPE: MappingSchema = mapping_schema(
    "id! type folder user domain scope description username username_secret password secret file_name content"
    " private_key passphrase xml"
)
DOMAINS_SHAPE: MappingSchema = mapping_schema("name! folder user description xml")
_SSH = "com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey"
_CLASSES = {
    "username_password": "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl",
    "secret_text": "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl",
    "secret_file": "org.jenkinsci.plugins.plaincredentials.impl.FileCredentialsImpl",
    "ssh_key": _SSH,
}
_MEMBERS = {
    "description": "description",
    "username": "username",
    "password": "password",
    "username_secret": "usernameSecret",
    "secret": "secret",
    "file_name": "fileName",
    "passphrase": "passphrase",
}


def add_domain(storage: Storage, data: dict[str, Any]) -> None:
    """Add a domain, or replace its configuration.

    :arg data: an entry of `credential_domains`
    """
    if "xml" in data:
        root = document.parse(data["xml"])
    else:
        root = etree.Element(DOMAIN)
        etree.SubElement(root, "name").text = data["name"]
        if "description" in data:
            etree.SubElement(root, "description").text = data["description"]
        etree.SubElement(root, "specifications")
    store = _find_store(storage, data)
    config = Loader(storage).load_domain(root)
    existing = store.find(data["name"])
    if existing:
        store.replace(existing, config)
    else:
        store.add(config)


def add_credential(storage: Storage, data: dict[str, Any]) -> None:
    """Add or replace credentials.

    :arg data: an entry of `credentials`
    """
    store = _find_store(storage, data)
    domain = store.find(data.get("domain", "_"))
    if domain is None:
        raise ValueError(f"Credentials {data['id']}: there is no domain {data['domain']}.")
    root = document.parse(data["xml"], remove_blanks=False) if "xml" in data else _to_xml(data)
    credential = Loader(storage).load_credential(root)
    existing = domain.find(data["id"])
    if existing is None:
        domain.credentials.append(credential)
    else:
        domain.credentials.replace(existing, credential)
    store.save()


def _find_store(storage: Storage, data: dict[str, Any]) -> Store:
    if "user" in data:
        return stores.user_store(storage, data["user"])
    if "folder" not in data:
        return stores.system_store(storage)
    if not storage.job(data["folder"]):
        raise ValueError(f"There is no folder {data['folder']} for credentials or their domain.")
    return stores.folder_store(storage, data["folder"])


def _to_xml(data: dict[str, Any]) -> etree._Element:
    kind = data.get("type")
    if kind not in _CLASSES:
        raise ValueError(f"Credentials {data['id']}: the type is one of {', '.join(_CLASSES)}, or xml is given.")
    root = etree.Element(_CLASSES[kind])
    scope = data.get("scope", "USER" if "user" in data else "GLOBAL")
    if scope:
        etree.SubElement(root, "scope").text = scope.upper()
    etree.SubElement(root, "id").text = data["id"]
    for name, member in _MEMBERS.items():
        if name in data:
            value = data[name]
            etree.SubElement(root, member).text = str(value).lower() if isinstance(value, bool) else value
    if "content" in data:
        etree.SubElement(root, "secretBytes").text = base64.b64encode(data["content"].encode()).decode()
    if "private_key" in data:
        source = etree.SubElement(root, "privateKeySource", {"class": f"{_SSH}$DirectEntryPrivateKeySource"})
        etree.SubElement(source, "privateKey").text = data["private_key"]
    return root
