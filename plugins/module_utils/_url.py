# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""URLs: validation, percent-encoding, and removal of secrets."""

from __future__ import annotations

import typing as t
from urllib.parse import SplitResult, quote, urlsplit, urlunsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption


def check_url(url: str | None, option: str = "url") -> str:
    """Return a URL without trailing slashes.

    :raises BadOption: if it is not an http or https URL, or contains a user name, password, query or fragment
    """
    if not url:
        raise BadOption(
            option,
            "is required: set it in the task, in module_defaults, as a host variable, or in the environment",
        )
    parts = split_url(url)
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadOption(option, "must be a URL such as https://host:port/path")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise BadOption(option, "must be a URL without user name, password, query and fragment")
    return url.rstrip("/")


def encode_path(*names: str, option: str) -> str:
    """Return a path of percent-encoded segments. A slash in a name is encoded.

    :arg option: option with the names, for messages
    :raises BadOption: for `.` and `..`, which clients must not use as segments
    """
    for name in names:
        if name in ("", ".", ".."):
            raise BadOption(option, f"'{name}' is not a valid part of a path")
    return "".join(f"/{quote(name, safe='')}" for name in names)


def encode_query(fields: t.Mapping[str, str | list[str] | None]) -> str:
    """Return a percent-encoded query or form. A space becomes %20, which all servers decode, unlike +.

    :arg fields: values by name; `None` for a name without value, a list for a name that is repeated
    """
    return "&".join(
        quote(name, safe="") if value is None else f"{quote(name, safe='')}={quote(value, safe='')}"
        for name, values in fields.items()
        for value in (values if isinstance(values, list) else [values])
    )


def split_url(url: str) -> SplitResult | None:
    """Return the parts of a URL, or `None` if it is invalid."""
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  raises ValueError for an invalid port
    except ValueError:
        return None
    return parts


def url_origin(url: str) -> tuple[str, str | None, int | None]:
    """Return scheme, host and port of a URL."""
    parts = urlsplit(url)
    return parts.scheme, parts.hostname, parts.port or {"http": 80, "https": 443}.get(parts.scheme)


def redact_url(target: str | None) -> str:
    """Return a URL for messages, without user name, password, query and fragment."""
    if target is None:
        return "an invalid URL"
    parts = urlsplit(target)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
