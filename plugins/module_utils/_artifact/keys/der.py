# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The encoding DER of keys and certificates (X.690), as far as public keys and times need it."""

from __future__ import annotations

import datetime
import hashlib
import typing as t

SEQUENCE, INTEGER, BIT_STRING, OCTET_STRING, OBJECT_IDENTIFIER = 0x30, 0x02, 0x03, 0x04, 0x06
_UTC_TIME, _CERTIFICATE_VERSION, _EC_PUBLIC_KEY = 0x17, 0xA0, 0xA1
_RSA = bytes.fromhex("2a864886f70d010101")
_EC = bytes.fromhex("2a8648ce3d0201")
_COMMON_NAME = bytes.fromhex("550403")
_NULL = b"\x05\x00"
_LONGEST_SHORT_LENGTH = 0x7F


class Element(t.NamedTuple):
    """An element: its tag and content, and its whole encoding."""

    tag: int
    content: bytes
    encoding: bytes


class PublicKeyInfo(t.NamedTuple):
    """A public key.

    :ivar algorithm: `rsa`, `ec` or `other`
    :ivar material: the bytes in which the key differs from others of its algorithm
    :ivar encoding: the key as a `SubjectPublicKeyInfo` (RFC 5280)
    """

    algorithm: str
    material: bytes
    encoding: bytes


class Certificate(t.NamedTuple):
    """The fields of a certificate that Artifactory returns, and its public key. Times are in ISO 8601 format in UTC."""

    issued_to: str
    issued_by: str
    issued_on: str
    valid_until: str
    fingerprint: str
    public_key: PublicKeyInfo


def parse_public_key(data: bytes) -> PublicKeyInfo:
    """Return a public key in the format of `PUBLIC KEY` blocks.

    :raises ValueError: if it is malformed
    """
    info = read_one(data, SEQUENCE)
    algorithm, key = _read_elements(info.content, SEQUENCE, BIT_STRING)
    identifier = _read_elements(algorithm.content, OBJECT_IDENTIFIER)[0].content
    material = key.content[1:]
    if identifier == _RSA:
        _read_rsa_numbers(material)
    return PublicKeyInfo({_RSA: "rsa", _EC: "ec"}.get(identifier, "other"), material, info.encoding)


def parse_rsa_public_key(data: bytes) -> PublicKeyInfo:
    """Return a public key in the format of `RSA PUBLIC KEY` blocks (RFC 8017).

    :raises ValueError: if it is malformed
    """
    _read_rsa_numbers(data)
    algorithm = encode(SEQUENCE, encode(OBJECT_IDENTIFIER, _RSA) + _NULL)
    return PublicKeyInfo("rsa", data, encode(SEQUENCE, algorithm + encode(BIT_STRING, b"\x00" + data)))


def find_public_material(data: bytes) -> tuple[str, bytes | None]:
    """Return the algorithm of an unencrypted private key and the material of its public key, if it is known.

    :arg data: a key in the format of `PRIVATE KEY`, `RSA PRIVATE KEY` or `EC PRIVATE KEY` blocks
    :raises ValueError: if it is malformed
    """
    elements = _read_elements(read_one(data, SEQUENCE).content, INTEGER)
    second = elements[1] if len(elements) > 1 else None
    if second is not None and second.tag == INTEGER:
        if len(elements) < 3 or elements[2].tag != INTEGER:
            raise ValueError("not an RSA key")
        return "rsa", encode(SEQUENCE, second.encoding + elements[2].encoding)
    if second is not None and second.tag == OCTET_STRING:
        return "ec", _find_ec_point(elements)
    if second is None or second.tag != SEQUENCE or len(elements) < 3 or elements[2].tag != OCTET_STRING:
        raise ValueError("not a private key")
    identifier = _read_elements(second.content, OBJECT_IDENTIFIER)[0].content
    if identifier == _RSA:
        return find_public_material(elements[2].content)
    if identifier == _EC:
        return "ec", _find_ec_point(_read_elements(read_one(elements[2].content, SEQUENCE).content, INTEGER))
    return "other", None


def parse_certificate(data: bytes) -> Certificate:
    """Return a certificate (RFC 5280).

    :raises ValueError: if it is malformed
    """
    body = _read_elements(read_one(data, SEQUENCE).content, SEQUENCE)[0]
    elements = _read_elements(body.content)
    if elements and elements[0].tag == _CERTIFICATE_VERSION:
        elements = elements[1:]
    if len(elements) < 6:
        raise ValueError("not a certificate")
    _serial, _algorithm, issuer, validity, subject, key = elements[:6]
    times = [_parse_time(element) for element in _read_elements(validity.content)]
    if len(times) != 2:
        raise ValueError("no validity")
    issued_on, valid_until = times
    return Certificate(
        _find_common_name(subject.content),
        _find_common_name(issuer.content),
        issued_on,
        valid_until,
        colon_hex(hashlib.sha256(data).hexdigest()),
        parse_public_key(key.encoding),
    )


def encode(tag: int, content: bytes) -> bytes:
    """Return the encoding of an element."""
    size = len(content)
    if size <= _LONGEST_SHORT_LENGTH:
        return bytes((tag, size)) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes((tag, 0x80 | len(length))) + length + content


def colon_hex(text: str) -> str:
    """Return a hexadecimal text in lower case with a colon after each byte."""
    digits = text.replace(":", "").replace(" ", "").lower()
    return ":".join(digits[start : start + 2] for start in range(0, len(digits), 2))


def read_one(data: bytes, tag: int) -> Element:
    """Return the only element of an encoding, which must have a tag.

    :raises ValueError: if it has another tag, is truncated, or something follows it
    """
    elements = _read_elements(data, tag)
    if len(elements) != 1:
        raise ValueError("more than one element")
    return elements[0]


def _read_elements(data: bytes, *tags: int) -> list[Element]:
    """Return elements, of which the first ones must have these tags."""
    elements, position = [], 0
    while position < len(data):
        start, position = position, position + 2
        size = data[start + 1] if start + 1 < len(data) else 0
        if size > _LONGEST_SHORT_LENGTH:
            width = size - 0x80
            if not width:
                raise ValueError("an element without a size")
            size, position = int.from_bytes(data[position : position + width], "big"), position + width
        if position + size > len(data):
            raise ValueError("a truncated element")
        elements.append(Element(data[start], data[position : position + size], data[start : position + size]))
        position += size
    if [element.tag for element in elements[: len(tags)]] != list(tags):
        raise ValueError("an unexpected element")
    return elements


def _read_rsa_numbers(data: bytes) -> None:
    _read_elements(read_one(data, SEQUENCE).content, INTEGER, INTEGER)


def _find_ec_point(elements: list[Element]) -> bytes | None:
    for element in elements:
        if element.tag == _EC_PUBLIC_KEY:
            return read_one(element.content, BIT_STRING).content[1:]
    return None


def _find_common_name(name: bytes) -> str:
    for attributes in _read_elements(name):
        for attribute in _read_elements(attributes.content):
            identifier, value = _read_elements(attribute.content, OBJECT_IDENTIFIER)[:2]
            if identifier.content == _COMMON_NAME:
                return value.content.decode("utf-8", "replace")
    return ""


def _parse_time(element: Element) -> str:
    text = element.content.decode("ascii", "replace")
    if element.tag == _UTC_TIME:
        text = f"{'20' if text < '50' else '19'}{text}"
    time = datetime.datetime.strptime(text, "%Y%m%d%H%M%SZ")
    return f"{time.isoformat(timespec='milliseconds')}Z"
