# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names with each character are refused before the first request, or managed without any harm to other objects."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support import running
from support.cases import RESOURCES, prepare
from support.playbook import run_here

Options = dict[str, Any]
CHARACTERS = [*map(chr, range(32)), *map(chr, range(32, 127)), "\x7f", "é", "ł", "日", "😀"]
FIRST = "0-_.~@&{%é²😀"
NAMES = [*(f"aa{character}b" for character in CHARACTERS), *(f"{character}bb" for character in FIRST), "api", "LIST"]
# Servers limit the number of projects
CHUNK = 20
UNREACHABLE = {"url": "http://127.0.0.1:9", "token": "t0ken", "retries": 0}


def drop_timeout(options: Options) -> Options:
    """Return options without the one that items do not have."""
    return {name: value for name, value in options.items() if name != "visibility_timeout"}


# Modules to the option that names an object, and the other options of a new object
KINDS: dict[str, tuple[str, Options]] = {
    "artifact_backup": ("key", {"cron": "0 0 2 * * ?"}),
    "artifact_certificate": ("alias", drop_timeout(RESOURCES["artifact_certificate"].options)),
    "artifact_cleanup_policy": ("key", drop_timeout(RESOURCES["artifact_cleanup_policy"].options)),
    "artifact_environment": ("name", {}),
    "artifact_group": ("name", {}),
    "artifact_keypair": ("name", drop_timeout(RESOURCES["artifact_keypair"].options)),
    "artifact_layout": ("name", drop_timeout(RESOURCES["artifact_layout"].options)),
    "artifact_ldap": ("key", {"ldap_url": "ldap://ldap.example.com/dc=example", "user_dn_pattern": "uid={0}"}),
    "artifact_oidc": ("name", {"issuer_url": "https://ci.example.com", "provider_type": "generic"}),
    "artifact_permission": ("name", {"repositories": {"targets": {"generic-local": {}}}}),
    "artifact_project": ("key", {"display_name": "Lab"}),
    "artifact_property_set": ("name", {}),
    "artifact_proxy": ("key", {"host": "proxy.example.com", "port": 3128}),
    "artifact_repository": ("key", {"type": "local", "package_type": "generic"}),
    "artifact_saml": ("name", drop_timeout(RESOURCES["artifact_saml"].options)),
    "artifact_user": ("name", {"email": "someone@example.com", "password": "Some-Passw0rd"}),
    "artifact_webhook": ("key", drop_timeout(RESOURCES["artifact_webhook"].options)),
}


@pytest.fixture(autouse=True)
def set_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables. Forget the cached version of the server."""
    monkeypatch.setattr(session, "_CONNECTIONS", {})
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


def run_items(sandbox: Sandbox, module: str, items: list[Options], check_mode: bool = False) -> dict[int, str]:
    """Return the status of each item."""
    done = run_here(sandbox, module, check_mode, items=items, on_error="report", result_limit=10_000)
    assert "outcomes" in done.result, done.result
    return {entry["index"]: entry["status"] for entry in done.result["outcomes"]}


def is_accepted(module: str, item: Options) -> bool:
    """Return whether a name is not refused before the first request."""
    return not running.run(module, check_mode=True, **UNREACHABLE, items=[item])["msg"].startswith("Option 'items[0].")


def make_unique(module: str, number: int) -> Options:
    return {"display_name": f"Lab {number}"} if module == "artifact_project" else {}


@pytest.mark.parametrize("module", KINDS)
def test_name_is_refused_before_the_first_request_or_managed(module: str, sandbox: Sandbox) -> None:
    prepare(sandbox, module)
    identity, options = KINDS[module]
    items = [{**options, **make_unique(module, number), identity: name} for number, name in enumerate(NAMES)]
    accepted = list({item[identity].lower(): item for item in items if is_accepted(module, item)}.values())
    assert accepted
    wrong = []
    for start in range(0, len(accepted), CHUNK):
        chunk = accepted[start : start + CHUNK]
        names = [item[identity] for item in chunk]
        statuses = [
            run_items(sandbox, module, chunk, check_mode=True),
            run_items(sandbox, module, chunk),
            run_items(sandbox, module, chunk),
            run_items(sandbox, module, [{identity: name, "state": "absent"} for name in names]),
        ]
        for number, name in enumerate(names):
            found = [by_index[number] for by_index in statuses]
            wrong += [] if found == ["changed", "changed", "ok", "changed"] else [(name, found)]
    assert not wrong
