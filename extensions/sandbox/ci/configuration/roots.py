# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The roots of the configuration, in the order in which the plugin exports and writes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import yaml

from ..controller import Controller
from .configurators import (
    Attribute,
    Configurator,
    Context,
    check_names,
    mapping,
    stored_attribute,
    text,
    text_attribute,
)
from .credentials import SYSTEM
from .documents import is_null
from .jenkins import JENKINS

Plan = list[tuple[Configurator, list[tuple[Attribute, Any, yaml.Node]]]]
LOCATION = "jenkins.model.JenkinsLocationConfiguration"


@dataclass(frozen=True)
class Root:
    """A root with several configurators.

    :arg configurators: by name
    :arg plugins: the root exists if one of these plugins is active
    """

    name: str
    java_class: str
    configurators: dict[str, Configurator]
    plugins: tuple[str, ...] = ()

    def plan(self, context: Context, node: yaml.Node) -> Plan:
        """Check the members and return them converted.

        :raises ConfiguratorError: if a member is refused
        """
        members = {name: inner for name, inner in mapping(context, node).items() if not is_null(inner)}
        check_names(self.name, self.java_class, members, sorted(self.configurators))
        return [
            (self.configurators[name], self.configurators[name].plan(context, inner)) for name, inner in members.items()
        ]

    def export(self, server: Controller) -> dict[str, Any]:
        """Return the values of all configurators."""
        return {name: configurator.export(server) for name, configurator in self.configurators.items()}

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the root."""
        properties = {name: configurator.schema() for name, configurator in sorted(self.configurators.items())}
        return {"type": "object", "additionalProperties": False, "properties": properties}


@dataclass(frozen=True)
class SingleRoot:
    """A root that is a configurator itself."""

    name: str
    configurator: Configurator
    plugins: tuple[str, ...] = ()

    def plan(self, context: Context, node: yaml.Node) -> Plan:
        """Check the members and return them converted.

        :raises ConfiguratorError: if a member is refused
        """
        return [(self.configurator, self.configurator.plan(context, node))]

    def export(self, server: Controller) -> dict[str, Any]:
        """Return the values of all attributes."""
        return self.configurator.export(server)

    def schema(self) -> dict[str, Any]:
        """Return the JSON schema of the root."""
        return self.configurator.schema()


def _stored(root: str, name: str, java_class: str, *members: str, **defaults: Any) -> Configurator:
    """Return a configurator whose attributes the sandbox stores as they are."""
    names = (*members, *defaults)
    attributes = tuple(stored_attribute(member, f"{root}.{name}.{member}", defaults.get(member)) for member in names)
    return Configurator(name, java_class, attributes)


def _write_url(server: Controller, url: str) -> None:
    """Store the URL of the server. Jenkins adds a slash."""
    server.storage.set("url", f"{url.rstrip('/')}/" if url else None)


_LOCATION = Configurator(
    "location",
    LOCATION,
    (
        text_attribute("adminAddress", "admin_address"),
        Attribute("url", lambda server: server.storage.setting("url"), _write_url, text, {"type": "string"}),
    ),
)
_CATEGORY = "jenkins.model.GlobalConfigurationCategory$"
_EMPTY = "java.lang.Object"
ROOTS: tuple[Root | SingleRoot, ...] = (
    SingleRoot(
        "configuration-as-code",
        _stored(
            "configuration-as-code",
            "settings",
            "io.jenkins.plugins.casc.ConfigurationContext",
            deprecated="reject",
            restricted="reject",
            unknown="reject",
            version="1",
        ),
    ),
    Root(
        "credentials",
        "com.cloudbees.plugins.credentials.CredentialsProvider",
        {
            "folder": _stored("credentials", "folder", _EMPTY),
            "providerImpl": _stored("credentials", "providerImpl", _EMPTY),
            "system": SYSTEM,
            "user": _stored("credentials", "user", _EMPTY),
        },
        ("credentials",),
    ),
    SingleRoot("jenkins", JENKINS),
    Root(
        "globalCredentialsConfiguration",
        "com.cloudbees.plugins.credentials.GlobalCredentialsConfiguration$Category",
        {
            "configuration": _stored(
                "globalCredentialsConfiguration",
                "configuration",
                "com.cloudbees.plugins.credentials.CredentialsProviderManager",
                providerFilter="none",
                typeFilter="none",
            )
        },
        ("credentials",),
    ),
    Root("appearance", f"{_CATEGORY}Appearance", {"prism": _stored("appearance", "prism", _EMPTY, "theme")}),
    Root(
        "security",
        f"{_CATEGORY}Security",
        {
            "apiToken": _stored(
                "security",
                "apiToken",
                "jenkins.security.apitoken.ApiTokenPropertyConfiguration",
                creationOfLegacyTokenEnabled=False,
                tokenGenerationOnCreationEnabled=False,
                usageStatisticsEnabled=True,
            ),
            "queueItemAuthenticator": _stored(
                "security",
                "queueItemAuthenticator",
                "jenkins.security.QueueItemAuthenticatorConfiguration",
                "authenticators",
            ),
            "sSHD": _stored("security", "sSHD", "org.jenkinsci.main.modules.sshd.SSHD", port=-1),
        },
    ),
    Root(
        "unclassified",
        f"{_CATEGORY}Unclassified",
        {
            "buildDiscarders": _stored(
                "unclassified",
                "buildDiscarders",
                "jenkins.model.GlobalBuildDiscarderConfiguration",
                configuredBuildDiscarders=["jobBuildDiscarder"],
            ),
            "fingerprints": _stored(
                "unclassified", "fingerprints", "jenkins.fingerprints.GlobalFingerprintConfiguration", "storage"
            ),
            "globalLibraries": _stored(
                "unclassified", "globalLibraries", "org.jenkinsci.plugins.workflow.libs.GlobalLibraries", "libraries"
            ),
            "location": _LOCATION,
            "mailer": _stored(
                "unclassified",
                "mailer",
                "hudson.tasks.Mailer$DescriptorImpl",
                *("authentication", "charset", "defaultSuffix", "replyToAddress", "smtpHost", "smtpPort", "useSsl"),
            ),
        },
    ),
    Root(
        "tool",
        f"{_CATEGORY}Tools",
        {
            "git": _stored(
                "tool",
                "git",
                "hudson.plugins.git.GitTool$DescriptorImpl",
                installations=[{"home": "git", "name": "Default"}],
            ),
            "jdk": _stored("tool", "jdk", "hudson.model.JDK$DescriptorImpl", "installations"),
            "maven": _stored("tool", "maven", "hudson.tasks.Maven$MavenInstallation$DescriptorImpl", "installations"),
        },
    ),
)


def list_roots(server: Controller) -> list[Root | SingleRoot]:
    """Return the roots whose plugins are active."""
    return [root for root in ROOTS if server.plugins.have(root.plugins)]
