# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: configurations as XML are completed, ordered and encrypted."""

from __future__ import annotations

import re

from support.wire.ci import Ci

XML = {"Content-Type": "application/xml; charset=utf-8"}
PARAMETERS = "hudson.model.ParametersDefinitionProperty"
PASSWORD = "hudson.model.PasswordParameterDefinition"


def rewrite(ci: Ci, config: str) -> str:
    """Return a configuration as it is stored."""
    assert ci.post("/job/app/config.xml", data=config.encode(), headers=XML).status_code == 200
    return ci.get("/job/app/config.xml").text


def test_unknown_elements_are_dropped_and_defaults_are_added(ci: Ci) -> None:
    config = (
        "<project><nonsense>1</nonsense><builders><hudson.tasks.Shell><command>a &quot;b&quot;</command><x/>"
        "</hudson.tasks.Shell><no.such.Builder/></builders></project>"
    )
    stored = rewrite(ci, config)
    assert "nonsense" not in stored
    assert "no.such.Builder" not in stored
    shell = "<command>a &quot;b&quot;</command>\n      <configuredLocalRules/>\n    </hudson.tasks.Shell>"
    assert shell in stored
    assert '<scm class="hudson.scm.NullSCM"/>' in stored
    assert rewrite(ci, stored) == stored


def test_object_of_a_plugin_names_it(ci: Ci) -> None:
    branches = "<branches><hudson.plugins.git.BranchSpec/></branches>"
    config = f'<project><scm class="hudson.plugins.git.GitSCM">{branches}</scm></project>'
    stored = rewrite(ci, config)
    assert '<scm class="hudson.plugins.git.GitSCM" plugin="git@5.2.1">' in stored
    assert "<hudson.plugins.git.BranchSpec/>" in stored


def test_secret_is_encrypted_differently_each_time_and_kept_if_posted_back(ci: Ci) -> None:
    definition = f"<{PASSWORD}><name>P</name><defaultValue>pw</defaultValue></{PASSWORD}>"
    definitions = f"<{PARAMETERS}><parameterDefinitions>{definition}</parameterDefinitions></{PARAMETERS}>"
    config = f"<project><properties>{definitions}</properties></project>"
    first, second = rewrite(ci, config), rewrite(ci, config)
    assert re.search(r"<defaultValue>\{AQAAABAAAAAQ[A-Za-z0-9+/]+=*\}</defaultValue>", first)
    assert first != second
    assert rewrite(ci, second) == second


def test_control_characters_are_kept_in_xml_1_1(ci: Ci) -> None:
    config = "<?xml version='1.1'?><project><description>&#x1;ctrl</description></project>"
    assert "<description>&#x1;ctrl</description>" in rewrite(ci, config)
