# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Jobs by their full names, `folder/sub/app`, and where they are.

A full name is what the server calls `fullName`. A branch with a slash in its name is a job whose name has `%2F` in its
place, `app/feature%2Flogin`, and as every name that is percent-encoded once more in the address.
"""

from __future__ import annotations

import typing as t
from urllib.parse import unquote, urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

# The full name of one job
JOB: Option = dict(**NAME, matches=("[^/]+(/[^/]+)*", "the full name, such as 'folder/app', without other slashes"))


def path_of(job: str, option: str = "job") -> str:
    """The path of a job: `/job/folder/job/app`.

    :arg option: the option that the name comes from
    :raises BadOption: when the name has a part that no job can have
    """
    return "".join(f"/job{encode_path(name, option=option)}" for name in job.split("/"))


def name_in(url: str) -> str | None:
    """The full name of the job that an address leads to or into, or `None` when there is no job in it."""
    return "/".join(_names(urlsplit(url).path.split("/"))) or None


def _names(parts: list[str]) -> t.Iterator[str]:
    """The names in a path; what a server is mounted below, and views, come before or between."""
    while "job" in parts[:-1]:
        place = parts.index("job")
        yield unquote(parts[place + 1])
        parts = parts[place + 2 :]


def check_there(ci: CiService, job: str) -> None:
    """
    :raises ToolchainError: when the server shows no such job
    """
    if ci.view(path_of(job), "name", accept=(200, 404)).status == 404:
        raise missing(job)


def missing(job: str) -> ToolchainError:
    """What to raise when a job that has to be there is not."""
    return ToolchainError(
        f"There is no job '{job}', or the account may not see it. "
        "Jobs are named by their full names, such as 'folder/app'. Is the path in 'url' right?"
    )
