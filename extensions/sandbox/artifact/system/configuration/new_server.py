# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of a new server."""

from __future__ import annotations

from typing import Any

from ...maven.layouts import GRADLE_FILE, MAVEN_FILE
from ...protocol import feature_versions
from ...protocol.versions import is_at_least
from .schema import SECTIONS

# Sections and members with a default that a new server does not have.
_ABSENT = ("mailServer", "bintrayConfig", "quotaConfig", "systemMessageConfig")
_ANY = ".*"
_TIMESTAMP = r"\d{14}"
_IVY_FOLDER = "[org]/[module]/[baseRev](-[folderItegRev])/[type]s"
_SBT_FOLDER = "[org]/[module]/(scala_[scalaVersion<.+>])/(sbt_[sbtVersion<.+>])/[baseRev]/[type]s"
# Path pattern of artifacts, that of descriptors, and the expressions for integration revisions of folder and file.
_LAYOUTS: dict[str, tuple[str, str | None, str, str]] = {
    "maven-2-default": (
        *(MAVEN_FILE, MAVEN_FILE.replace("[ext]", "pom"), "SNAPSHOT"),
        r"SNAPSHOT|(?:(?:[0-9]{8}.[0-9]{6})-(?:[0-9]+))",
    ),
    "ivy-default": (
        f"{_IVY_FOLDER}/[module](-[classifier])-[baseRev](-[fileItegRev]).[ext]",
        f"{_IVY_FOLDER}/ivy-[baseRev](-[fileItegRev]).xml",
        *(_TIMESTAMP, _TIMESTAMP),
    ),
    "gradle-default": (
        f"[org]/[module]/[baseRev](-[folderItegRev])/{GRADLE_FILE}",
        "[org]/[module]/ivy-[baseRev](-[fileItegRev]).xml",
        *(_TIMESTAMP, _TIMESTAMP),
    ),
    "maven-1-default": (
        f"[org]/[type]s/{GRADLE_FILE}",
        *("[org]/[type]s/[module]-[baseRev](-[fileItegRev]).pom", ".+", ".+"),
    ),
    "nuget-default": ("[orgPath]/[module]/[module].[baseRev](-[fileItegRev]).nupkg", None, _ANY, _ANY),
    "npm-default": ("[orgPath]/[module]/[module]-[baseRev](-[fileItegRev]).tgz", None, _ANY, _ANY),
    "bower-default": ("[orgPath]/[module]/[module]-[baseRev](-[fileItegRev]).[ext]", None, _ANY, _ANY),
    "vcs-default": (
        "[orgPath]/[module]/[refs<tags|branches>]/[baseRev]/[module]-[baseRev](-[fileItegRev])(-[classifier]).[ext]",
        *(None, _ANY, "[a-zA-Z0-9]{40}"),
    ),
    "sbt-default": (f"{_SBT_FOLDER}/[module](-[classifier]).[ext]", f"{_SBT_FOLDER}/ivy.xml", _TIMESTAMP, _TIMESTAMP),
    "simple-default": ("[orgPath]/[module]/[module]-[baseRev].[ext]", None, _ANY, _ANY),
    "cargo-default": ("crates/[module]/[module]-[baseRev].[ext]", None, _ANY, _ANY),
    "composer-default": ("[orgPath]/[module]/[module]-[baseRev](-[fileItegRev]).[ext]", None, _ANY, _ANY),
    "conan-default": (
        "[org]/[module]/[baseRev]/[channel<[^/]+>]/[folderItegRev]/(package/[package_id<[^/]+>]/[fileItegRev]/)"
        "[remainder<(?:.+)>]",
        *(None, "[^/]+", "[^/]+"),
    ),
    "puppet-default": ("[orgPath]/[module]/[orgPath]-[module]-[baseRev].tar.gz", None, _ANY, _ANY),
    "go-default": ("[orgPath]/[module]/@v/v[baseRev](-[fileItegRev]).[ext]", None, _ANY, _ANY),
    "build-default": ("[orgPath]/[module](-[fileItegRev]).[ext]", None, _ANY, _ANY),
    "terraform-module-default": ("[namespace]/[module-name]/[provider]/[version].[ext]", None, _ANY, _ANY),
    "terraform-provider-default": (
        "[namespace]/[provider-name]/[version]/terraform-provider-[provider-name]_[version]_[os]_[arch].[ext]",
        *(None, _ANY, _ANY),
    ),
    "swift-default": ("[scope]/[name]/[name]-[version].zip", None, _ANY, _ANY),
    "ansible-default": ("[orgPath]/[module]/[module]-[baseRev].[ext]", None, _ANY, _ANY),
    "nix-default": ("[orgPath]/[module]/[module]-[baseRev].[ext]", None, _ANY, _ANY),
}
# The versions that introduced layouts: 4.4.2, 5.4.6 and 6.20 lack those of later ones.
_LAYOUT_VERSIONS = {
    **dict.fromkeys(("composer-default", "conan-default", "puppet-default"), "5.0"),
    **dict.fromkeys(("go-default", "build-default"), "6.0"),
    **dict.fromkeys(
        (
            *("cargo-default", "terraform-module-default", "terraform-provider-default", "swift-default"),
            *("ansible-default", "nix-default"),
        ),
        "7.0",
    ),
}
# Layouts that differ in versions before the given one.
_OLD_LAYOUTS: dict[str, tuple[str, tuple[str, str | None, str, str]]] = {
    "conan-default": ("6.0", ("[module]/[baseRev]/[org]/[channel<[^/]+>][remainder<(?:.*)>]", None, _ANY, _ANY)),
    "simple-default": ("5.0", ("[orgPath]/[module]/[module]-[baseRev](-[fileItegRev]).[ext]", None, _ANY, _ANY)),
}
_LICENSES = ("AGPL-V3", "Apache-2.0", "BSD 3-Clause", "EPL-2.0", "GPL-3.0", "LGPL-3.0", "MIT", "MPL-2.0")
_WEEKLY = {"enabled": False, "cronExp": "0 0 2 ? * SAT", "retentionPeriodHours": 336}
_DAILY = {"enabled": True, "cronExp": "0 0 2 ? * MON-FRI", "retentionPeriodHours": 0}
_SPECIFIC: dict[str, Any] = {
    "backups": {"backup-daily": _DAILY, "backup-weekly": _WEEKLY},
    "indexer": {"cronExp": "0 23 5 * * ?"},
    "propertySets": {
        "artifactory": {
            "visible": False,
            "properties": {
                "licenses": {
                    "closedPredefinedValues": True,
                    "multipleChoice": True,
                    "predefinedValues": {license_name: {} for license_name in _LICENSES},
                }
            },
        }
    },
    "gcConfig": {"cronExp": "0 0 /4 * * ?"},
    "cleanupConfig": {"cronExp": "0 12 5 * * ?"},
    "virtualCacheCleanupConfig": {"cronExp": "0 12 0 * * ?"},
}


def list_specific(version: str, is_oss: bool) -> dict[str, Any]:
    """Return the members of a new server that differ from the defaults of the schema, by section."""
    names = [name for name, kind in SECTIONS.items() if isinstance(kind, dict) and name not in _ABSENT]
    present: dict[str, Any] = {name: {} for name in names}
    layouts = {
        name: _describe_layout(*_select_patterns(name, version))
        for name in _LAYOUTS
        if is_at_least(version, _LAYOUT_VERSIONS.get(name, "0"))
    }
    specific = {**present, "proxies": {}, "reverseProxies": {}, "repoLayouts": layouts, **_SPECIFIC}
    if is_oss and not is_at_least(version, feature_versions.OPEN_SOURCE_PROPERTY_SET):
        specific["propertySets"] = {}
    return specific


def _select_patterns(name: str, version: str) -> tuple[str, str | None, str, str]:
    end, patterns = _OLD_LAYOUTS.get(name, ("0", _LAYOUTS[name]))
    return _LAYOUTS[name] if is_at_least(version, end) else patterns


def _describe_layout(artifact: str, descriptor: str | None, folder: str, file: str) -> dict[str, Any]:
    return {
        "artifactPathPattern": artifact,
        "distinctiveDescriptorPathPattern": descriptor is not None,
        **({"descriptorPathPattern": descriptor} if descriptor else {}),
        "folderIntegrationRevisionRegExp": folder,
        "fileIntegrationRevisionRegExp": file,
    }
