# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, UnexpectedResponse
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record, describe_mismatch
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec

URL = "https://ci.example.com/job/folder/job/app/42/"
FREESTYLE = {
    "_class": "hudson.model.FreeStyleBuild",
    "actions": [
        {
            "_class": "hudson.model.ParametersAction",
            "parameters": [
                {"_class": "hudson.model.StringParameterValue", "name": "TARGET", "value": "staging"},
                {"_class": "hudson.model.BooleanParameterValue", "name": "DRY", "value": True},
                {"_class": "hudson.model.PasswordParameterValue", "name": "KEY"},
            ],
        },
        {},
        {"_class": "hudson.model.CauseAction", "causes": [{"shortDescription": "Started by user Ada"}, {}]},
    ],
    "artifacts": [{"displayPath": "a b.txt", "fileName": "a b.txt", "relativePath": "out/a b.txt"}],
    "building": False,
    "description": None,
    "displayName": "#42",
    "duration": 12345,
    "estimatedDuration": -1,
    "fullDisplayName": "folder » app #42",
    "id": "42",
    "keepLog": False,
    "number": 42,
    "queueId": 117,
    "result": "SUCCESS",
    "timestamp": 1772366400123,
    "url": URL,
    "builtOn": "",
}


def record(**members: Any) -> Record:
    """Return a build as the server returns it."""
    return Record({**FREESTYLE, **members}, lambda *what: UnexpectedResponse(describe_mismatch(*what)))


def test_result_contains_all_fields() -> None:
    assert builds.to_result(record(), "folder/app") == {
        "job": "folder/app",
        "number": 42,
        "url": URL,
        "result": "SUCCESS",
        "building": False,
        "timestamp": "2026-03-01T12:00:00.123Z",
        "duration": 12.345,
        "estimated_duration": None,
        "id": "42",
        "display_name": "#42",
        "full_display_name": "folder » app #42",
        "description": None,
        "queue_id": 117,
        "built_on": "",
        "keep_log": False,
        "parameters": {"TARGET": "staging", "DRY": True, "KEY": None},
        "causes": ["Started by user Ada"],
        "artifacts": [{"name": "a b.txt", "path": "out/a b.txt", "url": f"{URL}artifact/out/a%20b.txt"}],
    }


def test_missing_members_are_null() -> None:
    build = builds.to_result(Record({"number": 1}, UnexpectedResponse), "app", ["built_on", "queue_id", "parameters"])
    assert build == {"job": "app", "number": 1, "url": None, "built_on": None, "queue_id": None, "parameters": {}}


def test_tree_contains_only_requested_fields() -> None:
    assert builds.build_tree(["result", "duration"]) == "number,url,result,duration"
    assert builds.build_tree(["parameters", "result", "causes"]) == (
        "number,url,actions[parameters[name,value],causes[shortDescription]],result"
    )


@pytest.mark.parametrize("timestamp", ["soon", True, 1.5, 10**18, -(10**18)])
def test_invalid_timestamp_is_an_error(timestamp: Any) -> None:
    with pytest.raises(UnexpectedResponse, match=r"'timestamp' is .* instead of milliseconds since 1970"):
        builds.to_result(record(timestamp=timestamp), "app")


@pytest.mark.parametrize(
    ("build", "path"),
    [("42", "/job/app/42"), (7, "/job/app/7"), *((name, f"/job/app/{own}") for name, own in builds.SELECTORS.items())],
)
def test_build_path(build: str | int, path: str) -> None:
    assert builds.build_path("app", build) == path


@pytest.mark.parametrize("build", ["", "0", "-1", "1.5", "lastBuild", "LAST", "1/stop", "12345678901"])
def test_invalid_build_option_is_rejected(build: str) -> None:
    spec = ArgumentSpec(dict(build=dict(type="str", **builds.BUILD)))
    with pytest.raises(BadOption, match="must be the number of a build, such as 42, or one of last, "):
        spec.check({"build": build})


def test_error_names_the_missing_build() -> None:
    assert str(builds.build_not_found("app", "42")).startswith("Job 'app' has no build 42, the job does not exist")
    assert str(builds.build_not_found("app", "last_failed")).startswith("Job 'app' has no last failed build, the job")
