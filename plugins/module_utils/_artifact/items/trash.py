# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""List, clean, empty and restore from the trash can, with verification by reading."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.files import upload
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.items import item_info, paths
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, verify_write
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, wait_for

TRASH = "auto-trashcan"
_BUILD_RECORDS = "artifactory-build-info"
_ADDRESS = "/artifactory/api/trash"
_NOTHING_TO_DELETE = "Nothing to delete"


def list_items(artifact: ArtifactService, repo: str | None, path: str, deep: bool) -> t.Iterator[Fields]:
    """Yield the items in the trash can or in one of its folders. With `deep`, recurse into subfolders."""
    _check_path({"repo": repo, "path": path}, "repo", "path")
    place = _join_path(repo, path)
    if not find_item(artifact, place):
        return
    for entry in item_info.list_folder(artifact, TRASH, place, deep=deep, folders=True):
        origin, _slash, inside = entry["path"].partition("/")
        del entry["metadata_timestamps"]
        yield {**entry, "repo": origin, "path": inside}


def find_item(artifact: ArtifactService, place: str) -> Fields | None:
    """Return the item at a path in the trash can, which begins with the key of its original repository.

    :raises ServerRefusal: if the account has no access to the trash can
    """
    item = item_info.find_item(artifact, TRASH, place) if place else None
    if item:
        return item
    # the trash can exists even if it is empty, but accounts without access get an error
    root = item_info.from_record(artifact.http.read("GET", artifact.info_address(TRASH, "")).record())
    return None if place else root


def plan_action(artifact: ArtifactService, params: Fields) -> Fields | None:
    """Return the planned action, or `None` if there is nothing to do.

    :raises ToolchainError: if the item to restore does not exist, or if it would replace files without `force`
    """
    action, place = params["action"], trash_path(params)
    item = find_item(artifact, place)
    if action == "empty":
        repos = [child["name"] for child in item["children"]] if item else []
        return {"action": action, "repos": repos} if repos else None
    existing = item_info.find_item(artifact, *restore_target(params)) if action == "restore" else None
    if action == "restore" and not item and not existing:
        raise ToolchainError(f"'{place}' exists neither in the trash can nor in the repository.")
    if not item:
        return None
    step = {"action": action, "source": place, "type": item["type"], "size": item["size"]}
    if action == "restore":
        replaced = _find_replaced(artifact, item, place, existing) if existing else None
        if replaced and not params["force"]:
            raise ToolchainError(
                f"'{place}' is not restored: '{replaced}' exists and would be replaced. "
                "To replace it, set 'force: true'."
            )
        step.update(target="/".join(restore_target(params)), replaces=replaced is not None)
    return step


def _find_replaced(artifact: ArtifactService, item: Fields, place: str, target_item: Fields) -> str | None:
    """Return the first file that would be replaced, or `None`.

    :arg item: the item at `place` in the trash can
    :arg target_item: the item at the target; files in a folder replace only files with the same path
    :raises ToolchainError: if one item is a folder and the other is a file
    """
    to = _join_path(target_item["repo"], target_item["path"])
    if item["type"] != target_item["type"]:
        raise ToolchainError(f"'{place}' is not restored: '{to}' exists and is a {target_item['type']}.")
    if target_item["type"] == "file":
        return to
    existing = set(_files_below(artifact, target_item["repo"], target_item["path"]))
    replaced = existing.intersection(_files_below(artifact, TRASH, place))
    return _join_path(to, min(replaced)) if replaced else None


def _files_below(artifact: ArtifactService, repo: str, path: str) -> t.Iterator[str]:
    """Yield the paths of all files below a folder, relative to the folder."""
    return (entry["path"][len(path) :].strip("/") for entry in item_info.list_folder(artifact, repo, path, deep=True))


def predict_refusal(artifact: ArtifactService, params: Fields) -> Fields:
    """Predict whether Artifactory accepts the action.

    :raises ToolchainError: if the server would refuse to restore to this path
    """
    if params["action"] == "restore":
        repo, path = restore_target(params)
        queries.check_local(artifact, repo, "Restoring items")
        upload.predict_upload(artifact, repo, [], path)
    return {}


def check(artifact: ArtifactService) -> None:
    """Verify that the server has a trash can.

    :raises ToolchainError: if it does not
    """
    editions.check(artifact, features.TRASH)


def perform_action(task: Task, artifact: ArtifactService) -> Fields:
    """Perform the action and, if the task waits for it, verify that it is complete.

    :raises ToolchainError: if it is not
    """
    params = task.params
    place = trash_path(params)
    has_response = False

    def send_request() -> None:
        nonlocal has_response
        _ACTIONS[params["action"]](artifact, params)
        has_response = True

    def check_trash() -> None:
        item = find_item(artifact, place)
        if item and (place or item["children"]):
            raise NotReady(f"'{place}' is still in the trash can" if place else "the trash can is not empty yet")

    def verify() -> None:
        if has_response and not params["wait"]:
            return
        message = f"interrupted while the server performs the action '{params['action']}'. The server continues."
        wait_for(
            task,
            check_trash,
            timeout=params["wait_timeout"],
            delay=params["wait_delay"],
            on_interrupt=lambda: [message],
        )
        if params["action"] == "restore" and not item_info.find_item(artifact, *restore_target(params)):
            raise ToolchainError(f"'{place}' was removed from the trash can, but does not exist in the repository.")

    verify_write(task, send_request, verify)
    return {}


def trash_path(params: Fields) -> str:
    """Return the path in the trash can, or an empty text for the whole trash can. It must be unique among the items."""
    if params["build_records"]:
        return f"{params['project_key']}-build-info" if params["project_key"] else _BUILD_RECORDS
    return _join_path(params["repo"], params["path"])


def restore_target(params: Fields) -> tuple[str, str]:
    """Return repository and path to which an item is restored."""
    path = params["path"] if params["to_path"] is None else params["to_path"]
    return params["to_repo"] or params["repo"], path.strip("/")


def check_options(params: Fields) -> None:
    """Validate the combination of options.

    :raises BadOption: if it is invalid
    """
    _check_path(params, "repo", "path")
    _check_path(params, "to_repo", "to_path", stores=True)
    action = params["action"]
    takes = _OPTIONS[action]
    for option in ("repo", "path", "build_records", "project_key", "to_repo", "to_path", "force"):
        if params[option] and option not in takes:
            raise BadOption(option, f"does not go with 'action: {action}'")
    if action == "restore" and not (params["repo"] and (params["path"] or "").strip("/")):
        raise BadOption("path", "is required for 'action: restore', together with 'repo'")
    if action == "clean" and not params["build_records"] and (params["repo"] is None or params["path"] is None):
        raise BadOption(
            "path",
            "is required for 'action: clean', together with 'repo'. An empty path refers to the whole repository",
        )
    if params["build_records"] and params["repo"]:
        raise BadOption("build_records", "does not go with 'repo'")
    if params["project_key"] and not params["build_records"]:
        raise BadOption("project_key", "needs 'build_records'")
    if action == "empty" and len(params["items"] or ()) > 1:
        raise BadOption("action", "'empty' deletes the whole trash can and cannot be combined with other items")


_OPTIONS = {
    "clean": ("repo", "path", "build_records", "project_key"),
    "restore": ("repo", "path", "to_repo", "to_path", "force"),
    "empty": (),
}


def _clean(artifact: ArtifactService, params: Fields) -> None:
    place = encode_path(*trash_path(params).split("/"), option="path")
    try:
        artifact.http.write("DELETE", f"{_ADDRESS}/clean{place}", accept=(200, 204), policy=IDEMPOTENT)
    except ServerRefusal as refusal:
        if refusal.status != 400 or _NOTHING_TO_DELETE not in refusal.text:
            raise


def _restore(artifact: ArtifactService, params: Fields) -> None:
    place, to = trash_path(params), "/".join(filter(None, restore_target(params)))
    query: dict[str, str | None] = {} if to == place else {"to": to}
    address = encode_path(*place.split("/"), option="path")
    artifact.http.write("POST", f"{_ADDRESS}/restore{address}", query=query, accept=(200, 202))


def _empty(artifact: ArtifactService, _params: Fields) -> None:
    artifact.http.write("POST", f"{_ADDRESS}/empty", accept=(200, 202), policy=IDEMPOTENT)


_ACTIONS = {"clean": _clean, "restore": _restore, "empty": _empty}


def _check_path(params: Fields, repo: str, path: str, *, stores: bool = False) -> None:
    """Validate the options `repo` and `path`.

    :raises BadOption: if the path is invalid or Artifactory would interpret it as another item
    """
    place = {option: params[option] or "" for option in (repo, path)}
    paths.check_path(place[repo], place[path], repo_option=repo, option=path, is_stored=stores)


def _join_path(repo: str | None, path: str | None) -> str:
    return "/".join(filter(None, (repo, (path or "").strip("/"))))
