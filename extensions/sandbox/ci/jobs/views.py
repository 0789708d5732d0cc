# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views on the wire: create, show, change and delete."""

from __future__ import annotations

import copy
from urllib.parse import unquote

from lxml import etree
from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import VIEW_CONFIGURE, VIEW_CREATE, VIEW_DELETE, VIEW_READ
from ..call import JOB, Answer, Call
from ..http import pages
from ..http.refusals import AccessDenied, EngineError, Failure, InternalError, NotFound
from ..remote_api.api import API, serve
from ..xml import document
from . import config_api, folder_configuration, job_api, stored_views
from .stored_views import KINDS, LIST, NESTED, FoundView

# Route pattern of a view, possibly in nested views
VIEW = "/view/{view:[^/]+(?:/view/[^/]+)*}"


def _read(call: Call, config: bytes) -> etree._Element:
    """Return a submitted configuration."""
    try:
        root = document.parse(config.decode("utf-8", "replace"))
    except document.ConfigError:
        raise InternalError from None
    is_known = call.plugins.have(KINDS[root.tag]) if root.tag in KINDS else call.writer.has_view(root)
    if not is_known:
        raise InternalError
    return root


def _folder(call: Call, job: str) -> str:
    return call.folder(job) if job else ""


def find(call: Call, job: str, view: str) -> FoundView:
    """Return the view of a path such as `outer/view/inner`."""
    folder = _folder(call, job)
    found = stored_views.find_view(call.storage, folder, tuple(view.split("/view/")))
    if not found:
        item = call.storage.job(folder)
        raise InternalError if item and folder_configuration.is_broken(item) else NotFound
    return found


def _create(call: Call, job: str = "", view: str = "") -> Response:
    """Create a view: from a configuration, as a copy, or empty."""
    folder = _folder(call, job)
    parent = find(call, job, view) if view else None
    if parent and parent.element.tag != NESTED:
        raise NotFound
    call.require_post()
    call.require(VIEW_CREATE)
    mode = call.parameter("mode")
    if "Content-Type" not in call.headers and mode != "copy":
        raise Failure("No Content-Type header set")
    name = config_api.check_item_name(call.parameter("name") or "")
    if stored_views.has_name(call.storage, folder, parent, name):
        raise Failure(f'A view already exists with the name "{name}"')
    is_xml = call.content_type in ("application/xml", "text/xml")
    if not mode and not is_xml:
        raise Failure("No mode given")
    element = _new_element(call, folder, parent, mode) if mode else _read(call, call.body)
    stored_views.set_name(element, name)
    stored_views.add_view(call.storage, call.writer, folder, parent, element)
    if not mode:
        return Response()
    owner_path = _owner_path(call, folder, parent.path if parent else ())
    return pages.redirect(f"{owner_path}view/{call.encode_name(name)}/configure")


def _new_element(call: Call, folder: str, parent: FoundView | None, mode: str) -> etree._Element:
    """Return the configuration of a view that a form creates."""
    if mode == "copy":
        source = call.parameter("from")
        if not source:
            raise Failure("Specify which view to copy")
        views = stored_views.list_views(call.storage, folder, parent)
        original = next((view for view in views if view.name == source), None)
        if not original:
            raise Failure(f"No such view: {source}")
        return copy.deepcopy(original.element)
    tag = mode.replace("_", "__")
    if tag not in KINDS or not call.plugins.have(KINDS[tag]):
        raise Failure(f"No view type \u2018{mode}\u2019 is known")
    if call.parameter("json") is None:
        raise EngineError(400, "This page expects a form submission")
    element = etree.Element(tag)
    element.append(etree.fromstring(stored_views.PROPERTIES))
    return element


def _owner_path(call: Call, folder: str, parents: tuple[str, ...]) -> str:
    """Return the path of Jenkins, a folder or a nested view, for redirects."""
    path = call.job_path(folder) if folder else f"{call.context}/"
    return path + "".join(f"view/{call.encode_name(name)}/" for name in parents)


def _show(call: Call, view: str, form: str, job: str = "") -> Answer:
    return serve(call, job_api.view_bean(call, find(call, job, view)), form)


def _page(call: Call, view: str, job: str = "") -> Response:
    return call.page(f"{find(call, job, view).name} - Jenkins", "<h1>View</h1>")


def _page_without_slash(call: Call, view: str, job: str = "") -> Response:
    find(call, job, view)
    return pages.redirect(call.with_slash)


def _config(call: Call, view: str, job: str = "") -> Response:
    found = find(call, job, view)
    if call.method in ("GET", "HEAD"):
        if not job_api.may_see(call, found):
            raise AccessDenied(VIEW_READ)
        return Response(document.write(found.element).encode(), headers={"Content-Type": "application/xml"})
    if call.method != "POST":
        raise EngineError(400)
    call.require(VIEW_CONFIGURE)
    root = _read(call, call.body)
    if root.tag != found.element.tag:
        raise InternalError
    stored_views.save(call.storage, call.writer, stored_views.replace_element(found, root))
    return Response()


def _delete(call: Call, view: str, job: str = "") -> Response:
    found = find(call, job, view)
    call.require_post()
    call.require(VIEW_DELETE)
    if not stored_views.delete_view(call.storage, call.writer, found):
        raise InternalError
    return pages.redirect(_owner_path(call, found.folder, found.path[:-1]))


def _change(call: Call, view: str, way: str, job: str = "") -> Response:
    """Add a job to a list or remove it. No change is not an error."""
    found = find(call, job, view)
    if found.element.tag != LIST:
        raise NotFound
    call.require_post()
    call.require(VIEW_CONFIGURE)
    name = call.parameter("name")
    if name is None:
        raise Failure("Query parameter 'name' is required")
    item = call.storage.job(f"{found.folder}/{name}".removeprefix("/"))
    if not item:
        readable = "" if way == "addJobToView" else " and readable"
        raise Failure(f"Query parameter 'name' does not correspond to a known{readable} item")
    relative = item.name.removeprefix(f"{found.folder}/")
    names = found.element.find("jobNames")
    assert names is not None  # added when the view was stored
    existing = [element for element in names.findall("string") if element.text == relative]
    if way == "addJobToView" and not job_api.shows(call, found, item):
        etree.SubElement(names, "string").text = relative
    for element in existing if way == "removeJobFromView" else ():
        names.remove(element)
    stored_views.sort_names(found.element)
    stored_views.save(call.storage, call.writer, found)
    return Response()


def _submit_description(call: Call, view: str, job: str = "") -> Response:
    found = find(call, job, view)
    call.require_post()
    call.require(VIEW_CONFIGURE)
    element = found.element.find("description")
    element = etree.SubElement(found.element, "description") if element is None else element
    element.text = call.parameter("description") or ""
    stored_views.save(call.storage, call.writer, found)
    return pages.redirect(call.current_folder_path)


def redirect_through_view(call: Call) -> None:
    """Redirect a path through views to the path without them."""
    segments = call.path.split("/")[1:]
    if "view" not in segments:
        return
    jobs: list[str] = []
    views: list[str] = []
    place = 0
    while len(segments) > place + 1 and segments[place + 1] and segments[place] in ("job", "view"):
        kind, name = segments[place : place + 2]
        if kind == "view":
            views.append(name)
        elif views and not _is_view(call, jobs, views):
            return
        else:
            jobs += [kind, name]
            views = []
        place += 2
    kept = [segment for name in views for segment in ("view", name)]
    call.path = "/" + "/".join([*jobs, *kept, *segments[place:]])


def _is_view(call: Call, segments: list[str], names: list[str]) -> bool:
    """Return whether the folder of these path segments has a view with these names."""
    folder = "/".join(map(unquote, segments[1::2]))
    return stored_views.find_view(call.storage, folder, tuple(map(unquote, names))) is not None


ROUTES = tuple(
    Route(ANY, where + path, handler, label, read_only=reads or None)
    for where in ("", JOB)
    for path, handler, label, reads in (
        ("/createView", _create, "create_view", False),
        (VIEW + "/createView", _create, "create_view", False),
        (VIEW + API, _show, "view", True),
        (VIEW + "/config.xml", _config, "view_config", False),
        (VIEW + "/doDelete", _delete, "delete_view", False),
        (VIEW + "/submitDescription", _submit_description, "change_view", False),
        (VIEW + "/{way:addJobToView|removeJobFromView}", _change, "change_view", False),
        (VIEW + "/", _page, "view", True),
        (VIEW + "/configure", _page, "view", True),
        (VIEW, _page_without_slash, "view", True),
    )
)
