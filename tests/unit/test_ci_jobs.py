# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later


from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec

PATHS = {
    "app": "/job/app",
    "folder/sub/app": "/job/folder/job/sub/job/app",
    "a job": "/job/a%20job",
    "app/feature%2Flogin": "/job/app/job/feature%252Flogin",
    "50% + more;=?#&": "/job/50%25%20%2B%20more%3B%3D%3F%23%26",
    "Prüfung/🚀": "/job/Pr%C3%BCfung/job/%F0%9F%9A%80",
    "job/job": "/job/job/job/job",
    "-1": "/job/-1",
}


@pytest.mark.parametrize(("name", "path"), PATHS.items())
def test_job_path(name: str, path: str) -> None:
    assert jobs.job_path(name) == path
    assert jobs.parse_job_url(f"https://ci.example.com/ci{path}/") == name
    assert jobs.parse_job_url(f"https://ci.example.com{path}/42/") == name


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://ci.example.com/view/all/job/app/lastBuild/", "app"),
        ("https://ci.example.com/job/folder/view/mine/job/app/", "folder/app"),
        ("/job/app", "app"),
        ("https://ci.example.com/", None),
        ("https://ci.example.com/job/", None),
    ],
)
def test_job_is_parsed_from_url(url: str, name: str | None) -> None:
    assert jobs.parse_job_url(url) == name


@pytest.mark.parametrize("name", ["..", "folder/.", "folder/../app"])
def test_path_traversal_is_rejected(name: str) -> None:
    with pytest.raises(BadOption, match=r"Option 'job': .* is not a valid part of a path"):
        jobs.job_path(name)


@pytest.mark.parametrize("name", ["", "/", "/app", "app/", "a//b", " app", "app\n"])
def test_invalid_names_are_rejected(name: str) -> None:
    spec = ArgumentSpec(dict(job=dict(type="str", **jobs.JOB)))
    with pytest.raises(BadOption, match="Option 'job'"):
        spec.check({"job": name})
