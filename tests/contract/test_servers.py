# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The independent servers behave as our modules' tests take for granted."""

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


def test_hudson_tells_its_version_on_pages_and_has_no_session_id(hudson_server: Hudson):
    page = hudson_server.session(hudson_server.admin).get(f"{hudson_server.url}/")
    assert page.status_code == 200
    assert page.headers["X-Hudson"] == "1.395"
    assert not [name for name in page.headers if "jenkins" in name.lower() or name.lower() == "x-hudson-session"]


def test_hudson_answers_json_as_javascript(hudson_server: Hudson):
    answer = hudson_server.session(hudson_server.reader).get(f"{hudson_server.url}/api/json")
    assert answer.headers["Content-Type"] == "application/javascript;charset=UTF-8"
    assert "X-Hudson" not in answer.headers
    described = answer.json()
    assert described["useSecurity"] is True
    assert described["useCrumbs"] is True
    assert "quietingDown" not in described
    assert "_class" not in described


def test_hudson_tells_a_wrong_password_from_none(hudson_server: Hudson, http: requests.Session):
    wrong = http.get(f"{hudson_server.url}/api/json", auth=(hudson_server.admin.username, "wrong"))
    assert wrong.status_code == 401
    assert wrong.headers["WWW-Authenticate"] == 'Basic realm="Hudson"'
    none = http.get(f"{hudson_server.url}/api/json")
    assert none.status_code == 403
    assert "WWW-Authenticate" not in none.headers


def test_hudson_tells_a_missing_right_from_a_missing_crumb(hudson_server: Hudson, http: requests.Session):
    reader = hudson_server.session(hudson_server.reader)
    refused = reader.post(f"{hudson_server.url}/safeRestart", allow_redirects=False)
    assert refused.status_code == 403
    assert "reader is missing the Administer permission" in refused.text
    admin = (hudson_server.admin.username, hudson_server.admin.password)
    without = http.post(f"{hudson_server.url}/quietDown", auth=admin, allow_redirects=False)
    assert without.status_code == 403
    assert "No valid crumb was included in the request" in without.text


def test_hudson_gives_a_crumb_in_a_field_with_a_dot(hudson_server: Hudson, http: requests.Session):
    admin = (hudson_server.admin.username, hudson_server.admin.password)
    crumb = http.get(f"{hudson_server.url}/crumbIssuer/api/json", auth=admin).json()
    assert crumb["crumbRequestField"] == ".crumb"


@pytest.mark.parametrize("path", ["pluginManager/api/json?depth=1", "whoAmI/api/json", "updateCenter/api/json"])
def test_hudson_lacks_what_came_later(hudson_server: Hudson, path: str):
    assert hudson_server.session(hudson_server.admin).get(f"{hudson_server.url}/{path}").status_code == 404


def test_hudson_runs_builds_that_can_be_stopped(hudson_server: Hudson):
    hudson_server.create_sleeping_job("long", seconds=600)
    number = hudson_server.start_build("long")
    assert number == 1
    running_build = hudson_server.build("long", number)
    assert (running_build["building"], running_build["result"]) == (True, None)
    admin = hudson_server.session(hudson_server.admin)
    stop = admin.post(f"{hudson_server.url}/job/long/{number}/stop", allow_redirects=False)
    assert stop.status_code == 302
    assert hudson_server.wait_for_build("long", number) == "ABORTED"


def test_hudson_runs_builds_to_their_end(hudson_server: Hudson):
    hudson_server.create_sleeping_job("short", seconds=1)
    assert hudson_server.wait_for_build("short", hudson_server.start_build("short")) == "SUCCESS"


def test_hudson_builds_do_not_see_the_passwords(hudson_server: Hudson):
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
def stocked(docker_registry: DockerRegistry) -> Iterator[DockerRegistry]:
    """A registry of our own, since others may push to the shared one."""
    with another_docker_registry("images") as registry:
        for image in ("a", "a/b", "a-b", "base"):
            for tag in ("1.0.0", "1.10.0", "latest"):
                registry.push(image, tag)
        yield registry


def get(registry: DockerRegistry, path: str) -> requests.Response:
    with direct_session() as session:
        return session.get(registry.api + path)


def test_the_shared_registry_answers_at_the_paths_of_artifactory(docker_registry: DockerRegistry):
    assert docker_registry.api == f"{docker_registry.url}/artifactory/api/docker/docker-local/v2"
    answer = get(docker_registry, "/")
    assert (answer.status_code, answer.json()) == (200, {})
    assert answer.headers["Docker-Distribution-Api-Version"] == "registry/2.0"


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
def test_the_registry_pages_its_catalog(stocked: DockerRegistry, query: str, names: list[str], link: str | None):
    answer = get(stocked, f"/_catalog{query}")
    assert answer.json() == {"repositories": names}
    expected = f'</artifactory/api/docker/images/v2/_catalog?{link}>; rel="next"' if link else None
    assert answer.headers.get("Link") == expected


@pytest.mark.parametrize("query", ["", "?n=2", "?n=2&last=latest"])
@pytest.mark.parametrize("image", ["a/b", "a%2Fb"])
def test_the_registry_does_not_page_tags(stocked: DockerRegistry, image: str, query: str):
    answer = get(stocked, f"/{image}/tags/list{query}")
    assert answer.json()["name"] == "a/b"
    assert sorted(answer.json()["tags"]) == ["1.0.0", "1.10.0", "latest"]
    assert "Link" not in answer.headers


def test_the_registry_knows_no_such_image(stocked: DockerRegistry):
    answer = get(stocked, "/no/such/tags/list")
    assert answer.status_code == 404
    (error,) = answer.json()["errors"]
    assert (error["code"], error["detail"]) == ("NAME_UNKNOWN", {"name": "no/such"})


def test_the_registry_answers_in_plain_text_to_what_it_cannot_route(stocked: DockerRegistry):
    for url in (f"{stocked.api}/Upper/tags/list", f"{stocked.url}/artifactory/api/docker/other/v2/_catalog"):
        with direct_session() as session:
            answer = session.get(url)
        assert (answer.status_code, answer.text) == (404, "404 page not found\n")


def test_an_image_without_tags_stays_listed(http: requests.Session):
    with another_docker_registry() as registry:
        digest = registry.push("acme/web", "1.0.0")
        head = http.head(f"{registry.api}/acme/web/manifests/1.0.0", headers={"Accept": MANIFEST})
        assert head.headers["Docker-Content-Digest"] == digest
        assert http.delete(f"{registry.api}/acme/web/manifests/{digest}").status_code == 202
        assert get(registry, "/acme/web/tags/list").json() == {"name": "acme/web", "tags": None}
        assert get(registry, "/_catalog").json() == {"repositories": ["acme/web"]}


def test_images_differ_by_name_and_tag(stocked: DockerRegistry):
    digests = {stocked.push(image, tag) for image in ("a", "base") for tag in ("1.0.0", "latest")}
    assert len(digests) == 4


# --- litellm's proxy


def ask(proxy: LitellmProxy, key: str | None = None, **body: Any) -> requests.Response:
    with direct_session() as session:
        headers = {"Authorization": f"Bearer {key or proxy.key}"}
        return session.post(f"{proxy.url}/chat/completions", json=body, headers=headers)


QUESTION = [{"role": "user", "content": "Hello?"}]


def test_litellm_lists_its_models(litellm_proxy: LitellmProxy, http: requests.Session):
    answer = http.get(f"{litellm_proxy.url}/models", headers={"Authorization": f"Bearer {litellm_proxy.key}"})
    assert answer.json() == {
        "object": "list",
        "data": [
            {"id": model, "object": "model", "created": 1677610602, "owned_by": "openai"}
            for model in ("gpt-4o", "gpt-4o-mini", "throttled", "calling")
        ],
    }


def test_litellm_gives_one_model_or_says_there_is_none(litellm_proxy: LitellmProxy, http: requests.Session):
    headers = {"Authorization": f"Bearer {litellm_proxy.key}"}
    assert http.get(f"{litellm_proxy.url}/models/gpt-4o", headers=headers).json()["id"] == "gpt-4o"
    unknown = http.get(f"{litellm_proxy.url}/models/none", headers=headers)
    assert (unknown.status_code, list(unknown.json())) == (404, ["detail"])


@pytest.mark.parametrize("model", ["gpt-4o", "gpt-4o-mini"])
def test_litellm_chats(litellm_proxy: LitellmProxy, model: str):
    answer = ask(litellm_proxy, model=model, messages=QUESTION, max_tokens=5, seed=1, temperature=0)
    assert answer.status_code == 200
    assert answer.headers["x-litellm-call-id"]
    assert "x-request-id" not in answer.headers
    completion = answer.json()
    assert (completion["object"], completion["model"]) == ("chat.completion", model)
    assert completion["choices"] == [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": litellm_proxy.replies[model]},
        }
    ]
    assert completion["usage"] == {"prompt_tokens": 10, "completion_tokens": 20, "total_tokens": 30}


def test_litellm_takes_a_response_schema(litellm_proxy: LitellmProxy):
    schema = {"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"]}
    form = {"type": "json_schema", "json_schema": {"name": "reply", "schema": schema}}
    answer = ask(litellm_proxy, model="gpt-4o-mini", messages=QUESTION, response_format=form)
    assert answer.json()["choices"][0]["message"]["content"] == '{"answer": 42}'


def test_litellm_errors(litellm_proxy: LitellmProxy, http: requests.Session):
    keyless = http.get(f"{litellm_proxy.url}/models")
    wrong_key = ask(litellm_proxy, key="sk-wrong", model="gpt-4o", messages=QUESTION)
    unknown_model = ask(litellm_proxy, model="none", messages=QUESTION)
    throttled = ask(litellm_proxy, model=litellm_proxy.throttled, messages=QUESTION)
    seen = [
        (answer.status_code, answer.json()["error"]["type"], answer.json()["error"]["code"])
        for answer in (keyless, wrong_key, unknown_model, throttled)
    ]
    assert seen == [
        (401, "auth_error", "401"),
        (400, "no_db_connection", "400"),
        (400, "None", "400"),
        (429, "throttling_error", "429"),
    ]
    assert "Invalid model name passed in model=none" in unknown_model.json()["error"]["message"]
    assert "Retry-After" not in throttled.headers


# --- What they have in common


def test_a_server_that_ends_at_once_is_told_with_its_last_words(tmp_path):
    url = f"http://127.0.0.1:{free_port()}/"
    command = ["sh", "-c", "echo no such luck; exit 3"]
    with (
        pytest.raises(RuntimeError, match=r"(?s)ended with status 3.*no such luck"),
        run_server(command, url, tmp_path / "log", timeout=30),
    ):
        pytest.fail("it never answered")


def test_a_server_ends_with_all_that_it_started(tmp_path):
    """As a CI server does with builds that still run."""
    port = free_port()
    alive = tmp_path / "alive"
    child = f"(trap 'rm {alive}; exit' TERM; touch {alive}; sleep 600 & wait) &"
    command = ["sh", "-c", f"{child} exec {sys.executable} -m http.server --bind 127.0.0.1 {port}"]
    with run_server(command, f"http://127.0.0.1:{port}/", tmp_path / "log", timeout=60):
        wait_for(alive.exists, "the child to start", timeout=30)
    wait_for(lambda: not alive.exists(), "the child to end", timeout=30)


@pytest.mark.parametrize("server", [another_hudson, another_docker_registry])
def test_a_server_that_cannot_run_here_says_what_it_lacks(monkeypatch, server):
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(UnavailableError, match=r"(no java|apt-get)\b"), server():
        pytest.fail("it started")


def test_a_folder_is_filled_once_for_a_key(tmp_path):
    fills = []

    def fill(folder):
        fills.append(folder)
        (folder / f"fill-{len(fills)}").touch()

    folder = tmp_path / "cache" / "thing"
    assert fill_once(folder, "one", fill) == fill_once(folder, "one", fill) == folder
    assert len(fills) == 1
    fill_once(folder, "two", fill)
    assert sorted(path.name for path in folder.iterdir()) == [".filled", "fill-2"]
