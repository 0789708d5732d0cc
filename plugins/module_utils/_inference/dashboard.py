# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the private pages of the dashboard read: of no promised form, so it is given as it comes."""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.service import InferenceService
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

PATHS = {
    "subscription": "/billing/subscription",
    "user_keys": "/user/api_keys",
    "feature_flags": "/feature_flags",
    "project_users": "",
}

# A whole key; what lists have instead of one has dots or stars in it
_KEY = re.compile(r"(sk|sess)-[\w-]{16,}")


def fetch(task: Task, subject: str) -> t.Any:
    """The answer, an object or a list, in which whole keys are secrets of the task."""
    inference = InferenceService(task)
    if subject == "project_users":
        organization = encode_path(task.params["organization"], option="organization")
        project = encode_path(task.params["project"], option="project")
        came = inference.fetch_dashboard(f"/organizations{organization}/projects{project}/users", versioned=True)
    else:
        came = inference.fetch_dashboard(PATHS[subject])
    for key in _KEY.finditer(came.text):
        task.register_secret(key.group())
    return came.json((dict, list))


def extract_amounts(value: t.Any) -> dict[str, t.Any]:
    """The amounts of money among the members of an answer, by name."""
    found = {}
    for name, amount in value.items() if isinstance(value, dict) else ():
        if name.endswith("_usd") and isinstance(amount, (int, float)) and not isinstance(amount, bool):
            found[name] = {"amount": amount, "currency": "USD", "unit": "dollar"}
    return found
