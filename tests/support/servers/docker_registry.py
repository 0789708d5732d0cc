# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Debian's docker-registry (2.8.2 in Debian 12), configured with the paths of Artifactory.

Observed behavior (checked by the tests in test_servers.py):

`GET /artifactory/api/docker/<repository>/v2/_catalog?n=2&last=x`
    `{"repositories":[...]}`: at most `n` names after `last`, in path order (`a`, `a/b`, `a-b`, `ab`). `last` need not
    be a name that exists. While there is more: `Link: </artifactory/api/docker/<repository>/v2/_catalog?last=NAME&n=2>;
    rel="next"`, with the name percent-encoded; a path only, and here, unlike in Artifactory, the right one. The last
    page has no Link, also when it is full. `n=0` gives an empty list, a negative or malformed `n` everything. A name
    stays listed when its last tag is deleted.

`GET /artifactory/api/docker/<repository>/v2/<image>/tags/list?n=2`
    `{"name":"<image>","tags":[...]}` with all tags: `n` and `last` are ignored and there is never a Link, so that a
    client that asks on until a page is short never ends. They come in no order to rely on. No tags left: `"tags":null`.
    Unknown image: 404 `NAME_UNKNOWN`. An invalid image name (upper case): 404 as plain text, not JSON. `%2F` is
    accepted instead of the slashes of a name.

`GET /artifactory/api/docker/<repository>/v2/<image>/manifests/<tag or digest>`
    The bytes as they were pushed, with their digest in `Docker-Content-Digest`, if `Accept` has their type; all four
    types are taken. A list for several platforms is answered as such only to who accepts lists. An unknown tag: 404
    `MANIFEST_UNKNOWN`.

Answers have `Docker-Distribution-Api-Version: registry/2.0`. Other paths, so another repository too, are a plain-text
404.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from build_folder import BUILD, fill_once
from support.servers.process import UnavailableError, direct_session, free_port, run_server

MANIFEST_TYPE = "application/vnd.docker.distribution.manifest.v2+json"
LIST_TYPE = "application/vnd.docker.distribution.manifest.list.v2+json"
OCI_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
OCI_INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
CONFIG_TYPE = "application/vnd.docker.container.image.v1+json"


@dataclass(frozen=True)
class DockerRegistry:
    """A running registry: base URL, repository key in its paths, and access log.

    `prefix` is the path above v2, with slashes around it.
    """

    url: str
    repository: str
    log: Path
    prefix: str

    @property
    def api(self) -> str:
        return f"{self.url}{self.prefix}v2"

    def push(self, image: str, tag: str, kind: str = MANIFEST_TYPE) -> str:
        """Store an image without layers, with content that depends on name and tag. Return its manifest digest."""
        config = json.dumps(
            {
                "architecture": "amd64",
                "os": "linux",
                "config": {"Labels": {"image": image, "tag": tag}},
                "rootfs": {"type": "layers", "diff_ids": []},
            }
        ).encode()
        digest = f"sha256:{hashlib.sha256(config).hexdigest()}"
        described = {"mediaType": CONFIG_TYPE, "size": len(config), "digest": digest}
        with direct_session() as session:
            upload = session.post(f"{self.api}/{image}/blobs/uploads/")
            upload.raise_for_status()
            session.put(upload.headers["Location"], params={"digest": digest}, data=config).raise_for_status()
        return self._put(image, tag, {"mediaType": kind, "config": described, "layers": []}, kind)

    def push_list(self, image: str, tag: str, kind: str) -> str:
        """Store an image for one platform in a list of this kind; return the list's digest."""
        of_platform = self.push(image, f"{tag}-amd64", OCI_MANIFEST_TYPE if kind == OCI_INDEX_TYPE else MANIFEST_TYPE)
        with direct_session() as session:
            accept = {"Accept": f"{MANIFEST_TYPE}, {OCI_MANIFEST_TYPE}"}
            stored = session.head(f"{self.api}/{image}/manifests/{of_platform}", headers=accept)
        described = {
            "mediaType": stored.headers["Content-Type"],
            "size": int(stored.headers["Content-Length"]),
            "digest": of_platform,
            "platform": {"architecture": "amd64", "os": "linux"},
        }
        return self._put(image, tag, {"mediaType": kind, "manifests": [described]}, kind)

    def tag(self, image: str, tag: str, another: str, kind: str = MANIFEST_TYPE) -> None:
        """Give an image another tag."""
        with direct_session() as session:
            response = session.get(f"{self.api}/{image}/manifests/{tag}", headers={"Accept": kind})
            response.raise_for_status()
            self._put(image, another, response.content, kind)

    def _put(self, image: str, tag: str, manifest: dict[str, Any] | bytes, kind: str) -> str:
        data = manifest if isinstance(manifest, bytes) else json.dumps({"schemaVersion": 2, **manifest})
        with direct_session() as session:
            headers = {"Content-Type": kind}
            stored = session.put(f"{self.api}/{image}/manifests/{tag}", data=data, headers=headers)
            stored.raise_for_status()
        return stored.headers["Docker-Content-Digest"]


@contextlib.contextmanager
def docker_registry(repository: str = "docker-local", at_root: bool = False) -> Iterator[DockerRegistry]:
    """Run an empty registry on loopback, at the path of the repository in Artifactory or at /v2."""
    executable = program()
    with tempfile.TemporaryDirectory(prefix="docker-registry-") as name:
        folder = Path(name)
        port = free_port()
        prefix = "/" if at_root else f"/artifactory/api/docker/{repository}/"
        registry = DockerRegistry(f"http://127.0.0.1:{port}", repository, folder / "registry.log", prefix)
        config = folder / "config.json"
        config.write_text(
            json.dumps(
                {
                    "version": "0.1",
                    "log": {"level": "warn"},
                    "storage": {
                        "filesystem": {"rootdirectory": str(folder / "data")},
                        "delete": {"enabled": True},
                    },
                    "http": {
                        "addr": f"127.0.0.1:{port}",
                        "prefix": prefix,
                        "secret": "for uploads to this one process",
                    },
                }
            )
        )
        with run_server([str(executable), "serve", str(config)], f"{registry.api}/", registry.log, timeout=60):
            yield registry


def program() -> Path:
    """Return the registry's program, unpacked from Debian's package once unless it is installed."""
    installed = shutil.which("docker-registry")
    if installed:
        return Path(installed)
    for tool in ("apt-get", "dpkg-deb"):
        if not shutil.which(tool):
            raise UnavailableError(
                f"docker-registry is not installed, and its Debian package needs {tool}, which is missing"
            )
    folder = BUILD / "docker-registry"
    return (
        fill_once(folder, platform.freedesktop_os_release()["PRETTY_NAME"], _unpack) / "usr" / "bin" / "docker-registry"
    )


def _unpack(folder: Path) -> None:
    """Fetch Debian's package and unpack it there, without root and without installing it."""
    if _apt_get(folder, "download", "docker-registry"):
        # if the package lists are missing or outdated
        with tempfile.TemporaryDirectory(prefix="apt-") as lists:
            own_lists = _own_lists(Path(lists))
            for command in (["update"], ["download", "docker-registry"]):
                if _apt_get(folder, *own_lists, *command):
                    raise RuntimeError(f"apt-get {' '.join(command)} failed; its words are above")
    (package,) = folder.glob("docker-registry_*.deb")
    subprocess.run(["dpkg-deb", "--extract", package, folder], check=True)


def _apt_get(folder: Path, *arguments: str) -> int:
    # As root, apt-get would download as a user without write permission for the directory.
    command = ["apt-get", "--quiet", "-o", "APT::Sandbox::User=root", *arguments]
    return subprocess.run(command, cwd=folder, env={**os.environ, "LC_ALL": "C"}, check=False).returncode


def _own_lists(apt: Path) -> list[str]:
    """Return the options that make apt-get keep its package lists in this folder instead of the machine's."""
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True)
    settings = {
        "Dir::State": apt / "state",
        "Dir::State::status": "/var/lib/dpkg/status",
        "Dir::Cache": apt / "cache",
        "Debug::NoLocking": "true",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
