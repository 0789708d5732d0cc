# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Variables of each role with a marker in every secret option."""

from __future__ import annotations

import base64
import datetime
import functools
import importlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from role_options import MIRRORS, Mirror, load_yaml
from support.certificates import Authority
from support.keys import gpg_pair
from support.playbook import ROOT

ROLES = sorted(path.parent.parent.name for path in (ROOT / "roles").glob("*/meta/argument_specs.yml"))
_MODULES = "ansible_collections.buildworks.toolchain.plugins.modules"
MARKER = "Marked-s3cret"

_certificate, _key = Authority(Path(tempfile.mkdtemp()), "authority").sign("mirror", until=datetime.timedelta(days=90))
_PAIR = gpg_pair(7, passphrase="x")
_REMOTE = {"type": "remote", "package_type": "npm", "url": "https://registry.npmjs.org"}
_TARGET = {"url": "https://east.example.com/artifactory/libs", "username": "me"}
_WEBHOOK = {
    "domain": "artifact",
    "event_types": ["deployed"],
    "criteria": {"any_local": True},
    "webhook_url": "https://deploy.example.com/",
}
_PEM = "-----BEGIN OPENSSH PRIVATE KEY-----\n{}\n-----END OPENSSH PRIVATE KEY-----\n"
_XML = """<org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl plugin="plain-credentials">
  <id>raw</id><secret>{}</secret></org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl>"""


def _mark(number: int) -> str:
    return f"{MARKER}-{number:02}x"


def _encode(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


SECRET_VARIABLES: dict[str, dict[str, Any]] = {
    "artifact_provision": {
        "artifact_provision_license": {"license_keys": [_encode(f'{{"licensedTo": "{_mark(20)}"}}')]},
        "artifact_provision_mail": {"host": "mail.example.com", "smtp_username": "me", "smtp_password": _mark(2)},
        "artifact_provision_ldap": [
            {
                "key": "directory",
                "ldap_url": "ldap://ldap.example.com",
                "search_filter": "uid={0}",
                "manager_dn": "cn=me",
                "manager_password": _mark(3),
            }
        ],
        "artifact_provision_proxies": [
            {
                "key": "out",
                "host": "proxy.example.com",
                "port": 3128,
                "proxy_username": "me",
                "proxy_password": _mark(4),
            }
        ],
        "artifact_provision_keypairs": [
            {
                "name": "signing",
                "type": "gpg",
                "alias": "signing",
                "public_key": _PAIR.public,
                "private_key": _PAIR.private,
                "passphrase": _mark(5),
            }
        ],
        "artifact_provision_certificates": [
            {"alias": "mirror", "certificate": _certificate.read_text(), "private_key": _key.read_text()}
        ],
        "artifact_provision_repositories": [
            {**_REMOTE, "key": "npm-remote", "username": "me", "password": _mark(6)},
            {
                **_REMOTE,
                "key": "npm-header",
                "package_type": "generic",
                "custom_http_headers": [{"name": "X-Key", "secret_value": _mark(7)}],
            },
        ],
        "artifact_provision_users": [{"name": "erin", "email": "erin@example.com", "password": _mark(8)}],
        "artifact_provision_replications": [
            {"repo": "generic-local", "cron": "0 0 2 * * ?", "targets": [{**_TARGET, "password": _mark(9)}]}
        ],
        "artifact_provision_webhooks": [
            {
                **_WEBHOOK,
                "key": "signed",
                "secret": _mark(10),
                "headers": [{"name": "X-Custom", "secret_value": _mark(11)}],
            },
            {
                **_WEBHOOK,
                "key": "custom",
                "handler": "custom_webhook",
                "secrets": [{"name": "key", "secret_value": _mark(12)}],
                "payload": "{}",
            },
        ],
        "artifact_provision_tokens": [
            {"description": "marked", "subject": "admin", "token_file": "{{ written }}/artifact.token"}
        ],
    },
    "ci_pipeline": {
        "ci_pipeline_stages": [
            {
                "name": "deploy",
                "wait_delay": 0.2,
                "builds": [{"job": "marked", "secret_parameters": {"PASSWORD": _mark(1)}, "token": _mark(2)}],
            }
        ]
    },
    "ci_provision": {
        "ci_provision_configuration": {
            "credentials": {
                "system": {
                    "domainCredentials": [
                        {"credentials": [{"string": {"id": "declared", "scope": "GLOBAL", "secret": _mark(1)}}]}
                    ]
                }
            }
        },
        "ci_provision_users": [{"name": "erin", "password": _mark(2)}],
        "ci_provision_api_tokens": [{"name": "marked", "token_file": "{{ written }}/ci.token"}],
        "ci_provision_scripts": [
            {"name": "first", "script": "println args.x", "unless": "false", "secret_args": {"pw": _mark(3)}}
        ],
        "ci_provision_folders": [{"name": "team-m"}],
        "ci_provision_credentials": [
            {"folder": "team-m", **credential}
            for credential in (
                {"id": "login", "type": "username_password", "username": "me", "password": _mark(4)},
                {"id": "text", "type": "secret_text", "secret": _mark(5)},
                {"id": "file", "type": "secret_file", "file_name": "a", "content": _mark(6)},
                {"id": "file64", "type": "secret_file", "file_name": "b", "content_base64": _encode(_mark(7))},
                {
                    "id": "key",
                    "type": "ssh_key",
                    "username": "me",
                    "private_key": _PEM.format(_mark(8)),
                    "passphrase": _mark(9),
                },
                {"id": "raw", "type": "xml", "xml": _XML.format(_mark(10))},
            )
        ],
        "ci_provision_jobs": [
            {
                "name": "team-m/app",
                "type": "freestyle",
                "parameters": [{"name": "KEY", "type": "password", "secret_default": _mark(11)}],
            }
        ],
    },
    "inference_provision": {
        "inference_provision_service_accounts": [
            {"project_name": "Sandbox", "name": "marked", "key_file": "{{ written }}/account.key"}
        ],
        "inference_provision_admin_keys": [{"name": "marked", "key_file": "{{ written }}/admin.key"}],
    },
    "review_provision": {
        "review_provision_users": [{"name": "erin"}],
        "review_provision_passwords": {"erin": _mark(1)},
    },
}
# Lines of the private keys, which contain no marker
KEY_LINES = {
    line
    for private, public in ((_PAIR.private, _PAIR.public), (_key.read_text(), _certificate.read_text()))
    for line in set(private.splitlines()[2:-4]) - set(public.splitlines())
    if len(line) > 20
}


def secret_options(mirror: Mirror) -> Iterator[tuple[str, ...]]:
    """Yield the path of each secret option that a role mirrors, from the name of its variable on."""
    spec = importlib.import_module(f"{_MODULES}.{mirror.module}").SPEC.options
    container = spec.get(mirror.option or "items", {}) if not mirror.item else {}
    own = container.get("options") or spec
    place = argument_spec(mirror.role)
    for name in mirror.path:
        place = place["options"][name]
    for path in _list_secrets(own):
        if path[0] in place["options"]:
            yield (*mirror.path, *path)


@functools.cache
def argument_spec(role: str) -> Any:
    """Return the argument specification of a role."""
    text = (ROOT / "roles" / role / "meta" / "argument_specs.yml").read_text()
    return load_yaml(text)["argument_specs"]["main"]


def variables_with_secrets(role: str) -> set[str]:
    """Return the names of the role's variables that contain secret options."""
    mirrored = {path[0] for mirror in MIRRORS if mirror.role == role for path in secret_options(mirror)}
    return mirrored | ({"review_provision_passwords"} if role == "review_provision" else set())


def markers(value: Any) -> set[str]:
    """Return the secrets in a value, each in clear and in base64."""
    if isinstance(value, (dict, list)):
        return set().union(*map(markers, value.values() if isinstance(value, dict) else value))
    text = str(value)
    found = {text[start : start + len(_mark(0))] for start in range(len(text)) if text.startswith(MARKER, start)}
    encoded = {text} if _is_encoded(text) else set()
    return encoded | {form for secret in found for form in (secret, _encode(secret))}


def _is_encoded(text: str) -> bool:
    try:
        return MARKER.encode() in base64.b64decode(text, validate=True)
    except ValueError:
        return False


def has_value(value: Any, path: tuple[str, ...]) -> bool:
    """Return whether an option is set in a variable, in at least one of the entries of lists on the way."""
    if isinstance(value, list):
        return any(has_value(entry, path) for entry in value)
    if not path:
        return bool(value)
    return isinstance(value, dict) and has_value(value.get(path[0]), path[1:])


def _list_secrets(options: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for name, option in options.items():
        if option.get("no_log"):
            yield (name,)
        for inner in _list_secrets(option.get("options") or {}):
            yield (name, *inner)
