# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `release`: what is done once is done, also after a failure in the middle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.playbook import play_mistakes, played

IMAGES = [
    {"repo": "docker-local", "image": image, "target_repo": "docker-release-local", **more}
    for image, more in (("acme/web", {"tag": "1.0.0", "copy": True}), ("acme/worker", {}))
]
PATH = "app/1.0/app-1.0.tar.gz"
RELEASE: dict[str, Any] = {
    "artifact_release_build": {
        "build": "app",
        "number": "1",
        "from_status": "staged",
        "status": "released",
        "target_repo": "generic-release-local",
        "copy": True,
    },
    "artifact_release_images": IMAGES,
    "artifact_release_properties": [{"repo": "generic-release-local", "path": PATH, "properties": {"released": "1.0"}}],
}


@pytest.fixture(autouse=True)
def as_a_user(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """The modules find the sandbox through the environment."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


def release(sandbox: Sandbox, folder: Path, *options: str, **variables: Any) -> tuple[str, list[str], bool]:
    """The output in one line, the writes, and whether all went well."""
    inventory, values = folder / "hosts.ini", folder / "release.json"
    inventory.write_text("[artifact]\nartifactory\n")
    values.write_text(json.dumps({**RELEASE, **variables}))
    sandbox.clear_journal()
    output, good = played(["buildworks.toolchain.release", "-i", inventory, "-e", f"@{values}", *options], sandbox)
    return output, writes(sandbox), good


def writes(sandbox: Sandbox) -> list[str]:
    return [entry["label"] for entry in sandbox.journal("artifact") if entry["effect"] == "write"]


def statuses() -> list[str]:
    build = running.run("artifact_build_info", build="app", number="1")["build"]
    return [status["status"] for status in build["statuses"]]


def test_a_release_is_done_once(sandbox: Sandbox, tmp_path: Path) -> None:
    output, written, well = release(sandbox, tmp_path, "--check")
    assert well, output
    assert not written
    assert statuses() == ["staged"]
    output, written, well = release(sandbox, tmp_path)
    assert well, output
    assert written == ["promote_image", "promote_image", "promote_build", "patch_metadata"]
    assert statuses() == ["staged", "released"]
    output, written, well = release(sandbox, tmp_path)
    assert well, output
    assert not written
    assert "changed=0" in output


def test_a_failure_in_the_middle_says_what_is_done_and_another_run_goes_on(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.fault(service="artifact", kind="status", status=500, label="promote_build", nth=2, body="no room")
    output, written, well = release(sandbox, tmp_path)
    assert not well
    assert "'Promote the build' failed: " in output
    assert "Done so far: image acme/web, image acme/worker. Run the role again to go on from there." in output
    assert statuses() == ["staged"]
    output, written, well = release(sandbox, tmp_path)
    assert well, output
    assert written == ["promote_build", "patch_metadata"]
    assert statuses() == ["staged", "released"]


@pytest.mark.ansible_core
def test_one_image_of_several_that_fails(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.fault(service="artifact", kind="status", status=403, label="promote_image", nth=2, body="no right")
    output, _written, well = release(sandbox, tmp_path)
    assert not well
    assert "'Promote the images' failed: " in output
    assert "403 no right" in output
    assert "Done so far: image acme/web. Run the role again" in output
    output, written, well = release(sandbox, tmp_path)
    assert well, output
    assert written == ["promote_image", "promote_build", "patch_metadata"]


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"artifact_release_build": {**RELEASE["artifact_release_build"], "from_status": "tested"}},
        "has the status 'staged'; it must have 'tested' to become 'released'.",
    ),
    (
        {"artifact_release_build": {**RELEASE["artifact_release_build"], "number": "99"}},
        "The run '99' of 'app' is not there, or this account may not see it.",
    ),
    (
        {"artifact_release_images": [*IMAGES, {**IMAGES[0], "tag": "9.9"}]},
        "There is no image 'acme/web:9.9' in the repository 'docker-local'",
    ),
]


def test_mistakes_are_reported_before_anything_is_promoted(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [{**RELEASE, **variables} for variables, _problem in MISTAKES]
    messages = play_mistakes("buildworks.toolchain.release", "artifact", mistakes, tmp_path, sandbox=sandbox)
    for message, (_variables, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
        assert "Nothing was done." in message
    assert not writes(sandbox)
