# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: matrices and roles, and what they grant."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from support.wire.ci import Ci, has_header

ADMIN = {"user": {"name": "admin", "permissions": ["Overall/Administer"]}}
ROLES = {
    "global": [
        {"name": "admin", "permissions": ["Overall/Administer"], "entries": [{"user": "admin"}]},
        {"name": "read", "permissions": ["Overall/Read"], "entries": [{"group": "authenticated"}]},
    ],
    "items": [{"name": "team", "pattern": "team/.*", "permissions": ["Job/Read"], "entries": [{"user": "reader"}]}],
}
XML = {"Content-Type": "application/xml"}
FOLDER = "com.cloudbees.hudson.plugins.folder.Folder"
PROPERTY = "com.cloudbees.hudson.plugins.folder.properties.AuthorizationMatrixProperty"
INHERITANCE = "org.jenkinsci.plugins.matrixauth.inheritance."
PLUGINS = [{"name": "matrix-auth", "version": "3.2.9"}, {"name": "role-strategy", "version": "900"}]


def seed(ci: Ci, strategy: dict[str, Any]) -> None:
    """Change the authorization strategy."""
    ci.sandbox.seed({"ci": {"authorization": strategy, "plugins": PLUGINS}})


def roles(ci: Ci, call: str, user: str = "admin", **parameters: str) -> Any:
    """Return the response to a query about roles."""
    return ci.get(f"/role-strategy/strategy/{call}", user, params=parameters)


def change(ci: Ci, call: str, **parameters: str) -> int:
    return ci.post(f"/role-strategy/strategy/{call}", data=parameters).status_code


def write_property(ci: Ci, rows: list[str], inheritance: str = "InheritParentStrategy") -> str:
    """Return the property of a folder as it is stored."""
    permissions = "".join(f"<permission>{row}</permission>" for row in rows)
    strategy = f'<inheritanceStrategy class="{INHERITANCE}{inheritance}"/>'
    config = f"<{FOLDER}><properties><{PROPERTY}>{strategy}{permissions}</{PROPERTY}></properties></{FOLDER}>"
    assert ci.post("/job/team/config.xml", data=config, headers=XML).status_code == 200
    stored = ci.get("/job/team/config.xml").text
    return stored[stored.index("  <properties") : stored.index("  <folderViews")]


def test_global_matrix_grants_permissions(ci: Ci) -> None:
    read = {"group": {"name": "authenticated", "permissions": ["Overall/Read", "hudson.model.Item.Read"]}}
    seed(ci, {"globalMatrix": {"entries": [ADMIN, read]}})
    assert ci.get("/job/app/api/json", "reader").status_code == 200
    assert ci.post("/job/app/build", "builder").status_code == 403


def test_names_of_users_are_case_sensitive(ci: Ci) -> None:
    seed(ci, {"globalMatrix": {"permissions": ["USER:Overall/Administer:admin", "USER:Overall/Read:Reader"]}})
    assert ci.get("/api/json", "reader").status_code == 403


def test_administrator_can_be_locked_out(ci: Ci) -> None:
    seed(ci, {"globalMatrix": {"entries": []}})
    assert ci.get("/api/json").status_code == 403


def test_property_of_a_folder_is_sorted_without_unknown_permissions(ci: Ci) -> None:
    seed(ci, {"projectMatrix": {"entries": [ADMIN]}})
    ci.create("team", f"<{FOLDER}/>")
    rows = ["USER:Job/Read:z", "hudson.model.Item.Build:a", "USER:hudson.model.Item.Nope:a", "USER:Job/Read:z"]
    stored = write_property(ci, rows, "NoSuch")
    assert "InheritParentStrategy" in stored
    assert stored.index("<permission>hudson.model.Item.Build:a") < stored.index(
        "<permission>USER:hudson.model.Item.Read:z"
    )
    assert stored.count("<permission>") == 2
    assert write_property(ci, ["USER:hudson.model.Item.Read"]).strip() == "<properties/>"
    assert "<permission>" not in write_property(ci, ["USER:hudson.model.Hudson.Administer:reader"])


@pytest.mark.parametrize(("inheritance", "status"), [("InheritParentStrategy", 200), ("NonInheritingStrategy", 404)])
def test_property_of_a_folder_grants_permissions_below_it(ci: Ci, inheritance: str, status: int) -> None:
    entries = [ADMIN, {"group": {"name": "authenticated", "permissions": ["Overall/Read"]}}]
    seed(ci, {"projectMatrix": {"entries": [*entries, {"user": {"name": "builder", "permissions": ["Job/Read"]}}]}})
    ci.create("team", f"<{FOLDER}/>")
    assert ci.post("/job/team/createItem?name=app", data="<project/>", headers=XML).status_code == 200
    write_property(ci, ["USER:hudson.model.Item.Read:reader"], inheritance)
    assert ci.get("/job/team/job/app/api/json", "reader").status_code == 200
    assert ci.get("/job/app/api/json", "reader").status_code == 404
    assert ci.get("/job/team/api/json", "builder").status_code == status
    assert ci.get("/job/team/api/json").status_code == 200
    assert [job["name"] for job in ci.get("/api/json?tree=jobs[name]", "reader").json()["jobs"]] == ["team"]


def test_creator_may_configure_a_new_item(ci: Ci) -> None:
    creator = {"user": {"name": "builder", "permissions": ["Overall/Read", "Job/Create", "Job/Read"]}}
    seed(ci, {"projectMatrix": {"entries": [ADMIN, creator]}})
    assert ci.post("/createItem?name=mine", "builder", data="<project/>", headers=XML).status_code == 200
    row = "<permission>USER:hudson.model.Item.Configure:builder</permission>"
    assert row in ci.get("/job/mine/config.xml", "builder").text
    ci.create("ours", "<project/>")
    assert row not in ci.get("/job/ours/config.xml").text


def test_roles_grant_permissions(ci: Ci) -> None:
    seed(ci, {"roleBased": {"roles": ROLES}})
    ci.create("team", f"<{FOLDER}/>")
    assert ci.post("/job/team/createItem?name=app", data="<project/>", headers=XML).status_code == 200
    assert ci.get("/job/team/job/app/api/json", "reader").status_code == 200
    assert ci.get("/job/app/api/json", "reader").status_code == 404
    assert ci.get("/job/team/job/app/api/json", "builder").status_code == 404


def test_calls_of_role_strategy_require_it_as_the_strategy(ci: Ci) -> None:
    assert roles(ci, "getAllRoles").status_code == 404
    seed(ci, {"globalMatrix": {"entries": [ADMIN]}})
    assert roles(ci, "getAllRoles").status_code == 404
    seed(ci, {"roleBased": {"roles": ROLES}})
    answer = roles(ci, "getAllRoles", "reader")
    assert answer.status_code == 403
    assert not has_header(answer, "X-Required-Permission")


def test_roles_are_listed(ci: Ci) -> None:
    seed(ci, {"roleBased": {"roles": ROLES}})
    assert roles(ci, "getAllRoles").json() == {
        "admin": [{"type": "USER", "sid": "admin"}],
        "read": [{"type": "GROUP", "sid": "authenticated"}],
    }
    assert roles(ci, "getRole", type="projectRoles", roleName="team").json() == {
        "permissionIds": {"hudson.model.Item.Read": True},
        "pattern": "team/.*",
        "sids": [{"type": "USER", "sid": "reader"}],
    }
    assert roles(ci, "getRole", type="globalRoles", roleName="nosuch").json() == {}
    assert roles(ci, "getAllRoles", type="nosuch").status_code == 500
    assert roles(ci, "getRoleAssignments", type="globalRoles").json() == [
        {"name": "admin", "type": "USER", "roles": ["admin"]},
        {"name": "authenticated", "type": "GROUP", "roles": ["read"]},
    ]


def test_replacing_a_role_drops_its_members_and_unknown_permissions(ci: Ci) -> None:
    seed(ci, {"roleBased": {"roles": ROLES}})
    role = {"type": "globalRoles", "roleName": "r", "permissionIds": "Job/Read,no.such, hudson.model.Item.Build"}
    assert change(ci, "addRole", **role) == 500
    assert change(ci, "addRole", **role, overwrite="false") == 200
    assert change(ci, "assignUserRole", type="globalRoles", roleName="r", user="reader") == 200
    assert change(ci, "assignUserRole", type="globalRoles", roleName="nosuch", user="reader") == 200
    expected = {"permissionIds": {"hudson.model.Item.Read": True}, "sids": [{"type": "USER", "sid": "reader"}]}
    assert roles(ci, "getRole", type="globalRoles", roleName="r").json() == expected
    assert change(ci, "addRole", **role, overwrite="true") == 200
    assert roles(ci, "getRole", type="globalRoles", roleName="r").json() == {**expected, "sids": []}
    assert change(ci, "removeRoles", type="globalRoles", roleNames="r,nosuch") == 200
    assert roles(ci, "getRole", type="globalRoles", roleName="r").json() == {}


def test_items_and_agents_that_match_a_pattern_are_counted(ci: Ci) -> None:
    seed(ci, {"roleBased": {"roles": ROLES}})
    everything = roles(ci, "getMatchingJobs", pattern=".*").json()
    assert everything["itemCount"] > 1
    assert everything["matchingJobs"] == []
    found = roles(ci, "getMatchingJobs", pattern="app", maxJobs="5").json()
    assert found == {"matchingJobs": ["app"], "itemCount": 1}
    assert roles(ci, "getMatchingAgents", pattern="none", maxAgents="5").json() == {
        "matchingAgents": [],
        "agentCount": 0,
    }
    assert roles(ci, "getMatchingAgents", pattern="[").status_code == 500


def test_template_of_a_role_replaces_its_permissions(ci: Ci) -> None:
    seed(ci, {"roleBased": {"roles": ROLES}})
    template = {"name": "t", "permissionIds": "hudson.model.Item.Read", "overwrite": "false"}
    assert [change(ci, "addTemplate", **template) for _unused in range(2)] == [200, 400]
    role = {"type": "projectRoles", "roleName": "pt", "permissionIds": "hudson.model.Item.Build", "overwrite": "true"}
    assert change(ci, "addRole", **role, template="nosuch") == 400
    assert change(ci, "addRole", **role, template="t") == 200
    assert change(ci, "removeTemplates", names="t") == 200
    assert roles(ci, "getTemplate", name="t").json() == {
        "permissionIds": {"hudson.model.Item.Read": True},
        "isUsed": True,
    }
    assert change(ci, "removeTemplates", names="t", force="true") == 200
    assert roles(ci, "getRole", type="projectRoles", roleName="pt").json() == {
        "permissionIds": {"hudson.model.Item.Read": True},
        "pattern": ".*",
        "sids": [],
    }


def configure(ci: Ci, *others: dict[str, Any], name: str = "configure") -> Any:
    """Send global roles to JCasC."""
    seed(ci, {"globalMatrix": {"entries": [ADMIN]}})
    ci.sandbox.seed({"ci": {"plugins": [{"name": "configuration-as-code", "version": "2050"}]}})
    strategy = {"roleBased": {"roles": {"global": [*ROLES["global"], *others]}}}
    return ci.post(f"/configuration-as-code/{name}", json={"jenkins": {"authorizationStrategy": strategy}})


def test_roles_of_the_configuration_have_names_of_permissions_and_sorted_members(ci: Ci) -> None:
    names = ["hudson.model.Item.Read", "Job/Nope", "Job/Build"]
    entries = [{"user": "z"}, {"user": "a"}]
    assert configure(ci, {"name": "team", "permissions": names, "entries": entries}).status_code == 200
    exported = yaml.safe_load(ci.post("/configuration-as-code/export").text)
    _admins, _readers, team = exported["jenkins"]["authorizationStrategy"]["roleBased"]["roles"]["global"]
    assert team["permissions"] == ["Job/Build"]
    assert team["entries"] == [{"user": "a"}, {"user": "z"}]


def test_assignments_of_the_configuration_are_deprecated(ci: Ci) -> None:
    answer = configure(ci, {"name": "team", "permissions": [], "assignments": ["a"]})
    assert (answer.status_code, "'assignments' is deprecated" in answer.text) == (400, True)


def test_wrong_pattern_is_refused_by_the_application_only(ci: Ci) -> None:
    role = {"name": "team", "pattern": "x(", "permissions": ["Job/Read"]}
    assert configure(ci, role, name="check").status_code == 200
    answer = configure(ci, role)
    assert answer.status_code == 400
    assert "Failed to set attribute 'authorizationStrategy'" in answer.text


def test_what_anonymous_users_may_do_everybody_may_do(ci: Ci) -> None:
    anonymous = {"user": {"name": "anonymous", "permissions": ["Overall/Read"]}}
    seed(ci, {"globalMatrix": {"entries": [ADMIN, anonymous]}})
    assert ci.get("/api/json", "reader").status_code == 200
