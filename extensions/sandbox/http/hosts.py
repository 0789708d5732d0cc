# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Validation of `Host` and `Origin`.

The credentials of a sandbox are public. With DNS rebinding, the host name of a malicious page can resolve to a loopback
address, and the browser then lets the page read the responses. The check prevents this.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Iterable

from starlette.types import Scope

_AUTHORITY = re.compile(r"(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::\d*)?", re.ASCII)
_NAME = re.compile(r"[\w.-]+", re.ASCII)


class HostCheck:
    """The hosts that requests may name: loopback names, the address of the connection, and configured names."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        """Allow host names and addresses besides those of loopback, as returned by `parse_name`."""
        self._allowed = frozenset(allowed)

    def check(self, scope: Scope, own_origins: frozenset[str] = frozenset(), has_any_origin: bool = False) -> str:
        """Return the reason to refuse a request, or an empty string if it is allowed.

        :arg own_origins: further values of `Origin` that are allowed
        :arg has_any_origin: whether to skip the check of `Origin`
        """
        for name, value in scope["headers"]:
            if not value:
                continue
            if name == b"host":
                host = _parse_authority(value)
                if not self._is_allowed(host, scope):
                    return f"Host '{host}' is not allowed.{_suggest_remedy(host)}"
            elif name == b"origin" and not has_any_origin:
                origin = value.decode("latin-1")
                host = _parse_authority(value.rpartition(b"://")[2].partition(b"/")[0])
                if origin not in own_origins and not self._is_allowed(host, scope):
                    return f"Origin '{origin}' is not allowed.{_suggest_remedy(host)}"
        return ""

    def _is_allowed(self, host: str, scope: Scope) -> bool:
        return host in self._allowed or host == scope["server"][0] or _is_loopback(host)


@functools.lru_cache(maxsize=1024)
def _parse_authority(authority: bytes) -> str:
    """Return the host of `host:port` in lower case and without brackets."""
    text = authority.decode("latin-1").strip().lower()
    match = _AUTHORITY.fullmatch(text)
    return (match[1] or match[2]) if match else text


@functools.lru_cache(maxsize=1024)
def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _suggest_remedy(host: str) -> str:
    try:
        return f" To allow it, start the sandbox with '--allow-host {parse_name(host)}'." if host != "null" else ""
    except ValueError:
        return ""


def parse_name(text: str) -> str:
    """Return the normalized value of `--allow-host`, a host name or an address without a port.

    :raises ValueError: if it is neither
    """
    name = text.lower()
    if _NAME.fullmatch(name):
        return name
    address = name[1:-1] if name.startswith("[") and name.endswith("]") else name
    try:
        ipaddress.IPv6Address(address)
    except ValueError:
        raise ValueError(f"{text!r} is neither a host name nor an address without a port") from None
    return address
