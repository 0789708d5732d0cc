# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode of each OpenAI module predicts its real run, in generated organizations."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sandbox.client import Sandbox
from support.running import run

WORLDS, TASKS = 40, 25
NAMES = ["Default project", "Sandbox", "sandbox", "Search", "Search ", "Search & find", "Retired", "a/b;c"]
EMAILS = [f"{name}@sandbox.example" for name in ("olivia", "ALICE", "bob", "carol", "dora", "expired", "nobody")]
MODELS = ["gpt-4", "gpt-4o", "gpt-3.5-turbo", "none"]
# Values below the limits of the organization, which no key can read
LIMITS = ["max_requests_per_1_minute", "max_tokens_per_1_minute", "max_requests_per_1_day", "max_images_per_1_minute"]
ROBOTS = ["pipeline", "robot", "Robot", "main"]
DAY = 86400


class World:
    """A generated organization, and tasks for it."""

    def __init__(self, number: int) -> None:
        self.chance = random.Random(number)
        self.ids = ["proj_default", "proj_sandbox", "proj_old", *(f"proj_{place}" for place in range(4))]

    def seed(self) -> dict[str, Any]:
        """Return the seed for the organization of the sandbox."""
        projects = [self._project(id_) for id_ in self.ids[3:] if self._maybe()]
        invites = [
            {"id": f"invite_{place}", "email": self._one(EMAILS), "expires_at": self._one([1, 4 * 10**9])}
            for place in range(self.chance.randrange(4))
        ]
        owners = [{"id": "user-dora", "email": "dora@sandbox.example", "role": self._one(["owner", "reader"])}]
        users = owners if self._maybe() else []
        name = {"id": "org-sandbox", "name": "sandbox", "title": "Sandbox"}
        return {"inference": {"organizations": [{**name, "users": users, "invites": invites, "projects": projects}]}}

    def task(self) -> tuple[str, dict[str, Any]]:
        """Return a module and its options."""
        kinds = [self._of_project, self._of_user, self._of_limits, self._of_service_account, self._of_admin_key]
        return self._one(kinds)()

    def _project(self, id_: str) -> dict[str, Any]:
        members = [{"id": user} for user in ("user-sandbox-bob", "user-sandbox-alice") if self._maybe()]
        accounts = [
            {"id": f"svc_{id_}_{place}", "name": self._one(ROBOTS), "role": self._one(["owner", "member"])}
            for place in range(self.chance.randrange(3))
        ]
        archived = {"archived_at": 1751328000} if self.chance.random() < 0.2 else {}
        return {"id": id_, "name": self._one(NAMES[1:]), "members": members, "service_accounts": accounts, **archived}

    def _of_project(self) -> tuple[str, dict[str, Any]]:
        named = self._some({"name": self._one(NAMES), "id": self._one([*self.ids, "proj_none"])}) or {"name": "Search"}
        more = self._some({"external_key_id": self._one(["ext_1", "ext 2"]), "residency": "GLOBAL"})
        return "inference_project", {**named, **more, **self._state()}

    def _of_user(self) -> tuple[str, dict[str, Any]]:
        projects = [
            {**self._chosen("id", "name"), "role": self._one(["owner", "member"])}
            for _number in range(self.chance.randrange(3))
        ]
        more = self._some({"role": self._one(["owner", "reader"]), "projects": projects})
        return "inference_user", {"email": self._one(EMAILS), **more, **self._state()}

    def _of_limits(self) -> tuple[str, dict[str, Any]]:
        limits = [
            {"model": self._one(MODELS), self._one(LIMITS): self._one([0, 9, 100])}
            for _number in range(self.chance.randrange(1, 3))
        ]
        return "inference_rate_limit", {**self._chosen("project_id", "project_name"), "limits": limits}

    def _of_service_account(self) -> tuple[str, dict[str, Any]]:
        more = self._some({"role": self._one(["owner", "member"]), "rotate_after": self._one([1, 10**9])})
        named = {**self._chosen("project_id", "project_name"), "name": self._one(ROBOTS)}
        return "inference_service_account", {**named, **more, **self._state()}

    def _of_admin_key(self) -> tuple[str, dict[str, Any]]:
        more = self._some({"expires_in": self._one([DAY, 30 * DAY]), "rotate_before": self._one([1, 2 * DAY])})
        return "inference_admin_key", {"name": self._one([*ROBOTS, "Main admin key"]), **more, **self._state()}

    def _chosen(self, by_id: str, by_name: str) -> dict[str, Any]:
        return self._one([{by_id: self._one(self.ids)}, {by_name: self._one(NAMES)}])

    def _state(self) -> dict[str, Any]:
        return self._one([{"state": "absent"}, {"state": "present"}, {}])

    def _some(self, options: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in options.items() if self._maybe()}

    def _maybe(self) -> bool:
        return self.chance.random() < 0.5

    def _one(self, values: list[Any]) -> Any:
        return self.chance.choice(values)


def has_same_members(predicted: Any, done: Any) -> bool:
    """Return whether two results have the same fields. A prediction has null for fields that the API assigns."""
    if not (isinstance(predicted, dict) and isinstance(done, dict)):
        return predicted is None or not isinstance(done, dict)
    return predicted.keys() == done.keys() and all(has_same_members(predicted[name], done[name]) for name in done)


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("number", range(WORLDS))
def test_check_mode_predicts_the_real_run(number: int, sandbox: Sandbox) -> None:
    world = World(number)
    sandbox.seed(world.seed())
    for _task in range(TASKS):
        module, options = world.task()
        predicted, done = (
            run(module, check_mode=check_mode, diff_mode=True, retries=0, **options) for check_mode in (True, False)
        )
        case = f"world {number}: {module} {options}\n{predicted}\n{done}"
        for member in ("changed", "failed", "diff", "warnings"):
            assert predicted.get(member) == done.get(member), case
        assert has_same_members(predicted, done), case
