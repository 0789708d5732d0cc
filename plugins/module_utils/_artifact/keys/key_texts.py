# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Public and private keys as options and responses contain them: types, canonical forms, fingerprints."""

from __future__ import annotations

import hashlib
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import armor, der, openpgp
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_GPG_PUBLIC, _GPG_PRIVATE = "PGP PUBLIC KEY BLOCK", "PGP PRIVATE KEY BLOCK"
_PEM_PUBLIC, _RSA_PUBLIC = "PUBLIC KEY", "RSA PUBLIC KEY"
_PUBLIC = (_GPG_PUBLIC, _PEM_PUBLIC, _RSA_PUBLIC)
_PEM_PRIVATE = ("PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "ENCRYPTED PRIVATE KEY")
# Shorter lines could also be part of other texts
_MIN_SECRET_LENGTH = 16
_PRIVATE = re.compile("-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY")


class PublicKey(t.NamedTuple):
    """A public key.

    :ivar kind: `gpg`, `rsa`, `ec` or `other`
    :ivar text: the key in a canonical form: equal keys have equal texts
    :ivar fingerprint: of an OpenPGP key as GnuPG prints it, of others the SHA-256 checksum of the DER encoding
    :ivar material: the bytes in which the key differs from others of its kind
    """

    kind: str
    text: str
    fingerprint: str
    material: bytes


class PrivateKey(t.NamedTuple):
    """A private key.

    :ivar kind: `gpg`, `rsa`, `ec` or `other`, of an encrypted PEM key `None`
    :ivar material: as in `PublicKey` for comparison, `None` if it is unknown
    """

    kind: str | None
    material: bytes | None
    is_encrypted: bool


def parse_public_key(text: str) -> PublicKey:
    """Return the public key in a text.

    :raises ValueError: if there is none or more than one, it is malformed, or the text contains a private key as well
    """
    if _PRIVATE.search(text):
        raise ValueError("a private key")
    blocks = [block for block in armor.parse_blocks(text) if block.label in _PUBLIC]
    if len(blocks) != 1:
        raise ValueError("not one public key")
    label, data = blocks[0].label, blocks[0].data
    if label == _GPG_PUBLIC:
        packets = openpgp.parse_packets(data)
        body = openpgp.find_body(packets, openpgp.PUBLIC_KEY)
        canonical = armor.to_armor(_GPG_PUBLIC, openpgp.serialize(packets))
        return PublicKey("gpg", canonical, openpgp.compute_fingerprint(body), body)
    key = der.parse_public_key(data) if label == _PEM_PUBLIC else der.parse_rsa_public_key(data)
    digest = der.colon_hex(hashlib.sha256(key.encoding).hexdigest())
    return PublicKey(key.algorithm, armor.to_pem(_PEM_PUBLIC, key.encoding), digest, key.material)


def parse_public_option(option: str, text: str) -> PublicKey:
    """Return the public key in an option.

    :raises BadOption: if it is invalid
    """
    try:
        return parse_public_key(text)
    except ValueError:
        raise BadOption(
            option, "must be a public key in PEM format or an ASCII-armored GPG key, without the private key"
        ) from None


def parse_private_key(text: str) -> PrivateKey:
    """Return the first private key in a text.

    :raises ValueError: if there is none, or it is malformed
    """
    for block in armor.parse_blocks(text):
        if block.label == _GPG_PRIVATE:
            packets = openpgp.parse_packets(block.data)
            return PrivateKey("gpg", openpgp.find_body(packets, openpgp.SECRET_KEY), False)
        if block.label in _PEM_PRIVATE:
            if block.is_encrypted:
                return PrivateKey(None, None, True)
            kind, material = der.find_public_material(block.data)
            return PrivateKey(kind, material, False)
    raise ValueError("no private key")


def belong_together(private: PrivateKey, material: bytes) -> bool:
    """Return whether a private key belongs to the material of a public key of its kind, or may belong to it."""
    if private.material is None:
        return True
    return private.material.startswith(material) if private.kind == "gpg" else private.material == material


def needs_passphrase(private: PrivateKey, public: PublicKey) -> bool:
    """Return whether a passphrase protects the private key of a pair."""
    if private.kind == "gpg" and private.material is not None:
        return openpgp.is_encrypted(private.material, public.material)
    return private.is_encrypted


def register_private_key(task: Task, public_text: str | None) -> None:
    """Mask each line of the option `private_key` in all output, because a server may return it in another form.

    :arg public_text: the public key or the certificate, whose lines are not masked; without it, no key is sent
    """
    if task.params["private_key"] is None or public_text is None:
        return
    public = "".join(public_text.split())
    for line in map(str.strip, task.params["private_key"].splitlines()):
        if len(line) >= _MIN_SECRET_LENGTH and "-" not in line and line not in public:
            task.register_secret(line)


def normalize(text: str) -> str:
    """Return the canonical form of a public key, or the text without indentation if it cannot be parsed."""
    try:
        return parse_public_key(text).text
    except ValueError:
        return armor.clean(text)


def compute_fingerprint(text: str) -> str | None:
    """Return the fingerprint of a public key, or `None` if it cannot be parsed."""
    try:
        return parse_public_key(text).fingerprint
    except ValueError:
        return None
