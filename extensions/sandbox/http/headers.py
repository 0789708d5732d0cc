# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of headers as the real servers spell them, for scripts that look for them with grep."""

from __future__ import annotations

import functools

CANONICAL_WORDS = {word.lower(): word for word in ("ETag", "JFrog", "SSH", "CLI", "WWW")}


@functools.cache
def canonicalize_name(name: bytes) -> bytes:
    """The name with each of its words in the usual spelling: X-Jenkins-Session, ETag, X-JFrog-Version."""
    words = name.decode("latin-1").lower().split("-")
    return "-".join(CANONICAL_WORDS.get(word, word.capitalize()) for word in words).encode("latin-1")
