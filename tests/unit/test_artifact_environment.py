# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

ENVIRONMENTS = "/access/api/v1/environments"
VERSION = "/artifactory/api/system/version"
NOT_FOUND = {"errors": [{"code": "NOT_FOUND", "message": "HTTP 404 Not Found"}]}


def listed(*names: str) -> Call:
    """Return the read of all environments."""
    return call("GET", ENVIRONMENTS, json=[{"name": name} for name in ("PROD", "DEV", *names)])


def created(name: str = "QA", status: int = 201) -> Call:
    return call("POST", ENVIRONMENTS, status, sent_json={"name": name}, json={"name": name})


def version(number: str, license_type: str = "Pro") -> Call:
    return call("GET", VERSION, json={"version": number, "license": license_type})


def test_unchanged_environment_costs_one_request() -> None:
    with conversation(listed("QA")) as server:
        result = run("artifact_environment", url=server.url, name="QA")
    assert (result["changed"], result["environment"]) == (False, {"name": "QA"})


def test_unchanged_environments_cost_one_request_in_total() -> None:
    items = [{"name": name} for name in ("QA", "DEV", "STAGING")]
    with conversation(listed("QA", "STAGING")) as server:
        result = run("artifact_environment", url=server.url, items=items)
    assert (result["changed"], result["counts"]["ok"]) == (False, 3)


@pytest.mark.parametrize("status", [200, 201])
def test_missing_environment_is_created(status: int) -> None:
    with conversation(listed(), created(status=status), listed("QA")) as server:
        result = run("artifact_environment", url=server.url, diff_mode=True, name="QA")
    assert (result["changed"], result["environment"]) == (True, {"name": "QA"})
    assert result["diff"] == {"before": {"state": "absent"}, "after": {"state": "present", "name": "QA"}}


def test_environment_is_renamed() -> None:
    task = {"name": "TEST", "previous_name": "QA"}
    renamed = call("POST", f"{ENVIRONMENTS}/QA/rename", sent_json={"new_name": "TEST"}, json={"name": "TEST"})
    with conversation(listed("QA"), renamed, listed("TEST")) as server:
        result = run("artifact_environment", url=server.url, diff_mode=True, **task)
    assert result["diff"] == {
        "before": {"state": "present", "name": "QA"},
        "after": {"state": "present", "name": "TEST"},
    }
    with conversation(listed("TEST")) as server:
        assert not run("artifact_environment", url=server.url, **task)["changed"]
    with conversation(listed("QA", "TEST")) as server:
        assert not run("artifact_environment", url=server.url, **task)["changed"]
    with conversation(listed(), created("TEST"), listed("TEST")) as server:
        assert run("artifact_environment", url=server.url, **task)["changed"]


def test_environment_to_rename_is_not_undeclared() -> None:
    renamed = call("POST", f"{ENVIRONMENTS}/QA/rename", sent_json={"new_name": "TEST"}, json={"name": "TEST"})
    items = [{"name": "TEST", "previous_name": "QA"}]
    with conversation(listed("QA"), renamed, listed("TEST")) as server:
        result = run("artifact_environment", url=server.url, items=items, undeclared="remove")
    assert (result["counts"]["changed"], result["undeclared"]) == (1, [])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"previous_name": "DEV"}, "'DEV' is built in and cannot be renamed"),
        ({"previous_name": "OLD", "state": "absent"}, "must not be set with 'state: absent'"),
    ],
)
def test_previous_name_is_refused(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = run("artifact_environment", url=server.url, name="QA", **options)
    assert result["msg"] == f"Option 'previous_name': {message}."


def test_environment_is_deleted() -> None:
    deleted = call("DELETE", f"{ENVIRONMENTS}/QA", 204)
    with conversation(listed("QA"), deleted, listed()) as server:
        result = run("artifact_environment", url=server.url, name="QA", state="absent")
    assert (result["changed"], result["environment"]) == (True, None)
    with conversation(listed()) as server:
        assert not run("artifact_environment", url=server.url, name="QA", state="absent")["changed"]


def test_check_mode_can_predict_only_deletions() -> None:
    items = [{"name": "QA"}, {"name": "TEST", "previous_name": "STAGING"}, {"name": "OLD", "state": "absent"}]
    options = {"undeclared": "remove", "predict_missing": True}
    with conversation(listed("OLD", "OLDER", "STAGING")) as server:
        result = run("artifact_environment", url=server.url, check_mode=True, items=items, **options)
    assert (result["counts"]["changed"], result["undeclared"]) == (2, ["OLDER"])


def test_check_mode_reads_only() -> None:
    with conversation(listed()) as server:
        result = run("artifact_environment", url=server.url, check_mode=True, name="QA")
    assert (result["changed"], result["environment"]) == (True, {"name": "QA"})


@pytest.mark.parametrize("name", ["DEV", "PROD"])
def test_built_in_environment_is_not_deleted(name: str) -> None:
    with conversation() as server:
        result = run("artifact_environment", url=server.url, name=name, state="absent")
    assert result["msg"] == f"Option 'name': '{name}' is built in and cannot be deleted."


def test_undeclared_environments_are_deleted_except_built_in_ones() -> None:
    deleted = call("DELETE", f"{ENVIRONMENTS}/OLD", 204)
    with conversation(listed("OLD", "QA"), deleted, listed("QA")) as server:
        result = run("artifact_environment", url=server.url, items=[{"name": "QA"}], undeclared="remove")
    assert (result["changed"], result["undeclared"]) == (True, ["OLD"])


@pytest.mark.parametrize("name", ["", "Q", "1A", "Q A", "Q/A", "QÄ", "Q" * 33, " QA", "Q.A", None])
def test_name_is_refused_before_the_first_request(name: Any) -> None:
    with conversation() as server:
        result = run("artifact_environment", url=server.url, name=name)
    assert result["failed"]
    assert "name" in result["msg"]


@pytest.mark.parametrize(
    ("response", "message"),
    [
        (version("7.50.3"), "Managing environments requires Artifactory 7.53.1 or later."),
        (version("7.77.3", "OSS"), "Managing environments requires Artifactory Pro, but the server is the open-source"),
    ],
)
def test_server_without_environments_is_reported(response: Call, message: str) -> None:
    with conversation(call("GET", ENVIRONMENTS, 404, json=NOT_FOUND), response) as server:
        result = run("artifact_environment", url=server.url, name="QA")
    assert message in result["msg"]


@pytest.mark.parametrize("content", [dict(text="<html>"), dict(json=NOT_FOUND)])
def test_missing_api_is_reported(content: dict[str, Any]) -> None:
    with conversation(call("GET", ENVIRONMENTS, 404, **content), version("7.77.3")) as server:
        result = run("artifact_environment_info", url=server.url)
    assert "Check" in result["msg"]
    assert "url" in result["msg"]


def test_empty_list_is_not_trusted() -> None:
    with conversation(call("GET", ENVIRONMENTS, json=[])) as server:
        result = run("artifact_environment", url=server.url, name="QA", state="absent")
    assert "The server returned no environments" in result["msg"]


@pytest.mark.usefixtures("reported_version")
def test_refusal_of_the_server_is_reported() -> None:
    error = {"errors": [{"code": "FORBIDDEN", "message": "Forbidden"}]}
    with conversation(call("GET", ENVIRONMENTS, 403, json=error)) as server:
        result = run("artifact_environment", url=server.url, name="QA")
    assert "Forbidden" in result["msg"]


def test_information_has_the_form_of_the_options() -> None:
    with conversation(listed("QA")) as server:
        result = run("artifact_environment_info", url=server.url)
    assert result["environments"] == [{"name": "DEV"}, {"name": "PROD"}, {"name": "QA"}]
    with conversation(listed("QA")) as server:
        assert not run("artifact_environment", url=server.url, items=result["environments"])["changed"]
