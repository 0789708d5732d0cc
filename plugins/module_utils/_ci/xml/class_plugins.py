# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Plugins by the beginnings of the names of their classes and root elements."""

from __future__ import annotations

import re
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
# Beginnings of the names of classes of Jenkins itself, of Java and of Guava. Plugins have others in these packages
_CORE = (
    *(
        "com.google.common.",
        "hudson.cli.",
        "hudson.console.",
        "hudson.markup.",
        "hudson.model.",
        "hudson.node_monitors.",
    ),
    *("hudson.scm.NullSCM", "hudson.search.", "hudson.security.", "hudson.slaves.", "hudson.tasks.ArtifactArchiver"),
    *("hudson.tasks.BatchFile", "hudson.tasks.BuildTrigger", "hudson.tasks.Fingerprinter", "hudson.tasks.LogRotator"),
    *("hudson.tasks.Maven", "hudson.tasks.Shell", "hudson.tools.", "hudson.triggers.", "hudson.util."),
    *("hudson.views.BuildButtonColumn", "hudson.views.DefaultMyViewsTabBar", "hudson.views.DefaultViewsTabBar"),
    *("hudson.views.JobColumn", "hudson.views.LastDurationColumn", "hudson.views.LastFailureColumn"),
    *("hudson.views.LastStableColumn", "hudson.views.LastSuccessColumn", "hudson.views.StatusColumn"),
    *("hudson.views.StatusFilter", "hudson.views.WeatherColumn", "java.", "jenkins.model.", "jenkins.mvn."),
    *("jenkins.scm.", "jenkins.security.", "jenkins.slaves.", "jenkins.tasks.", "jenkins.triggers.", "jenkins.util."),
)
_OF_PLUGINS = (
    *("hudson.model.ExternalJob", "hudson.security.AuthorizationMatrixProperty", "hudson.slaves.CommandLauncher"),
    "hudson.tools.JDKInstaller",
)
# Packages of plugins that the modules check anyway
_CHECKED = ("com.cloudbees.hudson.plugins.folder.", "hudson.plugins.sshslaves.")


def list_plugins(root: ET.Element) -> list[str]:
    """Return the plugins that a configuration requires, as far as they are known."""
    return sorted({plugin for element in root.iter() for plugin in find_plugins(element)})


def find_plugins(element: ET.Element) -> t.Iterator[str]:
    """Yield the known plugins of the class after which an element is named, and of the class of its content."""
    for name in (element.tag, element.get("class", "")):
        yield from (plugin for beginning, plugin in _PLUGINS.items() if name.startswith(beginning))


def is_foreign(name: str) -> bool:
    """Return whether a name is that of a class that neither Jenkins itself nor a known plugin has."""
    if "." not in name or name.startswith((*_PLUGINS, *_CHECKED)):
        return False
    return not name.startswith(_CORE) or name.startswith(_OF_PLUGINS)


def get_class(element: ET.Element) -> str:
    """Return the class of an object, or another name of it, which has no dots."""
    return element.get("class") or re.sub("_-|__", lambda match: "$" if match[0] == "_-" else "_", element.tag)
