# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Configurations of jobs that are declared by the options of the module `ci_job`."""

from __future__ import annotations

import typing as t
import uuid
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.parameters import to_string
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import tree
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job import cron, types
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document, fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import Removed, merge
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import read_text

_Params = dict[str, t.Any]

PARAMETER_TYPES = ("boolean", "choice", "password", "string", "text")
# Intervals of scans as Jenkins offers them, in milliseconds
SCAN_INTERVALS = {
    **{f"{minutes}m": minutes * 60_000 for minutes in (1, 2, 5, 10, 15, 20, 25, 30)},
    **{f"{hours}h": hours * 3_600_000 for hours in (1, 2, 4, 8, 12)},
    **{f"{days}d": days * 86_400_000 for days in (1, 2, 7, 14, 28)},
}
NEVER = "never"
# How often the plugin looks whether an interval has passed, by the greatest interval in milliseconds
_SCAN_SCHEDULES = (
    (300_000, "* * * * *"),
    (1_800_000, "H/5 * * * *"),
    (3_600_000, "H/15 * * * *"),
    (28_800_000, "H/30 * * * *"),
    (86_400_000, "H H/4 * * *"),
    (172_800_000, "H H/12 * * *"),
)
_SELDOM = "H H * * *"

_TIMER = "hudson.triggers.TimerTrigger"
_POLLING = "hudson.triggers.SCMTrigger"
_SCAN = "com.cloudbees.hudson.plugins.folder.computed.PeriodicFolderTrigger"
_PARAMETERS = "hudson.model.ParametersDefinitionProperty"
_DISCARDER = "jenkins.model.BuildDiscarderProperty"
_PIPELINE_TRIGGERS = "org.jenkinsci.plugins.workflow.job.properties.PipelineTriggersJobProperty"
_NOT_CONCURRENT = "org.jenkinsci.plugins.workflow.job.properties.DisableConcurrentBuildsJobProperty"
_SCRIPT = "org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition"
_SCRIPT_FROM_SCM = "org.jenkinsci.plugins.workflow.cps.CpsScmFlowDefinition"
_BRANCH_FACTORY = "org.jenkinsci.plugins.workflow.multibranch.WorkflowBranchProjectFactory"
_ORPHANED = "com.cloudbees.hudson.plugins.folder.computed.DefaultOrphanedItemStrategy"
_GIT = "hudson.plugins.git.GitSCM"
_GIT_SOURCE = "jenkins.plugins.git.GitSCMSource"
_SOURCES = "jenkins.branch.MultiBranchProject$BranchSourceList"
_ROTATOR = "hudson.tasks.LogRotator"
_CAN_ROAM = "canRoam"
_LIMITS = {
    "keep_days": "daysToKeep",
    "keep_builds": "numToKeep",
    "keep_artifact_days": "artifactDaysToKeep",
    "keep_artifact_builds": "artifactNumToKeep",
}
_UNLIMITED = "-1"

# Options that apply only to some types of jobs. The first ones can also be set without `type`
_OPTIONS_OF_JOBS = ("parameters", "triggers", "retention", "concurrent", "quiet_period")
OPTIONS_OF_TYPES = {
    "freestyle": (*_OPTIONS_OF_JOBS, "shell", "git", "label"),
    "pipeline": (*_OPTIONS_OF_JOBS, "script", "script_sandbox", "script_path", "lightweight", "git"),
    "multibranch": ("git", "script_path", "orphaned_branches", "scan_interval"),
}
_OPTIONS_WITH_TYPE = sorted({name for names in OPTIONS_OF_TYPES.values() for name in names} - {*_OPTIONS_OF_JOBS})


def check_options(params: _Params) -> None:
    """Verify the options that declare a configuration.

    :raises BadOption: if one is invalid or does not apply
    """
    _check_form(params)
    _check_pipeline(params)
    _check_git(params)
    seen: set[str] = set()
    for index, parameter in enumerate(params["parameters"] or []):
        _check_parameter(f"parameters[{index}]", parameter)
        if parameter["name"] in seen:
            raise BadOption(f"parameters[{index}].name", f"duplicate of another parameter: '{parameter['name']}'")
        seen.add(parameter["name"])
    for name, schedule in (params["triggers"] or {}).items():
        cron.check_schedule(f"triggers.{name}", schedule or "")


def check_sufficient(params: _Params) -> None:
    """
    :raises BadOption: if the options do not suffice to create a job of the type
    """
    if params["type"] == "pipeline" and params["script"] is None and params["git"] is None:
        raise BadOption("script", "or 'git' is required to create a Pipeline job")
    if params["type"] == "multibranch" and params["git"] is None:
        raise BadOption("git", "is required to create a multibranch Pipeline")


def check_applicable(params: _Params, type_name: str) -> None:
    """
    :raises BadOption: if an option does not apply to a type of jobs
    """
    applicable = OPTIONS_OF_TYPES.get(type_name, _OPTIONS_OF_JOBS)
    for option in (*_OPTIONS_OF_JOBS, *_OPTIONS_WITH_TYPE):
        if option not in applicable and params[option] is not None:
            raise BadOption(option, f"does not apply to {types.describe(type_name)}")


def read_configuration(params: _Params) -> ET.Element | None:
    """Return the configuration in the option `config` or `src`, or `None` if neither is set.

    :raises BadOption: if it is not the configuration of a job
    """
    option = "src" if params["config"] is None else "config"
    if params[option] is None:
        return None
    text = params["config"] if option == "config" else read_text(params["src"], "src")
    try:
        root = document.parse(text)
    except document.XmlError as error:
        raise BadOption(option, f"must be an XML document, but {error}") from None
    tree.refuse_organization(root.tag, option)
    if root.tag in types.FOLDERS:
        raise BadOption(option, "is the configuration of a folder. Use the module ci_folder for folders")
    root.tag = types.get_root_tag(types.get_type(root.tag))
    for trigger in (*root.iter(_TIMER), *root.iter(_POLLING)):
        cron.check_schedule(option, trigger.findtext("spec", ""))
    return root


def find_secrets(root: ET.Element) -> fields.Texts:
    """Return the texts of a declared configuration that are probably secrets, by path, without switches."""
    return {path: text for path, text in fields.find_secrets(root).items() if text not in ("true", "false")}


def check_retention(root: ET.Element, job: str) -> None:
    """Refuse a configuration with which Jenkins would delete all builds, because it reads a missing limit as 0.

    :arg root: the configuration to write
    :raises ToolchainError: if a limit is missing
    """
    for rotator in (element for element in root.iter() if _ROTATOR in (element.tag, element.get("class"))):
        for tag in ("daysToKeep", "numToKeep"):
            if document.is_blank(rotator.findtext(tag)):
                raise ToolchainError(
                    f"Job '{job}' is not changed: its configuration limits the number of builds without '{tag}', so "
                    f"that Jenkins would delete all builds. Add '<{tag}>-1</{tag}>' to the element '{rotator.tag}'."
                )


def build(params: _Params, type_name: str, declared: ET.Element | None, stored: ET.Element | None) -> ET.Element:
    """Return the declared configuration of a job.

    :arg type_name: type of the job
    :arg declared: the configuration that `read_configuration` returned
    :arg stored: the stored configuration, `None` for a new job. Objects that are declared by options contain the values
        that Jenkins requires only if they are not stored yet, or if the option `exact` would remove them
    """
    root = ET.Element(types.get_root_tag(type_name))
    root.extend(_Builder(params, type_name, ET.Element(root.tag) if stored is None else stored).build())
    if declared is None:
        is_new = stored is None and params["copy_from"] is None
        if type_name == "freestyle" and (is_new or params["exact"]) and root.find(_CAN_ROAM) is None:
            # otherwise Jenkins builds the job only on the built-in node. Its form never makes such a job
            root.append(_new(_CAN_ROAM, True))
        return root
    merged = merge(declared, root)
    merged.extend(child for child in root if isinstance(child, Removed))  # still to be removed from the stored one
    return merged


class _Builder:
    """Converts the options of a job to elements.

    :arg stored: the stored configuration, empty for a new job
    """

    def __init__(self, params: _Params, type_name: str, stored: ET.Element) -> None:
        self._params, self._type, self._stored = params, type_name, stored
        self._exact: bool = params["exact"]

    def build(self) -> t.Iterator[ET.Element]:
        """Yield the children of the root element."""
        params = self._params
        if params["description"] is not None:
            yield _new("description", params["description"])
        if params["display_name"] is not None:
            yield _new_or_removed("displayName", params["display_name"])
        if params["disabled"] is not None:
            yield _new("disabled", params["disabled"])
        if properties := list(self._build_properties()):
            yield _new("properties", *properties)
        if params["quiet_period"] is not None:
            yield _new("quietPeriod", params["quiet_period"])
        if self._type == "pipeline":
            yield from self._build_definition()
        elif self._type == "multibranch":
            yield from self._build_multibranch()
        else:
            yield from self._build_project()

    def _build_properties(self) -> t.Iterator[ET.Element]:
        params = self._params
        if params["parameters"] is not None:
            yield self._build_parameters()
        if params["retention"] is not None:
            yield _new(_DISCARDER, self._build_retention())
        if self._type != "pipeline":
            return
        if params["triggers"] is not None:
            triggers = self._build_triggers(f"properties/{_PIPELINE_TRIGGERS}/triggers")
            yield _new(_PIPELINE_TRIGGERS, triggers) if len(triggers) else Removed(_PIPELINE_TRIGGERS)
        if params["concurrent"] is not None:
            yield Removed(_NOT_CONCURRENT) if params["concurrent"] else _new(_NOT_CONCURRENT)

    def _build_parameters(self) -> ET.Element:
        if not self._params["parameters"]:
            return Removed(_PARAMETERS)
        path = f"properties/{_PARAMETERS}/parameterDefinitions/*"
        stored = {(element.tag, element.findtext("name")): element for element in self._stored.iterfind(path)}
        definitions = _new("parameterDefinitions")
        for parameter in self._params["parameters"]:
            tag = f"hudson.model.{parameter['type'].capitalize()}ParameterDefinition"
            definition = _new(tag, _new("name", parameter["name"]))
            current = stored.get((tag, parameter["name"]))
            definition.extend(_build_parameter_values(parameter, current, self._exact))
            definitions.append(definition)
        return _new(_PARAMETERS, definitions)

    def _build_retention(self) -> ET.Element:
        """Limits that are missing in XML are 0, with which Jenkins deletes all builds, so none may be missing."""
        retention, stored = self._params["retention"], self._find_kept(f"properties/{_DISCARDER}/strategy", _ROTATOR)
        strategy = _new("strategy", **{"class": _ROTATOR})
        for option, tag in _LIMITS.items():
            if retention[option] is not None:
                strategy.append(_new(tag, retention[option] or _UNLIMITED))
            elif stored is None or stored.find(tag) is None:
                strategy.append(_new(tag, _UNLIMITED))
        return strategy

    def _build_triggers(self, path: str) -> ET.Element:
        """Return the triggers. Stored ones that the options do not describe are kept."""
        triggers = {trigger.tag: trigger for trigger in self._stored.iterfind(f"{path}/*")}
        for option, tag in (("cron", _TIMER), ("poll_scm", _POLLING)):
            schedule = self._params["triggers"][option]
            if schedule is not None and not schedule.strip():
                triggers.pop(tag, None)
            elif schedule is not None:
                triggers[tag] = _new(tag, _new("spec", schedule.strip()))
        return _new("triggers", *triggers.values())

    def _build_project(self) -> t.Iterator[ET.Element]:
        """Yield the elements of a freestyle job, or of a similar job of another plugin."""
        params = self._params
        if params["git"] is not None:
            yield self._build_git("scm")
        if params["label"] is not None:
            yield _new_or_removed("assignedNode", params["label"])
            yield _new(_CAN_ROAM, not params["label"])
        if params["triggers"] is not None:
            yield self._build_triggers("triggers")
        if params["concurrent"] is not None:
            yield _new("concurrentBuild", params["concurrent"])
        if params["shell"] is not None:
            yield _new("builders", *(_new("hudson.tasks.Shell", _new("command", text)) for text in params["shell"]))

    def _build_definition(self) -> t.Iterator[ET.Element]:
        params = self._params
        if params["script"] is not None:
            is_stored = self._find_kept("definition", _SCRIPT) is not None
            definition = _new("definition", _new("script", params["script"]), **{"class": _SCRIPT})
            _append_value(definition, "sandbox", params["script_sandbox"], None if is_stored else True)
            yield definition
        elif params["git"] is not None:
            is_stored = self._find_kept("definition", _SCRIPT_FROM_SCM) is not None
            definition = _new("definition", self._build_git("definition/scm"), **{"class": _SCRIPT_FROM_SCM})
            _append_value(definition, "scriptPath", params["script_path"], None if is_stored else "Jenkinsfile")
            _append_value(definition, "lightweight", params["lightweight"], None if is_stored else True)
            yield definition

    def _build_git(self, path: str) -> ET.Element:
        git = self._params["git"]
        scm = _new("scm", **{"class": _GIT})
        if self._find_kept(path, _GIT) is None:
            scm.append(_new("configVersion", 2))
            scm.append(_new("doGenerateSubmoduleConfigurations", False))
            scm.append(_new("submoduleCfg", **{"class": "empty-list"}))
        remote = _new("hudson.plugins.git.UserRemoteConfig", _new("url", git["url"]))
        if git["credentials_id"] is not None:
            remote.append(_new_or_removed("credentialsId", git["credentials_id"]))
        scm.append(_new("userRemoteConfigs", remote))
        scm.append(_new("branches", _new("hudson.plugins.git.BranchSpec", _new("name", git["branch"]))))
        return scm

    def _build_multibranch(self) -> t.Iterator[ET.Element]:
        params = self._params
        if params["git"] is not None:
            yield self._build_source()
        if params["script_path"] is not None:
            factory = _new("factory", self._owner(), _new("scriptPath", params["script_path"]))
            factory.set("class", _BRANCH_FACTORY)
            yield factory
        if params["orphaned_branches"] is not None:
            yield self._build_orphaned_branches()
        if params["scan_interval"] is not None:
            yield self._build_scan()

    def _build_source(self) -> ET.Element:
        git = self._params["git"]
        path = "sources/data/jenkins.branch.BranchSource/source"
        source = _new("source", _new("remote", git["url"]), **{"class": _GIT_SOURCE})
        if git["credentials_id"] is not None:
            source.append(_new("credentialsId", git["credentials_id"]))
        branch_source = _new("jenkins.branch.BranchSource", source)
        if self._find_kept(path, _GIT_SOURCE) is None:
            # without an ID, Jenkins generates one at each start. With another ID, it builds all branches again
            stored = self._find_object(path, _GIT_SOURCE)
            new_id = uuid.uuid5(uuid.NAMESPACE_URL, f"{self._params['name']} {git['url']}")
            source.append(_new("id", (stored is not None and stored.findtext("id")) or new_id))
            source.append(_new("traits", _new("jenkins.plugins.git.traits.BranchDiscoveryTrait")))
            strategy = _new("strategy", _new("properties", **{"class": "empty-list"}))
            strategy.set("class", "jenkins.branch.DefaultBranchPropertyStrategy")
            branch_source.append(strategy)
        return _new("sources", _new("data", branch_source), self._owner(), **{"class": _SOURCES})

    def _build_orphaned_branches(self) -> ET.Element:
        options = self._params["orphaned_branches"]
        is_stored = self._find_kept("orphanedItemStrategy", _ORPHANED) is not None
        strategy = _new("orphanedItemStrategy", **{"class": _ORPHANED})
        _append_value(strategy, "pruneDeadBranches", options["delete"], None if is_stored else True)
        for option, tag in (("keep_days", "daysToKeep"), ("keep_count", "numToKeep")):
            limit = options[option]
            _append_value(strategy, tag, _UNLIMITED if limit == 0 else limit, None if is_stored else _UNLIMITED)
        return strategy

    def _build_scan(self) -> ET.Element:
        triggers = {trigger.tag: trigger for trigger in self._stored.iterfind("triggers/*")}
        interval = SCAN_INTERVALS.get(self._params["scan_interval"])
        if interval is None:
            triggers.pop(_SCAN, None)
        elif triggers.get(_SCAN, _new(_SCAN)).findtext("interval") != str(interval):
            schedule = next((schedule for most, schedule in _SCAN_SCHEDULES if interval <= most), _SELDOM)
            triggers[_SCAN] = _new(_SCAN, _new("spec", schedule), _new("interval", interval))
        return _new("triggers", *triggers.values())

    def _owner(self) -> ET.Element:
        return _new("owner", **{"class": types.MULTIBRANCH, "reference": "../.."})

    def _find_kept(self, path: str, class_name: str) -> ET.Element | None:
        """Return a stored object if it is of a class and keeps the elements that are not declared."""
        return None if self._exact else self._find_object(path, class_name)

    def _find_object(self, path: str, class_name: str) -> ET.Element | None:
        """Return a stored object if it is of a class."""
        element = self._stored.find(path)
        return element if element is not None and element.get("class") == class_name else None


def _build_parameter_values(parameter: _Params, stored: ET.Element | None, exact: bool) -> t.Iterator[ET.Element]:
    """Yield the children of a parameter.

    :arg stored: the parameter as it is stored
    :arg exact: whether children that are not declared are removed
    """
    kind = parameter["type"]
    if parameter["description"] is not None:
        yield _new("description", parameter["description"])
    default = parameter["secret_default"] if kind == "password" else parameter["default"]
    if default is None and stored is not None and exact and kind == "password":
        default = stored.findtext("defaultValue")  # a declaration without the secret does not remove it
    if default is None and (stored is None or exact) and kind in ("string", "text", "password"):
        default = ""  # otherwise null, which plugins do not expect
    if default is not None:
        yield _new("defaultValue", to_string(default).lower() if kind == "boolean" else default)
    if parameter["trim"] is not None:
        yield _new("trim", parameter["trim"])
    if parameter["choices"] is None:
        return
    if stored is None or _list_choices(stored) != parameter["choices"]:
        choices = _new("a", *(_new("string", choice) for choice in parameter["choices"]), **{"class": "string-array"})
        yield _new("choices", choices, **{"class": "java.util.Arrays$ArrayList"})
    elif exact:  # Jenkins stores choices in one of several forms
        yield from stored.findall("choices")


def _list_choices(definition: ET.Element) -> list[str]:
    return [choice.text or "" for choice in definition.iterfind("choices//string")]


def _check_form(params: _Params) -> None:
    """Verify that the options belong to one form of declaration: options for a type, or a configuration."""
    if params["type"] is not None:
        check_applicable(params, params["type"])
        return
    for option in _OPTIONS_WITH_TYPE:
        if params[option] is not None:
            raise BadOption(option, "requires 'type', which decides how Jenkins stores it")
    form = next((option for option in ("config", "src") if params[option] is not None), None)
    if form is None and params["exact"]:
        raise BadOption("exact", "requires 'type', 'config' or 'src', which declare the configuration")
    for option in _OPTIONS_OF_JOBS if form else ():
        if params[option] is not None:
            raise BadOption(option, f"must not be set together with '{form}'. Add it to the configuration")


def _check_pipeline(params: _Params) -> None:
    if params["script"] is not None and params["git"] is not None:
        raise BadOption("script", "must not be set together with 'git', which names the repository with the script")
    if params["script_sandbox"] is not None and params["script"] is None:
        raise BadOption("script_sandbox", "requires 'script'")
    if params["type"] == "pipeline" and params["git"] is None:
        for option in ("script_path", "lightweight"):
            if params[option] is not None:
                raise BadOption(option, "requires 'git'")


def _check_git(params: _Params) -> None:
    git = params["git"]
    if git is None:
        return
    if git["url"] is None:
        raise BadOption("git.url", "is required")
    if params["type"] == "multibranch":
        if git["branch"] is not None:
            raise BadOption("git.branch", "does not apply to a multibranch Pipeline, which builds all branches")
    elif git["branch"] is None:
        raise BadOption("git.branch", "is required, unless 'type' is 'multibranch'")


def _check_parameter(path: str, parameter: _Params) -> None:
    kind = parameter["type"]
    if parameter["name"] is None:
        raise BadOption(f"{path}.name", "is required")
    if kind == "choice":
        if not parameter["choices"]:
            raise BadOption(f"{path}.choices", "is required for a parameter of the type 'choice'")
        if parameter["default"] is not None:
            raise BadOption(f"{path}.default", "does not apply to the type 'choice'. The first choice is the default")
    elif parameter["choices"] is not None:
        raise BadOption(f"{path}.choices", "applies only to the type 'choice'")
    if kind == "password" and parameter["default"] is not None:
        raise BadOption(f"{path}.default", "does not apply to the type 'password'. Use 'secret_default'")
    if kind != "password" and parameter["secret_default"] is not None:
        raise BadOption(f"{path}.secret_default", "applies only to the type 'password'")
    if parameter["default"] is not None:
        _check_default(f"{path}.default", kind, parameter["default"])
    if kind not in ("string", "text") and parameter["trim"] is not None:
        raise BadOption(f"{path}.trim", "applies only to the types 'string' and 'text'")


def _check_default(path: str, kind: str, default: t.Any) -> None:
    if kind == "boolean":
        if to_string(default).lower() not in ("true", "false"):
            raise BadOption(path, "must be true or false for the type 'boolean'")
    elif isinstance(default, bool) or not isinstance(default, (str, int)):
        raise BadOption(path, f"must be a string for the type '{kind}'. Put it in quotes")
    elif any(character in str(default) for character in "\0\ufffe\uffff"):
        raise BadOption(path, "must not contain NUL characters, U+FFFE and U+FFFF")


def _new(tag: str, *content: t.Any, **attributes: str) -> ET.Element:
    """Return a new element with children or a text."""
    element = ET.Element(tag, attributes)
    for part in content:
        if isinstance(part, ET.Element):
            element.append(part)
        else:
            element.text = str(part).lower() if isinstance(part, bool) else str(part)
    return element


def _new_or_removed(tag: str, text: str) -> ET.Element:
    """Return an element with a text, which should not exist if the text is empty."""
    return _new(tag, text) if text else Removed(tag)


def _append_value(parent: ET.Element, tag: str, value: t.Any, default: t.Any) -> None:
    """Append an element with a value or a default, unless both are null."""
    chosen = default if value is None else value
    if chosen is not None:
        parent.append(_new(tag, chosen))
