# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated organizations are provisioned once, and remediated once when others have changed them."""

from __future__ import annotations

from typing import Any

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.client import Sandbox
from support import running

RPM, TPM, RPD = "max_requests_per_1_minute", "max_tokens_per_1_minute", "max_requests_per_1_day"
# Models with their limits and the maximum of each
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
def limit_lists(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Generate limits of some models."""
    limits = []
    for model in draw(st.lists(st.sampled_from(sorted(MODELS)), unique=True)):
        names = draw(st.lists(st.sampled_from(sorted(MODELS[model])), unique=True, min_size=1))
        limits.append({"model": model, **{name: draw(st.integers(0, MODELS[model][name])) for name in names}})
    return limits


@st.composite
def organizations(draw: st.DrawFn) -> dict[str, Any]:
    """Generate declared projects and users."""
    projects = []
    for name in draw(st.lists(NAMES, unique=True, min_size=1, max_size=3)):
        optional = draw(st.fixed_dictionaries({}, optional={"external_key_id": NAMES, "limits": limit_lists()}))
        projects.append({"name": name, **optional})
    names = [project["name"] for project in projects]
    users = [OWNER]
    for email in draw(st.lists(st.sampled_from(READERS), unique=True)):
        project_names = draw(st.none() | st.lists(st.sampled_from(names), unique=True))
        membership = (
            {}
            if project_names is None
            else {"projects": [{"name": name, "role": draw(ROLES)} for name in project_names]}
        )
        users.append({"email": email, "role": "reader", **membership})
    return {"projects": projects, "users": users}


class OtherChanges:
    """Changes by others, with the organization's API."""

    def __init__(self, sandbox: Sandbox) -> None:
        environment = sandbox.environment
        self._url = f"{environment['OPENAI_BASE_URL']}/organization"
        self._headers = {"Authorization": f"Bearer {environment['OPENAI_ADMIN_KEY']}"}

    def call(self, method: str, path: str, json: Any = None) -> Any:
        response = requests.request(method, self._url + path, headers=self._headers, json=json, timeout=60)
        return response.json()

    def list_objects(self, path: str) -> list[dict[str, Any]]:
        return self.call("GET", f"{path}?limit=100")["data"]

    def project_path(self, index: int) -> str:
        """Return the path of one of the organization's projects, or a path that does not exist."""
        project_ids = [
            project["id"] for project in self.list_objects("/projects") if project["name"] != "Default project"
        ]
        return f"/projects/{project_ids[index] if project_ids else 'none'}"

    def add_project(self) -> None:
        self.call("POST", "/projects", {"name": "Undeclared"})

    def rename_project(self) -> None:
        self.call("POST", self.project_path(0), {"name": "Renamed by others"})

    def archive_project(self) -> None:
        self.call("POST", f"{self.project_path(-1)}/archive")

    def set_limit(self) -> None:
        self.call("POST", f"{self.project_path(-1)}/rate_limits/rl-gpt-4", {RPM: 499})

    def promote_users(self) -> None:
        for user in self.list_objects("/users"):
            self.call("POST", f"/users/{user['id']}", {"role": "owner"})

    def remove_user(self) -> None:
        _owner, *others = self.list_objects("/users")  # an organization has at least one owner
        for user in others[-1:]:
            self.call("DELETE", f"/users/{user['id']}")

    def invite_user(self) -> None:
        self.call("POST", "/invites", {"email": "zoe@sandbox.example", "role": "reader"})

    def add_project_user(self) -> None:
        member = {"user_id": "user-sandbox-bob", "role": "member"}
        self.call("POST", f"{self.project_path(0)}/users", member)


CHANGES = sorted(
    name
    for name in vars(OtherChanges)
    if not name.startswith("_") and name not in ("call", "list_objects", "project_path")
)


def run_module(module: str, **options: Any) -> bool:
    """Run a module that must succeed and return whether it changed something."""
    result = running.run(module, **options)
    assert not result.get("failed"), result["msg"]
    return result["changed"]


def provision(organization: dict[str, Any]) -> bool:
    """Provision the declared projects and users like the role, and return whether something changed."""
    changed = []
    for project in organization["projects"]:
        options = {name: value for name, value in project.items() if name != "limits"}
        changed.append(run_module("inference_project", **options))
        if project.get("limits"):
            changed.append(run_module("inference_rate_limit", project_name=project["name"], limits=project["limits"]))
    changed += [run_module("inference_user", **user) for user in organization["users"]]
    return any(changed)


def drift(organization: dict[str, Any]) -> list[dict[str, Any]]:
    result = running.run("inference_drift_info", **organization)
    assert not result.get("failed"), result["msg"]
    return result["drift"]


def remediate(organization: dict[str, Any]) -> bool:
    """Remediate drift like the role, and return whether something changed."""
    remediations: list[tuple[str, dict[str, Any]]] = []
    for finding in drift(organization):
        step = (MODULES[finding["kind"]], finding["remediation"])
        if step not in remediations:
            remediations.append(step)
    changed = [run_module(module, **options) for module, options in remediations]
    return any(changed)


@pytest.fixture
def other_changes(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> OtherChanges:
    """Configure the modules with environment variables, and return the changes by others."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    return OtherChanges(sandbox)


@settings(
    deadline=None,
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(organization=organizations(), changes=st.lists(st.sampled_from(CHANGES), max_size=5))
def test_second_run_changes_nothing(
    sandbox: Sandbox, other_changes: OtherChanges, organization: dict[str, Any], changes: list[str]
) -> None:
    sandbox.reset()
    assert provision(organization)
    assert not provision(organization)
    assert {finding["problem"] for finding in drift(organization)} <= {"undeclared"}
    remediate(organization)
    assert drift(organization) == []
    for change in changes:
        getattr(other_changes, change)()
    has_drift = bool(drift(organization))
    assert remediate(organization) is has_drift
    assert drift(organization) == []
    assert not provision(organization)
