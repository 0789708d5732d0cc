# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the dedicated port."""

from __future__ import annotations

import pathlib
from urllib.parse import urlsplit

import requests

from sandbox import client

LTOKEN = "ad00000000000000000000000000000000000000000000000000000000000001"


def test_path_has_no_prefix_on_the_dedicated_port():
    with client.start(review_port=0) as sandbox:
        own = sandbox.environment["KLOCWORK_URL"]
        assert urlsplit(own).port != urlsplit(sandbox.url).port and not urlsplit(own).path
        form = {"action": "version", "user": "admin", "ltoken": LTOKEN}
        answers = [requests.post(f"{url}/review/api", form) for url in (own, f"{sandbox.url}/analysis")]
        assert [answer.status_code for answer in answers] == [200, 200]
        assert answers[0].json() == answers[1].json()
        assert requests.get(f"{own}/_sandbox/health").status_code == 404
        assert [(call["path"], call["label"]) for call in sandbox.journal("review")][:2] == [
            ("/review/api", "version"),
            ("/analysis/review/api", "version"),
        ]
        lines = pathlib.Path(sandbox.environment["KLOCWORK_LTOKEN"]).read_text().splitlines()
        ports = {line.split(";")[1] for line in lines if line.endswith(f";admin;{LTOKEN}")}
        assert ports == {str(urlsplit(url).port) for url in (own, sandbox.url)}
