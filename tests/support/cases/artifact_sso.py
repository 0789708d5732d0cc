# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the modules for single sign-on."""

from __future__ import annotations

from support.cases.form import Case, Query, Resource, Write

CERTIFICATE = """-----BEGIN CERTIFICATE-----
MIIBizCCATGgAwIBAgIUf3Nm33ID38g5FnQA1aUvJCPOeEMwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPaWRwLmV4YW1wbGUuY29tMCAXDTI2MTEyNzA3MDYwNVoYDzIx
MjYxMTAzMDcwNjA1WjAaMRgwFgYDVQQDDA9pZHAuZXhhbXBsZS5jb20wWTATBgcq
hkjOPQIBBggqhkjOPQMBBwNCAAR4OQAHY+Gh7JflxyE4JRhLba+s1tfVPYLn85ks
YzpNYX78sTznM6SMJhNC0HbvZk0E6g5XFeY3gvaT8teVe4IIo1MwUTAdBgNVHQ4E
FgQU7YwhfSRBrs87RIic29FKciddYUcwHwYDVR0jBBgwFoAU7YwhfSRBrs87RIic
29FKciddYUcwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAzP8KH
IfNN7/kh3AXfqnDNcDHw91E8rxzMQCPf7NQrnAIhAPzbG+MxQIYO/WAao3uIs6bT
kAwHr0hETTXjtsBhF+vp
-----END CERTIFICATE-----
"""
_SAML = {"name": "okta of ours"}
_OIDC = {"name": "gitlab"}
_MAIN = {"name": "main", "priority": 1, "claims": {"ref": "refs/heads/mäin", "project_path": ["acme/web", "acme/api"]}}

SSO: dict[str, Case] = {
    "artifact_saml": Resource(
        create={
            **_SAML,
            "login_url": "https://idp.example.com/login?tenant=é",
            "logout_url": "{baseUrl}/ui/login",
            "service_provider_name": "https://repo.example.com",
            "certificate": CERTIFICATE,
            "email_attribute": "émail",
        },
        update={**_SAML, "enabled": False, "auto_redirect": True, "email_attribute": "", "group_attribute": "groups"},
        absent={**_SAML, "state": "absent"},
        write=Write("create_saml_setting"),
        look=("artifact_saml_info", {}),
    ),
    "artifact_saml_info": Query({}),
    "artifact_oidc": Resource(
        create={
            **_OIDC,
            "issuer_url": "https://gitlab.example.com",
            "provider_type": "generic",
            "description": "Pipelines of ours",
            "identity_mappings": [
                {**_MAIN, "username_pattern": "x-$0", "scope": "applied-permissions/user"},
                {"name": "tags", "priority": 2, "claims": {"ref_type": "tag"}, "username": "ci"},
            ],
        },
        update={
            **_OIDC,
            "audience": "artifactory",
            "identity_mappings": [
                {**_MAIN, "claims": {"sub": "x"}, "username": "ci", "expires_in": 600},
                {"name": "more", "priority": 3, "claims": {"sub": "y"}, "groups_pattern": "x-$0"},
            ],
            "purge": True,
        },
        absent={**_OIDC, "state": "absent"},
        write=Write("create_oidc_provider", first_of_several=True),
        look=("artifact_oidc_info", {}),
        switches={"version": "7.95.0"},  # the first one with patterns
    ),
    "artifact_oidc_info": Query({}),
}
