# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Header names in the case that the real servers use, for scripts that search for them with `grep`."""

from __future__ import annotations

import functools

CANONICAL_PARTS = {word.lower(): word for word in ("ETag", "JFrog", "SSH", "CLI", "WWW")}


@functools.cache
def canonicalize_name(name: bytes) -> bytes:
    """Return a header name in its usual case, for example `X-Jenkins-Session`, `ETag` or `X-JFrog-Version`."""
    parts = name.decode("latin-1").lower().split("-")
    return "-".join(CANONICAL_PARTS.get(word, word.capitalize()) for word in parts).encode("latin-1")
