# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Access tokens: found by description, subject and scope; made, stored, replaced and revoked."""

from __future__ import annotations

import os
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import token_secret
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    BadOption,
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import check_writable, read_text
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued import Issued
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

# The server's default; a token with a shorter life works, but is neither listed nor revocable.
SHORTEST_LISTED = 10800
SUBJECT = ("[^/]+", "a user name without a slash")
LONGEST_LIFE = 100 * 365 * 86400

_ADDRESS = "/access/api/v1/tokens"
_SECRETS = ("access_token", "reference_token", "refresh_token")
_MEMBERS = (
    "token_id",
    "description",
    "subject",
    "username",
    "scope",
    "issued_at",
    "expiry",
    "refreshable",
    "last_used",
)


def listed(artifact: ArtifactService, secret: str | None = None, **filters: str) -> list[Fields]:
    """The tokens that the account may see, newest first, without their secrets.

    :arg secret: of the token to ask with, instead of the task's credential
    :arg filters: `description`, `username`, `refreshable`, `token_id`, as the server takes them
    """
    response = artifact.http.read("GET", _ADDRESS, query=filters, stream=True, **_logged_in(secret))
    tokens = map(_entry, response.entries("tokens"))
    return sorted(tokens, key=lambda token: (token["issued_at"] or 0, token["token_id"]), reverse=True)


def as_result(token: Fields) -> Fields:
    """The token as the user sees it, with all its members."""
    return {**dict.fromkeys(_MEMBERS), "surplus": [], **token}


class Token(Issued):
    """The one live token of a description, a subject and a scope, as a task wants it."""

    noun = "token"
    alike = "with this description, subject and scope"
    gone = "revoked"
    id_member = "token_id"
    file_option = "token_file"
    file_content = "token"
    secrets = _SECRETS
    hint = "Perhaps the server stores tokens with a longer 'expires_in' only."

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        _check_options(task)
        super().__init__(task)
        self._artifact = artifact
        self._tells_whose = True

    def listed(self) -> list[Fields]:
        """The live ones, newest first."""
        params = self._task.params
        return [
            token
            for token in self._with_description()
            if token["description"] == params["description"]
            and token["username"] == params["subject"]
            and _same_scope(token["scope"], params["scope"])
            and (token["expiry"] is None or token["expiry"] > self._artifact.http.now())
        ]

    def make(self) -> tuple[Fields, Fields]:
        """Ask for a token."""
        wishes = self._wishes()
        response = self._artifact.http.write("POST", _ADDRESS, json=wishes)
        try:
            came = response.record()
            came.text("token_id"), came.text("access_token")
        except ToolchainError as error:
            raise OutcomeUnknown(str(error)) from None
        reply = Record({**wishes, **came, "subject": wishes["username"]}, response.unexpected_value)
        made = _entry(reply)
        if made["expiry"] is None and (life := reply.maybe_integer("expires_in")):
            made["expiry"] = int(self._artifact.http.now()) + life
        return made, {name: reply.maybe_text(name) for name in _SECRETS}

    def delete(self, id_: str) -> None:
        """Revoke a token."""
        address = _ADDRESS + encode_path(id_, option="token_id")
        self._artifact.http.write("DELETE", address, accept=(200, 204), policy=IDEMPOTENT)

    def whose(self, secret: str) -> str | None:
        """The id of the token in the file, if it is one of this server's."""
        known = token_secret.token_id(secret)
        if known is not None:
            if not self._with_id(known):
                self._check_file_is_ours(self._issuer())
            return known
        return self._ask_who(secret, self._live) if token_secret.is_reference(secret) else None

    def worn(self, one: Fields) -> str | None:
        """Whether it expires too soon."""
        left = float("inf") if one["expiry"] is None else one["expiry"] - self._artifact.http.now()
        return "it expires soon" if left < (self._task.params["rotate_before"] or 0) else None

    def stale(self, one: Fields) -> str | None:
        """Why the token must be replaced, if it must."""
        file = self._task.params["refresh_token_file"]
        if (reason := super().stale(one)) or not file or read_text(file) is not None:
            return reason
        return "its refresh token is not in 'refresh_token_file'"

    def _proven_in_file(self) -> str | None:
        return super()._proven_in_file() if self._tells_whose else None

    def _with_description(self) -> list[Fields]:
        """The tokens with the description.

        After one's own token was revoked, the new one asks; where there is none, being refused proves it.
        """
        description = self._task.params["description"]
        try:
            return listed(self._artifact, description=description)
        except ServerRefusal as refusal:
            if refusal.status != 401 or not self._removed:
                raise
        return listed(self._artifact, self._new_secret, description=description) if self._new_secret else []

    def _the_one(self) -> Fields | None:
        return super()._the_one() or (self._made if self._task.params["allow_unlisted"] else None)

    def _check_made(self, made: Fields, secrets: Fields) -> None:
        self._check_file_is_ours(token_secret.issuer(secrets["access_token"]))
        if not self._task.params["allow_unlisted"]:
            super()._check_made(made, secrets)

    def _check_file_is_ours(self, issuer: str | None) -> None:
        """
        :arg issuer: of this server's tokens, where it is known
        :raises BadOption: when the file holds the token of another server
        """
        secret = self._secret_in_file()
        other = token_secret.issuer(secret) if secret else None
        if issuer and other and issuer != other:
            raise BadOption(
                "token_file",
                f"'{self._task.params['token_file']}' holds a token of another server ({other}, not {issuer}). Name a "
                "file for each server; if this server was set up anew, remove the file",
            )

    def _issuer(self) -> str | None:
        """Who makes this server's tokens, as far as is known without asking."""
        if self._live:
            return self._live[0]["subject"].partition("/")[0]
        return token_secret.issuer(self._artifact.own_token or "")

    def _ask_who(self, secret: str, live: list[Fields]) -> str | None:
        """The id of the token that a secret belongs to; servers before 7.53 only tell whether it is good."""
        response = self._artifact.http.read("GET", f"{_ADDRESS}/me", accept=(200, 401, 403, 404), **_logged_in(secret))
        if response.status == 200:
            return response.record().text("token_id")
        self._tells_whose = response.status != 404
        return live[0]["token_id"] if response.status == 404 and live else None

    def _wishes(self) -> Fields:
        params = self._task.params
        wishes = self._task.select_provided("description", "scope", "expires_in", "refreshable", "project_key")
        wishes["username"] = params["subject"]
        if params["include_reference_token"]:
            wishes["include_reference_token"] = True
        return wishes

    def _store(self, secrets: Fields) -> None:
        if self._task.params["refreshable"]:
            if not secrets["refresh_token"]:
                raise ToolchainError("The server gave no refresh token.")
            self._write("refresh_token_file", secrets["refresh_token"])
        secret = secrets["reference_token"] or secrets["access_token"]
        self._write("token_file", secret, verify=self._check_file_unchanged)

    def _files(self) -> list[str]:
        refresh = self._task.params["refresh_token_file"]
        return [*super()._files(), *([refresh] if refresh else [])]

    def _remove(self, *ids: str) -> None:
        own = self._own_id() if len(ids) > 1 else None
        super()._remove(*sorted(ids, key=lambda id_: id_ == own))

    def _own_id(self) -> str | None:
        """The id of the token that this task logs in with, which goes last."""
        own = self._artifact.own_token or ""
        return self._ask_who(own, []) if token_secret.is_reference(own) else token_secret.token_id(own)


def _check_options(task: Task) -> None:
    params = task.params
    life, early = params["expires_in"], params["rotate_before"]
    if life and life < SHORTEST_LISTED and not params["allow_unlisted"]:
        raise BadOption(
            "expires_in",
            f"by default the server does not store tokens that live shorter than {SHORTEST_LISTED} s: {life} s "
            "gives one that works, but can be neither found again nor revoked. "
            "Set 'allow_unlisted: true' if that is what you want",
        )
    if life and early and early >= life:
        raise BadOption("rotate_before", f"must be less than 'expires_in' ({life} s), or each run makes a new token")
    if params["token_file"] and params["refreshable"] and not params["refresh_token_file"]:
        raise BadOption("refresh_token_file", "is needed with 'token_file' and 'refreshable', to keep both secrets")
    if params["refresh_token_file"] and not (params["token_file"] and params["refreshable"]):
        raise BadOption("refresh_token_file", "is only for 'refreshable: true' with a 'token_file'")
    if params["refresh_token_file"] and params["state"] == "present":
        check_writable(task, params["refresh_token_file"], "refresh_token_file")
        if os.path.realpath(params["refresh_token_file"]) == os.path.realpath(params["token_file"]):
            raise BadOption("refresh_token_file", "must be another file than 'token_file'")


def _entry(token: Record) -> Fields:
    subject = token.maybe_text("subject") or ""
    return {
        "token_id": token.text("token_id"),
        "description": token.maybe_text("description"),
        "subject": subject,
        "username": subject.rpartition("/users/")[2] or subject,
        "scope": token.maybe_text("scope"),
        "issued_at": token.maybe_integer("issued_at"),
        "expiry": token.maybe_integer("expiry"),
        "refreshable": token.maybe_flag("refreshable"),
        "last_used": token.maybe_integer("last_used"),
    }


def _logged_in(secret: str | None) -> t.Any:
    """Options of a request that logs in with a token's secret."""
    return {"anonymous": True, "headers": {"Authorization": f"Bearer {secret}"}} if secret else {}


def _same_scope(scope: str | None, wanted: str) -> bool:
    """Whether two scopes are equal as sets; older servers do not tell the scope of a token."""
    return scope is None or set(scope.split()) == set(wanted.split())
