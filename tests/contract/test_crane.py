# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""crane, the OCI client of go-containerregistry, works with docker-registry."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from urllib.parse import urlsplit

import pytest

from support.clients import oci
from support.servers.docker_registry import DockerRegistry, docker_registry
from support.servers.process import fetched_or_skip, or_skip

Crane = Callable[..., str]


@pytest.fixture(scope="module")
def registry() -> Iterator[DockerRegistry]:
    yield from or_skip(docker_registry(at_root=True))


@pytest.fixture(scope="module")
def crane() -> Crane:
    program = fetched_or_skip(oci.crane)

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
