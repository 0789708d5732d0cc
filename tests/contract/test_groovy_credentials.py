# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The script that hashes credentials, with the Groovy release of current servers and stubs of Jenkins classes."""

from __future__ import annotations

import hashlib
import hmac
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials import credentials
from support.servers.groovy import groovy_jar
from support.servers.process import UnavailableError

PACKAGE = "com.cloudbees.plugins.credentials"
STUBS = {
    f"{PACKAGE}.CredentialsProvider": """
        static List lookupStores(owner) {
            def parent = new StoreStub(context: jenkins.model.Jenkins.getInstance())
            [parent, new StoreStub(context: owner, name: owner.name)]
        }""",
    f"{PACKAGE}.SystemCredentialsProvider": """
        static getInstance() { new SystemCredentialsProvider() }
        def getStore() { new StoreStub(context: jenkins.model.Jenkins.getInstance(), name: 'system') }""",
    f"{PACKAGE}.StoreStub": """
        def context
        String name
        List getDomains() { [[name: null], [name: 'git']] }
        List getCredentials(domain) {
            def secret = { new SecretStub(plainText: it) }
            def bytes = { new BytesStub(plainData: it.getBytes('UTF-8')) }
            def id = "$name/$domain.name/".toString()
            [
                new UsernamePasswordCredentialsImpl(id: id + 1, username: 'b\\u0142b', password: secret('s3cret')),
                new StringCredentialsImpl(id: id + 2, secret: secret('')),
                new FileCredentialsImpl(id: id + 3, fileName: 'a.txt', secretBytes: bytes('content')),
                new BasicSSHUserPrivateKey(id: id + 4, username: 'git', privateKeys: ['k\\r\\ney']),
                new CertificateCredentialsImpl(id: id + 5, password: secret('p'),
                    keyStoreSource: new UploadedKeyStoreSource(uploadedKeystore: bytes('p12'))),
                new CertificateCredentialsImpl(id: id + 6, password: null,
                    keyStoreSource: new PEMEntryKeyStoreSource(certChain: secret('chain'), privateKey: secret('key'))),
                new OtherCredentials(id: id + 7),
            ]
        }""",
    f"{PACKAGE}.SecretStub": "String plainText",
    f"{PACKAGE}.BytesStub": "byte[] plainData",
    f"{PACKAGE}.UsernamePasswordCredentialsImpl": "String id, username; def password",
    f"{PACKAGE}.StringCredentialsImpl": "String id; def secret",
    f"{PACKAGE}.FileCredentialsImpl": "String id, fileName; def secretBytes",
    f"{PACKAGE}.BasicSSHUserPrivateKey": "String id, username; def passphrase; List privateKeys",
    f"{PACKAGE}.CertificateCredentialsImpl": "String id; def password, keyStoreSource",
    f"{PACKAGE}.UploadedKeyStoreSource": "def uploadedKeystore",
    f"{PACKAGE}.PEMEntryKeyStoreSource": "def certChain, privateKey",
    f"{PACKAGE}.OtherCredentials": "String id",
    "hudson.model.User": "String name; static User getById(id, create) { id == 'bob' ? new User(name: id) : null }",
    "jenkins.model.Jenkins": """
        String name
        static Jenkins instance = new Jenkins()
        static Jenkins getInstance() { instance }
        def getItemByFullName(name) { name == 'team/web' ? new Jenkins(name: name) : null }""",
}
HARNESS = """
def sent = new groovy.json.JsonSlurper().parseText(System.in.getText('UTF-8'))
def values = sent.args.collect { args ->
    new GroovyShell(this.class.classLoader, new Binding([args: args])).evaluate(sent.code)
}
println groovy.json.JsonOutput.toJson(values)
"""
# What selects the store and the domain, and the beginning of the ids there
PLACES: list[tuple[dict[str, str], str]] = [
    ({}, "system/null/"),
    ({"domain": "git"}, "system/git/"),
    ({"folder": "team/web"}, "team/web/null/"),
    ({"user": "bob", "domain": "git"}, "bob/git/"),
]
ABSENT = [{"domain": "absent"}, {"folder": "absent"}, {"user": "absent"}]


@pytest.fixture(scope="module")
def hashes(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """Return the hashes in all places, from one start of Java."""
    try:
        jar = groovy_jar()
    except UnavailableError as reason:
        pytest.skip(f"CANNOT RUN HERE: {reason}")
    folder: Path = tmp_path_factory.mktemp("stubs")
    for name, members in STUBS.items():
        package, _dot, simple_name = name.rpartition(".")
        file = folder / name.replace(".", "/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.with_name(f"{simple_name}.groovy").write_text(f"package {package}\nclass {simple_name} {{ {members} }}\n")
    (folder / "harness.groovy").write_text(HARNESS)
    selected = [(place, ids_of(prefix)) for place, prefix in PLACES] + [(place, ["1"]) for place in ABSENT]
    nothing = {"folder": None, "user": None, "domain": None, "salt": "x"}
    sent = {"code": credentials._HASHES, "args": [{**nothing, **place, "ids": ids} for place, ids in selected]}
    command = ["java", "-cp", f"{jar}:{folder}", "groovy.ui.GroovyMain", str(folder / "harness.groovy")]
    done = subprocess.run(command, input=json.dumps(sent), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def ids_of(prefix: str) -> list[str]:
    """Return the ids of the stubs, and one that does not exist."""
    return [f"{prefix}{number}" for number in range(1, 9)]


def hashed(text: str) -> str:
    return hmac.new(b"x", text.encode(), hashlib.sha256).hexdigest()


def test_values_are_hashed(hashes: list[dict[str, Any]]) -> None:
    for (_place, prefix), found in zip(PLACES, hashes, strict=False):
        *existing, missing = ids_of(prefix)
        assert [found[name] for name in existing] == [
            {"username": hashed("b\u0142b"), "password": hashed("s3cret")},
            {"secret": hashed("")},
            {"file_name": hashed("a.txt"), "content": hashed("content")},
            {"username": hashed("git"), "passphrase": None, "private_key": hashed("k\ney\n")},
            {"password": hashed("p"), "keystore": hashed("p12")},
            {"password": None, "certificate_chain": hashed("chain"), "certificate_key": hashed("key")},
            {},
        ]
        assert missing not in found


def test_missing_store_has_no_hashes(hashes: list[dict[str, Any]]) -> None:
    assert hashes[len(PLACES) :] == [{}] * len(ABSENT)
