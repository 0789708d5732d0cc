# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make a plan from rules, or read one from a file. Only reads from the server."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import images, repositories
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import (
    ages,
    candidates,
    plan_file,
    rule_records,
    summary,
    survey,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import rules as rule_book
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.patterns import has_wildcard
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.scan import Scan
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    check_writable,
    store_json_lines,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Kinds of repositories that hold artifacts of their own
_STORED = ("local", "federated")
# Repositories in which the server keeps its own records
_SPECIAL_KEYS = frozenset(
    (
        *("artifactory-build-info", "auto-trashcan", "artifactory-pipe-info", "artifactory-edge-uploads"),
        *("jfrog-usage-logs", "jfrog-support-bundle", "release-bundles", "release-bundles-v2"),
    )
)
_SPECIAL_ENDS = ("-build-info", "-release-bundles", "-release-bundles-v2")
_SPECIAL_TYPES = frozenset(("buildinfo", "releasebundles", "supportbundle", "pipeinfo", "trash"))


class Planning:
    """Puts the plan into a store, in which an interrupted planning continues."""

    def __init__(self, task: Task, artifact: ArtifactService, store: Store) -> None:
        self._task = task
        self._artifact = artifact
        self._store = store
        self._scan = Scan(task, artifact, store)

    def check(self) -> None:
        """Check the options before the first request.

        :raises ToolchainError: when one cannot work
        """
        params, store = self._task.params, self._store
        for option in ("plan_file", "to_file"):
            if params[option]:
                check_writable(self._task, params[option], option)
        asked = {name: params[name] for name in ("rules", "empty_folders")}
        asked["from_plan"] = params["from_plan"] and plan_file.digest(params["from_plan"], "from_plan")
        asked["url"] = self._artifact.http.base_url
        rule_book.parse_rules(params["rules"] or [], store.fact("made") or ages.now())
        if store.fact("asked") not in (None, asked):
            raise BadOption(
                "state_file",
                f"'{params['state_file']}' has the state of another clean-up that was interrupted. Finish that one "
                "with its own options, or remove the file",
            )
        if store.fact("asked") is None:
            with store.transaction():
                store.remember("asked", asked)
                store.remember("made", ages.now())

    def plan(self) -> Fields | None:
        """Return the plan summed up, or `None` when there is nothing to delete.

        :raises GuardRefusal: when the plan is beyond a guard; the plan is in the result then
        """
        params, result = self._task.params, self._task.result
        is_planned_before = bool(params["from_plan"] or self._store.fact("planned"))
        if not self._store.fact("planned"):
            self._load() if params["from_plan"] else self._make()
        if is_planned_before and not self._task.check_mode:
            self._mark_newest()
        has_shares = params["max_share"] is not None
        if has_shares:
            self._survey_all()
        self._write()
        plan = summary.sum_up(self._store, params["shown"], has_shares)
        result["plan"] = plan
        result["unsafe"] = None if params["from_plan"] else summary.list_unsafe(self._store, params["shown"])
        if plan:
            summary.check_guards(plan, params)
        return plan

    def _rules(self) -> list[Rule]:
        return rule_book.parse_rules(self._task.params["rules"] or [], self._store.fact("made"))

    def _load(self) -> None:
        with self._store.transaction():
            path = self._task.params["from_plan"]
            head = plan_file.load(self._store, path, "from_plan", self._artifact.http.base_url)
            kinds = {repo: kind in images.PACKAGE_TYPES for repo, kind in self._list_kinds().items()}
            plan_file.check_kinds(self._store, kinds, path, "from_plan")
            self._store.remember("made", head["made"])
            self._store.remember("rules", head["rules"])
            self._store.remember("kinds", {repo: kinds[repo] for repo in self._repos() if repo in kinds})
            self._store.remember("planned", True)

    def _make(self) -> None:
        store, rules = self._store, self._rules()
        where = store.fact("where")
        if where is None:
            where = self._find_repositories(rules)
            with store.transaction():
                store.remember("where", where)
                store.remember(
                    "rules", [rule_records.to_record(rule, list(dict(repos))) for rule, repos in zip(rules, where)]
                )
                store.remember("kinds", {repo: tags for repos in where for repo, tags in repos})
        for rule, repos in zip(rules, where):
            for repo, tags in repos:
                if tags:
                    survey.survey(self._scan, store, repo, tags)
                candidates.Candidates(self._scan, store, rule, repo, tags).gather()
        self._task.report_progress("deciding", "deciding")
        if not store.fact("decided"):
            with store.transaction():
                candidates.decide(store, rules)
                store.remember("decided", True)
        if self._task.params["empty_folders"]:
            self._survey_all()
        with store.transaction():
            if self._task.params["empty_folders"]:
                for repo in self._repos():
                    survey.plan_folders(store, repo)
            store.remember("planned", True)

    def _mark_newest(self) -> None:
        """Mark the planned items that are among the newest by now, because newer ones were deleted in between."""
        store, kinds = self._store, self._store.fact("kinds")
        rules = rule_records.from_records(store.fact("rules"))
        turn = candidates.begin_again(store)
        for rule in rules:
            for repo in self._repos():
                if rule.keep_newest and rule.repos.match(repo) and repo in kinds:
                    candidates.Candidates(self._scan, store, rule, repo, kinds[repo]).gather_newest(turn)
        with store.transaction():
            candidates.mark_newest(store, rules)

    def _find_repositories(self, rules: t.Sequence[Rule]) -> list[list[tuple[str, bool]]]:
        """Return for each rule its repositories, and whether they hold images."""
        known = self._list_kinds()
        return [_repositories_of(rule, known) for rule in rules]

    def _list_kinds(self) -> dict[str, str]:
        """Return the keys of the repositories that hold artifacts of their own, with their package types."""
        known = {}
        for found in repositories.listed(self._artifact):
            if found["type"] in _STORED:
                known[found["key"]] = found["package_type"]
            elif found["type"] == "remote":
                known[f"{found['key']}-cache"] = found["package_type"]
        return known

    def _survey_all(self) -> None:
        kinds = self._store.fact("kinds")
        for repo in self._repos():
            survey.survey(self._scan, self._store, repo, kinds.get(repo, False))

    def _repos(self) -> list[str]:
        return [repo for (repo,) in self._store.rows("SELECT DISTINCT repo FROM plan ORDER BY repo")]

    def _write(self) -> None:
        """Write the plan as a file, in check mode as well: that is what a person approves."""
        head = {"url": self._artifact.http.base_url, **{name: self._store.fact(name) for name in ("made", "rules")}}
        if path := self._task.params["plan_file"]:
            store_json_lines(self._task, path, plan_file.lines(self._store, head), in_check_mode=True)


def _is_special(key: str, kind: str) -> bool:
    """Return whether a repository is one of the server's own, which a pattern never means."""
    return key in _SPECIAL_KEYS or key.endswith(_SPECIAL_ENDS) or kind in _SPECIAL_TYPES


def _repositories_of(rule: Rule, known: dict[str, str]) -> list[tuple[str, bool]]:
    for pattern in rule.repos.included:
        if not has_wildcard(pattern) and pattern not in known:
            raise ToolchainError(
                f"{rule.title}: no repository '{pattern}' stores artifacts here, or the account may not see it. "
                "Of a remote one that is its cache, '<key>-cache'; a virtual one has nothing of its own."
            )
    found = [
        (key, kind in images.PACKAGE_TYPES)
        for key, kind in sorted(known.items())
        if rule.repos.match(key)
        and rule.package_type in (None, kind)
        and (key in rule.repos.included or not _is_special(key, kind))
    ]
    if not found:
        raise ToolchainError(f"{rule.title}: it is about no repository that this account may see.")
    return found
