# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What has a secret that its service tells only once: made, its secret stored, replaced by a new one, and removed."""

from __future__ import annotations

import abc
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# Where the secret is stored, and what happens to others of the same name
ISSUED = TO_FILE + ArgumentSpec(
    dict(
        key_file=dict(type="path", no_log=False, not_empty=True),
        surplus=dict(type="str", choices=["keep", "remove"], default="keep"),
    )
)

_LONGEST_SECRET = 16384


class Issued(abc.ABC):
    """The one that is there of those that are alike, as a task wants it, with its secret in a file where one is given.

    It is found as fields with an id, and with the ids of the others as `surplus`. Others are kept by default, because
    another host may use them. If the response to a create request is lost, the orphan is removed, because nobody has
    its secret, and the request is repeated once.

    :cvar noun: what it is
    :cvar alike: what the others have in common with it
    :cvar gone: what becomes of one that is not wanted; the result has the ids of these under this name
    :cvar id_member: the member that has its id
    :cvar file_option: the option for the file of its secret
    :cvar file_content: what is in there
    :cvar secrets: the members of the result for secrets; the first one says whose it is
    :cvar hint: why the service may not list a new one
    """

    noun = ""
    alike = "of this name"
    gone = "removed"
    id_member = "id"
    file_option = "key_file"
    file_content = "key"
    secrets: tuple[str, ...] = ("secret",)
    hint = ""

    def __init__(self, task: Task) -> None:
        self._task = task
        self._live: list[Fields] = []
        self._just_listed: list[Fields] | None = None
        self._in_file: str | None = None  # id of the one whose secret is in the file
        self._stored: str | None = None  # what the file held when it was last read
        self._made: Fields | None = None
        self._new_secret: str | None = None
        self._removed: list[str] = []
        self._lost: ToolchainError | None = None
        self._lost_create = False
        self._found: list[Fields] | None = None  # those that were there before anything was done
        self._held: str | None = None  # and which of them was in the file
        if self._shall_be_there:
            if task.params[self.file_option]:
                check_writable(task, task.params[self.file_option], self.file_option)
            check_ownership(task)
        task.result.update({**dict.fromkeys(self.secrets), self.gone: self._removed})

    @abc.abstractmethod
    def listed(self) -> list[Fields]:
        """Those that are alike, newest first."""

    @abc.abstractmethod
    def make(self) -> tuple[Fields, Fields]:
        """Make one; gives it and its secrets by name.

        :raises OutcomeUnknown: when no secret came, though one may have been made
        """

    @abc.abstractmethod
    def delete(self, id_: str) -> None:
        """Delete one, which may be gone already."""

    @abc.abstractmethod
    def whose(self, secret: str) -> str | None:
        """The id of the one that a secret belongs to, `None` when it is good for nothing any more.

        :raises BadOption: when it belongs to something else
        """

    @abc.abstractmethod
    def worn(self, one: Fields) -> str | None:
        """Why one must be replaced, whatever is in the file, if it must."""

    def desired(self, **fields: t.Any) -> Fields:
        """The managed fields: no other of that name, unless others may stay."""
        return fields if self._keeps_surplus else {**fields, "surplus": []}

    def find(self) -> Fields | None:
        """The one that was made just now, else the one whose secret is in the file, else the newest; `None` for none.

        :raises ToolchainError: when others that were to be removed are still there, or the file holds another secret
            than that of the one just made
        """
        self._live = self._listed()
        self._in_file = self._id_in_file()
        if self._found is None:
            self._found, self._held = self._live, self._proven_in_file()
        one = self._the_one()
        if self._made or self._removed:
            self._check_gone()
            self._check_stored()
        return {**one, "surplus": [id_ for id_ in self._ids() if id_ != self._id(one)]} if one else None

    def stale(self, one: Fields) -> str | None:
        """Why it must be replaced, if it must."""
        if reason := self.worn(one):
            return reason
        if self._task.params[self.file_option] and self._in_file != self._id(one):
            return f"its secret is not in '{self.file_option}'"
        return None

    def check(self, before: Fields | None, wanted: Fields | None) -> None:
        """Warn when others can read a new secret: in the file that it is stored in, or without one in the result.

        :arg wanted: `None` when it will be removed
        """
        if wanted is None or (before is not None and not self.stale(before)):
            return
        for path in self._files():
            warn_if_accessible(self._task, path)
        if not self._task.params[self.file_option] and not self._task.no_log:
            self._task.warn(
                f"Without '{self.file_option}' the secret of a new {self.noun} is in the result, and so in logs: name "
                "a file, or set 'no_log: true' on the task."
            )

    def create(self, _fields: Fields) -> None:
        """Make it, and store its secret once the service lists it.

        :raises ToolchainError: when nobody has its secret; it is removed then
        """
        made, secrets = self._order()
        try:
            with self._task.on_interrupt(lambda: self._taken_back(made)):
                self._check_made(made, secrets)
                self._check_file_unchanged()
                self._keep(secrets)
        except ToolchainError as error:
            raise self._removed_because(error, made) from None
        self._made, self._new_secret = made, secrets[self.secrets[0]]

    def _removed_because(self, error: ToolchainError, made: Fields) -> ToolchainError:
        self._remove(self._id(made))
        return ToolchainError(f"{error} The new {self.noun} was {self.gone}, because nobody has its secret.")

    def _taken_back(self, made: Fields) -> t.Iterator[str]:
        self._remove(self._id(made))
        left = str(self._lost) if self._lost else f"The new {self.noun} was {self.gone}."
        yield f"interrupted before the secret was stored. {left}"

    def replace(self, fields: Fields) -> None:
        """Make a new one, and remove the old ones when its secret is stored: by default that of the file only."""
        old = [id_ for id_ in self._ids() if not self._keeps_surplus or id_ == self._held]
        self.create(fields)
        try:
            self._remove(*old)
        except ToolchainError:
            left = ", ".join(id_ for id_ in old if id_ not in self._removed)
            later = " Later runs keep them: remove them by hand." if self._keeps_surplus else ""
            self._task.warn(f"The new {self.noun} is stored, but these were not {self.gone}: {left}.{later}")
            raise

    def remove_surplus(self, _changes: Fields) -> None:
        """Remove all but the one."""
        one = self._the_one()
        self._remove(*(self._id(other) for other in self._live if other is not one))

    def remove(self) -> None:
        """Remove all that were there when last looked for."""
        self._remove(*self._ids())

    def going(self, one: Fields | None) -> list[str]:
        """The ids of those that go, or have gone.

        :arg one: the one that stays, without an id while it is not made yet
        """
        gone = [self._id(found) for found in self._found or () if not one or self._id(found) != self._id(one)]
        if self._shall_be_there and self._keeps_surplus:
            gone = [id_ for id_ in gone if id_ == self._held]
        return list(dict.fromkeys([*self._removed, *gone]))

    @property
    def _shall_be_there(self) -> bool:
        return self._task.params["state"] == "present"

    @property
    def _keeps_surplus(self) -> bool:
        return self._task.params["surplus"] == "keep"

    def _listed(self) -> list[Fields]:
        """Those that are alike, read again unless nothing was written since they were."""
        just_listed, self._just_listed = self._just_listed, None
        return self.listed() if just_listed is None else just_listed

    def _the_one(self) -> Fields | None:
        if self._made:
            return self._with_id(self._id(self._made))
        newest = next((one for one in self._live if not self.worn(one)), self._live[0] if self._live else None)
        return self._with_id(self._in_file) or newest

    def _id(self, one: Fields) -> t.Any:
        return one[self.id_member]

    def _ids(self) -> list[str]:
        return [self._id(one) for one in self._live]

    def _with_id(self, id_: str | None) -> Fields | None:
        return next((one for one in self._live if self._id(one) == id_), None)

    def _id_in_file(self) -> str | None:
        secret = self._stored = self._secret_in_file()
        if secret is None:
            return None
        return self._id(self._made) if self._made and secret == self._new_secret else self.whose(secret)

    def _proven_in_file(self) -> str | None:
        """Return the id of the one whose secret is in the file, if the service proves that."""
        return self._in_file

    def _secret_in_file(self) -> str | None:
        path = self._task.params[self.file_option]
        secret = read_text(path) if path and self._shall_be_there else None
        if secret is None:
            return None
        if len(secret) > _LONGEST_SECRET or len(secret.split()) > 1:
            what = f"something else than a {self.file_content}"
            raise BadOption(self.file_option, f"'{path}' holds {what}, and is left as it is")
        self._task.register_secret(secret)
        return None if rehearsal.holds_production_secret(path) else secret

    def _check_gone(self) -> None:
        """Verify that all removed ones are gone, and that no other is there that should not be.

        :raises ToolchainError: naming the others
        """
        lost = f"{describe_cause(self._lost)} " if self._lost else ""
        if left := [id_ for id_ in self._ids() if id_ in self._removed]:
            these = ", ".join(left)
            raise ToolchainError(f"{lost}These {self.noun}s were to be {self.gone}, but are still there: {these}.")
        one = self._the_one() if self._shall_be_there else None
        others = [id_ for id_ in self._ids() if not one or id_ != self._id(one)]
        if self._shall_be_there and self._keeps_surplus:
            others = [id_ for id_ in others if self._may_be_ours(id_)]
        if others:
            raise ToolchainError(
                f"{lost}There are other {self.noun}s {self.alike}: {', '.join(others)}. Perhaps another task makes "
                "them at the same time. Run this one again."
            )

    def _may_be_ours(self, id_: str) -> bool:
        """Whether one may have come late from a lost create request."""
        return self._lost_create and id_ not in map(self._id, self._found or ())

    def _check_file_unchanged(self) -> None:
        """Verify that no other task stored a secret since the file was read, which would be lost."""
        if self._secret_in_file() != self._stored:
            raise ToolchainError(
                f"'{self._task.params[self.file_option]}' changed while the {self.noun} was created. Perhaps another "
                "task stores one there at the same time. Run this one again."
            )

    def _check_stored(self) -> None:
        """Verify that no other task has stored another secret since.

        :raises ToolchainError: when one has; the new one, whose secret nobody has, is removed
        """
        path = self._task.params[self.file_option]
        if self._made and path and self._in_file != self._id(self._made):
            error = ToolchainError(
                f"'{path}' does not hold the secret of the new {self.noun} any more. Perhaps another task stores one "
                "there at the same time. Run this one again."
            )
            raise self._removed_because(error, self._made)

    def _order(self, again: bool = True) -> tuple[Fields, Fields]:
        """Make one. When the reply was lost, what came of it is removed, and it is asked for once more."""
        try:
            return self.make()
        except (OutcomeUnknown, UnexpectedResponse, ServerRefusal) as error:
            if isinstance(error, ServerRefusal) and error.status < 500:
                raise
            self._remove_new(error)
            if isinstance(error, ServerRefusal):
                raise
            if not again:
                what = error.cause if isinstance(error, OutcomeUnknown) else error
                raise ToolchainError(f"{what} No {self.noun} is left of it.") from None
        return self._order(again=False)

    def _remove_new(self, error: ToolchainError) -> None:
        """Remove what a lost create request made.

        :raises ToolchainError: if it cannot be found or removed, or told from what others made at the same time
        """
        try:
            new = [id_ for id_ in map(self._id, self.listed()) if id_ not in self._ids()]
            self._lost_create = not new
            if len(new) > 1 and self._keeps_surplus:
                raise ToolchainError(
                    f"These {self.noun}s are new, and this task created at most one of them: {', '.join(new)}."
                )
            self._remove(*new)
        except ToolchainError as trouble:
            remedy = f"Remove the {self.noun} that no other task uses" if self._keeps_surplus else "Use 'state: absent'"
            raise ToolchainError(
                f"{error} A new {self.noun} may be there whose secret nobody has, and it could not be {self.gone}: "
                f"{trouble} {remedy}, then run the task again."
            ) from None

    def _check_made(self, made: Fields, _secrets: Fields) -> None:
        """See to it that a new one can be found again, before its secret is stored."""
        live = self.listed()
        if self._id(made) not in map(self._id, live):
            raise ToolchainError(
                f"The new {self.noun} works, but the server does not list it, so it could be neither found again nor "
                f"{self.gone}. What was there was left alone. {self.hint}"
            )
        self._just_listed = live

    def _keep(self, secrets: Fields) -> None:
        """Put the secrets into their files, or else into the result."""
        if self._task.params[self.file_option]:
            for secret in filter(None, secrets.values()):
                self._task.register_secret(secret)
            self._store(secrets)
            self._just_listed = None  # while it was stored, another task may have made one
        else:
            self._task.result.update(secrets)

    def _store(self, secrets: Fields) -> None:
        """Write the file."""
        self._write(self.file_option, secrets[self.secrets[0]], verify=self._check_file_unchanged)

    def _files(self) -> list[str]:
        """Return the files that secrets are stored in."""
        return [path for path in (self._task.params[self.file_option],) if path]

    def _write(self, option: str, secret: str, **verify: t.Any) -> None:
        store_text(self._task, Target.from_options(self._task, self._task.params[option]), secret, **verify)

    def _remove(self, *ids: str) -> None:
        """Remove some. After a lost or unexpected response, `_check_gone` finds out whether they are gone."""
        for id_ in ids:
            self._just_listed = None
            try:
                self.delete(id_)
            except (OutcomeUnknown, UnexpectedResponse) as lost:
                self._lost = lost
            self._removed.append(id_)
