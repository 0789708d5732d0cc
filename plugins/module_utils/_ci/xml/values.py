# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Numbers and booleans of configurations, as the converters of XStream read them."""

from __future__ import annotations

import re

# Booleans of hudson.model.Job, AbstractProject, ParameterDefinition, View and of build steps in Jenkins itself.
# BooleanConverter reads `true` in upper and lower case, and each other text as false
_FLAGS = frozenset(
    (
        "boolean",
        *("allowEmptyArchive", "blockBuildWhenDownstreamBuilding", "blockBuildWhenUpstreamBuilding"),
        *("canRoam", "caseSensitive", "concurrentBuild", "defaultExcludes", "disabled", "filterExecutors"),
        *("filterQueue", "fingerprint", "followSymlinks", "ignorePostCommitHooks", "keepDependencies"),
        *("lightweight", "onlyIfSuccessful", "recurse", "removeLastBuild", "sandbox", "trim"),
        *("usernameSecret", "webSocket"),
    )
)
# Booleans of objects whose other classes have texts of the same name
_OWN_FLAGS = (("hudson.model.BooleanParameterDefinition", "defaultValue"),)
# Numbers of hudson.model.AbstractProject, hudson.model.Node, hudson.model.Result, hudson.tasks.LogRotator and
# hudson.slaves.RetentionStrategy$Demand. IntConverter and LongConverter read them with Long.decode; of a text that it
# refuses, Jenkins keeps nothing
_NUMBERS = {
    "int": 32,
    "long": 64,
    **dict.fromkeys(("artifactDaysToKeep", "artifactNumToKeep", "daysToKeep", "numToKeep"), 32),
    **dict.fromkeys(("numExecutors", "ordinal", "quietPeriod", "scmCheckoutRetryCount"), 32),
    **dict.fromkeys(("idleDelay", "inDemandDelay"), 64),
}
_NUMBER = re.compile("([+-]?)(?:(?:0[xX]|#)([0-9a-fA-F]+)|(0[0-7]*)|([1-9][0-9]*))")


def normalize_value(owner: str, tag: str, text: str) -> str:
    """Return the text of an element as Jenkins stores it. Texts that it does not read are returned as they are.

    :arg owner: class of the object that contains the element
    """
    if _is_flag(owner, tag):
        lower = text.lower() or "false"
        return lower if lower in ("true", "false") else text
    number = _decode(text) if tag in _NUMBERS else None
    return text if number is None else str(number)


def describe_problem(owner: str, tag: str, text: str | None) -> str | None:
    """Return why Jenkins would not store a text in an element, or `None`.

    :arg owner: class of the object that contains the element
    """
    if not text:
        return None
    if _is_flag(owner, tag) and text.lower() not in ("true", "false"):
        return f"'{text}' must be 'true' or 'false'"
    if tag in _NUMBERS:
        number, limit = _decode(text), 2 ** (_NUMBERS[tag] - 1)
        if number is None:
            return f"'{text}' must be a whole number without blanks"
        if not -limit <= number < limit:
            return f"'{text}' must be from {-limit} to {limit - 1}"
    return None


def _is_flag(owner: str, tag: str) -> bool:
    return tag in _FLAGS or (owner, tag) in _OWN_FLAGS


def _decode(text: str) -> int | None:
    """Return a number as java.lang.Long.decode reads it: decimal, hexadecimal, or octal with a leading zero."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    sign, hexadecimal, octal, decimal = match.groups()
    number = int(hexadecimal, 16) if hexadecimal else int(octal or "0", 8) if octal else int(decimal)
    return -number if sign == "-" else number
