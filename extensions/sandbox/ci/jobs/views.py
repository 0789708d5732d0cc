# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Views: the one with all jobs, and lists of jobs."""

from __future__ import annotations

from urllib.parse import unquote

from lxml import etree
from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import VIEW_CONFIGURE, VIEW_CREATE, VIEW_DELETE
from ..call import JOB, Answer, Call
from ..http import pages
from ..http.refusals import EngineError, Failure, InternalError, NotFound
from ..remote_api.api import API, serve
from ..storage import View
from ..xml import document
from ..xml.writer import ConfigurationWriter
from . import config_api, job_api

LIST = "hudson.model.ListView"
EVERYTHING = ("all", "All")
KINDS = (LIST, job_api.ALL)


def _read(config: str) -> etree._Element:
    try:
        root = document.parse(config)
    except document.ConfigError:
        raise InternalError from None
    if root.tag not in KINDS:
        raise InternalError
    return root


def normalize_view(writer: ConfigurationWriter, view: etree._Element, name: str) -> str:
    """Return the configuration of a view as Jenkins stores it, with its current name."""
    for element in view.findall("name"):
        view.remove(element)
    etree.SubElement(view, "name").text = name
    return writer.write(view)


def _put(call: Call, folder: str, name: str, config: str) -> None:
    call.storage.put_view(View(folder, name, normalize_view(call.writer, _read(config), name)))


def _folder(call: Call, job: str) -> str:
    return call.folder(job) if job else ""


def _view(call: Call, job: str, view: str) -> View:
    folder = _folder(call, job)
    if view in EVERYTHING:
        return View(folder, "all", normalize_view(call.writer, etree.Element(job_api.ALL), "all"))
    found = next((other for other in call.storage.views(folder) if other.name == view), None)
    if not found:
        raise NotFound
    return found


def _create(call: Call, job: str = "") -> Response:
    """Create a view: from a configuration, or empty."""
    folder = _folder(call, job)
    call.require_post()
    call.require(VIEW_CREATE)
    mode = call.parameter("mode")
    if "Content-Type" not in call.headers:
        raise Failure("No Content-Type header set")
    name = config_api.check_item_name(call.parameter("name") or "")
    if name in EVERYTHING or any(view.name == name for view in call.storage.views(folder)):
        raise Failure(f"A view already exists with the name \u2018{name}\u2019")
    if call.content_type in ("application/xml", "text/xml"):
        _put(call, folder, name, call.body.decode("utf-8", "replace"))
        return Response()
    if not mode:
        raise Failure("No mode given")
    if mode not in KINDS:
        raise Failure(f"No view type \u2018{mode}\u2019 is known")
    if call.parameter("json") is None:
        raise EngineError(400, "This page expects a form submission")
    _put(call, folder, name, f"<{mode}/>")
    where = call.job_path(folder) if folder else f"{call.context}/"
    return pages.redirect(f"{where}view/{call.encode_name(name)}/configure")


def _show(call: Call, view: str, form: str, job: str = "") -> Answer:
    return serve(call, job_api.list_view_bean(call, _view(call, job, view)), form)


def _page(call: Call, view: str, job: str = "") -> Response:
    return call.page(f"{_view(call, job, view).name} - Jenkins", "<h1>View</h1>")


def _page_without_slash(call: Call, view: str, job: str = "") -> Response:
    _view(call, job, view)
    return pages.redirect(call.with_slash)


def _config(call: Call, view: str, job: str = "") -> Response:
    found = _view(call, job, view)
    if call.method in ("GET", "HEAD"):
        return Response(found.config.encode(), headers={"Content-Type": "application/xml"})
    if call.method != "POST":
        raise EngineError(400)
    call.require(VIEW_CONFIGURE)
    config = call.body.decode("utf-8", "replace")
    if found.name in EVERYTHING:
        _read(config)
    else:
        _put(call, found.folder, found.name, config)
    return Response()


def _delete(call: Call, view: str, job: str = "") -> Response:
    found = _view(call, job, view)
    call.require_post()
    call.require(VIEW_DELETE)
    if found.name in EVERYTHING:
        raise InternalError
    call.storage.delete_view(found)
    return pages.redirect(call.job_path(found.folder) if found.folder else f"{call.context}/")


def _change(call: Call, view: str, way: str, job: str = "") -> Response:
    """Add a job to a list or remove it. No change is not an error."""
    found = _view(call, job, view)
    root = _read(found.config)
    if root.tag != LIST:
        raise NotFound
    call.require_post()
    call.require(VIEW_CONFIGURE)
    name = call.parameter("name")
    if name is None:
        raise Failure("Query parameter 'name' is required")
    if not call.storage.job(f"{found.folder}/{name}".removeprefix("/")):
        raise Failure("Query parameter 'name' does not correspond to a known item")
    names = root.find("jobNames")
    assert names is not None  # added when the view was normalized
    there = [element for element in names.findall("string") if element.text == name]
    if way == "addJobToView" and not there:
        etree.SubElement(names, "string").text = name
    for element in there if way == "removeJobFromView" else ():
        names.remove(element)
    call.storage.put_view(View(found.folder, found.name, normalize_view(call.writer, root, found.name)))
    return Response()


def redirect_through_view(call: Call) -> None:
    """Redirect a path through a view to the path without it."""
    segments = call.path.split("/")[1:]
    if "view" not in segments:
        return
    job_segments: list[str] = []
    place = 0
    while len(segments) > place + 1 and segments[place + 1]:
        kind, name = segments[place : place + 2]
        if kind == "job":
            job_segments += [kind, name]
        elif (
            kind != "view"
            or len(segments) <= place + 3
            or segments[place + 2] != "job"
            or not _is_view(call, job_segments, unquote(name))
        ):
            break
        place += 2
    call.path = "/" + "/".join([*job_segments, *segments[place:]])


def _is_view(call: Call, segments: list[str], name: str) -> bool:
    """Return whether the folder of these path segments has a view with this name."""
    if name in EVERYTHING:
        return True
    folder = "/".join(map(unquote, segments[1::2]))
    return any(view.name == name for view in call.storage.views(folder))


ROUTES = tuple(
    Route(ANY, where + path, handler, label, read_only=reads)
    for where in ("", JOB)
    for path, handler, label, reads in (
        ("/createView", _create, "create_view", False),
        ("/view/{view}" + API, _show, "view", True),
        ("/view/{view}/config.xml", _config, "view_config", False),
        ("/view/{view}/doDelete", _delete, "delete_view", False),
        ("/view/{view}/{way:addJobToView|removeJobFromView}", _change, "change_view", False),
        ("/view/{view}/", _page, "view", True),
        ("/view/{view}/configure", _page, "view", True),
        ("/view/{view}", _page_without_slash, "view", True),
    )
)
