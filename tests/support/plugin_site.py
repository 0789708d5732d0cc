# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An update site with one plugin for each outcome of an installation, and plugin files."""

from __future__ import annotations

import io
import zipfile
from typing import Any

URL = "https://updates.example.com/update-center.json"
OFFERS: list[dict[str, Any]] = [
    {"name": "plain", "version": "1.0", "long_name": "Plain Plugin", "older": ["0.9"]},
    {"name": "base", "version": "1.0"},
    {"name": "middle", "version": "1.0", "dependencies": [{"name": "base", "version": "1.0"}]},
    {"name": "top", "version": "1.0", "dependencies": [{"name": "middle", "version": "1.0"}]},
    {"name": "static", "version": "1.0", "supports_dynamic_load": "NO"},
    {"name": "git", "version": "5.3.0"},
    {"name": "ldap", "version": "1.0", "dependencies": [{"name": "pam-auth", "version": "3.0"}]},
    {"name": "gone", "version": "1.0", "fails": "download"},
    {"name": "forged", "version": "1.0", "fails": "checksum"},
    {"name": "unsummed", "version": "1.0", "fails": "no checksum"},
    {"name": "orphan", "version": "1.0", "dependencies": [{"name": "nowhere", "version": "2.0"}]},
    {"name": "modern", "version": "1.0", "required_core_version": "9.0"},
    {"name": "broken", "version": "1.0", "broken": "java.lang.ClassNotFoundException: broken.PluginImpl"},
    {"name": "stale", "version": "2.0", "file": {"version": "1.0"}},
    {"name": "alias", "version": "1.0", "file": {"name": "other"}},
]
SITE = {"url": URL, "fetched": True, "plugins": OFFERS}


def seed(**site: Any) -> dict[str, Any]:
    """Return a seed with the site, whose metadata the server has downloaded."""
    return {"ci": {"update_site": URL, "update_sites": [{**SITE, **site}]}}


def plugin_file(name: str, version: str, **attributes: str) -> bytes:
    """Create a plugin file. Underscores in the names of manifest attributes become hyphens."""
    named = {"Short-Name": name, "Plugin-Version": version, "Long-Name": name.title()}
    named |= {attribute.replace("_", "-"): value for attribute, value in attributes.items()}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        lines = "".join(f"{attribute}: {value}\r\n" for attribute, value in named.items())
        archive.writestr("META-INF/MANIFEST.MF", f"Manifest-Version: 1.0\r\n{lines}\r\n")
    return content.getvalue()
