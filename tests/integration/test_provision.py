# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `provision`: each service goes its own way."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.playbook import environment, play_mistakes
from support.steps import RESET, Step, fault, run_role
from support.warm import run_playbook
from support.wire.ci import TOKENS


def provision(sandbox: Sandbox, folder: Path, groups: dict[str, Any], *options: str) -> tuple[str, dict[str, str]]:
    """The output, and what the recap says of each host, with nothing in the environment but where the collection is."""
    inventory = folder / "hosts.yml"
    inventory.write_text(yaml.safe_dump(groups))
    output, _status = run_playbook(["buildworks.toolchain.provision", "-i", inventory, *options], environment())
    recap = re.findall(r"^(\S+) +: (.*?) *$", output.partition("PLAY RECAP")[2], re.MULTILINE)
    return output, dict(recap)


def ci(sandbox: Sandbox, **more: Any) -> dict[str, Any]:
    """A host that is the CI server."""
    return {
        "toolchain_ci_url": sandbox.environment["JENKINS_URL"],
        "toolchain_ci_username": sandbox.environment["JENKINS_USER_ID"],
        "toolchain_ci_api_token": sandbox.environment["JENKINS_API_TOKEN"],
        "ci_provision_minimum_version": "2.440",
        "ci_provision_plugins": [{"name": "git"}],
        **more,
    }


def test_a_service_that_fails_stops_no_other_and_a_host_may_be_several(sandbox: Sandbox, tmp_path: Path) -> None:
    models = {
        "toolchain_inference_url": sandbox.environment["OPENAI_BASE_URL"],
        "toolchain_inference_api_key": sandbox.environment["OPENAI_API_KEY"],
        "inference_provision_models": ["gpt-4o"],
    }
    down = ci(sandbox, toolchain_ci_url="http://127.0.0.1:1", toolchain_ci_retries=0)
    typo = ci(sandbox, toolchain_ci_url="{{ staging_addres }}")
    both = {
        **ci(sandbox),
        "toolchain_artifact_url": sandbox.environment["JFROG_URL"],
        "toolchain_artifact_token": sandbox.environment["JFROG_ACCESS_TOKEN"],
        "artifact_provision_properties": [{"repo": "generic-local", "path": "app", "properties": {"owner": "us"}}],
    }
    groups = {
        "ci": {"hosts": {"down": down, "typo": typo, "jenkins": ci(sandbox), "all-in-one": both}},
        "inference": {"hosts": {"openai": models}},
        "artifact": {"hosts": {"all-in-one": both}},
    }
    output, recap = provision(sandbox, tmp_path, groups)
    assert "failed=1" in recap["down"], output
    assert "failed=1" in recap["typo"]
    assert "'staging_addres' is undefined" in output
    assert "changed=1 " in recap["all-in-one"], output
    for host, tasks in (("jenkins", 7), ("openai", 4), ("all-in-one", 10)):
        assert f"ok={tasks} " in recap[host], output
        assert "failed=0" in recap[host]
    assert "WARNING" not in output


def test_services_run_side_by_side(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.fault(service="ci", kind="latency", seconds=1, times=0)
    hosts = {f"jenkins{number}": ci(sandbox, ci_provision_plugins=[]) for number in range(4)}
    output, recap = provision(sandbox, tmp_path, {"ci": {"hosts": hosts}})
    assert all("failed=0" in recap[host] for host in hosts), output
    served = [(entry["time"], entry["time"] + entry["milliseconds"] / 1000) for entry in sandbox.journal("ci")]
    at_once = [sum(other <= begin < end for other, end in served) for begin, _end in served]
    assert max(at_once) > 1, "one after the other"


def artifact(sandbox: Sandbox, **variables: Any) -> dict[str, Any]:
    """An inventory of one host that is the artifact repository."""
    reached = {
        "toolchain_artifact_url": sandbox.environment["JFROG_URL"],
        "toolchain_artifact_token": sandbox.environment["JFROG_ACCESS_TOKEN"],
    }
    return {"artifact": {"hosts": {"artifactory": {**reached, **variables}}}}


def written(sandbox: Sandbox) -> list[str]:
    """The writes since the last look."""
    labels = [entry["label"] for entry in sandbox.journal("artifact") if entry["effect"] == "write"]
    sandbox.clear_journal()
    return sorted(labels)


FILES: dict[str, Any] = {
    "artifact_provision_files": [
        {"repo": "generic-local", "path": "app/LATEST", "content": "1.1"},
        {"repo": "generic-local", "path": "app/README.txt", "state": "absent"},
    ],
    "artifact_provision_properties": [
        {"repo": "generic-local", "path": "app", "recursive": True, "properties": {"owner": "us"}}
    ],
}


def test_a_refused_file_stops_no_other_file_and_is_deployed_by_another_run(sandbox: Sandbox, tmp_path: Path) -> None:
    refused = fault(service="artifact", kind="status", status=403, label="deploy_file", body="no right")
    steps = [Step(FILES, [refused]), Step(FILES), Step(FILES), Step(FILES, [RESET])]
    failed, continued, repeated, complete = run_role(sandbox, "artifact_provision", steps, tmp_path)
    assert failed.failure.startswith("1 of 2 items failed. The first failure is items[0]: ")
    assert "delete_item" in failed.writes
    assert (continued.failure, continued.changed) == ("", 2)
    assert sorted(continued.writes) == ["deploy_file", "deploy_file", "patch_metadata"]
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])
    assert (complete.failure, complete.changed) == ("", 2)
    assert sorted(complete.writes) == ["delete_item", "deploy_file", "deploy_file", "patch_metadata"]


def test_mistakes_in_files_are_reported_before_any_is_deployed(sandbox: Sandbox, tmp_path: Path) -> None:
    good = {"repo": "generic-local", "path": "good", "content": ""}
    wrong = [
        ({**good, "path": "a", "content": "{{ version_of_app }}"}, "'version_of_app' is undefined"),
        ({"repo": "generic-local", "path": "a", "contents": "1"}, "contents. Supported parameters include"),
        ({"repo": "generic-local", "path": "a"}, "items[0]: state is present but any of the following are missing"),
        ({**good, "repo": ""}, "Option 'items[0].repo': must not be empty"),
    ]
    host = artifact(sandbox)["artifact"]["hosts"]["artifactory"]
    mistakes = [{**host, "artifact_provision_files": [file, good]} for file, _problem in wrong]
    messages = play_mistakes("buildworks.toolchain.provision", "artifact", mistakes, tmp_path)
    for message, (_file, problem) in zip(messages, wrong, strict=True):
        assert problem in message
    assert not written(sandbox)


def test_plugins_are_installed_and_run_after_the_restart(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.switch("ci", restart_seconds=0.3)
    plugins = {
        "ci_provision_install_plugins": [{"name": "timestamper", "version": "latest"}],
        "ci_provision_plugins": [{"name": "timestamper"}, {"name": "git"}],
        "ci_provision_restart_if_pending": True,
    }
    missing = {**plugins, "ci_provision_plugins": [{"name": "timestamper"}, {"name": "absent"}]}
    predicted, refused = run_role(sandbox, "ci_provision", [Step(plugins), Step(missing)], tmp_path, "--check")
    assert (predicted.failure, predicted.writes) == ("", [])
    assert predicted.changed
    assert "absent is not installed" in refused.failure
    installed, repeated = run_role(sandbox, "ci_provision", [Step(plugins), Step(plugins)], tmp_path)
    assert not installed.failure
    assert (repeated.failure, repeated.changed) == ("", 0)


SITE = "https://updates.example.com/update-center.json"
ADMIN = {"name": "admin", "password": "x", "tokens": [TOKENS["admin"]], "permissions": ["Overall/Administer"]}
NEW_SERVER: dict[str, Any] = {
    "users": [ADMIN],
    "update_site": SITE,
    "update_sites": [{"url": SITE, "plugins": [{"name": "git", "version": "5.3.0"}]}],
    "scripts": [
        {"name": "no class", "pattern": "hasGit", "error": {"type": "MissingPropertyException", "message": "git"}},
        {"pattern": "makeJob", "value": None},
    ],
}


def test_check_mode_passes_on_a_new_server(sandbox: Sandbox, tmp_path: Path) -> None:
    script = {"name": "job", "script": "makeJob()", "unless": "hasGit()"}
    desired = {
        "ci_provision_install_plugins": [{"name": "git", "version": "5.0"}],
        "ci_provision_plugins": [{"name": "git", "minimum_version": "5.1"}],
        "ci_provision_scripts": [script],
        "ci_provision_jobs": [{"name": "built"}],
    }
    sandbox.seed({"ci": NEW_SERVER}, reset=True)
    hosts = {
        "new": ci(sandbox, **desired),
        "wrong": ci(sandbox, **{**desired, "ci_provision_plugins": [{"name": "x"}]}),
    }
    output, recap = provision(sandbox, tmp_path, {"ci": {"hosts": hosts}}, "--check")
    assert "built is not there" in output
    assert ("failed=0" in recap["new"], "failed=1" in recap["wrong"]) == (True, True)
    assert "x is not installed" in output
    assert {entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"} == {"script"}  # `unless`
    later = {"jobs": [{"name": "built"}], "scripts": [{"pattern": "hasGit", "value": False}]}
    (provisioned,) = run_role(sandbox, "ci_provision", [Step(desired, [("POST", "seed", {"ci": later})])], tmp_path)
    assert provisioned.failure == ""
    assert provisioned.changed


NEW_PROJECT: dict[str, Any] = {
    "review_provision_users": [{"name": "carol"}],
    "review_provision_passwords": {"carol": "sandbox-carol"},
    "review_provision_groups": [{"name": "payers, all", "users": ["carol", "alice"]}],
    "review_provision_roles": [
        {
            "name": "Payer",
            "permissions": {"access_source_files": True},
            "assignments": [{"group": "payers, all", "project": "payments"}, {"account": "carol"}],
        },
        {"name": "Project admin", "assignments": [{"account": "carol", "project": "payments"}]},
    ],
    "review_provision_projects": [
        {
            "name": "payments",
            "tags": ["pci"],
            "modules": [{"name": "ui", "paths": ["**/ui/*"], "allow_groups": ["payers, all"]}],
            "views": [{"name": "critical", "query": "severity:1"}],
            "defect_types": [{"code": "ABV.*", "enabled": False}],
            "builds": [{"keep_newest": 5}],
        }
    ],
}


@pytest.mark.ansible_core
def test_a_new_project_is_predicted_created_and_left_alone_without_telling_a_password(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    sandbox.switch("review", version_major="23", module_access_lists=True)
    step = Step(NEW_PROJECT)
    refused = fault(service="review", kind="status", status=403, label="create_user", body="no right")
    results = [
        *run_role(sandbox, "review_provision", [step], tmp_path, "--check", "--diff", "-v"),
        *run_role(sandbox, "review_provision", [Step(NEW_PROJECT, [refused]), step, step], tmp_path, "-vvv"),
    ]
    assert "sandbox-carol" not in " ".join(result.output for result in results)
    predicted, failed, created, repeated = results
    assert (predicted.failure, predicted.changed, predicted.writes) == ("", 6, [])
    assert "no right" in failed.output
    assert failed.failure
    assert (created.failure, created.changed, len(created.writes)) == ("", 7, 12)
    assert (repeated.failure, repeated.changed, repeated.writes) == ("", 0, [])


TELL = {"name": "tell", "script": "println args.text", "unless": "isTold(args.text)", "args": {"text": 'it\'s "$here"'}}


def scripts_run(sandbox: Sandbox) -> int:
    """How many scripts were run."""
    return sum(entry["label"] == "script" for entry in sandbox.journal("ci"))


MISTAKES: list[tuple[dict[str, Any], str]] = [
    ({"ci_provision_jobs": [{"name": "apple"}, {"name": "app", "parameters": ["A"]}]}, "apple is not there"),
    ({"ci_provision_jobs": [{"parameters": ["A"]}]}, "missing required arguments: name"),
    ({"ci_provision_install_plugins": [{"version": "1"}]}, "missing required arguments: name"),
    ({"ci_provision_install_plugins": [{"name": "nothing-of-the-kind"}]}, "nothing-of-the-kind"),
    (
        {"ci_provision_install_plugins": [{"name": "git", "version": 5.1}]},
        "Option 'plugins[0].version': must be a string",
    ),
    ({"ci_provision_plugins": [{"name": "git", "minimum_version": 1.1}]}, "of git must be in quotes"),
    ({"ci_provision_minimum_version": 2.1}, "ci_provision_minimum_version takes a text. Put the version in quotes"),
    ({"ci_provision_scripts": [{"name": "x", "script": "x()"}]}, "missing required arguments: unless"),
    ({"ci_provision_scripts": [{**TELL, "script": "{{ mistyped }}"}]}, "'mistyped' is undefined"),
]


def test_mistakes_are_reported_before_a_script_runs(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [ci(sandbox, **variables) for variables, _problem in MISTAKES]
    messages = play_mistakes("buildworks.toolchain.provision", "ci", mistakes, tmp_path)
    for message, (_variables, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
    assert scripts_run(sandbox) == 0
