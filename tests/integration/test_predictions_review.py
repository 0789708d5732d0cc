# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""On generated servers, check mode of the Klocwork modules that delete or publish predicts what the real run does.

TOOLCHAIN_SEED=n repeats the world n alone, and TOOLCHAIN_WORLDS=n generates n worlds.
"""

from __future__ import annotations

import collections
import os
import random
import sys
from pathlib import Path
from typing import Any

import pytest

from sandbox import client
from sandbox.client import Sandbox
from support.running import run

TOKENS = {name: f"{name:0<32}".replace(" ", "0") for name in ("admin", "carol", "dora", "erik")}
PERMISSIONS = [
    *("access_source_files", "assign_role", "change_issue_status", "change_project_settings", "create_build"),
    *("create_project", "delete_build", "delete_project", "execute_kwxsync", "manage_modules", "manage_roles"),
    *("manage_users", "use_local_configuration", "webapi_access"),
]
NEEDED = ["assign_role", "manage_roles", "manage_users", "webapi_access"]
STATUSES = ["Analyze", "Ignore", "Not a Problem", "Fix", "Fix in Next Release", "Defer"]
PROJECTS = ["app", "app-1", "firm ware"]
GROUPS = ["devs", "leads", "directory"]
ROLES = ["Projects root admin", "Manager", "Triage", "Empty"]
NAMES = ["critical", "ui", "C++, 1", "*default*"]
BUILDS = ["build_1", "build_2", "1.10", "last one"]
ADMIN_TOOL = [sys.executable, "-I", str(Path(client.__file__).with_name("review") / "admin_tool/kwadmin.py")]
IMPORT = {"source_url": "https://old.example.com", "source_username": "root", "wait_delay": 0.1}
TASKS = 40

Parameters = dict[str, Any]


class World:
    """A generated server, and tasks for it.

    :ivar chance: the source of all that is generated
    """

    def __init__(self, seed: int, folder: Path) -> None:
        self.chance = random.Random(seed)
        self._source = folder / "analysis_profile.pconf"

    def sample(self, values: list[Any]) -> list[Any]:
        """Return a random sample of the values."""
        return self.chance.sample(values, self.chance.randint(0, len(values)))

    def pick(self, values: list[Any]) -> Any:
        """Return a random value, or a name that does not exist."""
        return self.chance.choice([*values, "missing"])

    def flip_coin(self) -> bool:
        """Return a random boolean."""
        return self.chance.random() < 0.5

    def seed(self) -> Parameters:
        """Return the seed of the server. `carol` administers it, `dora` works on issues and views."""
        people = [*TOKENS, "frida"]
        assigned = [{"account": "carol"}] if self.flip_coin() else [{"account": "leads", "group": True}]
        others = [{"account": name} for name in self.sample(people)]
        triage = [
            {"account": "dora"},
            *({"account": "devs", "group": True, "project": "app"} for _one in self.sample([1])),
        ]
        return {
            "users": [{"name": name, "ltoken": TOKENS.get(name), "readonly": name == "frida"} for name in people],
            "groups": [
                {"name": "devs", "users": self.sample(people)},
                {"name": "leads", "users": ["carol", *self.sample(["dora", "erik"])]},
                {"name": "directory", "readonly": True},
            ],
            "projects": [self._project(name) for name in PROJECTS],
            "roles": [
                {
                    "name": "Projects root admin",
                    "readonly": True,
                    "permissions": PERMISSIONS,
                    "transitions": [["Any", "Any"]],
                    "assignments": [{"account": "admin"}],
                },
                {"name": "Manager", "permissions": NEEDED, "assignments": assigned},
                {
                    "name": "Triage",
                    "permissions": ["webapi_access", *self.sample(["change_issue_status"] * 3)[:1]],
                    "transitions": [
                        [self.chance.choice([*STATUSES, "Any"]), status] for status in self.sample(STATUSES)
                    ],
                    "assignments": triage,
                },
                {"name": "Empty", "permissions": self.sample(NEEDED), "assignments": others},
            ],
        }

    def _project(self, name: str) -> Parameters:
        builds = self.sample(BUILDS)
        issues = [
            {
                "code": self.chance.choice(["ABV.GENERAL", "RLK.MAIN"]),
                "file": self.chance.choice(["src/a.c", "vendor/b.c"]),
                "severity": self.chance.randint(1, 4),
                "status": self.chance.choice(STATUSES),
                "owner": self.chance.choice(["unowned", "dora"]),
                "found_in": self.chance.choice(builds),
            }
            for _issue in range(self.chance.randint(0, 6) if builds else 0)
        ]
        views = [
            {
                "name": view,
                "query": "severity:1",
                "creator": self.chance.choice(["admin", "dora"]),
                "is_public": self.flip_coin(),
            }
            for view in self.sample(NAMES[:-1])
        ]
        return {
            "name": name,
            "creator": "admin",
            "builds": [
                {"name": build, "date": 1000 * at, "keepit": self.flip_coin()} for at, build in enumerate(builds)
            ],
            "modules": [{"name": module, "paths": ["**/x/*"]} for module in self.sample(NAMES[:-1])],
            "views": views,
            "issues": issues,
        }

    def task(self) -> tuple[str, str, Parameters]:
        """Return the account of a task, its module and its options."""
        account = self.chance.choice(["admin", "admin", "carol", "dora"])
        project = {"project": self.pick(PROJECTS)}
        absent = {"state": "absent"}
        lockout = {"allow_lockout": self.flip_coin()}
        member = {"users": self.sample(["admin", "carol", "dora", "nobody"]), "append": self.flip_coin()}
        return self.chance.choice(
            [
                (account, "review_project", {**absent, "name": self.pick(PROJECTS), "allow_delete": self.flip_coin()}),
                (
                    account,
                    "review_build",
                    {**absent, **project, "name": self.pick(BUILDS), "allow_last": self.flip_coin()},
                ),
                (account, "review_build", {**project, "keep_newest": self.chance.randint(1, 3)}),
                (
                    account,
                    "review_view",
                    {**absent, **project, "name": self.pick(NAMES), "take_over": self.flip_coin()},
                ),
                (account, "review_view", {**absent, "project": "app", "name": self.pick(NAMES), "take_over": True}),
                (account, "review_module", {**absent, **project, "name": self.pick(NAMES)}),
                (account, "review_user", {**absent, "name": self.pick(["admin", "erik", "frida"])}),
                (account, "review_group", {**absent, **lockout, "name": self.pick(GROUPS)}),
                ("admin", "review_group", {**member, **lockout, "name": self.chance.choice(GROUPS)}),
                (account, "review_role", {**absent, **lockout, "name": self.pick(ROLES)}),
                ("admin", "review_role", {**self._role(), **lockout}),
                (account, "review_issue", {**project, **self._citation()}),
                (account, "review_issue", {**project, "rules": [self._rule() for _rule in range(3)]}),
            ]
        )

    def managing_task(self) -> tuple[str, str, Parameters]:
        """Return a task that can lock its account out."""
        return self.chance.choice(
            [
                ("carol", "review_group", {"name": "leads", "users": self.sample(["carol", "erik"])}),
                ("carol", "review_group", {"name": "leads", "state": "absent"}),
                ("carol", "review_role", {"name": "Manager", "state": "absent"}),
                ("carol", "review_role", {"name": "Manager", "permissions": dict.fromkeys(self.sample(NEEDED), False)}),
                ("carol", "review_role", {"name": "Manager", "assignments": [], "purge": True}),
            ]
        )

    def slow_tasks(self) -> list[tuple[str, str, Parameters]]:
        """Return tasks that run a program or wait."""
        self._source.write_text(f"<config of='{self.chance.random()}'/>")
        project = {"project": self.pick(PROJECTS), "admin_tool": ADMIN_TOOL}
        return [
            ("admin", "review_config_file", {**project, "src": str(self._source)}),
            ("admin", "review_config_file", {**project, "name": self._source.name, "state": "absent"}),
            ("admin", "review_project_import", {**IMPORT, "name": self.pick(PROJECTS)}),
            ("admin", "review_server_import", IMPORT),
        ]

    def _role(self) -> Parameters:
        permissions = {name: self.flip_coin() for name in self.sample([*NEEDED, "unknown"])}
        holders: list[Parameters] = [{"account": "erik"}, {"group": "devs", "project": "app"}, {"account": "nobody"}]
        return {
            "name": self.pick(ROLES[1:]),
            "permissions": permissions,
            "assignments": self.sample(holders),
            "purge": self.flip_coin(),
        }

    def _rule(self) -> Parameters:
        query = self.chance.choice(["severity:1-4", "code:RLK", "file:vendor", "state:New,Existing,Fixed"])
        return {"query": query, **self._change()}

    def _citation(self) -> Parameters:
        ids = self.chance.sample(range(1, 25), 2)
        return {**self.chance.choice([{"ids": ids}, {"query": "severity:1-3"}]), **self._change()}

    def _change(self) -> Parameters:
        changes = [
            {"status": self.chance.choice(STATUSES)},
            {"owner": self.chance.choice(["dora", "unowned", "nobody"])},
            {"status": self.chance.choice(STATUSES), "owner": "erik", "comment": "by a rule"},
        ]
        return self.chance.choice(changes)


def seeds() -> list[int]:
    """Return the random seeds of the servers."""
    if "TOOLCHAIN_SEED" in os.environ:
        return [int(os.environ["TOOLCHAIN_SEED"])]
    return list(range(int(os.environ.get("TOOLCHAIN_WORLDS", "6"))))


def outcome(result: Parameters) -> Parameters:
    """Return the part of a result on which check mode and the real run must agree."""
    failed = result.get("failed", False)
    agreed = {"failed": failed, "changed": result["changed"]}
    return agreed if failed else {**agreed, "diff": result.get("diff"), "members": sorted(result.keys() - {"warnings"})}


def test_check_mode_predicts_real_run(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    url = sandbox.environment["KLOCWORK_URL"]
    outcomes: collections.Counter[tuple[str, str]] = collections.Counter()
    for seed in seeds():
        world = World(seed, tmp_path)
        sandbox.seed({"review": world.seed()}, reset=True)
        tasks = [*(world.managing_task() for _task in range(2)), *(world.task() for _task in range(TASKS))]
        for number, (account, module, options) in enumerate([*tasks, *world.slow_tasks()]):
            task = {"url": url, "username": account, "ltoken": TOKENS[account], **options}
            predicted = run(module, check_mode=True, diff_mode=True, **task)
            done = run(module, diff_mode=True, **task)
            case = f"TOOLCHAIN_SEED={seed}, task {number}: {account} {module} {options}\n{predicted}\n{done}"
            print(case)
            assert outcome(predicted) == outcome(done), case
            outcomes[module, "failed" if "failed" in done else "changed" if done["changed"] else "unchanged"] += 1
    if len(seeds()) > 1:
        modules = {module for module, _outcome in outcomes}
        assert {module for module in modules if not outcomes[module, "changed"]} == set()
        assert {module for module in modules if not outcomes[module, "failed"]} <= {
            "review_project_import",
            "review_server_import",
        }
