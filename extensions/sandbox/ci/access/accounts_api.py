# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Accounts of Jenkins' own user database on the wire."""

from __future__ import annotations

import html
import re

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import EngineError, NotFound
from ..remote_api.api import API
from . import accounts, users
from .account_scripts import MAILER
from .permissions import ADMINISTER

NAME = re.compile(r"[\w-]+", re.ASCII)
PROHIBITED = ("", "anonymous", "system", "unknown")
FIELDS = (
    ("username", "Username", "username"),
    ("password1", "Password", "password"),
    ("password2", "Confirm password", "password"),
    ("fullname", "Full name", "fullname"),
)
EMAIL = ("email", "E-mail address", "email")


def _require_own_database(call: Call) -> None:
    if accounts.find_realm(call.controller) != accounts.OWN_DATABASE:
        raise NotFound


def _list_page(call: Call) -> Response:
    _require_own_database(call)
    call.require(ADMINISTER)
    rows = "".join(
        f"<tr><td><a href='user/{call.encode_name(user.name)}/'>{html.escape(user.name)}</a></td>"
        f"<td>{html.escape(user.full_name)}</td></tr>"
        for user in accounts.list_accounts(call.storage)
    )
    return call.page("Users - Jenkins", f"<h1>Users</h1><table id='people'>{rows}</table>")


def _add_user_page(call: Call) -> Response:
    _require_own_database(call)
    call.require(ADMINISTER)
    return _show_form(call, {})


def _create_account(call: Call) -> Response:
    """Create an account. A refusal is the form again, with 200 and the reasons."""
    _require_own_database(call)
    call.require_post()
    call.require(ADMINISTER)
    values = {name: call.parameter(name) or "" for name in ("username", "password1", "password2", "fullname", "email")}
    if errors := _find_errors(call, values):
        return _show_form(call, errors)
    email = values["email"] if call.plugins.have(MAILER) else None
    accounts.create_account(call.storage, values["username"], values["password1"], values["fullname"], email)
    return pages.redirect(f"{call.context}/securityRealm/")


def _find_errors(call: Call, values: dict[str, str]) -> dict[str, str]:
    """Return the reasons for a refusal by field."""
    errors = {}
    name, full_name = values["username"], values["fullname"] or values["username"]
    if not NAME.fullmatch(name):
        errors["username"] = "User name must only contain alphanumeric characters, underscore and dash"
    elif accounts.find_account(call.storage, name):
        errors["username"] = "User name is already taken"
    if values["password1"] != values["password2"]:
        errors["password"] = "Password didn't match"
    if not values["password1"]:
        errors["password"] = "Password is required"
    if call.plugins.have(MAILER) and "@" not in values["email"]:
        errors["email"] = "Invalid e-mail address"
    if name.lower() in PROHIBITED:
        errors["username"] = f'"{name}" is prohibited as a username for security reasons.'
    if full_name.lower() in PROHIBITED:
        errors["fullname"] = f'"{full_name}" is prohibited as a full name for security reasons.'
    return errors


def _show_form(call: Call, errors: dict[str, str]) -> Response:
    """Return the form alone, as the dialog of Jenkins requests it."""
    fields = [*FIELDS, EMAIL] if call.plugins.have(MAILER) else FIELDS
    parts = []
    for name, label, error in fields:
        parts.append(f'<div class="jenkins-form-item tr"><div>{label}</div><input name="{name}"></div>')
        if error in errors:
            parts.append(f'<div class="error jenkins-!-margin-bottom-2">{html.escape(errors[error])}</div>')
    form = f'<form method="post" action="{call.context}/securityRealm/createAccountByAdmin">{"".join(parts)}'
    return Response(f"{form}<button>Create</button></form>", headers={"Content-Type": "text/html;charset=utf-8"})


def _sign_up(call: Call) -> Response:
    _require_own_database(call)
    raise EngineError(401, "User sign up is prohibited")


def _delete(call: Call, name: str) -> Response:
    return _delete_user(call, name, f"{call.context}/")


def _delete_by_realm(call: Call, name: str) -> Response:
    _require_account(call, name)
    return _delete_user(call, name, f"{call.context}/securityRealm/")


def _delete_user(call: Call, name: str, location: str) -> Response:
    user = users.find_user(call, name)
    call.require_post()
    call.require(ADMINISTER)
    if user.name == call.principal.name:
        raise EngineError(400, "Cannot delete self")
    call.storage.delete_user(user)
    return pages.redirect(location)


def _user_by_realm(call: Call, name: str, form: str) -> Answer:
    _require_account(call, name)
    return users.serve_user(call, name, form)


def _require_account(call: Call, name: str) -> None:
    _require_own_database(call)
    call.require(ADMINISTER)
    if not accounts.find_account(call.storage, name):
        raise NotFound


ROUTES = (
    Route(ANY, "/securityRealm/", _list_page, "accounts", read_only=True),
    Route(ANY, "/securityRealm/addUser", _add_user_page, "accounts", read_only=True),
    Route(ANY, "/securityRealm/createAccountByAdmin", _create_account, "create_account"),
    Route(ANY, "/securityRealm/createAccount", _sign_up, "sign_up", scope="open"),
    Route(ANY, "/securityRealm/user/{name}" + API, _user_by_realm, "user", read_only=True),
    Route(ANY, "/securityRealm/user/{name}/doDelete", _delete_by_realm, "delete_user"),
    Route(ANY, "/user/{name}/doDelete", _delete, "delete_user"),
)
