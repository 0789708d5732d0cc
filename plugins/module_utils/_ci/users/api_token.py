# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""API tokens of a user, identified by their names."""

from __future__ import annotations

import datetime
import re

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import run_internal
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users.accounts import own_name
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users.login_check import can_log_in
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users.token_list import (
    TOKENS_OF_USER,
    format_time,
    hash_token,
    parse_token,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued_secret import SecretKind, SecretService
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

LIST_TOKENS = (
    TOKENS_OF_USER
    + """
def user = User.getById(args.user, false)
if (user == null) { return null }
def isOwn = User.current()?.id == user.id
def property = 'jenkins.security.ApiTokenProperty.adminCanGenerateNewTokens'
return [tokens: tokensOf(user), may_create: isOwn || jenkins.util.SystemProperties.getBoolean(property)]
"""
)
DAY = 86400
LONGEST_LIFE = 100 * 365 * DAY
_SECRET = re.compile("[0-9A-Za-z]{32,64}")
_ANONYMOUS = "anonymous"  # Jenkins refuses the requests of a task without a login
_NO_LIST = "the account lacks the Overall/Administer permission, which listing API tokens requires"
_NOT_OWN = "Jenkins allows users to create only their own API tokens"


class ApiTokenService(SecretService):
    """The requests for the API token that a task manages.

    An account without the Overall/Administer permission cannot list tokens. Then only the token in the file is known,
    and only whether it works.
    """

    kind = SecretKind(
        noun="API token",
        removed="revoked",
        id_member="uuid",
        members=("api_token",),
        file_option="token_file",
        file_content="token",
    )

    def __init__(self, task: Task, ci: CiService) -> None:
        _check_options(task)
        self._task = task
        self._ci = ci
        self._user: str = task.params["user"] or (ci.account[0] if ci.account else _ANONYMOUS)
        self._tokens: list[Fields] = []
        self._may_create = True
        self._created: Fields | None = None
        self._is_creating = False
        self._login_id: str | None = None

    def list_matching(self) -> list[Fields]:
        """Return the tokens with the name, newest first."""
        self._check_file()
        try:
            listing = run_internal(self._ci, "list API tokens", LIST_TOKENS, {"user": self._user}, read_only=True)
        except ServerRefusal as refusal:
            if refusal.status != 403 or not self._ci.account:
                raise
            return self._list_unlisted()
        if listing is None:
            if self._task.params["state"] == "absent":
                return []
            raise ToolchainError(f"The user '{self._user}' does not exist.")
        self._tokens = [parse_token(token) for token in listing["tokens"]]
        self._may_create = listing["may_create"]
        self._login_id = self._login_id or self._find_login()
        matching = [token for token in self._tokens if token["name"] == self._task.params["name"]]
        return sorted(matching, key=lambda token: (token["created"] or 0, token["uuid"]), reverse=True)

    def check_creation(self) -> None:
        """Verify that the account may create a token of the user."""
        if not self._may_create:
            raise ToolchainError(f"Cannot create an API token of '{self._user}': {_NOT_OWN}. Log in as this user.")

    def create(self) -> tuple[Fields, Fields]:
        """Create a token."""
        params = self._task.params
        form = {"newTokenName": params["name"]}
        if params["expires_in"]:
            last_day = _to_day(self._ci.http.now() + params["expires_in"])
            form.update(expirationDuration="custom", tokenExpiration=last_day.isoformat())
        had_written, self._is_creating = self._task.has_written, True
        response = self._ci.post(self._path("generateNewToken"), form=form)
        if refusal := _read_refusal(response):
            self._task.has_written = had_written
            raise ToolchainError(f"Jenkins refuses to create the API token: {refusal}")
        try:
            created = response.record().record("data")
            uuid, secret = created.text("tokenUuid"), created.text("tokenValue")
        except ToolchainError as error:
            raise OutcomeUnknown(str(error)) from None
        self._is_creating = False
        self._created = {"uuid": uuid, "name": params["name"], "created": int(self._ci.http.now())}
        return self._created, {"api_token": secret}

    def check_created(self, secrets: Fields, _stored: str | None) -> None:
        """Verify that the new token works. If the task logs in with the old one, it continues with the new one."""
        secret = secrets["api_token"]
        if not can_log_in(self._task, self._ci, self._user, secret):
            raise ToolchainError(f"The user '{self._user}' cannot log in with the new API token.")
        if self._replaces_login():
            self._ci = CiService(self._task, (self._user, secret))

    def delete(self, item_id: str) -> None:
        """Revoke a token. Jenkins accepts the request for an unknown token, too."""
        self._ci.post(self._path("revoke"), form={"tokenUuid": item_id}, policy=IDEMPOTENT)

    def find_owner(self, secret: str, items: list[Fields]) -> str | None:
        """Return the ID of the token with this value."""
        if self.allow_unlisted:
            return items[0]["uuid"] if items else None
        token = self._find_token(secret)
        if token and token["name"] != self._task.params["name"]:
            path = self._task.params["token_file"]
            raise BadOption("token_file", f"'{path}' contains the API token '{token['name']}', and is left unchanged")
        return token["uuid"] if token else None

    def expiry_reason(self, item: Fields) -> str | None:
        """Return a reason if the token has expired, expires soon, or is too old."""
        expires, created, now = item.get("expires"), item.get("created"), self._ci.http.now()
        if expires:
            remaining = _end_of_day(expires) - now
            if remaining <= 0:
                return "it has expired"
            if remaining < (self._task.params["rotate_before"] or 0):
                return "it expires soon"
        oldest = self._task.params["rotate_after"]
        is_too_old = oldest and created is not None and now - created >= oldest
        return f"it is older than {oldest} s" if is_too_old else None

    def check_removal(self, item_ids: list[str]) -> None:
        """Refuse to revoke the token that the task logs in with, unless a new one replaces it."""
        if self._login_id in item_ids and not self._replaces_login():
            raise ToolchainError(
                f"Cannot revoke the API token '{self._task.params['name']}' ({self._login_id}), because this task uses "
                "it. Log in with the password or another API token."
            )

    def to_result(self, token: Fields) -> Fields:
        """Return the token as the module returns it."""
        created = token.get("created")
        return {
            "uuid": token.get("uuid"),
            "name": self._task.params["name"],
            "user": self._user,
            "created": created,
            "created_at": format_time(created),
            "expires": token.get("expires"),
            "surplus": token.get("surplus", []),
        }

    def _check_file(self) -> None:
        """Verify that the file contains an API token, so that nothing else is replaced or used for a login.

        :raises BadOption: if it contains something else
        """
        if self.stored_secret and not _SECRET.fullmatch(self.stored_secret):
            path = self._task.params["token_file"]
            raise BadOption("token_file", f"'{path}' does not contain an API token, and is left unchanged")

    def _list_unlisted(self) -> list[Fields]:
        """Return the token in the file if it works.

        :raises ToolchainError: if the task requires more than this
        """
        params = self._task.params
        if self._user.lower() != own_name(self._ci):
            raise ToolchainError(f"Cannot manage tokens of '{self._user}': {_NO_LIST}. Log in as this user.")
        requires_list = {
            "'state: absent'": params["state"] == "absent",
            "'surplus: revoke'": params["surplus"] == "revoke",
            "'rotate_before'": params["rotate_before"] is not None,
            "'rotate_after'": params["rotate_after"] is not None,
            "A task without 'token_file'": params["token_file"] is None,
            "Revoking the token of a lost response": self._is_creating,
        }
        if reason := next((reason for reason, applies in requires_list.items() if applies), None):
            raise ToolchainError(f"{reason} requires the list of API tokens, but {_NO_LIST}.")
        self.allow_unlisted = True
        if self.stored_secret is None or not can_log_in(self._task, self._ci, self._user, self.stored_secret):
            return []
        return [self._created or {"uuid": None, "name": params["name"]}]

    def _find_login(self) -> str | None:
        """Return the ID of the token that the task logs in with, or `None` if it is a password or of another user."""
        name, secret = self._ci.account or ("", "")
        token = self._find_token(secret) if name.lower() == self._user.lower() else None
        return token["uuid"] if token else None

    def _replaces_login(self) -> bool:
        """Return whether the task logs in with the token in the file, which a new token would replace."""
        stored = self._find_token(self.stored_secret) if self.stored_secret else None
        return stored is not None and stored["uuid"] == self._login_id

    def _find_token(self, secret: str) -> Fields | None:
        digest = hash_token(secret)
        return next((token for token in self._tokens if token["hash"] == digest), None)

    def _path(self, call: str) -> str:
        owner = encode_path(self._user, option="user")
        return f"/user{owner}/descriptorByName/jenkins.security.ApiTokenProperty/{call}"


def _read_refusal(response: Response) -> str | None:
    """Return why Jenkins created no token, although the status is 200."""
    reply = response.json_or_none()
    return str(reply.get("message")) if isinstance(reply, dict) and reply.get("status") == "error" else None


def _check_options(task: Task) -> None:
    life = task.params["expires_in"]
    for option in ("rotate_before", "rotate_after"):
        if life and (task.params[option] or 0) >= life:
            raise BadOption(option, f"must be less than 'expires_in' ({life} s)")


def _to_day(seconds: float) -> datetime.date:
    return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).date()


def _end_of_day(day: str) -> float:
    date = datetime.datetime.fromisoformat(day).replace(tzinfo=datetime.timezone.utc)
    return date.timestamp() + DAY
