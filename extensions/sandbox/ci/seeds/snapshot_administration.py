# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of the administration in a snapshot: configuration, permissions, accounts, credentials, nodes, views."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from ...seeds.snapshot import SnapshotDirectory
from ..access.permissions import BY_TITLE
from ..authorization import casc, strategies
from ..configuration.roots import ROOTS, SingleRoot
from ..credentials.classes import BY_NAME, DOMAIN
from ..jobs import stored_views
from ..nodes import stored_nodes
from ..xml import document

ADMIN = "snapshot-admin"
ADMINISTER = "Overall/Administer"
ADMIN_TOKEN = "of the snapshot, not of the server"
BUILT_IN = "built-in"
UNKNOWN = "unknown"
# Members of the root `jenkins` that other parts of a snapshot contain
_OTHER_PARTS = ("authorizationStrategy", "labelAtoms", "nodes", "primaryView", "securityRealm", "views")
_USAGES = {"normal": "NORMAL", "exclusive": "EXCLUSIVE"}
_SPECIFICATION = "com.cloudbees.plugins.credentials.domains.{}Specification"
_PATTERNS = {"hostname": "Hostname", "hostname_port": "HostnamePort", "path": "Path"}
_CERTIFICATE = "com.cloudbees.plugins.credentials.impl.CertificateCredentialsImpl"
_KEY_STORES = {
    "pem": ("PEMEntryKeyStoreSource", ("certChain", "privateKey")),
    "pkcs12": ("UploadedKeyStoreSource", ("uploadedKeystoreBytes",)),
}
_SECRETS = {
    "username_password": "password",
    "secret_text": "secret",
    "secret_file": "content",
    "ssh_key": "private_key",
}


def find_admin(manifest: dict[str, Any]) -> str:
    """Return the name of the administrator of the sandbox.

    Only administrators can read the accounts. If the snapshot contains that of its author, the sandbox has the same
    administrator as the server.
    """
    name = str((manifest.get("user") or {}).get("name"))
    return name if name in [user["name"] for user in manifest.get("users", ())] else ADMIN


def list_users(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the accounts, the administrator first."""
    admin = find_admin(snapshot.manifest)
    users = {user["name"]: user for user in snapshot.manifest.get("users", ())}
    states = snapshot.manifest.get("user_states", {})
    for name in [admin, *(name for name in users if name != admin)]:
        fields = {field: value for field, value in users.get(name, {}).items() if value is not None}
        tokens = [_convert_token(snapshot, token) for token in states.get(name, {}).get("tokens", ())]
        if name == admin:
            tokens.sort(key=lambda token: "expires" in token)  # the first one is exported
            if not tokens or "expires" in tokens[0]:
                tokens.insert(0, {"value": snapshot.derive_secret("ci token")[:34], "name": ADMIN_TOKEN})
            permissions = {"permissions": [ADMINISTER], "tokens": tokens}
            password = snapshot.derive_secret("ci password")
        else:
            permissions, password = {"tokens": tokens}, snapshot.derive_secret(f"ci user {name}")
        yield {**fields, **permissions, "name": name, "password": password}


def _convert_token(snapshot: SnapshotDirectory, token: dict[str, Any]) -> dict[str, Any]:
    value = snapshot.derive_secret(f"ci token {token['uuid']}")[:34]
    fields = {"name": token["name"], "uuid": token["uuid"], "created": token["created_at"], "expires": token["expires"]}
    return {"value": value, **{name: field for name, field in fields.items() if field is not None}}


def convert_authorization(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the authorization strategy without permissions that the sandbox does not know.

    The administrator of the sandbox becomes one in the strategy if it has no account on the server.
    """
    exported = manifest.get("authorization")
    if not exported:
        return {}
    try:
        strategy = casc.read_strategy(_select_permissions(exported))
        casc.check_patterns(strategy)
    except casc.CascError:
        return {}
    if find_admin(manifest) == ADMIN:
        sid, permission = strategies.Sid(strategies.USER, ADMIN), BY_TITLE[ADMINISTER].id
        strategy.entries.append(strategies.Entry(sid, [permission]))
        strategy.roles["globalRoles"].append(strategies.Role(ADMIN, [permission], sids=[sid]))
    return {"authorization": casc.write_strategy(strategy)}


def _select_permissions(exported: Any) -> Any:
    kind, members = (exported, {}) if isinstance(exported, str) else next(iter(exported.items()))
    if kind not in casc.MATRICES:
        return exported
    entries = [
        {sid: {**described, "permissions": list(filter(strategies.find_permission, described.get("permissions", ())))}}
        for entry in (members or {}).get("entries", ())
        for sid, described in entry.items()
    ]
    return {kind: {"entries": entries}}


def convert_configuration(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the sections of the configuration as code that the sandbox has, and the settings of the built-in node."""
    exported = manifest.get("configuration") or {}
    known = {root.name: _select_members(root, _members(exported, root.name)) for root in ROOTS}
    jenkins = {name: value for name, value in known["jenkins"].items() if name not in _OTHER_PARTS}
    known["jenkins"] = {**_convert_built_in(manifest), **jenkins}
    known["credentials"].pop("system", None)
    if jenkins.get("crumbIssuer") != "standard" and "standard" not in _members(jenkins, "crumbIssuer"):
        known["jenkins"].pop("crumbIssuer", None)
    return {root: members for root, members in known.items() if members}


def _select_members(root: Any, exported: dict[str, Any]) -> dict[str, Any]:
    if isinstance(root, SingleRoot):
        return {name: value for name, value in exported.items() if name in root.configurator.names()}
    selected = {
        name: {member: value for member, value in _members(exported, name).items() if member in configurator.names()}
        for name, configurator in root.configurators.items()
    }
    return {name: members for name, members in selected.items() if members}


def _members(exported: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the members of a section, without members if it is missing or has another form."""
    members = exported.get(name)
    return members if isinstance(members, dict) else {}


def _convert_built_in(manifest: dict[str, Any]) -> dict[str, Any]:
    node: dict[str, Any] = next((node for node in manifest.get("nodes", ()) if node["name"] == BUILT_IN), {})
    fields = {
        "numExecutors": node.get("executors"),
        "mode": _USAGES.get(node.get("usage", "")),
        "labelString": " ".join(node.get("labels") or ()),
    }
    return {name: value for name, value in fields.items() if value not in (None, "")}


def list_agents(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the permanent agents."""
    states = {state["name"]: state for state in manifest.get("node_states", ())}
    for node in manifest.get("nodes", ()):
        if node["name"] == BUILT_IN:
            continue
        state = states.get(node["name"], {})
        is_temporary = bool(state.get("temporarily_offline"))
        agent = {"name": node["name"], "offline": bool(state.get("offline")) and not is_temporary}
        if is_temporary:
            agent["offline_reason"] = state["offline_reason"]
        if _read_root(node["config"]) in stored_nodes.ROOTS:
            yield {**agent, "config": node["config"]}
        else:
            yield {**agent, **{name: node[name] for name in ("description", "executors", "labels")}}


def convert_views(manifest: dict[str, Any], plugins: set[str]) -> dict[str, Any]:
    """Return the views of Jenkins whose class the sandbox has."""
    views = [
        {"name": view["name"], "config": view["config"]}
        for view in manifest.get("views", ())
        if _is_known_view(view["config"], plugins)
    ]
    return {"primary_view": manifest["primary_view"], "views": views} if views else {}


def _is_known_view(config: str, plugins: set[str]) -> bool:
    required = stored_views.KINDS.get(_read_root(config))
    return required is not None and plugins.issuperset(required)


def _read_root(config: str | None) -> str:
    """Return the root element of a configuration, or an empty text if it is missing or not well-formed."""
    try:
        return str(document.parse(config or "").tag)
    except document.ConfigError:
        return ""


def list_domains(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the domains of the system store."""
    for domain in manifest.get("credential_domains", ()):
        root = etree.Element(DOMAIN)
        etree.SubElement(root, "name").text = domain["name"]
        etree.SubElement(root, "description").text = domain["description"]
        specifications = etree.SubElement(root, "specifications")
        for field, name in _PATTERNS.items():
            if domain[field] is not None:
                _add_patterns(etree.SubElement(specifications, _SPECIFICATION.format(name)), domain[field])
        if domain["schemes"] is not None:
            scheme = etree.SubElement(specifications, _SPECIFICATION.format("Scheme"))
            schemes = etree.SubElement(scheme, "schemes")
            for name in domain["schemes"]:
                etree.SubElement(schemes, "string").text = name
        yield {"name": domain["name"], "xml": document.write(root)}


def _add_patterns(element: etree._Element, patterns: dict[str, Any]) -> None:
    for name in ("includes", "excludes"):
        etree.SubElement(element, name).text = ",".join(patterns[name])
    if "case_sensitive" in patterns:
        etree.SubElement(element, "caseSensitive").text = str(patterns["case_sensitive"]).lower()


def list_credentials(snapshot: SnapshotDirectory, plugins: set[str]) -> Iterator[dict[str, Any]]:
    """Yield the credentials of the system store whose class the sandbox has, with derived secrets."""
    for credential in snapshot.manifest.get("credentials", ()):
        known = BY_NAME.get(credential["class"])
        if known and known.plugin in plugins:
            domain = credential["domain"] or "_"
            secret = snapshot.derive_secret(f"ci credential {domain} {credential['id']}")
            yield {"id": credential["id"], "domain": domain, **_convert_credential(credential, secret)}


def _convert_credential(credential: dict[str, Any], secret: str) -> dict[str, Any]:
    kind = credential["type"]
    if kind not in _SECRETS:
        return {"xml": _build_credential(credential, secret)}
    fields = {
        "description": credential["description"],
        "username": credential.get("username", "") or UNKNOWN if "username" in credential else None,
        "username_secret": credential.get("username_secret"),
        "file_name": credential.get("file_name"),
    }
    given = {name: value for name, value in fields.items() if value is not None}
    return {"type": kind, "scope": credential["scope"], _SECRETS[kind]: secret, **given}


def _build_credential(credential: dict[str, Any], secret: str) -> str:
    """Return credentials of a class that a seed has no type for. All secrets of the class have the same value."""
    root = etree.Element(credential["class"])
    for name in ("id", "description"):
        etree.SubElement(root, name).text = credential[name]
    if credential["scope"]:
        etree.SubElement(root, "scope").text = credential["scope"].upper()
    if credential["class"] == _CERTIFICATE:
        source, members = _KEY_STORES[credential["certificate_format"] or "pkcs12"]
        key_store = etree.SubElement(root, "keyStoreSource", {"class": f"{_CERTIFICATE}${source}"})
        for name in members:
            etree.SubElement(key_store, name).text = secret
    for name in BY_NAME[credential["class"]].list_secrets():
        etree.SubElement(root, name).text = secret
    return document.write(root)


def convert_approvals(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the approved and pending signatures and scripts."""
    approvals = manifest.get("script_approvals", ())
    pending = manifest.get("pending_approvals", ())
    return {
        "signatures": [each["text"] for each in approvals if each["kind"] == "signature"],
        "acl_signatures": [each["text"] for each in approvals if each["kind"] == "restricted"],
        "script_hashes": [each["text"] for each in approvals if each["kind"] == "script"],
        "pending_signatures": [
            {"signature": each["text"], "user": each["user"], "item": each["item"]}
            for each in pending
            if each["kind"] == "signature"
        ],
        "pending_scripts": [
            {"hash": each["text"], "language": each["language"], "user": each["user"], "item": each["item"]}
            for each in pending
            if each["kind"] == "script"
        ],
    }


def list_resources(manifest: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the lockable resources."""
    states = manifest.get("lockable_states", {})
    for resource in manifest.get("lockable_resources", ()):
        yield {**resource, **states.get(resource["name"], {})}
