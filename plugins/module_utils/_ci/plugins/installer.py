# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Install, upload, enable, disable and uninstall plugins."""

from __future__ import annotations

import typing as t
from urllib.parse import quote

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.inventory import PluginInventory
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.plan import Plan, Step
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    ToolchainError,
    add_advice,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import LocalFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.multipart import Multipart
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_CALLS = {"enable": "makeEnabled", "disable": "makeDisabled", "uninstall": "doUninstall"}


class PluginInstaller:
    """Sends the requests that change plugins.

    :ivar uploaded: versions of uploaded files by name of the plugin
    """

    def __init__(self, task: Task, ci: CiService) -> None:
        self._task = task
        self._ci = ci
        self.uploaded: dict[str, str] = {}

    def change(self, steps: t.Iterable[Step]) -> None:
        """Enable, disable or uninstall plugins."""
        for step in steps:
            self._call(step.name, _CALLS[step.action])

    def _call(self, name: str, call: str) -> None:
        path = f"/pluginManager/plugin/{quote(name)}/{call}"
        self._ci.post(path, policy=IDEMPOTENT, accept=(200, 302))

    def disable_again(self, names: set[str], inventory: PluginInventory) -> None:
        """Disable plugins that an installation has enabled as a side effect."""
        for name in sorted(names):
            if name in inventory.plugins and inventory.plugins[name].flag("enabled"):
                self._call(name, _CALLS["disable"])

    def install(self, plan: Plan) -> bool:
        """Start the installations and uploads of a plan; return whether there are any."""
        self._request_installations([step for step in plan.select("install") if step.required_by is None])
        for step in plan.select("upload"):
            self._upload(step)
        return bool(plan.select("install", "upload"))

    def _request_installations(self, steps: list[Step]) -> None:
        """Install plugins. A new plugin with a dependency that the next start loads must not be loaded immediately."""
        late = [step.name for step in steps if step.is_new and step.needs_restart]
        self._install_by_name([step.name for step in steps if step.name not in late], load_dynamically=True)
        self._install_by_name(late, load_dynamically=False)

    def _install_by_name(self, names: list[str], load_dynamically: bool) -> None:
        if not names:
            return
        body = {"plugins": names, "dynamicLoad": load_dynamically}
        response = self._ci.post("/pluginManager/installPlugins", policy=IDEMPOTENT, json=body)
        self._task.changed = True  # because the installation continues in the background
        record = response.record()
        if record.text("status") != "ok":
            raise ToolchainError(f"Installing plugins failed: {record.maybe_text('message')}.")

    def _upload(self, step: Step) -> None:
        """Upload a file or the URL of a file. Jenkins requires both parts in this order, one of them empty."""
        if step.src:
            form = Multipart({"pluginUrl": ""}, {"name": LocalFile.from_path_unhashed(step.src)})
        else:
            form = Multipart({"name": "", "pluginUrl": step.url or ""}, {})
        try:
            self._ci.post("/pluginManager/uploadPlugin", policy=IDEMPOTENT, accept=(302,), data=form)
        except ServerRefusal as refusal:
            if refusal.status == 500:
                source = step.src or step.url
                raise add_advice(refusal, f"Check whether {source} is accessible and a plugin.") from None
            raise
        self._task.changed = True  # as in _install_by_name
        self.uploaded[step.name] = str(step.version)
