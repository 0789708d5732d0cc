# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same request by a task of this collection and by `ansible.builtin.uri`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sandbox.client import Sandbox

ACTIONS = Path(__file__).resolve().parents[1] / "action_plugins"
ITEM = {"repo": "generic-local", "path": "app/1.0/app-1.0.tar.gz"}
OURS = {"buildworks.toolchain.artifact_properties": {**ITEM, "properties": {"build.name": "app"}}}


def uri_task(sandbox: Sandbox) -> dict[str, Any]:
    """Return a task that sends the request of `OURS` if nothing has to change."""
    return {
        "ansible.builtin.uri": {
            "url": f"{sandbox.url}/artifactory/api/storage/{ITEM['repo']}/{ITEM['path']}?properties",
            "headers": {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"},
            "return_content": True,
        }
    }
