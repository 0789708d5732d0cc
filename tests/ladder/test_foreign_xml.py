# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Configurations that other programs write for Jenkins."""

from __future__ import annotations

import pytest

from sandbox.client import Sandbox
from support.playbook import run_here
from support.wire.ci import Ci

FOLDER = "com.cloudbees.hudson.plugins.folder.Folder"
# The elements that Jenkins Job Builder writes for each folder
OUTDATED = '<views/><viewsTabBar class="hudson.views.DefaultViewsTabBar"/><primaryView>All</primaryView>'
UNKNOWN = "<keepDependencies>false</keepDependencies><canRoam>true</canRoam><publishers/>"


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize(
    "views", ["<views/>", "<views><hudson.model.AllView><name>x</name></hudson.model.AllView></views>"]
)
def test_outdated_views_of_a_folder_are_left_out_when_their_loss_is_accepted(views: str, sandbox: Sandbox) -> None:
    text = f"<description>d</description>{OUTDATED.replace('<views/>', views)}{UNKNOWN}"
    config = f'<{FOLDER} plugin="cloudbees-folder">{text}</{FOLDER}>'
    refused = run_here(sandbox, "ci_folder", name="new", config=config)
    assert "must not contain 'views', because changing it here could lose views" in refused.result["msg"]
    results = [run_here(sandbox, "ci_folder", name="new", config=config, on_dropped="warn").result for _run in range(2)]
    assert [result.get("msg") for result in results] == [None, None]
    assert [result["changed"] for result in results] == [True, False]
    stored = Ci(sandbox).get("/job/new/config.xml").text
    assert "<hudson.model.AllView>" in stored
    assert "primaryView" not in stored
