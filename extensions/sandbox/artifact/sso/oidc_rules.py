# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The rules of OIDC providers and identity mappings in request bodies."""

from __future__ import annotations

import re
from typing import Any

from ..protocol.errors import AccessError

PROVIDER_NAME = re.compile(r"[a-z][a-z0-9-]+")
MAPPING_NAME = re.compile(r"[^\s!@#$%^&*()+={}\[\]:;'\"<>,./?~`|\\]{1,255}")
# As the server returns them, by the spellings that it accepts
PROVIDER_TYPES = {
    "github": "GitHub",
    "githubenterprise": "GitHub Enterprise",
    "azure": "Azure",
    "generic": "Generic OpenID Connect",
    "genericopenidconnect": "Generic OpenID Connect",
}
GITHUB_TYPES = ("GitHub", "GitHub Enterprise")
GITHUB_ISSUER = "https://token.actions.githubusercontent.com"
TEXTS = ("description", "audience", "organization", "token_issuer", "azure_app_id", "project_key")
FLAGS = ("use_default_proxy", "enable_permissive_configuration")
PROVIDER_FIELDS = ("name", "issuer_url", "provider_type", *TEXTS, *FLAGS)
MAPPING_FIELDS = ("name", "description", "priority", "claims", "token_spec", "project_key")
IDENTITIES = ("username", "username_pattern", "groups_pattern", "scope")
MIN_LIFETIME, UNLIMITED = 60, 2**31  # seconds
ROLES_SCOPE = re.compile(r"(?:^|\s)applied-permissions/roles:([^:\s]+):")


def parse_provider(body: dict[str, Any], requires_organization: bool = False) -> dict[str, Any]:
    """Return the provider in a request body with all defaults.

    :raises AccessError: if the server would refuse it
    """
    if not isinstance(body.get("name"), str) or not PROVIDER_NAME.fullmatch(body["name"]):
        raise _refusal("name must start with a lowercase letter and only contain lowercase letters, digits and -")
    if not isinstance(body.get("issuer_url"), str) or not body["issuer_url"].startswith("https://"):
        raise _refusal("issuer_url must use https")
    spelling = re.sub("[^a-z]", "", str(body.get("provider_type")).lower())
    if spelling not in PROVIDER_TYPES:
        raise _refusal(f"provider_type must be one of {', '.join(dict.fromkeys(PROVIDER_TYPES.values()))}")
    provider_type = PROVIDER_TYPES[spelling]
    if provider_type == "GitHub" and not body["issuer_url"].startswith(GITHUB_ISSUER):
        raise _refusal(f"issuer_url must start with {GITHUB_ISSUER}")
    texts = {member: body[member] for member in TEXTS if body.get(member)}
    flags = {member: body.get(member) or False for member in FLAGS}
    if not all(isinstance(text, str) for text in texts.values()):
        raise _refusal("members must be texts")
    if not all(isinstance(flag, bool) for flag in flags.values()):
        raise _refusal("flags must be true or false")
    is_github = provider_type in GITHUB_TYPES
    is_open = flags["enable_permissive_configuration"]
    if requires_organization and is_github and not is_open and not texts.get("organization"):
        raise _refusal("organization is required")
    fixed = {"name": body["name"], "issuer_url": body["issuer_url"], "provider_type": provider_type}
    return {**fixed, **texts, **flags}


def parse_mapping(body: dict[str, Any], provider: str, project: str, longest_lifetime: int) -> dict[str, Any]:
    """Return the mapping in a request body with all defaults. A scope with roles of a project decides on the project.

    :raises AccessError: if the server would refuse it
    """
    if not isinstance(body.get("name"), str) or not MAPPING_NAME.fullmatch(body["name"]):
        raise _refusal("name must not contain spaces or special characters")
    priority = body.get("priority")
    if isinstance(priority, bool) or not isinstance(priority, int) or priority < 1:
        raise _refusal("priority must be a positive number")
    if not isinstance(body.get("claims"), dict):
        raise _refusal("claims is required")
    if not isinstance(body.get("description") or "", str):
        raise _refusal("description must be a text")
    token = _parse_token(body.get("token_spec"), longest_lifetime)
    match = ROLES_SCOPE.search(token.get("scope", ""))
    own_project = match[1] if match else project
    return {
        "name": body["name"],
        "description": body.get("description") or "",
        "provider_name": provider,
        "priority": priority,
        "claims": body["claims"],
        "token_spec": token,
        **({"project_key": own_project} if own_project else {}),
    }


def _parse_token(token: Any, longest_lifetime: int) -> dict[str, Any]:
    if not isinstance(token, dict):
        raise _refusal("token_spec is required")
    identity = {member: token[member] for member in IDENTITIES if token.get(member)}
    if not identity or not all(isinstance(text, str) for text in identity.values()):
        raise _refusal("token_spec must have a username or a scope")
    if "username" in identity and "username_pattern" in identity:
        raise _refusal("token_spec cannot have both username and username_pattern")
    scopes = identity.get("scope", "applied-permissions/user")
    if not scopes.startswith("applied-permissions/"):
        raise _refusal("token_spec.scope is invalid")
    lifetime = token.get("expires_in", MIN_LIFETIME)
    if not isinstance(lifetime, int) or not MIN_LIFETIME <= lifetime <= longest_lifetime:
        raise _refusal(f"Invalid expiry: expires_in must be between {MIN_LIFETIME} and {longest_lifetime}")
    audience = token.get("audience") or "*@*"
    if not isinstance(audience, str):
        raise _refusal("token_spec.audience must be a text")
    return {
        **identity,
        "audience": audience,
        "expires_in": lifetime,
        "self_revocable": token.get("self_revocable") is True,
    }


def _refusal(problem: str) -> AccessError:
    return AccessError(400, f"Invalid OIDC configuration: {problem}")
