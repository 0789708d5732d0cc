# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys and certificates as texts: damaged ones, and all forms that parsers distinguish."""

from __future__ import annotations

import base64
import datetime
import random
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.keys import (
    armor,
    der,
    key_texts,
    managed_certificate,
    openpgp,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from support.certificates import Authority
from support.keys import gpg_pair, rsa_pair, rsa_pair_in_old_format

DAMAGES = 300


def damage(text: str, chance: random.Random) -> str:
    """Return a text whose decoded content is truncated, changed or extended."""
    lines = text.strip().splitlines()
    content = bytearray(base64.b64decode("".join(line for line in lines[1:-1] if line and not line.startswith("="))))
    kind = chance.randrange(3)
    if kind == 0:
        del content[chance.randrange(len(content)) :]
    elif kind == 1:
        content[chance.randrange(min(len(content), 40))] ^= chance.randrange(1, 256)
    else:
        content += chance.randbytes(chance.randrange(1, 9))
    encoded = textwrap.wrap(base64.b64encode(bytes(content)).decode(), 64)
    return "\n".join([lines[0], *encoded, lines[-1]])


@pytest.mark.parametrize(
    ("text", "parse"),
    [
        (gpg_pair().public, key_texts.parse_public_key),
        (gpg_pair().private, key_texts.parse_private_key),
        (gpg_pair(passphrase="x").private, key_texts.parse_private_key),
        (rsa_pair().public, key_texts.parse_public_key),
        (rsa_pair().private, key_texts.parse_private_key),
        (rsa_pair_in_old_format().public, key_texts.parse_public_key),
        (rsa_pair_in_old_format().private, key_texts.parse_private_key),
    ],
)
def test_damaged_key_is_refused_or_differs(text: str, parse: Callable[[str], object]) -> None:
    chance = random.Random(7)
    intact = parse(text)
    for _number in range(DAMAGES):
        damaged = damage(text, chance)
        try:
            parsed = parse(damaged)
        except ValueError:
            continue
        assert parsed != intact or "PRIVATE" in text or damaged.split() == text.split()


def test_damaged_certificate_is_refused_or_parsed(tmp_path: Path) -> None:
    chance = random.Random(7)
    text = Authority(tmp_path, "CA").sign("mirror")[0].read_text()
    for _number in range(DAMAGES):
        params = {"state": "present", "certificate": damage(text, chance), "private_key": None}
        try:
            assert managed_certificate.parse_options(params)
        except BadOption as error:
            assert error.option == "certificate"


@pytest.mark.parametrize("years", [1, 40])  # from 2050 on, the encoding of times is another one
def test_times_of_a_certificate_are_parsed(tmp_path: Path, years: int) -> None:
    until = datetime.timedelta(days=365 * years)
    certificate = Authority(tmp_path, "CA").sign("mirror", until=until)[0].read_text()
    (block,) = armor.parse_blocks(certificate)
    end = datetime.datetime.now(datetime.UTC) + until
    assert der.parse_certificate(block.data).valid_until[:10] in (f"{end:%Y-%m-%d}", f"{end:%Y-%m-}{end.day - 1:02}")


@pytest.mark.parametrize("form", [PrivateFormat.PKCS8, PrivateFormat.TraditionalOpenSSL])
def test_elliptic_curve_keys_are_compared(form: PrivateFormat) -> None:
    key, other = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    private = key_texts.parse_private_key(key.private_bytes(Encoding.PEM, form, NoEncryption()).decode())
    publics = [
        key_texts.parse_public_key(
            pair.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
        )
        for pair in (key, other)
    ]
    assert [key_texts.belong_together(private, public.material) for public in publics] == [True, False]
    assert (private.kind, publics[0].kind) == ("ec", "ec")


def test_keys_of_other_algorithms_are_not_compared() -> None:
    key = ed25519.Ed25519PrivateKey.generate()
    text = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
    private = key_texts.parse_private_key(text)
    assert (private.kind, key_texts.belong_together(private, b"any")) == ("other", True)


@pytest.mark.parametrize("size", [1, 100, 191, 192, 8383, 8384, 70_000])
def test_packets_of_both_formats_are_equal(size: int) -> None:
    body = b"\x04" + bytes(size - 1)
    old = bytes([0x80 | openpgp.PUBLIC_KEY << 2 | 2]) + size.to_bytes(4) + body
    if size < 192:
        length = bytes([size])
    elif size < 8384:
        length = bytes([(size - 192 >> 8) + 192, size - 192 & 0xFF])
    else:
        length = b"\xff" + size.to_bytes(4)
    new = bytes([0xC0 | openpgp.PUBLIC_KEY]) + length + body
    packets = openpgp.parse_packets(new)
    assert packets == openpgp.parse_packets(old) == [(openpgp.PUBLIC_KEY, body)]
    assert openpgp.parse_packets(openpgp.serialize(packets)) == packets


def test_text_around_a_key_is_ignored() -> None:
    text = f"My key:\n{gpg_pair().public}\n-- \nme"
    assert key_texts.normalize(text) == gpg_pair().public


def test_several_keys_in_a_text_are_refused() -> None:
    with pytest.raises(ValueError, match="one public key"):
        key_texts.parse_public_key(rsa_pair().public + gpg_pair().public)


def test_text_that_is_no_key_is_kept() -> None:
    assert key_texts.normalize("  some\n  text  ") == "some\ntext\n"
    assert key_texts.normalize("") == ""
    assert key_texts.compute_fingerprint("x") is None
