# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from support.conversation import conversation
from support.descriptor import patch, read, version
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

SECRET = "secret-of-the-mail-server"
MAIL = (
    "<mailServer><enabled>true</enabled><host>mail.example.com</host><port>587</port>"
    "<password>AM.c2VjcmV0LW9mLW1haWw</password><from>a@example.com</from><tls>true</tls></mailServer>"
)
RESULT = {
    "enabled": True,
    "host": "mail.example.com",
    "port": 587,
    "smtp_username": "",
    "from_address": "a@example.com",
    "subject_prefix": "",
    "ssl": False,
    "tls": True,
    "artifactory_url": "",
}


def manage(url: str = "http://127.0.0.1:9", **options: Any) -> dict[str, Any]:
    """Run the module, which does not wait for changes to become visible."""
    result = run("artifact_mail", url=url, diff_mode=True, **{"visibility_timeout": 0, **options})
    assert SECRET not in json.dumps(result)
    return result


@pytest.mark.parametrize(
    "options",
    [{}, RESULT, {"smtp_password": SECRET, "smtp_username": ""}, {"host": "mail.example.com", "enabled": True}],
)
def test_unchanged_mail_server_costs_one_request(options: dict[str, Any]) -> None:
    with conversation(read(MAIL)) as server:
        result = manage(server.url, **options)
    assert (result["changed"], result["mail_server"]) == (False, RESULT)


def test_missing_mail_server_is_configured() -> None:
    members = {
        "enabled": True,
        "host": "mail.example.com",
        "port": 587,
        "password": SECRET,
        "from": "a@example.com",
        "tls": True,
    }
    task = {"host": "mail.example.com", "port": 587, "from_address": "a@example.com", "tls": True}
    with conversation(read(), patch({"mailServer": members}), read(MAIL)) as server:
        result = manage(server.url, **task, smtp_password=SECRET)
    assert (result["changed"], result["mail_server"]) == (True, RESULT)


def test_new_mail_server_has_default_values() -> None:
    sent = patch({"mailServer": {"enabled": True, "host": "mail.example.com", "port": 25}})
    stored = "<mailServer><enabled>true</enabled><host>mail.example.com</host><port>25</port></mailServer>"
    with conversation(read("<mailServer/>"), sent, read(stored)) as server:
        assert manage(server.url, host="mail.example.com")["mail_server"]["port"] == 25


def test_only_options_that_differ_are_sent() -> None:
    sent = patch({"mailServer": {"from": "", "port": 25}})
    stored = MAIL.replace("587", "25").replace("a@example.com", "")
    with conversation(read(MAIL), sent, read(stored)) as server:
        result = manage(server.url, port=25, from_address="", tls=True, smtp_password=SECRET)
    assert result["diff"] == {
        "before": {"state": "present", "port": 587, "from_address": "a@example.com", "tls": True},
        "after": {"state": "present", "port": 25, "from_address": "", "tls": True},
    }


def test_password_is_sent_again_on_request() -> None:
    with conversation(read(MAIL), patch({"mailServer": {"password": SECRET}}), read(MAIL)) as server:
        result = manage(server.url, smtp_password=SECRET, update_secret="always")
    assert result["diff"]["after"]["updated_secrets"] == ["smtp_password"]


def test_mail_server_is_removed() -> None:
    with conversation(read(MAIL), patch({"mailServer": None}), read()) as server:
        result = manage(server.url, state="absent")
    assert (result["changed"], result["mail_server"]) == (True, None)
    with conversation(read()) as server:
        assert not manage(server.url, state="absent")["changed"]


def test_removal_that_the_server_undoes_is_an_error() -> None:
    with conversation(read(MAIL), patch({"mailServer": None}), read(MAIL)) as server:
        result = manage(server.url, state="absent")
    assert "the mail_server still exists" in result["msg"]


def test_check_mode_only_reads() -> None:
    with conversation(read()) as server:
        result = manage(server.url, check_mode=True, host="mail.example.com", smtp_password=SECRET)
    assert (result["changed"], result["mail_server"]["port"]) == (True, 25)
    with conversation(read(), version("4.16.0")) as server:
        result = manage(server.url, check_mode=True, host="mail.example.com")
    assert "requires Artifactory 5.8.0 or later." in result["msg"]


def test_host_is_required_for_a_new_mail_server() -> None:
    with conversation(read()) as server:
        result = manage(server.url, enabled=False)
    assert result["msg"] == "Option 'host': is required, because no mail server exists."


@pytest.mark.parametrize(
    "options",
    [
        {"port": 0},
        {"host": ""},
        {"host": " a"},
        {"host": "smtp://u:p4ssw0rd@mail.example.com"},
        {"from_address": "a\nb"},
        {"subject_prefix": "~"},
        {"smtp_password": "~"},
        {"artifactory_url": "repo.example.com"},
        {"artifactory_url": "https://u:p@repo.example.com"},
    ],
)
def test_option_is_refused_before_the_first_request(options: dict[str, Any]) -> None:
    with conversation() as server:
        result = manage(server.url, **options)
    assert result["failed"], result
    assert next(iter(options)) in result["msg"]
    assert "p4ssw0rd" not in result["msg"]


@pytest.mark.parametrize(("section", "mail"), [(MAIL, RESULT), ("", None), ("<mailServer/>", None)])
def test_information_has_the_form_of_the_options(section: str, mail: Any) -> None:
    with conversation(read(section)) as server:
        assert run("artifact_mail_info", url=server.url)["mail_server"] == mail


def test_password_in_a_stored_url_is_masked() -> None:
    section = MAIL.replace(
        "</mailServer>", "<artifactoryUrl>https://u:p4ssw0rd@a.example.com</artifactoryUrl></mailServer>"
    )
    with conversation(read(section)) as server:
        result = run("artifact_mail_info", url=server.url)
    assert "p4ssw0rd" not in json.dumps(result)
