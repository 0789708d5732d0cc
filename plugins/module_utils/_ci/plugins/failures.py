# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plugins that failed to load. They are missing in the list of plugins."""

from __future__ import annotations

import re
import typing as t
from html import unescape

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal

_SCRIPT = """\
println groovy.json.JsonOutput.toJson(jenkins.model.Jenkins.get().pluginManager.failedPlugins.collectEntries {
    [it.name, it.exceptionString]
})
null
"""
_REASON = re.compile(r"(?m)^ - (.+)$")
_MAX_REASON = 300


def fetch_reasons(ci: CiService, names: t.Iterable[str]) -> dict[str, str]:
    """Return by name why plugins failed to load, as far as the account may read it.

    The API does not report it. The plugin page names such plugins, but its wording depends on the release, so a match
    is only used as a hint to run a script.

    :arg names: the script is run only if the page contains one of these names
    """
    page = ci.http.read("GET", "/pluginManager/installed", accept=(200, 403, 404))
    text = unescape(page.text) if page.status == 200 else ""
    candidates = {name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)}
    if not candidates:
        return {}
    try:
        reasons = fetch_all_reasons(ci)
    except ServerRefusal as refusal:
        if refusal.status != 403:
            raise
        return {}
    return {name: reason for name, reason in reasons.items() if name in candidates}


def fetch_all_reasons(ci: CiService) -> dict[str, str]:
    """Run a script that returns by name why plugins failed to load when the server last started."""
    exceptions = ci.post("/scriptText", read_only=True, form={"script": _SCRIPT}).record()
    return {name: _summarize(exceptions.text(name)) for name in exceptions}


def _summarize(exception: str) -> str:
    """Return the reasons in the text of an exception or its first line."""
    lines = _REASON.findall(exception) or exception.strip().splitlines()[:1]
    return "; ".join(lines)[:_MAX_REASON] or "Jenkins gave no reason"
