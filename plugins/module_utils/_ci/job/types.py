# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Types of jobs: the root elements of their configurations, and the plugins that provide them."""

from __future__ import annotations

import dataclasses

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import tree


@dataclasses.dataclass(frozen=True)
class JobType:
    """A type of jobs.

    :ivar title: what such a job is, for messages
    :ivar root: root element that Jenkins writes
    :ivar aliases: other names of the root element
    """

    title: str
    root: str
    aliases: tuple[str, ...] = ()


TYPES = {
    "freestyle": JobType("a freestyle job", "project", ("hudson.model.FreeStyleProject",)),
    "pipeline": JobType("a Pipeline job", "flow-definition", ("org.jenkinsci.plugins.workflow.job.WorkflowJob",)),
    "multibranch": JobType(
        "a multibranch Pipeline", "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject"
    ),
}
# The name of the class in the JSON API is that of the root element
MULTIBRANCH = TYPES["multibranch"].root
FOLDERS = (tree.FOLDER, tree.ORGANIZATION)
_BY_ROOT = {root: name for name, job_type in TYPES.items() for root in (job_type.root, *job_type.aliases)}
# Copies of these are not held back: folders are not built
_NOT_HELD = (*FOLDERS, MULTIBRANCH)


def get_type(root_tag: str) -> str:
    """Return the type of a configuration: a key of `TYPES`, or the name of the root element for another type."""
    return _BY_ROOT.get(root_tag, root_tag)


def get_root_tag(type_name: str) -> str:
    """Return the name of the root element that Jenkins writes for a type."""
    return TYPES[type_name].root if type_name in TYPES else type_name


def describe(type_name: str) -> str:
    """Return what a job of a type is, such as `a Pipeline job`."""
    return TYPES[type_name].title if type_name in TYPES else f"a job of the type '{type_name}'"


def is_held_when_copied(root_tag: str) -> bool:
    """Return whether Jenkins does not build a copy with this root element until it is saved."""
    return root_tag not in _NOT_HELD
