# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users: whoAmI, profiles, and the forms that change them."""

from __future__ import annotations

import html
import json
from typing import Any

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..call import Answer, Call
from ..http import error_pages, pages
from ..http.refusals import EngineError, Failure, InternalError, NotFound
from ..remote_api.api import API, serve
from ..remote_api.beans import ALWAYS, Bean, Property
from ..storage import User
from . import accounts
from .permissions import ADMINISTER

CREDENTIALS = "com.cloudbees.plugins.credentials.UserCredentialsProvider$UserCredentialsProperty"
DETAILS = "hudson.security.HudsonPrivateSecurityRealm$Details"  # part of users with an account
PROPERTIES = (
    "jenkins.security.ApiTokenProperty",
    "jenkins.console.ConsoleUrlProviderUserProperty",
    CREDENTIALS,
    "jenkins.views.ViewsTabBarUserProperty",
    "hudson.model.MyViewsProperty",
    "hudson.model.PaneStatusProperties",
    "jenkins.security.seed.UserSeedProperty",
    "hudson.search.UserSearchProperty",
    "hudson.model.TimeZoneProperty",
    "jenkins.model.experimentalflags.UserExperimentalFlagsProperty",
    DETAILS,
)
PASSWORD_PART, PART_AFTER_PASSWORD = 1, 2  # places of the parts on the page of a user's security settings
MEMBERS = {"hudson.search.UserSearchProperty": (Property("insensitiveSearch", True, visibility=ALWAYS),)}


def _who_am_i(call: Call, form: str) -> Answer:
    principal = call.principal
    who = Bean(
        "hudson.security.WhoAmI",
        Property("anonymous", principal.anonymous),
        Property("authenticated", True),
        Property("authorities", list(principal.authorities)),
        Property("name", principal.name),
    )
    return serve(call, who, form)


def _who_am_i_page(call: Call) -> Response:
    return call.page("Who Am I? - Jenkins", f"<h1>Who Am I?</h1><p>{html.escape(call.principal.name)}</p>")


def _me(call: Call, form: str) -> Answer:
    return serve_user(call, call.principal.name, form)


def find_user(call: Call, name: str) -> User:
    """Return a user, who need not have an account."""
    user = call.storage.user(name)
    if not user:
        raise NotFound
    return user


def serve_user(call: Call, name: str, form: str) -> Answer:
    """Return a user. Only the user and administrators see the properties."""
    user = find_user(call, name)
    sees_properties = user.name == call.principal.name or call.principal.may(ADMINISTER)
    account = Bean(
        "hudson.model.User",
        Property("absoluteUrl", f"{call.configured_root}user/{call.encode_name(user.name)}", visibility=ALWAYS),
        Property("description", user.description),
        Property("fullName", user.full_name, visibility=ALWAYS),
        Property("id", user.name),
        Property("property", _properties(call, user) if sees_properties else []),
    )
    return serve(call, account, form)


def _properties(call: Call, user: User) -> list[Bean]:
    missing = {
        CREDENTIALS: not call.plugins.have(("credentials",)),
        DETAILS: user.password is None,
    }
    properties = [Bean(name, *MEMBERS.get(name, ())) for name in PROPERTIES if not missing.get(name)]
    if call.plugins.have(("mailer",)):
        properties.append(Bean("hudson.tasks.Mailer$UserProperty", Property("address", user.email, visibility=ALWAYS)))
    return properties


def _user_page(call: Call, name: str) -> Response:
    user = find_user(call, name)
    return call.page(f"{user.full_name} - Jenkins", f"<h1>{html.escape(user.full_name)}</h1>")


def _my_page(call: Call) -> Response:
    return _user_page(call, call.principal.name)


def _user_without_slash(call: Call, name: str) -> Response:
    find_user(call, name)
    return pages.redirect(call.with_slash)


def _submit_description(call: Call, name: str) -> Response:
    user = _user_to_change(call, name)
    user.description = call.parameter("description")
    call.storage.put_user(user)
    return pages.redirect(f"{call.context}/user/{call.encode_name(user.name)}/")


def _submit_account(call: Call, name: str) -> Response:
    """Set full name and description. If only the full name is sent, it is set although the response is an error."""
    user = _user_to_change(call, name)
    form = _submitted_form(call)
    if "fullName" not in form:
        raise InternalError
    user.full_name = form["fullName"] or user.name
    user.description = form.get("description", user.description)
    call.storage.put_user(user)
    if "description" not in form:
        return error_pages.to_response(InternalError(), call)
    return pages.redirect(f"{call.context}/user/{call.encode_name(user.name)}/")


def _submit_security(call: Call, name: str) -> Response:
    """Set the password, if it is sent for the part of the page that has it."""
    user = _user_to_change(call, name)
    form = _submitted_form(call)
    if f"userProperty{PART_AFTER_PASSWORD}" in form:
        raise InternalError
    if f"userProperty{PASSWORD_PART}" in form:
        password = call.parameter("user.password")
        if not password or password != call.parameter("user.password2"):
            raise Failure("Please confirm the password by typing it twice")
        accounts.set_password(call.storage, user, password)
    return pages.redirect(f"{call.context}/user/{call.encode_name(user.name)}/")


def _user_to_change(call: Call, name: str) -> User:
    user = find_user(call, name)
    call.require_post()
    if user.name != call.principal.name:
        call.require(ADMINISTER)
    return user


def _submitted_form(call: Call) -> dict[str, Any]:
    try:
        form = json.loads(call.parameter("json") or "")
    except ValueError:
        form = None
    if not isinstance(form, dict):
        raise EngineError(400, "This page expects a form submission")
    return form


ROUTES = (
    Route(ANY, "/whoAmI" + API, _who_am_i, "who_am_i", scope="open", read_only=True),
    Route(ANY, "/whoAmI/", _who_am_i_page, "who_am_i", scope="open", read_only=True),
    Route(ANY, "/me" + API, _me, "me", read_only=True),
    Route(ANY, "/user/{name}" + API, serve_user, "user", read_only=True),
    Route(ANY, "/me/", _my_page, "me", read_only=True),
    Route(ANY, "/user/{name}/", _user_page, "user", read_only=True),
    Route(ANY, "/user/{name}", _user_without_slash, "user", read_only=True),
    Route(ANY, "/user/{name}/submitDescription", _submit_description, "change_user"),
    Route(ANY, "/user/{name}/account/configSubmit", _submit_account, "change_user"),
    Route(ANY, "/user/{name}/security/configSubmit", _submit_security, "change_user"),
)
