# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Requests for the licenses of a server, in one form for single nodes and clusters."""

from __future__ import annotations

import datetime
import hashlib
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_EXISTS, _PRO_ONLY = "already exist", "available only in"
_OK = "ok"
_OPEN_SOURCE = "OSS"
_NO_LICENSE = ("", "N/A", _OPEN_SOURCE)
_UNUSED = ("", "N/A", "Not in use")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(r"([A-Za-z]{3})[a-z]*\.? (\d{1,2}), (\d{4})")
_ISO_DATE = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d).*", re.DOTALL)
# Clusters append characters to the SHA-1 checksum of a key
HASH_LENGTH = 40


class Licenses(t.NamedTuple):
    """The licenses of a server.

    :ivar entries: the licenses in the form of the result
    :ivar is_cluster: whether the server can have several licenses, each with a hash
    :ivar is_open_source: whether the server reports that it is the open-source edition
    """

    entries: list[Fields]
    is_cluster: bool
    is_open_source: bool = False

    @property
    def has_valid(self) -> bool:
        """Return whether a license is valid, as far as the server reports it."""
        return any(not entry["expired"] for entry in self.entries)

    def find(self, license_hash: str) -> Fields | None:
        """Return the license with a hash, which may lack the characters that the server appends."""
        prefix = license_hash.lower()
        found = (entry for entry in self.entries if is_same_hash(entry["hash"], prefix))
        return next(found, None)


def is_same_hash(stored: str | None, license_hash: str) -> bool:
    """Return whether two hashes are of the same license."""
    return bool(stored) and str(stored)[:HASH_LENGTH].lower() == license_hash[:HASH_LENGTH].lower()


def hash_key(key: str) -> str:
    """Return the beginning of the hash that a cluster returns for a license key."""
    return hashlib.new("sha1", key.encode(), usedforsecurity=False).hexdigest()


def split_keys(text: str) -> list[str]:
    """Return the license keys in a text, in which empty lines separate keys, without blanks and line breaks."""
    return [key for part in re.split(r"\n\s*\n", text) if (key := "".join(part.split()))]


def read(artifact: ArtifactService) -> Licenses:
    """Return the licenses. A single node returns an object, a cluster a list."""
    with editions.explain_refusal(artifact, features.LICENSE_LIST):
        response = artifact.http.read("GET", editions.LICENSES_ADDRESS)
    today = datetime.datetime.fromtimestamp(artifact.http.now(), datetime.timezone.utc).date()
    body = response.json_or_none()
    if isinstance(body, dict) and "licenses" not in body:
        record = response.record()
        license_type = record.text("type")
        entries = [] if license_type in _NO_LICENSE else [_to_result(record, today)]
        return Licenses(entries, False, is_open_source=license_type == _OPEN_SOURCE)
    records = response.record().records("licenses") if isinstance(body, dict) else response.records()
    return Licenses([_to_result(record, today) for record in records], True)


def install(artifact: ArtifactService, keys: list[str], is_cluster: bool) -> list[str]:
    """Install license keys. Return those that were not installed before.

    A server can refuse several keys because of one that is installed, so they are sent again one by one.

    :raises ToolchainError: if the server does not accept a key
    """
    body = [{"licenseKey": key} for key in keys]
    response = artifact.http.write(
        "POST", editions.LICENSES_ADDRESS, json=body if is_cluster else body[0], accept=(200, 201, 400)
    )
    if response.status == 400:
        if _EXISTS in response.text.lower():
            return [key for key in keys if len(keys) > 1 and install(artifact, [key], is_cluster)]
        if _PRO_ONLY in response.text.lower():
            editions.check(artifact, features.LICENSES)
        raise ToolchainError(f"The server did not accept the license: {_describe(response)} Check 'license_keys'.")
    outcomes = response.record().get("messages")
    texts = {key: str(outcome) for key, outcome in outcomes.items()} if isinstance(outcomes, dict) else {}
    existing = {key for key, text in texts.items() if _EXISTS in text.lower()}
    for index, key in enumerate(keys):
        if key not in existing and (text := texts.get(key, _OK)).lower() != _OK:
            raise ToolchainError(f"The server did not accept 'license_keys[{index}]': {text}")
    return [key for key in keys if key not in existing]


def delete(artifact: ArtifactService, hashes: list[str]) -> None:
    """Delete the licenses of a cluster with these complete hashes.

    :raises UnexpectedResponse: if a page responds
    """
    query = {"licenseHash": ",".join(hashes)}
    response = artifact.http.write("DELETE", editions.LICENSES_ADDRESS, query=query, accept=(200, 204))
    if response.text.lstrip().startswith("<"):
        raise response.wrong_format_error("JSON")


def is_used(entry: Fields) -> bool:
    """Return whether a node uses a license."""
    return entry["node"] is not None


def predict(key: str) -> Fields:
    """Return the license that a cluster will have for a key. Its content is not known."""
    return {
        **dict.fromkeys(("type", "edition", "valid_through", "days_left", "licensed_to")),
        "expired": False,
        "hash": hash_key(key),
        "node": None,
        "node_url": None,
    }


def _describe(response: Response) -> str:
    message = (response.server_message or "no reason given").rstrip(". ")
    return f"{message}."


def _to_result(record: Record, today: datetime.date) -> Fields:
    license_type = record.maybe_text("type") or ""
    edition = editions.find_edition(license_type)
    last_day = _parse_date(record.maybe_text("validThrough") or "")
    days_left = None if last_day is None else (last_day - today).days
    reported = record.maybe_flag("expired")
    node, node_url = (record.maybe_text(name) or "" for name in ("nodeId", "nodeUrl"))
    return {
        "type": license_type,
        "edition": None if edition is None else edition.name.lower(),
        "valid_through": None if last_day is None else last_day.isoformat(),
        "days_left": days_left,
        "expired": days_left is not None and days_left < 0 if reported is None else reported,
        "licensed_to": record.maybe_text("licensedTo") or "",
        "hash": record.maybe_text("licenseHash") or None,
        "node": None if node in _UNUSED else node,
        "node_url": None if node_url in _UNUSED else node_url,
    }


def _parse_date(text: str) -> datetime.date | None:
    """Return a date such as `Dec 7, 2027`, or `None` if the license has none, or in an unknown form."""
    try:
        if match := _ISO_DATE.fullmatch(text):
            return datetime.date(*map(int, match.groups()))
        if match := _DATE.fullmatch(text.strip()):
            return datetime.date(int(match[3]), _MONTHS.index(match[1].lower()) + 1, int(match[2]))
    except ValueError:
        pass
    return None
