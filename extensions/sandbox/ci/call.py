# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One request on its way through the server, with everything that a handler asks for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Awaitable
from functools import cached_property
from urllib.parse import parse_qsl, quote, urljoin

from starlette.requests import Request
from starlette.responses import Response

from ..http import bodies
from ..http.routing import classify_effect
from .access import sessions
from .access.permissions import ADMINISTER, JOB_DISCOVER, JOB_READ, READ, SYSTEM_READ, Permission
from .controller import Controller
from .http import multipart, pages
from .http.refusals import AccessDenied, EngineError, NotFound, PostRequired
from .jobs import configuration
from .jobs.item_kinds import FOLDER
from .storage import Job

# The path of a job in a route, which may be in folders
JOB = "/job/{job:[^/]+(?:/job/[^/]+)*}"
AS_THEY_ARE = "!$&'()*+,=@"  # signs that the server does not encode in a segment of a path
Answer = Response | Awaitable[Response]
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
LARGEST_OF_STRANGERS = 65536  # bytes
USUAL_PORTS = {"http": "80", "https": "443"}


class Call:
    """A request; whose it is, is known once it has been authenticated."""

    context = "/ci"
    principal: sessions.Principal

    def __init__(self, controller: Controller, request: Request, now: float) -> None:
        self.controller = controller
        self.storage = controller.storage
        self.lifecycle = controller.lifecycle
        self.scheduler = controller.scheduler
        self.plugins = controller.plugins
        self.update_site = controller.update_site
        self.installations = controller.installations
        self.switch = controller.switch
        self.now = now
        self.request = request
        self.method = request.method
        self.headers = request.headers
        self.query = request.scope["query_string"].decode("latin-1")
        self.request_uri: str = request.scope["raw_path"].decode("latin-1")
        self.path = _path(self.request_uri.removeprefix(self.context))
        self.body = b""
        self.parts: list[multipart.Part] = []
        self.session = controller.sessions.find(request.cookies.get(self.cookie_name))
        self._session_begun = False
        self._parameters = parse_qsl(self.query, keep_blank_values=True)

    async def read_form(self) -> None:
        """Make parameters of the fields of a form, among which the crumb can be.

        Of a caller without rights no more is read than a login needs.
        """
        if self.content_type != FORM:
            return
        try:
            limit = bodies.MAX_BODY_SIZE if self.principal.may(READ) else LARGEST_OF_STRANGERS
            self.body = await bodies.read_body(self.request, limit)
        except bodies.BodyTooLarge:
            if self.principal.may(READ):
                raise
        text = self.body.decode("utf-8", "replace")
        try:
            self._parameters += parse_qsl(text, keep_blank_values=True, max_num_fields=bodies.MAX_FORM_FIELDS)
        except ValueError:
            raise EngineError(400, "Unable to parse form content") from None

    async def read(self) -> None:
        """Read a body that is no form.

        The fields of a multipart form become parameters as well, but no crumb is looked for in them. Its files do not.
        """
        if self.content_type == MULTIPART:
            self.parts = await multipart.parts(self.headers["Content-Type"], self.request.stream())
            self._parameters += [(part.name, part.text()) for part in self.parts if part.file_name is None]
        elif self.content_type != FORM:
            self.body = await self.request.body()

    def file(self, name: str) -> multipart.Part | None:
        """The file that a part of the form brings."""
        return next((part for part in self.parts if part.name == name and part.file_name is not None), None)

    def enter(self, label: str, reads: bool) -> None:
        """Tell the journal what this is, where the path alone does not; see `Route.enter`."""
        self.request.scope["sandbox.enter"](label, classify_effect(self.method, reads))

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

    def parameter_names(self) -> list[str]:
        """The names of all parameters, as they came."""
        return [name for name, _value in self._parameters]

    @property
    def submits_nothing(self) -> bool:
        """Whether there is neither a parameter nor a body."""
        return not self._parameters and not self.body and not self.parts

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
        return self.configured_url or self.root

    @property
    def configured_url(self) -> str | None:
        """The address that an administrator has configured for the server, if there is one."""
        configured: str | None = self.storage.setting("url")
        return configured.rstrip("/") + "/" if configured else None

    @staticmethod
    def quoted(name: str) -> str:
        """A name as a segment of a path."""
        return quote(name, safe=AS_THEY_ARE).replace("~", "%7E")

    def job_path(self, name: str) -> str:
        """Where a job is, for a redirect."""
        return f"{self.context}/{_job_path(name)}"

    def job_url(self, name: str) -> str:
        """A job's address in the server's documents."""
        return f"{self.configured_root}{_job_path(name)}"

    @property
    def here(self) -> str:
        """Where a redirect to the present folder leads: a path only."""
        return self.request_uri.rpartition("/")[0] + "/"

    @property
    def target(self) -> str:
        """What the request asks for: path and query."""
        return self.request_uri + (f"?{self.query}" if self.query else "")

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
            raise AccessDenied(permission)

    def require_reading(self) -> None:
        """The right to read the system is seldom switched on; it is the administrator's that is found missing."""
        if not self.principal.may(SYSTEM_READ):
            raise AccessDenied(ADMINISTER)

    @property
    def restart_required(self) -> bool:
        """Whether the server says that an installation waits for a restart."""
        return bool(self.switch("restart_required")) or self.installations.restart_required

    def require_post(self) -> None:
        """Refuse other methods than POST."""
        if self.method != "POST":
            raise PostRequired

    def job(self, path: str) -> Job:
        """The job of a path, `folder/job/app`, or the folder, that the user may see."""
        job = self.storage.job(path.replace("/job/", "/"))
        if job and not self.principal.may(JOB_READ) and self.principal.may(JOB_DISCOVER):
            raise AccessDenied(message=f"Please login to access job {job.name}")
        if not job or not self.principal.may(JOB_READ):
            raise NotFound
        return job

    def project(self, path: str) -> Job:
        """The job of a path that can be built, which no folder can."""
        job = self.job(path)
        if configuration.parse(job.config).kind is FOLDER:
            raise NotFound
        return job

    def folder(self, path: str) -> str:
        """The full name of the folder of a path."""
        job = self.job(path)
        if configuration.parse(job.config).kind is not FOLDER:
            raise NotFound
        return job.name

    @property
    def cookie_name(self) -> str:
        """The session cookie's name, another one after each start."""
        return f"JSESSIONID.{self.storage.setting('cookie_suffix')}"

    def need_session(self) -> sessions.Session:
        """The session of this request; begun now if there is none."""
        return self.session or self.begin_session()

    def begin_session(self, user: str | None = None) -> sessions.Session:
        """Begin a session, and tell the client."""
        self.session = self.controller.sessions.create(user)
        self._session_begun = True
        return self.session

    @property
    def crumb(self) -> str:
        """The crumb of the user in this session, which begins now if there is none."""
        return sessions.crumb(self.principal.name, self.need_session(), self.storage.setting("crumb_salt"))

    def end_session(self) -> None:
        """Forget the session of this request."""
        if self.session:
            self.controller.sessions.end(self.session)
            self.session = None

    def page(self, title: str, body: str, status: int = 200) -> pages.Page:
        """A page of the application; it carries the crumb for what is posted from it."""
        return pages.page(title, body, status, self.crumb if self.switch("csrf") else None)

    def finish(self, answer: Response) -> Response:
        """Add the headers that do not depend on what was asked."""
        if isinstance(answer, pages.Page):
            self.need_session()
            answer.headers["X-Hudson"] = "1.395"
            if endpoint := self.switch("ssh_endpoint") or self.controller.ssh_endpoint:
                answer.headers["X-SSH-Endpoint"] = endpoint
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
            answer.headers["X-Jenkins-Session"] = self.storage.setting("session")


def _job_path(name: str) -> str:
    return "".join(f"job/{Call.quoted(part)}/" for part in name.split("/"))


def _path(uri: str) -> str:
    """A path as the servlet engine sees it: without doubled slashes and dot segments."""
    path = re.sub("/+", "/", uri)
    if "/../" in path or "/./" in path:
        path = posixpath.normpath(path) + ("/" if path.endswith("/") else "")
    return path


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
