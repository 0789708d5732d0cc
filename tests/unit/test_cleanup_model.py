# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Cases that were worked out by hand from sentences of the documentation of artifact_cleanup."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from support.cleanup.model import DAY, PlannedItem, Prediction, Repository, StoredFile, UnsafeTag, predict

NOW = int(datetime.datetime(2026, 11, 23, 12, tzinfo=datetime.UTC).timestamp()) * 1000
GENERIC = Repository("generic-local", "generic")
DOCKER = Repository("docker-local", "docker")
LAYER = "sha256__" + "0123456789abcdef" * 4


def make_file(
    path: str, age: float = 100, size: int = 10, repo: str = GENERIC.key, **properties: list[str]
) -> StoredFile:
    """Return a file that was created so many days ago and never downloaded."""
    time = NOW - int(age * DAY)
    return StoredFile(repo, path, size, time, time, None, properties)


def make_tag(folder: str, age: float = 100, **properties: list[str]) -> list[StoredFile]:
    """Return the manifest and a layer of a tag, with 10 bytes each."""
    manifest = make_file(f"{folder}/manifest.json", age, repo=DOCKER.key, **properties)
    return [manifest, make_file(f"{folder}/{LAYER}", age=0, repo=DOCKER.key)]


def plan(files: list[StoredFile], *rules: dict[str, Any], repo: Repository = GENERIC) -> Prediction:
    """Return the prediction for one repository, to which all rules apply."""
    return predict([repo], files, [{"repos": [repo.key], **rule} for rule in rules], NOW)


def plan_paths(files: list[StoredFile], *rules: dict[str, Any], repo: Repository = GENERIC) -> list[str]:
    """Return the paths that are planned for one repository."""
    return [item.path for item in plan(files, *rules, repo=repo).planned]


def test_every_file_is_an_artifact_when_the_package_type_is_maven() -> None:
    maven = Repository("maven-local", "maven")
    paths = ["a/1.0/a-1.0.jar", "a/1.0/a-1.0.pom", "a/maven-metadata.xml"]
    files = [make_file(path, repo=maven.key) for path in paths]

    prediction = plan(files, {"paths": ["a*"], "title": "all"}, repo=maven)

    assert prediction.planned == [PlannedItem(maven.key, path, "file", 10, "all") for path in paths]
    assert prediction.remaining == []
    assert prediction.empty_folders == [(maven.key, "a")]
    assert (prediction.unsafe, prediction.refused) == ([], False)


def test_path_matches_only_its_own_level_when_it_has_no_wildcard() -> None:
    files = [make_file("root.txt"), make_file("app/x.txt"), make_file("app/1/x.txt"), make_file("app-1/x.txt")]

    assert plan_paths(files, {"paths": ["app"]}) == ["app/x.txt"]
    assert plan_paths(files, {"paths": ["app/*"]}) == ["app/1/x.txt"]
    assert plan_paths(files, {"paths": ["."]}) == ["root.txt"]
    assert plan_paths(files, {"paths": ["*"], "exclude_paths": ["app*"]}) == ["root.txt"]


def test_tag_has_time_of_manifest_and_size_of_folder_when_planned() -> None:
    files = [*make_tag("team/web/1.0", age=40), *make_tag("team/web/1.1", age=20)]
    files.append(make_file("team/web/README", age=400, repo=DOCKER.key))

    prediction = plan(files, {"paths": ["team/*"], "older_than": "30d"}, repo=DOCKER)

    assert prediction.planned == [PlannedItem(DOCKER.key, "team/web/1.0", "tag", 20, "rules[0]")]
    assert prediction.remaining == files[2:]
    assert prediction.empty_folders == []


@pytest.mark.parametrize("folder", ["", "alone/", "team/sha256__12/", "team/sha256:12/"])
def test_manifest_makes_no_tag_when_its_folder_is_no_tag(folder: str) -> None:
    files = [make_file(f"{folder}manifest.json", repo=DOCKER.key)]

    assert plan(files, {"paths": ["*"]}, repo=DOCKER) == Prediction([], [], [], files, False)


@pytest.mark.parametrize(
    ("path", "is_safe"),
    [
        (f"team/web/{'sha256__' + 'a' * 64}.marker", True),
        (f"team/web/{'sha256__' + 'A' * 64}", False),
        ("team/web/notes.txt", False),
        ("team/web/list.manifest.json", False),
        ("team/web/1.0/layer", False),
    ],
)
def test_tag_is_unsafe_when_its_folder_has_more_than_the_tag(path: str, is_safe: bool) -> None:
    files = [*make_tag("team/web"), make_file(path, repo=DOCKER.key)]

    prediction = plan(files, {"names": ["web"], "title": "web"}, repo=DOCKER)

    assert prediction.planned == ([PlannedItem(DOCKER.key, "team/web", "tag", 30, "web")] if is_safe else [])
    assert prediction.unsafe == ([] if is_safe else [UnsafeTag(DOCKER.key, "team/web", "web")])
    assert prediction.remaining == ([] if is_safe else files)


def test_unsafe_tag_counts_but_is_not_reported_when_keep_newest_keeps_it() -> None:
    files = [*make_tag("team/web", age=1), *make_tag("team/web/1.0", age=9), *make_tag("team/old", age=5)]

    prediction = plan(files, {"paths": ["team"], "keep_newest": 1}, repo=DOCKER)

    assert prediction.planned == [PlannedItem(DOCKER.key, "team/old", "tag", 20, "rules[0]")]
    assert prediction.unsafe == []
    assert prediction.remaining == files[:4]


def test_artifact_is_not_selected_when_it_is_exactly_as_old() -> None:
    files = [make_file("before", 30 + 1 / DAY), make_file("exact", 30), make_file("after", 30 - 1 / DAY)]

    assert plan_paths(files, {"older_than": "30d"}) == ["before"]
    assert plan_paths(files, {"older_than": "1mo"}) == ["before"]
    assert plan_paths(files, {"older_than": "2026-10-24T12:00:00Z"}) == ["before"]
    assert plan_paths(files, {"older_than": "2026-10-24"}) == []


def test_artifact_is_not_selected_when_a_later_time_or_download_is_recent() -> None:
    old, new = NOW - 50 * DAY, NOW - 10 * DAY
    files = [
        StoredFile(GENERIC.key, "created later", 1, new, old),
        StoredFile(GENERIC.key, "downloaded later", 1, old, old, new),
        StoredFile(GENERIC.key, "never downloaded", 1, old, old),
        StoredFile(GENERIC.key, "old download", 1, old, old, old),
    ]

    assert plan_paths(files, {"older_than": "30d"}) == ["downloaded later", "never downloaded", "old download"]
    assert plan_paths(files, {"not_downloaded_since": "30d"}) == ["never downloaded", "old download"]


def test_last_path_by_code_point_is_newest_when_times_are_equal() -> None:
    files = [make_file("a/x"), make_file("a-1/x"), make_file("\ufb01"), make_file("\U0001f600")]
    group = {"group_by": "name", "group_pattern": "()(?:.*)"}

    assert plan_paths(files, {"keep_newest": 1, **group}) == ["a-1/x", "a/x", "\ufb01"]
    assert plan_paths(files, {"keep_newest": 3, **group}) == ["a-1/x"]


def test_all_artifacts_compete_when_the_rule_has_age_and_size() -> None:
    files = [
        make_file("new", 1),
        make_file("small", 40, size=1),
        make_file("large", 50),
        make_file("larger", 60, size=11),
    ]

    assert plan_paths(files, {"keep_newest": 2, "older_than": "30d", "larger_than": 10}) == ["larger"]
    assert plan_paths(files, {"keep_newest": 2, "older_than": "30d", "larger_than": 9}) == ["large", "larger"]


def test_newest_of_each_group_stays_when_groups_are_by_name_or_property() -> None:
    files = [
        make_file("a-1.gz", 3, channel=["x", "y"]),
        make_file("a-2.gz", 2, channel=["x"]),
        make_file("b-1.gz", 1, channel=["x"]),
        make_file("other", 9),
    ]
    by_name = {"keep_newest": 1, "group_by": "name", "group_pattern": "(.*)-[0-9]+[.]gz"}
    by_property = {"keep_newest": 1, "group_by": "property", "group_property": "channel"}

    assert plan_paths(files, by_name) == ["a-1.gz"]
    assert plan_paths(files, by_property) == ["a-2.gz"]


def test_artifact_stays_when_another_rule_keeps_it_but_not_when_it_excludes_it() -> None:
    files = [make_file("a", 1), make_file("b", 2), make_file("c", 3, pin=["true", "later"])]
    select_all = {"names": ["*"]}

    assert plan_paths(files, select_all, {"keep_newest": 1, "older_than": "2y"}) == ["b", "c"]
    assert plan_paths(files, select_all, {"names": ["b", "c"], "keep_properties": {"pin": True}}) == ["a", "b"]
    assert plan_paths(files, select_all, {"names": ["a", "b"], "keep_properties": {"pin": True}}) == ["a", "b", "c"]
    assert plan_paths(files, {"names": ["*"], "exclude_names": ["a"]}, {"names": ["a"]}) == ["a", "b", "c"]


def test_item_counts_for_the_first_rule_when_several_select_it() -> None:
    files = [make_file("a", 50), make_file("b", 5)]

    prediction = plan(files, {"older_than": "30d", "title": "old"}, {"names": ["*"], "title": "all"})

    assert [(item.path, item.rule) for item in prediction.planned] == [("a", "old"), ("b", "all")]


def test_values_match_in_full_when_a_rule_has_properties() -> None:
    files = [
        make_file("a", build=["17", "a,b"]),
        make_file("b", build=["017"]),
        make_file("c", build=["True"]),
        make_file("d"),
    ]

    assert plan_paths(files, {"properties": {"build": 17}}) == ["a"]
    assert plan_paths(files, {"properties": {"build": "a"}}) == []
    assert plan_paths(files, {"properties": {"build": ["a,b", "017"]}}) == ["a", "b"]
    assert plan_paths(files, {"properties": {"build": True}}) == []
    assert plan_paths(files, {"properties": {"build": "*"}}) == ["a", "b", "c"]
    assert plan_paths(files, {"names": ["*"], "keep_properties": {"build": None}}) == ["d"]


def test_pattern_matches_the_whole_text_when_it_has_special_characters() -> None:
    files = [
        make_file("[a]_1.txt"),
        make_file("[a]x1.txt"),
        make_file("a_1.txt"),
        make_file("[A]_1.txt"),
        make_file("d/e/f"),
    ]

    assert plan_paths(files, {"names": ["[a]_*"]}) == ["[a]_1.txt"]
    assert plan_paths(files, {"names": ["[a]?1.txt"]}) == ["[a]_1.txt", "[a]x1.txt"]
    assert plan_paths(files, {"names": ["a"]}) == []
    assert plan_paths(files, {"paths": ["d?e"]}) == ["d/e/f"]


@pytest.mark.parametrize("name", ['a"b', "a\tb", "a\u2028b", "a\u0085b", "\u3000a", " a", "a!b", "a:properties"])
def test_name_is_neither_selected_nor_counted_when_it_cannot_be_handled(name: str) -> None:
    files = [make_file(name, 1), make_file("b", 2), make_file("c", 3)]

    assert plan_paths(files, {"keep_newest": 1}) == ["c"]


def test_special_repository_matches_only_when_its_key_is_written_out() -> None:
    repositories = [Repository("artifactory-build-info", "BuildInfo"), Repository("artifactory-x", "generic")]
    files = [make_file("a/1.json", repo=repository.key) for repository in repositories]

    by_pattern = predict(repositories, files, [{"repos": ["art*"], "names": ["*"]}], NOW)
    by_key = predict(repositories, files, [{"repos": ["artifactory-build-info"], "names": ["*"]}], NOW)

    assert [item.repo for item in by_pattern.planned] == ["artifactory-x"]
    assert [item.repo for item in by_key.planned] == ["artifactory-build-info"]


def test_cache_matches_when_the_repository_is_remote_but_virtual_never() -> None:
    repositories = [Repository("hub", "generic", "remote"), Repository("all-cache", "generic", "virtual")]
    files = [make_file("a", repo="hub-cache")]

    assert predict(repositories, files, [{"repos": ["*-cache"], "names": ["*"]}], NOW).remaining == []
    with pytest.raises(ValueError, match="does not exist"):
        predict(repositories, files, [{"repos": ["hub"], "names": ["*"]}], NOW)
    with pytest.raises(ValueError, match="matches no repository"):
        predict(repositories, files, [{"repos": ["all*"], "names": ["*"]}], NOW)


@pytest.mark.parametrize(
    ("guards", "is_refused"),
    [({"max_items": 1}, True), ({"max_items": 2}, False), ({"max_bytes": 19}, True), ({"max_bytes": 20}, False)],
)
def test_guard_refuses_the_plan_when_it_is_exceeded(guards: dict[str, int], is_refused: bool) -> None:
    files = [make_file("a"), make_file("b")]

    prediction = predict([GENERIC], files, [{"repos": ["*"], "names": ["*"]}], NOW, **guards)

    assert [item.path for item in prediction.planned] == ["a", "b"]
    assert prediction.refused == is_refused
    assert prediction.remaining == (files if is_refused else [])


def test_folder_is_empty_when_the_plan_leaves_no_file_in_or_below_it() -> None:
    files = [
        make_file("a/b/c/old"),
        make_file("a/b/d/old"),
        make_file("a/new", 1),
        make_file("e/old"),
        make_file("e/new", 1),
    ]

    assert plan(files, {"older_than": "30d"}).empty_folders == [(GENERIC.key, "a/b")]
