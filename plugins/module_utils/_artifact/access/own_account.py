# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The account of the task, and protection of its administration."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact import token_secret
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError


def find(artifact: ArtifactService) -> str | None:
    """Return the user name of the account in lower case, or `None` if it is unknown, as with an API key.

    For a token that does not contain the name, one request serves all tasks.
    """
    if artifact.own_user is not None:
        return artifact.own_user.lower()
    if artifact.own_token is None:
        return None
    return token_secret.username(artifact.own_token) or _get_token(artifact).username


def find_token_groups(artifact: ArtifactService) -> list[str]:
    """Return the groups whose permissions the token of the account has, regardless of the groups of the user."""
    return token_secret.parse_groups(_find_scope(artifact))


def has_admin_scope(artifact: ArtifactService) -> bool:
    """Return whether the account has a token that gives administrator permissions to any user."""
    return "applied-permissions/admin" in _find_scope(artifact).split()


def has_password(artifact: ArtifactService, name: str) -> bool:
    """Return whether a user is the account of the task, which logs in with the password of the user."""
    return artifact.own_token is None and artifact.own_user is not None and artifact.own_user.lower() == name.lower()


def is_possibly_own(artifact: ArtifactService, name: str) -> bool:
    """Return whether a user is the account of the task, or this is unknown."""
    return find(artifact) in (None, name.lower())


def lockout_error(artifact: ArtifactService, consequence: str) -> ToolchainError:
    """Return the error for a change that takes administration from the account of the task.

    :arg consequence: what happens to the account, such as `it would be deleted`
    """
    name = find(artifact)
    if name is None:
        return ToolchainError(
            f"Cannot verify that the account of this task is not affected: its name is unknown, and {consequence} if "
            "it is this account. Use 'token', or 'username' and 'password', or set 'allow_lockout: true'."
        )
    return ToolchainError(
        f"The change would lock out '{name}', the account of this task: {consequence}. Set 'allow_lockout: true' to "
        "allow this."
    )


def _find_scope(artifact: ArtifactService) -> str:
    if artifact.own_token is None:
        return ""
    if token_secret.username(artifact.own_token):
        return token_secret.scope(artifact.own_token)
    return _get_token(artifact).scope


class _Token(t.NamedTuple):
    """What the server reports about a token that does not contain it."""

    username: str | None
    scope: str


def _get_token(artifact: ArtifactService) -> _Token:
    return t.cast(_Token, artifact.http.get_cached("own token", lambda: _fetch_token(artifact)))


def _fetch_token(artifact: ArtifactService) -> _Token:
    response = artifact.http.read("GET", "/access/api/v1/tokens/me", accept=(200, 401, 403, 404))
    if response.status != 200:
        return _Token(None, "")
    token = response.record()
    return _Token(token_secret.parse_username(token.maybe_text("subject")), token.maybe_text("scope") or "")
