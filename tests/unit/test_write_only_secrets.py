# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

EAST = {"targets": {"east": {"url": "https://east", "password": "s3cret"}}}
HEADERS = {"headers": [{"name": "X-Key", "value": "s3cret"}]}


class Server:
    """A server with one resource, which does not return passwords."""

    def __init__(self, resource: Fields | None) -> None:
        self.resource = resource
        self.writes: list[Fields] = []

    def write(self, fields: Fields) -> None:
        self.writes.append(fields)
        self.resource = WriteOnlySecrets(["password"]).strip({**(self.resource or {}), **fields})


def apply(server: Server, desired: Fields, secrets: WriteOnlySecrets, **mode: bool) -> dict[str, Any]:
    """Return the result of a task with these desired fields."""
    task = Task({"state": "present"}, diff_mode=True, **mode)
    reconcile(
        task,
        "user",
        read=lambda: server.resource,
        desired=desired,
        create=server.write,
        update=server.write,
        secrets=secrets,
    )
    return task.build_result()


@pytest.mark.parametrize("update", ["on_create", "always"])
def test_secret_is_sent_when_the_resource_is_created(update: str) -> None:
    server, desired = Server(None), {"email": "a", "password": "s3cret"}
    result = apply(server, desired, WriteOnlySecrets(["password"], update))
    assert server.writes == [desired]
    assert result["user"] == {"email": "a"}
    assert result["diff"]["after"] == {"state": "present", "email": "a"}


def test_secret_is_not_sent_when_the_resource_exists() -> None:
    server = Server({"email": "a"})
    result = apply(server, {"email": "b", "password": "s3cret"}, WriteOnlySecrets(["password"]))
    assert server.writes == [{"email": "b"}]
    assert "updated_secrets" not in result["diff"]["after"]


@pytest.mark.parametrize("mode", [{}, {"check_mode": True}])
def test_secret_is_a_change_when_it_is_always_sent(mode: dict[str, bool]) -> None:
    server = Server({"email": "a"})
    result = apply(server, {"email": "a", "password": "s3cret"}, WriteOnlySecrets(["password"], "always"), **mode)
    assert server.writes == ([] if mode else [{"password": "s3cret"}])
    assert result["changed"]
    assert result["user"] == {"email": "a"}
    assert result["diff"]["after"] == {"state": "present", "email": "a", "updated_secrets": ["password"]}


@pytest.mark.parametrize("is_current", [True, False])
def test_secret_is_sent_when_the_server_has_another_one(is_current: bool) -> None:
    server = Server({"email": "a"})
    checks: list[str] = []

    def verify() -> bool:
        checks.append("login")
        return is_current

    result = apply(server, {"email": "a", "password": "s3cret"}, WriteOnlySecrets(["password"], "verify", verify))
    assert result["changed"] is not is_current
    assert server.writes == ([] if is_current else [{"password": "s3cret"}])
    assert checks == ["login"]


def test_secret_is_not_verified_when_the_task_has_none() -> None:
    secrets = WriteOnlySecrets(["password"], "verify", lambda: pytest.fail("it verified"))
    assert not apply(Server({"email": "a"}), {"email": "a"}, secrets)["changed"]


@pytest.mark.parametrize(
    ("before", "desired", "selected"),
    [
        ({"targets": {"east": {"url": "https://east"}}}, EAST, {"targets": {"east": {"url": "https://east"}}}),
        ({"targets": {}}, EAST, EAST),
        ({"targets": None}, EAST, EAST),
        ({"headers": [{"name": "X-Key"}]}, HEADERS, {"headers": [{"name": "X-Key"}]}),
        ({"headers": [{"name": "X-Key", "value": "***"}]}, HEADERS, {"headers": [{"name": "X-Key", "value": "***"}]}),
        ({"headers": []}, HEADERS, HEADERS),
    ],
)
def test_secrets_are_selected_for_new_objects_when_the_resource_exists(
    before: Fields, desired: Fields, selected: Fields
) -> None:
    assert WriteOnlySecrets(["password", "value"]).select(before, desired) == selected


def test_paths_name_secrets_inside_of_lists_and_dictionaries() -> None:
    paths = WriteOnlySecrets(["password", "value"]).list_paths({**EAST, **HEADERS, "password": "x"})
    assert paths == ["targets.east.password", "headers[0].value", "password"]
