# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The lookup inference_chat answers inside templates; its examples are the test."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.buildworks.toolchain.plugins.lookup import inference_chat
from sandbox.client import Sandbox
from support.playbook import Run, run_tasks

EXAMPLES = yaml.safe_load(inference_chat.EXAMPLES)
QUESTION = EXAMPLES[0]["vars"]["question"]


def run(sandbox: Sandbox, home: Path, *arguments: str) -> Run:
    (home / ".cache" / "answers").mkdir(parents=True, exist_ok=True)
    return run_tasks(sandbox, EXAMPLES, *arguments, name="lookup", settings={"HOME": str(home)})


@pytest.mark.ansible_core
def test_the_examples_answer_and_pay_once(sandbox: Sandbox, tmp_path: Path) -> None:
    sandbox.call("POST", "inference/replies", {"content": f"You said: {QUESTION}"})
    sandbox.call("POST", "inference/replies", {"content": '{"network": true}'})
    planned = run(sandbox, tmp_path, "--check")
    assert [(done.status, done.requests) for done in planned.done] == [("ok", []), ("skipped", [])]
    copied, told = run(sandbox, tmp_path).done
    assert (copied.status, told.status) == ("ok", "ok"), (copied.result, told.result)
    assert (tmp_path / ".cache" / "answers" / "NOTES.txt").read_text() == f"You said: {QUESTION}"
    assert told.result["msg"] == "Tell the network team."
    assert [len(done.requests) for done in (copied, told)] == [1, 1]
    for arguments in ([], ["--check"]):
        again = run(sandbox, tmp_path, *arguments).done
        assert [(done.result["changed"], done.requests) for done in again] == [(False, []), (False, [])]
