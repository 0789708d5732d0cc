# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Private endpoints of the dashboard. Their responses have no documented format."""

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

# A complete key. Redacted keys contain dots or asterisks
_KEY = re.compile(r"(sk|sess)-[\w-]{16,}")


def fetch(task: Task, subject: str) -> t.Any:
    """Return the response, an object or a list. Complete keys in it are registered as secrets."""
    inference = InferenceService(task)
    if subject == "project_users":
        organization = encode_path(task.params["organization"], option="organization")
        project = encode_path(task.params["project"], option="project")
        response = inference.fetch_dashboard(f"/organizations{organization}/projects{project}/users", versioned=True)
    else:
        response = inference.fetch_dashboard(PATHS[subject])
    for key in _KEY.finditer(response.text):
        task.register_secret(key.group())
    return response.json((dict, list))


def extract_amounts(response: t.Any) -> dict[str, t.Any]:
    """Return the amounts of money in a response, by field name."""
    amounts = {}
    for name, amount in response.items() if isinstance(response, dict) else ():
        if name.endswith("_usd") and isinstance(amount, (int, float)) and not isinstance(amount, bool):
            amounts[name] = {"amount": amount, "currency": "USD", "unit": "dollar"}
    return amounts
