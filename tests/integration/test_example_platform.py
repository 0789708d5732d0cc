# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The example repository: eight services at two sites, with the commands of its pipelines."""

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
    assert "qa.status" in (repository / "report/index.html").read_text()
    assert [entry for entry in sites["europe"].journal() if entry["effect"] == "write"] == []


@pytest.mark.parametrize("pipeline", PIPELINES)
def test_pipelines_run_the_tested_commands(pipeline: str) -> None:
    commands = re.findall(r"ansible-playbook [^'\n]*", (EXAMPLE / pipeline).read_text())
    assert commands == [CHECK, APPLY]


@pytest.mark.parametrize("pipeline", PIPELINES[:2])
def test_pipelines_are_valid_yaml(pipeline: str) -> None:
    assert isinstance(yaml.safe_load((EXAMPLE / pipeline).read_text()), dict)
