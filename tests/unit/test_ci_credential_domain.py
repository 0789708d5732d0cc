# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
from typing import Any
from urllib.parse import quote

import pytest

from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("no_configuration_sources")

STORE = "/credentials/store/system"
GIT = f"{STORE}/domain/git"
PACKAGE = "com.cloudbees.plugins.credentials.domains"
DECLARATION = '<?xml version="1.1" encoding="UTF-8"?>\n'
LOGIN = {"username": "admin", "api_token": "token-of-admin"}
MEMBERS = "urlName,description,credentials[id]"
SCHEMES = f"""    <{PACKAGE}.SchemeSpecification>
      <schemes>
        <string>https</string>
        <string>ssh</string>
      </schemes>
    </{PACKAGE}.SchemeSpecification>
"""
HOSTNAME = f"""    <{PACKAGE}.HostnameSpecification>
      <includes>a,b</includes>
      <excludes/>
    </{PACKAGE}.HostnameSpecification>
"""


def member(*ids: str, description: str = "d") -> dict[str, Any]:
    return {"urlName": "git", "description": description, "credentials": [{"id": name} for name in ids]}


def listed(**domains: dict[str, Any]) -> Call:
    tree = quote(f"domains[{MEMBERS}]", safe="")
    return call("GET", f"{STORE}/api/json?tree={tree}", json={"domains": {"_": {"credentials": []}, **domains}})


def get_listing(*ids: str, description: str = "d", status: int = 200) -> Call:
    return call(
        "GET", f"{GIT}/api/json?tree={quote(MEMBERS, safe='')}", status, json=member(*ids, description=description)
    )


def document(specifications: str = "", description: str = "d") -> str:
    inner = f"  <specifications>\n{specifications}  </specifications>\n" if specifications else "  <specifications/>\n"
    text = f"<description>{description}</description>" if description else "<description/>"
    return f"<{PACKAGE}.Domain>\n  <name>git</name>\n  {text}\n{inner}</{PACKAGE}.Domain>"


def config(specifications: str = "", description: str = "d") -> Call:
    return call("GET", f"{GIT}/config.xml", text=document(specifications, description))


def posted(path: str, specifications: str = "", description: str = "d") -> Call:
    headers = {"Content-Type": "application/xml; charset=utf-8"}
    body = (DECLARATION + document(specifications, description)).encode()
    return call("POST", path, sent_body=body, sent_headers=headers)


def apply(server: Any, **options: Any) -> dict[str, Any]:
    return run("ci_credential_domain", diff_mode=True, url=server.url, **LOGIN, **{"name": "git", **options})


def test_unchanged_domain_costs_two_requests() -> None:
    with conversation(listed(git=member()), config(HOSTNAME)) as server:
        result = apply(server, hostname={"includes": ["b", "a"]})
    assert (result["changed"], result["domain"]["hostname"]) == (False, {"includes": ["a", "b"], "excludes": []})


def test_missing_domain_is_created() -> None:
    calls = [listed(), posted(f"{STORE}/createDomain", SCHEMES, ""), get_listing(description=""), config(SCHEMES, "")]
    with conversation(*calls) as server:
        result = apply(server, schemes=["ssh", "https"])
    assert (result["changed"], result["domain"]["schemes"]) == (True, ["https", "ssh"])


def test_change_keeps_what_is_not_declared() -> None:
    calls = [listed(git=member("one")), config(HOSTNAME), get_listing("one"), config(HOSTNAME)]
    calls += [posted(f"{GIT}/config.xml", HOSTNAME + SCHEMES, "d")]
    with conversation(*calls, get_listing("one"), config(HOSTNAME + SCHEMES)) as server:
        result = apply(server, schemes=["https", "ssh"])
    assert result["diff"] == {
        "before": {"state": "present"},
        "after": {"state": "present", "schemes": ["https", "ssh"]},
    }


def test_unknown_characters_are_not_overwritten() -> None:
    unknown = HOSTNAME.replace("a,b", "a?b")
    with conversation(listed(git=member()), config(unknown), get_listing(), config(unknown)) as server:
        result = apply(server, schemes=["https"])
    assert "a specification that is not declared contains question marks" in result["msg"]
    with conversation() as server:
        refused = apply(server, hostname={"includes": ["\u0142.example.com"]})
    assert "Option 'hostname': must contain only characters of ISO-8859-1" in refused["msg"]


@pytest.mark.parametrize("options", [{}, {"check_mode": True}])
def test_domain_with_credentials_is_not_deleted(options: dict[str, Any]) -> None:
    with conversation(listed(git=member("one", "two"))) as server:
        result = apply(server, state="absent", **options)
    assert result["msg"] == (
        "Domain 'git' in the system store contains 2 credentials, which Jenkins would delete as well. To delete them, "
        "set 'allow_delete_credentials: true'."
    )


def test_credential_of_another_client_protects_the_domain() -> None:
    with conversation(listed(git=member()), get_listing("new")) as server:
        assert "contains 1 credentials" in apply(server, state="absent")["msg"]


def test_domain_is_deleted_with_its_credentials_on_request() -> None:
    deleted = call("DELETE", f"{GIT}/config.xml")
    with conversation(listed(git=member("one")), get_listing("one"), deleted, get_listing(status=404)) as server:
        result = apply(server, state="absent", allow_delete_credentials=True)
    assert (result["changed"], result["domain"]) == (True, None)


def test_missing_permission_is_reported() -> None:
    page = "<p class='error'>ops is missing the Credentials/ManageDomains permission</p>"
    refused = dataclasses.replace(config(), status=403, body=page.encode())
    with conversation(listed(git=member()), refused) as server:
        result = apply(server, description="d")
    assert "ops is missing the Credentials/ManageDomains permission" in result["msg"]
