# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the Jenkins modules."""

from __future__ import annotations

from support.cases.ci_resources import RESOURCES
from support.cases.form import FILES, Case, Fetch, Operation, Query, Resource, Service, Write

_JAR = FILES / "cli.jar"
_SOON = {"wait_timeout": 60, "wait_delay": 0.1}

CASES: dict[str, Case] = {
    **RESOURCES,
    "ci_build": Operation(
        {"job": "deploy", "parameters": {"VERSION": "2"}, "wait_timeout": 60, "wait_delay": 0.1},
        write=Write("build"),
        polls=True,
    ),
    "ci_build_info": Query({"job": "app", "results": ["FAILURE"]}),
    "ci_build_stop": Operation({"queue_item": 3}, write=Write("cancel_item", repeatable=True), lasting=True),
    "ci_cli": Query({"command": "list-jobs", "read_only": True}),
    "ci_cli_jar": Fetch({"dest": str(_JAR)}, _JAR),
    "ci_info": Query({}),
    "ci_job_info": Query({"depth": 2, "fields": ["buildable", "parameters", "last"]}),
    "ci_plugin": Resource(
        create={"plugins": [{"name": "timestamper", "version": "latest"}], **_SOON},
        update={"plugins": [{"name": "timestamper", "state": "disabled"}]},
        absent={"plugins": [{"name": "timestamper", "state": "absent"}]},
        write=Write("install_plugins", repeatable=True),
        look=("ci_plugin_info", {}),
        polls=True,
    ),
    "ci_plugin_info": Query({"names": ["git", "nothing"]}),
    "ci_quiet_down": Resource(
        create={"reason": "Backup & more \u2192 6 pm", **_SOON},
        update={"reason": "Backup", "wait": False},
        absent={"state": "absent"},
        write=Write("quiet_down", repeatable=True),
        look=("ci_info", {}),
    ),
    "ci_restart": Operation(_SOON, write=Write("restart"), polls=True),
    "ci_safe_restart": Operation(_SOON, write=Write("safe_restart"), polls=True),
    "ci_script": Operation(
        {
            "script": "Jenkins.instance.systemMessage = args.text\nJenkins.instance.save()",
            "args": {"text": "hello"},
            "wait_timeout": 60,
        },
        write=Write("script", irretrievable="The script may still be running"),
        patience="wait_timeout",
        reads=False,
    ),
}

SERVICE = Service(CASES, credentials={"api_token": "JENKINS_API_TOKEN"})
