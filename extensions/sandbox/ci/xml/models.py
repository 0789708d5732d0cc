# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of Jenkins, as their objects appear in configurations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """A class.

    :arg elements: the elements in their order, with the XML of those that Jenkins adds if they are missing. Others are
        dropped
    :arg secrets: names of elements that Jenkins encrypts
    :arg line_end: line end of its texts; None for any
    :arg texts: names of elements with a text, which has an end tag even if it is empty
    """

    elements: Mapping[str, str | None]
    secrets: frozenset[str] = frozenset()
    line_end: str | None = None
    texts: frozenset[str] = frozenset(("description", "displayName", "label", "spec", "command", "script", "name"))


def _flags(*names: str) -> dict[str, str | None]:
    """Return elements that are `false` by default."""
    return {name: f"<{name}>false</{name}>" for name in names}


def _texts(*names: str) -> dict[str, str | None]:
    """Return elements without a default."""
    return dict.fromkeys(names)


def _objects(*names: str) -> dict[str, str | None]:
    """Return elements that are empty by default."""
    return {name: f"<{name}/>" for name in names}


_ITEM = _texts("actions", "description", "displayName")
_PARAMETER = _texts("name", "description")
_STRING_PARAMETER = Model({**_PARAMETER, **_texts("defaultValue"), **_flags("trim")})
_COMMAND = {**_texts("command"), **_objects("configuredLocalRules"), **_texts("unstableReturn")}

FREESTYLE = Model(
    {
        **_ITEM,
        **_texts("logRotator"),
        **_flags("keepDependencies"),
        **_objects("properties"),
        "scm": '<scm class="hudson.scm.NullSCM"/>',
        **_texts("quietPeriod", "scmCheckoutRetryCount", "assignedNode"),
        **_flags("canRoam", "disabled", "blockBuildWhenDownstreamBuilding", "blockBuildWhenUpstreamBuilding"),
        **_texts("authToken", "jdk"),
        **_objects("triggers"),
        **_flags("concurrentBuild"),
        **_texts("customWorkspace"),
        **_objects("builders", "publishers", "buildWrappers"),
    },
    secrets=frozenset(("authToken",)),
)
PIPELINE = Model(
    {
        **_ITEM,
        **_flags("keepDependencies"),
        **_objects("properties"),
        **_texts("definition"),
        **_objects("triggers"),
        **_texts("quietPeriod", "authToken"),
        **_flags("disabled"),
    },
    secrets=frozenset(("authToken",)),
)
_MULTIBRANCH = "org.jenkinsci.plugins.workflow.multibranch.WorkflowMultiBranchProject"
_OWNER = f'<owner class="{_MULTIBRANCH}" reference="../.."/>'
_SOURCES = "jenkins.branch.MultiBranchProject$BranchSourceList"
_FACTORY = "org.jenkinsci.plugins.workflow.multibranch.WorkflowBranchProjectFactory"
_ORPHANED = "com.cloudbees.hudson.plugins.folder.computed.DefaultOrphanedItemStrategy"
# com.cloudbees.hudson.plugins.folder.computed.ComputedFolder, init: unlike in a strategy without this element
_DEFAULT_ORPHANED = (
    f'<orphanedItemStrategy class="{_ORPHANED}"><pruneDeadBranches>true</pruneDeadBranches></orphanedItemStrategy>'
)
MULTIBRANCH = Model(
    {
        **_ITEM,
        **_objects("properties"),
        "folderViews": f'<folderViews class="jenkins.branch.MultiBranchProjectViewHolder">{_OWNER}</folderViews>',
        **_objects("healthMetrics"),
        "icon": f'<icon class="jenkins.branch.MetadataActionFolderIcon">{_OWNER}</icon>',
        "orphanedItemStrategy": _DEFAULT_ORPHANED,
        **_objects("triggers"),
        **_flags("disabled"),
        "sources": f'<sources class="{_SOURCES}"/>',
        "factory": f'<factory class="{_FACTORY}"/>',
    }
)
FOLDER_VIEWS = """\
<folderViews class="com.cloudbees.hudson.plugins.folder.views.DefaultFolderViewHolder">
  <views>
    <hudson.model.AllView>
      <owner class="com.cloudbees.hudson.plugins.folder.Folder" reference="../../../.."/>
      <name>All</name>
      <filterExecutors>false</filterExecutors>
      <filterQueue>false</filterQueue>
      <properties class="hudson.model.View$PropertyList"/>
    </hudson.model.AllView>
  </views>
  <tabBar class="hudson.views.DefaultViewsTabBar"/>
</folderViews>"""
FOLDER = Model(
    {
        **_ITEM,
        **_objects("properties"),
        "folderViews": FOLDER_VIEWS,
        **_objects("healthMetrics"),
        "icon": '<icon class="com.cloudbees.hudson.plugins.folder.icons.StockFolderIcon"/>',
    }
)
_SORTED = '<comparator class="java.lang.String$CaseInsensitiveComparator"/>'
_COLUMNS = ("Status", "Weather", "Job", "LastSuccess", "LastFailure", "LastDuration", "BuildButton")
_VIEW: dict[str, str | None] = {
    **_texts("owner", "name", "description"),
    **_flags("filterExecutors", "filterQueue"),
    **_texts("properties"),
}
LIST_VIEW = Model(
    {
        **_VIEW,
        "jobNames": f"<jobNames>{_SORTED}</jobNames>",
        **_objects("jobFilters"),
        "columns": f"<columns>{''.join(f'<hudson.views.{name}Column/>' for name in _COLUMNS)}</columns>",
        **_texts("includeRegex"),
        **_flags("recurse"),
    }
)
_NO_WORK_DIR = """\
<workDirSettings>
  <disabled>true</disabled>
  <internalDir>remoting</internalDir>
  <failIfWorkDirIsMissing>false</failIfWorkDirIsMissing>
</workDirSettings>"""
AGENT = Model(
    {
        **_texts("temporaryOfflineCause", "name", "description", "remoteFS"),
        "numExecutors": "<numExecutors>0</numExecutors>",  # Jenkins hides such an agent
        **_texts("mode", "retentionStrategy", "launcher"),
        **_objects("label", "nodeProperties"),
    }
)
# By class. Objects of other classes are kept as they are
MODELS: dict[str, Model] = {
    "hudson.model.FreeStyleProject": FREESTYLE,
    "org.jenkinsci.plugins.workflow.job.WorkflowJob": PIPELINE,
    "com.cloudbees.hudson.plugins.folder.Folder": FOLDER,
    _MULTIBRANCH: MULTIBRANCH,
    _SOURCES: Model({**_objects("data"), "owner": _OWNER}),
    _FACTORY: Model({"owner": _OWNER, "scriptPath": "<scriptPath>Jenkinsfile</scriptPath>"}),
    _ORPHANED: Model(
        {
            **_flags("pruneDeadBranches"),
            "daysToKeep": "<daysToKeep>-1</daysToKeep>",
            "numToKeep": "<numToKeep>-1</numToKeep>",
            **_flags("abortBuilds"),
        }
    ),
    "com.cloudbees.hudson.plugins.folder.computed.PeriodicFolderTrigger": Model(
        {**_texts("spec"), "interval": "<interval>0</interval>"}
    ),
    "jenkins.branch.BranchSource": Model(_texts("source", "strategy", "buildStrategies")),
    "jenkins.plugins.git.GitSCMSource": Model(_texts("id", "remote", "credentialsId", "traits")),
    "hudson.plugins.git.GitSCM": Model(
        {
            **_texts("configVersion", "userRemoteConfigs", "branches"),
            **_flags("doGenerateSubmoduleConfigurations"),
            **_texts("browser", "gitTool"),
            "submoduleCfg": '<submoduleCfg class="empty-list"/>',
            **_objects("extensions"),
        }
    ),
    "hudson.plugins.git.UserRemoteConfig": Model(_texts("name", "refspec", "url", "credentialsId")),
    "hudson.plugins.git.BranchSpec": Model(_texts("name")),
    "jenkins.model.BuildDiscarderProperty": Model(_texts("strategy")),
    "org.jenkinsci.plugins.workflow.job.properties.PipelineTriggersJobProperty": Model(_objects("triggers")),
    "org.jenkinsci.plugins.workflow.job.properties.DisableConcurrentBuildsJobProperty": Model(_flags("abortPrevious")),
    "hudson.model.AllView": Model(_VIEW),
    "hudson.model.ListView": LIST_VIEW,
    "hudson.model.MyView": Model(_VIEW),
    "hudson.plugins.nested__view.NestedView": Model({**_VIEW, **_objects("views"), **_texts("defaultView", "columns")}),
    "hudson.model.ParametersDefinitionProperty": Model(_objects("parameterDefinitions")),
    "hudson.model.StringParameterDefinition": _STRING_PARAMETER,
    "hudson.model.TextParameterDefinition": _STRING_PARAMETER,
    "hudson.model.BooleanParameterDefinition": Model({**_PARAMETER, **_flags("defaultValue")}),
    "hudson.model.ChoiceParameterDefinition": Model({**_PARAMETER, **_texts("choices")}),
    "hudson.model.PasswordParameterDefinition": Model(
        {**_PARAMETER, **_texts("defaultValue")}, secrets=frozenset(("defaultValue",))
    ),
    "hudson.model.FileParameterDefinition": Model(_PARAMETER),
    "hudson.tasks.LogRotator": Model(
        {
            "daysToKeep": "<daysToKeep>0</daysToKeep>",
            "numToKeep": "<numToKeep>0</numToKeep>",
            **_texts("artifactDaysToKeep", "artifactNumToKeep"),
            **_flags("removeLastBuild"),
        }
    ),
    "hudson.slaves.DumbSlave": AGENT,
    "hudson.slaves.JNLPLauncher": Model({**_texts("tunnel"), "workDirSettings": _NO_WORK_DIR, **_flags("webSocket")}),
    "hudson.tasks.Shell": Model(_COMMAND, line_end="\n"),
    "hudson.tasks.BatchFile": Model(_COMMAND, line_end="\r\n"),
    "hudson.tasks.ArtifactArchiver": Model(
        {
            **_texts("artifacts", "excludes", "latestOnly"),
            **_flags("allowEmptyArchive", "onlyIfSuccessful", "fingerprint"),
            **{name: f"<{name}>true</{name}>" for name in ("defaultExcludes", "caseSensitive", "followSymlinks")},
        }
    ),
    "org.jenkinsci.plugins.credentialsbinding.impl.SecretBuildWrapper": Model(
        {"bindings": '<bindings class="empty-list"/>'}
    ),
    "hudson.triggers.TimerTrigger": Model(_texts("spec")),
    "hudson.triggers.SCMTrigger": Model({**_texts("spec"), **_flags("ignorePostCommitHooks")}),
    "org.jenkinsci.plugins.workflow.cps.CpsFlowDefinition": Model({**_texts("script"), **_flags("sandbox")}),
    "org.jenkinsci.plugins.workflow.cps.CpsScmFlowDefinition": Model(
        {**_texts("scm", "scriptPath"), **_flags("lightweight")}
    ),
}
