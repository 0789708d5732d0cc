# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the modules for keys and certificates of Artifactory."""

from __future__ import annotations

import datetime
from typing import Any

from support.cases.form import FILES, Case, Query, Resource, Write
from support.certificates import Authority
from support.keys import Pair, gpg_pair, rewrap

_CERTIFICATE = {"alias": "mirror of ours é"}
_AUTHORITY = Authority(FILES, "Authority of ours")
_YEAR = datetime.timedelta(days=365)


def _keypair(pair: Pair, **more: Any) -> dict[str, Any]:
    fields = {"name": "packages of ours", "type": "gpg", "alias": "pâckages.asc"}
    return {**fields, "private_key": pair.private, "public_key": pair.public, **more}


def _certificate(name: str) -> dict[str, Any]:
    certificate, key = (path.read_text() for path in _AUTHORITY.sign(name, until=_YEAR))
    return {**_CERTIFICATE, "certificate": certificate, "private_key": key}


KEYS: dict[str, Case] = {
    "artifact_keypair": Resource(
        create=_keypair(gpg_pair(passphrase="x"), passphrase="passphrase-of-ours"),
        update=_keypair(gpg_pair(1), public_key=rewrap(gpg_pair(1).public), replace=True),
        absent={"name": "packages of ours", "state": "absent"},
        write=Write("create_keypair"),
        look=("artifact_keypair_info", {}),
    ),
    "artifact_keypair_info": Query({}),
    "artifact_certificate": Resource(
        create=_certificate("old.example.com"),
        update=_certificate("new.example.com"),
        absent={**_CERTIFICATE, "state": "absent"},
        write=Write("add_certificate", repeatable=True),
        look=("artifact_certificate_info", {}),
    ),
    "artifact_certificate_info": Query({}),
    "artifact_trusted_key": Resource(
        create={"alias": "edge of ours", "key": gpg_pair(2).public},
        update={"alias": "edge of ours", "key": gpg_pair(3).public, "replace": True},
        absent={"alias": "edge of ours", "state": "absent"},
        write=Write("add_trusted_key"),
        look=("artifact_trusted_key_info", {}),
    ),
    "artifact_trusted_key_info": Query({}),
}
