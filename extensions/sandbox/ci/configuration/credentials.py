# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials of the server in the configuration. A given list replaces all of them and their domains."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

import yaml
from lxml import etree

from ..controller import Controller
from ..credentials import stores
from ..credentials.classes import BY_NAME, DOMAIN, SCOPES, Loader, has_secret_name
from ..credentials.stores import Domain
from .configurators import (
    Attribute,
    Configurator,
    Context,
    Convert,
    Structure,
    failed_attribute,
    flag,
    sequence,
    symbol,
    text,
    with_members,
)
from .documents import ConfiguratorError, Plain

_PACKAGE = "com.cloudbees.plugins.credentials"
_SSH = "com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey"
_CERTIFICATE = f"{_PACKAGE}.impl.CertificateCredentialsImpl"
_XML_NAMES = {"uploadedKeystore": "uploadedKeystoreBytes"}


def _convert_scope(context: Context, node: yaml.Node, label: str) -> str:
    scope = text(context, node)
    if scope not in SCOPES:
        raise ConfiguratorError(failed_attribute(context, node, label, "scope"))
    return scope


def _convert_source(context: Context, node: yaml.Node, _label: str) -> etree._Element:
    name, members = symbol(context, node, "source", "hudson.model.Describable", _SOURCES)
    structure = _SOURCES[name]
    source = etree.Element("source", {"class": structure.java_class})
    _add_members(source, structure.convert(context, members))
    return source


def _convert_schemes(context: Context, node: yaml.Node, _label: str) -> etree._Element:
    schemes = etree.Element("schemes", {"class": "linked-hash-set"})
    for scheme in text(context, node).split(","):
        etree.SubElement(schemes, "string").text = scheme.strip()
    return schemes


_COMMON: dict[str, Convert] = {"description": text, "id": text, "scope": _convert_scope}
_USER_NAME: dict[str, Convert] = {"username": text, "usernameSecret": flag}
_CREDENTIALS = {
    structure.label: structure
    for structure in (
        Structure(
            "usernamePassword",
            f"{_PACKAGE}.impl.UsernamePasswordCredentialsImpl",
            {**_COMMON, **_USER_NAME, "password": text},
        ),
        Structure(
            "string", "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl", {**_COMMON, "secret": text}
        ),
        Structure(
            "file",
            "org.jenkinsci.plugins.plaincredentials.impl.FileCredentialsImpl",
            {**_COMMON, "fileName": text, "secretBytes": text},
        ),
        Structure(
            "basicSSHUserPrivateKey",
            _SSH,
            {**_COMMON, **_USER_NAME, "passphrase": text, "privateKeySource": _convert_source},
        ),
        Structure("certificate", _CERTIFICATE, {**_COMMON, "keyStoreSource": _convert_source, "password": text}),
        Structure(
            "gitLabApiTokenImpl",
            "com.dabsquared.gitlabjenkins.connection.GitLabApiTokenImpl",
            {**_COMMON, "apiToken": text},
        ),
        Structure(
            "aws",
            "com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsImpl",
            {
                **_COMMON,
                **dict.fromkeys(("accessKey", "iamExternalId", "iamMfaSerialNumber", "iamRoleArn", "secretKey"), text),
            },
        ),
        Structure(
            "vaultAppRoleCredential",
            "com.datapipe.jenkins.vault.credentials.VaultAppRoleCredential",
            {**_COMMON, **dict.fromkeys(("namespace", "path", "roleId", "secretId"), text), "usePolicies": flag},
        ),
    )
}
_BY_CLASS = {structure.java_class: structure for structure in _CREDENTIALS.values()}
_SOURCES = {
    structure.label: structure
    for structure in (
        Structure("directEntry", f"{_SSH}$DirectEntryPrivateKeySource", {"privateKey": text}),
        Structure("uploaded", f"{_CERTIFICATE}$UploadedKeyStoreSource", {"uploadedKeystore": text}),
        Structure("pEMEntry", f"{_CERTIFICATE}$PEMEntryKeyStoreSource", {"certChain": text, "privateKey": text}),
    )
}
_HOSTS: dict[str, Convert] = {"excludes": text, "includes": text}
_SPECIFICATIONS = {
    structure.label: structure
    for structure in (
        Structure("hostnameSpecification", f"{_PACKAGE}.domains.HostnameSpecification", _HOSTS),
        Structure("hostnamePortSpecification", f"{_PACKAGE}.domains.HostnamePortSpecification", _HOSTS),
        Structure("pathSpecification", f"{_PACKAGE}.domains.PathSpecification", {**_HOSTS, "caseSensitive": flag}),
        Structure("schemeSpecification", f"{_PACKAGE}.domains.SchemeSpecification", {"schemes": _convert_schemes}),
    )
}


def _to_xml(structure: Structure, values: Mapping[str, Any]) -> etree._Element:
    """Return an object as Jenkins would read it from XML."""
    root = etree.Element(structure.java_class)
    _add_members(root, values)
    return root


def _add_members(element: etree._Element, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        if etree.iselement(value):
            value.tag = name
            element.append(value)
        else:
            content = str(value).lower() if isinstance(value, bool) else value
            etree.SubElement(element, _XML_NAMES.get(name, name)).text = content


def _to_members(structure: Structure, element: etree._Element) -> dict[str, Any]:
    """Return the members of an object. Its secrets are encrypted."""
    members: dict[str, Any] = {}
    for name, convert in structure.members.items():
        value = element.find(_XML_NAMES.get(name, name))
        if value is None:
            continue
        if convert is _convert_source:
            members[name] = _with_symbol(_SOURCES, value, value.get("class", ""))
        elif convert is flag:
            members[name] = value.text == "true"
        elif convert is _convert_schemes:
            members[name] = ", ".join(scheme.text or "" for scheme in value)
        else:
            members[name] = Plain(value.text) if convert is _convert_scope else value.text
    return members


def _with_symbol(structures: Mapping[str, Structure], element: etree._Element, java_class: str) -> Any:
    structure = next(one for one in structures.values() if one.java_class == java_class)
    return with_members(structure.label, _to_members(structure, element))


def _convert_credentials(context: Context, node: yaml.Node, _label: str) -> list[etree._Element]:
    plugins = context.server.plugins
    known = [name for name, one in _CREDENTIALS.items() if plugins.have((BY_NAME[one.java_class].plugin,))]
    found = []
    for entry in sequence(context, node):
        name, members = symbol(context, entry, "credentials", f"{_PACKAGE}.Credentials", known)
        structure = _CREDENTIALS[name]
        values = structure.convert(context, members)
        values["id"] = values.get("id") or str(uuid.uuid4())
        if "usernameSecret" in structure.members:
            values.setdefault("usernameSecret", False)
        found.append(_to_xml(structure, values))
    return found


def _convert_specifications(context: Context, node: yaml.Node, _label: str) -> list[etree._Element]:
    found = []
    for entry in sequence(context, node):
        name, members = symbol(
            context, entry, "specifications", f"{_PACKAGE}.domains.DomainSpecification", _SPECIFICATIONS
        )
        structure = _SPECIFICATIONS[name]
        found.append(_to_xml(structure, structure.convert(context, members)))
    return found


def _convert_domain(context: Context, node: yaml.Node, _label: str) -> etree._Element:
    members = _DOMAIN.convert(context, node)
    specifications = members.pop("specifications", [])
    domain = _to_xml(_DOMAIN, members)
    etree.SubElement(domain, "specifications").extend(specifications)
    return domain


_DOMAIN = Structure("domain", DOMAIN, {"description": text, "name": text, "specifications": _convert_specifications})
_DOMAIN_CREDENTIALS = Structure(
    "domainCredentials",
    f"{_PACKAGE}.domains.DomainCredentials",
    {"credentials": _convert_credentials, "domain": _convert_domain},
)


def _convert_domains(context: Context, node: yaml.Node, _label: str) -> list[dict[str, Any]]:
    return [_DOMAIN_CREDENTIALS.convert(context, entry) for entry in sequence(context, node)]


def _write(server: Controller, entries: list[dict[str, Any]]) -> None:
    loader = Loader(server.storage)
    stores.system_store(server.storage).replace_all(
        [
            (
                loader.load_domain(entry["domain"]) if "domain" in entry else loader.create_global_domain(),
                [loader.load_credential(credential) for credential in entry.get("credentials", [])],
            )
            for entry in entries
        ]
    )


def _read(server: Controller) -> list[dict[str, Any]]:
    domains = stores.system_store(server.storage).domains()
    return [
        {
            "credentials": [_export_credential(one) for one in domain.credentials if one.tag in _BY_CLASS],
            "domain": _export_domain(domain),
        }
        for domain in domains
    ]


def _export_credential(credential: etree._Element) -> Any:
    structure = _BY_CLASS[str(credential.tag)]
    members = _to_members(structure, credential)
    members.pop("usernameSecret", None)
    if "usernameSecret" in structure.members and has_secret_name(credential):
        members["usernameSecret"] = True
    return with_members(structure.label, members)


def _export_domain(domain: Domain) -> dict[str, Any]:
    specifications = domain.config.iterfind("specifications/*")
    members = {
        "description": domain.description,
        "name": domain.name,
        "specifications": [_with_symbol(_SPECIFICATIONS, one, str(one.tag)) for one in specifications],
    }
    return {name: value for name, value in members.items() if value}


SYSTEM = Configurator(
    "system",
    f"{_PACKAGE}.SystemCredentialsProvider",
    (Attribute("domainCredentials", _read, _write, _convert_domains, {"type": "array"}),),
)
