# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

LIST = "/artifactory/api/cleanup/packages/policies"
KEY = "old-builds"
ADDRESS = f"{LIST}/{KEY}"
NOT_FOUND = {"errors": [{"status": 404, "message": "Policy with key old-builds does not exist"}]}
CRITERIA = {"package_types": ["maven"], "repositories": ["libs"], "created_before_days": 90}
TASK: dict[str, Any] = {"key": KEY, "criteria": CRITERIA}
# Other empty criteria are omitted, as JFrog's Terraform provider does
EMPTY = {"includeAllProjects": False, "includedProjects": []}
SEARCH = {"packageTypes": ["maven"], "repos": ["libs"], "includedPackages": ["**"], "createdBeforeInDays": 90, **EMPTY}
BODY = {"key": KEY, "description": "", "enabled": False, "skipTrashcan": False, "searchCriteria": SEARCH}
ENABLED = {**BODY, "enabled": True}
RESULT = {
    "key": KEY,
    "description": "",
    "cron": "",
    "duration_in_minutes": 0,
    "enabled": False,
    "skip_trashcan": False,
    "project": "",
    "criteria": {
        "package_types": ["maven"],
        "repositories": ["libs"],
        "excluded_repositories": [],
        "included_packages": ["**"],
        "excluded_packages": [],
        "include_all_projects": False,
        "included_projects": [],
        "created_before_days": 90,
        "created_before_months": 0,
        "last_downloaded_before_days": 0,
        "last_downloaded_before_months": 0,
        "keep_last_versions": 0,
        "included_properties": {},
        "excluded_properties": {},
    },
}


def version(number: str = "7.111.4", license_text: str = "0" * 40) -> Call:
    document = {"version": number, "license": license_text}
    return call("GET", "/artifactory/api/system/version", json=document)


def licensed(license_type: str = "Enterprise Plus") -> Call:
    return call("GET", "/artifactory/api/system/licenses", json={"type": license_type})


def with_criteria(**members: Any) -> dict[str, Any]:
    """Return a policy as the API has it, with members of its criteria, where null removes a member."""
    criteria = {name: value for name, value in {**SEARCH, **members}.items() if value is not None}
    return {**BODY, "searchCriteria": criteria}


def has(policy: dict[str, Any] | None) -> Call:
    """Return the read of the policy."""
    return call("GET", ADDRESS, json=policy) if policy else call("GET", ADDRESS, 404, json=NOT_FOUND)


def missing() -> list[Call]:
    """Return the reads that show that the policy does not exist, although the server supports policies."""
    return [has(None), version(), licensed()]


def created(body: dict[str, Any], status: int = 201, **response: Any) -> Call:
    return call("POST", ADDRESS, status, sent_json=body, **response)


def replaced(body: dict[str, Any], status: int = 200, **response: Any) -> Call:
    return call("PUT", ADDRESS, status, sent_json=body, **response)


def set_enabled(enabled: bool, status: int = 200, **response: Any) -> Call:
    return call("POST", f"{ADDRESS}/enablement", status, sent_json={"enabled": enabled}, **response)


def deleted(key: str = KEY, status: int = 204, **response: Any) -> Call:
    return call("DELETE", f"{LIST}/{key}", status, **response)


def manage(server: Any, **options: Any) -> dict[str, Any]:
    return run("artifact_cleanup_policy", url=server.url, **{"token": "t0ken-of-mine", **TASK, **options})


@pytest.mark.parametrize(
    "stored",
    [
        BODY,
        {**BODY, "description": None, "cronExp": None, "projectKey": "default", "durationInMinutes": None},
        with_criteria(includedPackages=None, excludedRepos=None, createdBeforeInMonths=None, keepLastNVersions=0),
    ],
)
def test_unchanged_policy_costs_one_request(stored: dict[str, Any]) -> None:
    with conversation(has(stored)) as server:
        result = manage(server, description="", cron="", enabled=False, project="", duration_in_minutes=0)
    assert result == {"changed": False, "policy": RESULT}


def test_lists_and_schedules_are_normalized() -> None:
    stored = {
        **with_criteria(repos=["b", "a"], includedProperties={"x": ["2", "1"]}),
        "cronExp": "0 0 2 ? * SUN",
    }
    criteria = {**CRITERIA, "repositories": ["a", "b", "a"], "included_properties": {"x": ["1", "2"]}}
    with conversation(has(stored)) as server:
        result = manage(server, cron="0 0  2 ? * sun", criteria=criteria)
    assert (result["changed"], result["policy"]["cron"]) == (False, "0 0 2 ? * SUN")


def test_missing_policy_is_created_disabled() -> None:
    with conversation(*missing(), created(BODY), has(BODY)) as server:
        result = manage(server, diff_mode=True)
    assert (result["changed"], result["policy"]) == (True, RESULT)
    assert result["diff"] == {
        "before": {"state": "absent"},
        "after": {"state": "present", "enabled": False, "criteria": CRITERIA},
    }


def test_policy_is_created_with_all_options() -> None:
    body = {
        **with_criteria(
            createdBeforeInDays=None,
            createdBeforeInMonths=3,
            lastDownloadedBeforeInMonths=6,
            excludedRepos=["libs-a"],
            includedPackages=["com/*"],
            excludedPackages=["com/x"],
            includeAllProjects=True,
            includedProjects=["web"],
            includedProperties={"a": ["1"]},
            excludedProperties={"b": ["2", "3"]},
        ),
        "description": "Öld",
        "cronExp": "0 0 2 * * ?",
        "durationInMinutes": 60,
        "skipTrashcan": True,
        "projectKey": "web",
    }
    criteria = {
        "package_types": ["maven"],
        "repositories": ["libs"],
        "excluded_repositories": ["libs-a"],
        "included_packages": ["com/*"],
        "excluded_packages": ["com/x"],
        "include_all_projects": True,
        "included_projects": ["web"],
        "created_before_months": 3,
        "last_downloaded_before_months": 6,
        "included_properties": {"a": 1},
        "excluded_properties": {"b": ["3", "2"]},
    }
    options = {
        "description": "Öld",
        "cron": "0 0 2 * * ?",
        "duration_in_minutes": 60,
        "skip_trashcan": True,
        "project": "web",
        "criteria": criteria,
    }
    with conversation(*missing(), created(body), has(body)) as server:
        result = manage(server, **options)
    assert result["changed"]
    with conversation(has(body)) as server:
        assert not manage(server, **options)["changed"]


def test_policy_is_enabled_after_its_creation() -> None:
    calls = (*missing(), created(BODY), has(BODY), has(BODY), set_enabled(True), has(ENABLED))
    with conversation(*calls) as server:
        result = manage(server, enabled=True)
    assert (result["changed"], result["policy"]["enabled"]) == (True, True)


def test_next_run_enables_a_policy_whose_creation_was_interrupted() -> None:
    calls = (*missing(), created(BODY), has(BODY), has(BODY), set_enabled(True, 500), has(BODY))
    with conversation(*calls) as server:
        result = manage(server, enabled=True)
    assert (result["failed"], result["changed"], result["policy"]["enabled"]) == (True, True, False)
    with conversation(has(BODY), has(BODY), set_enabled(True), has(ENABLED)) as server:
        assert manage(server, enabled=True)["changed"]


def test_policy_is_not_enabled_when_the_server_stores_broader_criteria() -> None:
    sent, stored = with_criteria(excludedPackages=["com/x"]), BODY
    task = {"enabled": True, "criteria": {**CRITERIA, "excluded_packages": ["com/x"]}}
    shortfall = "these fields of the policy do not have the requested values: criteria (excluded_packages)."
    with conversation(*missing(), created(sent), has(stored)) as server:
        result = manage(server, **task)
    assert (result["failed"], result["changed"], result["policy"]["enabled"]) == (True, True, False)
    assert shortfall in result["msg"]
    with conversation(has(stored), has(stored), replaced(sent), has(stored)) as server:
        assert manage(server, **task)["msg"] == f"The server accepted the change, but {shortfall}"


def test_policy_is_not_enabled_when_another_client_has_widened_its_criteria() -> None:
    with conversation(has(BODY), has(with_criteria(createdBeforeInDays=None))) as server:
        result = run("artifact_cleanup_policy", url=server.url, key=KEY, enabled=True)
    assert "it would delete packages regardless of age, versions and properties" in result["msg"]


def test_policy_stays_disabled_when_the_server_stores_other_criteria_than_were_sent() -> None:
    sent = with_criteria(excludedRepos=["x"])
    stored = with_criteria(excludedRepos=["x"], repos=["**"], createdBeforeInDays=None)
    task = {"key": KEY, "criteria": {"excluded_repositories": ["x"]}}
    with conversation(has(ENABLED), has(ENABLED), set_enabled(False), replaced(sent), has(stored)) as server:
        result = run("artifact_cleanup_policy", url=server.url, **task)
    assert (result["failed"], result["changed"], result["policy"]["enabled"]) == (True, True, False)
    assert result["msg"] == (
        "The server accepted the change, but these fields of the policy do not have the requested values: criteria "
        "(created_before_days, repositories). The policy is disabled now."
    )


def test_policy_is_reported_as_disabled_when_its_change_is_refused() -> None:
    sent = with_criteria(excludedRepos=["x"])
    refused = replaced(sent, 400, json={"errors": [{"message": "Bad criteria"}]})
    task = {"key": KEY, "criteria": {"excluded_repositories": ["x"]}}
    with conversation(has(ENABLED), has(ENABLED), set_enabled(False), refused, has(BODY)) as server:
        result = run("artifact_cleanup_policy", url=server.url, **task)
    assert (result["failed"], result["changed"]) == (True, True)
    assert "Bad criteria" in result["msg"] and result["msg"].endswith("The policy is disabled now.")


def test_only_declared_options_are_changed() -> None:
    stored = {
        **with_criteria(lastDownloadedBeforeInDays=30, newCriterion=["x"]),
        "cronExp": "0 0 2 * * ?",
        "durationInMinutes": 30,
        "lastRun": 7,
    }
    after = {**stored, "searchCriteria": {**stored["searchCriteria"], "excludedPackages": ["com/x"]}}
    with conversation(has(stored), has(stored), replaced(after), has(after)) as server:
        result = manage(server, diff_mode=True, criteria={"excluded_packages": ["com/x"]})
    assert result["diff"] == {
        "before": {"state": "present", "criteria": {"excluded_packages": []}},
        "after": {"state": "present", "criteria": {"excluded_packages": ["com/x"]}},
    }


def test_enabled_policy_stays_enabled_when_it_is_changed() -> None:
    disabled, after = {**BODY, "description": "new"}, {**ENABLED, "description": "new"}
    with conversation(
        *(has(ENABLED), has(ENABLED), set_enabled(False), replaced(disabled), has(disabled)),
        *(has(disabled), set_enabled(True), has(after)),
    ) as server:
        assert manage(server, description="new")["policy"]["enabled"]


def test_policy_is_enabled_after_other_changes() -> None:
    after = {**BODY, "description": "new"}
    final = {**after, "enabled": True}
    calls = (has(BODY), has(BODY), replaced(after), has(after), has(after), set_enabled(True), has(final))
    with conversation(*calls) as server:
        assert manage(server, description="new", enabled=True)["changed"]


def test_policy_is_disabled_before_other_changes() -> None:
    after = {**BODY, "description": "new"}
    with conversation(has(ENABLED), has(ENABLED), set_enabled(False), replaced(after), has(after)) as server:
        assert manage(server, description="new", enabled=False)["changed"]


def test_values_are_removed() -> None:
    stored = {
        **with_criteria(keepLastNVersions=5, createdBeforeInDays=None, includedProperties={"a": ["1"], "b": ["2"]}),
        "cronExp": "0 0 2 * * ?",
        "durationInMinutes": 30,
    }
    after = with_criteria(createdBeforeInDays=None, includedProperties={"a": ["1"]})
    criteria = {"keep_last_versions": 0, "included_properties": {"a": "1"}}
    with conversation(has(stored), has(stored), replaced(after), has(after)) as server:
        result = manage(server, cron="", duration_in_minutes=0, criteria=criteria)
    assert (result["changed"], result["policy"]["cron"]) == (True, "")


def test_condition_replaces_the_same_condition_in_another_unit() -> None:
    after = with_criteria(createdBeforeInDays=None, createdBeforeInMonths=3)
    criteria = {"created_before_months": 3}
    with conversation(has(BODY), has(BODY), replaced(after), has(after)) as server:
        applied = manage(server, diff_mode=True, criteria=criteria)
    assert applied["policy"]["criteria"].items() >= {"created_before_days": 0, "created_before_months": 3}.items()
    with conversation(has(BODY)) as server:
        checked = manage(server, diff_mode=True, check_mode=True, criteria=criteria)
    assert checked == applied
    with conversation(has(after)) as server:
        assert not manage(server, criteria=criteria)["changed"]


@pytest.mark.parametrize(
    ("stored", "criteria", "message"),
    [
        (
            BODY,
            {"keep_last_versions": 5},
            "'criteria.keep_last_versions': excludes 'criteria.created_before_days'. The e",
        ),
        (BODY, {"last_downloaded_before_months": 5}, "months': excludes 'criteria.created_before_days'. The existing"),
        (
            with_criteria(lastDownloadedBeforeInDays=5),
            {"created_before_months": 5},
            "'criteria.created_before_months': excludes 'criteria.last_downloaded_before_days'. The existing",
        ),
    ],
)
def test_condition_that_excludes_an_existing_one_is_refused(
    stored: dict[str, Any], criteria: dict[str, Any], message: str
) -> None:
    with conversation(has(stored)) as server:
        result = manage(server, criteria=criteria)
    assert message in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"key": "ab"}, "'key': must be at least 3 letters"),
        ({"key": "a b c"}, "'key': must be at least 3 letters"),
        ({"key": None}, "key"),
        ({"description": "x" * 257}, "'description': must be at most 256"),
        ({"cron": "0 2 * * *"}, "'cron': must be a Quartz cron expression"),
        ({"duration_in_minutes": -1}, "'duration_in_minutes': must be 0 to 100,000"),
        ({"criteria": None}, "'criteria': must not be null"),
        ({"criteria": {**CRITERIA, "excluded_packages": None}}, "'criteria.excluded_packages': must not be null"),
        ({"criteria": {**CRITERIA, "created_before_days": None}}, "'criteria.created_before_days': must not be null"),
        ({"criteria": {**CRITERIA, "repositories": []}}, "'criteria.repositories': must not be empty"),
        ({"criteria": {**CRITERIA, "repositories": [""]}}, "'criteria.repositories[0]': must not be empty"),
        ({"criteria": {**CRITERIA, "included_packages": []}}, "'criteria.included_packages': must not be empty"),
        (
            {"criteria": {**CRITERIA, "keep_last_versions": 1}},
            "'criteria.created_before_days': excludes 'criteria.keep",
        ),
        ({"criteria": {**CRITERIA, "created_before_months": 1}}, "excludes 'criteria.created_before_months'. Set only"),
        ({"criteria": {**CRITERIA, "included_properties": {"a": []}}}, "'criteria.included_properties.a': must be a s"),
        ({"criteria": {**CRITERIA, "included_properties": {"a": {}}}}, "'criteria.included_properties.a': must be a s"),
        (
            {"criteria": {**CRITERIA, "excluded_properties": {"a": [""]}}},
            "'criteria.excluded_properties.a': must not c",
        ),
        ({"criteria": {**CRITERIA, "excluded_properties": {"a": 1.1}}}, "excluded_properties"),
        ({"criteria": {**CRITERIA, "excluded_properties": {"a": True}}}, "Quote values such as true"),
        ({"criteria": {**CRITERIA, "excluded_properties": {"": "x"}}}, "must not contain an empty name"),
        ({"criteria": {**CRITERIA, "excluded_properties": ["x"]}}, "excluded_properties"),
        ({"criteria": {**CRITERIA, "created_before_days": 1.5}}, "created_before_days"),
        ({"items": [{"key": KEY, "criteria": None}]}, "criteria': must not be null"),
    ],
)
def test_option_is_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = manage(server, **options)
    assert result["failed"]
    assert message in result["msg"]


@pytest.mark.parametrize("option", ["package_types", "repositories"])
@pytest.mark.parametrize("check_mode", [False, True])
def test_new_policy_requires_package_types_and_repositories(option: str, check_mode: bool) -> None:
    criteria = {name: value for name, value in CRITERIA.items() if name != option}
    with conversation(*missing()) as server:
        result = manage(server, criteria=criteria, check_mode=check_mode)
    assert f"Option 'criteria.{option}': is required, because clean-up policy 'old-builds' does not" in result["msg"]


ANY_AGE = {"package_types": ["maven"], "repositories": ["libs"]}
EVERYTHING = {"package_types": ["**"], "repositories": ["**"], "created_before_days": 90}


@pytest.mark.parametrize(
    ("criteria", "message"),
    [
        (ANY_AGE, "it would delete packages regardless of age, versions and properties. Narrow"),
        (
            {**ANY_AGE, "created_before_days": 0, "included_properties": {}},
            "regardless of age, versions and properties",
        ),
        (EVERYTHING, "it would apply to all package types in all repositories. Narrow"),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_broad_policy_is_refused(criteria: dict[str, Any], message: str, check_mode: bool) -> None:
    with conversation(*missing()) as server:
        result = manage(server, criteria=criteria, check_mode=check_mode)
    assert message in result["msg"]


def test_broad_policy_is_written_when_it_is_allowed() -> None:
    body = with_criteria(createdBeforeInDays=None)
    with conversation(*missing(), created(body), has(body)) as server:
        assert manage(server, criteria=ANY_AGE, allow_broad_criteria=True)["changed"]


def test_existing_broad_policy_can_be_disabled_but_not_enabled() -> None:
    stored = with_criteria(createdBeforeInDays=None)
    enabled = has({**stored, "enabled": True})
    with conversation(enabled, enabled, set_enabled(False), has(stored)) as server:
        assert manage(server, criteria={}, enabled=False)["changed"]
    with conversation(has(stored)) as server:
        assert "was not written: it would delete" in manage(server, criteria={}, enabled=True)["msg"]
    with conversation(has(BODY)) as server:
        assert "was not written: it would delete" in manage(server, criteria={"created_before_days": 0})["msg"]


@pytest.mark.parametrize("option", [{"cron": "0 0 2 * * ?"}, {"skip_trashcan": True}, {"duration_in_minutes": 5}])
@pytest.mark.parametrize("enabled", [False, True])
def test_existing_broad_policy_is_not_changed(option: dict[str, Any], enabled: bool) -> None:
    stored = {**with_criteria(createdBeforeInDays=None), "enabled": enabled}
    with conversation(has(stored)) as server:
        result = run("artifact_cleanup_policy", url=server.url, key=KEY, **option)
    assert "was not written: it would delete packages regardless of age" in result["msg"]


def test_project_is_not_changed() -> None:
    with conversation(has(BODY)) as server:
        result = manage(server, project="web")
    assert result["msg"] == (
        "The project of clean-up policy 'old-builds' cannot be changed from '' to 'web'. Delete the policy and create "
        "it again."
    )


def test_policy_is_deleted() -> None:
    with conversation(has(BODY), deleted(), has(None), version(), licensed()) as server:
        result = manage(server, state="absent")
    assert (result["changed"], result["policy"]) == (True, None)
    with conversation(*missing()) as server:
        assert not manage(server, state="absent")["changed"]


def test_items_cost_one_request() -> None:
    items = [{"key": key, "criteria": CRITERIA} for key in ("one", "two", "three")]
    stored = [{**BODY, "key": item["key"]} for item in items]
    with conversation(call("GET", LIST, json=stored)) as server:
        result = run("artifact_cleanup_policy", url=server.url, items=items)
    assert (result["changed"], result["counts"]["ok"]) == (False, 3)


def test_undeclared_policies_of_the_same_projects_are_deleted() -> None:
    stored = [BODY, {**BODY, "key": "other"}, {**BODY, "key": "web-old", "projectKey": "web"}]
    gone = call("GET", f"{LIST}/other", 404, json=NOT_FOUND)
    listed = call("GET", LIST, json=stored)
    with conversation(listed, deleted("other"), gone, version(), licensed()) as server:
        result = run("artifact_cleanup_policy", url=server.url, items=[TASK], undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (True, ["other"])
    item = {**TASK, "key": "web-new", "project": "web", "state": "absent"}
    with conversation(listed) as server:
        result = run("artifact_cleanup_policy", url=server.url, items=[item], undeclared="report")
    assert result["undeclared"] == ["web-old"]


def test_empty_project_of_an_item_stands_for_global_policies() -> None:
    listed = call("GET", LIST, json=[BODY, {**BODY, "key": "other"}, {**BODY, "key": "web-old", "projectKey": "web"}])
    gone = [call("GET", f"{LIST}/other", 404, json=NOT_FOUND), version(), licensed()]
    with conversation(listed, deleted("other"), *gone) as server:
        items = [{**TASK, "project": ""}]
        result = run("artifact_cleanup_policy", url=server.url, project="web", items=items, undeclared="remove")
    assert (result["changed"], result["undeclared"], "failed" in result) == (True, ["other"], False)


@pytest.mark.parametrize("check_mode", [False, True])
def test_policy_of_another_project_is_not_deleted(check_mode: bool) -> None:
    stored = {**BODY, "projectKey": "web"}
    with conversation(has(stored)) as server:
        result = manage(server, state="absent", project="other", check_mode=check_mode)
    assert result["msg"] == ("Clean-up policy 'old-builds' is not deleted, because its project is 'web', not 'other'.")
    with conversation(has(stored), deleted(), *missing()) as server:
        assert manage(server, state="absent", project="web")["changed"]


def test_check_mode_reads_only() -> None:
    repositories = call("GET", "/artifactory/api/repositories", json=[{"key": "libs", "type": "LOCAL"}])
    with conversation(*missing(), repositories) as server:
        result = manage(server, check_mode=True, enabled=True)
    assert (result["changed"], result["policy"]) == (True, {**RESULT, "enabled": True})


def test_check_mode_predicts_missing_references() -> None:
    repositories = call("GET", "/artifactory/api/repositories", json=[{"key": "libs", "type": "LOCAL"}])
    criteria = {**CRITERIA, "repositories": ["libs", "none", "team-*"]}
    with conversation(*missing(), repositories) as server:
        result = manage(server, check_mode=True, criteria=criteria)
    assert result["msg"] == "Option 'criteria.repositories': these repositories do not exist: none." + PREDICT_MISSING
    project = call("GET", "/access/api/v1/projects/web", 404, json={"errors": [{"code": "NOT_FOUND"}]})
    with conversation(*missing(), project) as server:
        result = manage(server, check_mode=True, project="web")
    assert result["msg"] == "Option 'project': 'web' does not exist on this server." + PREDICT_MISSING
    with conversation(*missing()) as server:
        assert manage(server, check_mode=True, project="web", criteria=criteria, predict_missing=True)["changed"]


PRO_ONLY = {"errors": [{"status": 400, "message": "This REST API is available only in Artifactory Enterprise"}]}
ALTERNATIVE = "Use artifact_cleanup instead, which requires only Artifactory Pro."


@pytest.mark.parametrize(
    ("responses", "message"),
    [
        (
            [call("GET", ADDRESS, 400, json=PRO_ONLY), version(), licensed("Commercial")],
            "Managing clean-up policies requires Artifactory Enterprise, but the server has a license of the type "
            f"'Commercial'. {ALTERNATIVE}",
        ),
        (
            [has(None), version(license_text="Artifactory OSS")],
            "Managing clean-up policies requires Artifactory Enterprise, but the server is the open-source edition. "
            f"{ALTERNATIVE}",
        ),
        (
            [has(None), version("7.90.1"), licensed()],
            f"Managing clean-up policies requires Artifactory 7.98.2 or later. {ALTERNATIVE}",
        ),
        ([call("GET", ADDRESS, 404, text="<html>"), version(), licensed()], "but not from the Artifactory API"),
        ([call("GET", ADDRESS, text="<html>")], "JSON"),
        ([call("GET", ADDRESS, json={})], "without 'key'"),
        ([call("GET", ADDRESS, json={"key": KEY})], "without 'searchCriteria'"),
        ([call("GET", ADDRESS, json=[])], "unexpected JSON structure"),
        ([call("GET", ADDRESS, json={**BODY, "key": "other"})], "'key'"),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_server_without_policies_is_reported(responses: list[Call], message: str, check_mode: bool) -> None:
    with conversation(*responses) as server:
        result = manage(server, check_mode=check_mode)
    assert result["failed"]
    assert message in result["msg"]


RUNNING = {"errors": [{"status": 400, "message": "Policy with key old-builds is currently running"}]}


def test_running_policy_is_reported() -> None:
    refused = replaced({**BODY, "description": "new"}, 400, json=RUNNING)
    with conversation(has(BODY), has(BODY), refused, has(BODY)) as server:
        result = manage(server, description="new")
    assert "currently running. Artifactory does not change a policy while it runs. Wait until the" in result["msg"]
    with conversation(has(BODY), deleted(status=400, json=RUNNING), has(BODY)) as server:
        assert "Wait until the run ends, or stop it." in manage(server, state="absent")["msg"]


def test_lost_response_is_resolved_by_reading_back() -> None:
    with conversation(*missing(), created(BODY, drop=True), has(BODY)) as server:
        result = manage(server)
    assert (result["changed"], "had its effect" in result["warnings"][0]) == (True, True)
    with conversation(has(BODY), deleted(drop=True), has(None), version(), licensed()) as server:
        assert manage(server, state="absent")["changed"]


def test_policy_that_another_client_creates_is_compared_again() -> None:
    conflict = created(BODY, 409, json={"errors": [{"status": 409, "message": "already exists"}]})
    with conversation(*missing(), conflict, has(BODY)) as server:
        result = manage(server)
    assert (result["changed"], "compared again" in result["warnings"][0]) == (False, True)


def test_info_returns_the_form_of_the_options() -> None:
    stored = {**BODY, "key": "web", "projectKey": "web", "cronExp": "0 0 2 * * ?"}
    with conversation(call("GET", LIST, json=[stored, BODY])) as server:
        result = run("artifact_cleanup_policy_info", url=server.url)
    expected = [RESULT, {**RESULT, "key": "web", "project": "web", "cron": "0 0 2 * * ?"}]
    assert (result["changed"], result["policies"]) == (False, expected)
    with conversation(call("GET", LIST, json=[stored, BODY])) as server:
        result = run("artifact_cleanup_policy", url=server.url, items=expected)
    assert result["counts"]["ok"] == 2


def test_info_returns_one_policy() -> None:
    with conversation(has(BODY)) as server:
        assert run("artifact_cleanup_policy_info", url=server.url, key=KEY)["policies"] == [RESULT]
    with conversation(*missing()) as server:
        assert run("artifact_cleanup_policy_info", url=server.url, key=KEY)["policies"] == []
