# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Identity mappings of an OIDC provider in the form in which they are compared.

They are a dictionary by name. Claims are JSON, so that they are compared as a whole. Empty texts are not set.
"""

from __future__ import annotations

import json
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

NEW_MAPPING: Fields = {
    "description": "",
    "priority": None,
    "claims": "{}",
    "username": "",
    "username_pattern": "",
    "groups_pattern": "",
    "scope": "",
    "audience": "*@*",
    "expires_in": 60,
}
REQUIRED = ("priority", "claims")
_TOKEN_TEXTS = ("username", "username_pattern", "groups_pattern")
_IDENTITIES = (*_TOKEN_TEXTS, "scope")
# Fields whose changes give the tokens of a mapping no other identity
_HARMLESS_FIELDS = frozenset(("description", "claims", "expires_in"))
# Claims that each token of the provider has
_COMMON_CLAIMS = ("iss", "aud")
# Claims that name the owner of a pipeline, by providers whose tokens anybody can get
_OWNER_CLAIMS = {
    "https://token.actions.githubusercontent.com": (
        *("repository", "repository_id", "repository_owner", "repository_owner_id", "sub", "workflow_ref"),
        *("job_workflow_ref", "enterprise", "enterprise_id"),
    ),
    "https://gitlab.com": (
        *("project_path", "project_id", "namespace_path", "namespace_id", "sub", "user_id", "user_login"),
        *("user_email", "ci_config_ref_uri"),
    ),
}
_OWNER_PREFIX = re.compile("repo:|project_path:|gitlab.com/")
_ADMIN_SCOPE = re.compile(r"(^|\s)applied-permissions/admin(\s|$)", re.IGNORECASE)
_ROLES_SCOPE = re.compile(r"(?:^|\s)applied-permissions/roles:([^:\s]+):")
_SCOPE = "applied-permissions/"
_OPTION = "identity_mappings"


def parse_options(entries: list[Fields], allow_any_token: bool, allow_admin_scope: bool) -> Fields:
    """Return the declared mappings by name.

    :raises BadOption: if a mapping is invalid or not safe
    """
    parsed: Fields = {}
    for number, entry in enumerate(entries):
        option = f"{_OPTION}[{number}]"
        name = entry["name"]
        if not name:
            raise BadOption(f"{option}.name", "is required")
        if name in parsed:
            raise BadOption(f"{option}.name", f"'{name}' is listed twice")
        mapping = {field: entry[field] for field in NEW_MAPPING if entry[field] is not None}
        if "claims" in mapping:
            _check_claims(f"{option}.claims", mapping["claims"])
            mapping["claims"] = _format_claims(mapping["claims"])
        if "audience" in mapping:
            mapping["audience"] = _sort_words(mapping["audience"])
        if mapping.get("scope", _SCOPE) and not mapping.get("scope", _SCOPE).startswith(_SCOPE):
            raise BadOption(f"{option}.scope", f"must start with '{_SCOPE}'")
        if mapping.get("username") and mapping.get("username_pattern"):
            raise BadOption(f"{option}.username", "must not be set together with 'username_pattern'")
        check_safety(option, mapping, allow_any_token, allow_admin_scope)
        parsed[name] = mapping
    return parsed


def check_safety(option: str, mapping: Fields, allow_any_token: bool, allow_admin_scope: bool) -> None:
    """Refuse a mapping that accepts any token of the provider, or that makes pipelines administrators.

    :arg mapping: the fields that are known
    :raises BadOption: unless the task allows it
    """
    if "claims" in mapping and not allow_any_token and not _is_restricted(json.loads(mapping["claims"])):
        raise BadOption(
            f"{option}.claims",
            "must restrict the tokens by at least one claim other than 'iss' and 'aud', or each token of the provider "
            "would be accepted. Set 'allow_any_token: true' to allow this",
        )
    if _ADMIN_SCOPE.search(mapping.get("scope", "")) and not allow_admin_scope:
        raise BadOption(
            f"{option}.scope",
            "grants administration of the platform. Set 'allow_admin_scope: true' to allow this",
        )


def is_public(issuer: str) -> bool:
    """Return whether anybody can get tokens of a provider.

    :arg issuer: URL of the provider
    """
    return issuer.rstrip("/") in _OWNER_CLAIMS


def check_owner(option: str, mapping: Fields, issuer: str) -> None:
    """Refuse a mapping that accepts the pipelines of other customers of a public provider.

    :arg mapping: all fields
    :arg issuer: URL of the public provider
    :raises BadOption: if no claim names the owner of the pipeline
    """
    names = _OWNER_CLAIMS.get(issuer.rstrip("/"), ())
    claims = json.loads(mapping["claims"])
    if not any(_names_owner(claims[name]) for name in names if name in claims):
        raise BadOption(
            f"{option}.claims",
            f"must name the owner of the pipelines in one of {', '.join(names)}, because anybody can get tokens of "
            f"{issuer}. Set 'allow_any_token: true' to allow this",
        )


def check_complete(name: str, mapping: Fields) -> None:
    """Verify that a mapping to write has an identity.

    :arg mapping: all fields
    :raises BadOption: if it has none
    """
    if not any(mapping[field] for field in _IDENTITIES):
        raise BadOption(_OPTION, f"'{name}' must have at least one of {', '.join(_IDENTITIES)}")


def desired_mapping(before: Fields | None, declared: Fields) -> Fields:
    """Return the fields of a mapping to compare. A user name replaces a pattern, and a pattern a user name."""
    fields = dict(declared)
    for option, other in (("username", "username_pattern"), ("username_pattern", "username")):
        if before and fields.get(option) and other not in fields:
            fields[other] = ""
    return fields


def narrows(before: Fields, changes: Fields) -> bool:
    """Return whether a change of a mapping requires further claims, and gives tokens nothing else.

    :arg before: all fields
    :arg changes: the fields that differ
    """
    if changes.keys() - _HARMLESS_FIELDS:
        return False
    required, claims = (json.loads(mapping["claims"]) for mapping in (before, {**before, **changes}))
    is_shorter = changes.get("expires_in", 0) <= before["expires_in"]
    return is_shorter and all(name in claims and claims[name] == value for name, value in required.items())


def find_project(scope: str) -> str:
    """Return the key of the project whose roles a scope grants, or an empty string."""
    match = _ROLES_SCOPE.search(scope)
    return match[1] if match else ""


def read_fields(record: Record) -> Fields:
    """Return the fields of a mapping in a response."""
    token = record.record("token_spec")
    lifetime = token.maybe_integer("expires_in")
    return {
        "description": record.maybe_text("description") or "",
        "priority": record.maybe_integer("priority"),
        "claims": _format_claims(record.maybe_record("claims") or {}),
        **{name: token.maybe_text(name) or "" for name in _IDENTITIES},
        "audience": _sort_words(token.maybe_text("audience") or NEW_MAPPING["audience"]),
        "expires_in": NEW_MAPPING["expires_in"] if lifetime is None else lifetime,
    }


def to_result(mappings: Fields) -> list[Fields]:
    """Return mappings in the form of the option, sorted by name."""
    complete = {name: {**NEW_MAPPING, **mappings[name]} for name in sorted(mappings)}
    return [{"name": name, **mapping, "claims": json.loads(mapping["claims"])} for name, mapping in complete.items()]


def to_body(provider: str, name: str, mapping: Fields, stored: Fields, declared_audience: str | None = None) -> Fields:
    """Return a mapping as the server takes it.

    The audience has the order of the stored one if it has the same words, so that other clients see no change.

    :arg mapping: all fields
    :arg stored: the existing mapping as the server returned it, with members that the module does not know
    :arg declared_audience: the audience with its words in the order of the task
    """
    kept, kept_token = (
        {member: value for member, value in members.items() if value is not None and member not in _TOKEN_TEXTS}
        for members in (stored, stored.get("token_spec") or {})
    )
    identity = {field: mapping[field] for field in _TOKEN_TEXTS if mapping[field]}
    token = {field: mapping[field] for field in ("scope", "audience", "expires_in")}
    spellings = (kept_token.get("audience"), declared_audience)
    token["audience"] = next((text for text in spellings if _is_same_audience(text, mapping)), mapping["audience"])
    return {
        **kept,
        "name": name,
        "provider_name": provider,
        "description": mapping["description"],
        "priority": mapping["priority"],
        "claims": json.loads(mapping["claims"]),
        "token_spec": {**kept_token, **identity, **token},
    }


def _check_claims(option: str, value: t.Any) -> None:
    """Refuse null, which a token would have to contain."""
    if value is None:
        raise BadOption(option, "must not be null")
    entries: t.Iterable[tuple[str, t.Any]] = ()
    if isinstance(value, dict):
        entries = ((f".{name}", entry) for name, entry in value.items())
    elif isinstance(value, list):
        entries = ((f"[{number}]", entry) for number, entry in enumerate(value))
    for suffix, entry in entries:
        _check_claims(f"{option}{suffix}", entry)


def _is_restricted(claims: Fields) -> bool:
    return any(name not in _COMMON_CLAIMS and _restricts(value) for name, value in claims.items())


def _restricts(value: t.Any) -> bool:
    """Return whether tokens with other values of a claim exist."""
    if isinstance(value, list):
        return bool(value) and all(map(_restricts, value))
    if isinstance(value, dict):
        return any(map(_restricts, value.values()))
    return not isinstance(value, str) or bool(value.strip("*"))


def _names_owner(value: t.Any) -> bool:
    """Return whether a claim begins with the owner instead of a wildcard."""
    if isinstance(value, list):
        return bool(value) and all(map(_names_owner, value))
    return not isinstance(value, str) or _OWNER_PREFIX.sub("", value, count=1)[:1] not in ("", "*")


def _format_claims(claims: Fields) -> str:
    return json.dumps(claims, sort_keys=True, ensure_ascii=False)


def _is_same_audience(text: t.Any, mapping: Fields) -> bool:
    return isinstance(text, str) and _sort_words(text) == mapping["audience"]


def _sort_words(text: str) -> str:
    return " ".join(sorted(set(text.split())))
