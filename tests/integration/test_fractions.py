# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An unquoted 1.10 in YAML is refused where a string is expected, such as a version or a tag."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from sandbox.client import Sandbox
from support.playbook import run_tasks

TASKS = """
- name: number
  buildworks.toolchain.artifact_build_promotion: {build: app, number: 1.10, status: released}
- name: tag
  buildworks.toolchain.artifact_image_promotion: {repo: a, image: web, tag: 1.10, target_repo: b}
- name: items[0].tag
  buildworks.toolchain.artifact_image_promotion: {items: [{repo: a, image: web, tag: 1.10, target_repo: b}]}
- name: keep[0]
  buildworks.toolchain.artifact_build_retention: {build: app, count: 1, keep: [1.10]}
- name: content
  buildworks.toolchain.artifact_file: {repo: generic-local, path: version, content: 1.10}
- name: properties.version
  buildworks.toolchain.artifact_properties: {repo: generic-local, path: app, properties: {version: 1.10}}
- name: parameters.VERSION
  buildworks.toolchain.ci_build: {job: app, parameters: {VERSION: 1.10}}
"""
TEMPLATE = """
- name: tag
  buildworks.toolchain.artifact_image_promotion: {repo: a, image: web, tag: "{{ release.tag }}", target_repo: b}
"""


@pytest.mark.ansible_core
@pytest.mark.parametrize("in_process", [True, False])
def test_fraction_is_refused_when_a_string_is_expected(sandbox: Sandbox, in_process: bool) -> None:
    assert_refused(sandbox, TASKS, in_process)


# Before ansible-core 2.19, templates return strings
@pytest.mark.parametrize("in_process", [True, False])
def test_fraction_is_refused_when_a_template_returns_it(sandbox: Sandbox, in_process: bool) -> None:
    assert_refused(sandbox, TEMPLATE, in_process, release={"tag": 1.10})


def assert_refused(sandbox: Sandbox, tasks: str, in_process: bool, **variables: Any) -> None:
    """Assert that each task is refused for the option that is the task's name, and sends no request."""
    run = run_tasks(sandbox, yaml.safe_load(tasks), name="fractions", toolchain_in_process=in_process, **variables)
    problem = "must be a string, not a number with a fraction. Put it in quotes, because YAML reads 1.10 as 1.1."
    assert [done.result["msg"] for done in run.done] == [f"Option '{done.task}': {problem}" for done in run.done]
    assert not any(done.requests for done in run.done)
