# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts of the modules that read and change users and their API tokens."""

from __future__ import annotations

from typing import Any

from ..call import Call
from ..scripts.known_scripts import Arguments, ScriptError, known_script
from ..storage import Token, User
from . import accounts

MAILER = ("mailer",)


def _describe_token(token: Token) -> dict[str, Any]:
    return {
        "uuid": token.uuid,
        "name": token.name,
        "created": int(token.created * 1000),
        "expires": token.expires,
        "hash": accounts.hash_token(token),
    }


def _list_tokens(user: User) -> list[dict[str, Any]]:
    return [_describe_token(token) for token in sorted(user.tokens, key=lambda token: token.name.lower())]


@known_script("list users", read_only=True)
def _list_users(call: Call, arguments: Arguments) -> dict[str, Any]:
    realm = accounts.find_realm(call.controller)
    has_mailer = call.plugins.have(MAILER)
    users = [
        {
            "name": user.name,
            "full_name": user.full_name,
            "description": user.description,
            "email": user.email if has_mailer else None,
            "tokens": _list_tokens(user),
        }
        for user in accounts.list_accounts(call.storage)
        if arguments["name"] is None or user.name.lower() == arguments["name"].lower()
    ]
    is_own = realm == accounts.OWN_DATABASE
    return {"realm": realm, "users": users if is_own else None, "mailer": has_mailer, "name_pattern": None}


@known_script("change a user")
def _change_user(call: Call, arguments: Arguments) -> None:
    user = accounts.find_account(call.storage, arguments["name"])
    if not user:
        raise ScriptError(f"the user '{arguments['name']}' has no account")
    changes = arguments["changes"]
    user.full_name = changes.get("full_name", user.full_name)
    user.description = changes.get("description", user.description)
    user.email = changes.get("email", user.email)
    user.password = changes.get("password", user.password)
    call.storage.put_user(user)


@known_script("list API tokens", read_only=True)
def _list_api_tokens(call: Call, arguments: Arguments) -> dict[str, Any] | None:
    user = call.storage.user(arguments["user"])
    if not user:
        return None
    return {
        "tokens": _list_tokens(user),
        "may_create": user.name == call.principal.name or bool(call.switch("admin_can_generate_tokens")),
    }
