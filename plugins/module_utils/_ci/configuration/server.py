# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The Configuration as Code plugin of a server: export, check and application of configuration."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import documents
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.comparison import (
    build_configuration,
    find_value,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import (
    check_required,
    list_plugins,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    ServerRefusal,
    ToolchainError,
)

PLUGIN = "configuration-as-code"
_PATH = "/configuration-as-code"


def fetch_export(ci: CiService) -> dict[str, t.Any]:
    """Return the configuration of the server. Secrets in it are encrypted.

    :raises ToolchainError: if the plugin is missing
    :raises UnexpectedResponse: if the response is not an export
    """
    try:
        response = ci.post(f"{_PATH}/export", read_only=True)
    except ServerRefusal as refusal:
        if refusal.status == 404:
            # also if check mode predicts it, because nothing can be compared without the export
            check_required(list_plugins(ci), PLUGIN, "Managing the configuration")
        raise
    try:
        export = documents.parse(response.text)
    except documents.InvalidYaml:
        export = None
    if not isinstance(export, dict) or not isinstance(export.get("jenkins"), dict):
        raise response.wrong_format_error("an export of the configuration")
    return export


def select_sections(export: dict[str, t.Any], sections: list[str] | None) -> dict[str, t.Any]:
    """Return the sections that an export has.

    :arg sections: names such as `jenkins` or `jenkins.nodes`; `None` for all
    """
    if sections is None:
        return export
    values = {path: find_value(export, path) for path in (tuple(section.split(".")) for section in sections)}
    return build_configuration({path: value for path, value in values.items() if value is not None})


def check(ci: CiService, configuration: dict[str, t.Any]) -> None:
    """Let the server check configuration.

    The configuration must not contain users, because the server changes them in a check.

    :raises ServerRefusal: if the server would refuse the configuration
    """
    # JSON is a subset of YAML
    ci.post(f"{_PATH}/check", json=configuration, read_only=True)


def apply(ci: CiService, configuration: dict[str, t.Any]) -> None:
    """Apply configuration. A refusal does not undo what the server has applied before.

    :raises ServerRefusal: if the server refuses the configuration
    """
    try:
        ci.post(f"{_PATH}/configure", json=configuration)
    except ServerRefusal as refusal:
        if refusal.status != 404:
            raise
        # versions of the plugin before 2026
        ci.post(f"{_PATH}/apply", json=configuration)


def reload_sources(ci: CiService) -> None:
    """Apply the configured sources of the server.

    :raises ToolchainError: if the server refuses them
    """
    response = ci.post(f"{_PATH}/reload", accept=(200, 302))
    if response.status == 200:
        raise ToolchainError(
            f"{response}: {response.server_message or 'no reason'}. Check the configuration files of the server."
        )
