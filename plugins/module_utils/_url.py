# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Addresses: checked, joined, percent-encoded, and shown without what may be secret in them."""

from __future__ import annotations

import typing as t
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption


def check_url(url: str | None, option: str = "url") -> str:
    """An address without its last slashes.

    :raises BadOption: when it is no http or https address, or has a user name, password, query or fragment in it
    """
    if not url:
        raise BadOption(
            option,
            "is required: give it to the task, in module_defaults, as a variable of the host, or in the environment",
        )
    parts = split_url(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadOption(option, "takes an address such as https://host:port/path")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadOption(option, "takes an address alone: no user name, password, query or fragment in it")
    return url.rstrip("/")


def encode_path(*names: str, option: str) -> str:
    """A path of percent-encoded segments; a slash in a name stays inside its segment.

    :arg option: the option that the names come from
    :raises BadOption: for `.` and `..`, which no client may put into a path
    """
    for name in names:
        if name in ("", ".", ".."):
            raise BadOption(option, f"'{name}' cannot be a part of a path")
    return "".join(f"/{quote(name, safe='')}" for name in names)


def encode_query(fields: t.Mapping[str, str | None]) -> str:
    """Fields percent-encoded throughout: a blank becomes %20, which means a blank to every server."""
    return "&".join(
        quote(name, safe="") if value is None else f"{quote(name, safe='')}={quote(value, safe='')}"
        for name, value in fields.items()
    )


def split_url(url: str) -> SplitResult | None:
    """The parts of an address, or `None` when it is none."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  reading it checks it
    except ValueError:
        return None
    return parts


def url_origin(url: str) -> tuple[str, str | None, int | None]:
    """Scheme, host and port of an address."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def redact_url(target: str | None) -> str:
    """An address for a message, without what may be secret in it."""
    if target is None:
        return "no proper address"
    parts = urlsplit(target)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
