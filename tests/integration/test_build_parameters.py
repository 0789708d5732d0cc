# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Parameters of builds arrive as they were given, whatever is in them, in each form that they travel in."""

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
    """Two jobs, one of which takes a file as well, so that it is sent a form in parts."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    common = {"quiet_period": 0, "concurrent": True, "command": "true"}
    described = [
        {"name": "plain", "parameters": DEFINITIONS, **common},
        {"name": "parts", "parameters": [*DEFINITIONS, FILE], **common},
    ]
    sandbox.seed({"ci": {"executors": 1000, "jobs": described}})
    return sandbox


def arrived(sandbox: Sandbox, item: int) -> dict[str, Any]:
    """The parameters of what came of an item of the queue, as another client sees them."""
    environment = sandbox.environment
    auth = (environment["JENKINS_USER_ID"], environment["JENKINS_API_TOKEN"])
    url = f"{environment['JENKINS_URL']}/queue/item/{item}/api/json?tree=actions[parameters[name,value]]"
    actions = requests.get(url, auth=auth, timeout=60).json()["actions"]
    return {one["name"]: one.get("value") for one in actions[0]["parameters"]}


@settings(max_examples=BUILDS, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=st.tuples(TEXT, TEXT, st.booleans(), st.sampled_from(CHOICES), TEXT),
    form=st.sampled_from(["fields", "json"]),
    parts=st.booleans(),
)
def test_what_goes_in_comes_out(jobs: Sandbox, values: tuple[Any, ...], form: str, parts: bool) -> None:
    *plain, secret = zip((definition["name"] for definition in DEFINITIONS), values, strict=True)
    options: dict[str, Any] = {"parameters": dict(plain), "secret_parameters": dict([secret]), "form": form}
    if parts:
        options["files"] = {"FILE": __file__}
    result = run("ci_build", job="parts" if parts else "plain", wait=False, **options)
    assert not result.get("failed"), result["msg"]
    found = arrived(jobs, result["queue_item"])
    assert {name: found[name] for name, _value in plain} == dict(plain)
    assert found["SECRET"] is None


@pytest.mark.parametrize("form", ["fields", "json"])
@pytest.mark.parametrize("content", [b"", bytes(range(256)), b"\r\n--x\r\n" * 100_000], ids=["empty", "odd", "large"])
def test_a_file_arrives_as_it_is(jobs: Sandbox, tmp_path: pathlib.Path, content: bytes, form: str) -> None:
    file = tmp_path / "a b.bin"
    file.write_bytes(content)
    result = run("ci_build", job="parts", files={"FILE": str(file)}, form=form, secret_parameters={"SECRET": "x" * 9})
    environment = jobs.environment
    auth = (environment["JENKINS_USER_ID"], environment["JENKINS_API_TOKEN"])
    answer = requests.get(f"{result['build']['url']}parameters/parameter/FILE/FILE", auth=auth, timeout=60)
    assert answer.content == content
