# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Storage of licenses.

Until the first change, the server has one license of its edition, unless the switch `licensed` is off. A license key is
the base64 form of a JSON object, which can contain `type`, `validThrough` and `licensedTo`. The type of a license does
not change the edition, which is always that of the switch.
"""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
from typing import Any

from ..state import State

SCHEMA = """
CREATE TABLE artifact_licenses (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    license TEXT NOT NULL,
    installed REAL NOT NULL
);
"""
# Types of licenses by edition
TYPES = {"oss": "OSS", "pro": "Commercial", "enterprise": "Enterprise"}
LIFETIME = datetime.timedelta(days=365)
OWNER = "Sandbox"
INITIAL_HASH = "0" * 40
# What follows the SHA-1 checksum of the key in the hash of a license
HASH_SUFFIX = "3"
_DATE_FORMAT = "%b %d, %Y"
_IS_MANAGED = "licenses_are_managed"


class InvalidKey(ValueError):
    """A license key that the server cannot read."""


def list_licenses(state: State) -> list[dict[str, Any]]:
    """Return the licenses with `type`, `validThrough`, `licensedTo`, `licenseHash` and `expired`."""
    if _is_managed(state):
        rows = state.runtime.db.execute("SELECT hash, license FROM artifact_licenses ORDER BY id").fetchall()
        return [_complete(state, json.loads(row["license"]), row["hash"]) for row in rows]
    edition = state.get_switch("edition")
    if edition == "oss" or not state.get_switch("licensed"):
        return []
    return [_complete(state, _default_license(state), INITIAL_HASH)]


def parse_key(state: State, key: str) -> dict[str, Any]:
    """Return the license of a key."""
    try:
        content = json.loads(base64.b64decode(key, validate=True))
        license_ = {**_default_license(state), **content}
        _parse_date(license_["validThrough"])
    except (TypeError, ValueError) as error:
        raise InvalidKey(key) from error
    return {name: license_[name] for name in ("type", "validThrough", "licensedTo")}


def hash_key(key: str) -> str:
    """Return the hash of a license."""
    return hashlib.sha1(key.encode()).hexdigest() + HASH_SUFFIX


def install(state: State, licenses: dict[str, dict[str, Any]], replaces: bool) -> None:
    """Add licenses by their hash, or replace all existing ones."""
    existing = [] if replaces else list_licenses(state)
    _begin_management(state, existing)
    now = state.runtime.clock.now()
    for license_hash, license_ in licenses.items():
        _insert(state, license_hash, license_, now)


def remove(state: State, hashes: list[str]) -> None:
    """Delete licenses."""
    _begin_management(state, [entry for entry in list_licenses(state) if entry["licenseHash"] not in hashes])


def is_licensed(state: State) -> bool:
    """Return whether the server has a valid license that has taken effect."""
    if not _is_managed(state):
        return bool(state.get_switch("licensed"))
    valid = {entry["licenseHash"] for entry in list_licenses(state) if not entry["expired"]}
    latest = state.runtime.clock.now() - state.get_switch("license_seconds")
    rows = state.runtime.db.execute("SELECT hash FROM artifact_licenses WHERE installed <= ?", (latest,))
    return any(row["hash"] in valid for row in rows)


def _begin_management(state: State, licenses: list[dict[str, Any]]) -> None:
    """Store exactly these licenses, with the times at which they were installed."""
    rows = state.runtime.db.execute("SELECT hash, installed FROM artifact_licenses").fetchall()
    installed = {row["hash"]: row["installed"] for row in rows}
    state.runtime.db.execute("DELETE FROM artifact_licenses")
    state.runtime.db.execute("INSERT OR REPLACE INTO artifact_settings VALUES (?, '1')", (_IS_MANAGED,))
    for entry in licenses:
        license_ = {name: entry[name] for name in ("type", "validThrough", "licensedTo")}
        _insert(state, entry["licenseHash"], license_, installed.get(entry["licenseHash"], 0.0))


def _insert(state: State, license_hash: str, license_: dict[str, Any], installed: float) -> None:
    state.runtime.db.execute(
        "INSERT INTO artifact_licenses (hash, license, installed) VALUES (?, ?, ?)",
        (license_hash, json.dumps(license_), installed),
    )


def _is_managed(state: State) -> bool:
    found = state.runtime.db.execute("SELECT 1 FROM artifact_settings WHERE name = ?", (_IS_MANAGED,)).fetchone()
    return found is not None


def _default_license(state: State) -> dict[str, Any]:
    date = (_now(state) + LIFETIME).date()
    valid_through = f"{date:%b} {date.day}, {date.year}"
    return {"type": TYPES[state.get_switch("edition")], "validThrough": valid_through, "licensedTo": OWNER}


def _complete(state: State, license_: dict[str, Any], license_hash: str) -> dict[str, Any]:
    expired = _now(state).date() > _parse_date(license_["validThrough"])
    return {**license_, "licenseHash": license_hash, "expired": expired}


def _parse_date(text: str) -> datetime.date:
    return datetime.datetime.strptime(text, _DATE_FORMAT).replace(tzinfo=datetime.UTC).date()


def _now(state: State) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(state.runtime.clock.now(), datetime.UTC)
