# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Encryption of secrets in configurations. The result looks like that of Jenkins; the key belongs to the server."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets

from ..storage import Storage

BLOCK = 16
HALF = BLOCK // 2
NOT_BASE64 = re.compile(r"[^A-Za-z0-9+/]")
HEADER = b"\x01\x00\x00\x00\x10"


def encrypt(storage: Storage, text: str) -> str:
    """Return a secret as Jenkins stores it. Each call returns another text."""
    key = _key(storage)
    start = secrets.token_bytes(HALF)
    start += hmac.digest(key, start, hashlib.sha256)[:HALF]
    content = text.encode()
    padding = BLOCK - len(content) % BLOCK
    encrypted = _mask(key, start, content + bytes([padding]) * padding)
    data = HEADER + len(encrypted).to_bytes(4, "big") + start + encrypted
    return f"{{{base64.b64encode(data).decode()}}}"


def decrypt(storage: Storage, text: str) -> str | None:
    """Return the secret in a text that this server has encrypted, or None for other texts."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        data = base64.b64decode(text[1:-1], validate=True)
    except (binascii.Error, ValueError):
        return None
    key, start = _key(storage), data[9 : 9 + BLOCK]
    if not data.startswith(HEADER) or hmac.digest(key, start[:HALF], hashlib.sha256)[:HALF] != start[HALF:]:
        return None
    content = _mask(key, start, data[9 + BLOCK :])
    return content[: -content[-1]].decode()


def reveal(storage: Storage, text: str) -> str:
    """Return the secret in a stored text, or the text itself if it is not encrypted."""
    secret = decrypt(storage, text)
    return text if secret is None else secret


def reencrypt(storage: Storage, text: str) -> str:
    """Return a submitted secret as it is stored: an encrypted one is kept."""
    return text if decrypt(storage, text) is not None else encrypt(storage, text)


def encrypt_bytes(storage: Storage, content: bytes) -> str:
    """Return secret bytes as Jenkins stores them. Each call returns another text."""
    start = secrets.token_bytes(BLOCK)
    content = hmac.digest(_key(storage), start + content, hashlib.sha256)[:HALF] + content
    padding = BLOCK - len(content) % BLOCK
    encrypted = _mask(_key(storage), start, content + bytes([padding]) * padding)
    return f"{{{base64.b64encode(start + encrypted).decode()}}}"


def decrypt_bytes(storage: Storage, text: str) -> bytes | None:
    """Return the secret bytes in a text that this server has encrypted, or None for other texts."""
    data = _decode(text)
    start, encrypted = data[:BLOCK], data[BLOCK:]
    if not encrypted or not text.startswith("{"):
        return None
    content = _mask(_key(storage), start, encrypted)
    tag, content = content[:HALF], content[HALF : -content[-1]]
    return content if tag == hmac.digest(_key(storage), start + content, hashlib.sha256)[:HALF] else None


def reveal_bytes(storage: Storage, text: str) -> bytes:
    """Return secret bytes. If this server has not encrypted the text, it is Base64, with or without braces."""
    content = decrypt_bytes(storage, text)
    return _decode(text) if content is None else content


def reencrypt_bytes(storage: Storage, text: str) -> str:
    """Return submitted secret bytes as they are stored: encrypted ones are kept."""
    return text if decrypt_bytes(storage, text) is not None else encrypt_bytes(storage, _decode(text))


def _decode(text: str) -> bytes:
    """Decode Base64. Other characters are ignored."""
    characters = NOT_BASE64.sub("", text)
    characters = characters[:-1] if len(characters) % 4 == 1 else characters
    return base64.b64decode(characters + "=" * (-len(characters) % 4))


def _key(storage: Storage) -> bytes:
    key: str | None = storage.setting("secret_key")
    if key is None:
        key = secrets.token_hex(32)
        storage.set("secret_key", key)
    return bytes.fromhex(key)


def _mask(key: bytes, start: bytes, content: bytes) -> bytes:
    stream = hashlib.shake_256(key + start).digest(len(content))
    return bytes(byte ^ other for byte, other in zip(content, stream, strict=True))
