# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of requests, sessions and crumbs."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from .permissions import Permission


@dataclass(frozen=True)
class Principal:
    """The user of a request."""

    name: str
    permissions: frozenset[Permission]
    authorities: tuple[str, ...]
    anonymous: bool = False
    by_token: bool = False

    def may(self, permission: Permission) -> bool:
        """Return whether the user has a permission."""
        return permission in self.permissions or any(p in self.permissions for p in permission.implications())


@dataclass
class Session:
    """A session of the servlet container. It has a user only after the login form."""

    id: str
    user: str | None = None


class Sessions:
    """The sessions since the last start."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}

    def clear(self) -> None:
        """Delete all sessions."""
        self._sessions.clear()

    def find(self, identifier: str | None) -> Session | None:
        """Return the session of a cookie."""
        return self._sessions.get(identifier) if identifier else None

    def create(self, user: str | None = None) -> Session:
        """Create a session."""
        session = Session(f"node0{secrets.token_hex(13)}0.node0", user)
        self._sessions[session.id] = session
        return session

    def end(self, session: Session) -> None:
        """Delete a session, which invalidates its cookie and crumb."""
        self._sessions.pop(session.id, None)


def crumb(user: str, session: Session, salt: str) -> str:
    """Return the crumb of a user in a session."""
    return hashlib.sha256(f"{user};{session.id};{salt}".encode()).hexdigest()
