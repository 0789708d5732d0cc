# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Forms of configuration that Jenkins exports in another form, or refuses."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import forms, symbols
from sandbox.client import Sandbox
from support.running import run
from unit.test_ci_configuration import apply, check, configure, export, list_known, sources, who_am_i

AGENT = {"name": "a", "remoteFS": "/srv", "launcher": "inbound", "retentionStrategy": "always"}
EXPORTED_AGENT = {"nodes": [{"permanent": AGENT}]}
ADMIN = {"user": {"name": "admin", "permissions": ["Overall/Administer"]}}
TEAM = {"group": {"name": "team", "permissions": ["Job/Build", "Job/Read"]}}
ALL = {"all": {"name": "all"}}


def agent(symbol: str, **members: Any) -> dict[str, Any]:
    return {"nodes": [{symbol: {"name": "a", "remoteFS": "/srv", **members}}]}


def matrix(symbol: str, **members: Any) -> dict[str, Any]:
    return {"authorizationStrategy": {symbol: members}}


def role(**members: Any) -> dict[str, Any]:
    return {"authorizationStrategy": {"roleBased": {"roles": {"global": [{"name": "admins", **members}]}}}}


def properties(*entries: Any) -> dict[str, Any]:
    return {"globalNodeProperties": list(entries)}


def listed(*jobs: str) -> dict[str, Any]:
    return {"views": [ALL, {"list": {"name": "A", "jobNames": list(jobs)}}]}


MATRIX = matrix("globalMatrix", entries=[TEAM, ADMIN])
ROLE = role(
    pattern=".*", permissions=["Job/Read", "Overall/Administer"], entries=[{"group": "team"}, {"user": "admin"}]
)
NODE_MATRIX = {"authorizationMatrix": {"entries": [{"user": {"name": "bob", "permissions": ["Agent/Build"]}}]}}
# Declared and exported members of the root 'jenkins' that are equal
EQUAL: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    **{
        f"symbol {symbol}": (agent(symbol, launcher="inbound"), EXPORTED_AGENT)
        for symbol in ("dumb", "slave", "permanent", "dumbSlave", "DumbSlave", "Permanent")
    },
    **{
        f"launcher {launcher}": (agent("permanent", launcher=launcher), EXPORTED_AGENT)
        for launcher in ("jnlp", "JNLP", "jnlpLauncher", {"jnlp": {}}, {"inbound": {"tunnel": " "}})
    },
    "old server": (agent("slave", launcher="inbound"), {"nodes": [{"permanent": {**AGENT, "launcher": "jnlp"}}]}),
    "retention": (agent("dumb", retentionStrategy={"Always": {}}), EXPORTED_AGENT),
    "folder of the agent": (agent("dumb", remoteFS="/srv\n"), EXPORTED_AGENT),
    "names": ({"NumExecutors": "+2", "systemmessage": "a"}, {"numExecutors": 2, "systemMessage": "a"}),
    "blank text": ({"systemMessage": " \n "}, {}),
    "columns": (
        {"views": [{"list": {"name": "A", "columns": ["statusColumn", {"JobColumn": {}}, "lastStableColumn"]}}]},
        {"views": [{"list": {"name": "A", "columns": ["status", "jobName", "lastStable"]}}]},
    ),
    "SSH launcher": (
        agent("permanent", launcher={"sSHLauncher": {"host": "h", "port": 22}}),
        {"nodes": [{"permanent": {**AGENT, "launcher": {"ssh": {"host": "h", "port": 22}}}}]},
    ),
    "host keys": (
        agent(
            "permanent",
            launcher={
                "ssh": {"sshHostKeyVerificationStrategy": {"NonVerifyingKeyVerificationStrategy": {}}, "host": "h"}
            },
        ),
        {
            "nodes": [
                {
                    "permanent": {
                        **AGENT,
                        "launcher": {
                            "ssh": {
                                "sshHostKeyVerificationStrategy": "nonVerifyingKeyVerificationStrategy",
                                "host": "h",
                            }
                        },
                    }
                }
            ]
        },
    ),
    "crumb issuer": ({"crumbIssuer": "default"}, {"crumbIssuer": "standard"}),
    "views": (
        {"views": [{"allView": {"name": "all"}}, {"List": {"name": "A"}}]},
        {"views": [ALL, {"list": {"name": "A"}}]},
    ),
    "job names": (listed("z", "b", "C", "b"), listed("b", "C", "z")),
    "blank job names": (listed("b", ""), listed("b")),
    "proxy": ({"proxy": {"name": " p ", "noProxyHost": "a\nb\n"}}, {"proxy": {"name": "p", "noProxyHost": "a\nb"}}),
    "rows": (
        matrix("globalMatrix", permissions=["USER:Overall/Administer:admin", "GROUP:hudson.model.Item.Read:team"])
        | {"mode": "NORMAL"},
        matrix("globalMatrix", entries=[{"group": {"name": "team", "permissions": ["Job/Read"]}}, ADMIN]),
    ),
    "merged entries": (
        matrix(
            "GlobalMatrix",
            entries=[
                {"group": {"name": "team", "permissions": ["Job/Read", "Job/Read"]}},
                {"user": {"name": "nobody", "permissions": []}},
                {"user": {"name": "admin", "permissions": ["hudson.model.Hudson.Administer"]}},
                {"group": {"name": "team", "permissions": ["Job/Build"]}},
            ],
        ),
        MATRIX,
    ),
    "members of a role": (
        role(
            entries=[{"user": "admin"}, {"group": "team"}, {"user": "admin"}],
            permissions=["Overall/Administer", "Job/Read", "Job/Read"],
        ),
        ROLE,
    ),
    "assignments": (role(assignments=["bob", "ann"]), role(entries=[{"either": "ann"}, {"either": "bob"}])),
    "empty variables": (properties({"envVars": {"env": []}}), properties("envVars")),
    "symbol of a property": (
        properties({"environmentVariables": {"env": [{"key": "A", "value": "b"}]}}),
        properties({"envVars": {"env": [{"key": "A", "value": "b"}]}}),
    ),
    "matrix of an agent": (
        agent("slave", nodeProperties=[{"authorizationMatrix": {"permissions": ["USER:Agent/Build:bob"]}}]),
        {"nodes": [{"permanent": {**AGENT, "nodeProperties": [NODE_MATRIX]}}]},
    ),
    "monitors that Jenkins adds": (
        {"nodeMonitors": ["clock"]},
        {"nodeMonitors": [{"architecture": {"ignored": True}}, "clock"]},
    ),
    "variable": ({"systemMessage": "on ${HOST} since 2024"}, {"systemMessage": "on ci\n1 since 2024"}),
    "nested variable": ({"systemMessage": "a ${X:-${Y:-b}} c ${Z}"}, {"systemMessage": "a b c "}),
    "variable in a set": (listed("${TEAM}-app", "b"), listed("b", "web-app")),
    "variable as a name": (
        {"nodes": [{"slave": {"name": "${NAME}-1"}}, {"slave": {"name": "b-1"}}]},
        {"nodes": [{"permanent": {"name": "b-1"}}, {"permanent": {**AGENT, "name": "x-1"}}]},
    ),
    "open variable": ({"systemMessage": "${Y} ${X"}, {"systemMessage": "a ^${X"}),
    "many variables": ({"systemMessage": "${A}," * 30}, {"systemMessage": "a," * 200}),
    "escaped variable": ({"systemMessage": "^${X} ${Y}"}, {"systemMessage": "^${X} z"}),
}


@pytest.mark.parametrize(("declared", "current"), EQUAL.values(), ids=EQUAL)
def test_form_that_jenkins_exports_in_another_form_is_equal(declared: dict[str, Any], current: dict[str, Any]) -> None:
    assert not apply(export(current), jenkins=declared)["changed"]


# Declared and exported members of the root 'jenkins' that differ, with the value in the diff before the change
DIFFERENT: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "literal part": ({"systemMessage": "on ${HOST} since 2024"}, {"systemMessage": "on ci since 2023"}),
    "literal end": ({"systemMessage": "other ${HOME} text"}, {"systemMessage": "start"}),
    "many literal parts": ({"systemMessage": "${A}," * 30 + "x"}, {"systemMessage": "a," * 200}),
    "overlapping literal parts": ({"systemMessage": "aba${A}aba"}, {"systemMessage": "aba aba ab"}),
    "short text": ({"systemMessage": "aba${A}ba"}, {"systemMessage": "aba"}),
    "order of literal parts": ({"systemMessage": "${A} b ${C} d"}, {"systemMessage": "x d y b z"}),
    "set": (listed("${TEAM}-app"), listed("app")),
    "text that is not blank": ({"systemMessage": " "}, {"systemMessage": "a"}),
    "another symbol": (agent("dumb", launcher="jnlp"), {"nodes": [{"permanent": {**AGENT, "launcher": "ssh"}}]}),
}


@pytest.mark.parametrize(("declared", "current"), DIFFERENT.values(), ids=DIFFERENT)
def test_difference_is_applied_as_declared(declared: dict[str, Any], current: dict[str, Any]) -> None:
    calls = (export(current), sources(), check(jenkins=declared))
    result = apply(*calls, jenkins=declared, check_mode=True, diff_mode=True)
    assert result["changed"]
    assert result["diff"]["before"] == {"configuration": {"jenkins": current}}


def test_symbols_are_sent_as_declared() -> None:
    declared = agent("slave", launcher="jnlp", numExecutors=2)
    after = {"nodes": [{"permanent": {**AGENT, "numExecutors": 2}}]}
    calls = (export(EXPORTED_AGENT), sources(), configure(jenkins=declared), export(after))
    assert apply(*calls, jenkins=declared)["changed"]
    assert not apply(export(after), jenkins=declared)["changed"]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("declared", "problem", "remedy"),
    [
        (
            {"agentProtocols": ["JNLP4-connect"]},
            "jenkins: 'agentProtocols' is deprecated",
            "Remove it, because Jenkins selects the protocols itself.",
        ),
        (
            {"views": [{"list": {"name": "a", "statusFilter": True}}]},
            "'statusFilter' is deprecated",
            "Use 'jobFilters' with an element 'statusFilter'.",
        ),
        (
            {"crumbIssuer": {"standard": {"excludeClientIPFromCrumb": True}}},
            "standard: Invalid configuration elements for type: class hudson.security.csrf.DefaultCrumbIssuer : "
            "excludeClientIPFromCrumb.\nAvailable attributes : ",
            "Remove it, because Jenkins ignores addresses in crumbs.",
        ),
        ({"nope": 1}, "Invalid elements: nope.\nAvailable attributes : agentProtocols", ""),
    ],
)
def test_refused_form_names_the_new_one(declared: dict[str, Any], problem: str, remedy: str, check_mode: bool) -> None:
    refused = check(400, problem, jenkins=declared) if check_mode else configure(400, problem, jenkins=declared)
    current = export({})
    result = apply(
        current, sources(), refused, *([] if check_mode else [current]), jenkins=declared, check_mode=check_mode
    )
    assert not result["changed"]
    assert result["msg"].endswith(remedy or "agentProtocols.")
    assert problem.partition("\n")[0] in result["msg"]


@pytest.mark.parametrize(
    ("declared", "current", "message"),
    [
        (
            {"labelAtoms": [{"name": "fast"}, {"name": "slow"}]},
            {"labelAtoms": [{"name": "fast"}]},
            "Cannot apply 'jenkins.labelAtoms': no node has slow, so Jenkins would drop the declared properties. "
            "Remove the labels, or add them to a node.",
        ),
    ],
)
def test_labels_that_jenkins_would_drop_are_refused(
    declared: dict[str, Any], current: dict[str, Any], message: str
) -> None:
    assert apply(export(current), sources(), jenkins=declared)["msg"] == message
    used = {**declared, **agent("permanent", labelString="slow")}
    current_agent = {**current, "nodes": [{"permanent": {"name": "b", "labelString": "slow"}}]}
    for jenkins, before in ((used, current), (declared, current_agent), (declared, {**current, "clouds": ["own"]})):
        calls = (export(before), sources(), check(jenkins=jenkins))
        assert apply(*calls, jenkins=jenkins, allow_removals=True, check_mode=True)["changed"]


@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"hudsonPrivate": {"users": []}}, ".securityRealm': must have the key 'local' instead of 'hudsonPrivate'."),
        ({"local": {"Users": []}}, ".securityRealm.local': must have the key 'users' instead of 'Users'."),
        ({"local": {"users": [{"ID": "a"}]}}, ".local.users': must have the key 'id' instead of 'ID'."),
    ],
)
def test_other_names_of_users_are_refused(declared: dict[str, Any], message: str) -> None:
    assert apply(jenkins={"securityRealm": declared})["msg"].endswith(message)


def test_permission_that_does_not_apply_to_a_node_is_refused() -> None:
    property_of = {"authorizationMatrix": {"permissions": ["USER:hudson.model.Item.Read:bob"]}}
    result = apply(jenkins=agent("dumb", nodeProperties=[property_of]))
    assert result["msg"] == "Option 'configuration.jenkins.nodes': 'Job/Read' does not apply to a node."


def test_permission_without_an_effect_in_a_role_is_reported() -> None:
    strategy = role(permissions=["Overall/Administer"], entries=[{"user": "admin"}])
    lists = strategy["authorizationStrategy"]["roleBased"]["roles"]
    lists |= {"items": [{"name": "dev", "permissions": ["Overall/Read", "Job/Read"]}]}
    lists |= {"agents": [{"name": "ops", "permissions": ["Job/Build", "Agent/Build"]}]}
    calls = (export({}), sources(), list_known(), who_am_i(), check(jenkins=strategy))
    result = apply(*calls, jenkins=strategy, check_mode=True)
    assert result["warnings"] == [
        "'Overall/Read' has no effect in the role 'dev', because it does not apply there.",
        "'Job/Build' has no effect in the role 'ops', because it does not apply there.",
    ]


def test_name_with_a_variable_does_not_hide_a_removal() -> None:
    result = apply(export(EXPORTED_AGENT), sources(), jenkins=agent("dumb", name="${NAME}", numExecutors=2))
    assert "it would delete jenkins.nodes[permanent a]. Declare them" in result["msg"]


@pytest.mark.parametrize("root", ["items", "Items", "jobs"])
def test_roots_with_jobs_are_refused(root: str) -> None:
    result = apply(**{root: {"actionOnUndeclaredItems": "remove"}})
    assert result["msg"].startswith(f"Option 'configuration.{root}': cannot be set: Jenkins does not export")


@pytest.mark.parametrize(
    ("path", "declared", "exported"),
    [
        ("credentials.system", [{"usernamePasswordCredentialsImpl": {"id": "a"}}], [{"usernamePassword": {"id": "a"}}]),
        ("credentials.system", [{"aWSCredentialsImpl": {"id": "a"}}], [{"aws": {"id": "a"}}]),
        ("credentials.system", [{"GitHubAppCredentials": {}}], [{"gitHubApp": {}}]),
        ("credentials.system", [{"ownTokenCredentialsImpl": {}}], [{"ownToken": {}}]),
        ("credentials.system", ["ownTokenCredentialsImpl"], ["ownTokenCredentialsImpl"]),
        (
            "unclassified.globalLibraries",
            {"modernSCM": {"scm": {"git": {}}}},
            {"modernSCM": {"scm": {"gitSource": {}}}},
        ),
    ],
)
def test_symbols_of_other_roots_are_renamed(path: str, declared: Any, exported: Any) -> None:
    member = "credentials" if path.startswith("credentials") else "retriever"
    renamed = symbols.rename_symbols(tuple(path.split(".")), {member: declared, "other": 1})
    assert renamed == {member: exported, "other": 1}
    assert symbols.rename_symbols(tuple(path.split(".")), renamed) == renamed


def test_each_form_names_its_class() -> None:
    classes = (*symbols._OF_JENKINS.values(), *symbols._OF_OTHERS.values())
    rows = [symbol.source for _extension_point, named in classes for symbol in named]
    rows += [*forms.SETS.values(), *(row.source for row in forms.REFUSED.values())]
    assert all(source.count(".") >= 2 and source.rpartition(".")[2][0].isupper() for source in rows)


CONVERGING: dict[str, Any] = {
    "agents": {
        **agent("slave", launcher="jnlp", nodeProperties=[{"envVars": {"env": []}}]),
        "labelAtoms": [{"name": "a"}],
        "agentProtocols": None,
    },
    "texts": {"systemMessage": "    indented\n\nx \n\n", "labelString": " b\n", "numExecutors": "+3"},
    "carriage returns": {"systemMessage": "a\r\nb\r\n"},
    "blank text": {"systemMessage": " "},
    "special characters": {"systemMessage": 'a\x85b\u2028c\u2029\x7f\xa0"\\\t\ufeff\U0001f600'},
    "job names": listed("z", "b", "C", "b"),
    "monitors": {"nodeMonitors": ["clock"]},
    "empty variables": properties({"envVars": {"env": []}}),
    "matrix": matrix("GlobalMatrix", grantedPermissions=["hudson.model.Hudson.Administer:admin", "Job/Read:bob"]),
    "roles": role(
        permissions=["Overall/Read", "Overall/Administer"], entries=[{"user": "z"}, {"group": "b"}, {"user": "admin"}]
    ),
}


@pytest.mark.usefixtures("sandbox_environment")
@pytest.mark.parametrize("declared", CONVERGING.values(), ids=CONVERGING)
def test_second_run_is_unchanged(sandbox: Sandbox, declared: dict[str, Any]) -> None:
    options = {"configuration": {"jenkins": declared}, "allow_removals": True}
    if "systemMessage" in declared:
        assert run("ci_configuration", configuration={"jenkins": {"systemMessage": "before"}})["changed"]
    first, second = (run("ci_configuration", **options) for _run in range(2))
    assert (first.get("msg"), first["changed"]) == (None, True)
    assert (second.get("msg"), second["changed"]) == (None, False)
    assert [entry["label"] for entry in sandbox.journal("ci") if entry["effect"] == "write"] == [
        "apply_configuration" for _run in range(1 + ("systemMessage" in declared))
    ]
