# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The remote API: a bean as `api/json` or `api/xml`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import Response

from . import pages
from .exposition import (
    Bean,
    ByDepth,
    Primitive,
    Pruner,
    TreeError,
    XPathError,
    XPathRefusal,
    export,
    parse_tree,
    select,
    to_json,
    to_xml,
)

if TYPE_CHECKING:
    from .call import Call

API = "/api/(?P<form>json|xml)/?"


def serve(call: Call, bean: Bean, form: str) -> Response:
    """Show a bean in the form asked for."""
    if form == "xml":
        answer = _xml(call, bean)
    elif call.parameter("jsonp") is not None and call.switch("security"):
        raise pages.EngineError(403, "jsonp forbidden; implement jenkins.security.SecureRequester")
    else:
        answer = _json(call, bean)
    call.sign(answer)
    answer.headers["X-Frame-Options"] = "deny"
    return answer


def _pruner(call: Call) -> Pruner:
    tree = call.parameter("tree")
    try:
        return parse_tree(tree) if tree is not None else ByDepth(1 - int(call.parameters("depth")[:1][0]))
    except IndexError:
        return ByDepth(1)
    except (TreeError, ValueError):
        raise pages.Oops from None


def _json(call: Call, bean: Bean) -> Response:
    content = to_json(export(bean, _pruner(call)), pretty=call.parameter("pretty") is not None)
    jsonp = call.parameter("jsonp")
    if jsonp is not None:
        content = f"{jsonp}({content})"
    return Response(content.encode(), headers={"Content-Type": "application/json;charset=utf-8"})


def _xml(call: Call, bean: Bean) -> Response:
    content = to_xml(bean, export(bean, _pruner(call)))
    xpath, excludes = call.parameter("xpath"), call.parameters("exclude")
    if xpath is None and not excludes:
        return _xml_answer(content)
    try:
        return _xml_answer(select(content, xpath, call.parameter("wrapper"), excludes))
    except Primitive as primitive:
        return _primitive(call, str(primitive))
    except XPathRefusal as refusal:
        return pages.bare_text(refusal.text, refusal.status)
    except XPathError:
        raise pages.Oops from None


def _xml_answer(content: str) -> Response:
    return Response(content.encode(), headers={"Content-Type": "application/xml;charset=UTF-8"})


def _primitive(call: Call, text: str) -> Response:
    if not call.switch("security"):
        return pages.text(text)
    message = "primitive XPath result sets forbidden; implement jenkins.security.SecureRequester"
    return pages.EngineError(403, message).answer(call)
