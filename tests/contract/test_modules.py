# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules work with independent servers: Hudson 1.395, Debian's docker-registry and litellm's proxy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.buildworks.toolchain.plugins.lookup.ci_crumb import LookupModule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images.image_promotion import (
    ImagePromotion,
)
from sandbox import client
from support.playbook import run_ansible
from support.running import run
from support.servers.docker_registry import (
    LIST_TYPE,
    MANIFEST_TYPE,
    OCI_INDEX_TYPE,
    OCI_MANIFEST_TYPE,
    DockerRegistry,
)
from support.servers.docker_registry import docker_registry as another_docker_registry
from support.servers.hudson import Hudson
from support.servers.litellm_proxy import LitellmProxy
from support.servers.process import UnavailableError

# --- Jenkins modules: Hudson 1.395


@pytest.fixture(scope="module")
def hudson(hudson_server: Hudson) -> Hudson:
    return hudson_server


def admin_login(server: Hudson) -> dict[str, Any]:
    return {"url": server.url, "username": server.admin.username, "password": server.admin.password}


def reader_login(server: Hudson) -> dict[str, Any]:
    return {"url": server.url, "username": server.reader.username, "password": server.reader.password}


def test_ci_info_reports_hudson(hudson: Hudson) -> None:
    result = run("ci_info", **admin_login(hudson))
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


def test_message_distinguishes_a_wrong_password_from_a_missing_permission(hudson: Hudson) -> None:
    wrong = run("ci_safe_restart", **{**admin_login(hudson), "password": "wr0ng-password"})
    assert "401" in wrong["msg"]
    assert "Check the user name and the password" in wrong["msg"]
    denied = run("ci_safe_restart", **reader_login(hudson))
    assert "403" in denied["msg"]
    assert "reader is missing the Administer permission" in denied["msg"]
    assert not (wrong["changed"] or denied["changed"])


def test_ci_plugin_info_fails_when_the_server_lists_no_plugins(hudson: Hudson) -> None:
    result = run("ci_plugin_info", **admin_login(hudson))
    assert result["failed"]
    assert "the server does not provide the list" in result["msg"]


def test_only_if_required_fails_when_the_server_does_not_report_pending_restarts(hudson: Hudson) -> None:
    result = run("ci_safe_restart", only_if_required=True, **admin_login(hudson))
    assert "does not report whether a restart is pending" in result["msg"]


def test_ci_safe_restart_waits_for_builds_and_verifies_the_restart(hudson: Hudson, tmp_path: Path) -> None:
    end = tmp_path / "end"
    hudson.create_job("slow", f"while test ! -e {end}; do sleep 0.2; done")
    number = hudson.start_build("slow")
    lines: list[str] = []

    def record_line(line: str) -> None:
        lines.append(line)
        if "1 build(s) are still running" in line:
            end.touch()

    predicted = run("ci_safe_restart", check_mode=True, **admin_login(hudson))
    result = run("ci_safe_restart", wait_timeout=300, display=record_line, **admin_login(hudson))
    assert not result.get("failed"), result["msg"]
    assert predicted["plan"] == result["plan"]
    assert [build["number"] for build in result["plan"]["running_builds"]] == [number]
    assert result["restart"] == {
        "completed": True,
        "requested_by": "this task",
        "session_before": None,
        "session_after": None,
    }
    assert any("1 build(s) are still running" in line for line in lines)
    assert any("the server returns 503" in line or "the server is down" in line for line in lines)
    assert hudson.build("slow", number)["result"] == "SUCCESS"
    assert run("ci_info", **admin_login(hudson))["server"]["version"] == "1.395"


def test_ci_restart_kills_builds_only_when_requested(hudson: Hudson) -> None:
    hudson.create_sleeping_job("endless", 600)
    number = hudson.start_build("endless")
    refused = run("ci_restart", **admin_login(hudson))
    assert refused["msg"].startswith(f"Jenkins was not restarted: this would kill endless #{number}. ")
    assert hudson.build("endless", number)["building"]
    predicted = run("ci_restart", kill_builds=True, check_mode=True, **admin_login(hudson))
    result = run("ci_restart", kill_builds=True, wait_timeout=300, **admin_login(hudson))
    assert not result.get("failed"), result["msg"]
    assert predicted["plan"] == result["plan"] == refused["plan"]
    assert result["restart"]["completed"]
    assert not run("ci_quiet_down", state="absent", **admin_login(hudson))["changed"]
    running = run("ci_restart", check_mode=True, **admin_login(hudson))
    assert running["plan"]["running_builds"] == []


def test_ci_quiet_down_waits_for_builds_and_verifies_the_mode(hudson: Hudson) -> None:
    hudson.create_sleeping_job("short", 3)
    number = hudson.start_build("short")
    started = run("ci_quiet_down", reason="Disks", wait_timeout=300, **admin_login(hudson))
    assert started == {"changed": True, "quiet_down": {}, "running_builds": [], "hidden_builds": 0}
    assert hudson.build("short", number)["result"] == "SUCCESS"
    assert not run("ci_quiet_down", wait=False, **admin_login(hudson))["changed"]
    ended = run("ci_quiet_down", state="absent", **admin_login(hudson))
    assert (ended["changed"], ended["quiet_down"]) == (True, None)
    assert not run("ci_quiet_down", state="absent", **admin_login(hudson))["changed"]


def test_ci_crumb_returns_the_header_of_the_server(hudson: Hudson) -> None:
    lookup = LookupModule(loader=DataLoader(), templar=Templar(loader=DataLoader()))
    (header,) = lookup.run([], **admin_login(hudson), **{"as": "header"})
    with hudson.session(hudson.admin) as session:
        query = {"xpath": 'concat(//crumbRequestField,":",//crumb)'}
        assert session.get(f"{hudson.url}/crumbIssuer/api/xml", params=query).text == header
    assert header.startswith(".crumb:")


def test_ci_script_works_with_old_groovy(hudson: Hudson) -> None:
    arguments = {
        "quotes": 'it\'s "so" $x ${y} \\ \r\n\t',
        "text": "é💚",
        "list": [1, -(2**40), 2**70, 1.5, True, None, {"": {}}],
    }
    script = (
        "import hudson.model.*\nclass Twice { def of(x) { x + x } }\nprintln 'ünd'\nreturn [args, new Twice().of(21)]"
    )
    for console in ({}, {"node": "(master)"}):
        result = run("ci_script", **admin_login(hudson), script=script, args=arguments, **console)
        assert (result["changed"], result["output"], result["value"]) == (True, "ünd\n", [arguments, 42])


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("\nthrow new IOException('no\\nway')", "The script failed in line 2: IOException: no."),
        ("def i = 1\nassert i == 2 : 'so it is'", "The script failed in line 2: the assertion is false: so it is."),
        ("x = 1\ndef (", "The script does not compile and was not run. Error in line 2: unexpected token: "),
        ("nowhere", "The script failed in line 1: MissingPropertyException: No such property: nowhere"),
    ],
)
def test_ci_script_summarizes_stack_traces(hudson: Hudson, script: str, message: str) -> None:
    result = run("ci_script", **admin_login(hudson), script=script)
    assert result["failed"]
    assert result["msg"].startswith(message)


def test_ci_script_changes_only_what_unless_does_not_find(hudson: Hudson) -> None:
    options = {
        "script": "hudson.model.Hudson.instance.numExecutors = args.n; [changed: true]",
        "unless": "hudson.model.Hudson.instance.numExecutors == args.n",
        "args": {"n": 3},
    }
    assert run("ci_script", **admin_login(hudson), **options, check_mode=True)["changed"]
    assert run("ci_script", **admin_login(hudson), **options)["changed"]
    assert run("ci_script", **admin_login(hudson), **options)["plan"] is None
    assert run("ci_script", **admin_login(hudson), **{**options, "args": {"n": 2}})["changed"]


def test_ci_script_fails_when_the_permission_is_missing(hudson: Hudson) -> None:
    result = run("ci_script", **reader_login(hudson), script="1")
    assert "reader is missing the Administer permission" in result["msg"]
    assert not result["changed"]


# --- Container images: docker-registry 2.8.2


@pytest.fixture(scope="module")
def registry() -> Iterator[DockerRegistry]:
    """Start a separate registry with images."""
    try:
        with another_docker_registry("images") as running:
            for image in ("acme/web", "acme/worker", "zebra"):
                for tag in ("1.0", "1.1", "2.0", "latest"):
                    running.push(image, tag)
            yield running
    except UnavailableError as reason:
        pytest.skip(f"CANNOT RUN HERE: {reason}")


@pytest.mark.parametrize("page_size", [1, 2, 3, 1000])
def test_artifact_image_info_reads_all_pages(registry: DockerRegistry, page_size: int) -> None:
    result = run("artifact_image_info", url=registry.url, repo=registry.repository, page_size=page_size)
    assert result == {"changed": False, "images": ["acme/web", "acme/worker", "zebra"]}


@pytest.mark.parametrize("page_size", [1, 1000])
def test_artifact_image_info_lists_tags(registry: DockerRegistry, page_size: int) -> None:
    result = run(
        "artifact_image_info", url=registry.url, repo=registry.repository, image="acme/web", page_size=page_size
    )
    assert result == {"changed": False, "tags": ["1.0", "1.1", "2.0", "latest"]}


def test_artifact_image_info_fails_when_the_image_does_not_exist(registry: DockerRegistry) -> None:
    result = run("artifact_image_info", url=registry.url, repo=registry.repository, image="acme/nothing")
    assert "404 repository name not known to registry. It may also be hidden from this account." in result["msg"]


@pytest.fixture(scope="module")
def kinds() -> Iterator[DockerRegistry]:
    """Start a registry for manifests of all kinds."""
    try:
        with another_docker_registry("images") as running:
            yield running
    except UnavailableError as reason:
        pytest.skip(f"CANNOT RUN HERE: {reason}")


KINDS = [MANIFEST_TYPE, OCI_MANIFEST_TYPE, LIST_TYPE, OCI_INDEX_TYPE]


def predict_promotion(registry: DockerRegistry, **options: Any) -> dict[str, Any]:
    """Return what check mode predicts for a promotion within the repository, based on the manifests alone.

    The registry has no queries for folders and no repository settings.
    """
    location = {"url": registry.url, "repo": registry.repository, "target_repo": registry.repository, "copy": True}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ImagePromotion, "_check_folders", lambda _promotion, _tags: None)
        patch.setattr(ImagePromotion, "predict_refusal", lambda _promotion: {})
        return run("artifact_image_promotion", check_mode=True, **location, **options)


@pytest.fixture(scope="module", params=KINDS, ids=["docker", "oci", "docker-list", "oci-index"])
def image(request: pytest.FixtureRequest, kinds: DockerRegistry) -> dict[str, str]:
    """Return the kind, name and digest of an image. The digest of a multi-platform image is that of its list."""
    kind = request.param
    name = f"kinds/{KINDS.index(kind)}"
    is_list = kind in (LIST_TYPE, OCI_INDEX_TYPE)
    digest = kinds.push_list(name, "1.0", kind) if is_list else kinds.push(name, "1.0", kind)
    return {"kind": kind, "name": name, "digest": digest}


def test_predicted_digest_is_that_of_the_server(kinds: DockerRegistry, image: dict[str, str]) -> None:
    result = predict_promotion(kinds, image=image["name"], tag="1.0", target_image="kinds/other")
    (tag,) = result["plan"]["first"]
    assert tag == {"action": "copy", "tag": "1.0", "target_tag": "1.0", "digest": image["digest"], "replaces": None}


def test_promotion_compares_manifests(kinds: DockerRegistry, image: dict[str, str]) -> None:
    kinds.tag(image["name"], "1.0", "same", image["kind"])
    options = {"image": image["name"], "tag": "1.0"}
    assert predict_promotion(kinds, target_tag="same", **options)["changed"] is False
    other = kinds.push(image["name"], "other")
    (tag,) = predict_promotion(kinds, target_tag="other", **options)["plan"]["first"]
    assert (tag["digest"], tag["replaces"]) == (image["digest"], other)


def test_all_tags_are_compared_when_no_tag_is_selected(registry: DockerRegistry) -> None:
    tags = predict_promotion(registry, image="acme/web", target_image="acme/worker")["plan"]["first"]
    assert [tag["tag"] for tag in tags] == ["1.0", "1.1", "2.0", "latest"]
    assert len({tag["digest"] for tag in tags} | {tag["replaces"] for tag in tags}) == 8


@pytest.mark.parametrize("options", [{"image": "acme/web", "tag": "none"}, {"image": "acme/none", "tag": "1.0"}])
def test_promotion_fails_when_the_manifest_does_not_exist(registry: DockerRegistry, options: dict[str, str]) -> None:
    result = predict_promotion(registry, target_image="kinds/other", **options)
    assert f"Image '{options['image']}:{options['tag']}' does not exist in repository 'images'" in result["msg"]


# --- Inference: litellm's proxy


def test_inference_model_info_lists_models(litellm_proxy: LitellmProxy) -> None:
    result = run("inference_model_info", url=litellm_proxy.url, api_key=litellm_proxy.key, pattern="gpt*")
    assert [model["id"] for model in result["models"]] == ["gpt-4o", "gpt-4o-mini"]
    assert all(model["created_at"].endswith("Z") for model in result["models"])


def test_snapshot_has_models_when_the_server_has_no_administration_api(
    litellm_proxy: LitellmProxy, tmp_path: Path
) -> None:
    inventory, values, folder = tmp_path / "hosts.ini", tmp_path / "values.json", tmp_path / "snapshot"
    inventory.write_text("[inference]\nlitellm\n")
    variables = {"toolchain_inference_url": litellm_proxy.url, "toolchain_inference_api_key": litellm_proxy.key}
    values.write_text(json.dumps({**variables, "snapshot_folder": str(folder)}))
    output, succeeded = run_ansible(["buildworks.toolchain.snapshot", "-i", inventory, "-e", f"@{values}"])
    assert succeeded, output
    manifest = (folder / "inference" / "manifest.json").read_text()
    assert litellm_proxy.key not in manifest
    lists = ["model_limits", "organizations", "projects", "users", "invites", "admin_keys", "rate_limits", "user_keys"]
    assert [skipped["list"] for skipped in json.loads(manifest)["skipped_lists"]] == lists
    with client.start(seed=folder) as rehearsal:
        models = {model["id"] for model in rehearsal.state()["inference"]["models"]["rows"]}
    assert models >= {*litellm_proxy.replies, litellm_proxy.throttled}


def test_inference_chat_returns_a_response(litellm_proxy: LitellmProxy) -> None:
    result = run("inference_chat", url=litellm_proxy.url, api_key=litellm_proxy.key, model="gpt-4o", prompt="Hello")
    assert result["changed"] is False
    assert result["completion"]["text"] == litellm_proxy.replies["gpt-4o"]
    assert result["completion"]["complete"]
    assert result["completion"]["usage"] == {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}


def test_inference_chat_validates_a_structured_response(litellm_proxy: LitellmProxy) -> None:
    def run_chat(kind: str) -> dict[str, Any]:
        properties = {"answer": {"type": kind}}
        schema = {"type": "object", "properties": properties, "required": ["answer"], "additionalProperties": False}
        options = {"model": "gpt-4o-mini", "prompt": "What is the answer?", "response_schema": schema}
        return run("inference_chat", url=litellm_proxy.url, api_key=litellm_proxy.key, **options)

    assert run_chat("integer")["completion"]["data"] == {"answer": 42}
    assert "does not match 'response_schema'" in run_chat("string")["msg"]


def run_with_litellm(proxy: LitellmProxy, module: str = "inference_chat", **options: Any) -> dict[str, Any]:
    result = run(module, url=proxy.url, api_key=proxy.key, **{"model": "gpt-4o", **options})
    assert not result.get("failed"), result["msg"]
    return result


def test_inference_chat_streams_a_response(litellm_proxy: LitellmProxy) -> None:
    completion = run_with_litellm(litellm_proxy, prompt="Hello", stream=True)["completion"]
    assert (completion["text"], completion["complete"]) == (litellm_proxy.replies["gpt-4o"], True)
    assert completion["usage"]["completion_tokens"] > 0
    alternatives = run_with_litellm(litellm_proxy, prompt="Hello", n=2)["completion"]["alternatives"]
    assert [choice["text"] for choice in alternatives] == [completion["text"]]


def test_inference_chat_returns_function_calls(litellm_proxy: LitellmProxy) -> None:
    tools = [{"name": "list_builds", "parameters": {"type": "object"}}]
    response = run_with_litellm(litellm_proxy, model="calling", prompt="Which builds failed?", tools=tools)[
        "completion"
    ]
    assert response["tool_calls"] == [{"id": "call_1", "name": "list_builds", "arguments": {"job": "web"}}]
    messages = [
        {"role": "user", "content": "Which builds failed?"},
        {"role": "assistant", "tool_calls": response["tool_calls"]},
        {"role": "tool", "tool_call_id": "call_1", "content": "[17]"},
    ]
    assert run_with_litellm(litellm_proxy, messages=messages, tools=tools)["completion"]["complete"]


def test_inference_chat_batch_sends_prompts_to_several_models(litellm_proxy: LitellmProxy, tmp_path: Path) -> None:
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "integer"}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    prompts: list[dict[str, Any]] = [{"id": str(number), "prompt": f"Prompt {number}"} for number in range(20)]
    prompts[5:7] = [
        {"prompt": "The answer?", "model": "gpt-4o-mini", "response_schema": schema},
        {"prompt": "No JSON", "response_schema": schema},
    ]
    prompts.append({"prompt": "Too fast", "model": litellm_proxy.throttled})
    options = {"prompts": prompts, "to_file": str(tmp_path / "answers"), "on_error": "report", "retries": 0}
    result = run_with_litellm(litellm_proxy, "inference_chat_batch", **options)
    assert result["summary"] == {"answered": 19, "refused": 0, "truncated": 0, "mismatched": 1, "failed": 1}
    assert result["usage"]["total_tokens"] == 20 * 30
    lines = [json.loads(line) for line in (tmp_path / "answers").read_text().splitlines()]
    assert [line["index"] for line in lines] == list(range(21))
    assert (lines[0]["text"], lines[5]["data"]) == (litellm_proxy.replies["gpt-4o"], {"answer": 42})
    again = run_with_litellm(litellm_proxy, "inference_chat_batch", **options)
    assert (again["reused"], again["summary"]) == (20, result["summary"])


def test_task_fails_when_key_or_model_is_unknown(litellm_proxy: LitellmProxy) -> None:
    wrong = run("inference_model_info", url=litellm_proxy.url, api_key="sk-wr0ng-key")
    assert wrong["failed"]
    assert "sk-wr0ng-key" not in wrong["msg"]
    unknown = run("inference_chat", url=litellm_proxy.url, api_key=litellm_proxy.key, model="nothing", prompt="Hello")
    assert unknown["failed"]
    assert "nothing" in unknown["msg"]


def test_task_fails_after_retries_when_a_model_is_rate_limited(litellm_proxy: LitellmProxy) -> None:
    options = {"model": litellm_proxy.throttled, "prompt": "Hello", "retries": 1}
    result = run("inference_chat", url=litellm_proxy.url, api_key=litellm_proxy.key, **options)
    assert "429" in result["msg"]
    assert "1 request(s) were retried" in result["warnings"][0]
