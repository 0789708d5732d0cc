# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names, validity and fingerprint of a certificate in PEM format (RFC 5280)."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime
from typing import NamedTuple

CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")
PRIVATE_KEY = re.compile(r"-----BEGIN ([A-Z]+ )*PRIVATE KEY-----")
VERSION, UTC_TIME = 0xA0, 0x17  # tags
# What responses contain instead of a common name that is missing, according to the tests of JFrog's provider.
UNKNOWN_NAME = "Unknown"
COMMON_NAME = bytes((0x55, 0x04, 0x03))


class Certificate(NamedTuple):
    """A certificate. Times are in seconds since the epoch, names `Unknown` if the certificate has none."""

    issued_to: str
    issued_by: str
    issued_on: float
    valid_until: float
    fingerprint: str


def parse_certificate_with_key(pem: str) -> Certificate:
    """Return the first certificate in a text that also contains its private key.

    :raises ValueError: if one of them is missing or malformed
    """
    if not PRIVATE_KEY.search(pem):
        raise ValueError("no private key")
    return parse_certificate(pem)


def parse_certificate(pem: str) -> Certificate:
    """Return the first certificate in a text.

    :raises ValueError: if it is missing or malformed
    """
    match = CERTIFICATE.search(pem)
    if match is None:
        raise ValueError("no certificate")
    der = base64.b64decode(match[1])
    try:
        (_tag, content), *_rest = _list_elements(der)
        (_tag, body), *_signature = _list_elements(content)
        elements = _list_elements(body)
        _serial, _algorithm, issuer, validity, subject, *_rest = elements[elements[0][0] == VERSION :]
        issued_on, valid_until = (_parse_time(*element) for element in _list_elements(validity[1]))
    except IndexError:
        raise ValueError("truncated certificate") from None
    fingerprint = hashlib.sha256(der).digest().hex(":").upper()
    return Certificate(_find_common_name(subject[1]), _find_common_name(issuer[1]), issued_on, valid_until, fingerprint)


def _list_elements(der: bytes) -> list[tuple[int, bytes]]:
    """Return tag and content of each element of a sequence or set."""
    elements, position = [], 0
    while position < len(der):
        tag, size = der[position], der[position + 1]
        position += 2
        if size > 0x7F:  # the number of bytes that contain the size
            size, position = int.from_bytes(der[position : position + size - 0x80]), position + size - 0x80
        elements.append((tag, der[position : position + size]))
        position += size
    return elements


def _find_common_name(name: bytes) -> str:
    for _tag, attributes in _list_elements(name):
        for _tag, attribute in _list_elements(attributes):
            (_tag, identifier), (_tag, value) = _list_elements(attribute)
            if identifier == COMMON_NAME:
                return value.decode()
    return UNKNOWN_NAME


def _parse_time(tag: int, content: bytes) -> float:
    text = content.decode()
    if tag == UTC_TIME:
        text = f"{'20' if text < '50' else '19'}{text}"
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=UTC).timestamp()
