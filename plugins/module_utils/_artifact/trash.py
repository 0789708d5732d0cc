# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The trash can: what lies in it, cleaned, emptied, and restored from. Each act is verified by looking."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import files, items, paths, repositories
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, wait_for

TRASH = "auto-trashcan"
_BUILD_RECORDS = "artifactory-build-info"
_ADDRESS = "/artifactory/api/trash"
_NOTHING = "Nothing to delete"


def listed(artifact: ArtifactService, repo: str | None, path: str, deep: bool) -> t.Iterator[Fields]:
    """What lies in the trash can, or in a folder of it; with `deep` also in the folders below."""
    _check_place({"repo": repo, "path": path}, "repo", "path")
    place = _place(repo, path)
    if not find(artifact, place):
        return
    for entry in items.listed(artifact, TRASH, place, deep=deep, folders=True):
        origin, _slash, inside = entry["path"].partition("/")
        del entry["metadata_timestamps"]
        yield {**entry, "repo": origin, "path": inside}


def find(artifact: ArtifactService, place: str) -> Fields | None:
    """What is at a place of the trash can: the key of the repository that it comes from, and its path there.

    :raises ServerRefusal: when the account sees no trash can at all
    """
    found = items.find(artifact, TRASH, place) if place else None
    if found:
        return found
    # it is always there for an account that may see it
    root = items.of(artifact.http.read("GET", artifact.item(TRASH, "")).record())
    return None if place else root


def plan(artifact: ArtifactService, params: Fields) -> Fields | None:
    """What would be done, or `None` when there is nothing to do.

    :raises ToolchainError: when what shall be restored is nowhere, or would replace files without `force`
    """
    action, place = params["action"], place_of(params)
    found = find(artifact, place)
    if action == "empty":
        repos = [child["name"] for child in found["children"]] if found else []
        return {"action": action, "repos": repos} if repos else None
    there = items.find(artifact, *target(params)) if action == "restore" else None
    if action == "restore" and not found and not there:
        raise ToolchainError(f"'{place}' is not in the trash can, and it is not where it was either.")
    if not found:
        return None
    step = {"action": action, "source": place, "type": found["type"], "size": found["size"]}
    if action == "restore":
        replaced = _find_replaced(artifact, found, place, there) if there else None
        if replaced and not params["force"]:
            raise ToolchainError(
                f"'{place}' is not restored: '{replaced}' exists and would be replaced. "
                "To replace it, set 'force: true'."
            )
        step.update(target="/".join(target(params)), replaces=replaced is not None)
    return step


def _find_replaced(artifact: ArtifactService, found: Fields, place: str, target_item: Fields) -> str | None:
    """Return the first file that would be replaced, `None` if there is none.

    :arg found: the item at `place` in the trash can
    :arg target_item: the item at the target; files in folders replace only files of the same path
    :raises ToolchainError: when one is a folder and the other is a file
    """
    to = _place(target_item["repo"], target_item["path"])
    if found["type"] != target_item["type"]:
        raise ToolchainError(f"'{place}' is not restored: '{to}' exists, and is a {target_item['type']}.")
    if target_item["type"] == "file":
        return to
    existing = set(_files_below(artifact, target_item["repo"], target_item["path"]))
    replaced = existing.intersection(_files_below(artifact, TRASH, place))
    return _place(to, min(replaced)) if replaced else None


def _files_below(artifact: ArtifactService, repo: str, path: str) -> t.Iterator[str]:
    """Return the paths of all files below a folder, relative to the folder."""
    return (entry["path"][len(path) :].strip("/") for entry in items.listed(artifact, repo, path, deep=True))


def rehearse(artifact: ArtifactService, params: Fields) -> Fields:
    """
    :raises ToolchainError: when the server has no trash can, or would refuse to restore something to this place
    """
    artifact.check_pro("The trash can")
    if params["action"] == "restore":
        repo, path = target(params)
        repositories.check_local(artifact, repo, "Items are restored")
        files.predict_upload(artifact, repo, [], path)
    return {}


def carry_out(task: Task, artifact: ArtifactService) -> Fields:
    """Do what was planned, and look whether it is done, unless the task does not wait for it.

    :raises ToolchainError: when it is not
    """
    params = task.params
    place = place_of(params)
    lost = None
    try:
        _ACTS[params["action"]](artifact, params)
    except OutcomeUnknown as error:
        lost = error
    if not lost and not params["wait"]:
        return {}

    def look() -> None:
        found = find(artifact, place)
        if found and (place or found["children"]):
            raise NotReady(
                f"'{place}' still lies in the trash can" if place else "something still lies in the trash can"
            )

    left = f"interrupted while the server does this: {params['action']}. It goes on with it."
    wait_for(task, look, timeout=params["wait_timeout"], delay=params["wait_delay"], on_interrupt=lambda: [left])
    if params["action"] == "restore" and not items.find(artifact, *target(params)):
        raise lost or ToolchainError(f"'{place}' is gone from the trash can, but it is not in the repository.")
    if lost:
        task.has_written = True
        task.warn(f"{lost.cause} Looking again shows that the request had its effect.")
    return {}


def place_of(params: Fields) -> str:
    """Where in the trash can it is about; nothing for the whole of it."""
    if params["build_records"]:
        return f"{params['project_key']}-build-info" if params["project_key"] else _BUILD_RECORDS
    return _place(params["repo"], params["path"])


def target(params: Fields) -> tuple[str, str]:
    """Where something is restored to: where it was, if nothing else is said."""
    path = params["path"] if params["to_path"] is None else params["to_path"]
    return params["to_repo"] or params["repo"], path.strip("/")


def check(params: Fields) -> None:
    """
    :raises BadOption: when the options do not go together
    """
    _check_place(params, "repo", "path")
    _check_place(params, "to_repo", "to_path", stores=True)
    action = params["action"]
    takes = _OPTIONS[action]
    for option in ("repo", "path", "build_records", "project_key", "to_repo", "to_path", "force"):
        if params[option] and option not in takes:
            raise BadOption(option, f"does not go with 'action: {action}'")
    if action == "restore" and not (params["repo"] and (params["path"] or "").strip("/")):
        raise BadOption("path", "is needed to restore something, and 'repo' as well")
    if action == "clean" and not params["build_records"] and (params["repo"] is None or params["path"] is None):
        raise BadOption(
            "path", "is needed to clean, and 'repo' as well; an empty path is all of the repository's trash"
        )
    if params["build_records"] and params["repo"]:
        raise BadOption("build_records", "does not go with 'repo'")
    if params["project_key"] and not params["build_records"]:
        raise BadOption("project_key", "goes with 'build_records'")
    if action == "empty" and len(params["items"] or ()) > 1:
        raise BadOption("action", "'empty' takes all that is in the trash can, so it goes with no other item")


_OPTIONS = {
    "clean": ("repo", "path", "build_records", "project_key"),
    "restore": ("repo", "path", "to_repo", "to_path", "force"),
    "empty": (),
}


def _clean(artifact: ArtifactService, params: Fields) -> None:
    place = encode_path(*place_of(params).split("/"), option="path")
    try:
        artifact.http.write("DELETE", f"{_ADDRESS}/clean{place}", accept=(200, 204), policy=IDEMPOTENT)
    except ServerRefusal as refusal:
        if refusal.status != 400 or _NOTHING not in refusal.text:
            raise


def _restore(artifact: ArtifactService, params: Fields) -> None:
    place, to = place_of(params), "/".join(filter(None, target(params)))
    query: dict[str, str | None] = {} if to == place else {"to": to}
    address = encode_path(*place.split("/"), option="path")
    artifact.http.write("POST", f"{_ADDRESS}/restore{address}", query=query, accept=(200, 202))


def _empty(artifact: ArtifactService, _params: Fields) -> None:
    artifact.http.write("POST", f"{_ADDRESS}/empty", accept=(200, 202), policy=IDEMPOTENT)


_ACTS = {"clean": _clean, "restore": _restore, "empty": _empty}


def _check_place(params: Fields, repo: str, path: str, *, stores: bool = False) -> None:
    """
    :raises BadOption: when the options `repo` and `path` name no place, or one that Artifactory takes for another
    """
    place = {option: params[option] or "" for option in (repo, path)}
    paths.check(place[repo], place[path], repo_option=repo, option=path, stores=stores)


def _place(repo: str | None, path: str | None) -> str:
    return "/".join(filter(None, (repo, (path or "").strip("/"))))
