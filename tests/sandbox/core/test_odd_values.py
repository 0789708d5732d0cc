# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of numbers that are too large, unpaired surrogates and deep paths."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
import requests

from sandbox import client
from sandbox.inference.chat import structured_output
from sandbox.parsing.documents import parse_json
from support.wire.ci import Ci, oops
from support.wire.inference import ADMIN, Api

LONG = "9" * 5000
OUT_OF_RANGE = "99999999999999999999"
LATE = "Mon, 99999999999999999999 Jan 2020 00:00:00 GMT"
Artifactory = Callable[..., requests.Response]


@pytest.fixture
def artifactory(sandbox: client.Sandbox) -> Artifactory:
    headers = {"Authorization": f"Bearer {sandbox.environment['JFROG_ACCESS_TOKEN']}"}

    def call(method: str, path: str, more: dict[str, str] | None = None, **options: Any) -> requests.Response:
        return requests.request(method, sandbox.url + path, headers={**headers, **(more or {})}, timeout=60, **options)

    return call


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (rb'"\ud83d\ude00"', "\U0001f600"),
        (rb'"\uD83D"', "?"),
        (rb'"a\udE00b"', "a?b"),
        (rb'"\ud83d\ud83d\ude00"', "?\U0001f600"),
        (rb'"\\ud83d"', "\\ud83d"),
        (rb'"\\\ud83d"', "\\?"),
        (rb'{"\ud83d": ["\n"]}', {"?": ["\n"]}),
        ('"\U0001f600"'.encode("utf-16"), "\U0001f600"),
    ],
)
def test_unpaired_surrogates_are_replaced(text: bytes, value: Any) -> None:
    assert parse_json(text) == value


@pytest.mark.parametrize(
    "text", [b'"\xed\xa0\x80"', b'"\xff"', b"1e999", b"-1e999", b"NaN", b"Infinity", LONG.encode()]
)
def test_json_is_rejected_when_a_string_or_number_is_invalid(text: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", f"/artifactory/api/search/creation?from={OUT_OF_RANGE}", 404),
        ("GET", f"/artifactory/api/search/dates?dateFields=created&from={LONG}", 404),
        ("GET", f"/artifactory/api/search/usage?notUsedSince={LONG}", 404),
        ("GET", f"/artifactory/api/storage/generic-local?list&deep=1&depth={OUT_OF_RANGE}", 400),
        ("GET", f"/artifactory/api/docker/docker-local/v2/_catalog?n={LONG}", 400),
        ("GET", f"/artifactory/api/docker/docker-local/v2/_catalog?n=1&last={LONG}", 200),
    ],
)
def test_artifactory_rejects_a_number_when_it_is_too_large(
    artifactory: Artifactory, method: str, path: str, status: int
) -> None:
    assert artifactory(method, path).status_code == status


@pytest.mark.parametrize("order", [{"count": int("9" * 400)}, {"minimumBuildDate": int("9" * 400)}])
def test_retention_is_rejected_when_a_number_is_too_large(artifactory: Artifactory, order: dict[str, int]) -> None:
    answer = artifactory("POST", "/artifactory/api/build/retention/app", json=order)
    assert answer.status_code == 400


def test_builds_are_listed_when_one_was_rejected_because_of_its_date(artifactory: Artifactory) -> None:
    record = {"name": "late", "number": "1", "started": "9999-12-31T23:59:59.000-1200"}
    assert artifactory("PUT", "/artifactory/api/build", json=record).status_code == 400
    assert artifactory("GET", "/artifactory/api/build").status_code == 200


def test_artifactory_returns_its_own_message_when_a_date_is_out_of_range(artifactory: Artifactory) -> None:
    answer = artifactory("GET", "/artifactory/generic-local/missing", {"If-Modified-Since": LATE})
    assert answer.status_code == 500
    assert answer.json()["errors"][0]["message"] == f"Could not process download request: {LATE}"


def test_file_is_stored_and_found_when_its_path_is_deep(artifactory: Artifactory) -> None:
    path = f"/artifactory/generic-local/{'d/' * 2000}file"
    assert artifactory("PUT", path, data=b"content").status_code == 201
    assert artifactory("GET", path).content == b"content"
    assert artifactory("PUT", f"{path}/below", data=b"content").status_code == 400
    assert artifactory("DELETE", "/artifactory/generic-local/d").status_code == 204


def test_token_is_created_when_its_description_has_an_unpaired_surrogate(artifactory: Artifactory) -> None:
    body = rb'{"description": "\ud83d"}'
    answer = artifactory("POST", "/access/api/v1/tokens", {"Content-Type": "application/json"}, data=body)
    assert answer.status_code == 200
    token = answer.json()["token_id"]
    assert artifactory("GET", f"/access/api/v1/tokens/{token}").json()["description"] == "?"


def test_project_is_created_when_its_name_has_an_unpaired_surrogate(sandbox: client.Sandbox) -> None:
    headers = {"Authorization": f"Bearer {ADMIN}", "Content-Type": "application/json"}
    url = f"{sandbox.environment['OPENAI_BASE_URL']}/organization/projects"
    answer = requests.post(url, rb'{"name": "a\ud83d"}', headers=headers, timeout=60)
    assert (answer.status_code, answer.json()["name"]) == (200, "a?")


def test_page_is_rejected_when_its_limit_is_too_large(api: Api) -> None:
    assert api.get(f"/v1/organization/projects?limit={LONG}", ADMIN).status_code == 400


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "array", "minItems": 10**9},
        {"type": "array", "minItems": 1000, "items": {"type": "array", "minItems": 1000}},
        {"type": "string", "minLength": 10**10},
        {"type": "number", "multipleOf": 0, "minimum": 1},
        {"type": "number", "multipleOf": 1e-308, "minimum": 1e308},
    ],
)
def test_schema_is_rejected_when_it_is_too_large(schema: dict[str, Any]) -> None:
    with pytest.raises(structured_output.ApiError):
        structured_output.generate_document(schema)


@pytest.mark.parametrize("delay", [LONG, f"{LONG}sec", OUT_OF_RANGE])
def test_build_is_rejected_when_its_delay_is_too_large(ci: Ci, delay: str) -> None:
    ci.create("plain")
    answer = ci.post(f"/job/plain/build?delay={delay}")
    assert (answer.status_code, oops(answer)) == (500, True)


@pytest.mark.parametrize("status", ["\xb2", "99999", "100", LONG, ""])
def test_build_is_started_when_the_status_in_its_form_is_invalid(ci: Ci, status: str) -> None:
    assert ci.post("/job/deploy/build?delay=0sec", data={"json": json.dumps({"statusCode": status})}).status_code == 201


@pytest.mark.parametrize("period", ["\xb2", LONG])
def test_job_has_no_quiet_period_when_the_configured_one_is_invalid(ci: Ci, period: str) -> None:
    ci.create("odd", f"<project><quietPeriod>{period}</quietPeriod></project>")
    assert ci.json("/job/odd")["name"] == "odd"
    assert ci.post("/job/odd/build").status_code == 201


@pytest.mark.parametrize("count", ["2147483647", LONG, "\xb2"])
def test_agent_is_rejected_when_it_has_too_many_executors(ci: Ci, count: str) -> None:
    form = {"json": json.dumps({"numExecutors": count})}
    answer = ci.post("/computer/doCreateItem?name=big&type=hudson.slaves.DumbSlave", data=form)
    assert answer.status_code in (400, 500)
    assert ci.get("/computer/big/api/json").status_code == 404


def test_plugins_are_not_installed_when_their_names_are_not_strings(ci: Ci) -> None:
    answer = ci.post("/pluginManager/installPlugins", json={"plugins": [["a"], {"b": 1}, None], "dynamicLoad": True})
    assert answer.json() == {"status": "error", "message": 'No such plugin: ["a"]'}
