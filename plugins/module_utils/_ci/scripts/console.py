# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The script console of the controller, for tasks that the remote API of Jenkins has no request for."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts import groovy, origins
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
    UnexpectedResponse,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response

# The sandbox recognizes the scripts of modules by this line, because it cannot run Groovy with the classes of Jenkins
_NAME = "// buildworks.toolchain: {}\n"
# Parts of the names of exceptions if a class or member that a script uses does not exist
_INCOMPATIBLE = ("Missing", "NoSuch", "ClassNotFound", "NoClassDef", "MultipleCompilationErrors")
# Statuses with which Jenkins refuses the console to accounts without Overall/Administer
_NOT_PERMITTED = (403, 404)


class ScriptFailure(ToolchainError):
    """A script of a module threw an exception."""


def run_internal(
    ci: CiService, name: str, code: str, args: t.Mapping[str, t.Any] | None = None, *, read_only: bool
) -> t.Any:
    """Run a script of a module on the controller and return its value as JSON data.

    Requires the Overall/Administer permission.

    :arg name: what the script does, such as `list API tokens`
    :arg args: JSON data that the script reads from `args`; may contain secrets
    :arg read_only: whether the script changes nothing
    :raises ScriptFailure: if the script throws an exception
    :raises OutcomeUnknown: if the response is not the report of the script, which changes something
    :raises UnexpectedResponse: if the response is not the report of the script, which changes nothing
    """
    form = groovy.controller_form(_NAME.format(name) + code, args or {})
    response = ci.post("/scriptText", form=form, read_only=read_only)
    try:
        report = parse_report(response, f"The script to {name}", "/scriptText")[1]
    except OutcomeUnknown as unknown:
        if read_only:
            raise UnexpectedResponse(str(unknown.cause)) from None
        raise
    if "error" in report:
        error = report["error"]
        message = f"The script to {name} failed: {error['type']}: {error['message']}"
        if any(kind in error["type"] for kind in _INCOMPATIBLE):
            message += f". It is written for {join_names(origins.list_programs(name))}. Report this with your versions"
        raise ScriptFailure(message)
    return report["value"]


def ask_if_permitted(ci: CiService, name: str, code: str, args: t.Mapping[str, t.Any]) -> t.Any:
    """Run a script that changes nothing as `run_internal` does, or return `None` without Overall/Administer."""
    try:
        return run_internal(ci, name, code, args, read_only=True)
    except ServerRefusal as refusal:
        if refusal.status in _NOT_PERMITTED:
            return None
        raise


def parse_report(response: Response, subject: str, path: str) -> tuple[str, dict[str, t.Any]]:
    """Return the output of a script and the report of the runner, see `groovy.parse_report`.

    :arg subject: the script, for messages
    :arg path: path of the console, for messages
    :raises OutcomeUnknown: if the response contains no report
    """
    parsed = groovy.parse_report(response.text)
    if parsed is None:
        content = response.server_message or (
            "the response is not its report" if response.text else "the response is empty"
        )
        raise OutcomeUnknown(
            f"{subject} was sent to {path}, but its outcome is unknown: {content}. "
            "Check whether a login page or a proxy intercepts the request."
        )
    return parsed
