# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import permissions
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import roles as role_checks
from support.ci_scripts import script
from support.ci_server import TOKEN
from support.conversation import Call, call, conversation
from support.running import run

FOLDER = "com.cloudbees.hudson.plugins.folder.Folder"
PROPERTY = "com.cloudbees.hudson.plugins.folder.properties.AuthorizationMatrixProperty"
PARENT = '<inheritanceStrategy class="org.jenkinsci.plugins.matrixauth.inheritance.InheritParentStrategy"/>'
BUILD = "<permission>GROUP:hudson.model.Item.Build:developers</permission>"
READ = "<permission>USER:hudson.model.Item.Read:alice</permission>"
XML = {"Content-Type": "application/xml; charset=utf-8"}
GLOBAL = {"user": {"name": "admin", "permissions": ["Overall/Administer"]}}
AUTHENTICATED = {"group": {"name": "authenticated", "permissions": ["Job/Read", "Overall/Read"]}}
NAMES = [[identifier, name] for name, identifier in permissions.IDS.items()]
ADMINISTRATORS = {"name": "administrators", "pattern": ".*", "permissions": ["Overall/Administer"]}


def folder_config(*rows: str, other: str = "") -> str:
    """Return the configuration of a folder with a matrix."""
    matrix = f"<{PROPERTY}>{PARENT}{''.join(rows)}</{PROPERTY}>" if rows else ""
    return f"<?xml version='1.1'?><{FOLDER}><properties>{other}{matrix}</properties></{FOLDER}>"


def get_folder(*rows: str, **options: Any) -> Call:
    return call("GET", "/job/team/config.xml", text=folder_config(*rows), headers=XML, **options)


def plugins(*names: str) -> Call:
    listed = [{"shortName": name, "active": True} for name in names]
    return call("GET", "/pluginManager/api/json?tree=plugins%5Bactive%2CshortName%5D", json={"plugins": listed})


def list_known(names: list[list[str]] = NAMES) -> Call:
    return script("list permissions", permissions._SCRIPT, value=names)


def export(strategy: Any) -> Call:
    text = json.dumps({"jenkins": {"authorizationStrategy": strategy}})
    return call("POST", "/configuration-as-code/export", text=text, headers={"Content-Type": "application/x-yaml"})


def who_am_i(name: str = "admin") -> Call:
    account = {"anonymous": False, "authorities": ["authenticated"], "name": name}
    tree = quote("anonymous,authorities,name", safe="")
    return call("GET", f"/whoAmI/api/json?tree={tree}", json=account)


def check_patterns(problems: dict[str, str], *patterns: str) -> Call:
    return script(role_checks._SCRIPT_NAME, role_checks._SCRIPT, {"patterns": list(patterns)}, problems)


def sources() -> Call:
    return call("POST", "/scriptText", text='\n@@toolchain@@{"ran": true, "value": []}')


def configure(strategy: Any, **options: Any) -> Call:
    sent = {"jenkins": {"authorizationStrategy": strategy}}
    return call("POST", "/configuration-as-code/configure", text="", sent_json=sent, **options)


def authorize(*calls: Call, check_mode: bool = False, **options: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        return run("ci_authorization", url=server.url, check_mode=check_mode, **TOKEN, **options)


def test_unchanged_matrix_of_a_folder_costs_one_request() -> None:
    result = authorize(get_folder(BUILD, READ), folder="team", users={"alice": ["hudson.model.Item.Read"]})
    assert not result["changed"]
    assert result["authorization"] == {
        "inheritance": "parent",
        "users": {"alice": ["Job/Read"]},
        "groups": {"developers": ["Job/Build"]},
        "users_or_groups": {},
    }


def test_other_rows_and_properties_of_a_folder_are_kept() -> None:
    row = "<permission>GROUP:hudson.model.Item.Read:developers</permission>"
    other = '<x.Credentials plugin="x@1"><a>1</a></x.Credentials>'
    before = call("GET", "/job/team/config.xml", text=folder_config(READ, other=other), headers=XML)

    result = authorize(
        before,
        plugins("matrix-auth"),
        list_known(),
        before,
        call("POST", "/job/team/config.xml", sent_body=_document(folder_config(row, READ, other=other))),
        get_folder(row, READ),
        folder="team",
        groups={"developers": ["Job/Read"]},
    )
    assert result["changed"]
    assert result["authorization"]["users"] == {"alice": ["Job/Read"]}


def _document(text: str) -> bytes:
    from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document

    return document.serialize(document.parse(text)).encode()


def test_purge_removes_other_rows() -> None:
    result = authorize(
        get_folder(BUILD, READ),
        plugins("matrix-auth"),
        list_known(),
        folder="team",
        groups={"developers": ["Job/Build"]},
        purge=True,
        check_mode=True,
    )
    assert result["changed"]
    assert result["authorization"]["users"] == {}


def test_matrix_of_a_folder_is_removed() -> None:
    result = authorize(
        get_folder(READ),
        plugins("matrix-auth"),
        list_known(),
        get_folder(READ),
        call("POST", "/job/team/config.xml", sent_body=_document(folder_config())),
        get_folder(),
        folder="team",
        state="absent",
    )
    assert result["changed"]
    assert result["authorization"] is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"node": "built-in", "users": {"reader": ["Agent/Build"]}},
            "Option 'node': must not be 'built-in', because Jenkins has no permission matrix for the built-in node. "
            "Manage the permissions of the whole server.",
        ),
        (
            {"folder": "team", "users": {"a": ["Overall/Administer"]}},
            "Option 'users.a': 'Overall/Administer' does not apply to a folder",
        ),
        (
            {"folder": "team", "users": {"a": ["Agent/Build"]}},
            "Option 'users.a': 'Agent/Build' does not apply to a folder",
        ),
        ({"folder": "team", "users": {"a:b": ["Job/Read"]}}, "Option 'users': must have names without colons"),
        ({"folder": "team", "users": {"a": "Job/Read"}}, "Option 'users.a': must be a list of permissions"),
    ],
)
def test_wrong_permissions_are_refused(options: dict[str, Any], message: str) -> None:
    result = authorize(**options)
    assert result["failed"]
    assert message in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"state": "absent"}, "Option 'state': must be 'present' without 'folder'"),
        ({"inheritance": "none"}, "Option 'inheritance': requires 'folder'"),
        ({"folder": "team", "roles": {"global": {}}}, "Option 'roles': must not be set with 'folder'"),
        ({"folder": "team", "job": "app"}, "mutually exclusive"),
    ],
)
def test_options_that_do_not_fit_are_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    result = authorize(**options)
    assert result["failed"]
    assert message in result["msg"]


def test_unknown_permission_is_refused_before_the_write() -> None:
    result = authorize(
        get_folder(), list_known(), plugins("matrix-auth"), folder="team", users={"a": ["Job/Nope"]}, check_mode=True
    )
    assert result["msg"] == (
        "Cannot grant permissions: Jenkins does not have Job/Nope. Check the names, such as Job/Read, and whether the "
        "plugin that provides the permission is installed."
    )


def test_missing_plugin_is_named_before_the_write() -> None:
    result = authorize(get_folder(), plugins("git"), folder="team", users={"a": ["Job/Read"]})
    assert "Managing the permissions of folder 'team' requires the Jenkins plugin 'matrix-auth'" in result["msg"]


def test_missing_folder_is_an_error() -> None:
    result = authorize(call("GET", "/job/team/config.xml", 404), folder="team", users={"a": ["Job/Read"]})
    assert "Cannot manage the permissions of folder 'team': it does not exist" in result["msg"]


def test_unchanged_strategy_costs_one_request() -> None:
    result = authorize(
        export({"globalMatrix": {"entries": [AUTHENTICATED, GLOBAL]}}),
        groups={"authenticated": ["Overall/Read", "Job/Read"]},
    )
    assert not result["changed"]
    assert result["authorization"] == {
        "strategy": "global_matrix",
        "users": {"admin": ["Overall/Administer"]},
        "groups": {"authenticated": ["Job/Read", "Overall/Read"]},
        "users_or_groups": {},
    }


def test_matrix_is_replaced_with_its_other_entries() -> None:
    after = {"user": {"name": "bob", "permissions": ["Overall/Read"]}}
    matrix = {"projectMatrix": {"entries": [GLOBAL, after, AUTHENTICATED]}}
    result = authorize(
        export({"projectMatrix": {"entries": [AUTHENTICATED, GLOBAL]}}),
        plugins("matrix-auth"),
        list_known(),
        sources(),
        who_am_i(),
        export({"projectMatrix": {"entries": [AUTHENTICATED, GLOBAL]}}),
        configure(matrix),
        export(matrix),
        users={"bob": ["Overall/Read"]},
    )
    assert result["changed"]


def test_lockout_of_the_own_account_is_refused() -> None:
    result = authorize(
        export({"globalMatrix": {"entries": [GLOBAL]}}),
        plugins("matrix-auth"),
        list_known(),
        sources(),
        who_am_i(),
        users={"root": ["Overall/Administer"]},
        purge=True,
    )
    assert result["msg"] == (
        "The change would lock out 'admin', the account of this task: it would lose Overall/Administer. Grant this "
        "permission to it, or set 'allow_lockout: true' to allow the change."
    )


def test_roles_are_replaced_as_a_whole() -> None:
    current = {
        "roleBased": {
            "permissionTemplates": [{"name": "t"}],
            "roles": {"global": [{**ADMINISTRATORS, "entries": [{"user": "admin"}]}]},
        }
    }
    team = {
        "name": "team",
        "description": "",
        "pattern": "team/.*",
        "permissions": ["Job/Read"],
        "entries": [{"user": "bob"}],
    }
    admins = {**ADMINISTRATORS, "description": "", "entries": [{"user": "admin"}]}
    after = {
        "roleBased": {
            "permissionTemplates": [{"name": "t"}],
            "roles": {"global": [admins], "items": [team], "agents": []},
        }
    }
    result = authorize(
        export(current),
        plugins("role-strategy"),
        list_known(),
        check_patterns({}, "team/.*"),
        sources(),
        who_am_i(),
        export(current),
        configure(after),
        export(after),
        roles={"item": {"team": {"pattern": "team/.*", "permissions": ["Job/Read"], "users": ["bob"]}}},
    )
    assert result["changed"]
    assert result["authorization"]["roles"]["item"]["team"]["users"] == ["bob"]


def test_permission_that_jenkins_drops_is_an_error() -> None:
    before = {"roleBased": {"roles": {"global": [{**ADMINISTRATORS, "entries": [{"user": "admin"}]}]}}}
    result = authorize(
        export(before),
        call("POST", "/scriptText", 403),
        plugins("role-strategy"),
        call("POST", "/scriptText", 403),
        who_am_i(),
        export(before),
        call("POST", "/configuration-as-code/configure", text=""),
        export(before),
        roles={"global": {"administrators": {"permissions": ["Overall/Administer", "Job/Nope"]}}},
    )
    assert result["failed"]
    assert "The server accepted the change, but these fields of the authorization do not have" in result["msg"]


def test_strategy_is_required_if_jenkins_uses_another() -> None:
    result = authorize(export("unsecured"), users={"a": ["Job/Read"]})
    assert result["msg"] == "Option 'strategy': is required, because Jenkins uses the strategy 'unsecured'."


@pytest.mark.parametrize("check_mode", [False, True])
def test_pattern_that_is_no_regular_expression_is_refused(check_mode: bool) -> None:
    result = authorize(
        export({"roleBased": {"roles": {"global": [{**ADMINISTRATORS, "entries": [{"user": "admin"}]}]}}}),
        plugins("role-strategy"),
        list_known(),
        check_patterns({"x(": "Unclosed group"}, "x("),
        roles={"item": {"a": {"pattern": "x(", "permissions": ["Job/Read"]}}},
        check_mode=check_mode,
    )
    assert result["msg"] == "The pattern 'x(' of a role is not a regular expression: Unclosed group. Correct it."


@pytest.mark.parametrize(
    ("kind", "permission"),
    [("item", "Overall/Read"), ("item", "hudson.model.Computer.Build"), ("agent", "Job/Read"), ("agent", "SCM/Tag")],
)
def test_permission_that_does_not_apply_to_a_role_is_refused(kind: str, permission: str) -> None:
    result = authorize(roles={kind: {"a": {"permissions": [permission]}}})
    name = permissions.find_common_name(permission)
    assert result["msg"] == (
        f"Option 'roles.{kind}.a.permissions': '{name}' does not apply to roles of the type '{kind}'."
    )


@pytest.mark.parametrize("kind", ["item", "agent"])
def test_role_with_an_empty_pattern_is_refused(kind: str) -> None:
    result = authorize(roles={kind: {"a": {"pattern": "", "permissions": []}}})
    assert (result["msg"], result["changed"]) == (
        f"Option 'roles.{kind}.a.pattern': must not be empty, because the role would then apply everywhere.",
        False,
    )


@pytest.mark.parametrize(
    ("declared", "is_kept"),
    [
        ({"permissions": ["Overall/Read"]}, False),
        ({"users": ["jo"], "description": "Overall/Administer"}, False),
        ({"users": [], "groups": ["authenticated"]}, True),
        ({"permissions": ["hudson.model.Hudson.Administer"], "users": [], "users_or_groups": ["admin"]}, True),
    ],
)
def test_role_that_locks_out_the_account_is_refused(declared: dict[str, Any], is_kept: bool) -> None:
    result = authorize(
        export({"roleBased": {"roles": {"global": [{**ADMINISTRATORS, "entries": [{"user": "admin"}]}]}}}),
        plugins("role-strategy"),
        list_known(),
        sources(),
        who_am_i(),
        roles={"global": {"administrators": declared}},
        check_mode=True,
    )
    assert result["changed"] is is_kept
    assert is_kept or "The change would lock out 'admin'" in result["msg"]


def job_config(*rows: str, tag: str = "hudson.security.AuthorizationMatrixProperty") -> str:
    """Return the configuration of a job with a matrix."""
    matrix = f"<{tag}>{PARENT}{''.join(rows)}</{tag}>" if rows else ""
    return f"<?xml version='1.1'?><project><properties>{matrix}</properties></project>"


def get_job(name: str, *rows: str) -> Call:
    return call("GET", f"/job/{name}/config.xml", text=job_config(*rows), headers=XML)


def post_job(name: str, *rows: str, **options: Any) -> Call:
    return call("POST", f"/job/{name}/config.xml", sent_body=_document(job_config(*rows)), **options)


def test_permissions_are_removed_before_others_are_granted() -> None:
    result = authorize(
        get_job("a"),
        get_job("b", BUILD, READ),
        plugins("matrix-auth"),
        list_known(),
        get_job("b", BUILD, READ),
        post_job("b", BUILD),
        get_job("b", BUILD),
        plugins("matrix-auth"),
        get_job("a"),
        post_job("a", READ),
        get_job("a", READ),
        items=[{"job": "a", "users": {"alice": ["Job/Read"]}}, {"job": "b", "users": {"alice": []}}],
        workers=1,
    )
    assert result["counts"]["changed"] == 2


def test_nothing_is_granted_where_a_removal_failed() -> None:
    row = "<permission>USER:hudson.model.Item.Read:bob</permission>"
    result = authorize(
        get_folder(),
        get_job("team/job/b", READ),
        get_job("c"),
        plugins("matrix-auth"),
        list_known(),
        get_job("team/job/b", READ),
        call("POST", "/job/team/job/b/config.xml", 403),
        plugins("matrix-auth"),
        get_job("c"),
        post_job("c", row),
        get_job("c", row),
        items=[
            {"folder": "team", "users": {"bob": ["Job/Read"]}},
            {"job": "team/b", "users": {"alice": []}},
            {"job": "c", "users": {"bob": ["Job/Read"]}},
        ],
        workers=1,
    )
    outcomes = sorted(result["outcomes"], key=lambda outcome: outcome["index"])
    assert [outcome["status"] for outcome in outcomes] == ["skipped", "failed", "changed"]
    assert outcomes[0]["reason"] == ("the permissions of job 'team/b' could not be changed, which has to come before.")


def test_right_that_another_client_revokes_in_between_stays_revoked() -> None:
    before = {"globalMatrix": {"entries": [GLOBAL, AUTHENTICATED]}}
    revoked = {"globalMatrix": {"entries": [GLOBAL]}}
    after = {"globalMatrix": {"entries": [GLOBAL, {"user": {"name": "bob", "permissions": ["Overall/Read"]}}]}}
    checks = (plugins("matrix-auth"), list_known(), sources(), who_am_i())
    result = authorize(
        export(before),
        *checks,
        export(revoked),
        plugins("matrix-auth"),
        who_am_i(),
        export(revoked),
        configure(after),
        export(after),
        users={"bob": ["Overall/Read"]},
    )
    assert result["changed"]
    assert result["authorization"]["groups"] == {}
    assert result["warnings"] == [
        "Another client changed the authorization while the task was running. The authorization was compared again, "
        "because another client may have changed it."
    ]


def test_right_that_another_client_revokes_before_a_matrix_is_created_stays_revoked() -> None:
    row = "<permission>GROUP:hudson.model.Item.Read:developers</permission>"
    result = authorize(
        get_folder(),
        plugins("matrix-auth"),
        list_known(),
        get_folder(BUILD),
        call("POST", "/job/team/config.xml", sent_body=_document(folder_config(BUILD, READ))),
        get_folder(BUILD, READ),
        folder="team",
        users={"alice": ["Job/Read"]},
    )
    assert result["changed"]
    assert row not in str(result)


def test_strategy_is_replaced_by_another() -> None:
    role = {**ADMINISTRATORS, "entries": [{"user": "admin"}]}
    before = {"roleBased": {"roles": {"global": [role]}}}
    after = {"globalMatrix": {"entries": [GLOBAL]}}
    result = authorize(
        export(before),
        plugins("matrix-auth"),
        list_known(),
        sources(),
        who_am_i(),
        export(before),
        configure(after),
        export(after),
        strategy="global_matrix",
        users={"admin": ["Overall/Administer"]},
        purge=True,
    )
    assert (result["changed"], result.get("warnings")) == (True, None)
    assert "roles" not in result["authorization"]
