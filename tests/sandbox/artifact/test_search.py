# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The artifact repository on the wire: searches by name and by pattern."""

from __future__ import annotations

import pytest

from support.session import Session
from support.wire.artifact import APP, SHA256, error_of

QUICK = "/api/search/artifact"
PATTERN = "/api/search/pattern"


def found(artifactory: Session, **arguments: str) -> list[str]:
    """Where the files lie that a search by name finds."""
    answer = artifactory.get(QUICK, params=arguments)
    assert answer.status_code == 200, answer.text
    return [result["uri"].partition("/api/storage/")[2] for result in answer.json()["results"]]


def test_the_answer(artifactory):
    answer = artifactory.get(QUICK, params={"name": "app-1.0.tar"})
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.search.ArtifactSearchResult+json"
    assert answer.json() == {"results": [{"uri": f"{artifactory.base}/api/storage/generic-local/{APP}"}]}


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
def test_the_name_is_a_part_or_a_pattern(artifactory, name, names):
    assert [path.rpartition("/")[2] for path in found(artifactory, name=name, repos="generic-local")] == names


@pytest.mark.parametrize("name", ["a[1].txt", "[", "]", "[a-z]*"])
def test_brackets_mean_nothing(artifactory, name):
    artifactory.put("/generic-local/odd/a[1].txt", data=b"x")
    expected = ["generic-local/odd/a[1].txt"] if name != "[a-z]*" else []
    assert found(artifactory, name=name) == expected


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
def test_repositories_and_folders(artifactory, repos, expected):
    assert found(artifactory, name="*.pom", repos=repos) == expected


def test_nothing_is_found_in_an_unknown_repository(artifactory):
    assert found(artifactory, name="pom", repos="nothing") == []
    assert found(artifactory, name="*.pom", repos="nothing,libs-remote-cache") == found(
        artifactory, name="*.pom", repos="libs-remote-cache"
    )


@pytest.mark.parametrize("arguments", [{}, {"name": ""}, {"name": " "}])
def test_no_name(artifactory, arguments):
    assert error_of(artifactory.get(QUICK, params=arguments)) == (400, "The search term cannot be empty")


@pytest.mark.parametrize("name", ["*", "?*", "**"])
def test_only_wildcards(artifactory, name):
    answer = artifactory.get(QUICK, params={"name": name})
    assert error_of(answer) == (400, "Search term containing only wildcards is not permitted")


def test_details(artifactory):
    detail = {"X-Result-Detail": "info, properties"}
    (result,) = artifactory.get(QUICK, params={"name": "app-1.0.tar"}, headers=detail).json()["results"]
    assert result["properties"] == {"build.name": ["app"], "build.number": ["1"]}
    assert result.items() >= artifactory.get(f"/api/storage/generic-local/{APP}").json().items()
    assert result["checksums"]["sha256"] == SHA256


def test_the_trash_can_is_not_searched(artifactory):
    artifactory.delete(f"/generic-local/{APP}")
    assert found(artifactory, name="app-1.0.tar") == []
    assert found(artifactory, name="app-1.0.tar", repos="auto-trashcan") == []


def test_ordinary_accounts_get_so_many_without_a_word(sandbox, artifactory, artifactory_reader):
    sandbox.switch("artifact", search_limit=2)
    assert len(found(artifactory_reader, name="app")) == 2
    assert len(found(artifactory, name="app")) == 4


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
def test_patterns(artifactory, pattern, files):
    answer = artifactory.get(PATTERN, params={"pattern": pattern})
    assert answer.headers["Content-Type"] == "application/vnd.org.jfrog.artifactory.search.PatternResultFileSet+json"
    shown = pattern.partition(":")[0].removesuffix("-cache")
    assert answer.json() == {"repoUri": f"{artifactory.base}/{shown}", "sourcePattern": pattern, "files": files}


@pytest.mark.parametrize("pattern", [None, "", "generic-local", "generic-local:", ":a", "a:b:c"])
def test_what_is_no_pattern(artifactory, pattern):
    assert error_of(artifactory.get(PATTERN, params={"pattern": pattern}))[0] == 400


def test_a_pattern_search_that_takes_too_long(sandbox, artifactory):
    sandbox.switch("artifact", pattern_search_times_out=True)
    status, message = error_of(artifactory.get(PATTERN, params={"pattern": "generic-local:*"}))
    assert (status, message.partition(" because ")[0]) == (408, "Artifacts pattern search returned 0 results")


def test_nobody_searches_by_pattern(sandbox, artifactory_anonymous):
    sandbox.switch("artifact", anonymous=True)
    assert error_of(artifactory_anonymous.get(PATTERN, params={"pattern": "generic-local:*"}))[0] == 401


def test_the_open_source_edition_searches_by_name_alone(sandbox, artifactory):
    sandbox.switch("artifact", edition="oss")
    assert error_of(artifactory.get(PATTERN, params={"pattern": "generic-local:*"}))[0] == 400
