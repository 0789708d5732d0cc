# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.modules.artifact_configuration import SPEC
from support.advice import PREDICT_MISSING
from support.conversation import Call, call, conversation
from support.running import run

pytestmark = pytest.mark.usefixtures("reported_version")

PATH = "/artifactory/api/system/configuration"
TOKEN = {"token": "t0ken-of-mine", "visibility_timeout": 0}
NAMESPACE = "http://artifactory.jfrog.org/xsd/3.1.32"
DAILY = (
    "<backup><key>daily</key><enabled>true</enabled><cronExp>0 0 2 ? * MON-FRI</cronExp>"
    "<retentionPeriodHours>0</retentionPeriodHours>"
    "<excludedRepositories><repositoryRef>b</repositoryRef><repositoryRef>a</repositoryRef></excludedRepositories>"
    "</backup>"
)
PROXY = (
    "<proxies><proxy><key>corporate</key><host>proxy.example.com</host><port>3128</port>"
    "<password>AM.c2VjcmV0LW9mLXByb3h5</password><redirectedToHosts>b,a</redirectedToHosts></proxy></proxies>"
)
LDAP = "<ldapSettings><ldapSetting><key>main</key><enabled>true</enabled></ldapSetting></ldapSettings>"
SECURITY = (
    f"<security><anonAccessEnabled>false</anonAccessEnabled>{LDAP}"
    "<passwordSettings><encryptionPolicy>supported</encryptionPolicy></passwordSettings></security>"
)
TRASH = "<trashcanConfig><enabled>true</enabled><retentionPeriodDays>14</retentionPeriodDays></trashcanConfig>"
ABSENT = {"failed": True, "changed": False}


def descriptor(*sections: str) -> str:
    """Return a configuration with these sections."""
    declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return f'{declaration}<config xmlns="{NAMESPACE}">\n{"".join(sections)}\n</config>\n'


def read(*sections: str) -> Call:
    """Return the read of a configuration with these sections."""
    return call("GET", PATH, text=descriptor(*sections), headers={"Content-Type": "application/xml"})


def patch(status: int = 200, text: str = "1 changes to config merged successfully", /, **changes: Any) -> Call:
    """Return the request that merges these changes."""
    headers = {"Content-Type": "application/yaml"}
    return call("PATCH", PATH, status, text=text, sent_json=changes, sent_headers=headers)


def version(number: str = "7.77.3") -> Call:
    return call("GET", "/artifactory/api/system/version", json={"version": number, "license": "Enterprise"})


def repositories(*keys: str) -> Call:
    return call("GET", "/artifactory/api/repositories", json=[{"key": key} for key in keys])


def get(url: str, *sections: str) -> dict[str, Any]:
    """Run the information module for these sections."""
    options = {"sections": list(sections)} if sections else {}
    return run("artifact_configuration_info", url=url, token=TOKEN["token"], **options)


def configure(
    url: str = "http://127.0.0.1:9", /, options: dict[str, Any] | None = None, **sections: Any
) -> dict[str, Any]:
    """Run the module with these sections."""
    return run("artifact_configuration", url=url, configuration=sections, **TOKEN, **(options or {}))


@pytest.mark.parametrize(
    "sections",
    [
        {"backups": {"daily": {"cronExp": "0 0 2 ? * MON-FRI", "excludedRepositories": ["a", "b", "a"]}}},
        {"backups": {"daily": {"enabled": "yes", "retentionPeriodHours": "0", "key": "daily"}}},
        {"proxies": {"corporate": {"port": 3128, "password": "secret-of-proxy", "redirectedToHosts": ["a", "b"]}}},
        {"proxies": {"corporate": {"redirectedToHosts": "a, b", "username": ""}, "old": None}, "reverseProxies": {}},
        {"security": {"passwordSettings": {"encryptionPolicy": "SUPPORTED"}, "ldapSettings": {"old": None}}},
        {"trashcanConfig": {"enabled": True}, "urlBase": "", "mailServer": {}},
    ],
)
def test_second_run_sends_one_read_when_nothing_differs(sections: dict[str, Any]) -> None:
    with conversation(read(SECURITY, f"<backups>{DAILY}</backups>", PROXY, TRASH)) as server:
        result = configure(server.url, {"diff_mode": True}, **sections)
    assert not result["changed"], result
    assert result["diff"]["before"] == result["diff"]["after"]
    assert "secret-of-proxy" not in json.dumps(result)


def test_only_values_that_differ_are_sent_and_read_back() -> None:
    changed = TRASH.replace("14", "30")
    with conversation(read(TRASH), patch(trashcanConfig={"retentionPeriodDays": 30}), read(changed)) as server:
        result = configure(
            server.url, {"diff_mode": True}, trashcanConfig={"enabled": True, "retentionPeriodDays": "30"}
        )
    assert result["changed"]
    assert result["diff"] == {
        "before": {"trashcanConfig": {"enabled": True, "retentionPeriodDays": 14}},
        "after": {"trashcanConfig": {"enabled": True, "retentionPeriodDays": 30}},
    }
    assert result["configuration"] == {"trashcanConfig": {"enabled": True, "retentionPeriodDays": 30}}


def test_check_mode_sends_only_reads_and_predicts_the_result() -> None:
    with conversation(read("<proxies/>")) as server:
        result = configure(
            server.url, {"check_mode": True, "diff_mode": True}, proxies={"corporate": {"host": "p", "port": 1}}
        )
    assert result["configuration"] == {"proxies": {"corporate": {"host": "p", "port": 1}}}
    assert result["diff"] == {"before": {"proxies": {}}, "after": result["configuration"]}


def test_secret_is_sent_for_a_new_object_and_never_shown() -> None:
    proxy = {"host": "proxy.example.com", "port": 3128, "password": "secret-of-proxy"}
    with conversation(read("<proxies/>"), patch(proxies={"corporate": proxy}), read(PROXY)) as server:
        result = configure(server.url, {"diff_mode": True}, proxies={"corporate": proxy})
    assert result["diff"]["after"] == {
        "proxies": {"corporate": {"host": "proxy.example.com", "port": 3128}},
        "updated_secrets": ["proxies.corporate.password"],
    }
    assert not any(secret in json.dumps(result) for secret in ("secret-of-proxy", "AM."))


def test_secret_of_an_existing_object_is_sent_when_requested() -> None:
    secret = {"corporate": {"password": "secret-of-proxy"}}
    with conversation(read(PROXY), patch(proxies=secret), read(PROXY)) as server:
        result = configure(server.url, {"update_secret": "always"}, proxies=secret)
    assert result == {"changed": True, "configuration": {"proxies": {"corporate": {}}}}


def test_deleted_object_is_in_the_diff_without_its_secrets() -> None:
    with conversation(read(PROXY), patch(proxies={"corporate": None}), read("<proxies/>")) as server:
        result = configure(server.url, {"diff_mode": True}, proxies={"corporate": None})
    assert result["diff"]["before"]["proxies"]["corporate"] == {
        "host": "proxy.example.com",
        "port": 3128,
        "redirectedToHosts": "b,a",
    }
    assert (result["diff"]["after"], result["configuration"]) == ({"proxies": {}}, {"proxies": {}})


def test_section_is_deleted_when_allowed() -> None:
    with conversation(read(PROXY, TRASH), patch(proxies=None), read(TRASH)) as server:
        result = configure(server.url, {"allow_delete_section": True}, proxies=None)
    assert result == {"changed": True, "configuration": {}}


@pytest.mark.parametrize(
    ("sections", "problem"),
    [
        ({}, "configuration': must not be empty"),
        ({"proxies": {}}, "configuration': must contain at least one value"),
        ({"proxies": None}, "configuration.proxies': null would delete the whole section. Set 'allow_delete_section'"),
        ({"urlBase": None}, "configuration.urlBase': null would delete the whole section."),
        ({"security": {"ldapSettings": None}}, "configuration.security.ldapSettings': null would delete"),
        ({"mailServer": {"host": None}}, "configuration.mailServer.host': must not be null, because only objects"),
        ({"mailServer": {"password": None}}, "configuration.mailServer.password': must be a string."),
        ({"mailServer": {"password": 123456}}, "configuration.mailServer.password': must be a string."),
        ({"mailServer": {"host": "~"}}, "configuration.mailServer.host': must not be '~', because Artifactory deletes"),
        ({"mailServer": {"host": 1.10}}, "configuration.mailServer.host': must be a string, not a number with a"),
        ({"mailServer": {"host": ["a"]}}, "configuration.mailServer.host': must be a single value"),
        ({"mailServer": {"host": "a\0b"}}, "configuration.mailServer.host': must not contain NUL characters"),
        ({"mailServer": {"port": "mail"}}, "configuration.mailServer.port': must be an integer, not 'mail'"),
        ({"mailServer": {"port": True}}, "configuration.mailServer.port': must be an integer, not True"),
        ({"mailServer": {"ssl": "maybe"}}, "configuration.mailServer.ssl': must be true or false, not 'maybe'"),
        ({"mailServer": "a"}, "configuration.mailServer': must be a dictionary"),
        ({"backups": [{"key": "a"}]}, "configuration.backups': must be a dictionary by 'key'"),
        ({"backups": {"a": "b"}}, "configuration.backups.a': must be a dictionary"),
        ({"backups": {"a": {"key": "b"}}}, "configuration.backups.a.key': must be 'a', the key of the object"),
        ({"backups": {" a": {"enabled": True}}}, "configuration.backups': must not have the key ' a'"),
        ({"backups": {"a": {"excludedRepositories": "b"}}}, "excludedRepositories': must be a list"),
        ({"backups": {"a": {"excludedRepositories": [None]}}}, "excludedRepositories[0]': must be a non-empty string"),
        ({"localRepositories": {"a": None}}, "configuration.localRepositories': cannot be set: repositories are"),
        ({"localReplications": {"a": None}}, "cannot be set: replications are managed with artifact_replication"),
        ({"revision": 1}, "configuration.revision': cannot be set: the server manages it"),
        (
            {
                "mailServer": {"password": "x"},
                "propertySets": {"a": {"properties": {"password": {"multipleChoice": False}}}},
            },
            "configuration.propertySets.a.properties.password': has the name of a secret in the same task.",
        ),
    ],
)
def test_invalid_document_is_refused_before_the_first_request(sections: dict[str, Any], problem: str) -> None:
    for check_mode in (False, True):
        with conversation() as server:
            result = configure(server.url, {"check_mode": check_mode}, **sections)
        assert problem in result["msg"]


@pytest.mark.parametrize(
    ("sections", "problem"),
    [
        ({"mailSever": {"host": "a"}}, "Option 'configuration.mailSever': is unknown. Did you mean 'mailServer'?"),
        ({"nope": {"a": 1}}, "Option 'configuration.nope': is unknown. The server has proxies, security."),
        (
            {"proxies": {"a": {"hostt": "b"}}},
            "Option 'configuration.proxies.a.hostt': is unknown. Did you mean 'host'?",
        ),
        (
            {"proxies": {"a": {}, "b": {"host": "c"}}},
            "configuration.proxies.a': must have at least one member, because",
        ),
        (
            {"security": {"ldapSettings": {"main": None}}},
            "Cannot delete 'configuration.security.ldapSettings.main': Artifactory ignores the deletion of a single",
        ),
    ],
)
def test_change_that_the_server_would_not_make_is_refused(sections: dict[str, Any], problem: str) -> None:
    for check_mode in (False, True):
        with conversation(read(SECURITY, "<proxies/>")) as server:
            result = configure(server.url, {"check_mode": check_mode}, **sections)
        assert problem in result["msg"]
        assert not result["changed"]


def test_unknown_section_of_the_server_is_changed() -> None:
    before, after = ("<newConfig><size>1</size><on>false</on><name>x</name></newConfig>".replace("1", n) for n in "12")
    with conversation(read(before), patch(newConfig={"size": 2}), read(after)) as server:
        result = configure(server.url, newConfig={"size": 2, "on": False, "name": "x"})
    assert result["changed"]


def test_unknown_repository_is_predicted_in_check_mode() -> None:
    backups = {"daily": {"excludedRepositories": ["a", "nope"]}}
    reads = (read(f"<backups>{DAILY}</backups>"),)
    with conversation(*reads, repositories("a", "b")) as server:
        result = configure(server.url, {"check_mode": True}, backups=backups)
    assert result["msg"] == (
        "Option 'configuration.backups.daily.excludedRepositories': repository 'nope' does not exist." + PREDICT_MISSING
    )
    with conversation(*reads) as server:
        assert configure(server.url, {"check_mode": True, "predict_missing": True}, backups=backups)["changed"]


@pytest.mark.parametrize("check_mode", [False, True])
def test_version_without_yaml_is_refused_with_the_reason(check_mode: bool) -> None:
    for number in ("4.4.2", "5.7.9"):
        with conversation(read(), version(number)) as server:
            result = configure(server.url, {"check_mode": check_mode}, urlBase="a")
        assert result["msg"] == (
            "Changing the configuration with a YAML document requires Artifactory 5.8.0 or later. Change it in the "
            "administration pages."
        )
        assert not result["changed"]


def test_list_is_cleared_first_when_the_server_replaces_elements_by_index() -> None:
    lists = {"daily": {"excludedRepositories": ["b"]}}
    by_index = DAILY.replace(
        "<repositoryRef>b</repositoryRef><repositoryRef>a", "<repositoryRef>b</repositoryRef><repositoryRef>b2"
    )
    shorter = DAILY.replace("<repositoryRef>a</repositoryRef>", "")
    with conversation(
        read(f"<backups>{DAILY}</backups>"),
        patch(backups=lists),
        read(f"<backups>{by_index}</backups>"),
        patch(backups={"daily": {"excludedRepositories": None}}),
        patch(backups=lists),
        read(f"<backups>{shorter}</backups>"),
    ) as server:
        assert configure(server.url, backups=lists)["changed"]
    with conversation(
        read(f"<backups>{DAILY}</backups>"), patch(backups=lists), read(f"<backups>{shorter}</backups>")
    ) as server:
        assert configure(server.url, backups=lists)["changed"]


def test_task_fails_when_the_server_does_not_store_the_value() -> None:
    reply = "0 changes to config merged successfully"
    with conversation(read(TRASH), patch(200, reply, trashcanConfig={"enabled": False}), read(TRASH)) as server:
        result = configure(server.url, trashcanConfig={"enabled": False})
    assert "these fields of the configuration do not have the requested values: trashcanConfig" in result["msg"]
    assert result["warnings"] == ["Artifactory reported 0 changes for a document with changes."]


def test_lost_response_is_resolved_by_reading_back() -> None:
    lost = call("PATCH", PATH, drop=True)
    with conversation(read(), lost, read("<urlBase>a</urlBase>")) as server:
        result = configure(server.url, urlBase="a")
    assert result["changed"]
    assert "Reading back shows that the request had its effect." in result["warnings"][0]
    with conversation(read(), lost, read()) as server:
        result = configure(server.url, urlBase="a")
    assert "Whether the request had its effect is not known" in result["msg"]


def test_merge_refusal_is_repeated(delays: list[float]) -> None:
    refusal = {
        "errors": [{"status": 400, "message": "Could not merge and save new descriptor [Should update revision 3]"}]
    }
    with conversation(
        read(), call("PATCH", PATH, 400, json=refusal), patch(urlBase="a"), read("<urlBase>a</urlBase>")
    ) as server:
        assert configure(server.url, urlBase="a")["changed"]
    assert len(delays) == 1


def test_characters_with_a_meaning_in_yaml_arrive_unharmed() -> None:
    footer = "a: b # c\n- 'd' \"e\" \\ {{f}} \x85 \u2028 ü 😀 &amp; <g>"
    escaped = footer.replace("&", "&amp;").replace("<", "&lt;")
    expected = footer.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    body = f'{{"footer": "{expected}"}}'.replace("\x85", "\\u0085").replace("\u2028", "\\u2028").encode()
    sent = call("PATCH", PATH, text="1 changes", sent_body=body)
    with conversation(read(), sent, read(f"<footer>{escaped}</footer>")) as server:
        assert configure(server.url, footer=footer)["changed"]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<html><body>Login</body></html>",
        descriptor(TRASH)[:-20],
        '{"errors": []}',
        f'<!DOCTYPE config [<!ENTITY a "b">]><config xmlns="{NAMESPACE}"><urlBase>&a;</urlBase></config>',
    ],
)
def test_response_that_is_no_configuration_is_an_error(body: str) -> None:
    for module in (get, lambda url: configure(url, urlBase="a")):
        with conversation(call("GET", PATH, text=body)) as server:
            result = module(server.url)
        assert "the response is not an XML document with the element 'config'" in result["msg"]


def test_info_returns_the_form_of_the_module_without_secrets() -> None:
    unknown = "<newConfig><repoRefs><xRef>a</xRef></repoRefs><clientSecret>b</clientSecret><n>007</n></newConfig>"
    token = "<accessClientSettings><adminToken>c</adminToken></accessClientSettings>"
    sections = (
        SECURITY.replace("</security>", f"{token}</security>"),
        *(f"<backups>{DAILY}</backups>", PROXY, unknown, "<revision>7</revision>", "<localRepositories/>"),
        "<urlBase>https://me:hidden@repo.example.com</urlBase>",
    )
    with conversation(read(*sections)) as server:
        result = get(server.url)
    assert result == {
        "changed": False,
        "configuration": {
            "backups": {
                "daily": {
                    "enabled": True,
                    "cronExp": "0 0 2 ? * MON-FRI",
                    "retentionPeriodHours": 0,
                    "excludedRepositories": ["a", "b"],
                }
            },
            "newConfig": {"repoRefs": ["a"], "n": "007"},
            "proxies": {"corporate": {"host": "proxy.example.com", "port": 3128, "redirectedToHosts": "b,a"}},
            "security": {
                "accessClientSettings": {},
                "anonAccessEnabled": False,
                "ldapSettings": {"main": {"enabled": True}},
                "passwordSettings": {"encryptionPolicy": "supported"},
            },
        },
    }
    with conversation(read(*sections)) as server:
        assert not configure(server.url, **result["configuration"])["changed"]


def test_info_returns_the_requested_sections() -> None:
    with conversation(read(PROXY, TRASH)) as server:
        result = run(
            "artifact_configuration_info", url=server.url, token="t0ken-of-mine", sections=["trashcanConfig", "footer"]
        )
    assert result["configuration"] == {"trashcanConfig": {"enabled": True, "retentionPeriodDays": 14}}
    with conversation() as server:
        result = run(
            "artifact_configuration_info", url=server.url, token="t0ken-of-mine", sections=["localRepositories"]
        )
    assert "Option 'sections[0]': 'localRepositories' is not returned: repositories are managed" in result["msg"]


def test_password_of_a_url_is_masked() -> None:
    url = "https://deployer:s3cret-of-url@example.com"
    assert SPEC.secrets({"configuration": {"urlBase": url, "mailServer": {"from": "ci@example.com"}}}) == {
        "s3cret-of-url"
    }


def test_secrets_are_masked_when_the_document_is_invalid() -> None:
    secrets = ["first-secret", "second-secret", 98765432]
    sections = {
        "mailServer": {"host": "~", "password": secrets[0]},
        "security": {"ldapSettings": {"main": {"search": {"managerPassword": secrets[1]}}}},
        "newConfig": {"clients": [{"secret": secrets[2]}]},
    }
    found = SPEC.secrets({"configuration": sections})
    assert found == set(map(str, secrets))
    names = {"propertySets": {"a": {"properties": {"password": {"predefinedValues": {"secret": {}}}}}}}
    assert SPEC.secrets({"configuration": {**names, "security": {"basicAuthEnabled": True}}}) == set()


# Protection


BASIC = {"username": "ada", "password": "s3cret-word"}
BY_LDAP = "it could no longer log in with LDAP"
BY_NAME = "it could not log in with its user name and password"
AGED = "its password may be older than the server would allow"
PROVIDERS = (
    f"<security><basicAuthEnabled>true</basicAuthEnabled>{LDAP}<ldapGroupSettings><ldapGroupSetting><name>staff</name>"
    "</ldapGroupSetting></ldapGroupSettings><oauthSettings><enableIntegration>true</enableIntegration></oauthSettings>"
    "<samlSettings><enableIntegration>true</enableIntegration></samlSettings><passwordSettings><encryptionPolicy>"
    "SUPPORTED</encryptionPolicy><expirationPolicy><enabled>true</enabled><passwordMaxAge>60</passwordMaxAge>"
    "</expirationPolicy></passwordSettings></security>"
)


def has_realm(realm: str) -> Call:
    """Return the read of the account of the task."""
    return call("GET", "/access/api/v2/users/ada", json={"username": "ada", "realm": realm, "groups": []})


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    ("security", "realm", "consequence"),
    [
        ({"basicAuthEnabled": False}, None, BY_NAME),
        (
            {"passwordSettings": {"encryptionPolicy": "REQUIRED"}},
            None,
            "the server would accept only its encrypted password",
        ),
        ({"passwordSettings": {"expirationPolicy": {"passwordMaxAge": 30}}}, None, AGED),
        ({"ldapSettings": {"main": {"enabled": "no"}}}, "ldap", BY_LDAP),
        ({"ldapSettings": None}, "ldap", BY_LDAP),
        ({"ldapGroupSettings": None}, "ldap", BY_LDAP),
        ({"samlSettings": {"enableIntegration": False}}, "saml", "it could no longer log in with SAML"),
        ({"oauthSettings": {"enableIntegration": False}}, "oauth", "it could no longer log in with OAUTH"),
        (None, "ldap", BY_LDAP),
    ],
)
def test_own_login_is_not_removed(
    security: dict[str, Any] | None, realm: str | None, consequence: str, check_mode: bool
) -> None:
    options = {"configuration": {"security": security}, "allow_delete_section": True, "check_mode": check_mode}
    with conversation(read(PROVIDERS), *([has_realm(realm)] if realm else [])) as server:
        result = run("artifact_configuration", url=server.url, **BASIC, **options)
    assert (result["changed"], result["msg"]) == (
        False,
        f"The change would lock out 'ada', the account of this task: {consequence}. Set 'allow_lockout: true' to allow "
        "this.",
    )


def test_login_is_removed_for_other_accounts_or_if_allowed() -> None:
    changes = {"ldapSettings": {"main": {"enabled": False}}}
    after = read(PROVIDERS.replace("<key>main</key><enabled>true", "<key>main</key><enabled>false"))
    for options, reads in (({}, (has_realm("internal"),)), ({"allow_lockout": True}, ())):
        with conversation(read(PROVIDERS), *reads, patch(security=changes), after) as server:
            result = run(
                "artifact_configuration", url=server.url, configuration={"security": changes}, **BASIC, **options
            )
        assert result["changed"], result["msg"]
    closed = PROVIDERS.replace("<basicAuthEnabled>true", "<basicAuthEnabled>false")
    with conversation(read(PROVIDERS), patch(security={"basicAuthEnabled": False}), read(closed)) as server:
        assert configure(server.url, security={"basicAuthEnabled": False})["changed"]
