# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import casc, permissions
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import roles as role_checks
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import documents, unresolved
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import accounts
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users.token_list import hash_token
from support.ci_scripts import script
from support.ci_server import deny_permission
from support.conversation import Call, call, conversation
from support.running import run

PATH = "/configuration-as-code"
TOKEN = {"username": "admin", "api_token": "11aa22bb33cc44dd55ee66ff7700881199"}
CIPHER = "{AQAAABAAAAAQtCDibRKWRwV3QJYmCmZCmD9EPT7tZyw+2l74yklACwo=}"
NODE = {"name": "n1", "remoteFS": "/a", "launcher": "inbound", "retentionStrategy": "always"}
USER = {"id": "jo", "name": "Jo", "properties": ["apiToken", "timezone"]}
ABSENT: dict[str, Any] = {"removed": [], "reset": [], "sent_secrets": []}


def export(jenkins: dict[str, Any], **roots: Any) -> Call:
    """Return the read of a configuration."""
    text = documents.dump({"jenkins": {"mode": "NORMAL", **jenkins}, **roots})
    headers = {"Content-Type": "application/x-yaml; charset=utf-8"}
    return call("POST", f"{PATH}/export", text=text, headers=headers, sent_body=b"")


def sources(*, status: int = 200, **paths: list[list[str]]) -> Call:
    """Return the script that reads the members that sources set, by the name of the source without its suffix."""
    value = [{"name": f"/casc/{name}.yaml", "paths": owned, "users": []} for name, owned in paths.items()]
    report = "\n@@toolchain@@" + json.dumps({"ran": True, "value": value, "holds": bool(value)})
    return call("POST", "/scriptText", status, text=report, headers={"Content-Type": "text/plain"})


def configure(status: int = 200, message: str = "", **roots: Any) -> Call:
    """Return the application of a configuration."""
    answer = [{"line": -1, "message": message}] if message else None
    return call("POST", f"{PATH}/configure", status, text="" if answer is None else json.dumps(answer), sent_json=roots)


def check(status: int = 200, message: str = "", **roots: Any) -> Call:
    """Return the check of a configuration."""
    answer = [{"line": -1, "message": message}] if message else []
    return call("POST", f"{PATH}/check", status, json=answer, sent_json=roots)


def who_am_i(**members: Any) -> Call:
    """Return the read of the account of the task."""
    account = {"anonymous": False, "authorities": ["authenticated"], "name": "admin", **members}
    return call("GET", "/whoAmI/api/json?tree=anonymous%2Cauthorities%2Cname", json=account)


def list_known() -> Call:
    """Return the script that reads the permissions of the server."""
    return script(
        permissions._SCRIPT_NAME, permissions._SCRIPT, value=[[i, name] for name, i in permissions.IDS.items()]
    )


def check_patterns(problems: dict[str, str], *patterns: str) -> Call:
    """Return the script that checks the patterns of roles."""
    return script(role_checks._SCRIPT_NAME, role_checks._SCRIPT, {"patterns": list(patterns)}, problems)


def matrix(*entries: Any, **members: Any) -> dict[str, Any]:
    """Return a matrix with entries of users with permissions, or with other members."""
    users = [{"user": {"name": name, "permissions": permissions}} for name, permissions in entries]
    return {"globalMatrix": {**({"entries": users} if users else {}), **members}}


def role(*permissions: str, users: Any = ("admin",), **members: Any) -> dict[str, Any]:
    """Return a role with users."""
    entries = [{"user": name} for name in users]
    return {"name": "admins", "permissions": list(permissions), "entries": entries, **members}


def roles(*global_roles: dict[str, Any], **members: Any) -> dict[str, Any]:
    return {"roleBased": {"roles": {"global": list(global_roles)}, **members}}


def read_before_writes(calls: tuple[Call, ...]) -> list[Call]:
    """Return calls with the read that precedes the first write. It returns what the first one returned."""
    writes = (f"{PATH}/configure", f"{PATH}/reload")
    first = next((number for number, sent in enumerate(calls) if sent.target in writes), 0)
    first -= first > 0 and calls[first - 1].target == f"{PATH}/check"  # the update begins with the check of the file
    return [*calls[:first], *calls[: int(first > 0)], *calls[first:]]


def apply(*calls: Call, **options: Any) -> dict[str, Any]:
    """Run the module in a conversation with exactly these requests. Roots are keywords."""
    known = (
        *("allow_lockout", "allow_removals", "allow_secret_removals", "allow_user_changes", "force"),
        *("src", "source_file", "mode", "check_mode", "diff_mode"),
    )
    parameters = {name: options.pop(name) for name in known if name in options}
    if options:
        parameters["configuration"] = options
    with conversation(*read_before_writes(calls)) as talk:
        return run("ci_configuration", url=talk.url, **{**TOKEN, "retries": 0, **parameters})


def test_unchanged_configuration_is_one_read() -> None:
    current = {
        "numExecutors": 4,
        "disableRememberMe": True,
        "crumbIssuer": "standard",
        "securityRealm": {"local": {"allowsSignup": False, "users": [USER]}},
        "nodes": [{"permanent": {**NODE, "labelString": "x y"}}, {"permanent": {**NODE, "name": "n2"}}],
    }
    roots = {"unclassified": {"location": {"url": "https://ci.example.com/"}}}
    declared = {
        "numExecutors": "4",
        "disableRememberMe": "yes",
        "systemMessage": "",
        "labelAtoms": [],
        "clouds": [],
        "crumbIssuer": {"standard": {"excludeClientIPFromCrumb": False}},
        "securityRealm": {"local": {"users": [{"id": "jo", "password": "s3cret-of-jo"}]}},
        "nodes": [
            {"permanent": {"name": "n2", "numExecutors": 1, "launcher": {"inbound": {"webSocket": False}}}},
            {"permanent": {"name": "n1", "labelString": "x  y", "mode": "NORMAL"}},
        ],
        "proxy": None,
    }
    result = apply(
        export(current, **roots), jenkins=declared, unclassified={"location": {"url": "https://ci.example.com"}}
    )
    assert not result.get("failed"), result
    assert not result["changed"]
    assert result["configuration"]["jenkins"]["numExecutors"] == "4"
    assert "s3cret-of-jo" not in str(result)


def test_only_parts_that_differ_are_applied_and_verified() -> None:
    before = {"systemMessage": "old", "numExecutors": 2, "quietPeriod": 5}
    result = apply(
        export(before),
        sources(),
        configure(jenkins={"systemMessage": "new"}),
        export({**before, "systemMessage": "new"}),
        jenkins={"systemMessage": "new", "numExecutors": 2},
        diff_mode=True,
    )
    assert result == {
        "changed": True,
        "configuration": {"jenkins": {"systemMessage": "new", "numExecutors": 2}},
        "diff": {
            "before": {"configuration": {"jenkins": {"systemMessage": "old", "numExecutors": 2}}},
            "after": {"configuration": {"jenkins": {"systemMessage": "new", "numExecutors": 2}}},
        },
        **ABSENT,
    }


def test_change_is_checked_by_the_server_in_check_mode() -> None:
    calls = [export({"numExecutors": 2}), sources(), check(jenkins={"numExecutors": 3})]
    result = apply(*calls, jenkins={"numExecutors": 3}, check_mode=True)
    assert result["changed"]
    assert result["configuration"] == {"jenkins": {"numExecutors": 3}}
    calls[-1] = check(400, "jenkins: Invalid configuration elements", jenkins={"nosuch": 3})
    result = apply(*calls, jenkins={"nosuch": 3}, check_mode=True)
    assert result["failed"]
    assert "400 jenkins: Invalid configuration elements" in result["msg"]


def test_users_are_not_sent_to_the_check() -> None:
    declared = {"securityRealm": {"local": {"allowsSignup": False, "users": [{"id": "new", "password": "s3cret-new"}]}}}
    current = {"securityRealm": {"local": {"allowsSignup": False, "users": [USER]}}}
    refused = apply(export(current), jenkins=declared, check_mode=True)
    assert refused["msg"].startswith(
        "Cannot apply 'jenkins.securityRealm.local.users': Jenkins would set the passwords"
    )
    checked = check(jenkins={"securityRealm": {"local": {"allowsSignup": False}}})
    result = apply(
        export(current), sources(), checked, jenkins=declared, check_mode=True, diff_mode=True, allow_user_changes=True
    )
    assert result["changed"]
    assert result["warnings"] == [
        "'jenkins.securityRealm.local.users' was not checked by Jenkins, because the check changes users."
    ]
    assert result["sent_secrets"] == ["jenkins.securityRealm.local.users[new].password"]
    assert "s3cret-new" not in str(result)


def test_users_are_not_sent_when_they_do_not_differ() -> None:
    declared = {"securityRealm": {"local": {"allowsSignup": True, "users": [{"id": "jo", "password": "s3cret-of-jo"}]}}}
    current = {"securityRealm": {"local": {"allowsSignup": False, "users": [USER]}}}
    after = {"securityRealm": {"local": {"allowsSignup": True, "users": [USER]}}}
    sent = configure(jenkins={"securityRealm": {"local": {"allowsSignup": True}}})
    result = apply(export(current), sources(), sent, export(after), jenkins=declared)
    assert (result["changed"], result["sent_secrets"]) == (True, [])


def test_removals_are_refused_unless_allowed() -> None:
    current = {"nodes": [{"permanent": NODE}, {"permanent": {**NODE, "name": "n2"}}]}
    declared = {"nodes": [{"permanent": {"name": "n1", "remoteFS": "/a"}}]}
    for mode in (True, False):
        result = apply(export(current), sources(), jenkins=declared, check_mode=mode)
        assert result["msg"] == (
            "Cannot apply the configuration: Jenkins replaces lists as a whole, so it would delete "
            "jenkins.nodes[permanent n2]. Declare them, or set 'allow_removals' to allow this."
        )
        assert not result["changed"]
    result = apply(
        export(current),
        sources(),
        configure(jenkins=declared),
        export({"nodes": [{"permanent": NODE}]}),
        jenkins=declared,
        allow_removals=True,
    )
    assert result["removed"] == ["jenkins.nodes[permanent n2]"]
    assert result["reset"] == [
        "jenkins.nodes[permanent n1].permanent.launcher",
        "jenkins.nodes[permanent n1].permanent.retentionStrategy",
    ]


def test_members_that_are_reset_are_shown_before() -> None:
    current = {"nodes": [{"permanent": {**NODE, "numExecutors": 3, "labelString": "x"}}]}
    declared = {"nodes": [{"permanent": {"name": "n1", "remoteFS": "/b", "launcher": "inbound"}}]}
    after = {"nodes": [{"permanent": {**NODE, "remoteFS": "/b"}}]}
    calls = (export(current), sources(), configure(jenkins=declared), export(after))
    applied = apply(*calls, jenkins=declared, diff_mode=True)
    checked = apply(*calls[:2], check(jenkins=declared), jenkins=declared, diff_mode=True, check_mode=True)
    assert applied == checked
    labels = [f"jenkins.nodes[permanent n1].permanent.{name}" for name in ("labelString", "numExecutors")]
    assert applied["reset"] == [*labels, "jenkins.nodes[permanent n1].permanent.retentionStrategy"]
    before = applied["diff"]["before"]["configuration"]["jenkins"]["nodes"][0]["permanent"]
    assert (before["numExecutors"], before["labelString"]) == (3, "x")
    assert applied["diff"]["after"]["configuration"]["jenkins"] == declared


def test_secrets_are_compared_by_existence() -> None:
    def credentials(**members: Any) -> dict[str, Any]:
        entry = {"usernamePassword": {"id": "a", "scope": "GLOBAL", "username": "u", **members}}
        return {"system": {"domainCredentials": [{"credentials": [entry]}]}}

    declared = credentials(password="s3cret-of-a")
    current = credentials(password=CIPHER)
    for same in (declared, credentials(password="")):
        assert not apply(export({}, credentials=current), credentials=same)["changed"]
    label = "credentials.system.domainCredentials[global].credentials[usernamePassword a].usernamePassword.password"
    for before, options in ((credentials(), {}), (current, {"force": True})):
        calls = (
            export({}, credentials=before),
            sources(),
            configure(credentials=declared),
            export({}, credentials=current),
        )
        result = apply(*calls, credentials=declared, diff_mode=True, **options)
        assert (result["changed"], result["sent_secrets"]) == (True, [label])
        assert "MASKED_SECRET (sent)" in str(result["diff"]["after"])
        assert not {"s3cret-of-a", CIPHER} & set(str(result).split("'"))
    masked = credentials(password="MASKED_SECRET")
    assert not apply(export({}, credentials=current), credentials=masked)["changed"]
    result = apply(export({}, credentials=credentials()), sources(), credentials=masked)
    assert result["msg"] == f"Option 'configuration': '{label}' is a mask instead of the secret. Set the secret."


CREDENTIALS = "credentials.system.domainCredentials[global].credentials"
DIRECT = {"directEntry": {"privateKey": CIPHER}}


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("symbol", "stored", "declared", "lost"),
    [
        ("string", {"secret": CIPHER}, {}, ["secret"]),
        ("string", {"secret": CIPHER}, {"secret": ""}, ["secret"]),
        ("usernamePassword", {"username": "u", "password": CIPHER}, {"username": "u"}, ["password"]),
        (
            "basicSSHUserPrivateKey",
            {"passphrase": CIPHER, "privateKeySource": DIRECT},
            {"privateKeySource": {"directEntry": {"privateKey": "KEY"}}},
            ["passphrase"],
        ),
        (
            "basicSSHUserPrivateKey",
            {"passphrase": CIPHER, "privateKeySource": DIRECT},
            {"passphrase": "", "privateKeySource": "users"},
            ["passphrase", "privateKeySource.directEntry.privateKey"],
        ),
        ("file", {"fileName": "f", "secretBytes": CIPHER}, {"fileName": "f"}, ["secretBytes"]),
        (
            "certificate",
            {"password": CIPHER, "keyStoreSource": {"uploaded": {"uploadedKeystore": CIPHER}}},
            {"password": "s3cret-of-a", "keyStoreSource": {"uploaded": {}}},
            ["keyStoreSource.uploaded.uploadedKeystore"],
        ),
        ("aws", {"accessKey": "AKIA0001", "secretKey": CIPHER}, {"accessKey": "AKIA0001"}, ["secretKey"]),
        ("own", {"tokens": [CIPHER, CIPHER]}, {"tokens": ["s3cret-of-a"]}, ["tokens"]),
    ],
)
def test_stored_secret_that_is_not_declared_is_kept(
    symbol: str, stored: dict[str, Any], declared: dict[str, Any], lost: list[str], check_mode: bool
) -> None:
    def credentials(**members: Any) -> dict[str, Any]:
        entry = {symbol: {"id": "a", "scope": "GLOBAL", **members}}
        return {"system": {"domainCredentials": [{"credentials": [entry]}]}}

    calls = (export({}, credentials=credentials(**stored)), sources())
    new = credentials(**declared, description="new")
    options = {"credentials": new, "allow_removals": True, "check_mode": check_mode}
    result = apply(*calls, **options)
    labels = ", ".join(f"{CREDENTIALS}[{symbol} a].{symbol}.{name}" for name in lost)
    assert result["msg"] == (
        f"Cannot apply the configuration: it does not contain {labels}, so Jenkins would delete the stored secrets. "
        "Declare them, or set 'allow_secret_removals' to allow this."
    )
    assert not result["changed"]
    if check_mode:
        assert apply(*calls, check(credentials=new), **options, allow_secret_removals=True)["changed"]


def test_stored_secret_of_a_setting_is_kept() -> None:
    current = {"mailer": {"smtpHost": "a", "authentication": {"username": "u", "password": CIPHER}}}
    declared = {"mailer": {"authentication": {"username": "v"}}}
    result = apply(export({}, unclassified=current), sources(), unclassified=declared)
    assert "it does not contain unclassified.mailer.authentication.password, so Jenkins" in result["msg"]
    clouds = [{"kubernetes": {"name": "k", "jenkinsToken": CIPHER, "serverUrl": "https://k"}}]
    cloud = [{"kubernetes": {"name": "k", "serverUrl": "https://other"}}]
    result = apply(export({"clouds": clouds}), sources(), jenkins={"clouds": cloud})
    assert "it does not contain jenkins.clouds[kubernetes k].kubernetes.jenkinsToken, so Jenkins" in result["msg"]


def test_stored_secret_that_a_source_file_does_not_contain_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "casc.yaml"
    entry = {"id": "a", "scope": "GLOBAL", "secret": CIPHER}
    current = {"system": {"domainCredentials": [{"credentials": [{"string": entry}]}]}}
    declared = {"system": {"domainCredentials": [{"credentials": [{"string": {**entry, "secret": ""}}]}]}}
    result = apply(export({}, credentials=current), credentials=declared, source_file=str(path))
    assert f"it does not contain {CREDENTIALS}[string a].string.secret, so Jenkins" in result["msg"]
    assert not path.exists()


def test_variables_match_every_value() -> None:
    declared = {"systemMessage": "${MESSAGE}"}
    assert not apply(export({"systemMessage": "hello"}), jenkins=declared)["changed"]
    denied = call("POST", "/scriptText", 403)
    result = apply(export({}), sources(), denied, configure(jenkins=declared), export({}), jenkins=declared)
    assert result["msg"] == (
        "Jenkins accepted the configuration, but not all values took effect: 'jenkins.systemMessage' is missing, "
        "because its variable is empty or not known to Jenkins."
    )
    assert result["changed"]
    escaped = {"systemMessage": "^${HOME}"}
    assert not apply(export({"systemMessage": "^${HOME}"}), jenkins=escaped)["changed"]


def ask_unresolved(variables: list[str], properties: list[str], unknown: dict[str, list[str]]) -> Call:
    names = {"variables": variables, "properties": properties}
    value = {"variables": [], "properties": [], **unknown}
    return script("find unknown variables and user properties", unresolved.FIND_UNRESOLVED, names, value)


def test_variable_without_a_value_is_refused_before_the_change() -> None:
    texts = {"systemMessage": "${A}${B}", "labelString": "x ${C}", "primaryView": {"all": {"name": "${D:-all}"}}}
    for check_mode in (True, False):
        ask = ask_unresolved(["${A}${B}"], [], {"variables": ["${A}${B}"]})
        result = apply(export({}), sources(), ask, jenkins=texts, check_mode=check_mode, allow_removals=True)
        assert not result["changed"]
        assert result["msg"] == (
            "Cannot apply the configuration: Jenkins has no value for the variable in jenkins.systemMessage. Define "
            "the variable for Jenkins, or declare a default, such as '${NAME:-default}'."
        )


def test_user_property_of_a_missing_plugin_is_refused_before_the_change() -> None:
    entries: list[Any] = ["apiToken", {"mailer": {"emailAddress": "a@example.com"}}, {"slack": {"userId": "A"}}]
    realm = {"local": {"users": [{"id": "jo", "password": "secret-one", "properties": entries}]}}
    for check_mode in (True, False):
        ask = ask_unresolved([], ["mailer", "slack"], {"properties": ["mailer", "slack"]})
        result = apply(
            *(export({"securityRealm": LOCAL}), sources(), ask),
            jenkins={"securityRealm": realm},
            allow_user_changes=True,
            check_mode=check_mode,
        )
        assert not result["changed"]
        assert result["msg"] == (
            "Cannot apply 'jenkins.securityRealm.local.users': Jenkins has no user property mailer, slack. Install the "
            "plugin that has it, or remove it from the users."
        )


def test_values_without_effect_are_named() -> None:
    declared = {"quietPeriod": 99999999999, "scmCheckoutRetryCount": 7}
    result = apply(
        export({"quietPeriod": 9, "scmCheckoutRetryCount": 5}),
        sources(),
        configure(jenkins=declared),
        export({"quietPeriod": 5, "scmCheckoutRetryCount": 7}),
        jenkins=declared,
    )
    assert result["msg"] == (
        "Jenkins accepted the configuration, but not all values took effect: 'jenkins.quietPeriod' is '5' instead of "
        "'99999999999'."
    )
    assert result["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("declared", "message"),
    [
        ({"numExecutors": "abc"}, "'jenkins.numExecutors' is a text that Jenkins would read as 0"),
        ({"quietPeriod": ""}, "'jenkins.quietPeriod' is a text that Jenkins would read as 0"),
        ({"disableRememberMe": " "}, "'jenkins.disableRememberMe' is a text that Jenkins would read as false"),
        ({"quietPeriod": "1.5"}, "'jenkins.quietPeriod' is a text that Jenkins would read as 0"),
        ({"disableRememberMe": "perhaps"}, "'jenkins.disableRememberMe' is a text that Jenkins would read as false"),
        (
            {"nodes": [{"permanent": {**NODE, "numExecutors": "many"}}]},
            "'jenkins.nodes[permanent n1].permanent.numExecutors' is a text that Jenkins would read as 0",
        ),
    ],
)
def test_texts_that_jenkins_would_read_as_0_or_false_are_refused(
    declared: dict[str, Any], message: str, check_mode: bool
) -> None:
    nodes = [{"permanent": {**NODE, "numExecutors": 3}}]
    current = {"numExecutors": 2, "quietPeriod": 5, "disableRememberMe": True, "nodes": nodes}
    result = apply(export(current), sources(), jenkins=declared, check_mode=check_mode)
    assert (result["msg"], result["changed"]) == (
        f"Option 'configuration': {message}. Set a whole number or a boolean.",
        False,
    )


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    ("declared", "calls", "message"),
    [
        (
            {"permissions": ["hudson.model.Hudson.Administer"]},
            [],
            "Cannot apply the roles: Jenkins ignores 'hudson.model.Hudson.Administer', because roles have names of "
            "permissions instead of IDs. Use 'Overall/Administer'.",
        ),
        (
            {"permissions": ["Overall/Administer", "Job/Nope"]},
            [list_known()],
            "Cannot grant permissions: Jenkins does not have Job/Nope. Check the names, such as Job/Read, and whether "
            "the plugin that provides the permission is installed.",
        ),
        (
            {"permissions": ["Overall/Administer"], "pattern": "x("},
            [list_known(), check_patterns({"x(": "Unclosed group"}, "x(")],
            "The pattern 'x(' of a role is not a regular expression: Unclosed group. Correct it.",
        ),
        (
            {"pattern": ""},
            [],
            "Cannot apply the roles: the pattern of the role 'admins' is empty, so that the role would apply "
            "everywhere. Set a pattern, such as '.*' for everything.",
        ),
    ],
)
def test_roles_that_jenkins_would_change_or_refuse_are_refused(
    declared: dict[str, Any], calls: list[Call], message: str, check_mode: bool
) -> None:
    strategy = roles({**role(), **declared})
    current = export({"authorizationStrategy": "unsecured"})
    result = apply(*(current, sources(), *calls), jenkins={"authorizationStrategy": strategy}, check_mode=check_mode)
    assert (result["msg"], result["changed"]) == (message, False)


def test_role_with_several_declarations_is_refused() -> None:
    repeated = [role("Job/Read", users=[name], name="dev") for name in ("ann", "bob")]
    strategy = roles(role("Overall/Administer"), *repeated)
    calls = (export({"authorizationStrategy": "unsecured"}), sources(), list_known(), who_am_i())
    assert apply(*calls, jenkins={"authorizationStrategy": strategy})["msg"] == (
        "Option 'configuration': must contain 'dev' in 'jenkins.authorizationStrategy.roleBased.roles.global' only "
        "once."
    )


def test_refusal_names_what_was_applied() -> None:
    declared = {"systemMessage": "half", "slaveAgentPort": -7}
    message = "jenkins: Failed to set attribute 'slaveAgentPort'"
    before = {"slaveAgentPort": 2}
    result = apply(
        export(before),
        sources(),
        configure(400, message, jenkins=declared),
        export({**before, "systemMessage": "half"}),
        jenkins=declared,
    )
    assert result["changed"]
    assert f"400 {message}. Jenkins applied a part of the configuration: jenkins.systemMessage." in result["msg"]
    result = apply(
        export(before), sources(), configure(400, message, jenkins=declared), export(before), jenkins=declared
    )
    assert not result["changed"]
    assert result["msg"].endswith(f"400 {message}.")


def test_node_that_another_client_adds_in_between_is_kept() -> None:
    one, two = {"permanent": NODE}, {"permanent": {**NODE, "name": "n2"}}
    declared = {"nodes": [{"permanent": {**NODE, "remoteFS": "/b"}}]}
    calls = (export({"nodes": [one]}), sources(), export({"nodes": [one, two]}), sources())
    result = apply(*calls, jenkins=declared)
    assert "so it would delete jenkins.nodes[permanent n2]." in result["msg"]
    assert not result["changed"]


def test_older_plugins_are_supported() -> None:
    declared = {"systemMessage": "new"}
    calls = (
        export({}),
        sources(),
        configure(404, jenkins=declared),
        call("POST", f"{PATH}/apply", sent_json={"jenkins": declared}),
        export(declared),
    )
    assert apply(*calls, jenkins=declared)["changed"]


def test_missing_plugin_is_named() -> None:
    plugins = {"plugins": [{"shortName": "git", "active": True}]}
    calls = (
        call("POST", f"{PATH}/export", 404, text="<html></html>"),
        call("GET", "/pluginManager/api/json?tree=plugins%5Bactive%2CshortName%5D", json=plugins),
    )
    for mode in (True, False):
        result = apply(*calls, jenkins={"numExecutors": 1}, check_mode=mode)
        assert result["msg"] == (
            "Managing the configuration requires the Jenkins plugin 'configuration-as-code', which is not installed "
            "or failed to load. Install it, or check the log of Jenkins."
        )


def test_part_of_a_source_is_refused() -> None:
    owned = sources(base=[["jenkins", "systemMessage"], ["jenkins", "nodes"]])
    result = apply(export({}), owned, jenkins={"systemMessage": "x"})
    assert result["msg"] == (
        "Cannot change 'jenkins.systemMessage': the configuration source '/casc/base.yaml' of Jenkins sets "
        "'jenkins.systemMessage', so Jenkins would revert the change. Change the source instead, or remove this member "
        "from it."
    )
    assert not apply(export({"systemMessage": "x"}), jenkins={"systemMessage": "x"}).get("failed")


def test_account_without_administer_cannot_read_sources() -> None:
    declared = {"systemMessage": "x"}
    refusal = call("POST", "/scriptText", 403, text=deny_permission("jo", "Overall/Administer"))
    result = apply(export({}), refusal, check(403, jenkins=declared), jenkins=declared, check_mode=True)
    assert result["failed"]
    assert f"{PATH}/check: 403" in result["msg"]


def test_source_file_is_written(tmp_path: Path) -> None:
    path = tmp_path / "jenkins.yaml"
    declared = {"systemMessage": "é"}
    options: dict[str, Any] = {"jenkins": declared, "source_file": str(path), "mode": "0640"}
    checked = apply(export({}), sources(), check(jenkins=declared), **options, check_mode=True)
    assert (checked["changed"], path.exists()) == (True, False)
    assert apply(export({}), sources(), configure(jenkins=declared), export(declared), **options)["changed"]
    assert path.read_text() == "jenkins:\n  systemMessage: é\n"
    assert path.stat().st_mode & 0o777 == 0o640
    assert not apply(export(declared), **options)["changed"]
    path.write_text("jenkins: {}\n")
    assert apply(export(declared), **options, check_mode=True)["changed"]
    assert apply(export(declared), export(declared), **options)["changed"]
    assert path.read_text() == "jenkins:\n  systemMessage: é\n"


def test_bad_source_file_is_refused_before_the_first_request(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "jenkins.yaml"):
        result = apply(jenkins={"systemMessage": "x"}, source_file=str(path))
        assert result["msg"].startswith(f"Option 'source_file': '{path}' cannot be written: ")


def test_source_file_of_the_server_is_reloaded(tmp_path: Path) -> None:
    path = tmp_path / "jenkins.yaml"
    declared = {"systemMessage": "new"}
    owned = sources(jenkins=[["jenkins", "systemMessage"]])
    reload = call("POST", f"{PATH}/reload", 302, headers={"Location": f"{PATH}/"})
    calls = (export({}), owned, check(jenkins=declared), reload, export(declared))
    result = apply(*calls, jenkins=declared, source_file=str(path))
    assert (result.get("failed"), result["changed"], path.exists()) == (None, True, True)
    page = "<html><head><title>Error loading configuration - Jenkins</title></head></html>"
    path.unlink()
    broken = call("POST", f"{PATH}/reload", text=page, headers={"Content-Type": "text/html"})
    result = apply(*calls[:3], broken, jenkins=declared, source_file=str(path))
    assert result["failed"]
    assert "Error loading configuration - Jenkins. Check the configuration files of the server." in result["msg"]


def test_defaults_that_are_not_known_are_reported() -> None:
    declared = {"globalLibraries": {"libraries": [{"name": "lib", "allowVersionOverride": True, "implicit": False}]}}
    current = {"globalLibraries": {"libraries": [{"name": "lib"}]}}
    result = apply(
        export({}, unclassified=current),
        sources(),
        configure(unclassified=declared),
        export({}, unclassified=current),
        unclassified=declared,
        diff_mode=True,
    )
    assert not result["changed"]
    assert result["diff"]["before"] == result["diff"]["after"]
    assert result["warnings"][0].startswith(
        "Jenkins does not export default values, so these values cannot be compared: "
        "unclassified.globalLibraries.libraries[lib].allowVersionOverride, "
        "unclassified.globalLibraries.libraries[lib].implicit."
    )


LOST = (
    "The change would lock out 'admin', the account of this task: it would lose Overall/Administer. Grant this "
    "permission to it, or set 'allow_lockout: true' to allow the change."
)


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize(
    "strategy",
    [
        matrix(("jo", ["Overall/Read"])),
        matrix(("jo", ["Overall/Administer"])),
        matrix(("Admin", ["Overall/Administer"]), ("admin", ["Overall/administer", "Overall/Administer "])),
        matrix(grantedPermissions=["GROUP:Overall/Administer:admin", "USER:Overall/Read:admin"]),
        {"projectMatrix": {"entries": [{"group": {"name": "admin", "permissions": ["Overall/Administer"]}}]}},
        roles(role("Overall/Administer", users=())),
        roles(role("Overall/Administer", users=["jo"]), role("Overall/Read", name="Administer", description="Admin")),
        roles(role("Overall/Read"), permissionTemplates=[{"name": "t", "permissions": ["Overall/Administer"]}]),
        roles(role("Overall/Administer", templateName="t"), permissionTemplates=[{"name": "t", "permissions": []}]),
        roles(role("Overall/Administer"), role("Overall/Read", users=["jo"])),
        {"roleBased": {"roles": {"items": [role("Overall/Administer")]}}},
        {"roleBased": {}},
        matrix(("${ADMIN}", ["Overall/Administer"])),
        "globalmatrix",
        {"GlobalMatrixAuthorizationStrategy": matrix(("jo", ["Overall/Administer"]))["globalMatrix"]},
    ],
)
def test_strategy_that_locks_out_the_account_is_refused(strategy: dict[str, Any], check_mode: bool) -> None:
    known = [list_known()] if "roleBased" in strategy else []
    calls = (export({"authorizationStrategy": "unsecured"}), sources(), *known, who_am_i())
    result = apply(*calls, jenkins={"authorizationStrategy": strategy}, allow_removals=True, check_mode=check_mode)
    assert (result["msg"], result["changed"]) == (LOST, False)


@pytest.mark.parametrize(
    "strategy",
    [
        matrix(("admin", ["Overall/Administer"])),
        matrix(("anonymous", ["hudson.model.Hudson.Administer"])),
        {"globalMatrix": {"entries": [{"userOrGroup": {"name": "admin", "permissions": ["Overall/Administer"]}}]}},
        {"projectMatrix": {"entries": [{"group": {"name": "authenticated", "permissions": ["Overall/Administer"]}}]}},
        matrix(permissions=["USER:Overall/Administer:admin"]),
        matrix(grantedPermissions=["hudson.model.Hudson.Administer:authenticated"]),
        roles(role("Job/Read", "Overall/Administer")),
        roles(role("Overall/Administer", entries=[{"either": "admin"}])),
        roles(role("Overall/Administer", entries=[{"group": "authenticated"}])),
        "loggedInUsersCanDoAnything",
        {"unsecured": {}},
    ],
)
def test_strategy_that_keeps_the_account_is_checked_by_the_server(strategy: Any) -> None:
    sent = {"authorizationStrategy": casc.normalize_matrices(strategy)}
    asked = [list_known()] if "roleBased" in strategy else []
    asked += [] if "unsecured" in strategy or "anonymous" in str(strategy) else [who_am_i()]
    calls = (export({"authorizationStrategy": {"legacy": {}}}), sources(), *asked, check(jenkins=sent))
    result = apply(*calls, jenkins={"authorizationStrategy": strategy}, check_mode=True)
    assert (result.get("msg"), result["changed"]) == (None, True)


@pytest.mark.parametrize("strategy", ["legacy", {"ownStrategy": {"admin": "Overall/Administer"}}, "ownMatrix"])
def test_strategy_that_cannot_be_judged_is_refused(strategy: Any) -> None:
    calls = (export({"authorizationStrategy": matrix(("admin", ["Overall/Administer"]))}), sources())
    result = apply(*calls, jenkins={"authorizationStrategy": strategy}, allow_removals=True)
    name = strategy if isinstance(strategy, str) else next(iter(strategy))
    assert result["msg"] == (
        "Cannot verify that the account of this task keeps Overall/Administer with the authorization strategy "
        f"'{name}'. Use a matrix or roles, or set 'allow_lockout: true' to allow the change."
    )


def test_lockout_can_be_allowed() -> None:
    strategy = matrix(("jo", ["Overall/Administer"]))
    sent = {"authorizationStrategy": strategy, "securityRealm": "none"}
    current = {"authorizationStrategy": "unsecured", "securityRealm": {"local": {"allowsSignup": True}}}
    calls = (export(current), sources(), configure(jenkins=sent), export(sent))
    assert apply(*calls, jenkins=sent, allow_lockout=True)["changed"]


LOCAL = {"local": {"allowsSignup": False, "users": [USER]}}
ADMINISTRATOR = matrix(("admin", ["Overall/Administer"]))
SECRET = TOKEN["api_token"]


@pytest.mark.parametrize(
    ("realm", "before", "strategy", "name"),
    [
        ("none", LOCAL, ADMINISTRATOR, "none"),
        ("legacy", LOCAL, "loggedInUsersCanDoAnything", "legacy"),
        ({"ldap": {"configurations": [{"server": "x"}]}}, LOCAL, ADMINISTRATOR, "ldap"),
        ({"ldap": {"cache": {"size": 1}}}, {"ldap": {"cache": {"size": 2}}}, ADMINISTRATOR, "ldap"),
        ("local", "none", ADMINISTRATOR, "local"),
        ({"local": {"users": [{"id": "jo", "password": SECRET}]}}, "none", ADMINISTRATOR, "local"),
        ({"local": {"users": [{"id": "admin", "password": "other-one"}]}}, "none", ADMINISTRATOR, "local"),
        ({"local": {"users": [{"id": "admin"}]}}, "none", ADMINISTRATOR, "local"),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_security_realm_without_a_login_for_the_account_is_refused(
    realm: Any, before: Any, strategy: Any, name: str, check_mode: bool
) -> None:
    calls = (export({"securityRealm": before, "authorizationStrategy": strategy}), sources())
    result = apply(*calls, jenkins={"securityRealm": realm}, allow_user_changes=True, check_mode=check_mode)
    assert result["msg"] == (
        f"Cannot verify that the account of this task can log in with the security realm '{name}'. Declare it with its "
        "current password in the users of the realm 'local', or set 'allow_lockout: true' to allow the change."
    )


def test_security_realm_of_a_server_that_everybody_administers_can_be_changed() -> None:
    sent = {"securityRealm": "none", "authorizationStrategy": "unsecured"}
    current = {"securityRealm": LOCAL, "authorizationStrategy": ADMINISTRATOR}
    calls = (export(current), sources(), check(jenkins=sent))
    assert apply(*calls, jenkins=sent, check_mode=True, allow_removals=True)["changed"]


@pytest.mark.parametrize("account", [{"anonymous": True, "name": "anonymous"}, {"authorities": []}])
def test_new_server_can_be_secured_for_the_account(account: dict[str, Any]) -> None:
    realm = {"local": {"allowsSignup": False, "users": [{"id": "Admin", "password": SECRET}]}}
    sent = {"securityRealm": realm, "authorizationStrategy": ADMINISTRATOR}
    current = {"securityRealm": "none", "authorizationStrategy": "unsecured"}
    checked = {**sent, "securityRealm": {"local": {"allowsSignup": False}}}
    calls = (export(current), sources(), who_am_i(**account), check(jenkins=checked))
    assert apply(*calls, jenkins=sent, check_mode=True, allow_user_changes=True)["changed"]


def list_own(*tokens: str) -> Call:
    """Return the script that reads the API tokens of the account of the task."""
    listed = [
        {"hash": hash_token(token), "name": "t", "uuid": "u", "created": None, "expires": None} for token in tokens
    ]
    user = {"name": "admin", "full_name": "Admin", "description": None, "email": None, "tokens": listed}
    value = {"realm": "local", "mailer": False, "name_pattern": None, "users": [user]}
    return script("list users", accounts.LIST_USERS, {"name": "admin"}, value)


@pytest.mark.parametrize(
    ("user", "tokens", "lost"),
    [
        ({"id": "ADMIN", "password": "other-one"}, [], "password"),
        ({"id": "${ADMIN}", "password": "other-one"}, [], "password"),
        ({"id": "admin", "password": "${PASSWORD}"}, [], "password"),
        ({"id": "admin", "properties": ["apiToken"]}, [SECRET], "API token"),
    ],
)
@pytest.mark.parametrize("check_mode", [False, True])
def test_user_that_replaces_the_login_of_the_task_is_refused(
    user: dict[str, Any], tokens: list[str], lost: str, check_mode: bool
) -> None:
    declared = {"securityRealm": {"local": {"allowsSignup": False, "users": [user, {"id": "new"}]}}}
    calls = (export({"securityRealm": LOCAL}), sources(), list_own(*tokens))
    result = apply(*calls, jenkins=declared, allow_user_changes=True, check_mode=check_mode)
    assert result["msg"] == (
        f"The change would lock out 'admin', the account of this task: it would replace the {lost} with which the "
        "task logs in. Remove the user from the declaration, or set 'allow_lockout: true' to allow the change."
    )


@pytest.mark.parametrize(
    ("user", "asked"),
    [
        ({"id": "admin", "password": "other-one"}, [list_own(SECRET)]),
        ({"id": "admin", "password": SECRET, "properties": ["apiToken"]}, [list_own()]),
        ({"id": "admin", "password": SECRET}, []),
        ({"id": "jo", "password": "other-one"}, []),
    ],
)
def test_other_users_and_the_same_login_are_applied(user: dict[str, Any], asked: list[Call]) -> None:
    declared = {"local": {"allowsSignup": True, "users": [user, {"id": "new"}]}}
    checked = check(jenkins={"securityRealm": {"local": {"allowsSignup": True}}})
    result = apply(
        *(export({"securityRealm": LOCAL}), sources(), *asked, checked),
        jenkins={"securityRealm": declared},
        allow_user_changes=True,
        check_mode=True,
    )
    assert result["changed"]


def test_matrix_is_compared_without_order() -> None:
    def strategy(*entries: tuple[str, list[str]]) -> dict[str, Any]:
        return {"authorizationStrategy": matrix(("admin", ["Overall/Administer"]), *entries)}

    current = strategy(("b", ["Job/Build", "Job/Read"]))
    declared = strategy(("b", ["Job/Read", "Job/Build"]))
    assert not apply(export(current), jenkins=declared)["changed"]
    fewer = strategy(("b", ["Job/Read"]))
    result = apply(export(current), sources(), who_am_i(), configure(jenkins=fewer), export(fewer), jenkins=fewer)
    assert (result["changed"], result["removed"]) == (True, [])


@pytest.mark.parametrize(
    "declared",
    [
        matrix(("admin", ["hudson.model.Hudson.Administer"]), permissions=["GROUP:hudson.model.Item.Read:team"]),
        matrix(grantedPermissions=["USER:Overall/Administer:admin", "GROUP:Job/Read:team"]),
    ],
)
def test_matrix_in_another_form_is_compared(declared: dict[str, Any]) -> None:
    entries = [{"user": {"name": "admin", "permissions": ["Overall/Administer"]}}]
    current = {"globalMatrix": {"entries": [{"group": {"name": "team", "permissions": ["Job/Read"]}}, *entries]}}
    assert not apply(export({"authorizationStrategy": current}), jenkins={"authorizationStrategy": declared})["changed"]


def test_failed_export_of_a_part_is_reported() -> None:
    current = {"proxy": "FAILED TO EXPORT\nhudson.ProxyConfiguration"}
    result = apply(export(current), jenkins={"proxy": {"name": "p"}})
    assert result["msg"] == (
        "Cannot compare 'jenkins.proxy': Jenkins failed to export it. Remove it from the declaration."
    )


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ({}, "Option 'configuration': must not be empty"),
        ({"jenkins": None}, "Option 'configuration': must contain at least one value."),
        ({"x-anchors": {"a": 1}}, "Option 'configuration': must contain at least one value."),
        ({"jobs": [{"script": "x"}]}, "Option 'configuration.jobs': cannot be set: Jenkins does not export jobs"),
        ({"plugins": {"required": {}}}, "Option 'configuration.plugins': cannot be set: "),
        ({"jenkins": ["a"]}, "Option 'configuration.jenkins': must be a dictionary."),
        ({"jenkins": {"views": []}}, "Option 'configuration.jenkins.views': must not be empty"),
        ({"jenkins": {"nodes": [None]}}, "Option 'configuration.jenkins.nodes[0]': must not be null."),
        (
            {"jenkins": {"nodes": [{"permanent": {"name": "a"}}, {"slave": {"name": "b"}}, {"dumb": {"name": "a"}}]}},
            "Option 'configuration': must contain 'a' in 'jenkins.nodes' only once.",
        ),
        (
            {
                "jenkins": {
                    "globalNodeProperties": [
                        {"envVars": {"env": [{"key": "A", "value": "1"}, {"key": "a", "value": "2"}]}}
                    ]
                }
            },
            "must contain 'a' in 'jenkins.globalNodeProperties[envVars].envVars.env' only once.",
        ),
        (
            {
                "credentials": {
                    "system": {
                        "domainCredentials": [
                            {"credentials": [{"string": {"id": "c"}}, {"usernamePassword": {"id": "c"}}]}
                        ]
                    }
                }
            },
            "must contain 'c' in 'credentials.system.domainCredentials[global].credentials' only once.",
        ),
        (
            {"credentials": {"system": {"domainCredentials": [{"credentials": []}, {"domain": {"name": "global"}}]}}},
            "must contain 'global' in 'credentials.system.domainCredentials' only once.",
        ),
        ({"jenkins": {"nodes": [{"permanent": {"labelString": None}}]}}, "labelString': must not be null, because"),
        (
            {"jenkins": {"authorizationStrategy": {"loggedInUsersCanDoAnything": {"allowAnonymousRead": None}}}},
            "loggedInUsersCanDoAnything.allowAnonymousRead': must not be null, because Jenkins would reset the member",
        ),
        ({"unclassified": {"mailer": {"authentication": {"password": None}}}}, "authentication.password': must not"),
        ({"jenkins": {" mode": "x"}}, "Option 'configuration.jenkins': must not have the key ' mode'"),
        (
            {"jenkins": {"mode": "NORMAL", "Mode": "EXCLUSIVE"}},
            "Option 'configuration.jenkins': must contain 'mode' only",
        ),
        ({"jenkins": {}, "Jenkins": {"mode": "NORMAL"}}, "Option 'configuration': must contain 'jenkins' only once."),
        ({"jenkins": {"numExecutors": -3}}, "Option 'configuration.jenkins.numExecutors': must not be negative."),
        (
            {"jenkins": {"securityRealm": {"Local": {"users": []}}}},
            "Option 'configuration.jenkins.securityRealm': must have the key 'local' instead of 'Local'.",
        ),
        (
            {"jenkins": {"securityRealm": {"local": {"users": {"id": "admin", "password": "x"}}}}},
            "Option 'configuration.jenkins.securityRealm.local.users': must be a list of users.",
        ),
        ({"jenkins": {"numExecutors": 1.5}}, "Option 'configuration.jenkins.numExecutors': must be a string"),
    ],
)
def test_bad_configuration_is_refused_before_the_first_request(configuration: dict[str, Any], message: str) -> None:
    result = (
        apply(**configuration) if configuration else run("ci_configuration", url="http://x", configuration={}, **TOKEN)
    )
    assert result["failed"]
    assert message in result["msg"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jenkins:\n  mode: A\n  mode: B\n", "line 3: the key 'mode' occurs twice"),
        ("jenkins: [a\n", "line 2: "),
        ("jenkins:\n\tmode: A\n", "line 2: "),
        ("a: 1\n---\nb: 1\n", "line 2: but found another document"),
        ("- a\n", "must contain a dictionary"),
        ("", "must contain a dictionary"),
        ("&a [*a]\n", "nested too deeply"),
        ("? [a]\n: b\n", "line 1: a key must be a string"),
    ],
)
def test_bad_file_is_refused_before_the_first_request(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "casc.yaml"
    path.write_text(text)
    result = apply(src=str(path))
    assert message in result["msg"], result


def test_file_is_read_as_jenkins_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "casc.yaml"
    path.write_text(
        "x-message: &message hello\njenkins:\n  systemMessage: *message\n  numExecutors: 3\n  quietPeriod: 1_000\n"
        "  disableRememberMe: yes\n  nodeName: 2026-01-01\n  labelString: '7'\n  proxy:\n"
    )
    sent = {
        "systemMessage": "hello",
        "numExecutors": 3,
        "quietPeriod": "1_000",
        "disableRememberMe": "yes",
        "nodeName": "2026-01-01",
        "labelString": "7",
    }
    current = {**sent, "disableRememberMe": True, "labelString": 7}
    result = apply(export({}), sources(), configure(jenkins=sent), export(current), src=str(path))
    assert not result.get("failed"), result
    assert result["changed"]


def test_info_selects_sections_and_masks_secrets() -> None:
    roots = {
        "credentials": {
            "system": {"domainCredentials": [{"credentials": [{"string": {"id": "s", "secret": CIPHER}}]}]}
        },
        "unclassified": {"location": {"url": "http://ci/"}, "mailer": {}},
    }
    realm = {"securityRealm": {"local": {"passwordComplexityRule": "nonePasswordComplexity"}}}
    with conversation(export(realm, **roots)) as talk:
        result = run("ci_configuration_info", url=talk.url, **TOKEN)
    assert result["configuration"]["jenkins"] == {"mode": "NORMAL", **realm}
    domains = result["configuration"]["credentials"]["system"]["domainCredentials"]
    assert domains == [{"credentials": [{"string": {"id": "s", "secret": "MASKED_SECRET"}}]}]
    assert result["masked"]["count"] == 1
    sections = ["jenkins.mode", "unclassified.location", "nosuch", "jenkins.nosuch.deeper", "credentials"]
    with conversation(export(realm, **roots)) as talk:
        result = run("ci_configuration_info", url=talk.url, sections=sections, mask_secrets=False, **TOKEN)
    assert result == {
        "changed": False,
        "configuration": {
            "jenkins": {"mode": "NORMAL"},
            "unclassified": {"location": {"url": "http://ci/"}},
            "credentials": roots["credentials"],
        },
    }


@pytest.mark.parametrize("text", ["[" * 50_000, "a: " + "{b: " * 5_000])
def test_deep_export_is_refused(text: str) -> None:
    with pytest.raises(documents.InvalidYaml, match="nested too deeply"):
        documents.parse(text)


def test_aliases_of_aliases_are_read_once() -> None:
    levels = "\n".join(f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 12))
    document = documents.parse(f"a0: &a0 x\n{levels}")
    assert document["a11"][0] is document["a11"][9]
