# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The paths of the credentials plugin, below the server, folders and users."""

from __future__ import annotations

import ast
import html
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from lxml import etree
from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import (
    CREDENTIALS_CREATE,
    CREDENTIALS_DELETE,
    CREDENTIALS_MANAGE_DOMAINS,
    CREDENTIALS_UPDATE,
    CREDENTIALS_VIEW,
    Permission,
)
from ..call import JOB, Answer, Call
from ..http import pages
from ..http.refusals import EngineError, Failure, InternalError, NotFound, NotServed
from ..jobs import configuration, folder_configuration
from ..jobs.item_actions import ITEM_ACTIONS
from ..jobs.item_kinds import FOLDER
from ..remote_api.api import API, serve
from ..remote_api.beans import Bean, Property
from ..storage import Job
from ..xml import document
from . import stores
from .classes import BY_NAME, PLUGIN, InvalidXml, Loader, display_name, redact, to_xml
from .stores import Domain, Store

XML_TYPES = ("application/xml", "text/xml")
_PACKAGE = "com.cloudbees.plugins.credentials."
_STORE_CLASSES = {
    "system": f"{_PACKAGE}SystemCredentialsProvider$UserFacingAction",
    "folder": "com.cloudbees.hudson.plugins.folder.properties.FolderCredentialsProvider$FolderCredentialsProperty"
    "$CredentialsStoreActionImpl",
}
_GLOBAL_DESCRIPTION = "Credentials that should be available everywhere."
_EXISTS = "Credentials with specified ID already exist"


@dataclass(frozen=True)
class _Place:
    """The store of a request.

    :arg kind: `system`, `folder` or `user`
    :arg folder: full name of the folder
    """

    call: Call
    kind: str
    folder: str = ""
    user: str = ""

    def store(self) -> Store:
        """Return the store."""
        if self.folder:
            return stores.folder_store(self.call.storage, self.folder)
        return stores.user_store(self.call.storage, self.user) if self.user else stores.system_store(self.call.storage)

    def require(self, permission: Permission) -> None:
        """Refuse users without the permission. In their own store, users have all of them."""
        if not self.user:
            self.call.require(permission)

    @property
    def full_name(self) -> str:
        """The full name of the store."""
        owner = self.folder or self.user
        return f"{owner}/{self.kind}" if owner else self.kind

    @property
    def display_name(self) -> str:
        """The full display name of the store."""
        title = self.kind.capitalize()
        if not self.folder:
            return title
        return f"{configuration.full_display_name(self.call.storage, self.folder)} \u00bb {title}"

    def bean(self) -> Bean:
        """Return the store. That of a user cannot be exported."""
        if self.user:
            raise InternalError
        return Bean(_STORE_CLASSES[self.kind], Property("domains", self._domain_beans))

    def _domain_beans(self) -> dict[str, Bean]:
        domains = {domain.url_name: domain for domain in self.store().domains() if _is_listed(domain)}
        return {name: self.domain_bean(domains[name]) for name in sorted(domains)}

    def domain_bean(self, domain: Domain) -> Bean:
        """Return a domain."""
        title = "Global" if domain.name is None else domain.name
        return Bean(
            f"{_PACKAGE}CredentialsStoreAction$DomainWrapper",
            Property("credentials", lambda: [self.credential_bean(domain, one) for one in domain.credentials]),
            Property("description", _GLOBAL_DESCRIPTION if domain.name is None else domain.description),
            Property("displayName", title),
            Property("fullDisplayName", f"{self.display_name} \u00bb {title}"),
            Property("fullName", f"{self.full_name}/{self.call.encode_name(domain.url_name)}"),
            Property("global", domain.name is None),
            Property("urlName", self.call.encode_name(domain.url_name)),
        )

    def credential_bean(self, domain: Domain, credential: etree._Element) -> Bean:
        """Return credentials."""
        name = credential.findtext("id") or ""
        return Bean(
            f"{_PACKAGE}CredentialsStoreAction$CredentialsWrapper",
            Property("description", credential.findtext("description")),
            Property("displayName", display_name(credential)),
            Property("fingerprint", None),
            Property(
                "fullName", f"{self.full_name}/{self.call.encode_name(domain.url_name)}/{self.call.encode_name(name)}"
            ),
            Property("id", name),
            Property("typeName", BY_NAME[str(credential.tag)].title),
            typed=False,
        )


def _enter(call: Call, kind: str, job: str, user: str) -> _Place:
    """Return the store of a path, which its user may view.

    :arg job: path of the folder
    """
    expected = "folder" if job else "user" if user else "system"
    if not call.plugins.have((PLUGIN,)) or kind != expected:
        raise NotFound
    folder = call.folder(job) if job else ""
    # a user store belongs to its user alone
    if (user and user != call.principal.name) or (not user and not call.principal.may(CREDENTIALS_VIEW)):
        raise NotFound
    if folder:
        folder_configuration.add_actions(call.storage, call.job(job))
    return _Place(call, kind, folder, user)


def _is_listed(domain: Domain) -> bool:
    """Return whether the store lists a domain. A global domain with a description is missing."""
    return domain.name is not None or domain.description is None


def _context(call: Call, form: str, job: str = "", user: str = "") -> Answer:
    """Serve the stores of the server, a folder, a job or a user."""
    if not call.plugins.have((PLUGIN,)):
        raise NotFound
    if job and not _is_folder(call.job(job)):
        if not call.principal.may(CREDENTIALS_VIEW):
            raise NotFound
        return serve(call, _action(), form)
    kind = "folder" if job else "user" if user else "system"
    return serve(call, _action(_enter(call, kind, job, user), "" if job else "$RootActionImpl"), form)


def _is_folder(job: Job) -> bool:
    return configuration.parse_configuration(job.config).kind is FOLDER


def _action(place: _Place | None = None, suffix: str = "") -> Bean:
    """Return the action that lists the stores of an object, which has at most one."""
    found = {place.kind: place.bean()} if place else {}
    return Bean(f"{_PACKAGE}ViewCredentialsAction{suffix}", Property("stores", found))


def _item_action(call: Call, job: Job) -> Bean | None:
    """Return the action of an item. Users who may not view credentials see no stores."""
    if not call.plugins.have((PLUGIN,)):
        return None
    has_store = _is_folder(job) and call.principal.may(CREDENTIALS_VIEW)
    return _action(_Place(call, "folder", job.name) if has_store else None)


ITEM_ACTIONS.append(_item_action)


def _store(call: Call, kind: str, form: str, job: str = "", user: str = "") -> Answer:
    return serve(call, _enter(call, kind, job, user).bean(), form)


def _find_domain(place: _Place, name: str) -> tuple[Store, Domain]:
    store = place.store()
    domain = store.find(name)
    if domain is None:
        raise _not_found(place.call)
    return store, domain


def _not_found(call: Call) -> NotFound | EngineError:
    """Return the response to a path that does not exist. To requests with DELETE, it has no page."""
    return EngineError(404) if call.method == "DELETE" else NotFound()


def _find_credential(place: _Place, domain: str, name: str) -> tuple[Store, Domain, etree._Element]:
    store, found = _find_domain(place, domain)
    credential = found.find(name) if name else None
    if credential is None:
        raise _not_found(place.call)
    return store, found, credential


def _create_domain(call: Call, kind: str, job: str = "", user: str = "") -> Response:
    place = _enter(call, kind, job, user)
    call.require_post()
    place.require(CREDENTIALS_MANAGE_DOMAINS)
    _require_xml(call)
    config = _load(call, Loader(call.storage).load_domain)
    return Response(status_code=200 if place.store().add(config) else 409)


def _domain(call: Call, kind: str, domain: str, form: str, job: str = "", user: str = "") -> Answer:
    place = _enter(call, kind, job, user)
    return serve(call, place.domain_bean(_find_domain(place, domain)[1]), form)


def _domain_config(call: Call, kind: str, domain: str, job: str = "", user: str = "") -> Response:
    place = _enter(call, kind, job, user)
    store, found = _find_domain(place, domain)
    place.require(CREDENTIALS_MANAGE_DOMAINS)
    if call.method == "GET":
        return _xml(found.config)
    if call.method == "DELETE":
        store.delete(found)
    elif call.method == "POST":
        store.replace(found, _load(call, Loader(call.storage).load_domain))
    else:
        raise EngineError(400)
    return Response()


def _delete_domain(call: Call, kind: str, domain: str, job: str = "", user: str = "") -> Response:
    place = _enter(call, kind, job, user)
    store, found = _find_domain(place, domain)
    call.require_post()
    place.require(CREDENTIALS_MANAGE_DOMAINS)
    store.delete(found)
    return pages.redirect(call.request_uri.rpartition("/domain/")[0] + "/")


def _create_credential(call: Call, kind: str, domain: str, job: str = "", user: str = "") -> Response:
    place = _enter(call, kind, job, user)
    store, found = _find_domain(place, domain)
    call.require_post()
    place.require(CREDENTIALS_CREATE)
    is_form = call.parameter("json") is not None
    if not is_form:
        _require_xml(call)
    load = Loader(call.storage).load_credential
    credential = _load_form(call, load) if is_form else _load(call, load)
    is_new = found.find(credential.findtext("id") or "") is None
    if is_new:
        found.credentials.append(credential)
        store.save()
    if not is_form:
        return Response(status_code=200 if is_new else 409)
    if "application/json" in call.accepted_types():
        return _notify("Credentials created" if is_new else _EXISTS, "SUCCESS" if is_new else "ERROR")
    return pages.redirect(call.request_uri.removesuffix("/createCredentials"))


def _notify(message: str, kind: str) -> Response:
    content = {"status": "ok", "data": {"message": message, "notificationType": kind}}
    headers = {"Content-Type": "application/json;charset=utf-8"}
    return Response(json.dumps(content, separators=(",", ":")).encode(), headers=headers)


def _credential(call: Call, kind: str, domain: str, name: str, form: str, job: str = "", user: str = "") -> Answer:
    place = _enter(call, kind, job, user)
    _store, found, credential = _find_credential(place, domain, name)
    return serve(call, place.credential_bean(found, credential), form)


def _credential_config(call: Call, kind: str, domain: str, name: str, job: str = "", user: str = "") -> Response:
    place = _enter(call, kind, job, user)
    store, found, credential = _find_credential(place, domain, name)
    if call.method == "GET":
        return _xml(redact(credential))
    if call.method == "DELETE":
        place.require(CREDENTIALS_DELETE)
        found.credentials.remove(credential)
    elif call.method == "POST":
        place.require(CREDENTIALS_UPDATE)
        replacement = _load(call, Loader(call.storage).load_credential)
        if replacement.findtext("id") != name:
            raise InternalError
        found.credentials.replace(credential, replacement)
    else:
        raise EngineError(400)
    store.save()
    return Response()


def _delete_credential(call: Call, kind: str, domain: str, name: str, job: str = "", user: str = "") -> Response:
    place = _enter(call, kind, job, user)
    store, found, credential = _find_credential(place, domain, name)
    call.require_post()
    place.require(CREDENTIALS_DELETE)
    found.credentials.remove(credential)
    store.save()
    return pages.redirect(call.request_uri.rpartition("/credential")[0] + "/")


def _store_page(call: Call, kind: str, end: str, job: str = "", user: str = "") -> Response:
    return _page(call, _enter(call, kind, job, user).display_name, end)


def _domain_page(call: Call, kind: str, domain: str, end: str, job: str = "", user: str = "") -> Response:
    place = _enter(call, kind, job, user)
    found = _find_domain(place, domain)[1]
    return _page(call, f"{place.display_name} \u00bb {found.url_name}", end)


def _page(call: Call, title: str, end: str) -> Response:
    """Show a page, of which only forms are not served.

    :arg end: what follows the object in the path
    """
    if not end:
        return pages.redirect(call.with_slash)
    if end != "/":
        raise NotServed("the forms of credentials")
    return call.page(f"{title} - Jenkins", f"<h1>{html.escape(title)}</h1>")


def _credential_page(call: Call, kind: str, domain: str, name: str, job: str = "", user: str = "") -> Answer:
    _find_credential(_enter(call, kind, job, user), domain, name)
    raise NotServed("the pages of credentials")


def _unknown(call: Call, **_place: str) -> Answer:
    raise _not_found(call)


def _require_xml(call: Call) -> None:
    if "Content-Type" not in call.headers:
        raise Failure("No Content-Type header set")
    if call.content_type not in XML_TYPES:
        raise EngineError(400, "Nothing is submitted")


def _load(call: Call, load: Callable[[etree._Element], etree._Element]) -> etree._Element:
    """Return the submitted document. Without a charset in the header, Jenkins reads it as Latin-1."""
    parameter = call.headers.get("Content-Type", "").lower().partition("charset=")[2]
    charset = parameter.partition(";")[0].strip(' "') or "latin-1"
    try:
        return load(document.parse(call.body.decode(charset), remove_blanks=False))
    except (LookupError, ValueError):
        raise InternalError from None


def _load_form(call: Call, load: Callable[[etree._Element], etree._Element]) -> etree._Element:
    """Return the credentials of a submitted form. A new id is generated if it is empty."""
    try:
        values = _parse_json(call.parameter("json") or "")["credentials"]
        root = etree.Element(_class_of(values))
        _add_members(root, values)
        if not root.findtext("id"):
            for empty in root.findall("id"):
                root.remove(empty)
            etree.SubElement(root, "id").text = str(uuid.uuid4())
        return load(root)
    except (InvalidXml, KeyError, SyntaxError, TypeError, ValueError):
        raise InternalError from None


def _parse_json(text: str) -> Any:
    """Return the object of a form. The parser of Jenkins accepts single quotes, which some clients send."""
    return json.loads(text) if '"' in text[:2] else ast.literal_eval(text)


def _class_of(values: dict[str, Any]) -> str:
    return str(values.get("$class") or values["stapler-class"])


def _add_members(element: etree._Element, values: dict[str, Any]) -> None:
    for name, value in values.items():
        if name in ("$class", "stapler-class", "value", ""):
            continue
        if isinstance(value, dict):
            _add_members(etree.SubElement(element, name, {"class": _class_of(value)}), value)
        else:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            etree.SubElement(element, name).text = text


def _xml(document: etree._Element) -> Response:
    return Response(to_xml(document), headers={"Content-Type": "application/xml"})


def _routes() -> tuple[Route, ...]:
    routes: list[Route] = []
    for context in ("", JOB, "/user/{user}"):
        store = context + "/credentials/store/{kind}"
        domain = store + "/domain/{domain}"
        credential = domain + "/{:credentials?}/{name}"
        routes += (
            Route(ANY, context + "/credentials" + API, _context, "credential_stores", read_only=True),
            Route(ANY, store + API, _store, "credential_store", read_only=True),
            Route(ANY, store + "/createDomain", _create_domain, "create_credential_domain"),
            Route(ANY, domain + API, _domain, "credential_domain", read_only=True),
            Route(ANY, domain + "/config.xml", _domain_config, "credential_domain_config"),
            Route(ANY, domain + "/doDelete", _delete_domain, "delete_credential_domain"),
            Route(ANY, domain + "/createCredentials", _create_credential, "create_credential"),
            Route(ANY, credential + API, _credential, "credential", read_only=True),
            Route(ANY, credential + "/config.xml", _credential_config, "credential_config"),
            Route(ANY, credential + "/doDelete", _delete_credential, "delete_credential"),
            Route("GET", store + "{end:/?}", _store_page, "credential_store", read_only=True),
            Route("GET", domain + "{end:/?|/newCredentials|/configure|/delete}", _domain_page, "credential_domain"),
            Route("GET", credential + "{:/?|/update|/move|/delete}", _credential_page, "not_served"),
            Route(ANY, store + "/{:.*}", _unknown, "credential_store", read_only=True),
        )
    return tuple(routes)


ROUTES = _routes()
