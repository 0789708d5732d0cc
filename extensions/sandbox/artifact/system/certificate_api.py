# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client certificates for remote repositories. Private keys are not stored."""

from __future__ import annotations

from starlette.responses import Response

from ...http.routing import Route
from ...parsing.pem import parse_certificate_with_key
from ..call import Call
from ..protocol import feature_versions
from ..protocol.errors import ArtifactError
from ..protocol.formats import format_time
from ..protocol.json_response import json_response
from .certificates import list_certificates, save_certificate


async def get_certificates(call: Call) -> Response:
    """Handle `GET /api/system/security/certificates`."""
    _require_admin(call)
    return json_response(
        [
            {
                "certificateAlias": alias,
                "issuedTo": certificate.issued_to,
                "issuedBy": certificate.issued_by,
                "issuedOn": format_time(certificate.issued_on),
                "validUntil": format_time(certificate.valid_until),
                "fingerprint": certificate.fingerprint,
            }
            for alias, certificate in list_certificates(call.state).items()
        ]
    )


async def add_certificate(call: Call, alias: str) -> Response:
    """Handle `POST /api/system/security/certificates/{alias}`. An existing certificate is replaced."""
    _require_admin(call)
    if call.is_oss:
        raise ArtifactError(400, "Client certificate is only supported on licensed Artifactory versions.")
    try:
        certificate = parse_certificate_with_key((await call.request.body()).decode())
    except ValueError:
        raise ArtifactError(400, "The PEM file must contain a certificate and its private key") from None
    save_certificate(call.state, alias, certificate)
    return json_response({"status": 200, "message": "The certificates were successfully installed"})


async def delete_certificate(call: Call, alias: str) -> Response:
    """Handle `DELETE /api/system/security/certificates/{alias}`."""
    _require_admin(call)
    deleted = call.runtime.db.execute("DELETE FROM artifact_certificates WHERE alias = ?", (alias,))
    if not deleted.rowcount:
        raise ArtifactError(404, f"Certificate '{alias}' not found")
    return json_response({"status": 200, "message": "The certificates were successfully deleted"})


def _require_admin(call: Call) -> None:
    call.require_admin()
    if not call.supports(feature_versions.CLIENT_CERTIFICATES):
        raise ArtifactError(404)


CERTIFICATES = "/api/system/security/certificates"
ROUTES = (
    Route("GET", CERTIFICATES, get_certificates, "list_certificates"),
    Route("POST", f"{CERTIFICATES}/{{alias}}", add_certificate, "add_certificate"),
    Route("DELETE", f"{CERTIFICATES}/{{alias}}", delete_certificate, "delete_certificate"),
)
