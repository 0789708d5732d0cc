# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Client certificates with which Artifactory authenticates to the servers of remote repositories."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features, times
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

_ADDRESS = "/artifactory/api/system/security/certificates"


def list_certificates(artifact: ArtifactService) -> list[Fields]:
    """Return all certificates, sorted by alias."""
    with editions.explain_refusal(artifact, features.CERTIFICATES):
        certificates = map(_to_result, artifact.http.read("GET", _ADDRESS).records())
    return sorted(certificates, key=lambda certificate: certificate["alias"])


def install(artifact: ArtifactService, alias: str, pem: str) -> None:
    """Create or replace a certificate.

    :arg pem: the private key, the certificate and its chain in PEM format
    """
    headers = {"Content-Type": "text/plain"}
    address = _address(alias)
    artifact.http.write("POST", address, data=pem.encode(), headers=headers, accept=(200, 201), policy=IDEMPOTENT)


def delete(artifact: ArtifactService, alias: str) -> None:
    """Delete a certificate."""
    artifact.http.write("DELETE", _address(alias), accept=(200, 204))


def _address(alias: str) -> str:
    return f"{_ADDRESS}{encode_path(alias, option='alias')}"


def _to_result(record: Record) -> Fields:
    return {
        "alias": record.text("certificateAlias"),
        "issued_to": record.maybe_text("issuedTo"),
        "issued_by": record.maybe_text("issuedBy"),
        "issued_on": times.get_time(record, "issuedOn"),
        "valid_until": times.get_time(record, "validUntil"),
        "fingerprint": record.maybe_text("fingerprint"),
    }
