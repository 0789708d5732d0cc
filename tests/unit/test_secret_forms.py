# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.buildworks.toolchain.plugins.filter.mask_secrets import mask_secrets
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import (
    MASK,
    SecretMasker,
    has_secret_name,
    mask_text,
)

PRIVATE_KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"
SECRETS = [
    "AKCp8abcdefgh",
    "cmVmdGtuOjAxOjE3",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_",
    "sk-proj-abcdef123456",
    "sk-admin-0123456789",
    "ghp_0123456789abcdef",
    "github_pat_0123456789",
    "glpat-0123456789",
    "AKIAIOSFODNN7EXAMPLE",
    "11abcdef0123456789abcdef0123456789",
    PRIVATE_KEY,
    PRIVATE_KEY.replace("RSA ", ""),
    PRIVATE_KEY.replace("\n", "\\n"),
    PRIVATE_KEY.partition("-----END")[0],
]
TEXTS = {
    "https://bob:pa/ss@host/x": f"https://{MASK}@host/x",
    "https://0123456789@host/x": f"https://{MASK}@host/x",
    "jdbc:postgresql://bob:pass@db/x": f"jdbc:postgresql://{MASK}@db/x",
    "http://a:b@x, http://c:d@y": f"http://{MASK}@x, http://{MASK}@y",
    "https://host/x?token=abc&page=1": f"https://host/x?token={MASK}&page=1",
    "https://host/x?X-Amz-Signature=abc": f"https://host/x?X-Amz-Signature={MASK}",
    "-Djavax.net.ssl.keyStorePassword=hunter2 -Dx=1": f"-Djavax.net.ssl.keyStorePassword={MASK} -Dx=1",
    '{"password": "two words", "a": 1}': f'{{"password": "{MASK}", "a": 1}}',
    '{"password": "a\\"b", "a": 1}': f'{{"password": "{MASK}", "a": 1}}',
    '"{\\"password\\": \\"hunter2\\"}"': f'"{{\\"password\\": \\"{MASK}\\"}}"',
    "password='unclosed": f"password='{MASK}",
    "password => 'x'": f"password => '{MASK}'",
    "password: |\n  two\n  lines\nnext: 1": f"password: {MASK}\nnext: 1",
    "<apiKey>hunter2</apiKey>": f"<apiKey>{MASK}</apiKey>",
    "export DB_PASS=hunter2;": f"export DB_PASS={MASK};",
    "--password hunter2 --force": f"--password {MASK} --force",
    "curl -s -u bob:hunter2 https://host/x": f"curl -s -u bob:{MASK} https://host/x",
    "curl --user 'bob:two words' https://host/x": f"curl --user 'bob:{MASK}' https://host/x",
    "sshpass -p hunter2 ssh host": f"sshpass -p {MASK} ssh host",
    "log in with dXNlcjpwYXNzd29yZA==.": f"log in with {MASK}.",
    "https://bob:p@ss@host/x@y": f"https://{MASK}@host/x@y",
    "https://host/x?sv=1&sig=abc%3D&se=2": f"https://host/x?sv=1&sig={MASK}&se=2",
    "send Basic dXNlcjpwYXNz to log in": f"send Basic {MASK} to log in",
    "curl -H 'Authorization: Bearer abcdefgh'": f"curl -H 'Authorization: Bearer {MASK}'",
    "https://hooks.slack.com/services/T0/B0/abc": f"https://hooks.slack.com/services/{MASK}",
}
HARMLESS = [
    "https://host:8080/npm/@scope/package",
    "https://host/a@b",
    "http://[::1]:80/x@y",
    "ssh://git@github.com/x",
    "git@github.com:x/y",
    "author: bob",
    "bob@example.com",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "d41d8cd98f00b204e9800998ecf8427e",
    "task-force of 12345678",
    "2026-01-01T00:00:00.000Z",
    "passed",
    "sk-learn",
    "sess-management",
    "basic authentication, bearer authentication",
    "authentication=ldap",
    "max_tokens=100, tokens_per_minute: 7, tokenizer=cl100k",
    "keyboard=us monkey=1 build.key=PROJ-PLAN-12",
    "11abcdef0123456789abcdef0123456789abcdef",
    "d41d8cd9-8f00-b204-e980-0998ecf8427e",
    "password=${DB_PASSWORD}",
    "password: {{ vault_password }}",
    "docker run -u 1000:1000 image",
    "aGVsbG8gd29ybGQhIQ==",
]
NAMES = {
    True: ["DB_PASS", "npm_token", "DEPLOY_KEY", "sshKey", "PGPASSWORD", "auth", "clientSecret", "AWS_ACCESS_KEY"],
    False: [
        *("keyboard", "monkey", "author", "tokenizer", "max_tokens", "pass_rate", "public_key", "build.key"),
        *("credentialsId", "key_id", "keycloak.host", "oauth_url", "tokenType", "password.policy", "authentication"),
        *("token_issuer", "tokenIssuer"),
    ],
}


@pytest.mark.parametrize("secret", SECRETS)
def test_secret_is_masked_when_it_has_a_known_pattern(secret: str) -> None:
    assert mask_text(secret) == MASK
    assert mask_text(f"see {secret}") == f"see {MASK}"


@pytest.mark.parametrize("text", TEXTS)
def test_secret_is_masked_when_the_context_indicates_it(text: str) -> None:
    assert mask_text(text) == TEXTS[text]
    assert mask_text(mask_text(text)) == TEXTS[text]


@pytest.mark.parametrize("text", HARMLESS)
def test_text_is_unchanged_when_it_contains_no_secret(text: str) -> None:
    assert mask_text(text) == text


@pytest.mark.parametrize(("is_secret", "name"), [(kind, name) for kind, names in NAMES.items() for name in names])
def test_name_indicates_a_secret_when_its_words_do(is_secret: bool, name: str) -> None:
    assert has_secret_name(name) == is_secret


def test_member_is_masked_when_its_name_indicates_a_secret() -> None:
    members = {
        "key": "libs",
        "tokens": [{"id": "1", "key": "2"}],
        "token_id": "3",
        "max_tokens": "4",
        "url": "https://host",
    }
    assert SecretMasker().mask({**members, "remote": {"password": "hunter2"}}) == {
        **members,
        "remote": {"password": MASK},
    }


ROW: dict[str, Any] = {
    "repo": "libs",
    "path": "app",
    "name": "sk-proj-abcdef123456",
    "size": 7,
    "properties": [
        {"key": "db.password", "value": "hunter2"},
        {"key": "sign.key", "value": ""},
        {"key": "qa", "value": "ghp_0123456789abcdef"},
        {"key": "author", "value": "bob"},
    ],
}
JOB: dict[str, Any] = {
    "name": "team/app",
    "description": "password=hunter2",
    "parameters": [
        {"name": "API_TOKEN", "default": "hunter2", "choices": None, "description": "Which token"},
        {"name": "DEPLOY_KEY", "default": None, "choices": ["one", "two"]},
        {"name": "USE_TOKEN", "default": True},
        {"name": "TARGET", "default": "staging"},
    ],
}
CHOICES = "parameters: DEPLOY_KEY: choices"
BUILD = {"number": 7, "parameters": {"name": "AKCp8abcdefgh", "PASSWORD": "hunter2", "TARGET": "staging"}}
REPOSITORY = {
    "key": "virtual",
    "repositories": ["sk-proj-abcdef123456"],
    "properties": {"secret": ["hunter2", "hunter3"]},
}


PLACES: list[tuple[dict[str, Any], list[str]]] = [
    (ROW, [f"libs app {ROW['name']}: properties: {place}: value" for place in ("db.password", "qa")]),
    (JOB, [f"team/app: {place}" for place in ("description", "parameters: API_TOKEN: default", *[CHOICES] * 2)]),
    (BUILD, ["parameters: name", "parameters: PASSWORD"]),
    (REPOSITORY, ["virtual: properties: secret"] * 2),
]


@pytest.mark.parametrize(("value", "places"), PLACES)
def test_values_are_masked_when_their_names_indicate_secrets(value: dict[str, Any], places: list[str]) -> None:
    masking = SecretMasker()
    masked = masking.mask(value)
    assert not [secret for secret in ("hunter2", "hunter3", "ghp_", "AKC", "two") if secret in str(masked)]
    for member in ("repo", "path", "name", "size", "number", "key", "repositories"):
        assert masked.get(member) == value.get(member)
    assert masking.result == {"count": len(places), "places": places}
    assert SecretMasker().mask(masked) == masked


def test_free_text_is_masked_when_the_user_marks_its_member() -> None:
    masking = SecretMasker(["note"])
    resources = [{"name": "lab", "note": "pw ask bob"}, {"name": "note", "note": ""}]
    assert masking.mask({"resources": resources}) == {
        "resources": [{"name": "lab", "note": "MASKED_SECRET"}, {"name": "note", "note": ""}]
    }
    assert masking.result == {"count": 1, "places": ["resources: lab: note"]}


def test_values_are_unchanged_when_they_are_not_strings() -> None:
    masked = SecretMasker().mask(JOB)["parameters"]
    assert masked[1]["default"] is None
    assert masked[2] == JOB["parameters"][2]
    assert masked[0]["description"] == "Which token"


def test_reported_paths_are_limited_when_there_are_many() -> None:
    masking = SecretMasker()
    masking.mask({"properties": {"token": ["x"] * 1000}})
    assert (masking.result["count"], len(masking.result["places"])) == (1000, 100)


LONG = ["http://", "http://a:b", "http://a:b@", "token", 'token="', 'token=\\"', "token: |\n ", "a.", "eyJ", "bearer "]
LONG += ["-----BEGIN ", "curl ", "curl -u a:", " --token ", "<token>", "abcd", "pass", "sk-", "token=${", "@", "a:"]


@pytest.mark.parametrize("text", LONG)
def test_long_texts_are_searched_without_excessive_backtracking(text: str) -> None:
    assert len(mask_text(text * 10_000)) > 0


def test_filter_lists_masked_paths_when_requested() -> None:
    data = {"properties": {"token": "x"}}
    assert mask_secrets(data) == {"properties": {"token": MASK}}
    places = {"count": 1, "places": ["properties: token"]}
    assert mask_secrets(data, list_as="masked") == {"properties": {"token": MASK}, "masked": places}
    assert mask_secrets(data, "masked", keep=True) == {**data, "masked": {"count": 0, "places": []}}
    with pytest.raises(AnsibleFilterError, match="requires a dictionary"):
        mask_secrets([], list_as="masked")


def test_texts_of_xml_are_masked_by_element() -> None:
    string = "hudson.model.StringParameterDefinition"
    document = f"""\
<?xml version="1.1" encoding="UTF-8"?>
<project>
  <description>password='unclosed &amp; &lt;b&gt;</description>
  <authToken>(encrypted)</authToken>
  <apiToken>hunter2</apiToken>
  <usernameSecret>true</usernameSecret>
  <credentialsId>deploy-token</credentialsId>
  <com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl>
    <id>a</id>
  </com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl>
  <{string}>
    <name>DB_PASSWORD</name>
    <description/>
    <defaultValue>hunter2</defaultValue>
  </{string}>
  <{string}>
    <defaultValue>public</defaultValue>
    <name>VERSION</name>
  </{string}>
  <tree-map>
    <int>2</int>
    <string>DB_PASSWORD</string>
    <string>hunter2</string>
    <string>PATH</string>
    <string>/bin</string>
  </tree-map>
  <jobNames>
    <string>token-service</string>
    <string>web</string>
  </jobNames>
</project>"""
    masker = SecretMasker()
    masked = masker.mask({"name": "app", "config": document})["config"]
    assert masked == document.replace("hunter2", MASK).replace("unclosed &amp; &lt;b&gt;", MASK)
    assert masker.result["places"] == ["app: config"]
    assert SecretMasker().mask(masked) == masked
