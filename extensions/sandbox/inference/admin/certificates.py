# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates of an organization. Their activation is not served."""

from __future__ import annotations

from typing import Any

from ...parsing.pem import parse_certificate
from ..protocol.checks import check_string
from ..protocol.errors import invalid_parameter
from .common import ORGANIZATION, Record, check_name
from .objects import CREATED, Collection


def _check_certificate(name: str, value: Any) -> None:
    check_string(name, value)
    try:
        parse_certificate(value)
    except ValueError:
        raise invalid_parameter(f"Invalid '{name}': not a certificate in PEM format.", name, "invalid_value") from None


def _build_certificate(_scope: str, values: Record) -> Record:
    members = dict(values)
    if "certificate" in members:
        parsed = parse_certificate(members.pop("certificate"))
        members["certificate_details"] = {"valid_at": int(parsed.issued_on), "expires_at": int(parsed.valid_until)}
    return members


CERTIFICATE = Collection(
    "certificate",
    "cert_",
    "certificate",
    {"name": check_name, "certificate": _check_certificate},
    ("certificate",),
    _build_certificate,
    {"name": None, CREATED: 0, "active": False},
)

ROUTES = tuple(CERTIFICATE.build_routes(f"{ORGANIZATION}/certificates"))
