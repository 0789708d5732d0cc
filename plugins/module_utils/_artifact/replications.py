# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Replications of repositories: push to other servers, and pull of remote repositories."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cron import check_cron, is_same_cron
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import (
    ArtifactService,
    is_not_found,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    MissingName,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    add_removals,
    find_differences,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import is_selected
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import check_url, encode_path
from ansible_collections.buildworks.toolchain.plugins.module_utils._wait import NotReady, WaitTimeout, wait_for

_ADDRESS = "/artifactory/api/replications"

# Options of pull replications and of each target, with the members of the API and their defaults
_COMMON_MEMBERS: dict[str, tuple[str, t.Any]] = {
    "enabled": ("enabled", False),
    "sync_deletes": ("syncDeletes", False),
    "sync_properties": ("syncProperties", True),
    "include_path_prefix_pattern": ("includePathPrefixPattern", ""),
    "exclude_path_prefix_pattern": ("excludePathPrefixPattern", ""),
    "check_binary_existence_in_filestore": ("checkBinaryExistenceInFilestore", False),
}
_TARGET_MEMBERS: dict[str, tuple[str, t.Any]] = {
    **_COMMON_MEMBERS,
    "username": ("username", ""),
    "sync_statistics": ("syncStatistics", False),
    "socket_timeout_millis": ("socketTimeoutMillis", 15000),
    "proxy": ("proxy", ""),
    "disable_proxy": ("disableProxy", False),
}
_SCHEDULE_MEMBERS = {"cron": "cronExp", "event_replication": "enableEventReplication"}
# A new replication is active, and never deletes artifacts unless the task says so
_NEW = {"enabled": True, "sync_deletes": False}
_NO_REPLICATION = "could not find replication"
_NO_REPOSITORY = "could not find repository"
_NO_REMOTE_USER = "non-anonymous authentication"


def parse_replication(params: Fields) -> Fields:
    """Return the fields of a replication that the options set.

    :raises BadOption: if the server would refuse or misunderstand an option
    """
    if params["cron"] is not None:
        check_cron("cron", params["cron"])
    fields = {name: params[name] for name in (*_SCHEDULE_MEMBERS, "type") if params[name] is not None}
    fields.update({name: params[name] for name in _COMMON_MEMBERS if params[name] is not None})
    if params["targets"] is not None:
        if fields.get("type") == "pull":
            raise BadOption("targets", "cannot be combined with 'type: pull'. The remote repository has URL and user")
        if beside := [name for name in _COMMON_MEMBERS if name in fields]:
            raise BadOption(beside[0], "cannot be combined with 'targets'. Set it in each target")
        fields["type"] = "push"
        fields["targets"] = _parse_targets(params["targets"])
    if params["purge"] and (params["targets"] is None or params["state"] == "absent"):
        raise BadOption("purge", "requires 'targets' and 'state: present'")
    return fields


def _parse_targets(targets: list[Fields]) -> Fields:
    parsed: Fields = {}
    for index, target in enumerate(targets):
        if not target["url"]:
            raise BadOption(f"targets[{index}].url", "is required")
        url = check_url(target["url"], f"targets[{index}].url")
        if url in parsed:
            raise BadOption(f"targets[{index}].url", "is the URL of another target")
        members = {name: value for name, value in target.items() if value is not None}
        parsed[url] = {**members, "url": target["url"]}
    return parsed


def list_replications(artifact: ArtifactService) -> list[Fields]:
    """Return the replications of all repositories, sorted by repository.

    If the server cannot list all replications, each repository is read.
    """
    response = artifact.http.read("GET", _ADDRESS, accept=(200, 400, 404, 405))
    if response.status == 200:
        by_repo: dict[str, list[Record]] = {}
        for record in response.records():
            by_repo.setdefault(record.text("repoKey"), []).append(record)
        return [_to_fields(repo, by_repo[repo]) for repo in sorted(by_repo)]
    keys = [entry["key"] for entry in queries.list_repositories(artifact) if entry["type"] != "virtual"]
    found = (find_replication(artifact, key) for key in keys)
    return [replication for replication in found if replication]


def list_selected(task: Task) -> list[str]:
    """Return the keys of the repositories with a replication of the type that the task names."""
    found = list_replications(ArtifactService(task))
    return [replication["repo"] for replication in found if is_selected(task, type=replication["type"])]


def find_replication(artifact: ArtifactService, repo: str) -> Fields | None:
    """Return the replication of a repository, or `None`. `targets` are by URL."""
    try:
        response = artifact.http.read("GET", _address(repo))
    except ServerRefusal as refusal:
        if _is_missing(refusal):
            return None
        raise
    return _to_fields(repo, _parse_response(response))


def _is_missing(refusal: ServerRefusal) -> bool:
    """Return whether the server reports that there is no replication. Some versions do it with status 400."""
    text = refusal.text.lower()
    return is_not_found(refusal) or (refusal.status == 400 and (_NO_REPLICATION in text or _NO_REPOSITORY in text))


def _parse_response(response: Response) -> list[Record]:
    """Return the replications, which are a list in editions with several targets.

    :raises UnexpectedResponse: if the list is empty, because the server reports a missing replication with 404, or if
        an entry is something else, such as an error
    """
    value = response.json((dict, list))
    records = response.records() if isinstance(value, list) else [response.record()]
    if not records or not all(record.keys() & {"enabled", "cronExp"} for record in records):
        raise response.unexpected_value("", "at least one replication", value)
    return records


def _to_fields(repo: str, records: list[Record]) -> Fields:
    first = records[0]
    is_push = (first.maybe_text("replicationType") or ("PUSH" if first.get("url") else "PULL")).upper() == "PUSH"
    fields: Fields = {
        "repo": repo,
        "type": "push" if is_push else "pull",
        "cron": _common([record.maybe_text("cronExp") for record in records]),
        "event_replication": _common([bool(record.maybe_flag("enableEventReplication")) for record in records]),
    }
    if not is_push:
        return {**fields, **_read_members(first, _COMMON_MEMBERS)}
    targets = [{"url": record.text("url"), **_read_members(record, _TARGET_MEMBERS)} for record in records]
    for target, record in zip(targets, records):
        target["proxy"] = record.maybe_text("proxyRef") or record.maybe_text("proxy") or ""
    return {**fields, "targets": {target["url"].rstrip("/"): target for target in targets}}


def _common(values: list[t.Any]) -> t.Any:
    """Return the value that all targets have, or `None`."""
    return values[0] if all(value == values[0] for value in values) else None


def _read_members(record: Record, members: dict[str, tuple[str, t.Any]]) -> Fields:
    return {
        option: default if record.get(name) is None else record.scalar(name, default)
        for option, (name, default) in members.items()
    }


def complete_desired(before: Fields | None, fields: Fields, purge: bool) -> Fields:
    """Return the desired fields for the existing replication.

    New replications and targets are enabled and do not delete artifacts, unless the options say otherwise.

    :arg fields: result of `parse_replication`
    :arg purge: whether targets that are not desired are removed
    """
    current = before or {"targets": {}}
    desired = {**fields, "type": fields.get("type") or current.get("type") or "pull"}
    if "cron" in desired and is_same_cron(desired["cron"], current.get("cron")):
        desired["cron"] = current["cron"]
    if before is None and desired["type"] == "pull":
        desired = {**_NEW, **desired}
    if "targets" in desired:
        old = current.get("targets") or {}
        targets = {
            url: {**target, "url": old[url]["url"]} if url in old else {**_NEW, **target}
            for url, target in desired["targets"].items()
        }
        desired["targets"] = add_removals(old, targets) if purge else targets
    return desired


def to_result(replication: Fields) -> Fields:
    """Return a replication in the form of the options, with all members but the passwords."""
    schedule = {"repo": replication.get("repo"), "type": replication.get("type")}
    schedule["cron"] = replication.get("cron")
    schedule["event_replication"] = replication.get("event_replication", False)
    if "targets" not in replication:
        return {**schedule, **_complete(replication, _COMMON_MEMBERS)}
    targets = replication["targets"]
    listed = [{"url": targets[url]["url"], **_complete(targets[url], _TARGET_MEMBERS)} for url in sorted(targets)]
    return {**schedule, "targets": listed}


def _complete(fields: Fields, members: dict[str, tuple[str, t.Any]]) -> Fields:
    return {option: fields.get(option, default) for option, (_name, default) in members.items()}


def _drop_defaults(target: Fields) -> Fields:
    return {name: value for name, value in target.items() if name == "url" or value != _TARGET_MEMBERS[name][1]}


class Replication:
    """The replication of a repository, and the requests that change it.

    The repository may be missing if an earlier task creates it.
    """

    def __init__(self, task: Task) -> None:
        self._task, self._artifact, self._repo = task, ArtifactService(task), task.params["repo"]
        self._may_be_missing = task.predicts_missing
        self._before: Fields | None = None
        self._repository: Fields | None = None

    def find(self) -> Fields | None:
        """Return the replication, or `None`."""
        self._before = find_replication(self._artifact, self._repo)
        return self._before

    def find_targets(self) -> Fields:
        """Return the push replication; without targets if it does not exist.

        :raises BadOption: if the repository has a pull replication
        """
        replication = self.find() or {"targets": {}}
        if "targets" not in replication:
            raise BadOption("targets", f"'{self._repo}' has a pull replication. Remove 'targets' to delete it")
        return replication

    def check(self, before: Fields | None, desired: Fields | None) -> None:
        """Refuse a change that the server would refuse, or execute differently.

        :arg before: current replication
        :arg desired: fields to write; `None` for a deletion
        :raises ToolchainError: if the change is refused
        """
        if desired is None:
            return
        if before and "type" in desired and desired["type"] != before["type"]:
            raise ToolchainError(
                f"Replication of '{self._repo}' cannot change from {before['type']} to {desired['type']}: the type "
                "depends on the type of the repository. Set 'targets' only for a local repository."
            )
        if (before or desired)["type"] == "push" and (misplaced := desired.keys() & _COMMON_MEMBERS.keys()):
            raise BadOption(min(misplaced), f"'{self._repo}' is a local repository. Set this option in 'targets'")
        if before is None:
            self._check_repository(desired["type"])
            if not desired.get("cron"):
                raise BadOption("cron", f"is required, because '{self._repo}' has no replication yet")
            if desired["type"] == "push" and "targets" not in desired:
                raise BadOption("targets", f"is required, because '{self._repo}' is not replicated yet")
        editions.check_options(self._artifact, features.REPLICATION_OPTIONS, desired)
        self._check_targets((before or {}).get("targets") or {}, desired.get("targets") or {})

    def _check_targets(self, old: Fields, changes: Fields) -> None:
        written = {url: target for url, target in changes.items() if target is not None}
        for url, target in written.items():
            if url not in old and not target.get("username"):
                raise BadOption("targets", f"'username' is required, because '{url}' is not a target yet")
            editions.check_options(self._artifact, features.REPLICATION_OPTIONS, target, "targets")
        kept = {url for url in old if changes.get(url, old[url]) is not None}
        if len(old) < 2 and len({*kept, *written}) > 1:
            editions.check(self._artifact, features.SEVERAL_TARGETS)

    def _check_repository(self, replication_type: str) -> None:
        repository = self._repository = queries.find_repository(self._artifact, self._repo)
        if repository is None:
            if self._may_be_missing:
                return
            raise MissingName("repo", f"repository '{self._repo}' does not exist")
        if repository["type"] == "virtual":
            raise BadOption("repo", f"'{self._repo}' is virtual. Only local and remote repositories can be replicated")
        if repository["type"] == "remote" and replication_type == "push":
            raise BadOption(
                "targets",
                f"'{self._repo}' is a remote repository, which pulls from its own URL. Remove 'targets'",
            )
        if repository["type"] == "local" and replication_type == "pull":
            raise BadOption("targets", f"is required, because '{self._repo}' is a local repository")

    def deletes_artifacts(self, fields: Fields) -> bool:
        """Return whether a pull replication deletes artifacts after fields are written."""
        return {**(self._before or {}), **fields}.get("sync_deletes") is True

    def predict_refusal(self) -> None:
        """Predict that a server before 6.0 refuses to pull from a remote repository without a credential.

        :raises ToolchainError: if it would refuse the new replication
        """
        repository = self._repository
        if self._may_be_missing or not repository or repository["type"] != "remote" or repository["settings"] is None:
            return
        has_credential = any(repository["settings"].get(name) for name in ("username", "clientTlsCertificate"))
        if not has_credential and not self._artifact.supports("6.0"):
            raise self._missing_user_error()

    def create(self, fields: Fields) -> None:
        """Create the replication."""
        if fields["type"] == "pull":
            self._write_single("PUT", self._to_body(fields, fields, _COMMON_MEMBERS))
        else:
            self._write_verified("PUT", fields, fields["targets"], fields["targets"])

    def update(self, changes: Fields) -> None:
        """Change the replication.

        New and changed targets are written first. All other targets are in the same request, so that it does not matter
        whether the server merges or replaces the list. Then targets are deleted.
        """
        before = self._before or {}
        schedule = {**before, **changes}
        if "targets" not in before:
            self._write_single("POST", self._to_body(schedule, changes, _COMMON_MEMBERS))
            return
        targets, changed = before["targets"], changes.get("targets", {})
        removed = [url for url, target in changed.items() if target is None]
        kept = {url: target for url, target in targets.items() if url not in removed}
        written = {url: target for url, target in changed.items() if target is not None}
        if written or changes.keys() - {"targets"}:
            merged = {url: {**_drop_defaults(kept.get(url, {})), **written.get(url, {})} for url in {**kept, **written}}
            if len(merged) == 1 and not kept:
                # without the Enterprise edition, a new target replaces the old one
                self._write_verified("PUT", schedule, merged, written)
                removed = [url for url in removed if url in self.find_targets()["targets"]]
            else:
                self._write_verified("POST", schedule, merged, written)
        for url in removed:
            self._delete(targets[url]["url"])

    def delete(self) -> None:
        """Delete the replication with all targets."""
        self._delete(None)

    def _delete(self, url: str | None) -> None:
        query = None if url is None else {"url": url}
        self._artifact.write_descriptor("DELETE", _address(self._repo), query=query, accept=(200, 204))

    def _write_verified(self, method: str, schedule: Fields, targets: Fields, changes: Fields) -> None:
        """Write targets. Those that delete artifacts are verified while they are disabled, and then enabled.

        :arg targets: all targets to write
        :arg changes: the members that differ, by target
        :raises ToolchainError: if the server stores a target otherwise, which stays disabled
        """
        deleting = {
            url: {**targets[url], "enabled": False}
            for url, change in changes.items()
            if targets[url].get("sync_deletes") and targets[url].get("enabled") and change.keys() - {"url", "enabled"}
        }
        if deleting:
            self._write_disabled(method, schedule, targets, deleting)
            method = "POST"
        self._write_targets(method, schedule, targets)

    def _write_disabled(self, method: str, schedule: Fields, targets: Fields, deleting: Fields) -> None:
        """Write targets while some of them are disabled, and verify these. If the response is lost, they decide.

        :arg deleting: the disabled targets
        """
        lost = None
        try:
            self._write_targets(method, schedule, {**targets, **deleting})
        except OutcomeUnknown as error:
            lost = error
        timeout = self._task.params["visibility_timeout"]
        try:
            wait_for(self._task, lambda: self._verify_targets(deleting), timeout=timeout, delay=1, start_fast=True)
        except WaitTimeout:
            if lost:
                raise lost from None
            raise

    def _verify_targets(self, expected: Fields) -> None:
        """
        :raises NotReady: if the server does not return targets as expected
        """
        stored = (find_replication(self._artifact, self._repo) or {}).get("targets", {})
        for url, target in expected.items():
            members = {name: value for name, value in target.items() if name in _TARGET_MEMBERS}
            if differences := find_differences(stored.get(url, {}), members):
                raise NotReady(
                    f"the server stored other values in these fields of target '{url}': {join_names(differences)}. The "
                    "target is disabled now"
                )

    def _write_targets(self, method: str, schedule: Fields, targets: Fields) -> None:
        bodies = [self._to_body(schedule, target, _TARGET_MEMBERS) for target in targets.values()]
        if len(bodies) == 1:
            self._write_single(method, bodies[0])
            return
        members = {name: bodies[0][name] for name in _SCHEDULE_MEMBERS.values() if name in bodies[0]}
        try:
            self._write(method, f"{_ADDRESS}/multiple{_path(self._repo)}", {**members, "replications": bodies})
        except ServerRefusal as refusal:
            if "nterprise" not in refusal.text:
                raise
            raise ToolchainError(
                f"Cannot replicate '{self._repo}' to {len(bodies)} targets: {refusal} Replication to several targets "
                "requires an Enterprise license. Without it, name one target; 'purge: true' replaces another one."
            ) from None

    def _write_single(self, method: str, body: Fields) -> None:
        try:
            self._write(method, _address(self._repo), body)
        except ServerRefusal as refusal:
            if _NO_REMOTE_USER not in refusal.text:
                raise
            raise self._missing_user_error() from None

    def _missing_user_error(self) -> ToolchainError:
        return ToolchainError(
            f"Cannot replicate '{self._repo}': the remote repository has no user name. Set user name and password of "
            "the remote repository."
        )

    def _write(self, method: str, address: str, body: Fields) -> None:
        self._artifact.write_descriptor(method, address, json=body, accept=(200, 201))

    def _to_body(self, schedule: Fields, fields: Fields, members: dict[str, tuple[str, t.Any]]) -> Fields:
        """Return the members of the API.

        :arg schedule: has the schedule
        :arg fields: has the members of a target or of a pull replication, and perhaps a password
        """
        body: Fields = {"repoKey": self._repo, **{name: fields[name] for name in ("url", "password") if name in fields}}
        for option, name in _SCHEDULE_MEMBERS.items():
            if schedule.get(option) is not None:
                body[name] = schedule[option]
        body.update({name: fields[option] for option, (name, _default) in members.items() if option in fields})
        return body


def _address(repo: str) -> str:
    return _ADDRESS + _path(repo)


def _path(repo: str) -> str:
    return encode_path(repo, option="repo")
