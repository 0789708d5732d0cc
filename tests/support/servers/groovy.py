# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groovy 2.4.21, which is the one that CI servers of today have in them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from build_folder import BUILD, fill_once
from support.servers.process import UnavailableError

VERSION = "2.4.21"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy"


def groovy_jar() -> Path:
    """Return the jar with all of Groovy, fetched from Maven Central once."""
    for tool in ("java", "mvn"):
        if not shutil.which(tool):
            raise UnavailableError(f"Groovy needs Java and Maven, and there is no {tool} on the path")
    return fill_once(BUILD / "groovy", VERSION, _fetch) / f"groovy-all-{VERSION}.jar"


def _fetch(folder: Path) -> None:
    artifact = f"-Dartifact=org.codehaus.groovy:groovy-all:{VERSION}"
    own_cache = folder / "maven"
    subprocess.run(
        ["mvn", "-q", "-B", "-C", f"-Dmaven.repo.local={own_cache}", COPY, artifact, f"-DoutputDirectory={folder}"],
        check=True,
    )
    shutil.rmtree(own_cache)
