# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Who asks: users, passwords, API tokens, sessions and crumbs."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import pages
from .permissions import ADMINISTER, BY_TITLE, JOB_READ, READ, Permission
from .store import User

if TYPE_CHECKING:
    from starlette.responses import Response

    from .call import Call

CRUMB_FIELD = "Jenkins-Crumb"
LOGIN_PATH = "/j_spring_security_check"


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


def _anonymous(call: Call) -> Principal:
    if not call.switch("security"):
        permissions = {ADMINISTER}
    elif call.switch("anonymous_read"):
        permissions = {READ, JOB_READ}
    else:
        permissions = set()
    return Principal("anonymous", frozenset(permissions), ("anonymous",), anonymous=True)


def _principal(user: User, by_token: bool = False) -> Principal:
    permissions = frozenset(BY_TITLE[title] for title in user.permissions)
    authorities = ("authenticated",) if by_token else ("authenticated", "FACTOR_PASSWORD")
    return Principal(user.name, permissions, authorities, by_token=by_token)


def unauthorized(call: Call) -> pages.EngineError:
    """The answer to credentials that do not hold."""
    headers = {
        "WWW-Authenticate": 'Basic realm="Jenkins", charset="UTF-8"',
        "Set-Cookie": f"remember-me=; Path={call.context}; Expires={pages.EPOCH}; Max-Age=0",
        "Expires": pages.EPOCH,
    }
    return pages.EngineError(401, headers=headers)


def sends_credentials(call: Call) -> bool:
    """Whether a request comes with a name and a password or token."""
    return call.headers.get("Authorization", "").lower().startswith("basic ")


def authenticate(call: Call) -> Principal:
    """The user of a request; wrong credentials are a refusal on every path."""
    if not call.switch("security"):
        return _anonymous(call)
    logged_in = call.store.user(call.session.user) if call.session and call.session.user else None
    if sends_credentials(call):
        name, secret = _credentials(call)
        if not logged_in or logged_in.name != name:
            return _check(call, name, secret)
    return _principal(logged_in) if logged_in else _anonymous(call)


def _credentials(call: Call) -> tuple[str, str]:
    _unused, _unused, value = call.headers["Authorization"].partition(" ")
    try:
        name, colon, secret = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise unauthorized(call) from None
    if not colon:
        raise unauthorized(call)
    return name, secret


def _check(call: Call, name: str, secret: str) -> Principal:
    user = call.store.user(name)
    if user and secret in user.tokens:
        return _principal(user, by_token=True)
    if user and secret == user.password:
        return _principal(user)
    raise unauthorized(call)


def crumb(call: Call, session: Session) -> str:
    """The crumb of a user in a session."""
    salt = call.store.setting("crumb_salt")
    return hashlib.sha256(f"{call.principal.name};{session.id};{salt}".encode()).hexdigest()


def _has_crumb(call: Call) -> bool:
    sent = call.headers.get(CRUMB_FIELD, call.parameter(CRUMB_FIELD))
    return sent is not None and hmac.compare_digest(sent.encode(), crumb(call, call.need_session()).encode())


def check_crumb(call: Call) -> None:
    """Refuse a POST without a valid crumb, whatever it asks for."""
    if call.method != "POST" or not call.switch("csrf") or call.principal.by_token or call.path == LOGIN_PATH:
        return
    if not _has_crumb(call):
        raise pages.EngineError(403, "No valid crumb was included in the request")


def login(call: Call) -> Response:
    """The login form: the one way to a cookie that carries a login."""
    if not call.switch("security"):
        raise pages.NotFound
    user = call.store.user(call.parameter("j_username") or "")
    crumb_holds = not call.switch("csrf") or _has_crumb(call)
    if call.method != "POST" or not crumb_holds or not user or call.parameter("j_password") != user.password:
        return pages.redirect(f"{call.context}/loginError")
    call.begin_session(user.name)
    return pages.redirect(f"{call.context}/")


def login_page(call: Call) -> Response:
    """The page with the form; anybody may see it, so it serves as a probe."""
    token = crumb(call, call.need_session()) if call.switch("csrf") else None
    fields = "<input name='j_username'><input name='j_password' type='password'>"
    form = f"<form method='post' action='{call.context}{LOGIN_PATH}'>{fields}</form>"
    return pages.page("Sign in - Jenkins", f"<h1>Sign in to Jenkins</h1>{form}", crumb=token)


def login_error(call: Call) -> Response:
    """Where a failed login ends."""
    return pages.page("Sign in - Jenkins", "<p>Invalid username or password</p>", 401)
