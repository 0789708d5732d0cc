# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the modules for LDAP settings of Artifactory."""

from __future__ import annotations

from support.cases.form import Case, Query, Resource, Write

_SETTING = {
    "key": "ldap-of-ours",
    "ldap_url": "ldaps://ldap.example.com:636/dc=example,dc=com",
    "search_filter": "(uid={0})",
    "manager_dn": "cn=ünser,dc=example,dc=com",
    "manager_password": "password-of-the-manager",
}
_GROUP = {
    "name": "groups of ours",
    "name_attribute": "cn",
    "member_attribute": "uniqueMember",
    "filter": "(objectClass=groupOfNames)",
    "description_attribute": "description",
}

LDAP: dict[str, Case] = {
    "artifact_ldap": Resource(
        create={**_SETTING, "groups": [_GROUP, {**_GROUP, "name": "others"}]},
        update={
            **_SETTING,
            "enabled": True,
            "search_base": "ou=ünser|ou=people",
            "groups": [{**_GROUP, "strategy": "hierarchical", "base_dn": "ou=groups"}],
            "purge": True,
        },
        absent={"key": _SETTING["key"], "purge": True, "state": "absent"},
        write=Write("create_ldap_setting", first_of_several=True),
        look=("artifact_ldap_info", {}),
    ),
    "artifact_ldap_info": Query({}),
}
