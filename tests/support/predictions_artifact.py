# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Generated worlds of Artifactory, and tasks for them, whose check mode is compared with the real run."""

from __future__ import annotations

import dataclasses
import hashlib
import random
from collections.abc import Callable, Iterator
from typing import Any

TOKEN = "check-equals-run-access-token"
LOCALS = ["one", "two", "maven", "docker", "release"]
REPOSITORIES = [*LOCALS, "virtual", "readonly", "remote", "missing"]
# Names that contain other names, and files where others have folders
PATHS = ["a", "a/b", "a/b/c.txt", "a/b/c.txt/d", "d/e.txt", "d", "team/web/x", "é b.txt", "org/q/z/1.0/z.jar", "f-1"]
CONTENTS = ["", "one", "two", "three"]
PROPERTIES = [{"k": "v"}, {"k": ["v", "w"]}, {"k": "a,b;c", "build.name": "app"}, {"x:y": ["1", "2"]}, {"k": []}]
IMAGES = ["team", "team/web", "other"]
TAGS = ["web", "1.0", "2.0"]
NUMBERS = ["7", "8", "1.10"]
DAYS = ["2026-01-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"]
ARCHIVES = {
    "flat.zip": {"c.txt": "one", "e.txt": "two"},
    "deep.zip": {"a/b/c.txt": "one", "b/c.txt": "three"},
    "empty.zip": {},
    "odd.zip": {"a!b": "one"},
}


@dataclasses.dataclass(frozen=True)
class Task:
    """A module and its options."""

    module: str
    options: dict[str, Any]


def results_agree(predicted: Any, done: Any) -> bool:
    """Return whether a result of check mode agrees with the real run. `None` agrees with any value.

    The words of failures may differ.
    """
    if isinstance(predicted, dict) and isinstance(done, dict):
        if predicted.get("failed") or done.get("failed"):
            return all(predicted.get(name) == done.get(name) for name in ("failed", "changed"))
        predicted, done = (_drop_empty_diff(one) for one in (predicted, done))
        return predicted.keys() == done.keys() and all(
            results_agree(value, done[name]) for name, value in predicted.items()
        )
    if isinstance(predicted, list) and isinstance(done, list):
        return len(predicted) == len(done) and all(map(results_agree, predicted, done))
    return predicted is None or predicted == done


def _drop_empty_diff(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if (name, value) != ("diff", [])}


class World:
    """Generated repositories, their seed for the sandbox, and tasks that mostly act on existing items."""

    def __init__(self, number: int, edition: str) -> None:
        self._chance = random.Random(number)
        # The open-source edition does not show that a virtual repository takes no uploads
        self._repositories = [key for key in REPOSITORIES if key != "readonly" or edition == "pro"]
        self._places: list[tuple[str, str]] = []
        self._deleted: list[tuple[str, str]] = []
        self._images: list[tuple[str, str, str]] = []
        self._numbers: list[str] = []
        self.seed = {
            "users": [{"name": "admin", "password": "password", "admin": True}],
            "tokens": [{"token": TOKEN, "username": "admin", "exported": True}],
            "repositories": [
                *({"key": key, "rclass": "local", "files": self._files(key)} for key in ("one", "two")),
                {
                    "key": "release",
                    "rclass": "local",
                    "excludesPattern": "d/**,**/*.jar",
                    "files": self._files("release"),
                },
                {"key": "maven", "rclass": "local", "packageType": "maven", "files": self._files("maven")},
                *(self._docker(key) for key in ("docker", "docker-release")),
                {"key": "virtual", "rclass": "virtual", "repositories": ["one"], "defaultDeploymentRepo": "one"},
                {"key": "readonly", "rclass": "virtual", "repositories": ["two", "one"]},
                {"key": "remote", "rclass": "remote", "url": "http://127.0.0.1:9/"},
            ],
            "builds": [self._build() for _build in range(self._chance.randint(1, 5))],
        }

    def tasks(self) -> Iterator[Task]:
        """Return tasks without end, the first of which fill the trash can."""
        for repo, path in self._sample(self._places, 2):
            self._deleted.append((repo, path))
            yield Task("artifact_file", {"repo": repo, "path": path, "state": "absent", "recursive": True})
        makers = [
            *((module, make) for module, make, count in self._makers() for _time in range(count)),
        ]
        while True:
            module, make = self._chance.choice(makers)
            yield Task(module, make())

    def _makers(self) -> list[tuple[str, Callable[[], dict[str, Any]], int]]:
        """Return module, maker of options, and weight."""
        return [
            ("artifact_file", self._upload, 3),
            ("artifact_file", self._deletion, 2),
            ("artifact_archive", self._archive, 2),
            ("artifact_properties", self._new_properties, 2),
            ("artifact_properties", self._old_properties, 1),
            ("artifact_build", lambda: {"content": self._record()}, 1),
            ("artifact_build", self._build_deletion, 1),
            ("artifact_build_promotion", self._promotion, 3),
            ("artifact_build_retention", self._retention, 2),
            ("artifact_image_promotion", self._image_promotion, 3),
            ("artifact_trash", self._trash, 3),
            ("artifact_cleanup", self._cleanup, 1),
        ]

    def _files(self, repo: str) -> dict[str, Any]:
        files: dict[str, Any] = {}
        for path in self._sample(PATHS, 5):
            if any(f"{path}/".startswith(f"{other}/") or f"{other}/".startswith(f"{path}/") for other in files):
                continue
            named = {"build.name": "app", "build.number": self._chance.choice(NUMBERS)}
            files[path] = {"content": self._chance.choice(CONTENTS), "properties": named if self._is_rare() else {}}
            self._places += [(repo, path), (repo, path.partition("/")[0])]
        return files

    def _docker(self, repo: str) -> dict[str, Any]:
        images = {image: self._chance.sample(TAGS, self._chance.randint(1, 2)) for image in self._sample(IMAGES, 3)}
        self._images += [(repo, image, tag) for image, tags in images.items() for tag in tags]
        return {"key": repo, "rclass": "local", "packageType": "docker", "images": images}

    def _build(self) -> dict[str, Any]:
        build = self._record()
        self._numbers.append(build["number"])
        return {**build, "promotions": [{"status": "staged", "repo": "one"}]} if self._is_rare() else build

    def _record(self) -> dict[str, Any]:
        sha1 = hashlib.sha1(self._chance.choice(CONTENTS).encode()).hexdigest()
        module = {"id": "m", "artifacts": [{"name": "c.txt", "type": "txt", "sha1": sha1}]}
        modules = [] if self._is_rare() else [module]
        number, started = self._chance.choice(NUMBERS), self._chance.choice(DAYS)
        return {"name": "app", "number": number, "started": started, "modules": modules}

    def _upload(self) -> dict[str, Any]:
        return {**self._choose_place(), "content": self._chance.choice(CONTENTS), **self._some(properties=PROPERTIES)}

    def _deletion(self) -> dict[str, Any]:
        place = self._choose_place()
        self._deleted.append((place["repo"], place["path"]))
        return {**place, "state": "absent", **self._some(recursive=[True])}

    def _archive(self) -> dict[str, Any]:
        place = {**self._choose_place(), **self._some(path=["", "new/x"])}
        return {**place, "src": self._chance.choice(list(ARCHIVES)), **self._some(atomic=[True, False])}

    def _new_properties(self) -> dict[str, Any]:
        desired = {"properties": self._chance.choice(PROPERTIES), **self._some(purge=[True])}
        return {**self._choose_place(), **desired, **self._some(recursive=[True])}

    def _old_properties(self) -> dict[str, Any]:
        keys = self._chance.sample(["k", "build.name", "build.number", "x:y"], 2)
        return {**self._choose_place(), "keys": keys, "state": "absent", **self._some(recursive=[True])}

    def _build_deletion(self) -> dict[str, Any]:
        return {**self._run(), "state": "absent", **self._some(artifacts=[True])}

    def _promotion(self) -> dict[str, Any]:
        target = self._some(
            target_repo=self._repositories, copy=[True], from_status=["staged"], fail_fast=[False], repo=["one"]
        )
        properties = self._some(properties=PROPERTIES[:2]) if "target_repo" in target else {}
        if "target_repo" not in target:
            target.pop("repo", None)
        return {**self._run(), "status": self._chance.choice(["staged", "released"]), **target, **properties}

    def _retention(self) -> dict[str, Any]:
        limits = [{"count": 1}, {"count": 2}, {"minimum_date": DAYS[2]}, {"count": 1, "minimum_date": DAYS[1]}]
        some = self._some(keep=[["7"], ["1.10"]], artifacts=[True])
        return {"build": "app", **self._chance.choice(limits), **some, "wait_timeout": 1}

    def _image_promotion(self) -> dict[str, Any]:
        repo, image, tag = self._chance.choice(self._images)
        target = "docker" if repo == "docker-release" else "docker-release"
        override = {"target_repo": self._chance.choice(self._repositories)} if self._is_rare() else {}
        named = {"tag": self._chance.choice(TAGS) if self._is_rare() else tag} if not self._is_rare() else {}
        return {"repo": repo, "image": image, "target_repo": target, **override, **named, **self._some(copy=[True])}

    def _trash(self) -> dict[str, Any]:
        action = self._chance.choice(["clean", "restore", "restore", "restore", "restore", "empty"])
        if action == "empty":
            return {"action": action, "wait_timeout": 1}
        repo, path = self._chance.choice(self._deleted or [("one", "a")])
        elsewhere = self._some(to_repo=self._repositories, to_path=PATHS) if self._is_rare() else {}
        more = {**elsewhere, **self._some(force=[True])} if action == "restore" else {}
        return {"action": action, "repo": repo, "path": path, **more, "wait_timeout": 1}

    def _cleanup(self) -> dict[str, Any]:
        rule = {"repos": [self._chance.choice(["one", "two", "docker"])], "older_than": "0d"}
        return {"rules": [{**rule, **self._some(keep_newest=[1, 2], names=[["*.txt"]])}]}

    def _choose_place(self) -> dict[str, Any]:
        if self._places and not self._is_rare():
            repo, path = self._chance.choice(self._places)
        else:
            repo, path = self._chance.choice(self._repositories), self._chance.choice(PATHS)
        return {"repo": repo, "path": path}

    def _run(self) -> dict[str, Any]:
        return {"build": "app", "number": self._chance.choice(NUMBERS if self._is_rare() else self._numbers)}

    def _some(self, **options: list[Any]) -> dict[str, Any]:
        """Return some of the options, each with one of its values."""
        return {name: self._chance.choice(values) for name, values in options.items() if self._chance.random() < 0.5}

    def _sample(self, values: list[Any], most: int) -> list[Any]:
        return self._chance.sample(values, self._chance.randint(1, most)) if len(values) >= most else values

    def _is_rare(self) -> bool:
        return self._chance.random() < 0.3
