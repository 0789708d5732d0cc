# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand-in for the REST API of GitHub: comments and issues of one repository.

Written from the public documentation, not measured at a GitHub server:

* docs.github.com/en/rest/issues/comments and docs.github.com/en/rest/issues/issues: requests, statuses, members. A pull
  request is an issue too. Labels of accounts without push access are ignored.
* docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api: `per_page` and the Link header
* docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api: 403 or 429, Retry-After
* docs.github.com/en/rest/users/users: an installation, such as that of a workflow, is not a user

The limit of 65,536 characters is that of GitHub's own error message.
"""

from __future__ import annotations

from typing import Any

from support.forge import Account, Forge, Item, Refused, Request, Response, Route

MAX_LENGTH = 65_536
WORKFLOW = "github-actions[bot]"


class GitHub(Forge):
    """The stand-in.

    :ivar repository: owner and name of the repository
    """

    repository = "example/platform"

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix
        super().__init__()
        self.accounts["workflow-token"] = Account(WORKFLOW)
        self.threads["7"] = []

    def routes(self) -> list[Route]:
        """Return the requests."""
        repository = f"/repos/{self.repository}"
        return [
            ("GET", "/user", self._get_user),
            ("GET", "/repos/example/old/.*", self._redirect),
            ("GET", "/page/.*", self._show_page),
            ("GET", f"{repository}/issues/([0-9]+)/comments", self._list_comments),
            ("POST", f"{repository}/issues/([0-9]+)/comments", self._create_comment),
            ("PATCH", f"{repository}/issues/comments/([0-9]+)", self._update_comment),
            ("DELETE", f"{repository}/issues/comments/([0-9]+)", self._delete_comment),
            ("GET", f"{repository}/issues", self._list_issues),
            ("POST", f"{repository}/issues", self._create_issue),
            ("PATCH", f"{repository}/issues/([0-9]+)", self._update_issue),
        ]

    def token(self, headers: Any) -> str:
        """Return the token of the Authorization header."""
        return str(headers.get("Authorization", "")).removeprefix("Bearer ")

    def refuse(self, status: int, message: str = "") -> Response:
        """Return an error response."""
        texts = {401: "Bad credentials", 403: "Resource not accessible by integration", 404: "Not Found"}
        return Response(
            status, {"message": message or texts[status], "documentation_url": "https://docs.github.com/rest"}
        )

    def limit(self) -> Response:
        """Return the response to a request over the secondary or, without Retry-After, the hourly rate limit."""
        if not self.retry_after:
            response = self.refuse(403, "API rate limit exceeded for installation ID 1.")
            response.headers["X-RateLimit-Remaining"] = "0"
            return response
        response = self.refuse(403, "You have exceeded a secondary rate limit. Please wait a few minutes.")
        response.headers["Retry-After"] = self.retry_after
        return response

    def add_comment(self, thread: str, author: str | None, body: str) -> Item:
        """Add a comment. The account of its author can be deleted."""
        comment = {"id": self.new_id(), "user": {"login": author} if author else None, "body": body}
        self.threads[thread].append(comment)
        return comment

    def add_issue(self, author: str, **members: Any) -> Item:
        """Add an issue, in the form of the API."""
        number = len(self.issues) + 20
        defaults = {"title": "An issue", "body": None, "labels": [], "state": "open"}
        issue = {**defaults, "number": number, "user": {"login": author}, **members}
        self.issues.append(issue)
        self.threads[str(number)] = []
        return issue

    def _get_user(self, request: Request) -> Response:
        if request.account.name.endswith("[bot]"):
            return self.refuse(403)
        return Response(200, {"login": request.account.name, "type": "User"})

    def _redirect(self, _request: Request) -> Response:
        """Answer a request for a renamed repository."""
        return Response(301, {"message": "Moved Permanently"}, {"Location": f"{self.url}/repositories/1"})

    def _show_page(self, _request: Request) -> Response:
        """Answer like a web server that shows a page at each address."""
        return Response(200, "<html>Welcome</html>")

    def _thread(self, request: Request) -> list[Item]:
        if request.match[0] not in self.threads:
            raise Refused(self.refuse(404))
        return self.threads[request.match[0]]

    def _comment(self, request: Request) -> tuple[list[Item], Item]:
        for thread in self.threads.values():
            for comment in thread:
                if str(comment["id"]) == request.match[0]:
                    return thread, comment
        raise Refused(self.refuse(404))

    def _text(self, request: Request) -> Any:
        text = request.body.get("body")
        if isinstance(text, str) and len(text) > MAX_LENGTH:
            errors = [{"message": f"body is too long (maximum is {MAX_LENGTH} characters)"}]
            raise Refused(Response(422, {"message": "Validation Failed", "errors": errors}))
        return text

    def _list_comments(self, request: Request) -> Response:
        return self.page(request, self._thread(request))

    def _create_comment(self, request: Request) -> Response:
        self.require(request, "comments")
        self._thread(request)
        text = self._text(request)
        if not text:
            return self.refuse(422, "Validation Failed")
        self.before_create()
        return Response(201, self.add_comment(request.match[0], request.account.name, text))

    def _update_comment(self, request: Request) -> Response:
        self.require(request, "comments")
        _thread, comment = self._comment(request)
        comment["body"] = self._text(request)
        return Response(200, comment)

    def _delete_comment(self, request: Request) -> Response:
        self.require(request, "comments")
        thread, comment = self._comment(request)
        thread.remove(comment)
        return Response(204)

    def _list_issues(self, request: Request) -> Response:
        state, labels = request.query.get("state", "open"), request.query.get("labels", "")
        found = [
            issue
            for issue in reversed(self.issues)
            if issue["state"] == state
            and {*filter(None, labels.split(","))} <= {item["name"] for item in issue["labels"]}
        ]
        return self.page(request, found)

    def _create_issue(self, request: Request) -> Response:
        self.require(request, "issues")
        if not request.body.get("title"):
            return self.refuse(422, "Validation Failed")
        may_label = "no labels" not in request.account.permissions
        labels = [{"name": name} for name in request.body.get("labels", []) if may_label]
        self.before_create()
        issue = self.add_issue(
            request.account.name, title=request.body["title"], body=self._text(request), labels=labels
        )
        return Response(201, issue)

    def _update_issue(self, request: Request) -> Response:
        self.require(request, "issues")
        for issue in self.issues:
            if str(issue["number"]) == request.match[0]:
                self._text(request)
                issue.update({name: request.body[name] for name in ("title", "body", "state") if name in request.body})
                return Response(200, issue)
        return self.refuse(404)
