# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plugins by the beginnings of the names of their classes and root elements."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

_PLUGINS = {
    "flow-definition": "workflow-job",
    "org.jenkinsci.plugins.workflow.job.": "workflow-job",
    "org.jenkinsci.plugins.workflow.cps.": "workflow-cps",
    "org.jenkinsci.plugins.workflow.multibranch.": "workflow-multibranch",
    "jenkins.branch.": "branch-api",
    "hudson.plugins.git.": "git",
    "jenkins.plugins.git.": "git",
}


def list_plugins(root: ET.Element) -> list[str]:
    """Return the plugins that a configuration requires, as far as they are known."""
    return sorted({plugin for element in root.iter() for plugin in find_plugins(element)})


def find_plugins(element: ET.Element) -> t.Iterator[str]:
    """Yield the known plugins of the class after which an element is named, and of the class of its content."""
    for name in (element.tag, element.get("class", "")):
        yield from (plugin for beginning, plugin in _PLUGINS.items() if name.startswith(beginning))
