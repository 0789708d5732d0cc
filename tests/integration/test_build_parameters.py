# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build parameters reach Jenkins unchanged, with any content, in each form of request."""

from __future__ import annotations

import pathlib
from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.client import Sandbox
from support.running import run

BUILDS = 150  # with five parameters each
CHOICES = ["a b", "a'b", 'a"b', "a,b", "$HOME", "ü&amp;<b>", ""]
DEFINITIONS = [
    {"name": "STRING", "default": "x"},
    {"name": "ODD name, ü=1&2", "type": "text", "default": "x"},
    {"name": "FLAG", "type": "boolean", "default": False},
    {"name": "CHOICE", "type": "choice", "choices": CHOICES},
    {"name": "SECRET", "type": "password", "default": ""},
]
FILE = {"name": "FILE", "type": "file"}
SHARP = "\"'\\$`%+&=;,#?<>\r\n\t\x1b\x01\u2028\ufeff\U0001f600"
TEXT = st.text(st.one_of(st.sampled_from(SHARP), st.characters(exclude_categories=["Cs"], exclude_characters="\0")))


@pytest.fixture
def jobs(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Sandbox:
    """Create two jobs. One has a file parameter, which requires a multipart form."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    common = {"quiet_period": 0, "concurrent": True, "command": "true"}
    job_definitions = [
        {"name": "plain", "parameters": DEFINITIONS, **common},
        {"name": "multipart", "parameters": [*DEFINITIONS, FILE], **common},
    ]
    sandbox.seed({"ci": {"executors": 1000, "jobs": job_definitions}})
    return sandbox


def fetch_parameters(sandbox: Sandbox, item: int) -> dict[str, Any]:
    """Return the parameters of a queue item, as another client sees them."""
    environment = sandbox.environment
    auth = (environment["JENKINS_USER_ID"], environment["JENKINS_API_TOKEN"])
    url = f"{environment['JENKINS_URL']}/queue/item/{item}/api/json?tree=actions[parameters[name,value]]"
    actions = requests.get(url, auth=auth, timeout=60).json()["actions"]
    return {item["name"]: item.get("value") for item in actions[0]["parameters"]}


@settings(max_examples=BUILDS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.tuples(TEXT, TEXT, st.booleans(), st.sampled_from(CHOICES), TEXT),
    form=st.sampled_from(["fields", "json"]),
    multipart=st.booleans(),
)
def test_parameters_are_unchanged(jobs: Sandbox, values: tuple[Any, ...], form: str, multipart: bool) -> None:
    *plain, secret = zip((definition["name"] for definition in DEFINITIONS), values, strict=True)
    options: dict[str, Any] = {"parameters": dict(plain), "secret_parameters": dict([secret]), "form": form}
    if multipart:
        options["files"] = {"FILE": __file__}
    result = run("ci_build", job="multipart" if multipart else "plain", wait=False, **options)
    assert not result.get("failed"), result["msg"]
    actual = fetch_parameters(jobs, result["queue_item"])
    assert {name: actual[name] for name, _value in plain} == dict(plain)
    assert actual["SECRET"] is None


@pytest.mark.parametrize("form", ["fields", "json"])
@pytest.mark.parametrize("content", [b"", bytes(range(256)), b"\r\n--x\r\n" * 100_000], ids=["empty", "odd", "large"])
def test_uploaded_file_is_unchanged(jobs: Sandbox, tmp_path: pathlib.Path, content: bytes, form: str) -> None:
    file = tmp_path / "a b.bin"
    file.write_bytes(content)
    result = run(
        "ci_build", job="multipart", files={"FILE": str(file)}, form=form, secret_parameters={"SECRET": "x" * 9}
    )
    environment = jobs.environment
    auth = (environment["JENKINS_USER_ID"], environment["JENKINS_API_TOKEN"])
    response = requests.get(f"{result['build']['url']}parameters/parameter/FILE/FILE", auth=auth, timeout=60)
    assert response.content == content
