# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the modules for release bundles, which require an Enterprise license."""

from __future__ import annotations

from support.cases.form import Case, Query, Resource, Write

_ENTERPRISE = {"edition": "enterprise"}
_BUNDLE = {"name": "app-of_ours", "version": "1.0", "wait_delay": 0.1}
_ARTIFACTS = {"artifacts": [{"path": "generic-local/app/1.0/app-1.0.tar.gz"}, {"path": "generic-local/app/README.txt"}]}
_PARTS = ["promotions", "artifacts"]

RELEASE_BUNDLES: dict[str, Case] = {
    "artifact_release_bundle": Resource(
        create={**_BUNDLE, **_ARTIFACTS},
        update={
            **_BUNDLE,
            **_ARTIFACTS,
            "environment": "DEV",
            "included_repository_keys": ["generic-release-local"],
        },
        absent={**_BUNDLE, "allow_delete_promoted": True, "state": "absent"},
        write=Write("create_release_bundle"),
        look=("artifact_release_bundle_info", {"name": _BUNDLE["name"], "include": _PARTS}),
        switches=_ENTERPRISE,
    ),
    "artifact_release_bundle_info": Query({"name": _BUNDLE["name"], "include": _PARTS}, switches=_ENTERPRISE),
}
