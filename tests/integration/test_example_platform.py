# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The example repository: eight services of two sites, with the commands of its pipelines."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sandbox import client
from support.playbook import PLAYBOOK, ROOT, environment, run_command

EXAMPLE = ROOT / "examples/platform"
SITES = ("europe", "america")
CHECK, APPLY = "ansible-playbook site.yml --check --diff", "ansible-playbook site.yml --diff"
PIPELINES = (".github/workflows/toolchain.yml", ".gitlab-ci.yml", "Jenkinsfile")


@pytest.fixture(scope="module")
def sites(running_sandbox: client.Sandbox) -> Iterator[dict[str, client.Sandbox]]:
    """The sandboxes of the two sites, each with four services."""
    running_sandbox.reset()
    with client.start() as america:
        yield dict(zip(SITES, (running_sandbox, america), strict=True))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory, sites: dict[str, client.Sandbox]) -> Path:
    """A copy of the example whose sites are the sandboxes, with their secrets in vaults."""
    folder = tmp_path_factory.mktemp("platform") / "repository"
    shutil.copytree(EXAMPLE, folder)
    folder.chmod(0o755)  # Ansible reads no ansible.cfg of a folder that everybody may write to
    (folder / "password").write_text("a password")
    for site, sandbox in sites.items():
        variables = folder / "inventory/group_vars" / site
        (variables / "site.yml").write_text(yaml.safe_dump({"site_url": sandbox.url}))
        example = yaml.safe_load((variables / "vault.yml.example").read_text())
        (variables / "vault.yml").write_text(yaml.safe_dump(filled(example, sandbox)))
    encrypt = [PLAYBOOK.with_name("ansible-vault"), "encrypt", "--vault-password-file", folder / "password"]
    vaults = folder.glob("inventory/group_vars/*/vault.yml")
    subprocess.run([*encrypt, *vaults], env=environment(), check=True, capture_output=True)
    return folder


def filled(vault: dict[str, str], sandbox: client.Sandbox) -> dict[str, str]:
    """The secrets that the example asks for, and no others."""
    known = {
        "vault_artifact_token": sandbox.environment["JFROG_ACCESS_TOKEN"],
        "vault_ci_api_token": sandbox.environment["JENKINS_API_TOKEN"],
        "vault_review_ltoken": Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().splitlines()[0].split(";")[-1],
        "vault_inference_api_key": sandbox.environment["OPENAI_API_KEY"],
    }
    assert vault.keys() == known.keys()
    return known


def run(command: str, repository: Path) -> dict[str, int]:
    """How many tasks changed something on each host, none of which failed."""
    settings = {"ANSIBLE_VAULT_PASSWORD_FILE": "password"}
    output, status = run_command(command.split()[1:], environment(**settings), repository)
    assert status == 0, output
    assert "WARNING" not in output
    assert "sandbox-admin" not in output
    recap = re.findall(r"^(\S+) .*changed=(\d+) +unreachable=0 +failed=0", output, re.MULTILINE)
    return {host: int(changed) for host, changed in recap}


def test_the_services_are_brought_to_their_state_once_and_drift_is_told(
    repository: Path, sites: dict[str, client.Sandbox]
) -> None:
    """Only one site is reset: the services of the other one have nothing to do."""
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
    assert "qa.status" in (repository / "report/index.html").read_text()
    assert [entry for entry in sites["europe"].journal() if entry["effect"] == "write"] == []


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_each_pipeline_runs_what_is_tested(pipeline: str) -> None:
    commands = re.findall(r"ansible-playbook [^'\n]*", (EXAMPLE / pipeline).read_text())
    assert commands == [CHECK, APPLY]


@pytest.mark.parametrize("pipeline", PIPELINES[:2])
def test_the_pipelines_are_yaml(pipeline: str) -> None:
    assert isinstance(yaml.safe_load((EXAMPLE / pipeline).read_text()), dict)
