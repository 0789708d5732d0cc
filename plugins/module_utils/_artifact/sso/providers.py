# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""OIDC providers in the form in which they are compared, and its conversion from options and responses."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import mappings, oidc, sso_api
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

MAPPINGS = "identity_mappings"
# Provider types of the API by option. The API also accepts and returns other spellings
PROVIDER_TYPES = {
    "github": "GitHub",
    "github_enterprise": "GitHub Enterprise",
    "azure": "Azure",
    "generic": "Generic OpenID Connect",
}
FLAGS = ("use_default_proxy", "enable_permissive_configuration")
TEXTS = ("description", "issuer_url", "audience", "organization", "project", "token_issuer", "azure_app_id")
REQUIRED = ("issuer_url", "provider_type")
# Options that the API cannot change
FIXED = ("provider_type", "project")
# Options that decide whose tokens Artifactory accepts
LIMITS = frozenset(("issuer_url", "organization", "enable_permissive_configuration"))
_GITHUB = ("github", "github_enterprise")
_GITHUB_ISSUER = "https://token.actions.githubusercontent.com"
# Provider types of options that do not apply to all of them
_APPLIES_TO = {
    "token_issuer": ("azure", "generic"),
    "azure_app_id": ("azure",),
    "enable_permissive_configuration": _GITHUB,
}
# Options whose member of the API has another name
_MEMBERS = {"project": "project_key"}
_RESULT = (
    *("description", "issuer_url", "provider_type", "audience", "organization", "project", "token_issuer"),
    *("azure_app_id", *FLAGS, MAPPINGS),
)


def parse_options(params: Fields) -> Fields:
    """Return the fields that the options declare.

    :raises BadOption: if an option is invalid
    """
    names = (*TEXTS, "provider_type", *FLAGS)
    fields: Fields = {name: params[name] for name in names if params[name] is not None}
    if "issuer_url" in fields:
        sso_api.check_web_url("issuer_url", fields["issuer_url"], ("https",))
    if "provider_type" in fields:
        check_type(fields, fields["provider_type"])
    if params[MAPPINGS] is not None:
        fields[MAPPINGS] = mappings.parse_options(
            params[MAPPINGS], params["allow_any_token"], params["allow_admin_scope"]
        )
    return fields


def check_type(fields: Fields, provider_type: str) -> None:
    """Verify that options apply to a provider type.

    :raises BadOption: if one does not apply
    """
    for option, types in _APPLIES_TO.items():
        if fields.get(option) and provider_type in PROVIDER_TYPES and provider_type not in types:
            raise BadOption(
                option, f"does not apply to the provider type '{provider_type}', only to {' and '.join(types)}"
            )
    issuer = fields.get("issuer_url", "")
    if provider_type == "github" and issuer.endswith("/"):
        raise BadOption("issuer_url", f"must not end with '/', because the tokens of GitHub name {issuer.rstrip('/')}")
    if provider_type == "github" and not fields.get("issuer_url", _GITHUB_ISSUER).startswith(_GITHUB_ISSUER):
        raise BadOption(
            "issuer_url",
            f"must start with {_GITHUB_ISSUER} for the provider type 'github'. For your own GitHub server, use "
            "'github_enterprise'",
        )


def is_limited_to_organization(fields: Fields) -> bool:
    """Return whether Artifactory accepts only tokens of one organization.

    :arg fields: all fields, or those of a new provider
    """
    is_limited = fields["provider_type"] in _GITHUB and bool(fields.get("organization"))
    return is_limited and not fields.get("enable_permissive_configuration")


def read_fields(record: Record) -> Fields:
    """Return the fields of a provider in a response, without its identity mappings."""
    return {
        **{name: record.maybe_text(_MEMBERS.get(name, name)) or "" for name in TEXTS},
        "provider_type": _read_type(record.text("provider_type")),
        **{name: bool(record.maybe_flag(name)) for name in FLAGS},
    }


def is_complete(record: Record, declared: Fields) -> bool:
    """Return whether a provider in a list has the declared members. Lists of old servers may lack some.

    Complete providers lack texts that are empty.
    """
    required = [name for name, value in declared.items() if name in FLAGS or (value and name != MAPPINGS)]
    return all(_MEMBERS.get(name, name) in record for name in required)


def to_result(name: str, fields: Fields) -> Fields:
    """Return a provider in the form of the options. Its identity mappings are null if they were not read."""
    complete = {**dict.fromkeys(TEXTS, ""), **dict.fromkeys(FLAGS, False), MAPPINGS: None, **fields}
    if complete[MAPPINGS] is not None:
        complete[MAPPINGS] = mappings.to_result(complete[MAPPINGS])
    return {"name": name, **{option: complete[option] for option in _RESULT}}


def to_body(name: str, fields: Fields, stored: Fields) -> Fields:
    """Return a provider as the server takes it.

    :arg fields: the fields to write
    :arg stored: the existing provider as the server returned it, with members that the module does not know
    """
    kept = {member: value for member, value in stored.items() if value is not None}
    written = {_MEMBERS.get(option, option): value for option, value in fields.items() if option != MAPPINGS}
    if "provider_type" in written:
        written["provider_type"] = PROVIDER_TYPES[written["provider_type"]]
    # A new provider without a project, or with an empty text, lacks the member
    new = {member: value for member, value in written.items() if stored or value != ""}
    return {"name": name, **kept, **new}


def _read_type(text: str) -> str:
    """Return a provider type as in the options; one that is not known as the server spells it."""
    spelling = re.sub("[^a-z]", "", text.lower())
    known: t.Iterable[str] = (
        option
        for option, name in PROVIDER_TYPES.items()
        if spelling in (option.replace("_", ""), re.sub("[^a-z]", "", name.lower()))
    )
    return next(iter(known), text)


def describe(artifact: ArtifactService, name: str, record: Record) -> Fields:
    """Return a provider in a response in the form of the options. One request reads its identity mappings."""
    fields = read_fields(record)
    found = oidc.list_mappings(artifact, name, fields["project"])
    return to_result(name, {**fields, MAPPINGS: {entry.text("name"): mappings.read_fields(entry) for entry in found}})
