# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that run a script of a module."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts import groovy
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.unknown import FIND_UNKNOWN
from support.conversation import Call, call

HEADERS = {"Content-Type": "text/plain;charset=utf-8"}


def script(
    name: str,
    code: str,
    args: dict[str, Any] | None = None,
    value: Any = None,
    error: dict[str, str] | None = None,
    **options: Any,
) -> Call:
    """Return the request that runs a script, which returns a value or throws an error with `type` and `message`."""
    form = groovy.controller_form(f"// buildworks.toolchain: {name}\n{code}", args or {})
    report = {"ran": True, "error": {"line": 1, **error}} if error else {"ran": True, "value": value}
    return call(
        "POST",
        "/scriptText",
        **{"text": f"\n@@toolchain@@{json.dumps(report)}", "headers": HEADERS, "sent_form": form, **options},
    )


def ask_unknown(names: dict[str, list[str]], unknown: dict[str, list[str]] | None = None) -> Call:
    """Return the request for the classes and permissions of a configuration that Jenkins does not have."""
    value = {kind: (unknown or {}).get(kind, []) for kind in names}
    return script("find unknown classes and permissions", FIND_UNKNOWN, {"names": names}, value)
