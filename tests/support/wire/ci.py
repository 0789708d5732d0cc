# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A minimal Jenkins client. The expected responses were recorded from Jenkins 2.579."""

from __future__ import annotations

from typing import Any

import requests
from requests.auth import HTTPBasicAuth

TOKENS = {
    "admin": "11c0ffee00sandbox00admin00token0001",
    "manager": "11c0ffee00sandbox00manager0token002",
    "builder": "11c0ffee00sandbox00builder0token003",
    "reader": "11c0ffee00sandbox00reader00token004",
}
CONFIG = "<project><builders><hudson.tasks.Shell><command>sleep 10</command></hudson.tasks.Shell></builders></project>"
XML = {"Content-Type": "text/xml; charset=utf-8"}
FIRST = 4  # The builds of the seed used the lower numbers, and one item is waiting.
NO_CRUMB = "No valid crumb was included in the request"


class Ci:
    """Requests to the service, without redirects."""

    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox
        self.origin = sandbox.url
        self.url = f"{sandbox.url}/ci"

    def request(self, method: str, path: str, user: str | None = "admin", **options: Any) -> requests.Response:
        auth = options.pop("auth", HTTPBasicAuth(user, TOKENS[user]) if user else None)
        return requests.request(method, self.url + path, auth=auth, timeout=60, allow_redirects=False, **options)

    def get(self, path: str, user: str | None = "admin", **options: Any) -> requests.Response:
        return self.request("GET", path, user, **options)

    def post(self, path: str, user: str | None = "admin", **options: Any) -> requests.Response:
        return self.request("POST", path, user, **options)

    def json(self, path: str, **parameters: str) -> Any:
        answer = self.get(path + "/api/json", params=parameters)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def members(self, path: str, tree: str) -> dict[str, Any]:
        document = self.json(path, tree=tree)
        del document["_class"]
        return document

    def create(self, name: str, config: str = CONFIG) -> None:
        assert self.post(f"/createItem?name={name}", data=config, headers=XML).status_code == 200

    def start(self, name: str) -> None:
        assert self.post(f"/job/{name}/build?delay=0sec").status_code == 201

    def later(self, seconds: float) -> None:
        self.sandbox.clock(advance=seconds)

    def item(self, number: int) -> dict[str, Any]:
        return self.json(f"/queue/item/{number}")

    def password(self, user: str) -> requests.Session:
        session = requests.Session()
        session.auth = (user, f"sandbox-{user}")
        return session


def has_header(answer: requests.Response, *names: str) -> bool:
    """Return whether a response has one of the headers."""
    return any(name in answer.headers for name in names)


def oops(answer: requests.Response) -> bool:
    return "Oops!" in answer.text and "Logging ID=" in answer.text
