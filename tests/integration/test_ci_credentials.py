# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Credentials and their domains in the Jenkins sandbox, with all types, stores and traps."""

from __future__ import annotations

import base64
import itertools
from typing import Any

import pytest
import requests

from ansible_collections.buildworks.toolchain.plugins.module_utils._http import retry
from sandbox.client import Sandbox
from support.running import run
from support.wire.ci import TOKENS

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n-----END OPENSSH PRIVATE KEY-----\n"
FOLDER = "<com.cloudbees.hudson.plugins.folder.Folder/>"
GLOBAL = "/credentials/store/system/domain/_"
STRING = "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl"
USERNAME = {"type": "username_password", "credential_username": "bob", "credential_password": "s3cret"}
TYPES: dict[str, dict[str, Any]] = {
    "username_password": USERNAME,
    "secret_text": {"type": "secret_text", "secret": " a&b<\n\u0142 "},
    "secret_file": {"type": "secret_file", "file_name": "a \u0142.txt", "content": "z\u0142\r\n"},
    "ssh_key": {"type": "ssh_key", "credential_username": "git \u0142", "private_key": KEY, "passphrase": "pp"},
    "certificate": {
        "type": "certificate",
        "content_base64": base64.b64encode(b"\x00pkcs12\xff").decode(),
        "credential_password": "changeit",
    },
    "pem": {
        "type": "certificate",
        "certificate_chain": "-----BEGIN CERTIFICATE-----",
        "private_key": KEY,
        "credential_password": "",
    },
}
# An option for each type that changes a secret
OTHER_SECRETS: dict[str, dict[str, Any]] = {
    "username_password": {"credential_password": "other"},
    "secret_text": {"secret": "other"},
    "secret_file": {"content": "other"},
    "ssh_key": {"passphrase": ""},
    "certificate": {"content_base64": "b3RoZXI="},
    "pem": {"certificate_chain": "other"},
}
STORES: list[dict[str, Any]] = [{}, {"folder": "team"}, {"domain": "git"}, {"folder": "team", "domain": "git"}]


@pytest.fixture(autouse=True)
def as_administrator(monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> None:
    """Connect the modules to the sandbox by environment variables, and retry without delay."""
    for name, value in sandbox.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(retry, "backoff", lambda _attempt: 0.0)
    domains = [{"name": "git"}, {"name": "git", "folder": "team"}]
    sandbox.seed({"ci": {"jobs": [{"name": "team", "kind": "folder"}], "credential_domains": domains}})
    sandbox.clear_journal()


def apply(**options: Any) -> dict[str, Any]:
    return run("ci_credential", diff_mode=True, **{"id": "one", **options})


def requests_of(sandbox: Sandbox) -> list[tuple[str, int]]:
    """Return label and status of the requests since the last call."""
    journal = [(entry["label"], entry["status"]) for entry in sandbox.journal("ci")]
    sandbox.clear_journal()
    return journal


def wire(sandbox: Sandbox, method: str, path: str, user: str = "admin", **options: Any) -> requests.Response:
    login = (user, TOKENS[user])
    return requests.request(method, f"{sandbox.url}/ci{path}", auth=login, timeout=60, allow_redirects=False, **options)


@pytest.mark.parametrize(("kind", "store"), list(itertools.product(TYPES, STORES)))
def test_secret_is_written_only_if_it_differs_when_it_is_verified(
    kind: str, store: dict[str, Any], sandbox: Sandbox
) -> None:
    options = {**TYPES[kind], **store, "update_secret": "verify"}
    assert apply(**options, check_mode=True)["changed"]
    created = apply(**options)
    assert (created["changed"], created["updated_secrets"]) == (True, []), created
    requests_of(sandbox)
    again = apply(**options)
    assert (again["changed"], again["credential"]) == (False, created["credential"])
    assert requests_of(sandbox) == [("credential_domain", 200), ("credential_config", 200), ("script", 200)]
    changed = apply(**{**options, **OTHER_SECRETS[kind]})
    assert (changed["changed"], len(changed["updated_secrets"])) == (
        True,
        len(changed["diff"]["after"]["updated_secrets"]),
    )
    # configuration sources can set the system store, but no folder
    sources = [] if "folder" in store else ["script"]
    assert [label for label, _status in requests_of(sandbox)][3:] == [
        *sources,
        *("credential", "credential_config"),  # read again immediately before the replacement
        "credential_config",
        *("credential", "credential_config"),
    ]
    assert not apply(**{**options, **OTHER_SECRETS[kind]})["changed"]


@pytest.mark.parametrize("kind", TYPES)
def test_other_field_is_changed_only_with_the_secret(kind: str) -> None:
    assert apply(**TYPES[kind])["changed"]
    identity = {
        name: value for name, value in TYPES[kind].items() if name in ("type", "file_name", "credential_username")
    }
    refused = apply(**identity, description="new")
    assert "because Jenkins replaces all members at once and does not return secrets." in refused["msg"]
    assert "the secret" in apply(**identity, description="new", check_mode=True)["msg"]
    changed = apply(**TYPES[kind], description="new \u0142")
    assert changed["credential"]["description"] == "new \u0142"
    assert changed["updated_secrets"] == changed["diff"]["after"]["updated_secrets"] != []
    assert not apply(**TYPES[kind], update_secret="verify")["changed"]
    assert not apply(**identity)["changed"]


def test_unset_members_are_kept_when_another_one_changes() -> None:
    options = {"scope": "system", "description": "\u0142", "username_secret": True}
    apply(**USERNAME, **options)
    kept = apply(type="username_password", credential_password="new", update_secret="always")["credential"]
    names = ("scope", "description", "username", "username_secret")
    assert [kept[name] for name in names] == ["system", "\u0142", "bob", True]


def test_hidden_user_name_is_not_overwritten_with_question_marks() -> None:
    options = {**USERNAME, "credential_username": "b\u0142b", "username_secret": True}
    apply(**options)
    again = apply(**options)
    assert not again["changed"]
    assert "can have characters that Jenkins does not return" in again["warnings"][0]
    same_shape = {**options, "credential_username": "b\u0144b"}
    assert not apply(**same_shape)["changed"]
    assert apply(**same_shape, update_secret="verify", check_mode=True)["changed"]
    assert not apply(**options, update_secret="verify")["changed"]
    unset = {"type": "username_password", "credential_password": "s3cret", "description": "new"}
    assert "is required to change credential 'one'" in apply(**unset)["msg"]
    assert run("ci_credential_info", id="one")["credentials"][0]["username"] is None


def test_visible_names_are_compared_in_all_characters() -> None:
    apply(**TYPES["secret_file"])
    other = {**TYPES["secret_file"], "file_name": "a \u0144.txt"}
    assert apply(**other, check_mode=True)["diff"]["before"]["file_name"] == "a \u0142.txt"


def test_type_is_replaced_only_if_it_is_allowed() -> None:
    apply(**USERNAME)
    secret = TYPES["secret_text"]
    assert (
        "has the class com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl, not"
        in (apply(**secret)["msg"])
    )
    predicted = apply(**secret, allow_type_change=True, check_mode=True)
    replaced = apply(**secret, allow_type_change=True)
    assert [result["updated_secrets"] for result in (predicted, replaced)] == [["secret"]] * 2
    assert predicted["credential"] == replaced["credential"]
    assert not apply(**secret, allow_type_change=True, update_secret="verify")["changed"]


def test_any_class_is_managed_by_xml(sandbox: Sandbox) -> None:
    sandbox.seed({"ci": {"plugins": [{"name": "gitlab-plugin", "version": "1.8"}]}})
    name = "com.dabsquared.gitlabjenkins.connection.GitLabApiTokenImpl"
    xml = f"<{name}><scope>GLOBAL</scope><description>a \u0142</description><apiToken>t</apiToken></{name}>"
    created = apply(type="xml", xml=xml)
    assert created["credential"] == {
        "id": "one",
        "domain": None,
        "type": "xml",
        "class": name,
        "scope": "global",
        "description": "a \u0142",
    }
    assert not apply(type="xml", xml=xml)["changed"]
    changed = apply(type="xml", xml=xml.replace("GLOBAL", "SYSTEM"))
    assert (changed["credential"]["scope"], changed["updated_secrets"]) == ("system", ["xml"])
    assert apply(type="xml", xml=xml, update_secret="always", check_mode=True)["changed"]
    less = f"<{name}><scope>GLOBAL</scope></{name}>"
    assert "the secret 'apiToken' is required" in apply(type="xml", xml=less)["msg"]


USER_CLASS = "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl"


@pytest.mark.parametrize("member", ["<usernameSecret>TRUE</usernameSecret>", "<usernameSecret>False</usernameSecret>",
                                    "<nonsense/>"])  # fmt: skip
def test_xml_that_means_the_same_is_equal(member: str) -> None:
    xml = f"<{USER_CLASS}><username>alice</username><password>s3cret-0ne</password>{member}</{USER_CLASS}>"
    assert [apply(type="xml", xml=xml)["changed"] for _run in range(2)] == [True, False]


def test_members_that_jenkins_does_not_keep_are_named() -> None:
    lost = "<scope>global</scope><nonsense><inner>1</inner></nonsense>"
    failed = apply(type="xml", xml=f"<{USER_CLASS}><password>s3cret-0ne</password>{lost}</{USER_CLASS}>")
    assert failed["failed"]
    assert failed["msg"].endswith("Jenkins did not keep these elements as declared: 'nonsense/inner', 'scope'.")


def test_xml_manages_the_members_that_it_contains() -> None:
    apply(**USERNAME, description="kept")
    name = "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl"
    xml = f"<{name}><username>alice</username><password>n3w-s3cret</password></{name}>"
    for check_mode in (True, False):
        changed = apply(type="xml", xml=xml, check_mode=check_mode)
        assert (changed["credential"]["description"], changed["updated_secrets"]) == ("kept", ["xml"])
        assert "n3w-s3cret" not in str(changed)
    assert not apply(type="xml", xml=xml)["changed"]
    found = run("ci_credential_info", id="one")["credentials"]
    assert (found[0]["username"], found[0]["scope"], found[0]["username_secret"]) == ("alice", "global", False)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"secret": "x"}, "Option 'secret': does not apply to 'type: username_password'"),
        ({"id": ""}, "Option 'id': must not be empty"),
        ({"id": ".."}, "Option 'id': must be the ID of a credential"),
        ({"domain": "_"}, "Option 'domain': must be the name of a domain"),
        ({"domain": ""}, "Option 'domain': must not be empty"),
        ({"folder": "a/.."}, "Option 'folder': '..' is not a valid part of a path"),
        ({"domain": "a/b"}, "Option 'domain': must be the name of a domain"),
        ({"folder": "team", "scope": "system"}, "Option 'scope': must be 'global' in the store of folder 'team'"),
        ({"user": "admin", "scope": "global"}, "Option 'scope': must be 'user' in the store of user 'admin'"),
        ({"scope": "user"}, "Option 'scope': must be 'global' or 'system' in the system store"),
        ({"folder": "team", "user": "admin"}, "mutually exclusive"),
        ({"credential_password": "a\x00b"}, "must be text without control characters"),
        ({"credential_password": ""}, "must not be empty with 'type: username_password'"),
        ({"type": "secret_text", "secret": ""}, "Option 'secret': must not be empty"),
    ],
)
def test_option_is_refused_before_the_first_request(options: dict[str, Any], message: str, sandbox: Sandbox) -> None:
    result = apply(**{**USERNAME, **options})
    assert result["failed"]
    assert message in result["msg"]
    assert requests_of(sandbox) == []
    assert "Option 'type': is required" in apply(credential_username="bob")["msg"]


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        ("<a", "must be an XML document"),
        (f"<!DOCTYPE a><{STRING}/>", "a document type declaration is not allowed"),
        (f"<{STRING}><secret><secret-redacted/></secret></{STRING}>", "must contain the secrets"),
        (f"<{STRING}><secret>********</secret></{STRING}>", "must contain the secrets"),
        (f"<{STRING}><id>two</id></{STRING}>", "must not contain another ID than 'one'"),
    ],
)
def test_xml_is_refused_before_the_first_request(xml: str, message: str, sandbox: Sandbox) -> None:
    assert message in apply(type="xml", xml=xml)["msg"]
    assert requests_of(sandbox) == []


@pytest.mark.parametrize("name", ["a b", "a/b", "a%2Fb", "\u00e9 \u0142", "dot.", "Case", "a?b#c;d", "..."])
def test_special_id_is_managed(name: str) -> None:
    options = {**TYPES["secret_text"], "id": name, "folder": "team"}
    assert apply(**options)["credential"]["id"] == name
    assert not apply(**options)["changed"]
    assert apply(id=name, folder="team", state="absent")["changed"]
    assert not apply(id=name, folder="team", state="absent")["changed"]


def test_many_unchanged_credentials_cost_one_request_each_and_one_listing(sandbox: Sandbox) -> None:
    items = [{"id": f"c{number}", "type": "secret_text", "secret": "x"} for number in range(30)]
    assert run("ci_credential", items=items)["counts"]["changed"] == 30
    requests_of(sandbox)
    assert run("ci_credential", items=items, update_secret="verify")["counts"]["ok"] == 30
    labels = [label for label, _status in requests_of(sandbox)]
    assert {label: labels.count(label) for label in labels} == {
        "credential_domain": 1,
        "credential_config": 30,
        "script": 1,
    }


def test_undeclared_credentials_are_deleted_in_the_declared_domains_only() -> None:
    for store in STORES:
        apply(**TYPES["secret_text"], **store, id="old")
    items = [{"id": "new", "type": "secret_text", "secret": "s3cret", "folder": "team"}]
    reported = run("ci_credential", items=items, undeclared="report")
    old = {"folder": "team", "user": None, "domain": None, "id": "old"}
    assert (reported["undeclared"], reported["counts"]["changed"]) == ([old], 1)
    assert reported["warnings"] == ["These credentials exist, but are not declared: team/folder/_/old."]
    removed = run("ci_credential", items=items, undeclared="remove")
    assert (removed["undeclared"], removed["counts"]["changed"]) == ([old], 1)
    left = [run("ci_credential_info", folder=folder)["credentials"] for folder in (None, "team")]
    assert [[(one["domain"], one["id"]) for one in store] for store in left] == [
        [(None, "old"), ("git", "old")],
        [(None, "new"), ("git", "old")],
    ]
    assert "must be 'keep' without 'items'" in run("ci_credential", undeclared="remove", id="x", state="absent")["msg"]


def test_own_store_of_a_user(sandbox: Sandbox) -> None:
    options = {**USERNAME, "user": "admin"}
    assert apply(**options)["credential"]["scope"] == "user"
    assert not apply(**options, update_secret="verify")["changed"]
    assert [one["id"] for one in run("ci_credential_info", user="admin")["credentials"]] == ["one"]
    assert "only the user itself can access them" in apply(**USERNAME, user="reader")["msg"]
    assert wire(sandbox, "GET", "/user/admin/credentials/store/user/domain/_/api/json", "reader").status_code == 404


def test_account_without_view_is_told_so_before_a_write(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JENKINS_USER_ID", "reader")
    monkeypatch.setenv("JENKINS_API_TOKEN", TOKENS["reader"])
    for store in ({}, {"folder": "team"}):
        assert "the account has no Credentials/View permission" in apply(**USERNAME, **store)["msg"]
        assert "the account has no Credentials/View permission" in apply(state="absent", **store)["msg"]
    assert "no Credentials/View permission" in run("ci_credential_info")["msg"]
    assert all(entry["effect"] == "read" for entry in sandbox.journal("ci"))


def test_missing_plugin_is_named_before_a_write(sandbox: Sandbox) -> None:
    sandbox.seed({"ci": {"plugins": [{"name": "plain-credentials", "version": "1", "active": False}]}})
    for check_mode in (False, True):
        result = apply(**TYPES["secret_text"], check_mode=check_mode)
        assert "requires the Jenkins plugin 'plain-credentials', which is not active" in result["msg"]
    sandbox.seed({"ci": {"plugins": [{"name": "credentials", "version": "1", "active": False}]}})
    assert "requires the Jenkins plugin 'credentials'" in apply(**USERNAME, check_mode=True)["msg"]
    assert "requires the Jenkins plugin 'credentials'" in run("ci_credential_domain", name="x")["msg"]
    assert all(entry["effect"] == "read" for entry in sandbox.journal("ci"))


def test_missing_folder_and_domain_are_predicted_only_on_request() -> None:
    for store, message in (
        ({"folder": "absent"}, "Folder 'absent' does not exist"),
        ({"domain": "absent"}, "Domain 'absent' does not exist in the system store"),
        ({"folder": "deploy"}, "no Credentials/View permission, or it is not a folder"),
    ):
        assert message in apply(**USERNAME, **store)["msg"]
        assert message in apply(**USERNAME, **store, check_mode=True)["msg"]
        predicted = apply(**USERNAME, **store, check_mode=True, predict_missing=True)
        assert predicted.get("changed") is (store != {"folder": "deploy"}), predicted
        assert message in apply(**USERNAME, **store, predict_missing=True)["msg"]
    assert apply(domain="absent", state="absent")["changed"] is False
    assert "Folder 'absent' does not exist" in apply(folder="absent", state="absent")["msg"]
    assert "Domain 'absent' does not exist" in run("ci_credential_info", domain="absent")["msg"]
    assert run("ci_credential_domain", folder="absent", name="x", check_mode=True, predict_missing=True)["changed"]


def test_lost_reply_to_a_new_secret_is_not_reported_as_success(sandbox: Sandbox) -> None:
    apply(**USERNAME)
    sandbox.fault(service="ci", label="credential_config", method="POST", kind="reset_after", times=10)
    result = apply(**USERNAME, update_secret="always", retries=1)
    assert "Jenkins does not return the secret of credential 'one'" in result["msg"], result


def test_secrets_are_not_returned(sandbox: Sandbox) -> None:
    for kind, options in TYPES.items():
        result = apply(**options, id=kind, description="x")
        changed = apply(**options, id=kind, description="y")
        for secret in ("s3cret", "b3BlbnNzaA", "changeit", 'pp"', "AQAAAB"):
            assert secret not in str([result, changed, run("ci_credential_info")])


def test_domain_is_merged(sandbox: Sandbox) -> None:
    options = {"name": "web", "folder": "team"}
    path = {"includes": ["/b/**", "/a/**"], "case_sensitive": True}
    created = run("ci_credential_domain", **options, hostname={"includes": ["b", "a"]}, path=path)
    assert created["domain"] == {
        "name": "web",
        "description": "",
        "hostname": {"includes": ["a", "b"], "excludes": []},
        "hostname_port": None,
        "path": {"includes": ["/a/**", "/b/**"], "excludes": [], "case_sensitive": True},
        "schemes": None,
        "credentials": [],
    }
    apply(**USERNAME, folder="team", domain="web")
    changed = run("ci_credential_domain", **options, schemes=["ssh", "https"], hostname={}, description="x \u0142")
    assert changed["domain"] == {
        **created["domain"],
        "description": "x \u0142",
        "hostname": None,
        "schemes": ["https", "ssh"],
        "credentials": ["one"],
    }
    requests_of(sandbox)
    assert not run("ci_credential_domain", **options, schemes=["https", "ssh"], path=path)["changed"]
    assert requests_of(sandbox) == [("credential_store", 200), ("credential_domain_config", 200)]
    assert run("ci_credential_info", folder="team", domain="web")["domains"] == [changed["domain"]]


def test_domain_with_credentials_is_kept() -> None:
    apply(**USERNAME, domain="git")
    refused = run("ci_credential_domain", name="git", state="absent")
    assert "contains 1 credentials, which Jenkins would delete as well" in refused["msg"]
    assert "would delete" in run("ci_credential_domain", name="git", state="absent", check_mode=True)["msg"]
    assert run("ci_credential_domain", name="git", state="absent", allow_delete_credentials=True)["changed"]
    assert not run("ci_credential_domain", name="git", state="absent")["changed"]


@pytest.mark.parametrize("name", ["_", "", ".", "..", "a/b", " a"])
def test_global_domain_is_refused_before_the_first_request(name: str, sandbox: Sandbox) -> None:
    for state in ("present", "absent"):
        assert "Option 'name'" in run("ci_credential_domain", name=name, state=state)["msg"]
    assert requests_of(sandbox) == []
