# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Predict what the module artifact_cleanup deletes from Artifactory.

The model is written from the documentation of the module alone. The sections follow the notes of the documentation.
All times are milliseconds since 1970.
"""

from __future__ import annotations

import datetime
import functools
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Rule = dict[str, Any]
Folder = tuple[str, str]  # key of the repository, path


# Input


@dataclass(frozen=True)
class Repository:
    """A repository. The files of a remote repository are in the repository `<key>-cache`."""

    key: str
    package_type: str
    rclass: str = "local"


@dataclass(frozen=True)
class StoredFile:
    """A file of a repository, with times in milliseconds since 1970."""

    repo: str
    path: str
    size: int
    created: int
    modified: int
    downloaded: int | None = None
    properties: dict[str, list[str]] = field(default_factory=dict)


# Prediction


@dataclass(frozen=True, order=True)
class PlannedItem:
    """A file or tag that the plan has. `rule` is the title of the rule that it counts for."""

    repo: str
    path: str
    kind: str
    size: int
    rule: str


@dataclass(frozen=True, order=True)
class UnsafeTag:
    """A tag that a rule selects and no rule keeps, but that is not safe to delete."""

    repo: str
    path: str
    rule: str


@dataclass(frozen=True)
class Prediction:
    """The outcome of a task.

    `empty_folders` has the uppermost folders that the task deletes with `empty_folders=true`.
    `planned`, `unsafe` and `empty_folders` describe the plan, also if a guard refuses it.
    """

    planned: list[PlannedItem]
    unsafe: list[UnsafeTag]
    empty_folders: list[Folder]
    remaining: list[StoredFile]
    refused: bool


def predict(
    repositories: Iterable[Repository],
    files: Iterable[StoredFile],
    rules: list[Rule],
    now: int,
    max_items: int | None = None,
    max_bytes: int | None = None,
    folders: Iterable[Folder] = (),
) -> Prediction:
    """Return the outcome of a task that starts at `now`.

    `folders` has existing folders without files. Folders with files need not be listed.
    Raise ValueError for a rule that fails the task because of its repositories.
    """
    repositories, files = list(repositories), list(files)
    verify_repositories(rules, repositories)
    artifacts = [one for one in find_artifacts(repositories, files, folders) if is_handled(one)]

    newest_by_rule = [find_newest(rule, artifacts) for rule in rules]
    planned, unsafe, deleted = [], [], []
    for artifact in artifacts:
        selecting = [
            get_title(rule, position)
            for position, (rule, newest) in enumerate(zip(rules, newest_by_rule, strict=True))
            if selects(rule, artifact, now, newest)
        ]
        is_kept = any(keeps(rule, artifact, newest) for rule, newest in zip(rules, newest_by_rule, strict=True))
        if not selecting or is_kept:
            continue
        # An artifact that several rules select counts for the first of these rules in the list.
        if artifact.is_safe:
            planned.append(PlannedItem(artifact.repo, artifact.path, artifact.kind, artifact.size, selecting[0]))
            deleted.append(artifact)
        else:
            unsafe.append(UnsafeTag(artifact.repo, artifact.path, selecting[0]))

    deleted_files = {(file.repo, file.path) for artifact in deleted for file in artifact.files}
    remaining = [file for file in files if (file.repo, file.path) not in deleted_files]
    empty_folders = find_empty_folders(deleted, remaining)
    is_refused = (max_items is not None and len(planned) > max_items) or (
        max_bytes is not None and sum(item.size for item in planned) > max_bytes
    )
    return Prediction(sorted(planned), sorted(unsafe), empty_folders, files if is_refused else remaining, is_refused)


# Notes: definition of an artifact, folder and name of a file, tags, the times, properties and downloads of a tag,
# the time of an artifact, and which tags are not safe to delete

IMAGE_PACKAGE_TYPES = ("docker", "oci", "helmoci")
MANIFESTS = ("manifest.json", "list.manifest.json")
LAYER = re.compile(r"sha256__[0-9a-f]{64}([.]marker)?")


@dataclass(frozen=True, eq=False)
class Artifact:
    """A file, or a tag with the files that are directly in its folder."""

    repository: Repository
    repo: str
    path: str
    kind: str
    folder: str
    name: str
    size: int
    time: int
    downloaded: int | None
    properties: dict[str, list[str]]
    files: list[StoredFile]
    is_safe: bool = True


def split_path(path: str) -> tuple[str, str]:
    """Return the folder, `.` for the root, and the name."""
    folder, _, name = path.rpartition("/")
    return folder or ".", name


def list_folders_around(path: str) -> Iterator[str]:
    """Yield all folders that a path is in or below, without the root."""
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def get_content_key(repository: Repository) -> str | None:
    """Return the key that the files of a repository are found by, null for a virtual repository."""
    if repository.rclass == "virtual":
        return None
    return f"{repository.key}-cache" if repository.rclass == "remote" else repository.key


def find_artifacts(
    repositories: Iterable[Repository], files: Collection[StoredFile], folders: Iterable[Folder] = ()
) -> list[Artifact]:
    """Return all artifacts, also those whose names cannot be handled."""
    artifacts = []
    for repository in repositories:
        repo = get_content_key(repository)
        own_files = [file for file in files if file.repo == repo]
        if repository.package_type.lower() in IMAGE_PACKAGE_TYPES:
            paths = [file.path for file in own_files]
            own_folders = {path for key, path in folders if key == repo}
            own_folders.update(folder for path in [*paths, *own_folders] for folder in list_folders_around(path))
            artifacts += find_tags(repository, own_files, own_folders)
        else:
            artifacts += [make_file(repository, file) for file in own_files]
    return artifacts


def get_time(file: StoredFile) -> int:
    """Return the later one of the creation and the last modification."""
    return max(file.created, file.modified)


def make_file(repository: Repository, file: StoredFile) -> Artifact:
    """Return a file as an artifact."""
    folder, name = split_path(file.path)
    return Artifact(
        repository=repository,
        repo=file.repo,
        path=file.path,
        kind="file",
        folder=folder,
        name=name,
        size=file.size,
        time=get_time(file),
        downloaded=file.downloaded,
        properties=file.properties,
        files=[file],
    )


def find_tags(repository: Repository, files: list[StoredFile], folders: Collection[str]) -> list[Artifact]:
    """Return the tags of a repository with these files and folders."""
    tags = []
    for path in sorted(folders):
        image, tag = split_path(path)
        own_files = [file for file in files if split_path(file.path)[0] == path]
        manifests = [file for file in own_files if split_path(file.path)[1] in MANIFESTS]
        if not manifests or image == "." or tag.startswith(("sha256:", "sha256__")):
            continue
        # The documentation does not say which of two manifests counts. The generated ones do not differ.
        manifest = max(manifests, key=lambda file: file.path)
        has_foreign_file = any(
            not LAYER.fullmatch(split_path(file.path)[1]) for file in own_files if file not in manifests
        )
        has_folder = any(split_path(folder)[0] == path for folder in folders)
        tags.append(
            Artifact(
                repository=repository,
                repo=manifest.repo,
                path=path,
                kind="tag",
                folder=image,
                name=tag,
                size=sum(file.size for file in own_files),
                time=get_time(manifest),
                downloaded=manifest.downloaded,
                properties=manifest.properties,
                files=own_files,
                is_safe=len(manifests) == 1 and not has_foreign_file and not has_folder,
            )
        )
    return tags


# Note: when a rule applies to an artifact


def applies(rule: Rule, artifact: Artifact) -> bool:
    """Return whether a rule applies to an artifact."""
    return (
        applies_to_repository(rule, artifact.repository)
        and ("paths" not in rule or matches_any(rule["paths"], artifact.folder))
        and not matches_any(rule.get("exclude_paths", []), artifact.folder)
        and ("names" not in rule or matches_any(rule["names"], artifact.name))
        and not matches_any(rule.get("exclude_names", []), artifact.name)
        and all(has_property(artifact, key, value) for key, value in rule.get("properties", {}).items())
    )


def has_property(artifact: Artifact, key: str, expected: Any) -> bool:
    """Return whether one of the values of a property is expected."""
    values = artifact.properties.get(key, [])
    alternatives = expected if isinstance(expected, list) else [expected]
    return any(one in (None, "*") or format_value(one) in values for one in alternatives) if values else False


def format_value(value: str | int | bool) -> str:
    """Return the text that a value of a property is compared with."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


# Repositories, from the description of the option

SPECIAL_KEYS = (
    "artifactory-build-info",
    "auto-trashcan",
    "artifactory-pipe-info",
    "artifactory-edge-uploads",
    "jfrog-usage-logs",
    "jfrog-support-bundle",
    "release-bundles",
    "release-bundles-v2",
)
SPECIAL_ENDINGS = ("-build-info", "-release-bundles", "-release-bundles-v2")
SPECIAL_PACKAGE_TYPES = ("buildinfo", "releasebundles", "supportbundle", "pipeinfo", "trash")


def is_special(repository: Repository) -> bool:
    """Return whether only a key that is written out matches a repository."""
    return (
        repository.key in SPECIAL_KEYS
        or repository.key.endswith(SPECIAL_ENDINGS)
        or repository.package_type.lower() in SPECIAL_PACKAGE_TYPES
    )


def applies_to_repository(rule: Rule, repository: Repository) -> bool:
    """Return whether `repos`, `exclude_repos` and `package_type` of a rule match a repository."""
    key = get_content_key(repository)
    if key is None:
        return False
    is_listed = key in rule["repos"] or (not is_special(repository) and matches_any(rule["repos"], key))
    return (
        is_listed
        and not matches_any(rule.get("exclude_repos", []), key)
        and rule.get("package_type", repository.package_type).lower() == repository.package_type.lower()
    )


def verify_repositories(rules: list[Rule], repositories: list[Repository]) -> None:
    """Raise ValueError for a missing key, and for a rule that matches no repository."""
    keys = [get_content_key(repository) for repository in repositories]
    for position, rule in enumerate(rules):
        for key in rule["repos"]:
            if "*" not in key and "?" not in key and key not in keys:
                raise ValueError(f"{get_title(rule, position)}: the repository {key} does not exist")
        if not any(applies_to_repository(rule, repository) for repository in repositories):
            raise ValueError(f"{get_title(rule, position)}: the rule matches no repository")


# Note: when a rule selects an artifact


def selects(rule: Rule, artifact: Artifact, now: int, newest: Collection[Artifact]) -> bool:
    """Return whether a rule selects an artifact. `newest` are the artifacts that its `keep_newest` keeps."""
    return (
        applies(rule, artifact)
        and ("older_than" not in rule or artifact.time < parse_limit(rule["older_than"], now))
        and ("not_downloaded_since" not in rule or is_unused(artifact, parse_limit(rule["not_downloaded_since"], now)))
        and ("larger_than" not in rule or artifact.size > rule["larger_than"])
        and ("keep_newest" not in rule or (bool(find_groups(rule, artifact)) and artifact not in newest))
    )


def is_unused(artifact: Artifact, limit: int) -> bool:
    """Return whether an artifact is older than the limit, and so is its last download."""
    return artifact.time < limit and (artifact.downloaded is None or artifact.downloaded < limit)


SECOND = 1000
DAY = 24 * 60 * 60 * SECOND
UNITS = {
    "s": SECOND,
    "seconds": SECOND,
    "mi": 60 * SECOND,
    "minutes": 60 * SECOND,
    "d": DAY,
    "days": DAY,
    "w": 7 * DAY,
    "weeks": 7 * DAY,
    "mo": 30 * DAY,
    "months": 30 * DAY,
    "y": 365 * DAY,
    "years": 365 * DAY,
}


def parse_limit(text: str, now: int) -> int:
    """Return the time that an age or a date stands for."""
    age = re.fullmatch(r"([0-9]+)([a-z]+)", text)
    if age:
        return now - int(age[1]) * UNITS[age[2]]
    date = datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ" if "T" in text else "%Y-%m-%d")
    return int(date.replace(tzinfo=datetime.UTC).timestamp()) * SECOND


# Note: when a rule keeps an artifact


def keeps(rule: Rule, artifact: Artifact, newest: Collection[Artifact]) -> bool:
    """Return whether a rule keeps an artifact. `newest` are the artifacts that its `keep_newest` keeps."""
    keep_properties = rule.get("keep_properties", {})
    has_kept_property = any(has_property(artifact, key, value) for key, value in keep_properties.items())
    return applies(rule, artifact) and (has_kept_property or artifact in newest)


def find_newest(rule: Rule, artifacts: Iterable[Artifact]) -> set[Artifact]:
    """Return the artifacts that are among the newest of at least one of their groups."""
    if "keep_newest" not in rule:
        return set()
    groups: dict[tuple[str, Any], list[Artifact]] = {}
    for artifact in artifacts:
        if applies(rule, artifact):
            for group in find_groups(rule, artifact):
                groups.setdefault((artifact.repo, group), []).append(artifact)
    newest: set[Artifact] = set()
    for members in groups.values():
        # Of artifacts with the same time, the one whose path is last in the order of code points is newer.
        members.sort(key=lambda artifact: (artifact.time, artifact.path), reverse=True)
        newest.update(members[: rule["keep_newest"]])
    return newest


def find_groups(rule: Rule, artifact: Artifact) -> set[Any]:
    """Return the groups of an artifact for `keep_newest`, within its repository."""
    group_by = rule.get("group_by", "folder")
    if group_by == "name":
        match = re.fullmatch(rule["group_pattern"], artifact.name)
        return {match.groups(default="")} if match else set()
    if group_by == "property":
        return set(artifact.properties.get(rule["group_property"], []))
    return {artifact.folder}


# Note: an artifact counts for a rule by the title of the rule


def get_title(rule: Rule, position: int) -> str:
    """Return the title of a rule, by default its position."""
    return str(rule.get("title", f"rules[{position}]"))


# Note: all patterns match the whole text


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches a whole text."""
    return translate(pattern).fullmatch(text) is not None


@functools.cache
def translate(pattern: str) -> re.Pattern[str]:
    """Return a pattern as a regular expression."""
    wildcards = {"*": ".*", "?": "."}
    return re.compile("".join(wildcards.get(one, re.escape(one)) for one in pattern), re.DOTALL)


def matches_any(patterns: Iterable[str], text: str) -> bool:
    """Return whether at least one pattern matches a whole text."""
    return any(matches(pattern, text) for pattern in patterns)


# Note: names that cannot be handled safely


def is_handled(artifact: Artifact) -> bool:
    """Return whether the names of an artifact can be handled safely."""
    return (
        not any(is_refused_character(one) for text in (artifact.repo, artifact.path, artifact.name) for one in text)
        and not artifact.folder[:1].isspace()
        and not artifact.name[:1].isspace()
        and "!" not in artifact.path
        and ";" not in artifact.path
        and not artifact.path.endswith(":properties")
    )


@functools.cache
def is_refused_character(one: str) -> bool:
    """Return whether a character is a double quote, a control character, a line separator or a surrogate."""
    return one in '"\u2028\u2029\u0085' or unicodedata.category(one) in ("Cc", "Cs")


# Folders, from the description of the option


def find_empty_folders(deleted: Iterable[Artifact], remaining: Iterable[StoredFile]) -> list[Folder]:
    """Return the uppermost folders that a deleted artifact was in or below and that no file remains in or below.

    The folder of a tag is part of the tag and does not count.
    """
    empty = {(artifact.repo, folder) for artifact in deleted for folder in list_folders_around(artifact.path)}
    empty -= {(file.repo, folder) for file in remaining for folder in list_folders_around(file.path)}
    return sorted((repo, path) for repo, path in empty if (repo, split_path(path)[0]) not in empty)


def find_remaining_folders(
    files: Iterable[StoredFile], folders: Iterable[Folder], prediction: Prediction, should_delete_empty: bool
) -> set[Folder]:
    """Return the folders that exist after the task, with and without files.

    `files` and `folders` are those before the task. A deletion of a tag deletes its folder.
    """
    existing = {(repo, folder) for repo, path in folders for folder in (path, *list_folders_around(path))}
    existing |= {(file.repo, folder) for file in files for folder in list_folders_around(file.path)}
    if prediction.refused:
        return existing
    existing -= {(item.repo, item.path) for item in prediction.planned if item.kind == "tag"}
    if not should_delete_empty:
        return existing
    deleted = prediction.empty_folders
    return {
        (repo, path)
        for repo, path in existing
        if not any((repo, folder) in deleted for folder in (path, *list_folders_around(path)))
    }
