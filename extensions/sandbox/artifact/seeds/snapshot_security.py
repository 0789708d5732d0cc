# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of single sign-on, keys and certificates of a snapshot into seeds.

A snapshot contains only public keys. What the sandbox would refuse is left out, for example a provider of a type that
it does not know.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ...seeds.snapshot import SnapshotDirectory
from ..keys.key_texts import PUBLIC_LABELS, parse_key
from ..keys.trusted_keys import parse_trusted_key
from ..protocol.errors import AccessError, ArtifactError
from ..sso import oidc_rules, saml_api

UNKNOWN = "unknown"
UNKNOWN_URL = "https://unknown.invalid"
_TOKEN_FIELDS = (*oidc_rules.IDENTITIES, "audience", "expires_in")


def iterate_saml_settings(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the SAML settings."""
    for setting in snapshot.manifest.get("saml_settings", ()):
        unknown = {name: UNKNOWN_URL if name in saml_api.URLS else UNKNOWN for name in saml_api.REQUIRED}
        fields = {"enable_integration" if name == "enabled" else name: value for name, value in setting.items()}
        with contextlib.suppress(AccessError):
            yield saml_api.parse_setting({**fields, **{name: fields[name] or unknown[name] for name in unknown}})


def iterate_oidc_providers(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the OIDC providers with their identity mappings."""
    for provider in snapshot.manifest.get("oidc_providers", ()):
        with contextlib.suppress(AccessError):
            converted = oidc_rules.parse_provider({**provider, "project_key": provider["project"]})
            mappings = list(_iterate_mappings(provider["identity_mappings"] or [], converted["name"]))
            yield {**converted, "identity_mappings": mappings}


def _iterate_mappings(mappings: list[dict[str, Any]], provider: str) -> Iterator[dict[str, Any]]:
    for mapping in mappings:
        token = {name: mapping[name] for name in _TOKEN_FIELDS if mapping[name] is not None}
        seed = {
            **{name: mapping[name] for name in ("name", "description", "priority", "claims")},
            "token_spec": token,
        }
        with contextlib.suppress(AccessError):
            oidc_rules.parse_mapping(seed, provider, "", oidc_rules.UNLIMITED)
            yield seed


def iterate_keypairs(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the public parts of the key pairs."""
    for pair in snapshot.manifest.get("keypairs", ()):
        with contextlib.suppress(ValueError):
            parse_key(pair["public_key"], PUBLIC_LABELS.get(pair["type"].upper(), ()))
            yield {name: pair[name] for name in ("name", "type", "alias", "public_key")}


def iterate_trusted_keys(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the trusted keys whose text the server returned."""
    for trusted in snapshot.manifest.get("trusted_keys", ()):
        with contextlib.suppress(ArtifactError):
            parse_trusted_key(trusted["alias"], trusted["key"])
            yield {name: trusted[name] for name in ("alias", "key")}


def iterate_certificates(snapshot: SnapshotDirectory) -> Iterator[dict[str, Any]]:
    """Yield the client certificates."""
    for certificate in snapshot.manifest.get("certificates", ()):
        yield {name: value for name, value in certificate.items() if value is not None}
