# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Check mode of modules that change Jenkins predicts the real run, in generated worlds."""

from __future__ import annotations

import functools
import pathlib
import tempfile
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.client import Sandbox
from support.plugin_site import URL, plugin_file
from support.running import run
from support.wire.ci import TOKENS

PLUGINS = ("a", "b", "c", "d")
VERSIONS = ("1.0", "1.5", "2.0")
PARAMETERS = [
    {"name": "VERSION", "default": "1.0"},
    {"name": "NOTE", "default": " x ", "trim": True},
    {"name": "TARGET", "type": "choice", "choices": ["staging", "production"]},
]
ADMIN = {"name": "admin", "password": "x", "tokens": [TOKENS["admin"]], "permissions": ["Overall/Administer"]}
READER = {"name": "reader", "password": "x", "tokens": [TOKENS["reader"]], "permissions": ["Overall/Read", "Job/Read"]}
USERS = st.sampled_from(["admin", "admin", "admin", "reader"])
MANY = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def set_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables."""
    monkeypatch.setenv("JENKINS_URL", sandbox.environment["JENKINS_URL"])


def compare(sandbox: Sandbox, module: str, world: dict[str, Any], user: str, **options: Any) -> dict[str, Any]:
    """Return the result of the real run in this world; assert that check mode predicts it."""
    sandbox.seed({"ci": {"users": [ADMIN, READER], **world}}, reset=True)
    sandbox.switch("ci", install_seconds=0)
    set_options = {name: value for name, value in options.items() if value is not None}
    go = functools.partial(run, module, username=user, api_token=TOKENS[user], diff_mode=True, **set_options)
    predicted, result = go(check_mode=True), go()
    assert predicted.get("failed") == result.get("failed"), (predicted.get("msg"), result.get("msg"))
    assert predicted["changed"] == result["changed"]
    if result.get("failed"):
        assert not result["changed"]
        return result
    assert predicted.keys() == result.keys()
    assert steps(predicted) == steps(result)
    for member in ("diff", "plugins", "quiet_down"):
        assert predicted.get(member) == result.get(member)
    return result


def steps(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the plan without values that are unknown before it is applied."""
    plan = result.get("plan") or []
    step_list = plan if isinstance(plan, list) else [plan]
    return [{name: value for name, value in step.items() if name != "needs_restart"} for step in step_list]


@st.composite
def dependencies(draw: st.DrawFn, name: str) -> list[dict[str, Any]]:
    """Generate dependencies on preceding plugins."""
    needed = draw(st.lists(st.sampled_from(PLUGINS[: PLUGINS.index(name)] or [name]), unique=True, max_size=2))
    return [
        {"name": other, "version": draw(st.sampled_from(VERSIONS)), "optional": draw(st.booleans())}
        for other in needed
        if other != name
    ]


@st.composite
def plugin_worlds(draw: st.DrawFn) -> dict[str, Any]:
    installed: list[dict[str, Any]] = []
    offered: list[dict[str, Any]] = [{"name": "other", "version": "1.0"}]  # without any, nothing can be predicted
    for name in PLUGINS:
        if draw(st.booleans()):
            enabled = draw(st.sampled_from([True, True, False]))
            version = draw(st.sampled_from(VERSIONS))
            active, deleted = draw(st.sampled_from([enabled, enabled, not enabled])), draw(st.integers(0, 4)) == 0
            state = {"enabled": enabled, "active": active, "deleted": deleted}
            installed.append({"name": name, "version": version, "dependencies": draw(dependencies(name)), **state})
        if draw(st.sampled_from([True, True, False])):
            version, core = draw(st.sampled_from(VERSIONS)), draw(st.sampled_from(["2.400", "2.400", "9.0"]))
            more = {"required_core_version": core, "dependencies": draw(dependencies(name))}
            offered.append({"name": name, "version": version, **more})
    return {
        "plugins": installed,
        "update_site": URL,
        "update_sites": [{"url": URL, "fetched": True, "plugins": offered}],
    }


@st.composite
def desired_plugins(draw: st.DrawFn) -> list[dict[str, Any]]:
    plugins = []
    for name in draw(st.lists(st.sampled_from(PLUGINS), unique=True, min_size=1, max_size=3)):
        state = draw(st.sampled_from(["present", "enabled", "disabled", "absent"]))
        version = draw(st.none() | st.sampled_from(VERSIONS)) if state in ("present", "enabled") else None
        plugins.append({"name": name, "state": state, **({"version": version} if version else {})})
    return plugins


@given(world=plugin_worlds(), plugins=desired_plugins(), user=USERS)
@MANY
def test_plugin_changes_are_predicted(
    sandbox: Sandbox, world: dict[str, Any], plugins: list[dict[str, Any]], user: str
) -> None:
    compare(sandbox, "ci_plugin", world, user, plugins=plugins, wait_delay=0.1)


@given(world=plugin_worlds(), needs=dependencies("d"), core=st.sampled_from(["2.400", "9.0"]), user=USERS)
@MANY
def test_plugin_uploads_are_predicted(
    sandbox: Sandbox, world: dict[str, Any], needs: list[dict[str, Any]], core: str, user: str
) -> None:
    entries = [f"{one['name']}:{one['version']}{';resolution:=optional' * one['optional']}" for one in needs]
    content = plugin_file("own", "1.0", Jenkins_Version=core, Plugin_Dependencies=",".join(entries))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "own.hpi")
        path.write_bytes(content)
        plugins = [{"name": "own", "src": str(path)}]
        result = compare(sandbox, "ci_plugin", world, user, plugins=plugins, wait_delay=0.1)
    if not result.get("failed"):
        assert "own" in result["plugins"]


@st.composite
def values(draw: st.DrawFn) -> dict[str, str]:
    some = {"VERSION": ["1.0", "2.0"], "NOTE": ["x", " x "], "TARGET": ["staging", "production"]}
    return draw(st.fixed_dictionaries({}, optional={name: st.sampled_from(texts) for name, texts in some.items()}))


@st.composite
def job_worlds(draw: st.DrawFn) -> dict[str, Any]:
    builds = [
        {"result": draw(st.sampled_from(["SUCCESS", "FAILURE"])), "parameters": draw(values())}
        for _number in range(draw(st.integers(0, 2)))
    ]
    queued = [{"seconds": 3600, "parameters": draw(values())}] if draw(st.booleans()) else []
    job = {"name": "app", "parameters": PARAMETERS, "builds": builds, "queued": queued, "quiet_period": 3600}
    return {"jobs": [{**job, "disabled": draw(st.sampled_from([False, False, False, True]))}]}


@given(
    world=job_worlds(),
    parameters=values(),
    form=st.sampled_from(["fields", "json"]),
    skip_if_built=st.sampled_from([None, {"results": ["SUCCESS"]}]),
    user=USERS,
)
@MANY
def test_builds_are_predicted(sandbox: Sandbox, world: dict[str, Any], user: str, **options: Any) -> None:
    compare(sandbox, "ci_build", world, user, job="app", wait=False, **options)


@given(world=job_worlds(), number=st.sampled_from([1, 2, 3]), item=st.none() | st.integers(1, 4))
@MANY
def test_stops_are_predicted(sandbox: Sandbox, world: dict[str, Any], number: int, item: int | None) -> None:
    which = {"build": str(number), "job": "app"} if item is None else {"queue_item": item}
    compare(sandbox, "ci_build_stop", world, "admin", wait_delay=0.1, **which)


@given(
    world=st.fixed_dictionaries({}, optional={"quieting_down": st.sampled_from(["Backup", "Upgrade"])}),
    state=st.sampled_from(["present", "absent"]),
    reason=st.sampled_from([None, "", "Backup"]),
    user=USERS,
)
@MANY
def test_quiet_downs_are_predicted(sandbox: Sandbox, world: dict[str, Any], user: str, **options: Any) -> None:
    compare(sandbox, "ci_quiet_down", world, user, wait=False, **options)
