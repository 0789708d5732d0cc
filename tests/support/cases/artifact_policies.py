# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the modules for clean-up policies and licenses of Artifactory."""

from __future__ import annotations

import base64

from support.cases.form import Case, Query, Resource, Write

_ENTERPRISE = {"version": "7.111.4", "edition": "enterprise"}
_CLUSTER = {**_ENTERPRISE, "cluster": True}
_FIRST_KEY, _SECOND_KEY = (
    base64.b64encode(f'{{"licensedTo": "{owner}", "validThrough": "Dec 7, 2050"}}'.encode()).decode()
    for owner in ("the first owner", "the second owner")
)
_POLICY = {"key": "old-packages_of-ours"}

POLICIES: dict[str, Case] = {
    "artifact_cleanup_policy": Resource(
        create={
            **_POLICY,
            "description": "Wéb; packages",
            "cron": "0 0 2 ? * SUN",
            "enabled": True,
            "criteria": {
                "package_types": ["generic", "docker"],
                "repositories": ["generic-local", "docker-local"],
                "excluded_packages": ["wéb/**"],
                "created_before_days": 90,
                "last_downloaded_before_days": 30,
            },
        },
        update={
            **_POLICY,
            "cron": "",
            "duration_in_minutes": 60,
            "enabled": False,
            "skip_trashcan": True,
            "criteria": {
                "repositories": ["**"],
                "created_before_days": 0,
                "last_downloaded_before_months": 3,
                "excluded_properties": {"keep": "yes"},
            },
        },
        absent={**_POLICY, "state": "absent"},
        write=Write("create_cleanup_policy"),
        look=("artifact_cleanup_policy_info", {}),
        switches=_ENTERPRISE,
    ),
    "artifact_cleanup_policy_info": Query({}, switches=_ENTERPRISE),
    "artifact_license": Resource(
        create={"license_keys": [f" {_FIRST_KEY[:20]}\n{_FIRST_KEY[20:]}\n"]},
        update={"license_keys": [f"{_FIRST_KEY}\n\n{_SECOND_KEY}"]},
        absent={"license_keys": [_FIRST_KEY, _SECOND_KEY], "state": "absent"},
        write=Write("install_licenses"),
        look=("artifact_license_info", {}),
        switches=_CLUSTER,
    ),
    "artifact_license_info": Query({}, switches=_CLUSTER),
}
