# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Any organization that can be declared: provisioned once, drifted as others like, mended once."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.client import Sandbox
from support import running

RPM, TPM, RPD = "max_requests_per_1_minute", "max_tokens_per_1_minute", "max_requests_per_1_day"
# Models, each with the limits that it has, and how high they can be
MODELS = {
    "gpt-4": {RPM: 500, TPM: 10_000, RPD: 10_000},
    "gpt-4o": {RPM: 500, TPM: 30_000},
    "gpt-4o-mini": {RPM: 500, RPD: 10_000},
}
MODULES = {
    "projects": "inference_project",
    "limits": "inference_rate_limit",
    "users": "inference_user",
}
OWNER = {"email": "olivia@sandbox.example", "role": "owner"}
READERS = ("ALICE@sandbox.example", "bob@sandbox.example", "dora@sandbox.example", "émile+x@sandbox.example")

NAMES = st.text("aB1 é/;%+#&?='\"\\{😀", min_size=1, max_size=12).map(str.strip).filter(bool)
ROLES = st.sampled_from(["owner", "member"])


@st.composite
def limits(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Some limits of some models."""
    wanted = []
    for model in draw(st.lists(st.sampled_from(sorted(MODELS)), unique=True)):
        names = draw(st.lists(st.sampled_from(sorted(MODELS[model])), unique=True, min_size=1))
        wanted.append({"model": model, **{name: draw(st.integers(0, MODELS[model][name])) for name in names}})
    return wanted


@st.composite
def organizations(draw: st.DrawFn) -> dict[str, Any]:
    """Projects and users, as they are declared."""
    projects = []
    for name in draw(st.lists(NAMES, unique=True, min_size=1, max_size=3)):
        more = draw(st.fixed_dictionaries({}, optional={"external_key_id": NAMES, "limits": limits()}))
        projects.append({"name": name, **more})
    names = [project["name"] for project in projects]
    users = [OWNER]
    for email in draw(st.lists(st.sampled_from(READERS), unique=True)):
        into = draw(st.none() | st.lists(st.sampled_from(names), unique=True))
        placed = {} if into is None else {"projects": [{"name": name, "role": draw(ROLES)} for name in into]}
        users.append({"email": email, "role": "reader", **placed})
    return {"projects": projects, "users": users}


class Others:
    """What else happens to an organization, by its API."""

    def __init__(self, sandbox: Sandbox) -> None:
        environment = sandbox.environment
        self._url = f"{environment['OPENAI_BASE_URL']}/organization"
        self._headers = {"Authorization": f"Bearer {environment['OPENAI_ADMIN_KEY']}"}

    def call(self, method: str, path: str, json: Any = None) -> Any:
        answer = requests.request(method, self._url + path, headers=self._headers, json=json, timeout=60)
        return answer.json()

    def all(self, path: str) -> list[dict[str, Any]]:
        return self.call("GET", f"{path}?limit=100")["data"]

    def project(self, place: int) -> str:
        """The path of an own project; when there is none any more, it gives a path to nothing."""
        own = [project["id"] for project in self.all("/projects") if project["name"] != "Default project"]
        return f"/projects/{own[place] if own else 'none'}"

    def add_a_project(self) -> None:
        self.call("POST", "/projects", {"name": "Of nobody"})

    def rename_a_project(self) -> None:
        self.call("POST", self.project(0), {"name": "Renamed by others"})

    def archive_a_project(self) -> None:
        self.call("POST", f"{self.project(-1)}/archive")

    def set_a_limit(self) -> None:
        self.call("POST", f"{self.project(-1)}/rate_limits/rl-gpt-4", {RPM: 499})

    def promote_everybody(self) -> None:
        for user in self.all("/users"):
            self.call("POST", f"/users/{user['id']}", {"role": "owner"})

    def remove_a_user(self) -> None:
        _owner, *others = self.all("/users")  # an organization has at least one
        for user in others[-1:]:
            self.call("DELETE", f"/users/{user['id']}")

    def invite_somebody(self) -> None:
        self.call("POST", "/invites", {"email": "zoe@sandbox.example", "role": "reader"})

    def let_somebody_join(self) -> None:
        joining = {"user_id": "user-sandbox-bob", "role": "member"}
        self.call("POST", f"{self.project(0)}/users", joining)


THINGS = sorted(name for name in vars(Others) if "_a_" in name or "body" in name)


def done(module: str, **options: Any) -> bool:
    """Whether a module changed something; it has not failed."""
    result = running.run(module, **options)
    assert not result.get("failed"), result["msg"]
    return result["changed"]


def provision(organization: dict[str, Any]) -> bool:
    """Whether something was changed so that what is declared is there, as the role does it."""
    changed = []
    for project in organization["projects"]:
        plain = {name: value for name, value in project.items() if name != "limits"}
        changed.append(done("inference_project", **plain))
        if project.get("limits"):
            changed.append(done("inference_rate_limit", project_name=project["name"], limits=project["limits"]))
    changed += [done("inference_user", **user) for user in organization["users"]]
    return any(changed)


def drift(organization: dict[str, Any]) -> list[dict[str, Any]]:
    result = running.run("inference_drift_info", **organization)
    assert not result.get("failed"), result["msg"]
    return result["drift"]


def mend(organization: dict[str, Any]) -> bool:
    """Whether something was changed so that there is nothing else, as the role does it."""
    mended: list[tuple[str, dict[str, Any]]] = []
    for finding in drift(organization):
        step = (MODULES[finding["kind"]], finding["remediation"])
        if step not in mended:
            mended.append(step)
    changed = [done(module, **options) for module, options in mended]
    return any(changed)


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> Others:
    """Also lets the modules find the sandbox through the environment."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    return Others(sandbox)


@settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(organization=organizations(), things=st.lists(st.sampled_from(THINGS), max_size=5))
def test_one_run_changes_and_the_next_does_not(
    sandbox: Sandbox, others: Others, organization: dict[str, Any], things: list[str]
) -> None:
    sandbox.reset()
    assert provision(organization)
    assert not provision(organization)
    assert {finding["problem"] for finding in drift(organization)} <= {"undeclared"}
    mend(organization)
    assert drift(organization) == []
    for thing in things:
        getattr(others, thing)()
    drifted = bool(drift(organization))
    assert mend(organization) is drifted
    assert drift(organization) == []
    assert not provision(organization)
