# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import dataclasses
import hashlib
import hmac
import json
from typing import Any
from urllib.parse import quote

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials import managed
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("no_configuration_sources")

STORE = "/credentials/store/system"
GLOBAL = f"{STORE}/domain/_"
ONE = f"{GLOBAL}/credential/one"
TREE = quote("id,description,displayName", safe="")
TEXT = "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl"
USERNAME = "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl"
REDACTED = "<secret-redacted/>"
DECLARATION = '<?xml version="1.1" encoding="UTF-8"?>\n'
SALT = "0123"
LOGIN = {"username": "admin", "api_token": "token-of-admin"}
TOKEN: dict[str, Any] = {"id": "one", "type": "secret_text", "secret": "s3cret"}


@pytest.fixture(autouse=True)
def fixed_salt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(managed.secrets, "token_hex", lambda _size: SALT)


def listed(*names: str, place: str = GLOBAL, description: str = "d") -> Call:
    """Return the read of all credentials of a domain."""
    found = [{"id": name, "description": description, "displayName": description} for name in names]
    tree = f"credentials%5B{TREE}%5D"
    return call("GET", f"{place}/api/json?tree={tree}", json={"credentials": found})


def get_listing(description: str = "d", path: str = ONE) -> Call:
    """Return the read of one credential after a change."""
    return call(
        "GET",
        f"{path}/api/json?tree={TREE}",
        json={"id": "one", "description": description, "displayName": description},
    )


def config(members: str, tag: str = TEXT, path: str = ONE) -> Call:
    """Return the read of a configuration, in ISO-8859-1 without a charset."""
    expected = call("GET", f"{path}/config.xml", headers={"Content-Type": "application/xml"})
    return dataclasses.replace(expected, body=f"<{tag}>{members}</{tag}>".encode("latin-1", "replace"))


def token_config(scope: str = "GLOBAL", description: str = "d") -> Call:
    secret = f"<secret>\n    {REDACTED}\n  </secret>"
    return config(f"<scope>{scope}</scope><id>one</id><description>{description}</description>{secret}")


def posted(path: str, *lines: str, tag: str = TEXT, status: int = 200) -> Call:
    body = DECLARATION + f"<{tag}>\n" + "".join(f"  {line}\n" for line in lines) + f"</{tag}>"
    headers = {"Content-Type": "application/xml; charset=utf-8"}
    return call("POST", path, status, sent_body=body.encode(), sent_headers=headers)


def plugins(*names: str) -> Call:
    found = [{"active": True, "shortName": name} for name in names]
    tree = quote("plugins[active,shortName]", safe="")
    return call("GET", f"/pluginManager/api/json?tree={tree}", json={"plugins": found})


def created(**changes: str) -> Call:
    texts = {"scope": "GLOBAL", "id": "one", "description": "", "secret": "s3cret", **changes}
    lines = [f"<{name}>{text}</{name}>" if text else f"<{name}/>" for name, text in texts.items()]
    return posted(f"{GLOBAL}/createCredentials", *lines)


def updated(description: str, scope: str = "GLOBAL") -> Call:
    """Return the change of the description, which keeps the scope and sends the secret again."""
    return posted(
        f"{ONE}/config.xml",
        "<id>one</id>",
        f"<description>{description}</description>",
        "<secret>s3cret</secret>",
        f"<scope>{scope}</scope>",
    )


def hashed(**texts: str | None) -> Call:
    """Return the response of the script with the salted hashes of a credential."""
    values = {
        name: text if text is None else hmac.new(SALT.encode(), text.encode(), hashlib.sha256).hexdigest()
        for name, text in texts.items()
    }
    report = json.dumps({"ran": True, "value": {"one": values}, "holds": True})
    return call("POST", "/scriptText", text=f"\n@@toolchain@@{report}")


def apply(server: Any, **options: Any) -> dict[str, Any]:
    return run("ci_credential", url=server.url, **LOGIN, diff_mode=True, **{**TOKEN, **options})


def test_unchanged_credential_costs_two_requests() -> None:
    with conversation(listed("one"), token_config()) as server:
        result = apply(server, description="d")
    assert (result["changed"], result["updated_secrets"]) == (False, [])
    assert result["credential"] == {
        "id": "one",
        "domain": None,
        "type": "secret_text",
        "class": TEXT,
        "scope": "global",
        "description": "d",
    }


def test_missing_credential_is_created() -> None:
    calls = [listed("other"), plugins("plain-credentials"), created(), get_listing(""), token_config(description="")]
    with conversation(*calls) as server:
        result = apply(server)
    assert (result["changed"], result["updated_secrets"]) == (True, [])
    assert result["diff"]["after"] == {"state": "present", "type": "secret_text", "scope": "global", "description": ""}


def test_check_mode_reads_only() -> None:
    with conversation(listed(), plugins("plain-credentials")) as server:
        assert apply(server, check_mode=True)["changed"]
    with conversation(listed("one"), token_config()) as server:
        result = apply(server, check_mode=True, description="new")
    assert (result["changed"], result["updated_secrets"]) == (True, ["secret"])


def test_change_sends_the_secret_again_and_keeps_other_members() -> None:
    calls = [listed("one"), token_config("SYSTEM"), get_listing(), token_config("SYSTEM")]
    calls += [updated("new \u0142", "SYSTEM"), get_listing("new \u0142")]
    with conversation(*calls, token_config("SYSTEM", "new \u0142")) as server:
        result = apply(server, description="new \u0142")
    assert (result["changed"], result["updated_secrets"]) == (True, ["secret"])
    assert result["diff"]["after"]["updated_secrets"] == ["secret"]
    assert result["credential"]["description"] == "new \u0142"


def test_change_without_the_secret_is_refused_before_a_write() -> None:
    with conversation(listed("one"), token_config()) as server:
        result = apply(server, secret=None, description="new")
    assert result["msg"] == (
        "Option 'secret': the secret 'secret' is required to change credential 'one', because Jenkins replaces all "
        "members at once and does not return secrets."
    )


def test_verified_secret_is_sent_only_if_it_differs() -> None:
    options = {"update_secret": "verify", "description": "d"}
    with conversation(listed("one"), token_config(), hashed(secret="s3cret")) as server:
        assert not apply(server, **options)["changed"]
    for stored in ("other", None):
        calls = [listed("one"), token_config(), hashed(secret=stored), get_listing(), token_config()]
        with conversation(*calls, updated("d"), get_listing(), token_config()) as server:
            assert apply(server, **options)["updated_secrets"] == ["secret"]


def test_secret_is_not_sent_if_it_cannot_be_verified() -> None:
    report = json.dumps({"ran": True, "value": {}, "holds": False})
    script = call("POST", "/scriptText", text=f"\n@@toolchain@@{report}")
    with conversation(listed("one"), token_config(), script) as server:
        result = apply(server, update_secret="verify")
    assert "cannot be verified: the script on the server did not find it" in result["msg"]
    denied = "<p class='error'>ops is missing the Overall/Administer permission</p>"
    with conversation(listed("one"), token_config(), call("POST", "/scriptText", 403, text=denied)) as server:
        result = apply(server, update_secret="verify")
    assert "ops is missing the Overall/Administer permission" in result["msg"]


def test_update_without_effect_fails() -> None:
    calls = [listed("one"), token_config(), get_listing("d"), token_config()]
    calls += [updated("new"), get_listing("d"), token_config()]
    with conversation(*calls) as server:
        result = apply(server, description="new")
    assert result["msg"] == (
        "The server accepted the change, but these fields of the credential do not have the requested values: "
        "description."
    )


def test_lost_reply_is_repeated() -> None:
    calls = [listed("one"), token_config(), get_listing("d"), token_config()]
    calls += [dataclasses.replace(updated("new"), drop=True), updated("new")]
    with conversation(*calls, get_listing("new"), token_config(description="new")) as server:
        assert apply(server, description="new")["changed"]


def test_conflict_is_compared_again() -> None:
    refused = dataclasses.replace(created(), status=409)
    calls = [listed(), plugins("plain-credentials"), refused, get_listing(""), token_config(description="")]
    with conversation(*calls) as server:
        result = apply(server)
    assert (result["changed"], result.get("failed", False)) == (False, False)
    assert "another client may have changed it" in result["warnings"][0]


def test_server_error_names_the_probable_cause() -> None:
    page = "<h1>Oops!</h1>A problem occurred while processing the request Logging ID=1"
    failed = dataclasses.replace(created(), status=500, body=page.encode())
    with conversation(listed(), plugins()) as server:
        missing = apply(server)
    assert "requires the Jenkins plugin 'plain-credentials', which is not installed" in missing["msg"]
    calls = [listed(), plugins("plain-credentials"), failed, call("GET", f"{ONE}/api/json?tree={TREE}", 404)]
    with conversation(*calls) as server:
        result = apply(server)
    assert "Check that the plugin with its class is installed." in result["msg"]


def test_username_is_explicitly_not_secret_in_a_new_credential() -> None:
    login = {"type": "username_password", "credential_username": "bob", "credential_password": "s3cret", "secret": None}
    lines = ["<scope>GLOBAL</scope>", "<id>one</id>", "<description/>", "<username>bob</username>"]
    lines += ["<usernameSecret>false</usernameSecret>", "<password>s3cret</password>"]
    members = "".join(lines[:5]) + f"<password>{REDACTED}</password>"
    sent = posted(f"{GLOBAL}/createCredentials", *lines, tag=USERNAME)
    with conversation(listed(), plugins("credentials"), sent, get_listing(""), config(members, USERNAME)) as server:
        assert apply(server, **login)["changed"]
    with conversation(listed("one"), config("<id>one</id><username>bob</username>", USERNAME)) as server:
        assert apply(server, **login, check_mode=True)["credential"]["username_secret"] is True


def test_deletion_is_read_back() -> None:
    deleted = call("DELETE", f"{ONE}/config.xml")
    gone = call("GET", f"{ONE}/api/json?tree={TREE}", 404)
    with conversation(listed("one"), token_config(), deleted, gone) as server:
        result = apply(server, state="absent", type="secret_text", secret=None)
    assert (result["changed"], result["credential"]) == (True, None)
    with conversation(listed()) as server:
        assert not apply(server, state="absent")["changed"]


def test_secrets_of_items_have_short_names() -> None:
    members = f"<scope>GLOBAL</scope><id>one</id><username>bob</username><password>{REDACTED}</password>"
    items = [{"id": "one", "type": "username_password", "username": "bob", "password": "s3cret"}]
    with conversation(listed("one"), config(members, USERNAME)) as server:
        result = run("ci_credential", items=items, url=server.url, **LOGIN)
    assert result["counts"]["ok"] == 1
    with conversation(listed("one"), config(members, USERNAME)) as server:
        changed = [{"id": "one", "type": "username_password", "description": "new"}]
        result = run("ci_credential", items=changed, url=server.url, **LOGIN)
    assert "Option 'password': the secret 'password' is required" in result["msg"]
