# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Text forms of keys and certificates: PEM (RFC 7468) and the ASCII armor of OpenPGP (RFC 9580)."""

from __future__ import annotations

import base64
import functools
import re
import typing as t

_BLOCK = re.compile(r"-----BEGIN ([A-Z0-9 ]+?)-----(.*?)-----END \1-----", re.DOTALL)
_LINE_LENGTH = 64
# CRC-24 of the checksum in an ASCII armor
_CRC_START, _CRC_POLYNOMIAL = 0xB704CE, 0x1864CFB


class Block(t.NamedTuple):
    """A block of a PEM file or an ASCII armor.

    :ivar label: what the block contains, such as `PUBLIC KEY`
    :ivar data: the decoded content
    :ivar is_encrypted: whether a header says that the content is encrypted
    """

    label: str
    data: bytes
    is_encrypted: bool


def parse_blocks(text: str) -> list[Block]:
    """Return the blocks of a text. Text outside of them is ignored, as well as indentation and checksums.

    :raises ValueError: if the content of a block is not valid base64
    """
    return [_parse_block(label, content) for label, content in _BLOCK.findall(text)]


def clean(text: str) -> str:
    """Return a text without the indentation and the trailing blanks of its lines, which a playbook may add."""
    return "".join(f"{line.strip()}\n" for line in text.strip().splitlines())


def to_pem(label: str, data: bytes) -> str:
    """Return a block of a PEM file."""
    return f"-----BEGIN {label}-----\n{_encode(data)}-----END {label}-----\n"


def to_armor(label: str, data: bytes) -> str:
    """Return an ASCII armor with a checksum."""
    checksum = base64.b64encode(_crc24(data).to_bytes(3, "big")).decode()
    return f"-----BEGIN {label}-----\n\n{_encode(data)}={checksum}\n-----END {label}-----\n"


def _parse_block(label: str, content: str) -> Block:
    lines = [line for line in map(str.strip, content.splitlines()) if line]
    headers = [line for line in lines if ":" in line]
    encoded = [line for line in lines if ":" not in line]
    if label.startswith("PGP ") and encoded and encoded[-1].startswith("="):
        encoded.pop()
    data = base64.b64decode("".join("".join(encoded).split()), validate=True)
    if not data:
        raise ValueError("an empty block")
    is_encrypted = label.startswith("ENCRYPTED ") or any("ENCRYPTED" in line for line in headers)
    return Block(label, data, is_encrypted)


def _encode(data: bytes) -> str:
    text = base64.b64encode(data).decode()
    return "".join(f"{text[start : start + _LINE_LENGTH]}\n" for start in range(0, len(text), _LINE_LENGTH))


def _crc24(data: bytes) -> int:
    table, value = _build_crc_table(), _CRC_START
    for byte in data:
        value = (value << 8 & 0xFFFFFF) ^ table[value >> 16 ^ byte]
    return value


@functools.cache
def _build_crc_table() -> list[int]:
    """Return the checksum of each single byte."""
    table = []
    for byte in range(256):
        value = byte << 16
        for _bit in range(8):
            value = value << 1 ^ (_CRC_POLYNOMIAL if value & 0x800000 else 0)
        table.append(value)
    return table
