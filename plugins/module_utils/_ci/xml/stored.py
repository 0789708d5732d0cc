# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read and write the configurations that Jenkins stores, such as `/job/app/config.xml`."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import WRITE, Policy

# Root elements that are neither classes nor aliases of plugins
_ALIASES = ("project", "slave")


def fetch(ci: CiService, path: str) -> ET.Element | None:
    """Return the root element of a configuration, or `None` if Jenkins responds 404.

    :arg path: path of the object, such as `/job/app`
    :raises UnexpectedResponse: if the response is not XML, or if it is a page
    """
    response = ci.http.read("GET", f"{path}/config.xml", accept=(200, 404))
    if response.status == 404:
        return None
    return parse(response, response.text)


def parse(response: Response, text: str) -> ET.Element:
    """Return the root element of the configuration in a response.

    :arg text: the body
    :raises UnexpectedResponse: if it is not XML, or another document, such as a login page in XHTML. It must never
        be changed and sent back instead of the configuration.
    """
    try:
        root = document.parse(text, is_stored=True)
    except document.XmlError:
        raise response.not_xml_error() from None
    if not _is_configuration(root):
        raise response.not_xml_error()
    return root


def _is_configuration(root: ET.Element) -> bool:
    """Return whether a document can be the configuration of an object.

    Its root element is the class of the object, or an alias of it. An alias of a plugin contains a hyphen.
    """
    is_class = root.tag in _ALIASES or any(character in root.tag for character in ".-")
    return is_class and not root.tag.startswith("{")


def write(ci: CiService, path: str, root: ET.Element, policy: Policy = WRITE) -> None:
    """Replace a configuration.

    :arg path: path of the object, such as `/job/app`
    """
    ci.post(f"{path}/config.xml", data=document.XmlBody(root), policy=policy)
