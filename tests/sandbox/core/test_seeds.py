# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of seeds."""

from __future__ import annotations

import pytest
import requests

from sandbox import client


def test_seed_adds_data_and_can_reset_first(sandbox, artifactory):
    repository = {"artifact": {"repositories": [{"key": "extra-local", "rclass": "local", "packageType": "generic"}]}}
    sandbox.seed(repository)
    keys = [entry["key"] for entry in artifactory.get("/api/repositories").json()]
    assert "extra-local" in keys and "generic-local" in keys
    users = {"users": [{"name": "admin", "password": "sandbox-admin", "admin": True}]}
    sandbox.seed({"artifact": {**users, **repository["artifact"]}}, reset=True)
    answer = requests.get(f"{sandbox.url}/artifactory/api/repositories", auth=("admin", "sandbox-admin"))
    assert [entry["key"] for entry in answer.json()] == ["extra-local"]


def test_seed_is_accepted_as_yaml(sandbox, artifactory):
    seed = "artifact:\n  repositories:\n    - {key: yaml-local, rclass: local, packageType: generic}\n"
    answer = requests.post(f"{sandbox.url}/_sandbox/seed", seed, headers={"Authorization": f"Bearer {sandbox.secret}"})
    assert answer.status_code == 200
    assert artifactory.get("/api/repositories/yaml-local").status_code == 200


def test_seed_is_rejected_when_a_section_is_unknown(sandbox):
    with pytest.raises(client.SandboxError, match=r"400.*seed\.artefact is unknown"):
        sandbox.seed({"artefact": {}})


@pytest.mark.parametrize(
    ("seed", "complaint"),
    [
        ([1], "seed must be an object"),
        ({"review": {"users": [{"name": None}]}}, r"seed\.review\.users\[0\]\.name is required"),
        ({"artifact": {"users": 5}}, r"seed\.artifact\.users must be a list"),
        ({"artifact": {"users": [{"name": "a"}, {"nam": "b"}]}}, r"seed\.artifact\.users\[1\]\.nam is unknown.*name"),
        ({"artifact": {"users": [{"password": "x"}]}}, r"seed\.artifact\.users\[0\]\.name is required"),
        (
            {"artifact": {"repositories": [{"key": "a", "rclass": "b"}]}},
            r"seed\.artifact is invalid: No valid",
        ),
        ({"ci": {"jobs": [{"name": "a", "builds": [{"second": 1}]}]}}, r"seed\.ci\.jobs\[0\]\.builds\[0\]\.second"),
        ({"review": {"version": 20.4}}, r"seed\.review is invalid: version must be a string .* not 20\.4"),
        ({"review": {"version": "foo"}}, r"seed\.review is invalid: version must be a string .* not 'foo'"),
        ({"review": {"views": [{"name": "a"}]}}, r"seed\.review\.views is unknown"),
        ({"inference": {"models": [{"id": "a"}]}}, r"seed\.inference\.models\[0\]\.created is required"),
    ],
)
def test_message_contains_the_path_when_a_seed_is_invalid(sandbox, artifactory, seed, complaint):
    with pytest.raises(client.SandboxError, match=f"400.*{complaint}"):
        sandbox.seed(seed)
    assert artifactory.get("/api/repositories/generic-local").status_code == 200


def test_seed_is_read_from_a_directory(tmp_path):
    (tmp_path / "artifact.yml").write_text(
        "users: [{name: me, password: mine, admin: true}]\n"
        "repositories: [{key: mine-local, rclass: local, packageType: generic}]\n"
    )
    boss = "{name: boss, password: b, tokens: [t], permissions: [Overall/Administer]}"
    (tmp_path / "ci.yml").write_text(f"users: [{boss}]\n")
    with client.start(seed=tmp_path) as sandbox:
        answer = requests.get(f"{sandbox.url}/artifactory/api/repositories", auth=("me", "mine"))
        assert [entry["key"] for entry in answer.json()] == ["mine-local"]
        assert sandbox.environment["JENKINS_USER_ID"] == "boss"
