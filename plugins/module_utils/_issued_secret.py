# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tokens and keys whose secret the server returns only once: create, store, rotate and remove them."""

from __future__ import annotations

import abc
import dataclasses
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
    UnexpectedResponse,
    describe_cause,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_ownership,
    check_writable,
    read_text,
    store_text,
    warn_if_accessible,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import TO_FILE
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

ISSUED_SECRET = TO_FILE + ArgumentSpec(
    dict(
        key_file=dict(type="path", no_log=False, not_empty=True),
        surplus=dict(type="str", choices=["keep", "remove"], default="keep"),
    )
)

_LONGEST_SECRET = 16384


@dataclasses.dataclass(frozen=True)
class SecretKind:
    """The names and options of one kind of secret.

    :ivar noun: noun for an item in messages, such as `token`
    :ivar shared: the property that all matching items share, in messages, such as `of this name`
    :ivar removed: past participle of the removal; also the member of the result with the IDs of removed items
    :ivar id_member: the member of an item with its ID
    :ivar members: the members of the result that contain secrets; the first one identifies the item
    :ivar file_option: the option with the path of the file for the secret
    :ivar file_content: noun for the content of this file in messages
    :ivar unlisted_hint: why the server may not list a new item, for messages
    """

    noun: str
    shared: str = "of this name"
    removed: str = "removed"
    id_member: str = "id"
    members: tuple[str, ...] = ("secret",)
    file_option: str = "key_file"
    file_content: str = "key"
    unlisted_hint: str = ""


class SecretService(abc.ABC):
    """The requests for one kind of secret. An item is a token, a key, or an account that has a key."""

    kind: t.ClassVar[SecretKind]
    # Fields of an item that `update` can change
    updatable: tuple[str, ...] = ()
    # Whether an item that the server does not list is accepted
    allow_unlisted = False
    # Whether `find_owner` is proven by the server; if not, its last result may be wrong
    is_owner_proven = True
    # Whether a request to delete an item was accepted, or its response was lost
    may_have_deleted = False
    # The secret in the file, read before each call of `list_matching`
    stored_secret: str | None = None

    @abc.abstractmethod
    def list_matching(self) -> list[Fields]:
        """Return the items that the options identify, newest first."""

    @abc.abstractmethod
    def create(self) -> tuple[Fields, Fields]:
        """Create an item. Return the item, and its secrets by member of the result.

        :raises OutcomeUnknown: if the response contains no secret, although an item may have been created
        """

    @abc.abstractmethod
    def delete(self, item_id: str) -> None:
        """Delete an item, which may be missing."""

    @abc.abstractmethod
    def find_owner(self, secret: str, items: list[Fields]) -> str | None:
        """Return the ID of the item that a stored secret belongs to, or `None` if the secret is not valid.

        :arg items: the matching items
        :raises BadOption: if the secret belongs to another item
        """

    @abc.abstractmethod
    def expiry_reason(self, item: Fields) -> str | None:
        """Return why an item must be replaced regardless of its file, or `None`."""

    def missing_file_reason(self) -> str | None:
        """Return which further file lacks its secret, so that the item must be replaced, or `None`."""
        return None

    def check_creation(self) -> None:  # noqa: B027
        """Verify before the first write, also in check mode, that an item may be created.

        :raises ToolchainError: if the server would refuse it
        """

    def check_created(self, secrets: Fields, stored: str | None) -> None:  # noqa: B027
        """Verify the secrets of a new item before they are stored.

        :arg stored: the secret that is in the file
        :raises ToolchainError: if it must not be replaced
        """

    def update(self, item_id: str, changes: Fields) -> None:  # noqa: B027
        """Set some of the `updatable` fields of an item."""

    def check_removal(self, item_ids: list[str]) -> None:  # noqa: B027
        """Verify that items may be removed.

        :raises ToolchainError: if one of them must stay
        """

    def sort_for_removal(self, item_ids: t.Sequence[str]) -> t.Sequence[str]:
        """Return IDs in the order in which to remove the items."""
        return item_ids

    def secrets_by_file(self, secrets: Fields) -> dict[str, str]:
        """Return the secret to store for each file option, in the order of storage.

        :raises ToolchainError: if a secret is missing
        """
        return {self.kind.file_option: secrets[self.kind.members[0]]}

    def file_options(self) -> tuple[str, ...]:
        """Return the options with paths of files for secrets."""
        return (self.kind.file_option,)


class _SecretFile:
    """The file that contains the secret.

    :ivar content: the secret at the last call of `read`
    """

    def __init__(self, task: Task, kind: SecretKind) -> None:
        self._task = task
        self._kind = kind
        self.path: str | None = task.params[kind.file_option]
        self.content: str | None = None

    def read(self) -> str | None:
        """Return the stored secret, or `None` if the file has no secret or, in a rehearsal, a production secret.

        :raises BadOption: if the file contains something else
        """
        self.content = self.peek()
        return self.content

    def check_unchanged(self) -> None:
        """Verify that no other task has stored a secret since `read`.

        :raises ToolchainError: if one has
        """
        if self.peek() != self.content:
            raise ToolchainError(
                f"'{self.path}' changed while the {self._kind.noun} was created. Perhaps another task stores one there "
                "at the same time. Run this one again."
            )

    def peek(self) -> str | None:
        """Return the stored secret as `read` does, without changing `content`."""
        if not self.path or self._task.params["state"] != "present":
            return None
        secret = read_text(self.path, self._kind.file_option)
        if secret is None:
            return None
        if len(secret) > _LONGEST_SECRET or len(secret.split()) > 1:
            problem = f"does not contain a {self._kind.file_content}, and is left unchanged"
            raise BadOption(self._kind.file_option, f"'{self.path}' {problem}")
        self._task.register_secret(secret)
        return None if rehearsal.holds_production_secret(self.path) else secret


class IssuedSecret:
    """Reconciles the item that a task manages, and the file with its secret.

    The managed item has its secret in the file or is the newest one. Other matching items are its `surplus`. They are
    kept by default, because another host may use them. If the response to a create request is lost, the orphaned item
    is removed, because its secret is unknown, and the request is repeated once.
    """

    def __init__(self, task: Task, service: SecretService) -> None:
        self._task = task
        self._service = service
        self._kind = service.kind
        self._file = _SecretFile(task, self._kind)
        self._items: list[Fields] = []
        self._next_items: list[Fields] | None = None  # listed after the last write, so `find` need not list again
        self._stored_id: str | None = None  # the item whose secret is in the file
        self._initial: tuple[list[Fields], str | None] | None = None  # items and stored ID before the first write
        self._created: tuple[Fields, str] | None = None  # the new item and its secret
        self._removed: list[str] = []
        self._lost_removal: ToolchainError | None = None
        self._may_create_late = False  # a lost create request may still take effect
        if self._is_present:
            if self._file.path:
                check_writable(task, self._file.path, self._kind.file_option)
            check_ownership(task)
        task.result.update({**dict.fromkeys(self._kind.members), self._kind.removed: self._removed})

    def reconcile(
        self, name: str, desired: t.Callable[[Fields | None], Fields], to_result: t.Callable[[Fields], Fields]
    ) -> None:
        """Bring the item to its desired state, see `_reconcile.reconcile`.

        :arg name: the member of the result with the item
        :arg desired: returns the managed fields for the existing item
        """

        def add_surplus(before: Fields | None) -> Fields:
            fields = desired(before)
            return fields if self._keeps_surplus else {**fields, "surplus": []}

        reconcile(
            self._task,
            name,
            read=self._find,
            desired=add_surplus,
            create=self._create,
            update=self._update,
            delete=lambda: self._remove(*self._ids(self._items)),
            replace_reason=self.replace_reason,
            replace=self._replace,
            check=self._check_write,
            to_result=to_result,
        )
        self._task.result[self._kind.removed] = self._removed_ids(self._task.result[name])

    def replace_reason(self, item: Fields) -> str | None:
        """Return why the managed item must be replaced, or `None`."""
        if reason := self._service.expiry_reason(item):
            return reason
        if self._file.path and self._stored_id != self._id(item):
            return f"its secret is not in '{self._kind.file_option}'"
        return self._service.missing_file_reason()

    def _find(self) -> Fields | None:
        """Return the managed item with its `surplus`, or `None`.

        :raises ToolchainError: if removed items still exist, or the file does not contain the new secret
        """
        items, self._next_items = self._next_items, None
        self._service.stored_secret = self._file.read()
        self._items = self._service.list_matching() if items is None else items
        self._stored_id = self._find_stored_id()
        if self._initial is None:
            self._initial = self._items, self._stored_id if self._service.is_owner_proven else None
        item = self._managed_item()
        if self._created or self._removed:
            self._check_removed()
            self._check_stored()
        if item is None:
            return None
        return {**item, "surplus": [item_id for item_id in self._ids(self._items) if item_id != self._id(item)]}

    def _find_stored_id(self) -> str | None:
        secret = self._file.content
        if secret is None:
            return None
        if self._created and secret == self._created[1]:
            return self._id(self._created[0])
        return self._service.find_owner(secret, self._items)

    def _managed_item(self) -> Fields | None:
        """Return the new item, else the one whose secret is in the file, else the newest that does not expire soon."""
        if self._created:
            created = self._created[0]
            return self._item(self._id(created)) or (created if self._service.allow_unlisted else None)
        usable = (item for item in self._items if not self._service.expiry_reason(item))
        return self._item(self._stored_id) or next(usable, self._items[0] if self._items else None)

    def _check_write(self, before: Fields | None, desired: Fields | None) -> None:
        """Verify that the items may be removed, and warn if others can read a new secret.

        :arg desired: `None` if the item will be removed
        """
        is_current = before is not None and desired is not None and not self.replace_reason(before)
        if desired is not None and not is_current:
            self._service.check_creation()
            self._warn_of_readers()
        if before is not None:
            self._service.check_removal(self._removed_ids(before if is_current else None))

    def _warn_of_readers(self) -> None:
        for option in self._service.file_options():
            if path := self._task.params[option]:
                warn_if_accessible(self._task, path)
        if not self._file.path and not self._task.no_log:
            self._task.warn(
                f"Without '{self._kind.file_option}' the secret of a new {self._kind.noun} is in the result, and so in "
                "logs: name a file, or set 'no_log: true' on the task."
            )

    def _create(self, fields: Fields) -> None:
        """Create the item, and store its secret after the server lists the item.

        :raises ToolchainError: if the secret cannot be stored; the item is removed then
        """
        item, secrets = self._create_item()
        try:
            with self._task.on_interrupt(lambda: self._remove_interrupted(item)):
                self._service.check_created(secrets, self._file.peek())
                self._check_listed(item)
                self._file.check_unchanged()
                self._output(secrets)
        except ToolchainError as error:
            raise self._remove_unusable(error, item) from None
        self._created = item, secrets[self._kind.members[0]]
        self._set_fields(item, fields)

    def _update(self, changes: Fields) -> None:
        item = self._managed_item()
        if item:
            self._set_fields(item, changes)
        if "surplus" in changes:
            self._remove(*(self._id(other) for other in self._items if other is not item))

    def _replace(self, fields: Fields) -> None:
        """Create a new item, and remove the old one after its secret is stored, or all old ones without surplus."""
        stored = self._initial[1] if self._initial else None
        old = [item_id for item_id in self._ids(self._items) if not self._keeps_surplus or item_id == stored]
        self._create(fields)
        try:
            self._remove(*old)
        except ToolchainError:
            remaining = ", ".join(item_id for item_id in old if item_id not in self._removed)
            later = " Later runs keep them: remove them by hand." if self._keeps_surplus else ""
            self._task.warn(
                f"The new {self._kind.noun} is stored, but these were not {self._kind.removed}: {remaining}.{later}"
            )
            raise

    def _set_fields(self, item: Fields, fields: Fields) -> None:
        names = self._service.updatable
        changes = {name: fields[name] for name in names if fields.get(name) not in (None, item[name])}
        if changes:
            self._next_items = None
            self._service.update(self._id(item), changes)

    def _removed_ids(self, remaining: Fields | None) -> list[str]:
        """Return the IDs of the items that were or will be removed.

        :arg remaining: the item that stays; it has no ID if it is only predicted
        """
        items, stored = self._initial or ([], None)
        current = remaining.get(self._kind.id_member) if remaining else None
        ids = [item_id for item_id in self._ids(items) if item_id != current]
        if self._is_present and self._keeps_surplus:
            ids = [item_id for item_id in ids if item_id == stored]
        return list(dict.fromkeys([*self._removed, *ids]))

    def _create_item(self, may_repeat: bool = True) -> tuple[Fields, Fields]:
        """Create an item. If the response is lost, remove the orphaned item and repeat the request once.

        A request whose response is a failure of the server is not repeated.
        """
        try:
            return self._service.create()
        except (OutcomeUnknown, UnexpectedResponse, ServerRefusal) as error:
            if isinstance(error, ServerRefusal) and error.status < 500:
                raise
            self._remove_orphan(error)
            if isinstance(error, ServerRefusal) or not may_repeat:
                raise ToolchainError(f"{describe_cause(error)} No {self._kind.noun} is left of it.") from None
        return self._create_item(may_repeat=False)

    def _remove_orphan(self, error: ToolchainError) -> None:
        """Remove the item that a lost create request created.

        :raises ToolchainError: if it cannot be removed, or cannot be distinguished from items of other tasks
        """
        noun, removed = self._kind.noun, self._kind.removed
        try:
            existing = self._ids(self._items)
            new = [item_id for item_id in self._ids(self._service.list_matching()) if item_id not in existing]
            self._may_create_late = not new
            if len(new) > 1 and self._keeps_surplus:
                ids = ", ".join(new)
                raise ToolchainError(f"These {noun}s are new, and this task created at most one of them: {ids}.")
            self._remove(*new)
        except ToolchainError as trouble:
            remedy = f"Remove the {noun} that no other task uses" if self._keeps_surplus else "Use 'state: absent'"
            raise ToolchainError(
                f"{error} A new {noun} may exist whose secret is unknown, and it could not be {removed}: {trouble} "
                f"{remedy}, then run the task again."
            ) from None

    def _remove_unusable(self, error: ToolchainError, item: Fields) -> ToolchainError:
        self._remove(self._id(item))
        noun, removed = self._kind.noun, self._kind.removed
        return ToolchainError(f"{error} The new {noun} was {removed}, because its secret is lost.")

    def _remove_interrupted(self, item: Fields) -> t.Iterator[str]:
        self._remove(self._id(item))
        outcome = self._lost_removal or f"The new {self._kind.noun} was {self._kind.removed}."
        yield f"interrupted before the secret was stored. {outcome}"

    def _check_listed(self, item: Fields) -> None:
        """Verify that later runs will find a new item."""
        if self._service.allow_unlisted:
            return
        items = self._service.list_matching()
        if self._id(item) not in self._ids(items):
            raise ToolchainError(
                f"The new {self._kind.noun} works, but the server does not list it, so it could be neither found again "
                f"nor {self._kind.removed}. Existing {self._kind.noun}s were not changed. {self._kind.unlisted_hint}"
            )
        self._next_items = items

    def _output(self, secrets: Fields) -> None:
        """Write the secrets to their files or, without files, to the result."""
        if not self._file.path:
            self._task.result.update(secrets)
            return
        for secret in filter(None, secrets.values()):
            self._task.register_secret(secret)
        for option, secret in self._service.secrets_by_file(secrets).items():
            target = Target.from_options(self._task, self._task.params[option])
            is_main = option == self._kind.file_option
            store_text(self._task, target, secret, verify=self._file.check_unchanged if is_main else lambda: None)
        self._next_items = None  # another task may have created one during the storage

    def _check_removed(self) -> None:
        """Verify that removed items no longer exist and that no other task has created an item.

        :raises ToolchainError: naming the items
        """
        noun = self._kind.noun
        cause = f"{describe_cause(self._lost_removal)} " if self._lost_removal else ""
        if remaining := [item_id for item_id in self._ids(self._items) if item_id in self._removed]:
            ids, removed = ", ".join(remaining), self._kind.removed
            raise ToolchainError(f"{cause}These {noun}s were to be {removed}, but still exist: {ids}.")
        item = self._managed_item() if self._is_present else None
        others = [item_id for item_id in self._ids(self._items) if not item or item_id != self._id(item)]
        if self._is_present and self._keeps_surplus:
            initial = self._ids(self._initial[0] if self._initial else [])
            others = [item_id for item_id in others if self._may_create_late and item_id not in initial]
        if others:
            raise ToolchainError(
                f"{cause}Other {noun}s {self._kind.shared} exist: {', '.join(others)}. Perhaps another task creates "
                "them at the same time. Run this one again."
            )

    def _check_stored(self) -> None:
        """Verify that no other task has replaced the new secret.

        :raises ToolchainError: if one has; the new item is removed then
        """
        if self._created and self._file.path and self._stored_id != self._id(self._created[0]):
            error = ToolchainError(
                f"'{self._file.path}' no longer contains the secret of the new {self._kind.noun}. Perhaps another task "
                "stores one there at the same time. Run this one again."
            )
            raise self._remove_unusable(error, self._created[0])

    def _remove(self, *item_ids: str) -> None:
        """Remove items. If a response is lost, `_check_removed` verifies the removal."""
        for item_id in self._service.sort_for_removal(item_ids):
            self._next_items = None
            try:
                self._service.delete(item_id)
            except (OutcomeUnknown, UnexpectedResponse) as lost:
                self._lost_removal = lost
            self._service.may_have_deleted = True
            self._removed.append(item_id)

    @property
    def _is_present(self) -> bool:
        return self._task.params["state"] == "present"

    @property
    def _keeps_surplus(self) -> bool:
        return self._task.params["surplus"] == "keep"

    def _id(self, item: Fields) -> t.Any:
        return item[self._kind.id_member]

    def _ids(self, items: t.Iterable[Fields]) -> list[str]:
        return [self._id(item) for item in items]

    def _item(self, item_id: str | None) -> Fields | None:
        return next((item for item in self._items if self._id(item) == item_id), None)
