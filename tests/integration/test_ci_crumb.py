# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup ci_crumb helps a module that knows nothing of crumbs; its examples are the test."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from ansible_collections.buildworks.toolchain.plugins.lookup import ci_crumb
from sandbox.client import Sandbox
from support.playbook import run_tasks

pytestmark = pytest.mark.ansible_core

POST, SHOW = yaml.safe_load(ci_crumb.EXAMPLES)


def variables(sandbox: Sandbox) -> dict[str, Any]:
    """Those of a host that is the sandbox's CI server; an address in the environment leads nowhere."""
    return {
        "toolchain_ci_url": sandbox.environment["JENKINS_URL"],
        "toolchain_ci_username": "admin",
        "toolchain_ci_password": "{{ 'sandbox-' ~ toolchain_ci_username }}",
        "toolchain_ci_api_token": "{{ omit }}",
        "toolchain_ci_timeout": None,
    }


def test_another_module_posts_with_the_crumb(sandbox: Sandbox) -> None:
    without = {**POST, "vars": {"crumb": {"name": "X-None", "value": "", "cookie": ""}}}
    run = run_tasks(sandbox, [without, POST], name="crumb", settings={"JENKINS_URL": ""}, **variables(sandbox))
    assert [done.result["status"] for done in run.done] == [403, 302]
    assert run.done[1].writes == ["POST quiet_down"]


@pytest.mark.parametrize("csrf", [True, False])
def test_the_header_as_one_text(sandbox: Sandbox, csrf: bool) -> None:
    sandbox.switch("ci", csrf=csrf)
    msg = SHOW["ansible.builtin.debug"]["msg"].replace("url='https://ci.example.com', ", "")
    run = run_tasks(sandbox, [{"ansible.builtin.debug": {"msg": msg}}], name="crumb", **variables(sandbox))
    text = run.done[0].result["msg"]
    assert text.startswith("Jenkins-Crumb:") if csrf else text == ""


def test_a_refusal_is_told(sandbox: Sandbox) -> None:
    wrong = {**variables(sandbox), "toolchain_ci_password": "wr0ng-password"}
    run = run_tasks(sandbox, [POST], name="crumb", **wrong)
    assert "does not fit the password" in run.output
    assert "wr0ng" not in run.output


def test_by_xml_where_the_json_view_is_closed(sandbox: Sandbox) -> None:
    sandbox.fault(kind="status", status=403, service="ci", label="crumb", times=1)
    task = {"buildworks.toolchain.ci_script": {"script": "Jenkins.instance.save()", "reads": True}}
    sandbox.seed({"ci": {"scripts": [{"script": "Jenkins.instance.save()", "value": "saved"}]}})
    (done,) = run_tasks(sandbox, [task], name="crumb", **variables(sandbox)).done
    assert done.result["value"] == "saved"
    assert [request["path"] for request in done.requests] == [
        "/ci/crumbIssuer/api/json",
        "/ci/crumbIssuer/api/xml",
        "/ci/scriptText",
    ]
