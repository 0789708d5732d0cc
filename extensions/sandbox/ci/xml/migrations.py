# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Elements of former versions, which Jenkins replaces when it loads a configuration."""

from __future__ import annotations

import copy
from collections.abc import Callable

from lxml import etree

_PROPERTIES = "org.jenkinsci.plugins.workflow.job.properties."
_NOT_CONCURRENT = f"{_PROPERTIES}DisableConcurrentBuildsJobProperty"
_TRIGGERS = f"{_PROPERTIES}PipelineTriggersJobProperty"
_EXTENSION = "hudson.plugins.git.extensions.impl."
# Extensions of GitSCM by the flag that they replace
_FLAGS = {
    "authorOrCommitter": "AuthorInChangelog",
    "clean": "CleanCheckout",
    "ignoreNotifyCommit": "IgnoreNotifyCommit",
    "pruneBranches": "PruneStaleBranch",
    "remotePoll": "DisableRemotePoll",
    "skipTag": "PerBuildTag",
    "wipeOutWorkspace": "WipeWorkspace",
}
# Extensions of GitSCM with their elements, by the texts that they replace
_TEXTS = {
    "excludedUsers": ("UserExclusion", "excludedUsers"),
    "relativeTargetDir": ("RelativeTargetDirectory", "relativeTargetDir"),
    "gitConfigName": ("UserIdentity", "name"),
    "gitConfigEmail": ("UserIdentity", "email"),
}


def migrate(class_name: str, element: etree._Element) -> etree._Element:
    """Return a copy of an object without the elements that Jenkins replaces, or the object itself."""
    migration = _MIGRATIONS.get(class_name)
    if migration is None:
        return element
    migrated = copy.deepcopy(element)
    migration(migrated)
    return migrated


def _migrate_pipeline(job: etree._Element) -> None:
    properties = _obtain(job, "properties")
    concurrent = job.findtext("concurrentBuild")
    for existing in properties.findall(_NOT_CONCURRENT) if concurrent == "true" else ():
        properties.remove(existing)
    if concurrent == "false" and properties.find(_NOT_CONCURRENT) is None:
        etree.SubElement(properties, _NOT_CONCURRENT)
    triggers = job.find("triggers")
    if triggers is not None and len(triggers):
        for existing in properties.findall(_TRIGGERS):
            properties.remove(existing)
        etree.SubElement(properties, _TRIGGERS).append(triggers)


def _migrate_git(scm: etree._Element) -> None:
    for tag, name in _FLAGS.items():
        if scm.findtext(tag) == "true":
            _obtain(_obtain(scm, "extensions"), f"{_EXTENSION}{name}")
    for tag, (name, inner) in _TEXTS.items():
        text = scm.findtext(tag)
        if text is not None:
            extension = _obtain(_obtain(scm, "extensions"), f"{_EXTENSION}{name}")
            if extension.find(inner) is None:
                etree.SubElement(extension, inner).text = text


def _obtain(parent: etree._Element, tag: str) -> etree._Element:
    found = parent.find(tag)
    return etree.SubElement(parent, tag) if found is None else found


_MIGRATIONS: dict[str, Callable[[etree._Element], None]] = {
    "org.jenkinsci.plugins.workflow.job.WorkflowJob": _migrate_pipeline,
    "hudson.plugins.git.GitSCM": _migrate_git,
}
