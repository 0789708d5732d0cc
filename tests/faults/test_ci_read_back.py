# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A response that is not the deleted Jenkins object is no proof that the object still exists."""

from __future__ import annotations

from typing import Any

import pytest

from sandbox.client import Sandbox
from support.cases import RESOURCES, SERVICE_OF, module_of, prepare
from support.playbook import run_here

PAGE = "<!DOCTYPE html><html><head><title>Sign in</title></head><body>Please sign in</body></html>"
XHTML = '<html xmlns="http://www.w3.org/1999/xhtml"><body>Please sign in</body></html>'
BODIES = [PAGE, XHTML, "{}", "[]", ""]
# Have no object of their own, or belong to a document with others. Quiet-down mode is also read from the login page
_OTHERS = ("ci_authorization", "ci_configuration", "ci_plugin", "ci_quiet_down")
CASES = [case for case in RESOURCES if SERVICE_OF[case] == "ci" and module_of(case) not in _OTHERS]


def delete(case: str, sandbox: Sandbox, body: str | None = None, nth: int = 1) -> tuple[dict[str, object], list[str]]:
    """Create and delete an object. Return the result, and the effects of the requests of the deletion.

    :arg body: body of one response
    :arg nth: number of the request
    """
    prepare(sandbox, case)
    module, resource = module_of(case), RESOURCES[case]
    assert not run_here(sandbox, module, **resource.create).result.get("failed")
    if body is not None:
        sandbox.fault(kind="status", status=200, body=body, service="ci", nth=nth)
    done = run_here(sandbox, module, **{**resource.absent, "visibility_timeout": 0})
    return done.result, [entry["effect"] for entry in done.requests]


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("status", [502, 503, 504])
def test_configuration_is_read_back_after_a_gateway_fails(status: int, sandbox: Sandbox) -> None:
    options = {"configuration": {"jenkins": {"systemMessage": "new"}}}
    sandbox.fault(kind="status", status=status, service="ci", path="configure$")
    denied = run_here(sandbox, "ci_configuration", **options).result
    assert (denied["changed"], denied.get("failed")) == (False, True)
    sandbox.clear_faults()
    sandbox.fault(kind="body", status=status, body="", service="ci", path="configure$")
    done = run_here(sandbox, "ci_configuration", **options)
    assert (done.result["changed"], done.result.get("failed")) == (True, None), done.result
    assert not run_here(sandbox, "ci_configuration", **options).result["changed"]


FOREIGN = [
    "<error><message>down</message></error>",
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"/>',
]
JOB = {"job": "app", "users": {"reader": ["Job/Read"]}}


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("body", FOREIGN)
@pytest.mark.parametrize(
    ("module", "options"),
    [
        ("ci_job", {"name": "app", "description": "new"}),
        ("ci_folder", {"name": "team", "description": "new"}),
        ("ci_credential_domain", {"name": "team", "description": "new"}),
        ("ci_authorization", JOB),
        ("ci_authorization", {"job": "app", "state": "absent"}),
    ],
)
def test_document_of_a_proxy_is_never_stored_as_a_configuration(
    module: str, options: dict[str, Any], body: str, sandbox: Sandbox
) -> None:
    for earlier in ("ci_folder", "ci_credential_domain"):
        assert not run_here(sandbox, earlier, name="team").result.get("failed")
    assert not run_here(sandbox, "ci_authorization", **JOB, groups={"testers": ["Job/Read"]}).result.get("failed")
    options = {**options, **({"groups": {"testers": ["Job/Build"]}} if "users" in options else {})}
    for nth in (1, 2):
        sandbox.fault(kind="status", status=200, body=body, service="ci", method="GET", path="config\\.xml", nth=nth)
        done = run_here(sandbox, module, **options)
        sandbox.clear_faults()
        assert (done.result.get("failed"), done.result["changed"]) == (True, False), (nth, done.result)
        assert "the response is not an XML document" in done.result["msg"]
        assert not [entry for entry in done.requests if entry["effect"] == "write"]


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("case", CASES)
def test_deletion_is_not_denied_when_the_read_back_is_something_else(case: str, sandbox: Sandbox) -> None:
    _result, effects = delete(case, sandbox)
    read_back = len(effects)
    assert "read" in effects[-1]
    for body in BODIES:
        sandbox.reset()
        result, _effects = delete(case, sandbox, body, read_back)
        assert (result["changed"], result.get("failed")) == (True, True), (body, result)
        assert "still exists" not in str(result["msg"])
