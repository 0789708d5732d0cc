# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests and responses of CI servers, recorded from Jenkins 2.579 and Hudson 1.395."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from support.conversation import Call, call

BUILD = "currentExecutable[fullDisplayName,number,url]"
RUNNING = f"busyExecutors,computer[executors[{BUILD}],oneOffExecutors[{BUILD}]]"
COMPUTERS = f"/computer/api/json?tree={quote(RUNNING, safe='')}"
CRUMB_ISSUER = "/crumbIssuer/api/json"
OLD_SESSION = {"X-Jenkins": "2.579", "X-Jenkins-Session": "5f0c9a3e"}
NEW_SESSION = {"X-Jenkins": "2.579", "X-Jenkins-Session": "77aa01bc"}
IDLE = {
    "_class": "hudson.model.ComputerSet",
    "computer": [
        {
            "_class": "hudson.model.Hudson$MasterComputer",
            "executors": [{"currentExecutable": None}, {"currentExecutable": None}],
            "oneOffExecutors": [],
        }
    ],
}
TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
APP = {
    "_class": "hudson.model.FreeStyleBuild",
    "fullDisplayName": "app #42",
    "number": 42,
    "url": "http://ci/job/app/42/",
}
NO_CRUMB = "No valid crumb was included in the request"
AUTHENTICATION_REQUIRED = (
    "<html><head><meta http-equiv='refresh' content='1;url=/login?from=%2Fapi%2Fjson'/></head>"
    "<body style='background-color:white; color:white;'>\n\n\nAuthentication required\n<!--\n-->\n\n</body></html>"
)


def basic(username: str, secret: str) -> str:
    """Return the header for basic authentication."""
    return f"Basic {base64.b64encode(f'{username}:{secret}'.encode()).decode()}"


def page(title: str, heading: str, text: str = "") -> str:
    """Return a page in the layout of Jenkins."""
    return (
        f"<!DOCTYPE html><html><head><title>{title}</title></head><body><h1>{heading}</h1><p>{text}</p></body></html>"
    )


def deny_permission(user: str, permission: str) -> str:
    """Return the page for an account without a permission."""
    return page("Access Denied [Jenkins]", "Access Denied", f"{user} is missing the {permission} permission")


def engine_error(status: int, message: str, url: str) -> dict[str, str]:
    """Return an error of the servlet engine for a client that accepts JSON."""
    return {"servlet": "Stapler", "message": message, "url": url, "status": str(status)}


def engine_page(status: int, message: str) -> str:
    """Return an error of the servlet engine for other clients."""
    return (
        f"<html>\n<head>\n<title>Error {status} {message}</title>\n</head>\n"
        f"<body><h2>HTTP ERROR {status} {message}</h2>\n</body>\n</html>\n"
    )


def computers(
    headers: dict[str, str] | None = None, *, running: tuple[dict[str, Any], ...] = (), unseen: int = 0, **sent: Any
) -> Call:
    """Return the executors. The first of `running` occupies one, the others none; `unseen` builds are hidden."""
    headers = OLD_SESSION if headers is None else headers
    busy = {
        "_class": "hudson.slaves.SlaveComputer",
        "executors": [{"currentExecutable": build} for build in running[:1]],
        "oneOffExecutors": [{"currentExecutable": build} for build in running[1:]],
    }
    count = {"busyExecutors": len(running[:1]) + unseen}
    return call(
        "GET", COMPUTERS, json={**IDLE, **count, "computer": [*IDLE["computer"], busy]}, headers=headers, **sent
    )


def crumb(value: str = "c0ffee" * 10, field: str = "Jenkins-Crumb", cookie: str | None = None, **sent: Any) -> Call:
    """Return the request for a crumb, which starts a session."""
    answer = {"_class": "hudson.security.csrf.DefaultCrumbIssuer", "crumb": value, "crumbRequestField": field}
    headers = {"Set-Cookie": f"{cookie}; Path=/; HttpOnly; SameSite=Lax"} if cookie else {}
    return call("GET", CRUMB_ISSUER, json=answer, headers=headers, **sent)


def no_crumb_issuer() -> Call:
    """Return the request for a crumb if CSRF protection is disabled."""
    return call("GET", CRUMB_ISSUER, 404, text=page("Not Found - Jenkins", "Oops! Not Found"))


def restart(status: int = 302, **answer: Any) -> Call:
    """Return the request for a safe restart."""
    headers = {"Location": "/"} if status == 302 else {}
    return call("POST", "/safeRestart", status, headers=headers, **answer)


def bad_crumb(**sent: Any) -> Call:
    """Return the request for a safe restart with an invalid crumb."""
    return restart(403, json=engine_error(403, NO_CRUMB, "/safeRestart"), **sent)


def login(status: int = 200, headers: dict[str, str] | None = None, **answer: Any) -> Call:
    """Return the request for the login page, without credentials."""
    if status == 200:
        answer.setdefault("text", page("Sign in - Jenkins", "Sign in to Jenkins"))
    headers = OLD_SESSION if headers is None else headers
    return call("GET", "/login", status, headers=headers, sent_without=["Authorization"], **answer)


def down() -> Call:
    return login(503, {}, text=page("Restarting Jenkins", "Jenkins is restarting"))


def lost() -> Call:
    return login(headers={}, drop=True)


def state(status: int = 200, tree: str = "mode", **answer: Any) -> Call:
    if not answer:
        answer = {"json": {"_class": "hudson.model.Hudson", "mode": "NORMAL"}}
    return call("GET", f"/api/json?tree={tree}", status, **answer)


def quieting(value: bool | None = True, headers: dict[str, str] | None = None) -> Call:
    """Return the request for the quiet-down state."""
    return state(
        tree="quietingDown",
        json={"_class": "hudson.model.Hudson", "quietingDown": value},
        headers=headers or OLD_SESSION,
    )


def back() -> tuple[Call, Call]:
    """Return the first requests after a restart, with and without credentials."""
    return login(headers=NEW_SESSION), state()


_NOT_UPDATES = ("/createItem", "/createView", "/doDelete", "/scriptText", "/crumb", "/computer/doCreateItem")


def read_before_update(calls: Sequence[Call], *reads: str) -> list[Call]:
    """Return the calls with the reads of the object repeated immediately before its update.

    :arg reads: parts of the targets of these reads
    """
    repeated: list[Call] = []
    for place, expected in enumerate(calls):
        if expected.method == "GET" and expected.status == 200 and any(read in expected.target for read in reads):
            repeated.append(dataclasses.replace(expected))
        elif expected.method == "POST":
            if any(part in expected.target for part in _NOT_UPDATES):
                if "/script" not in expected.target:
                    break
                continue
            return [*calls[:place], *repeated, *calls[place:]]
    return list(calls)
