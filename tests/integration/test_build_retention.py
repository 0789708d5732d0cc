# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode of a build retention predicts what Artifactory then discards."""

from __future__ import annotations

import random
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running

pytestmark = pytest.mark.usefixtures("sandbox_environment")


def generate_runs(rng: random.Random) -> list[dict[str, Any]]:
    """Return up to ten runs on different days, some of them promoted, some with the same number."""
    days = rng.sample(range(1, 29), rng.randint(1, 10))
    return [
        {
            "name": "web",
            "number": str(rng.randint(1, 12)),
            "started": f"2026-05-{day:02}T00:00:00Z",
            "promotions": [{"status": "released"}] if rng.random() < 0.25 else [],
        }
        for day in days
    ]


def generate_rule(rng: random.Random) -> dict[str, Any]:
    """Return a rule with `count`, `minimum_date` or both, and perhaps with numbers to keep."""
    rule: dict[str, Any] = {"keep": [str(number) for number in rng.sample(range(1, 13), rng.randint(0, 3))]}
    criteria = rng.randint(1, 3)
    if criteria & 1:
        rule["count"] = rng.randint(1, 6)
    if criteria & 2:
        rule["minimum_date"] = f"2026-05-{rng.randint(1, 28):02}T00:00:00Z"
    return rule


def list_runs() -> list[dict[str, str]]:
    return running.run("artifact_build_info", build="web")["runs"]


@pytest.mark.parametrize("seed", range(25))
def test_check_mode_predicts_the_discarded_runs(seed: int, sandbox: Sandbox) -> None:
    rng = random.Random(seed)
    sandbox.seed({"artifact": {"builds": generate_runs(rng)}})
    rule = {"build": "web", "wait_timeout": 0, **generate_rule(rng)}
    before = list_runs()
    predicted = running.run("artifact_build_retention", check_mode=True, **rule)
    assert list_runs() == before
    done = running.run("artifact_build_retention", **rule)
    discarded = [run for run in before if run not in list_runs()]
    assert "warnings" not in done
    assert done["plan"] == predicted["plan"]
    assert done["discarded"] == (discarded or None)
    assert (done["plan"] or {"counts": {"discard run": 0}})["counts"]["discard run"] == len(discarded)
    assert done["changed"] == predicted["changed"] == bool(discarded)
    again = running.run("artifact_build_retention", **rule)
    assert not again["changed"]
    assert again["promoted"] == done["promoted"]
