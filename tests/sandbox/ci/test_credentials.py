# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: stores, domains and credentials."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from typing import Any
from urllib.parse import unquote

import pytest

from support.wire.ci import Ci, oops

STORE = "/credentials/store/system"
GLOBAL = f"{STORE}/domain/_"
LATIN = {"Content-Type": "application/xml"}
UTF8 = {"Content-Type": "application/xml; charset=utf-8"}
USERNAME = "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl"
TEXT = "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl"
FILE = "org.jenkinsci.plugins.plaincredentials.impl.FileCredentialsImpl"
SSH = "com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey"
DOMAIN = "com.cloudbees.plugins.credentials.domains.Domain"
FOLDER = "com.cloudbees.hudson.plugins.folder.Folder"
PERMISSIONS = {
    "viewer": ["View"],
    "editor": ["View", "Create", "Update"],
    "domains": ["View", "ManageDomains"],
    "nobody": [],
}


def credential(name: str = "one", members: str = "", tag: str = USERNAME, **texts: str) -> str:
    texts = {"scope": "GLOBAL", "id": name, "description": "d", **texts}
    return f"<{tag}>{''.join(f'<{key}>{text}</{key}>' for key, text in texts.items())}{members}</{tag}>"


def with_password(name: str = "one", **texts: str) -> str:
    return credential(name, username="bob", password="s3cret", **texts)


def domain(name: str, specifications: str = "<specifications/>") -> str:
    return f"<{DOMAIN}><name>{name}</name>{specifications}</{DOMAIN}>"


@pytest.fixture
def filled(ci: Ci) -> Ci:
    """A server with credentials in the global domain and in the domain `git`."""
    assert ci.post(f"{STORE}/createDomain", data=domain("git"), headers=UTF8).status_code == 200
    for place in (GLOBAL, f"{STORE}/domain/git"):
        assert ci.post(f"{place}/createCredentials", data=with_password(), headers=UTF8).status_code == 200
    return ci


def stored_secrets(ci: Ci, name: str = "one", folder: str = "", domain: str | None = None) -> Any:
    """Return the salted hashes of a credential, as the script of the module gets them."""
    tokens = f"m5 sfolder s{folder} suser s sdomain {'n' if domain is None else 's' + domain} sids l1 s{name} ssalt sx"
    code = "// buildworks.toolchain: hash credentials\n"
    form = {"script": "// The runner of buildworks.toolchain\n", "code": code, "args": tokens}
    answer = ci.post("/scriptText", data=form)
    return json.loads(answer.text.partition("@@toolchain@@")[2])["value"][unquote(name)]


def hashed(text: str) -> str:
    return hmac.new(b"x", text.encode(), hashlib.sha256).hexdigest()


def ids(ci: Ci, place: str = GLOBAL) -> list[str]:
    return [one["id"] for one in ci.members(place, "credentials[id]")["credentials"]]


def test_stores_are_listed(filled: Ci) -> None:
    domains = filled.json("/credentials", depth="2")["stores"]["system"]["domains"]
    assert list(domains) == ["_", "git"]
    assert {
        name: domains["_"][name] for name in ("displayName", "fullDisplayName", "fullName", "global", "urlName")
    } == {
        "displayName": "Global",
        "fullDisplayName": "System \u00bb Global",
        "fullName": "system/_",
        "global": True,
        "urlName": "_",
    }
    assert filled.members(f"{GLOBAL}/credential/one", "*") == {
        "description": "d",
        "displayName": "d",
        "fingerprint": None,
        "fullName": "system/_/one",
        "id": "one",
        "typeName": "Username with password",
    }
    assert filled.members("/job/app/credentials", "stores") == {"stores": {}}
    for path in ("/credentials/store/folder", "/job/app/credentials/store/folder", "/job/app/credentials/store/system"):
        assert filled.get(f"{path}/api/json").status_code == 404


def test_names_of_domains_are_encoded_except_as_keys(ci: Ci) -> None:
    assert ci.post(f"{STORE}/createDomain", data=domain("a b"), headers=UTF8).status_code == 200
    place = f"{STORE}/domain/a%20b"
    assert ci.post(f"{place}/createCredentials", data=with_password("c/d"), headers=UTF8).status_code == 200
    listed = ci.members(STORE, "domains[urlName,fullName]")["domains"]["a b"]
    assert {key: listed[key] for key in ("fullName", "urlName")} == {"fullName": "system/a%20b", "urlName": "a%20b"}
    credentials = ci.members(place, "credentials[fullName]")["credentials"]
    assert credentials == [{"fullName": "system/a%20b/c%2Fd"}]


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (with_password("one"), UTF8, 409),
        (credential("one", tag=TEXT), UTF8, 409),
        (with_password("two"), {"Content-Type": "text/xml"}, 200),
        (with_password("two"), {"Content-Type": ""}, 400),
        (with_password("two"), {"Content-Type": "text/plain"}, 400),
        ("<a", LATIN, 500),
        ("", LATIN, 500),
        ("<no.such.Class><id>x</id></no.such.Class>", LATIN, 500),
        (f"<{TEXT}><secret>x</secret></{TEXT}>", LATIN, 500),
        (credential(""), LATIN, 200),
        (credential("two", scope="NONSENSE"), LATIN, 200),
        (credential("two", tag=FILE, secretBytes="not base64 !!"), LATIN, 200),
    ],
)
def test_creation_is_answered_as_by_the_plugin(body: str, headers: dict[str, str], status: int, filled: Ci) -> None:
    answer = filled.post(f"{GLOBAL}/createCredentials", data=body, headers=headers)
    assert answer.status_code == status
    assert oops(answer) == (status == 500)


def test_secrets_are_redacted_and_lost_when_the_answer_is_posted_back(filled: Ci) -> None:
    path = f"{GLOBAL}/credential/one/config.xml"
    assert stored_secrets(filled)["password"] == hashed("s3cret")
    before = filled.get(path)
    assert before.headers["Content-Type"] == "application/xml"
    assert "<password>\n    <secret-redacted/>\n  </password>" in before.text
    assert filled.post(path, data=before.content, headers=LATIN).status_code == 200
    assert stored_secrets(filled)["password"] == hashed("\n    ")
    assert filled.get(path).text == before.text
    assert filled.post(path, data=credential(), headers=LATIN).status_code == 200
    assert stored_secrets(filled)["password"] is None


def test_texts_are_latin_unless_the_header_says_otherwise(filled: Ci) -> None:
    path = f"{GLOBAL}/credential/one"
    body = credential(description="\u00e9 \u0142", username="b", password="\u0142", usernameSecret="false").encode()
    for headers, text in ((LATIN, "\u00e9 \u0142".encode().decode("latin-1")), (UTF8, "\u00e9 \u0142")):
        assert filled.post(f"{path}/config.xml", data=body, headers=headers).status_code == 200
        assert filled.members(path, "description,displayName") == {
            "description": text,
            "displayName": f"b/****** ({text})",
        }
    assert b"<description>\xe9 ?</description>" in filled.get(f"{path}/config.xml").content
    assert stored_secrets(filled)["password"] == hashed("\u0142")


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (with_password("two"), 500),
        (f"<{USERNAME}/>", 500),
        ("garbage", 500),
        (credential(tag=TEXT, secret="x"), 200),
    ],
)
def test_change_keeps_the_id_but_not_the_type(body: str, status: int, filled: Ci) -> None:
    assert filled.post(f"{GLOBAL}/credential/one/config.xml", data=body).status_code == status
    assert ids(filled) == ["one"]


def test_methods_of_a_credential(filled: Ci) -> None:
    path = f"{GLOBAL}/credential/one"
    assert filled.get(f"{GLOBAL}/credentials/one/config.xml").status_code == 200
    assert filled.request("HEAD", f"{path}/config.xml").status_code == 400
    assert filled.request("PUT", f"{path}/config.xml", data="x").status_code == 400
    assert filled.get(f"{path}/doDelete").status_code == 405
    assert filled.post(f"{GLOBAL}/credential/two/config.xml", data=with_password("two")).status_code == 404
    answer = filled.post(f"{path}/doDelete")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/ci{GLOBAL}/")
    answer = filled.request("DELETE", f"{path}/config.xml")
    assert (answer.status_code, answer.text) == (404, "")
    assert filled.request("DELETE", f"{STORE}/domain/git/credential/one/config.xml").status_code == 200
    assert filled.get(f"{GLOBAL}/credential//config.xml").status_code == 404


def test_ssh_key_is_stored_with_its_defaults(ci: Ci) -> None:
    source = (
        f'<privateKeySource class="{SSH}$DirectEntryPrivateKeySource"><privateKey>k</privateKey></privateKeySource>'
    )
    body = credential("key", source, SSH, username="git", passphrase="")
    assert ci.post(f"{GLOBAL}/createCredentials", data=body, headers=LATIN).status_code == 200
    config = ci.get(f"{GLOBAL}/credential/key/config.xml").text
    assert "<usernameSecret>false</usernameSecret>" in config
    assert "passphrase" not in config
    assert stored_secrets(ci, "key")["private_key"] == hashed("k\n")
    assert ci.members(f"{GLOBAL}/credential/key", "displayName") == {"displayName": "git (d)"}


@pytest.mark.parametrize(
    ("plugin", "tag", "members", "stored", "names"),
    [
        (
            "aws-credentials",
            "com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsImpl",
            "<accessKey>AKIA</accessKey><secretKey>k</secretKey><iamRoleArn>arn:r</iamRoleArn><unknown>x</unknown>",
            "<accessKey>AKIA</accessKey><secretKey><secret-redacted/></secretKey><iamRoleArn>arn:r</iamRoleArn>",
            {"displayName": "AKIA:arn:r (d)", "typeName": "AWS Credentials"},
        ),
        (
            "hashicorp-vault-plugin",
            "com.datapipe.jenkins.vault.credentials.VaultAppRoleCredential",
            "<namespace>n</namespace><path>approle</path><roleId>r</roleId><secretId>s</secretId>",
            "<namespace>n</namespace><secretId><secret-redacted/></secretId><roleId>r</roleId><path>approle</path>",
            {"displayName": "d", "typeName": "Vault App Role Credential"},
        ),
        (
            "azure-credentials",
            "com.microsoft.azure.util.AzureCredentials",
            "<data><clientId>c</clientId><certificateId>i</certificateId><tenant>t</tenant></data>",
            "<data><clientId><secret-redacted/></clientId><certificateId>i</certificateId>"
            "<tenant><secret-redacted/></tenant></data>",
            {"displayName": "d", "typeName": "Azure Service Principal"},
        ),
    ],
)
def test_credentials_of_clouds_exist_with_their_plugin(
    plugin: str, tag: str, members: str, stored: str, names: dict[str, str], ci: Ci
) -> None:
    body = credential("one", members, tag)
    assert ci.post(f"{GLOBAL}/createCredentials", data=body, headers=UTF8).status_code == 500
    plugins = [{"name": name, "version": "1"} for name in ("credentials", "configuration-as-code", plugin)]
    ci.sandbox.seed({"ci": {"plugins": plugins}})
    assert ci.post(f"{GLOBAL}/createCredentials", data=body, headers=UTF8).status_code == 200
    config = ci.get(f"{GLOBAL}/credential/one/config.xml").text
    common = "<scope>GLOBAL</scope><id>one</id><description>d</description>"
    assert re.sub(r"\s*\n\s*", "", config) == f'<{tag} plugin="{plugin}@1">{common}{stored}</{tag}>'
    assert ci.members(f"{GLOBAL}/credential/one", "displayName,typeName") == names
    assert ci.post("/configuration-as-code/export").status_code == 200


def test_global_domain_loses_its_credentials(filled: Ci) -> None:
    answer = filled.post(f"{GLOBAL}/config.xml", data=domain("moved"), headers=UTF8)
    assert (answer.status_code, ids(filled), ids(filled, f"{STORE}/domain/moved")) == (200, [], ["one"])
    assert filled.post(f"{STORE}/domain/moved/config.xml", data=domain("git"), headers=UTF8).status_code == 200
    assert list(filled.members(STORE, "domains")["domains"]) == ["_", "git"]
    filled.post(f"{GLOBAL}/createCredentials", data=with_password("two"), headers=UTF8)
    assert filled.request("DELETE", f"{GLOBAL}/config.xml").status_code == 200
    assert ids(filled) == []


def test_domain_hides_the_global_one_when_it_has_its_name(filled: Ci) -> None:
    assert filled.post(f"{STORE}/createDomain", data=domain("_"), headers=UTF8).status_code == 200
    assert ids(filled) == []
    listed = filled.members(STORE, "domains[global]")["domains"]
    assert (listed["_"]["global"], listed["git"]["global"]) == (False, False)
    assert filled.request("DELETE", f"{GLOBAL}/config.xml").status_code == 200
    assert ids(filled) == ["one"]


@pytest.mark.parametrize("path", [f"{STORE}/domain//config.xml", f"{GLOBAL}/credential/other/config.xml"])
def test_deletion_of_an_unknown_path_is_answered_without_a_page(path: str, filled: Ci) -> None:
    answer = filled.request("DELETE", path)
    assert (answer.status_code, answer.content) == (404, b"")


def test_domains_are_stored_with_known_specifications(ci: Ci) -> None:
    package = "com.cloudbees.plugins.credentials.domains"
    schemes = f"<{package}.SchemeSpecification>%s</{package}.SchemeSpecification>"
    for text, stored in (
        ("<schemes>https,ssh</schemes>", "<schemes/>"),
        ("<schemes><string>https</string><string>ssh</string></schemes>", "<string>ssh</string>"),
    ):
        specifications = f"<specifications>{schemes % text}<no.such.Class/></specifications>"
        assert ci.post(f"{STORE}/createDomain", data=domain("d", specifications), headers=UTF8).status_code == 200
        config = ci.get(f"{STORE}/domain/d/config.xml").text
        assert stored in config
        assert "no.such" not in config
        assert ci.request("DELETE", f"{STORE}/domain/d/config.xml").status_code == 200
    for body, status in (
        (domain("d"), 200),
        (domain("d"), 409),
        (f"<{DOMAIN}/>", 409),
        ("<a", 500),
        (domain("D"), 200),
    ):
        assert ci.post(f"{STORE}/createDomain", data=body, headers=UTF8).status_code == status
    assert ci.post(f"{STORE}/createDomain", data=domain("e"), headers={"Content-Type": "text/plain"}).status_code == 400


@pytest.mark.parametrize(
    ("user", "statuses"),
    [
        ("viewer", [200, 200, 403, 403, 403, 403]),
        ("editor", [200, 200, 200, 200, 403, 403]),
        ("domains", [200, 200, 403, 403, 200, 403]),
        ("nobody", [404, 404, 404, 404, 404, 404]),
    ],
)
def test_permissions_are_required(user: str, statuses: list[int], filled: Ci) -> None:
    permissions = ["Overall/Read", *(f"Credentials/{name}" for name in PERMISSIONS[user])]
    entry = {"name": user, "password": "x", "tokens": ["t"], "permissions": permissions}
    filled.sandbox.seed({"ci": {"users": [entry]}})
    calls = [
        ("GET", f"{GLOBAL}/api/json", None),
        ("GET", f"{GLOBAL}/credential/one/config.xml", None),
        ("POST", f"{GLOBAL}/createCredentials", with_password("two")),
        ("POST", f"{GLOBAL}/credential/one/config.xml", with_password()),
        ("GET", f"{GLOBAL}/config.xml", None),
        ("DELETE", f"{GLOBAL}/credential/one/config.xml", None),
    ]
    answers = [filled.request(method, path, auth=(user, "t"), data=data, headers=UTF8) for method, path, data in calls]
    assert [answer.status_code for answer in answers] == statuses
    names = {answer.headers.get("X-Required-Permission", "").rpartition(".")[2] for answer in answers}
    assert names <= {"", "Create", "Update", "ManageDomains", "Delete"}


def test_store_of_a_folder_is_part_of_its_configuration(ci: Ci) -> None:
    headers = UTF8
    for path in ("", "/job/team"):
        name = "web" if path else "team"
        assert ci.post(f"{path}/createItem?name={name}", data=f"<{FOLDER}/>", headers=headers).status_code == 200
    place = "/job/team/job/web/credentials/store/folder"
    assert ci.post(f"{place}/domain/_/createCredentials", data=with_password("a /"), headers=headers).status_code == 200
    assert ci.members(f"{place}/domain/_", "credentials[id,fullName]") == {
        "credentials": [{"id": "a /", "fullName": "team/web/folder/_/a%20%2F"}]
    }
    assert ci.json("/job/team/job/web", depth="1")["actions"][2]["stores"]["folder"]
    assert ci.get("/job/team/job/web/api/json?depth=1", "reader").json()["actions"][1]["stores"] == {}
    config = ci.get("/job/team/job/web/config.xml").text
    assert "<password>{AQAAABAAAAA" in config
    assert "<actions/>" in config
    for edited in (config, re.sub(r"\{AQ[^}]*\}", "s3cret", config)):
        assert ci.post("/job/team/job/web/config.xml", data=edited.encode(), headers=headers).status_code == 200
        assert "s3cret" not in ci.get("/job/team/job/web/config.xml").text
        assert stored_secrets(ci, "a%20%2F", "team/web")["password"] == hashed("s3cret")
    assert ci.post("/job/team/confirmRename?newName=crew").status_code == 302
    assert ids(ci, "/job/crew/job/web/credentials/store/folder/domain/_") == ["a /"]
    assert ci.post("/job/crew/job/web/config.xml", data=f"<{FOLDER}/>", headers=headers).status_code == 200
    assert ids(ci, "/job/crew/job/web/credentials/store/folder/domain/_") == []


def test_store_of_a_user_belongs_to_the_user(ci: Ci) -> None:
    place = "/user/reader/credentials/store/user"
    assert ci.get(f"{place}/domain/_/api/json").status_code == 404
    answer = ci.post(f"{place}/domain/_/createCredentials", "reader", data=with_password(), headers=UTF8)
    assert answer.status_code == 200
    assert ci.get(f"{place}/domain/_/credential/one/config.xml", "reader").status_code == 200
    assert oops(ci.get(f"{place}/api/json", "reader"))
    assert ci.get("/user/reader/credentials/api/json", "reader").status_code == 500


def test_form_is_redirected_even_if_the_id_exists(ci: Ci) -> None:
    form = {
        "json": '{"credentials": {"scope": "GLOBAL", "id": "one", "username": "u", "password": "p", "description": "",'
        f' "usernameSecret": true, "$class": "{USERNAME}"}}}}'
    }
    for _time in range(2):
        answer = ci.post(f"{GLOBAL}/createCredentials", data=form)
        assert (answer.status_code, answer.headers["Location"]) == (302, f"/ci{GLOBAL}")
    answer = ci.post(f"{GLOBAL}/createCredentials", data=form, headers={"Accept": "application/json"})
    assert answer.json()["data"]["notificationType"] == "ERROR"


def test_paths_are_missing_without_the_plugin(ci: Ci) -> None:
    ci.sandbox.seed({"ci": {"plugins": [{"name": "credentials", "version": "1", "active": False}]}})
    for path in ("/credentials/api/json", f"{GLOBAL}/api/json", "/job/app/credentials/api/json"):
        assert ci.get(path).status_code == 404
