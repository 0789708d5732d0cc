# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the examples of the lookup ci_crumb with a module that does not support crumbs."""

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
    """Return the host variables of the sandbox; the URL in the environment is invalid."""
    return {
        "toolchain_ci_url": sandbox.environment["JENKINS_URL"],
        "toolchain_ci_username": "admin",
        "toolchain_ci_password": "{{ 'sandbox-' ~ toolchain_ci_username }}",
        "toolchain_ci_api_token": "{{ omit }}",
        "toolchain_ci_timeout": None,
    }


def test_tasks_send_the_crumb(sandbox: Sandbox) -> None:
    script = {"buildworks.toolchain.ci_script": {"script": "Jenkins.instance.save()", "read_only": True}}
    sandbox.seed({"ci": {"scripts": [{"script": "Jenkins.instance.save()", "value": "saved"}]}})
    sandbox.fault(kind="status", status=403, service="ci", label="crumb", times=1)
    without = {**POST, "vars": {"crumb": {"name": "X-None", "value": "", "cookie": ""}}}
    wrong = {**POST, "vars": {**POST["vars"], "toolchain_ci_password": "wr0ng-password"}}
    header = SHOW["ansible.builtin.debug"]["msg"].replace("url='https://ci.example.com', ", "")
    tasks = [script, without, POST, {"ansible.builtin.debug": {"msg": header}}, wrong]
    run = run_tasks(sandbox, tasks, name="crumb", settings={"JENKINS_URL": ""}, **variables(sandbox))
    by_xml, refused, posted, displayed, denied = run.done
    assert by_xml.result["value"] == "saved"
    assert [request["path"] for request in by_xml.requests] == [
        "/ci/crumbIssuer/api/json",
        "/ci/crumbIssuer/api/xml",
        "/ci/scriptText",
    ]
    assert [refused.result["status"], posted.result["status"]] == [403, 302]
    assert posted.writes == ["POST quiet_down"]
    assert displayed.result["msg"].startswith("Jenkins-Crumb:")
    assert denied.status == "failed"
    assert "Check the user name and the password" in denied.result["msg"]
    assert "wr0ng" not in run.output
