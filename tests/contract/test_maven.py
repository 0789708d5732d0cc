# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Apache Maven works with the Artifactory sandbox."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from sandbox.client import Sandbox
from support.clients.maven import DEPLOY, GET, Maven
from support.servers.process import fetch_or_skip
from support.session import Session

SETTINGS = """\
<settings>
  <servers><server><id>sandbox</id><username>admin</username><password>sandbox-admin</password></server></servers>
  <mirrors><mirror><id>sandbox</id><mirrorOf>*</mirrorOf><url>{url}/{repository}</url></mirror></mirrors>
  <profiles><profile><id>snapshots</id><repositories><repository><id>central</id><url>{url}</url>
    <snapshots><enabled>true</enabled></snapshots>
  </repository></repositories></profile></profiles>
  <activeProfiles><activeProfile>snapshots</activeProfile></activeProfiles>
</settings>
"""
COORDINATES = ["-DgroupId=org.acme", "-DartifactId=library", "-Dpackaging=jar"]
JAR = "org/acme/library/2.0/library-2.0.jar"
SNAPSHOT = "org/acme/library/2.1-SNAPSHOT"


@pytest.fixture(scope="module")
def maven() -> Maven:
    return fetch_or_skip(Maven.fetch)


@pytest.fixture(params=["unique", "non-unique", "deployer"])
def behavior(request: pytest.FixtureRequest, artifactory: Session) -> str:
    """Create a repository for snapshots with this behavior, and a virtual one for releases and snapshots."""
    repositories = {
        "snapshots": {"rclass": "local", "snapshotVersionBehavior": request.param, "handleReleases": False},
        "all": {"rclass": "virtual", "repositories": ["libs-release", "snapshots"]},
    }
    for key, repository in repositories.items():
        body = {"packageType": "maven", **repository}
        assert artifactory.put(f"/api/repositories/{key}", json=body).status_code == 200
    return str(request.param)


@dataclass(frozen=True)
class Projects:
    """Projects that deploy and resolve one library. Each has its own local repository."""

    maven: Maven
    url: str
    folder: Path

    def deploy(self, version: str, content: bytes, repository: str, *options: str) -> None:
        """Deploy a version of the library from a fresh project."""
        jar = self.folder / "library.jar"
        jar.write_bytes(content)
        arguments = [*COORDINATES, f"-Dversion={version}", f"-Dfile={jar}", "-DrepositoryId=sandbox", *options]
        settings = self._settings("libs-release")
        self.maven.run(self._create_project(), *settings, DEPLOY, *arguments, f"-Durl={self.url}/{repository}")

    def resolve(self, version: str, repository: str) -> bytes:
        """Return the library that a fresh project resolves."""
        local, artifact = self._create_project(), f"-Dartifact=org.acme:library:{version}"
        self.maven.run(local, *self._settings(repository), GET, artifact, "-Dtransitive=false")
        (content,) = {jar.read_bytes() for jar in (local / "org/acme/library").glob("*/library-*.jar")}
        return content

    def _create_project(self) -> Path:
        return Path(tempfile.mkdtemp(dir=self.folder))

    def _settings(self, repository: str) -> list[str]:
        """Return Maven's options for settings in which this repository of the sandbox is the only one."""
        file = self.folder / "settings.xml"
        file.write_text(SETTINGS.format(url=self.url, repository=repository))
        return ["--settings", str(file)]


@pytest.fixture
def projects(maven: Maven, sandbox: Sandbox, tmp_path: Path) -> Projects:
    return Projects(maven, f"{sandbox.url}/artifactory", tmp_path)


def test_maven_resolves_deployed_releases(projects: Projects, artifactory: Session) -> None:
    projects.deploy("2.0", b"a library", "libs-release-local")
    projects.deploy("2.1", b"a newer library", "libs-release")
    assert artifactory.get(f"/libs-release-local/{JAR}").content == b"a library"
    assert projects.resolve("2.0", "libs-release") == b"a library"
    assert projects.resolve("LATEST", "libs-release-local") == b"a newer library"


def test_maven_resolves_the_last_deployed_snapshot(projects: Projects, artifactory: Session, behavior: str) -> None:
    sources = projects.folder / "sources.jar"
    sources.write_bytes(b"sources")
    for content in (b"build 1", b"build 2"):
        projects.deploy("2.1-SNAPSHOT", content, "snapshots", f"-Dsources={sources}")
    assert projects.resolve("2.1-SNAPSHOT", "all") == b"build 2"
    stored = artifactory.get(f"/api/storage/snapshots/{SNAPSHOT}").json()["children"]
    jars = [child["uri"] for child in stored if re.fullmatch(r"/library-[\d.-]+(SNAPSHOT)?\.jar", child["uri"])]
    assert len(jars) == (1 if behavior == "non-unique" else 2)
