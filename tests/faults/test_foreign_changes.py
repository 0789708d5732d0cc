# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Another client changes the object of a task after the task has read it.

The state at the end is the one that results if the other client acts before the whole task. The result says whether the
task has changed something. What the task does not manage keeps the value of the other client.
"""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.answers import Traffic, intercept, run_as_rival
from support.cases import RESOURCES, module_of
from support.cases.foreign import FOREIGN_CHANGES
from support.scene import MORE_RUNS, Scene

STEP = "update"
# Names of resources with a secret are not unique: each task creates its own resource
UNIQUE_NAMES = [case for case, resource in RESOURCES.items() if not (resource.by_program or resource.secret_file)]
# The order of licenses is that of their installation
UNORDERED = {"artifact_license"}


@pytest.fixture
def scene(request: pytest.FixtureRequest, running_sandbox: Sandbox, tmp_path: pathlib.Path) -> Scene:
    """Return a module and the sandbox, which each step resets."""
    module = request.getfixturevalue("module")
    return Scene(running_sandbox, FOREIGN_CHANGES[module].case if module in FOREIGN_CHANGES else module, tmp_path)


def find_rival_position(traffic: Traffic) -> int:
    """Return the number of requests before the other client acts.

    It acts after the first read of the object, which is the read that is repeated after the writes. If no read is, the
    client acts immediately before the first write.
    """
    writes = traffic.writes
    keys = [exchange.key for exchange in traffic.exchanges]
    read_back = set(keys[writes[-1] + 1 :])
    return next((position + 1 for position in range(writes[0]) if keys[position] in read_back), writes[0])


class Rivalry:
    """A task, and what another client does after the task has read the object."""

    def __init__(self, scene: Scene, task: dict[str, Any], rival: tuple[str, dict[str, Any]]) -> None:
        self.scene = scene
        self.task = task
        self.rival = rival

    def run(self) -> dict[str, Any]:
        """Run the task without the other client."""
        return running.run(module_of(self.scene.module), **{"retries": 0, **self.task})

    def act(self) -> None:
        """Let the other client act."""
        module, options = self.rival
        result = running.run(module, **options)
        assert not result.get("failed"), f"the other client: {result['msg']}"

    def check(self) -> None:
        """Verify the task, and at most two more runs."""
        scene = self.scene
        position = self.find_position()
        scene.begin(STEP)
        self.act()
        between = scene.state()
        is_possible = not self.run().get("failed")
        desired = scene.state()
        scene.begin(STEP)
        result = self.run_with_rival(position)
        state = scene.state()
        text = f"{result.get('warnings')} {result.get('msg')}"
        if state != between:
            assert result["changed"], text
        if not result.get("failed"):
            assert state == desired, f"{text}\n{state}\n   is not {desired}"
        if is_possible:
            self.check_converges(desired)

    def find_position(self) -> int:
        """Return the number of requests before the other client acts."""
        for _attempt in range(
            2
        ):  # the second run does not send requests whose responses are cached with the connection
            self.scene.begin(STEP)
            traffic = Traffic()
            with intercept(traffic):
                assert self.run()["changed"]
        return find_rival_position(traffic)

    def run_with_rival(self, position: int) -> dict[str, Any]:
        """Run the task, and let the other client act before the request after this number of requests."""

        def act_once(traffic: Traffic) -> None:
            if len(traffic.exchanges) == position:
                run_as_rival(self.act)

        with intercept(Traffic(before=act_once)):
            return self.run()

    def check_converges(self, desired: str) -> None:
        """Verify that at most two more runs reach the desired state."""
        for _attempt in range(MORE_RUNS):
            result = self.run()
            if not result.get("failed") and not result["changed"]:
                break
        assert not result.get("failed"), result["msg"]
        assert not result["changed"], result
        assert self.scene.state() == desired, f"{self.scene.state()}\n   is not {desired}"


@pytest.mark.parametrize("module", [name for name in UNIQUE_NAMES if name not in UNORDERED])
def test_task_tells_the_truth_when_another_client_deletes_the_object(scene: Scene, module: str) -> None:
    case = RESOURCES[module]
    Rivalry(scene, getattr(case, STEP), (module_of(module), case.absent)).check()


@pytest.mark.parametrize("module", FOREIGN_CHANGES)
def test_foreign_change_survives_when_another_client_changes_the_object(scene: Scene, module: str) -> None:
    change = FOREIGN_CHANGES[module]
    Rivalry(scene, change.task, (change.rival_module or module_of(change.case), change.rival)).check()
