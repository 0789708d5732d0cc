# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who asks: the user of a request, the sessions of the servlet engine, and their crumbs."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass

from .permissions import Permission


@dataclass(frozen=True)
class Principal:
    """The user behind a request."""

    name: str
    permissions: frozenset[Permission]
    authorities: tuple[str, ...]
    anonymous: bool = False
    by_token: bool = False

    def may(self, permission: Permission) -> bool:
        """Whether the user has a right."""
        return permission in self.permissions or any(p in self.permissions for p in permission.implications())


@dataclass
class Session:
    """A session of the servlet engine; it carries a login only after the login form."""

    id: str
    user: str | None = None


class Sessions:
    """The sessions of one run of the server: a restart forgets them."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}

    def clear(self) -> None:
        """Forget all."""
        self._sessions.clear()

    def find(self, identifier: str | None) -> Session | None:
        """The session of a cookie."""
        return self._sessions.get(identifier) if identifier else None

    def create(self, user: str | None = None) -> Session:
        """Begin a session."""
        session = Session(f"node0{secrets.token_hex(13)}0.node0", user)
        self._sessions[session.id] = session
        return session

    def end(self, session: Session) -> None:
        """Forget one session: its cookie and its crumb hold no longer."""
        self._sessions.pop(session.id, None)


def crumb(user: str, session: Session, salt: str) -> str:
    """The crumb of a user in a session."""
    return hashlib.sha256(f"{user};{session.id};{salt}".encode()).hexdigest()
