# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SAML settings and OIDC providers of seeds."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox import client
from sandbox.client import Sandbox
from support.session import Session

SAML = {
    "name": "okta",
    "login_url": "https://idp.example.com/login",
    "logout_url": "https://idp.example.com/logout",
    "service_provider_name": "artifactory",
    "certificate": "TUlJQgo=",
    "enable_integration": False,
}
MAPPING = {
    "name": "main",
    "priority": 1,
    "claims": {"ref": "refs/heads/main"},
    "token_spec": {"username": "ci", "expires_in": 604800},
}
PROVIDER = {
    "name": "gitlab",
    "issuer_url": "https://gitlab.example.com",
    "provider_type": "Generic OpenID Connect",
    "audience": "artifactory",
    "identity_mappings": [MAPPING],
}
SEED: dict[str, Any] = {"saml_settings": [SAML], "oidc_providers": [PROVIDER]}


def test_seeded_objects_are_returned_and_exported(sandbox: Sandbox) -> None:
    platform = Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])
    for _run in range(2):  # objects with existing names are replaced
        sandbox.seed({"artifact": SEED})
    paths = ("/access/api/v1/saml", "/access/api/v1/oidc", "/access/api/v1/oidc/gitlab/identity_mappings")
    [setting], [provider], [mapping] = before = [platform.get(path).json() for path in paths]
    assert (setting["enable_integration"], provider["audience"]) == (False, "artifactory")
    assert (mapping["claims"], mapping["token_spec"]["expires_in"]) == (MAPPING["claims"], 604800)
    sandbox.seed({"artifact": sandbox.export_seed()["seed"]["artifact"]}, reset=True)
    platform = Session(sandbox.url, sandbox.environment["JFROG_ACCESS_TOKEN"])
    assert [platform.get(path).json() for path in paths] == before


def test_state_shows_the_objects(sandbox: Sandbox) -> None:
    sandbox.seed({"artifact": SEED})
    state = sandbox.state()["artifact"]
    login_url = SAML["login_url"]
    assert state["saml_settings"]["rows"] == [{"name": "okta", "enabled": "no", "login_url": login_url}]
    [row] = state["oidc_providers"]["rows"]
    assert (row["name"], row["type"]) == ("gitlab", "Generic OpenID Connect")


@pytest.mark.parametrize(
    ("seed", "complaint"),
    [
        ({"saml_settings": [{"name": "okta"}]}, "saml_settings, okta: Invalid SAML setting: login_url is required"),
        ({"oidc_providers": [{"name": "x"}]}, "oidc_providers, x: Invalid OIDC configuration: name must start with"),
        ({"oidc_providers": [{"mappings": []}]}, r"seed\.artifact\.oidc_providers\[0\]\.mappings is unknown"),
    ],
)
def test_invalid_seed_is_refused(sandbox: Sandbox, seed: dict[str, Any], complaint: str) -> None:
    with pytest.raises(client.SandboxError, match=complaint):
        sandbox.seed({"artifact": seed})
