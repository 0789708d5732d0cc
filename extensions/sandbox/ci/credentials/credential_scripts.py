# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script of the module `ci_credential` that compares secrets by salted hashes."""

from __future__ import annotations

import hmac
from typing import Any

from lxml import etree

from ..call import Call
from ..scripts.known_scripts import Arguments, known_script
from . import stores
from .classes import Loader
from .stores import Store

# Name in the script, path of the member in XML, and how it is stored
_TEXTS = {"username": "username", "file_name": "fileName"}
_SECRETS = {
    "password": "password",
    "secret": "secret",
    "passphrase": "passphrase",
    "private_key": "privateKeySource/privateKey",
    "certificate_chain": "keyStoreSource/certChain",
    "certificate_key": "keyStoreSource/privateKey",
}
_BYTES = {"content": "secretBytes", "keystore": "keyStoreSource/uploadedKeystoreBytes"}


@known_script("hash credentials")
def _hash_credentials(call: Call, args: Arguments) -> dict[str, dict[str, str | None]]:
    """Return the salted hash of each value, by id and name of the value."""
    domain = _find_store(call, args).find(args["domain"] or "_")
    if domain is None:
        return {}
    loader = Loader(call.storage)
    found = {name: domain.find(name) for name in args["ids"]}
    return {
        name: {key: _hash(args["salt"], value) for key, value in _read_values(loader, credential).items()}
        for name, credential in found.items()
        if credential is not None
    }


def _find_store(call: Call, args: Arguments) -> Store:
    if args["folder"]:
        return stores.folder_store(call.storage, args["folder"])
    return stores.user_store(call.storage, args["user"]) if args["user"] else stores.system_store(call.storage)


def _read_values(loader: Loader, credential: etree._Element) -> dict[str, Any]:
    values: dict[str, Any] = {name: credential.findtext(path) for name, path in _TEXTS.items()}
    values.update({name: loader.decrypt(credential, path) for name, path in _SECRETS.items()})
    values.update({name: loader.decrypt_bytes(credential, path) for name, path in _BYTES.items()})
    if values["private_key"]:
        values["private_key"] = values["private_key"].replace("\r\n", "\n").removesuffix("\n") + "\n"
    return values


def _hash(salt: str, value: str | bytes | None) -> str | None:
    if value is None:
        return None
    return hmac.new(salt.encode(), value.encode() if isinstance(value, str) else value, "sha256").hexdigest()
