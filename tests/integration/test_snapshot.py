# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `snapshot`: a sandbox that starts from one answers as the servers that it was taken of."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from integration.playbook import played
from sandbox import client
from sandbox.client import Sandbox, SandboxError
from sandbox.snapshot import Folder

SECRET = "hunter2-of-production"
ODD = ["plain", "with blank", "ünïcode 🙂", "a;b,c|d=e", "{{ braces }}", "per%cent+plus#hash", "quo'te"]
# What a sandbox of a snapshot has other than its server
OTHERS = {"in_queue", "queue_item", "last_used", "session_id"}


def take(sandbox: Sandbox, folder: Path, *options: str, **variables: Any) -> tuple[str, bool]:
    """Take a snapshot, during which nothing may be written."""
    inventory, values = folder.parent / "hosts.ini", folder.parent / "values.json"
    inventory.write_text("[artifact]\nrepo\n[ci]\njenkins\n")
    values.write_text(json.dumps({"snapshot_folder": f"{folder}/", "snapshot_name": "production", **variables}))
    sandbox.clear_journal()
    command = ["buildworks.toolchain.snapshot", "-i", inventory, "-e", f"@{values}", *options]
    output, good = played(command, sandbox)
    assert [entry for entry in sandbox.journal() if entry["effect"] != "read"] == []
    return output, good


def told(folder: Path, sandbox: Sandbox) -> dict[str, Any]:
    """All lists of a snapshot, but for what cannot be alike."""
    manifests = {file.parent.name: json.loads(text_of(file, sandbox)) for file in folder.glob("*/manifest.json")}
    lists = {file.stem: list(map(json.loads, text_of(file, sandbox).splitlines())) for file in folder.glob("*/*.jsonl")}
    return without({**manifests, **lists}, OTHERS)


def text_of(file: Path, sandbox: Sandbox) -> str:
    assert file.stat().st_mode & 0o777 == 0o600
    return file.read_text().replace(sandbox.url, "")


def without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {name: without(member, names) for name, member in value.items() if name not in names}
    return [without(element, names) for element in value] if isinstance(value, list) else value


def world(number: int) -> dict[str, Any]:
    """Something of everything, with odd names, from the same dice each time."""
    dice = random.Random(number)
    return {
        "artifact": {
            "repositories": [
                {
                    "key": f"many{number}-local",
                    "rclass": "local",
                    "packageType": "generic",
                    "description": dice.choice(ODD),
                    "generate": [
                        {
                            "path": "deep/{n}/file-{n}.bin",
                            "count": 1000,
                            "size": dice.randrange(2**40),
                            "created": ["2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z"],
                            "downloaded": "2026-01-01T00:00:00Z",
                            "properties": {"build.number": "{n}"},
                        }
                    ],
                },
                {
                    "key": f"mirror{number}",
                    "rclass": "remote",
                    "packageType": "npm",
                    "url": f"https://somebody:p@{SECRET}@mirror.example/npm",
                    "username": "somebody",
                    "password": SECRET,
                },
            ],
            "items": [
                {
                    "repo": f"many{number}-local",
                    "path": f"{dice.choice(ODD)}/{name}",
                    "created": "2020-01-01T00:00:00.123Z",
                    "created_by": dice.choice(ODD),
                    "size": dice.randrange(1000),
                    "sha1": f"{dice.getrandbits(160):040x}",
                    "properties": {"qa": dice.sample(ODD, 2), "empty": [""]},
                    "statistics": [{"downloads": dice.randrange(1, 9), "downloaded": "2021-01-01T00:00:00Z"}],
                }
                for name in ODD
            ],
            "tokens": [
                {
                    "token": f"{SECRET}{number}",
                    "username": "ci",
                    "token_id": f"of-ci-{number}",
                    "expiry": 4_000_000_000,
                    "refreshable": True,
                }
            ],
            "builds": [
                {
                    "name": dice.choice(ODD),
                    "number": str(run),
                    "started": f"2026-06-0{run}T00:00:00.000Z",
                    "properties": {
                        "buildInfo.env.PATH": "/bin",
                        "buildInfo.env.DB_PASSWORD": SECRET,
                        "buildInfo.env.SIGNING_KEY": SECRET,
                        "buildInfo.env.CI_REPOSITORY_URL": f"https://ci-token:{SECRET}@git.example/app",
                    },
                    "modules": [{"id": "a:b:1", "properties": {"key": SECRET}}],
                    "promotions": [{"status": "staged", "created": "2026-06-09T00:00:00Z"}],
                }
                for run in (1, 2)
            ],
        },
        "ci": {
            "jobs": [
                {
                    "name": f"team {number}/{place}/job {place}",
                    "description": description,
                    "disabled": dice.random() < 0.5,
                    "parameters": [
                        {"name": "A", "type": "choice", "choices": ODD},
                        {"name": "B", "type": "boolean", "default": True},
                        {"name": "C", "type": "password", "default": SECRET},
                        {"name": "D", "type": "text", "default": dice.choice(ODD), "description": "<b>"},
                        {"name": "E", "type": "file"},
                    ],
                    "builds": [
                        {"result": dice.choice(["SUCCESS", "UNSTABLE", "FAILURE", "ABORTED"]), "ago": 3600 - build}
                        for build in range(dice.randrange(6))
                    ],
                }
                for place, description in enumerate(ODD)
            ],
            "plugins": [{"name": f"odd{number}", "version": "1.0", "enabled": False, "active": False}],
        },
    }


def test_a_sandbox_of_a_snapshot_answers_alike(sandbox: Sandbox, tmp_path: Path) -> None:
    for number in range(2):
        sandbox.seed(world(number))
    sandbox.switch("ci", version="2.504")
    first, second = tmp_path / "first", tmp_path / "second"
    output, good = take(sandbox, first, snapshot_artifact_runs="all")
    assert good, output
    with client.start(seed=first) as rehearsal:
        output, good = take(rehearsal, second, snapshot_artifact_runs="all")
    assert good, output
    assert not [file for file in first.glob("*/*") if SECRET in file.read_text()]
    expected, found = told(first, sandbox), told(second, rehearsal)
    own = [token for token in found["artifact"]["tokens"] if token["username"] == "snapshot-admin"]
    assert len(own) == 1
    found["artifact"]["tokens"].remove(own[0])
    assert found == expected


def test_secrets_are_made_up_from_the_name_and_the_account(tmp_path: Path) -> None:
    def made_up(name: str, account: str) -> str:
        (tmp_path / "manifest.json").write_text(json.dumps({"format": 1, "name": name}))
        return Folder(tmp_path).made_up(account)

    assert made_up("one", "ci") == made_up("one", "ci")
    assert len({made_up("one", "ci"), made_up("two", "ci"), made_up("one", "admin")}) == 3


def test_what_may_not_be_seen_is_told_and_a_sample_is_no_more(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "seen"
    reader = {
        "toolchain_artifact_username": "reader",
        "toolchain_artifact_password": "sandbox-reader",
        "toolchain_ci_username": "reader",
        "toolchain_ci_api_token": "11c0ffee00sandbox00reader00token004",
        "toolchain_artifact_url": sandbox.environment["JFROG_URL"],
        "toolchain_ci_url": sandbox.environment["JENKINS_URL"],
        "snapshot_artifact_items": {"repo": "generic-local", "name": {"$match": "*.gz"}},
    }
    output, good = take(sandbox, folder, **reader)
    assert good, output
    about = json.loads((folder / "ci" / "manifest.json").read_text())
    assert [seen["list"] for seen in about["not_seen"]] == ["plugins"]
    assert "403 reader is missing" in about["not_seen"][0]["answer"]
    rows = told(folder, sandbox)["items"]
    assert [row["name"] for row in rows] == ["app-1.0.tar.gz", "app-1.1.tar.gz"]


def test_a_wrong_credential_is_a_failure(sandbox: Sandbox, tmp_path: Path) -> None:
    folder = tmp_path / "none"
    url = sandbox.environment["JFROG_URL"]
    output, good = take(
        sandbox, folder, "--limit", "repo", toolchain_artifact_url=url, toolchain_artifact_token="wrong"
    )
    assert not good
    assert "401" in output
    assert not (folder / "artifact" / "manifest.json").exists()


def test_check_mode_writes_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    output, good = take(sandbox, tmp_path / "none", "--check", "--limit", "jenkins")
    assert good, output
    assert not (tmp_path / "none").exists()


def test_odd_jobs_are_no_hindrance(tmp_path: Path) -> None:
    ci = tmp_path / "ci"
    ci.mkdir()
    server = {"product": "hudson", "version": "1.395", "executors": 2}
    (ci / "manifest.json").write_text(json.dumps({"format": 1, "name": "odd", "server": server, "plugins": []}))
    build = {"number": 7, "result": "SUCCESS", "duration": None, "timestamp": "2026-01-01T00:00:00Z"}
    job = {"name": "odd", "description": "\x1b[1mbold\x1b[0m", "folder": False, "buildable": True, "parameters": []}
    job |= {"next_build": None, "last": build, **dict.fromkeys(("last_completed", "last_successful", "last_failed"))}
    (ci / "jobs.jsonl").write_text(json.dumps(job))
    with client.start(seed=tmp_path) as sandbox:
        assert sandbox.state()["ci"]["jobs"]["total"] == 1


@pytest.mark.parametrize("text", ["{", '{"format": 2}'])
def test_a_folder_that_is_none_is_refused(text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "ci").mkdir()
    (tmp_path / "ci" / "manifest.json").write_text(text)
    with pytest.raises(SandboxError), client.start(seed=tmp_path):
        pass
    assert f"The sandbox cannot start: {tmp_path}/ci/manifest.json is n" in capfd.readouterr().err
