# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Our modules drive servers that are not ours: Hudson 1.395, Debian's docker-registry and litellm's proxy."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from contract.servers.docker_registry import DockerRegistry
from contract.servers.docker_registry import docker_registry as another_docker_registry
from contract.servers.hudson import Hudson
from contract.servers.hudson import hudson as another_hudson
from contract.servers.litellm_proxy import LitellmProxy
from contract.servers.process import UnavailableError
from unit.running import run

# --- The CI server: Hudson 1.395


@pytest.fixture(scope="module")
def hudson() -> Iterator[Hudson]:
    """A Hudson of our own, for we restart it."""
    try:
        server = another_hudson()
        with server as running:
            yield running
    except UnavailableError as reason:
        pytest.skip(f"CANNOT RUN HERE: {reason}")


def as_admin(server: Hudson) -> dict[str, Any]:
    return {"url": server.url, "username": server.admin.username, "password": server.admin.password}


def as_reader(server: Hudson) -> dict[str, Any]:
    return {"url": server.url, "username": server.reader.username, "password": server.reader.password}


def test_ci_info_reports_hudson(hudson: Hudson) -> None:
    result = run("ci_info", **as_admin(hudson))
    assert result["user"] is None
    assert result["server"] == {
        "product": "hudson",
        "version": "1.395",
        "session_id": None,
        "mode": "NORMAL",
        "quieting_down": None,
        "quiet_down_reason": None,
        "csrf_protection": True,
        "security": True,
        "executors": 2,
        "ssh_endpoint": None,
        "java": [],
    }


def test_a_wrong_password_and_a_missing_right_are_told_apart(hudson: Hudson) -> None:
    wrong = run("ci_safe_restart", **{**as_admin(hudson), "password": "wr0ng-password"})
    assert "401" in wrong["msg"]
    assert "does not fit the password" in wrong["msg"]
    unable = run("ci_safe_restart", **as_reader(hudson))
    assert "403" in unable["msg"]
    assert "reader is missing the Administer permission" in unable["msg"]
    assert not (wrong["changed"] or unable["changed"])


def test_ci_plugin_info_says_that_there_is_no_listing(hudson: Hudson) -> None:
    result = run("ci_plugin_info", **as_admin(hudson))
    assert result["failed"]
    assert "does not offer the listing of its plugins" in result["msg"]


def test_only_if_required_needs_a_server_that_tells(hudson: Hudson) -> None:
    result = run("ci_safe_restart", only_if_required=True, **as_admin(hudson))
    assert "does not tell whether a restart is pending" in result["msg"]


def test_ci_safe_restart_waits_for_a_running_build_and_proves_the_restart(hudson: Hudson) -> None:
    hudson.create_sleeping_job("slow", 4)
    number = hudson.start_build("slow")
    told: list[str] = []
    checked = run("ci_safe_restart", check_mode=True, **as_admin(hudson))
    result = run("ci_safe_restart", wait_timeout=90, tell=told.append, **as_admin(hudson))
    assert not result.get("failed"), result["msg"]
    assert checked["plan"] == result["plan"]
    assert [build["number"] for build in result["plan"]["running_builds"]] == [number]
    assert result["restart"] == {"completed": True, "session_before": None, "session_after": None}
    assert any("1 build(s) still run" in line for line in told)
    assert any("the server answers 503" in line or "the server is down" in line for line in told)
    assert hudson.build("slow", number)["result"] == "SUCCESS"
    assert run("ci_info", **as_admin(hudson))["server"]["version"] == "1.395"


# --- Container images: docker-registry 2.8.2


@pytest.fixture(scope="module")
def registry() -> Iterator[DockerRegistry]:
    """A registry of our own with images in it."""
    try:
        with another_docker_registry("images") as running:
            for image in ("acme/web", "acme/worker", "zebra"):
                for tag in ("1.0", "1.1", "2.0", "latest"):
                    running.push(image, tag)
            yield running
    except UnavailableError as reason:
        pytest.skip(f"CANNOT RUN HERE: {reason}")


@pytest.mark.parametrize("page_size", [1, 2, 3, 1000])
def test_artifact_image_info_lists_images_page_by_page(registry: DockerRegistry, page_size: int) -> None:
    result = run("artifact_image_info", url=registry.url, repo=registry.repository, page_size=page_size)
    assert result == {"changed": False, "images": ["acme/web", "acme/worker", "zebra"]}


@pytest.mark.parametrize("page_size", [1, 1000])
def test_artifact_image_info_lists_tags(registry: DockerRegistry, page_size: int) -> None:
    result = run(
        "artifact_image_info", url=registry.url, repo=registry.repository, image="acme/web", page_size=page_size
    )
    assert result == {"changed": False, "tags": ["1.0", "1.1", "2.0", "latest"]}


def test_artifact_image_info_says_that_there_is_no_such_image(registry: DockerRegistry) -> None:
    result = run("artifact_image_info", url=registry.url, repo=registry.repository, image="acme/nothing")
    assert "There is no such repository or image" in result["msg"]


# --- Inference: litellm's proxy


def test_inference_model_info_lists_the_models(litellm_proxy: LitellmProxy) -> None:
    result = run("inference_model_info", url=litellm_proxy.url, api_key=litellm_proxy.key, pattern="gpt*")
    assert [model["id"] for model in result["models"]] == ["gpt-4o", "gpt-4o-mini"]
    assert all(model["created_at"].endswith("Z") for model in result["models"])


def test_inference_chat_gets_an_answer(litellm_proxy: LitellmProxy) -> None:
    result = run("inference_chat", url=litellm_proxy.url, api_key=litellm_proxy.key, model="gpt-4o", prompt="Hello")
    assert result["changed"] is False
    assert result["completion"]["text"] == litellm_proxy.replies["gpt-4o"]
    assert result["completion"]["complete"]
    assert result["completion"]["usage"] == {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}


def test_inference_chat_checks_a_structured_answer(litellm_proxy: LitellmProxy) -> None:
    def ask(kind: str) -> dict[str, Any]:
        schema = {"type": "object", "properties": {"answer": {"type": kind}}, "required": ["answer"]}
        options = {"model": "gpt-4o-mini", "prompt": "What is the answer?", "response_schema": schema}
        return run("inference_chat", url=litellm_proxy.url, api_key=litellm_proxy.key, **options)

    assert ask("integer")["completion"]["data"] == {"answer": 42}
    assert "not as 'response_schema' wants it" in ask("string")["msg"]


def test_a_wrong_key_and_an_unknown_model_are_errors(litellm_proxy: LitellmProxy) -> None:
    wrong = run("inference_model_info", url=litellm_proxy.url, api_key="sk-wr0ng-key")
    assert wrong["failed"]
    assert "sk-wr0ng-key" not in wrong["msg"]
    unknown = run("inference_chat", url=litellm_proxy.url, api_key=litellm_proxy.key, model="nothing", prompt="Hello")
    assert unknown["failed"]
    assert "nothing" in unknown["msg"]


def test_a_throttled_model_is_asked_again_and_then_given_up(litellm_proxy: LitellmProxy) -> None:
    options = {"model": litellm_proxy.throttled, "prompt": "Hello", "retries": 1}
    result = run("inference_chat", url=litellm_proxy.url, api_key=litellm_proxy.key, **options)
    assert "429" in result["msg"]
    assert "1 request(s) had to be repeated" in result["warnings"][0]
