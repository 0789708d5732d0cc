# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build a reproducible tarball of the collection: equal files result in equal bytes.

`ansible-galaxy collection build` keeps the file order of the file system and modification times. Here files are sorted
by name and have the time SOURCE_DATE_EPOCH, by default 1980 as in Python wheels.

Usage: python tools/tarball.py DIRECTORY
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from export import export

FIRST_OF_1980 = 315532800


def build(destination: Path) -> Path:
    """Build the tarball of the checkout in a directory."""
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "source"
        export(source)
        command = [sys.executable, "-m", "ansible", "galaxy", "collection", "build", "--output-path", scratch]
        subprocess.run([*command, str(source)], check=True, stdout=subprocess.DEVNULL)
        (built,) = Path(scratch).glob("*.tar.gz")
        tarball = destination / built.name
        tarball.parent.mkdir(parents=True, exist_ok=True)
        tarball.write_bytes(normalize(built))
    return tarball


def normalize(tarball: Path) -> bytes:
    """Return the tarball with its files sorted by name and with equal times."""
    with tarfile.open(tarball) as archive:
        members = {info.name: (info, _content(archive, info)) for info in archive}
    listing = json.loads(members["FILES.json"][1])
    listing["files"].sort(key=lambda file: file["name"])
    manifest = json.loads(members["MANIFEST.json"][1])
    content = {"FILES.json": _json(listing)}
    manifest["file_manifest_file"]["chksum_sha256"] = hashlib.sha256(content["FILES.json"]).hexdigest()
    content["MANIFEST.json"] = _json(manifest)

    time = int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_OF_1980))
    names = [file["name"] for file in listing["files"] if file["name"] != "."]
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name in ["MANIFEST.json", "FILES.json", *names]:
            info, data = members[name]
            data = content.get(name, data)
            info.mtime, info.size, info.pax_headers = time, len(data), {}
            archive.addfile(info, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), mtime=time)


def _content(archive: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(info) if info.isfile() else None
    return file.read() if file else b""


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1).encode()


if __name__ == "__main__":
    print(build(Path(sys.argv[1])))
