# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an option that is not set means for a new object of Jenkins: what Jenkins' own form for new objects makes.

The tables name the source of each value. A missing element and an empty one are equal: the form sends an empty text,
and Jenkins reads a missing element as none. An option without a row fails `test_each_option_has_a_row`.
"""

from __future__ import annotations

import importlib
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job import declared
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from sandbox.client import Sandbox
from support.keys import rsa_pair
from support.playbook import run_here
from support.wire.ci import Ci

Options = dict[str, Any]
# Element or attribute, value in the form (empty: none), and source. Paths by option, `a.b` for suboptions
Row = tuple[str, str, str]
Rows = dict[str, Row]

_PROPERTIES = "properties/hudson.model.ParametersDefinitionProperty"
_PARAMETER = f"{_PROPERTIES}/parameterDefinitions/*"
_DISCARDER = "properties/jenkins.model.BuildDiscarderProperty"
_PIPELINE_PROPERTIES = "properties/org.jenkinsci.plugins.workflow.job.properties."
_SOURCE = "sources/data/jenkins.branch.BranchSource/source"
_PROJECT = "hudson.model.AbstractProject, submitImpl"
_JOB = "hudson.model.Job, doConfigSubmit"
_NODE = "hudson/slaves/DumbSlave/configure-entries.jelly"
_INBOUND = "hudson/slaves/JNLPLauncher/config.jelly"
_WORK_DIR = "jenkins/slaves/RemotingWorkDirSettings/config.jelly"
_SSH = "hudson/plugins/sshslaves/SSHConnector/config.jelly"
_VIEW = "hudson.model.View, doConfigSubmit"
_LIST = "hudson.model.ListView, submit"
_CREDENTIAL = "com/cloudbees/plugins/credentials/impl/BaseStandardCredentials/id-and-description.jelly"
_SCOPE = "com.cloudbees.plugins.credentials.CredentialsDescriptor, doFillScopeItems: the first one"
_DOMAIN = "com/cloudbees/plugins/credentials/domains/"

ITEM: Rows = {
    "description": ("description", "", _JOB),
    "display_name": ("displayName", "", _JOB),
    "disabled": ("disabled", "false", "jenkins.model.ParameterizedJobMixIn, makeDisabled"),
}
JOB: Rows = {
    **ITEM,
    "parameters": (_PROPERTIES, "", _JOB),
    "retention": (_DISCARDER, "", _JOB),
}
FREESTYLE: Rows = {
    **JOB,
    "triggers": ("triggers", "", _PROJECT),
    "concurrent": ("concurrentBuild", "false", _PROJECT),
    "quiet_period": ("quietPeriod", "", _PROJECT),
    "git": ("scm/@class", "hudson.scm.NullSCM", _PROJECT),
    "shell": ("builders", "", "hudson.model.Project, submit"),
    "label": ("canRoam", "true", _PROJECT),
}
PIPELINE: Rows = {
    **JOB,
    "triggers": (f"{_PIPELINE_PROPERTIES}PipelineTriggersJobProperty", "", _JOB),
    "concurrent": (f"{_PIPELINE_PROPERTIES}DisableConcurrentBuildsJobProperty", "", _JOB),
    "quiet_period": ("quietPeriod", "", "org.jenkinsci.plugins.workflow.job.WorkflowJob, submit"),
    "script_sandbox": ("definition/sandbox", "true", "workflow/cps/CpsFlowDefinition/config.jelly"),
}
PIPELINE_FROM_GIT: Rows = {
    "git.credentials_id": (
        "definition/scm/userRemoteConfigs/*/credentialsId",
        "",
        "hudson/plugins/git/UserRemoteConfig/config.jelly",
    ),
    "script_path": ("definition/scriptPath", "Jenkinsfile", "workflow/cps/CpsScmFlowDefinition/config.jelly"),
    "lightweight": ("definition/lightweight", "true", "workflow/cps/CpsScmFlowDefinition/config.jelly"),
}
MULTIBRANCH: Rows = {
    **ITEM,
    "git.credentials_id": (f"{_SOURCE}/credentialsId", "", "jenkins/plugins/git/GitSCMSource/config-detail.jelly"),
    "script_path": (
        "factory/scriptPath",
        "Jenkinsfile",
        "org.jenkinsci.plugins.workflow.multibranch.WorkflowBranchProjectFactory",
    ),
    "orphaned_branches": (
        "orphanedItemStrategy/pruneDeadBranches",
        "true",
        "com.cloudbees.hudson.plugins.folder.computed.ComputedFolder, init",
    ),
    "scan_interval": ("triggers", "", "com.cloudbees.hudson.plugins.folder.computed.ComputedFolder, init"),
}
ORPHANS: Rows = {
    "orphaned_branches.delete": ("orphanedItemStrategy/pruneDeadBranches", "true", "ComputedFolder, init"),
    "orphaned_branches.keep_days": ("orphanedItemStrategy/daysToKeep", "-1", "DefaultOrphanedItemStrategy, fromString"),
}
PARAMETER: Rows = {
    "parameters.type": (f"{_PARAMETER}/trim", "false", "the default of the option is a string"),
    "parameters.default": (f"{_PARAMETER}/defaultValue", "", "hudson/model/StringParameterDefinition/config.jelly"),
    "parameters.description": (f"{_PARAMETER}/description", "", "hudson/model/ParameterDefinition"),
    "parameters.trim": (f"{_PARAMETER}/trim", "false", "hudson/model/StringParameterDefinition/config.jelly"),
    "triggers.poll_scm": ("triggers/hudson.triggers.SCMTrigger", "", _PROJECT),
    "retention.keep_days": (f"{_DISCARDER}/strategy/daysToKeep", "-1", "hudson.tasks.LogRotator, parse"),
    "retention.keep_artifact_days": (f"{_DISCARDER}/strategy/artifactDaysToKeep", "-1", "hudson.tasks.LogRotator"),
    "retention.keep_artifact_builds": (f"{_DISCARDER}/strategy/artifactNumToKeep", "-1", "hudson.tasks.LogRotator"),
}
OTHER_PARAMETERS: Rows = {
    "parameters.default": (
        f"{_PARAMETER}/defaultValue",
        "false",
        "hudson/model/BooleanParameterDefinition/config.jelly",
    ),
    "triggers.cron": ("triggers/hudson.triggers.TimerTrigger", "", _PROJECT),
    "retention.keep_builds": (f"{_DISCARDER}/strategy/numToKeep", "-1", "hudson.tasks.LogRotator, parse"),
}
FOLDER: Rows = {name: ITEM[name] for name in ("description", "display_name")}
VIEW: Rows = {
    "description": ("description", "", _VIEW),
    "filter_queue": ("filterQueue", "false", _VIEW),
    "filter_executors": ("filterExecutors", "false", _VIEW),
}
LIST_VIEW: Rows = {
    **VIEW,
    "type": ("@class", "", "the default of the option is a list view"),
    "jobs": ("jobNames/string", "", _LIST),
    "regex": ("includeRegex", "", _LIST),
    "recurse": ("recurse", "false", _LIST),
    "columns": (
        "columns/*",
        "hudson.views.StatusColumn hudson.views.WeatherColumn hudson.views.JobColumn hudson.views.LastSuccessColumn "
        "hudson.views.LastFailureColumn hudson.views.LastDurationColumn hudson.views.BuildButtonColumn",
        "hudson.views.ListViewColumn, createDefaultInitialColumnList",
    ),
    "status_filter": ("jobFilters/*", "", "hudson.model.ListView, initJobFilters"),
}
NODE: Rows = {
    "description": ("description", "", _NODE),
    "executors": ("numExecutors", "1", _NODE),
    "usage": ("mode", "NORMAL", "lib/form/slave-mode.jelly: the first one"),
    "labels": ("label", "", _NODE),
    "launcher": ("launcher/@class", "hudson.slaves.JNLPLauncher", "hudson.slaves.DumbSlave"),
    "launcher.web_socket": ("launcher/webSocket", "false", _INBOUND),
    "launcher.tunnel": ("launcher/tunnel", "", _INBOUND),
    "launcher.disable_work_dir": ("launcher/workDirSettings/disabled", "false", _WORK_DIR),
    "launcher.work_dir": ("launcher/workDirSettings/workDirPath", "", _WORK_DIR),
    "launcher.internal_dir": ("launcher/workDirSettings/internalDir", "remoting", _WORK_DIR),
    "launcher.fail_if_work_dir_is_missing": (
        "launcher/workDirSettings/failIfWorkDirIsMissing",
        "false",
        _WORK_DIR,
    ),
    "retention": (
        "retentionStrategy/@class",
        "hudson.slaves.RetentionStrategy$Always",
        "hudson.slaves.RetentionStrategy: the one with the greatest ordinal",
    ),
    "environment_variables": ("nodeProperties/*", "", _NODE),
    "tools": ("nodeProperties/*", "", _NODE),
}
SSH_NODE: Rows = {
    "launcher.port": ("launcher/port", "22", _SSH),
    "launcher.host_key_verification": (
        "launcher/sshHostKeyVerificationStrategy/@class",
        "hudson.plugins.sshslaves.verifiers.KnownHostsFileKeyVerificationStrategy",
        f"{_SSH}: the first one",
    ),
    "launcher.java_path": ("launcher/javaPath", "", _SSH),
    "launcher.jvm_options": ("launcher/jvmOptions", "", _SSH),
    "launcher.prefix_start_command": ("launcher/prefixStartSlaveCmd", "", _SSH),
    "launcher.suffix_start_command": ("launcher/suffixStartSlaveCmd", "", _SSH),
    "launcher.launch_timeout": ("launcher/launchTimeoutSeconds", "60", "hudson.plugins.sshslaves.SSHLauncher"),
    "launcher.max_retries": ("launcher/maxNumRetries", "10", "hudson.plugins.sshslaves.SSHLauncher"),
    "launcher.retry_wait": ("launcher/retryWaitTime", "15", "hudson.plugins.sshslaves.SSHLauncher"),
    "launcher.tcp_no_delay": ("launcher/tcpNoDelay", "true", _SSH),
    "retention.in_demand_delay": (
        "retentionStrategy/inDemandDelay",
        "0",
        "the form requires a number; hudson.slaves.RetentionStrategy$Demand: the least one",
    ),
    "retention.idle_delay": (
        "retentionStrategy/idleDelay",
        "1",
        "the form requires a number; hudson.slaves.RetentionStrategy$Demand: the least one",
    ),
}
TRUSTING_NODE: Rows = {
    "launcher.require_manual_trust": (
        "launcher/sshHostKeyVerificationStrategy/requireInitialManualTrust",
        "false",
        "hudson/plugins/sshslaves/verifiers/ManuallyTrustedKeyVerificationStrategy/config.jelly",
    ),
    "retention.keep_up_when_active": (
        "retentionStrategy/keepUpWhenActive",
        "true",
        "hudson/slaves/SimpleScheduledRetentionStrategy/config.jelly",
    ),
}
CREDENTIAL: Rows = {
    "scope": ("scope", "GLOBAL", _SCOPE),
    "description": ("description", "", _CREDENTIAL),
}
PASSWORD: Rows = {
    **CREDENTIAL,
    "username_secret": (
        "usernameSecret",
        "false",
        "com/cloudbees/plugins/credentials/impl/UsernamePasswordCredentialsImpl/credentials.jelly",
    ),
}
KEY: Rows = {
    **CREDENTIAL,
    "username_secret": ("usernameSecret", "false", "BasicSSHUserPrivateKey/credentials.jelly"),
    "passphrase": ("privateKeySource/passphrase", "", "BasicSSHUserPrivateKey/credentials.jelly"),
}
DOMAIN: Rows = {
    "description": ("description", "", "com/cloudbees/plugins/credentials/domains/Domain/config.jelly"),
    "hostname": ("specifications/*", "", f"{_DOMAIN}Domain/config.jelly"),
    "hostname_port": ("specifications/*", "", f"{_DOMAIN}Domain/config.jelly"),
    "path": ("specifications/*", "", f"{_DOMAIN}Domain/config.jelly"),
    "schemes": ("specifications/*", "", f"{_DOMAIN}Domain/config.jelly"),
}
PATH: Rows = {
    "path.case_sensitive": ("specifications/*/caseSensitive", "false", f"{_DOMAIN}PathSpecification/config.jelly"),
    "path.excludes": ("specifications/*/excludes", "", f"{_DOMAIN}PathSpecification/config.jelly"),
}


@dataclass(frozen=True)
class Kind:
    """A kind of objects.

    :ivar options: only what the module requires, and what the rows apply to
    :ivar path: path of the stored object
    """

    module: str
    options: Options
    path: str
    rows: Rows


_NAME = {"name": "new"}
_GIT = {"url": "https://git.example.com/a.git"}
_SYSTEM = "/credentials/store/system/domain"
KINDS = {
    "freestyle": Kind("ci_job", {**_NAME, "type": "freestyle"}, "/job/new", FREESTYLE),
    "pipeline": Kind("ci_job", {**_NAME, "type": "pipeline", "script": "node {}"}, "/job/new", PIPELINE),
    "pipeline from git": Kind(
        "ci_job", {**_NAME, "type": "pipeline", "git": {**_GIT, "branch": "main"}}, "/job/new", PIPELINE_FROM_GIT
    ),
    "multibranch": Kind("ci_job", {**_NAME, "type": "multibranch", "git": _GIT}, "/job/new", MULTIBRANCH),
    "orphans": Kind(
        "ci_job",
        {**_NAME, "type": "multibranch", "git": _GIT, "orphaned_branches": {"keep_count": 5}},
        "/job/new",
        ORPHANS,
    ),
    "string parameter": Kind(
        "ci_job",
        {
            **_NAME,
            "type": "freestyle",
            "parameters": [{"name": "P"}],
            "triggers": {"cron": "@daily"},
            "retention": {"keep_builds": 5},
        },
        "/job/new",
        PARAMETER,
    ),
    "boolean parameter": Kind(
        "ci_job",
        {
            **_NAME,
            "type": "freestyle",
            "parameters": [{"name": "P", "type": "boolean"}],
            "triggers": {"poll_scm": "@daily"},
            "retention": {"keep_days": 5},
        },
        "/job/new",
        OTHER_PARAMETERS,
    ),
    "password parameter": Kind(
        "ci_job",
        {**_NAME, "type": "freestyle", "parameters": [{"name": "P", "type": "password"}]},
        "/job/new",
        {"parameters.secret_default": (f"{_PARAMETER}/description", "", "an encrypted empty text")},
    ),
    "choice parameter": Kind(
        "ci_job",
        {**_NAME, "type": "freestyle", "parameters": [{"name": "P", "type": "choice", "choices": ["a"]}]},
        "/job/new",
        {"parameters.description": (f"{_PARAMETER}/description", "", "hudson/model/ParameterDefinition")},
    ),
    "folder": Kind("ci_folder", _NAME, "/job/new", FOLDER),
    "list view": Kind("ci_view", _NAME, "/view/new", LIST_VIEW),
    "view of all": Kind("ci_view", {**_NAME, "type": "all"}, "/view/new", VIEW),
    "my view": Kind("ci_view", {**_NAME, "type": "my"}, "/view/new", VIEW),
    "nested view": Kind("ci_view", {**_NAME, "type": "nested"}, "/view/new", VIEW),
    "node": Kind("ci_node", {**_NAME, "remote_root": "/srv"}, "/computer/new", NODE),
    "ssh node": Kind(
        "ci_node",
        {
            **_NAME,
            "remote_root": "/srv",
            "launcher": {"type": "ssh", "host": "h", "credentials_id": "agents"},
            "retention": {"type": "demand"},
        },
        "/computer/new",
        SSH_NODE,
    ),
    "trusting node": Kind(
        "ci_node",
        {
            **_NAME,
            "remote_root": "/srv",
            "launcher": {
                "type": "ssh",
                "host": "h",
                "credentials_id": "agents",
                "host_key_verification": "first_connection",
            },
            "retention": {"type": "schedule", "start_times": "@daily", "up_time": 60},
        },
        "/computer/new",
        TRUSTING_NODE,
    ),
    "password": Kind(
        "ci_credential",
        {"id": "new", "type": "username_password", "username": "u", "password": "p-of-new"},
        f"{_SYSTEM}/_/credential/new",
        PASSWORD,
    ),
    "text": Kind(
        "ci_credential",
        {"id": "new", "type": "secret_text", "secret": "s-of-new"},
        f"{_SYSTEM}/_/credential/new",
        CREDENTIAL,
    ),
    "key": Kind(
        "ci_credential",
        {"id": "new", "type": "ssh_key", "username": "u", "private_key": rsa_pair().private},
        f"{_SYSTEM}/_/credential/new",
        KEY,
    ),
    "domain": Kind("ci_credential_domain", _NAME, f"{_SYSTEM}/new", DOMAIN),
    "domain of paths": Kind("ci_credential_domain", {**_NAME, "path": {"includes": ["a/*"]}}, f"{_SYSTEM}/new", PATH),
}
# Options that choose an object, or how the module changes it
HOW = frozenset(
    (
        *("name", "previous_name", "copy_from", "config", "src", "exact", "state", "update_secret", "id", "folder"),
        *("user", "domain", "parent", "purge", "type", "allow_delete_builds", "allow_delete_content"),
        *("allow_abort_builds", "allow_delete_credentials", "allow_type_change", "owner", "group", "mode"),
        *("secret_file", "xml", "on_dropped"),
    )
)
# Options that the form requires, or that apply only together with others; without them, nothing is stored
REQUIRED = {
    "ci_job": {
        "git.branch",
        "git.url",
        "orphaned_branches.keep_count",
        "parameters.choices",
        "parameters.name",
        "script",
    },
    "ci_node": {
        *("remote_root", "launcher.type", "launcher.host", "launcher.credentials_id", "launcher.command"),
        *("launcher.host_key", "retention.type", "retention.start_times", "retention.up_time"),
        *("tools.type", "tools.name", "tools.home"),
    },
    "ci_credential": {
        *("username", "password", "secret", "private_key", "file_name", "content", "content_base64"),
        *("certificate_chain",),
    },
    "ci_credential_domain": {
        *("hostname.includes", "hostname.excludes", "hostname_port.includes", "hostname_port.excludes"),
        "path.includes",
    },
}


@pytest.fixture(autouse=True)
def set_environment(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Configure the modules with environment variables. Forget the cached version of the server."""
    monkeypatch.setattr(session, "_CONNECTIONS", {})
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)


def find(root: ET.Element, path: str) -> str:
    """Return the text or attribute at a path, for several elements their names, or an empty text."""
    if "@" in path:
        place, _at, name = path.rpartition("@")
        element = root.find(place.rstrip("/")) if place else root
        return "" if element is None else element.get(name, "")
    found = root.findall(path)
    if path.endswith("/*"):
        return " ".join(element.tag for element in found)
    return " ".join((element.text or "").strip() + " ".join(child.tag for child in element) for element in found)


@pytest.mark.parametrize("name", KINDS)
def test_option_that_is_not_set_is_stored_as_the_form_stores_it(name: str, sandbox: Sandbox) -> None:
    kind = KINDS[name]
    sandbox.seed({"ci": {"plugins": [{"name": plugin, "version": "1"} for plugin in ("nested-view", "ssh-slaves")]}})
    created = run_here(sandbox, kind.module, items=[kind.options])
    assert created.status == "ok", created.result
    assert created.result["changed"]
    stored = Ci(sandbox).get(f"{kind.path}/config.xml")
    root = ET.fromstring(stored.text.replace("version='1.1'", "version='1.0'").replace('"1.1"', '"1.0"').encode())
    values = {option: find(root, path) for option, (path, _value, _source) in kind.rows.items()}
    assert values == {option: value for option, (_path, value, _source) in kind.rows.items()}
    assert not run_here(sandbox, kind.module, items=[kind.options]).result["changed"]


def list_options(options: dict[str, Any], prefix: str = "") -> Iterator[str]:
    for name, option in options.items():
        yield prefix + name
        yield from list_options(option.get("options") or {}, f"{prefix}{name}.")


@pytest.mark.parametrize("module", sorted({kind.module for kind in KINDS.values()}))
def test_each_option_has_a_row(module: str) -> None:
    code = importlib.import_module(f"ansible_collections.buildworks.toolchain.plugins.modules.{module}")
    options = set(list_options(code.SPEC.options["items"]["options"])) - HOW
    rows = {option for kind in KINDS.values() if kind.module == module for option in kind.rows}
    assert options - rows - REQUIRED.get(module, set()) == set()
    assert rows - options - HOW == set()


@pytest.mark.parametrize("kind", declared.OPTIONS_OF_TYPES)
def test_each_option_of_a_type_of_jobs_has_a_row(kind: str) -> None:
    rows = {option.partition(".")[0] for name in KINDS if name.startswith(kind) for option in KINDS[name].rows}
    assert set(declared.OPTIONS_OF_TYPES[kind]) - rows == ({"script"} if kind == "pipeline" else set())
