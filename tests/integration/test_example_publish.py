# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The comments and issues of the example repository, with stand-ins for the APIs of GitHub and GitLab.

The stand-ins were written from the public documentation of these APIs; see their docstrings.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from support.forge import Account, Forge, Item, serve
from support.github_server import GitHub
from support.gitlab_server import GitLab
from support.playbook import FAILED, ROOT, environment, run_command

EXAMPLE = ROOT / "examples/platform"
MARKER = "<!-- toolchain: written by a pipeline, which overwrites changes -->"
CHANGE = {"service": "artifact", "host": "artifactory-eu", "task": "Set properties", "diff": "+a"}
FAILURE = {"host": "artifactory-eu", "state": "failed", "message": "401"}
TOKENS = ("workflow-token", "project-token", "person-token")


class Repository:
    """A copy of the example whose repository is on a stand-in.

    :ivar variables: environment variables of the pipeline
    :ivar thread: path of the merge request on the stand-in
    """

    def __init__(self, folder: Path, forge: Forge) -> None:
        self.folder, self.forge = folder, forge
        self.variables = {
            "ANSIBLE_CONFIG": "publish/ansible.cfg",
            "CHANGE_ID": "7",
            "PIPELINE_URL": "https://ci.example.com/job/1",
            "REPORT_URL": "https://ci.example.com/job/1/report(1).html",
            **FORGES[type(forge)].variables(forge.url),
        }
        self.thread = FORGES[type(forge)].thread

    @property
    def own(self) -> str:
        """The account of the pipeline."""
        return next(iter(self.forge.accounts.values())).name

    @property
    def comments(self) -> list[Item]:
        """The comments on the merge request."""
        return self.forge.threads[self.thread]

    def write_report(self, markdown: str = "## 1 change", **document: Any) -> None:
        """Write the Markdown file, and the JSON document without irrelevant members."""
        report = self.folder / "report"
        report.mkdir(exist_ok=True)
        complete = {
            "check_mode": True,
            "complete": True,
            "hosts": {"artifactory-eu": {}},
            "changes": [],
            "failures": [],
        }
        (report / "report.md").write_text(markdown)
        (report / "report.json").write_text(json.dumps({**complete, **document}))

    def publish(self, playbook: str, *options: str, **variables: str) -> tuple[str, int]:
        """Run a playbook; return its output on one line and its exit status."""
        self.forge.requests.clear()
        command = [f"publish/{playbook}.yml", *options]
        output, status = run_command(command, environment(**{**self.variables, **variables}), self.folder)
        assert not any(token in output for token in TOKENS)
        assert "WARNING" not in output
        return output, status

    def succeed(self, playbook: str, *options: str, **variables: str) -> list[str]:
        """Run a playbook that succeeds, and return its requests without their query."""
        output, status = self.publish(playbook, *options, **variables)
        assert status == 0, output
        return [re.sub(r"\?.*", "", request) for request in self.forge.requests]

    def fail(self, playbook: str, *options: str, **variables: str) -> str:
        """Run a playbook that fails, and return the message of its last failed task. Results of requests are hidden."""
        output, status = self.publish(playbook, *options, **variables)
        assert status != 0, output
        [*_hidden, last] = FAILED.finditer(output)
        result, _end = json.JSONDecoder().raw_decode(output, last.end())
        return " ".join(result["msg"].split())


class OnGitHub:
    """What differs on GitHub: variables of a workflow, and paths."""

    thread = "7"
    comments = "/repos/example/platform/issues/7/comments"
    comment = "/repos/example/platform/issues/comments"
    issues = "/repos/example/platform/issues"
    update = "PATCH"
    first: tuple[str, ...] = ()
    text = "body"
    label: Any = {"name": "toolchain-drift"}

    @staticmethod
    def variables(url: str) -> dict[str, str]:
        repository = {"GITHUB_API_URL": url, "GITHUB_REPOSITORY": "example/platform"}
        return {**repository, "PUBLISH_TOKEN": "workflow-token", "PUBLISH_ACCOUNT": "github-actions[bot]"}


class OnGitLab:
    """What differs on GitLab: variables of a pipeline, and paths."""

    thread = "merge_requests/7"
    comments = comment = "/projects/42/merge_requests/7/notes"
    issues = "/projects/42/issues"
    update = "PUT"
    first = ("GET /user",)
    text = "description"
    label: Any = "toolchain-drift"

    @staticmethod
    def variables(url: str) -> dict[str, str]:
        return {"CI_API_V4_URL": url, "CI_PROJECT_ID": "42", "PUBLISH_TOKEN": "project-token"}


FORGES: dict[type[Forge], type[OnGitHub | OnGitLab]] = {GitHub: OnGitHub, GitLab: OnGitLab}
# GitHub Enterprise Server and a GitLab with a relative URL have a path
CREATE: dict[str, Callable[[], Forge]] = {"GitHub": lambda: GitHub("/api/v3"), "GitLab": GitLab}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the example."""
    folder = tmp_path_factory.mktemp("publish") / "repository"
    shutil.copytree(EXAMPLE, folder)
    folder.chmod(0o755)
    return folder


@pytest.fixture(params=CREATE)
def repository(request: pytest.FixtureRequest, folder: Path) -> Iterator[Repository]:
    """Return a repository on each stand-in."""
    forge = CREATE[request.param]()
    with serve(forge):
        yield Repository(folder, forge)


@pytest.fixture
def on_github(folder: Path) -> Iterator[Repository]:
    """Return a repository on the stand-in for GitHub."""
    forge = GitHub()
    with serve(forge):
        yield Repository(folder, forge)


@pytest.fixture
def on_gitlab(folder: Path) -> Iterator[Repository]:
    """Return a repository on the stand-in for GitLab."""
    forge = GitLab()
    with serve(forge):
        yield Repository(folder, forge)


@pytest.mark.ansible_core
def test_one_comment_is_created_updated_and_created_again(repository: Repository) -> None:
    paths, add, own = FORGES[type(repository.forge)], repository.forge.add_comment, repository.own
    get, post = f"GET {paths.comments}", f"POST {paths.comments}"
    add(repository.thread, "somebody", f"{MARKER}\na copied comment")
    add(repository.thread, own, MARKER.replace("toolchain", "toolchain-2"))
    add(repository.thread, own, f"> {MARKER}\nquoted")
    others = [dict(comment) for comment in repository.comments]
    for number in range(198):
        add(repository.thread, None if paths is OnGitHub else "somebody", f"comment {number}")

    text = '## 1 change\n\n`{{ 7 * 7 }}` "quoted" `%}` é\U0001f49a\n\n  ```diff\n  -a\n  +`\n  ```\n'
    repository.write_report(text)
    assert repository.succeed("comment") == [*paths.first, *3 * [get], post, *3 * [get]]
    comment = repository.comments[-1]
    assert comment["body"] == (
        f"{MARKER}\n{text.rstrip()}\n\n[Report](<https://ci.example.com/job/1/report(1).html>)"
        " [Pipeline](<https://ci.example.com/job/1>)"
    )

    repository.comments[:] = [*repository.comments[:3], comment]
    repository.write_report("## No changes needed on 8 hosts")
    update = f"{paths.update} {paths.comment}/{comment['id']}"
    assert repository.succeed("comment", REPORT_URL="") == [*paths.first, get, update]
    assert repository.comments == [*others, comment]
    assert (
        comment["body"] == f"{MARKER}\n## No changes needed on 8 hosts\n\n [Pipeline](<https://ci.example.com/job/1>)"
    )
    assert repository.succeed("comment", REPORT_URL="") == [*paths.first, get]

    repository.comments.remove(comment)
    repository.succeed("comment")
    assert [comment["body"].startswith(MARKER) for comment in repository.comments[3:]] == [True]


def test_two_runs_at_once_leave_the_older_comment(on_github: Repository) -> None:
    def create_in_another_run() -> None:
        on_github.forge.add_comment(on_github.thread, on_github.own, f"{MARKER}\nof another run")

    on_github.forge.before_create = create_in_another_run
    on_github.write_report("## 2 changes")
    on_github.succeed("comment")
    [comment] = on_github.comments
    assert (comment["id"], "## 2 changes" in comment["body"]) == (1001, True)


def test_comment_is_posted_once_when_responses_are_lost(on_github: Repository) -> None:
    """A lost response arrives after GitHub created the comment. A bad gateway did not pass on the request."""
    on_github.write_report()
    on_github.forge.faults = ["gateway"]
    assert "issues/7/comments had no effect" in on_github.fail("comment")
    assert on_github.comments == []
    on_github.forge.faults = ["lost"]
    on_github.succeed("comment")
    assert len(on_github.comments) == 1
    on_github.write_report("## another change")
    on_github.forge.faults = ["lost", "gateway"]
    on_github.succeed("comment", "-e", "retry_delay=1")
    assert ["## another change" in comment["body"] for comment in on_github.comments] == [True]


def test_rate_limits_are_awaited(repository: Repository) -> None:
    repository.write_report()
    repository.forge.faults = ["limit"]
    requests = repository.succeed("comment", "-e", "retry_delay=1")
    assert [request.split()[0] for request in requests].count("POST") == 2
    assert len(repository.comments) == 1


def test_longer_rate_limits_are_failures(on_gitlab: Repository) -> None:
    on_gitlab.write_report()
    on_gitlab.forge.faults, on_gitlab.forge.retry_after = ["limit"], "600"
    assert "failed with status 429" in (message := on_gitlab.fail("comment"))
    assert message.endswith("Run the job again later.")
    assert [request.split()[0] for request in on_gitlab.forge.requests] == ["GET", "GET", "POST"]


def refuse_comments(forge: Forge) -> dict[str, str]:
    """Take the permissions of all accounts."""
    forge.accounts = {token: Account(account.name, frozenset()) for token, account in forge.accounts.items()}
    return {}


def exhaust_rate_limit(forge: Forge) -> dict[str, str]:
    """Let the account have no requests left in this hour."""
    forge.faults, forge.retry_after = ["limit"], ""
    return {}


COMMENTS = "/repos/example/platform/issues/7/comments"
REFUSALS: dict[str, tuple[Callable[[Forge], dict[str, str]], str]] = {
    "wrong token": (
        lambda _forge: {"PUBLISH_TOKEN": "person-token"},
        f"GET {COMMENTS}?per_page=100 failed with status 401: Bad credentials Check PUBLISH_TOKEN.",
    ),
    "missing permission": (
        refuse_comments,
        f"POST {COMMENTS} failed with status 403: Resource not accessible by integration The token needs the "
        "permission 'pull-requests: write' for comments and 'issues: write' for issues.",
    ),
    "rate limit": (
        exhaust_rate_limit,
        f"POST {COMMENTS} failed with status 403: API rate limit exceeded for installation ID 1. Run the job again "
        "later.",
    ),
    "no account": (
        lambda _forge: {"PUBLISH_ACCOUNT": ""},
        "If it is the token of an app, also set PUBLISH_ACCOUNT.",
    ),
    "not the API": (
        lambda forge: {"GITHUB_API_URL": f"{forge.url}/page"},
        "did not return a list. Set the address of the API",
    ),
    "moved": (
        lambda _forge: {"GITHUB_REPOSITORY": "example/old"},
        "failed with status 301: Moved Permanently Check the address of the API and the repository.",
    ),
    "no address": (
        lambda _forge: {"GITHUB_API_URL": ""},
        "PUBLISH_TOKEN or the address of the API (GITHUB_API_URL or CI_API_V4_URL) is empty",
    ),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusals_say_what_to_do(on_github: Repository, case: str) -> None:
    prepare, message = REFUSALS[case]
    on_github.write_report()
    assert message in on_github.fail("comment", **prepare(on_github.forge))
    assert on_github.comments == []


def test_report_that_is_missing_empty_or_too_long_is_not_posted(on_github: Repository) -> None:
    on_github.write_report(" \n")
    assert "report.md is missing or empty: the check did not write it." in on_github.fail("comment")
    on_github.write_report("x" * 65_536)  # longer than the report plugin writes it
    assert "body is too long (maximum is 65536 characters)" in on_github.fail("comment")
    (on_github.folder / "report/report.md").unlink()
    assert "report.md is missing or empty" in on_github.fail("comment")
    assert on_github.comments == []


def test_merge_request_from_a_fork_has_no_comment(on_gitlab: Repository) -> None:
    """Nightly checks do not run in forks, so a missing token is a failure there."""
    on_gitlab.write_report()
    output, status = on_gitlab.publish("comment", PUBLISH_TOKEN="")
    assert (status, on_gitlab.forge.requests) == (0, [])
    assert "No comment is posted because PUBLISH_TOKEN is empty." in " ".join(output.split())
    assert "PUBLISH_TOKEN or the address of the API" in on_gitlab.fail("issue", PUBLISH_TOKEN="")


def test_api_is_reached_through_a_proxy(on_github: Repository) -> None:
    on_github.write_report()
    on_github.succeed("comment", GITHUB_API_URL="http://api.github.invalid", http_proxy=on_github.forge.url)
    assert len(on_github.comments) == 1


def test_key_with_the_end_of_an_html_comment_is_refused(on_github: Repository) -> None:
    on_github.write_report()
    assert "publish_key contains other characters" in on_github.fail("comment", "-e", "publish_key=a-->")


@pytest.mark.ansible_core
def test_issue_is_open_while_there_is_drift(repository: Repository) -> None:
    paths, forge = FORGES[type(repository.forge)], repository.forge
    get, post = f"GET {paths.issues}", f"POST {paths.issues}"
    foreign = forge.add_issue("somebody", labels=[paths.label], **{paths.text: MARKER})
    other = forge.add_issue(repository.own, labels=[paths.label])
    before = [dict(foreign), dict(other)]

    repository.write_report("## 1 change planned", changes=[CHANGE])
    title = "Drift of \"a\" & \\ 'b' é"
    options = ("-e", json.dumps({"issue_title": title}))
    assert repository.succeed("issue", *options) == [*paths.first, get, post, get]
    issue = forge.issues[2]
    assert (issue["title"], issue["labels"]) == (title, [paths.label])
    assert issue[paths.text].startswith(f"{MARKER}\n## 1 change planned\n")

    # Also closes the issue of another run
    forge.add_issue(repository.own, labels=[paths.label], **{paths.text: MARKER})
    repository.write_report("## 2 changes planned", changes=[CHANGE, CHANGE])
    update, remove = (f"{paths.update} {paths.issues}/{number}" for number in (22, 23))
    assert repository.succeed("issue") == [*paths.first, get, update, remove]
    assert "## 2 changes planned" in issue[paths.text]
    assert [issue["state"] for issue in forge.issues[2:]] == [foreign["state"], "closed"]

    repository.write_report("## No changes needed on 8 hosts", failures=[{**FAILURE, "state": "rescued"}])
    thread = f"{paths.issues}/22/{paths.comments.rpartition('/')[2]}"
    assert repository.succeed("issue") == [
        *(*paths.first, get),
        *(f"GET {thread}", f"POST {thread}", f"GET {thread}", update),
    ]
    assert issue["state"] == "closed"
    [comment] = forge.threads["22" if paths is OnGitHub else "issues/22"]
    assert "No changes needed on 8 hosts" in comment["body"]
    assert [foreign, other] == before


def test_nothing_is_written_without_drift_and_issue(on_github: Repository) -> None:
    on_github.write_report("## No changes needed on 8 hosts")
    assert on_github.succeed("issue") == [f"GET {OnGitHub.issues}"]


def test_failed_and_incomplete_checks_keep_the_issue_open(on_github: Repository) -> None:
    issue = on_github.forge.add_issue(on_github.own, labels=[OnGitHub.label], body=MARKER)
    for kept in ({"failures": [FAILURE]}, {"failures": [{**FAILURE, "state": "unreachable"}]}, {"complete": False}):
        on_github.write_report(f"## {kept}", **kept)
        assert on_github.succeed("issue")[-1] == f"PATCH {OnGitHub.issues}/20"
        assert (issue["state"], str(kept) in issue["body"]) == ("open", True)


def test_checks_without_result_do_not_change_issues(on_github: Repository) -> None:
    on_github.forge.add_issue(on_github.own, labels=[OnGitHub.label], body=MARKER)
    for document in ({"hosts": {}}, {"check_mode": False}):
        on_github.write_report(**document)
        assert "No issue was changed." in on_github.fail("issue")
    (on_github.folder / "report/report.json").unlink()
    assert "No issue was changed." in on_github.fail("issue")
    assert on_github.forge.requests == []


def test_issue_without_label_is_a_failure(on_github: Repository) -> None:
    """GitHub ignores the labels of accounts without push access. Such an issue would not be found again."""
    on_github.forge.accounts = {"person-token": Account("person", frozenset({"issues", "no labels"}))}
    on_github.write_report(changes=[CHANGE])
    message = on_github.fail("issue", PUBLISH_TOKEN="person-token", PUBLISH_ACCOUNT="")
    assert "the account 'person' may not set the label 'toolchain-drift'" in message
