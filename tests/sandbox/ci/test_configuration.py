# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Jenkins sandbox: Configuration as Code. The expected responses were recorded from Jenkins 2.579."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest
import requests
import yaml

from support.wire.ci import TOKENS, Ci, oops
from support.wire.ci_cli import Client

PATH = "/configuration-as-code"
ATTRIBUTES = (
    "authorizationStrategy, clouds, crumbIssuer, disableRememberMe, disabledAdministrativeMonitors, "
    "globalNodeProperties, labelAtoms, labelString, log, markupFormatter, mode, noUsageStatistics, nodeMonitors, "
    "nodeName, nodeProperties, nodes, numExecutors, primaryView, projectNamingStrategy, proxy, quietPeriod, "
    "remotingSecurity, scmCheckoutRetryCount, securityRealm, slaveAgentPort, systemMessage, updateCenter, views, "
    "viewsTabBar"
)
UNKNOWN_ROOT = (
    "No configurator found for the following root element: nosuch. This may indicate that the required plugin is not "
    "installed or failed to load. Verify that the plugin is installed and check the Jenkins startup logs for plugin "
    "loading errors.nosuch"
)
UNKNOWN_MEMBER = (
    f"jenkins: Invalid configuration elements for type: class jenkins.model.Jenkins : nosuch.\n"
    f"Available attributes : {ATTRIBUTES}"
)


class Jcasc(Ci):
    """The service with its configuration."""

    def send(self, call: str, text: str, user: str | None = "admin", **options: Any) -> requests.Response:
        return self.post(f"{PATH}/{call}", user, data=text.encode(), **options)

    def export_text(self) -> str:
        answer = self.post(f"{PATH}/export")
        assert answer.status_code == 200, answer.text
        return answer.content.decode()

    def export(self) -> Any:
        return yaml.safe_load(self.export_text())

    def apply(self, text: str) -> dict[str, Any]:
        answer = self.send("apply", text)
        assert (answer.status_code, answer.text) == (200, ""), answer.text
        members: dict[str, Any] = self.export()["jenkins"]
        return members

    def seed(self, **settings: Any) -> None:
        self.sandbox.seed({"ci": {"configuration": settings}})

    def tokens_work(self, user: str) -> bool:
        return self.get("/whoAmI/api/json", user).status_code == 200


@pytest.fixture
def jcasc(sandbox: Any) -> Jcasc:
    return Jcasc(sandbox)


def messages(answer: requests.Response) -> list[str]:
    assert answer.status_code == 400
    assert all(problem["line"] == -1 for problem in answer.json())
    return [problem["message"] for problem in answer.json()]


def test_good_configuration_is_checked_and_applied(jcasc: Jcasc) -> None:
    text = "jenkins:\n  systemMessage: hello\n  numExecutors: 4\n"
    answer = jcasc.send("check", text)
    assert (answer.status_code, answer.text, answer.headers["Content-Type"]) == (200, "[]", "application/json")
    assert jcasc.export()["jenkins"].get("systemMessage") is None
    members = jcasc.apply(text)
    assert (members["systemMessage"], members["numExecutors"], members["mode"]) == ("hello", 4, "NORMAL")
    answer = jcasc.send("configure", text)
    assert (answer.status_code, answer.text) == (200, "Configuration successfully applied.")
    assert jcasc.json("", tree="numExecutors")["numExecutors"] == 4


@pytest.mark.parametrize("text", ["", "\n\n", "# comment\n", "{}\n"])
def test_empty_configuration_is_accepted(jcasc: Jcasc, text: str) -> None:
    assert jcasc.send("check", text).text == "[]"
    assert jcasc.send("apply", text).status_code == 200
    answer = jcasc.send("configure", text)
    if text:
        assert answer.status_code == 200
    else:
        assert messages(answer) == ["Request body cannot be empty."]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nosuch:\n  a: 1\n", UNKNOWN_ROOT),
        ("jenkins:\n  nosuch: 1\n", UNKNOWN_MEMBER),
        ("jenkins:\n- a\n", "Item isn't a Mapping {}:2"),
        ("jenkins: {views: [{list: {name: A, jobNames: app}}]}", "Item isn't a Sequence {}:1"),
        (
            "hello\n",
            "Can't construct a java object for tag:yaml.org,2002:io.jenkins.plugins.casc.model.Mapping; exception=For "
            'input string: "hello"\n in {}, line 1, column 1:\n    hello\n    ^\n',
        ),
        (
            "- a\n",
            "Can't construct a java object for tag:yaml.org,2002:io.jenkins.plugins.casc.model.Mapping; exception=For "
            'input string: "a"\n in {}, line 1, column 1:\n    - a\n    ^\n',
        ),
        (
            "jenkins: [a\n",
            "while parsing a flow sequence\n in {}, line 1, column 10:\n    jenkins: [a\n             ^\n"
            "expected ',' or ']', but got <stream end>\n in {}, line 2, column 1:\n    \n    ^\n",
        ),
        (
            "jenkins:\n\tsystemMessage: x\n",
            "while scanning for the next token\nfound character '\\t(TAB)' that cannot start any token. (Do not use "
            "\\t(TAB) for indentation)\n in {}, line 2, column 1:\n    \tsystemMessage: x\n    ^\n",
        ),
        (
            "jenkins:\n  systemMessage: a\n---\njenkins:\n  systemMessage: b\n",
            "expected a single document in the stream\n in {}, line 1, column 1:\n    jenkins:\n    ^\n"
            "but found another document\n in {}, line 3, column 1:\n    ---\n    ^\n",
        ),
        ("jenkins:\n  mode: SOMETIMES\n", "jenkins: Failed to set attribute 'mode'\n  at {}:2 (path: mode)"),
        (
            "jenkins:\n  securityRealm: nosuch\n",
            "securityRealm: No hudson.security.SecurityRealm implementation found for nosuch",
        ),
        (
            "jenkins:\n  nodes:\n  - permanent:\n      name: n\n      nosuch: 1\n",
            "permanent: Invalid configuration elements for type: class hudson.slaves.DumbSlave : nosuch.\nAvailable "
            "attributes : labelString, launcher, mode, name, nodeDescription, nodeName, nodeProperties, numExecutors, "
            "remoteFS, retentionStrategy",
        ),
    ],
)
def test_bad_configuration_is_refused(jcasc: Jcasc, text: str, message: str) -> None:
    before = jcasc.export_text()
    for call in ("check", "configure"):
        assert messages(jcasc.send(call, text)) == [message.replace("{}", f"{PATH}/{call}")]
    answer = jcasc.send("apply", text)
    assert answer.status_code == 500
    assert oops(answer)
    assert jcasc.export_text() == before


@pytest.mark.parametrize(
    ("member", "value", "exported"),
    [
        ("numExecutors", "abc", 0),
        ("numExecutors", '"3"', 3),
        ("disableRememberMe", "perhaps", False),
        ("disableRememberMe", "yes", True),
        ("quietPeriod", "1.5", 9),
        ("quietPeriod", "abc", 5),
        ("quietPeriod", "99999999999", 5),
        ("quietPeriod", "", 9),
        ("quietPeriod", "~", 9),
        ("systemMessage", "12", "12"),
        ("systemMessage", "${NOPE}", None),
        ("systemMessage", "${NOPE:-dflt}", "dflt"),
        ("systemMessage", "${KNOWN}", "value"),
        ("systemMessage", "^${HOME}", "^${HOME}"),
        ("systemMessage", "zażółć 日本", "zażółć 日本"),
        ("systemMessage", "null", "before"),
        ("systemMessage", '""', None),
        ("systemMessage", "a\n  systemMessage: b", "b"),
        ("systemMessage", '"a\\nb\\n"', "a\nb\n"),
        ("systemMessage", '"    indented\\nx"', "    indented\nx"),
        ("systemMessage", '"a\\n\\n"', "a\n\n"),
        ("systemMessage", '"\\na"', "\na"),
        ("systemMessage", '"a\\r\\nb"', "a\r\nb"),
        ("systemMessage", '"a \\nb"', "a \nb"),
        ("systemMessage", '"   "', None),
        ("SystemMessage", "other case", None),
        ("crumbIssuer", "default", "standard"),
        ("globalNodeProperties", "[{EnvVars: {env: []}}]", ["envVars"]),
        (
            "nodeProperties",
            "[{envVars: {env: [{key: a, value: b}]}}]",
            [{"envVars": {"env": [{"key": "a", "value": "b"}]}}],
        ),
    ],
)
def test_values_are_converted(jcasc: Jcasc, member: str, value: str, exported: Any) -> None:
    jcasc.seed(environment={"KNOWN": "value"})
    jcasc.apply("jenkins:\n  quietPeriod: 9\n  systemMessage: before\n")
    text = f"jenkins:\n  {member}: {value}\n"
    assert jcasc.send("check", text).text == "[]"
    assert jcasc.apply(text).get(member) == exported


def test_texts_with_line_breaks_are_exported_as_blocks(jcasc: Jcasc) -> None:
    for value, block in (
        ('"  a\\nb\\n\\n"', "|2+\n      a\n    b\n\n  updateCenter"),
        ('"a\\n\\nb"', "|-\n    a\n\n    b\n  updateCenter"),
        ('"a\\r\\nb"', '"a\\r\\nb"\n  updateCenter'),
    ):
        jcasc.apply(f"jenkins:\n  systemMessage: {value}\n")
        assert f"\n  systemMessage: {block}:" in jcasc.export_text()


@pytest.mark.parametrize(
    ("declared", "exported"),
    [
        ("slave: {name: n, remoteFS: /a, launcher: jnlp}", "inbound"),
        ("dumb: {Name: n, launcher: {JNLPLauncher: {}}}", "inbound"),
        ("permanent: {name: n, launcher: {jnlp: {tunnel: t}}}", {"inbound": {"tunnel": "t"}}),
    ],
)
def test_agents_are_exported_with_the_current_names(jcasc: Jcasc, declared: str, exported: Any) -> None:
    (node,) = jcasc.apply(f"jenkins:\n  nodes:\n  - {declared}\n")["nodes"]
    assert node["permanent"]["launcher"] == exported


def test_names_of_jobs_are_sorted(jcasc: Jcasc) -> None:
    views = jcasc.apply("jenkins:\n  views:\n  - listView: {name: v, jobNames: [z, a, C, a]}\n")["views"]
    assert views[0]["list"]["jobNames"] == ["a", "C", "z"]


def test_filter_of_a_list_view_is_kept(jcasc: Jcasc) -> None:
    filters = "[{statusFilter: {statusFilter: true}}, statusFilter]"
    views = jcasc.apply(f"jenkins:\n  views:\n  - list: {{name: v, jobFilters: {filters}}}\n")["views"]
    assert views[0]["list"]["jobFilters"] == [{"statusFilter": {"statusFilter": True}}, "statusFilter"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "  views: [{list: {name: v, jobFilters: [{securityFilter: {}}]}}]",
            "jobFilters: No hudson.views.ViewJobFilter implementation found for securityFilter",
        ),
        (
            "  securityRealm: {local: {users: [{id: reader, properties: [slack]}]}}",
            "properties: No hudson.model.UserProperty implementation found for slack",
        ),
    ],
)
def test_classes_of_plugins_are_refused(jcasc: Jcasc, text: str, message: str) -> None:
    assert messages(jcasc.send("check", f"jenkins:\n{text}\n")) == [message]


def test_missing_monitors_are_added_and_ignored(jcasc: Jcasc) -> None:
    monitors = jcasc.apply("jenkins:\n  nodeMonitors: [clock, swapSpace, tmpSpace, responseTime]\n")["nodeMonitors"]
    ignored = {"ignored": True}
    assert monitors[4:] == [{"architecture": ignored}, {"diskSpace": ignored}]


def test_members_of_roles_are_sorted_and_unknown_permissions_dropped(jcasc: Jcasc) -> None:
    entries = "[{either: a}, {user: b}, {group: c}, {user: admin}, {user: b}]"
    permissions = "[Job/Read, hudson.model.Item.Build, Overall/Administer, Nope/Nope]"
    role = f"{{name: r, permissions: {permissions}, entries: {entries}}}"
    members = jcasc.apply(f"jenkins:\n  authorizationStrategy: {{roleBased: {{roles: {{global: [{role}]}}}}}}\n")
    (exported,) = members["authorizationStrategy"]["roleBased"]["roles"]["global"]
    assert exported["entries"] == [{"user": "admin"}, {"user": "b"}, {"group": "c"}, {"either": "a"}]
    assert sorted(exported["permissions"]) == ["Job/Read", "Overall/Administer"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("  agentProtocols: [JNLP4-connect]", "'agentProtocols' is deprecated"),
        ("  views: [{list: {name: a, statusFilter: true}}]", "'statusFilter' is deprecated"),
        (
            "  authorizationStrategy: {roleBased: {roles: {global: [{name: a, assignments: [b]}]}}}",
            "'assignments' is deprecated",
        ),
        (
            "  crumbIssuer: {standard: {excludeClientIPFromCrumb: true}}",
            "standard: Invalid configuration elements for type: class hudson.security.csrf.DefaultCrumbIssuer : "
            "excludeClientIPFromCrumb.\nAvailable attributes : ",
        ),
    ],
)
def test_forms_of_older_versions_are_refused(jcasc: Jcasc, text: str, message: str) -> None:
    for call in ("check", "configure"):
        assert messages(jcasc.send(call, f"jenkins:\n{text}\n")) == [message]


def test_older_jenkins_has_the_address_in_crumbs(jcasc: Jcasc) -> None:
    jcasc.sandbox.seed({"ci": {"version": "2.541"}})
    text = "jenkins:\n  crumbIssuer: {standard: {excludeClientIPFromCrumb: true}}\n"
    assert jcasc.apply(text)["crumbIssuer"] == {"standard": {"excludeClientIPFromCrumb": True}}


def test_bad_pattern_is_refused_when_it_is_applied(jcasc: Jcasc) -> None:
    role = "{roleBased: {roles: {items: [{name: a, pattern: 'x('}]}}}"
    text = f"jenkins:\n  authorizationStrategy: {role}\n"
    assert jcasc.send("check", text).text == "[]"
    assert messages(jcasc.send("configure", text)) == [
        "jenkins: Failed to set attribute 'authorizationStrategy'\n"
        f"  at {PATH}/configure:2 (path: authorizationStrategy)"
    ]


def test_labels_that_no_node_has_vanish(jcasc: Jcasc) -> None:
    before = jcasc.export()["jenkins"]["labelAtoms"]
    assert jcasc.apply("jenkins:\n  labelAtoms: [{name: unused}]\n")["labelAtoms"] == before


def test_members_before_a_refused_value_stay_written(jcasc: Jcasc) -> None:
    text = 'unclassified:\n  location:\n    url: "http://half/"\njenkins:\n  numExecutors: -1\n  systemMessage: "zz"\n'
    assert jcasc.send("check", text).text == "[]"
    assert messages(jcasc.send("configure", text)) == [
        f"jenkins: Failed to set attribute 'numExecutors'\n  at {PATH}/configure:5 (path: numExecutors)"
    ]
    export = jcasc.export()
    assert export["jenkins"]["systemMessage"] == "zz"
    assert export["unclassified"]["location"].get("url") != "http://half/"
    assert jcasc.send("apply", 'jenkins:\n  numExecutors: -1\n  systemMessage: "half"\n').status_code == 500
    assert jcasc.export()["jenkins"]["systemMessage"] == "half"


@pytest.mark.parametrize(
    "content_type", [None, "text/plain", "application/json", "application/x-www-form-urlencoded", "application/x-yaml"]
)
def test_content_type_does_not_matter(jcasc: Jcasc, content_type: str | None) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    assert jcasc.send("apply", "jenkins:\n  systemMessage: ct é ł\n", headers=headers).status_code == 200
    assert jcasc.export()["jenkins"]["systemMessage"] == "ct é ł"


def test_export_has_the_form_of_the_plugin(jcasc: Jcasc) -> None:
    answer = jcasc.post(f"{PATH}/export")
    assert answer.headers["Content-Type"] == "application/x-yaml; charset=utf-8"
    assert answer.headers["Content-Disposition"] == "attachment; filename=jenkins.yaml"
    text = answer.text
    assert text.startswith(
        'configuration-as-code:\n  deprecated: "reject"\n  restricted: "reject"\n  unknown: "reject"\n  version: "1"\n'
        "credentials:\n  folder: {\n    }\n  providerImpl: {\n    }\n  system:\n    domainCredentials:\n"
        "    - domain: {\n        }\n  user: {\n    }\njenkins:\n"
    )
    assert '\n      - id: "reader"\n        name: ' in text
    assert '\n        properties:\n        - "apiToken"\n        - "consoleUrlProvider"\n' in text
    assert '\n  views:\n  - all:\n      name: "all"\n' in text
    assert jcasc.export_text() == text


def test_export_can_be_applied_without_users(jcasc: Jcasc) -> None:
    jcasc.apply("jenkins:\n  systemMessage: a\n  nodes:\n  - permanent:\n      name: n1\n      numExecutors: 3\n")
    before = jcasc.export_text()
    data = yaml.safe_load(before)
    del data["jenkins"]["securityRealm"]
    assert jcasc.send("apply", yaml.safe_dump(data, allow_unicode=True)).status_code == 200
    assert jcasc.export_text() == before
    assert jcasc.tokens_work("reader")


@pytest.mark.parametrize("call", ["check", "apply", "configure", "export", "viewExport", "reload", "replace"])
def test_calls_require_post(jcasc: Jcasc, call: str) -> None:
    answer = jcasc.get(f"{PATH}/{call}")
    assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")


def test_calls_require_permissions(jcasc: Jcasc) -> None:
    reading = ["Overall/Read", "Overall/SystemRead"]
    jcasc.sandbox.seed({"ci": {"users": [{"name": "eye", "password": "eye", "tokens": ["t"], "permissions": reading}]}})
    calls = ("check", "apply", "configure", "export", "schema", "reference", "reload", "viewExport", "replace")
    expected = {"eye": (403, 403, 403, 200, 200, 200, 403, 200, 403), "manager": (403,) * 6 + (302, 403, 403)}
    for user, statuses in expected.items():
        options = {"auth": ("eye", "t")} if user == "eye" else {}
        answers = [jcasc.send(call, "", None if options else user, **options) for call in calls]
        assert tuple(answer.status_code for answer in answers) == statuses
        assert not any("X-Required-Permission" in answer.headers for answer in answers)
    assert jcasc.send("export", "", "reader").status_code == 403


def test_missing_plugin_is_404(jcasc: Jcasc) -> None:
    jcasc.sandbox.seed({"ci": {"plugins": [{"name": "configuration-as-code", "version": "1", "active": False}]}})
    assert [jcasc.send(call, "").status_code for call in ("check", "export", "schema", "nosuch")] == [404] * 4


def test_schema_describes_the_export(jcasc: Jcasc) -> None:
    for method in ("GET", "POST"):
        answer = jcasc.request(method, f"{PATH}/schema")
        assert answer.headers["Content-Type"] == "application/json;charset=utf-8"
        schema = answer.json()
        assert schema["$schema"] == "http://json-schema.org/draft-07/schema#"
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.validate(jcasc.export(), schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"jenkins": {"nosuch": 1}}, schema)


def test_lists_are_replaced_and_left_out_members_are_reset(jcasc: Jcasc) -> None:
    node = "jenkins:\n  nodes:\n  - permanent:\n      name: n1\n      remoteFS: /a\n"
    members = jcasc.apply(f"{node}      numExecutors: 3\n      labelString: x y\n      launcher: inbound\n")
    expected = {"launcher": "inbound", "name": "n1", "remoteFS": "/a", "retentionStrategy": "always"}
    full = {**expected, "labelString": "x y", "numExecutors": 3}
    assert members["nodes"][-1] == {"permanent": full}
    assert [label["name"] for label in members["labelAtoms"]] == ["built-in", "n1", "x", "y"]
    assert jcasc.post("/computer/n1/toggleOffline?offlineMessage=drain").status_code == 302
    members = jcasc.apply(f"{node}      launcher: inbound\n")
    assert members["nodes"] == [{"permanent": expected}]
    offline = jcasc.json("/computer/n1", tree="temporarilyOffline,offlineCauseReason")
    assert (offline["temporarilyOffline"], offline["offlineCauseReason"]) == (True, "drain")
    assert jcasc.apply("jenkins:\n  nodes:\n")["nodes"] == members["nodes"]
    assert jcasc.send("apply", 'jenkins:\n  nodes: ""\n').status_code == 500
    assert jcasc.send("apply", "jenkins:\n  nodes: {}\n").status_code == 500
    assert "nodes" not in jcasc.apply("jenkins:\n  nodes: []\n")


def test_credentials_are_replaced_and_encrypted(jcasc: Jcasc) -> None:
    def apply(identifier: str) -> list[dict[str, Any]]:
        jcasc.apply(
            "credentials:\n  system:\n    domainCredentials:\n    - credentials:\n      - usernamePassword:\n"
            f"          id: {identifier}\n          scope: GLOBAL\n          username: u\n          password: pw1\n"
        )
        domains: list[dict[str, Any]] = jcasc.export()["credentials"]["system"]["domainCredentials"]
        return domains

    first = apply("casc1")[0]["credentials"][0]["usernamePassword"]
    assert (first["id"], first["scope"], first["username"]) == ("casc1", "GLOBAL", "u")
    assert first["password"].startswith("{AQAAABAAAAAQ")
    assert (
        jcasc.export()["credentials"]["system"]["domainCredentials"][0]["credentials"][0]["usernamePassword"] == first
    )
    assert apply("casc1")[0]["credentials"][0]["usernamePassword"]["password"] != first["password"]
    assert [entry["usernamePassword"]["id"] for entry in apply("casc2")[0]["credentials"]] == ["casc2"]
    before = jcasc.export_text()
    jcasc.apply(yaml.safe_dump({"credentials": jcasc.export()["credentials"]}))
    assert jcasc.export_text() == before
    jcasc.apply("credentials:\n  system:\n    domainCredentials: []\n")
    assert jcasc.export()["credentials"]["system"]["domainCredentials"] == [{"domain": {}}]


DOMAINS = """
credentials:
  system:
    domainCredentials:
    - credentials:
      - string: {id: s1, scope: GLOBAL, secret: abc}
      - file: {id: f1, fileName: a.txt, secretBytes: YWJj}
      - basicSSHUserPrivateKey: {id: k1, username: git, privateKeySource: {directEntry: {privateKey: line1}}}
      - usernamePassword: {id: u1, username: bob, usernameSecret: true, password: pw}
      - certificate: {id: c1, keyStoreSource: {uploaded: {uploadedKeystore: YWJj}}, password: pw}
      domain:
        description: x
        name: cd
        specifications:
        - hostnameSpecification: {includes: "*.a"}
        - schemeSpecification: {schemes: "https,ssh"}
        - pathSpecification: {includes: /a, caseSensitive: true}
"""


def test_domains_and_credentials_reach_the_store_and_come_back(jcasc: Jcasc) -> None:
    jcasc.apply(DOMAINS)
    store = "/credentials/store/system/domain/cd"
    config = jcasc.get(f"{store}/config.xml").text
    assert '<schemes class="linked-hash-set">\n        <string>https</string>\n        <string>ssh</string>' in config
    names = {one["id"]: one["displayName"] for one in jcasc.json(store, depth="1")["credentials"]}
    assert names == {
        "s1": "Secret text",
        "f1": "a.txt",
        "k1": "git",
        "u1": "Username with password",
        "c1": "Certificate",
    }
    text = jcasc.export_text()
    found, last = jcasc.export()["credentials"]["system"]["domainCredentials"]
    assert last == {"domain": {}}
    assert found["domain"] == {
        "description": "x",
        "name": "cd",
        "specifications": [
            {"hostnameSpecification": {"includes": "*.a"}},
            {"schemeSpecification": {"schemes": "https, ssh"}},
            {"pathSpecification": {"caseSensitive": True, "includes": "/a"}},
        ],
    }
    jcasc.apply(yaml.safe_dump({"credentials": jcasc.export()["credentials"]}))
    assert jcasc.export_text() == text


def test_stored_credentials_are_exported(jcasc: Jcasc) -> None:
    jcasc.sandbox.seed(
        {
            "ci": {
                "credentials": [
                    {"id": "a", "type": "username_password", "username": "bob", "password": "pw"},
                    {"id": "b", "type": "username_password", "username": "bob", "username_secret": False},
                ]
            }
        }
    )
    exported = jcasc.export()["credentials"]["system"]["domainCredentials"][0]["credentials"]
    first, second = (one["usernamePassword"] for one in exported[-2:])
    assert (first["usernameSecret"], first["password"][:5]) == (True, "{AQAA")
    assert second == {"id": "b", "scope": "GLOBAL", "username": "bob"}


def test_odd_credentials_are_taken_as_they_are(jcasc: Jcasc) -> None:
    foreign = "{AQAABAAAAAAQ5jZ4ZzZ4ZzZ4ZzZ4ZzZ4Z5Z4ZzZ4ZzZ4ZzZ4ZzZ4Zw==}"
    domains = "credentials:\n  system:\n    domainCredentials:\n"
    jcasc.apply(
        f"{domains}    - credentials:\n      - string: {{id: same, secret: '{foreign}'}}\n"
        "      - string: {id: same, secret: b}\n    - credentials:\n      - string: {description: no id}\n"
    )
    (found,) = jcasc.export()["credentials"]["system"]["domainCredentials"]
    same, again, without = (one["string"] for one in found["credentials"])
    assert [same["id"], again["id"], len(without["id"])] == ["same", "same", 36]
    assert same["secret"].startswith("{AQAA")
    assert same["secret"] != foreign
    assert "secret" not in without
    problem = messages(jcasc.send("check", f"{domains}    - credentials:\n      - string: {{scope: LOCAL}}\n"))
    assert problem == ["string: Failed to set attribute 'scope'\n  at /configuration-as-code/check:5 (path: scope)"]


NODE = """
jenkins:
  nodes:
  - permanent:
      name: n1
      nodeProperties:
      - envVars: {env: [{key: A, value: b}]}
      - authorizationMatrix:
          inheritanceStrategy: inheritingGlobal
          entries:
          - user: {name: reader, permissions: [Agent/Connect]}
"""


def test_permissions_of_a_node_are_written_and_exported(jcasc: Jcasc) -> None:
    jcasc.sandbox.seed({"ci": {"plugins": [{"name": "matrix-auth", "version": "3.2.9"}]}})
    given = yaml.safe_load(NODE)["jenkins"]["nodes"][0]["permanent"]["nodeProperties"]
    assert jcasc.apply(NODE)["nodes"][-1]["permanent"]["nodeProperties"] == given
    config = jcasc.get("/computer/n1/config.xml").text
    assert "<permission>USER:hudson.model.Computer.Connect:reader</permission>" in config
    assert "<org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty>" in config
    assert jcasc.post("/computer/n1/config.xml", data=config, headers={"Content-Type": "text/xml"}).status_code == 200
    assert jcasc.export()["jenkins"]["nodes"][-1]["permanent"]["nodeProperties"] == given[1:]
    refused = jcasc.send("check", NODE.replace("Agent/Connect", "Agent/Fly"))
    assert "Failed to set attribute 'user'" in messages(refused)[0]


def test_views_are_replaced(jcasc: Jcasc) -> None:
    members = jcasc.apply("jenkins:\n  views:\n  - list:\n      name: cv\n")
    columns = ["status", "weather", "jobName", "lastSuccess", "lastFailure", "lastDuration", "buildButton"]
    assert members["views"] == [{"list": {"columns": columns, "name": "cv"}}]
    assert members["primaryView"] == members["views"][0]
    both = (
        "jenkins:\n  views:\n  - all:\n      name: all\n  - list:\n      name: cv\n      columns: [status, jobName]\n"
    )
    members = jcasc.apply(both)
    assert members["views"] == [{"all": {"name": "all"}}, {"list": {"columns": ["status", "jobName"], "name": "cv"}}]
    assert members["primaryView"] == members["views"][0]
    members = jcasc.apply("jenkins:\n  primaryView:\n    list:\n      name: cv\n")
    assert "list" in members["primaryView"]


def test_check_changes_users_even_if_it_refuses(jcasc: Jcasc) -> None:
    realm = "jenkins:\n  securityRealm:\n    local:\n      allowsSignup: false\n"
    users = f"{realm}      users:\n      - id: reader\n        name: reader\n"
    assert jcasc.send("check", users).text == "[]"
    assert jcasc.send("apply", realm).status_code == 200
    assert jcasc.tokens_work("reader")
    assert jcasc.send("check", f"{users}        password: newpw\n").text == "[]"
    assert jcasc.get("/whoAmI/api/json", auth=("reader", "newpw")).status_code == 200
    assert jcasc.tokens_work("reader")
    unknown = f"{users}        properties:\n        - apiToken\n  nosuch: 1\n"
    assert messages(jcasc.send("check", unknown)) == [UNKNOWN_MEMBER]
    assert not jcasc.tokens_work("reader")
    assert jcasc.tokens_work("builder")
    new = f"{realm}      users:\n      - id: fresh\n        password: pw\n"
    assert jcasc.send("apply", new).status_code == 200
    assert jcasc.get("/whoAmI/api/json", auth=("fresh", "pw")).status_code == 200
    assert jcasc.get("/whoAmI/api/json", auth=("fresh", "no")).status_code == 401


def test_users_are_changed_under_other_names_of_the_realm_but_not_with_an_unknown_property(jcasc: Jcasc) -> None:
    user = "      Users:\n      - ID: reader\n        PassWord: newpw\n"
    other = f"jenkins:\n  SecurityRealm:\n    hudsonPrivate:\n{user}"
    refused = jcasc.send("check", f"{other}        properties: [slack]\n")
    assert "No hudson.model.UserProperty implementation found for slack" in messages(refused)[0]
    assert jcasc.get("/whoAmI/api/json", auth=("reader", "newpw")).status_code == 401
    jcasc.send("check", other)
    assert jcasc.get("/whoAmI/api/json", auth=("reader", "newpw")).status_code == 200


def test_applying_the_export_deletes_all_tokens(jcasc: Jcasc) -> None:
    export = jcasc.export_text()
    assert jcasc.send("check", export).text == "[]"
    assert not jcasc.tokens_work("admin")
    assert jcasc.send("apply", export).status_code == 401


def test_sources_are_applied_with_each_document(jcasc: Jcasc) -> None:
    jcasc.seed(sources={"a.yaml": 'jenkins:\n  systemMessage: "from a"\n', "b.yaml": "jenkins:\n  quietPeriod: 5\n"})

    def state() -> tuple[Any, ...]:
        members = jcasc.export()["jenkins"]
        return members["systemMessage"], members["quietPeriod"], members["numExecutors"]

    executors = state()[2]
    assert state() == ("from a", 5, executors)
    assert jcasc.send("check", "jenkins:\n  systemMessage: y\n").text == "[]"
    assert jcasc.send("apply", "jenkins:\n  numExecutors: 6\n").status_code == 200
    assert state() == ("from a", 5, 6)
    for value in ("y", "from a"):
        text = f'jenkins:\n  systemMessage: "{value}"\n'
        assert jcasc.send("apply", text).status_code == 500
        where = f"{PATH}/configure"
        assert messages(jcasc.send("configure", text)) == [
            f"Found conflicting configuration at YamlSource: {where}  in {where}, line 2, column 18:\n"
            f'      systemMessage: "{value}"\n                     ^'
        ]
    assert jcasc.send("apply", "").status_code == 200
    assert state() == ("from a", 5, 6)
    jcasc.post("/restart")
    jcasc.sandbox.clock(advance=5)
    assert state() == ("from a", 5, 6)


def test_sources_are_reloaded(jcasc: Jcasc) -> None:
    answer = jcasc.send("reload", "")
    assert (answer.status_code, answer.headers["Location"]) == (302, f"/ci{PATH}/")
    assert jcasc.post("/reload-configuration-as-code/", None).status_code == 404
    jcasc.seed(reload_token="tok123", sources={"a.yaml": "jenkins:\n  systemMessage: a\n"})
    path = "/reload-configuration-as-code/?casc-reload-token="
    assert [jcasc.post(path + token, None).status_code for token in ("tok123", "bad", "")] == [200, 401, 401]
    assert jcasc.get(f"{path}tok123", None).status_code == 405


def test_errors_of_sources_are_shown_with_200(jcasc: Jcasc) -> None:
    jcasc.seed(reload_token="tok123", sources={"a.yaml": "jenkins:\n  systemMessage: ${HERE}\n"})
    jcasc.sandbox.seed({"ci": {"plugins": [{"name": "credentials", "version": "1", "active": True}]}})
    jcasc.seed(sources={"b.yaml": "credentials:\n  system: {}\n"})
    jcasc.sandbox.seed({"ci": {"plugins": [{"name": "credentials", "version": "1", "active": False}]}})
    answer = jcasc.send("reload", "")
    assert (answer.status_code, "Error loading configuration" in answer.text) == (200, True)
    answer = jcasc.post("/reload-configuration-as-code/?casc-reload-token=tok123", None)
    assert answer.status_code == 200
    assert answer.json()["status"] == "error"
    assert answer.json()["message"].startswith("Failed to reload configuration: No configurator found")
    assert jcasc.send("replace", "_.newSource=%2Fnofile.yaml", headers={}).status_code == 200


@pytest.mark.parametrize(
    ("version", "message"),
    [
        ("2115.va_1b_2c3d4e5f6", "Invalid configuration: '/casc/a.yaml' isn't a valid path."),
        (
            "2116.v98dde145b_dce",
            "Source '/casc/a.yaml' is not supported by any registered configuration fetcher or does not exist.",
        ),
    ],
)
def test_missing_source_refuses_each_document(jcasc: Jcasc, version: str, message: str) -> None:
    jcasc.sandbox.seed({"ci": {"plugins": [{"name": "configuration-as-code", "version": version}]}})
    jcasc.seed(sources={"/casc/a.yaml": None})
    text = "jenkins:\n  systemMessage: y\n"
    assert messages(jcasc.send("configure", text)) == [message]
    assert jcasc.send("check", text).text == "[]"
    assert "Error loading configuration" in jcasc.send("reload", "").text
    jcasc.seed(sources={"/casc/a.yaml": ""})
    assert jcasc.send("configure", text).status_code == 200


def test_new_source_is_applied_with_the_next_document(jcasc: Jcasc) -> None:
    jcasc.seed(new_sources={"/casc/a.yaml": "jenkins:\n  systemMessage: new\n"})
    assert jcasc.export()["jenkins"].get("systemMessage") != "new"
    text = "jenkins:\n  systemMessage: y\n"
    (message,) = messages(jcasc.send("configure", text))
    assert message.startswith("Found conflicting configuration at YamlSource: ")
    assert jcasc.apply("jenkins:\n  quietPeriod: 6\n")["systemMessage"] == "new"


def test_commands_check_apply_and_export(jcasc: Jcasc) -> None:
    client = Client(jcasc.url, ("admin", TOKENS["admin"]))

    def run(command: str, text: str = "") -> tuple[int | None, str, str]:
        ended = client.run(command, stdin=text.encode())
        return ended.code, ended.out, ended.error

    assert run("export-configuration") == (0, jcasc.export_text(), "")
    assert run("check-configuration", "jenkins:\n  systemMessage: cli\n") == (0, "", "")
    for command in ("check-configuration", "apply-configuration"):
        assert run(command, "jenkins:\n  nosuch: 1\n") == (
            1,
            "",
            f"\nERROR: Unexpected exception occurred while performing {command} command.\n"
            f"io.jenkins.plugins.casc.UnknownAttributesException: {UNKNOWN_MEMBER}\n",
        )
    assert run("apply-configuration", "jenkins:\n  systemMessage: cli\n") == (0, "", "")
    assert jcasc.export()["jenkins"]["systemMessage"] == "cli"
    jcasc.seed(sources={"a.yaml": "jenkins:\n  systemMessage: a\n"})
    code, _out, error = run("apply-configuration", "jenkins:\n  systemMessage: cli\n")
    assert code == 1
    assert "casc.ConfiguratorConflictException: Found conflicting configuration at YamlSource: java.io." in error
    assert run("reload-jcasc-configuration") == (0, "", "")
    jcasc.sandbox.seed({"ci": {"plugins": [{"name": "configuration-as-code", "version": "1", "active": False}]}})
    assert run("export-configuration") == (2, "", "No such command export-configuration\n")


def test_jenkins_can_have_no_views(jcasc: Jcasc) -> None:
    members = jcasc.apply("jenkins:\n  views: []\n")
    assert not members.keys() & {"views", "primaryView"}
    assert jcasc.get("/").status_code == 404
