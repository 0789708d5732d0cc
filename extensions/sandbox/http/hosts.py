# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The check of `Host` and `Origin`, which protects a sandbox with public credentials from pages of other sites.

With DNS rebinding, the name of a foreign page leads to loopback: the browser then lets the page read the responses.
"""

from __future__ import annotations

import functools
import ipaddress
import re
from collections.abc import Iterable

from starlette.types import Scope

_AUTHORITY = re.compile(r"(?:\[([0-9a-f:.]+)\]|([\w.-]+))(?::\d*)?", re.ASCII)
_NAME = re.compile(r"[\w.-]+", re.ASCII)


class Hosts:
    """The hosts that requests may name: loopback, the address that was connected to, and those that are allowed."""

    def __init__(self, allowed: Iterable[str] = ()) -> None:
        self._allowed = frozenset(allowed)

    def refusal(self, scope: Scope, own_origins: frozenset[str] = frozenset(), has_any_origin: bool = False) -> str:
        """Return why a request is refused; empty if it is served.

        :arg own_origins: values of `Origin` that are accepted as well
        :arg has_any_origin: whether `Origin` is not checked
        """
        for name, value in scope["headers"]:
            if not value:
                continue
            if name == b"host":
                host = _parse_authority(value)
                if not self._is_known(host, scope):
                    return f"The sandbox does not answer for the host '{host}'.{_suggest_remedy(host)}"
            elif name == b"origin" and not has_any_origin:
                origin = value.decode("latin-1")
                host = _parse_authority(value.rpartition(b"://")[2].partition(b"/")[0])
                if origin not in own_origins and not self._is_known(host, scope):
                    return f"The sandbox does not answer pages of the origin '{origin}'.{_suggest_remedy(host)}"
        return ""

    def _is_known(self, host: str, scope: Scope) -> bool:
        return host in self._allowed or host == scope["server"][0] or _is_loopback(host)


@functools.lru_cache(maxsize=1024)
def _parse_authority(authority: bytes) -> str:
    """Return the host of `host:port`, in lower case and without brackets."""
    text = authority.decode("latin-1").strip().lower()
    found = _AUTHORITY.fullmatch(text)
    return (found[1] or found[2]) if found else text


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
    """Return the value of `--allow-host` as it is compared: a name or an address without a port.

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
