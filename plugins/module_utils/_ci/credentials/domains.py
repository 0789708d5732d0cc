# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Domains of credentials, and their changes."""

from __future__ import annotations

import copy
import re
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials import stores
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials.stores import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.document import XmlBody
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_CLASS = "com.cloudbees.plugins.credentials.domains.{}"
_ROOT = _CLASS.format("Domain")
# Classes of specifications by option
_CLASSES = {
    "hostname": _CLASS.format("HostnameSpecification"),
    "hostname_port": _CLASS.format("HostnamePortSpecification"),
    "path": _CLASS.format("PathSpecification"),
    "schemes": _CLASS.format("SchemeSpecification"),
}
SPECIFICATIONS = tuple(_CLASSES)
_PATTERNS = ("hostname", "hostname_port", "path")
_FORBIDDEN = 403
_SEPARATORS = re.compile(r"[,\s]+")


def read_specifications(root: ET.Element) -> Fields:
    """Return the specifications of a stored domain, `None` for one that does not exist."""
    fields: Fields = {}
    for name in _PATTERNS:
        found = root.find(f"specifications/{_CLASSES[name]}")
        fields[name] = None if found is None else _read_patterns(name, found)
    schemes = root.find(f"specifications/{_CLASSES['schemes']}/schemes")
    fields["schemes"] = None if schemes is None else sorted(scheme.text or "" for scheme in schemes)
    return fields


def describe(ci: CiService, store: Store, name: str) -> Fields:
    """Return a domain as the modules return it, without specifications if the account may not read them."""
    path = store.domain_path(name)
    record = _find(ci, path)
    description = (record and record.maybe_text("description")) or ""
    try:
        root = stores.fetch_config(ci, path)
    except ServerRefusal as refusal:
        if refusal.status != _FORBIDDEN:
            raise
        root = None
    specifications = {} if root is None else read_specifications(root)
    return to_result(name, {"description": description, **specifications, "credentials": _list_ids(record)})


def to_result(name: str, fields: Fields) -> Fields:
    """Return a domain as the modules return it."""
    return {
        "name": name,
        "description": fields.get("description", ""),
        **{specification: fields.get(specification) for specification in SPECIFICATIONS},
        "credentials": fields.get("credentials", []),
    }


def parse_options(params: Fields) -> Fields:
    """Return the declared fields. An empty specification is `None`, so that it is removed.

    :raises BadOption: if an option is invalid
    """
    stores.select_store({**params, "user": None}).domain_path(params["name"])
    if params["state"] == "absent":
        return {}
    fields: Fields = {}
    if params["description"] is not None:
        fields["description"] = params["description"]
    for name in _PATTERNS:
        declared = params[name]
        if declared is None:
            continue
        patterns: Fields = {key: sorted(set(declared.get(key) or ())) for key in ("includes", "excludes")}
        if name == "path":
            patterns["case_sensitive"] = bool(declared.get("case_sensitive"))
        fields[name] = patterns if any(patterns.values()) else None
    if params["schemes"] is not None:
        fields["schemes"] = sorted(set(params["schemes"])) or None
    for name in SPECIFICATIONS:
        _check_latin(name, fields.get(name))
    return fields


class SharedDomains:
    """The domains of each store, read once for all items of a task.

    :ivar sources: the configuration sources
    """

    def __init__(self) -> None:
        self._values = SharedValues()
        self.sources = SharedSources()

    def domains(self, task: Task, ci: CiService, store: Store) -> dict[str, Record]:
        """Return the domains of a store by name, as they were before this task changed one.

        :raises ToolchainError: if the account may not view them
        """
        return self._values.get(str(store), lambda: _list_existing(task, ci, store))


class ManagedDomain:
    """The domain that a task manages.

    :arg shared: shared by all items of a task
    """

    def __init__(self, task: Task, ci: CiService, shared: SharedDomains, declared: Fields) -> None:
        self._task, self._ci, self._shared, self._declared = task, ci, shared, declared
        self._name: str = task.params["name"]
        self._store = stores.select_store({**task.params, "user": None})
        self._path = self._store.domain_path(self._name)
        self._is_read = False
        self._stored: ET.Element | None = None
        self._description = ""

    def find(self) -> Fields | None:
        """Return the fields of the domain, or `None` if it does not exist.

        The first call for an item uses the list of all domains of the store.
        """
        if self._is_read:
            record = _find(self._ci, self._path)
        else:
            record = self._shared.domains(self._task, self._ci, self._store).get(self._name)
        self._is_read = True
        if record is None:
            return None
        self._description = record.maybe_text("description") or ""
        fields = {"description": self._description, "credentials": _list_ids(record)}
        if self._task.params["state"] == "absent":
            return fields
        self._stored = stores.fetch_config(self._ci, self._path)
        return None if self._stored is None else {**fields, **read_specifications(self._stored)}

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare."""
        return {"description": "", **self._declared} if before is None else self._declared

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse to delete credentials, and to change what a configuration source sets.

        :arg fields: the fields to write; `None` for a deletion
        :raises ToolchainError: if the domain contains credentials, or if a source sets it
        """
        self._store.refuse_owned(self._ci, self._shared.sources, f"domain '{self._name}'")
        if fields is None and before is not None:
            self._check_empty(before["credentials"])

    def create(self, fields: Fields) -> None:
        """Create the domain."""
        root = ET.Element(_ROOT)
        for tag in ("name", "description", "specifications"):
            ET.SubElement(root, tag)
        self._ci.post(f"{self._store.path}/createDomain", data=XmlBody(self._change(root, fields)))

    def update(self, _fields: Fields) -> None:
        """Change the domain, and keep what is not declared.

        :raises ToolchainError: if a text that Jenkins does not return would be lost
        """
        root = copy.deepcopy(t.cast(ET.Element, self._stored))
        fields = {"description": self._description, **self._declared}
        self._ci.post(f"{self._path}/config.xml", data=XmlBody(self._change(root, fields)), policy=IDEMPOTENT)

    def delete(self) -> None:
        """Delete the domain, unless another client has added credentials in the meantime."""
        record = _find(self._ci, self._path)
        self._check_empty(_list_ids(record))
        self._ci.http.write("DELETE", f"{self._path}/config.xml", accept=(200, 404), policy=IDEMPOTENT)

    def to_result(self, fields: Fields) -> Fields:
        """Return the domain as the module returns it; a predicted one without credentials."""
        return to_result(self._name, fields)

    def _check_empty(self, ids: t.Sequence[str]) -> None:
        if ids and not self._task.params["allow_delete_credentials"]:
            raise ToolchainError(
                f"Domain '{self._name}' in {self._store} contains {len(ids)} credentials, which Jenkins would delete "
                "as well. To delete them, set 'allow_delete_credentials: true'."
            )

    def _change(self, root: ET.Element, fields: Fields) -> ET.Element:
        """Return the configuration with other fields. The name is always that of the domain."""
        for tag, text in (("name", self._name), ("description", fields.get("description", ""))):
            element = root.find(tag)
            element = ET.SubElement(root, tag) if element is None else element
            element.text = text
        specifications = root.find("specifications")
        if specifications is None:
            specifications = ET.SubElement(root, "specifications")
        for name in SPECIFICATIONS:
            if name in fields:
                for existing in specifications.findall(_CLASSES[name]):
                    specifications.remove(existing)
        if stores.has_unknown_text(specifications):
            raise ToolchainError(
                f"Domain '{self._name}' cannot be changed: a specification that is not declared contains question "
                "marks, which Jenkins also returns in place of other characters. Declare all specifications."
            )
        for name in SPECIFICATIONS:
            if fields.get(name) is not None:
                _add_specification(specifications, name, fields[name])
        return root


def _list_existing(task: Task, ci: CiService, store: Store) -> dict[str, Record]:
    found = stores.list_domains(ci, store)
    if found is not None:
        return found
    if stores.is_predicted(task, ci, store):
        return {}
    raise stores.explain_missing(ci, store)


def _find(ci: CiService, path: str) -> Record | None:
    """Return a domain, or `None` if it does not exist."""
    return ci.find(path, "urlName,description,credentials[id]", "urlName")


def _list_ids(record: Record | None) -> list[str]:
    return [] if record is None else sorted(credential.text("id") for credential in record.records("credentials"))


def _read_patterns(name: str, element: ET.Element) -> Fields:
    patterns: Fields = {key: _split_patterns(element.findtext(key)) for key in ("includes", "excludes")}
    if name == "path":
        patterns["case_sensitive"] = element.findtext("caseSensitive") == "true"
    return patterns


def _split_patterns(text: str | None) -> list[str]:
    return sorted(set(filter(None, _SEPARATORS.split(text or ""))))


def _add_specification(specifications: ET.Element, name: str, value: t.Any) -> None:
    element = ET.SubElement(specifications, _CLASSES[name])
    if name == "schemes":
        schemes = ET.SubElement(element, "schemes")
        for scheme in value:
            ET.SubElement(schemes, "string").text = scheme
        return
    for key in ("includes", "excludes"):
        ET.SubElement(element, key).text = ",".join(value.get(key, ()))
    if name == "path":
        ET.SubElement(element, "caseSensitive").text = "true" if value.get("case_sensitive") else "false"


def _check_latin(name: str, value: t.Any) -> None:
    """Refuse patterns that could not be compared."""
    texts = value if isinstance(value, list) else [*value["includes"], *value["excludes"]] if value else []
    for text in texts:
        if stores.to_latin(text) != text:
            raise BadOption(
                name, f"must contain only characters of ISO-8859-1, because Jenkins returns no others: {text}"
            )
