# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions since which the server behaves as the newest one does, for `Call.has`.

Version 4.4.2 was recorded. Where it is only known that a later one differs, 5.0 stands for the version of the change.
"""

from __future__ import annotations

ANSWERS_ABOUT_UNKNOWN_REPOSITORIES = "5.0"
CHECKED_PROPERTY_NAMES = "5.0"
DELETION_OF_ROOTS_NEEDS_ADMIN = "5.0"
DOWNLOAD_COUNTS_IN_SEARCHES = "5.0"
INFO_BY_REMOTE_KEYS = "5.0"
LISTED_PACKAGE_TYPES = "5.0"
NEW_WORDS_OF_REFUSALS = "5.0"
NO_STORE_OF_INFO = "5.0"
PERMISSIONS_IN_PROPERTY_SEARCHES = "5.0"
PLAIN_TAGS = "5.0"  # without the bounds of the range
STATISTICS_FIRST = "5.0"
SHA256 = "5.5"
METADATA_PATCH = "6.1"
NEW_CONFIGURATION = "7.0"
STORAGE_IN_BYTES = "7.0"
VERSION_HEADER = "7.0"
TOKENS = "7.21.1"
REFERENCE_TOKENS = "7.38.10"
FORCED_REVOCABLE = "7.50.3"
OWN_TOKEN = "7.53.1"
LISTED_SCOPES = "7.55.0"
LISTED_LAST_USE = "7.108.3"
