# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Single objects of the central configuration, managed by modules of their own."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration import descriptor, patches
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.forms import Form
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.configuration.references import (
    References,
    list_ids,
    list_repositories,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cron import has_two_days
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import queries
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import SharedValues, process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, MissingName, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import limits
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import (
    Fields,
    merge_fields,
    reconcile,
    restore_order,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

NAME = limits.XML_NAME  # names are identifiers in the descriptor
# A host name, an IPv4 address, or an IPv6 address, which has at least two colons
HOST: Option = dict(
    **limits.NAME,
    address=True,
    matches=(
        r"[^\s/@:]+|\[?[0-9a-fA-F]*:[0-9a-fA-F.]*:[0-9a-fA-F.:]*\]?",
        "a host name or an address, without scheme, port, path and user name",
    ),
)
# Sections whose objects other objects use
_REFERENCED = ("repoLayouts", "proxies", "propertySets")


class Shared:
    """What the items of a task share: the descriptor before the first change, repositories and references."""

    def __init__(self) -> None:
        self.references = References()
        self._values = SharedValues()

    def descriptor(self, artifact: ArtifactService) -> tuple[ET.Element, Fields]:
        """Return the descriptor as it was before this task changed it, as XML and as sections."""
        return self._values.get("descriptor", lambda: _fetch(artifact))

    def repositories(self, artifact: ArtifactService) -> set[str]:
        """Return the keys of all repositories."""
        return self._values.get("repositories", lambda: {entry["key"] for entry in queries.list_repositories(artifact)})


class ManagedObject:
    """The object that a task manages.

    :arg shared: shared by all items of the task
    :arg declared: the declared fields, as `Form.parse` returns them
    """

    def __init__(self, task: Task, form: Form, shared: Shared, declared: Fields) -> None:
        self._task, self._form, self._shared, self._declared = task, form, shared, declared
        self._artifact = ArtifactService(task)
        self._name: str | None = task.params[form.identity] if form.identity else None
        self._root: ET.Element | None = None
        self._sections: Fields = {}
        self._unread: Fields | None = None
        self._current: Fields | None = None

    def find(self) -> Fields | None:
        """Return the fields of the object, or `None` if it does not exist.

        The first call uses the descriptor that all items share.
        """
        if self._unread is not None:
            self._sections, self._unread = self._unread, None
        else:
            read = self._shared.descriptor if self._root is None else _fetch
            self._root, self._sections = read(self._artifact)
        members = self._form.locate(self._sections, self._name)
        self._current = None if members is None else self._form.read(members)
        return self._current

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare and write."""
        return self._form.desired(self._declared, before, bool(self._task.params.get("purge")))

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that the server would refuse without a reason, and deletions of objects in use.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or invalid
        :raises ToolchainError: if the change is refused
        """
        if fields is not None:
            self._check_fields(before, fields)
        editions.check(self._artifact, features.CONFIGURATION)
        if fields is None:
            self._check_deletion()

    def _check_fields(self, before: Fields | None, fields: Fields) -> None:
        form = self._form
        if "cron" in fields and has_two_days(fields["cron"]):
            self._task.warn(
                f"Option 'cron': Artifactory stores '{fields['cron']}', but does not run a schedule without '?' as one "
                "of the two days."
            )
        if before is None:
            for option in form.required:
                if not fields.get(option):
                    reason = f"{form.noun} '{self._name}' does not exist" if self._name else f"no {form.noun} exists"
                    raise BadOption(option, f"is required, because {reason}")
            self._check_name()
        form.check(merge_fields(before, fields), fields)
        self._check_excluded(before, fields)

    def _check_name(self) -> None:
        noun, name = self._form.noun, self._name
        if name in self._list_repositories():
            raise ToolchainError(
                f"Cannot create {noun} '{name}': a repository has this name. Names must be unique among repositories "
                "and all sections of the configuration."
            )
        if section := list_ids(self._sections).get(name or ""):
            raise ToolchainError(
                f"Cannot create {noun} '{name}': the section '{section}' of the configuration has an object with this "
                "name. Names must be unique among all sections."
            )

    def _list_repositories(self) -> set[str]:
        """Return the keys of the repositories in the descriptor."""
        return set() if self._root is None else list_repositories(self._root)

    def _check_excluded(self, before: Fields | None, fields: Fields) -> None:
        option = "excluded_repositories"
        added = set(fields.get(option, ())) - set((before or {}).get(option, ()))
        if not added or self._task.predicts_missing:
            return
        existing = self._list_repositories() or self._shared.repositories(self._artifact)
        if missing := sorted(added - existing):
            raise MissingName(option, f"these repositories do not exist: {', '.join(missing)}")

    def _check_deletion(self) -> None:
        form = self._form
        if form.section not in _REFERENCED or self._task.predicts_missing:
            return
        if self._root is not None and self._name is not None:
            self._shared.references.check_unused(
                self._task, self._artifact, self._root, form.section, form.noun, self._name
            )

    def write(self, fields: Fields) -> None:
        """Create the object, or change some of its fields."""
        ordered = {option: restore_order(value, self._task.params.get(option)) for option, value in fields.items()}
        changes = self._form.wrap(self._name, self._form.write(ordered))
        self._unread = patches.merge(self._task, self._artifact, self._sections, changes)

    def delete(self) -> None:
        """Delete the object."""
        patches.merge(self._task, self._artifact, {}, self._form.wrap(self._name, None))

    def to_result(self, fields: Fields) -> Fields:
        """Return the object as the module returns it."""
        return self._form.to_result(self._name, fields)


def _fetch(artifact: ArtifactService) -> tuple[ET.Element, Fields]:
    root = descriptor.fetch_element(artifact)
    return root, descriptor.parse(root)


def reconcile_items(task: Task, form: Form) -> None:
    """Reconcile the object of a task or, if `items` is set, each of several.

    One request reads all objects. Each change is a request of its own, so that a change that the server refuses does
    not affect other items. Artifactory merges only one change at a time, so they are sent one after another.
    """
    shared, identity = Shared(), str(form.identity)
    process_one_or_items(
        task,
        lambda item_task: reconcile_object(item_task, form, shared),
        identity=lambda params: params[identity],
        name_option=identity,
        expand_all=lambda items: append_undeclared(
            task,
            form.plural,
            items,
            identity,
            lambda: form.list_deletable(shared.descriptor(ArtifactService(task))[1]),
        ),
    )


def reconcile_object(task: Task, form: Form, shared: Shared | None = None) -> None:
    """Create, change or delete the object of a task.

    :arg shared: shared by all items of the task
    """
    managed = ManagedObject(task, form, shared or Shared(), form.parse(task.params))
    reconcile(
        task,
        form.result,
        read=managed.find,
        desired=managed.desired,
        create=managed.write,
        update=managed.write,
        delete=managed.delete,
        check=managed.check,
        to_result=managed.to_result,
        cumulative=bool(task.params.get("purge")),
        secrets=WriteOnlySecrets(form.secrets, task.params.get("update_secret", "on_create")),
    )


def list_objects(task: Task, form: Form, name: str | None = None) -> list[Fields]:
    """Return the objects of the server in the form of the options, sorted by name.

    :arg name: name of the only object to return, if it exists. Ignored if the section is the only object
    """
    sections = descriptor.fetch(ArtifactService(task))
    names: t.Sequence[str | None] = form.list_names(sections) if name is None and form.identity else [name]
    found = {key: form.locate(sections, key) for key in names}
    return [form.to_result(key, form.read(members)) for key, members in found.items() if members is not None]
