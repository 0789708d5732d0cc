# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generate repositories, files and rules for the module artifact_cleanup from a random.Random.

A world is what Artifactory stores. The same seed gives the same world and rules, except that all times are relative
to `now`.

No outcome depends on the time of the day or on a delay of some hours, since times come from two separate grids:

- Files whose age is a day of RELATIVE_DAYS plus or minus half a day. Ages in rules are exactly such days.
- Files that are at, 1 ms before or 1 ms after midnight or noon (UTC) of a day of DATED_DAYS. Dates in rules are exactly
  such times.

The days of the two grids are at least three days apart.
"""

from __future__ import annotations

import datetime
import itertools
import re
from collections.abc import Callable
from random import Random
from typing import Any

from support.cleanup import model
from support.cleanup.model import Repository, Rule, StoredFile

DAY = model.DAY
NOON = DAY // 2
DEFAULT_NOW = 1_795_440_000_000 + 47_123_456  # 2026-11-24, 02:25:23.456 UTC

RELATIVE_DAYS = (10, 20, 30, 60, 70, 90, 180, 365, 730)
DATED_DAYS = (5, 15, 25, 45, 100, 200, 400)
RELATIVE_AGES = {
    10: ("10d", "10days", "864000s", "864000seconds", "14400mi", "14400minutes"),
    20: ("20d", "20days", "28800mi"),
    30: ("30d", "1mo", "30days", "1months"),
    60: ("60d", "2mo", "2months", "86400minutes"),
    70: ("70d", "10w", "10weeks"),
    90: ("90d", "3mo", "7776000s"),
    180: ("180d", "6mo", "6months"),
    365: ("365d", "1y", "1y", "1years"),
    730: ("730d", "2y", "2y", "2years"),
}

SIZES = (0, 1, 2, 100, 1023, 1024, 1025, 5000, 100_000, 1_000_000, 1_048_576, 1_048_577, 3_000_000_000)

PROPERTY_VALUES: dict[str, tuple[str, ...]] = {
    "channel": ("stable", "nightly", "Stable", "a,b", "a", "b", "x=y", "x"),
    "build.name": ("web api", "web", "web,api", "l|r", "p;q", "p", "été", "100%", "[x]", "a_b", "a\\b"),
    "build": ("17", "017", "17.0", "170", "0"),
    "pin": ("true", "false", "True", "1"),
    "release": ("1.0", "2.0", "yes", "-"),
    "Channel": ("stable", "nightly"),
}

GROUP_PATTERNS = (
    r"(.*)-[0-9.]+[.]tar[.]gz",
    r"(.*)[.]([A-Za-z]+)",
    r"([A-Za-z]+).*",
    r"(?:app|lib)?-?(.*)",
    r"(app)?(-)?.*",
    r"(a*)(p*).*",
    r"([0-9]+)[.].*",
    r"(v)?([0-9]+)[.]?.*",
    r"(.*?)(-rc.*)?",
    r"(?i:(app|lib)).*",
    r"[^.]*([.].*)?",
    r"(.)(?:.*)",
    r"(?:app(-?).*|.*)",
    r"(.*?)-?[0-9.]*(?:-SNAPSHOT)?(?:-sources|-javadoc)?[.](?:jar|pom|war)",
)


# Worlds


def generate_world(
    random: Random, now: int = DEFAULT_NOW, prefix: str = ""
) -> tuple[list[Repository], list[StoredFile]]:
    """Return repositories, whose keys begin with a prefix, and their files."""
    layout: list[tuple[str, str, str, Callable[[Random], list[str]]]] = []
    docker_keys = random.sample(["docker", "docker-local", "docker-local-2", "docker_local", "docker.local"], 2)
    layout.append((docker_keys[0], "docker", "local", _generate_image_paths))
    if random.random() < 0.4:
        layout.append((docker_keys[1], "docker", random.choice(["local", "federated"]), _generate_image_paths))
    if random.random() < 0.6:
        key, package_type = random.choice(["oci", "oci-local"]), random.choice(["oci", "oci", "helmoci"])
        layout.append((key, package_type, "local", _generate_image_paths))
    if random.random() < 0.7:
        # Not of the type maven, in which Artifactory writes maven-metadata.xml itself, between the rule sets
        layout.append((random.choice(["maven", "maven-releases"]), "generic", "local", _generate_maven_paths))
    generic_keys = ["generic", "generic-local", "generic-local-2", "generic-locals", "g"]
    for key in random.sample(generic_keys, random.choice([1, 2, 2, 3])):
        package_type, rclass = random.choice(["generic"] * 4 + ["npm"]), random.choice(["local"] * 4 + ["federated"])
        layout.append((key, package_type, rclass, _generate_generic_paths))
    if random.random() < 0.5:
        key, package_type = random.choice(
            [
                ("artifactory-build-info", "BuildInfo"),
                ("artifactory-build-info", "generic"),
                ("generic-release-bundles", "generic"),
                ("docker-local-release-bundles-v2", "generic"),
                ("generic-builds", "BuildInfo"),
                ("generic-bundles", "ReleaseBundles"),
                ("generic-build-info-2", "generic"),  # not special
            ]
        )
        layout.append((key, package_type, "local", _generate_build_paths))
    if random.random() < 0.3:
        layout.append(("hub", "generic", "remote", _generate_generic_paths))
    if random.random() < 0.2:
        layout.append(("generic-all", "generic", "virtual", lambda _: []))
    random.shuffle(layout)

    repositories, files = [], []
    for key, package_type, rclass, generate_paths in layout:
        repository = Repository(prefix + key, package_type, rclass)
        repositories.append(repository)
        repo = model.get_content_key(repository) or repository.key
        paths = _remove_conflicts(generate_paths(random))
        files += _generate_files(random, repo, paths, now)
    return repositories, files


def _remove_conflicts(paths: list[str]) -> list[str]:
    """Return the paths once each, without those of files that are folders of other files."""
    folders = {folder for path in paths for folder in model.list_folders_around(path)}
    return [path for path in dict.fromkeys(paths) if path not in folders]


def _generate_files(random: Random, repo: str, paths: list[str], now: int) -> list[StoredFile]:
    times = [_choose_time(random, now) for _ in range(random.choice([1, 4, 12]))]  # few times cause many ties
    if random.random() < 0.25:
        noon = _find_midnight(random.choice(DATED_DAYS), now) + NOON
        times = [noon - 1, noon, noon, noon + 1]
    is_tied = random.random() < 0.2
    keys = random.sample(list(PROPERTY_VALUES), random.randint(2, 4))
    files: dict[str, StoredFile] = {}
    for path in paths:
        created = random.choice(times) if is_tied or random.random() < 0.7 else _choose_time(random, now)
        modified = created if is_tied or random.random() < 0.6 else _choose_time(random, now)
        downloaded = _choose_time(random, now) if random.random() < 0.35 else None
        properties = {key: _choose_values(random, key) for key in keys if random.random() < 0.45}
        files[path] = StoredFile(repo, path, _choose_size(random), created, modified, downloaded, properties)
    for path, file in files.items():
        # The documentation does not say which of two manifests has the time and the properties of a tag.
        folder, name = model.split_path(path)
        other = files.get(f"{folder}/manifest.json")
        if name == "list.manifest.json" and other:
            files[path] = StoredFile(
                repo, path, file.size, other.created, other.modified, other.downloaded, other.properties
            )
    return list(files.values())


def _choose_time(random: Random, now: int) -> int:
    if random.random() < 0.6:
        return now - random.choice(RELATIVE_DAYS) * DAY + random.choice([-NOON, NOON])
    return _find_midnight(random.choice(DATED_DAYS), now) + random.choice([0, NOON]) + random.choice([-1, 0, 0, 1])


def _find_midnight(days: int, now: int) -> int:
    """Return midnight in UTC of the day that is so many days before the day of `now`."""
    return (now // DAY - days) * DAY


def _choose_size(random: Random) -> int:
    return random.choice(SIZES) if random.random() < 0.7 else random.randint(1, 10_000_000)


def _choose_values(random: Random, key: str) -> list[str]:
    values = PROPERTY_VALUES[key]
    return random.sample(values, min(random.choice([1, 1, 1, 2, 3]), len(values)))


def _generate_hex(random: Random, digits: int = 64) -> str:
    return f"{random.getrandbits(4 * digits):0{digits}x}"


def _generate_layers(random: Random, folder: str) -> list[str]:
    paths = [f"{folder}/sha256__{_generate_hex(random)}" for _ in range(random.choice([0, 1, 2, 4]))]
    return paths + [f"{folder}/sha256__{_generate_hex(random)}.marker" for _ in range(random.choice([0, 0, 0, 1]))]


TAGS = ("1.0", "1.1", "1.10", "1.0-rc.1", "2.0", "v2.0", "v3", "latest", "Latest", "main_1", "20261001", "a.b", "aXb")
IMAGES = ("team", "team/web", "team/web/api", "team-x", "team-x/web", "teams", "Team/web", "lib/a_b", "lib/a-b", "a")


def _generate_image_paths(random: Random) -> list[str]:
    paths: list[str] = []
    for image in random.sample(IMAGES, random.randint(3, 6)):
        for tag in random.sample(TAGS, random.choice([1, 2, 3, 5])):
            paths += _generate_tag_paths(random, f"{image}/{tag}")
        if random.random() < 0.3:  # the image of one platform, without a tag
            digest = random.choice(["sha256__", "sha256__", "sha256:"]) + _generate_hex(random)
            paths += [f"{image}/{digest}/manifest.json", *_generate_layers(random, f"{image}/{digest}")]
        if random.random() < 0.2:  # files that belong to no tag
            paths.append(
                f"{image}/{random.choice(['README', '_uploads/1', 'untagged/sha256__' + _generate_hex(random)])}"
            )
    images = {folder for path in paths for folder in model.list_folders_around(path)} & set(IMAGES)
    for image in sorted(images):
        if "/" in image and random.random() < 0.6:  # a tag with the name of a nested image
            paths += _generate_tag_paths(random, image)
    if random.random() < 0.2:
        paths.append(random.choice(["manifest.json", "list.manifest.json"]))
    if random.random() < 0.2:
        paths.append(f"{random.choice(['alone', 'team', 'a'])}/manifest.json")
    if random.random() < 0.1:
        paths += _generate_tag_paths(random, f"team/{random.choice(['manifest.json', 'list.manifest.json', 'sha256'])}")
    return paths


def _generate_tag_paths(random: Random, folder: str) -> list[str]:
    roll = random.random()
    paths = _generate_layers(random, folder)
    if roll < 0.84:
        paths.append(f"{folder}/manifest.json")
    if roll > 0.78:
        paths.append(f"{folder}/list.manifest.json")
    if random.random() < 0.12:
        digest = _generate_hex(random)
        foreign = (
            "notes.txt",
            "files/notes.txt",
            "files/deep/manifest.json",
            "Manifest.json",
            f"sha256__{digest[1:]}",
            f"sha256__{digest}0",
            f"sha256__{digest[1:]}A",
            f"sha256__{digest}.marker.marker",
            f"sha256__{digest}.Marker",
            f"sha256:{digest}",
            f"sha256__{digest}/manifest.json",
        )
        paths.append(f"{folder}/{random.choice(foreign)}")
    return paths


MAVEN_GROUPS = (
    "com/example",
    "com/example-api",
    "com/exam",
    "com/example/app",
    "Com/example",
    "org/lib_a",
    "org/libXa",
)


def _generate_maven_paths(random: Random) -> list[str]:
    paths = []
    for group in random.sample(MAVEN_GROUPS, random.randint(2, 4)):
        for name in random.sample(["app", "app-core", "lib"], random.randint(1, 2)):
            paths.append(f"{group}/{name}/maven-metadata.xml")
            for version in random.sample(["1.0", "1.1", "1.10", "2.0"], random.randint(1, 3)):
                stem = f"{group}/{name}/{version}/{name}-{version}"
                paths += random.sample([f"{stem}.pom", f"{stem}.jar", f"{stem}-sources.jar"], random.randint(1, 3))
            if random.random() < 0.5:
                folder = f"{group}/{name}/1.2-SNAPSHOT"
                paths.append(f"{folder}/maven-metadata.xml")
                for number in range(1, random.randint(2, 4)):
                    stem = f"{folder}/{name}-1.2-20261001.12000{number}-{number}"
                    paths += [f"{stem}.pom", f"{stem}.jar"]
    return paths


GENERIC_FOLDERS = (
    "",
    "app/",
    "app-1/",
    "app.d/",
    "app 2/",
    "app/1.0/",
    "app/1.0/deep/",
    "app/app/",
    "App/",
    "ap/",
    "a/",
    "b/a/",
    "my folder/",
    "my folder/sub folder/",
    "caf\u00e9/",
    "cafe\u0301/",
    "100%/",
    "%41/",
    "A/",
    "a^b/",
    "a_b/",
    "aXb/",
    "[ab]/",
    "a.b/",
    "readme/",
    "\U0001f600/",
    "\ufb01/",
    ".hidden/",
)
GENERIC_NAMES = (
    "app-1.0.tar.gz",
    "app-1.1.tar.gz",
    "app-1.10.tar.gz",
    "App-1.0.tar.gz",
    "app-1.0xtar.gz",
    "lib-2.0.tar.gz",
    "app",
    "app-1",
    "app.txt",
    "readme.txt",
    "README.txt",
    "my file.txt",
    "caf\u00e9.bin",
    "cafe\u0301.bin",
    "\U0001f600.bin",
    "\ufb01.bin",
    "100%.log",
    "%41.txt",
    "A.txt",
    "a%2Fb.txt",
    "a^b.txt",
    "^a",
    "a$",
    "a_b.txt",
    "aXb.txt",
    "[ab].txt",
    "a.txt",
    "b",
    "a.b",
    "a(1)+{2}.txt",
    "#1~.txt",
    "k=v&c,d.txt",
    "p;q=1.txt",
    "it's.txt",
    "@at.txt",
    "manifest.json",
    ".hidden",
)
# Names that Artifactory stores, but that the module does not handle.
UNHANDLED_NAMES = (
    "line\u2028break.txt",
    "line\u2029break.txt",
    "next\u0085line.txt",
    "tab\tin.txt",
    "del\u007f.txt",
    "\u3000wide.txt",
)


# Names that a wrong comparison takes for each other, or sorts in the wrong order.
TWINS = (
    ("a_b", "aXb"),
    ("a.b", "aXb"),
    ("[ab]", "a"),
    ("%41", "A"),
    ("a", "A"),
    ("caf\u00e9", "cafe\u0301"),
    ("\U0001f600", "\ufb01"),
    ("\U0001f600", "\ufb01"),
    ("\U0001f600", "\ufb01"),
    ("a^b", "ab"),
    ("app", "app-1"),
    ("app", "app.d"),
    ("app", "app 2"),
)


def _generate_generic_paths(random: Random) -> list[str]:
    folders = random.sample(GENERIC_FOLDERS, random.randint(3, 7))
    names = random.sample(GENERIC_NAMES, random.randint(4, 9))
    paths = [f"{folder}{name}" for folder, name in itertools.product(folders, names) if random.random() < 0.5]
    for twin in random.choice(TWINS):
        paths += [f"{twin}/{name}" for name in names[:3]]
    for twin in random.choice(TWINS):
        paths += [f"{folder}{twin}.bin" for folder in ("", folders[0])]
    if random.random() < 0.25:
        paths.append(random.choice(folders) + random.choice(UNHANDLED_NAMES))
    if random.random() < 0.1:
        paths += [f"\u00a0lead/{names[0]}", f"app/\u00a0inner/{names[0]}"]
    return paths


def _generate_build_paths(random: Random) -> list[str]:
    return [f"app/{number}-{random.randint(1, 9)}.json" for number in range(random.randint(2, 4))]


# Rules


def generate_rules(
    random: Random,
    repositories: list[Repository],
    files: list[StoredFile],
    now: int = DEFAULT_NOW,
    prefix: str = "",
) -> list[Rule]:
    """Return 1 to 4 rules, most of them such that some of the artifacts are deleted, but not all.

    `now` and `prefix` are those of the world. All keys and patterns of repositories begin with the prefix.
    """
    artifacts = [one for one in model.find_artifacts(repositories, files) if model.is_handled(one)]
    artifacts.sort(key=lambda one: (one.repo, one.path))
    target: model.Artifact | None
    # Each repository has the same chance, whatever the number of its artifacts is.
    by_repository: dict[str, list[model.Artifact]] = {}
    for artifact in artifacts:
        by_repository.setdefault(artifact.repo, []).append(artifact)
    usable = [repository for repository in repositories if model.get_content_key(repository)]
    is_any_outcome_fine = random.random() < 0.08
    rules: list[Rule] = []
    for _ in range(40):
        rules, target = [], None
        for position in range(random.choice([1, 2, 2, 3, 3, 4])):
            if artifacts and (position == 0 or random.random() < 0.5):
                target = random.choice(by_repository[random.choice(list(by_repository))])
            rules.append(_generate_rule(random, position, target, artifacts, usable, now, prefix))
        try:
            prediction = model.predict(repositories, files, rules, now)
        except ValueError:  # the options of a rule match no repository together
            continue
        fewest = random.choice([1, 2, 4, 8, 16])
        if is_any_outcome_fine or not artifacts or fewest <= len(prediction.planned) < 0.8 * len(artifacts):
            return rules
    return [{"repos": [prefix + "*"], "older_than": "20d"}]


def _generate_rule(  # noqa: C901
    random: Random,
    position: int,
    target: model.Artifact | None,
    artifacts: list[model.Artifact],
    usable: list[Repository],
    now: int,
    prefix: str,
) -> Rule:
    """Return a rule that often, but not always, selects the target."""
    repository = target.repository if target else random.choice(usable)
    same_repository = [one for one in artifacts if one.repository is repository]
    other = random.choice(same_repository) if same_repository else None
    rule: Rule = {}
    if random.random() < 0.5:
        rule["title"] = f"{random.choice(['old builds', 'Tags', 'été', 'a: b'])} {position}"
    rule["repos"] = _choose_repos(random, repository, usable, prefix)
    if random.random() < 0.2:
        if random.random() < 0.6 and not model.is_special(repository):
            rule["repos"] = [prefix + "*"]
        rule["exclude_repos"] = _choose_excluded_repos(random, repository, usable, prefix)
    if random.random() < 0.25:
        package_type = repository.package_type
        cases = [package_type, package_type.lower(), package_type.upper(), package_type.title()]
        rule["package_type"] = random.choice(cases)
    if random.random() < 0.35:
        rule["paths"] = _generate_several(
            random, lambda: _generate_folder_pattern(random, target.folder if target else "app")
        )
    if random.random() < 0.25:
        rule["exclude_paths"] = _generate_several(
            random, lambda: _generate_folder_pattern(random, other.folder if other else "app")
        )
    if random.random() < 0.35:
        rule["names"] = _generate_several(random, lambda: _generate_pattern(random, target.name if target else "app"))
    if random.random() < 0.3:
        rule["exclude_names"] = _generate_several(
            random, lambda: _generate_pattern(random, other.name if other else "app")
        )
    if random.random() < (0.3 if target and target.properties else 0.05):
        rule["properties"] = _choose_properties(random, target, count=random.choice([1, 1, 1, 2]))
    if random.random() < 0.4:
        rule["older_than"] = _choose_limit(random, target.time if target else now, now)
    if random.random() < 0.25:
        last_uses = [max(target.time, target.downloaded or 0) if target else now]
        last_uses += [one.downloaded for one in same_repository if one.downloaded and one.downloaded > one.time]
        last_use = random.choice([last_uses[0], random.choice(last_uses)])
        rule["not_downloaded_since"] = _choose_limit(random, last_use, now)
    if random.random() < 0.25:
        size = target.size if target else 1
        rule["larger_than"] = random.choice([0, max(0, size - 1), max(0, size - 1), size // 2, size, 1024])
    if random.random() < 0.4:
        rule["keep_newest"] = random.choice([1, 1, 2, 2, 3, 5])
        group_by = random.choice(["", "folder", "name", "name", "property"])
        if group_by:
            rule["group_by"] = group_by
        if group_by == "name":
            fitting = [one for one in GROUP_PATTERNS if target and re.fullmatch(one, target.name)]
            rule["group_pattern"] = random.choice(fitting or list(GROUP_PATTERNS))
        if group_by == "property":
            rule["group_property"] = random.choice(list(target.properties if target else ()) or list(PROPERTY_VALUES))
    if random.random() < 0.3:
        rule["keep_properties"] = _choose_properties(random, other, count=random.choice([1, 1, 2]))
        if random.random() < 0.3:
            rule["keep_properties"][random.choice(list(rule["keep_properties"]))] = None
    needed = ("paths", "names", "properties", "older_than", "not_downloaded_since", "larger_than", "keep_newest")
    if not any(option in rule for option in needed):
        rule["older_than"] = _choose_limit(random, target.time if target else now, now)
    return rule


def _generate_several(random: Random, generate: Callable[[], str]) -> list[str]:
    """Return one pattern, or a few different ones."""
    return list(dict.fromkeys(generate() for _ in range(random.choice([1, 1, 2, 3]))))


def _choose_repos(random: Random, repository: Repository, usable: list[Repository], prefix: str) -> list[str]:
    key = model.get_content_key(repository) or repository.key
    other = model.get_content_key(random.choice(usable)) or repository.key
    if model.is_special(repository):
        return [key] if random.random() < 0.7 else [f"{prefix}*", key]
    return random.choice(
        [
            [key],
            [key],
            list(dict.fromkeys([other, key])),
            [prefix + "*"],
            [prefix + "*"],
            [_generate_key_pattern(random, key, prefix)],
            [_generate_key_pattern(random, key, prefix), other],
        ]
    )


def _choose_excluded_repos(random: Random, repository: Repository, usable: list[Repository], prefix: str) -> list[str]:
    """Return keys and patterns that do not match the repository, unless a pattern does so by chance."""
    key = model.get_content_key(repository)
    others = [one for one in usable if one is not repository]
    if not others:
        return [f"{key}-none*"]
    # The documentation does not say whether a pattern excludes a special repository. A written-out key does.
    other = random.choice(others)
    other_key = model.get_content_key(other) or other.key
    pattern = other_key if model.is_special(other) else _generate_key_pattern(random, other_key, prefix)
    if any(model.is_special(one) and model.matches(pattern, one.key) for one in usable):
        pattern = other_key
    return [pattern if random.random() < 0.6 else other_key]


def _generate_key_pattern(random: Random, key: str, prefix: str) -> str:
    """Return a pattern that matches a key and begins with the prefix."""
    rest = key.removeprefix(prefix)
    end = random.randint(1, len(rest))
    place = random.randrange(len(rest))
    return prefix + random.choice(
        [f"{rest[:end]}*", f"{rest}*", f"*{rest[end - 1 :]}", f"{rest[:place]}?{rest[place + 1 :]}", f"?{rest[1:]}"]
    )


def _generate_pattern(random: Random, text: str) -> str:
    """Return a pattern that mostly matches a text."""
    start = random.randrange(len(text))
    end = random.randint(start, len(text))
    extension = "." + text.rpartition(".")[2] if "." in text else ""
    pattern = random.choice(
        [
            text,
            text,
            f"{text[: start + 1]}*",
            f"*{text[start:]}",
            f"*{extension or text[-1]}",
            f"{text[:start]}?{text[start + 1 :]}",
            f"{text[:start]}*{text[end:]}",
            f"*{text[start : end + 1]}*",
            f"{text}*",
            "*",
            f"{text}?",
            text.swapcase(),
        ]
    )
    return pattern if _is_plain_line(pattern) else text


def _generate_folder_pattern(random: Random, folder: str) -> str:
    """Return a pattern that mostly matches a folder."""
    first = folder.partition("/")[0]
    parent = folder.rpartition("/")[0]
    pattern = random.choice(
        [
            folder,
            f"{first}/*",
            f"{first}*",
            f"{parent}/*" if parent else f"{first}*",
            first,
            "*/" + folder.rpartition("/")[2],
            ".",
            "?",
            "*",
            *([folder.replace("/", "?", 1)] * 3 if "/" in folder else []),
            _generate_pattern(random, folder),
            _generate_pattern(random, folder),
            _generate_pattern(random, folder),
        ]
    )
    return pattern if _is_plain_line(pattern) else folder


def _is_plain_line(pattern: str) -> bool:
    """Return whether a pattern is a valid text without slashes and blanks at its ends."""
    return (
        pattern.strip() == pattern
        and pattern.isprintable()
        and not pattern.startswith("/")
        and not pattern.endswith("/")
        and "//" not in pattern
    )


def _choose_properties(random: Random, artifact: model.Artifact | None, count: int) -> dict[str, Any]:
    """Return conditions that an artifact with properties mostly meets."""
    own = artifact.properties if artifact else {}
    keys = random.sample(list(own), min(count, len(own))) or [random.choice(list(PROPERTY_VALUES))]
    return {key: _choose_expected_value(random, key, own.get(key)) for key in keys}


def _choose_expected_value(random: Random, key: str, own_values: list[str] | None) -> Any:
    value = random.choice(own_values or PROPERTY_VALUES[key])
    other = random.choice(PROPERTY_VALUES[key])
    if random.random() < 0.3:
        return list(dict.fromkeys(_convert_sometimes(random, one) for one in (other, value)))
    return _convert_sometimes(random, random.choice([value, value, value, "*", other]))


def _convert_sometimes(random: Random, value: str) -> str | int | bool:
    """Return a text as it is or, if it stands for an integer or a boolean, sometimes that."""
    if random.random() < 0.5:
        return value
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.isdecimal() and str(int(value)) == value else value


def _choose_limit(random: Random, time: int, now: int) -> str:
    """Return an age or a date that is mostly soon after a time."""
    limits = {now - days * DAY: random.choice(RELATIVE_AGES[days]) for days in RELATIVE_DAYS}
    for days in DATED_DAYS:
        for offset in (0, NOON):
            date = datetime.datetime.fromtimestamp((_find_midnight(days, now) + offset) / 1000, tz=datetime.UTC)
            is_short = offset == 0 and random.random() < 0.5
            limits[_find_midnight(days, now) + offset] = date.strftime("%Y-%m-%d" if is_short else "%Y-%m-%dT%H:%M:%SZ")
    nearest = sorted(limits, key=lambda limit: abs(limit - time))
    later = sorted(limit for limit in limits if limit > time) or nearest
    roll = random.random()
    if roll < 0.25:
        return limits[nearest[0]]  # for a dated file the limit that it is at, 1 ms before or 1 ms after
    if roll < 0.6:
        return limits[random.choice(later[:3])]
    if roll < 0.9:
        return limits[random.choice(later)]
    return limits[random.choice(list(limits))]


# Other options


def generate_options(random: Random, prediction: model.Prediction) -> dict[str, Any]:
    """Return options of the task besides its rules. Guards are close to what the plan has."""
    options: dict[str, Any] = {}
    items = len(prediction.planned)
    total = sum(item.size for item in prediction.planned)
    if random.random() < 0.25:
        options["max_items"] = random.choice([max(0, items - 1), items, items, items + 1])
    if random.random() < 0.2:
        options["max_bytes"] = random.choice([max(0, total - 1), total, total, total + 1])
    if random.random() < 0.3:
        options["empty_folders"] = True
    if random.random() < 0.2:
        options["page_size"] = 100
    if random.random() < 0.2:
        options["workers"] = random.choice([1, 8])
    return options
