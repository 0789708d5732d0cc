# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of items: jobs, Pipelines, multibranch Pipelines, folders, and those of further plugins."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of items.

    :arg roots: root elements of its configuration; Jenkins writes the first
    :arg plugins: one of them must be active
    """

    name: str
    roots: tuple[str, ...]
    item_class: str
    build_class: str = ""
    plugins: tuple[str, ...] = ()


FREESTYLE = Kind(
    "freestyle",
    ("project", "hudson.model.FreeStyleProject"),
    "hudson.model.FreeStyleProject",
    "hudson.model.FreeStyleBuild",
)
PIPELINE = Kind(
    "pipeline",
    ("flow-definition", "org.jenkinsci.plugins.workflow.job.WorkflowJob"),
    "org.jenkinsci.plugins.workflow.job.WorkflowJob",
    "org.jenkinsci.plugins.workflow.job.WorkflowRun",
    ("workflow-job", "workflow-aggregator"),
)
FOLDER = Kind(
    "folder",
    ("com.cloudbees.hudson.plugins.folder.Folder",),
    "com.cloudbees.hudson.plugins.folder.Folder",
    plugins=("cloudbees-folder", "workflow-aggregator"),
)
MULTIBRANCH = Kind(
    "multibranch",
    ("org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject",),
    "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject",
    plugins=("workflow-multibranch", "workflow-aggregator"),
)
# Kinds of plugins whose items the sandbox stores as they are submitted, and builds like freestyle jobs
MATRIX = Kind(
    "matrix",
    ("matrix-project", "hudson.matrix.MatrixProject"),
    "hudson.matrix.MatrixProject",
    "hudson.matrix.MatrixBuild",
    ("matrix-project",),
)
MAVEN = Kind(
    "maven",
    ("maven2-moduleset", "hudson.maven.MavenModuleSet"),
    "hudson.maven.MavenModuleSet",
    "hudson.maven.MavenModuleSetBuild",
    ("maven-plugin",),
)
MULTIJOB = Kind(
    "multijob",
    ("com.tikal.jenkins.plugins.multijob.MultiJobProject",),
    "com.tikal.jenkins.plugins.multijob.MultiJobProject",
    "com.tikal.jenkins.plugins.multijob.MultiJobBuild",
    ("jenkins-multijob-plugin",),
)
ORGANIZATION = Kind(
    "organization",
    ("jenkins.branch.OrganizationFolder",),
    "jenkins.branch.OrganizationFolder",
    plugins=("branch-api", "workflow-aggregator"),
)
# Kinds of items whose builds have the settings of freestyle jobs
PROJECTS = (FREESTYLE, MATRIX, MAVEN, MULTIJOB)
# Kinds of items that contain others and have no builds
CONTAINERS = (FOLDER, MULTIBRANCH, ORGANIZATION)
BY_NAME = {kind.name: kind for kind in (*PROJECTS, PIPELINE, *CONTAINERS)}
BY_ROOT = {root: kind for kind in BY_NAME.values() for root in kind.roots}
# Names in the form for new items
BY_MODE = {**{kind.item_class: kind for kind in BY_NAME.values()}, "Freestyle project": FREESTYLE}
