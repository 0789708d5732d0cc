# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What an XPath finds in the XML view of a build."""

from __future__ import annotations

import re
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)

_NO_MATCH = re.compile(r"XPath .* didn.t match", re.DOTALL)
_SEVERAL = re.compile(r'XPath ".*" matched (\d+) nodes', re.DOTALL)
_PRIMITIVE = "primitive XPath result sets forbidden"


def found(ci: CiService, job: str, build: str | int, xpath: str) -> dict[str, t.Any]:
    """The one element that an XPath finds in a build.

    Of a path that does not begin with a slash the first step is left to the kind of the build: `/workflowRun`,
    `/freeStyleBuild`, ....

    :return: `matched`, the element's `text`, and its `xml`, both `None` when none matched
    :raises BadOption: when it finds several, or something that is no element
    """
    expression = xpath if xpath.startswith("/") else f"/*/{xpath}"
    path = f"{builds.path_of(job, build)}/api/xml"
    try:
        response = ci.http.read("GET", path, query={"xpath": expression}, accept=(200, 404))
    except ServerRefusal as refusal:
        raise _explained(refusal) from None
    if response.status == 200:
        return {"matched": True, "text": _text(response.text), "xml": response.text}
    if not _NO_MATCH.match(response.text):
        raise builds.missing(job, build)
    return {"matched": False, "text": None, "xml": None}


def _explained(refusal: ServerRefusal) -> ToolchainError:
    """What is wrong with the expression, if that is what the server refuses."""
    if refusal.status == 500 and (several := _SEVERAL.match(refusal.text)):
        return BadOption("xpath", f"finds {several[1]} elements in the build: narrow it to one, for example with '[1]'")
    if refusal.status == 403 and _PRIMITIVE in refusal.text:
        return BadOption("xpath", "finds a text, a number or a truth value, which the server refuses: find the element")
    if refusal.status == 500:
        return BadOption("xpath", f"is perhaps none that the server understands. {refusal}")
    return refusal


def _text(element: str) -> str:
    """All text of an element; of an attribute its value."""
    try:
        return "".join(ET.fromstring(element).itertext())
    except ET.ParseError:
        return element
