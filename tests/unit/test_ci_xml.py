# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of declared configurations of Jenkins with stored ones."""

from __future__ import annotations

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import document, fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.fields import DesiredConfiguration
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import Removed
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError

SECRET = "{AQAAABAAAAAQfaWvadxc0dh+QSVm9AqzTGE/JYhvbJqsGdJ5iKU1oAE=}"
STORED = """<?xml version="1.1" encoding="UTF-8"?>
<project>
  <description>App</description>
  <keepDependencies>false</keepDependencies>
  <properties>
    <jenkins.model.BuildDiscarderProperty/>
    <a.Matrix plugin="matrix-auth@3.2"><permission>x</permission><permission>y</permission></a.Matrix>
  </properties>
  <scm class="hudson.scm.NullSCM"/>
  <canRoam>true</canRoam>
  <disabled>false</disabled>
  <builders>
    <hudson.tasks.Shell><command>a</command><configuredLocalRules/></hudson.tasks.Shell>
    <hudson.tasks.BatchFile><command>b</command></hudson.tasks.BatchFile>
  </builders>
</project>
"""


def find_changes(declared: str, stored: str = STORED, **options: object) -> dict[str, str | None]:
    """Return the texts that differ."""
    configuration = DesiredConfiguration(document.parse(declared), **options)  # type: ignore[arg-type]
    root = document.parse(stored)
    current = configuration.read(root, is_written=False)
    return {path: text for path, text in configuration.list_desired(root).items() if current.get(path) != text}


def merge(declared: str, stored: str = STORED, **options: object) -> str:
    configuration = DesiredConfiguration(document.parse(declared), **options)  # type: ignore[arg-type]
    return document.serialize(configuration.merge(document.parse(stored)))


@pytest.mark.parametrize(
    "declared",
    [
        "<project/>",
        "<project><description>App</description></project>",
        "<!-- x --><project><properties/><scm/><disabled>false</disabled></project>",
        '<project plugin="x@1"><scm class="hudson.scm.NullSCM"></scm></project>',
        "<project><properties><a.Matrix><permission>x</permission><permission>y</permission></a.Matrix></properties>"
        "</project>",
        "<project><builders><hudson.tasks.Shell><command>a</command></hudson.tasks.Shell>\n"
        "<hudson.tasks.BatchFile><command>b</command></hudson.tasks.BatchFile></builders></project>",
        "<project><properties><a.Matrix/><jenkins.model.BuildDiscarderProperty/></properties></project>",
    ],
)
def test_elements_that_are_not_declared_do_not_count(declared: str) -> None:
    assert find_changes(declared) == {}


def test_texts_and_lists_are_compared() -> None:
    declared = (
        "<project><description/><builders><hudson.tasks.BatchFile><command>b</command></hudson.tasks.BatchFile>"
        "<hudson.tasks.Shell><command>c</command></hudson.tasks.Shell></builders></project>"
    )
    assert find_changes(declared) == {
        "description": "",
        "builders/@order": "hudson.tasks.BatchFile, hudson.tasks.Shell",
        "builders/hudson.tasks.Shell/command": "c",
    }


def test_elements_of_a_list_that_are_not_declared_are_removed() -> None:
    declared = (
        "<project><builders><hudson.tasks.Shell><command>a</command></hudson.tasks.Shell></builders>"
        "<properties><a.Matrix><permission>x</permission></a.Matrix></properties></project>"
    )
    assert find_changes(declared) == {
        "builders/@order": None,
        "builders/hudson.tasks.BatchFile/command": None,
        "properties/a.Matrix/permission[2]": None,
    }
    assert find_changes(declared, merge(declared)) == {}
    assert "BuildDiscarderProperty" in merge(declared)
    assert "configuredLocalRules" in merge(declared)


def test_object_of_another_class_is_replaced() -> None:
    declared = '<project><scm class="hudson.plugins.git.GitSCM"><branches>main</branches></scm></project>'
    assert find_changes(declared) == {"scm": None, "scm/@class": "hudson.plugins.git.GitSCM", "scm/branches": "main"}
    assert find_changes('<project><scm class="hudson.scm.NullSCM"/></project>', merge(declared)) == {
        "scm": "",
        "scm/@class": "hudson.scm.NullSCM",
        "scm/branches": None,
    }


def test_encrypted_text_counts_as_equal_and_is_kept() -> None:
    stored = f"<project><authToken>{SECRET}</authToken><description>x</description></project>"
    declared = "<project><authToken>sesame</authToken><description>y</description></project>"
    assert find_changes(declared, stored) == {"description": "y"}
    assert SECRET in merge(declared, stored)
    assert find_changes(declared, stored, update_secret="always") == {"authToken": "sesame", "description": "y"}
    assert SECRET not in merge(declared, stored, update_secret="always")


def test_exact_configuration_removes_all_but_defaults() -> None:
    declared = "<project><description>App</description></project>"
    assert set(find_changes(declared, exact=True)) == {
        "properties/a.Matrix/permission",
        "properties/a.Matrix/permission[2]",
        "builders/@order",
        "builders/hudson.tasks.Shell/command",
        "builders/hudson.tasks.BatchFile/command",
        "builders/hudson.tasks.Shell/configuredLocalRules",
        "properties/jenkins.model.BuildDiscarderProperty",
    }
    assert find_changes(declared, merge(declared, exact=True), exact=True) == {}


@pytest.mark.parametrize("placeholder", ["(encrypted)", "********", "<secret-redacted/>"])
def test_placeholder_is_not_written_instead_of_a_secret(placeholder: str) -> None:
    declared = f"<project><authToken>{placeholder}</authToken></project>"
    refusal = "The element 'authToken' of the configuration has a placeholder instead of the secret"
    desired = DesiredConfiguration(document.parse(declared))
    with pytest.raises(ToolchainError, match=refusal):
        desired.list_desired(None)
    stored = STORED.replace("<canRoam>", f"<authToken>{SECRET}</authToken><canRoam>")
    if placeholder == "<secret-redacted/>":
        with pytest.raises(ToolchainError, match=refusal):
            find_changes(declared, stored)
    else:  # the stored secret is kept
        assert find_changes(declared, stored) == {}
    with pytest.raises(ToolchainError, match=refusal):
        find_changes(declared, stored, update_secret="always")


def test_placeholders_in_other_elements_are_texts() -> None:
    declared = "<project><description>********</description></project>"
    assert find_changes(declared) == {"description": "********"}


def test_hidden_secret_is_not_written_back() -> None:
    root = document.parse("<project><authToken>********</authToken></project>")
    with pytest.raises(ToolchainError, match="may not read the secret in 'authToken'"):
        fields.check_complete(root, "job 'app'")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<a", "unclosed token"),
        ("", "no element found"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "document type"),
        ("<a>" * 200 + "</a>" * 200, "levels deep"),
        ("<a>&#0;</a>", "invalid|reference"),
    ],
)
def test_other_texts_are_refused(text: str, problem: str) -> None:
    with pytest.raises(document.XmlError, match=problem):
        document.parse(text)


def test_document_is_written_as_jenkins_formats_it() -> None:
    text = (
        '<?xml version="1.1" encoding="UTF-8"?>\n<a b="1 &amp; 2">\n'
        "  <c>&#x1; x&#xd;\n&lt; \N{GREEK SMALL LETTER PHI}</c>\n  <d/>\n</a>"
    )
    assert document.serialize(document.parse(text)) == text


def test_encrypted_text_stays_with_the_object_of_the_same_name() -> None:
    other = SECRET.replace("AQfa", "AQfb")
    password = "<p.Password><name>{}</name><value>{}</value></p.Password>"
    stored = f"<project><list>{password.format('A', SECRET)}{password.format('B', other)}</list></project>"
    reordered = f"<project><list>{password.format('B', 'b')}{password.format('A', 'a')}</list></project>"
    assert find_changes(reordered, stored) == {"list/p.Password/name": "B", "list/p.Password[2]/name": "A"}
    assert merge(reordered, stored).index(other) < merge(reordered, stored).index(SECRET)
    assert find_changes(reordered, merge(reordered, stored)) == {}
    renamed = f"<project><list>{password.format('C', 'c')}</list></project>"
    assert SECRET not in merge(renamed, stored)
    assert "<value>c</value>" in merge(renamed, stored)


def test_removed_element_is_removed() -> None:
    declared = document.parse("<project><properties/></project>")
    declared[0].append(Removed("a.Matrix"))
    configuration = DesiredConfiguration(declared)
    stored = document.parse(STORED)
    assert configuration.list_desired(stored) == {
        "properties/a.Matrix/permission": None,
        "properties/a.Matrix/permission[2]": None,
    }
    assert configuration.merge(stored).find("properties/a.Matrix") is None
    assert configuration.merge(stored).find("properties/jenkins.model.BuildDiscarderProperty") is not None
    assert configuration.list_desired(None) == {"properties": ""}


def test_default_in_place_of_a_removed_object_is_expected() -> None:
    stored = document.parse('<project><scm class="a.Git"><url>x</url></scm></project>')
    configuration = DesiredConfiguration(document.parse("<project/>"), exact=True)
    assert configuration.list_desired(stored) == {"scm/@class": None, "scm/url": None}
    default = document.parse('<project><scm class="hudson.scm.NullSCM"/></project>')
    assert configuration.read(default, is_written=True) == {"scm": ""}
    assert configuration.read(stored, is_written=True) == {"scm/@class": "a.Git", "scm/url": "x"}


def test_secrets_are_found_by_name() -> None:
    declared = document.parse(
        '<folder><a.B apiToken="t"><password>p</password><password>q</password><password/><user>u</user></a.B>'
        "<hudson.model.PasswordParameterDefinition><name>PIN</name><defaultValue>d</defaultValue>"
        "</hudson.model.PasswordParameterDefinition></folder>"
    )
    assert fields.find_secrets(declared) == {
        "a.B/@apiToken": "t",
        "a.B/password": "p",
        "a.B/password[2]": "q",
        "hudson.model.PasswordParameterDefinition/defaultValue": "d",
    }
