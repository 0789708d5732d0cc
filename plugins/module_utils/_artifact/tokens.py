# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Access tokens: found by description, subject and scope; made, stored, replaced and revoked."""

from __future__ import annotations

import time

from ansible_collections.buildworks.toolchain.plugins.module_utils._address import segments
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._private_file import (
    check_writable,
    has_content,
    store,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

# The server's default; a token with a shorter life works, but is neither listed nor revocable.
SHORTEST_LISTED = 10800

_ADDRESS = "/access/api/v1/tokens"
_SECRETS = ("access_token", "reference_token", "refresh_token")


def listed(artifact: ArtifactService, **filters: str) -> list[Fields]:
    """The tokens that the account may see, newest first, without their secrets.

    :arg filters: C(description), C(username), C(refreshable), C(token_id), as the server takes them
    """
    answer = artifact.http.read("GET", _ADDRESS, query=filters)
    tokens = [_entry(token) for token in answer.member("tokens")]
    return sorted(tokens, key=lambda token: (token["issued_at"] or 0, token["token_id"]), reverse=True)


class Token:
    """The one live token of a description, a subject and a scope, as a task wants it."""

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        self._task = task
        self._artifact = artifact
        self._live: list[Fields] = []
        self._made: Fields | None = None
        self._check_options()

    def find(self) -> Fields | None:
        """The live token and why it must be replaced (C(replace)), if it must; C(None) when there is none.

        A token that was made just now and that the server does not list is the one, if the task allows that.
        """
        self._live = live = self._find_live()
        if self._made and not any(token["token_id"] == self._made["token_id"] for token in live):
            return self._made if self._task.params["allow_unlisted"] else None
        return {**live[0], "replace": self._reason_to_replace(live[0])} if live else None

    def create(self, _fields: Fields) -> None:
        """Make the token, and store its secret before anything else can fail.

        :raises ToolchainError: when the reply was lost, and the secret with it
        """
        try:
            answer = self._artifact.http.write("POST", _ADDRESS, json=self._order())
        except OutcomeUnknown as lost:
            raise ToolchainError(
                f"{lost} A token may have been made whose secret nobody has: "
                "run the task with 'state: absent' to revoke it, then again."
            ) from None
        reply = answer.json()
        try:
            self._keep(reply)
        except ToolchainError as error:
            self._revoke(reply)
            raise ToolchainError(f"{error} The new token was revoked, because nobody has its secret.") from None
        self._made = _entry({**self._order(), **reply, "subject": self._task.params["subject"]})

    def replace(self, fields: Fields) -> None:
        """Make a new token, and revoke the old ones when its secret is stored and the server lists it.

        :raises ToolchainError: when the server does not list it; the old ones are left alone then
        """
        old = self._live
        self.create(fields)
        if self.find() is None:
            raise ToolchainError(
                "The new token works, but the server does not store it, so it can be neither found again nor revoked. "
                "The old one was left alone. Perhaps the server stores tokens with a longer 'expires_in' only."
            )
        self._revoke_all(old)

    def revoke(self) -> None:
        """Revoke all tokens of this description, subject and scope that were live when last looked for."""
        self._revoke_all(self._live)

    def _check_options(self) -> None:
        params = self._task.params
        life, early = params["expires_in"], params["rotate_before"]
        if life and life < SHORTEST_LISTED and not params["allow_unlisted"]:
            raise BadOption(
                "expires_in",
                f"by default the server does not store tokens that live shorter than {SHORTEST_LISTED} s: {life} s "
                "gives one that works, but can be neither found again nor revoked. "
                "Set 'allow_unlisted: true' if that is what you want",
            )
        if life and early and early >= life:
            raise BadOption(
                "rotate_before", f"must be less than 'expires_in' ({life} s), or each run makes a new token"
            )
        if params["token_file"] and params["refreshable"] and not params["refresh_token_file"]:
            raise BadOption("refresh_token_file", "is needed with 'token_file' and 'refreshable', to keep both secrets")
        if params["refresh_token_file"] and not (params["token_file"] and params["refreshable"]):
            raise BadOption("refresh_token_file", "is only for 'refreshable: true' with a 'token_file'")
        for option in ("token_file", "refresh_token_file"):
            if params[option] and params["state"] == "present":
                check_writable(params[option], option)

    def _find_live(self) -> list[Fields]:
        params = self._task.params
        return [
            token
            for token in listed(self._artifact, description=params["description"])
            if token["description"] == params["description"]
            and token["username"] == params["subject"]
            and _same_scope(token["scope"], params["scope"])
            and (token["expiry"] is None or token["expiry"] > time.time())
        ]

    def _reason_to_replace(self, token: Fields) -> str | None:
        params = self._task.params
        if token["expiry"] is not None and token["expiry"] - time.time() < (params["rotate_before"] or 0):
            return "it expires soon"
        for option in ("token_file", "refresh_token_file"):
            if params[option] and not has_content(params[option]):
                return f"its secret is not in '{option}'"
        return None

    def _order(self) -> Fields:
        params = self._task.params
        order = self._task.given("description", "scope", "expires_in", "refreshable", "project_key")
        order["username"] = params["subject"]
        if params["include_reference_token"]:
            order["include_reference_token"] = True
        return order

    def _keep(self, reply: Fields) -> None:
        """Put the secrets into their files, or else into the result."""
        params = self._task.params
        if not params["token_file"]:
            self._task.result.update({name: reply[name] for name in _SECRETS if reply.get(name)})
            return
        for name in _SECRETS:
            self._task.secret(reply.get(name, ""))
        store(params["token_file"], reply.get("reference_token") or reply["access_token"])
        if params["refreshable"]:
            store(params["refresh_token_file"], reply["refresh_token"])

    def _revoke_all(self, tokens: list[Fields]) -> None:
        for token in tokens:
            self._revoke(token)

    def _revoke(self, token: Fields) -> None:
        self._artifact.http.write(
            "DELETE", _ADDRESS + segments(token["token_id"], option="token_id"), accept=(200, 204), repeatable=True
        )


def _entry(token: Fields) -> Fields:
    subject = token.get("subject") or ""
    return {
        "token_id": token["token_id"],
        "description": token.get("description"),
        "subject": subject,
        "username": subject.rpartition("/users/")[2],
        "scope": token.get("scope"),
        "issued_at": token.get("issued_at"),
        "expiry": token.get("expiry"),
        "refreshable": token.get("refreshable"),
        "last_used": token.get("last_used"),
    }


def _same_scope(scope: str | None, wanted: str) -> bool:
    """Whether two scopes are equal as sets; older servers do not tell the scope of a token."""
    return scope is None or set(scope.split()) == set(wanted.split())
