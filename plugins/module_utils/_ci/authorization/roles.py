# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Roles that Jenkins would refuse without a reason, or store without an effect."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.casc import (
    list_objects,
    list_texts,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.permissions import Permissions
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import run_internal
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ServerRefusal, ToolchainError

EVERYTHING = ".*"
# Groups of permissions without an effect in the roles of a type
WITHOUT_EFFECT = {"global": (), "item": ("Overall", "Agent"), "agent": ("Overall", "Job", "Run", "SCM", "View")}
_LISTS_WITHOUT_EFFECT = {"items": WITHOUT_EFFECT["item"], "agents": WITHOUT_EFFECT["agent"]}
_VARIABLE = "${"
_SCRIPT_NAME = "check regular expressions"
_SCRIPT = """\
args.patterns.collectEntries { pattern ->
    try {
        java.util.regex.Pattern.compile(pattern)
        return [:]
    } catch (java.util.regex.PatternSyntaxException error) {
        return [(pattern): error.description]
    }
}
"""


def check_patterns(ci: CiService, patterns: t.Iterable[str]) -> None:
    """Refuse patterns that are not regular expressions of Java, which Jenkins refuses without naming them.

    The check of the Configuration as Code plugin accepts them. Accounts without the permission Overall/Administer
    cannot run the script and pass.

    :raises ToolchainError: if a pattern is wrong
    """
    unusual = sorted({pattern for pattern in patterns if pattern != EVERYTHING and _VARIABLE not in pattern})
    if not unusual:
        return
    try:
        problems = run_internal(ci, _SCRIPT_NAME, _SCRIPT, {"patterns": unusual}, read_only=True)
    except ServerRefusal as refusal:
        if refusal.status != 403:
            raise
        return
    for pattern, problem in problems.items():
        raise ToolchainError(
            f"The pattern '{pattern}' of a role is not a regular expression: {problem.rstrip('.')}. Correct it."
        )


def list_without_effect(members: t.Any) -> t.Iterator[tuple[str, str]]:
    """Yield names of declared roles with permissions that do not apply to their type.

    :arg members: the members of the strategy `roleBased` of JCasC
    """
    lists = members.get("roles") if isinstance(members, dict) else None
    for name, groups in _LISTS_WITHOUT_EFFECT.items():
        for role in list_objects(lists.get(name)) if isinstance(lists, dict) else ():
            for permission in list_texts(role.get("permissions")):
                if permission.partition("/")[0] in groups:
                    yield str(role.get("name")), permission


def check_declared(ci: CiService, members: t.Any) -> None:
    """Refuse declared roles whose permissions or patterns Jenkins would drop or refuse.

    :arg members: the members of the strategy `roleBased` of JCasC
    :raises ToolchainError: if a permission or a pattern is wrong
    """
    lists = members.get("roles") if isinstance(members, dict) else None
    roles = [role for named in lists.values() for role in list_objects(named)] if isinstance(lists, dict) else []
    for role in roles:
        if "pattern" in role and not role["pattern"]:
            raise ToolchainError(
                f"Cannot apply the roles: the pattern of the role '{role.get('name')}' is empty, so that the role "
                "would apply everywhere. Set a pattern, such as '.*' for everything."
            )
    templates = list_objects(members.get("permissionTemplates")) if isinstance(members, dict) else []
    declared = {name for role in [*roles, *templates] for name in role.get("permissions") or ()}
    permissions = Permissions(ci, SharedValues())
    for identifier in sorted(declared):
        if (name := permissions.to_name(identifier)) != identifier:
            raise ToolchainError(
                f"Cannot apply the roles: Jenkins ignores '{identifier}', because roles have names of permissions "
                f"instead of IDs. Use '{name}'."
            )
    permissions.check_known(declared)
    check_patterns(ci, (str(role["pattern"]) for role in roles if role.get("pattern")))
