# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Apache Maven, downloaded from Maven Central, and a JDK."""

from __future__ import annotations

import hashlib
import os
import subprocess
import tarfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from build_folder import BUILD, fill_once
from support.servers.debian import install
from support.servers.process import UnavailableError

VERSION = "3.9.16"
SHA512 = (
    "831a8591fe20c8243b1dbe7d71e3244f31d1665b0804b2e825e38cbbe5ce0caf"
    "b8338851f90780735568773e0a6cd07bbec107cda0b896b008b861075358b6f6"
)
ARCHIVE = f"org/apache/maven/apache-maven/{VERSION}/apache-maven-{VERSION}-bin.tar.gz"
CENTRAL = "https://repo.maven.apache.org/maven2"
DEPLOY = "org.apache.maven.plugins:maven-deploy-plugin:3.1.4:deploy-file"
GET = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:get"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"


def jdk() -> None:
    """Install a JDK unless one is in PATH."""
    install("default-jdk-headless", "java", "javac", "jar")


@dataclass(frozen=True)
class Maven:
    """Maven with the plugins for the tests. `plugins` is the local repository that contains them."""

    program: Path
    plugins: Path

    @classmethod
    def fetch(cls) -> Maven:
        """Return Maven, downloaded once with its plugins."""
        jdk()
        folder = fill_once(BUILD / "maven", f"{SHA512} {DEPLOY} {GET}", _fetch)
        return cls(folder / f"apache-maven-{VERSION}/bin/mvn", folder / "repository")

    def run(self, repository: Path, *arguments: str | Path) -> str:
        """Run Maven with output of warnings only, and a separate local repository in front of that of the plugins."""
        local = [f"-Dmaven.repo.local={repository}", f"-Dmaven.repo.local.tail={self.plugins}"]
        return _run(self.program, *local, *arguments)


def _fetch(folder: Path) -> None:
    archive = folder / "archive.tar.gz"
    try:
        with urllib.request.urlopen(f"{_central()}/{ARCHIVE}", timeout=60) as response:
            archive.write_bytes(response.read())
    except OSError as reason:
        raise UnavailableError(f"Maven cannot be fetched from {_central()}: {reason}") from reason
    found = hashlib.sha512(archive.read_bytes()).hexdigest()
    if found != SHA512:
        raise RuntimeError(f"{ARCHIVE} from {_central()} has the SHA-512 {found}, not {SHA512}")
    with tarfile.open(archive) as files:
        files.extractall(folder, filter="data")
    archive.unlink()
    _fetch_plugins(folder)


def _fetch_plugins(folder: Path) -> None:
    """Run the goals once, so that the local repository contains all required plugins."""
    file = folder / "file.txt"
    file.touch()
    program, local = folder / f"apache-maven-{VERSION}/bin/mvn", f"-Dmaven.repo.local={folder / 'repository'}"
    coordinates = ["-DgroupId=local", "-DartifactId=file", "-Dversion=1", "-Dpackaging=txt"]
    repository = (folder / "remote").as_uri()
    try:
        _run(program, local, DEPLOY, *coordinates, f"-Dfile={file}", f"-Durl={repository}")
        _run(program, local, GET, f"-DremoteRepositories={repository}", "-Dartifact=local:file:1:txt")
    except RuntimeError as reason:
        raise UnavailableError(f"Maven's plugins cannot be fetched: {reason}") from reason


def _central() -> str:
    """Return the address of Maven Central, or of its mirror in the user's settings."""
    settings = Path.home() / ".m2/settings.xml"
    if settings.exists():
        for mirror in ElementTree.parse(settings).getroot().iterfind("{*}mirrors/{*}mirror"):
            of = (mirror.findtext("{*}mirrorOf") or "").split(",")
            if {"*", "external:*", "central"} & set(of) and "!central" not in of:
                return (mirror.findtext("{*}url") or CENTRAL).rstrip("/")
    return CENTRAL


def _run(program: Path, *arguments: str | Path) -> str:
    """Return the output of a run, which must succeed."""
    command = [program, "--batch-mode", "--quiet", "--strict-checksums", "-Dstyle.color=never", *arguments]
    # A JVM that lives for two seconds is not worth optimizing.
    environment = {**os.environ, "MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Maven failed: {done.stdout}{done.stderr}")
    return done.stdout
