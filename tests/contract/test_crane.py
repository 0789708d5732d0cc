# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""crane, the OCI client of go-containerregistry, works with docker-registry and the sandbox."""

from __future__ import annotations

import base64
import io
import json
import random
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from sandbox.client import Sandbox
from support.clients import oci
from support.running import run
from support.servers.docker_registry import DockerRegistry, docker_registry
from support.servers.process import fetch_or_skip, run_or_skip
from support.session import Session

Crane = Callable[..., str]


@pytest.fixture(scope="module")
def registry() -> Iterator[DockerRegistry]:
    yield from run_or_skip(docker_registry(at_root=True))


@pytest.fixture(scope="module")
def crane() -> Crane:
    program = fetch_or_skip(oci.crane)

    def run(*arguments: str) -> str:
        done = subprocess.run([program, "--insecure", *arguments], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run


def test_crane_lists_the_tags_of_an_image_and_copies_it(crane: Crane, registry: DockerRegistry) -> None:
    digest = registry.push("app", "1.0")
    registry.tag("app", "1.0", "latest")
    images = urlsplit(registry.url).netloc
    assert sorted(crane("ls", f"{images}/app").split()) == ["1.0", "latest"]
    crane("copy", f"{images}/app:1.0", f"{images}/released/app:1.0")
    assert crane("digest", f"{images}/released/app:1.0") == digest
    assert crane("ls", f"{images}/released/app") == "1.0"


@pytest.fixture
def images(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Log in to the registry of the sandbox; the address of a repository of images."""
    host = urlsplit(sandbox.url).netloc
    login = base64.b64encode(b"admin:sandbox-admin").decode()
    (tmp_path / "config.json").write_text(json.dumps({"auths": {host: {"auth": login}}}))
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    return f"{host}/docker-local"


def test_crane_pulls_the_image_that_it_pushed_to_the_sandbox(
    crane: Crane, images: str, tmp_path: Path, artifactory: Session
) -> None:
    layers = [option for number in (1, 2) for option in ("-f", str(_layer(tmp_path, number)))]
    crane("append", "--oci-empty-base", *layers, "-t", f"{images}/team/app:1.0")
    digest = crane("digest", f"{images}/team/app:1.0")
    crane("pull", "--format", "oci", f"{images}/team/app:1.0", str(tmp_path / "pulled"))
    index = json.loads((tmp_path / "pulled/index.json").read_text())
    assert [manifest["digest"] for manifest in index["manifests"]] == [digest]
    crane("push", str(tmp_path / "pulled"), f"{images}/team/app:again")
    assert crane("digest", f"{images}/team/app:again") == digest
    assert crane("ls", f"{images}/team/app").split() == ["1.0", "again"]
    assert "docker-local/team/app" in crane("catalog", images.partition("/")[0]).split()
    stored = artifactory.get("/api/storage/docker-local/team/app/1.0").json()["children"]
    assert len(stored) == 4
    assert artifactory.get("/api/storage/docker-local/team/app/_uploads").status_code == 404


def test_crane_pushes_and_deletes_a_list_of_images_in_the_sandbox(crane: Crane, images: str, tmp_path: Path) -> None:
    for number in (1, 2):
        crane("append", "--oci-empty-base", "-f", str(_layer(tmp_path, number)), "-t", f"{images}/app:of-{number}")
    members = [option for number in (1, 2) for option in ("-m", f"{images}/app:of-{number}")]
    crane("index", "append", *members, "-t", f"{images}/app:all")
    digests = [crane("digest", f"{images}/app:of-{number}") for number in (1, 2)]
    assert [member["digest"] for member in json.loads(crane("manifest", f"{images}/app:all"))["manifests"]] == digests
    crane("copy", f"{images}/app:all", f"{images.replace('docker-local', 'docker-release-local')}/app:all")
    digest = crane("digest", f"{images}/app:all")
    assert crane("digest", f"{images.replace('docker-local', 'docker-release-local')}/app:all") == digest
    assert crane("ls", f"{images}/app").split() == ["all", "of-1", "of-2"]
    crane("delete", f"{images}/app@{digest}")
    assert crane("ls", f"{images}/app").split() == ["of-1", "of-2"]


def _layer(folder: Path, number: int) -> Path:
    """Return a layer with one file."""
    content = random.Random(number).randbytes(100_000 * number)
    path = folder / f"layer-{number}.tar"
    with tarfile.open(path, "w") as archive:
        entry = tarfile.TarInfo(f"file-{number}")
        entry.size = len(content)
        archive.addfile(entry, io.BytesIO(content))
    return path


@pytest.mark.usefixtures("sandbox_environment")
def test_modules_promote_and_clean_up_the_images_that_crane_pushed(
    crane: Crane, images: str, tmp_path: Path, sandbox: Sandbox
) -> None:
    sandbox.clock(advance=-100 * 24 * 3600)
    for number, tag in ((1, "1.0"), (2, "1.1")):
        crane("append", "--oci-empty-base", "-f", str(_layer(tmp_path, number)), "-t", f"{images}/app:{tag}")
        sandbox.clock(advance=60)
    crane("index", "append", "-m", f"{images}/app:1.1", "-t", f"{images}/app:all")
    digest = crane("digest", f"{images}/app:1.1")
    released = f"{images.replace('docker-local', 'docker-release-local')}/app"
    promoted = run(
        "artifact_image_promotion",
        repo="docker-local",
        target_repo="docker-release-local",
        image="app",
        tag="1.1",
        copy=True,
    )
    assert promoted["changed"], promoted
    assert crane("digest", f"{released}:1.1") == digest
    crane("validate", "--remote", f"{released}:1.1")
    rule = {
        "repos": ["docker-local"],
        "package_type": "docker",
        "paths": ["app"],
        "older_than": "30d",
        "keep_newest": 2,
    }
    cleaned = run("artifact_cleanup", rules=[rule], max_items=10)
    assert cleaned["deleted"]["items"] == 1, cleaned
    assert crane("ls", f"{images}/app").split() == ["1.1", "all"]
    crane("validate", "--remote", f"{images}/app:all")
