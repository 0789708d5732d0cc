# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a job is: its configuration as XML, its parameters, and what a build of it will do."""

from __future__ import annotations

import functools
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.sax.saxutils import escape

from lxml import etree

DECLARATION = "<?xml version='1.1' encoding='UTF-8'?>\n"
ROOTS = ("project", "hudson.model.FreeStyleProject")
STARTUP_SECONDS = 0.05
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>\s*")
_NUMBER = re.compile(r"\d+(\.\d*)?|\.\d+")
_VARIABLE = re.compile(r"\$(?:\{(\w+)\}|(\w+))")


class ConfigError(ValueError):
    """A configuration that the server cannot load."""


@dataclass(frozen=True)
class Parameter:
    """The definition of a build parameter; `kind` is `String`, `Text`, `Boolean`, `Choice` or `Password`."""

    kind: str
    name: str
    description: str
    default: str
    choices: tuple[str, ...] = ()

    @property
    def class_name(self) -> str:
        """The class of the definition."""
        return f"hudson.model.{self.kind}ParameterDefinition"

    def value(self, text: str) -> dict[str, Any]:
        """A value given as text; a ValueError if it is none of the choices."""
        if self.kind == "Choice" and text not in self.choices:
            raise ValueError(text)
        return self._typed(text)

    def default_value(self) -> dict[str, Any]:
        """The value of a build that does not set it."""
        return self._typed(self.default)

    def _typed(self, text: str) -> dict[str, Any]:
        kind = "String" if self.kind == "Choice" else self.kind
        value = text == "true" if kind == "Boolean" else text
        return {"_class": f"hudson.model.{kind}ParameterValue", "name": self.name, "value": value}


@dataclass(frozen=True)
class Definition:
    """What a configuration says."""

    description: str
    disabled: bool
    concurrent: bool
    quiet_period: int | None
    trigger_token: str | None
    parameters: tuple[Parameter, ...]
    commands: tuple[str, ...]

    def parameter(self, name: str) -> Parameter | None:
        """The parameter of that name."""
        return next((p for p in self.parameters if p.name == name), None)


def _element(config: str) -> etree._Element:
    # The server writes XML 1.1, which the parser here does not know; nothing else in the declaration matters.
    parser = etree.XMLParser(resolve_entities=False, no_network=True)
    try:
        root = etree.fromstring(_DECLARATION.sub("", config, count=1).encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ConfigError(str(error)) from error
    if root.tag not in ROOTS:
        raise ConfigError(f"not a freestyle job: {root.tag}")
    return root


def normalized(config: str) -> str:
    """A configuration as the server keeps it."""
    return DECLARATION + etree.tostring(_element(config), encoding="unicode")


@functools.lru_cache(maxsize=1024)
def parse(config: str) -> Definition:
    """Read a configuration."""
    root = _element(config)
    quiet_period = root.findtext("quietPeriod", "").strip()
    return Definition(
        description=root.findtext("description", ""),
        disabled=root.findtext("disabled", "") == "true",
        concurrent=root.findtext("concurrentBuild", "") == "true",
        quiet_period=int(quiet_period) if quiet_period.isdigit() else None,
        trigger_token=root.findtext("authToken"),
        parameters=tuple(_parameters(root)),
        commands=tuple(shell.findtext("command", "") for shell in root.iterfind("builders/hudson.tasks.Shell")),
    )


def _parameters(root: etree._Element) -> list[Parameter]:
    path = "properties/hudson.model.ParametersDefinitionProperty/parameterDefinitions/*"
    return [_parameter(element) for element in root.iterfind(path) if isinstance(element.tag, str)]


def _parameter(element: etree._Element) -> Parameter:
    kind = element.tag.rpartition(".")[2].removesuffix("ParameterDefinition")
    choices = tuple(choice.text or "" for choice in element.iterfind("choices//string"))
    default = choices[0] if choices else element.findtext("defaultValue", "false" if kind == "Boolean" else "")
    return Parameter(kind, element.findtext("name", ""), element.findtext("description", ""), default, choices)


def with_text(config: str, tag: str, text: str) -> str:
    """The same configuration with another text in one of its elements."""
    root = _element(config)
    element = root.find(tag)
    if element is None:
        element = etree.SubElement(root, tag)
    element.text = text
    return DECLARATION + etree.tostring(root, encoding="unicode")


def from_seed(job: dict[str, Any]) -> str:
    """The configuration of a job that a seed describes by its traits."""
    command = job.get("command") or f"sleep {job.get('seconds', 0)}"
    quiet_period = f"  <quietPeriod>{job['quiet_period']}</quietPeriod>\n" if "quiet_period" in job else ""
    token = f"  <authToken>{escape(job['trigger_token'])}</authToken>\n" if "trigger_token" in job else ""
    return (
        f"{DECLARATION}<project>\n"
        f"  <description>{escape(job.get('description', ''))}</description>\n"
        "  <keepDependencies>false</keepDependencies>\n"
        f"{_properties(job.get('parameters', []))}"
        '  <scm class="hudson.scm.NullSCM"/>\n'
        f"{quiet_period}"
        "  <canRoam>true</canRoam>\n"
        f"  <disabled>{str(job.get('disabled', False)).lower()}</disabled>\n"
        "  <blockBuildWhenDownstreamBuilding>false</blockBuildWhenDownstreamBuilding>\n"
        "  <blockBuildWhenUpstreamBuilding>false</blockBuildWhenUpstreamBuilding>\n"
        f"{token}"
        "  <triggers/>\n"
        f"  <concurrentBuild>{str(job.get('concurrent', False)).lower()}</concurrentBuild>\n"
        "  <builders>\n    <hudson.tasks.Shell>\n"
        f"      <command>{escape(command)}</command>\n"
        "      <configuredLocalRules/>\n    </hudson.tasks.Shell>\n  </builders>\n"
        "  <publishers/>\n  <buildWrappers/>\n</project>"
    )


def _properties(parameters: list[dict[str, Any]]) -> str:
    if not parameters:
        return "  <properties/>\n"
    definitions = "".join(_definition(parameter) for parameter in parameters)
    return (
        "  <properties>\n    <hudson.model.ParametersDefinitionProperty>\n      <parameterDefinitions>\n"
        f"{definitions}"
        "      </parameterDefinitions>\n    </hudson.model.ParametersDefinitionProperty>\n  </properties>\n"
    )


def _definition(parameter: dict[str, Any]) -> str:
    tag = f"hudson.model.{parameter.get('type', 'string').capitalize()}ParameterDefinition"
    if "choices" in parameter:
        strings = "".join(f"<string>{escape(choice)}</string>" for choice in parameter["choices"])
        value = f'<choices class="java.util.Arrays$ArrayList"><a class="string-array">{strings}</a></choices>'
    else:
        default = parameter.get("default", "")
        text = str(default).lower() if isinstance(default, bool) else str(default)
        value = f"<defaultValue>{escape(text)}</defaultValue>"
    return (
        f"        <{tag}>\n          <name>{escape(parameter['name'])}</name>\n"
        f"          <description>{escape(parameter.get('description', ''))}</description>\n"
        f"          {value}\n        </{tag}>\n"
    )


@dataclass(frozen=True)
class Plan:
    """What a build will do: its length, its outcome, and its output with the second of each line."""

    seconds: float
    outcome: str
    lines: list[tuple[float, str]]


def plan(definition: Definition, environment: Mapping[str, str]) -> Plan:
    """Play the shell steps: `sleep` takes its time, `echo` prints, `exit` and `false` fail."""
    seconds = STARTUP_SECONDS
    lines: list[tuple[float, str]] = []
    for command in definition.commands:
        for words in _commands(command, environment):
            lines.append((seconds, "+ " + " ".join(words)))
            program, argument = words[0], words[1] if words[1:] else ""
            if program == "echo":
                lines.append((seconds, " ".join(words[1:])))
            elif program == "sleep" and _NUMBER.fullmatch(argument):
                seconds += float(argument)
            elif program == "exit" and argument in ("", "0"):
                break
            elif program in ("exit", "false"):
                lines.append((seconds, "Build step 'Execute shell' marked build as failure"))
                return Plan(seconds, "FAILURE", lines)
    return Plan(seconds, "SUCCESS", lines)


def _commands(script: str, environment: Mapping[str, str]) -> Iterator[list[str]]:
    expanded = _VARIABLE.sub(lambda m: environment.get(m[1] or m[2], ""), script)
    for line in expanded.splitlines():
        try:
            words = shlex.split(line, comments=True)
        except ValueError:
            words = [line]
        if words:
            yield words
