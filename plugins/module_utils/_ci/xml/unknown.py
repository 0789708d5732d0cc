# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Classes and permissions that Jenkins does not have. It drops their elements without an error."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import ask_if_permitted
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.unstorable import Question, Unstorable

_NAME = "find unknown classes and permissions"
FIND_UNKNOWN = """\
import com.thoughtworks.xstream.mapper.CannotResolveClassException
import hudson.model.Items
import hudson.security.PermissionGroup
import hudson.security.PermissionScope
def hasClass = { name ->
    try {
        return Items.XSTREAM2.mapper.realClass(name) != null
    } catch (CannotResolveClassException missing) {
        return false
    }
}
def scopes = [job: PermissionScope.ITEM, folder: PermissionScope.ITEM_GROUP, node: PermissionScope.COMPUTER]
def permissions = PermissionGroup.all.collectMany { group ->
    group.permissions.collectMany { [[it.id, it], [group.title.toString(Locale.US) + '/' + it.name, it]] }
}.collectEntries()
return args.names.collectEntries { kind, names ->
    def isKnown = kind == 'class' ? hasClass : { permissions[it]?.isContainedBy(scopes[kind]) }
    [kind, names.findAll { !isKnown(it) }]
}
"""


def find_unknown(ci: CiService, questions: list[Question]) -> list[Unstorable] | None:
    """Return the elements with classes or permissions that Jenkins does not have, or `None` if this is not known.

    Accounts without the permission Overall/Administer cannot find out. Plugins that check mode predicts can provide any
    class or permission.
    """
    if not questions:
        return []
    if ci.predicted_plugins:
        return None
    names: dict[str, set[str]] = {}
    for question in questions:
        names.setdefault(question.kind, set()).add(question.name)
    unknown = ask_if_permitted(ci, _NAME, FIND_UNKNOWN, {"names": {kind: sorted(names[kind]) for kind in names}})
    if unknown is None:
        return None
    return [
        Unstorable(question.path, _describe(question))
        for question in questions
        if question.name in unknown[question.kind]
    ]


def _describe(question: Question) -> str:
    if question.kind == "class":
        return f"no installed plugin has the class '{question.name}'"
    return f"Jenkins does not have the permission '{question.name}', or it does not apply to a {question.kind}"
