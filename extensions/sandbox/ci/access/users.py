# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Users: whoAmI, profiles and API tokens."""

from __future__ import annotations

import html
import json
import secrets
import uuid

from starlette.responses import Response

from ...http.routing import ANY, Route
from ..call import Answer, Call
from ..http import pages
from ..http.refusals import AccessDenied, EngineError, NotFound, NotServed
from ..remote_api.api import API, serve
from ..remote_api.beans import ALWAYS, Bean, Property
from ..storage import User
from .permissions import ADMINISTER

TOKEN_PROPERTY = "/descriptorByName/jenkins.security.ApiTokenProperty"
PROPERTIES = (
    "jenkins.security.ApiTokenProperty",
    "jenkins.console.ConsoleUrlProviderUserProperty",
    "jenkins.views.ViewsTabBarUserProperty",
    "hudson.model.MyViewsProperty",
    "hudson.model.PaneStatusProperties",
    "jenkins.security.seed.UserSeedProperty",
    "hudson.search.UserSearchProperty",
    "hudson.model.TimeZoneProperty",
    "jenkins.model.experimentalflags.UserExperimentalFlagsProperty",
    "hudson.security.HudsonPrivateSecurityRealm$Details",
)
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
    return _user(call, call.principal.name, form)


def _find_user(call: Call, name: str) -> User:
    user = call.storage.user(name)
    if not user:
        raise NotFound
    return user


def _user(call: Call, name: str, form: str) -> Answer:
    user = _find_user(call, name)
    account = Bean(
        "hudson.model.User",
        Property("absoluteUrl", f"{call.configured_root}user/{call.encode_name(user.name)}", visibility=ALWAYS),
        Property("description", None),
        Property("fullName", user.full_name, visibility=ALWAYS),
        Property("id", user.name),
        Property("property", [Bean(name, *MEMBERS.get(name, ())) for name in PROPERTIES]),
    )
    return serve(call, account, form)


def _user_page(call: Call, name: str) -> Response:
    user = _find_user(call, name)
    return call.page(f"{user.full_name} - Jenkins", f"<h1>{html.escape(user.full_name)}</h1>")


def _my_page(call: Call) -> Response:
    return _user_page(call, call.principal.name)


def _user_without_slash(call: Call, name: str) -> Response:
    _find_user(call, name)
    return pages.redirect(call.with_slash)


def _generate_my_token(call: Call) -> Response:
    return _generate_token(call, call.principal.name)


def _generate_token(call: Call, name: str) -> Response:
    user = _find_user(call, name)
    call.require_post()
    if user.name != call.principal.name:
        raise AccessDenied(ADMINISTER)
    token = "11" + secrets.token_hex(16)
    user.tokens.append(token)
    call.storage.put_user(user)
    token_data = {
        "aboutToExpire": False,
        "tokenName": call.parameter("newTokenName") or "",
        "tokenUuid": _uuid(token),
        "tokenValue": token,
        "expirationDate": "never",
    }
    content = json.dumps({"status": "ok", "data": token_data}, separators=(",", ":"))
    return Response(content.encode(), headers={"Content-Type": "application/json;charset=utf-8"})


def _uuid(token: str) -> str:
    """Return the UUID that revokes a token."""
    return str(uuid.uuid5(uuid.NAMESPACE_OID, token))


def _revoke_my_token(call: Call) -> Response:
    return _revoke_token(call, call.principal.name)


def _revoke_token(call: Call, name: str) -> Response:
    """Revoke a token. An unknown UUID is not an error."""
    user = _find_user(call, name)
    call.require_post()
    if user.name != call.principal.name:
        call.require(ADMINISTER)
    named = call.parameter("tokenUuid")
    if not named:
        raise EngineError(400, "The tokenUuid cannot be empty")
    user.tokens = [token for token in user.tokens if _uuid(token) != named]
    call.storage.put_user(user)
    return Response()


def _other_token_call(call: Call) -> Response:
    call.require_post()
    raise NotServed("naming API tokens and revoking several of them")


ROUTES = (
    Route(ANY, "/whoAmI" + API, _who_am_i, "who_am_i", scope="open", read_only=True),
    Route(ANY, "/whoAmI/", _who_am_i_page, "who_am_i", scope="open", read_only=True),
    Route(ANY, "/me" + API, _me, "me", read_only=True),
    Route(ANY, "/user/{name}" + API, _user, "user", read_only=True),
    Route(ANY, "/me/", _my_page, "me", read_only=True),
    Route(ANY, "/user/{name}/", _user_page, "user", read_only=True),
    Route(ANY, "/user/{name}", _user_without_slash, "user", read_only=True),
    Route(ANY, "/me" + TOKEN_PROPERTY + "/generateNewToken", _generate_my_token, "generate_token"),
    Route(ANY, "/user/{name}" + TOKEN_PROPERTY + "/generateNewToken", _generate_token, "generate_token"),
    Route(ANY, "/me" + TOKEN_PROPERTY + "/revoke", _revoke_my_token, "revoke_token"),
    Route(ANY, "/user/{name}" + TOKEN_PROPERTY + "/revoke", _revoke_token, "revoke_token"),
    Route(ANY, "/{:me|user/[^/]+}" + TOKEN_PROPERTY + "/{:.*}", _other_token_call, "change_tokens"),
)
