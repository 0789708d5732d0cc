# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Elements that Jenkins has replaced by others or that it ignores, by the class of the object that contains them."""

from __future__ import annotations

import copy
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import Removed
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.normal_forms import MATRICES

# Changes the object that contains the element as Jenkins does. Takes the object, the element, and the stored object
Migrate = t.Callable[[ET.Element, ET.Element, t.Optional[ET.Element]], None]

_PROPERTIES = "org.jenkinsci.plugins.workflow.job.properties."
_NOT_CONCURRENT = f"{_PROPERTIES}DisableConcurrentBuildsJobProperty"
_TRIGGERS = f"{_PROPERTIES}PipelineTriggersJobProperty"
_EXTENSION = "hudson.plugins.git.extensions.impl."
_INHERITANCE = "org.jenkinsci.plugins.matrixauth.inheritance."
_STATUS_FILTER = "hudson.views.StatusFilter"


class Outdated(t.NamedTuple):
    """An element of former versions.

    :ivar advice: what to declare instead
    :ivar migrate: declares this; `None` if the element has no effect
    :ivar if_empty: whether Jenkins replaces also an empty element
    """

    advice: str
    migrate: Migrate | None = None
    if_empty: bool = False


class Found(t.NamedTuple):
    """An outdated element of a configuration.

    :ivar path: its path, such as `scm/remotePoll`
    :ivar owner: the object that contains it
    :ivar stored: the same object as it is stored, if it exists
    """

    path: str
    owner: ET.Element
    element: ET.Element
    stored: ET.Element | None
    rule: Outdated


def find_outdated(declared: ET.Element, stored: ET.Element | None, path: str = "") -> t.Iterator[Found]:
    """Yield the outdated elements of a configuration that the stored one does not have."""
    rules = OUTDATED.get(declared.get("class") or declared.tag, {})
    for child in declared:
        kept = None if stored is None else stored.find(child.tag)
        inner = f"{path}/{child.tag}".removeprefix("/")
        rule = rules.get(child.tag)
        if rule is None:
            yield from find_outdated(child, kept, inner)
        elif not is_empty(kept) or (is_empty(child) and not rule.if_empty):
            continue
        else:
            yield Found(inner, declared, child, stored, rule)


def replace(found: Found) -> None:
    """Replace an outdated element as Jenkins does."""
    found.owner.remove(found.element)
    if found.rule.migrate is not None:
        found.rule.migrate(found.owner, found.element, found.stored)


def is_empty(element: ET.Element | None) -> bool:
    """Return whether an element is missing, or has neither a text, children nor attributes."""
    if element is None:
        return True
    return not (element.text or len(element) or element.attrib.keys() - {"plugin"})


def _migrate_concurrency(owner: ET.Element, element: ET.Element, _stored: ET.Element | None) -> None:
    properties = _obtain(owner, "properties")
    if properties.find(_NOT_CONCURRENT) is None:
        properties.append(Removed(_NOT_CONCURRENT) if element.text == "true" else ET.Element(_NOT_CONCURRENT))


def _migrate_triggers(owner: ET.Element, element: ET.Element, _stored: ET.Element | None) -> None:
    properties = _obtain(owner, "properties")
    if properties.find(_TRIGGERS) is None:
        ET.SubElement(ET.SubElement(properties, _TRIGGERS), "triggers").extend(element)


def _migrate_inheritance(owner: ET.Element, element: ET.Element, _stored: ET.Element | None) -> None:
    strategy = "NonInheriting" if element.text == "true" else "InheritParent"
    _obtain(owner, "inheritanceStrategy").set("class", f"{_INHERITANCE}{strategy}Strategy")


def _migrate_status_filter(owner: ET.Element, element: ET.Element, stored: ET.Element | None) -> None:
    _append_once(owner, "jobFilters", _STATUS_FILTER, stored).append(element)


def _to_extension(name: str, *, has_text: bool = False) -> Migrate:
    """Return the replacement of an element of GitSCM by an extension, which has its text or no content."""

    def migrate(owner: ET.Element, element: ET.Element, stored: ET.Element | None) -> None:
        if has_text or element.text == "true":
            extension = _append_once(owner, "extensions", f"{_EXTENSION}{name}", stored)
            extension.extend([element] if has_text else [])

    return migrate


def _obtain(owner: ET.Element, tag: str) -> ET.Element:
    element = owner.find(tag)
    return ET.SubElement(owner, tag) if element is None else element


def _append_once(owner: ET.Element, tag: str, class_name: str, stored: ET.Element | None) -> ET.Element:
    """Return the object of a class in a list, which is added to the declared or stored objects of the list."""
    objects = owner.find(tag)
    if objects is None:
        current = None if stored is None else stored.find(tag)
        objects = ET.Element(tag) if current is None else copy.deepcopy(current)
        owner.append(objects)
    for existing in objects.findall(class_name):
        objects.remove(existing)
    return ET.SubElement(objects, class_name)


def _extension(name: str, migrate: Migrate | None = None) -> Outdated:
    return Outdated(f"use extensions/{_EXTENSION}{name}", migrate, if_empty=True)


_NOT_IN_PIPELINES = Outdated("a Pipeline has no such setting")
# org.jenkinsci.plugins.workflow.job.WorkflowJob, which is not a hudson.model.AbstractProject
_PIPELINE = {
    **dict.fromkeys(
        (
            *("assignedNode", "blockBuildWhenDownstreamBuilding", "blockBuildWhenUpstreamBuilding", "buildWrappers"),
            *("builders", "canRoam", "customWorkspace", "jdk", "publishers", "scm", "scmCheckoutRetryCount"),
        ),
        _NOT_IN_PIPELINES,
    ),
    "concurrentBuild": Outdated(f"use properties/{_NOT_CONCURRENT}", _migrate_concurrency),
    "triggers": Outdated(f"use properties/{_TRIGGERS}/triggers", _migrate_triggers),
}
# hudson.plugins.git.GitSCMBackwardCompatibility
_GIT = {
    **{
        tag: _extension(name, _to_extension(name))
        for tag, name in {
            "authorOrCommitter": "AuthorInChangelog",
            "clean": "CleanCheckout",
            "ignoreNotifyCommit": "IgnoreNotifyCommit",
            "pruneBranches": "PruneStaleBranch",
            "skipTag": "PerBuildTag",
            "wipeOutWorkspace": "WipeWorkspace",
        }.items()
    },
    **{
        tag: _extension(name, _to_extension(name, has_text=True))
        for tag, name in {"excludedUsers": "UserExclusion", "relativeTargetDir": "RelativeTargetDirectory"}.items()
    },
    **{
        tag: _extension(name)
        for tag, name in {
            "disableSubmodules": "SubmoduleOption",
            "excludedRegions": "PathRestriction",
            "gitConfigEmail": "UserIdentity",
            "gitConfigName": "UserIdentity",
            "includedRegions": "PathRestriction",
            "mergeOptions": "PreBuildMerge",
            "recursiveSubmodules": "SubmoduleOption",
            "reference": "CloneOption",
            "remotePoll": "DisableRemotePoll",
            "useShallowClone": "CloneOption",
            "userMergeOptions": "PreBuildMerge",
        }.items()
    },
    "branch": Outdated("use branches"),
    "choosingStrategy": Outdated("use extensions/hudson.plugins.git.extensions.impl.BuildChooserSetting"),
    "source": Outdated("use userRemoteConfigs"),
}
# com.cloudbees.hudson.plugins.folder.AbstractFolder
_FOLDER = dict.fromkeys(("primaryView", "views", "viewsTabBar"), Outdated("views are in folderViews"))
# org.jenkinsci.plugins.matrixauth.AbstractAuthorizationPropertyConverter
_MATRIX = {
    "blocksInheritance": Outdated("use inheritanceStrategy", _migrate_inheritance),
    "useProjectSecurity": Outdated("it has no effect"),
}
OUTDATED: dict[str, dict[str, Outdated]] = {
    "flow-definition": _PIPELINE,
    "org.jenkinsci.plugins.workflow.cps.CpsScmFlowDefinition": {
        "sandbox": Outdated("a script from a repository always runs in the sandbox")
    },
    "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject": _FOLDER,
    "com.cloudbees.hudson.plugins.folder.Folder": _FOLDER,
    "hudson.plugins.git.GitSCM": _GIT,
    **dict.fromkeys(MATRICES, _MATRIX),
    "hudson.model.ListView": {
        "statusFilter": Outdated(f"use jobFilters/{_STATUS_FILTER}/statusFilter", _migrate_status_filter)
    },
}
