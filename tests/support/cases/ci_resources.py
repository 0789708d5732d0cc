# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases of the modules that declare a Jenkins controller."""

from __future__ import annotations

from typing import Any

from support.cases.form import FILES, Case, Query, Resource, Write

_AGENT = {"name": "linux-1", "remoteFS": "/home/jenkins", "launcher": "inbound"}
_JCASC_CREDENTIAL = {"id": "registry", "scope": "GLOBAL", "username": "ci", "password": "s3cret-0f-registry"}
_CREDENTIAL = {"id": "registry", "type": "username_password"}
_FOLDER = "com.cloudbees.hudson.plugins.folder.Folder"
_WORST_CHILD = "com.cloudbees.hudson.plugins.folder.health.WorstChildHealthMetric"
_HEALTH = (
    f"<{_FOLDER}><healthMetrics><{_WORST_CHILD}><nonRecursive>true</nonRecursive></{_WORST_CHILD}></healthMetrics>"
    f"</{_FOLDER}>"
)
_PRINTER = {"name": "pr\u00fcfer 3"}
_SIGNATURE = {"signature": "staticMethod java.time.Instant now"}
_VIEW = {"name": "Nightly, more \u0142+"}
_SECRET = FILES / "agent.secret"
_NODE = {"name": "agent one", "remote_root": "/srv/jenkins"}
_DRAIN = {"name": "built-in", "wait_timeout": 60, "wait_delay": 0.1}
_JOB = {"name": "J\u00f6b (1) + x", "type": "freestyle"}


def _configure(message: str, agents: list[dict[str, Any]], credentials: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the options that declare a message, agents and credentials of the system."""
    return {
        "configuration": {
            "jenkins": {"systemMessage": message, "nodes": [{"permanent": agent} for agent in agents]},
            "credentials": {
                "system": {
                    "domainCredentials": [{"credentials": [{"usernamePassword": entry} for entry in credentials]}]
                }
            },
        },
        "allow_removals": True,
    }


RESOURCES: dict[str, Case] = {
    "ci_api_token": Resource(
        create={"name": "notebook", "expires_in": 864000},
        update={"name": "notebook", "expires_in": 7776000, "rotate_before": 2592000, "surplus": "revoke"},
        absent={"name": "notebook", "state": "absent"},
        write=Write("generate_token", undone=True),
        look=("ci_user_info", {}),
        secret_file="token_file",
        login="api_token",
        opens="ci_info",
    ),
    "ci_authorization": Resource(
        create={"job": "app", "users": {"reader": ["Job/Read", "hudson.model.Item.Build"]}},
        update={"job": "app", "inheritance": "none", "groups": {"d\u00e9v team": ["Job/Read"]}, "purge": True},
        absent={"job": "app", "state": "absent"},
        write=Write("configure_job"),
        look=("ci_authorization_info", {"job": "app"}),
    ),
    "ci_authorization server": Resource(
        create={"strategy": "project_matrix", "users": {"reader": ["Job/Read"]}},
        update={"users": {"reader": ["Job/Read", "Job/Build"]}, "groups": {"team": ["Overall/Read"]}},
        absent={"users": {"reader": []}, "groups": {"team": []}},
        write=Write("apply_configuration"),
        look=("ci_authorization_info", {}),
    ),
    "ci_authorization_info": Query({}),
    "ci_configuration": Resource(
        create=_configure("a: b # 'c' é", [{**_AGENT, "numExecutors": 4, "labelString": "x y"}], [_JCASC_CREDENTIAL]),
        update=_configure("", [_AGENT], [{**_JCASC_CREDENTIAL, "description": "Registry"}]),
        absent=_configure("", [], []),
        write=Write("apply_configuration"),
        look=("ci_configuration_info", {"sections": ["jenkins", "credentials"]}),
    ),
    "ci_configuration_info": Query({"sections": ["jenkins.mode", "unclassified"]}),
    "ci_credential": Resource(
        create={
            **_CREDENTIAL,
            "description": "Image registry \u2192 production",
            "credential_username": "deploy",
            "credential_password": "s3cret & <more>",
        },
        update={**_CREDENTIAL, "description": "Image registry", "credential_password": "s3cret & <more>"},
        absent={"id": "registry", "state": "absent"},
        write=Write("create_credential"),
        look=("ci_credential_info", {"id": "registry"}),
    ),
    "ci_credential_domain": Resource(
        create={"name": "git", "description": "Git \u2192 main", "hostname": {"includes": ["git.example.com"]}},
        update={"name": "git", "schemes": ["https", "ssh"]},
        absent={"name": "git", "state": "absent"},
        write=Write("create_credential_domain"),
        look=("ci_credential_info", {}),
    ),
    "ci_credential_info": Query({}),
    "ci_folder": Resource(
        create={
            "name": "My team's \u00fc+",
            "description": "<b>Ours</b> & yours\n\u65e5\u672c",
            "display_name": "Team",
        },
        update={"name": "My team's \u00fc+", "description": "", "display_name": "The team", "config": _HEALTH},
        absent={"name": "My team's \u00fc+", "state": "absent"},
        write=Write("create_job"),
        look=("ci_folder_info", {"name": "My team's \u00fc+", "include_config": True}),
    ),
    "ci_folder_info": Query({"include_content": True}),
    "ci_user": Resource(
        create={"name": "carol", "full_name": "Carol Jones", "user_password": "carols-own", "update_secret": "verify"},
        update={
            "name": "Carol",
            "full_name": "Carol Miller",
            "description": "On leave",
            "user_password": "carols-new",
            "update_secret": "verify",
        },
        absent={"name": "carol", "state": "absent"},
        write=Write("create_account"),
        look=("ci_user_info", {}),
    ),
    "ci_user_info": Query({}),
    "ci_lockable_resource": Resource(
        create={**_PRINTER, "labels": ["printer", "color"], "properties": {"ADDRESS": "192.0.2.17"}},
        update={**_PRINTER, "description": "In the hall & \u4e0a", "note": "toner", "reserved": True},
        absent={**_PRINTER, "state": "absent"},
        write=Write("save_resource"),
        look=("ci_lockable_resource_info", {}),
    ),
    "ci_lockable_resource_info": Query({"names": ["printer-1"]}),
    "ci_script_approval": Resource(
        create=_SIGNATURE,
        update={**_SIGNATURE, "assume_permission_check": True},
        absent={**_SIGNATURE, "state": "absent"},
        write=Write("approve_script"),
        look=("ci_script_approval_info", {}),
    ),
    "ci_script_approval_info": Query({"script_text": True}),
    "ci_view": Resource(
        create={**_VIEW, "description": "A < B", "jobs": ["app"], "columns": ["status", "job"], "filter_queue": True},
        update={
            **_VIEW,
            "jobs": ["deploy"],
            "purge": True,
            "regex": ".*-nightly",
            "recurse": True,
            "status_filter": "enabled",
            "columns": ["job", "weather", "last_stable"],
        },
        absent={**_VIEW, "state": "absent"},
        write=Write("create_view"),
        look=("ci_view_info", _VIEW),
    ),
    "ci_view_info": Query({}),
    "ci_node": Resource(
        create={**_NODE, "description": "Für Linux", "labels": ["linux", "fast"], "executors": 2},
        update={
            **_NODE,
            "labels": ["linux"],
            "usage": "exclusive",
            "launcher": {"type": "inbound", "web_socket": True, "work_dir": "/work"},
            "retention": {"type": "demand", "idle_delay": 5},
            "environment_variables": {"PATH+X": "/opt/x", "LANG": ""},
            "tools": [{"type": "hudson.model.JDK$DescriptorImpl", "name": "jdk", "home": "/opt/jdk"}],
        },
        absent={"name": "agent one", "state": "absent"},
        write=Write("create_node"),
        look=("ci_node_info", {}),
    ),
    "ci_node with a secret": Resource(
        create={**_NODE, "secret_file": str(_SECRET)},
        update={**_NODE, "executors": 3, "secret_file": str(_SECRET)},
        absent={"name": "agent one", "state": "absent"},
        write=Write("create_node", first_of_several=True),
        file=_SECRET,
        look=("ci_node_info", {}),
    ),
    "ci_node_drain": Resource(
        create={**_DRAIN, "reason": "Backup & more \u2192 6 pm"},
        update={**_DRAIN, "reason": "Backup"},
        absent={**_DRAIN, "state": "resumed"},
        write=Write("toggle_node", repeatable=True),
        look=("ci_node_info", {}),
        polls=True,
    ),
    "ci_node_info": Query({}),
    "ci_job": Resource(
        create={
            **_JOB,
            "description": "W\u00e9b; <releases>",
            "parameters": [
                {"name": "VERSION", "default": "1.0", "trim": True},
                {"name": "TOKEN", "type": "password", "secret_default": "secret-of-the-job"},
            ],
            "triggers": {"cron": "TZ=Europe/Berlin\nH 2 * * 1-5"},
            "retention": {"keep_builds": 20},
            "shell": ["make \"$VERSION\" && echo 'done'"],
            "git": {"url": "https://git.example.com/app.git", "branch": "*/main"},
        },
        update={
            **_JOB,
            "description": "",
            "disabled": True,
            "parameters": [{"name": "TARGET", "type": "choice", "choices": ["a", "b"]}],
            "triggers": {"cron": "", "poll_scm": "@hourly"},
            "shell": ["make", "make check"],
        },
        absent={"name": _JOB["name"], "state": "absent"},
        write=Write("create_job"),
        look=("ci_job_info", {"fields": ["description", "buildable", "parameters"]}),
    ),
    "ci_job as a copy": Resource(
        create={"name": "copy", "copy_from": "app", "description": "a copy"},
        update={"name": "copy", "copy_from": "app", "description": ""},
        absent={"name": "copy", "state": "absent"},
        write=Write("create_job", first_of_several=True),
        look=("ci_job_info", {"fields": ["description", "buildable", "parameters"]}),
    ),
}
