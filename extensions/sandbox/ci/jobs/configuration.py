# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Job configuration: XML, parameters and build steps."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

from ...parsing.integers import parse_integer_or_none
from ..authorization import matrix_property
from ..plugins.installed_plugins import InstalledPlugins
from ..storage import Job, Storage
from ..xml import document, secrets
from ..xml.writer import ConfigurationWriter
from .item_kinds import BY_NAME, BY_ROOT, CONTAINERS, FOLDER, FREESTYLE, PIPELINE, PROJECTS, Kind

FOLDER_VIEWS_CLASS = "com.cloudbees.hudson.plugins.folder.views.DefaultFolderViewHolder"
SCRIPT = "org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition"
NOT_CONCURRENT = "org.jenkinsci.plugins.workflow.job.properties.DisableConcurrentBuildsJobProperty"
FILE = "File"
# Characters that Java's String.trim removes
TRIMMED = "".join(map(chr, range(33)))


@dataclass(frozen=True)
class Parameter:
    """The definition of a build parameter.

    :arg kind: `String`, `Text`, `Boolean`, `Choice`, `Password` or `File`
    """

    kind: str
    name: str
    description: str | None
    default: str
    choices: tuple[str, ...] = ()
    trims: bool = False

    @property
    def class_name(self) -> str:
        """The Java class of the definition."""
        return f"hudson.model.{self.kind}ParameterDefinition"

    def value(self, text: str) -> dict[str, Any]:
        """Return the value for a text.

        :raises ValueError: if it is not one of the choices
        """
        if self.kind == "Choice" and text not in self.choices:
            raise ValueError(text)
        return self._typed(text)

    def default_value(self) -> dict[str, Any] | None:
        """Return the default value. Files have none."""
        return None if self.kind == FILE else self._typed(self.default)

    def file_value(self, file_name: str, sha256: str) -> dict[str, Any]:
        """Return the value for an uploaded file: its name, with its content in the file store."""
        return {**self._typed(re.sub(r".*[/\\]", "", file_name)), "file": sha256}

    def _typed(self, text: str) -> dict[str, Any]:
        kind = "String" if self.kind == "Choice" else self.kind
        value = text == "true" if kind == "Boolean" else text
        if self.trims:
            value = text.strip(TRIMMED)
        return {"_class": f"hudson.model.{kind}ParameterValue", "name": self.name, "value": value}


@dataclass(frozen=True)
class Definition:
    """The settings that the sandbox reads from a configuration.

    :arg script: the script of a Pipeline
    :arg archived: patterns of artifacts
    :arg label: the label of the nodes to build on; None for any node, "" for the built-in one
    """

    kind: Kind
    description: str | None
    display_name: str | None
    disabled: bool
    concurrent: bool
    quiet_period: int | None
    trigger_token: str | None
    label: str | None
    parameters: tuple[Parameter, ...]
    commands: tuple[str, ...]
    script: str
    archived: tuple[str, ...]

    def parameter(self, name: str) -> Parameter | None:
        """Return the parameter with a name."""
        return next((p for p in self.parameters if p.name == name), None)


def _item(config: str) -> etree._Element:
    root = document.parse(config)
    if root.tag not in BY_ROOT:
        raise document.ConfigError(f"no such kind of item: {root.tag}")
    return root


def normalize(config: str, writer: ConfigurationWriter) -> str:
    """Return a configuration as Jenkins stores it: with defaults, ordered and indented."""
    return _write_item(_item(config), writer)


def load_configuration(
    config: str, writer: ConfigurationWriter, plugins: InstalledPlugins, creator: str | None = None
) -> str:
    """Return a configuration as Jenkins stores it.

    :arg creator: the user who may configure the new item, if matrix-auth adds it
    :raises ConfigError: if no plugin provides its class
    """
    root = _item(config)
    if not plugins.provide(BY_ROOT[root.tag]):
        raise document.ConfigError("no plugin has this class")
    if creator:
        matrix_property.add_creator(root, BY_ROOT[root.tag] is FOLDER, creator)
    return _write_item(root, writer)


def _write_item(root: etree._Element, writer: ConfigurationWriter) -> str:
    kind = BY_ROOT[root.tag]
    if kind is FOLDER:
        _move_old_views(root)
    return writer.write(root, kind.roots[0], kind.item_class)


def _move_old_views(root: etree._Element) -> None:
    """Move the views of a folder from the place where old versions of the plugin stored them."""
    views = root.find("views")
    if views is not None and len(views) and root.find("folderViews") is None:
        etree.SubElement(root, "folderViews", {"class": FOLDER_VIEWS_CLASS}).append(views)


@functools.lru_cache(maxsize=1024)
def parse_configuration(config: str) -> Definition:
    """Read the settings of a configuration."""
    root = _item(config)
    quiet_period = root.findtext("quietPeriod", "").strip()
    kind = BY_ROOT[root.tag]
    return Definition(
        kind=kind,
        description=root.findtext("description"),
        display_name=root.findtext("displayName") or None,
        disabled=root.findtext("disabled", "") == "true",
        concurrent=_concurrent(root, kind),
        quiet_period=parse_integer_or_none(quiet_period),
        trigger_token=root.findtext("authToken"),
        label=None if kind not in PROJECTS or root.findtext("canRoam") == "true" else root.findtext("assignedNode", ""),
        parameters=tuple(_parameters(root)),
        commands=tuple(shell.findtext("command", "") for shell in root.iterfind("builders/hudson.tasks.Shell")),
        script=root.findtext("definition/script", ""),
        archived=tuple(re.split(r"\s*,\s*", root.findtext("publishers/hudson.tasks.ArtifactArchiver/artifacts", ""))),
    )


def default_value(storage: Storage, parameter: Parameter) -> dict[str, Any] | None:
    """Return the default value of a parameter for a build. The configuration has passwords encrypted."""
    if parameter.kind == "Password":
        parameter = replace(parameter, default=secrets.reveal(storage, parameter.default))
    return parameter.default_value()


def full_display_name(storage: Storage, name: str) -> str:
    """Return the full display name of a job."""
    paths = [name[: end.start()] for end in re.finditer("/|$", name)]
    return " \u00bb ".join(_format_value(storage.job(path)) or path.rpartition("/")[2] for path in paths)


def _format_value(job: Job | None) -> str | None:
    return parse_configuration(job.config).display_name if job else None


def _concurrent(root: etree._Element, kind: Kind) -> bool:
    """Return whether builds run concurrently: by default for Pipelines only."""
    if kind in PROJECTS:
        return root.findtext("concurrentBuild", "") == "true"
    return root.find(f"properties/{NOT_CONCURRENT}") is None


def _parameters(root: etree._Element) -> list[Parameter]:
    path = "properties/hudson.model.ParametersDefinitionProperty/parameterDefinitions/*"
    return [_parameter(element) for element in root.iterfind(path) if isinstance(element.tag, str)]


def _parameter(element: etree._Element) -> Parameter:
    kind = element.tag.rpartition(".")[2].removesuffix("ParameterDefinition")
    choices = tuple(choice.text or "" for choice in element.iterfind("choices//string"))
    default = choices[0] if choices else element.findtext("defaultValue", "false" if kind == "Boolean" else "")
    trims = kind in ("String", "Text") and element.findtext("trim") == "true"
    return Parameter(kind, element.findtext("name", ""), element.findtext("description"), default, choices, trims)


def set_text(config: str, tag: str, text: str | None, writer: ConfigurationWriter) -> str:
    """Return the configuration with another text in one element, or without the element."""
    root = _item(config)
    element = root.find(tag)
    if text is None:
        if element is not None:
            root.remove(element)
        return _write_item(root, writer)
    if element is None:
        element = etree.SubElement(root, tag)
    element.text = text
    return _write_item(root, writer)


def empty_configuration(kind: Kind, writer: ConfigurationWriter) -> str:
    """Return the configuration of a new item of a kind."""
    return from_seed({"kind": kind.name}, writer)


def from_seed(job: dict[str, Any], writer: ConfigurationWriter) -> str:
    """Return the configuration of a seeded item."""
    kind = BY_NAME[job.get("kind", FREESTYLE.name)]
    elements = {"description": job.get("description")}
    if kind is not FOLDER:
        elements["quietPeriod"] = job.get("quiet_period")
        elements["authToken"] = job.get("trigger_token")
        elements["disabled"] = str(job.get("disabled", False)).lower()
    texts = "".join(_element(name, text) for name, text in elements.items())
    return normalize(f"<{kind.roots[0]}>{texts}{_steps(kind, job)}</{kind.roots[0]}>", writer)


def _steps(kind: Kind, job: dict[str, Any]) -> str:
    """Return the build steps and parameters."""
    command = job.get("command") or f"sleep {job.get('seconds', 0)}"
    properties, archived = _properties(job.get("parameters", [])), job.get("archive", "")
    if kind in CONTAINERS:
        return ""
    if kind is PIPELINE:
        archive = f"\n  archiveArtifacts '{archived}'" if archived else ""
        script = job.get("script") or f"node {{\n  sh '''{command}'''{archive}\n}}"
        definition = f"<script>{escape(script)}</script><sandbox>true</sandbox>"
        return f'{properties}<definition class="{SCRIPT}">{definition}</definition>'
    shell = f"<hudson.tasks.Shell><command>{escape(command)}</command><configuredLocalRules/></hudson.tasks.Shell>"
    archiver = (
        f"<hudson.tasks.ArtifactArchiver><artifacts>{escape(archived)}</artifacts></hudson.tasks.ArtifactArchiver>"
    )
    publishers = f"<publishers>{archiver}</publishers>" if archived else ""
    concurrent = str(job.get("concurrent", False)).lower()
    return (
        f"<canRoam>true</canRoam><concurrentBuild>{concurrent}</concurrentBuild>"
        f"{properties}<builders>{shell}</builders>{publishers}"
    )


def _properties(parameters: list[dict[str, Any]]) -> str:
    if not parameters:
        return ""
    tag = "hudson.model.ParametersDefinitionProperty"
    definitions = "".join(_definition(parameter) for parameter in parameters)
    return f"<properties><{tag}><parameterDefinitions>{definitions}</parameterDefinitions></{tag}></properties>"


def _definition(parameter: dict[str, Any]) -> str:
    tag = f"hudson.model.{parameter.get('type', 'string').capitalize()}ParameterDefinition"
    if "choices" in parameter:
        strings = "".join(f"<string>{escape(choice)}</string>" for choice in parameter["choices"])
        value = f'<choices class="java.util.Arrays$ArrayList"><a class="string-array">{strings}</a></choices>'
    elif parameter.get("type") == "file":
        value = ""
    else:
        default = parameter.get("default", "")
        value = _element("defaultValue", str(default).lower() if isinstance(default, bool) else default)
    if parameter.get("trim"):
        value += "<trim>true</trim>"
    description = _element("description", parameter.get("description", ""))
    return f"<{tag}>{_element('name', parameter['name'])}{description}{value}</{tag}>"


def _element(name: str, value: Any) -> str:
    """Return an element of XML, which is omitted for null."""
    return "" if value is None else f"<{name}>{escape(str(value))}</{name}>"
