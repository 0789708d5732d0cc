# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients create, change, move and delete folders in the Jenkins sandbox."""

from __future__ import annotations

from typing import Any

import api4jenkins
import jenkins
import jenkinsapi.jenkins
import pytest

ADMIN = ("admin", "11c0ffee00sandbox00admin00token0001")
ROOT = "com.cloudbees.hudson.plugins.folder.Folder"


def test_python_jenkins_manages_folders(sandbox: Any) -> None:
    server = jenkins.Jenkins(f"{sandbox.url}/ci", *ADMIN)
    server.create_folder("team")
    server.create_folder("team/web")
    server.create_folder("team/web", ignore_failures=True)
    with pytest.raises(jenkins.JenkinsException, match="already exists"):
        server.create_folder("team/web")
    config = server.get_job_config("team/web")
    server.reconfig_job("team/web", config.replace("<properties/>", "<description>Ours</description><properties/>"))
    assert server.get_job_info("team/web")["description"] == "Ours"
    server.copy_job("team/web", "team/copy")
    assert server.get_job_info("team/copy")["description"] == "Ours"
    with pytest.raises(jenkins.JenkinsException):  # the client renames with a call that folders do not have
        server.rename_job("team/web", "team/site")
    server.delete_job("team/web")
    assert [job["name"] for job in server.get_job_info("team")["jobs"]] == ["copy"]


def test_api4jenkins_manages_folders(sandbox: Any) -> None:
    server = api4jenkins.Jenkins(f"{sandbox.url}/ci", auth=ADMIN)
    for name in ("team", "ops", "team/web"):
        server.create_job(name, f"<{ROOT}/>")
    web = server.get_job("team/web")
    assert isinstance(web, api4jenkins.job.Folder)
    web.set_description("Ours")
    assert web.description == "Ours"
    web.create("app", "<project/>")
    web.rename("site")  # its URL is relative afterwards, because the client expects a complete Location
    assert server.get_job("team/site/app").full_name == "team/site/app"
    server.get_job("team/site").move("ops")
    assert server.get_job("ops/site/app").full_name == "ops/site/app"
    assert server.get_job("team/site") is None
    server.copy_job("ops", "copy")
    assert [job.full_name for job in server.get_job("copy").iter(2)] == ["copy/site", "copy/site/app"]
    server.get_job("ops").delete()
    assert server.get_job("ops/site") is None


def test_jenkinsapi_manages_folders(sandbox: Any) -> None:
    server = jenkinsapi.jenkins.Jenkins(f"{sandbox.url}/ci", *ADMIN)
    server.create_job("team", f"<{ROOT}/>")
    folder = server.create_job("team/web", f"<{ROOT}><description>Ours</description></{ROOT}>")
    assert folder.get_description() == "Ours"
    folder.update_config(folder.get_config().replace("Ours", "Yours"))
    folder.poll()
    assert folder.get_description() == "Yours"
    server.create_job("team/web/app", "<project/>")  # the client lists no folders, only the jobs in them
    assert server.has_job("team/web/app")
    server.delete_job("team/web/app")
    other_client = jenkinsapi.jenkins.Jenkins(f"{sandbox.url}/ci", *ADMIN)  # the list of the first one is cached
    assert not other_client.has_job("team/web/app")
