# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The playbook `release`: run, and continue after a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sandbox.client import Sandbox
from support import running
from support.playbook import play_mistakes
from support.steps import RESET, Step, fault, run_role

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


pytestmark = pytest.mark.usefixtures("sandbox_environment")


def writes(sandbox: Sandbox) -> list[str]:
    return [entry["label"] for entry in sandbox.journal("artifact") if entry["effect"] == "write"]


def statuses() -> list[str]:
    build = running.run("artifact_build_info", build="app", number="1")["build"]
    return [status["status"] for status in build["statuses"]]


def test_failure_reports_changes_and_the_next_run_continues(sandbox: Sandbox, tmp_path: Path) -> None:
    no_right = fault(service="artifact", kind="status", status=403, label="promote_image", nth=2, body="no right")
    no_room = fault(service="artifact", kind="status", status=500, label="promote_build", nth=2, body="no room")
    steps = [Step(RELEASE, [no_right]), Step(RELEASE), Step(RELEASE, [RESET, no_room]), Step(RELEASE)]
    image, after_image, build, after_build = run_role(sandbox, "artifact_release", steps, tmp_path)
    assert "'Promote the images' failed: " in image.failure
    assert "403 no right" in image.failure
    assert "Done so far: image acme/web. Run the role again" in image.failure
    assert not after_image.failure
    assert after_image.writes == ["promote_image", "promote_build", "patch_metadata"]
    assert "'Promote the build' failed: " in build.failure
    done = "Done so far: image acme/web, image acme/worker. Run the role again to continue."
    assert done in build.failure
    assert "patch_metadata" not in build.writes
    assert not after_build.failure
    assert after_build.writes == ["promote_build", "patch_metadata"]
    assert statuses() == ["staged", "released"]


MISTAKES: list[tuple[dict[str, Any], str]] = [
    (
        {"artifact_release_build": {**RELEASE["artifact_release_build"], "from_status": "tested"}},
        "has the status 'staged', but 'from_status' requires 'tested'.",
    ),
    (
        {"artifact_release_build": {**RELEASE["artifact_release_build"], "number": "99"}},
        "The run '99' of 'app' does not exist, or the account has no Read permission on it.",
    ),
    (
        {"artifact_release_images": [*IMAGES, {**IMAGES[0], "tag": "9.9"}]},
        "Image 'acme/web:9.9' does not exist in repository 'docker-local'",
    ),
]


def test_role_fails_before_any_promotion_when_a_variable_is_wrong(sandbox: Sandbox, tmp_path: Path) -> None:
    mistakes = [{**RELEASE, **variables} for variables, _problem in MISTAKES]
    messages = play_mistakes("buildworks.toolchain.release", "artifact", mistakes, tmp_path, sandbox=sandbox)
    for message, (_variables, problem) in zip(messages, MISTAKES, strict=True):
        assert problem in message
        assert "Nothing was changed." in message
    assert not writes(sandbox)
