# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Stores of credentials: domains with their credentials.

Each store is kept as the XML that Jenkins writes. The store of a folder is a property in the configuration of the
folder, so it is copied, moved and deleted with the folder.
"""

from __future__ import annotations

from collections.abc import Callable

from lxml import etree

from ..jobs.folder_configuration import PROPERTY_LOADERS
from ..storage import Storage
from ..xml import document
from ..xml.writer import ConfigurationWriter
from .classes import DOMAIN, InvalidXml, Loader

_MAP = "domainCredentialsMap"
_MAP_CLASS = "hudson.util.CopyOnWriteMap$Hash"
_LIST = "java.util.concurrent.CopyOnWriteArrayList"
FOLDER_PROPERTY = "com.cloudbees.hudson.plugins.folder.properties.FolderCredentialsProvider_-FolderCredentialsProperty"
_PROVIDERS = {
    "": "com.cloudbees.plugins.credentials.SystemCredentialsProvider",
    "user": "com.cloudbees.plugins.credentials.UserCredentialsProvider_-UserCredentialsProperty",
}


class Domain:
    """A domain of a store. Its name is None for the global one."""

    def __init__(self, entry: etree._Element) -> None:
        self._entry = entry

    @property
    def config(self) -> etree._Element:
        """The configuration of the domain."""
        return self._entry[0]

    @config.setter
    def config(self, config: etree._Element) -> None:
        self._entry[0] = config

    @property
    def name(self) -> str | None:
        """The name of the domain."""
        return self.config.findtext("name")

    @property
    def url_name(self) -> str:
        """The name in URLs."""
        return "_" if self.name is None else self.name

    @property
    def description(self) -> str | None:
        """The description of the domain."""
        return self.config.findtext("description")

    @property
    def credentials(self) -> etree._Element:
        """The credentials in the order of their creation."""
        return self._entry[1]

    def find(self, credential_id: str) -> etree._Element | None:
        """Return the credentials with an id."""
        return next((one for one in self.credentials if one.findtext("id") == credential_id), None)


class Store:
    """The domains of a store.

    :arg root: the element that contains the map of domains
    :arg save: stores the changed element
    """

    def __init__(self, root: etree._Element, loader: Loader, save: Callable[[etree._Element], None]) -> None:
        self._root = root
        self._loader = loader
        self._save = save
        found = root.find(_MAP)
        self._map = etree.SubElement(root, _MAP, {"class": _MAP_CLASS}) if found is None else found
        self._ensure_global_domain()

    def domains(self) -> list[Domain]:
        """Return all domains."""
        return [Domain(entry) for entry in self._map]

    def find(self, url_name: str) -> Domain | None:
        """Return the domain with a name. A domain named `_` hides the global one."""
        domains = self.domains()
        named = next((domain for domain in domains if domain.name == url_name), None)
        return named or next((domain for domain in domains if domain.name is None and url_name == "_"), None)

    def add(self, config: etree._Element) -> bool:
        """Add a domain. Return whether the name was free."""
        if any(domain.name == config.findtext("name") for domain in self.domains()):
            return False
        self._add(config, "list")
        self.save()
        return True

    def replace(self, domain: Domain, config: etree._Element) -> None:
        """Change a domain. A domain that has its new name is lost with its credentials."""
        name = config.findtext("name")
        if domain.name != name:
            for entry in [entry for entry in self._map if Domain(entry).name == name]:
                self._map.remove(entry)
        domain.config = config
        self._ensure_global_domain()
        self.save()

    def delete(self, domain: Domain) -> None:
        """Delete a domain with its credentials. The global one is emptied."""
        for entry in [entry for entry in self._map if entry[0] is domain.config]:
            self._map.remove(entry)
        self._ensure_global_domain()
        self.save()

    def replace_all(self, domains: list[tuple[etree._Element, list[etree._Element]]]) -> None:
        """Replace all domains and their credentials. Domains with the same name are merged.

        :arg domains: configurations with the credentials of each
        """
        for entry in list(self._map):
            self._map.remove(entry)
        for config, credentials in domains:
            same = next((domain for domain in self.domains() if domain.name == config.findtext("name")), None)
            if same is None:
                self._add(config, "list")
                same = self.domains()[-1]
            same.credentials.extend(credentials)
        self._ensure_global_domain()
        self.save()

    def save(self) -> None:
        """Store the changes."""
        self._save(self._root)

    def _ensure_global_domain(self) -> None:
        if all(domain.name is not None for domain in self.domains()):
            self._add(self._loader.create_global_domain(), _LIST)

    def _add(self, config: etree._Element, list_tag: str) -> None:
        entry = etree.SubElement(self._map, "entry")
        entry.extend([config, etree.Element(list_tag)])


def system_store(storage: Storage) -> Store:
    """Return the store of the server."""
    return _stored(storage, "", _PROVIDERS[""])


def user_store(storage: Storage, user: str) -> Store:
    """Return the store of a user."""
    return _stored(storage, user, _PROVIDERS["user"])


def folder_store(storage: Storage, folder: str) -> Store:
    """Return the store of a folder, which exists without any credentials too."""
    exported = export_folder_property(storage, folder)
    root = etree.Element(FOLDER_PROPERTY) if exported is None else exported
    return Store(root, Loader(storage), lambda changed: replace_folder_property(storage, folder, changed))


def export_folder_property(storage: Storage, folder: str) -> etree._Element | None:
    """Return the property with the credentials of a folder, or None if it has no such property.

    :arg folder: full name of an existing folder
    """
    job = storage.job(folder)
    assert job, "the folder exists"
    return document.parse(job.config).find(f"properties/{FOLDER_PROPERTY}")


def replace_folder_property(storage: Storage, folder: str, replacement: etree._Element | None) -> None:
    """Replace or remove the property with the credentials of a folder.

    :arg folder: full name of an existing folder
    """
    job = storage.job(folder)
    assert job, "the folder exists"
    root = document.parse(job.config)
    properties = root.find("properties")
    assert properties is not None, "added when the folder was stored"
    for existing in properties.findall(FOLDER_PROPERTY):
        properties.remove(existing)
    if replacement is not None:
        properties.append(replacement)
    job.config = document.write(root)
    storage.put_job(job)


def _load_folder_property(
    loaded: etree._Element,
    writer: ConfigurationWriter,  # noqa: ARG001  the same arguments for all properties
    storage: Storage,
) -> None:
    """Encrypt the secrets of a submitted property, and drop credentials that Jenkins cannot load."""
    loader = Loader(storage)
    for domains in loaded.iterfind(_MAP):
        for entry in list(domains):
            if len(entry) > 1 and entry[0].tag == DOMAIN:
                _load_entry(loader, entry)
            else:
                domains.remove(entry)


def _load_entry(loader: Loader, entry: etree._Element) -> None:
    entry[0] = loader.load_domain(entry[0])
    for credential in list(entry[1]):
        try:
            loaded = loader.load_credential(credential)
        except InvalidXml:
            entry[1].remove(credential)
        else:
            entry[1].replace(credential, loaded)


def _stored(storage: Storage, owner: str, tag: str) -> Store:
    data = storage.credential_store(owner)
    root = etree.Element(tag) if data is None else etree.fromstring(data)
    return Store(
        root,
        Loader(storage),
        lambda changed: storage.put_credential_store(owner, etree.tostring(changed, encoding="unicode")),
    )


PROPERTY_LOADERS[FOLDER_PROPERTY] = _load_folder_property
