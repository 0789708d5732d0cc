# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: parameters of builds."""

from __future__ import annotations

from typing import Any

import pytest
import requests

from support.wire.ci import FIRST, Ci, oops


def test_build_uses_defaults_when_form_has_no_json(ci: Ci) -> None:
    nothing = ci.post("/job/deploy/build")
    assert (nothing.status_code, "Nothing is submitted" in nothing.text) == (400, True)
    submissions: tuple[dict[str, Any], ...] = (
        {"data": {"VERSION": "2"}},
        {"params": {"delay": "0sec"}},
        {"json": {"parameter": []}},
        {"files": {"VERSION": (None, "2")}},
    )
    for options in submissions:
        other = ci.post("/job/deploy/build", **options)
        assert (other.status_code, "This page expects a form submission" in other.text) == (400, True)
    response = ci.get("/job/deploy/build")
    assert (response.status_code, "Allow" in response.headers) == (405, False)
    assert ci.get("/job/app/build").headers["Allow"] == "POST"
    assert ci.get("/job/app/build", "reader").status_code == 403


def test_json_form_sets_parameters(ci: Ci) -> None:
    def build(text: str) -> requests.Response:
        return ci.post("/job/deploy/build?delay=5sec", data={"json": text})

    one = '{"parameter": {"name": "DRY_RUN", "value": "true"}}'
    answer = build(one)
    assert (answer.status_code, answer.headers["Location"]) == (201, f"{ci.url}/job/deploy/")
    assert ci.item(FIRST)["params"] == "\nDRY_RUN=true"
    again = build(one)
    assert (again.status_code, again.headers["Location"]) == (302, "/ci/job/deploy/")
    empty = build('{"parameter": [], "redirectTo": "http://elsewhere/"}')
    assert empty.headers["Location"] == f"{ci.url}/queue/item/{FIRST + 1}/"
    assert build('{"parameter": {"name": "VERSION"}, "statusCode": "303"}').status_code == 303
    parts = {"json": (None, '{"parameter": {"name": "VERSION", "value": "ü"}}')}
    assert ci.post("/job/deploy/build?delay=5sec", files=parts).status_code == 201
    assert ci.item(FIRST + 3)["params"] == "\nVERSION=ü"
    assert ci.item(FIRST + 2)["params"] == "\nVERSION="
    assert '"params":"\\u000aVERSION="' in ci.get(f"/queue/item/{FIRST + 2}/api/json").text
    assert build('{"parameter": {"name": "VERSION", "value": null}}').status_code == 302


@pytest.mark.parametrize(
    "text",
    [
        '{"parameter": {"name": "X", "value": 1}}',
        '{"parameter": {"value": 1}}',
        "no json",
        '{"parameter": {"name": "TARGET", "value": "moon"}}',
    ],
)
def test_request_is_refused_when_json_form_is_malformed(ci: Ci, text: str) -> None:
    assert oops(ci.post("/job/deploy/build", data={"json": text}))


def test_build_with_parameters_sets_values(ci: Ci) -> None:
    path = "/job/deploy/buildWithParameters?delay=5sec"
    answer = ci.post(path, data={"VERSION": "2", "DRY_RUN": "on", "UNKNOWN": "x", "SECRET": "hush"})
    assert (answer.status_code, answer.headers["Location"]) == (201, f"{ci.url}/queue/item/{FIRST}/")
    assert ci.item(FIRST)["params"] == "\nVERSION=2\nTARGET=staging\nDRY_RUN=false\nSECRET=****"
    again = ci.post(path + "&VERSION=2&SECRET=hush")
    assert (again.status_code, again.headers["Location"]) == (303, f"{ci.url}/queue/item/{FIRST}/")
    assert ci.post(path, json={"VERSION": "3"}).headers["Location"].endswith(f"/{FIRST + 1}/")
    assert ci.item(FIRST + 1)["params"].startswith("\nVERSION=1.0\n")
    assert oops(ci.post(path + "&VERSION=1", data={"VERSION": "1"}))
    ci.post(path, files={"VERSION": (None, "4")})
    assert ci.item(FIRST + 2)["params"].startswith("\nVERSION=4\n")
    assert oops(ci.post(path + "&TARGET=moon"))
    assert ci.get(path).status_code == 405
    plain = ci.post("/job/app/buildWithParameters")
    assert (plain.status_code, "app is not parameterized" in plain.text) == (400, True)
    ci.sandbox.switch("ci", version="2.516.1")
    assert ci.post("/job/app/buildWithParameters").status_code == 500


def test_build_shows_its_parameters(ci: Ci) -> None:
    ci.post("/job/deploy/buildWithParameters", data={"VERSION": "", "DRY_RUN": "true", "SECRET": "hush"})
    expected = [
        {"_class": "hudson.model.StringParameterValue", "name": "VERSION", "value": ""},
        {"_class": "hudson.model.StringParameterValue", "name": "TARGET", "value": "staging"},
        {"_class": "hudson.model.BooleanParameterValue", "name": "DRY_RUN", "value": True},
        {"_class": "hudson.model.PasswordParameterValue", "name": "SECRET"},
    ]
    for tree in ("actions[parameters[*]]", "actions[parameters[name,value]]"):
        assert ci.json("/job/deploy/1", tree=tree)["actions"] == [
            {"_class": "hudson.model.ParametersAction", "parameters": expected},
            {"_class": "hudson.model.CauseAction"},
            {},
        ]
    by_depth = ci.json("/job/deploy")["property"][0]["parameterDefinitions"][0]["defaultParameterValue"]
    assert by_depth == {"_class": "hudson.model.StringParameterValue", "name": "VERSION", "value": "1.0"}
    tree = "property[parameterDefinitions[name,type,defaultParameterValue[value],choices]]"
    target = ci.json("/job/deploy", tree=tree)["property"][0]["parameterDefinitions"][1]
    assert target == {
        "_class": "hudson.model.ChoiceParameterDefinition",
        "defaultParameterValue": {"_class": "hudson.model.StringParameterValue", "value": "staging"},
        "name": "TARGET",
        "type": "ChoiceParameterDefinition",
        "choices": ["staging", "production"],
    }


CONTENT = bytes(range(256)) * 3 + b"\r\n--"


def with_file(ci: Ci) -> None:
    parameters = [{"name": "VERSION", "default": "1.0"}, {"name": "PACKAGE", "type": "file"}]
    ci.sandbox.seed({"ci": {"jobs": [{"name": "install", "command": "echo $PACKAGE", "parameters": parameters}]}})


def test_file_parameter_definition_is_shown(ci: Ci) -> None:
    with_file(ci)
    tree = "property[parameterDefinitions[name,type,defaultParameterValue[value],choices]]"
    assert ci.json("/job/install", tree=tree)["property"][0]["parameterDefinitions"][1] == {
        "_class": "hudson.model.FileParameterDefinition",
        "defaultParameterValue": None,
        "name": "PACKAGE",
        "type": "FileParameterDefinition",
    }


@pytest.mark.parametrize("form", ["fields", "json"])
def test_file_parameter_is_uploaded_and_served(ci: Ci, form: str) -> None:
    with_file(ci)
    if form == "fields":
        path, parts = "/job/install/buildWithParameters", {"PACKAGE": ("dir/app.zip", CONTENT)}
    else:
        text = '{"parameter": [{"name": "VERSION", "value": "2"}, {"name": "PACKAGE", "file": "file0"}]}'
        path, parts = "/job/install/build", {"file0": ("app.zip", CONTENT), "json": (None, text)}
    assert ci.post(path + "?delay=0sec", files=parts).status_code == 201
    assert ci.item(FIRST)["params"] == f"\nVERSION={'1.0' if form == 'fields' else '2'}\nPACKAGE=app.zip"
    assert ci.json("/job/install/1", tree="actions[parameters[*]]")["actions"][0]["parameters"][1] == {
        "_class": "hudson.model.FileParameterValue",
        "name": "PACKAGE",
    }
    assert ci.get("/job/install/1/parameters/parameter/PACKAGE/PACKAGE").content == CONTENT
    ci.later(1)
    log = ci.get("/job/install/1/consoleText").text
    assert "Copying file to PACKAGE\n" in log
    assert "\napp.zip\n" in log


def test_queue_items_differ_when_they_have_files(ci: Ci) -> None:
    with_file(ci)
    for number in (FIRST, FIRST + 1):
        answer = ci.post("/job/install/buildWithParameters?delay=5sec", files={"PACKAGE": ("a", b"same")})
        assert (answer.status_code, answer.headers["Location"]) == (201, f"{ci.url}/queue/item/{number}/")


def test_file_parameter_is_omitted_when_not_sent(ci: Ci) -> None:
    with_file(ci)
    assert ci.post("/job/install/buildWithParameters", data={"PACKAGE": "text"}).status_code == 201
    assert ci.item(FIRST)["params"] == "\nVERSION=1.0"
    assert oops(ci.post("/job/install/build", data={"json": '{"parameter": {"name": "PACKAGE", "file": "file0"}}'}))
    assert ci.get("/job/install/1/parameters/parameter/PACKAGE/PACKAGE").status_code == 404
