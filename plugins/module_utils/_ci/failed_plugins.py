# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What became of the plugins that are not in the server's list: some of them failed to load."""

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
_LONGEST_REASON = 300


def reasons(ci: CiService, names: t.Iterable[str]) -> dict[str, str]:
    """Why plugins failed to load, by name, as far as the account may see it.

    No document has it. A page names what failed; in what words, differs from release to release. So that is only a
    hint, and what a script of the server tells is believed.

    :arg names: the plugins in question; only when the page names one of them, the script is run
    """
    page = ci.http.read("GET", "/pluginManager/installed", accept=(200, 403, 404))
    text = unescape(page.text) if page.status == 200 else ""
    asked = {name for name in names if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)}
    if not asked:
        return {}
    try:
        failed = all_reasons(ci)
    except ServerRefusal as refusal:
        if refusal.status != 403:
            raise
        return {}
    return {name: reason for name, reason in failed.items() if name in asked}


def all_reasons(ci: CiService) -> dict[str, str]:
    """Why each plugin failed to load, by name, as a script of the server tells it: since its last start."""
    failed = ci.post("/scriptText", reads=True, form={"script": _SCRIPT}).record()
    return {name: _told(failed.text(name)) for name in failed}


def _told(exception: str) -> str:
    """The reasons in the text of an exception; without any, its first line."""
    lines = _REASON.findall(exception) or exception.strip().splitlines()[:1]
    return "; ".join(lines)[:_LONGEST_REASON] or "it does not say why"
