# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A task says what its writes did if the response to a write is an error, or a read after it is wrong or stale.

Each write of the steps of all cases reaches the sandbox and has its effect. Then its response is an error of a gateway,
or one of the following reads has status 404, the state before the writes, or a body that is not the object.

The default run covers each step of each module, each fault with each step and with each policy of a write.
`make faults ALL=1` tries each fault at each write.
"""

from __future__ import annotations

import importlib
import itertools
import pathlib
import re
from collections.abc import Callable
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from sandbox.client import Sandbox
from support.answers import PAGE, Traffic, intercept
from support.cases import CASES, OPERATIONS, RESOURCES, SERVICE_OF, module_of
from support.cases.form import Operation, Resource
from support.faults import select_pairs
from support.scene import ONLY_STEP, STEPS, Scene

GATEWAY_PAGE = b"<html><head><title>Bad gateway</title></head><body>upstream</body></html>"
JSON = {"Content-Type": "application/json"}
HTML = {"Content-Type": "text/html"}
NOT_FOUND: dict[str, tuple[dict[str, str], bytes]] = {
    "artifact": (JSON, b'{"errors": [{"status": 404, "code": "NOT_FOUND", "message": "not found"}]}'),
    "ci": (HTML, b"<html><body><h2>HTTP ERROR 404 Not Found</h2></body></html>"),
    "inference": (JSON, b'{"error": {"message": "No such object", "type": "invalid_request_error", "code": null}}'),
    "review": (JSON, b'{"status": 404, "message": "not found"}'),
}
ERRORS = (500, 502, 503, 504)
BODIES = {"empty": b"", "null": b"null", "empty list": b"[]", "empty object": b"{}", "page": PAGE}
READ_BACKS = ("404", "stale", *BODIES)
# What a message must not say of an accepted write, unless it also says that the write was accepted
DENIAL = re.compile("does not exist|still exists|requires Artifactory|is not installed")
ADMISSION = re.compile("accepted|[Rr]eading back|is not known|was revoked|was removed|confirmed the deletion")
FAULTS = (*map(str, ERRORS), "504 retried", *READ_BACKS)


def writes_itself(case: str) -> bool:
    """Return whether the module sends its writes itself and the case shows their effect."""
    if case in OPERATIONS:
        return bool(OPERATIONS[case].lasting and OPERATIONS[case].look)
    return case in RESOURCES and not RESOURCES[case].by_program


TASKS = [
    (case, step) for case in CASES if writes_itself(case) for step in (STEPS if case in RESOURCES else [ONLY_STEP])
]


def get_step(task: tuple[str, str]) -> str:
    """Return the step, because each layer creates, updates and deletes in different functions."""
    return task[1]


def write_policy(task: tuple[str, str]) -> tuple[str, ...]:
    """Return the service with the policy of its write."""
    case = CASES[task[0]]
    assert isinstance(case, (Resource, Operation))
    policies = ("repeatable", "undone", "first_of_several")
    return SERVICE_OF[task[0]], *(policy for policy in policies if getattr(case.write, policy))


SELECTED = select_pairs(itertools.product(TASKS, FAULTS), get_step, write_policy)


@pytest.fixture(autouse=True)
def skip_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let waits for visibility pass at once."""
    monkeypatch.setattr(_reconcile, "_pause", lambda _seconds: None)


@pytest.fixture
def scene(request: pytest.FixtureRequest, running_sandbox: Sandbox, tmp_path: pathlib.Path) -> Scene:
    """Return a module and the sandbox, which each step resets."""
    return Scene(running_sandbox, request.getfixturevalue("module"), tmp_path)


def visibility(case: str) -> dict[str, Any]:
    """Return the default of the wait for visibility, which some cases switch off."""
    code = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module_of(case)}")
    return {"visibility_timeout": 10} if "visibility_timeout" in code.SPEC.options else {}


def replace_write(nth: int, status: int) -> Callable[[Traffic], Response]:
    """Return an answer: an error of a gateway for the nth write, which has had its effect."""

    def answer(traffic: Traffic) -> Response:
        last = traffic.last
        if last.is_write and len(traffic.writes) == nth and last.response.status < 400:
            return Response(last.request, status, HTML, GATEWAY_PAGE)
        return last.response

    return answer


def replace_read_back(nth: int, fault: str, service: str) -> Callable[[Traffic], Response]:
    """Return an answer: a wrong response to one read after the nth write."""
    applied: list[int] = []

    def answer(traffic: Traffic) -> Response:
        last = traffic.last
        if applied or last.is_write or len(traffic.writes) != nth:
            return last.response
        response: Response | None
        if fault == "404":
            response = Response(last.request, 404, *NOT_FOUND[service])
        elif fault == "stale":
            response = find_stale(traffic)
        else:
            headers = HTML if fault == "page" else {"Content-Type": last.response.headers.get("Content-Type") or ""}
            response = Response(last.request, 200, headers, BODIES[fault])
        if response is None:
            return last.response
        applied.append(1)
        return response

    return answer


def find_stale(traffic: Traffic) -> Response | None:
    """Return the response to the same read before the writes, or `None` if it is not sent before them."""
    first_write = traffic.writes[0]
    stale = [exchange.response for exchange in traffic.exchanges[:first_write] if exchange.key == traffic.last.key]
    return stale[-1] if stale else None


def list_effects(scene: Scene) -> list[str]:
    """Return the writes that the sandbox has accepted since the journal was cleared."""
    return [
        f"{entry['method']} {entry['path']} {entry['label']}: {entry['status']}"
        for entry in scene.requests()
        if entry["effect"] == "write" and (entry["status"] or 0) < 400
    ]


def check_truth(result: dict[str, Any], before: str, scene: Scene, fault: str) -> None:
    """Verify that the result says that the state has changed, and does not deny an accepted write."""
    effects = list_effects(scene)
    text = " ".join([*result.get("warnings", []), result.get("msg", "")])
    if scene.state() != before or (effects and not is_undone(scene.module)):
        assert result["changed"], f"{fault}: {effects} {text}"
    if result.get("failed") and effects:
        assert ADMISSION.search(text) or not DENIAL.search(text), f"{fault}: {text}"


def is_undone(case: str) -> bool:
    """Return whether the module removes what came of a write whose response it needs."""
    return getattr(getattr(CASES[case], "write", None), "undone", False)


def check_fault(scene: Scene, step: str, fault: str, nth: int, desired: str) -> dict[str, Any]:
    """Verify a run with a fault at the nth write, and the runs after it. Return the result of the first one."""
    case = f"{fault} at write {nth}"
    scene.begin(step)
    before = scene.state()
    scene.sandbox.clear_journal()
    if fault in READ_BACKS:
        traffic = Traffic(replace_read_back(nth, fault, SERVICE_OF[scene.module]))
    else:
        traffic = Traffic(replace_write(nth, int(fault[:3])))
    with intercept(traffic):
        result = scene.run(step, **visibility(scene.module), retries=1 if "retried" in fault else 0)
    check_truth(result, before, scene, case)
    if not result.get("failed"):
        assert scene.is_desired(step, desired), f"{case}: reported as reached, but is {scene.state()}"
    scene.check_converges(step, desired, case)
    return result


def count_writes(scene: Scene, step: str) -> int:
    """Return the number of writes in a run without faults."""
    scene.begin(step)
    traffic = Traffic()
    with intercept(traffic):
        scene.run(step)
    return len(traffic.writes)


@pytest.mark.parametrize(("module", "step", "fault"), [(*task, fault) for task, fault in SELECTED])
def test_result_is_true_when_the_answer_to_a_write_is_wrong(scene: Scene, module: str, step: str, fault: str) -> None:
    desired = scene.clean_run(step).state
    for nth in range(1, count_writes(scene, step) + 1):
        check_fault(scene, step, fault, nth, desired)


# Modules that reported deletions as refused
DELETING = [
    *("artifact_user", "artifact_group", "artifact_permission", "artifact_project", "artifact_webhook"),
    *("artifact_proxy", "artifact_repository", "artifact_environment", "artifact_keypair", "artifact_certificate"),
    *("artifact_oidc", "artifact_ldap", "ci_folder", "ci_job", "ci_view", "ci_node", "ci_credential", "ci_user"),
    *("ci_authorization", "ci_configuration"),
]


@pytest.mark.parametrize("module", DELETING)
def test_deletion_is_a_change_when_a_gateway_fails_after_it(scene: Scene, module: str) -> None:
    result = check_fault(scene, "absent", "504", 1, scene.clean_run("absent").state)
    assert not result.get("failed"), result["msg"]
    assert any("Reading back shows that the request had its effect" in text for text in result["warnings"])


@pytest.mark.parametrize("fault", ["404", "stale"])
@pytest.mark.parametrize(
    ("module", "step"),
    [
        *itertools.product(("artifact_permission", "artifact_user", "artifact_group"), ("create", "update")),
        *itertools.product(("artifact_webhook", "artifact_keypair", "artifact_certificate"), ["create"]),
        *itertools.product(("ci_credential", "ci_folder", "ci_job"), ["create"]),
    ],
)
def test_change_is_visible_later_when_another_node_of_the_cluster_responds(
    scene: Scene, module: str, step: str, fault: str
) -> None:
    result = check_fault(scene, step, fault, 1, scene.clean_run(step).state)
    assert not result.get("failed"), result["msg"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("module", ["review_user", "review_group", "review_role", "review_project"])
def test_empty_response_proves_nothing_when_it_is_read_back(scene: Scene, module: str, step: str) -> None:
    result = check_fault(scene, step, "empty", 1, scene.clean_run(step).state)
    assert result["changed"]
