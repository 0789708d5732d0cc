# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates of identity providers, compared by their content."""

from __future__ import annotations

import base64
import re
import ssl

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import der
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption

_OPTION = "certificate"
_PEM = re.compile(r"-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----(.*?)-----END ", re.DOTALL)
_PRIVATE_KEY = "PRIVATE KEY"


def parse(text: str) -> str:
    """Return the certificate in PEM or Base64 format as Base64 in one line.

    :raises BadOption: if the text is not exactly one X.509 certificate
    """
    if _PRIVATE_KEY in text:
        raise BadOption(_OPTION, "must not contain a private key. Set only the certificate of the identity provider")
    count = len(_PEM.findall(text))
    if count > 1:
        raise BadOption(_OPTION, f"must contain one certificate, not {count}. Remove those of the authorities")
    encoding = _decode(text)
    if encoding is None or not _is_certificate(encoding):
        raise BadOption(_OPTION, "must be an X.509 certificate in PEM format or its Base64 content")
    return _encode(encoding)


def normalize(text: str) -> str:
    """Return a certificate as the server stores it as Base64 in one line. A text that is none is only shortened."""
    encoding = _decode(text)
    return _strip(text) if encoding is None else _encode(encoding)


def _strip(text: str) -> str:
    match = _PEM.search(text)
    return "".join((match[1] if match else text).split())


def _decode(text: str) -> bytes | None:
    try:
        return base64.b64decode(_strip(text), validate=True)
    except ValueError:
        return None


def _encode(encoding: bytes) -> str:
    return base64.b64encode(encoding).decode("ascii")


def _is_certificate(encoding: bytes) -> bool:
    """Return whether OpenSSL can parse the bytes, and whether nothing follows the certificate."""
    try:
        der.read_one(encoding, der.SEQUENCE)
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=encoding)
    except (ssl.SSLError, ValueError):
        return False
    return True
