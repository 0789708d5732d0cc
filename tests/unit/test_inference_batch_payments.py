# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Charges of a batch with a server that injects faults and counts the charges."""

from __future__ import annotations

import json
import multiprocessing
import random
import resource
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.billing_server import (
    ERRORS,
    LOSSES,
    PERMANENT,
    TEMPORARY,
    TOKENS,
    UNKNOWN_OUTCOMES,
    BillingServer,
    billing_server,
)
from support.inference_server import KEY, error
from support.running import run
from support.virtual_time import virtual_time

MODEL = "gpt-4o-mini"
FORK = multiprocessing.get_context("fork")


@pytest.fixture(name="server")
def running_server() -> Iterator[BillingServer]:
    with billing_server() as server:
        yield server


def texts(count: int) -> list[str]:
    return [f"Prompt {number}" for number in range(count)]


def batch(server: BillingServer, folder: Path, prompts: list[str], **parameters: Any) -> dict[str, Any]:
    source = folder / "prompts.jsonl"
    source.write_text("".join(json.dumps({"id": f"id of {text}", "prompt": text}) + "\n" for text in prompts))
    options = {"workers": 4, "model": MODEL, "to_file": str(folder / "answers"), "response_timeout": 30, **parameters}
    return run("inference_chat_batch", url=server.url, api_key=KEY, prompts_file=str(source), **options)


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "answers").read_text().splitlines()]


def check_answers(folder: Path, prompts: list[str]) -> None:
    assert [(line["index"], line["id"], line["text"]) for line in lines(folder)] == [
        (number, f"id of {text}", f"Answer to {text}") for number, text in enumerate(prompts)
    ]


@pytest.mark.parametrize("seed", range(8))
def test_each_prompt_is_charged_once_unless_its_response_is_lost(
    seed: int, server: BillingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    virtual_time(monkeypatch)
    chance, prompts = random.Random(seed), texts(40)
    faults = [fault for fault in (*LOSSES, *UNKNOWN_OUTCOMES, *TEMPORARY, "twice", "bad") if fault != "late"]
    server.faults = {
        text: [chance.choice(faults) for _number in range(chance.randrange(4))]
        for text in prompts
        if chance.random() < 0.5
    }
    for _run in range(8):
        paid, delivered = server.charged.total(), server.delivered.total()
        result = batch(server, tmp_path, prompts, workers=chance.choice([1, 4, 16]))
        paid, delivered = server.charged.total() - paid, server.delivered.total() - delivered
        assert result["usage"]["total_tokens"] == TOKENS * delivered
        assert result["lost_requests"] >= paid - delivered
        assert result["summary"]["failed"] == len(result["failures"])
        if not result.get("failed"):
            break
    assert server.delivered == dict.fromkeys(prompts, 1)
    check_answers(tmp_path, prompts)
    assert batch(server, tmp_path, prompts)["changed"] is False


def test_late_response_counts_as_lost(server: BillingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    virtual_time(monkeypatch)
    server.faults = {"Prompt 0": ["late"]}
    result = batch(server, tmp_path, texts(2), response_timeout=5)
    assert (result["lost_requests"], server.charged["Prompt 0"], result["usage"]["total_tokens"]) == (1, 2, 2 * TOKENS)
    assert "1 request(s) had no usable response." in " ".join(result["warnings"])


def test_token_limit_includes_lost_responses(
    server: BillingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    virtual_time(monkeypatch)
    server.faults = {"Prompt 0": ["reset_after"] * 3}
    options = {"workers": 1, "max_tokens": 10, "on_error": "report"}
    result = batch(server, tmp_path, texts(9), max_tokens_total=30, **options)
    assert (server.charged.total(), result["lost_requests"], result["summary"]["failed"], result["remaining"]) == (
        2,
        2,
        1,
        8,
    )
    assert result["stop_reason"] == "they may exceed 'max_tokens_total'"
    result = batch(server, tmp_path, texts(9), max_tokens_total=60, **options)
    assert (server.charged.total(), result["lost_requests"], result["summary"]["answered"], result["remaining"]) == (
        6,
        1,
        3,
        6,
    )


@pytest.mark.parametrize("fault", PERMANENT)
@pytest.mark.parametrize("workers", [1, 8])
def test_batch_stops_when_an_error_affects_all_prompts(
    fault: str, workers: int, server: BillingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    virtual_time(monkeypatch)
    prompts = texts(100)
    batch(server, tmp_path, prompts[:3])
    server.faults = {text: [fault] * 9 for text in prompts[20:]}
    result = batch(server, tmp_path, prompts, workers=workers, on_error="report")
    answered = server.charged.total()  # with several workers, some still wait when the error arrives
    refused = server.requests.total() - answered
    unsent = 100 - answered - refused
    assert refused == result["summary"]["failed"] <= workers
    assert 20 - workers < answered <= 20
    assert (result["summary"]["answered"], result["reused"], result["remaining"]) == (answered, 3, unsent)
    assert (result["counts"]["ok"], result["counts"]["skipped"]) == (3, unsent)
    assert result["failed"]
    assert f"of 100 items failed, {unsent} were skipped." in result["msg"]
    assert result["stop_reason"] in result["msg"]
    assert [reason["count"] for reason in result["failure_reasons"]] == [refused]
    server.faults = {}
    assert batch(server, tmp_path, prompts)["summary"]["answered"] == 100
    assert server.charged == dict.fromkeys(prompts, 1)


@pytest.mark.parametrize(
    ("retry_after", "is_stopped"),
    [
        ("Wed, 21 Oct 2099 07:28:00 GMT", True),
        ("Wed, 21 Oct 2015 07:28:00 GMT", False),
        ("9" * 40, True),
        ("9" * 400, False),
        ("nan", False),
        ("-5", False),
        ("soon", False),
        ("61", True),
        ("0", False),
    ],
)
def test_batch_stops_only_when_retry_after_is_long(
    retry_after: str, is_stopped: bool, server: BillingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    virtual_time(monkeypatch)
    monkeypatch.setitem(ERRORS, "slow", (429, {"Retry-After": retry_after}, error("Slow down.")))
    server.faults = {"Prompt 0": ["slow"]}
    result = batch(server, tmp_path, texts(5), workers=1)
    assert (result["remaining"], server.charged.total()) == ((4, 0) if is_stopped else (0, 5))


def test_prompts_of_other_models_are_sent_when_one_model_is_rejected(server: BillingServer, tmp_path: Path) -> None:
    server.faults = {f"Prompt {number}": ["no_model"] for number in range(0, 20, 2)}
    prompts = [
        {"prompt": text, "model": MODEL if number % 2 == 0 else "other"} for number, text in enumerate(texts(20))
    ]
    options = {"to_file": str(tmp_path / "answers"), "workers": 1, "on_error": "report"}
    result = run("inference_chat_batch", url=server.url, api_key=KEY, prompts=prompts, **options)
    assert (result["summary"]["answered"], result["summary"]["failed"], result["remaining"]) == (10, 1, 9)
    assert result["failed"]
    assert "does not exist" in result["stop_reason"]


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (403, "<html>Your request looks like an attack</html>"),
        (403, error("Your input was flagged", code="moderation")),
        (400, error("No such file: insufficient_quota.log")),
        (400, None),
    ],
)
def test_other_prompts_are_sent_when_one_is_rejected_for_its_content(
    status: int, body: Any, server: BillingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ERRORS, "words", (status, {}, body))
    server.faults = {"Prompt 2": ["words"]}
    result = batch(server, tmp_path, texts(9), workers=1)
    assert (result["summary"]["answered"], result["summary"]["failed"], result["remaining"]) == (8, 1, 0)


def test_task_reports_an_error_when_no_prompt_remains(server: BillingServer, tmp_path: Path) -> None:
    batch(server, tmp_path, texts(5))
    server.faults = {"New": ["no_key"]}
    result = batch(server, tmp_path, ["New", *texts(5)], workers=1, on_error="report")
    assert not result.get("failed"), result["msg"]
    assert (result["summary"]["failed"], result["remaining"], result["stop_reason"], result["counts"]["ok"]) == (
        1,
        0,
        None,
        5,
    )


def test_equal_failures_are_combined(server: BillingServer, tmp_path: Path) -> None:
    server.faults = {text: ["bad"] for text in texts(12)[1:]}
    result = batch(server, tmp_path, texts(12))
    assert result["msg"].startswith("11 of 12 items failed. The first failure is prompts_file, line 2: POST ")
    assert result["msg"].endswith("400 Bad request. 10 more failed in the same way.")
    assert [(reason["count"], reason["first"]) for reason in result["failure_reasons"]] == [(11, 1)]


@pytest.mark.parametrize("limit", ["requests_minute", "slow_down"])
def test_daily_limit_is_not_emptied_when_the_rejection_names_another_limit(
    limit: str, server: BillingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays = virtual_time(monkeypatch)
    server.faults = {"Prompt 3": [limit]}
    limits = {MODEL: {"max_requests_per_1_minute": 100_000, "max_requests_per_1_day": 20_000}}
    result = batch(server, tmp_path, texts(40), workers=1, limits=limits)
    assert (result["summary"]["answered"], round(sum(delays), 0)) == (40, 1)


def test_one_rejection_delays_for_seconds_when_headers_have_no_period(
    server: BillingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays = virtual_time(monkeypatch)
    limits = {"limit-tokens": "150000", "remaining-tokens": "149984", "reset-tokens": "6m0s"}
    server.headers = {f"x-ratelimit-{name}": value for name, value in limits.items()}
    server.faults = {"Prompt 20": ["slow_down"]}
    result = batch(server, tmp_path, texts(540), workers=1)
    assert result["summary"]["answered"] == 540
    assert sum(delays) < 3


def test_daily_limit_is_emptied_when_the_rejection_names_it(
    server: BillingServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    delays = virtual_time(monkeypatch)
    server.faults = {"Prompt 3": ["requests_day"]}
    result = batch(server, tmp_path, texts(5), workers=1)
    assert sum(delays) == pytest.approx(2 * 86_400 / 100_000, abs=0.01)  # for the retry and the next request
    (wait,) = result["waits"]
    assert (wait["model"], wait["limit"]) == (MODEL, "100,000 requests per day")
    assert wait["seconds"] == pytest.approx(sum(delays), abs=0.1)


def test_only_new_prompts_are_charged_when_prompts_move(server: BillingServer, tmp_path: Path) -> None:
    prompts = texts(20)
    batch(server, tmp_path, prompts)
    moved = ["New", *prompts[10:], "Prompt 3", *prompts[:10]]
    result = batch(server, tmp_path, moved)
    assert (result["reused"], result["summary"]["answered"]) == (20, 22)
    assert server.charged == {**dict.fromkeys(prompts, 1), "New": 1, "Prompt 3": 2}
    check_answers(tmp_path, moved)
    removed = batch(server, tmp_path, prompts[:5])
    assert removed["plan"]["requests"] == 0
    assert [line["index"] for line in lines(tmp_path)] == [*range(5), *[None] * 17]
    assert batch(server, tmp_path, prompts[:5])["changed"] is False
    batch(server, tmp_path, moved)
    check_answers(tmp_path, moved)
    assert server.charged.total() == 22


def test_file_is_sorted_when_only_the_order_changes(server: BillingServer, tmp_path: Path) -> None:
    batch(server, tmp_path, texts(5))
    moved = texts(5)[::-1]
    assert [batch(server, tmp_path, moved, check_mode=check)["changed"] for check in (True, False, True, False)] == [
        *(True, True),
        *(False, False),
    ]
    assert server.charged == dict.fromkeys(texts(5), 1)


@pytest.mark.parametrize("count", [3, 5])
def test_last_answer_is_reused_when_its_line_break_is_missing(
    count: int, server: BillingServer, tmp_path: Path
) -> None:
    batch(server, tmp_path, texts(3))
    answers = tmp_path / "answers"
    answers.write_bytes(answers.read_bytes().removesuffix(b"\n"))
    assert batch(server, tmp_path, texts(count))["changed"] is (count > 3)
    check_answers(tmp_path, texts(count))
    assert server.charged == dict.fromkeys(texts(count), 1)
    assert batch(server, tmp_path, texts(count)[::-1])["plan"]["requests"] == 0
    check_answers(tmp_path, texts(count)[::-1])


def test_ids_are_updated_when_only_they_change(server: BillingServer, tmp_path: Path) -> None:
    options = {"to_file": str(tmp_path / "answers"), "model": MODEL, "url": server.url, "api_key": KEY}
    for ids in (["a", "b"], ["c", None], ["c", None]):
        prompts = [{"id": one, "prompt": "Same"} for one in ids]
        result = run("inference_chat_batch", prompts=prompts, **options)
        assert [line["id"] for line in lines(tmp_path)] == ids
    assert (result["changed"], server.charged["Same"]) == (False, 2)


def test_equal_prompts_share_one_request_when_a_cache_is_set(server: BillingServer, tmp_path: Path) -> None:
    prompts = ["Same"] * 30
    planned = batch(server, tmp_path, prompts, cache=str(tmp_path / "cache"), check_mode=True)
    result = batch(
        server, tmp_path, prompts, cache=str(tmp_path / "cache"), workers=16, max_tokens=5, max_tokens_total=7
    )
    assert (result["summary"]["answered"], result["usage"]["total_tokens"], server.charged["Same"]) == (30, TOKENS, 1)
    assert planned["plan"]["requests"] == 1
    assert [path.suffix for path in (tmp_path / "cache").iterdir()] == [".json"]
    assert len(lines(tmp_path)) == 30


def test_equal_prompts_are_charged_separately_without_a_cache(server: BillingServer, tmp_path: Path) -> None:
    result = batch(server, tmp_path, ["Same"] * 5)
    assert (result["summary"]["answered"], server.charged["Same"]) == (5, 5)
    assert batch(server, tmp_path, ["Same"] * 5)["changed"] is False


def test_next_equal_prompt_is_sent_when_the_first_fails(server: BillingServer, tmp_path: Path) -> None:
    server.faults = {"Same": ["bad", "page"]}
    result = batch(server, tmp_path, ["Same"] * 5, cache=str(tmp_path / "cache"))
    assert (result["summary"]["failed"], result["summary"]["answered"], server.charged["Same"]) == (2, 3, 2)


def start_process(*arguments: Any, **parameters: Any) -> Any:
    """Run the module in a separate process."""
    process = FORK.Process(target=batch, args=arguments, kwargs=parameters)
    process.start()
    return process


def test_only_requests_in_progress_are_charged_again_when_a_run_is_killed(
    server: BillingServer, tmp_path: Path
) -> None:
    prompts, workers = texts(60), 4
    for kill_at in (5, 17, 40):
        processes: list[Any] = []

        def kill(_prompt: str, kill_at: int = kill_at, processes: list[Any] = processes) -> None:
            if processes and server.requests.total() >= kill_at:
                processes[0].kill()

        server.before = kill
        processes.append(start_process(server, tmp_path, prompts, workers=workers))
        processes[0].join()
        assert processes[0].exitcode == -signal.SIGKILL
    server.before = lambda _prompt: None
    result = batch(server, tmp_path, prompts)
    assert result["summary"]["answered"] == 60
    assert server.charged.total() <= 60 + 3 * workers
    check_answers(tmp_path, prompts)


def test_run_fails_when_the_prompts_change_during_it(server: BillingServer, tmp_path: Path) -> None:
    """The file exceeds the read buffer, and all of its lines have the same length."""
    prompts = [f"Prompt {number}" for number in range(100, 500)]
    batch(server, tmp_path, prompts[200:])

    def insert(prompt: str) -> None:
        server.before = lambda _prompt: None
        source = tmp_path / "prompts.jsonl"
        source.write_text(json.dumps({"id": "id of Prompt 500", "prompt": "Prompt 500"}) + "\n" + source.read_text())

    server.before = insert
    result = batch(server, tmp_path, prompts, workers=1)
    assert result["msg"] == f"'{tmp_path / 'prompts.jsonl'}' changed while it was being read. Run the task again."
    assert result["remaining"]
    assert batch(server, tmp_path, ["Prompt 500", *prompts])["summary"]["answered"] == 401
    assert server.charged == dict.fromkeys([*prompts, "Prompt 500"], 1)


def test_answers_are_in_the_result_when_the_disk_is_full(server: BillingServer, tmp_path: Path) -> None:
    answers = tmp_path / "answers"
    batch(server, tmp_path, texts(5))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (answers.stat().st_size * 3 // 2, hard))
    try:
        result = batch(server, tmp_path, texts(20))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "cannot be written: File too large" in result["msg"]
    with answers.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in result["unwritten_lines"])
    assert batch(server, tmp_path, texts(20))["summary"]["answered"] == 20
    assert server.charged == dict.fromkeys(texts(20), 1)


def test_second_run_with_the_same_file_fails_without_a_request(server: BillingServer, tmp_path: Path) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def hold(_prompt: str) -> None:
        begun.set()
        may_end.wait(60)

    server.before = hold
    first = start_process(server, tmp_path, texts(10))
    assert begun.wait(60)
    second = batch(server, tmp_path, texts(10))
    may_end.set()
    first.join()
    assert second["msg"] == f"Option 'to_file': '{tmp_path / 'answers'}' is in use by another run."
    assert server.charged == dict.fromkeys(texts(10), 1)
    check_answers(tmp_path, texts(10))


def test_simultaneous_runs_share_requests_when_they_share_a_cache(server: BillingServer, tmp_path: Path) -> None:
    cache = str(tmp_path / "cache")
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        folder.mkdir()
    others = [start_process(server, folder, texts(30), cache=cache) for folder in folders]
    for other in others:
        other.join()
        assert other.exitcode == 0
    assert server.charged == dict.fromkeys(texts(30), 1)
    for folder in folders:
        check_answers(folder, texts(30))
