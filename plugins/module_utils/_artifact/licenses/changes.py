# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Installation and removal of licenses."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.licenses import licenses
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.licenses.licenses import Licenses
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ServerUnreachable,
    ToolchainError,
    UnexpectedResponse,
    describe_cause,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, read_back
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, wait_for

# Requires a license, but no further permission, and returns little
_PRO_ADDRESS = "/artifactory/api/plugins"
_REFUSED = ("available only in", "license")
_STARTING = (500, 502, 503, 504)
_WAIT_DELAY = 2.0
_UNKNOWN_KEY = (
    "The server does not report which license key is installed. Check mode predicts a change, although the key may be "
    "installed already."
)


def list_keys(params: Fields) -> list[str]:
    """Return the license keys that the options declare.

    :raises BadOption: if an entry contains no key
    """
    keys: list[str] = []
    for index, text in enumerate(params["license_keys"] or ()):
        found = licenses.split_keys(text)
        if not found:
            raise BadOption(f"license_keys[{index}]", "must contain a license key")
        keys += found
    return list(dict.fromkeys(keys))


def install(task: Task, artifact: ArtifactService) -> None:
    """Install the declared keys that the server lacks, and wait until the first license takes effect."""
    keys = [task.register_secret(key) for key in list_keys(task.params)]
    before = licenses.read(artifact)
    if len(keys) > 1 and not before.is_cluster:
        raise ToolchainError("The server is a single node, which has one license. Set only one key in 'license_keys'.")
    missing = [key for key in keys if before.find(licenses.hash_key(key)) is None]
    if task.params["update_license"] == "if_invalid" and before.has_valid:
        missing = []
    if not missing:
        _record(task, before, before)
    elif before.is_open_source:
        raise editions.open_source_error(features.LICENSES)
    elif task.check_mode:
        _record(task, before, _predict(task, before, missing), is_replaced=not before.is_cluster)
    elif after := _install(task, artifact, before, missing):
        _check_kept(before, after, keys)
        _record(task, before, after, is_replaced=not before.is_cluster)
        if not before.has_valid:
            _wait_until_effective(task, artifact)
    else:
        current = licenses.read(artifact)
        _record(task, current, current)  # a difference is the change of another client


def _predict(task: Task, before: Licenses, missing: list[str]) -> Licenses:
    predicted = [licenses.predict(key) for key in missing]
    if before.is_cluster:
        return Licenses([*before.entries, *predicted], True)
    if before.entries:
        task.warn(_UNKNOWN_KEY)
    return Licenses([{**entry, "hash": None} for entry in predicted], False)


def _install(task: Task, artifact: ArtifactService, before: Licenses, missing: list[str]) -> Licenses | None:
    """Install keys and return the licenses after it, or `None` if all keys were installed already."""
    trouble: ToolchainError | None = None
    new = missing
    try:
        new = licenses.install(artifact, missing, before.is_cluster)
        if not new:
            return None
    except (OutcomeUnknown, UnexpectedResponse) as error:
        trouble = error
    after = read_back(lambda: licenses.read(artifact), trouble)
    if trouble:
        if not _has_changed(before, after, new):
            raise trouble
        task.has_written = True
        task.warn(f"{describe_cause(trouble)} Reading back shows that the request had its effect.")
    elif before.is_cluster and not _has_changed(before, after, new):
        raise ToolchainError("The server accepted the license keys, but does not list a new license.")
    return after


def _check_kept(before: Licenses, after: Licenses, keys: list[str]) -> None:
    """
    :raises ToolchainError: if a declared license that was installed before no longer is
    """
    hashes = [licenses.hash_key(key) for key in keys]
    if before.is_cluster and any(before.find(text) and not after.find(text) for text in hashes):
        raise ToolchainError(
            "Another client removed a declared license while the task was running. Run the task again."
        )


def _has_changed(before: Licenses, after: Licenses, missing: list[str]) -> bool:
    """Return whether the missing keys were installed, as far as the licenses show it."""
    if any(entry["hash"] for entry in after.entries):
        known = {entry["hash"] for entry in before.entries}
        is_new = sum(entry["hash"] not in known for entry in after.entries) >= len(missing)
        return is_new or all(after.find(licenses.hash_key(key)) for key in missing)
    return before.entries != after.entries


def remove(task: Task, artifact: ArtifactService) -> None:
    """Delete the licenses that the options declare from a cluster."""
    keys = [task.register_secret(key) for key in list_keys(task.params)]
    hashes = [*map(licenses.hash_key, keys), *(task.params["license_hashes"] or ())]
    before = licenses.read(artifact)
    if not before.is_cluster:
        if not before.entries:
            _record(task, before, before)
            return
        raise ToolchainError(
            "The server is a single node, whose license cannot be removed, only replaced. Use 'state: present'."
        )
    found = [entry for entry in before.entries if any(licenses.is_same_hash(entry["hash"], text) for text in hashes)]
    if not found:
        _check_list(artifact, before)
        _record(task, before, before)
        return
    predicted = Licenses([entry for entry in before.entries if entry not in found], True)
    _check_removal(task, found, before, predicted)
    if task.check_mode:
        _record(task, before, predicted)
    elif after := _remove(task, artifact, before, found):
        _record(task, before, after)
    else:
        current = licenses.read(artifact)
        _record(task, current, current)  # the difference is the change of another client


def _check_list(artifact: ArtifactService, found: Licenses) -> None:
    """Verify that a server that lists no license has none.

    :raises ToolchainError: if the server accepts a request that requires a license
    """
    if not found.entries and _find_refusal(artifact) is None:
        raise ToolchainError(
            "The server lists no license, although it has one. Check that the account is an administrator."
        )


def _check_removal(task: Task, found: list[Fields], before: Licenses, after: Licenses) -> None:
    """Refuse to remove licenses that the server needs.

    :raises ToolchainError: unless the option `remove_used` is set
    """
    if task.params["remove_used"]:
        return
    for entry in found:
        if licenses.is_used(entry):
            raise ToolchainError(
                f"License '{entry['hash']}' is not removed: node '{entry['node']}' uses it. Install another license, "
                "or set 'remove_used: true'."
            )
    if before.has_valid and not after.has_valid:
        raise ToolchainError(
            "The licenses are not removed: no valid license would be left. Install another license, or set "
            "'remove_used: true'."
        )


def _remove(task: Task, artifact: ArtifactService, before: Licenses, found: list[Fields]) -> Licenses | None:
    """Delete licenses and return the others, or `None` if another client has deleted them at the same time."""
    hashes = [str(entry["hash"]) for entry in found]
    trouble: ToolchainError | None = None
    try:
        licenses.delete(artifact, hashes)
    except (OutcomeUnknown, UnexpectedResponse, ServerRefusal) as error:
        trouble = error
    after = read_back(lambda: licenses.read(artifact), trouble)
    if left := [entry["hash"] for entry in after.entries if entry["hash"] in hashes]:
        task.has_written = trouble is None or after.entries != before.entries
        raise trouble or ToolchainError(f"The server accepted the removal, but still has the license '{left[0]}'.")
    if isinstance(trouble, ServerRefusal) and not isinstance(trouble, OutcomeUnknown):
        task.warn(f"{trouble} The licenses do not exist any more, because another client has removed them.")
        return None
    if trouble:
        task.has_written = True
        task.warn(f"{describe_cause(trouble)} Reading back shows that the request had its effect.")
    return after


def _record(task: Task, before: Licenses, after: Licenses, is_replaced: bool = False) -> None:
    """Put licenses and diff into the result.

    :arg is_replaced: whether the license of a single node was replaced, which the license itself may not show
    """
    after_fields = {"license": "new"} if is_replaced else _to_diff(after)
    task.record_change(_to_diff(before), after_fields)
    task.result["licenses"] = after.entries


def _to_diff(found: Licenses) -> Fields:
    """Return what identifies the licenses. The license of a single node is not identified."""
    if not found.is_cluster:
        return {"license": "current" if found.entries else None}
    return {"hashes": sorted(str(entry["hash"])[: licenses.HASH_LENGTH] for entry in found.entries)}


def _wait_until_effective(task: Task, artifact: ArtifactService) -> None:
    """Wait until the server no longer refuses requests that require a license."""
    if task.params["wait_timeout"] == 0:
        return

    def probe() -> None:
        if refusal := _find_refusal(artifact):
            raise NotReady(refusal)

    wait_for(task, probe, timeout=task.params["wait_timeout"], delay=_WAIT_DELAY, start_fast=True)


def _find_refusal(artifact: ArtifactService) -> str | None:
    """Return why a request that requires a license fails, or `None` if it does not."""
    try:
        response = artifact.http.read("GET", _PRO_ADDRESS, accept=range(200, 600), no_retry=True)
    except ServerUnreachable:
        return "the server does not respond"
    is_refused = response.status == 400 and any(text in response.text.lower() for text in _REFUSED)
    if is_refused or response.status in _STARTING:
        return "the server still refuses requests that require a license"
    return None
