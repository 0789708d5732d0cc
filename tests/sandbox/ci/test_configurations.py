# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: configurations as XML are completed, ordered and encrypted."""

from __future__ import annotations

import re

import pytest

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


@pytest.mark.parametrize(
    ("element", "stored"),
    [
        ("<quietPeriod>+5</quietPeriod>", "<quietPeriod>5</quietPeriod>"),
        ("<quietPeriod>010</quietPeriod>", "<quietPeriod>8</quietPeriod>"),
        ("<quietPeriod>0x1F</quietPeriod>", "<quietPeriod>31</quietPeriod>"),
        ("<quietPeriod> 5 </quietPeriod>", None),
        ("<quietPeriod>1.0</quietPeriod>", None),
        ("<disabled>TRUE</disabled>", "<disabled>true</disabled>"),
        ("<disabled>yes</disabled>", "<disabled>false</disabled>"),
    ],
)
def test_numbers_and_booleans_are_converted(ci: Ci, element: str, stored: str | None) -> None:
    written = rewrite(ci, f"<project>{element}</project>")
    assert stored in written if stored else "quietPeriod" not in written


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


def test_text_without_charset_is_latin(ci: Ci) -> None:
    def post(text: str, content_type: str | None) -> int:
        headers = {} if content_type is None else {"Content-Type": content_type}
        return ci.post("/job/app/config.xml", data=text.encode(), headers=headers).status_code

    def stored() -> str:
        return ci.json("/job/app")["description"]

    new = "<?xml version='1.1' encoding='UTF-8'?><project><description>\u0142</description></project>"
    assert post(new, "application/xml") == 500
    assert stored() == "Builds the application"
    assert post(new, "application/xml; charset=utf-8") == 200
    assert stored() == "\u0142"
    assert post("<project><description>\u00e9</description></project>", "application/xml") == 200
    assert stored() == "\u00c3\u00a9"
    assert post(new, None) == 200
    assert stored() == "\u0142"
    created = ci.post("/createItem?name=new", data=new.encode(), headers={"Content-Type": "application/xml"})
    assert (created.status_code, ci.json("/job/new")["description"]) == (200, "\u0142")


def test_object_of_a_missing_plugin_is_dropped(ci: Ci) -> None:
    stored = rewrite(ci, '<project><scm class="hudson.plugins.nested_view.Scm"><a/></scm></project>')
    assert '<scm class="hudson.scm.NullSCM"/>' in stored


def test_limits_of_builds_that_are_not_given_are_zero(ci: Ci) -> None:
    strategy = '<strategy class="hudson.tasks.LogRotator"><daysToKeep>7</daysToKeep></strategy>'
    discarder = f"<jenkins.model.BuildDiscarderProperty>{strategy}</jenkins.model.BuildDiscarderProperty>"
    assert "<numToKeep>0</numToKeep>" in rewrite(ci, f"<project><properties>{discarder}</properties></project>")


def test_multibranch_pipeline_is_completed(ci: Ci) -> None:
    root = "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject"
    source = '<source class="jenkins.plugins.git.GitSCMSource"><remote>u</remote></source>'
    data = f"<data><jenkins.branch.BranchSource>{source}</jenkins.branch.BranchSource></data>"
    config = f'<{root}><sources class="jenkins.branch.MultiBranchProject$BranchSourceList">{data}</sources></{root}>'
    assert ci.post("/createItem?name=lib", data=config.encode(), headers=XML).status_code == 200
    stored = ci.get("/job/lib/config.xml").text
    assert f'<owner class="{root}" reference="../.."/>' in stored
    assert "<scriptPath>Jenkinsfile</scriptPath>" in stored
    assert "<numToKeep>-1</numToKeep>" in stored
    ci.sandbox.seed({"ci": {"jobs": [{"name": "lib/main", "kind": "pipeline"}]}})
    shown = ci.json("/job/lib")
    assert (shown["_class"], [job["name"] for job in shown["jobs"]]) == (root, ["main"])
    assert ci.post("/job/lib/createItem?name=x", data=b"<project/>", headers=XML).status_code == 404
    assert ci.post("/job/lib/disable").status_code == 302
    assert "<disabled>true</disabled>" in ci.get("/job/lib/config.xml").text


def test_copy_cannot_be_built_until_it_is_saved(ci: Ci) -> None:
    for name, save in (("one", "submitDescription"), ("two", "enable"), ("three", "disable")):
        assert ci.post(f"/createItem?name={name}&mode=copy&from=app").status_code == 302
        assert ci.json(f"/job/{name}")["buildable"] is False
        assert ci.post(f"/job/{name}/build").status_code == 409
        config = ci.get(f"/job/{name}/config.xml").content
        assert ci.post(f"/job/{name}/config.xml", data=config, headers=XML).status_code == 200
        assert ci.json(f"/job/{name}")["buildable"] is False
        assert ci.post(f"/job/{name}/{save}").status_code == 302
        if save == "disable":
            ci.post(f"/job/{name}/enable")
        assert ci.json(f"/job/{name}")["buildable"] is True
        assert ci.post(f"/job/{name}/build").status_code == 201


def test_submitted_description_replaces_the_description(ci: Ci) -> None:
    for form, element in (({"description": ""}, "<description></description>"), ({}, None)):
        assert ci.post("/job/app/submitDescription", data=form).status_code == 302
        stored = ci.get("/job/app/config.xml").text
        assert element in stored if element else "<description" not in stored


def test_copy_can_be_built_after_a_restart(ci: Ci) -> None:
    assert ci.post("/createItem?name=one&mode=copy&from=app").status_code == 302
    ci.post("/safeRestart")
    ci.later(60)
    assert ci.json("/job/one")["buildable"] is True


def test_object_of_an_unknown_class_is_kept_if_it_names_an_installed_plugin(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"plugins": [{"name": "acme", "version": "1"}]}})
    for plugin, is_kept in (("acme@1", True), ("other@1", False), ("git@5.2.1", False)):
        config = f'<project><builders><com.acme.Step plugin="{plugin}"><a/></com.acme.Step></builders></project>'
        assert ("<com.acme.Step" in rewrite(ci, config)) == is_kept


GIT = "hudson.plugins.git."
PIPELINE_PROPERTY = "org.jenkinsci.plugins.workflow.job.properties."


@pytest.mark.parametrize(
    ("submitted", "stored"),
    [
        # measured: Jenkins 2.579
        ("<builders><hudson.tasks.BatchFile><command>a\nb</command></hudson.tasks.BatchFile></builders>",
         "<command>a&#xd;\nb</command>"),
        ("<builders><hudson.tasks.Shell><command>a&#xd;\nb</command></hudson.tasks.Shell></builders>",
         "<command>a\nb</command>"),
        ("<builders><hudson.tasks.Shell><command><![CDATA[printf '&#27;']]></command></hudson.tasks.Shell></builders>",
         "<command>printf &apos;&amp;#27;&apos;</command>"),
        # hudson.util.RobustReflectionConverter keeps the last of several elements, and texts have no children
        ("<description>a</description><description>b</description>", "<description>b</description>"),
        ("<description>a<b>c</b></description>", "<description>a</description>"),
        ("<publishers><hudson.tasks.ArtifactArchiver/></publishers>", "<onlyIfSuccessful>false</onlyIfSuccessful>"),
        ('<triggers class="vector"/>', "<triggers/>"),
        ("<buildWrappers><hudson.plugins.timestamper.TimestamperBuildWrapper/></buildWrappers>", "<buildWrappers/>"),
        (f'<scm class="{GIT}GitSCM"><gitTool>Default</gitTool><remotePoll>true</remotePoll></scm>',
         f"""<submoduleCfg class="empty-list"/>
    <extensions>
      <{GIT}extensions.impl.DisableRemotePoll/>
    </extensions>"""),
        (f'<scm class="{GIT}GitSCM"><gitTool>Default</gitTool></scm>', "<gitTool>Default</gitTool>"),
        ('<scm class="hudson.plugins.mercurial.MercurialSCM"/>', '<scm class="hudson.scm.NullSCM"/>'),
    ],
)  # fmt: skip
def test_project_is_stored_in_the_form_of_jenkins(ci: Ci, submitted: str, stored: str) -> None:
    text = f"<?xml version='1.1'?><project>{submitted}</project>"
    written = rewrite(ci, text)
    assert stored in written
    assert rewrite(ci, written) == written


def test_elements_of_former_pipelines_are_replaced_or_dropped(ci: Ci) -> None:
    trigger = "<hudson.triggers.TimerTrigger><spec>@daily</spec></hudson.triggers.TimerTrigger>"
    config = (
        '<flow-definition><canRoam>true</canRoam><scm class="hudson.scm.NullSCM"/><concurrentBuild>false'
        f"</concurrentBuild><triggers>{trigger}</triggers></flow-definition>"
    )
    assert ci.post("/createItem?name=old", data=config.encode(), headers=XML).status_code == 200
    stored = ci.get("/job/old/config.xml").text
    assert "canRoam" not in stored
    assert "scm" not in stored
    assert "<abortPrevious>false</abortPrevious>" in stored
    assert f"<{PIPELINE_PROPERTY}PipelineTriggersJobProperty>\n      <triggers>" in stored
    assert "  <triggers/>" in stored


def test_view_of_a_further_plugin_exists_with_the_plugin(ci: Ci) -> None:
    config = b"<hudson.plugins.sectioned__view.SectionedView><sections/></hudson.plugins.sectioned__view.SectionedView>"

    def create() -> int:
        return ci.post("/createView?name=new", data=config, headers=XML).status_code

    assert create() == 500
    ci.sandbox.seed({"ci": {"plugins": [{"name": "sectioned-view", "version": "1"}]}})
    assert create() == 200
    assert "<sections/>" in ci.get("/view/new/config.xml").text


@pytest.mark.parametrize(
    ("plugin", "root", "item_class"),
    [
        ("matrix-project", "matrix-project", "hudson.matrix.MatrixProject"),
        ("maven-plugin", "maven2-moduleset", "hudson.maven.MavenModuleSet"),
    ],
)
def test_item_of_a_further_plugin_exists_with_the_plugin(ci: Ci, plugin: str, root: str, item_class: str) -> None:
    def create() -> int:
        return ci.post("/createItem?name=new", data=f"<{root}><axes/></{root}>".encode(), headers=XML).status_code

    assert create() == 500
    ci.sandbox.seed({"ci": {"plugins": [{"name": plugin, "version": "1"}]}})
    assert create() == 200
    assert ci.json("/job/new")["_class"] == item_class
    assert f"<{root}" in ci.get("/job/new/config.xml").text


def test_declaration_of_a_configuration_depends_on_the_version(ci: Ci) -> None:
    """The Jenkins provider of Terraform only knows the declaration of older versions."""
    for version, quote in (("2.579", '"'), ("2.568", '"'), ("2.567", "'"), ("2.462.3", "'")):
        ci.sandbox.switch("ci", version=version)
        declaration = f"<?xml version={quote}1.1{quote} encoding={quote}UTF-8{quote}?>\n<project>"
        assert ci.get("/job/app/config.xml").text.startswith(declaration)


def test_old_jenkins_returns_the_submitted_text_until_the_job_is_saved(ci: Ci) -> None:
    """The Jenkins provider of Terraform compares this text."""
    ci.sandbox.switch("ci", version="2.567")
    start = '<?xml version="1.1" encoding="UTF-8"?>'
    job = "<project>\n    <!-- c -->\n    <description>{}</description>\n\n  <builders></builders></project>"
    for path, text in (("/createItem?name=new", job.format("a")), ("/job/new/config.xml", job.format("b"))):
        body = f"<?xml version='1.1' encoding='UTF-8'?>\n{text}\n"
        assert ci.post(path, data=body.encode(), headers=XML).status_code == 200
        stored = f"{start}{text.replace('<builders></builders>', '<builders/>')}"
        assert ci.get("/job/new/config.xml").text == stored
    ci.post("/job/new/disable")
    saved = ci.get("/job/new/config.xml").text
    assert saved.startswith("<?xml version='1.1' encoding='UTF-8'?>\n<project>")
    assert "<description>b</description>" in saved
    assert "<disabled>true</disabled>" in saved
    ci.sandbox.switch("ci", version="2.568")
    assert ci.post("/job/new/config.xml", data=body.encode(), headers=XML).status_code == 200
    assert ci.get("/job/new/config.xml").text.startswith(f"{start}\n<project>\n  <description>b")
