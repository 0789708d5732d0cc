# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""XPath expressions on the XML representation of a build."""

from __future__ import annotations

import re
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import builds
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    ServerRefusal,
    ToolchainError,
)

_LITERAL = re.compile("'[^']*'|\"[^\"]*\"")
_DOCUMENT = re.compile(r"\bdocument\s*\(")
_NO_MATCH = re.compile(r"XPath .* didn.t match", re.DOTALL)
_SEVERAL_MATCHES = re.compile(r'XPath ".*" matched (\d+) nodes', re.DOTALL)
_NOT_AN_ELEMENT = "primitive XPath result sets forbidden"


def evaluate(ci: CiService, job: str, build: str | int, xpath: str) -> dict[str, t.Any]:
    """Return the element that an XPath expression selects in a build.

    A path without a leading slash is relative to the root element, whose name depends on the type of the job:
    `/workflowRun`, `/freeStyleBuild`, ....

    :return: `matched`, the `text` and the `xml` of the element, both `None` if nothing matched
    :raises BadOption: if the expression matches several elements, or does not select an element
    """
    if _DOCUMENT.search(_LITERAL.sub("", xpath)):
        raise BadOption("xpath", "must not call 'document', which makes old versions of Jenkins send other requests")
    expression = xpath if xpath.startswith("/") else f"/*/{xpath}"
    path = f"{builds.build_path(job, build)}/api/xml"
    try:
        response = ci.http.read("GET", path, query={"xpath": expression}, accept=(200, 404))
    except ServerRefusal as refusal:
        raise _to_error(refusal) from None
    if response.status == 200:
        return {"matched": True, "text": _text(response.text), "xml": response.text}
    if not _NO_MATCH.match(response.text):
        raise builds.build_not_found(job, build)
    return {"matched": False, "text": None, "xml": None}


def _to_error(refusal: ServerRefusal) -> ToolchainError:
    """Return the error for the option if the server rejected the expression, otherwise the refusal itself."""
    if refusal.status == 500 and (several := _SEVERAL_MATCHES.match(refusal.text)):
        return BadOption("xpath", f"matches {several[1]} elements. Narrow it to one, for example with '[1]'")
    if refusal.status == 403 and _NOT_AN_ELEMENT in refusal.text:
        return BadOption("xpath", "must select an element: Jenkins rejects strings, numbers and booleans")
    if refusal.status == 500:
        return BadOption("xpath", f"may be invalid. {refusal}")
    return refusal


def _text(element: str) -> str:
    """Return the text of an element, or the value of an attribute."""
    try:
        return "".join(ET.fromstring(element).itertext())
    except ET.ParseError:
        return element
