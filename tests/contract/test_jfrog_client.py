# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JFrog's command-line client works with the Artifactory sandbox."""

from __future__ import annotations

import subprocess
from pathlib import Path

from sandbox.client import Sandbox
from support.clients.jfrog import jfrog_client
from support.servers.process import fetch_or_skip
from support.session import Session


def test_jfrog_client_uploads_a_file_and_downloads_it(sandbox: Sandbox, artifactory: Session, tmp_path: Path) -> None:
    program = fetch_or_skip(jfrog_client)
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_text("a release")
    token = sandbox.environment["JFROG_ACCESS_TOKEN"]
    command = [*program, f"{sandbox.url}/artifactory", token, "generic-local", "app/3.0/app.txt", source, target]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert target.read_text() == "a release"
    assert artifactory.get("/generic-local/app/3.0/app.txt").text == "a release"
