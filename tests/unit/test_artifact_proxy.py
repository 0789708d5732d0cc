# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from support.conversation import Call, call, conversation
from support.descriptor import configurations, patch, read, version
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

SECRET = "secret-of-the-proxy"
REPLICATIONS, WEBHOOKS = "/artifactory/api/replications", "/event/api/v1/subscriptions"
PROXY = (
    "<proxy><key>corporate</key><host>proxy.example.com</host><port>3128</port>"
    "<password>AM.c2VjcmV0LW9mLXByb3h5</password><redirectedToHosts>b,a</redirectedToHosts>"
    "<services>jfxr</services></proxy>"
)
TASK = {"key": "corporate", "host": "proxy.example.com", "port": 3128}
RESULT = {
    **TASK,
    "proxy_username": "",
    "nt_host": "",
    "nt_domain": "",
    "platform_default": False,
    "redirected_to_hosts": ["a", "b"],
    "services": ["jfxr"],
}
ABSENT = {"key": "corporate", "state": "absent"}


def proxies(*elements: str) -> str:
    """Return a section with these proxies."""
    return f"<proxies>{''.join(elements)}</proxies>"


def manage(url: str = "http://127.0.0.1:9", **options: Any) -> dict[str, Any]:
    """Run the module, which does not wait for changes to become visible."""
    result = run("artifact_proxy", url=url, diff_mode=True, **{"visibility_timeout": 0, **options})
    assert SECRET not in json.dumps(result)
    return result


def replications(*entries: dict[str, Any]) -> Call:
    return call("GET", REPLICATIONS, json=list(entries))


def webhooks(*proxies: str) -> Call:
    """Return webhooks with these proxies."""
    entries = [{"key": f"hook-{proxy}", "handlers": [{"url": "https://a", "proxy": proxy}]} for proxy in proxies]
    return call("GET", WEBHOOKS, json=entries)


@pytest.mark.parametrize(
    "options",
    [
        {"redirected_to_hosts": ["b", "a", "b"], "services": ["jfxr"], "proxy_password": SECRET},
        {"host": "proxy.example.com", "nt_domain": "", "proxy_username": "", "platform_default": False},
    ],
)
def test_unchanged_proxy_costs_one_request(options: dict[str, Any]) -> None:
    with conversation(read(proxies(PROXY))) as server:
        result = manage(server.url, key="corporate", **options)
    assert (result["changed"], result["proxy"]) == (False, RESULT)


def test_missing_proxy_is_created_with_its_password() -> None:
    members = {
        "host": "proxy.example.com",
        "port": 3128,
        "password": SECRET,
        "redirectedToHosts": "b,a",
        "services": "jfxr",
    }
    with conversation(read(proxies()), patch({"proxies": {"corporate": members}}), read(proxies(PROXY))) as server:
        result = manage(server.url, **TASK, proxy_password=SECRET, redirected_to_hosts=["b", "a"], services=["jfxr"])
    assert (result["changed"], result["proxy"]) == (True, RESULT)


def test_password_is_sent_again_only_on_request() -> None:
    sent = patch({"proxies": {"corporate": {"password": SECRET}}})
    with conversation(read(proxies(PROXY)), sent, read(proxies(PROXY))) as server:
        result = manage(server.url, key="corporate", proxy_password=SECRET, update_secret="always")
    assert (result["changed"], result["diff"]["after"]["updated_secrets"]) == (True, ["proxy_password"])


def test_password_of_an_item_is_not_in_the_result() -> None:
    members = {"host": "proxy.example.com", "port": 3128, "password": SECRET}
    refused = patch({"proxies": {"corporate": members}}, 400, text=f"cannot store {SECRET}")
    with conversation(read(proxies()), refused, read(proxies())) as server:
        result = manage(server.url, items=[{**TASK, "proxy_password": SECRET}])
    assert result["counts"]["failed"] == 1


def test_other_changes_do_not_send_the_password() -> None:
    sent = patch({"proxies": {"corporate": {"port": 8080}}})
    stored = PROXY.replace("3128", "8080")
    with conversation(read(proxies(PROXY)), sent, read(proxies(stored))) as server:
        assert manage(server.url, key="corporate", port=8080, proxy_password=SECRET)["changed"]


def test_lists_can_be_emptied() -> None:
    sent = patch({"proxies": {"corporate": {"redirectedToHosts": "", "services": ""}}})
    stored = PROXY.replace("b,a", "").replace("jfxr", "")
    with conversation(read(proxies(PROXY)), sent, read(proxies(stored))) as server:
        assert manage(server.url, key="corporate", redirected_to_hosts=[], services=[])["changed"]


def test_unused_proxy_is_deleted() -> None:
    calls = [
        read(proxies(PROXY)),
        version(),
        configurations({"key": "a", "proxy": "other"}),
        replications(),
        webhooks("other"),
        patch({"proxies": {"corporate": None}}),
        read(proxies()),
    ]
    with conversation(*calls) as server:
        result = manage(server.url, **ABSENT)
    assert (result["changed"], result["proxy"]) == (True, None)


PUSH = {
    "repoKey": "libs",
    "replicationType": "PUSH",
    "url": "https://b.example.com/libs",
    "enabled": True,
    "cronExp": "0 0 2 * * ?",
    "proxyRef": "corporate",
}


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("calls", "message"),
    [
        ([configurations({"key": "a", "proxy": "corporate"})], "these repositories use it: a."),
        ([configurations({"key": "x"}), replications(PUSH)], "these replications use it: libs."),
        (
            [configurations({"key": "x"}), replications(), webhooks("x", "corporate")],
            "these webhooks use it: hook-corporate.",
        ),
    ],
)
def test_proxy_in_use_is_not_deleted(calls: list[Call], message: str, check_mode: bool) -> None:
    with conversation(read(proxies(PROXY)), version(), *calls) as server:
        result = manage(server.url, check_mode=check_mode, **ABSENT)
    assert result["msg"] == f"Cannot delete proxy 'corporate': {message}"


@pytest.mark.parametrize(
    ("calls", "users"),
    [
        ([configurations({"key": "x"}), call("GET", REPLICATIONS, 403, json={})], "replications"),
        ([configurations({"key": "x"}), replications(), call("GET", WEBHOOKS, 401, json={})], "webhooks"),
        ([configurations({"key": "x"}), replications(), call("GET", WEBHOOKS, 404, text="no")], "webhooks"),
        ([configurations({"key": "x"}), replications(), call("GET", WEBHOOKS, json={})], "webhooks"),
    ],
)
def test_proxy_is_kept_if_its_use_is_unknown(calls: list[Call], users: str) -> None:
    with conversation(read(proxies(PROXY)), version(), *calls) as server:
        result = manage(server.url, **ABSENT)
    assert f"Cannot delete proxy 'corporate': it is unknown whether {users} use it." in result["msg"]


@pytest.mark.parametrize(("number", "license_type"), [("6.20.0", "Pro"), ("7.46.11", "OSS")])
def test_features_that_the_server_lacks_are_not_checked(number: str, license_type: str) -> None:
    repository = "<localRepository><key>a</key></localRepository>"
    before = read(f"<localRepositories>{repository}</localRepositories>", proxies(PROXY))
    calls = [before, version(number, license_type)]
    calls += [replications()] if license_type == "Pro" else []
    with conversation(*calls, patch({"proxies": {"corporate": None}}), read(proxies())) as server:
        assert manage(server.url, **ABSENT)["changed"]


def test_references_are_read_once_for_all_items() -> None:
    second = PROXY.replace("corporate", "lab")
    calls = [
        read(proxies(PROXY, second)),
        version(),
        configurations({"key": "x"}),
        replications(),
        webhooks("lab"),
        patch({"proxies": {"corporate": None}}),
        read(proxies(second)),
    ]
    with conversation(*calls) as server:
        result = manage(server.url, items=[ABSENT, {"key": "lab", "state": "absent"}], workers=1)
    assert (result["counts"]["changed"], result["counts"]["failed"]) == (1, 1)


def test_check_mode_only_reads() -> None:
    with conversation(read(proxies()), version()) as server:
        result = manage(server.url, check_mode=True, **TASK, proxy_password=SECRET)
    assert result["proxy"] == {**RESULT, "redirected_to_hosts": [], "services": []}


@pytest.mark.parametrize("option", ["host", "port"])
def test_option_is_required_for_a_new_proxy(option: str) -> None:
    with conversation(read(proxies())) as server:
        result = manage(server.url, **{**TASK, option: None})
    assert result["msg"] == f"Option '{option}': is required, because proxy 'corporate' does not exist."


@pytest.mark.parametrize("options", [{"services": ["jfrt"]}, {}])
def test_default_proxy_has_no_services(options: dict[str, Any]) -> None:
    with conversation(*([] if options else [read(proxies(PROXY))])) as server:
        result = manage(server.url, key="corporate", platform_default=True, **options)
    assert "Option 'services': must be empty with 'platform_default: true'" in result["msg"]


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"port": 0}, "port"),
        ({"port": 65536}, "port"),
        ({"host": ""}, "host"),
        ({"host": "~"}, "host"),
        ({"host": "http://proxy.example.com"}, "host"),
        ({"host": "proxy.example.com:3128"}, "host"),
        ({"host": "10.0.0.1:3128"}, "host"),
        ({"host": "user:p4ssw0rd@proxy.example.com"}, "host"),
        ({"proxy_password": "~"}, "proxy_password"),
        ({"proxy_password": "a\0"}, "proxy_password"),
        ({"redirected_to_hosts": ["a,b"]}, "redirected_to_hosts"),
        ({"services": ["nope"]}, "services"),
    ],
)
def test_option_is_refused_before_the_first_request(options: dict[str, Any], option: str) -> None:
    with conversation() as server:
        result = manage(server.url, **{**TASK, **options})
    assert result["failed"], result
    assert option in result["msg"]
    assert "p4ssw0rd" not in result["msg"]


def test_information_has_the_form_of_the_options_without_the_password() -> None:
    with conversation(read(proxies(PROXY))) as server:
        result = run("artifact_proxy_info", url=server.url)
    assert result["proxies"] == [RESULT]
    assert "c2VjcmV0LW9mLXByb3h5" not in json.dumps(result)
    with conversation(read(proxies(PROXY))) as server:
        assert not manage(server.url, items=result["proxies"])["changed"]


@pytest.mark.parametrize("host", ["proxy", "10.0.0.1", "::1", "[2001:db8::1]", "proxy_1.example.com"])
def test_host_can_be_a_name_or_an_address(host: str) -> None:
    with conversation(read(proxies(PROXY.replace("proxy.example.com", host)))) as server:
        assert not manage(server.url, key="corporate", host=host)["changed"]
