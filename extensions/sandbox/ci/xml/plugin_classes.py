# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Plugins by the names of their classes."""

from __future__ import annotations

import re
from collections.abc import Iterable

CORE = ""
# By the beginning of the name; the longest one counts. A bundle of plugins stands for its members
PLUGINS: dict[str, tuple[str, ...]] = {
    "hudson.": (CORE,),
    "hudson.plugins.": (),
    "hudson.maven.": ("maven-plugin",),
    "hudson.model.ExternalJob": ("external-monitor-job",),
    "hudson.matrix.": ("matrix-project",),
    "hudson.tasks.junit.": ("junit",),
    "hudson.tasks.Mailer": ("mailer",),
    "hudson.tasks.Maven": ("maven-plugin",),
    "hudson.scm.SubversionSCM": ("subversion",),
    "jenkins.plugins.": (),
    "jenkins.": (CORE,),
    "java.": (CORE,),
    "com.cloudbees.hudson.plugins.folder.": ("cloudbees-folder", "workflow-aggregator"),
    "com.cloudbees.jenkins.plugins.sshcredentials.": ("ssh-credentials",),
    "com.cloudbees.plugins.credentials.": ("credentials",),
    "hudson.plugins.git.": ("git",),
    "hudson.plugins.nested__view.": ("nested-view",),
    "hudson.plugins.nested_view.": ("nested-view",),
    "hudson.plugins.sshslaves.": ("ssh-slaves",),
    "hudson.slaves.CommandLauncher": ("command-launcher",),
    "hudson.security.AuthorizationMatrixProperty": ("matrix-auth",),
    "hudson.security.GlobalMatrixAuthorizationStrategy": ("matrix-auth",),
    "hudson.security.ProjectMatrixAuthorizationStrategy": ("matrix-auth",),
    "jenkins.branch.": ("branch-api", "workflow-aggregator"),
    "jenkins.plugins.git.": ("git",),
    "org.jenkinsci.plugins.matrixauth.": ("matrix-auth",),
    "org.jenkinsci.plugins.plaincredentials.": ("plain-credentials",),
    "org.jenkinsci.plugins.workflow.cps.": ("workflow-cps", "workflow-aggregator"),
    "org.jenkinsci.plugins.workflow.job.": ("workflow-job", "workflow-aggregator"),
    "org.jenkinsci.plugins.workflow.multibranch.": ("workflow-multibranch", "workflow-aggregator"),
}
# Plugins whose classes the sandbox knows
KNOWN = {plugin for plugins in PLUGINS.values() for plugin in plugins}


def match_package(class_name: str, plugins: Iterable[str]) -> list[str]:
    """Return the plugins after which a part of the package of a class is named, such as `build_timeout`."""
    parts = {_fold(part) for part in class_name.replace("__", "_").split(".")}
    return [name for name in plugins if _fold(name) in parts]


def _fold(name: str) -> str:
    return re.sub("[-_]|plugin$", "", name.lower())


def find_plugins(class_name: str) -> tuple[str, ...]:
    """Return the plugins that can have a class, empty for an unknown one. The core has an empty name."""
    matching = [beginning for beginning in PLUGINS if class_name.startswith(beginning)]
    return PLUGINS[max(matching, key=len)] if matching else ()
