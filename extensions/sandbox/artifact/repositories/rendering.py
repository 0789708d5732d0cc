# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations of repositories in responses. The texts are cached, because lists contain many of them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..call import Call
from ..protocol import feature_versions
from ..protocol.formats import format_json
from .configurations import CACHE_SUFFIX, complete_form, encrypt, relevant_form
from .repositories import Repository

# Members that users without administrator permissions see.
PUBLIC_MEMBERS = ("key", "packageType", "description", "rclass", "url", "repositories")
SUFFIXED_CLASSES = ("remote", "federated")
MASK = "********"


class Form(NamedTuple):
    """What determines the text of a configuration besides its members.

    `is_complete` includes members of other package types, as in the first version of the API. `passwords` is `clear`,
    `encrypted`, `masked` or `absent`.
    """

    is_complete: bool
    depth: int
    passwords: str
    cache_suffix: bool
    unassigned_project: str


def render_for_caller(
    call: Call, repository: Repository, is_complete: bool, depth: int = 0, is_managed: bool = False
) -> str:
    """Return a configuration as JSON, with the members that the caller may see.

    :arg is_complete: whether to include members of other package types, as in the first version of the API
    :arg is_managed: whether the caller manages the repository as an administrator of its project
    """
    if not call.principal.admin and not is_managed:
        visible = {name: repository.configuration.get(name) for name in PUBLIC_MEMBERS}
        return format_json(visible, depth)
    has_encryption = call.supports(feature_versions.ENCRYPTED_PASSWORDS)
    form = Form(
        is_complete,
        depth,
        str(call.get_switch("remote_passwords")) if has_encryption else "clear",
        bool(call.get_switch("cache_suffix")),
        str(call.get_switch("unassigned_project_key")),
    )
    return _render(repository, form)


@functools.lru_cache(maxsize=16384)
def _render(repository: Repository, form: Form) -> str:
    configuration = dict(repository.configuration)
    if "password" in configuration:
        configuration["password"] = _hide(configuration["password"], form.passwords)
    if configuration.get("customHttpHeaders"):
        configuration["customHttpHeaders"] = [
            _hide_header(header, form.passwords) for header in configuration["customHttpHeaders"]
        ]
    if form.cache_suffix and configuration["description"] and repository.rclass in SUFFIXED_CLASSES:
        configuration["description"] += CACHE_SUFFIX
    if form.unassigned_project and not configuration.get("projectKey"):
        configuration["projectKey"] = form.unassigned_project
    members = complete_form(configuration) if form.is_complete else relevant_form(configuration)
    return format_json(members, form.depth)


def _hide(secret: Any, passwords: str) -> str | None:
    if not secret or passwords == "clear":
        return str(secret)
    if passwords == "absent":
        return None
    return encrypt(secret) if passwords == "encrypted" else MASK


def _hide_header(header: Any, passwords: str) -> Any:
    """Return a header of requests to the remote server, without its value if that is sensitive."""
    if not isinstance(header, Mapping) or not header.get("sensitive"):
        return header
    return {**header, "value": _hide(header.get("value", ""), passwords)}


def is_readable(call: Call, repository: Repository) -> bool:
    """Return whether the caller may read anything in a repository."""
    if call.principal.admin:
        return True
    keys = [repository.key, *call.repositories.list_storages(repository.key)]
    return any(call.principal.may_anywhere("r", key) for key in keys)
