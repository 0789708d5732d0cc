# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One request on its way through the server, and the table of paths."""

from __future__ import annotations

import email
import email.policy
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, unquote, urljoin

from starlette.requests import Request
from starlette.responses import Response

from . import pages, security
from .permissions import JOB_DISCOVER, JOB_READ, Permission
from .store import Job

if TYPE_CHECKING:
    from .server import CiService

Answer = Response | Awaitable[Response]
USUAL_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Route:
    """A path and what serves it. `open` needs no right to read; `reads` says that a POST changes nothing."""

    path: str
    handler: Callable[..., Answer]
    label: str
    open: bool = False
    reads: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The path as an expression; a name in braces stands for one segment."""
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path))

    def match(self, path: str) -> dict[str, str] | None:
        """The named segments of a path, or None."""
        found = self.pattern.fullmatch(path)
        return {name: unquote(value) for name, value in found.groupdict().items()} if found else None


class Call:
    """A request with everything that a handler asks for."""

    context = "/ci"
    principal: security.Principal

    def __init__(self, service: CiService, request: Request, now: float) -> None:
        self.service = service
        self.store = service.store
        self.world = service.world
        self.now = now
        self.request = request
        self.method = request.method
        self.headers = request.headers
        self.query = request.scope["query_string"].decode("latin-1")
        self.request_uri: str = request.scope["raw_path"].decode("latin-1")
        self.path = re.sub("/+", "/", self.request_uri.removeprefix(self.context))
        self.body = b""
        self.session = service.sessions.find(request.cookies.get(self.cookie_name))
        self._session_begun = False
        self._parameters = parse_qsl(self.query, keep_blank_values=True)

    def switch(self, name: str) -> Any:
        """The present value of one of the service's switches."""
        return self.world.switch(self.service.name, name)

    async def read(self) -> None:
        """Take in the body; the fields of a form become parameters."""
        self.body = await self.request.body()
        if self.content_type == "application/x-www-form-urlencoded":
            self._parameters += parse_qsl(self.body.decode("utf-8", "replace"), keep_blank_values=True)

    def read_parts(self) -> None:
        """Make parameters of the fields of a multipart form, where no crumb is looked for."""
        if self.content_type == "multipart/form-data":
            self._parameters += _parts(self.headers["Content-Type"], self.body)

    @property
    def content_type(self) -> str:
        """The media type of the body, without its parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    def parameters(self, name: str) -> list[str]:
        """All values of a parameter, from the query and the form."""
        return [value for key, value in self._parameters if key == name]

    def parameter(self, name: str) -> str | None:
        """The first value of a parameter."""
        return next(iter(self.parameters(name)), None)

    @property
    def submits_nothing(self) -> bool:
        """Whether there is neither a parameter nor a body."""
        return not self._parameters and not self.body

    def accepted_types(self) -> list[str]:
        """The media types of `Accept`, most wanted first."""
        if "Accept" not in self.headers:
            return ["text/html"]
        ranges = []
        for entry in self.headers["Accept"].split(","):
            name, *fields = (part.strip().lower() for part in entry.split(";"))
            quality = next((f[2:] for f in fields if f.startswith("q=")), "1")
            ranges.append((-_number(quality), name.count("*"), name))
        return [name for quality, _unused, name in sorted(ranges, key=lambda r: r[:2]) if quality < 0]

    @cached_property
    def root(self) -> str:
        """The server's address as the client sees it, with a slash at the end."""
        scheme = self.headers.get("X-Forwarded-Proto") or self.request.url.scheme
        host = self.headers.get("X-Forwarded-Host") or self.headers.get("Host", "")
        port = self.headers.get("X-Forwarded-Port")
        if port and ":" not in host and port != USUAL_PORTS.get(scheme):
            host += f":{port}"
        return f"{scheme}://{host}{self.context}/"

    @cached_property
    def configured_root(self) -> str:
        """The address in the server's documents: the configured one if there is one."""
        configured: str | None = self.store.setting("url")
        return configured.rstrip("/") + "/" if configured else self.root

    @staticmethod
    def quoted(name: str) -> str:
        """A name as a segment of a path."""
        return quote(name, safe="")

    def job_url(self, name: str) -> str:
        """A job's address in the server's documents."""
        return f"{self.configured_root}job/{self.quoted(name)}/"

    @property
    def here(self) -> str:
        """Where a redirect to the present folder leads: a path only."""
        return self.request_uri.rpartition("/")[0] + "/"

    @property
    def with_slash(self) -> str:
        """Where a folder's address without its last slash leads."""
        return f"{self.request_uri}/" + (f"?{self.query}" if self.query else "")

    def absolute(self, location: str) -> str:
        """A reference as seen from this request, as an address."""
        own_root = self.root.removesuffix(f"{self.context}/")
        return urljoin(own_root + self.request_uri, location)

    def require(self, permission: Permission) -> None:
        """Refuse whoever lacks the right."""
        if not self.principal.may(permission):
            raise pages.AccessDenied(permission)

    def require_post(self) -> None:
        """Refuse other methods than POST."""
        if self.method != "POST":
            raise pages.PostRequired

    def job(self, name: str) -> Job:
        """A job that the user may see."""
        job = self.store.job(name)
        if job and not self.principal.may(JOB_READ) and self.principal.may(JOB_DISCOVER):
            raise pages.AccessDenied(message=f"Please login to access job {job.name}")
        if not job or not self.principal.may(JOB_READ):
            raise pages.NotFound
        return job

    @property
    def cookie_name(self) -> str:
        """The session cookie's name, another one after each start."""
        return f"JSESSIONID.{self.store.setting('cookie_suffix')}"

    def need_session(self) -> security.Session:
        """The session of this request; begun now if there is none."""
        return self.session or self.begin_session()

    def begin_session(self, user: str | None = None) -> security.Session:
        """Begin a session, and tell the client."""
        self.session = self.service.sessions.create(user)
        self._session_begun = True
        return self.session

    def finish(self, answer: Response) -> Response:
        """Add the headers that do not depend on what was asked."""
        if isinstance(answer, pages.Page):
            self.need_session()
            answer.headers["X-Hudson"] = "1.395"
            if self.switch("ssh_endpoint"):
                answer.headers["X-SSH-Endpoint"] = self.switch("ssh_endpoint")
            self.sign(answer)
        if self._session_begun and self.session:
            answer.headers.append(
                "Set-Cookie", f"{self.cookie_name}={self.session.id}; Path={self.context}; HttpOnly; SameSite=Lax"
            )
            answer.headers.setdefault("Expires", pages.EPOCH)
        for name, value in pages.CONSTANT_HEADERS.items():
            answer.headers[name] = value
        return answer

    def sign(self, answer: Response) -> None:
        """Add the headers that tell version and session id."""
        answer.headers["X-Jenkins"] = self.switch("version")
        if self.switch("session_id_header"):
            answer.headers["X-Jenkins-Session"] = self.store.setting("session")


def _parts(content_type: str, body: bytes) -> Iterator[tuple[str, str]]:
    head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1")
    for part in email.message_from_bytes(head + body, policy=email.policy.HTTP).iter_parts():
        content = part.get_payload(decode=True)
        if isinstance(content, bytes):
            yield str(part.get_param("name", header="Content-Disposition")), content.decode("utf-8", "replace")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def new_hash() -> str:
    """Eight hexadecimal digits, as session ids and cookie names have them."""
    return secrets.token_hex(4)
