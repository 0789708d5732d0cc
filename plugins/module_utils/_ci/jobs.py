# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Full names of jobs, such as `folder/sub/app`, and their paths on the server.

A full name is what Jenkins calls `fullName`. The name of a branch job has `%2F` instead of a slash, as in
`app/feature%2Flogin`. Like any other name, it is percent-encoded again in the URL.
"""

from __future__ import annotations

import typing as t
from urllib.parse import unquote, urlsplit

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

# The full name of one job
JOB: Option = dict(**NAME, matches=("[^/]+(/[^/]+)*", "the full name, such as 'folder/app', without other slashes"))


def job_path(job: str, option: str = "job") -> str:
    """Return the path of a job: `/job/folder/job/app`.

    :arg option: the option that the name comes from
    :raises BadOption: if no job can have this name
    """
    return "".join(f"/job{encode_path(name, option=option)}" for name in job.split("/"))


def parse_job_url(url: str) -> str | None:
    """Return the full name of the job in the URL of a job, a build or a view, or `None` if it contains no job."""
    return "/".join(_names(urlsplit(url).path.split("/"))) or None


def _names(parts: list[str]) -> t.Iterator[str]:
    """Yield the names in a path; skip the context path of the server and views."""
    while "job" in parts[:-1]:
        place = parts.index("job")
        yield unquote(parts[place + 1])
        parts = parts[place + 2 :]


def verify_job_exists(ci: CiService, job: str) -> None:
    """Check that a job exists.

    :raises ToolchainError: if it does not exist or the account has no Job/Read permission on it
    """
    if ci.find(job_path(job), "name", "name") is None:
        raise job_not_found(job)


def job_not_found(job: str) -> ToolchainError:
    """Return the error for a missing job."""
    return ToolchainError(
        f"Job '{job}' does not exist, or the account has no Job/Read permission on it. "
        "Use the full name, such as 'folder/app', and check the path in 'url'."
    )
