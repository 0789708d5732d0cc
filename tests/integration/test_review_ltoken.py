# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples of the lookup review_ltoken log in to the sandbox."""

from __future__ import annotations

import json
import pathlib

import yaml

from ansible_collections.buildworks.toolchain.plugins.lookup import review_ltoken
from sandbox.client import Sandbox
from support.playbook import run_tasks

EXAMPLES = [{**task, "no_log": False} for task in yaml.safe_load(review_ltoken.EXAMPLES)]


def test_examples_log_in(sandbox: Sandbox) -> None:
    users = ("admin", "alice")
    template = json.dumps(EXAMPLES).replace("mobile-app", "platform")
    examples = [example for user in users for example in json.loads(template.replace("admin", user))]
    file = sandbox.environment["KLOCWORK_LTOKEN"]
    address = {"toolchain_review_url": sandbox.environment["KLOCWORK_URL"], "toolchain_review_ltoken_file": file}
    done = run_tasks(sandbox, examples, name="ltoken", **address).done
    assert {one.status for one in done} == {"ok"}, [one.result for one in done]
    lines = pathlib.Path(file).read_text(encoding="utf-8").splitlines()
    tokens = {fields[2]: fields[3] for fields in (line.split(";") for line in lines)}
    assert [one.result["stdout"] for one in done[1::2]] == [tokens[user] for user in users]
