# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Key pairs for tests: RSA keys in PEM format, and OpenPGP keys with the packets that GnuPG writes."""

from __future__ import annotations

import base64
import functools
import hashlib
import textwrap
from typing import NamedTuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PrivateFormat, PublicFormat

_CREATED = 1_790_000_000
_RSA = 1
_SECRET_KEY, _PUBLIC_KEY, _USER_ID = 5, 6, 13


class Pair(NamedTuple):
    """A private and a public key, and the fingerprint that the modules return."""

    private: str
    public: str
    fingerprint: str


@functools.cache
def rsa_pair(number: int = 0, passphrase: str = "") -> Pair:
    """Return an RSA key pair. Pairs with different numbers differ."""
    key = _rsa_key(number)
    encryption = serialization.BestAvailableEncryption(passphrase.encode()) if passphrase else None
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption or serialization.NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    der = key.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return Pair(private.decode(), public.decode(), hashlib.sha256(der).digest().hex(":"))


def rsa_pair_in_old_format(number: int = 0) -> Pair:
    """Return the same key pair in the formats of PKCS #1."""
    key = _rsa_key(number)
    private = key.private_bytes(Encoding.PEM, PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.PKCS1)
    return Pair(private.decode(), public.decode(), rsa_pair(number).fingerprint)


@functools.cache
def gpg_pair(number: int = 0, user: str = "Packages <packages@example.com>", passphrase: str = "") -> Pair:
    """Return an OpenPGP key pair without signatures. With a passphrase, the private numbers are replaced by zeros."""
    numbers = _rsa_key(number).private_numbers()
    public = numbers.public_numbers
    header = bytes([4]) + _CREATED.to_bytes(4) + bytes([_RSA])
    body = header + _mpi(public.n) + _mpi(public.e)
    inverse = pow(numbers.p, -1, numbers.q)
    secret = b"".join(map(_mpi, (numbers.d, numbers.p, numbers.q, inverse)))
    plain = b"\x00" + secret + (sum(secret) % 65536).to_bytes(2)
    encrypted = bytes([254, 9, 3, 8]) + bytes(8 + 1 + 16) + bytes(len(secret) + 20)
    names = _packet(_USER_ID, user.encode())
    private_packets = _packet(_SECRET_KEY, body + (encrypted if passphrase else plain)) + names
    public_packets = _packet(_PUBLIC_KEY, body) + names
    fingerprint = hashlib.sha1(b"\x99" + len(body).to_bytes(2) + body).hexdigest().upper()
    return Pair(armor("PRIVATE", private_packets), armor("PUBLIC", public_packets), fingerprint)


def armor(kind: str, packets: bytes, width: int = 64, comment: str = "") -> str:
    """Return the ASCII armor of packets."""
    lines = textwrap.wrap(base64.b64encode(packets).decode(), width)
    checksum = base64.b64encode(_crc24(packets).to_bytes(3)).decode()
    headers = [f"Comment: {comment}"] if comment else []
    label = f"PGP {kind} KEY BLOCK"
    return "\n".join([f"-----BEGIN {label}-----", *headers, "", *lines, f"={checksum}", f"-----END {label}-----", ""])


def rewrap(text: str) -> str:
    """Return an ASCII armor or a PEM block with other line lengths, with a comment if it is an armor."""
    lines = text.strip().splitlines()
    data = "".join(line for line in lines[1:-1] if line and not line.startswith("=") and ":" not in line)
    comment = ["Version: BCPG v1.71", ""] if "PGP" in lines[0] else []
    return "\r\n".join([lines[0], *comment, *textwrap.wrap(data, 76), lines[-1], ""])


@functools.cache
def _rsa_key(_number: int) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=1024)


def _packet(tag: int, body: bytes) -> bytes:
    size = len(body)
    width = 1 if size < 256 else 2
    return bytes([0x80 | tag << 2 | width - 1]) + size.to_bytes(width) + body


def _mpi(number: int) -> bytes:
    return number.bit_length().to_bytes(2) + number.to_bytes((number.bit_length() + 7) // 8)


def _crc24(data: bytes) -> int:
    value = 0xB704CE
    for byte in data:
        value ^= byte << 16
        for _bit in range(8):
            value = value << 1 ^ (0x1864CFB if value & 0x800000 else 0)
    return value & 0xFFFFFF
