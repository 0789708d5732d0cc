# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Types of credentials, their options, and their form as XML."""

from __future__ import annotations

import base64
import binascii
import copy
import dataclasses
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials import stores
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials.stores import to_latin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.fields import list_texts
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.normal_forms import normalize
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

XML = "xml"
_SSH = "com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey"
_CERTIFICATE = "com.cloudbees.plugins.credentials.impl.CertificateCredentialsImpl"
# The `class` of the element `keyStoreSource`, by field `certificate_format`
_CERTIFICATE_SOURCES = {
    "pkcs12": f"{_CERTIFICATE}$UploadedKeyStoreSource",
    "pem": f"{_CERTIFICATE}$PEMEntryKeyStoreSource",
}
_REDACTED = "secret-redacted"
_ASTERISKS = "********"


@dataclasses.dataclass(frozen=True)
class CredentialType:
    """A type of credentials.

    :ivar plugin: the plugin with the class
    :ivar options: options that apply to the type only
    :ivar required: options without which a credential cannot be created; one of each tuple
    :ivar texts: elements of texts that Jenkins returns, by field
    :ivar secrets: elements of secrets, by field
    :ivar shown_as: what follows the user name or file name in `displayName`
    """

    class_name: str
    plugin: str
    options: tuple[str, ...]
    required: tuple[tuple[str, ...], ...]
    texts: t.Mapping[str, str]
    secrets: t.Mapping[str, str]


TYPES = {
    "username_password": CredentialType(
        "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl",
        stores.PLUGIN,
        ("credential_username", "username_secret", "credential_password"),
        (("credential_username",), ("credential_password",)),
        {"username": "username"},
        {"password": "password"},
    ),
    "secret_text": CredentialType(
        "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl",
        "plain-credentials",
        ("secret",),
        (("secret",),),
        {},
        {"secret": "secret"},
    ),
    "secret_file": CredentialType(
        "org.jenkinsci.plugins.plaincredentials.impl.FileCredentialsImpl",
        "plain-credentials",
        ("file_name", "content", "content_base64", "src"),
        (("file_name",), ("content", "content_base64", "src")),
        {"file_name": "fileName"},
        {"content": "secretBytes"},
    ),
    "ssh_key": CredentialType(
        _SSH,
        "ssh-credentials",
        ("credential_username", "username_secret", "private_key", "src", "passphrase"),
        (("credential_username",), ("private_key", "src")),
        {"username": "username"},
        {"private_key": "privateKeySource/privateKey", "passphrase": "passphrase"},
    ),
    "certificate": CredentialType(
        _CERTIFICATE,
        stores.PLUGIN,
        ("content_base64", "src", "certificate_chain", "private_key", "credential_password"),
        (("content_base64", "src", "certificate_chain"), ("credential_password",)),
        {},
        {
            "keystore": "keyStoreSource/uploadedKeystoreBytes",
            "certificate_chain": "keyStoreSource/certChain",
            "certificate_key": "keyStoreSource/privateKey",
            "password": "password",
        },
    ),
}
_BY_CLASS = {credential_type.class_name: name for name, credential_type in TYPES.items()}
# Options of types, in the order of messages
OPTIONS = tuple(dict.fromkeys((*(name for kind in TYPES.values() for name in kind.options), XML)))
# Fields that Jenkins does not return
SECRETS = (*dict.fromkeys(name for kind in TYPES.values() for name in kind.secrets), XML)
# The option that sets the secret in an element
_SECRET_OPTIONS = {
    "password": "credential_password",
    "secret": "secret",
    "secretBytes": "content",
    "privateKeySource": "private_key",
    "passphrase": "passphrase",
    "keyStoreSource": "src",
}


@dataclasses.dataclass(frozen=True)
class Declared:
    """The declared credential.

    :ivar class_name: class of the credential
    :ivar fields: fields for the comparison, with secrets
    :ivar root: the declared members as XML
    """

    class_name: str
    fields: Fields
    root: ET.Element


def parse_options(params: Fields, register_secret: t.Callable[[str], str] = str) -> Declared | None:
    """Return the credential that the options declare, or `None` if it should be absent.

    :arg register_secret: called with secrets that are read from files
    :raises BadOption: if an option is invalid or does not apply to the type
    """
    stores.select_store(params).credential_path(params["domain"], params["id"])
    if params["state"] == "absent":
        return None
    kind = params["type"]
    if kind is None:
        raise BadOption("type", "is required with 'state: present'")
    applying = (XML,) if kind == XML else TYPES[kind].options
    for option in OPTIONS:
        if params[option] is not None and option not in applying:
            raise BadOption(option, f"does not apply to 'type: {kind}'")
    if kind == XML:
        return _parse_xml(params)
    _check_scope(params)
    if kind == "username_password" and params["credential_password"] == "":
        raise BadOption(_option_name(params, "credential_password"), f"must not be empty with 'type: {kind}'")
    fields = {"type": kind, **_select_fields(params, register_secret)}
    return Declared(TYPES[kind].class_name, fields, _to_xml(params["id"], fields))


def complete_new(declared: Declared, credential_id: str, user: str | None) -> Declared:
    """Return the declaration of a new credential, with the default values."""
    kind = declared.fields["type"]
    if kind == XML:
        return declared
    defaults: Fields = {"scope": "user" if user else "global", "description": ""}
    if "username" in TYPES[kind].texts:
        defaults["username_secret"] = False
    fields = {**defaults, **declared.fields}
    return Declared(declared.class_name, fields, _to_xml(credential_id, fields))


def check_required(params: Fields) -> None:
    """Verify that the options are sufficient for a new credential.

    :raises BadOption: if a required option is missing
    """
    if params["type"] == XML:
        return
    for options in TYPES[params["type"]].required:
        if all(params[option] is None for option in options):
            names = " or ".join(f"'{_option_name(params, option)}'" for option in options)
            raise BadOption(
                _option_name(params, options[0]), f"{names} is required to create credential '{params['id']}'"
            )


def read_fields(root: ET.Element, description: str | None, display_name: str | None) -> Fields:
    """Return the fields of a stored credential.

    :arg description: description according to the JSON API; the XML can lack characters of texts
    :arg display_name: display name according to the JSON API
    """
    kind = _BY_CLASS.get(root.tag, XML)
    fields: Fields = {
        "type": kind,
        "class": root.tag,
        "scope": (root.findtext("scope") or "").lower() or None,
        "description": description or "",
    }
    if kind == XML:
        return fields
    if "username" in TYPES[kind].texts:
        # without the element, the plugin treats the user name of this type as a secret
        fields["username_secret"] = root.findtext("usernameSecret", "true") == "true"
    for name, tag in TYPES[kind].texts.items():
        fields[name] = _restore_text(root.findtext(tag) or "", display_name or "", fields.get("username_secret", False))
    if kind == "certificate":
        source = root.find("keyStoreSource")
        formats = {class_name: name for name, class_name in _CERTIFICATE_SOURCES.items()}
        fields["certificate_format"] = None if source is None else formats.get(source.get("class", ""))
    return fields


def read_raw_username(root: ET.Element) -> str:
    """Return the user name of a stored credential, with question marks for characters that Jenkins does not return."""
    return root.findtext("username") or ""


def read_members(root: ET.Element, declared: Declared) -> list[list[str]]:
    """Return the texts of a stored credential that a declaration by XML contains, as pairs of path and text.

    A secret that is set counts as declared. So does a text whose difference Jenkins does not return, and an empty
    element that Jenkins does not store.
    """
    texts = list_texts(normalize(root))
    members = []
    for path, text in declared.fields["members"]:
        is_absent = not text and not path.rpartition("/")[2].startswith("@")
        stored = text if f"{path}/{_REDACTED}" in texts else texts.get(path, "" if is_absent else None)
        if stored is not None:
            members.append([path, text if stored == to_latin(text) else stored])
    return members


def merge(declared: Declared, stored: ET.Element, current: Fields, params: Fields) -> ET.Element:
    """Return the declared credential with the stored members that it does not declare.

    :arg current: fields of the stored credential
    :raises BadOption: if a secret or a text that Jenkins does not return would be lost
    """
    merged = copy.deepcopy(declared.root)
    known = _known_texts(current)
    for child in stored:
        if merged.find(child.tag) is not None:
            continue
        if child.tag == _REDACTED or child.find(f".//{_REDACTED}") is not None:
            raise _lost_secret(child.tag, params)
        kept = copy.deepcopy(child)
        if child.tag in known:
            kept.text = known[child.tag]
        elif stores.has_unknown_text(child):
            option = _option_name(params, "credential_username") if child.tag == "username" else XML
            raise BadOption(
                option,
                f"is required to change credential '{params['id']}', because its member '{child.tag}' can contain "
                "characters that Jenkins does not return",
            )
        merged.append(kept)
    return merged


def to_result(params: Fields, fields: Fields) -> Fields:
    """Return a credential as the modules return it. After a predicted change, it can have fields of its former type."""
    kind = fields["type"]
    members = dict(fields.get("members", []))
    common = {
        "id": params["id"],
        "domain": params["domain"],
        "type": kind,
        "class": fields["class"] if kind == XML else TYPES[kind].class_name,
        "scope": members["scope"].lower() if "scope" in members else fields.get("scope"),
        "description": fields.get("description", ""),
    }
    names = [*TYPES[kind].texts] if kind in TYPES else []
    names += ["username_secret"] if "username" in names else ["certificate_format"] if kind == "certificate" else []
    return {**common, **{name: fields[name] for name in names if name in fields}}


def _known_texts(current: Fields) -> dict[str, str]:
    """Return the stored texts by element that Jenkins has returned without loss."""
    tags = {"description": "description", "username": "username", "file_name": "fileName"}
    return {tag: current[name] for name, tag in tags.items() if current.get(name) is not None}


def _lost_secret(tag: str, params: Fields) -> BadOption:
    option = XML if params["type"] == XML else _option_name(params, _SECRET_OPTIONS.get(tag, XML))
    return BadOption(
        option,
        f"the secret '{tag}' is required to change credential '{params['id']}', because Jenkins replaces all members "
        "at once and does not return secrets",
    )


def _option_name(params: Fields, option: str) -> str:
    """Return the name of an option in the place where it is set."""
    return option if params["items"] is None else option.removeprefix("credential_")


def _check_scope(params: Fields) -> None:
    allowed = ("user",) if params["user"] else ("global",) if params["folder"] else ("global", "system")
    if params["scope"] not in (None, *allowed):
        store = stores.select_store(params)
        raise BadOption("scope", f"must be {' or '.join(map(repr, allowed))} in {store}")


def _select_fields(params: Fields, register_secret: t.Callable[[str], str]) -> Fields:
    kind = params["type"]
    fields = {name: params[name] for name in ("scope", "description", "username_secret", "file_name", "secret")}
    fields.update(username=params["credential_username"], password=params["credential_password"])
    fields["passphrase"] = params["passphrase"]
    if kind == "secret_file":
        fields["content"] = _read_content(params)
    elif kind == "ssh_key":
        fields["private_key"] = _read_private_key(params, register_secret)
    elif kind == "certificate":
        fields.update(_read_certificate(params))
    return {name: value for name, value in fields.items() if value is not None}


def _read_content(params: Fields) -> str | None:
    """Return the content of a secret file in Base64."""
    if params["content"] is not None:
        return base64.b64encode(params["content"].encode()).decode()
    return _read_binary(params)


def _read_binary(params: Fields) -> str | None:
    """Return the content of `content_base64` or `src` in Base64."""
    if params["src"] is not None:
        return base64.b64encode(_read_file(params["src"])).decode()
    if params["content_base64"] is None:
        return None
    try:
        content = base64.b64decode("".join(params["content_base64"].split()), validate=True)
    except (binascii.Error, ValueError):
        raise BadOption("content_base64", "must be Base64") from None
    return base64.b64encode(content).decode()


def _read_private_key(params: Fields, register_secret: t.Callable[[str], str]) -> str | None:
    """Return the private key with the line ends that Jenkins uses."""
    key: str | None = params["private_key"]
    if params["src"] is not None:
        try:
            key = register_secret(_read_file(params["src"]).decode())
        except ValueError:
            raise BadOption("src", "must be a text file with a private key") from None
    if key is None:
        return None
    return key.replace("\r\n", "\n").removesuffix("\n") + "\n"


def _read_certificate(params: Fields) -> Fields:
    if params["certificate_chain"] is not None:
        chain, key = params["certificate_chain"], params["private_key"]
        if key is None:
            raise BadOption("private_key", "is required with 'certificate_chain'")
        if params["src"] is not None or params["content_base64"] is not None:
            raise BadOption("certificate_chain", "must not be set with 'src' or 'content_base64'")
        return {"certificate_format": "pem", "certificate_chain": chain, "certificate_key": key}
    if params["private_key"] is not None:
        raise BadOption("certificate_chain", "is required with 'private_key'")
    keystore = _read_binary(params)
    return {} if keystore is None else {"certificate_format": "pkcs12", "keystore": keystore}


def _read_file(path: str) -> bytes:
    check_readable(path, "src")
    with open(rehearsal.resolve_read(path), "rb") as file:
        return file.read()


def _to_xml(credential_id: str, fields: Fields) -> ET.Element:
    """Return the declared members as XML."""
    kind = TYPES[fields["type"]]
    root = ET.Element(kind.class_name)
    if "scope" in fields:
        _add_text(root, "scope", fields["scope"].upper())
    _add_text(root, "id", credential_id)
    if "description" in fields:
        _add_text(root, "description", fields["description"])
    for name, tag in kind.texts.items():
        if name in fields:
            _add_text(root, tag, fields[name])
    if "username_secret" in fields:
        _add_text(root, "usernameSecret", "true" if fields["username_secret"] else "false")
    for name, path in kind.secrets.items():
        if name in fields:
            parent, _slash, tag = path.rpartition("/")
            _add_text(_find_source(root, parent, fields) if parent else root, tag, fields[name])
    return root


def _find_source(root: ET.Element, tag: str, fields: Fields) -> ET.Element:
    """Return the element with the key of a credential."""
    source = root.find(tag)
    if source is not None:
        return source
    class_name = (
        _CERTIFICATE_SOURCES[fields["certificate_format"]]
        if tag == "keyStoreSource"
        else f"{_SSH}$DirectEntryPrivateKeySource"
    )
    return ET.SubElement(root, tag, {"class": class_name})


def _add_text(parent: ET.Element, tag: str, text: str) -> None:
    ET.SubElement(parent, tag).text = text


def _parse_xml(params: Fields) -> Declared:
    if params[XML] is None:
        raise BadOption(XML, "is required with 'type: xml'")
    for option in ("scope", "description"):
        if params[option] is not None:
            raise BadOption(option, "must be set in 'xml' with 'type: xml'")
    if params["update_secret"] == "verify":
        raise BadOption("update_secret", "must not be 'verify' with 'type: xml'")
    root = _parse_document(params[XML])
    declared_id = root.findtext("id")
    if declared_id not in (None, params["id"]):
        raise BadOption(XML, f"must not contain another ID than '{params['id']}'")
    if declared_id is None:
        identifier = ET.Element("id")
        identifier.text = params["id"]
        root.insert(0, identifier)
    # pairs, because the names of the members are not those of fields
    members = [[path, text] for path, text in list_texts(normalize(root)).items() if path not in ("id", "description")]
    fields: Fields = {"type": XML, "class": root.tag, "members": members, XML: document.serialize(root)}
    if root.find("description") is not None:
        fields["description"] = root.findtext("description")
    return Declared(root.tag, fields, root)


def _parse_document(text: str) -> ET.Element:
    try:
        root = document.parse(text)
    except document.XmlError as error:
        raise BadOption(XML, f"must be an XML document: {error}") from None
    for element in root.iter():
        if element.tag == _REDACTED or element.text == _ASTERISKS:
            raise BadOption(XML, "must contain the secrets, because Jenkins would store the placeholder as the secret")
    return root


def _restore_text(text: str, display_name: str, is_secret: bool) -> str | None:
    """Return a text of a configuration with the characters that Jenkins replaced, or `None` if they are unknown.

    :arg display_name: starts with the text, unless this is a secret
    """
    if "?" not in text:
        return text
    shown = display_name[: len(text)]
    return shown if not is_secret and to_latin(shown) == text else None
