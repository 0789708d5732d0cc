# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tests of the central configuration: XML, YAML patches, and their effects."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from support.wire.artifact import error_of

PATH = "/api/system/configuration"
XML = {"Content-Type": "application/xml"}
YAML = {"Content-Type": "application/yaml"}
NAMESPACE = "{http://artifactory.jfrog.org/xsd/3.1.32}"
VIOLATION = (500, "Failed to read object from stream.")
MAIL = "mailServer: {host: mail.example.com, password: hidden}"
LDAP = "{ldapUrl: 'ldap://ldap.example.com', search: {searchFilter: '(uid={0})', managerPassword: hidden}}"


@pytest.fixture
def patch(artifactory):
    """Return a function that merges a YAML document."""
    return lambda text: artifactory.patch(PATH, data=text.encode(), headers=YAML)


@pytest.fixture
def read(artifactory):
    """Return a function that reads the text of an element, such as `mailServer/host`."""

    def find(path: str) -> Any:
        root = ET.fromstring(artifactory.get(PATH).content)
        return root.findtext("/".join(f"{{{root.tag[1:].partition('}')[0]}}}{name}" for name in path.split("/")))

    return find


def names_of(response: Any) -> list[str]:
    """Return the names of the sections in a response."""
    return [element.tag.rpartition("}")[2] for element in ET.fromstring(response.content)]


def test_configuration_of_a_new_server_has_the_order_of_the_schema(artifactory):
    response = artifactory.get(PATH)
    assert response.headers["Content-Type"] == "application/xml"
    assert names_of(response) == [
        *("offlineMode", "helpLinksEnabled", "fileUploadMaxSizeMb", "revision", "dateFormat", "addons", "security"),
        *("backups", "indexer", "proxies", "reverseProxies", "propertySets", "repoLayouts", "remoteReplications"),
        *("localReplications", "gcConfig", "cleanupConfig", "virtualCacheCleanupConfig", "folderDownloadConfig"),
        *("trashcanConfig", "replicationsConfig", "sumoLogicConfig", "releaseBundlesConfig", "signedUrlConfig"),
        "downloadRedirectConfig",
    ]


def test_repositories_are_part_of_the_configuration_before_7_49(artifactory, sandbox):
    virtual = {"rclass": "virtual", "repositories": ["generic-local"], "defaultDeploymentRepo": "generic-local"}
    artifactory.put("/api/repositories/all", json=virtual)
    remote = {"rclass": "remote", "url": "http://127.0.0.1:9/", "username": "me", "password": "hidden"}
    artifactory.put("/api/repositories/far", json=remote)
    sandbox.switch("artifact", version="7.46.11")
    response = artifactory.get(PATH)
    names = [name for name in names_of(response) if name.endswith("Repositories")]
    assert names == ["localRepositories", "remoteRepositories", "virtualRepositories", "federatedRepositories"]
    root = ET.fromstring(response.content)
    elements = root.iterfind(f"{NAMESPACE}localRepositories/{NAMESPACE}localRepository/{NAMESPACE}key")
    assert {element.text for element in elements} == {
        entry["key"] for entry in artifactory.get("/api/repositories?type=local").json()
    }
    repository = next(element for element in root.iter(f"{NAMESPACE}virtualRepository") if element[0].text == "all")
    assert [element.text for element in repository.iter(f"{NAMESPACE}repositoryRef")] == ["generic-local"]
    assert repository.find(f"{NAMESPACE}defaultDeploymentRepo").text == "generic-local"
    assert "<username>me</username>" in response.text
    assert "hidden" not in response.text


@pytest.mark.parametrize("method", ["get", "post", "patch"])
def test_configuration_requires_an_administrator(artifactory_reader, method):
    assert error_of(getattr(artifactory_reader, method)(PATH)) == (403, "Forbidden")


def test_patch_merges_values_and_counts_them(patch, read):
    response = patch("{urlBase: 'https://repo.example.com', backups: {backup-daily: {cronExp: '0 0 3 * * ?'}}}")
    assert (response.status_code, response.text) == (200, "2 changes to config merged successfully")
    assert response.headers["Content-Type"].startswith("text/plain")
    assert read("urlBase") == "https://repo.example.com"
    assert (read("backups/backup/cronExp"), read("backups/backup/retentionPeriodHours")) == ("0 0 3 * * ?", "0")


def test_new_object_has_the_defaults_of_the_server(patch, read):
    patch("proxies: {corporate: {host: proxy.example.com, port: 3128}}")
    assert (read("proxies/proxy/key"), read("proxies/proxy/platformDefault")) == ("corporate", "false")


@pytest.mark.parametrize("nothing", ["~", "null", "'~'"])
def test_null_deletes_an_object_or_a_section(patch, read, nothing):
    patch("{proxies: {a: {host: a, port: 1}, b: {host: b, port: 2}}, mailServer: {host: h}}")
    patch(f"{{proxies: {{a: {nothing}}}, mailServer: {nothing}}}")
    assert (read("proxies/proxy/key"), read("mailServer")) == ("b", None)


def test_single_ldap_setting_cannot_be_deleted(patch, read):
    patch(f"security: {{ldapSettings: {{a: {LDAP}}}}}")
    assert patch("security: {ldapSettings: {a: ~}}").status_code == 200
    assert read("security/ldapSettings/ldapSetting/key") == "a"
    patch("security: {ldapSettings: ~}")
    assert read("security/ldapSettings/ldapSetting/key") is None


@pytest.mark.parametrize(("version", "stored"), [("7.77.3", "AM."), ("6.20.0", "hidden")])
def test_secrets_are_encrypted_since_version_7(patch, read, sandbox, version, stored):
    sandbox.switch("artifact", version=version)
    patch(MAIL)
    assert read("mailServer/password").startswith(stored)


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ("a: [", (400, "Cannot parse the YAML document: ")),
        ("- a", (400, "Cannot deserialize the YAML document: it is not a map.")),
        ("mailServer: {hots: a}", (400, "Could not find the property 'mailServer.hots' in the configuration.")),
        ("mailSever: {host: a}", (400, "Could not find the property 'mailSever' in the configuration.")),
        ("localRepositories: ~", (400, "Could not find the property 'localRepositories' in the configuration.")),
        ("trashcanConfig: {enabled: maybe}", VIOLATION),
        ("trashcanConfig: {retentionPeriodDays: x}", VIOLATION),
        ("backups: {b: {enabled: true}}", VIOLATION),
        ("backups: {backup-daily: {excludedRepositories: [nope]}}", VIOLATION),
        ("backups: {npm-default: {cronExp: '0 0 3 * * ?'}}", VIOLATION),
        ("proxies: []", VIOLATION),
    ],
)
def test_invalid_patch_changes_nothing(artifactory, patch, sandbox, document, problem):
    sandbox.switch("artifact", configuration_unknown="refuse", configuration_checks_repositories=True)
    before = artifactory.get(PATH).text
    status, message = error_of(patch(document))
    assert (status, message[: len(problem[1])]) == problem
    assert artifactory.get(PATH).text == before


def test_aliases_do_not_expand_without_limit(patch):
    lines = ["a0: &a0 [x, x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9))]
    assert patch("\n".join(lines)).status_code == 400


def test_media_types(artifactory):
    assert error_of(artifactory.patch(PATH, data=b"{}", headers={"Content-Type": "application/json"}))[0] == 415
    assert error_of(artifactory.post(PATH, data=b"<config/>", headers={"Content-Type": "text/xml"}))[0] == 415


@pytest.mark.parametrize(
    ("section", "name", "key", "members"),
    [
        ("backups", "backup", "key", "cronExp: '0 0 3 * * ?'"),
        ("proxies", "proxy", "key", "host: a, port: 1"),
        (
            "repoLayouts",
            "repoLayout",
            "name",
            "artifactPathPattern: p, folderIntegrationRevisionRegExp: x, fileIntegrationRevisionRegExp: x",
        ),
        ("propertySets", "propertySet", "name", "properties: {p: {name: p, predefinedValues: {v: {value: v}}}}"),
    ],
)
@pytest.mark.parametrize("unknown", ["ignore", "refuse"])
def test_objects_may_repeat_their_keys_as_vendors_clients_do(
    patch, artifactory, sandbox, section, name, key, members, unknown
):
    sandbox.switch("artifact", configuration_unknown=unknown)
    assert patch(f"{section}: {{own: {{{key}: own, {members}}}}}").status_code == 200
    root = ET.fromstring(artifactory.get(PATH).content)
    objects = root.findall(f"{NAMESPACE}{section}/{NAMESPACE}{name}")
    assert objects[-1].findtext(f"{NAMESPACE}{key}") == "own"


def test_unknown_members_are_ignored(patch, read):
    oauth = "oauthSettings: {enableIntegration: true, availabletypes: [], oauthProvidersSettings: {}}"
    assert patch(f"security: {{{oauth}}}").status_code == 200
    assert read("security/oauthSettings/enableIntegration") == "true"
    assert patch("{mailServer: {host: a, hots: b}, nope: 1}").text.startswith("3 changes")
    assert (read("mailServer/host"), read("mailServer/hots")) == ("a", None)


def test_lists_are_replaced_unless_the_switch_merges_them_by_index(artifactory, patch, sandbox):
    keys = [entry["key"] for entry in artifactory.get("/api/repositories").json()][:3]
    path = f".//{NAMESPACE}excludedRepositories/{NAMESPACE}repositoryRef"

    def exclude(excluded: list[str]) -> list[str]:
        patch(f"backups: {{backup-daily: {{excludedRepositories: [{', '.join(excluded)}]}}}}")
        return [element.text for element in ET.fromstring(artifactory.get(PATH).content).iterfind(path)]

    assert exclude(keys) == keys
    assert exclude(keys[1:2]) == keys[1:2]
    assert exclude(keys) == keys
    sandbox.switch("artifact", configuration_lists="by_index")
    assert exclude(keys[1:2]) == keys[1:]


def test_patch_is_not_available_in_version_4(artifactory, patch, sandbox):
    sandbox.switch("artifact", version="4.4.2")
    response = patch("urlBase: https://repo.example.com")
    assert (response.status_code, response.headers["Allow"]) == (405, "HEAD,POST,GET,OPTIONS")


@pytest.mark.parametrize("document", ["", "{}", "localRepositories: ~"])
def test_patch_without_content_deletes_repositories_before_7_49(artifactory, patch, sandbox, document):
    sandbox.switch("artifact", version="7.46.11")
    assert patch(document).status_code == 200
    assert not [entry for entry in artifactory.get("/api/repositories").json() if entry["type"] == "LOCAL"]


def test_posted_configuration_replaces_everything(artifactory, patch, read):
    patch(f"{{{MAIL}, proxies: {{a: {{host: a, port: 1}}}}}}")
    text = artifactory.get(PATH).text
    changed = text.replace("<host>mail.example.com</host>", "<host>other</host>")
    start, end = changed.index("<proxies>"), changed.index("</proxies>")
    response = artifactory.post(PATH, data=(changed[:start] + "<proxies>" + changed[end:]).encode(), headers=XML)
    assert (response.status_code, response.text) == (200, "Reload of new configuration succeeded")
    assert (read("mailServer/host"), read("proxies/proxy/key")) == ("other", None)
    assert read("mailServer/password") in text


def test_posted_configuration_replaces_the_repositories_before_7_49(artifactory, sandbox):
    sandbox.switch("artifact", version="6.20.0")
    text = artifactory.get(PATH).text
    start, end = text.index("<virtualRepositories"), text.index("<proxies")
    local = "<localRepository><key>only</key><type>generic</type></localRepository>"
    before = text[: text.index("<localRepositories")]
    document = f"{before}<localRepositories>{local}</localRepositories>{text[end:]}"
    assert start < end
    response = artifactory.post(PATH, data=document.encode(), headers=XML)
    expected = "Reload of new configuration (1 local repos, 0 remote repos, 0 virtual repos) succeeded"
    assert response.text == expected
    assert [entry["key"] for entry in artifactory.get("/api/repositories").json()] == ["only"]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda _text: "{}", 500),
        (lambda text: text.replace("xsd/3.1.32", "xsd/9.9.9"), 500),
        (lambda text: text.replace("<offlineMode>", "<nope/><offlineMode>"), 500),
        (lambda text: text.replace("<offlineMode>false", "<offlineMode>maybe"), 500),
        (lambda text: text.replace("<key>backup-weekly", "<key>backup-daily"), 500),
        (lambda text: text.replace("<key>backup-weekly", "<key>npm-default"), 500),
        (lambda text: text.replace("<proxies />", "").replace("<backups>", "<proxies/><backups>"), 500),
        (lambda text: text.replace("<proxies />", "<localRepositories/><proxies/>"), 400),
        (lambda text: text.replace("<config", "<!DOCTYPE x [<!ENTITY a 'a'>]><config"), 500),
    ],
)
def test_invalid_document_is_refused_and_changes_nothing(artifactory, change, problem):
    before = artifactory.get(PATH).text
    assert change(before) != before
    assert error_of(artifactory.post(PATH, data=change(before).encode(), headers=XML))[0] == problem
    assert artifactory.get(PATH).text == before


def test_anonymous_access_and_trash_can_take_effect(artifactory_anonymous, patch, read, sandbox):
    sandbox.switch("artifact", trashcan=False)
    assert (read("trashcanConfig/enabled"), read("security/anonAccessEnabled")) == ("false", "false")
    assert artifactory_anonymous.get("/api/repositories").status_code == 401
    patch("{trashcanConfig: {enabled: true}, security: {anonAccessEnabled: true}}")
    assert (read("trashcanConfig/enabled"), read("security/anonAccessEnabled")) == ("true", "true")
    assert artifactory_anonymous.get("/api/repositories").status_code == 200


def test_url_base_is_the_address_in_responses(artifactory, patch):
    patch("urlBase: 'https://repo.example.com/'")
    (entry,) = (entry for entry in artifactory.get("/api/repositories").json() if entry["key"] == "generic-local")
    assert entry["url"] == "https://repo.example.com/artifactory/generic-local"


def test_concurrent_change_is_refused_with_the_switch(artifactory, patch, read, sandbox):
    revision = int(read("revision"))
    sandbox.switch("artifact", merge_refusals=1)
    status, message = error_of(patch("urlBase: https://repo.example.com"))
    assert (status, message[:39]) == (400, "Could not merge and save new descriptor")
    assert read("urlBase") is None
    assert patch("urlBase: https://repo.example.com").status_code == 200
    assert int(read("revision")) > revision


USES = {
    "layout": (
        "repoLayouts",
        "{a: {artifactPathPattern: p, folderIntegrationRevisionRegExp: x, fileIntegrationRevisionRegExp: x}}",
        {"repoLayoutRef": "a"},
    ),
    "proxy": ("proxies", "{a: {host: a, port: 1}}", {"rclass": "remote", "url": "http://127.0.0.1:9/", "proxy": "a"}),
    "property set": ("propertySets", "{a: {visible: true}}", {"propertySets": ["a"]}),
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("version", ["7.46.11", "7.77.3"])
def test_object_that_a_repository_uses_cannot_be_deleted(artifactory, patch, sandbox, use, version):
    section, objects, fields = USES[use]
    sandbox.switch("artifact", version=version)
    sandbox.switch("artifact", configuration_checks_repositories=True)
    patch(f"{section}: {objects}")
    assert artifactory.put("/api/repositories/user", json={"rclass": "local", **fields}).status_code == 200
    assert error_of(patch(f"{section}: {{a: ~}}")) == VIOLATION
    artifactory.delete("/api/repositories/user")
    assert patch(f"{section}: {{a: ~}}").status_code == 200


def test_proxy_that_a_replication_uses_cannot_be_deleted(artifactory, patch, sandbox):
    sandbox.switch("artifact", configuration_checks_repositories=True)
    patch("proxies: {a: {host: a, port: 1}}")
    target = {"url": "http://127.0.0.1:9/", "username": "u", "password": "p", "proxy": "a", "cronExp": "0 0 2 * * ?"}
    assert artifactory.put("/api/replications/generic-local", json=target).status_code in (200, 201)
    assert error_of(patch("proxies: {a: ~}")) == VIOLATION


def test_object_in_use_can_be_deleted_since_7_49(artifactory, patch):
    patch("propertySets: {a: {visible: true}}")
    artifactory.put("/api/repositories/user", json={"rclass": "local", "propertySets": ["a"]})
    assert patch("propertySets: {a: ~}").status_code == 200
    assert patch("propertySets: {generic-local: {visible: true}}").status_code == 200


def test_objects_and_repositories_share_their_names(artifactory, patch, sandbox):
    sandbox.switch("artifact", configuration_checks_repositories=True)
    assert error_of(patch("propertySets: {generic-local: {visible: true}}")) == VIOLATION
    patch("propertySets: {quality: {visible: true}}")
    response = artifactory.put("/api/repositories/quality", json={"rclass": "local"})
    assert error_of(response) == (400, "Repository name is already in use")


@pytest.mark.parametrize("version", ["7.46.11", "7.77.3"])
def test_deleted_repository_is_removed_from_backups_and_the_indexer(artifactory, patch, sandbox, version):
    sandbox.switch("artifact", version=version)
    excluded = "{excludedRepositories: [user, generic-local]}"
    artifactory.put("/api/repositories/user", json={"rclass": "local"})
    patch(f"backups: {{backup-daily: {excluded}, backup-weekly: {excluded}}}")
    patch("indexer: {includedRepositories: [user]}")
    assert artifactory.delete("/api/repositories/user").status_code == 200
    root = ET.fromstring(artifactory.get(PATH).content)
    lists = [*root.iterfind(".//{*}excludedRepositories"), root.find("{*}indexer")]
    references = [element.text for parent in lists for element in parent.iterfind(".//{*}repositoryRef")]
    assert references == ["generic-local", "generic-local"]
    assert patch("backups: {backup-daily: {enabled: false}}").status_code == 200


def test_parts_of_the_configuration_have_calls_of_their_own(artifactory, artifactory_reader, patch, read):
    patch(
        "security: {anonAccessEnabled: true, oauthSettings: {enableIntegration: true, oauthProvidersSettings:"
        " {okta: {name: okta, providerType: openId, id: a, secret: hidden, apiUrl: 'https://a'}}}}"
    )
    security = artifactory.get("/api/securityconfig").json()
    assert (security["anonAccessEnabled"], security["passwordSettings"]["encryptionPolicy"]) == (True, "SUPPORTED")
    provider = {"name": "okta", "enabled": False, "providerType": "openId", "id": "a", "apiUrl": "https://a"}
    assert artifactory.get("/api/oauth").json() == {
        "enabled": True,
        "persistUsers": False,
        "allowUserToAccessProfile": False,
        "availableTypes": [],
        "providers": [provider],
    }
    expiration = "/api/security/configuration/passwordExpirationPolicy"
    assert artifactory.get(expiration).json() == {"enabled": False, "passwordMaxAge": 60, "notifyByEmail": True}
    changed = {"enabled": True, "passwordMaxAge": 120, "notifyByEmail": False}
    assert artifactory.put(expiration, json=changed).json() == changed == artifactory.get(expiration).json()
    assert artifactory.put(expiration, json={"passwordMaxAge": 0}).status_code == 400
    assert read("security/passwordSettings/expirationPolicy/passwordMaxAge") == "120"
    for path in ("/api/securityconfig", "/api/oauth", expiration):
        assert artifactory_reader.get(path).status_code == 403


def test_base_url_is_replaced_as_text(artifactory, artifactory_reader, read):
    address = f"{PATH}/baseUrl"
    text = {"Content-Type": "text/plain"}
    assert artifactory.put(address, data=b"http://files.example.com", headers=text).status_code == 200
    assert read("urlBase") == "http://files.example.com"
    assert artifactory.put(address, data=b"nowhere", headers=text).status_code == 400
    assert artifactory_reader.put(address, data=b"http://other.example.com", headers=text).status_code == 403


@pytest.mark.parametrize(
    ("version", "schema", "layouts", "sections"),
    [
        ("4.4.2", "1.6.9", 10, ["folderDownloadConfig", "trashcanConfig"]),
        ("5.4.6", "2.0.5", 13, ["trashcanConfig", "replicationsConfig", "bintrayApplications", "sumoLogicConfig"]),
        ("6.20.0", "2.2.5", 15, ["trashcanConfig", "replicationsConfig", "bintrayApplications", "sumoLogicConfig"]),
    ],
)
def test_schema_sections_and_layouts_are_those_of_the_version(artifactory, sandbox, version, schema, layouts, sections):
    sandbox.switch("artifact", edition="oss", version=version)
    root = ET.fromstring(artifactory.get(PATH).content)
    namespace = f"{{http://artifactory.jfrog.org/xsd/{schema}}}"
    names = [element.tag.removeprefix(namespace) for element in root]
    assert names[-len(sections) :] == sections
    assert ("revision" in names, "distributionRepositories" in names) == (version[0] == "6", version[0] != "4")
    assert len(root.findall(f"{namespace}repoLayouts/{namespace}repoLayout")) == layouts
    property_sets = root.findall(f"{namespace}propertySets/{namespace}propertySet")
    assert len(property_sets) == (1 if version[0] == "6" else 0)
    backup = root.find(f"{namespace}backups/{namespace}backup")
    members = [element.tag.removeprefix(namespace) for element in backup]
    assert (
        members[7:]
        == {
            "4": ["excludeNewRepositories"],
            "5": ["excludeNewRepositories", "precalculate"],
            "6": ["excludeNewRepositories", "precalculate", "exportMissionControl"],
        }[version[0]]
    )


def test_a_configuration_of_version_5_can_be_sent_back(artifactory, sandbox):
    sandbox.switch("artifact", version="5.4.6")
    document = artifactory.get(PATH).content
    headers = {"Content-Type": "application/xml"}
    assert artifactory.post(PATH, document, headers=headers).status_code == 200
    assert artifactory.get(PATH).content == document


def test_a_version_without_merging_names_the_methods_of_the_configuration(artifactory, sandbox):
    sandbox.switch("artifact", version="5.4.6")
    response = artifactory.patch(PATH, b"urlBase: http://a.example", headers={"Content-Type": "application/yaml"})
    assert (response.status_code, response.headers["Allow"]) == (405, "HEAD,POST,GET,OPTIONS")


@pytest.mark.parametrize(
    ("version", "section", "member"),
    [
        ("4.4.2", "backup", "<precalculate>false</precalculate>"),
        ("5.4.6", "backup", "<exportMissionControl>false</exportMissionControl>"),
        ("6.20.0", "backup", None),
    ],
)
def test_replacement_has_only_members_of_the_version(artifactory, sandbox, version, section, member):
    sandbox.switch("artifact", version=version)
    text = artifactory.get("/api/system/configuration").text
    changed = text.replace(f"</{section}>", f"{member or ''}</{section}>")
    answer = artifactory.post("/api/system/configuration", data=changed, headers={"Content-Type": "application/xml"})
    assert answer.status_code == (500 if member else 200), answer.text
    assert artifactory.get("/api/system/configuration").text == text or not member
