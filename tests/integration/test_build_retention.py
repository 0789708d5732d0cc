# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a build retention foresees is what the server then does."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running

pytestmark = pytest.mark.usefixtures("sandbox_environment")


def some_runs(chance: random.Random) -> list[dict[str, Any]]:
    """Up to ten runs on up to ten days, some of them promoted, some with one number."""
    days = chance.sample(range(1, 29), chance.randint(1, 10))
    return [
        {
            "name": "web",
            "number": str(chance.randint(1, 12)),
            "started": f"2026-05-{day:02}T00:00:00Z",
            "promotions": [{"status": "released"}] if chance.random() < 0.25 else [],
        }
        for day in days
    ]


def some_rule(chance: random.Random) -> dict[str, Any]:
    """At least one of `count` and `minimum_date`, and perhaps numbers to keep."""
    rule: dict[str, Any] = {"keep": [str(number) for number in chance.sample(range(1, 13), chance.randint(0, 3))]}
    which = chance.randint(1, 3)
    if which & 1:
        rule["count"] = chance.randint(1, 6)
    if which & 2:
        rule["minimum_date"] = f"2026-05-{chance.randint(1, 28):02}T00:00:00Z"
    return rule


def there() -> list[dict[str, str]]:
    return running.run("artifact_build_info", build="web")["runs"]


@pytest.mark.parametrize("seed", range(25))
def test_what_is_foreseen_is_what_the_server_does(seed: int, sandbox: Sandbox) -> None:
    chance = random.Random(seed)
    sandbox.seed({"artifact": {"builds": some_runs(chance)}})
    rule = {"build": "web", "wait_timeout": 0, **some_rule(chance)}
    before = there()
    checked = running.run("artifact_build_retention", check_mode=True, **rule)
    assert there() == before
    done = running.run("artifact_build_retention", **rule)
    gone = [run for run in before if run not in there()]
    assert "warnings" not in done
    assert done["plan"] == checked["plan"]
    assert done["discarded"] == (gone or None)
    assert (done["plan"] or {"counts": {"discard run": 0}})["counts"]["discard run"] == len(gone)
    assert done["changed"] == checked["changed"] == bool(gone)
    again = running.run("artifact_build_retention", **rule)
    assert not again["changed"]
    assert again["promoted"] == done["promoted"]
