# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests of modules that change objects of Artifactory's central configuration."""

from __future__ import annotations

from typing import Any

from support.conversation import Call, call

PATH = "/artifactory/api/system/configuration"
NAMESPACE = "http://artifactory.jfrog.org/xsd/3.1.32"
REPOSITORIES = "/artifactory/api/repositories"


def describe(*sections: str) -> str:
    """Return a configuration with these sections."""
    declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return f'{declaration}<config xmlns="{NAMESPACE}">\n{"".join(sections)}\n</config>\n'


def read(*sections: str, **options: Any) -> Call:
    """Return the read of a configuration with these sections."""
    return call("GET", PATH, text=describe(*sections), headers={"Content-Type": "application/xml"}, **options)


def patch(changes: dict[str, Any], status: int = 200, **options: Any) -> Call:
    """Return the request that merges these changes."""
    options.setdefault("text", "1 changes to config merged successfully")
    headers = {"Content-Type": "application/yaml"}
    return call("PATCH", PATH, status, sent_json=changes, sent_headers=headers, **options)


def version(number: str = "7.77.3", license_type: str = "Enterprise") -> Call:
    return call("GET", "/artifactory/api/system/version", json={"version": number, "license": license_type})


def repositories(*keys: str) -> Call:
    """Return the list of these repositories."""
    return call("GET", REPOSITORIES, json=[{"key": key, "type": "LOCAL", "packageType": "Generic"} for key in keys])


def configurations(*records: dict[str, Any]) -> Call:
    """Return the configurations of these repositories."""
    common = {"rclass": "local", "packageType": "generic", "repoLayoutRef": "simple-default"}
    return call("GET", f"{REPOSITORIES}/configurations", json={"LOCAL": [{**common, **record} for record in records]})
