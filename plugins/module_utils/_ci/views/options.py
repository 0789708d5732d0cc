# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Limits of the options for views."""

from __future__ import annotations

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.object_names import UNREADABLE, UNSAFE
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.views import form
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME as _NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option

_SAFE = rf"(?!\.{{1,2}}(/|$))[^{UNSAFE}{UNREADABLE}]*[^{UNSAFE}{UNREADABLE}.]"

NAME: Option = dict(
    **_NAME, matches=(_SAFE, r"a name without ? * / \ % ! @ # $ ^ & | < > [ ] : ; that does not end with a period")
)
PARENT: Option = dict(
    one_line=True, matches=(rf"({_SAFE}(/{_SAFE})*)?", "the path of a nested view, such as 'teams' or 'teams/web'")
)
FOLDER: Option = dict(one_line=True, matches=(rf"({JOB['matches'][0]})?", JOB["matches"][1]))
COLUMN: Option = dict(
    **_NAME,
    matches=(rf"{'|'.join(form.COLUMNS)}|[a-zA-Z]\w*(\.[\w$]+)+", f"one of {', '.join(form.COLUMNS)}, or a Java class"),
)
# Jenkins cannot read these characters, or reads them as line breaks
TEXT: Option = dict(
    matches=(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\ufffe\uffff]*", "a text without control characters")
)
