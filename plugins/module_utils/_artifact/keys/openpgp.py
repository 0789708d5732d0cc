# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Packets of OpenPGP keys (RFC 9580)."""

from __future__ import annotations

import hashlib
import typing as t

SECRET_KEY, PUBLIC_KEY = 5, 6
# Packets that do not belong to a key: markers, local trust and padding
_IGNORED = (10, 12, 21)
_LAST_OLD_TAG = 15
# Size of the longest lengths in one, two and four bytes
_ONE_BYTE, _TWO_BYTES = 0xFF, 0xFFFF
_UNENCRYPTED = 0
# A private key that is stored elsewhere, for example on a smart card
_GNU_STUB = b"GNU"
_HASHES: dict[int, tuple[str, bytes, int]] = {
    4: ("sha1", b"\x99", 2),
    5: ("sha256", b"\x9a", 4),
    6: ("sha256", b"\x9b", 4),
}


class Packet(t.NamedTuple):
    """A packet of a key."""

    tag: int
    body: bytes


def parse_packets(data: bytes) -> list[Packet]:
    """Return the packets of a key.

    :raises ValueError: if they are malformed
    """
    packets, position = [], 0
    while position < len(data):
        tag, start, end = _read_header(data, position)
        if end > len(data):
            raise ValueError("a truncated packet")
        if tag not in _IGNORED:
            packets.append(Packet(tag, data[start:end]))
        position = end
    return packets


def serialize(packets: t.Iterable[Packet]) -> bytes:
    """Return packets with the shortest headers, so that equal packets have equal bytes."""
    return b"".join(_header(packet) + packet.body for packet in packets)


def find_body(packets: t.Iterable[Packet], tag: int) -> bytes:
    """Return the body of the first packet with a tag.

    :raises ValueError: if there is none
    """
    for packet in packets:
        if packet.tag == tag and packet.body:
            return packet.body
    raise ValueError("no key packet")


def compute_fingerprint(body: bytes) -> str:
    """Return the fingerprint of a public key in upper case.

    :arg body: the body of the packet with the public key
    :raises ValueError: if the version of the key is unknown
    """
    if body[0] not in _HASHES:
        raise ValueError("an unknown version")
    algorithm, prefix, width = _HASHES[body[0]]
    digest = hashlib.new(algorithm, usedforsecurity=False)
    digest.update(prefix + len(body).to_bytes(width, "big") + body)
    return digest.hexdigest().upper()


def is_encrypted(secret_body: bytes, public_body: bytes) -> bool:
    """Return whether a passphrase protects a private key that belongs to a public key."""
    protection = secret_body[len(public_body) :]
    return bool(protection) and protection[0] != _UNENCRYPTED and _GNU_STUB not in protection[:16]


def _read_header(data: bytes, position: int) -> tuple[int, int, int]:
    """Return the tag of a packet, and the start and the end of its body."""
    header, position = data[position], position + 1
    if header & 0xC0 == 0xC0:
        return (header & 0x3F, *_read_new_length(data, position))
    width = 1 << (header & 0x03)
    if not header & 0x80 or width == 8:  # no packet, or one without a length
        raise ValueError("no packet header")
    start = position + width
    return (header & 0x3C) >> 2, start, start + int.from_bytes(data[position:start], "big")


def _read_new_length(data: bytes, position: int) -> tuple[int, int]:
    """Return start and end of the body of a packet in the newer format."""
    first = data[position] if position < len(data) else 0
    if first < 192:
        return position + 1, position + 1 + first
    if first < 224:
        low = int.from_bytes(data[position + 1 : position + 2], "big")
        return position + 2, position + 2 + ((first - 192) << 8) + low + 192
    if first < 255:
        raise ValueError("a partial packet")
    return position + 5, position + 5 + int.from_bytes(data[position + 1 : position + 5], "big")


def _header(packet: Packet) -> bytes:
    size = len(packet.body)
    if packet.tag > _LAST_OLD_TAG:
        return bytes((0xC0 | packet.tag, 0xFF)) + size.to_bytes(4, "big")
    kind = 0 if size <= _ONE_BYTE else 1 if size <= _TWO_BYTES else 2
    return bytes((0x80 | packet.tag << 2 | kind,)) + size.to_bytes(1 << kind, "big")
