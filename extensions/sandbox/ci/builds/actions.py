# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What builds and queue items carry with them: their parameters and their causes."""

from __future__ import annotations

from typing import Any

from ..call import Call
from ..remote_api.beans import Bean, Property

SECRET_KIND = "hudson.model.PasswordParameterValue"
WITHOUT_VALUE = (SECRET_KIND, "hudson.model.FileParameterValue")


def parameter_actions(parameters: list[dict[str, Any]] | None) -> list[Bean]:
    """The action that holds the parameters of a build or queue item, if it was given any."""
    if parameters is None:
        return []
    values = [parameter_bean(parameter) for parameter in parameters]
    return [Bean("hudson.model.ParametersAction", Property("parameters", values, visibility=2))]


def parameter_bean(parameter: dict[str, Any]) -> Bean:
    """A parameter's value; a secret or a file keeps it to itself."""
    members = [Property("name", parameter["name"], visibility=4)]
    if parameter["_class"] not in WITHOUT_VALUE:
        members.append(Property("value", parameter["value"], visibility=4))
    return Bean(parameter["_class"], *members)


def cause_action(causes: list[dict[str, Any]]) -> Bean:
    """The action that tells why."""
    beans = [
        Bean(cause["_class"], *(Property(n, v, visibility=3) for n, v in cause.items() if n != "_class"))
        for cause in causes
    ]
    return Bean("hudson.model.CauseAction", Property("causes", beans, visibility=2))


def cause(call: Call) -> dict[str, Any]:
    """Why a build that this user asks for is built."""
    name = call.principal.name
    user = call.storage.user(name)
    full_name = user.full_name if user else name
    return {
        "_class": "hudson.model.Cause$UserIdCause",
        "shortDescription": f"Started by user {full_name}",
        "userId": user.name if user else None,
        "userName": full_name,
    }


def remote_cause(call: Call) -> dict[str, Any]:
    """Why a build is built that was asked for with the job's own token."""
    host = call.request.client.host if call.request.client else "unknown"
    return {
        "_class": "hudson.model.Cause$RemoteCause",
        "shortDescription": f"Started by remote host {host}",
        "addr": host,
        "note": call.parameter("cause"),
    }
