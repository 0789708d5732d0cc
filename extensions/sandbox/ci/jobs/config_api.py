# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Creating jobs, and their configuration as XML."""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import replace

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..access.permissions import JOB_CONFIGURE, JOB_CREATE, JOB_DELETE, READ
from ..authorization.casc import MATRICES
from ..authorization.strategies import load_strategy
from ..call import JOB, Call
from ..http import pages
from ..http.refusals import EngineError, Failure, InternalError, NotFound
from ..plugins.versions import is_older
from ..storage import Job
from ..xml import document
from . import configuration, folder_configuration, stored_views
from .item_kinds import BY_MODE, CONTAINERS, FOLDER

MAX_NAME_BYTES = 255
# Before this version, Jenkins returned the file instead of a new document (hudson.util.XStream2, toXMLUTF8). The file
# has another declaration (hudson.XmlFile), and the text that was submitted until the item is saved
# (hudson.model.AbstractItem, updateByXml)
WITHOUT_FILES = "2.568"
DECLARATION_OF_FILES = "<?xml version='1.1' encoding='UTF-8'?>\n"
XML_1_1 = re.compile(r"\s*<\?xml[^>]*\b1\.1\b")
CONTROL = re.compile("[\\x80-\\x84\\x86-\\x9f]")
UNSAFE = "?*/\\%!@#$^&|<>[]:;"


def _config(call: Call, job: str) -> Response:
    found = call.job(job)
    call.require(JOB_CONFIGURE)
    kind = configuration.parse_configuration(found.config).kind
    if call.method in ("GET", "HEAD"):
        config = folder_configuration.read(call.storage, found) if kind is FOLDER else found.config
        if is_older(call.switch("version"), WITHOUT_FILES):
            config = call.storage.file(found) or config.replace(document.DECLARATION, DECLARATION_OF_FILES, 1)
        return Response(config.encode(), headers={"Content-Type": "application/xml"})
    if call.method != "POST":
        raise EngineError(400)
    if call.content_type == "application/x-www-form-urlencoded":
        raise InternalError
    text = _decode_body(call)
    found.config = _submitted_config(call, text)
    if configuration.parse_configuration(found.config).kind is not kind:
        raise InternalError
    _put(call, found, text)
    return Response()


def _put(call: Call, item: Job, text: str) -> None:
    if configuration.parse_configuration(item.config).kind is FOLDER:
        folder_configuration.put(call.storage, call.writer, item)
    else:
        call.storage.put_job(item)
        if is_older(call.switch("version"), WITHOUT_FILES):
            call.storage.put_file(item, document.copy(text))


def _submitted_config(call: Call, text: str, creator: str | None = None) -> str:
    try:
        return configuration.load_configuration(text, call.writer, call.plugins, creator)
    except ValueError:
        raise InternalError from None


def _decode_body(call: Call) -> str:
    """Return a changed configuration. Only the charset of the header counts, which is ISO-8859-1 by default.

    XML 1.1 does not allow the control characters that most other characters become then.
    """
    header = call.headers.get("Content-Type", "charset=utf-8")
    charset = re.search(r"charset=[\"']?([\w-]+)", header)
    try:
        text = call.body.decode(charset[1] if charset else "iso-8859-1")
    except (LookupError, ValueError):
        raise InternalError from None
    if XML_1_1.match(text) and CONTROL.search(text):
        raise InternalError
    return text


def _create(call: Call, job: str = "") -> Response:
    """Create an item in a folder: from a configuration, as a copy, or empty with a kind."""
    folder = call.folder(job) if job else ""
    call.require_post()
    call.require(JOB_CREATE)
    mode = call.parameter("mode")
    if "Content-Type" not in call.headers and mode != "copy":
        raise Failure("No Content-Type header set")
    name = _free_name(call, call.parameter("name"), folder)
    if mode == "copy":
        return _copy(call, name, folder)
    if call.content_type in ("application/xml", "text/xml"):
        text = call.body.decode("utf-8", "replace")
        _put(call, Job(name, _submitted_config(call, text, _name_creator(call))), text)
        return Response()
    if mode is None:
        raise Failure("No mode given")
    if mode not in BY_MODE or not call.plugins.provide(BY_MODE[mode]):
        raise Failure(f"No item type \u2018{mode}\u2019 is known")
    call.storage.put_job(Job(name, configuration.empty_configuration(BY_MODE[mode], call.writer)))
    return pages.redirect(f"{call.job_path(name)}configure")


def _name_creator(call: Call) -> str | None:
    """Return the user if matrix-auth lets it configure its new items."""
    is_matrix = load_strategy(call.storage).kind in MATRICES
    return call.principal.name if is_matrix and not call.principal.may(JOB_CONFIGURE) else None


def _free_name(call: Call, name: str | None, folder: str) -> str:
    """Return the full name for a new item."""
    if name is None:
        raise Failure("Query parameter 'name' is required")
    name = check_item_name(name)
    full_name = f"{folder}/{name}" if folder else name
    if call.storage.job(full_name):
        raise Failure(f"A job already exists with the name \u2018{name}\u2019")
    if len(name.encode()) > MAX_NAME_BYTES:
        raise InternalError  # the directory cannot be created
    return full_name


def check_item_name(name: str) -> str:
    """Return a valid item name without surrounding blanks."""
    name = name.strip()
    if not name:
        raise Failure("No name is specified")
    if name in (".", ".."):
        raise Failure(f"\u2018{name}\u2019 is not an allowed name")
    printable = "".join(f"\\u{ord(char)};" if unicodedata.category(char) == "Cc" else char for char in name)
    if printable != name:
        raise Failure(f"No control code is allowed: {printable}")
    unsafe = next((character for character in name if character in UNSAFE), None)
    if unsafe:
        raise Failure(f"\u2018{unsafe}\u2019 is an unsafe character")
    if name.endswith("."):
        raise Failure("A name cannot end with \u2018.\u2019")
    return name


def _copy(call: Call, name: str, folder: str) -> Response:
    source = call.parameter("from")
    if not source:
        raise Failure("Specify which job to copy")
    inside = None if source.startswith("/") or not folder else call.storage.job(f"{folder}/{source}")
    original = inside or call.storage.job(source.removeprefix("/"))
    if not original:
        raise Failure(f"No such job: {source}")
    _copy_item(call, original, name)
    return pages.redirect(f"{call.job_path(name)}configure")


def _copy_item(call: Call, original: Job, name: str) -> None:
    """Copy a job, or a folder with its views and items."""
    kind = configuration.parse_configuration(original.config).kind
    call.storage.put_job(Job(name, original.config, on_hold=kind not in CONTAINERS))
    for view in call.storage.views(original.name):
        call.storage.put_view(replace(view, folder=name))
    for inner in call.storage.jobs(original.name):
        _copy_item(call, inner, f"{name}/{inner.leaf}")


def _check_name(call: Call) -> Response:
    """Return the result of the name check of the form for new items."""
    call.require(READ)
    try:
        _free_name(call, call.parameter("value"), "")
    except Failure as failure:
        return _validation(f"<div class=error>{html.escape(str(failure))}</div>")
    return _validation("<div/>")


def _validation(markup: str) -> Response:
    return Response(markup.encode(), headers={"Content-Type": "text/html;charset=utf-8"})


def _rename(call: Call, job: str, call_name: str) -> Response:
    found = call.job(job)
    is_folder = configuration.parse_configuration(found.config).kind is FOLDER
    if is_folder and call_name == "doRename":
        raise NotFound
    call.require_post()
    if not call.principal.may(JOB_CONFIGURE):
        call.require(JOB_CREATE)
        call.require(JOB_DELETE)
    name = _new_name(call, found)
    if any(f"{build.job}/".startswith(f"{found.name}/") for build in call.scheduler.running(call.now)):
        inner = "folder while a job inside it" if is_folder else "job while it"
        raise Failure(f"Unable to rename a {inner} is building.")
    call.storage.rename_job(found, name)
    stored_views.rename_job(call.storage, found.name, name)
    return pages.redirect(call.job_path(name).removesuffix("/"))


def _new_name(call: Call, item: Job) -> str:
    """Return the full name to which an item is renamed."""
    name = check_item_name(call.parameter("newName") or "")
    if name == item.leaf:
        raise Failure("The new name is the same as the current name.")
    full_name = f"{item.folder}/{name}".removeprefix("/")
    if call.storage.job(full_name):
        raise Failure(f"The name \u201c{name}\u201d is already in use.")
    return full_name


ROUTES = (
    Route(ANY, "/createItem", _create, "create_job"),
    Route(ANY, JOB + "/createItem", _create, "create_job"),
    Route(ANY, "/checkJobName", _check_name, "check_job_name", read_only=True),
    Route("POST", JOB + "/config.xml", _config, "configure_job"),
    Route(ANY, JOB + "/config.xml", _config, "job_config"),
    Route(ANY, JOB + "/{call_name:doRename|confirmRename}", _rename, "rename_job"),
)
