# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The inference_chat lookup in templates, tested with its examples."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ansible_collections.buildworks.toolchain.plugins.lookup import inference_chat
from sandbox.client import Sandbox
from support.playbook import run_tasks

EXAMPLES = yaml.safe_load(inference_chat.EXAMPLES)
CACHE, OTHER_CACHE = ".cache/answers", ".cache/others"
UNANSWERED = yaml.safe_load(inference_chat.EXAMPLES.replace(CACHE, OTHER_CACHE))
PROMPT = EXAMPLES[0]["vars"]["prompt"]


@pytest.mark.ansible_core
def test_examples_send_each_prompt_once(sandbox: Sandbox, tmp_path: Path) -> None:
    for cache in (CACHE, OTHER_CACHE):
        (tmp_path / cache).mkdir(parents=True)
    home = {"HOME": str(tmp_path)}
    sandbox.call("POST", "inference/replies", {"content": f"You said: {PROMPT}"})
    sandbox.call("POST", "inference/replies", {"content": '{"network": true}'})
    copied, decided, *again = run_tasks(sandbox, EXAMPLES * 2, name="lookup", settings=home).done
    assert (copied.status, decided.status) == ("ok", "ok"), (copied.result, decided.result)
    assert (tmp_path / CACHE / "NOTES.txt").read_text() == f"You said: {PROMPT}"
    assert decided.result["msg"] == "Notify the network team."
    assert [len(done.requests) for done in (copied, decided)] == [1, 1]
    planned = run_tasks(sandbox, EXAMPLES[:1] + UNANSWERED, "--check", name="lookup", settings=home).done
    for done in [*again, planned[0]]:
        assert (done.result["changed"], done.requests) == (False, [])
    assert [(done.status, done.requests) for done in planned[1:]] == [("ok", []), ("skipped", [])]
