# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of long lists, which are streamed."""

from __future__ import annotations

import json
import statistics
import threading
from typing import Any

import requests

from support.wire.review import FORM, LTOKENS, Api
from support.work import work_before_answers

MANY = 2_000
QUERY = "file:" + "x" * 5_000
MILLISECONDS = 100


def test_long_list_is_streamed_and_other_requests_are_served(sandbox: Any) -> None:
    views = [{"name": f"view {number}", "query": QUERY, "is_public": True} for number in range(MANY)]
    sandbox.seed({"review": {"projects": [{"name": "many", "creator": "admin", "views": views}]}})
    counted: list[int] = []
    listing = threading.Thread(target=lambda: counted.append(sum(1 for _line in read_lines(sandbox))))
    listing.start()
    worked = work_before_answers(sandbox, listing.is_alive)
    assert counted == [MANY + 1]
    assert statistics.median(worked or [0]) < MILLISECONDS


def read_lines(sandbox: Any) -> Any:
    form = {"action": "views", "project": "many", "user": "admin", "ltoken": LTOKENS["admin"]}
    with requests.post(Api(sandbox).url, data=form, headers={"Content-Type": FORM}, stream=True, timeout=60) as answer:
        assert answer.headers["Transfer-Encoding"] == "chunked"
        yield from map(json.loads, answer.iter_lines())


def test_short_list_has_a_content_length(api: Api) -> None:
    answer = api.post("views", project="platform")
    assert int(answer.headers["Content-Length"]) == len(answer.content)
