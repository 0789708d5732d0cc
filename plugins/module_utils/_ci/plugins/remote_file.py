# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plugin files that Jenkins downloads: which plugin they contain."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import (
    ScriptFailure,
    run_internal,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService

# Jenkins downloads the file of an upload with the same method (hudson.PluginManager.UrlPluginCopier). The script stops
# after the manifest, which is one of the first entries of a plugin file
READ_MANIFEST = """
def zip = new java.util.zip.ZipInputStream(hudson.ProxyConfiguration.getInputStream(new URL(args.url)))
try {
    for (def entry = zip.nextEntry; entry != null; entry = zip.nextEntry) {
        if (entry.name == 'META-INF/MANIFEST.MF') {
            def attributes = new java.util.jar.Manifest(zip).mainAttributes
            return [name: attributes.getValue('Short-Name'), version: attributes.getValue('Plugin-Version')]
        }
    }
    return [name: null, version: null]
} finally {
    zip.close()
}
"""


def find_problem(ci: CiService, name: str, version: str | None, url: str) -> str | None:
    """Return why the file at a URL is not a plugin in a version, or `None` if it is."""
    try:
        found = run_internal(ci, "read the manifest of a plugin file", READ_MANIFEST, {"url": url}, read_only=True)
    except ScriptFailure as failure:
        cause = str(failure).partition(" failed: ")[2]
        return f"{name} {version}: Jenkins cannot read the file at {url} ({cause.rstrip('.')})"
    if not (found["name"] and found["version"]):
        return f"{name} {version}: the file at {url} is not a plugin"
    if (found["name"], found["version"]) != (name, version):
        return f"{name} {version}: the file at {url} contains {found['name']} {found['version']}"
    return None
