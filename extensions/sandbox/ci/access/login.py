# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Authentication: passwords, API tokens, the login form, and the crumbs of POST requests."""

from __future__ import annotations

import base64
import binascii
import hmac
import html

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..authorization import grants
from ..call import Call
from ..http import pages
from ..http.refusals import EngineError, NotFound
from ..storage import Storage, User
from . import accounts
from .permissions import ADMINISTER, JOB_READ, READ
from .sessions import Principal

CRUMB_FIELD = "Jenkins-Crumb"
LOGIN_PATH = "/j_spring_security_check"
NEED_NO_CRUMB = (LOGIN_PATH, "/cli", "/reload-configuration-as-code", "/reload-configuration-as-code/")


def _anonymous(call: Call) -> Principal:
    if not call.switch("security"):
        permissions = {ADMINISTER}
    elif call.switch("anonymous_read"):
        permissions = {READ, JOB_READ}
    else:
        permissions = set(grants.list_permissions(call.storage, "anonymous", ("anonymous",)))
    return Principal("anonymous", frozenset(permissions), ("anonymous",), anonymous=True)


def get_principal(storage: Storage, user: User, by_token: bool = False) -> Principal:
    """Return the authenticated user."""
    authorities = ("authenticated",) if by_token else ("authenticated", "FACTOR_PASSWORD")
    permissions = grants.list_permissions(storage, user.name, authorities)
    return Principal(user.name, permissions, authorities, by_token=by_token)


def expired_login_cookie(call: Call) -> str:
    """Return the cookie that ends "keep me signed in"."""
    return f"remember-me=; Path={call.context}; Expires={pages.EPOCH}; SameSite=Lax"


def unauthorized_response(call: Call) -> EngineError:
    """Return the response to wrong credentials."""
    headers = {
        "WWW-Authenticate": 'Basic realm="Jenkins", charset="UTF-8"',
        "Set-Cookie": expired_login_cookie(call),
        "Expires": pages.EPOCH,
    }
    return EngineError(401, headers=headers)


def sends_credentials(call: Call) -> bool:
    """Return whether a request has a user name with a password or token."""
    return call.headers.get("Authorization", "").lower().startswith("basic ")


def authenticate(call: Call) -> Principal:
    """Return the user of a request. Wrong credentials are refused on every path."""
    if not call.switch("security"):
        return _anonymous(call)
    logged_in = call.storage.user(call.session.user) if call.session and call.session.user else None
    if sends_credentials(call):
        name, secret = _credentials(call)
        if not logged_in or logged_in.name != name:
            return _check(call, name, secret)
    return get_principal(call.storage, logged_in) if logged_in else _anonymous(call)


def _credentials(call: Call) -> tuple[str, str]:
    _unused, _unused, value = call.headers["Authorization"].partition(" ")
    try:
        name, colon, secret = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise unauthorized_response(call) from None
    if not colon:
        raise unauthorized_response(call)
    return name, secret


def _check(call: Call, name: str, secret: str) -> Principal:
    user = call.storage.user(name)
    if user and accounts.find_token(user, secret, call.now):
        return get_principal(call.storage, user, by_token=True)
    if user and secret == user.password:
        return get_principal(call.storage, user)
    raise unauthorized_response(call)


def _has_crumb(call: Call) -> bool:
    sent = call.headers.get(CRUMB_FIELD, call.parameter(CRUMB_FIELD))
    return sent is not None and hmac.compare_digest(sent.encode(), call.crumb.encode())


def check_crumb(call: Call) -> None:
    """Refuse a POST without a valid crumb, whatever its path."""
    if call.method != "POST" or not call.switch("csrf") or call.principal.by_token or call.path in NEED_NO_CRUMB:
        return
    if not _has_crumb(call):
        raise EngineError(403, "No valid crumb was included in the request")


def _login(call: Call) -> Response:
    """Handle the login form, the only way to a session with a login."""
    if not call.switch("security"):
        raise NotFound
    user = call.storage.user(call.parameter("j_username") or "")
    crumb_holds = not call.switch("csrf") or _has_crumb(call)
    if call.method != "POST" or not crumb_holds or not user or call.parameter("j_password") != user.password:
        answer = pages.redirect(f"{call.context}/loginError")
        answer.headers["Set-Cookie"] = expired_login_cookie(call)
        return answer
    call.begin_session(user.name)
    return pages.redirect(call.parameter("from") or f"{call.context}/")


def _login_page(call: Call) -> Response:
    """Return the login page, which is public, so that clients use it as a probe."""
    crumb = f"<input type='hidden' name='{CRUMB_FIELD}' value='{call.crumb}'>" if call.switch("csrf") else ""
    origin = f"<input type='hidden' name='from' value='{html.escape(call.parameter('from') or '', quote=True)}'>"
    login = (
        "<label>Username</label><input name='j_username'>"
        "<label>Password</label><input name='j_password' type='password'>"
        "<label><input name='remember_me' type='checkbox'>Keep me signed in</label>"
    )
    fields = f"{login}{origin}{crumb}<button>Sign in</button>"
    form = f"<form method='post' name='login' action='{call.context}{LOGIN_PATH}'>{fields}</form>"
    return call.page("Sign in - Jenkins", f"<h1>Sign in to Jenkins</h1>{form}")


def _login_error(call: Call) -> Response:
    """Return the page after a failed login."""
    return call.page("Sign in - Jenkins", "<p>Invalid username or password</p>", 401)


def _logout(call: Call) -> Response:
    """End the session and its crumb."""
    call.end_session()
    answer = pages.redirect(f"{call.context}/")
    answer.headers["Set-Cookie"] = expired_login_cookie(call)
    return answer


ROUTES = (
    Route(ANY, "/login", _login_page, "login_page", read_only=True, scope="open"),
    Route(ANY, "/loginError", _login_error, "login_page", read_only=True, scope="open"),
    Route(ANY, LOGIN_PATH, _login, "login", scope="open"),
    Route(ANY, "/logout", _logout, "logout", scope="open"),
)
