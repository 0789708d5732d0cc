# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import stat
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils import _reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import built_in as built_in_node
from support import conversation as exact
from support.ci_nodes import (
    SECRET,
    computer,
    config,
    connection,
    created,
    missing,
    plugins,
    read,
    state,
    written,
)
from support.ci_scripts import ask_unknown, script
from support.ci_server import APP, TOKEN, deny_permission, page, read_before_update
from support.conversation import Call, call
from support.running import run

pytestmark = pytest.mark.usefixtures("no_configuration_sources")

SSH_CLASS = "hudson.plugins.sshslaves.SSHLauncher"
VERIFIERS = "hudson.plugins.sshslaves.verifiers"
SSH = {"type": "ssh", "host": "h", "credentials_id": "agents"}
SSH_XML = f"""\
  <launcher class="{SSH_CLASS}">
    <host>h</host>
    <port>22</port>
    <credentialsId>agents</credentialsId>
    <launchTimeoutSeconds>60</launchTimeoutSeconds>
    <maxNumRetries>10</maxNumRetries>
    <retryWaitTime>15</retryWaitTime>
    <tcpNoDelay>true</tcpNoDelay>
    <sshHostKeyVerificationStrategy class="{VERIFIERS}.KnownHostsFileKeyVerificationStrategy"/>
  </launcher>
"""
CAUSE = """\
  <temporaryOfflineCause class="hudson.slaves.OfflineCause$UserCause">
    <timestamp>1795400596155</timestamp>
    <message>closed</message>
  </temporaryOfflineCause>
"""
MATRIX = """\
    <org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty>
      <permission>USER:hudson.model.Computer.Connect:reader</permission>
    </org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty>
"""
ASK_MATRIX = ask_unknown({"class": ["org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty"]})
ENVIRONMENT = """\
    <hudson.slaves.EnvironmentVariablesNodeProperty>
      <envVars serialization="custom">
        <unserializable-parents/>
        <tree-map>
          <default>
            <comparator class="{comparator}"/>
          </default>
          <int>{count}</int>
{strings}
        </tree-map>
      </envVars>
    </hudson.slaves.EnvironmentVariablesNodeProperty>
"""
BUSY = [{"currentExecutable": APP, "idle": False}]
EXISTS = page("Jenkins", "Error", "Agent called \u2018n1\u2019 already exists")


def conversation(*calls: Call) -> AbstractContextManager[Any]:
    """Run a server that expects these requests, and the reads again immediately before an update."""
    return exact.conversation(*read_before_update(calls, "/config.xml"))


def node(**options: Any) -> dict[str, Any]:
    return {"name": "n1", **TOKEN, **options}


def properties(*texts: str) -> str:
    return f"  <nodeProperties>\n{''.join(texts)}  </nodeProperties>\n"


def environment(comparator: str = "hudson.util.CaseInsensitiveComparator", **variables: str) -> str:
    strings = "\n".join(
        f"          <string>{text}</string>" if text else "          <string/>"
        for pair in variables.items()
        for text in pair
    )
    return ENVIRONMENT.format(comparator=comparator, count=len(variables), strings=strings)


def test_unchanged_agent_costs_one_request() -> None:
    options = {
        "remote_root": "/srv",
        "description": "for \u00fc",
        "executors": 2,
        "labels": ["linux", "fast", "linux"],
        "usage": "normal",
        "launcher": {"type": "inbound", "web_socket": False, "tunnel": "", "internal_dir": "remoting"},
        "retention": {"type": "always"},
        "environment_variables": {},
        "tools": [],
    }
    with conversation(read(description="for \u00fc", executors=2, label="linux fast")) as server:
        result = run("ci_node", url=server.url, **node(**options))
    assert (result["changed"], result["node"]["labels"]) == (False, ["fast", "linux"])


def test_missing_agent_is_created() -> None:
    with conversation(missing(), created(label="a b", executors=3), read(label="a b", executors=3)) as server:
        options = {"remote_root": "/srv", "labels": ["b", "a"], "executors": 3}
        result = run("ci_node", url=server.url, diff_mode=True, **node(**options))
    assert result["changed"]
    assert result["node"] == {
        "name": "n1",
        "description": "",
        "remote_root": "/srv",
        "executors": 3,
        "usage": "normal",
        "labels": ["a", "b"],
        "launcher": {
            "type": "inbound",
            "web_socket": False,
            "tunnel": "",
            "disable_work_dir": False,
            "work_dir": "",
            "internal_dir": "remoting",
            "fail_if_work_dir_is_missing": False,
        },
        "retention": {"type": "always"},
        "environment_variables": {},
        "tools": [],
    }
    after = {"state": "present", "name": "n1", "remote_root": "/srv", "labels": ["a", "b"], "executors": 3}
    assert result["diff"] == {"before": {"state": "absent"}, "after": after}


def test_agent_is_created_by_form_when_jenkins_is_old() -> None:
    refused = call("POST", "/computer/createItem?name=n1", 400, text=page("Jenkins", "Error", "No mode given"))
    form = call("POST", "/computer/doCreateItem", 302, headers={"Location": "/computer/"})
    with conversation(missing(), refused, form, written(), read()) as server:
        assert run("ci_node", url=server.url, **node(remote_root="/srv"))["changed"]


def test_half_created_agent_is_completed_by_the_next_run() -> None:
    refused = call("POST", "/computer/createItem?name=n1", 400, text=page("Jenkins", "Error", "No mode given"))
    form = call("POST", "/computer/doCreateItem", 302, headers={"Location": "/computer/"})
    with conversation(missing(), refused, form, written(status=403), read(remote="")) as server:
        result = run("ci_node", url=server.url, **node(remote_root="/srv"))
    assert result["failed"]
    assert result["changed"]
    with conversation(read(remote=""), written(), read()) as server:
        assert run("ci_node", url=server.url, **node(remote_root="/srv"))["changed"]


def test_check_mode_predicts_creation() -> None:
    with conversation(missing(), call("GET", "/computer/new")) as server:
        result = run("ci_node", url=server.url, check_mode=True, **node(remote_root="/srv", executors=3))
    assert (result["changed"], result["node"]["executors"], result["node"]["usage"]) == (True, 3, "normal")
    refused = call("GET", "/computer/new", 403, text=deny_permission("x", "Agent/Create"))
    with conversation(missing(), refused) as server:
        result = run("ci_node", url=server.url, check_mode=True, **node(remote_root="/srv"))
    assert "x is missing the Agent/Create permission" in result["msg"]


def test_remote_root_is_required_when_agent_is_missing() -> None:
    with conversation(missing()) as server:
        result = run("ci_node", url=server.url, **node(executors=3))
    assert result["msg"] == "Option 'remote_root': is required, because node 'n1' does not exist."


def test_hidden_agent_is_explained() -> None:
    refused = call("POST", "/computer/createItem?name=n1", 400, text=EXISTS)
    with conversation(missing(), refused, missing()) as server:
        result = run("ci_node", url=server.url, **node(remote_root="/srv"))
    assert "Jenkins has a node with this name that has no executors" in result["msg"]
    assert """Jenkins.get().removeNode(Jenkins.get().getNode("n1"))""" in result["msg"]


def test_agent_of_another_client_is_compared_again() -> None:
    refused = call("POST", "/computer/createItem?name=n1", 400, text=EXISTS)
    with conversation(missing(), refused, read(), read(), read(), written(executors=2), read(executors=2)) as server:
        result = run("ci_node", url=server.url, **node(remote_root="/srv", executors=2))
    assert (result["changed"], len(result["warnings"])) == (True, 1)


def test_members_without_option_are_kept() -> None:
    stored = {"cause": CAUSE, "properties": properties(MATRIX)}
    with conversation(read(**stored), written(**stored, executors=2), read(**stored, executors=2)) as server:
        result = run("ci_node", url=server.url, diff_mode=True, **node(executors=2))
    assert result["diff"] == {
        "before": {"state": "present", "name": "n1", "executors": 1},
        "after": {"state": "present", "name": "n1", "executors": 2},
    }


def test_launcher_is_replaced_by_another_type() -> None:
    task = node(launcher={**SSH})
    with conversation(read(), plugins("ssh-slaves"), written(launcher=SSH_XML), read(launcher=SSH_XML)) as server:
        result = run("ci_node", url=server.url, **task)
    assert result["node"]["launcher"] == {
        **SSH,
        "port": 22,
        "java_path": "",
        "jvm_options": "",
        "prefix_start_command": "",
        "suffix_start_command": "",
        "launch_timeout": 60,
        "max_retries": 10,
        "retry_wait": 15,
        "tcp_no_delay": True,
        "work_dir": "",
        "host_key_verification": "known_hosts",
    }
    with conversation(read(launcher=SSH_XML)) as server:
        assert not run("ci_node", url=server.url, **task)["changed"]


def test_check_mode_and_run_agree_on_another_launcher() -> None:
    task = node(launcher={"type": "inbound", "web_socket": True})
    after = config().replace("<webSocket>false<", "<webSocket>true<")
    results = []
    for check_mode in (True, False):
        calls = [read(launcher=SSH_XML)]
        if not check_mode:
            launcher = '  <launcher class="hudson.slaves.JNLPLauncher">\n    <webSocket>true</webSocket>\n'
            launcher += "    <workDirSettings>\n      <disabled>false</disabled>\n"
            launcher += "      <internalDir>remoting</internalDir>\n"
            launcher += "      <failIfWorkDirIsMissing>false</failIfWorkDirIsMissing>\n    </workDirSettings>\n"
            stored = call("GET", "/computer/n1/config.xml", text=after)
            calls += [written(launcher=f"{launcher}  </launcher>\n"), stored]
        with conversation(*calls) as server:
            results.append(run("ci_node", url=server.url, check_mode=check_mode, diff_mode=True, **task))
    assert results[0] == results[1]


def test_missing_plugin_is_named_before_a_write() -> None:
    for check_mode in (True, False):
        with conversation(read(), plugins("git")) as server:
            result = run("ci_node", url=server.url, check_mode=check_mode, **node(launcher=SSH))
        assert "requires the Jenkins plugin 'ssh-slaves', which is not installed" in result["msg"]
        assert not result["changed"]
    with conversation(read()) as server:
        result = run("ci_node", url=server.url, check_mode=True, predicted_plugins=["ssh-slaves"], **node(launcher=SSH))
    assert result["changed"]


@pytest.mark.parametrize(
    ("options", "strategy", "content"),
    [
        (
            {"host_key_verification": "provided_key", "host_key": "ssh-ed25519 AAAA"},
            "ManuallyProvidedKeyVerificationStrategy",
            "<key><algorithm>ssh-ed25519</algorithm><key>AAAA</key></key>",
        ),
        (
            {"host_key_verification": "first_connection", "require_manual_trust": True},
            "ManuallyTrustedKeyVerificationStrategy",
            "<requireInitialManualTrust>true</requireInitialManualTrust>",
        ),
        ({"host_key_verification": "none"}, "NonVerifyingKeyVerificationStrategy", ""),
    ],
)
def test_host_key_is_verified(options: dict[str, Any], strategy: str, content: str) -> None:
    known = f'<sshHostKeyVerificationStrategy class="{VERIFIERS}.KnownHostsFileKeyVerificationStrategy"/>'
    other = f'<sshHostKeyVerificationStrategy class="{VERIFIERS}.{strategy}">{content}</sshHostKeyVerificationStrategy>'
    after = SSH_XML.replace(known, other)
    stored, task = read(launcher=after), node(launcher={**SSH, **options})
    write = call("POST", "/computer/n1/config.xml")
    with conversation(read(launcher=SSH_XML), plugins("ssh-slaves"), write, stored) as server:
        result = run("ci_node", url=server.url, diff_mode=True, **task)
    assert options.items() <= result["node"]["launcher"].items()
    with conversation(read(launcher=SSH_XML), plugins("ssh-slaves")) as server:
        assert run("ci_node", url=server.url, check_mode=True, diff_mode=True, **task) == result
    with conversation(stored) as server:
        assert not run("ci_node", url=server.url, **task)["changed"]
    back = node(launcher={**SSH, "host_key_verification": "known_hosts"})
    with conversation(stored, plugins("ssh-slaves"), written(launcher=SSH_XML), read(launcher=SSH_XML)) as server:
        result = run("ci_node", url=server.url, diff_mode=True, **back)
    with conversation(stored, plugins("ssh-slaves")) as server:
        assert run("ci_node", url=server.url, check_mode=True, diff_mode=True, **back) == result


def test_retention_is_replaced() -> None:
    task = node(retention={"type": "schedule", "start_times": "H 8 * * 1-5", "up_time": 600})
    retention = """\
  <retentionStrategy class="hudson.slaves.SimpleScheduledRetentionStrategy">
    <startTimeSpec>H 8 * * 1-5</startTimeSpec>
    <upTimeMins>600</upTimeMins>
    <keepUpWhenActive>true</keepUpWhenActive>
  </retentionStrategy>
"""
    with conversation(read(), written(retention=retention), read(retention=retention)) as server:
        result = run("ci_node", url=server.url, diff_mode=True, **task)
    assert result["diff"]["before"]["retention"] == {"type": "always"}
    expected = {"start_times": "H 8 * * 1-5", "up_time": 600, "keep_up_when_active": True, "type": "schedule"}
    assert result["diff"]["after"]["retention"] == expected


def test_environment_variables_are_replaced() -> None:
    java = "java.lang.String$CaseInsensitiveComparator"
    before = properties(MATRIX, environment(java, a="1", OLD="x"))
    after = properties(MATRIX, environment(java, a="1", B="2", c=""))
    task = node(environment_variables={"c": "", "B": "2", "a": "1"})
    with conversation(read(properties=before), written(properties=after), read(properties=after)) as server:
        result = run("ci_node", url=server.url, diff_mode=True, **task)
    assert result["node"]["environment_variables"] == {"a": "1", "B": "2", "c": ""}
    assert result["diff"]["before"]["environment_variables"] == {"a": "1", "OLD": "x"}
    assert result["diff"]["after"]["environment_variables"] == {"a": "1", "B": "2", "c": ""}
    with conversation(read(properties=after)) as server:
        assert not run("ci_node", url=server.url, **task)["changed"]


def test_environment_variables_and_tools_are_removed() -> None:
    tool = {"type": "hudson.model.JDK$DescriptorImpl", "name": "jdk", "home": "/opt/jdk"}
    location = "hudson.tools.ToolLocationNodeProperty_-ToolLocation"
    members = "".join(f"          <{name}>{value}</{name}>\n" for name, value in tool.items())
    tools = (
        f"    <hudson.tools.ToolLocationNodeProperty>\n      <locations>\n        <{location}>\n{members}"
        f"        </{location}>\n      </locations>\n    </hudson.tools.ToolLocationNodeProperty>\n"
    )
    full = properties(environment(A="1"), tools)
    with conversation(read(), written(properties=full), read(properties=full)) as server:
        assert run("ci_node", url=server.url, **node(environment_variables={"A": "1"}, tools=[tool]))["changed"]
    with conversation(read(properties=full), written(), read()) as server:
        assert run("ci_node", url=server.url, **node(environment_variables={}, tools=[]))["changed"]


def test_further_configuration_is_merged() -> None:
    declared = f"<slave><name>n1</name><nodeProperties>{MATRIX}</nodeProperties></slave>"
    environment_first = properties(environment(A="1"))
    both = properties(environment(A="1"), MATRIX)
    calls = (read(properties=environment_first), ASK_MATRIX, written(properties=both), read(properties=both))
    with conversation(*calls) as server:
        result = run("ci_node", url=server.url, diff_mode=True, **node(config=declared))
    assert result["changed"]
    with conversation(read(properties=both)) as server:
        assert not run("ci_node", url=server.url, **node(config=declared))["changed"]


def test_configuration_and_options_are_changed_together() -> None:
    declared = f"<slave><nodeProperties>{MATRIX}</nodeProperties></slave>"
    options = {"config": declared, "labels": ["b"], "executors": 2}
    stored = {"properties": properties(MATRIX), "label": "b", "executors": 2}
    with conversation(read(), ASK_MATRIX, written(**stored), read(**stored)) as server:
        result = run("ci_node", url=server.url, **node(**options))
    assert (result.get("msg"), result["changed"]) == (None, True)


def test_agent_is_renamed() -> None:
    task = node(name="n2", previous_name="n1")
    renamed = call(
        "POST",
        "/computer/n1/config.xml",
        sent_body=config("n2")
        .replace("<description></description>", "<description/>")
        .replace("<label></label>", "<label/>")
        .encode(),
    )
    with conversation(missing("n2"), read(), state(computer()), missing("n2"), renamed, read("n2")) as server:
        result = run("ci_node", url=server.url, diff_mode=True, **task)
    assert result["diff"] == {"before": {"state": "present", "name": "n1"}, "after": {"state": "present", "name": "n2"}}
    with conversation(read("n2")) as server:
        assert not run("ci_node", url=server.url, **task)["changed"]
    with conversation(missing("n2"), read(), state(computer(executors=BUSY))) as server:
        result = run("ci_node", url=server.url, **task)
    assert "Renaming node 'n1' would abort builds: 1 build(s) are still running: app #42." in result["msg"]


def test_agent_is_deleted() -> None:
    deleted = call("POST", "/computer/n1/doDelete", 302, headers={"Location": "/computer/"})
    with conversation(state(computer()), deleted, state(None)) as server:
        result = run("ci_node", url=server.url, **node(state="absent"))
    assert (result["changed"], result["node"]) == (True, None)
    with conversation(state(None)) as server:
        assert not run("ci_node", url=server.url, **node(state="absent"))["changed"]


@pytest.mark.parametrize(("status", "is_deleted"), [(404, True), (200, False), (403, False)])
def test_configuration_decides_when_the_state_of_a_deleted_agent_remains(status: int, is_deleted: bool) -> None:
    deleted = call("POST", "/computer/n1/doDelete", 302, headers={"Location": "/computer/"})
    configuration = call("GET", "/computer/n1/config.xml", status, text="<slave/>")
    with conversation(state(computer()), deleted, state(computer()), configuration) as server:
        result = run("ci_node", url=server.url, **node(state="absent", visibility_timeout=0))
    assert (result["changed"], result.get("failed", False)) == (True, not is_deleted)


def test_state_that_remains_while_other_agents_are_deleted_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jenkins removes the state of a deleted agent later if another deletion holds the lock of the queue."""
    monkeypatch.setattr(_reconcile, "_pause", lambda _seconds: None)
    names = [f"n{number}" for number in range(12)]
    calls = [
        exchange
        for name in names
        for exchange in (
            state(computer(name), f"/computer/{name}"),
            call("POST", f"/computer/{name}/doDelete", 302, headers={"Location": "/computer/"}),
            state(computer(name), f"/computer/{name}"),
            call("GET", f"/computer/{name}/config.xml", 404),
        )
    ]
    with conversation(*calls) as server:
        items = [{"name": name} for name in names]
        result = run("ci_node", url=server.url, **TOKEN, state="absent", items=items, workers=1)
    assert (result["changed"], result["counts"]["changed"], result["counts"]["failed"]) == (True, 12, 0)
    # without the permission to read the configuration, only the state shows the deletion
    deleted = call("POST", "/computer/n1/doDelete", 302, headers={"Location": "/computer/"})
    unreadable = call("GET", "/computer/n1/config.xml", 403)
    with conversation(state(computer()), deleted, state(computer()), unreadable, state(None)) as server:
        assert run("ci_node", url=server.url, **node(state="absent", visibility_timeout=1))["node"] is None


def test_agent_that_runs_builds_is_not_deleted() -> None:
    for check_mode in (True, False):
        with conversation(state(computer(executors=BUSY))) as server:
            result = run("ci_node", url=server.url, check_mode=check_mode, **node(state="absent"))
        assert result["msg"] == (
            "Deleting node 'n1' would abort builds: 1 build(s) are still running: app #42. Drain it with ci_node_drain "
            "first, or set 'allow_abort_builds: true'."
        )
    deleted = call("POST", "/computer/n1/doDelete", 302, headers={"Location": "/computer/"})
    with conversation(state(computer(executors=BUSY)), deleted, state(None)) as server:
        assert run("ci_node", url=server.url, **node(state="absent", allow_abort_builds=True))["changed"]


def test_agent_of_a_cloud_is_protected() -> None:
    cloud = computer(_class="org.csanchez.jenkins.plugins.kubernetes.KubernetesComputer")
    with conversation(state(cloud)) as server:
        result = run("ci_node", url=server.url, **node(state="absent"))
    assert "Node 'n1' is not a permanent agent" in result["msg"]
    text = "<org.csanchez.jenkins.plugins.kubernetes.KubernetesSlave/>"
    with conversation(call("GET", "/computer/n1/config.xml", text=text)) as server:
        result = run("ci_node", url=server.url, **node(executors=2))
    assert "Node 'n1' is not a permanent agent" in result["msg"]


def test_undeclared_agents_are_deleted() -> None:
    cloud = {"_class": "hudson.plugins.ec2.EC2Computer", "displayName": "cloud"}
    agents = [{"_class": "hudson.slaves.SlaveComputer", "displayName": name} for name in ("n1", "n2", "old")]
    built_in = {"_class": "hudson.model.Hudson$MasterComputer", "displayName": "Built-In Node"}
    listed = {"computer": [built_in, cloud, *agents]}
    deleted = call("POST", "/computer/n2/doDelete", 302, headers={"Location": "/computer/"})
    with conversation(
        call("GET", "/computer/api/json?tree=computer%5BdisplayName%5D", json=listed),
        read(),
        state(computer("n2"), "/computer/n2"),
        deleted,
        state(None, "/computer/n2"),
    ) as server:
        items = [{"name": "n1", "previous_name": "old"}]
        result = run("ci_node", url=server.url, items=items, undeclared="remove", workers=1, **TOKEN)
    assert (result["undeclared"], result["counts"]["changed"], result["counts"]["ok"]) == (["n2"], 1, 1)


def test_secret_is_stored_and_compared(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    task = node(remote_root="/srv", secret_file=str(file))
    with conversation(missing(), created(), connection(), read(), connection()) as server:
        result = run("ci_node", url=server.url, diff_mode=True, **task)
    assert (result["changed"], file.read_text(), stat.S_IMODE(file.stat().st_mode)) == (True, f"{SECRET}\n", 0o600)
    assert SECRET not in json.dumps(result)
    assert result["node"]["secret_file"] == str(file)
    with conversation(read(), connection()) as server:
        assert not run("ci_node", url=server.url, **task)["changed"]
    file.write_text("other")
    with conversation(read(), connection()) as server:
        assert run("ci_node", url=server.url, check_mode=True, **task)["changed"]
    assert file.read_text() == "other"
    with conversation(*[read(), connection()] * 2, connection(), read(), connection()) as server:
        result = run("ci_node", url=server.url, **{**task, "mode": "0640"})
    assert (result["changed"], file.read_text(), stat.S_IMODE(file.stat().st_mode)) == (True, f"{SECRET}\n", 0o640)


def test_file_for_several_secrets_is_refused() -> None:
    items = [{"name": "n1"}, {"name": "n2"}]
    with conversation() as server:
        result = run("ci_node", url=server.url, items=items, secret_file="/tmp/secret", **TOKEN)
    assert "Option 'secret_file': '/tmp/secret' is the file of several items." in result["msg"]


def test_secret_of_another_launcher_is_refused(tmp_path: Path) -> None:
    task = node(secret_file=str(tmp_path / "secret"))
    with conversation(read(launcher=SSH_XML)) as server:
        result = run("ci_node", url=server.url, **task)
    assert result["msg"] == "Option 'secret_file': requires the launcher type 'inbound', not 'ssh'."


def test_secret_of_another_agent_is_refused(tmp_path: Path) -> None:
    page_of_login = call("GET", "/computer/n1/jenkins-agent.jnlp", text="<jnlp><argument>x</argument></jnlp>")
    with conversation(read(), page_of_login) as server:
        result = run("ci_node", url=server.url, **node(secret_file=str(tmp_path / "secret")))
    assert result["failed"]
    assert not (tmp_path / "secret").exists()


def built_in(executors: int, mode: str = "NORMAL", labels: tuple[str, ...] = ("built-in",)) -> Call:
    node = {"assignedLabels": [{"name": name} for name in labels], "mode": mode, "numExecutors": executors}
    return call("GET", f"/api/json?tree={quote('assignedLabels[name],mode,numExecutors', safe='')}", json=node)


def test_built_in_node_is_configured_by_script() -> None:
    task = {"name": "built-in", "executors": 0, "labels": ["main", "built-in"], "usage": "exclusive", **TOKEN}
    args = {"executors": 0, "mode": "EXCLUSIVE", "labels": "main"}
    write = script("configure the built-in node", built_in_node._SCRIPT, args)
    with conversation(built_in(2), write, built_in(0, "EXCLUSIVE", ("built-in", "main"))) as server:
        result = run("ci_node", url=server.url, diff_mode=True, **task)
    assert result["node"] == {"name": "built-in", "executors": 0, "labels": ["main"], "usage": "exclusive"}
    assert result["diff"]["before"] == {"executors": 2, "labels": [], "usage": "normal"}
    with conversation(built_in(0, "EXCLUSIVE", ("master", "main"))) as server:
        assert not run("ci_node", url=server.url, **task)["changed"]


def test_check_mode_predicts_configuration_of_built_in_node() -> None:
    task = {"name": "built-in", "executors": 0, **TOKEN}
    with conversation(built_in(2), call("GET", "/script")) as server:
        assert run("ci_node", url=server.url, check_mode=True, **task)["changed"]
    refused = call("GET", "/script", 403, text=deny_permission("x", "Overall/Administer"))
    with conversation(built_in(2), refused) as server:
        result = run("ci_node", url=server.url, check_mode=True, **task)
    assert "x is missing the Overall/Administer permission" in result["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"state": "absent"}, "Option 'name': the built-in node cannot be deleted."),
        ({"remote_root": "/x"}, "Option 'remote_root': does not apply to the built-in node"),
        ({"secret_file": "/tmp/x"}, "Option 'secret_file': does not apply to the built-in node"),
    ],
)
def test_built_in_node_is_protected(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        assert message in run("ci_node", url=server.url, name="built-in", **options)["msg"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"executors": 0}, "Option 'executors': must be 1 or more"),
        ({"executors": -1}, "Option 'executors'"),
        ({"labels": ["a b"]}, "Option 'labels[0]'"),
        ({"labels": "a,b", "usage": "x"}, "usage"),
        ({"previous_name": "n0", "state": "absent"}, "Option 'previous_name': must not be set with 'state: absent'."),
        ({"launcher": {"type": "ssh", "web_socket": True}}, "Option 'launcher.web_socket': does not apply"),
        ({"launcher": {"type": "inbound", "host_key": "a b"}}, "Option 'launcher.host_key': does not apply"),
        ({"launcher": {**SSH, "host_key": "a b"}}, "requires 'host_key_verification: provided_key'"),
        ({"launcher": {**SSH, "host_key_verification": "provided_key"}}, "Option 'launcher.host_key': is required"),
        ({"launcher": {"web_socket": True}}, "Option 'launcher.type': is required."),
        ({"retention": {"idle_delay": 5}}, "Option 'retention.type': is required."),
        ({"tools": [{"type": "a", "name": "b"}]}, "Option 'tools[0].home': is required."),
        ({"retention": {"type": "always", "idle_delay": 1}}, "Option 'retention.idle_delay': does not apply"),
        ({"environment_variables": {"a": "1", "A": "2"}}, "'a' and 'A' are the same variable"),
        ({"environment_variables": {"a=b": "1"}}, "'a=b' is not the name of an environment variable"),
        ({"environment_variables": {"a": 1.10}}, "environment_variables"),
        ({"environment_variables": {"a": True}}, "Option 'environment_variables.a': must be a string in quotes."),
        ({"tools": [{"type": "a", "name": "b", "home": "c"}] * 2}, "Option 'tools[1].name': 'b' is listed twice."),
        ({"description": "a\x01b"}, "Option 'description'"),
        ({"description": "\ufffe"}, "Option 'description': must be a text without control characters"),
        ({"environment_variables": {"a": "\uffff"}}, "Option 'environment_variables.a': must not contain control"),
        ({"environment_variables": {"a": "\x01"}}, "Option 'environment_variables.a': must not contain control"),
        ({"config": "<slave>"}, "Option 'config': must be XML"),
        ({"config": "<project/>"}, "must have the root element 'slave', not 'project'"),
        ({"config": "<slave><name>x</name></slave>"}, "must not contain another name"),
        ({"config": "<slave><temporaryOfflineCause/></slave>"}, "Use ci_node_drain"),
        ({"config": "<slave><numExecutors>0</numExecutors></slave>"}, "'numExecutors' must be 1 or more"),
        ({"config": "<slave><label>x</label></slave>", "labels": ["y"]}, "together with the option 'labels'"),
    ],
)
def test_option_is_refused_before_the_first_request(options: dict[str, Any], message: str) -> None:
    with conversation() as server:
        result = run("ci_node", url=server.url, **node(**options))
    assert result["failed"]
    assert message in result["msg"]


@pytest.mark.parametrize("name", ["", " n", "a/b", "..", "(master)", "(built-in)", "a%b", "a\nb", "x" * 201, None])
def test_name_is_refused_before_the_first_request(name: Any) -> None:
    with conversation() as server:
        result = run("ci_node", url=server.url, name=name)
    assert result["failed"]
    assert "name" in result["msg"]


@pytest.mark.parametrize("launcher", [{"type": "ssh", "host": "h"}, {"type": "command"}])
def test_new_launcher_requires_options(launcher: dict[str, Any]) -> None:
    with conversation(read()) as server:
        result = run("ci_node", url=server.url, **node(launcher=launcher))
    assert f"is required for the type '{launcher['type']}'" in result["msg"]


def test_unknown_launcher_is_kept() -> None:
    launcher = '  <launcher class="com.example.Launcher">\n    <a>1</a>\n  </launcher>\n'
    with conversation(
        read(launcher=launcher), written(launcher=launcher, executors=2), read(launcher=launcher, executors=2)
    ) as server:
        result = run("ci_node", url=server.url, **node(executors=2))
    assert result["node"]["launcher"] == {"type": "com.example.Launcher"}


def test_change_without_effect_fails() -> None:
    with conversation(read(), written(executors=2), read()) as server:
        result = run("ci_node", url=server.url, **node(executors=2))
    assert result["msg"] == (
        "The server accepted the change, but these fields of the node do not have the requested values: executors."
    )


def test_change_of_another_client_survives() -> None:
    foreign = {"label": "theirs"}
    calls = (read(), read(**foreign), read(**foreign), written(**foreign, executors=2), read(**foreign, executors=2))
    with exact.conversation(*calls) as server:
        result = run("ci_node", url=server.url, **node(executors=2))
    assert (result["changed"], result["node"]["labels"]) == (True, ["theirs"])
    assert "Another client changed the node while the task was running" in result["warnings"][0]
