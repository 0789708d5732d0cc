# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""JFrog's Java client library for Artifactory, and a program that uploads and downloads with it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from build_folder import BUILD, fill_once
from support.clients.maven import Maven
from support.servers.process import UnavailableError

SOURCES = Path(__file__).with_name("jfrog")
COPY_DEPENDENCIES = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"


def jfrog_client() -> list[str]:
    """Return the command of jfrog/Client.java, compiled once."""
    maven = Maven.fetch()

    def build(folder: Path) -> None:
        options = ["--file", str(SOURCES / "pom.xml"), f"-DoutputDirectory={folder}"]
        try:
            maven.run(folder / "maven", *options, COPY_DEPENDENCIES)
        except RuntimeError as reason:
            raise UnavailableError(f"JFrog's client cannot be fetched: {reason}") from reason
        shutil.rmtree(folder / "maven")
        compiler = ["javac", "-d", str(folder), "-cp", f"{folder}/*", str(SOURCES / "Client.java")]
        subprocess.run(compiler, check=True)

    key = "".join((SOURCES / name).read_text() for name in ("pom.xml", "Client.java"))
    folder = fill_once(BUILD / "jfrog-client", key, build)
    return ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{folder}:{folder}/*", "Client"]
