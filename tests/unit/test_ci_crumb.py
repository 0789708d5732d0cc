# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleError
from ansible.parsing.dataloader import DataLoader
from ansible.template import Templar

from ansible_collections.buildworks.toolchain.plugins.lookup.ci_crumb import LookupModule
from support.ci_server import CRUMB_ISSUER, NO_CRUMB, basic, crumb, engine_error, no_crumb_issuer
from support.conversation import call, conversation

COOKIE = "JSESSIONID.5f0c9a3e=node01abcdefgh0.node0"
PASSWORD = {"username": "admin", "password": "s3cret-of-mine"}
HEADERS = {"Authorization": basic("admin", "s3cret-of-mine")}
PARTS = {"name": "Jenkins-Crumb", "value": "abc123", "cookie": COOKIE}


def run_lookup(variables: dict[str, Any] | None = None, terms: tuple[str, ...] = (), **options: Any) -> Any:
    """Return the result of the lookup."""
    variables = variables or {}
    templar = Templar(loader=DataLoader(), variables=variables)
    (answer,) = LookupModule(loader=DataLoader(), templar=templar).run(list(terms), variables, **options)
    return answer


def test_crumb_is_returned_as_parts_and_header() -> None:
    again = crumb("abc123", sent_headers={**HEADERS, "Cookie": COOKIE})
    with conversation(crumb("abc123", cookie=COOKIE, sent_headers=HEADERS), again) as server:
        assert run_lookup(url=server.url, **PASSWORD) == PARTS
        assert run_lookup(url=server.url, **PASSWORD, **{"as": "header"}) == "Jenkins-Crumb:abc123"


def test_options_take_precedence_over_variables() -> None:
    other = {"Authorization": basic("joe", "other-secret")}
    with conversation(crumb("abc123", sent_headers=HEADERS), crumb("of-joe", sent_headers=other)) as server:
        variables = {
            "toolchain_ci_url": server.url,
            "toolchain_ci_username": "admin",
            "toolchain_ci_password": "s3cret-of-mine",
        }
        assert run_lookup(variables)["value"] == "abc123"
        assert run_lookup(variables, username="joe", api_token="other-secret")["value"] == "of-joe"


def test_crumb_is_empty_when_protection_is_disabled() -> None:
    with conversation(no_crumb_issuer(), no_crumb_issuer()) as server:
        assert run_lookup(url=server.url, **PASSWORD) == {"name": None, "value": None, "cookie": None}
        assert run_lookup(url=server.url, **PASSWORD, **{"as": "header"}) == ""


def test_crumb_is_read_from_xml_when_json_is_blocked() -> None:
    closed = call("GET", CRUMB_ISSUER, 403, text="<html><title>No JSON here</title></html>")
    by_xml = "/crumbIssuer/api/xml?xpath=concat%28%2F%2FcrumbRequestField%2C%22%3A%22%2C%2F%2Fcrumb%29"
    with conversation(closed, call("GET", by_xml, text=".crumb:abc123")) as server:
        assert run_lookup(url=server.url, **PASSWORD, **{"as": "header"}) == ".crumb:abc123"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "Option 'url': is required"),
        ({"url": "http://ci", "password": "x"}, "Option 'username': is required together with"),
        ({"url": "http://ci", "as": "cookie"}, "value of as must be one of: parts, header, got: cookie"),
        ({"url": "http://ci", "what": 1}, "what"),
        ({"terms": ("http://ci",)}, "ci_crumb takes options only"),
    ],
)
def test_invalid_input_is_rejected(monkeypatch: pytest.MonkeyPatch, options: dict[str, Any], message: str) -> None:
    monkeypatch.delenv("JENKINS_URL", raising=False)
    with pytest.raises(AnsibleError, match=message):
        run_lookup(**options)


def test_error_does_not_contain_the_secret() -> None:
    refusal = call("GET", CRUMB_ISSUER, 401, json=engine_error(401, "Unauthorized", CRUMB_ISSUER))
    with (
        conversation(refusal) as server,
        pytest.raises(AnsibleError, match="Check the user name and the password") as raised,
    ):
        run_lookup(url=server.url, **PASSWORD)
    assert "s3cret" not in str(raised.value)
    assert NO_CRUMB not in str(raised.value)
