# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The independent servers behave as the tests of the modules assume."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from build_folder import fill_once
from support.servers.docker_registry import DockerRegistry
from support.servers.docker_registry import docker_registry as another_docker_registry
from support.servers.hudson import Hudson
from support.servers.hudson import hudson as another_hudson
from support.servers.litellm_proxy import LitellmProxy
from support.servers.process import UnavailableError, direct_session, free_port, run_server, wait_for

MANIFEST = "application/vnd.docker.distribution.manifest.v2+json"


@pytest.fixture(scope="module")
def http() -> Iterator[requests.Session]:
    with direct_session() as session:
        yield session


# --- Hudson


def test_hudson_reports_its_version_but_no_session_id(hudson_server: Hudson):
    page = hudson_server.session(hudson_server.admin).get(f"{hudson_server.url}/")
    assert page.status_code == 200
    assert page.headers["X-Hudson"] == "1.395"
    assert not [name for name in page.headers if "jenkins" in name.lower() or name.lower() == "x-hudson-session"]


def test_hudson_returns_json_as_javascript(hudson_server: Hudson):
    response = hudson_server.session(hudson_server.reader).get(f"{hudson_server.url}/api/json")
    assert response.headers["Content-Type"] == "application/javascript;charset=UTF-8"
    assert "X-Hudson" not in response.headers
    server = response.json()
    assert server["useSecurity"] is True
    assert server["useCrumbs"] is True
    assert "quietingDown" not in server
    assert "_class" not in server


def test_hudson_distinguishes_a_wrong_password_from_a_missing_one(hudson_server: Hudson, http: requests.Session):
    wrong = http.get(f"{hudson_server.url}/api/json", auth=(hudson_server.admin.username, "wrong"))
    assert wrong.status_code == 401
    assert wrong.headers["WWW-Authenticate"] == 'Basic realm="Hudson"'
    none = http.get(f"{hudson_server.url}/api/json")
    assert none.status_code == 403
    assert "WWW-Authenticate" not in none.headers


def test_hudson_distinguishes_a_missing_permission_from_a_missing_crumb(hudson_server: Hudson, http: requests.Session):
    reader = hudson_server.session(hudson_server.reader)
    refused = reader.post(f"{hudson_server.url}/safeRestart", allow_redirects=False)
    assert refused.status_code == 403
    assert "reader is missing the Administer permission" in refused.text
    admin = (hudson_server.admin.username, hudson_server.admin.password)
    without = http.post(f"{hudson_server.url}/quietDown", auth=admin, allow_redirects=False)
    assert without.status_code == 403
    assert "No valid crumb was included in the request" in without.text


def test_crumb_field_of_hudson_starts_with_a_dot(hudson_server: Hudson, http: requests.Session):
    admin = (hudson_server.admin.username, hudson_server.admin.password)
    crumb = http.get(f"{hudson_server.url}/crumbIssuer/api/json", auth=admin).json()
    assert crumb["crumbRequestField"] == ".crumb"


@pytest.mark.parametrize("path", ["pluginManager/api/json?depth=1", "whoAmI/api/json", "updateCenter/api/json"])
def test_hudson_lacks_later_endpoints(hudson_server: Hudson, path: str):
    assert hudson_server.session(hudson_server.admin).get(f"{hudson_server.url}/{path}").status_code == 404


def test_hudson_stops_builds(hudson_server: Hudson):
    hudson_server.create_sleeping_job("long", seconds=600)
    number = hudson_server.start_build("long")
    assert number == 1
    running_build = hudson_server.build("long", number)
    assert (running_build["building"], running_build["result"]) == (True, None)
    admin = hudson_server.session(hudson_server.admin)
    stop = admin.post(f"{hudson_server.url}/job/long/{number}/stop", allow_redirects=False)
    assert stop.status_code == 302
    assert hudson_server.wait_for_build("long", number) == "ABORTED"


def test_hudson_completes_builds(hudson_server: Hudson):
    hudson_server.create_sleeping_job("short", seconds=1)
    assert hudson_server.wait_for_build("short", hudson_server.start_build("short")) == "SUCCESS"


def test_hudson_builds_do_not_inherit_passwords(hudson_server: Hudson):
    environment = Path(f"/proc/{hudson_server.pid}/environ").read_text()
    assert f"HUDSON_HOME={hudson_server.home}" in environment
    for user in (hudson_server.admin, hudson_server.reader):
        assert user.password not in environment


def test_hudson_runs_without_users_and_crumbs(open_hudson: Hudson, http: requests.Session):
    assert http.get(f"{open_hudson.url}/crumbIssuer/api/json").status_code == 404
    assert http.get(f"{open_hudson.url}/api/json", auth=("anybody", "at all")).status_code == 200
    open_hudson.create_sleeping_job("short", seconds=0)
    assert open_hudson.start_build("short") == 1


# --- Debian's docker-registry


@pytest.fixture(scope="module")
def filled_registry(docker_registry: DockerRegistry) -> Iterator[DockerRegistry]:
    """Start a separate registry with images, because other tests may push to the shared one."""
    with another_docker_registry("images") as registry:
        for image in ("a", "a/b", "a-b", "base"):
            for tag in ("1.0.0", "1.10.0", "latest"):
                registry.push(image, tag)
        yield registry


def get(registry: DockerRegistry, path: str) -> requests.Response:
    with direct_session() as session:
        return session.get(registry.api + path)


def test_registry_uses_the_paths_of_artifactory(docker_registry: DockerRegistry):
    assert docker_registry.api == f"{docker_registry.url}/artifactory/api/docker/docker-local/v2"
    response = get(docker_registry, "/")
    assert (response.status_code, response.json()) == (200, {})
    assert response.headers["Docker-Distribution-Api-Version"] == "registry/2.0"


@pytest.mark.parametrize(
    ("query", "names", "link"),
    [
        ("", ["a", "a/b", "a-b", "base"], None),
        ("?n=2", ["a", "a/b"], "last=a%2Fb&n=2"),
        ("?n=2&last=a/b", ["a-b", "base"], None),
        ("?n=2&last=a%2Fb", ["a-b", "base"], None),
        ("?n=1&last=a/a", ["a/b"], "last=a%2Fb&n=1"),
        ("?last=a-b", ["base"], None),
        ("?n=2&last=x", [], None),
        ("?n=4", ["a", "a/b", "a-b", "base"], None),
        ("?n=0", [], None),
        ("?n=-1", ["a", "a/b", "a-b", "base"], None),
        ("?n=two", ["a", "a/b", "a-b", "base"], None),
    ],
)
def test_registry_pages_its_catalog(filled_registry: DockerRegistry, query: str, names: list[str], link: str | None):
    response = get(filled_registry, f"/_catalog{query}")
    assert response.json() == {"repositories": names}
    expected = f'</artifactory/api/docker/images/v2/_catalog?{link}>; rel="next"' if link else None
    assert response.headers.get("Link") == expected


@pytest.mark.parametrize("query", ["", "?n=2", "?n=2&last=latest"])
@pytest.mark.parametrize("image", ["a/b", "a%2Fb"])
def test_registry_does_not_page_tags(filled_registry: DockerRegistry, image: str, query: str):
    response = get(filled_registry, f"/{image}/tags/list{query}")
    assert response.json()["name"] == "a/b"
    assert sorted(response.json()["tags"]) == ["1.0.0", "1.10.0", "latest"]
    assert "Link" not in response.headers


def test_registry_returns_404_when_an_image_does_not_exist(filled_registry: DockerRegistry):
    response = get(filled_registry, "/no/such/tags/list")
    assert response.status_code == 404
    (error,) = response.json()["errors"]
    assert (error["code"], error["detail"]) == ("NAME_UNKNOWN", {"name": "no/such"})


def test_registry_returns_plain_text_when_a_path_is_invalid(filled_registry: DockerRegistry):
    for url in (
        f"{filled_registry.api}/Upper/tags/list",
        f"{filled_registry.url}/artifactory/api/docker/other/v2/_catalog",
    ):
        with direct_session() as session:
            response = session.get(url)
        assert (response.status_code, response.text) == (404, "404 page not found\n")


def test_registry_lists_images_without_tags(http: requests.Session):
    with another_docker_registry() as registry:
        digest = registry.push("acme/web", "1.0.0")
        head = http.head(f"{registry.api}/acme/web/manifests/1.0.0", headers={"Accept": MANIFEST})
        assert head.headers["Docker-Content-Digest"] == digest
        assert http.delete(f"{registry.api}/acme/web/manifests/{digest}").status_code == 202
        assert get(registry, "/acme/web/tags/list").json() == {"name": "acme/web", "tags": None}
        assert get(registry, "/_catalog").json() == {"repositories": ["acme/web"]}


def test_digests_differ_by_image_and_tag(filled_registry: DockerRegistry):
    digests = {filled_registry.push(image, tag) for image in ("a", "base") for tag in ("1.0.0", "latest")}
    assert len(digests) == 4


# --- litellm's proxy


def complete(proxy: LitellmProxy, key: str | None = None, **body: Any) -> requests.Response:
    with direct_session() as session:
        headers = {"Authorization": f"Bearer {key or proxy.key}"}
        return session.post(f"{proxy.url}/chat/completions", json=body, headers=headers)


QUESTION = [{"role": "user", "content": "Hello?"}]


def test_litellm_lists_its_models(litellm_proxy: LitellmProxy, http: requests.Session):
    response = http.get(f"{litellm_proxy.url}/models", headers={"Authorization": f"Bearer {litellm_proxy.key}"})
    assert response.json() == {
        "object": "list",
        "data": [
            {"id": model, "object": "model", "created": 1677610602, "owned_by": "openai"}
            for model in ("gpt-4o", "gpt-4o-mini", "throttled", "calling")
        ],
    }


def test_litellm_returns_404_when_a_model_does_not_exist(litellm_proxy: LitellmProxy, http: requests.Session):
    headers = {"Authorization": f"Bearer {litellm_proxy.key}"}
    assert http.get(f"{litellm_proxy.url}/models/gpt-4o", headers=headers).json()["id"] == "gpt-4o"
    unknown = http.get(f"{litellm_proxy.url}/models/none", headers=headers)
    assert (unknown.status_code, list(unknown.json())) == (404, ["detail"])


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4o-mini"])
def test_litellm_completes_chats(litellm_proxy: LitellmProxy, model: str):
    response = complete(litellm_proxy, model=model, messages=QUESTION, max_tokens=5, seed=1, temperature=0)
    assert response.status_code == 200
    assert response.headers["x-litellm-call-id"]
    assert "x-request-id" not in response.headers
    completion = response.json()
    assert (completion["object"], completion["model"]) == ("chat.completion", model)
    assert completion["choices"] == [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": litellm_proxy.replies[model]},
        }
    ]
    assert completion["usage"] == {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}


def test_litellm_accepts_a_response_schema(litellm_proxy: LitellmProxy):
    schema = {"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"]}
    form = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    response = complete(litellm_proxy, model="gpt-4o-mini", messages=QUESTION, response_format=form)
    assert response.json()["choices"][0]["message"]["content"] == '{"answer": 42}'


def test_litellm_returns_errors(litellm_proxy: LitellmProxy, http: requests.Session):
    keyless = http.get(f"{litellm_proxy.url}/models")
    wrong_key = complete(litellm_proxy, key="sk-wrong", model="gpt-4o", messages=QUESTION)
    unknown_model = complete(litellm_proxy, model="none", messages=QUESTION)
    throttled = complete(litellm_proxy, model=litellm_proxy.throttled, messages=QUESTION)
    errors = [
        (response.status_code, response.json()["error"]["type"], response.json()["error"]["code"])
        for response in (keyless, wrong_key, unknown_model, throttled)
    ]
    assert errors == [
        (401, "auth_error", "401"),
        (400, "no_db_connection", "400"),
        (400, "None", "400"),
        (429, "throttling_error", "429"),
    ]
    assert "Invalid model name passed in model=none" in unknown_model.json()["error"]["message"]
    assert "Retry-After" not in throttled.headers


# --- All servers


def test_error_contains_the_output_when_a_server_exits_at_once(tmp_path):
    url = f"http://127.0.0.1:{free_port()}/"
    command = ["sh", "-c", "echo no such luck; exit 3"]
    with (
        pytest.raises(RuntimeError, match=r"(?s)ended with status 3.*no such luck"),
        run_server(command, url, tmp_path / "log", timeout=30),
    ):
        pytest.fail("it never responded")


def test_child_processes_are_stopped_with_the_server(tmp_path):
    """Jenkins starts builds, for example."""
    port = free_port()
    alive = tmp_path / "alive"
    child = f"(trap 'rm {alive}; exit' TERM; touch {alive}; sleep 600 & wait) &"
    command = ["sh", "-c", f"{child} exec {sys.executable} -m http.server --bind 127.0.0.1 {port}"]
    with run_server(command, f"http://127.0.0.1:{port}/", tmp_path / "log", timeout=60):
        wait_for(alive.exists, "the child to start")
    wait_for(lambda: not alive.exists(), "the child to end")


@pytest.mark.parametrize("server", [another_hudson, another_docker_registry])
def test_error_names_missing_requirements_when_a_server_cannot_run(monkeypatch, server):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UnavailableError, match=r"(no java|apt-get)\b"), server():
        pytest.fail("it started")


def test_directory_is_filled_once_per_key(tmp_path):
    fills = []

    def fill(folder):
        fills.append(folder)
        (folder / f"fill-{len(fills)}").touch()

    folder = tmp_path / "cache" / "thing"
    assert fill_once(folder, "one", fill) == fill_once(folder, "one", fill) == folder
    assert len(fills) == 1
    fill_once(folder, "two", fill)
    assert sorted(path.name for path in folder.iterdir()) == [".filled", "fill-2"]
