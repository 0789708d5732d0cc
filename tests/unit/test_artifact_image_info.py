# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

REGISTRY = "/artifactory/api/docker/docker-local/v2"
TAGS = f"{REGISTRY}/acme/web/tags/list"
VERSION = {"Docker-Distribution-Api-Version": "registry/2.0"}


def tags(query: str, names: list[str] | None, link: str | None = None) -> Call:
    """Return a page of tags, with the link to the next page."""
    headers = {**VERSION, "Link": f'<{link}>; rel="next"'} if link else VERSION
    return call("GET", f"{TAGS}?{query}", json={"name": "acme/web", "tags": names}, headers=headers)


def image(server: Any, **options: Any) -> dict[str, Any]:
    return run("artifact_image_info", url=server.url, repo="docker-local", image="acme/web", **options)


@pytest.mark.parametrize("check_mode", [False, True])
def test_images_are_listed_with_one_request(check_mode: bool) -> None:
    page = call("GET", f"{REGISTRY}/_catalog?n=1000", json={"repositories": ["acme/worker", "acme/web"]})
    with conversation(page) as server:
        result = run("artifact_image_info", url=server.url, repo="docker-local", check_mode=check_mode)
    assert result == {"changed": False, "images": ["acme/web", "acme/worker"]}


def test_tags_are_listed_with_one_request() -> None:
    with conversation(tags("n=1000", ["latest", "1.0.1", "1.0.0"])) as server:
        assert image(server) == {"changed": False, "tags": ["1.0.0", "1.0.1", "latest"]}


@pytest.mark.parametrize(
    "path",
    ["/v2/acme/web/tags/list", "/v2/docker-local/acme/web/tags/list", "https://elsewhere.example.com/v2/x", ""],
)
def test_next_page_uses_only_the_marker_of_the_link(path: str) -> None:
    with conversation(
        tags("n=2", ["1.0.0", "1.0.1"], f"{path}?last=2&n=2"),
        tags("n=2&last=2", ["1.0.2", "1.0.3"], f"{path}?n=2&last=4"),
        tags("n=2&last=4", ["latest"]),
    ) as server:
        assert image(server, page_size=2)["tags"] == ["1.0.0", "1.0.1", "1.0.2", "1.0.3", "latest"]


def test_pages_are_read_when_names_have_special_characters() -> None:
    link = {"Link": '</v2/_catalog?last=acme%2Fweb%20%2B&n=1>; rel="next"'}
    first = call("GET", f"{REGISTRY}/_catalog?n=1", json={"repositories": ["acme/web +"]}, headers=link)
    second = call("GET", f"{REGISTRY}/_catalog?n=1&last=acme%2Fweb%20%2B", json={"repositories": ["zebra"]})
    with conversation(first, second) as server:
        result = run("artifact_image_info", url=server.url, repo="docker-local", page_size=1)
    assert result["images"] == ["acme/web +", "zebra"]


def test_list_ends_when_a_page_is_repeated() -> None:
    again = "/v2/acme/web/tags/list?last=1.0.1&n=2"
    with conversation(
        tags("n=2", ["1.0.0", "1.0.1"], again), tags("n=2&last=1.0.1", ["1.0.0", "1.0.1"], again)
    ) as server:
        assert image(server, page_size=2)["tags"] == ["1.0.0", "1.0.1"]


def test_each_tag_is_returned_once_when_pages_overlap() -> None:
    with conversation(
        tags("n=2", ["a", "b"], "/v2/acme/web/tags/list?last=b&n=2"), tags("n=2&last=b", ["b", "c"])
    ) as server:
        assert image(server, page_size=2)["tags"] == ["a", "b", "c"]


def test_list_ends_when_the_link_is_not_the_next_page() -> None:
    page = call("GET", f"{TAGS}?n=1000", json={"tags": ["a"]}, headers={"Link": '</v2/x?last=1>; rel="prev"'})
    with conversation(page) as server:
        assert image(server)["tags"] == ["a"]


@pytest.mark.parametrize("names", [None, []])
def test_list_is_empty_when_the_image_has_no_tags(names: list[str] | None) -> None:
    with conversation(tags("n=1000", names)) as server:
        assert image(server) == {"changed": False, "tags": []}


def test_digest_folders_are_omitted_from_the_tags() -> None:
    with conversation(tags("n=1000", ["sha256:0a1b", "1.0.0", "sha256__0a1b", "with__blanks"])) as server:
        assert image(server)["tags"] == ["1.0.0", "with__blanks"]


def test_an_unknown_image_is_an_error() -> None:
    unknown = {
        "errors": [
            {
                "code": "NAME_UNKNOWN",
                "message": "Repository name not known to registry.",
                "detail": {"name": "acme/web"},
            }
        ]
    }
    with conversation(call("GET", f"{TAGS}?n=1000", 404, json=unknown)) as server:
        result = image(server)
    assert result["failed"]
    assert result["msg"] == (
        f"GET {server.url}{TAGS}: 404 Repository name not known to registry. It may also be hidden from this account."
    )


def test_task_fails_when_the_repository_has_no_images() -> None:
    refusal = {"errors": [{"status": 400, "message": "Unsupported docker repository request for 'v2'"}]}
    with conversation(call("GET", f"{TAGS}?n=1000", 400, json=refusal)) as server:
        result = image(server)
    assert result["msg"] == f"GET {server.url}{TAGS}: 400 Unsupported docker repository request for 'v2'."


def test_slashes_around_an_image_name_are_ignored() -> None:
    with conversation(tags("n=1000", ["1.0.0"])) as server:
        result = run("artifact_image_info", url=server.url, repo="docker-local", image="/acme/web/")
    assert result["tags"] == ["1.0.0"]


def test_special_characters_are_encoded() -> None:
    target = "/artifactory/api/docker/a%20b%3Fc/v2/x%20y/z%23%2B%C3%A9/tags/list?n=1000"
    with conversation(call("GET", target, json={"tags": ["1"]})) as server:
        assert run("artifact_image_info", url=server.url, repo="a b?c", image="x y/z#+é")["tags"] == ["1"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"page_size": 0}, "Option 'page_size': must be 1 to 100,000, not 0"),
        ({"image": "a//b"}, "'' is not a valid part of a path"),
        ({"image": "/"}, "'' is not a valid part of a path"),
        (
            {"repo": "docker-local/acme"},
            "Option 'repo': must be a name without '/', other than '.' and '..', not 'docker-local/acme'",
        ),
        ({"image": "../x"}, "'..' is not a valid part of a path"),
    ],
)
def test_bad_input_fails_before_any_request(options: dict[str, Any], complaint: str) -> None:
    with conversation() as server:
        result = run("artifact_image_info", url=server.url, **{"repo": "docker-local", **options})
    assert complaint in result["msg"]
