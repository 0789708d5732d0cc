# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the modules that manage objects of Artifactory's central configuration."""

from __future__ import annotations

from support.cases.form import Case, Query, Resource, Write

_BACKUP = {"key": "weekly-of-ours", "cron": "0 0 2 ? * SUN", "visibility_timeout": 0}
_LAYOUT = {"name": "firmware", "visibility_timeout": 0}
_MAIL = {"host": "mail.example.com", "visibility_timeout": 0}
_PROPERTY_SET = {"name": "quality", "visibility_timeout": 0}
_PROXY = {"key": "corporate", "host": "proxy.example.com", "port": 3128, "visibility_timeout": 0}
_PATTERN = "[orgPath]/[module]/[module]-[baseRev].[ext]"
_STATUS = {"name": "qa.status", "type": "single", "values": ["a b;c,d=e", "é"], "default_values": ["é"]}

CONFIGURATION: dict[str, Case] = {
    "artifact_backup": Resource(
        create={**_BACKUP, "excluded_repositories": ["generic-local", "docker-local"], "retention_period_hours": 336},
        update={**_BACKUP, "enabled": False, "excluded_repositories": ["docker-local"], "verify_disk_space": True},
        absent={**_BACKUP, "state": "absent"},
        write=Write("merge_configuration"),
        look=("artifact_backup_info", {"key": _BACKUP["key"]}),
    ),
    "artifact_backup_info": Query({}),
    "artifact_layout": Resource(
        create={
            **_LAYOUT,
            "artifact_path_pattern": _PATTERN,
            "folder_integration_revision_regexp": "SNAPSHOT",
            "file_integration_revision_regexp": "(?:[0-9]{8}.[0-9]{6})-é",
        },
        update={**_LAYOUT, "distinctive_descriptor_path_pattern": True, "descriptor_path_pattern": _PATTERN},
        absent={**_LAYOUT, "state": "absent"},
        write=Write("merge_configuration"),
        look=("artifact_layout_info", {"name": "firmware"}),
    ),
    "artifact_layout_info": Query({}),
    "artifact_mail": Resource(
        create={**_MAIL, "from_address": "a: b # 'c'", "smtp_password": "password-of-the-mail-server", "tls": True},
        update={**_MAIL, "from_address": "", "port": 587, "enabled": False},
        absent={"state": "absent", "visibility_timeout": 0},
        write=Write("merge_configuration"),
        look=("artifact_mail_info", {}),
    ),
    "artifact_mail_info": Query({}),
    "artifact_property_set": Resource(
        create={**_PROPERTY_SET, "properties": [_STATUS, {"name": "qa.comment"}]},
        update={**_PROPERTY_SET, "visible": False, "properties": [{**_STATUS, "values": ["é"]}], "purge": True},
        absent={**_PROPERTY_SET, "state": "absent"},
        write=Write("merge_configuration"),
        look=("artifact_property_set_info", {"name": "quality"}),
    ),
    "artifact_property_set_info": Query({}),
    "artifact_proxy": Resource(
        create={**_PROXY, "proxy_password": "password-of-the-proxy", "redirected_to_hosts": ["b", "a"]},
        update={**_PROXY, "port": 8080, "redirected_to_hosts": [], "services": ["jfxr", "jfrt"]},
        absent={"key": "corporate", "state": "absent", "visibility_timeout": 0},
        write=Write("merge_configuration"),
        look=("artifact_proxy_info", {"key": "corporate"}),
    ),
    "artifact_proxy_info": Query({}),
}
