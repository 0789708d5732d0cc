# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a user."""

from __future__ import annotations

import html
import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import require_plugin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import accounts
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users.login_check import can_log_in
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

FIELDS = ("full_name", "description", "email")
PASSWORD = "password"
_CREATE = "/securityRealm/createAccountByAdmin"
_DEFAULT_NAME = re.compile(r"[A-Za-z0-9_-]+")
_FORM_ERROR = re.compile(r'(?s)<div class="error[^"]*">(.*?)</div>')


class ManagedUser:
    """The user that a task manages.

    :arg shared: shared by all items of a task
    :ivar desired: the desired fields with the password
    """

    def __init__(self, task: Task, ci: CiService, shared: accounts.SharedAccounts, desired: Fields) -> None:
        self._task, self._ci, self._shared = task, ci, shared
        self.desired = desired
        self._name: str = task.params["name"]
        self._password_option = "user_password" if task.params["items"] is None else PASSWORD
        self._accounts: accounts.Accounts | None = None
        self._has_sent_password = False
        self._replaces_login = False

    def find(self) -> Fields | None:
        """Return the user, or `None` if it has no account.

        The first call for an item uses the list that all items share. After a change of the password, the new one is
        verified.
        """
        is_shared = self._task.params["items"] is not None and self._accounts is None
        self._accounts = self._shared.fetch(self._ci) if is_shared else self._shared.fetch_again(self._ci, self._name)
        if self.desired.get("email") is not None and not self._accounts.has_mailer:
            require_plugin(self._ci, "mailer", "Setting 'email'")
        user = self._accounts.users.get(self._name.lower())
        if user and self._has_sent_password and not self.has_password():
            raise ToolchainError(f"The user '{self._name}' cannot log in with the new password.")
        return user

    def has_password(self) -> bool:
        """Return whether the user can log in with the desired password."""
        return can_log_in(self._task, self._ci, self._name, self.desired[PASSWORD])

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse changes that Jenkins would refuse or revert, and a new password for the login of the task.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing or wrong
        :raises ToolchainError: if the change is refused
        """
        self._shared.sources.refuse_user(self._ci, self._name)
        if fields is None:
            return
        if before is None:
            self._check_new(fields)
        elif PASSWORD in fields and self._logs_in_with_other_password(before, fields[PASSWORD]):
            if not self._task.params["allow_lockout"]:
                raise ToolchainError(
                    f"Cannot change the password of '{self._name}': the task logs in with it. Log in with an API token "
                    "or as another administrator, or set 'allow_lockout: true' to allow the change."
                )
            self._replaces_login = True

    def create(self, fields: Fields) -> None:
        """Create the account. Jenkins returns the form again if it refuses."""
        self._has_sent_password = True
        form = {
            "username": self._name,
            "password1": fields[PASSWORD],
            "password2": fields[PASSWORD],
            "fullname": fields.get("full_name") or self._name,
            "email": fields.get("email") or "",
        }
        had_written = self._task.has_written
        response = self._ci.post(_CREATE, form=form, accept=(200, 302))
        if response.status == 200:
            self._task.has_written = had_written
            self._raise_refusal(response.text)
        if fields.get("description"):
            accounts.change(self._ci, self._name, {"description": fields["description"]})

    def update(self, fields: Fields) -> None:
        """Change the fields that differ. If the task logs in with the password that changes, use the new one."""
        self._has_sent_password = PASSWORD in fields
        try:
            accounts.change(self._ci, self._name, fields)
        finally:
            if self._replaces_login and self.has_password():
                self._ci = CiService(self._task, (self._name, fields[PASSWORD]))

    def delete(self) -> None:
        """Delete the user."""
        path = f"/user{encode_path(self._name, option='name')}/doDelete"
        self._ci.post(path, accept=(302, 404), policy=IDEMPOTENT)

    def to_result(self, user: Fields) -> Fields:
        """Return the user as the module returns it; a predicted one with the values of a new user."""
        complete = {"name": self._name, "full_name": self._name, "description": None, "email": None, **user}
        return {name: complete[name] for name in ("name", *FIELDS)}

    def _logs_in_with_other_password(self, user: Fields, password: str) -> bool:
        """Return whether the task logs in as this user, neither with an API token nor with this password."""
        login, secret = self._ci.account or ("", "")
        is_own = login.lower() == self._name.lower()
        return is_own and secret != password and not accounts.uses_token(self._ci, user)

    def _check_new(self, fields: Fields) -> None:
        known = t.cast(accounts.Accounts, self._accounts)  # a user is read before it is created
        if known.name_pattern is None and not _DEFAULT_NAME.fullmatch(self._name):
            raise BadOption("name", f"must consist of letters, digits, '_' and '-' for a new user, not '{self._name}'")
        if PASSWORD not in fields:
            raise BadOption(self._password_option, "is required for a new user")
        if known.has_mailer and not fields.get("email"):
            raise BadOption("email", "is required for a new user, because the Jenkins plugin 'mailer' is active")

    def _raise_refusal(self, page: str) -> t.NoReturn:
        """Raise the error for a form that Jenkins returns instead of creating the account.

        Its status is that of a conflict, because the account may exist by now.
        """
        errors = dict.fromkeys(" ".join(html.unescape(text).split()) for text in _FORM_ERROR.findall(page))
        if not errors:
            raise OutcomeUnknown(f"POST {_CREATE}: the response is neither a redirect nor a form with a reason.")
        self._has_sent_password = False
        reasons = "; ".join(error.rstrip(".") for error in errors)
        raise ServerRefusal(f"Jenkins refuses to create the user '{self._name}': {reasons}.", 400, page)
