# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The folder that keeps the sandbox's state."""

from __future__ import annotations

import contextlib
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from sandbox import client

EXTENSIONS = Path(client.__file__).parent.parent


def test_a_reset_forgets_contents(tmp_path):
    with client.start(state=tmp_path) as sandbox:
        bearer = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}
        before = contents(tmp_path)
        for content in (b"one", b"two"):
            requests.put(f"{sandbox.url}/artifactory/generic-local/x", content, headers=bearer).raise_for_status()
        assert contents(tmp_path) > before
        sandbox.reset()
        assert contents(tmp_path) == before
        read = requests.get(f"{sandbox.url}/artifactory/generic-local/app/README.txt", headers=bearer)
        assert read.text == "Releases of app"


def contents(folder: Path) -> set[Path]:
    return {path for path in (folder / "files").rglob("*") if path.is_file()}


def test_a_state_folder_is_found_again(tmp_path):
    with client.start(state=tmp_path) as sandbox:
        token = sandbox.environment["JFROG_ACCESS_TOKEN"]
        bearer = {"Authorization": f"Bearer {token}"}
        requests.put(f"{sandbox.url}/artifactory/generic-local/kept.txt", b"kept", headers=bearer).raise_for_status()
        requests.delete(f"{sandbox.url}/artifactory/generic-local/app", headers=bearer).raise_for_status()
        sandbox.switch("artifact", anonymous=True)
        sandbox.clock(advance=1000)
    with client.start(state=tmp_path) as sandbox:
        assert sandbox.environment["JFROG_ACCESS_TOKEN"] == token
        assert requests.get(f"{sandbox.url}/artifactory/generic-local/kept.txt").content == b"kept"
        gone = requests.get(f"{sandbox.url}/artifactory/api/storage/generic-local/app", headers=bearer)
        assert gone.status_code == 404
        assert sandbox.clock()["offset"] == pytest.approx(1000, abs=1)


def test_the_folder_of_another_version_is_refused(tmp_path):
    with client.start(state=tmp_path):
        pass
    with contextlib.closing(sqlite3.connect(tmp_path / "sandbox.sqlite3")) as database:
        database.execute("PRAGMA user_version = 1")
    command = [sys.executable, "-m", "sandbox", "--state", str(tmp_path)]
    refused = subprocess.run(command, cwd=EXTENSIONS, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert re.fullmatch(r"The sandbox cannot start: .*another version of it; give it another folder\n", refused.stderr)
