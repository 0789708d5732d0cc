# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials of the system in the configuration. The secrets are stored encrypted."""

from __future__ import annotations

from typing import Any

import yaml

from ..controller import Controller
from ..storage import Storage
from ..xml import secrets
from .configurators import Attribute, Configurator, Context, Structure, data, flag, mapping, sequence, symbol, text
from .documents import ConfiguratorError, Plain

SCOPES = ("SYSTEM", "GLOBAL", "USER")
COMMON = {"description": text, "id": text, "scope": text}
USER_NAME = {"username": text, "usernameSecret": flag}
CLASSES = {
    "usernamePassword": Structure(
        "usernamePassword",
        "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl",
        {**COMMON, **USER_NAME, "password": text},
    ),
    "string": Structure(
        "string", "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl", {**COMMON, "secret": text}
    ),
    "file": Structure(
        "file",
        "org.jenkinsci.plugins.plaincredentials.impl.FileCredentialsImpl",
        {**COMMON, "fileName": text, "secretBytes": text},
    ),
    "basicSSHUserPrivateKey": Structure(
        "basicSSHUserPrivateKey",
        "com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey",
        {**COMMON, **USER_NAME, "passphrase": text, "privateKeySource": data},
    ),
}
SECRETS = ("password", "secret", "secretBytes", "passphrase", "privateKey")
DOMAIN = Structure(
    "domain",
    "com.cloudbees.plugins.credentials.domains.Domain",
    {"description": text, "name": text, "specifications": data},
)


def _encrypt_members(storage: Storage, value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {member: _encrypt_members(storage, inner, member) for member, inner in value.items()}
    return secrets.reencrypt(storage, value) if name in SECRETS and isinstance(value, str) and value else value


def _convert_domains(context: Context, node: yaml.Node, _label: str) -> list[dict[str, Any]]:
    domains = []
    for entry in sequence(context, node):
        members = ENTRY.convert(context, entry)
        domains.append({"domain": members.get("domain", {}), "credentials": members.get("credentials", [])})
    return domains


def _convert_credentials(context: Context, node: yaml.Node, _label: str) -> list[dict[str, Any]]:
    found = []
    for entry in sequence(context, node):
        mapping(context, entry)
        name, members = symbol(context, entry, "credentials", "com.cloudbees.plugins.credentials.Credentials", CLASSES)
        values = CLASSES[name].convert(context, members)
        if values.get("scope", SCOPES[0]) not in SCOPES:
            raise ConfiguratorError(
                f"{name}: Failed to set attribute 'scope'\n  at {context.describe(entry)} (path: scope)"
            )
        if not values.get("usernameSecret"):
            values.pop("usernameSecret", None)
        found.append({name: values})
    return found


ENTRY = Structure(
    "domainCredentials",
    "com.cloudbees.plugins.credentials.domains.DomainCredentials",
    {"credentials": _convert_credentials, "domain": lambda context, node, _label: DOMAIN.convert(context, node)},
)


def _write(server: Controller, domains: list[dict[str, Any]]) -> None:
    encrypted = [
        {**domain, "credentials": [_encrypt_members(server.storage, entry) for entry in domain["credentials"]]}
        for domain in domains
    ]
    server.storage.set("credential_domains", encrypted)


def _read(server: Controller) -> list[dict[str, Any]]:
    """Return all domains. The global one always exists."""
    domains = server.storage.setting("credential_domains", [])
    if not any(not domain["domain"].get("name") for domain in domains):
        domains = [*domains, {"domain": {}, "credentials": []}]
    return [
        {"credentials": list(map(_export, domain["credentials"])), "domain": domain["domain"]} for domain in domains
    ]


def _export(entry: dict[str, Any]) -> dict[str, Any]:
    name, members = next(iter(entry.items()))
    return {name: {**members, "scope": Plain(members["scope"])} if "scope" in members else members}


SYSTEM = Configurator(
    "system",
    "com.cloudbees.plugins.credentials.SystemCredentialsProvider",
    (Attribute("domainCredentials", _read, _write, _convert_domains, {"type": "array"}),),
)
PLUGINS = ("credentials",)
