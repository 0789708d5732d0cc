# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Known plugin scripts: causes of load failures, installation, and the manifest of a file that Jenkins downloads."""

from __future__ import annotations

import json
import re

from ..call import Call
from ..scripts.known_scripts import Arguments, ScriptError, known_script

FAILED = "JsonOutput.toJson(jenkins.model.Jenkins.get().pluginManager.failedPlugins.collectEntries"
# The script of python-jenkins. Without `dynamicLoad`, Jenkins loads plugins at the next start only.
DEPLOY = re.compile(r'updateCenter\.getPlugin\("([^"]+)"\)\.deploy\(\)')
RESTART_REQUIRED = "Jenkins.instance.updateCenter.isRestartRequiredForCompletion()"
PRINT = re.compile(r'print\("([^"]*)"\)')


@known_script("read the manifest of a plugin file", read_only=True)
def _read_manifest(call: Call, arguments: Arguments) -> dict[str, str]:
    manifest = call.update_site.download(arguments["url"])
    if not manifest:
        raise ScriptError(arguments["url"], "java.io.FileNotFoundException")
    return {"name": manifest["name"], "version": manifest["version"]}


def run_known_script(call: Call, script: str) -> str | None:
    """Return the output of such a script, or None for other scripts."""
    if FAILED in script:
        return json.dumps(call.plugins.list_failed()) + "\n"
    names = DEPLOY.findall(script)
    if not names and RESTART_REQUIRED not in script:
        return None
    if not all(name in call.update_site.offers() for name in names):
        return "java.lang.NullPointerException: Cannot invoke method deploy() on null object\n\tat Script1.run\n"
    call.installations.install(names, dynamic=False, now=call.now)
    printed = "".join(PRINT.findall(script))
    if script.rstrip().endswith(RESTART_REQUIRED):
        return f"{printed}Result: {json.dumps(call.restart_required)}\n"
    return printed
