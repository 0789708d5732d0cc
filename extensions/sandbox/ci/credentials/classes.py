# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of credentials and of domains, and their members in XML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from lxml import etree

from ..storage import Storage
from ..xml import document, secrets

SCOPES = ("GLOBAL", "SYSTEM", "USER")
PLUGIN = "credentials"
DOMAIN = "com.cloudbees.plugins.credentials.domains.Domain"
_SPECIFICATION = "com.cloudbees.plugins.credentials.domains.{}Specification"
_SSH = "com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey"
_CERTIFICATE = "com.cloudbees.plugins.credentials.impl.CertificateCredentialsImpl"
_AZURE = "com.microsoft.azure.util.AzureCredentials"
# How members are stored
TEXT, SCOPE, FLAG, FLAG_OR_FALSE, SECRET, PASSPHRASE, BYTES, SOURCE = range(8)
_HIDDEN = (SECRET, PASSPHRASE, BYTES)
_SOURCES: dict[str, dict[str, int]] = {
    f"{_SSH}$DirectEntryPrivateKeySource": {"privateKey": SECRET},
    f"{_CERTIFICATE}$UploadedKeyStoreSource": {"uploadedKeystoreBytes": BYTES},
    f"{_CERTIFICATE}$PEMEntryKeyStoreSource": {"certChain": SECRET, "privateKey": SECRET},
    f"{_AZURE}$ServicePrincipal": {
        "subscriptionId": SECRET,
        "clientId": SECRET,
        "clientSecret": SECRET,
        "certificateId": TEXT,
        "oauth2TokenEndpoint": SECRET,
        "serviceManagementURL": TEXT,
        "tenant": SECRET,
        "authenticationEndpoint": TEXT,
        "resourceManagerEndpoint": TEXT,
        "graphEndpoint": TEXT,
        "azureEnvironmentName": TEXT,
    },
}
# Members of one possible class, which their elements do not name
_ONLY_CLASSES = {"data": f"{_AZURE}$ServicePrincipal"}
_COMMON = {"scope": SCOPE, "id": TEXT, "description": TEXT}
_SPECIFICATIONS = {
    _SPECIFICATION.format("Hostname"): ("includes", "excludes"),
    _SPECIFICATION.format("HostnamePort"): ("includes", "excludes"),
    _SPECIFICATION.format("Path"): ("includes", "excludes", "caseSensitive"),
    _SPECIFICATION.format("Scheme"): ("schemes",),
}


class InvalidXml(ValueError):
    """XML that Jenkins cannot load as credentials or as a domain."""


@dataclass(frozen=True)
class CredentialClass:
    """A class of credentials.

    :arg title: text of `typeName`
    :arg name_members: the members with the name in `displayName`, if the class has some; colons separate their texts
    :arg name_suffix: what follows this name
    """

    name: str
    plugin: str
    title: str
    members: Mapping[str, int]
    name_members: tuple[str, ...] = ()
    name_suffix: str = ""

    def list_secrets(self) -> list[str]:
        """Return the names of the members that are secret."""
        return [name for name, kind in self.members.items() if kind in _HIDDEN]


_CLASSES = (
    CredentialClass(
        "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl",
        PLUGIN,
        "Username with password",
        {**_COMMON, "username": TEXT, "password": SECRET, "usernameSecret": FLAG},
        ("username",),
        "/******",
    ),
    CredentialClass(
        "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl",
        "plain-credentials",
        "Secret text",
        {**_COMMON, "secret": SECRET},
    ),
    CredentialClass(
        "org.jenkinsci.plugins.plaincredentials.impl.FileCredentialsImpl",
        "plain-credentials",
        "Secret file",
        {**_COMMON, "fileName": TEXT, "secretBytes": BYTES},
        ("fileName",),
    ),
    CredentialClass(
        _SSH,
        "ssh-credentials",
        "SSH Username with private key",
        {
            **_COMMON,
            "username": TEXT,
            "usernameSecret": FLAG_OR_FALSE,
            "passphrase": PASSPHRASE,
            "privateKeySource": SOURCE,
        },
        ("username",),
    ),
    CredentialClass(_CERTIFICATE, PLUGIN, "Certificate", {**_COMMON, "keyStoreSource": SOURCE, "password": SECRET}),
    CredentialClass(
        "com.dabsquared.gitlabjenkins.connection.GitLabApiTokenImpl",
        "gitlab-plugin",
        "GitLab API token",
        {**_COMMON, "apiToken": SECRET},
    ),
    CredentialClass(
        "com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsImpl",
        "aws-credentials",
        "AWS Credentials",
        {
            **_COMMON,
            "accessKey": TEXT,
            "secretKey": SECRET,
            "iamRoleArn": TEXT,
            "iamExternalId": TEXT,
            "iamMfaSerialNumber": TEXT,
            "stsTokenDuration": TEXT,
        },
        ("accessKey", "iamRoleArn"),
    ),
    CredentialClass(
        "com.datapipe.jenkins.vault.credentials.VaultAppRoleCredential",
        "hashicorp-vault-plugin",
        "Vault App Role Credential",
        {**_COMMON, "usePolicies": FLAG, "namespace": TEXT, "secretId": SECRET, "roleId": TEXT, "path": TEXT},
    ),
    CredentialClass(_AZURE, "azure-credentials", "Azure Service Principal", {**_COMMON, "data": SOURCE}),
)
_EMPTY = ("specifications", "schemes", "secret-redacted")
BY_NAME = {credential_class.name: credential_class for credential_class in _CLASSES}


class Loader:
    """Loads credentials and domains from XML as Jenkins stores them: with known members only and encrypted secrets."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        loaded = [row for row in storage.plugins() if row.get("loaded", True) and row.get("active", True)]
        self._versions = {row["name"]: row["version"] for row in loaded}

    def load_credential(self, root: etree._Element) -> etree._Element:
        """Return the credentials of a document.

        :raises InvalidXml: for an unknown class, or without an id
        """
        found = BY_NAME.get(str(root.tag))
        if not found or found.plugin not in self._versions:
            raise InvalidXml(f"no plugin has the class {root.tag}")
        if root.find("id") is None:
            raise InvalidXml("no id")
        credential = self._create(found.name, found.plugin)
        self._load_members(root, credential, found.members)
        return credential

    def load_domain(self, root: etree._Element) -> etree._Element:
        """Return the domain of a document.

        :raises InvalidXml: for another class
        """
        if root.tag != DOMAIN:
            raise InvalidXml(f"not a domain: {root.tag}")
        domain = self._create(DOMAIN, PLUGIN)
        for name in ("name", "description"):
            _copy_text(root, domain, name)
        specifications = root.find("specifications")
        if specifications is not None:
            copies = etree.SubElement(domain, "specifications")
            copies.extend(
                _load_specification(inner, _SPECIFICATIONS[str(inner.tag)])
                for inner in specifications
                if inner.tag in _SPECIFICATIONS
            )
        return domain

    def create_global_domain(self) -> etree._Element:
        """Return the domain that each store has."""
        domain = self._create(DOMAIN, PLUGIN)
        etree.SubElement(domain, "specifications")
        return domain

    def decrypt(self, credential: etree._Element, path: str) -> str | None:
        """Return a secret text, or None if it is null."""
        value = credential.findtext(path)
        return None if value is None else secrets.reveal(self._storage, value)

    def decrypt_bytes(self, credential: etree._Element, path: str) -> bytes | None:
        """Return secret bytes, or None if they are null."""
        value = credential.findtext(path)
        return None if value is None else secrets.reveal_bytes(self._storage, value)

    def _create(self, name: str, plugin: str) -> etree._Element:
        version = self._versions.get(plugin)
        return etree.Element(name, {"plugin": f"{plugin}@{version}"} if version else None)

    def _load_members(self, source: etree._Element, target: etree._Element, members: Mapping[str, int]) -> None:
        for name, kind in members.items():
            value = source.find(name)
            if kind == SOURCE and value is not None:
                class_name = _find_class(value)
                if class_name not in _SOURCES:
                    raise InvalidXml(f"no such class: {class_name}")
                attributes = {} if name in _ONLY_CLASSES else {"class": class_name}
                self._load_members(value, etree.SubElement(target, name, attributes), _SOURCES[class_name])
            elif (text := self._to_text(kind, None if value is None else value.text or "")) is not None:
                etree.SubElement(target, name).text = text

    def _to_text(self, kind: int, text: str | None) -> str | None:
        """Return the stored text of a member; None if Jenkins leaves it out."""
        if kind == FLAG_OR_FALSE or (kind == FLAG and text is not None):
            return "true" if (text or "").lower() == "true" else "false"
        if text is None or (kind == SCOPE and text not in SCOPES):
            return None
        if kind in (SECRET, PASSPHRASE):
            plain = secrets.reveal(self._storage, text)
            return None if kind == PASSPHRASE and not plain else secrets.reencrypt(self._storage, text)
        if kind == BYTES:
            return secrets.reencrypt_bytes(self._storage, text)
        return text


def redact(credential: etree._Element) -> etree._Element:
    """Return credentials with a mark in place of each secret."""
    copy = etree.fromstring(etree.tostring(credential))
    for secret in _list_secrets(copy, BY_NAME[str(copy.tag)].members):
        secret.text = None
        etree.SubElement(secret, "secret-redacted")
    return copy


def display_name(credential: etree._Element) -> str:
    """Return the name that the pages of Jenkins show."""
    found = BY_NAME[str(credential.tag)]
    description = (credential.findtext("description") or "").strip()
    if found.title == "Certificate":
        name = found.title
    elif found.name_members and not has_secret_name(credential):
        name = ":".join(filter(None, map(credential.findtext, found.name_members))) + found.name_suffix
    else:
        return description or found.title
    return f"{name} ({description})" if description else name


def to_xml(root: etree._Element) -> bytes:
    """Return a document as Jenkins sends it: indented, and in Latin-1 with question marks for other characters."""
    return render(root).encode("latin-1", "replace")


def render(root: etree._Element) -> str:
    """Return a document as indented text. Empty texts are a pair of tags, empty lists a single tag."""
    copy = etree.fromstring(etree.tostring(root))
    for element in copy.iter():
        if element.text is None and not len(element) and element.tag not in _EMPTY:
            element.text = ""
    return document.write_element(copy)


def has_secret_name(credential: etree._Element) -> bool:
    """Return whether the user name is secret. It is, unless the credentials say otherwise."""
    members = BY_NAME[str(credential.tag)].members
    return "usernameSecret" in members and credential.findtext("usernameSecret") != "false"


def _list_secrets(element: etree._Element, members: Mapping[str, int]) -> Iterator[etree._Element]:
    for name, kind in members.items():
        value = element.find(name)
        if value is None:
            continue
        if kind in _HIDDEN:
            yield value
        elif kind == SOURCE:
            yield from _list_secrets(value, _SOURCES[_find_class(value)])


def _find_class(element: etree._Element) -> str:
    return _ONLY_CLASSES.get(str(element.tag), str(element.get("class") or ""))


def _copy_text(source: etree._Element, target: etree._Element, name: str) -> None:
    text = source.findtext(name)
    if text is not None:
        etree.SubElement(target, name).text = text


def _load_specification(element: etree._Element, members: tuple[str, ...]) -> etree._Element:
    specification = etree.Element(element.tag)
    for name in members:
        if name == "schemes":
            _load_schemes(element, specification)
        elif name == "caseSensitive":
            is_sensitive = element.findtext(name) == "true"
            etree.SubElement(specification, name).text = "true" if is_sensitive else "false"
        else:
            _copy_text(element, specification, name)
    return specification


def _load_schemes(element: etree._Element, specification: etree._Element) -> None:
    schemes = element.find("schemes")
    if schemes is None:
        return
    names = list(dict.fromkeys(string.text or "" for string in schemes.iterfind("string")))
    is_ordered = schemes.get("class") == "linked-hash-set"
    copy = etree.SubElement(specification, "schemes", {"class": "linked-hash-set"} if is_ordered else None)
    for name in names if is_ordered else sorted(names, key=_hash_bucket):
        etree.SubElement(copy, "string").text = name


def _hash_bucket(text: str) -> int:
    """Return the position of a text in a Java HashSet of 16 buckets."""
    value = 0
    for unit in text:
        value = (31 * value + ord(unit)) & 0xFFFFFFFF
    return (value ^ value >> 16) & 15
