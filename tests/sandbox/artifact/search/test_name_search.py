# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the Artifactory searches by name and by pattern."""

from __future__ import annotations

import pytest

from support.session import Session
from support.wire.artifact import APP, SHA256, error_of

NAME_SEARCH = "/api/search/artifact"
PATTERN_SEARCH = "/api/search/pattern"


def find_paths(artifactory: Session, **arguments: str) -> list[str]:
    """Return the paths of the files that a search by name finds."""
    response = artifactory.get(NAME_SEARCH, params=arguments)
    assert response.status_code == 200, response.text
    return [result["uri"].partition("/api/storage/")[2] for result in response.json()["results"]]


def test_name_search_returns_uris(artifactory):
    response = artifactory.get(NAME_SEARCH, params={"name": "app-1.0.tar"})
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.search.ArtifactSearchResult+json"
    assert response.json() == {"results": [{"uri": f"{artifactory.base}/api/storage/generic-local/{APP}"}]}


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("README", ["README.txt"]),
        ("EADM", ["README.txt"]),
        ("readme", []),
        ("pp-1.?.ta", ["app-1.0.tar.gz", "app-1.1.tar.gz"]),
        ("app-1.0*", ["app-1.0.tar.gz"]),
        ("app-1.?.tar*", ["app-1.0.tar.gz", "app-1.1.tar.gz"]),
        ("*.tar.gz", ["app-1.0.tar.gz", "app-1.1.tar.gz"]),
        ("1.0*", ["app-1.0.tar.gz"]),
        ("*-1.0", ["app-1.0.tar.gz"]),
        ("?pp-1.0", ["app-1.0.tar.gz"]),
        ("1.0.tar.?", []),
        ("1.0/app", []),
        ("nothing", []),
    ],
)
def test_name_search_matches_substrings_and_patterns(artifactory, name, names):
    assert [path.rpartition("/")[2] for path in find_paths(artifactory, name=name, repos="generic-local")] == names


@pytest.mark.parametrize("name", ["a[1].txt", "[", "]", "[a-z]*"])
def test_name_search_treats_brackets_literally(artifactory, name):
    artifactory.put("/generic-local/odd/a[1].txt", data=b"x")
    expected = ["generic-local/odd/a[1].txt"] if name != "[a-z]*" else []
    assert find_paths(artifactory, name=name) == expected


@pytest.mark.parametrize(
    ("repos", "expected"),
    [
        ("libs-remote", ["libs-remote-cache/junit/junit/4.13/junit-4.13.pom"]),
        ("libs-remote-cache", ["libs-remote-cache/junit/junit/4.13/junit-4.13.pom"]),
        (
            "libs-release",
            ["libs-release-local/org/acme/app/1.0/app-1.0.pom", "libs-remote-cache/junit/junit/4.13/junit-4.13.pom"],
        ),
        ("libs-release-local/org/acme,generic-local", ["libs-release-local/org/acme/app/1.0/app-1.0.pom"]),
        ("libs-release-local/org/other", []),
    ],
)
def test_name_search_is_limited_to_repositories_and_folders(artifactory, repos, expected):
    assert find_paths(artifactory, name="*.pom", repos=repos) == expected


def test_name_search_ignores_unknown_repositories(artifactory):
    assert find_paths(artifactory, name="pom", repos="nothing") == []
    assert find_paths(artifactory, name="*.pom", repos="nothing,libs-remote-cache") == find_paths(
        artifactory, name="*.pom", repos="libs-remote-cache"
    )


@pytest.mark.parametrize("arguments", [{}, {"name": ""}, {"name": " "}])
def test_name_search_is_400_when_the_name_is_missing(artifactory, arguments):
    assert error_of(artifactory.get(NAME_SEARCH, params=arguments)) == (400, "The search term cannot be empty")


@pytest.mark.parametrize("name", ["*", "?*", "**"])
def test_name_search_is_400_when_the_name_has_only_wildcards(artifactory, name):
    response = artifactory.get(NAME_SEARCH, params={"name": name})
    assert error_of(response) == (400, "Search term containing only wildcards is not permitted")


def test_name_search_returns_details_when_requested(artifactory):
    detail = {"X-Result-Detail": "info, properties"}
    (result,) = artifactory.get(NAME_SEARCH, params={"name": "app-1.0.tar"}, headers=detail).json()["results"]
    assert result["properties"] == {"build.name": ["app"], "build.number": ["1"]}
    assert result.items() >= artifactory.get(f"/api/storage/generic-local/{APP}").json().items()
    assert result["checksums"]["sha256"] == SHA256


def test_name_search_excludes_the_trash_can(artifactory):
    artifactory.delete(f"/generic-local/{APP}")
    assert find_paths(artifactory, name="app-1.0.tar") == []
    assert find_paths(artifactory, name="app-1.0.tar", repos="auto-trashcan") == []


def test_name_search_is_limited_when_the_caller_is_not_an_administrator(sandbox, artifactory, artifactory_reader):
    sandbox.switch("artifact", search_limit=2)
    assert len(find_paths(artifactory_reader, name="app")) == 2
    assert len(find_paths(artifactory, name="app")) == 4


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("generic-local:app/1.0/*.tar.gz", [APP]),
        ("generic-local:app/*/*.tar.gz", [APP, "app/1.1/app-1.1.tar.gz"]),
        ("generic-local:*.tar.gz", []),
        ("generic-local:app/?.?/app-1.0.tar.gz", [APP]),
        ("generic-local:**/*.txt", ["app/README.txt"]),
        ("generic-local:/app/README.txt", ["app/README.txt"]),
        ("generic-local:app/README.tx.", []),
        ("libs-remote-cache:junit/junit/*/*", ["junit/junit/4.13/junit-4.13.pom"]),
        ("libs-release:org/*", []),
    ],
)
def test_pattern_search_returns_files(artifactory, pattern, files):
    response = artifactory.get(PATTERN_SEARCH, params={"pattern": pattern})
    assert response.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.search.PatternResultFileSet+json"
    repo = pattern.partition(":")[0].removesuffix("-cache")
    assert response.json() == {"repoUri": f"{artifactory.base}/{repo}", "sourcePattern": pattern, "files": files}


@pytest.mark.parametrize("pattern", [None, "", "generic-local", "generic-local:", ":a", "a:b:c"])
def test_pattern_search_is_400_when_the_pattern_is_invalid(artifactory, pattern):
    assert error_of(artifactory.get(PATTERN_SEARCH, params={"pattern": pattern}))[0] == 400


def test_pattern_search_is_408_when_it_times_out(sandbox, artifactory):
    sandbox.switch("artifact", pattern_search_times_out=True)
    status, message = error_of(artifactory.get(PATTERN_SEARCH, params={"pattern": "generic-local:*"}))
    assert (status, message.partition(" because ")[0]) == (408, "Artifacts pattern search returned 0 results")


def test_pattern_search_is_401_when_the_caller_is_anonymous(sandbox, artifactory_anonymous):
    sandbox.switch("artifact", anonymous=True)
    assert error_of(artifactory_anonymous.get(PATTERN_SEARCH, params={"pattern": "generic-local:*"}))[0] == 401


def test_oss_refuses_pattern_search(sandbox, artifactory):
    sandbox.switch("artifact", edition="oss")
    assert error_of(artifactory.get(PATTERN_SEARCH, params={"pattern": "generic-local:*"}))[0] == 400
