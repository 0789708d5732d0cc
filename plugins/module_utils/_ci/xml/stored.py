# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read and write the configurations that Jenkins stores, such as `/job/app/config.xml`."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import WRITE, Policy


def fetch(ci: CiService, path: str) -> ET.Element | None:
    """Return the root element of a configuration, or `None` if Jenkins responds 404.

    :arg path: path of the object, such as `/job/app`
    :raises UnexpectedResponse: if the response is not XML
    """
    response = ci.http.read("GET", f"{path}/config.xml", accept=(200, 404))
    if response.status == 404:
        return None
    try:
        return document.parse(response.text)
    except document.XmlError:
        raise response.not_xml_error() from None


def write(ci: CiService, path: str, root: ET.Element, policy: Policy = WRITE) -> None:
    """Replace a configuration.

    :arg path: path of the object, such as `/job/app`
    """
    ci.post(f"{path}/config.xml", data=document.XmlBody(root), policy=policy)
