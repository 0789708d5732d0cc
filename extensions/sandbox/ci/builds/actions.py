# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of builds and queue items: parameters and causes."""

from __future__ import annotations

from typing import Any

from ..call import Call
from ..remote_api.beans import Bean, Property

SECRET_KIND = "hudson.model.PasswordParameterValue"
WITHOUT_VALUE = (SECRET_KIND, "hudson.model.FileParameterValue")


def parameter_actions(parameters: list[dict[str, Any]] | None) -> list[Bean]:
    """Return the action with the parameters, or an empty list if there are none."""
    if parameters is None:
        return []
    values = [parameter_bean(parameter) for parameter in parameters]
    return [Bean("hudson.model.ParametersAction", Property("parameters", values, visibility=2))]


def parameter_bean(parameter: dict[str, Any]) -> Bean:
    """Return the bean of a parameter value, without the value of passwords and files."""
    members = [Property("name", parameter["name"], visibility=4)]
    if parameter["_class"] not in WITHOUT_VALUE:
        members.append(Property("value", parameter["value"], visibility=4))
    return Bean(parameter["_class"], *members)


def cause_action(causes: list[dict[str, Any]]) -> Bean:
    """Return the action with the cause."""
    beans = [
        Bean(cause["_class"], *(Property(n, v, visibility=3) for n, v in cause.items() if n != "_class"))
        for cause in causes
    ]
    return Bean("hudson.model.CauseAction", Property("causes", beans, visibility=2))


def user_cause(call: Call) -> dict[str, Any]:
    """Return the cause of a build that this user triggers."""
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
    """Return the cause of a build that is triggered with the token of the job."""
    host = call.request.client.host if call.request.client else "unknown"
    return {
        "_class": "hudson.model.Cause$RemoteCause",
        "shortDescription": f"Started by remote host {host}",
        "addr": host,
        "note": call.parameter("cause"),
    }
