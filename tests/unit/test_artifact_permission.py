# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

PERMISSIONS, TARGETS_2, TARGETS_1 = (
    "/access/api/v2/permissions",
    "/artifactory/api/v2/security/permissions",
    "/artifactory/api/security/permissions",
)
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "not found"}]}
ALL = {"include_patterns": ["**"], "exclude_patterns": []}
WEB = {"include_patterns": ["web/**"], "exclude_patterns": []}
ARTIFACT = {
    "actions": {"users": {"ci": ["READ", "WRITE"]}, "groups": {"web": ["WRITE", "READ", "MANAGE"]}},
    "targets": {"npm-local": WEB},
}
BUILD = {"actions": {"groups": {"web": ["READ"]}}, "targets": {"artifactory-build-info": ALL}}


def token(user: str = "admin", scope: str = "applied-permissions/user") -> str:
    """Return an access token of a user."""
    payload = f'{{"sub": "jfac@01/users/{user}", "scp": "{scope}"}}'
    return f"e30.{base64.urlsafe_b64encode(payload.encode()).decode().rstrip('=')}.x"


TASK = {"name": "web-team", "token": token()}
REPOSITORIES = {
    "targets": {"npm-local": {"include_patterns": ["web/**"]}},
    "users": {"CI": ["write", "read"]},
    "groups": {"web": ["read", "WRITE", "manage"]},
}


def stored(name: str = "web-team", **resources: Any) -> Call:
    """Return the read of a permission."""
    resources = resources or {"artifact": ARTIFACT}
    return call("GET", f"{PERMISSIONS}/{name}", json={"name": name, "resources": resources})


def missing(name: str = "web-team") -> Call:
    return call("GET", f"{PERMISSIONS}/{name}", 404, json=NOT_FOUND)


def version(number: str = "7.77.3") -> Call:
    return call("GET", "/artifactory/api/system/version", json={"version": number, "license": "0" * 40})


def repositories(**classes: str) -> Call:
    """Return the list of repositories, with their classes by key."""
    entries = [{"key": key.replace("_", "-"), "type": rclass, "url": "x"} for key, rclass in classes.items()]
    return call("GET", "/artifactory/api/repositories", json=entries)


def user(name: str, **fields: Any) -> Call:
    fields = {"username": name, "email": "x@example.com", "admin": False, "groups": [], **fields}
    return call("GET", f"/access/api/v2/users/{name}", json=fields)


def run_task(server: Any, **options: Any) -> dict[str, Any]:
    """Run the module."""
    return run("artifact_permission", url=server.url, **{**TASK, **options})


def test_unchanged_permission_costs_one_request() -> None:
    with conversation(stored(artifact=ARTIFACT, build=BUILD)) as server:
        result = run_task(server, repositories=REPOSITORIES)
    assert result["changed"] is False
    assert result["permission"] == {
        "name": "web-team",
        "repositories": {
            "targets": {"npm-local": WEB},
            "users": {"ci": ["read", "write"]},
            "groups": {"web": ["manage", "read", "write"]},
        },
        "builds": {"targets": {"artifactory-build-info": ALL}, "users": {}, "groups": {"web": ["read"]}},
    }


def test_missing_permission_is_created_with_one_request() -> None:
    body = {
        "name": "web-team",
        "resources": {
            "artifact": {
                "actions": {"users": {"ci": ["READ", "WRITE"]}, "groups": {"web": ["MANAGE", "READ", "WRITE"]}},
                "targets": {"npm-local": WEB},
            },
            "build": {"actions": {"users": {}, "groups": {}}, "targets": {"artifactory-build-info": ALL}},
        },
    }
    created = call("POST", PERMISSIONS, 201, sent_json=body)
    with conversation(missing(), version(), created, stored(artifact=ARTIFACT, build=BUILD)) as server:
        result = run_task(
            server,
            repositories=REPOSITORIES,
            builds={"targets": {"artifactory-build-info": {}}, "users": {"ghost": []}},
        )
    assert result["changed"] is True


def test_declared_entries_are_exact_and_others_stay() -> None:
    before = {
        "actions": {"users": {"ci": ["READ"], "other": ["READ"]}, "groups": {"web": ["READ"]}},
        "targets": {"npm-local": {"include_patterns": ["web/**"], "exclude_patterns": ["a/**"]}, "pypi-local": ALL},
    }
    after = {
        "actions": {"users": {"other": ["READ"], "ci": ["WRITE"]}, "groups": {}},
        "targets": {"npm-local": WEB, "pypi-local": ALL},
    }
    changes = {"actions": {"users": {"ci": ["WRITE"]}, "groups": {"web": []}}, "targets": {"npm-local": WEB}}
    write = call("PATCH", f"{PERMISSIONS}/web-team/artifact", sent_json=changes, json=after)
    with conversation(stored(artifact=before, build=BUILD), write, stored(artifact=after, build=BUILD)) as server:
        result = run_task(
            server,
            repositories={**REPOSITORIES, "users": {"ci": ["write"]}, "groups": {"web": []}},
            allow_lockout=True,
        )
    assert result["changed"] is True


def with_actions(targets: Any = ARTIFACT["targets"], **groups: list[str]) -> dict[str, Any]:
    return {"actions": {"users": {}, "groups": groups}, "targets": targets}


def test_right_that_another_client_revoked_stays_revoked() -> None:
    before, after = with_actions(reader=["READ"], Web=["READ"]), with_actions(Web=["WRITE"])
    sent = {"actions": {"groups": {"Web": ["WRITE"]}}}
    write = call("PATCH", f"{PERMISSIONS}/web-team/artifact", sent_json=sent, json=after)
    with conversation(stored(artifact=before), write, stored(artifact=after)) as server:
        assert run_task(server, repositories={"groups": {"web": ["write"]}}, allow_lockout=True)["changed"] is True


def test_right_that_another_client_revoked_stays_revoked_when_a_target_is_removed() -> None:
    two = {"npm-local": WEB, "pypi-local": ALL}
    before, meanwhile = with_actions(two, web=["READ"], reader=["READ"]), with_actions(two, web=["READ"])
    after = with_actions({"npm-local": WEB}, web=["READ"])
    write = call("PUT", f"{PERMISSIONS}/web-team/artifact", sent_json=after, json=after)
    declared = {"targets": REPOSITORIES["targets"], "groups": {"web": ["read"]}}
    own = user("admin", admin=True)
    with conversation(
        stored(artifact=before), own, stored(artifact=meanwhile), own, write, stored(artifact=after)
    ) as server:
        assert run_task(server, repositories=declared, purge=True)["changed"] is True


@pytest.mark.parametrize("status", [400, 405])
def test_resource_is_replaced_when_the_server_refuses_the_differences(status: int) -> None:
    before, after = with_actions(web=["READ"], reader=["READ"]), with_actions(web=["READ"])
    refused = call("PATCH", f"{PERMISSIONS}/web-team/artifact", status, json=NOT_FOUND)
    write = call("PUT", f"{PERMISSIONS}/web-team/artifact", sent_json=after, json=after)
    own = user("admin", admin=True)
    with conversation(
        stored(artifact=before), own, refused, stored(artifact=before), write, stored(artifact=after)
    ) as server:
        assert run_task(server, repositories={"groups": {"reader": []}})["changed"] is True


def test_version_2_keeps_a_right_revoked() -> None:
    section = {"repositories": ["a"], "include-patterns": ["**"], "exclude-patterns": []}
    bodies = [
        {"name": "web-team", "repo": {**section, "actions": {"users": users, "groups": {}}}}
        for users in ({"x": ["read"]}, {}, {"y": ["read"]})
    ]
    first, meanwhile, after = (call("GET", f"{TARGETS_2}/web-team", json=body) for body in bodies)
    write = call("PUT", f"{TARGETS_2}/web-team", sent_json=bodies[2])
    with conversation(missing(), version("7.70.2"), first, meanwhile, write, after) as server:
        assert run_task(server, repositories={"users": {"y": ["read"]}})["changed"] is True


def test_names_are_checked_before_the_first_of_several_requests() -> None:
    names = call("GET", "/access/api/v2/users", json={"users": []})
    with conversation(stored(artifact=ARTIFACT, build=BUILD), names) as server:
        result = run_task(
            server, repositories={"groups": {"web": []}}, builds={"users": {"ghost": ["read"]}}, allow_lockout=True
        )
    assert (result["changed"], result["msg"]) == (False, "Option 'builds.users': these users do not exist: ghost.")


def test_what_is_removed_comes_first() -> None:
    actions = {"users": {"ci": ["READ", "WRITE"]}, "groups": {"web": ["DELETE", "MANAGE", "READ", "WRITE"]}}
    after = stored(artifact={**ARTIFACT, "actions": actions}, build={**BUILD, "actions": {}})
    narrow = call("PATCH", f"{PERMISSIONS}/web-team/build", sent_json={"actions": {"groups": {"web": []}}})
    widen = call(
        "PATCH",
        f"{PERMISSIONS}/web-team/artifact",
        sent_json={"actions": {"groups": {"web": ["DELETE", "MANAGE", "READ", "WRITE"]}}},
    )
    with conversation(stored(artifact=ARTIFACT, build=BUILD), narrow, widen, after) as server:
        result = run_task(
            server,
            repositories={"groups": {"web": ["read", "write", "manage", "delete"]}},
            builds={"groups": {"web": []}},
            allow_lockout=True,
        )
    assert result["changed"] is True


def test_purge_removes_types_targets_and_principals() -> None:
    before = {
        "actions": {"users": {"ci": ["READ"], "other": ["READ"]}, "groups": {"web": ["READ"]}},
        "targets": {"npm-local": WEB, "pypi-local": ALL},
    }
    after = {"actions": {"users": {"ci": ["READ"]}, "groups": {}}, "targets": {"npm-local": WEB}}
    writes = (
        call("DELETE", f"{PERMISSIONS}/web-team/build", text="Ok"),
        stored(artifact=before),
        call("PUT", f"{PERMISSIONS}/web-team/artifact", sent_json=after, json=after),
    )
    with conversation(
        stored(artifact=before, build=BUILD), user("admin", admin=True), *writes, stored(artifact=after)
    ) as server:
        result = run_task(
            server, repositories={"targets": REPOSITORIES["targets"], "users": {"ci": ["read"]}}, purge=True
        )
    assert (result["changed"], "builds" in result["permission"]) == (True, False)


def test_remote_repository_equals_its_cache() -> None:
    artifact = {**ARTIFACT, "targets": {"libs-cache": ALL}}
    with conversation(stored(artifact=artifact), repositories(libs="REMOTE")) as server:
        result = run_task(server, repositories={"targets": {"libs": {}}}, purge=False)
    assert (result["changed"], list(result["permission"]["repositories"]["targets"])) == (False, ["libs"])


def test_local_repository_with_the_name_of_a_cache_is_another_target() -> None:
    artifact = {**ARTIFACT, "targets": {"libs-cache": ALL}}
    with conversation(stored(artifact=artifact), repositories(libs="LOCAL", libs_cache="LOCAL")) as server:
        result = run_task(server, repositories={"targets": {"libs": {}}}, check_mode=True)
    assert list(result["permission"]["repositories"]["targets"]) == ["libs", "libs-cache"]


@pytest.mark.parametrize("others", [{"ANY LOCAL": ALL}, {}])
def test_repositories_of_a_wildcard_do_not_count_as_changes(others: dict[str, Any]) -> None:
    artifact = {"actions": {"groups": {"web": ["READ"]}}, "targets": {**others, "a": ALL, "b": ALL}}
    lists = repositories(a="LOCAL", b="LOCAL", c="REMOTE")
    with conversation(stored(artifact=artifact), lists) as server:
        result = run_task(server, repositories={"targets": {"ANY LOCAL": {}}, "groups": {"web": ["read"]}}, purge=True)
    assert (result["changed"], list(result["permission"]["repositories"]["targets"])) == (False, ["ANY LOCAL"])


def test_section_that_the_server_adds_is_ignored() -> None:
    added = {"actions": {"groups": {"web": ["READ"]}}, "targets": {"*": {"include_patterns": ["**/undefined"]}}}
    with conversation(stored(artifact=ARTIFACT, destination=added)) as server:
        result = run_task(server, repositories=REPOSITORIES, purge=True)
    assert result["changed"] is False


def test_group_in_lower_case_is_the_same_group() -> None:
    with conversation(stored()) as server:
        result = run_task(server, repositories={"groups": {"Web": ["read", "write", "manage"]}})
    assert result["changed"] is False


def test_permission_is_deleted() -> None:
    with conversation(
        stored(), user("admin", admin=True), call("DELETE", f"{PERMISSIONS}/web-team", 204), missing(), version()
    ) as server:
        assert run_task(server, state="absent")["changed"] is True
    with conversation(missing(), version()) as server:
        assert run_task(server, state="absent")["changed"] is False


def test_version_2_replaces_all_sections() -> None:
    section = {
        "include-patterns": ["web/**"],
        "exclude-patterns": [""],
        "repositories": ["npm-local"],
        "actions": {"users": {"ci": ["read"]}, "groups": {"web": ["managedXrayMeta"]}},
    }
    build = {**section, "repositories": ["artifactory-build-info"]}
    read = call("GET", f"{TARGETS_2}/web-team", json={"name": "web-team", "repo": section, "build": build})
    body = {
        "name": "web-team",
        "repo": {
            **section,
            "exclude-patterns": [],
            "actions": {"users": {"ci": ["distribute", "read"]}, "groups": {"web": ["managedXrayMeta"]}},
        },
        "build": {**build, "exclude-patterns": []},
    }
    write = call("PUT", f"{TARGETS_2}/web-team", sent_json=body)
    after = call("GET", f"{TARGETS_2}/web-team", json=body)
    with conversation(missing(), version("7.70.2"), read, read, write, after) as server:
        result = run_task(server, repositories={"users": {"ci": ["read", "distribute"]}, "groups": {"web": ["scan"]}})
    assert result["changed"] is True
    assert result["permission"]["repositories"]["groups"] == {"web": ["scan"]}


def test_version_2_creates_with_post() -> None:
    gone = call("GET", f"{TARGETS_2}/web-team", 404, json=NOT_FOUND)
    body = {
        "name": "web-team",
        "repo": {
            "include-patterns": ["web/**"],
            "exclude-patterns": [],
            "repositories": ["npm-local"],
            "actions": {"users": {}, "groups": {"web": ["read"]}},
        },
    }
    write = call("POST", f"{TARGETS_2}/web-team", 201, sent_json=body)
    after = call("GET", f"{TARGETS_2}/web-team", json=body)
    with conversation(missing(), version("6.6.0"), gone, write, after) as server:
        result = run_task(server, repositories={"targets": REPOSITORIES["targets"], "groups": {"web": ["read"]}})
    assert result["changed"] is True


def test_version_1_uses_letters_and_comma_separated_patterns() -> None:
    body = {
        "name": "web-team",
        "includesPattern": "app/**,web/**",
        "excludesPattern": "",
        "repositories": ["ANY LOCAL"],
        "principals": {"users": {"ci": ["n", "mxm"]}, "groups": {}},
    }
    gone = call("GET", f"{TARGETS_1}/web-team", 404, json=NOT_FOUND)
    write = call("PUT", f"{TARGETS_1}/web-team", 201, sent_json=body)
    after = call("GET", f"{TARGETS_1}/web-team", json={**body, "includesPattern": "web/**, app/**"})
    with conversation(missing(), version("5.1.0"), gone, write, after) as server:
        result = run_task(
            server,
            repositories={
                "targets": {"ANY LOCAL": {"include_patterns": ["web/**", "app/**"]}},
                "users": {"ci": ["scan", "annotate"]},
            },
        )
    assert result["changed"] is True


@pytest.mark.parametrize(
    ("number", "options", "message"),
    [
        ("7.71.0", {"destinations": {"targets": {"*": {}}}}, "Option 'destinations': requires Artifactory 7.72.0 or"),
        ("6.5.0", {"builds": {"targets": {"b": {}}}}, "Option 'builds': requires Artifactory 6.6.0 or later"),
        (
            "7.71.0",
            {"repositories": {"targets": {"a": {}}, "users": {"ci": ["execute"]}}},
            "Option 'repositories.users.ci': the action 'execute' requires Artifactory 7.72.0 or later",
        ),
        (
            "7.71.0",
            {"repositories": {"targets": {"a": {}, "b": {"include_patterns": ["x/**"]}}}},
            "Artifactory before 7.72.0 has one set of patterns for all targets of permission 'web-team'",
        ),
    ],
)
def test_older_versions_refuse_what_they_cannot_express(number: str, options: dict[str, Any], message: str) -> None:
    root = TARGETS_1 if number.startswith("6.5") else TARGETS_2
    gone = call("GET", f"{root}/web-team", 404, json=NOT_FOUND)
    for check_mode in (True, False):
        with conversation(missing(), version(number), gone) as server:
            result = run_task(server, check_mode=check_mode, **options)
        assert result["failed"] and message in result["msg"]


def test_older_versions_refuse_a_plus_in_the_name() -> None:
    with conversation(call("GET", f"{PERMISSIONS}/a%2Bb", 404, json=NOT_FOUND), version("7.71.0")) as server:
        result = run_task(server, name="a+b", state="absent")
    assert "must not contain '+'" in result["msg"]


def test_change_is_refused_when_it_locks_out_the_account() -> None:
    task = {"token": token("boss"), "repositories": {"groups": {"web": ["read"]}}}
    own = user("boss", groups=["web"])
    group = call("GET", "/access/api/v2/groups/web", json={"name": "web", "admin_privileges": False})
    for check_mode in (True, False):
        with conversation(stored(), own, group) as server:
            result = run_task(server, check_mode=check_mode, **task)
        assert result["msg"].startswith("The change would lock out 'boss', the account of this task: it would lose ac")
    with conversation(stored()) as server:
        assert run_task(server, check_mode=True, allow_lockout=True, **task)["changed"] is True


def test_change_is_refused_when_the_group_of_the_account_has_another_case() -> None:
    group = call("GET", "/access/api/v2/groups/web", json={"name": "web", "admin_privileges": False})
    with conversation(stored(), user("boss", groups=["web"]), group) as server:
        result = run_task(server, token=token("boss"), repositories={"groups": {"Web": ["read"]}})
    assert result["msg"].startswith("The change would lock out 'boss'")


def test_actions_that_the_module_does_not_know_are_kept() -> None:
    section = {"repositories": ["a"], "include-patterns": ["**"], "actions": {"users": {"x": ["fly", "read"]}}}
    read = call("GET", f"{TARGETS_2}/web-team", json={"name": "web-team", "repo": section})
    body = {
        "name": "web-team",
        "repo": {
            **section,
            "exclude-patterns": [],
            "actions": {"users": {"x": ["fly", "read"], "y": ["read"]}, "groups": {}},
        },
    }
    write = call("PUT", f"{TARGETS_2}/web-team", sent_json=body)
    after = call("GET", f"{TARGETS_2}/web-team", json=body)
    with conversation(missing(), version("7.70.2"), read, read, write, after) as server:
        assert run_task(server, repositories={"users": {"y": ["read"]}})["changed"] is True


def test_change_is_refused_when_the_groups_of_the_account_are_unknown() -> None:
    refused = call("GET", "/access/api/v2/users/boss", 403, json={"errors": [{"message": "Forbidden"}]})
    with conversation(stored(), refused) as server:
        result = run_task(server, token=token("boss"), repositories={"groups": {"web": []}})
    assert result["msg"].startswith("Cannot verify that 'boss', the account of this task, keeps its access")
    with conversation(stored()) as server:
        result = run_task(server, api_key="key", token=None, repositories={"groups": {"web": []}})
    assert result["msg"].startswith("Cannot verify that the account of this task is not affected")


def test_loss_of_other_users_needs_no_request() -> None:
    after = {"actions": {"users": {}, "groups": ARTIFACT["actions"]["groups"]}, "targets": ARTIFACT["targets"]}
    write = call("PATCH", f"{PERMISSIONS}/web-team/artifact", json=after)
    with conversation(stored(), write, stored(artifact=after)) as server:
        assert run_task(server, repositories={"users": {"ci": []}})["changed"] is True


def test_token_of_an_administrator_is_never_locked_out() -> None:
    with conversation(stored()) as server:
        result = run_task(server, check_mode=True, token=token("x", "applied-permissions/admin"), state="absent")
    assert result["changed"] is True


@pytest.mark.parametrize(
    ("resource", "calls", "message"),
    [
        (
            {"targets": {"npm-local": {}, "missing": {}, "ANY": {}, "libs-cache": {}}},
            [repositories(npm_local="LOCAL", libs="REMOTE")],
            "Option 'repositories.targets': these repositories do not exist: missing." + PREDICT_MISSING,
        ),
        (
            {"targets": {"ANY_REMOTE": {}}},
            [repositories(npm_local="LOCAL")],
            "Option 'repositories.targets': these repositories do not exist: ANY_REMOTE. Use ANY REMOTE for all "
            "repositories of a class.",
        ),
        (
            {"users": {"nobody": ["read"], "anonymous": ["read"]}, "targets": {"ANY": {}}},
            [call("GET", "/access/api/v2/users", json={"users": [{"username": "ci", "uri": ""}]})],
            "Option 'repositories.users': these users do not exist: nobody." + PREDICT_MISSING,
        ),
        (
            {"groups": {"none": ["read"], "Web": ["read"]}, "targets": {"ANY": {}}},
            [call("GET", "/access/api/v2/groups", json={"groups": [{"group_name": "web", "uri": ""}]})],
            "Option 'repositories.groups': these groups do not exist: none." + PREDICT_MISSING,
        ),
    ],
)
def test_check_mode_predicts_missing_references(resource: dict[str, Any], calls: list[Call], message: str) -> None:
    with conversation(missing(), version(), *calls) as server:
        result = run_task(server, check_mode=True, repositories=resource)
    assert result["msg"] == message
    with conversation(missing(), version()) as server:
        result = run_task(server, check_mode=True, predict_missing=True, repositories=resource)
    assert result["changed"] is True


def test_items_share_the_lists_of_check_mode() -> None:
    items = [{"name": f"p{n}", "repositories": {"targets": {"npm-local": {}}}} for n in range(3)]
    with conversation(
        *(
            reads
            for n in range(3)
            for reads in (
                [missing(f"p{n}"), version(), repositories(npm_local="LOCAL")] if n == 0 else [missing(f"p{n}")]
            )
        )
    ) as server:
        result = run("artifact_permission", url=server.url, token=token(), items=items, workers=1, check_mode=True)
    assert result["counts"]["changed"] == 3


def test_undeclared_permissions_are_removed_except_built_in_ones() -> None:
    names = [{"name": name, "uri": ""} for name in ("Anything", "Any Remote", "old", "web-team")]
    with conversation(
        call("GET", PERMISSIONS, json={"permissions": names[:2], "cursor": "x y"}),
        call("GET", f"{PERMISSIONS}?cursor=x%20y", json={"permissions": names[2:]}),
        stored("old"),
        stored(),
    ) as server:
        result = run(
            "artifact_permission",
            url=server.url,
            token=token("x", "applied-permissions/admin"),
            items=[{"name": "web-team"}],
            undeclared="remove",
            workers=1,
            check_mode=True,
        )
    assert result["undeclared"] == ["old"]
    assert [outcome["status"] for outcome in result["outcomes"]] == ["changed", "ok"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": ".."}, "Option 'name': '..' is not a valid part of a path"),
        ({"name": "a/b"}, "Option 'name': must be a name of at most 255 characters without '/'"),
        ({"repositories": {"targets": {}}}, "Option 'repositories.targets': must not be empty"),
        ({"repositories": {"targets": {"a": None}}}, "Option 'repositories.targets.a': must be a dictionary"),
        ({"repositories": {"targets": {"a": []}}}, "Option 'repositories.targets.a': must be a dictionary"),
        ({"repositories": {"targets": {"a": {"include": ["x"]}}}}, "Option 'repositories.targets.a': must be a dicti"),
        ({"repositories": {"targets": {" a": {}}}}, "Option 'repositories.targets': ' a' is not a name"),
        (
            {"repositories": {"targets": {"a": {"include_patterns": "x"}}}},
            "Option 'repositories.targets.a.include_patterns': must be a list of strings",
        ),
        (
            {"repositories": {"targets": {"a": {"include_patterns": ["x,y"]}}}},
            "Option 'repositories.targets.a.include_patterns': 'x,y' is not a pattern",
        ),
        (
            {"repositories": {"targets": {"a": {"include_patterns": []}}}},
            "Option 'repositories.targets.a.include_patterns': must not be empty",
        ),
        (
            {"repositories": {"targets": {"a": {"exclude_patterns": None}}}},
            "Option 'repositories.targets.a.exclude_patterns': must not be null",
        ),
        ({"repositories": {"users": {"a": "read"}}}, "Option 'repositories.users.a': must be a list of strings"),
        ({"repositories": None}, "Option 'repositories': must not be null"),
        ({"repositories": {"users": None}}, "Option 'repositories.users': must not be null"),
        ({"repositories": {"users": {"a\nb": []}}}, "Option 'repositories.users': 'a\nb' is not a name"),
        ({"repositories": {"users": {"a": None}}}, "Option 'repositories.users.a': must be a list of strings"),
        ({"repositories": {"users": {"a": ["deploy"]}}}, "Option 'repositories.users.a': 'deploy' is not an action"),
        ({"repositories": {"users": {"a": ["managedXrayMeta"]}}}, "'managedxraymeta' is not an action. Use scan"),
        ({"repositories": {"users": {"a": [], "A": []}}}, "Option 'repositories.users': must not contain user 'A' t"),
        ({"builds": {"targets": {"a": {}, "b": {}}}}, "Option 'builds.targets': must contain only one repository"),
        ({"repositories": {"nope": {}}}, "nope"),
    ],
)
def test_invalid_options_are_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = run_task(server, **options)
    assert result["failed"] and message in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Option 'repositories': is required, or another one of repositories, builds"),
        ({"repositories": {"users": {"ci": ["read"]}}}, "Option 'repositories.targets': is required, because permiss"),
    ],
)
def test_new_permission_requires_targets(options: dict[str, Any], message: str) -> None:
    for check_mode in (True, False):
        with conversation(missing(), version()) as server:
            result = run_task(server, check_mode=check_mode, **options)
        assert message in result["msg"]


@pytest.mark.parametrize("check_mode", [True, False])
def test_second_target_of_builds_is_refused(check_mode: bool) -> None:
    with conversation(stored(build=BUILD)) as server:
        result = run_task(server, check_mode=check_mode, builds={"targets": {"other-build-info": {}}})
    assert result["msg"] == (
        "Option 'builds.targets': must contain only one repository of builds, but permission 'web-team' has "
        "artifactory-build-info. To replace it, set 'purge: true'."
    )


def test_purge_without_types_is_refused() -> None:
    with conversation(stored()) as server:
        result = run_task(server, purge=True, allow_lockout=True)
    assert "Option 'repositories': is required" in result["msg"]


def test_info_returns_the_form_of_the_options() -> None:
    listed = call("GET", PERMISSIONS, json={"permissions": [{"name": "web-team", "uri": ""}]})
    with conversation(listed, stored(artifact=ARTIFACT)) as server:
        info = run("artifact_permission_info", url=server.url, token=token())
    with conversation(stored(artifact=ARTIFACT)) as server:
        result = run("artifact_permission", url=server.url, token=token(), items=info["permissions"])
    assert (result["changed"], result["outcomes"][0]["permission"]) == (False, info["permissions"][0])


def test_info_of_a_missing_permission_is_empty() -> None:
    with conversation(missing(), version()) as server:
        assert run("artifact_permission_info", url=server.url, token=token(), name="web-team")["permissions"] == []
