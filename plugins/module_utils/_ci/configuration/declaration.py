# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The declared part of the configuration, from an option or a file."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import casc
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization.permissions import applies
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import documents, forms, symbols
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.comparison import (
    MASKS,
    USERS,
    Place,
    find_duplicates,
    get_attribute_depth,
    list_attributes,
    list_secrets,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.forms import Path
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import read_text
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import check_ownership, check_writable
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

OPTION = "configuration"
# Roots that Jenkins ignores, for anchors
_ANCHORS = "x-"
_EXECUTORS, _STRATEGY = ("jenkins", "numExecutors"), ("jenkins", "authorizationStrategy")
_WITH_MATRICES = (_STRATEGY, *(("jenkins", name) for name in ("globalNodeProperties", "nodeProperties", "nodes")))
_REALM, _LOCAL = USERS[:2], USERS[2]
_USER = ("id", "password", "properties")
_REFUSED = {
    "items": "Jenkins does not export items, so they cannot be compared. Use ci_folder and ci_job",
    "jobs": "Jenkins does not export jobs, so they cannot be compared. Use ci_job",
    "plugins": "Jenkins does not support this root any more. Use ci_plugin",
}


def _check_names(option: str, members: t.Any, names: t.Iterable[str]) -> None:
    """Refuse other spellings of names. Jenkins ignores upper and lower case."""
    for member in members if isinstance(members, dict) else ():
        for name in names:
            if member != name and member.lower() == name:
                raise BadOption(option, f"must have the key '{name}' instead of '{member}'")


def normalize(path: Path, value: t.Any) -> t.Any:
    """Return the value of an attribute in the form that Jenkins exports. Old versions export other symbols."""
    renamed = symbols.rename_symbols(path, value)
    if path in _WITH_MATRICES:
        renamed = casc.normalize_matrices(renamed)
    return casc.normalize_roles(renamed) if path == _STRATEGY else renamed


class Declaration:
    """The declared configuration.

    :ivar option: the option that it comes from
    :ivar sent: the attributes by path, without null values
    :ivar attributes: the same attributes in the form that Jenkins exports
    :ivar text: the text for a source file

    :raises BadOption: if the declaration is invalid
    """

    def __init__(self, task: Task) -> None:
        if task.params["source_file"]:
            check_writable(task, task.params["source_file"], "source_file")
            check_ownership(task)
        self.option = "src" if task.params["src"] is not None else OPTION
        data, self.text = self._read(task)
        declared = self._drop_null(self._select_roots(data))
        for members, option in ((declared, self.option), (declared.get("jenkins"), f"{self.option}.jenkins")):
            if name := forms.find_repeated(members):
                raise BadOption(option, f"must contain '{name}' only once")
        roots = forms.rename_members(declared)
        self.sent: dict[Path, t.Any] = {
            path: casc.normalize_matrices(value) if path in _WITH_MATRICES else value
            for path, value in list_attributes(roots).items()
        }
        self.attributes = {path: normalize(path, value) for path, value in self.sent.items()}
        if not self.attributes:
            raise BadOption(self.option, "must contain at least one value")
        if self.attributes.get(("jenkins", "views")) == []:
            raise BadOption(f"{self.option}.jenkins.views", "must not be empty, because Jenkins needs a view")
        if str(self.attributes.get(_EXECUTORS, "")).startswith("-"):
            raise BadOption(f"{self.option}.{'.'.join(_EXECUTORS)}", "must not be negative")
        self.refuse_duplicates(self.attributes.keys() - {_STRATEGY})
        self._check_realm()
        self._check_node_permissions()
        for path, value in self.attributes.items():
            for _label, secret in list_secrets(Place.of(path), value):
                if secret not in MASKS:
                    task.register_secret(secret)

    def refuse_duplicates(self, paths: t.Iterable[Path]) -> None:
        """
        :raises BadOption: if a list of these attributes has several elements with a name that must be unique
        """
        for path in sorted(paths):
            for label, name in find_duplicates(Place.of(path), self.attributes.get(path)):
                raise BadOption(self.option, f"must contain '{name}' in '{label}' only once")

    def _select_roots(self, data: t.Any) -> dict[str, t.Any]:
        """Return the roots without those for anchors.

        :raises BadOption: if a root cannot be set
        """
        if not isinstance(data, dict):
            raise BadOption(
                self.option, "must contain a dictionary with the roots of the configuration, such as 'jenkins'"
            )
        roots = {root: value for root, value in data.items() if not root.startswith(_ANCHORS)}
        for root, members in roots.items():
            if reason := _REFUSED.get(root.lower()):
                raise BadOption(f"{self.option}.{root}", f"cannot be set: {reason}")
            if not isinstance(members, (dict, type(None))):
                raise BadOption(f"{self.option}.{root}", "must be a dictionary")
        return roots

    def _check_realm(self) -> None:
        """Refuse other names of the realm and its members, whose users this module would not recognize."""
        realm = self.sent.get(_REALM)
        option = f"{self.option}.{'.'.join(_REALM)}"
        for name in realm if isinstance(realm, dict) else ():
            if name != _LOCAL and _LOCAL in symbols.rename_symbols(_REALM, {name: {}}):
                raise BadOption(option, f"must have the key '{_LOCAL}' instead of '{name}'")
        members = realm.get(_LOCAL) if isinstance(realm, dict) else None
        _check_names(f"{option}.{_LOCAL}", members, USERS[-1:])
        if self.users is not None and not isinstance(self.users, list):
            raise BadOption(f"{self.option}.{'.'.join(USERS)}", "must be a list of users")
        for user in self.users or ():
            _check_names(f"{self.option}.{'.'.join(USERS)}", user, _USER)

    def _check_node_permissions(self) -> None:
        """Refuse permissions in the matrices of nodes that Jenkins would drop."""
        for path in _WITH_MATRICES[1:]:
            for grant in casc.list_node_grants(self.attributes.get(path)):
                if not applies(grant.permission, "node"):
                    raise BadOption(f"{self.option}.{'.'.join(path)}", f"'{grant.permission}' does not apply to a node")

    @property
    def users(self) -> t.Any:
        """The declared users of Jenkins' own database, or `None`."""
        return self.attributes.get(USERS)

    def _read(self, task: Task) -> tuple[t.Any, str]:
        if self.option == OPTION:
            return task.params[OPTION], documents.dump(task.params[OPTION]).strip() if task.params[
                "source_file"
            ] else ""
        text = read_text(task.params["src"], "src")
        try:
            return documents.parse(text), text.strip()
        except documents.InvalidYaml as error:
            raise BadOption("src", f"'{task.params['src']}' is not a usable YAML file: {error}") from None

    def _drop_null(self, roots: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return the roots without the attributes that are null, which Jenkins ignores."""
        return {
            root: self._clean(members, f"{self.option}.{root}", get_attribute_depth(root) - 1)
            for root, members in roots.items()
            if members is not None
        }

    def _clean(self, value: t.Any, path: str, nullable_levels: int) -> t.Any:
        """Return a value without null attributes.

        :arg nullable_levels: levels of members that can be attributes. In an attribute, null would reset a member
        :raises BadOption: if a member of an attribute is null, or a key is not possible
        """
        if isinstance(value, dict):
            return {
                name: self._clean(inner, f"{path}.{name}", nullable_levels - 1)
                for name, inner in value.items()
                if self._is_set(name, inner, path, nullable_levels)
            }
        if isinstance(value, list):
            if None in value:
                raise BadOption(f"{path}[{value.index(None)}]", "must not be null")
            return [self._clean(element, f"{path}[{number}]", 0) for number, element in enumerate(value)]
        return value

    def _is_set(self, name: str, value: t.Any, path: str, nullable_levels: int) -> bool:
        if not name.strip() or name != name.strip():
            raise BadOption(path, f"must not have the key {name!r}, which is empty or starts or ends with a space")
        if value is None and nullable_levels <= 0:
            raise BadOption(
                f"{path}.{name}",
                "must not be null, because Jenkins would reset the member to its default. Set a value or omit the key. "
                "A class without members is a string, such as 'launcher: inbound'",
            )
        return value is not None
