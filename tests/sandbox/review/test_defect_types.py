# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of taxonomies and defect types."""

from __future__ import annotations

from typing import Any

from support.wire.review import Api

PROJECT = {"project": "mobile-app"}
OVERFLOW = {
    "code": "ABV.GENERAL",
    "name": "Buffer Overflow - Array Index Out of Bounds",
    "enabled": True,
    "severity": 1,
}


def test_taxonomies_are_listed(api: Api) -> None:
    assert {"name": "C and C++", "is_custom": False} in api.records("taxonomies", project="platform")
    assert api.expect_error("taxonomies", project="x") == (404, "Project not found: x")


def test_defect_types_are_filtered_by_taxonomy(api: Api, sandbox: Any) -> None:
    defect_types = api.records("defect_types", **PROJECT)
    assert OVERFLOW in defect_types
    assert {record["enabled"] for record in defect_types} == {True, False}
    java = [record["code"] for record in api.records("defect_types", **PROJECT, taxonomy="Java")]
    assert java == ["JD.BITCMP", "SV.TAINTED.INJECTION"]
    assert api.expect_error("defect_types", **PROJECT, taxonomy="Ada") == (404, "Taxonomy not found: Ada")
    assert api.expect_error("defect_types", project="x") == (404, "Project not found: x")
    sandbox.switch("review", version_major="23")
    assert api.records("defect_types", **PROJECT)[0] == {**OVERFLOW, "supportLevel": 2}


def test_given_fields_of_a_defect_type_are_updated(api: Api) -> None:
    api.write("update_defect_type", **PROJECT, code="ABV.GENERAL", severity="4")
    assert api.records("defect_types", **PROJECT)[0] == {**OVERFLOW, "severity": 4}
    api.write("update_defect_type", **PROJECT, code="ABV.GENERAL", enabled="false")
    assert api.records("defect_types", **PROJECT)[0] == {**OVERFLOW, "severity": 4, "enabled": False}
    assert api.records("defect_types", project="platform")[0] == OVERFLOW


def test_invalid_changes_of_defect_types_are_rejected(api: Api, sandbox: Any) -> None:
    assert api.expect_error("update_defect_type", **PROJECT, code="X") == (404, "Defect type not found: X")
    for severity, status in (("0", 400), ("11", 400), ("high", 400)):
        assert api.expect_error("update_defect_type", **PROJECT, code="ABV.GENERAL", severity=severity)[0] == status
    sandbox.seed({"review": {"roles": [{"name": "Project admin", "permissions": ["webapi_access"]}]}})
    api.user = "alice"
    assert api.expect_error("update_defect_type", project="platform", code="ABV.GENERAL", enabled="true")[0] == 403


def test_seed_defines_defect_types_for_one_or_all_projects(api: Api, sandbox: Any) -> None:
    def rule(code: str) -> dict[str, Any]:
        return {"code": code, "name": "Rule", "taxonomies": ["House"], "severity": 3, "enabled": False}

    own = {"defect_types": [{**rule("OWN"), "support_level": 1}], "taxonomies": [{"name": "House", "custom": True}]}
    project = {"name": "p", "creator": "admin", "id": "p_1", **own}
    sandbox.seed({"review": {"version": "24.3.1", "projects": [project], "defect_types": [rule("ALL")]}})
    assert api.records("version") == [{"majorVersion": "24", "minorVersion": "3.1"}]
    assert {record["name"]: record["id"] for record in api.records("projects")}["p"] == "p_1"
    assert api.records("taxonomies", project="p") == [{"name": "House", "is_custom": True}]
    fields = {"name": "Rule", "enabled": False, "severity": 3}
    assert api.records("defect_types", project="p", taxonomy="House") == [{"code": "OWN", **fields, "supportLevel": 1}]
    assert api.records("defect_types", **PROJECT) == [{"code": "ALL", **fields}]
    api.write("update_defect_type", project="p", code="OWN", enabled="true")
    assert api.records("defect_types", project="p")[0]["enabled"]
    api.write("delete_project", name="p")
    sandbox.seed({"review": {"projects": [{"name": "p", "creator": "admin", "id": "p_1"}]}})
    assert api.records("defect_types", project="p") == [{"code": "ALL", **fields}]
