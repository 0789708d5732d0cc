# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Results of cleanups after refusals, lost responses, concurrent changes and interruptions."""

from __future__ import annotations

import itertools
import json
import threading
import urllib.parse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from sandbox.client import Sandbox
from support.cleanup.world import LAYER, Artifact, call, deletes, paths_in, run, store_artifacts

PATHS = [f"app/{number}.bin" for number in range(10)]
OLD = [Artifact("old-local", path, 90, 90, size=10) for path in PATHS]
RULES = [{"repos": ["old-local"], "older_than": "30d"}]

pytestmark = pytest.mark.usefixtures("as_a_user")


def write_plan(sandbox: Sandbox, path: Path, **options: Any) -> str:
    """Write a plan and return the path of its file."""
    store_artifacts(sandbox, OLD)
    file = str(path / "plan.jsonl")
    assert run(rules=RULES, plan_file=file, check_mode=True, **options)["plan"]["items"] == 10
    assert deletes(sandbox) == []
    return file


def test_result_is_unchanged_when_all_deletions_are_refused(sandbox: Sandbox) -> None:
    store_artifacts(sandbox, OLD)
    result = run(rules=RULES, username="reader", password="sandbox-reader")
    assert result["failed"]
    assert result["msg"].startswith("10 of 10 items failed.")
    assert "403" in result["msg"]
    assert "DELETE permission" in result["failures"][9]["reason"]
    assert result["changed"] is False
    assert result["deleted"]["items"] == 0
    assert len(paths_in(sandbox, "old-local")) == 10


def test_other_items_are_deleted_when_one_is_refused(sandbox: Sandbox) -> None:
    store_artifacts(sandbox, OLD)
    sandbox.fault(kind="status", status=403, body="locked", method="DELETE", path="app/3.bin")
    result = run(rules=RULES, on_error="report")
    assert not result.get("failed")
    assert result["counts"] == {"changed": 9, "ok": 0, "failed": 1, "unknown": 0, "skipped": 0}
    assert [failure["item"]["path"] for failure in result["failures"]] == ["app/3.bin"]
    assert result["deleted"]["bytes"] == 90
    assert paths_in(sandbox, "old-local") == ["app/3.bin"]


def test_task_fails_when_a_deletion_has_no_effect(sandbox: Sandbox) -> None:
    store_artifacts(sandbox, OLD)
    sandbox.fault(kind="status", status=204, method="DELETE", path="app/3.bin")
    result = run(rules=RULES)
    assert result["failed"]
    assert (
        "The first: The server confirmed the deletion of 'old-local/app/3.bin', but it still exists." in result["msg"]
    )
    assert result["counts"]["changed"] == 9
    assert result["counts"]["failed"] == 1
    assert result["deleted"]["items"] == 9


@pytest.mark.parametrize("kind", ["reset_before", "reset_after", "truncate"])
def test_item_is_read_back_when_the_response_is_lost(kind: str, sandbox: Sandbox) -> None:
    store_artifacts(sandbox, OLD)
    sandbox.fault(kind=kind, method="DELETE", path="app/3.bin")
    result = run(rules=RULES)
    assert not result.get("failed"), result
    assert result["counts"]["changed"] == 10
    assert paths_in(sandbox, "old-local") == []


def test_new_item_is_kept_when_the_response_is_lost(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    store_artifacts(sandbox, OLD[:1])
    sandbox.clear_journal()
    sandbox.fault(kind="reset_after", method="DELETE")
    monkeypatch.setattr(session.Connection, "send", _deploy_after_deletion(sandbox))
    result = run(rules=RULES)
    assert not result.get("failed"), result
    assert result["counts"]["changed"] == 1
    assert len(deletes(sandbox)) == 1
    assert paths_in(sandbox, "old-local") == ["app/0.bin"]


def _deploy_after_deletion(sandbox: Sandbox) -> Callable[..., Response]:
    """Return a replacement of `Connection.send` that deploys the item again as soon as it is deleted."""
    send, is_deployed = session.Connection.send, False

    def deploy_and_send(*arguments: Any) -> Response:
        nonlocal is_deployed
        if not is_deployed and deletes(sandbox):
            is_deployed = True
            call(sandbox, "PUT", "/old-local/app/0.bin", b"new")
        return send(*arguments)

    return deploy_and_send


def test_page_is_reduced_when_the_response_is_truncated(sandbox: Sandbox) -> None:
    many = [Artifact("old-local", f"{number % 3}/{number}.bin", 90, 90) for number in range(350)]
    store_artifacts(sandbox, many)
    sandbox.switch("artifact", aql_hard_limit=150)
    result = run(rules=RULES, page_size=400, check_mode=True)
    assert not result.get("failed"), result
    assert result["plan"]["items"] == 350
    assert run(rules=RULES, page_size=100)["counts"]["changed"] == 350


def test_page_is_reduced_when_the_server_rejects_long_queries(sandbox: Sandbox) -> None:
    store_artifacts(sandbox, OLD)
    sandbox.fault(kind="status", status=500, path="search/aql", body="Query timed out")
    assert run(rules=RULES, page_size=400, check_mode=True)["plan"]["items"] == 10


def test_deletions_slow_down_when_the_server_is_overloaded(sandbox: Sandbox) -> None:
    store_artifacts(sandbox, OLD)
    sandbox.fault(kind="status", status=429, headers={"Retry-After": "0"}, method="DELETE", times=3)
    result = run(rules=RULES, workers=1)
    assert result["counts"]["changed"] == 10
    assert "3 request(s) were retried" in result["warnings"][0]


def test_verification_is_repeated_when_the_prefetch_failed(sandbox: Sandbox) -> None:
    many = [Artifact("old-local", f"app/{number:03}.bin", 90, 90) for number in range(250)]
    store_artifacts(sandbox, many)
    sandbox.clear_journal()
    run(rules=RULES, workers=1)
    labels = [entry["label"] for entry in sandbox.journal("artifact")]
    ahead = labels.index("query", labels.index("delete_item"))
    assert labels[:ahead].count("delete_item") < 200 < labels.count("delete_item")
    store_artifacts(sandbox, many)
    sandbox.fault(kind="status", status=403, label="query", nth=labels[: ahead + 1].count("query"))
    result = run(rules=RULES, workers=1)
    assert result["counts"]["changed"] == 250
    assert paths_in(sandbox, "old-local") == []


def gaps(sandbox: Sandbox) -> list[float]:
    """Return the seconds between deletions."""
    times = [entry["time"] for entry in sandbox.journal("artifact") if entry["label"] == "delete_item"]
    return [later - earlier for earlier, later in itertools.pairwise(times)]


def test_task_pauses_before_each_deletion(sandbox: Sandbox) -> None:
    store_artifacts(sandbox, OLD)
    sandbox.clear_journal()
    assert run(rules=RULES, workers=1, pause=0.1)["counts"]["changed"] == 10
    assert min(gaps(sandbox)) >= 0.1


@pytest.mark.parametrize("status", [429, 503])
def test_pauses_grow_when_an_overloaded_server_refuses(sandbox: Sandbox, status: int) -> None:
    store_artifacts(sandbox, OLD)
    sandbox.clear_journal()
    busy = {"kind": "status", "status": status, "headers": {"Retry-After": "0"}, "method": "DELETE"}
    for number in (2, 4, 6):  # one try of each of three deletes
        sandbox.fault(nth=number, **busy)
    result = run(rules=RULES, workers=1)
    assert result["counts"]["changed"] == 10
    refused = [entry["status"] == status for entry in sandbox.journal("artifact") if entry["method"] == "DELETE"]
    assert sum(refused) == 3
    # 0.1 after the first, 0.3 after the second, 0.7 after the third; then a tenth less each time
    for number, gap in enumerate(gaps(sandbox)[-6:]):
        assert gap > 0.69 * 0.9**number


# A plan that a person approved


def test_only_planned_items_are_deleted_when_a_plan_is_approved(sandbox: Sandbox, tmp_path: Path) -> None:
    file = write_plan(sandbox, tmp_path)
    lines = Path(file).read_text().splitlines(keepends=True)
    assert json.loads(lines[0])["url"] == sandbox.url
    Path(file).write_text("".join(lines[:6]))
    result = run(from_plan=file)
    assert result["deleted"]["items"] == result["counts"]["changed"] == 5
    assert paths_in(sandbox, "old-local") == PATHS[5:]
    again = run(from_plan=file)
    assert again["changed"] is False
    assert again["counts"]["ok"] == 5
    assert {outcome["outcome"] for outcome in again["outcomes"]} == {"missing"}


def test_item_is_kept_when_it_differs_from_the_plan(sandbox: Sandbox, tmp_path: Path) -> None:
    file = write_plan(sandbox, tmp_path)
    rules = [{**RULES[0], "keep_properties": {"keep": None}}]
    run(rules=rules, plan_file=file, check_mode=True)
    call(sandbox, "PUT", "/old-local/app/0.bin", b"new content")
    sandbox.seed({"artifact": {"repositories": [{"key": "old-local", "rclass": "local", "files": {"app/1.bin": "x"}}]}})
    call(sandbox, "PUT", "/api/storage/old-local/app/2.bin?properties=keep=yes")
    call(sandbox, "DELETE", "/old-local/app/3.bin")
    result = run(from_plan=file)
    ends = {outcome["item"]["path"]: outcome["keep_reason"] or outcome["outcome"] for outcome in result["outcomes"]}
    assert ends["app/0.bin"] == ends["app/1.bin"] == "changed since it was planned"
    assert ends["app/2.bin"] == "kept because of a property"
    assert ends["app/3.bin"] == "missing"
    assert result["counts"] == {"changed": 6, "ok": 4, "failed": 0, "unknown": 0, "skipped": 0}
    assert paths_in(sandbox, "old-local") == PATHS[:3]


def test_keep_properties_apply_only_to_artifacts_of_their_rule(sandbox: Sandbox, tmp_path: Path) -> None:
    file = write_plan(sandbox, tmp_path)
    rules = [
        *RULES,
        {"repos": ["old-local"], "names": ["1.bin"], "older_than": "1d", "keep_properties": {"keep": None}},
    ]
    run(rules=rules, plan_file=file, check_mode=True)
    for name in ("1.bin", "2.bin"):
        call(sandbox, "PUT", f"/api/storage/old-local/app/{name}?properties=keep=yes")
    assert run(from_plan=file)["counts"]["changed"] == 9
    assert paths_in(sandbox, "old-local") == ["app/1.bin"]


def test_item_is_kept_when_it_was_downloaded_after_planning(sandbox: Sandbox, tmp_path: Path) -> None:
    artifact = {"key": "old-local", "rclass": "local", "files": {"app/a.bin": "a", "app/b.bin": "b"}}
    sandbox.seed({"artifact": {"repositories": [artifact]}})
    file = str(tmp_path / "plan.jsonl")
    run(rules=[{"repos": ["old-local"], "names": ["*.bin"]}], plan_file=file, check_mode=True)
    call(sandbox, "GET", "/old-local/app/a.bin")
    result = run(from_plan=file)
    assert [outcome["keep_reason"] for outcome in result["outcomes"]] == [None, "downloaded since it was planned"]
    assert paths_in(sandbox, "old-local") == ["app/a.bin"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: text.replace("http://", "https://", 1), "is a plan for https://"),
        (lambda text: text.split("\n", 1)[1], "is not a cleanup plan"),
        (lambda text: text + "what?\n", "line 12 of"),
        (lambda text: text + "{}\n", "has no kind"),
        (lambda text: text.replace('"size": 10', '"size": "10"', 1), "has an invalid 'size'"),
        (lambda text: "", "is not a cleanup plan"),
    ],
)
def test_file_is_refused_when_it_is_not_a_plan(change: Any, problem: str, sandbox: Sandbox, tmp_path: Path) -> None:
    file = write_plan(sandbox, tmp_path)
    Path(file).write_text(change(Path(file).read_text()))
    result = run(from_plan=file)
    assert result["msg"].startswith("Option 'from_plan': ")
    assert problem in result["msg"]
    assert deletes(sandbox) == []


# Guards


@pytest.mark.parametrize(
    ("guard", "message"),
    [
        ({"max_items": 9}, "The plan has 10 items, more than 'max_items' allows (9). Nothing was deleted."),
        ({"max_bytes": 99}, "The plan has 100 bytes, more than 'max_bytes' allows (99). Nothing was deleted."),
        (
            {"max_share": 66},
            "The plan has 66.67 % of 'old-local', more than 'max_share' allows (66 %). Nothing was deleted.",
        ),
    ],
)
@pytest.mark.parametrize("check_mode", [True, False])
def test_nothing_is_deleted_when_a_limit_is_exceeded(
    guard: dict[str, Any], message: str, check_mode: bool, sandbox: Sandbox
) -> None:
    store_artifacts(sandbox, [*OLD, *(Artifact("old-local", f"new/{number}", 1, 1, size=10) for number in range(5))])
    result = run(rules=RULES, check_mode=check_mode, **guard)
    assert result["msg"] == message
    assert result["plan"]["items"] == 10
    assert deletes(sandbox) == []
    allowed = {name: most + 1 for name, most in guard.items()}
    if "max_share" not in guard:
        assert not run(rules=RULES, check_mode=check_mode, **allowed).get("failed")


# Images, folders, trash


def test_tags_are_deleted_completely(sandbox: Sandbox) -> None:
    before, trash = (paths_in(sandbox, repo) for repo in ("docker-local", "auto-trashcan"))
    rules = [{"repos": ["*"], "package_type": "docker", "exclude_names": ["latest"], "keep_newest": 1}]
    result = run(rules=rules, clean_trash=True)
    assert not result.get("failed"), result
    assert [entry["path"] for entry in result["plan"]["first"]] == ["acme/web/1.0.0"]
    assert result["deleted"]["bytes"] > 100
    assert paths_in(sandbox, "docker-local") == [path for path in before if not path.startswith("acme/web/1.0.0/")]
    assert paths_in(sandbox, "auto-trashcan") == trash


def test_old_layers_are_kept_when_the_tag_is_kept(sandbox: Sandbox) -> None:
    sandbox.seed({"artifact": {"repositories": [{"key": "images", "rclass": "local", "packageType": "docker"}]}})
    store_artifacts(sandbox, [Artifact("old-local", "a", 1, 1)])
    world = [
        Artifact("images", "web/1/manifest.json", 5, 5),
        Artifact("images", f"web/1/{LAYER}", 500, 500, size=1000),
        Artifact("images", "web/2/manifest.json", 90, 90),
        Artifact("images", f"web/2/{LAYER}", 5, 5, size=500),
        Artifact("images", "web/sha256:cc/manifest.json", 90, 90),
    ]
    store_artifacts(sandbox, world, [])
    result = run(rules=[{"repos": ["images"], "older_than": "30d"}])
    assert result["plan"]["first"] == [
        {"kind": "tag", "repo": "images", "path": "web/2", "size": 501, "rule": "rules[0]"}
    ]
    assert paths_in(sandbox, "images") == ["web/1/manifest.json", f"web/1/{LAYER}", "web/sha256:cc/manifest.json"]


def test_size_of_a_tag_includes_all_its_files(sandbox: Sandbox) -> None:
    sandbox.seed({"artifact": {"repositories": [{"key": "images", "rclass": "local", "packageType": "docker"}]}})
    store_artifacts(
        sandbox,
        [Artifact("images", "web/1/manifest.json", 9, 9), Artifact("images", f"web/1/{LAYER}", 9, 9, size=99),
         Artifact("images", "web/2/manifest.json", 9, 9), Artifact("images", f"web/2/{LAYER}", 9, 9, size=100)],
        [],
    )  # fmt: skip
    result = run(rules=[{"repos": ["images"], "larger_than": 100}], check_mode=True)
    assert [entry["path"] for entry in result["plan"]["first"]] == ["web/2"]


def test_empty_folders_are_deleted_when_requested(sandbox: Sandbox) -> None:
    store_artifacts(
        sandbox,
        [
            Artifact("old-local", "a/b/c/old.bin", 90, 90),
            Artifact("old-local", "a/b/d/old.bin", 90, 90),
            Artifact("old-local", "e/old.bin", 90, 90),
            Artifact("old-local", "e/f/new.bin", 1, 1),
            Artifact("old-local", "old.bin", 90, 90),
        ],
    )
    result = run(rules=RULES, empty_folders=True)
    assert not result.get("failed"), result
    assert result["plan"]["folders"] == result["deleted"]["folders"] == 1
    assert result["plan"]["first"][-1] == {"kind": "folder", "repo": "old-local", "path": "a", "size": 0, "rule": ""}
    assert paths_in(sandbox, "old-local", folders=True) == ["e", "e/f", "e/f/new.bin"]


def test_files_of_every_repository_are_deleted_when_folders_become_empty(sandbox: Sandbox) -> None:
    repos = ["old-1", "old-2"]
    store_artifacts(sandbox, [Artifact(repo, f"{letter}/old.bin", 90, 90) for repo in repos for letter in "abc"], repos)
    result = run(rules=[{"repos": repos, "older_than": "30d"}], empty_folders=True)
    assert (result["deleted"]["items"], result["deleted"]["folders"]) == (6, 6)
    assert [paths_in(sandbox, repo, folders=True) for repo in repos] == [[], []]


@pytest.mark.parametrize("folder", ["app", "a^b_c", "100%_a^", "a[b]"])
def test_folder_is_kept_when_it_is_no_longer_empty(sandbox: Sandbox, tmp_path: Path, folder: str) -> None:
    store_artifacts(sandbox, [Artifact("old-local", f"{folder}/old.bin", 90, 90)])
    file = str(tmp_path / "plan.jsonl")
    assert run(rules=RULES, plan_file=file, check_mode=True, empty_folders=True)["plan"]["folders"] == 1
    call(sandbox, "PUT", f"/old-local/{urllib.parse.quote(folder)}/deep/new.bin", b"new")
    result = run(from_plan=file)
    assert result["outcomes"][-1]["keep_reason"] == "no longer empty"
    assert paths_in(sandbox, "old-local") == [f"{folder}/deep/new.bin"]


# Several runs


def test_each_item_is_deleted_once_when_two_tasks_run(sandbox: Sandbox) -> None:
    store_artifacts(sandbox, [Artifact("old-local", f"{number}.bin", 90, 90) for number in range(100)])
    results: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda: results.append(run(rules=RULES))) for _nth in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not [result["msg"] for result in results if result.get("failed")]
    assert sum(result["counts"]["changed"] for result in results if result["counts"]) == 100
    assert paths_in(sandbox, "old-local") == []


@pytest.mark.parametrize("kind", ["reset_before", "reset_after"])
def test_cleanup_continues_when_interrupted_at_any_request(kind: str, sandbox: Sandbox, tmp_path: Path) -> None:
    paths = [f"{number % 2}/{number}.bin" for number in range(8)]
    goes = [f"/artifactory/old-local/{path}" for path in sorted(paths[:6])]
    options: dict[str, Any] = {
        "rules": [{"repos": ["old-local"], "older_than": "30d", "keep_newest": 1, "keep_properties": {"keep": None}}],
        "state_file": str(tmp_path / "state"),
        "page_size": 100,
        "workers": 1,
        "retries": 0,
        "empty_folders": True,
    }
    requests, nth, resumed = 1, 0, 0
    while nth < requests:
        nth += 1
        sandbox.reset()
        store_artifacts(sandbox, [Artifact("old-local", path, 90, 90) for path in paths])
        sandbox.clear_journal()
        sandbox.fault(kind=kind, service="artifact", nth=nth)
        first = run(max_failures=1, **options)
        sandbox.clear_faults()
        goes_on = (tmp_path / "state").exists()
        second = run(max_failures=1, **options) if first.get("failed") else first
        assert not second.get("failed"), (nth, second)
        assert not (tmp_path / "state").exists()
        went = [entry for entry in sandbox.journal("artifact") if entry["method"] == "DELETE"]
        acted = [entry["path"] for entry in went if entry["status"] == 204 or kind == "reset_after"]
        assert sorted(acted) == goes
        runs = [second] if goes_on or second is first else [first, second]
        assert sum(one["deleted"]["items"] for one in runs if one.get("deleted")) == 6
        assert paths_in(sandbox, "old-local") == ["0/6.bin", "1/7.bin"]
        resumed += goes_on
        requests = len(sandbox.journal("artifact")) - 1
    assert resumed > 5


def test_planning_is_not_repeated_when_the_plan_is_complete(sandbox: Sandbox, tmp_path: Path) -> None:
    store_artifacts(sandbox, OLD)
    state = str(tmp_path / "state")
    sandbox.fault(kind="status", status=403, method="DELETE", times=0)
    assert run(rules=RULES, state_file=state, max_failures=1, workers=1)["failed"]
    sandbox.clear_faults()
    other = run(rules=[{**RULES[0], "older_than": "31d"}], state_file=state)
    assert "belongs to another interrupted cleanup" in other["msg"]
    sandbox.clear_journal()
    assert run(rules=RULES, state_file=state)["counts"]["changed"] == 10
    labels = [entry["path"] for entry in sandbox.journal("artifact") if entry["effect"] == "read"]
    assert labels == ["/artifactory/api/search/aql"] * 2  # a look before, and one after


def test_task_fails_before_any_query_when_a_repository_is_unknown(sandbox: Sandbox) -> None:
    result = run(rules=[{"repos": ["generic-lokal"], "older_than": "30d"}])
    assert result["msg"].startswith("rules[0]: the repository 'generic-lokal' does not exist")
    result = run(rules=[{"repos": ["nothing-*"], "older_than": "30d"}])
    assert "no repository that is visible" in result["msg"]
