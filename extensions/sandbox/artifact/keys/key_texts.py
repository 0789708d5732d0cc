# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys as text: PEM files (RFC 7468) and ASCII-armored OpenPGP keys (RFC 9580)."""

from __future__ import annotations

import base64
import hashlib
import re
from datetime import UTC, datetime
from typing import NamedTuple

BLOCK = re.compile(r"-----BEGIN ([A-Z ]+)-----(.+?)-----END \1-----", re.DOTALL)
PRIVATE_LABELS = {
    "RSA": ("PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY"),
    "GPG": ("PGP PRIVATE KEY BLOCK",),
}
PUBLIC_LABELS = {"RSA": ("PUBLIC KEY", "RSA PUBLIC KEY"), "GPG": ("PGP PUBLIC KEY BLOCK",)}
# Tags of OpenPGP packets
SECRET_KEY, PUBLIC_KEY, USER_ID = 5, 6, 13
UNENCRYPTED = 0
# The version of a key, its time of creation and its algorithm
KEY_HEADER_SIZE = 6


class KeyText(NamedTuple):
    """The first key in a text.

    :ivar is_encrypted: whether a passphrase is required
    """

    label: str
    data: bytes
    is_encrypted: bool


class PublicKeyDetails(NamedTuple):
    """What the server reports about a public key. Times and issuers are only known for OpenPGP keys."""

    fingerprint: str
    issued_by: str
    issued_on: float | None


def parse_key(text: str, labels: tuple[str, ...]) -> KeyText:
    """Return the first key with one of these labels.

    :raises ValueError: if there is none, or it is malformed
    """
    for label, content in BLOCK.findall(text):
        if label in labels:
            lines = [line.strip() for line in content.strip().splitlines()]
            headers = [line for line in lines if ":" in line]
            checksum = lines[-1] if lines[-1].startswith("=") else ""
            data = base64.b64decode("".join(line for line in lines if line not in (*headers, checksum)), validate=True)
            if label.startswith("PGP"):
                is_encrypted = label in PRIVATE_LABELS["GPG"] and _is_secret_key_encrypted(data)
            else:
                is_encrypted = label.startswith("ENCRYPTED") or any("ENCRYPTED" in header for header in headers)
                _check_sequence(data, is_encrypted)
            return KeyText(label, data, is_encrypted)
    raise ValueError("no key")


def describe_public_key(key: KeyText) -> PublicKeyDetails:
    """Return fingerprint, issuer and time of a public key.

    :raises ValueError: if it is malformed
    """
    if not key.label.startswith("PGP"):
        return PublicKeyDetails(hashlib.sha256(key.data).digest().hex(":"), "", None)
    packets = list_packets(key.data)
    body = next((body for tag, body in packets if tag == PUBLIC_KEY), b"")
    if len(body) <= KEY_HEADER_SIZE:
        raise ValueError("no public key packet")
    digest = hashlib.sha1(b"\x99" + len(body).to_bytes(2) + body).digest()
    user = next((content.decode("utf-8", "replace") for tag, content in packets if tag == USER_ID), "")
    return PublicKeyDetails(digest.hex(":"), user, float(int.from_bytes(body[1:5])))


def have_same_public_part(private: KeyText, public: KeyText) -> bool:
    """Return whether a private OpenPGP key starts with the public one. Other keys are not compared."""
    if not private.label.startswith("PGP"):
        return True
    body = next((body for tag, body in list_packets(public.data) if tag == PUBLIC_KEY), None)
    secret = next((body for tag, body in list_packets(private.data) if tag == SECRET_KEY), None)
    return body is not None and secret is not None and secret.startswith(body)


def list_packets(data: bytes) -> list[tuple[int, bytes]]:
    """Return tag and body of each packet.

    :raises ValueError: if the packets are malformed
    """
    packets, position = [], 0
    while position < len(data):
        header, position = data[position], position + 1
        if header & 0xC0 == 0xC0:
            tag, size, position = header & 0x3F, *_read_new_size(data, position)
        elif header & 0x80 and header & 0x03 != 0x03:
            width = 1 << (header & 0x03)
            tag, size = (header & 0x3C) >> 2, int.from_bytes(data[position : position + width])
            position += width
        else:
            raise ValueError("not a packet")
        if position + size > len(data):
            raise ValueError("truncated packet")
        packets.append((tag, data[position : position + size]))
        position += size
    return packets


def format_day(seconds: float) -> str:
    """Return a time as the server formats times of trusted keys. The format is not known."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _read_new_size(data: bytes, position: int) -> tuple[int, int]:
    """Return size and start of the body of a packet in the new format."""
    first = data[position] if position < len(data) else 0
    if first < 192:
        return first, position + 1
    if first < 224:
        return ((first - 192) << 8) + int.from_bytes(data[position + 1 : position + 2]) + 192, position + 2
    if first == 255:
        return int.from_bytes(data[position + 1 : position + 5]), position + 5
    raise ValueError("partial packet")


def _is_secret_key_encrypted(data: bytes) -> bool:
    """Return whether the first secret key is encrypted. Only RSA keys are inspected."""
    secret = next((body for tag, body in list_packets(data) if tag == SECRET_KEY), b"")
    if len(secret) <= KEY_HEADER_SIZE:
        raise ValueError("no secret key packet")
    position = KEY_HEADER_SIZE
    if secret[KEY_HEADER_SIZE - 1] not in (1, 2, 3):
        return False
    for _number in range(2):  # modulus and exponent
        position += 2 + (int.from_bytes(secret[position : position + 2]) + 7) // 8
    return position < len(secret) and secret[position] != UNENCRYPTED


def _check_sequence(data: bytes, is_encrypted: bool) -> None:
    """Fail unless the data is one DER sequence. Keys in the encrypted format of PEM are no sequence."""
    if is_encrypted and data[:1] != b"\x30":
        return
    if data[:1] != b"\x30" or len(data) < 2:
        raise ValueError("no sequence")
    size, start = data[1], 2
    if size > 0x7F:
        start = 2 + size - 0x80
        size = int.from_bytes(data[2:start])
    if start + size != len(data):
        raise ValueError("truncated sequence")
