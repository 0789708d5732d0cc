# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Details of one build: fields, console output and the result of an XPath expression."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds import builds, xpath
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.builds.console import Console
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_ownership,
    check_writable,
    store_download,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.download import download_chunks
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

RESULT_NAMES = ("build", "console_file", "console", "xpath")


def fetch_details(task: Task, ci: CiService, fields: t.Iterable[str]) -> dict[str, t.Any]:
    """Return the details that the options of the task select; all are `None` if the job has no such build.

    :raises ToolchainError: if the job does not exist
    """
    params = task.params
    if params["console_file"] is not None:
        check_writable(task, params["console_file"], "console_file")
        check_ownership(task)
    result = dict.fromkeys(RESULT_NAMES)
    build = result["build"] = builds.fetch_build(ci, params["job"], params["build"], fields)
    if build is None:
        jobs.verify_job_exists(ci, params["job"])
        return result
    number = build["number"]  # a selector such as `last` can refer to another build later
    path = builds.build_path(params["job"], number)
    if params["xpath"] is not None:
        result["xpath"] = xpath.evaluate(ci, params["job"], number, params["xpath"])
    if params["console_lines"] is not None:
        result["console"] = Console(ci, path).read_last_lines(params["console_lines"])
    if params["console_file"] is not None:
        target = Target.from_options(task, params["console_file"])
        chunks = download_chunks(task, ci.http, f"{path}/consoleText")
        result["console_file"] = store_download(task, target, chunks)
    return result
