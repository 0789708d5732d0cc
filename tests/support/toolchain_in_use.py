# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The state of a toolchain that is in use, for the overview: builds, costs, issues, and a history of storage sizes."""

from __future__ import annotations

import random
import time
from typing import Any

DAY = 86_400
_GIGABYTE = 1 << 30
# Sizes in gigabytes, growth of the last weeks in gigabytes per week
REPOSITORIES = {
    "docker-builds": (31.4, 2.1),
    "maven-snapshots": (18.2, 1.4),
    "maven-releases": (12.7, 0.3),
    "npm-local": (6.3, 0.2),
    "generic-installers": (22.9, 0.05),
    "helm-charts": (0.2, 0.0),
    "pypi-local": (1.1, 0.1),
    "debian-local": (3.6, 0.0),
    "models": (41.0, 3.2),
    "archive": (9.5, -0.4),
}
_JOBS = {
    "payments/api": (420, 0.12),
    "payments/web": (260, 0.05),
    "payments/end-to-end-tests": (2900, 0.45),
    "mobile/android": (1350, 0.2),
    "mobile/ios": (1700, 0.1),
    "platform/base-image": (90, 0.0),
    "platform/terraform": (45, 0.3),
    "tools/docs": (12, 0.0),
    "tools/linter": (0.4, 0.0),
    "tools/backup": (5400, 0.0),
}
# Cost per day in US dollars by model
_MODELS = {
    "gpt-4o-2024-08-06": 9.5,
    "gpt-4o-mini-2024-07-18": 1.8,
    "o4-mini-2025-04-16": 4.2,
    "gpt-4.1-2025-04-14": 2.6,
}
# Open issues by severity, 1 to 4, in five builds
_TREND = ((2, 9, 20, 31), (2, 8, 22, 30), (2, 8, 21, 33), (2, 7, 19, 34), (3, 6, 18, 36))


def build_seed(now: float) -> dict[str, Any]:
    """Return the seed of all services, added to the default objects."""
    dice = random.Random(7)
    return {
        "artifact": _seed_artifact(),
        "ci": {"jobs": [_seed_job(dice, name, *about) for name, about in _JOBS.items()]},
        "review": {"projects": [_seed_project("payments", now)]},
        "inference": _seed_inference(dice, now),
    }


def build_history(host: str, now: float, used: dict[str, int]) -> list[dict[str, Any]]:
    """Return ten weekly runs before now.

    :arg used: current sizes of the repositories
    """
    runs = []
    for week in range(10, 0, -1):
        sizes = {
            name: max(0, int(size - week * REPOSITORIES.get(name, (0, 0))[1] * _GIGABYTE * (1 + week % 3 / 10)))
            for name, size in used.items()
        }
        at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - week * 7 * DAY))
        runs.append({"at": at, "host": host, "used": sum(sizes.values()), "repositories": sizes})
    return runs


def _seed_artifact() -> dict[str, Any]:
    return {
        "repositories": [
            {
                "key": key,
                "rclass": "local",
                "packageType": "generic",
                "generate": [{"path": "{n}/file.bin", "count": 10, "size": int(size * _GIGABYTE / 10)}],
            }
            for key, (size, _growth) in REPOSITORIES.items()
        ],
        "tokens": [
            {"token": "soon-1", "username": "ci", "description": "Jenkins", "expires_in": 5 * DAY + 3600},
            {"token": "soon-2", "username": "deployer", "description": "release pipeline", "expires_in": 21 * DAY},
            {"token": "later-1", "username": "ci", "description": "build agents", "expires_in": 200 * DAY},
        ],
    }


def _seed_job(dice: random.Random, name: str, seconds: float, failures: float) -> dict[str, Any]:
    builds = []
    for number in range(28):
        result = "SUCCESS" if dice.random() >= failures else dice.choice(["FAILURE", "FAILURE", "UNSTABLE", "ABORTED"])
        ago = (27 - number) * 0.5 * DAY + dice.random() * 20_000
        builds.append({"result": result, "seconds": round(seconds * dice.uniform(0.8, 1.4), 1), "ago": int(ago) + 60})
    return {"name": name, "builds": builds}


def _seed_project(name: str, now: float) -> dict[str, Any]:
    builds = [
        {"name": f"release_{number}", "date": int((now - (len(_TREND) - number) * 7 * DAY - 7200) * 1000)}
        for number in range(1, len(_TREND) + 1)
    ]
    issues = []
    for severity in range(1, 5):
        counts = [build[severity - 1] for build in _TREND]
        highest = max(counts)
        for position in range(highest):
            # An issue is open in the builds whose count exceeds its position
            open_in = [index for index, count in enumerate(counts) if count > position]
            first, last = open_in[0], open_in[-1]
            fixed = {"fixed_in": builds[last + 1]["name"]} if last + 1 < len(builds) else {}
            folder = ("core", "api", "web", "third_party")[position % 4]
            issues.append(
                {
                    "code": f"RULE.{severity}",
                    "file": f"src/{folder}/f{position}.c",
                    "line": position + 1,
                    "severity": severity,
                    "found_in": builds[first]["name"],
                    **fixed,
                }
            )
    modules = [{"name": folder, "paths": [f"**/{folder}/*"]} for folder in ("core", "api", "web", "third_party")]
    return {"name": name, "creator": "admin", "modules": modules, "builds": builds, "issues": issues}


def _seed_inference(dice: random.Random, now: float) -> dict[str, Any]:
    costs, usage = [], []
    for day in range(30):
        for model, price in _MODELS.items():
            for project, share in (("proj_default", 0.3), ("proj_sandbox", 0.7)):
                amount = price * share * dice.uniform(0.5, 1.5) * (1.4 - day / 50)
                common = {"organization": "org-sandbox", "project": project, "ago": day * DAY}
                for part, of_price in (("input", 0.4), ("output", 0.6)):
                    costs.append({**common, "line_item": f"{model}, {part}", "amount": round(amount * of_price, 4)})
                counts = {"input_tokens": int(amount * 160_000), "output_tokens": int(amount * 60_000)}
                usage.append({**common, "model": model, "num_model_requests": int(amount * 130), **counts})
    keys = [
        {
            "key": "sk-admin-short0000000000000000000000009",
            "organization": "org-sandbox",
            "id": "key_short",
            "name": "Cost reports",
            "owner": "user-sandbox-olivia",
            "created_at": int(now) - 25 * DAY,
            "expires_at": int(now) + 5 * DAY + 3600,
        }
    ]
    return {"costs": costs, "usage": usage, "keys": keys}
