# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of declared configurations of Jenkins with stored ones."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import (
    class_plugins,
    document,
    fields,
    losses,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.fields import DesiredConfiguration
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import Removed
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError


class Losses(losses.LossPolicy):
    """A policy for a job `app` on a server with some plugins; `None` if the account may not list them."""

    def __init__(self, on_dropped: str, plugins: dict[str, bool] | None = None) -> None:
        self.warnings: list[str] = []
        task = SimpleNamespace(params={"on_dropped": on_dropped}, warn=self.warnings.append)
        super().__init__(task, SimpleNamespace(predicted_plugins=()), "job 'app'")  # type: ignore[arg-type]
        self._plugins = [plugins]


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


MATRIX = "hudson.security.AuthorizationMatrixProperty"
# Forms that mean the same to Jenkins, each with the class that reads or writes it
EQUAL_FORMS = [
    # hudson.tasks.BatchFile stores CRLF
    (
        "<project><builders><hudson.tasks.BatchFile><command>a\nb</command></hudson.tasks.BatchFile></builders></project>",
        "<project><builders><hudson.tasks.BatchFile><command>a&#xd;\nb</command></hudson.tasks.BatchFile></builders>"
        "</project>",
    ),
    # hudson.tasks.Shell stores LF
    (
        "<project><builders><hudson.tasks.Shell><command>a&#xd;\nb</command></hudson.tasks.Shell></builders></project>",
        "<project><builders><hudson.tasks.Shell><command>a\nb</command></hudson.tasks.Shell></builders></project>",
    ),
    # org.jenkinsci.plugins.matrixauth.AbstractAuthorizationPropertyConverter sorts IDs, each once
    (
        f"<project><properties><{MATRIX}><permission>USER:hudson.model.Item.Read:carol</permission>"
        f"<permission>USER:Job/Build:carol</permission><permission>USER:Job/Build:carol</permission></{MATRIX}>"
        "</properties></project>",
        f"<project><properties><{MATRIX}><permission>USER:hudson.model.Item.Build:carol</permission>"
        f"<permission>USER:hudson.model.Item.Read:carol</permission></{MATRIX}></properties></project>",
    ),
    (
        "<slave><nodeProperties><org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty>"
        "<permission>GROUP:hudson.model.Computer.Connect:ops</permission>"
        "<permission>GROUP:Agent/Build:ops</permission>"
        "</org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty></nodeProperties></slave>",
        "<slave><nodeProperties><org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty>"
        "<permission>GROUP:hudson.model.Computer.Build:ops</permission>"
        "<permission>GROUP:hudson.model.Computer.Connect:ops</permission>"
        "</org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty></nodeProperties></slave>",
    ),
    # hudson.model.ListView has a TreeSet
    (
        "<hudson.model.ListView><jobNames><string>nightly</string><string>App</string><string>nightly</string></jobNames>"
        "</hudson.model.ListView>",
        '<hudson.model.ListView><jobNames><comparator class="java.lang.String$CaseInsensitiveComparator"/>'
        "<string>App</string><string>nightly</string></jobNames></hudson.model.ListView>",
    ),
    (
        '<hudson.model.ListView><jobNames><comparator class="hudson.util.CaseInsensitiveComparator"/>'
        "<string>b</string><string>B</string><string>a</string></jobNames></hudson.model.ListView>",
        '<hudson.model.ListView><jobNames><comparator class="java.lang.String$CaseInsensitiveComparator"/>'
        "<string>a</string><string>b</string></jobNames></hudson.model.ListView>",
    ),
    # java.util.TreeMap with a comparator that ignores case
    (
        "<slave><envVars><tree-map><default><comparator class='hudson.util.CaseInsensitiveComparator'/></default>"
        "<int>3</int><string>b</string><string>1</string><string>A</string><string>2</string>"
        "<string>B</string><string>3</string></tree-map></envVars></slave>",
        "<slave><envVars><tree-map><default><comparator class='java.lang.String$CaseInsensitiveComparator'/></default>"
        "<int>2</int><string>A</string><string>2</string><string>b</string><string>3</string></tree-map></envVars>"
        "</slave>",
    ),
    (
        "<p><names class='tree-set'><string>b</string><string>a</string></names></p>",
        "<p><names class='tree-set'><string>a</string><string>b</string></names></p>",
    ),
    # XStream omits the usual class of a collection
    ('<project><triggers class="vector"/></project>', "<project><triggers/></project>"),
    (
        '<project><triggers class="vector"><a.Timer><spec>@daily</spec></a.Timer></triggers></project>',
        "<project><triggers><a.Timer><spec>@daily</spec></a.Timer></triggers></project>",
    ),
    ('<project><a class="java.util.ArrayList"><b>x</b></a></project>', "<project><a><b>x</b></a></project>"),
    # com.thoughtworks.xstream.converters.basic.BooleanConverter ignores case
    ("<project><disabled>True</disabled></project>", "<project><disabled>true</disabled></project>"),
    ("<project><disabled/></project>", "<project><disabled>false</disabled></project>"),
    (
        "<hudson.model.BooleanParameterDefinition><defaultValue>TRUE</defaultValue></hudson.model.BooleanParameterDefinition>",
        "<hudson.model.BooleanParameterDefinition><defaultValue>true</defaultValue></hudson.model.BooleanParameterDefinition>",
    ),
    (
        "<hudson.model.BooleanParameterDefinition><defaultValue/></hudson.model.BooleanParameterDefinition>",
        "<hudson.model.BooleanParameterDefinition><defaultValue>false</defaultValue></hudson.model.BooleanParameterDefinition>",
    ),
    # Integers and objects that are null
    ("<project><quietPeriod/><authToken></authToken></project>", "<project><disabled>false</disabled></project>"),
    # Objects that Jenkins completes
    (
        "<project><publishers><hudson.tasks.ArtifactArchiver/></publishers></project>",
        "<project><publishers><hudson.tasks.ArtifactArchiver><onlyIfSuccessful>false</onlyIfSuccessful>"
        "</hudson.tasks.ArtifactArchiver></publishers></project>",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "stored"), EQUAL_FORMS)
def test_forms_that_mean_the_same_are_equal(declared: str, stored: str) -> None:
    assert find_changes(declared, stored) == {}
    new = DesiredConfiguration(document.parse(declared))
    desired = new.list_desired(None)
    read = new.read(document.parse(stored, is_stored=True), is_written=True)
    assert {path: text for path, text in desired.items() if read.get(path) != text} == {}


@pytest.mark.parametrize(
    ("declared", "stored"),
    [
        ("<p><description>a&#xd;\nb</description></p>", "<p><description>a\nb</description></p>"),
        ("<p><a.X><permission>b</permission><permission>a</permission></a.X></p>",
         "<p><a.X><permission>a</permission><permission>b</permission></a.X></p>"),
        ("<p><defaultValue/></p>", "<p/>"),
        ("<p><defaultValue>True</defaultValue></p>", "<p><defaultValue>true</defaultValue></p>"),
        ("<p><a.B/></p>", "<p/>"),
        ("<p><a><string/><string>b</string></a></p>", "<p><a><string>b</string></a></p>"),
        ("<p><a><string>b</string><string/></a></p>", "<p><a><string>b</string></a></p>"),
        ("<p><a><string/></a></p>", "<p><a/></p>"),
        ('<p><scm class="a.B"/></p>', "<p><scm/></p>"),
        ("<p><x> </x></p>", "<p><x/></p>"),
        ("<p><x>&#xa;</x></p>", "<p><x/></p>"),
        ("<p><x><![CDATA[\n]]></x></p>", "<p><x/></p>"),
        ("<p><x/></p>", "<p><x>\n</x></p>"),
        ('<p><choices class="java.util.Arrays$ArrayList"/></p>', "<p><choices/></p>"),
    ],
)  # fmt: skip
def test_forms_that_differ_are_changed(declared: str, stored: str) -> None:
    root = document.parse(stored, is_stored=True)
    configuration = DesiredConfiguration(document.parse(declared))
    current = configuration.read(root, is_written=False)
    assert {path for path, text in configuration.list_desired(root).items() if current.get(path) != text}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('<a><![CDATA[printf "&#27;[31m &#x1b; <!DOCTYPE html>"]]></a>',
         "<a>printf \"&amp;#27;[31m &amp;#x1b; &lt;!DOCTYPE html&gt;\"</a>"),
        ("<a>&#27;[31m</a>", "<a>&#x1b;[31m</a>"),
        ("<a b='&#x1b;&#9;x\U0010ff1b'>\U0010ff1b\U00100000</a>",
         '<a b="&#x1b;&#9;x\U0010ff1b">\U0010ff1b\U00100000</a>'),
        ("<!-- <!DOCTYPE a> &#1; --><a>x<!-- &#1; --></a>", "<a>x</a>"),
        ("<a>\n  </a>", "<a/>"),
        ("<a><![CDATA[\n ]]></a>", "<a>\n </a>"),
        ("<a> </a>", "<a> </a>"),
        ("<a><b/><![CDATA[ ]]></a>", "<a>\n  <b/>\n</a>"),
        ("<a>\x85\u2028</a>", "<a>&#x85;&#x2028;</a>"),
    ],
)  # fmt: skip
def test_text_is_not_changed(text: str, written: str) -> None:
    assert document.serialize(document.parse(text)) == document.DECLARATION + written


def test_control_characters_are_shown_as_they_are() -> None:
    assert document.parse("<a>&#x1b;</a>").text == "\x1b"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("<a>\x1b</a>", "the character U+001B is not allowed in XML. Write the reference '&#x1b;'"),
        ("<a>\ufffe</a>", "the character U+FFFE is not allowed in XML"),
        ("<a xmlns='urn:x'/>", "'a' has the namespace 'urn:x', but Jenkins does not store namespaces"),
        ("<a xmlns:y='urn:x'><b y:c='1'/></a>", "'c' has the namespace 'urn:x', but Jenkins does not store namespaces"),
        ("<a><b/> x </a>", "Jenkins does not store the text 'x' behind the element 'b'"),
        ("<a> x <b/></a>", "Jenkins does not store the text 'x' before the element 'b'"),
        ("<a><b><![CDATA[\n&#1;]]><c/></b></a>", "Jenkins does not store the text '&#1;' before the element 'c'"),
        ("<a><b/>&#27;</a>", "Jenkins does not store the text '\x1b' behind the element 'b'"),
        ("<a><b>1</b><c/><b>2</b></a>", "the element 'b' is set more than once. Keep one of them"),
    ],
)
def test_what_jenkins_cannot_store_is_refused_by_name(text: str, problem: str) -> None:
    with pytest.raises(document.XmlError) as raised:
        document.parse(text)
    assert str(raised.value) == problem


@pytest.mark.parametrize("opening", ["<!--", "<![CDATA[", "<?x "])
def test_markup_without_its_end_is_read_once(opening: str) -> None:
    with pytest.raises(document.XmlError):
        document.parse(f"<a>{opening * 200_000}")


# Elements of former versions, with what the message advises, and the configuration that `on_dropped: warn` sends
OUTDATED = [
    ("<flow-definition><canRoam>true</canRoam></flow-definition>", "canRoam", "a Pipeline has no such setting", ""),
    ('<flow-definition><scm class="a.B"/></flow-definition>', "scm", "a Pipeline has no such setting", ""),
    (
        "<flow-definition><concurrentBuild>false</concurrentBuild></flow-definition>",
        "concurrentBuild",
        "use properties/org.jenkinsci.plugins.workflow.job.properties.DisableConcurrentBuildsJobProperty",
        "properties/org.jenkinsci.plugins.workflow.job.properties.DisableConcurrentBuildsJobProperty",
    ),
    (
        f"<project><properties><{MATRIX}><blocksInheritance>true</blocksInheritance></{MATRIX}></properties></project>",
        f"properties/{MATRIX}/blocksInheritance",
        "use inheritanceStrategy",
        f"properties/{MATRIX}/inheritanceStrategy/@class",
    ),
    (
        "<flow-definition><triggers><a.Timer/></triggers></flow-definition>",
        "triggers",
        "use properties/org.jenkinsci.plugins.workflow.job.properties.PipelineTriggersJobProperty/triggers",
        "properties/org.jenkinsci.plugins.workflow.job.properties.PipelineTriggersJobProperty/triggers/a.Timer",
    ),
    (
        "<hudson.model.ListView><jobFilters/><statusFilter>false</statusFilter></hudson.model.ListView>",
        "statusFilter",
        "use jobFilters/hudson.views.StatusFilter/statusFilter",
        "jobFilters/hudson.views.StatusFilter/statusFilter",
    ),
    (
        '<project><scm class="hudson.plugins.git.GitSCM"><disableSubmodules>false</disableSubmodules></scm></project>',
        "scm/disableSubmodules",
        "use extensions/hudson.plugins.git.extensions.impl.SubmoduleOption",
        "",
    ),
    (
        '<project><scm class="hudson.plugins.git.GitSCM"><wipeOutWorkspace>true</wipeOutWorkspace></scm></project>',
        "scm/wipeOutWorkspace",
        "use extensions/hudson.plugins.git.extensions.impl.WipeWorkspace",
        "scm/extensions/hudson.plugins.git.extensions.impl.WipeWorkspace",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("declared", "path", "advice", "_replaced"), OUTDATED)
def test_outdated_element_is_refused_before_the_change(declared: str, path: str, advice: str, _replaced: str) -> None:
    root = document.parse(declared)
    configuration = DesiredConfiguration(root, losses=Losses("fail"))
    configuration.read(ET.Element(root.tag), is_written=False)
    with pytest.raises(ToolchainError) as raised:
        configuration.check_kept()
    assert str(raised.value) == (
        "The configuration of job 'app' was not sent, because Jenkins would not keep these elements as declared: "
        f"'{path}' (outdated: {advice}). Remove or replace them, or set 'on_dropped: warn'."
    )


@pytest.mark.parametrize(("declared", "path", "advice", "replaced"), OUTDATED)
def test_outdated_element_is_replaced_when_its_loss_is_accepted(
    declared: str, path: str, advice: str, replaced: str
) -> None:
    losses = Losses("warn")
    configuration = DesiredConfiguration(document.parse(declared), losses=losses)
    desired = configuration.list_desired(None)
    configuration.check_kept()
    assert path not in desired
    assert (replaced in desired) == bool(replaced)
    assert losses.warnings == [
        f"Jenkins does not keep these elements of the configuration of job 'app' as declared: '{path}' (outdated: "
        f"{advice})."
    ]


def test_outdated_element_that_an_old_server_stores_is_compared() -> None:
    declared = "<hudson.model.ListView><statusFilter>false</statusFilter></hudson.model.ListView>"
    stored = document.parse("<hudson.model.ListView><statusFilter>true</statusFilter></hudson.model.ListView>")
    configuration = DesiredConfiguration(document.parse(declared), losses=Losses("fail"))
    assert configuration.read(stored, is_written=False) == {"statusFilter": "true"}
    assert configuration.list_desired(stored) == {"statusFilter": "false"}
    configuration.check_kept()


DECLARED = (
    '<project><description>d</description><builders><x.Old plugin="old@1.2"><a>1</a></x.Old>'
    "<hudson.tasks.Shell><command>a</command></hudson.tasks.Shell><y.Unknown/></builders></project>"
)
KEPT = (
    "<project><description>d</description><builders><hudson.tasks.Shell><command>a</command></hudson.tasks.Shell>"
    "</builders></project>"
)


def test_element_of_a_missing_plugin_counts_as_unchanged_when_its_loss_is_accepted() -> None:
    losses = Losses("warn", plugins={"git": True})
    declared = DECLARED.replace("<y.Unknown/>", "")
    configuration = DesiredConfiguration(document.parse(declared), losses=losses)
    stored = document.parse(KEPT)
    current = configuration.read(stored, is_written=False)
    assert all(current.get(path) == text for path, text in configuration.list_desired(stored).items())
    assert list(dict.fromkeys(losses.warnings)) == [
        "Jenkins did not keep these elements of the configuration of job 'app': 'builders/x.Old' (the plugin 'old', "
        "1.2 in the XML, is not installed)."
    ]
    assert configuration.show(current) == {
        "description": "d",
        "builders/hudson.tasks.Shell/command": "a",
    }


@pytest.mark.parametrize("plugins", [{"old": True}, None])
def test_other_missing_element_is_a_difference_until_jenkins_has_accepted_the_configuration(
    plugins: dict[str, bool] | None,
) -> None:
    configuration = DesiredConfiguration(document.parse(DECLARED), losses=Losses("warn", plugins=plugins))
    stored = document.parse(KEPT)

    def find_difference() -> bool:
        current = configuration.read(stored, is_written=True)
        return any(current.get(path) != text for path, text in desired.items())

    configuration.read(stored, is_written=False)
    desired = configuration.list_desired(stored)
    assert find_difference()
    configuration.record_acceptance()
    assert not find_difference()
    stored[0].text = "another"
    assert find_difference()


def test_object_of_another_class_is_never_a_loss() -> None:
    declared = '<project><scm class="x.Scm" plugin="old@1"><url>u</url></scm></project>'
    for current, is_accepted in (("hudson.scm.NullSCM", True), ("hudson.plugins.git.GitSCM", False)):
        configuration = DesiredConfiguration(document.parse(declared), losses=Losses("warn", plugins={}))
        stored = document.parse(f'<project><scm class="{current}"/></project>')
        texts = configuration.read(stored, is_written=False)
        assert (texts == configuration.list_desired(stored)) == is_accepted


@pytest.mark.parametrize(
    ("tag", "declared", "stored"),
    [
        ("quietPeriod", "+5", "5"),
        ("quietPeriod", "05", "5"),
        ("quietPeriod", "0x1F", "31"),
        ("quietPeriod", "#1f", "31"),
        ("quietPeriod", "-010", "-8"),
        ("scmCheckoutRetryCount", "0", "0"),
        ("disabled", "TRUE", "true"),
    ],
)
def test_other_form_of_a_value_is_equal(tag: str, declared: str, stored: str) -> None:
    assert (
        find_changes(f"<project><{tag}>{declared}</{tag}></project>", f"<project><{tag}>{stored}</{tag}></project>")
        == {}
    )
    changed = find_changes(f"<project><{tag}>{declared}</{tag}></project>", f"<project><{tag}>7</{tag}></project>")
    assert changed == {tag: stored}


@pytest.mark.parametrize("tag", ["defaultValue", "label", "command"])
def test_text_that_looks_like_a_number_is_compared_as_it_is(tag: str) -> None:
    declared, stored = f"<a.B><{tag}>05</{tag}></a.B>", f"<a.B><{tag}>5</{tag}></a.B>"
    assert find_changes(declared, stored) == {tag: "05"}


@pytest.mark.parametrize(
    ("name", "is_of_plugin"),
    [
        ("hudson.views.RegExJobFilter", True),
        ("hudson.views.StatusColumn", False),
        ("hudson.scm.SubversionSCM", True),
        ("hudson.scm.NullSCM", False),
        ("hudson.tasks.Mailer", True),
        ("hudson.tasks.Shell", False),
        ("hudson.security.AuthorizationMatrixProperty", True),
        ("hudson.plugins.git.GitSCM", False),
        ("java.util.Collections$EmptyList", False),
        ("properties", False),
    ],
)
def test_class_is_asked_for_if_neither_jenkins_nor_a_known_plugin_has_it(name: str, is_of_plugin: bool) -> None:
    assert class_plugins.is_foreign(name) == is_of_plugin
