# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The container registry client python-dxf works with the Artifactory sandbox."""

from __future__ import annotations

import hashlib
import random
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from dxf import DXF
from dxf.exceptions import DXFUnauthorizedError

from sandbox.client import Sandbox
from support.session import Session
from support.wire.artifact import properties_of


def _registry(sandbox: Sandbox, image: str, token: str = "") -> DXF:
    """Return a client with a token, because it exchanges passwords for tokens only over HTTPS."""
    registry = DXF(urlsplit(sandbox.url).netloc, f"docker-local/{image}", insecure=True)
    registry.token = token or sandbox.environment["JFROG_ACCESS_TOKEN"]
    return registry


@pytest.fixture
def registry(sandbox: Sandbox) -> DXF:
    return _registry(sandbox, "team/app")


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    files = [tmp_path / f"layer-{number}" for number in (1, 2, 3)]
    for number, file in enumerate(files):
        file.write_bytes(random.Random(number).randbytes(300_000))
    return files


def test_python_dxf_pulls_pushed_layers(registry: DXF, files: list[Path], artifactory: Session) -> None:
    digests = [registry.push_blob(str(file)) for file in files]
    registry.set_alias("1.0", *digests)
    assert registry.list_aliases() == ["1.0"]
    assert registry.get_alias("1.0") == digests
    assert [b"".join(registry.pull_blob(digest)) for digest in digests] == [file.read_bytes() for file in files]
    assert registry.blob_size(digests[0]) == 300_000
    properties = properties_of(artifactory, "docker-local/team/app/1.0/manifest.json")
    assert properties["docker.manifest.digest"] == [_digest(registry.get_manifest("1.0").encode())]


def test_python_dxf_pushes_a_layer_in_chunks_and_mounts_it_in_another_image(
    sandbox: Sandbox, registry: DXF, files: list[Path]
) -> None:
    content = files[0].read_bytes()
    digest = registry.push_blob(data=iter((content[:1000], content[1000:])), digest=_digest(content))
    registry.set_alias("1.0", digest)
    other = _registry(sandbox, "other")
    assert other.mount_blob("docker-local/team/app", digest) == digest
    other.set_alias("1.0", digest)
    assert b"".join(other.pull_blob(digest)) == content


def test_python_dxf_deletes_a_tag(registry: DXF, files: list[Path]) -> None:
    registry.set_alias("1.0", registry.push_blob(str(files[0])))
    registry.set_alias("1.1", registry.push_blob(str(files[1])))
    registry.del_alias("1.0")
    assert registry.list_aliases() == ["1.1"]


def test_python_dxf_reads_tags_in_pages(sandbox: Sandbox, registry: DXF, files: list[Path]) -> None:
    sandbox.switch("artifact", image_marker="name")
    digest = registry.push_blob(str(files[0]))
    for number in range(5):
        registry.set_alias(f"1.{number}", digest)
    assert list(registry.list_aliases(batch_size=2, iterate=True)) == [f"1.{number}" for number in range(5)]


def test_python_dxf_fails_when_its_token_is_wrong(sandbox: Sandbox) -> None:
    with pytest.raises(DXFUnauthorizedError):
        _registry(sandbox, "team/app", "wrong").list_aliases()


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"
