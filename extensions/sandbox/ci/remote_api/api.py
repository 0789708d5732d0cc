# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The remote API: beans as `api/json`, `api/xml` or `api/python`."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from starlette.responses import Response

from ...parsing.integers import parse_integer
from ...runtime.evaluator import EvaluationError
from ..call import Answer, Call
from ..http import error_pages, pages
from ..http.refusals import EngineError, InternalError, NotFound
from . import xpath
from .beans import Bean, DepthPruner, Pruner, export
from .notation import JSON, PYTHON, Notation, to_literal, to_schema, to_xml
from .tree import TreeError, parse_tree

XML_TYPE = "application/xml;charset=UTF-8"
API = "/api{form:(?:/.*)?}"


def serve(call: Call, bean: Bean, form: str) -> Answer:
    """Show a bean in the format that follows `/api` in the path. The rest of the path is ignored."""
    if not form:
        return pages.redirect(call.with_slash)
    if form == "/":
        text = f"{bean.class_name}: api/json, api/xml and api/python, with depth, tree and pretty; xml with xpath, too."
        return call.page("Remote API - Jenkins", f"<h1>REST API</h1><p>{text}</p>")
    name = form.split("/")[1]
    if name != "schema" and name not in FORMS:
        raise NotFound
    try:
        answer = FORMS[name](call, bean) if name in FORMS else _respond(to_schema(bean), "application/xml")
    except RecursionError:
        raise InternalError from None
    return _add_headers(call, answer) if isinstance(answer, Response) else _signed_later(call, answer)


async def _signed_later(call: Call, answer: Awaitable[Response]) -> Response:
    return _add_headers(call, await answer)


def _add_headers(call: Call, answer: Response) -> Response:
    call.sign(answer)
    answer.headers["X-Frame-Options"] = "deny"
    return answer


def _pruner(call: Call) -> Pruner:
    tree = call.parameter("tree")
    try:
        return parse_tree(tree) if tree is not None else DepthPruner(1 - parse_integer(call.parameters("depth")[:1][0]))
    except IndexError:
        return DepthPruner(1)
    except (TreeError, ValueError):
        raise InternalError from None


def _literal(call: Call, bean: Bean, notation: Notation) -> str:
    return to_literal(export(bean, _pruner(call)), notation, pretty=call.parameter("pretty") is not None)


def _json(call: Call, bean: Bean) -> Response:
    function = call.parameter("jsonp")
    if function is None:
        return _respond(_literal(call, bean, JSON), "application/json;charset=utf-8")
    if call.switch("security"):
        raise EngineError(403, "jsonp forbidden; implement jenkins.security.SecureRequester")
    return _respond(f"{function}({_literal(call, bean, JSON)})", "text/javascript;charset=utf-8")


def _python(call: Call, bean: Bean) -> Response:
    return _respond(_literal(call, bean, PYTHON), "text/x-python;charset=UTF-8")


def _xml(call: Call, bean: Bean) -> Answer:
    content = to_xml(bean, export(bean, _pruner(call)))
    path, excludes = call.parameter("xpath"), call.parameters("exclude")
    if path is None and not excludes:
        return _respond(content, XML_TYPE)
    arguments = (content, path, call.parameter("wrapper"), excludes)
    if all(map(xpath.is_simple, filter(None, (path, *excludes)))):
        return _outcome(call, *xpath.evaluate(*arguments))
    return _evaluate_xpath(call, *arguments)


async def _evaluate_xpath(call: Call, *arguments: Any) -> Response:
    """Return the response to an XPath that can take long."""
    try:
        outcome = await call.controller.runtime.evaluator.call(xpath.__file__, xpath.evaluate.__name__, *arguments)
    except EvaluationError as error:
        return pages.bare_text(f"The sandbox does not answer this XPath: {error}.", 500)
    return _outcome(call, *outcome)


def _outcome(call: Call, kind: str, status: int, text: str) -> Response:
    if kind == "xml":
        return _respond(text, XML_TYPE)
    if kind == "primitive":
        return _primitive(call, text)
    if kind == "refusal":
        return pages.bare_text(text, status)
    raise InternalError


def _respond(content: str, content_type: str) -> Response:
    return Response(content.encode(), headers={"Content-Type": content_type})


def _primitive(call: Call, text: str) -> Response:
    if not call.switch("security"):
        return pages.plain_text(text)
    message = "primitive XPath result sets forbidden; implement jenkins.security.SecureRequester"
    return error_pages.to_response(EngineError(403, message), call)


FORMS = {"json": _json, "xml": _xml, "python": _python}
