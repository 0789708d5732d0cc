# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""SAML settings: requests, and the form in which they are compared."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import access_api, editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import certificate, sso_api
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_PATH = "/saml"
FLAGS = {
    "enabled": True,
    "verify_audience_restriction": True,
    "use_encrypted_assertion": False,
    "auto_user_creation": True,
    "allow_user_to_access_profile": False,
    "auto_redirect": False,
    "sync_groups": False,
}
URLS = ("login_url", "logout_url")
TEXTS = (*URLS, "service_provider_name", "group_attribute", "email_attribute", "name_id_attribute")
LDAP_GROUPS = "ldap_group_settings"
REQUIRED = (*URLS, "service_provider_name", "certificate")
# Stands for the URL of the platform in the URL of a page
_BASE_URL = "{baseUrl}"
# Options whose member of the API has another name
_MEMBERS = {"enabled": "enable_integration"}
_RESULT = (
    *("enabled", *URLS, "service_provider_name", "certificate", "verify_audience_restriction"),
    *("use_encrypted_assertion", "auto_user_creation", "allow_user_to_access_profile", "auto_redirect"),
    *("sync_groups", "group_attribute", "email_attribute", "name_id_attribute", LDAP_GROUPS),
)


def parse_options(params: Fields) -> Fields:
    """Return the fields that the options declare.

    :raises BadOption: if an option is invalid
    """
    fields: Fields = {name: params[name] for name in (*FLAGS, *TEXTS) if params[name] is not None}
    for name in URLS:
        if not fields.get(name, _BASE_URL).startswith(_BASE_URL):
            sso_api.check_web_url(name, fields[name])
    for name in REQUIRED:
        if params[name] == "":
            raise BadOption(name, "must not be empty")
    if params["certificate"] is not None:
        fields["certificate"] = certificate.parse(params["certificate"])
    if params[LDAP_GROUPS] is not None:
        fields[LDAP_GROUPS] = sort_unique(params[LDAP_GROUPS])
    return fields


def read_fields(record: Record) -> Fields:
    """Return the fields of a setting in a response."""
    flags = {name: record.maybe_flag(_MEMBERS.get(name, name)) for name in FLAGS}
    return {
        **{name: FLAGS[name] if value is None else value for name, value in flags.items()},
        **{name: record.maybe_text(name) or "" for name in TEXTS},
        "certificate": certificate.normalize(record.maybe_text("certificate") or ""),
        LDAP_GROUPS: sort_unique(record.maybe_texts(LDAP_GROUPS)),
    }


def to_result(name: str, fields: Fields) -> Fields:
    """Return a setting in the form of the options. Fields that are missing have the values of a new setting."""
    new: Fields = {**FLAGS, **dict.fromkeys(TEXTS, ""), "certificate": "", LDAP_GROUPS: []}
    complete = {**new, **fields}
    return {"name": name, **{option: complete[option] for option in _RESULT}}


def to_body(name: str, fields: Fields, stored: Fields) -> Fields:
    """Return a setting as the server takes it.

    :arg fields: the fields to write
    :arg stored: the existing setting as the server returned it, with members that the module does not know
    """
    kept = {member: value for member, value in stored.items() if value is not None}
    new: Fields = {} if stored else {**FLAGS, **dict.fromkeys(TEXTS, "")}
    written = {_MEMBERS.get(option, option): value for option, value in {**new, **fields}.items()}
    return {**kept, **written, "name": name}


def find(artifact: ArtifactService, name: str) -> Record | None:
    """Return a setting, or `None` if it does not exist. If it is missing, the list shows whether the API exists."""
    with editions.explain_refusal(artifact, features.SAML):
        response = artifact.http.read("GET", f"{sso_api.API}{_locate(name)}", accept=(200, 404))
    return list_all(artifact).get(name) if response.status == 404 else access_api.parse(response, name)


def list_all(artifact: ArtifactService) -> dict[str, Record]:
    """Return all settings by name, sorted. Versions that support only one setting return an object."""
    response = sso_api.read(artifact, _PATH, features.SAML)
    if response.status == 404:
        raise access_api.foreign_response_error(response)
    body = response.json_or_none()
    records = [response.record()] if isinstance(body, dict) and "name" in body else response.records()
    return access_api.index(records)


def create(artifact: ArtifactService, body: Fields) -> None:
    """Create a setting."""
    sso_api.create(artifact, _PATH, body, features.SAML)


def replace(artifact: ArtifactService, name: str, body: Fields) -> None:
    """Replace a setting."""
    sso_api.replace(artifact, _locate(name), body)


def delete(artifact: ArtifactService, name: str) -> None:
    """Delete a setting."""
    sso_api.delete(artifact, _locate(name))


def describe(settings: t.Mapping[str, Record]) -> list[Fields]:
    """Return settings in responses in the form of the options."""
    return [to_result(name, read_fields(record)) for name, record in settings.items()]


def _locate(name: str) -> str:
    return f"{_PATH}{encode_path(name, option='name')}"
