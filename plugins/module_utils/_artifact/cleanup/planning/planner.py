# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Create a plan from rules, or read one from a file. Only sends read requests."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning import (
    candidates,
    plan_file,
    summary,
    survey,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.planning.scan import Scan
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import (
    ages,
    rule_record,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules.patterns import has_wildcard
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules.rule import Rule, parse_rules
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.images import registry
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_writable,
    store_json_lines,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Types of repositories that store artifacts
_STORED = ("local", "federated")
# Internal repositories of the server
_SPECIAL_KEYS = frozenset(
    (
        *("artifactory-build-info", "auto-trashcan", "artifactory-pipe-info", "artifactory-edge-uploads"),
        *("jfrog-usage-logs", "jfrog-support-bundle", "release-bundles", "release-bundles-v2"),
    )
)
_SPECIAL_ENDS = ("-build-info", "-release-bundles", "-release-bundles-v2")
_SPECIAL_TYPES = frozenset(("buildinfo", "releasebundles", "supportbundle", "pipeinfo", "trash"))


class Planner:
    """Writes the plan to a store, in which interrupted planning continues."""

    def __init__(self, task: Task, artifact: ArtifactService, store: Store) -> None:
        self._task = task
        self._artifact = artifact
        self._store = store
        self._scan = Scan(task, artifact, store)
        self._is_planned_before = False

    def check_options(self) -> None:
        """Validate the options before the first request.

        :raises ToolchainError: if an option is invalid
        """
        params, store = self._task.params, self._store
        for option in ("plan_file", "to_file"):
            if params[option]:
                check_writable(self._task, params[option], option)
        options = {name: params[name] for name in ("rules", "empty_folders")}
        options["from_plan"] = params["from_plan"] and plan_file.compute_digest(params["from_plan"], "from_plan")
        options["url"] = self._artifact.http.base_url
        parse_rules(params["rules"] or [], store.get_fact("made") or ages.current_time())
        if store.get_fact("options") not in (None, options):
            raise BadOption(
                "state_file",
                f"'{params['state_file']}' belongs to another interrupted cleanup. Finish that one "
                "with its own options, or delete the file",
            )
        if store.get_fact("options") is None:
            with store.transaction():
                store.set_fact("options", options)
                store.set_fact("made", ages.current_time())

    def plan(self) -> Fields | None:
        """Return a summary of the plan, or `None` if there is nothing to delete.

        :raises GuardRefusal: if the plan exceeds a limit; the result contains the plan then
        """
        params, result = self._task.params, self._task.result
        self._is_planned_before = bool(params["from_plan"] or self._store.get_fact("planned"))
        if not self._store.get_fact("planned"):
            self._load() if params["from_plan"] else self._create()
        has_shares = params["max_share"] is not None
        if has_shares:
            self._survey_all()
        self._write()
        plan = summary.sum_up(self._store, params["result_limit"], has_shares)
        result["plan"] = plan
        result["unsafe"] = None if params["from_plan"] else summary.list_unsafe(self._store, params["result_limit"])
        if plan:
            summary.check_limits(plan, params)
        return plan

    def prepare_deletion(self) -> None:
        """Determine the newest artifacts again, unless this task created the plan itself."""
        if self._is_planned_before:
            self._mark_newest()

    def _parse_rules(self) -> list[Rule]:
        return parse_rules(self._task.params["rules"] or [], self._store.get_fact("made"))

    def _load(self) -> None:
        with self._store.transaction():
            path = self._task.params["from_plan"]
            head = plan_file.load(self._store, path, "from_plan", self._artifact.http.base_url)
            kinds = {repo: kind in registry.PACKAGE_TYPES for repo, kind in self._list_kinds().items()}
            plan_file.check_kinds(self._store, kinds, path, "from_plan")
            self._store.set_fact("made", head["made"])
            self._store.set_fact("rules", head["rules"])
            self._store.set_fact("kinds", {repo: kinds[repo] for repo in self._list_repos() if repo in kinds})
            self._store.set_fact("planned", True)

    def _create(self) -> None:
        store, rules = self._store, self._parse_rules()
        repos_by_rule = store.get_fact("repositories")
        if repos_by_rule is None:
            repos_by_rule = self._find_repositories(rules)
            with store.transaction():
                store.set_fact("repositories", repos_by_rule)
                store.set_fact(
                    "rules",
                    [rule_record.to_record(rule, list(dict(repos))) for rule, repos in zip(rules, repos_by_rule)],
                )
                store.set_fact("kinds", {repo: tags for repos in repos_by_rule for repo, tags in repos})
        for rule, repos in zip(rules, repos_by_rule):
            for repo, tags in repos:
                if tags:
                    survey.count_files(self._scan, store, repo, tags)
                candidates.Candidates(self._scan, store, rule, repo, tags).collect()
        self._task.report_progress("selecting the artifacts to delete", "planning")
        if not store.get_fact("decided"):
            with store.transaction():
                candidates.decide(store, rules)
                store.set_fact("decided", True)
        if self._task.params["empty_folders"]:
            self._survey_all()
        with store.transaction():
            if self._task.params["empty_folders"]:
                for repo in self._list_repos():
                    survey.plan_folders(store, repo)
            store.set_fact("planned", True)

    def _mark_newest(self) -> None:
        """Mark the planned items that are now among the newest, because newer ones were deleted in the meantime."""
        store, kinds = self._store, self._store.get_fact("kinds")
        rules = rule_record.from_records(store.get_fact("rules"))
        turn = candidates.start_pass(store)
        for rule in rules:
            for repo in self._list_repos():
                if rule.keep_newest and rule.repos.match(repo) and repo in kinds:
                    candidates.Candidates(self._scan, store, rule, repo, kinds[repo]).collect_newest(turn)
        with store.transaction():
            candidates.mark_newest(store, rules)

    def _find_repositories(self, rules: t.Sequence[Rule]) -> list[list[tuple[str, bool]]]:
        """Return the repositories of each rule, and whether they store container images."""
        kinds = self._list_kinds()
        return [_select_repositories(rule, kinds) for rule in rules]

    def _list_kinds(self) -> dict[str, str]:
        """Return the keys and package types of the repositories that store artifacts."""
        kinds = {}
        for repository in queries.list_repositories(self._artifact):
            if repository["type"] in _STORED:
                kinds[repository["key"]] = repository["package_type"]
            elif repository["type"] == "remote":
                kinds[f"{repository['key']}-cache"] = repository["package_type"]
        return kinds

    def _survey_all(self) -> None:
        kinds = self._store.get_fact("kinds")
        for repo in self._list_repos():
            survey.count_files(self._scan, self._store, repo, kinds.get(repo, False))

    def _list_repos(self) -> list[str]:
        return [repo for (repo,) in self._store.fetch_rows("SELECT DISTINCT repo FROM plan ORDER BY repo")]

    def _write(self) -> None:
        """Write the plan to the plan file, also in check mode, so that a person can approve it."""
        head = {"url": self._artifact.http.base_url, **{name: self._store.get_fact(name) for name in ("made", "rules")}}
        if path := self._task.params["plan_file"]:
            store_json_lines(self._task, Target(path), plan_file.to_lines(self._store, head), in_check_mode=True)


def _is_special(key: str, kind: str) -> bool:
    """Return whether a repository is an internal one, which patterns do not match."""
    return key in _SPECIAL_KEYS or key.endswith(_SPECIAL_ENDS) or kind in _SPECIAL_TYPES


def _select_repositories(rule: Rule, kinds: dict[str, str]) -> list[tuple[str, bool]]:
    for pattern in rule.repos.included:
        if not has_wildcard(pattern) and pattern not in kinds:
            raise ToolchainError(
                f"{rule.title}: the repository '{pattern}' does not exist, stores no artifacts, or is hidden from the "
                "account. For a remote repository, use its cache ('<key>-cache'). Virtual repositories store no "
                "artifacts."
            )
    repos = [
        (key, kind in registry.PACKAGE_TYPES)
        for key, kind in sorted(kinds.items())
        if rule.repos.match(key)
        and rule.package_type in (None, kind)
        and (key in rule.repos.included or not _is_special(key, kind))
    ]
    if not repos:
        raise ToolchainError(f"{rule.title}: no repository that is visible to the account matches the rule.")
    return repos
