# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the REST API of GitLab: notes and issues of one project.

Written from the public documentation, not measured at a GitLab server:

* docs.gitlab.com/api/notes: requests and members of notes, at most 1,000,000 characters
* docs.gitlab.com/api/issues: requests and members of issues; `labels` is a text, `state_event` closes
* docs.gitlab.com/api/rest: encoded project paths, `per_page`, the Link header
* docs.gitlab.com/api/rest/troubleshooting: statuses and error messages
* docs.gitlab.com/security/rate_limits: 429, Retry-After and a plain text
"""

from __future__ import annotations

from typing import Any

from support.forge import Account, Forge, Item, Refused, Request, Response, Route

MAX_LENGTH = 1_000_000
BOT = "project_42_bot_1f2e3d"


class GitLab(Forge):
    """The stand-in. Its project has the id 42 and the path `example/platform`."""

    prefix = "/gitlab/api/v4"

    def __init__(self) -> None:
        super().__init__()
        self.accounts["project-token"] = Account(BOT)
        self.threads["merge_requests/7"] = []

    def routes(self) -> list[Route]:
        """Return the requests."""
        project = "/projects/(?:42|example%2Fplatform)"
        notes = f"{project}/(merge_requests/[0-9]+|issues/[0-9]+)/notes"
        return [
            ("GET", "/user", self._get_user),
            ("GET", notes, self._list_notes),
            ("POST", notes, self._create_note),
            ("PUT", f"{notes}/([0-9]+)", self._update_note),
            ("DELETE", f"{notes}/([0-9]+)", self._delete_note),
            ("GET", f"{project}/issues", self._list_issues),
            ("POST", f"{project}/issues", self._create_issue),
            ("PUT", f"{project}/issues/([0-9]+)", self._update_issue),
        ]

    def token(self, headers: Any) -> str:
        """Return the token of the PRIVATE-TOKEN header."""
        return str(headers.get("PRIVATE-TOKEN", ""))

    def refuse(self, status: int, message: str = "") -> Response:
        """Return an error response."""
        texts = {401: "401 Unauthorized", 403: "403 Forbidden", 404: "404 Not found"}
        return Response(status, {"message": message or texts[status]})

    def limit(self) -> Response:
        """Return the response to a request that exceeds a rate limit."""
        return Response(429, "Retry later\n", {"Retry-After": self.retry_after})

    def add_comment(self, thread: str, author: str | None, body: str) -> Item:
        """Add a note to a merge request or an issue."""
        note = {"id": self.new_id(), "author": {"username": author}, "body": body, "system": False}
        self.threads[thread].append(note)
        return note

    def add_issue(self, author: str, **members: Any) -> Item:
        """Add an issue, in the form of the API."""
        number = len(self.issues) + 20
        defaults = {"title": "An issue", "description": None, "labels": [], "state": "opened"}
        issue = {**defaults, "id": 9000 + number, "iid": number, "author": {"username": author}, **members}
        self.issues.append(issue)
        self.threads[f"issues/{number}"] = []
        return issue

    def _get_user(self, request: Request) -> Response:
        return Response(200, {"id": 77, "username": request.account.name})

    def _thread(self, request: Request) -> list[Item]:
        if request.match[0] not in self.threads:
            raise Refused(self.refuse(404))
        return self.threads[request.match[0]]

    def _note(self, request: Request) -> Item:
        for note in self._thread(request):
            if str(note["id"]) == request.match[1]:
                return note
        raise Refused(self.refuse(404))

    def _text(self, request: Request) -> str:
        text = request.body.get("body")
        if not isinstance(text, str):
            raise Refused(Response(400, {"error": "body is missing"}))
        if len(text) > MAX_LENGTH:
            raise Refused(Response(400, {"message": {"note": ["is too long (maximum is 1000000 characters)"]}}))
        return text

    def _list_notes(self, request: Request) -> Response:
        notes = self._thread(request)
        return self.page(request, notes if request.query.get("sort") == "asc" else notes[::-1])

    def _create_note(self, request: Request) -> Response:
        self.require(request, "comments")
        self._thread(request)
        text = self._text(request)
        self.before_create()
        return Response(201, self.add_comment(request.match[0], request.account.name, text))

    def _update_note(self, request: Request) -> Response:
        self.require(request, "comments")
        note = self._note(request)
        note["body"] = self._text(request)
        return Response(200, note)

    def _delete_note(self, request: Request) -> Response:
        self.require(request, "comments")
        self._thread(request).remove(self._note(request))
        return Response(204)

    def _list_issues(self, request: Request) -> Response:
        labels = {*filter(None, request.query.get("labels", "").split(","))}
        state = request.query.get("state")
        found = [issue for issue in self.issues if labels <= {*issue["labels"]} and state in (None, issue["state"])]
        return self.page(request, found if request.query.get("sort") == "asc" else found[::-1])

    def _create_issue(self, request: Request) -> Response:
        self.require(request, "issues")
        if not request.body.get("title"):
            return Response(400, {"error": "title is missing"})
        self.before_create()
        labels = [label for label in request.body.get("labels", "").split(",") if label]
        members = {name: request.body.get(name) for name in ("title", "description")}
        return Response(201, self.add_issue(request.account.name, labels=labels, **members))

    def _update_issue(self, request: Request) -> Response:
        self.require(request, "issues")
        for issue in self.issues:
            if str(issue["iid"]) == request.match[0]:
                members = ("title", "description")
                issue.update({name: request.body[name] for name in members if name in request.body})
                if request.body.get("state_event") == "close":
                    issue["state"] = "closed"
                return Response(200, issue)
        return self.refuse(404)
