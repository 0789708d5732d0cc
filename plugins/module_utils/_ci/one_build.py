# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""All that a task wants to know of one build."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import builds, jobs, xpath
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.console import Console
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import get_fingerprint
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.private import (
    Target,
    check_ownership,
    check_writable,
    store_output,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.download import download_chunks
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

GIVES = ("build", "console_file", "console", "xpath")


def told(task: Task, ci: CiService, fields: t.Iterable[str]) -> dict[str, t.Any]:
    """What the task's options ask for; nothing but `None` when the job has no such build.

    :raises ToolchainError: when there is no such job
    """
    params = task.params
    if params["console_file"] is not None:
        check_writable(task, params["console_file"], "console_file")
        check_ownership(task)
    result = dict.fromkeys(GIVES)
    build = result["build"] = builds.found(ci, params["job"], params["build"], fields)
    if build is None:
        jobs.check_there(ci, params["job"])
        return result
    number = build["number"]  # what `last` means may change meanwhile
    path = builds.path_of(params["job"], number)
    if params["xpath"] is not None:
        result["xpath"] = xpath.found(ci, params["job"], number, params["xpath"])
    if params["console_lines"] is not None:
        result["console"] = Console(ci, path).last_lines(params["console_lines"])
    if params["console_file"] is not None and not task.check_mode:
        store_output(
            task,
            Target.from_options(task, params["console_file"]),
            download_chunks(task, ci.http, f"{path}/consoleText"),
        )
        [size, *_rest] = get_fingerprint(params["console_file"])
        result["console_file"] = {"path": params["console_file"], "size": size}
    return result
