# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Make a plan from rules or read one from a file, hold it against its guards, and sum it up. Only reads."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import repositories
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import (
    ages,
    candidates,
    plan_file,
    rule_records,
    survey,
    verification,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup import rules as rule_book
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.artifact import IMAGE_TYPES
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.patterns import has_wildcard
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import Rule
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.scan import Scan
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.store import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import check_writable, store_lines
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
_MOST_NAMED = 10
_ITEMS = "kind <> 'folder'"


class GuardRefusal(ToolchainError):
    """A plan beyond a guard."""


class Planning:
    """Puts the plan into a store, where an interrupted one goes on."""

    def __init__(self, task: Task, artifact: ArtifactService, store: Store) -> None:
        self._task = task
        self._artifact = artifact
        self._store = store
        self._scan = Scan(task, artifact, store)

    def check(self) -> None:
        """Look at the options before the first request.

        :raises ToolchainError: when one cannot work
        """
        params, store = self._task.params, self._store
        for option in ("plan_file", "to_file"):
            if params[option]:
                check_writable(self._task, params[option], option)
        asked = {name: params[name] for name in ("rules", "empty_folders")}
        asked["from_plan"] = params["from_plan"] and plan_file.digest(params["from_plan"], "from_plan")
        asked["url"] = self._artifact.http.base_url
        rule_book.checked(params["rules"] or [], store.fact("made") or ages.now())
        if store.fact("asked") not in (None, asked):
            raise BadOption(
                "state_file",
                f"'{params['state_file']}' has the state of another clean-up that was interrupted: let that one end "
                "with its own options, or remove the file",
            )
        if store.fact("asked") is None:
            with store.transaction():
                store.remember("asked", asked)
                store.remember("made", ages.now())

    def plan(self) -> Fields | None:
        """The plan summed up, or `None` when there is nothing to delete.

        :raises GuardRefusal: when it is beyond its guards; then the plan is in the result
        """
        is_planned_before = bool(self._task.params["from_plan"] or self._store.fact("planned"))
        if not self._store.fact("planned"):
            self._load() if self._task.params["from_plan"] else self._make()
        if is_planned_before and not self._task.check_mode:
            self._mark_newest()
        if self._task.params["max_share"] is not None:
            self._survey_all()
        self._write()
        summary = self._summary()
        self._task.result["plan"] = summary
        self._task.result["unsafe"] = None if self._task.params["from_plan"] else self._unsafe()
        if summary:
            self._check_guards(summary)
        return summary

    def _rules(self) -> list[Rule]:
        return rule_book.checked(self._task.params["rules"] or [], self._store.fact("made"))

    def _load(self) -> None:
        with self._store.transaction():
            path = self._task.params["from_plan"]
            head = plan_file.load(self._store, path, "from_plan", self._artifact.http.base_url)
            kinds = {repo: kind in IMAGE_TYPES for repo, kind in self._list_kinds().items()}
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
        self._task.progress("deciding", "deciding")
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
        """Note which planned items are among the newest by now, since others deleted newer ones after the planning."""
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
        """For each rule its repositories, and whether they hold images."""
        known = self._list_kinds()
        return [_repositories_of(rule, known) for rule in rules]

    def _list_kinds(self) -> dict[str, str]:
        """Keys of the repositories that hold artifacts of their own, with their package types."""
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
        """The plan as a file, in check mode as well: that is what a person approves."""
        head = {"url": self._artifact.http.base_url, **{name: self._store.fact(name) for name in ("made", "rules")}}
        if path := self._task.params["plan_file"]:
            store_lines(self._task, path, plan_file.lines(self._store, head), always=True)

    def _summary(self) -> Fields | None:
        store = self._store
        total = dict(zip(("items", "bytes"), store.one(f"SELECT count(*), sum(size) FROM plan WHERE {_ITEMS}")))
        folders = store.one("SELECT count(*) FROM plan WHERE kind = 'folder'")[0]
        if not total["items"] and not folders:
            return None
        shown = "SELECT kind, repo, path, size, rule FROM plan ORDER BY id LIMIT ?"
        return {
            "items": total["items"],
            "bytes": total["bytes"] or 0,
            "folders": folders,
            "rules": self._sums("rule"),
            "repositories": [self._with_share(entry) for entry in self._sums("repo")],
            "first": [
                dict(zip(("kind", "repo", "path", "size", "rule"), row))
                for row in store.rows(shown, [self._task.params["shown"]])
            ],
        }

    def _unsafe(self) -> Fields:
        """Tags that stay although rules select them, and why."""
        rows = self._store.rows(
            "SELECT repo, path, rule, surplus FROM unsafe ORDER BY repo, path LIMIT ?", [self._task.params["shown"]]
        )
        first = [
            {"repo": repo, "path": path, "rule": rule, "reason": verification.surplus_reason(surplus)}
            for repo, path, rule, surplus in rows
        ]
        return {"items": self._store.one("SELECT count(*) FROM unsafe")[0], "first": first}

    def _sums(self, column: str) -> list[Fields]:
        query = f"SELECT {column}, count(*), sum(size) FROM plan WHERE {_ITEMS} GROUP BY {column} ORDER BY {column}"
        return [dict(zip((column, "items", "bytes"), row)) for row in self._store.rows(query)]

    def _with_share(self, entry: Fields) -> Fields:
        known = self._task.params["max_share"] is not None
        return {**entry, "share": round(survey.share(self._store, entry["repo"]), 2) if known else None}

    def _check_guards(self, summary: Fields) -> None:
        for guard, what in (("max_items", "items"), ("max_bytes", "bytes")):
            most = self._task.params[guard]
            if most is not None and summary[what] > most:
                raise GuardRefusal(_beyond(f"{summary[what]:,} {what}", guard, f"{most:,}"))
        most = self._task.params["max_share"]
        beyond = [entry for entry in summary["repositories"] if most is not None and entry["share"] > most]
        if beyond:
            shares = [f"{entry['share']:g} % of '{entry['repo']}'" for entry in beyond[:_MOST_NAMED]]
            others = [f"{len(beyond) - _MOST_NAMED:,} others"] if len(beyond) > _MOST_NAMED else []
            raise GuardRefusal(_beyond(" and ".join(shares + others), "max_share", f"{most:g} %"))


def _is_special(key: str, kind: str) -> bool:
    """Whether a repository is one of the server's own, which a pattern never means."""
    return key in _SPECIAL_KEYS or key.endswith(_SPECIAL_ENDS) or kind in _SPECIAL_TYPES


def _repositories_of(rule: Rule, known: dict[str, str]) -> list[tuple[str, bool]]:
    for pattern in rule.repos.included:
        if not has_wildcard(pattern) and pattern not in known:
            raise ToolchainError(
                f"{rule.title}: no repository '{pattern}' stores artifacts here, or the account may not see it. "
                "Of a remote one that is its cache, '<key>-cache'; a virtual one has nothing of its own."
            )
    found = [
        (key, kind in IMAGE_TYPES)
        for key, kind in sorted(known.items())
        if rule.repos.match(key)
        and rule.package_type in (None, kind)
        and (key in rule.repos.included or not _is_special(key, kind))
    ]
    if not found:
        raise ToolchainError(f"{rule.title}: it is about no repository that this account may see.")
    return found


def _beyond(planned: str, guard: str, most: str) -> str:
    return f"The plan has {planned}, more than '{guard}' allows ({most}). Nothing was deleted."
