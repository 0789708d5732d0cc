# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Launchers and retention strategies of agents: the values of their options in the configuration."""

from __future__ import annotations

import dataclasses
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import elements
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields

_VERIFICATION = "sshHostKeyVerificationStrategy"
# Ways to verify the SSH host key of an agent
VERIFICATIONS = {
    "known_hosts": "hudson.plugins.sshslaves.verifiers.KnownHostsFileKeyVerificationStrategy",
    "provided_key": "hudson.plugins.sshslaves.verifiers.ManuallyProvidedKeyVerificationStrategy",
    "first_connection": "hudson.plugins.sshslaves.verifiers.ManuallyTrustedKeyVerificationStrategy",
    "none": "hudson.plugins.sshslaves.verifiers.NonVerifyingKeyVerificationStrategy",
}
# Options that apply to one way only
_OF_VERIFICATION = {"provided_key": "host_key", "first_connection": "require_manual_trust"}


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of launcher or retention strategy.

    :ivar class_name: its Java class
    :ivar members: its options
    :ivar form: values in the form of Jenkins for a new one, if a missing element has another value
    :ivar required: options that a new one requires
    :ivar plugin: the plugin that it requires
    """

    class_name: str
    members: elements.Members
    form: t.Mapping[str, t.Any] = dataclasses.field(default_factory=dict)
    required: tuple[str, ...] = ()
    plugin: str | None = None

    @property
    def defaults(self) -> Fields:
        """The values of options that are not set, for a new launcher or retention strategy."""
        missing = {option: default for option, (_path, default) in self.members.items()}
        defaults = {**missing, **self.form}
        return {**defaults, "host_key_verification": "known_hosts"} if self.verifies_host_key else defaults

    @property
    def verifies_host_key(self) -> bool:
        """Whether the kind has the options for SSH host keys."""
        return "host" in self.members


LAUNCHERS = {
    "inbound": Kind(
        "hudson.slaves.JNLPLauncher",
        {
            "web_socket": ("webSocket", False),
            "tunnel": ("tunnel", ""),
            "disable_work_dir": ("workDirSettings/disabled", False),
            "work_dir": ("workDirSettings/workDirPath", ""),
            "internal_dir": ("workDirSettings/internalDir", "remoting"),
            "fail_if_work_dir_is_missing": ("workDirSettings/failIfWorkDirIsMissing", False),
        },
    ),
    "ssh": Kind(
        "hudson.plugins.sshslaves.SSHLauncher",
        {
            "host": ("host", ""),
            "port": ("port", 22),
            "credentials_id": ("credentialsId", ""),
            "java_path": ("javaPath", ""),
            "jvm_options": ("jvmOptions", ""),
            "prefix_start_command": ("prefixStartSlaveCmd", ""),
            "suffix_start_command": ("suffixStartSlaveCmd", ""),
            "launch_timeout": ("launchTimeoutSeconds", 60),
            "max_retries": ("maxNumRetries", 10),
            "retry_wait": ("retryWaitTime", 15),
            "tcp_no_delay": ("tcpNoDelay", True),
            "work_dir": ("workDir", ""),
        },
        required=("host", "credentials_id"),
        plugin="ssh-slaves",
    ),
    "command": Kind(
        "hudson.slaves.CommandLauncher",
        {"command": ("agentCommand", "")},
        required=("command",),
        plugin="command-launcher",
    ),
}
RETENTIONS = {
    "always": Kind("hudson.slaves.RetentionStrategy$Always", {}),
    "demand": Kind(
        "hudson.slaves.RetentionStrategy$Demand",
        {"in_demand_delay": ("inDemandDelay", 0), "idle_delay": ("idleDelay", 1)},
    ),
    "schedule": Kind(
        "hudson.slaves.SimpleScheduledRetentionStrategy",
        {
            "start_times": ("startTimeSpec", ""),
            "up_time": ("upTimeMins", 1),
            "keep_up_when_active": ("keepUpWhenActive", False),
        },
        form={"keep_up_when_active": True},
        required=("start_times", "up_time"),
    ),
}
_Kinds = t.Mapping[str, Kind]


def parse_options(option: str, kinds: _Kinds, values: Fields) -> Fields:
    """Return the options of a launcher or retention strategy that are set.

    :raises BadOption: if the type is missing, or an option does not apply to it
    """
    declared = {name: value for name, value in values.items() if value is not None}
    if "type" not in declared:
        raise BadOption(f"{option}.type", "is required")
    kind = kinds[declared["type"]]
    known = {"type", *kind.defaults, *(_OF_VERIFICATION.values() if kind.verifies_host_key else ())}
    for name in declared:
        if name not in known:
            raise BadOption(f"{option}.{name}", f"does not apply to the type '{declared['type']}'")
    verification = declared.get("host_key_verification")
    for way, name in _OF_VERIFICATION.items():
        if name in declared and verification != way:
            raise BadOption(f"{option}.{name}", f"requires 'host_key_verification: {way}'")
    if verification == "provided_key" and "host_key" not in declared:
        raise BadOption(f"{option}.host_key", "is required for 'host_key_verification: provided_key'")
    return declared


def read(element: ET.Element | None, kinds: _Kinds, default: str) -> Fields:
    """Return a launcher or retention strategy as options.

    One that the options cannot express, for example because a plugin provides it, only has its class as `type`.

    :arg default: the type that Jenkins uses if the element is missing
    """
    element = ET.Element("default", {"class": kinds[default].class_name}) if element is None else element
    class_name = element.get("class", "")
    found = next((name for name, kind in kinds.items() if kind.class_name == class_name), None)
    verification = _read_verification(element) if found and kinds[found].verifies_host_key else {}
    if found is None or verification is None:
        return {"type": class_name}
    return {"type": found, **elements.read_members(element, kinds[found].members), **verification}


def complete(kinds: _Kinds, declared: Fields, current: Fields | None) -> Fields:
    """Return the fields to compare: with another type, also its defaults, and `None` for members of the old type."""
    way = declared.get("host_key_verification")
    if current is None or current["type"] != declared["type"]:
        implied = {**dict.fromkeys(current or ()), **kinds[declared["type"]].defaults}
    elif way in (None, current.get("host_key_verification")):
        return declared
    else:
        implied = dict.fromkeys(option for option in _OF_VERIFICATION.values() if option in current)
    if way == "first_connection":
        implied["require_manual_trust"] = False
    return {**implied, **declared}


def check_required(option: str, kinds: _Kinds, fields: Fields) -> None:
    """Verify that a new launcher or retention strategy has its required options.

    :raises BadOption: if one is missing
    """
    for name in kinds[fields["type"]].required:
        if fields.get(name) in (None, ""):
            raise BadOption(f"{option}.{name}", f"is required for the type '{fields['type']}'")


def write(root: ET.Element, tag: str, kinds: _Kinds, fields: Fields) -> None:
    """Set a launcher or retention strategy.

    :arg fields: the declared fields and, for another type, its defaults
    """
    kind = kinds[fields["type"]]
    element = root.find(tag)
    if element is None or element.get("class") != kind.class_name:
        element = ET.Element(tag, {"class": kind.class_name})
        elements.replace(root, tag, element)
    elements.write_members(element, kind.members, fields)
    if kind.verifies_host_key and "host_key_verification" in fields:
        _write_verification(element, fields)


def _read_verification(launcher: ET.Element) -> Fields | None:
    """Return the options for SSH host keys, or `None` for an unknown way to verify them."""
    element = launcher.find(_VERIFICATION)
    class_name = VERIFICATIONS["none"] if element is None else element.get("class", "")
    way = next((name for name, known in VERIFICATIONS.items() if known == class_name), None)
    if way is None:
        return None
    fields: Fields = {"host_key_verification": way}
    if element is not None and way == "provided_key":
        key = "".join(elements.read_text(element, "key/key").split())
        fields["host_key"] = f"{elements.read_text(element, 'key/algorithm')} {key}"
    if element is not None and way == "first_connection":
        fields["require_manual_trust"] = elements.read_value(element, "requireInitialManualTrust", False)
    return fields


def _write_verification(launcher: ET.Element, fields: Fields) -> None:
    class_name = VERIFICATIONS[fields["host_key_verification"]]
    element = launcher.find(_VERIFICATION)
    if element is None or element.get("class") != class_name:
        element = ET.Element(_VERIFICATION, {"class": class_name})
        elements.replace(launcher, _VERIFICATION, element)
    if "host_key" in fields:
        algorithm, key = fields["host_key"].split()
        elements.write_value(element, "key/algorithm", algorithm)
        elements.write_value(element, "key/key", key)
    if fields["host_key_verification"] == "first_connection":
        elements.write_value(element, "requireInitialManualTrust", fields.get("require_manual_trust", False))
