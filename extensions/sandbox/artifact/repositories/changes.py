# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Checked changes of configurations, shared by the calls that create and update repositories."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from .configurations import create_configuration, update_configuration
from .repositories import Repository
from .validation import check_class, check_identity, check_new_key, check_references


def prepare_creation(call: Call, key: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration of a new repository, or fail like the server."""
    check_class(fields)
    if str(fields["rclass"]).lower() == "federated":
        call.require_enterprise(feature_versions.FEDERATED_REPOSITORIES)
    check_new_key(call, key)
    if fields.get("key") not in (None, "", key):
        raise ArtifactError(
            400, f"Repository key '{fields['key']}' does not match the path '{key}'"
        )  # wording not known
    configuration = create_configuration(key, fields, call.supports)
    _complete(call, configuration)
    return configuration


def prepare_update(call: Call, repository: Repository, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the configuration of a repository after an update, or fail like the server."""
    if repository.rclass == "federated":
        call.require_enterprise(feature_versions.FEDERATED_REPOSITORIES)
    check_identity(repository, fields)
    configuration = update_configuration(repository.configuration, fields, call.supports)
    _complete(call, configuration)
    return configuration


def _complete(call: Call, configuration: dict[str, Any]) -> None:
    """Check the references of a configuration, and add the own address to the members of a federated repository."""
    check_references(call, configuration)
    if configuration["rclass"] == "federated":
        configuration["members"] = with_own_member(call, configuration["key"], configuration["members"])


def with_own_member(call: Call, key: str, members: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the members of a federated repository, beginning with its own address."""
    own_url = f"{call.base}/{key}"
    others = [
        {"url": str(member["url"]), "enabled": member.get("enabled") is not False}
        for member in members
        if str(member["url"]).rstrip("/") != own_url
    ]
    return [{"url": own_url, "enabled": True}, *others]


def created_message(key: str) -> str:
    """Return the message about a new repository."""
    return f"Successfully created repository '{key}' \n"
