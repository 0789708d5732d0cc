# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Access tokens, identified by description, subject and scope."""

from __future__ import annotations

import contextlib
import os
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import editions, features, token_secret
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.access import own_account
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._issued_secret import SecretKind, SecretService
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


def list_tokens(artifact: ArtifactService, secret: str | None = None, **filters: str) -> list[Fields]:
    """Return the tokens that the account can see, newest first, without their secrets.

    :arg secret: the token to authenticate with instead of the task's credential
    :arg filters: `description`, `username`, `refreshable` or `token_id`, as in the REST API
    """
    try:
        response = artifact.http.read("GET", _ADDRESS, query=filters, stream=True, **_authenticate(secret))
    except ServerRefusal as refusal:
        if refusal.status == 404 or (refusal.status == 401 and artifact.own_token is None):
            with contextlib.suppress(ServerRefusal):  # the edition is unknown if the path in the URL is wrong
                editions.check(artifact, features.TOKEN_DESCRIPTIONS)
                editions.check(artifact, features.TOKENS)
        raise
    tokens = map(_to_token, response.entries("tokens"))
    return sorted(tokens, key=lambda token: (token["issued_at"] or 0, token["token_id"]), reverse=True)


def exclude_own(artifact: ArtifactService, found: list[Fields]) -> list[Fields]:
    """Return tokens without those that share description, subject and scope with the token of the task.

    :raises ToolchainError: if the task authenticates with a token that cannot be identified
    """
    if artifact.own_token is None:
        return found
    own_id = token_secret.token_id(artifact.own_token) or _read_own_id(artifact)
    own = [_identity(token) for token in found if token["token_id"] == own_id]
    return [token for token in found if _identity(token) not in own]


def to_result(token: Fields) -> Fields:
    """Return a token as the module returns it, with all its members."""
    return {**dict.fromkeys(_MEMBERS), "surplus": [], **token}


class TokenService(SecretService):
    """The requests for the access token that a task manages."""

    kind = SecretKind(
        noun="token",
        shared="with this description, subject and scope",
        removed="revoked",
        id_member="token_id",
        members=_SECRETS,
        file_option="token_file",
        file_content="token",
        unlisted_hint="Perhaps the server stores tokens with a longer 'expires_in' only.",
    )

    def __init__(self, task: Task, artifact: ArtifactService) -> None:
        _check_options(task)
        self._task = task
        self._artifact = artifact
        self._new_secret: str | None = None
        self._will_create = False
        self.allow_unlisted = task.params["allow_unlisted"]

    def list_matching(self) -> list[Fields]:
        """Return the active tokens with the description, subject and scope, newest first."""
        params = self._task.params
        return [
            token
            for token in self._list_with_description()
            if token["description"] == params["description"]
            and token["username"] == params["subject"]
            and _is_same_scope(token["scope"], params["scope"])
            and (token["expiry"] is None or token["expiry"] > self._artifact.http.now())
        ]

    def create(self) -> tuple[Fields, Fields]:
        """Create a token."""
        params = self._task.params
        body = self._task.select_provided("description", "scope", "expires_in", "refreshable", "project_key")
        body["username"] = params["subject"]
        if params["include_reference_token"]:
            body["include_reference_token"] = True
        response = self._artifact.http.write("POST", _ADDRESS, json=body)
        try:
            created = response.record()
            created.text("token_id"), created.text("access_token")
        except ToolchainError as error:
            raise OutcomeUnknown(str(error)) from None
        reply = Record({**body, **created, "subject": body["username"]}, response.unexpected_value)
        token = _to_token(reply)
        if token["expiry"] is None and (lifetime := reply.maybe_integer("expires_in")):
            token["expiry"] = int(self._artifact.http.now()) + lifetime
        secrets = {name: reply.maybe_text(name) for name in _SECRETS}
        self._new_secret = secrets["access_token"]
        return token, secrets

    def delete(self, item_id: str) -> None:
        """Revoke a token."""
        address = _ADDRESS + encode_path(item_id, option="token_id")
        self._artifact.http.write("DELETE", address, accept=(200, 204), policy=IDEMPOTENT)

    def find_owner(self, secret: str, items: list[Fields]) -> str | None:
        """Return the ID of the token that is in the file, if this server issued it."""
        token_id = token_secret.token_id(secret)
        if token_id is not None:
            if token_id not in [token["token_id"] for token in items]:
                self._check_issuer(self._issuer(items), secret)
            return token_id
        return self._fetch_own_id(secret, items) if token_secret.is_reference(secret) else None

    def expiry_reason(self, item: Fields) -> str | None:
        """Return a reason if the token expires within `rotate_before` seconds."""
        remaining = float("inf") if item["expiry"] is None else item["expiry"] - self._artifact.http.now()
        return "it expires soon" if remaining < (self._task.params["rotate_before"] or 0) else None

    def missing_file_reason(self) -> str | None:
        """Return a reason if the refresh token is to be stored, but its file is empty or missing."""
        path = self._task.params["refresh_token_file"]
        return None if not path or read_text(path) is not None else "its refresh token is not in 'refresh_token_file'"

    def check_created(self, secrets: Fields, stored: str | None) -> None:
        """Verify that the file does not contain a token of another server."""
        self._check_issuer(token_secret.issuer(secrets["access_token"]), stored)

    def secrets_by_file(self, secrets: Fields) -> dict[str, str]:
        """Return the refresh token, if there is one, and the reference token or the access token."""
        files = {}
        if self._task.params["refreshable"]:
            if not secrets["refresh_token"]:
                raise ToolchainError("The server returned no refresh token.")
            files["refresh_token_file"] = secrets["refresh_token"]
        return {**files, "token_file": secrets["reference_token"] or secrets["access_token"]}

    def file_options(self) -> tuple[str, ...]:
        """Return the options with paths of files for secrets."""
        return ("token_file", "refresh_token_file")

    def check_creation(self) -> None:
        """Remember that the task creates a token, with which its account can log in.

        :raises BadOption: if the server lacks an option
        """
        editions.check_options(self._artifact, features.TOKEN_OPTIONS, self._task.params)
        self._will_create = True

    def check_removal(self, item_ids: list[str]) -> None:
        """Verify that the task does not revoke its own token, unless the token is replaced.

        :raises ToolchainError: if it would, or if this is unknown
        """
        params, own = self._task.params, self._artifact.own_token
        is_replaced = params["state"] == "present" and (self._will_create or params["token_file"])
        if not item_ids or not own or is_replaced or params["allow_lockout"]:
            return
        own_id = self._fetch_own_id(own, []) if token_secret.is_reference(own) else token_secret.token_id(own)
        if own_id in item_ids:
            raise own_account.lockout_error(self._artifact, "its token would be revoked")
        if own_id is None and token_secret.is_reference(own):
            raise ToolchainError(
                "Cannot verify that the task does not revoke its own token: the server does not report the ID of a "
                "reference token. Use an access token, or set 'allow_lockout: true'."
            )

    def sort_for_removal(self, item_ids: t.Sequence[str]) -> t.Sequence[str]:
        """Return the token that the task authenticates with last."""
        own = self._artifact.own_token or ""
        if len(item_ids) < 2:
            return item_ids
        own_id = self._fetch_own_id(own, []) if token_secret.is_reference(own) else token_secret.token_id(own)
        return sorted(item_ids, key=lambda item_id: item_id == own_id)

    def _list_with_description(self) -> list[Fields]:
        """Return the tokens with the description.

        If the task has revoked the token that it authenticates with, the new token is used. Without a new token, the
        refusal proves the revocation.
        """
        description = self._task.params["description"]
        try:
            return list_tokens(self._artifact, description=description)
        except ServerRefusal as refusal:
            if refusal.status != 401 or not self.may_have_deleted:
                raise
        return list_tokens(self._artifact, self._new_secret, description=description) if self._new_secret else []

    def _check_issuer(self, issuer: str | None, secret: str | None) -> None:
        """Verify that a stored secret is not a token of another server.

        :arg issuer: the issuer of this server's tokens, if it is known
        :raises BadOption: if the secret has another issuer
        """
        other = token_secret.issuer(secret) if secret else None
        if issuer and other and issuer != other:
            raise BadOption(
                "token_file",
                f"'{self._task.params['token_file']}' contains a token of another server ({other}, not {issuer}). Use "
                "one file for each server; if this server was reinstalled, remove the file",
            )

    def _issuer(self, items: list[Fields]) -> str | None:
        """Return the issuer of this server's tokens, if it is known without a request."""
        if items:
            return items[0]["subject"].partition("/")[0]
        return token_secret.issuer(self._artifact.own_token or "")

    def _fetch_own_id(self, secret: str, items: list[Fields]) -> str | None:
        """Return the ID of the token with a secret. Before version 7.53, the server only verifies the secret."""
        response = self._artifact.http.read(
            "GET", f"{_ADDRESS}/me", accept=(200, 401, 403, 404), **_authenticate(secret)
        )
        if response.status == 200:
            return response.record().text("token_id")
        self.is_owner_proven = response.status != 404
        return items[0]["token_id"] if response.status == 404 and items else None


def _read_own_id(artifact: ArtifactService) -> str:
    response = artifact.http.read("GET", f"{_ADDRESS}/me", accept=(200, 404))
    if response.status == 200:
        return response.record().text("token_id")
    raise ToolchainError(
        "Cannot identify the token of this task: it is a reference token, and Artifactory before 7.53 does not report "
        "its ID. Use an access token, or 'username' and 'password'."
    )


def _identity(token: Fields) -> tuple[t.Any, ...]:
    return token["description"], token["username"], token["scope"]


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


def _to_token(token: Record) -> Fields:
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


def _authenticate(secret: str | None) -> t.Any:
    """Return the options of a request that authenticates with a token instead of the task's credential."""
    return {"anonymous": True, "headers": {"Authorization": f"Bearer {secret}"}} if secret else {}


def _is_same_scope(scope: str | None, desired: str) -> bool:
    """Return whether two scopes are equal as sets. Old servers do not return the scope of a token."""
    return scope is None or set(scope.split()) == set(desired.split())
