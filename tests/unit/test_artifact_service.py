# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from support.conversation import Call, call, conversation

VERSION = "/artifactory/api/system/version"
REPOSITORY = "/artifactory/api/repositories/npm-local"
REFUSED = {"errors": [{"status": 500, "message": "Could not merge and save new descriptor. Should update revision 7"}]}


def connect(url: str) -> ArtifactService:
    """Return a connection with the default options."""
    params = {name: option.get("default") for name, option in ARTIFACT.options.items()}
    return ArtifactService(Task({**params, "url": url}))


def reports(version: str) -> Call:
    return call("GET", VERSION, json={"version": version, "license": "0" * 40})


@pytest.mark.parametrize(
    ("reported", "version", "supported"),
    [
        ("7.49.3", "7.49.3", True),
        ("7.104.2", "7.49.3", True),
        ("7.49.10", "7.49.3", True),
        ("7.49.3-m001", "7.49.3", True),
        ("7.49", "7.49.3", False),
        ("6.23.41", "7.49.3", False),
        ("SNAPSHOT", "7.49.3", False),
    ],
)
def test_versions_are_compared_by_their_numbers(reported: str, version: str, supported: bool) -> None:
    with conversation(reports(reported)) as server:
        artifact = connect(server.url)
        assert [artifact.supports(version), artifact.supports(version)] == [supported, supported]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_unknown_version_is_an_error_with_the_words_of_the_server(status: int) -> None:
    refused = {"errors": [{"status": status, "message": "Account is blocked"}]}
    reason = f"The version of Artifactory is unknown: GET .*{VERSION}: {status} Account is blocked"
    with conversation(call("GET", VERSION, status, json=refused)) as server:
        artifact = connect(server.url)
        for _attempt in range(2):
            with pytest.raises(ToolchainError, match=reason):
                artifact.supports("7.49.3")


@pytest.mark.parametrize("status", [400, 500])
def test_descriptor_write_is_repeated_when_the_server_could_not_merge_it(status: int, delays: list[float]) -> None:
    with conversation(call("PUT", REPOSITORY, status, json=REFUSED), call("PUT", REPOSITORY)) as server:
        assert connect(server.url).write_descriptor("PUT", REPOSITORY, json={}).status == 200
    assert len(delays) == 1


def test_descriptor_write_fails_when_the_server_never_merges_it(delays: list[float]) -> None:
    refusals = [call("PUT", REPOSITORY, 500, json=REFUSED) for _attempt in range(4)]
    with conversation(*refusals) as server, pytest.raises(ServerRefusal, match="Another client changed"):
        connect(server.url).write_descriptor("PUT", REPOSITORY, json={})
    assert len(delays) == 3


def test_descriptor_write_is_not_repeated_after_another_refusal() -> None:
    with conversation(call("PUT", REPOSITORY, 500)) as server, pytest.raises(ServerRefusal):
        connect(server.url).write_descriptor("PUT", REPOSITORY, json={})
