# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A minimal action that sends one request with requests: no validation, retries, secrets or connection pool.

Like modules, it returns its options as `invocation`.
"""

from __future__ import annotations

import requests
from ansible.plugins.action import ActionBase


class ActionModule(ActionBase):
    def run(self, tmp=None, task_vars=None):
        result = super().run(tmp, task_vars)
        response = requests.get(self._task.args["url"], headers=self._task.args["headers"], timeout=30)
        response.raise_for_status()
        result.update(changed=False, json=response.json(), invocation={"module_args": self._task.args})
        return result
