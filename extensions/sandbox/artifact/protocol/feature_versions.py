# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The versions that introduced a behavior, for `Call.supports`.

Version 4.4.2 was recorded. If it is only known that a later version differs, the constant is 5.0.
"""

from __future__ import annotations

UNKNOWN_REPOSITORY_MESSAGES = "5.0"
PROPERTY_NAME_VALIDATION = "5.0"
ROOT_DELETION_REQUIRES_ADMIN = "5.0"
USAGE_SEARCH_COUNTS = "5.0"
REMOTE_KEY_INFO = "5.0"
REPOSITORY_LIST_PACKAGE_TYPES = "5.0"
NEW_PERMISSION_MESSAGES = "5.0"
UNCACHEABLE_INFO = "5.0"
PROPERTY_SEARCH_PERMISSIONS = "5.0"
ETAG_WITHOUT_RANGE = "5.0"
STATISTICS_PRECEDENCE = "5.0"
SHA256 = "5.5"
METADATA_PATCH = "6.1"
CONFIGURATION_SCHEMA_3 = "7.0"
STORAGE_SUMMARY_BYTES = "7.0"
VERSION_HEADER = "7.0"
TOKENS = "7.21.1"
PASSWORD_RULES = "7.37.13"
REFERENCE_TOKENS = "7.38.10"
PLATFORM_IDENTITIES = "7.49.3"
FORCE_REVOCABLE = "7.50.3"
CURRENT_TOKEN = "7.53.1"
TOKEN_LIST_SCOPES = "7.55.0"
EFFECTIVE_ADMIN = "7.66"
TOKEN_LIST_LAST_USED = "7.108.3"
ROLE_FILTERS = "7.117"
PLATFORM_ROLES = "7.128"
PLATFORM_AUDITORS = "7.141"
