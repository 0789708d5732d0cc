# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The options of modules for single objects of the central configuration, and their conversion from and to YAML.

The fields of an object have the names of the options.
"""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.kinds import (
    SECTIONS,
    Collection,
    NameSet,
    Scalar,
    inner_kind,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cron import check_cron, is_same_cron
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, sort_unique
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import mask_text
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import split_url

_DELETION = "~"


class Form:
    """The form of the objects in a section.

    :arg section: name of the section
    :arg noun: what an object is, such as `mail server`. With underscores, it is the name of the object in results
    :arg plural: plural of the noun, if it is not regular
    :arg members: the options, each with the name of its member and the value of a missing one
    :arg identity: the option with the name of an object; `None` if the section is the only object
    :arg required: options that a new object requires
    :arg new: values of a new object that the task does not set
    :arg secrets: options that are secrets
    :arg built_in: names of objects that Artifactory requires
    """

    def __init__(  # noqa: PLR0913  the description of a section
        self,
        section: str,
        noun: str,
        members: dict[str, tuple[str, t.Any]],
        *,
        plural: str | None = None,
        identity: str | None = None,
        required: tuple[str, ...] = (),
        new: Fields | None = None,
        secrets: tuple[str, ...] = (),
        built_in: tuple[str, ...] = (),
    ) -> None:
        self.section, self.noun, self.identity, self.required = section, noun, identity, required
        self.new, self.secrets, self.plural = new or {}, secrets, plural or f"{noun}s"
        self._members, self._built_in = members, built_in
        kind = SECTIONS[section]
        self._kinds = kind.members if isinstance(kind, Collection) else kind

    @property
    def result(self) -> str:
        """The name of an object in the result of a task."""
        return self.noun.replace(" ", "_")

    def parse(self, params: Fields) -> Fields:
        """Return the fields that the options declare.

        :raises BadOption: if the server would misunderstand an option
        """
        if params["state"] == "absent":
            return {}
        fields: Fields = {}
        for option in self._members:
            if params.get(option) is not None:
                fields[option] = self._parse(option, params[option])
        return fields

    def _parse(self, option: str, value: t.Any) -> t.Any:
        if option == "cron":
            check_cron(option, value, accepts_two_days=True)
        if isinstance(value, list):
            for index, text in enumerate(value):
                check_text(f"{option}[{index}]", text)
            return sort_unique(value)
        if isinstance(value, str):
            check_text(option, value)
        return value

    def locate(self, descriptor: Fields, name: str | None) -> Fields | None:
        """Return the members of an object in the descriptor, or `None` if it does not exist."""
        section = descriptor.get(self.section)
        found = section if name is None else section.get(name) if isinstance(section, dict) else None
        return found if isinstance(found, dict) and (found or name is not None) else None

    def wrap(self, name: str | None, members: t.Any) -> Fields:
        """Return a YAML document with the members of an object."""
        return {self.section: members if name is None else {name: members}}

    def list_names(self, descriptor: Fields) -> list[str]:
        """Return the names of all objects, sorted."""
        return sorted(filter(None, descriptor.get(self.section) or ()))

    def list_deletable(self, descriptor: Fields) -> list[str]:
        """Return the names of the objects that may be deleted if they are not declared."""
        return [name for name in self.list_names(descriptor) if not self.is_built_in(name)]

    def is_built_in(self, name: str) -> bool:
        """Return whether Artifactory requires an object."""
        return name in self._built_in

    def read(self, members: Fields) -> Fields:
        """Return the fields of an object without secrets."""
        return {
            option: _read_value(inner_kind(self._kinds, member), members.get(member), missing)
            for option, (member, missing) in self._members.items()
            if option not in self.secrets
        }

    def desired(self, declared: Fields, before: Fields | None, _purge: bool) -> Fields:
        """Return the fields to compare and write.

        :arg before: the fields of the object, or `None` if it does not exist
        """
        if before is None:
            return {**self.new, **declared}
        if "cron" in declared and is_same_cron(declared["cron"], before["cron"]):
            return {**declared, "cron": before["cron"]}
        return declared

    def check(self, after: Fields, changes: Fields) -> None:
        """Verify an object after a change.

        :raises BadOption: if the server would refuse it
        """

    def write(self, fields: Fields) -> Fields:
        """Return the members of YAML for some fields."""
        return {
            self._members[option][0]: _write_value(inner_kind(self._kinds, self._members[option][0]), value)
            for option, value in fields.items()
        }

    def to_result(self, name: str | None, fields: Fields) -> Fields:
        """Return an object as modules return it. Missing fields have the values of a new object."""
        missing = {option: value for option, (_member, value) in self._members.items() if option not in self.secrets}
        identity = {self.identity: name} if self.identity else {}
        return {**identity, **missing, **{option: _mask(value) for option, value in fields.items()}}


class _MailForm(Form):
    def parse(self, params: Fields) -> Fields:
        fields = super().parse(params)
        if url := fields.get("artifactory_url"):
            parts = split_url(url)
            if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
                raise BadOption("artifactory_url", "must be a URL such as https://host/path, without user name")
        return fields


class _LayoutForm(Form):
    def parse(self, params: Fields) -> Fields:
        fields = super().parse(params)
        if "descriptor_path_pattern" in fields:
            self.check(fields, fields)
        if not self.is_built_in(params["name"]):
            for option in ("artifact_path_pattern", "descriptor_path_pattern"):
                if fields.get(option):
                    _check_pattern(option, fields[option])
        return fields

    def is_built_in(self, name: str) -> bool:
        return name.endswith("-default")

    def check(self, after: Fields, changes: Fields) -> None:
        if not changes.keys() & {"distinctive_descriptor_path_pattern", "descriptor_path_pattern"}:
            return
        if after.get("distinctive_descriptor_path_pattern") and not after.get("descriptor_path_pattern"):
            raise BadOption("descriptor_path_pattern", "is required with 'distinctive_descriptor_path_pattern: true'")


class _ProxyForm(Form):
    def parse(self, params: Fields) -> Fields:
        fields = super().parse(params)
        self.check(fields, fields)
        return fields

    def check(self, after: Fields, changes: Fields) -> None:
        if (
            changes.keys() & {"platform_default", "services"}
            and after.get("platform_default")
            and after.get("services")
        ):
            raise BadOption("services", "must be empty with 'platform_default: true', because it includes all services")


def _check_pattern(option: str, pattern: str) -> None:
    """Verify that a path pattern of a layout identifies a module.

    :raises BadOption: if it lacks a token
    """
    tokens = [token for token in ("[module]", "[baseRev]") if token not in pattern]
    if "[org]" not in pattern and "[orgPath]" not in pattern:
        tokens.append("[org] or [orgPath]")
    if tokens:
        raise BadOption(option, f"must contain {' and '.join(tokens)}")


def check_text(option: str, text: str) -> None:
    """Verify that the server stores a text as it is.

    :raises BadOption: if it has a special meaning
    """
    if text.strip() == _DELETION:
        raise BadOption(option, "must not be '~', because Artifactory deletes members with this value")
    if "\0" in text:
        raise BadOption(option, "must not contain NUL characters")


def _read_value(kind: t.Any, value: t.Any, missing: t.Any) -> t.Any:
    """Return the value of a member, or the one of a missing member if its type is unexpected."""
    if kind is Scalar.NAMES:
        return sort_unique(name.strip() for name in str(value or "").split(",") if name.strip())
    if isinstance(kind, NameSet):
        return sort_unique(value) if isinstance(value, list) else missing
    if kind is Scalar.FLAG:
        return value if isinstance(value, bool) else missing
    if kind is Scalar.NUMBER:
        return value if isinstance(value, int) and not isinstance(value, bool) else missing
    return missing if value is None else str(value)


def _mask(value: t.Any) -> t.Any:
    """Return a value in which secrets, such as the password of a URL, are masked."""
    return mask_text(value) if isinstance(value, str) else value


def _write_value(kind: t.Any, value: t.Any) -> t.Any:
    return ",".join(value) if kind is Scalar.NAMES else value


BACKUPS = Form(
    "backups",
    "backup",
    {
        "enabled": ("enabled", True),
        "cron": ("cronExp", ""),
        "retention_period_hours": ("retentionPeriodHours", 168),
        "create_archive": ("createArchive", False),
        "excluded_repositories": ("excludedRepositories", []),
        "exclude_new_repositories": ("excludeNewRepositories", False),
        "send_mail_on_error": ("sendMailOnError", True),
        "verify_disk_space": ("precalculate", False),
        "export_mission_control": ("exportMissionControl", False),
    },
    identity="key",
    required=("cron",),
)
LAYOUTS = _LayoutForm(
    "repoLayouts",
    "layout",
    {
        "artifact_path_pattern": ("artifactPathPattern", ""),
        "distinctive_descriptor_path_pattern": ("distinctiveDescriptorPathPattern", False),
        "descriptor_path_pattern": ("descriptorPathPattern", ""),
        "folder_integration_revision_regexp": ("folderIntegrationRevisionRegExp", ""),
        "file_integration_revision_regexp": ("fileIntegrationRevisionRegExp", ""),
    },
    identity="name",
    required=(
        "artifact_path_pattern",
        "folder_integration_revision_regexp",
        "file_integration_revision_regexp",
    ),
)
PROXIES = _ProxyForm(
    "proxies",
    "proxy",
    plural="proxies",
    members={
        "host": ("host", ""),
        "port": ("port", None),
        "proxy_username": ("username", ""),
        "proxy_password": ("password", ""),
        "nt_host": ("ntHost", ""),
        "nt_domain": ("domain", ""),
        "platform_default": ("platformDefault", False),
        "redirected_to_hosts": ("redirectedToHosts", []),
        "services": ("services", []),
    },
    identity="key",
    required=("host", "port"),
    secrets=("proxy_password",),
)
MAIL = _MailForm(
    "mailServer",
    "mail server",
    {
        "enabled": ("enabled", True),
        "host": ("host", ""),
        "port": ("port", 25),
        "smtp_username": ("username", ""),
        "smtp_password": ("password", ""),
        "from_address": ("from", ""),
        "subject_prefix": ("subjectPrefix", ""),
        "ssl": ("ssl", False),
        "tls": ("tls", False),
        "artifactory_url": ("artifactoryUrl", ""),
    },
    required=("host",),
    new={"enabled": True, "port": 25},
    secrets=("smtp_password",),
)
