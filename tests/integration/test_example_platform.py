# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The example repository: eight services at two sites, with its pipelines for GitHub and GitLab.

The APIs and the runners of GitHub and GitLab are stand-ins, written from the public documentation.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from sandbox import client
from support.forge import Forge, serve
from support.github_server import GitHub
from support.gitlab_server import GitLab
from support.pipelines import GitHubWorkflow, GitLabPipeline
from support.playbook import PLAYBOOK, ROOT, environment, run_command

EXAMPLE = ROOT / "examples/platform"
SITES = ("europe", "america")
CHECK, APPLY = "ansible-playbook site.yml --check --diff", "ansible-playbook site.yml --diff"
WORKFLOW, GITLAB = ".github/workflows/toolchain.yml", ".gitlab-ci.yml"
COMMENT, ISSUE = "ansible-playbook publish/comment.yml", "ansible-playbook publish/issue.yml"
FORK = "somebody/platform"


@pytest.fixture(scope="module")
def sites(running_sandbox: client.Sandbox) -> Iterator[dict[str, client.Sandbox]]:
    """Start the sandboxes of the two sites, each with four services."""
    running_sandbox.reset()
    with client.start() as america:
        yield dict(zip(SITES, (running_sandbox, america), strict=True))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, sites: dict[str, client.Sandbox]) -> Path:
    """Return a copy of the example whose sites are the sandboxes, with their secrets in vaults."""
    folder = tmp_path_factory.mktemp("platform") / "repository"
    shutil.copytree(EXAMPLE, folder)
    folder.chmod(0o755)  # Ansible ignores the ansible.cfg of a world-writable directory
    (folder / "password").write_text("a password")
    for site, sandbox in sites.items():
        variables = folder / "inventory/group_vars" / site
        (variables / "site.yml").write_text(yaml.safe_dump({"site_url": sandbox.url}))
        example = yaml.safe_load((variables / "vault.yml.example").read_text())
        (variables / "vault.yml").write_text(yaml.safe_dump(fill_vault(example, sandbox)))
    encrypt = [PLAYBOOK.with_name("ansible-vault"), "encrypt", "--vault-password-file", folder / "password"]
    vaults = folder.glob("inventory/group_vars/*/vault.yml")
    subprocess.run([*encrypt, *vaults], env=environment(), check=True, capture_output=True)
    return folder


def fill_vault(vault: dict[str, str], sandbox: client.Sandbox) -> dict[str, str]:
    """Return the secrets of the example's vault. Verify that it has no others."""
    secrets = {
        "vault_artifact_token": sandbox.environment["JFROG_ACCESS_TOKEN"],
        "vault_ci_api_token": sandbox.environment["JENKINS_API_TOKEN"],
        "vault_review_ltoken": Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().splitlines()[0].split(";")[-1],
        "vault_inference_api_key": sandbox.environment["OPENAI_API_KEY"],
    }
    assert vault.keys() == secrets.keys()
    return secrets


def run(command: str, repository: Path) -> dict[str, int]:
    """Run a command and return the number of changed tasks by host."""
    settings = {"ANSIBLE_VAULT_PASSWORD_FILE": "password"}
    output, status = run_command(command.split()[1:], environment(**settings), repository)
    assert status == 0, output
    assert "WARNING" not in output
    assert "sandbox-admin" not in output
    recap = re.findall(r"^(\S+) .*changed=(\d+) +unreachable=0 +failed=0", output, re.MULTILINE)
    return {host: int(changed) for host, changed in recap}


def test_services_reach_their_state_once_and_drift_is_reported(
    repository: Path, sites: dict[str, client.Sandbox]
) -> None:
    """Only one site is reset. The services of the other site are unchanged."""
    changed = run(APPLY, repository)
    assert len(changed) == 8
    assert {host for host, count in changed.items() if count} == {
        *("artifactory-eu", "artifactory-us", "klocwork-eu", "klocwork-us")
    }

    sites["europe"].reset()
    changed = run(CHECK, repository)
    assert {host for host, count in changed.items() if count} == {"artifactory-eu", "klocwork-eu"}
    report = json.loads((repository / "report/report.json").read_text())
    assert report["check_mode"]
    assert {change["host"] for change in report["changes"]} == {"artifactory-eu", "klocwork-eu"}
    assert any("qa.status" in change["diff"] for change in report["changes"])
    assert "qa.status" in (repository / "report/report.html").read_text()
    assert [entry for entry in sites["europe"].journal() if entry["effect"] == "write"] == []


def on_github(event: str, head: str = "example/platform") -> GitHubWorkflow:
    """Return the workflow with the contexts of an event."""
    contexts = {
        "github.event_name": event,
        "github.repository": "example/platform",
        "github.server_url": "https://github.example.com",
        "github.run_id": "99",
        "github.token": "workflow-token",
        "steps.report.outputs.artifact-url": "https://github.example.com/artifacts/1",
    }
    if event == "pull_request":
        contexts |= {"github.event.pull_request.number": "7", "github.event.pull_request.head.repo.full_name": head}
    return GitHubWorkflow(EXAMPLE / WORKFLOW, contexts)


def on_gitlab(source: str, folder: Path = EXAMPLE, url: str = "") -> GitLabPipeline:
    """Return the pipeline with the variables of a source."""
    predefined = {
        "CI_PIPELINE_SOURCE": source,
        "CI_DEFAULT_BRANCH": "main",
        "CI_PROJECT_DIR": str(folder),
        "CI_PIPELINE_URL": "https://gitlab.example.com/pipelines/99",
        "CI_JOB_URL": "https://gitlab.example.com/jobs/100",
        "CI_API_V4_URL": url,
        "CI_PROJECT_ID": "42",
        "PUBLISH_TOKEN": "project-token",
        **({"CI_MERGE_REQUEST_IID": "7"} if source == "merge_request_event" else {"CI_COMMIT_BRANCH": "main"}),
    }
    return GitLabPipeline(EXAMPLE / GITLAB, predefined)


@pytest.mark.parametrize(
    ("pipeline", "jobs"),
    [
        (on_github("pull_request"), ["check"]),
        (on_github("pull_request", FORK), ["fork"]),
        (on_github("schedule"), ["drift"]),
        (on_github("push"), ["apply"]),
        (on_gitlab("merge_request_event"), ["check"]),
        (on_gitlab("schedule"), ["drift"]),
        (on_gitlab("push"), ["apply"]),
    ],
)
def test_each_event_runs_one_job(pipeline: GitHubWorkflow | GitLabPipeline, jobs: list[str]) -> None:
    assert pipeline.jobs() == jobs


@pytest.mark.parametrize("file", [WORKFLOW, GITLAB])
def test_only_pushes_change_services(file: str) -> None:
    document = yaml.safe_load((EXAMPLE / file).read_text())
    jobs = document.get("jobs", document)
    commands = {name: re.findall(r"ansible-playbook [^'\"\n|]*\b", str(jobs[name])) for name in jobs}
    commands = {name: [command.partition("\\")[0] for command in found] for name, found in commands.items() if found}
    assert commands == {"check": [CHECK, COMMENT], "drift": [CHECK, ISSUE], "apply": [APPLY]}


def test_jobs_have_only_the_permissions_that_they_need() -> None:
    jobs = yaml.safe_load((EXAMPLE / WORKFLOW).read_text())["jobs"]
    assert {name: job["permissions"] for name, job in jobs.items()} == {
        "check": {"contents": "read", "pull-requests": "write"},
        "fork": {},
        "drift": {"contents": "read", "issues": "write"},
        "apply": {"contents": "read"},
    }


def test_gitlab_exposes_the_page() -> None:
    """GitLab links to a single file without wildcards and variables; otherwise to a list of files, or not at all."""
    artifacts = yaml.safe_load((EXAMPLE / GITLAB).read_text())["check"]["artifacts"]
    settings = (EXAMPLE / "ansible.cfg").read_text()
    [page] = artifacts["paths"]
    assert (artifacts["expose_as"], artifacts["when"]) == ("Planned changes", "always")
    assert re.findall(r"^(?:html|junit) = (.*)", settings, re.MULTILINE) == [page, artifacts["reports"]["junit"]]


@pytest.mark.parametrize("kind", ["GitHub", "GitLab"])
def test_failed_check_is_commented_and_opens_an_issue(
    repository: Path, sites: dict[str, client.Sandbox], kind: str
) -> None:
    """One of eight services cannot be reached. The jobs fail, but the changes of the others are published."""
    sites["europe"].reset()
    sites["america"].clear_journal()
    broken = repository / "inventory/host_vars/klocwork-us.yml"
    broken.parent.mkdir(exist_ok=True)
    broken.write_text(yaml.safe_dump({"toolchain_review_url": "http://127.0.0.1:9", "toolchain_review_retries": 0}))
    summary = repository / "summary.md"
    variables = environment(
        ANSIBLE_VAULT_PASSWORD_FILE="password",
        GITHUB_STEP_SUMMARY=str(summary),
        PATH=f"{PLAYBOOK.parent}{os.pathsep}{os.environ['PATH']}",
    )
    forge: Forge = GitHub() if kind == "GitHub" else GitLab()
    with serve(forge):
        for event, source, job in (("pull_request", "merge_request_event", "check"), ("schedule", "schedule", "drift")):
            shutil.rmtree(repository / "report", ignore_errors=True)
            if kind == "GitHub":
                variables |= {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": "example/platform"}
                output, is_good = on_github(event).run(job, repository, variables)
            else:
                output, is_good = on_gitlab(source, repository, forge.url).run(job, repository, variables)
            assert not is_good
            assert "WARNING" not in output
            assert not any(secret in output for secret in ("sandbox-admin", "workflow-token", "project-token"))
            assert json.loads((repository / "report/report.json").read_text())["check_mode"]
            assert ElementTree.parse(repository / "report/report.xml").findall(".//failure")
    broken.unlink()
    markdown = (repository / "report/report.md").read_text()
    [comment] = forge.threads["7" if kind == "GitHub" else "merge_requests/7"]
    [issue] = forge.issues
    for text in (comment["body"], issue.get("body") or issue["description"]):
        assert "qa.status" in text
        assert "127.0.0.1:9" in text
        assert (
            "github.example.com/artifacts/1" if kind == "GitHub" else "jobs/100/artifacts/file/report/report.html"
        ) in text
    assert markdown.splitlines()[0] in (issue.get("body") or issue["description"])
    if kind == "GitHub":
        assert summary.read_text().endswith(markdown)
        summary.unlink()
    assert [entry for site in sites.values() for entry in site.journal() if entry["effect"] == "write"] == []
