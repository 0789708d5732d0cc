# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Apache Maven, which knows nothing of the sandbox, works with its Artifactory."""

from __future__ import annotations

from pathlib import Path

import pytest

from sandbox.client import Sandbox
from support.clients.maven import DEPLOY, GET, Maven
from support.servers.process import fetched_or_skip
from support.session import Session

SETTINGS = """\
<settings>
  <servers><server><id>sandbox</id><username>admin</username><password>sandbox-admin</password></server></servers>
  <mirrors><mirror><id>sandbox</id><mirrorOf>*</mirrorOf><url>{url}/libs-release</url></mirror></mirrors>
</settings>
"""
COORDINATES = ["-DgroupId=org.acme", "-DartifactId=library", "-Dversion=2.0", "-Dpackaging=jar"]
JAR = "org/acme/library/2.0/library-2.0.jar"


@pytest.fixture(scope="module")
def maven() -> Maven:
    return fetched_or_skip(Maven.fetched)


@pytest.fixture
def settings(sandbox: Sandbox, tmp_path: Path) -> list[str]:
    """Maven's options for settings in which the sandbox is the only repository."""
    file = tmp_path / "settings.xml"
    file.write_text(SETTINGS.format(url=f"{sandbox.url}/artifactory"))
    return ["--settings", str(file)]


def test_maven_deploys_an_artifact_and_resolves_it(
    maven: Maven, settings: list[str], artifactory: Session, sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "library.jar").write_bytes(b"a library")
    url = f"-Durl={sandbox.url}/artifactory/libs-release-local"
    deployed = [*COORDINATES, f"-Dfile={tmp_path / 'library.jar'}", "-DrepositoryId=sandbox", url]
    maven.run(tmp_path / "of-producer", *settings, DEPLOY, *deployed)
    assert artifactory.get(f"/libs-release-local/{JAR}").content == b"a library"

    maven.run(tmp_path / "of-consumer", *settings, GET, "-Dartifact=org.acme:library:2.0", "-Dtransitive=false")
    assert (tmp_path / "of-consumer" / JAR).read_bytes() == b"a library"
