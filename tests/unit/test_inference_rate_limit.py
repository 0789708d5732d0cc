# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.inference_server import ADMIN, page
from support.running import run

RPM, TPM, IPM = "max_requests_per_1_minute", "max_tokens_per_1_minute", "max_images_per_1_minute"


def row(model: str, requests: int = 500, tokens: int = 30000) -> dict[str, Any]:
    return {"object": "project.rate_limit", "id": f"rl-{model}", "model": model, RPM: requests, TPM: tokens}


def limits(*rows: dict[str, Any]) -> Call:
    return page("/projects/proj_1/rate_limits", *rows)


def update(model: str, **sent: int) -> Call:
    return call("POST", f"/v1/organization/projects/proj_1/rate_limits/rl-{model}", json=row(model), sent_json=sent)


def manage(*calls: Call, **parameters: Any) -> dict[str, Any]:
    with conversation(*calls) as server:
        project = {} if "project_name" in parameters else {"project_id": "proj_1"}
        options = {"url": f"{server.url}/v1", "admin_key": ADMIN, **project, **parameters}
        return run("inference_rate_limit", **options)


def test_second_run_reads_once() -> None:
    result = manage(limits(row("gpt-4o"), row("o1")), limits=[{"model": "gpt-4o", RPM: 500}])
    assert not result["changed"]
    assert result["rate_limits"]["gpt-4o"][TPM] == 30000
    assert list(result["rate_limits"]) == ["gpt-4o"]


def test_each_model_that_differs_gets_one_request() -> None:
    before = row("gpt-4o"), row("o1"), row("gpt-4")
    after = row("gpt-4o", 5), row("o1"), row("gpt-4", 6, 7)
    desired = [{"model": "gpt-4o", RPM: 5, TPM: 30000}, {"model": "o1", RPM: 500}, {"model": "gpt-4", RPM: 6, TPM: 7}]
    calls = limits(*before), update("gpt-4o", **{RPM: 5}), update("gpt-4", **{RPM: 6, TPM: 7}), limits(*after)
    result = manage(*calls, limits=desired, diff_mode=True)
    assert result["changed"]
    assert result["diff"]["before"] == {
        "gpt-4o": {RPM: 500, TPM: 30000},
        "o1": {RPM: 500},
        "gpt-4": {RPM: 500, TPM: 30000},
    }
    assert result["diff"]["after"]["gpt-4"] == {RPM: 6, TPM: 7}


def project(**more: Any) -> Call:
    return call("GET", "/v1/organization/projects/proj_1", json={"id": "proj_1", "name": "Find", **more})


def test_check_mode_predicts_the_limits() -> None:
    calls = limits(row("gpt-4o")), project()
    result = manage(*calls, limits=[{"model": "gpt-4o", RPM: 5}], check_mode=True)
    assert (result["changed"], result["rate_limits"]["gpt-4o"][RPM]) == (True, 5)


def test_check_mode_fails_when_the_project_is_archived() -> None:
    calls = limits(row("gpt-4o")), project(archived_at=1751328000)
    result = manage(*calls, limits=[{"model": "gpt-4o", RPM: 5}], check_mode=True)
    assert result["msg"] == "Cannot change the rate limits of project 'proj_1': the project is archived."


def test_limits_of_a_project_that_an_earlier_task_creates_are_predicted() -> None:
    task = {"limits": [{"model": "gpt-4o", RPM: 5}], "project_name": "New", "check_mode": True}
    projects = page("/projects", {"id": "proj_2", "name": "Old", "status": "active", "created_at": 1735689600})
    result = manage(projects, predict_missing=True, **task)
    assert (result["changed"], result["rate_limits"]["gpt-4o"][RPM]) == (True, 5)
    result = manage(projects, **task)
    assert result["msg"] == f"Option 'project_name': no active project has the name 'New'.{PREDICT_MISSING}"


def test_zero_is_a_limit() -> None:
    calls = limits(row("gpt-4o")), update("gpt-4o", **{RPM: 0}), limits(row("gpt-4o", 0))
    assert manage(*calls, limits=[{"model": "gpt-4o", RPM: 0}])["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("desired", "message"),
    [
        (
            {"model": "gpt-5", RPM: 1},
            "Project 'proj_1' has no limits for the model 'gpt-5'. Check the ID of the model.",
        ),
        (
            {"model": "gpt-4o", IPM: 1},
            "The model 'gpt-4o' has no limit 'max_images_per_1_minute'. Remove it from 'limits'.",
        ),
    ],
)
def test_task_fails_before_any_write_when_a_limit_does_not_exist(
    desired: dict[str, Any], message: str, check_mode: bool
) -> None:
    assert manage(limits(row("gpt-4o")), limits=[desired], check_mode=check_mode)["msg"] == message


@pytest.mark.parametrize(
    ("desired", "message"),
    [
        ([{"model": "a"}], "Option 'limits[0]': must set at least one limit"),
        ([{"model": "a", RPM: 1}, {"model": "a", TPM: 1}], "Option 'limits[1].model': 'a' is listed twice"),
        ([], "Option 'limits': must not be empty"),
        ([{"model": "a", RPM: -1}], "Option 'limits[0].max_requests_per_1_minute': must be 0 to 2,147,483,647"),
    ],
)
def test_bad_input_fails_before_any_request(desired: list[dict[str, Any]], message: str) -> None:
    assert manage(limits=desired)["msg"].startswith(message)


def test_task_fails_when_the_change_has_no_effect() -> None:
    calls = limits(row("gpt-4o")), update("gpt-4o", **{RPM: 5}), limits(row("gpt-4o"))
    result = manage(*calls, limits=[{"model": "gpt-4o", RPM: 5}])
    assert "do not have the requested values: gpt-4o" in result["msg"]
