# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Snapshots of live services, written by the role `snapshot`. Each service converts its directory to seeds."""

from __future__ import annotations

import hashlib
import hmac
import json
import pathlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .schema import SeedError

MANIFEST = "manifest.json"
FORMAT = 1
FILE_NAME = re.compile(r"\w[\w.-]*\.jsonl?")


class SnapshotDirectory:
    """The directory of one service: a manifest, and a JSON Lines file for each long list."""

    def __init__(self, path: pathlib.Path) -> None:
        """Read the manifest.

        :raises SeedError: if it is not JSON, or has another format
        """
        self._path = path
        manifest = path / MANIFEST
        self.manifest: dict[str, Any] = self._parse(manifest.read_text(encoding="utf-8"), str(manifest))
        if self.manifest.get("format") != FORMAT:
            raise SeedError(f"{manifest} does not have format {FORMAT}. Create the snapshot again.")

    def read_records(self, name: str) -> Iterator[dict[str, Any]]:
        """Yield the records of a list. If the account could not read the list, there is no file and no record."""
        path = self._path / f"{name}.jsonl"
        if path.exists():
            with path.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, 1):
                    yield self._parse(line, f"{path}, line {number}")

    def derive_secret(self, account: str) -> str:
        """Return a placeholder for the secret of an account. It depends on the name of the snapshot and the account."""
        return hmac.digest(self.manifest["name"].encode(), account.encode(), hashlib.sha256).hex()

    @staticmethod
    def _parse(text: str, source: str) -> Any:
        try:
            return json.loads(text)
        except ValueError as error:
            raise SeedError(f"{source} is not JSON: {error}") from error


def write_snapshot(path: pathlib.Path, files: Mapping[str, str], services: tuple[str, ...]) -> None:
    """Write the files of a snapshot to a directory.

    :arg files: texts by path. Only the last two parts of a path count, such as `ci/manifest.json`
    :raises SeedError: if a file has another name or content
    """
    for name, text in files.items():
        service, _slash, file = "/".join(name.split("/")[-2:]).partition("/")
        if service not in services or not FILE_NAME.fullmatch(file) or not isinstance(text, str):
            raise SeedError(f"The file {name!r} does not belong to a snapshot.")
        (path / service).mkdir(exist_ok=True)
        (path / service / file).write_text(text, encoding="utf-8")


def describe_skipped(path: pathlib.Path) -> list[str]:
    """Return a sentence for each list that a snapshot lacks. The result is empty if the path is not a snapshot."""
    manifests = [SnapshotDirectory(place.parent).manifest for place in sorted(path.glob(f"*/{MANIFEST}"))]
    return [
        f"the snapshot of {manifest.get('host')} lacks {entry['list']}, so the sandbox behaves as if there were none. "
        f"{entry['reason']}"
        for manifest in manifests
        for entry in manifest.get("skipped_lists") or ()
    ]


def find_snapshots(path: pathlib.Path, services: tuple[str, ...]) -> dict[str, SnapshotDirectory]:
    """Return the directories of the services in a snapshot. The result is empty if the path is not a snapshot."""
    return {service: SnapshotDirectory(path / service) for service in services if (path / service / MANIFEST).exists()}
