# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests with which modules run their own scripts in the script console."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts import groovy
from support.conversation import Call, call


def internal_script(name: str, code: str, args: dict[str, Any], *, value: Any = None, **error: str) -> Call:
    """Return the request of a script, whose response contains its value or an error with `type` and `message`."""
    form = groovy.controller_form(f"// buildworks.toolchain: {name}\n{code}", args)
    report = {"ran": True, "error": {"line": 1, **error}} if error else {"ran": True, "value": value}
    return call("POST", "/scriptText", text=f"\n@@toolchain@@{json.dumps(report)}", sent_form=form)
