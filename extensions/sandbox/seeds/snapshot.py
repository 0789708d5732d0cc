# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapshots: what the role `snapshot` has read of real services; each service makes seeds of its own folder."""

from __future__ import annotations

import hashlib
import hmac
import json
import pathlib
from collections.abc import Iterator
from typing import Any

from .schema import SeedError

MANIFEST = "manifest.json"
FORMAT = 1


class SnapshotDirectory:
    """A folder with a manifest, and with a file for each long list, which has a line of JSON for each element."""

    def __init__(self, path: pathlib.Path) -> None:
        self._path = path
        manifest = path / MANIFEST
        self.manifest: dict[str, Any] = self._parse(manifest.read_text(encoding="utf-8"), str(manifest))
        if self.manifest.get("format") != FORMAT:
            raise SeedError(f"{manifest} is not of the format {FORMAT}: make the snapshot anew.")

    def read_records(self, name: str) -> Iterator[dict[str, Any]]:
        """The elements of a long list, one after the other; none when it could not be seen."""
        path = self._path / f"{name}.jsonl"
        if path.exists():
            with path.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    yield self._parse(line, f"{path}, line {number}")

    def derive_secret(self, account: str) -> str:
        """A secret in place of the one of an account: the same in each snapshot of this name."""
        return hmac.digest(self.manifest["name"].encode(), account.encode(), hashlib.sha256).hex()

    @staticmethod
    def _parse(text: str, where: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise SeedError(f"{where} is no JSON: {error}") from error


def find_snapshots(path: pathlib.Path, services: tuple[str, ...]) -> dict[str, SnapshotDirectory]:
    """What a snapshot has of which services; nothing when it is none."""
    return {service: SnapshotDirectory(path / service) for service in services if (path / service / MANIFEST).exists()}
