# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches with the sandbox: rate limits, and runs that are killed."""

from __future__ import annotations

import io
import json
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch import answers_file
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.batch.answers_file import AnswersFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import completions
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.limits import rate_limiter
from sandbox.client import Sandbox
from support.running import run

MODEL = "limited"
WORKERS = 4


class SandboxTime:
    """Advance the frozen clock of the sandbox instead of sleeping."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._lock = threading.Lock()
        self.slept = 0.0
        sandbox.clock(frozen=True)

    def monotonic(self) -> float:
        return self.slept

    def pause(self, seconds: float, _stop: threading.Event) -> None:
        with self._lock:
            self._sandbox.clock(advance=seconds)
            self.slept += seconds


def seed_limits(sandbox: Sandbox, **limits: int) -> None:
    sandbox.seed({"inference": {"models": [{"id": MODEL, "created": 1, **limits}]}})
    sandbox.switch("inference", enforce_rate_limits=True)
    sandbox.clear_journal()


def statuses(sandbox: Sandbox) -> list[int | None]:
    return [entry["status"] for entry in sandbox.journal("inference") if entry["label"] == "chat"]


def batch(sandbox: Sandbox, folder: Path, count: int, **parameters: Any) -> dict[str, Any]:
    source = folder / "prompts.jsonl"
    source.write_text("".join(json.dumps({"prompt": f"Prompt {number}"}) + "\n" for number in range(count)))
    environment = sandbox.environment
    return run(
        "inference_chat_batch",
        url=environment["OPENAI_BASE_URL"],
        api_key=environment["OPENAI_API_KEY"],
        prompts_file=str(source),
        to_file=str(folder / "answers.jsonl"),
        model=MODEL,
        **{"workers": WORKERS, **parameters},
    )


def read_answers(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]


@pytest.mark.parametrize(
    ("count", "limits", "has_configured_limits", "minimum_seconds"),
    [
        (600, {"requests_per_minute": 300, "tokens_per_minute": 20_000}, True, (600 * 100 - 20_000) / 20_000 * 60),
        (200, {"requests_per_minute": 50}, False, (200 - 50) / 50 * 60),
        (40, {"requests_per_minute": 500, "requests_per_day": 24}, False, (40 - 24) / 24 * 86_400),
        (40, {"tokens_per_day": 2_400}, True, (40 * 100 - 2_400) / 2_400 * 86_400),
    ],
)
def test_prompts_stay_within_limits(
    count: int,
    limits: dict[str, int],
    has_configured_limits: bool,
    minimum_seconds: float,
    sandbox: Sandbox,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seed_limits(sandbox, **limits)
    clock = SandboxTime(sandbox)
    monkeypatch.setattr(rate_limiter, "time", clock)
    monkeypatch.setattr(rate_limiter, "pause", clock.pause)
    options = {f"max_{name.replace('per', 'per_1')}": limit for name, limit in limits.items()}
    result = batch(sandbox, tmp_path, count, max_tokens=100, limits={MODEL: options} if has_configured_limits else None)
    assert not result.get("failed"), result
    assert statuses(sandbox) == [200] * count
    assert [(line["index"], line["text"]) for line in read_answers(tmp_path)] == [
        (number, f"You said: Prompt {number}") for number in range(count)
    ]
    assert clock.slept <= minimum_seconds * 1.05


class KilledFile(io.FileIO):
    """A file of answers that is killed after it wrote half a line."""

    def write(self, data: Any) -> int:
        kill_at("half", lambda: super(KilledFile, self).write(bytes(data)[: len(data) // 2]))
        return super().write(data) or 0


def kill_at(point: str, before: Callable[[], Any] = lambda: None) -> None:
    """Kill the process at the selected call."""
    if KILL_POINT and KILL_POINT[0] == point:
        KILL_POINT[1] -= 1
        if not KILL_POINT[1]:
            before()
            os.kill(os.getpid(), signal.SIGKILL)


KILL_POINT: list[Any] = []
KILL_POINTS = [
    ("send", 1),
    ("received", 1),
    ("half", 3),
    ("written", 2),
    ("send", 6),
    ("half", 1),
    ("received", 4),
    ("written", 5),
    ("before sort", 1),
    ("after sort", 1),
]
LOST = ("received", "half")


def run_until_killed(point: str, number: int, sandbox: Sandbox, folder: Path, count: int) -> None:
    """Run the module, and kill it at the given call of a function."""
    KILL_POINT[:] = [point, number]
    send, add, store = completions.send, AnswersFile.add, answers_file.store_output

    def kill_around_send(*args: Any) -> Any:
        kill_at("send")
        answer = send(*args)
        kill_at("received")
        return answer

    def kill_after_add(*args: Any) -> None:
        add(*args)
        kill_at("written")

    def kill_around_store(*args: Any) -> None:
        kill_at("before sort")
        store(*args)
        kill_at("after sort")

    completions.send = kill_around_send
    AnswersFile.add = kill_after_add  # type: ignore[method-assign]
    answers_file.store_output = kill_around_store
    answers_file.open_private = KilledFile
    batch(sandbox, folder, count, workers=1)


def test_killed_run_continues_without_double_charges(sandbox: Sandbox, tmp_path: Path) -> None:
    """Only a request whose line was not completely written is sent again."""
    count = 40
    seed_limits(sandbox, requests_per_minute=100_000)
    for point, number in KILL_POINTS:
        if point == "before sort":
            first, second, *others = (tmp_path / "answers.jsonl").read_text().splitlines(keepends=True)
            (tmp_path / "answers.jsonl").write_text("".join([second, first, *others]))
        process = multiprocessing.get_context("fork").Process(
            target=run_until_killed, args=(point, number, sandbox, tmp_path, count)
        )
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL, point
    result = batch(sandbox, tmp_path, count)
    assert (result["summary"]["answered"], result["changed"]) == (count, False)
    assert statuses(sandbox) == [200] * (count + sum(point in LOST for point, _number in KILL_POINTS))
    assert [(line["index"], line["text"]) for line in read_answers(tmp_path)] == [
        (number, f"You said: Prompt {number}") for number in range(count)
    ]
