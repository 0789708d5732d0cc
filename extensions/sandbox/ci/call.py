# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A request with the context that handlers need."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Awaitable
from dataclasses import replace
from functools import cached_property
from urllib.parse import parse_qsl, quote, urljoin

from starlette.requests import Request
from starlette.responses import Response

from ..http import bodies
from ..http.routing import classify_effect
from .access import sessions
from .access.permissions import ADMINISTER, JOB_DISCOVER, JOB_READ, READ, SYSTEM_READ, Permission
from .authorization.grants import ItemGrants
from .controller import Controller
from .http import multipart, pages
from .http.refusals import AccessDenied, EngineError, NotFound, PostRequired
from .jobs import configuration
from .jobs.item_kinds import CONTAINERS, FOLDER
from .storage import Job
from .xml.writer import ConfigurationWriter

# Route pattern of a job, possibly in folders
_NAME = "(?:(?!%2[Ff])[^/])+"  # no item has a name with a slash
JOB = f"/job/{{job:{_NAME}(?:/job/{_NAME})*}}"
UNENCODED = "!$&'()*+,=@"  # characters that Jenkins does not encode in path segments
Answer = Response | Awaitable[Response]
FORM, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
MAX_BODY_WITHOUT_PERMISSION = 65536  # bytes
USUAL_PORTS = {"http": "80", "https": "443"}


class Call:
    """A request. Its user is known after authentication."""

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
        """Add the fields of a form, which can contain the crumb, to the parameters.

        From callers without permissions, no more is read than a login needs.
        """
        if self.content_type != FORM:
            return
        try:
            limit = bodies.MAX_BODY_SIZE if self.principal.may(READ) else MAX_BODY_WITHOUT_PERMISSION
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
        """Read a body that is not a form.

        The fields of a multipart form become parameters, too. Its files and its crumb are ignored.
        """
        if self.content_type == MULTIPART:
            self.parts = await multipart.parts(self.headers["Content-Type"], self.request.stream())
            self._parameters += [(part.name, part.text()) for part in self.parts if part.file_name is None]
        elif self.content_type != FORM:
            self.body = await self.request.body()

    def file(self, name: str) -> multipart.Part | None:
        """Return the file of a form part."""
        return next((part for part in self.parts if part.name == name and part.file_name is not None), None)

    def enter(self, label: str, reads: bool) -> None:
        """Report the effect to the journal if the path does not determine it. See `Route.enter`."""
        self.request.scope["sandbox.enter"](label, classify_effect(self.method, reads))

    @cached_property
    def writer(self) -> ConfigurationWriter:
        """The writer of configurations."""
        return self.controller.create_writer()

    @property
    def content_type(self) -> str:
        """The media type of the body, without parameters."""
        return self.headers.get("Content-Type", "").partition(";")[0].strip().lower()

    def parameters(self, name: str) -> list[str]:
        """Return all values of a parameter from query and form."""
        return [value for key, value in self._parameters if key == name]

    def parameter(self, name: str) -> str | None:
        """Return the first value of a parameter."""
        return next(iter(self.parameters(name)), None)

    def parameter_names(self) -> list[str]:
        """Return the names of all parameters in their order."""
        return [name for name, _value in self._parameters]

    @property
    def is_empty_submission(self) -> bool:
        """Return whether the request has neither parameters nor a body."""
        return not self._parameters and not self.body and not self.parts

    def accepted_types(self) -> list[str]:
        """Return the media types of `Accept`, preferred ones first."""
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
        """The URL of the server for this client, with a trailing slash."""
        scheme = self.headers.get("X-Forwarded-Proto") or self.request.url.scheme
        host = self.headers.get("X-Forwarded-Host") or self.headers.get("Host", "")
        port = self.headers.get("X-Forwarded-Port")
        if port and ":" not in host and port != USUAL_PORTS.get(scheme):
            host += f":{port}"
        return f"{scheme}://{host}{self.context}/"

    @cached_property
    def configured_root(self) -> str:
        """The URL of the server in documents: the configured one, or else that of the request."""
        return self.configured_url or self.root

    @property
    def configured_url(self) -> str | None:
        """The URL that an administrator has configured, or None."""
        configured: str | None = self.storage.setting("url")
        return configured.rstrip("/") + "/" if configured else None

    @staticmethod
    def encode_name(name: str) -> str:
        """Return a name as a path segment."""
        return quote(name, safe=UNENCODED).replace("~", "%7E")

    def job_path(self, name: str) -> str:
        """Return the path of a job, for redirects."""
        return f"{self.context}/{_job_path(name)}"

    def job_url(self, name: str) -> str:
        """Return the URL of a job in documents."""
        return f"{self.configured_root}{_job_path(name)}"

    @property
    def current_folder_path(self) -> str:
        """Return the path of the current folder, for redirects."""
        return self.request_uri.rpartition("/")[0] + "/"

    @property
    def target(self) -> str:
        """The path and query of the request."""
        return self.request_uri + (f"?{self.query}" if self.query else "")

    @property
    def with_slash(self) -> str:
        """Redirect to the path with a trailing slash."""
        return f"{self.request_uri}/" + (f"?{self.query}" if self.query else "")

    def absolute(self, location: str) -> str:
        """Resolve a reference against the URL of the request."""
        own_root = self.root.removesuffix(f"{self.context}/")
        return urljoin(own_root + self.request_uri, location)

    def require(self, permission: Permission) -> None:
        """Refuse users without the permission."""
        if not self.principal.may(permission):
            raise AccessDenied(permission)

    def require_reading(self) -> None:
        """Require Overall/SystemRead. It is disabled by default, so the error names Overall/Administer."""
        if not self.principal.may(SYSTEM_READ):
            raise AccessDenied(ADMINISTER)

    @property
    def restart_required(self) -> bool:
        """Return whether an installation requires a restart."""
        return bool(self.switch("restart_required")) or self.installations.restart_required

    def require_post(self) -> None:
        """Refuse methods other than POST."""
        if self.method != "POST":
            raise PostRequired

    @cached_property
    def item_grants(self) -> ItemGrants:
        """The permissions of the user on items."""
        return ItemGrants(self.storage, self.principal.name, self.principal.authorities, self.principal.permissions)

    def may_read(self, job: Job) -> bool:
        """Return whether the user may see a job or folder."""
        return (self._enter(job) if self.item_grants.differ else self.principal).may(JOB_READ)

    def _enter(self, job: Job) -> sessions.Principal:
        """Return the user with its permissions on a job or folder."""
        return replace(self.principal, permissions=self.item_grants.list_for(job))

    def job(self, path: str) -> Job:
        """Return the job or folder of a path such as `folder/job/app`, if the user may see it.

        From then on, the user has the permissions on this item.
        """
        job = self.storage.job(path.replace("/job/", "/"))
        if job and self.item_grants.differ:
            self.principal = self._enter(job)
        if job and not self.principal.may(JOB_READ) and self.principal.may(JOB_DISCOVER):
            raise AccessDenied(message=f"Please login to access job {job.name}")
        if not job or not self.principal.may(JOB_READ):
            raise NotFound
        return job

    def project(self, path: str) -> Job:
        """Return the buildable job of a path. Folders cannot be built."""
        job = self.job(path)
        if configuration.parse_configuration(job.config).kind in CONTAINERS:
            raise NotFound
        return job

    def folder(self, path: str) -> str:
        """Return the full name of the folder of a path."""
        job = self.job(path)
        if configuration.parse_configuration(job.config).kind is not FOLDER:
            raise NotFound
        return job.name

    @property
    def cookie_name(self) -> str:
        """The name of the session cookie, which changes with each start."""
        return f"JSESSIONID.{self.storage.setting('cookie_suffix')}"

    def need_session(self) -> sessions.Session:
        """Return the session of this request, and create it if necessary."""
        return self.session or self.begin_session()

    def begin_session(self, user: str | None = None) -> sessions.Session:
        """Create a session and set its cookie."""
        self.session = self.controller.sessions.create(user)
        self._session_begun = True
        return self.session

    @property
    def crumb(self) -> str:
        """Return the crumb of the user in this session, and create the session if necessary."""
        return sessions.crumb(self.principal.name, self.need_session(), self.storage.setting("crumb_salt"))

    def end_session(self) -> None:
        """Delete the session of this request."""
        if self.session:
            self.controller.sessions.end(self.session)
            self.session = None

    def page(self, title: str, body: str, status: int = 200) -> pages.Page:
        """Return an HTML page of Jenkins with the crumb for its forms."""
        return pages.html_page(title, body, status, self.crumb if self.switch("csrf") else None)

    def finish(self, answer: Response) -> Response:
        """Add the headers that all responses have."""
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
        """Add the headers with version and session id."""
        answer.headers["X-Jenkins"] = self.switch("version")
        if self.switch("session_id_header"):
            answer.headers["X-Jenkins-Session"] = self.storage.setting("session")


def _job_path(name: str) -> str:
    return "".join(f"job/{Call.encode_name(part)}/" for part in name.split("/"))


def _path(uri: str) -> str:
    """Return a path as the servlet container normalizes it, without double slashes and dot segments."""
    path = re.sub("/+", "/", uri)
    if "/../" in path or "/./" in path:
        path = posixpath.normpath(path) + ("/" if path.endswith("/") else "")
    return path


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0
