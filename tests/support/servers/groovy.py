# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Groovy 2.4.21, the version that current Jenkins versions contain."""

from __future__ import annotations

import shutil
from pathlib import Path

from build_folder import BUILD, fill_once
from support.clients.maven import COPY, Maven

VERSION = "2.4.21"


def groovy_jar() -> Path:
    """Return the path of the JAR with all of Groovy. Download it from Maven Central once."""
    maven = Maven.fetch()

    def fetch(folder: Path) -> None:
        artifact = f"-Dartifact=org.codehaus.groovy:groovy-all:{VERSION}"
        maven.run(folder / "maven", COPY, artifact, f"-DoutputDirectory={folder}")
        shutil.rmtree(folder / "maven")

    return fill_once(BUILD / "groovy", VERSION, fetch) / f"groovy-all-{VERSION}.jar"
