# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Scripts of modules with the Groovy release of current servers.

The classes of Jenkins and its plugins are replaced with small ones that have the same members.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.authorization import roles
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration import comparison, ownership
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.lockable_resources import resources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.nodes import built_in
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins import remote_file
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.script_approvals import approvals
from support.plugin_site import plugin_file
from support.servers.groovy import groovy_jar
from support.servers.process import UnavailableError

SECURITY = "org/jenkinsci/plugins/scriptsecurity"
LOCKABLE = "org/jenkins/plugins/lockableresources"
CASC = "io/jenkins/plugins/casc"
CLASSES = {
    "hudson/model/Node": "class Node { enum Mode { NORMAL, EXCLUSIVE } }",
    "jenkins/model/Jenkins": """
        class Jenkins {
            private static final Jenkins INSTANCE = new Jenkins()
            int numExecutors = 2
            Object mode
            String labelString = ''
            int saves = 0

            static Jenkins getInstance() { INSTANCE }
            static Jenkins get() { INSTANCE }
            Map getPluginManager() { [uberClassLoader: this.class.classLoader] }
            void save() { saves++ }
            File getRootDir() { new File('..').canonicalFile }
        }
    """,
    "jenkins/model/GlobalConfiguration": """
        class GlobalConfiguration {
            static Object all() { [get: { it.newInstance() }] as Expando }
        }
    """,
    f"{SECURITY}/sandbox/whitelists/StaticWhitelist": """
        class StaticWhitelist {
            static boolean isBlacklisted(String signature) { signature == 'new B' }
            static boolean isPermanentlyBlacklisted(String signature) { signature == 'new Z' }
        }
    """,
    f"{SECURITY}/scripts/ScriptApproval": """
        final class ScriptApproval {
            private static final ScriptApproval INSTANCE = new ScriptApproval()
            private final TreeSet<String> approvedSignatures = ['new A', 'new B'] as TreeSet
            private TreeSet<String> aclApprovedSignatures = ['new C'] as TreeSet
            private final TreeSet<String> approvedScriptHashes = [] as TreeSet
            private final List pendingSignatures = [pending(signature: 'new P')]
            private final List pendingScripts = [pending(script: '1', hash: 'h1', language: [name: 'groovy'])]
            int saves = 0

            static ScriptApproval get() { INSTANCE }
            private static Map pending(Map members) {
                members + [getContext: { [getUser: { 'alice' }, getItem: { null }] },
                           getHash: { members.hash }, getLanguage: { [getName: { members.language.name }] }]
            }
            String[] getApprovedSignatures() { approvedSignatures as String[] }
            String[] getAclApprovedSignatures() { aclApprovedSignatures as String[] }
            String[] getApprovedScriptHashes() { approvedScriptHashes as String[] }
            List getPendingSignatures() { pendingSignatures }
            List getPendingScripts() { pendingScripts }
            void setApprovedSignatures(String[] signatures) {
                approvedSignatures.clear()
                approvedSignatures.addAll(signatures as List)
            }
            void approveSignature(String signature) {
                denySignature(signature)
                approvedSignatures.add(signature)
            }
            void aclApproveSignature(String signature) {
                denySignature(signature)
                aclApprovedSignatures.add(signature)
            }
            void denySignature(String signature) { pendingSignatures.removeAll { it.signature == signature } }
            void approveScript(String hash) {
                approvedScriptHashes.add(hash)
                pendingScripts.removeAll { it.hash == hash }
            }
            void denyScript(String hash) {
                approvedScriptHashes.remove(hash)
                pendingScripts.removeAll { it.hash == hash }
            }
        }
    """,
    f"{LOCKABLE}/LockableResource": """
        class LockableResource {
            final String name
            String description = '', note = '', labels = '', reservedBy
            boolean ephemeral = true, locked
            List<LockableResourceProperty> properties = []
            LockableResource(String name) { this.name = name }
            boolean isQueued() { false }
            boolean isReserved() { reservedBy != null }
        }
    """,
    f"{LOCKABLE}/LockableResourceProperty": "class LockableResourceProperty { String name, value }",
    f"{LOCKABLE}/LockableResourcesManager": """
        class LockableResourcesManager {
            private static final LockableResourcesManager INSTANCE = new LockableResourcesManager()
            List<LockableResource> resources = []
            MEMBERS
            static LockableResourcesManager get() { INSTANCE }
            LockableResource fromName(String name) { resources.find { it.name == name } }
            void save() { }
        }
    """,
}
CASC_CLASSES = {
    f"{CASC}/ConfiguratorRegistry": "class ConfiguratorRegistry { static get() { new ConfiguratorRegistry() } }",
    f"{CASC}/ConfigurationContext": """
        class ConfigurationContext {
            ConfigurationContext(ConfiguratorRegistry registry) { }
            Map getSecretSourceResolver() { [resolve: { it.replace('${NAME}', 'Bob') }] }
        }
    """,
    f"{CASC}/CasCGlobalConfig": "class CasCGlobalConfig { static String path; String getConfigurationPath() { path } }",
    f"{CASC}/ConfigurationAsCode": """
        class ConfigurationAsCode {
            static List<String> loaded = []
            static ConfigurationAsCode get() { new ConfigurationAsCode() }
            static boolean isSupportedURI(String name) { ACCEPTED }
            List<String> getSources() { loaded }
            List<java.nio.file.Path> configs(String name) {
                def root = new File(name)
                if (!root.exists()) throw new IllegalStateException("'$name' isn't a valid path.")
                root.directory ? root.listFiles().sort()*.toPath() : [root.toPath()]
            }
        }
    """,
    f"{CASC}/yaml/YamlSource": """
        class YamlSource {
            String name
            static YamlSource of(String url) { new YamlSource(name: URI.create(url).toURL().toString()) }
            static YamlSource of(java.nio.file.Path path) { new YamlSource(name: path.fileName.toString()) }
        }
    """,
    f"{CASC}/yaml/Type": "enum Type { MAPPING, SEQUENCE, SCALAR }",
    f"{CASC}/yaml/MappingNode": "class MappingNode extends HashMap { Type getType() { Type.MAPPING } }",
    f"{CASC}/yaml/SequenceNode": "class SequenceNode extends ArrayList { Type getType() { Type.SEQUENCE } }",
    f"{CASC}/yaml/ScalarNode": """
        class ScalarNode {
            String value
            Type getType() { Type.SCALAR }
            String toString() { value }
        }
    """,
    f"{CASC}/yaml/YamlUtils": """
        class YamlUtils {
            static final FILES = [
                'a.yaml': [jenkins: [
                    nodes: [[permanent: [name: 'n1']]],
                    type: 'x',
                    proxy: null,
                    securityRealm: [local: [allowsSignup: false, users: [[id: 'Ann'], [id: '${NAME}']]]],
                ]],
                'https://example.com/b.yaml': [unclassified: [location: [empty: [:], deep: [er: 1]]]],
                'jenkins.yaml': [jenkins: [mode: 'NORMAL']],
            ]
            static loadFrom(List<YamlSource> sources, context) {
                if (!FILES.containsKey(sources[0].name)) throw new IOException("while parsing\\n password: xyzzy")
                node(FILES[sources[0].name])
            }
            private static node(value) {
                if (value == null) return null
                if (value instanceof Map) {
                    def mapping = new MappingNode()
                    value.each { name, inner -> mapping.put(name, node(inner)) }
                    return mapping
                }
                if (value instanceof List) {
                    def sequence = new SequenceNode()
                    value.each { sequence.add(node(it)) }
                    return sequence
                }
                new ScalarNode(value: value.toString())
            }
        }
    """,
}
# Members that old releases of the plugin lack
CURRENT = """
    public static final Object syncResources = new Object()
    boolean addResource(LockableResource resource) { resources.add(resource) }
    void removeResources(List<LockableResource> removed) { resources.removeAll(removed) }
"""
MAIN = """
import groovy.json.JsonSlurper
import groovy.json.JsonOutput

def results = new JsonSlurper().parseText(new File(args[0]).text).collect { step ->
    def shell = new GroovyShell(this.class.classLoader, new Binding([args: step.args]))
    shell.parse(step.code, 'TaskScript.groovy').run()
}
println JsonOutput.toJson(results)
"""


@pytest.fixture
def jar() -> Path:
    try:
        return groovy_jar()
    except UnavailableError as reason:
        pytest.skip(f"CANNOT RUN HERE: {reason}")


def run_scripts(
    folder: Path,
    jar: Path,
    steps: list[tuple[str, dict[str, Any]]],
    members: str = CURRENT,
    classes: Mapping[str, str] = CLASSES,
) -> list[Any]:
    """Run scripts one after the other in the same process, and return their values."""
    for path, code in classes.items():
        file = folder / f"{path}.groovy"
        file.parent.mkdir(parents=True, exist_ok=True)
        package = path.rpartition("/")[0].replace("/", ".")
        file.write_text(f"package {package}\n{code.replace('MEMBERS', members)}")
    (folder / "main.groovy").write_text(MAIN)
    (folder / "steps.json").write_text(json.dumps([{"code": code, "args": args} for code, args in steps]))
    command = ["java", "-cp", f"{jar}:{folder}", "groovy.ui.GroovyMain", "main.groovy", "steps.json"]
    ended = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    values: list[Any] = json.loads(ended.stdout.splitlines()[-1])
    return values


def test_script_approvals(tmp_path: Path, jar: Path) -> None:
    read = (approvals._READ, {"signatures": ["new Z"], "texts": True})

    def approve(**args: Any) -> tuple[str, dict[str, Any]]:
        return approvals._APPROVE, {"signature": None, "hash": None, "restricted": False, **args}

    def revoke(**args: Any) -> tuple[str, dict[str, Any]]:
        return approvals._REVOKE, {"signature": None, "hashes": [], **args}

    steps = [
        read,
        approve(signature="new P"),
        approve(signature="new A", restricted=True),
        approve(signature="new C"),
        approve(hash="h1"),
        read,
        revoke(signature="new A"),
        revoke(signature="new P"),
        revoke(hashes=["h1", "h0"]),
        read,
    ]
    first, *_others, changed, _a, _b, _c, last = run_scripts(tmp_path, jar, steps)
    script = {"hash": "h1", "language": "groovy", "user": "alice", "item": None, "script": "1"}
    assert first == {
        "signatures": ["new A", "new B"],
        "restricted": ["new C"],
        "hashes": [],
        "pending_signatures": [{"signature": "new P", "user": "alice", "item": None}],
        "pending_scripts": [script],
        "dangerous": ["new B", "new Z"],
    }
    empty = {"pending_signatures": [], "pending_scripts": [], "dangerous": ["new B", "new Z"]}
    assert changed == {"signatures": ["new B", "new C", "new P"], "restricted": ["new A"], "hashes": ["h1"], **empty}
    assert last == {"signatures": ["new B", "new C"], "restricted": [], "hashes": [], **empty}


@pytest.mark.parametrize("members", [CURRENT, ""], ids=["current", "old"])
def test_lockable_resources(tmp_path: Path, jar: Path, members: str) -> None:
    show = """
        org.jenkins.plugins.lockableresources.LockableResourcesManager.get().resources.collect {
            [it.name, it.description, it.note, it.labels, it.ephemeral, it.properties.collect { [it.name, it.value] }]
        }
    """
    reserve = "org.jenkins.plugins.lockableresources.LockableResourcesManager.get().resources[0].reservedBy = 'Alice'"
    unset = dict.fromkeys(("description", "labels", "note", "properties"))
    delete = {"name": "a", "reserved_by": None, "force": False}
    steps: list[tuple[str, dict[str, Any]]] = [
        (resources._SAVE, {**unset, "name": "a", "description": "d", "labels": "x y", "properties": {"A": "1"}}),
        (resources._SAVE, {**unset, "name": "a", "note": "n"}),
        (show, {}),
        (reserve, {}),
        (resources._DELETE, delete),
        (resources._DELETE, {**delete, "reserved_by": "Alice"}),
        (show, {}),
        (resources._DELETE, delete),
    ]
    values = run_scripts(tmp_path, jar, steps, members)
    assert values[2] == [["a", "d", "n", "x y", False, [["A", "1"]]]]
    assert values[4:] == [True, False, [], False]


def test_patterns_of_roles(tmp_path: Path, jar: Path) -> None:
    (problems,) = run_scripts(tmp_path, jar, [(roles._SCRIPT, {"patterns": ["team/.*+", "x("]})])
    assert problems == {"x(": "Unclosed group"}


def test_built_in_node(tmp_path: Path, jar: Path) -> None:
    show = "def it = jenkins.model.Jenkins.instance; [it.numExecutors, it.mode.name(), it.labelString, it.saves]"
    unset = dict.fromkeys(("executors", "mode", "labels"))
    steps: list[tuple[str, dict[str, Any]]] = [
        (built_in._SCRIPT, {**unset, "executors": 0, "mode": "EXCLUSIVE", "labels": "a b"}),
        (show, {}),
        (built_in._SCRIPT, {**unset, "labels": ""}),
        (show, {}),
    ]
    assert run_scripts(tmp_path, jar, steps) == [None, [0, "EXCLUSIVE", "a b", 1], None, [0, "EXCLUSIVE", "", 2]]


# Names that `ConfigurationAsCode.isSupportedURI` accepts
BEFORE_2116 = "new URI(name).scheme in ['https', 'http', 'file']"
SINCE_2116 = (
    "name.startsWith('http://') || name.startsWith('https://') || name.startsWith('file:') || new File(name).exists()"
)


@pytest.mark.parametrize("accepted", [BEFORE_2116, SINCE_2116], ids=["before_2116", "since_2116"])
def test_configuration_sources(tmp_path: Path, jar: Path, accepted: str) -> None:
    def configure(**values: Any) -> tuple[str, dict[str, Any]]:
        """Return a step that sets the property, the saved path and the loaded sources, and reads the sources."""
        code = """
            args.property == null ? System.clearProperty('casc.jenkins.config')
                : System.setProperty('casc.jenkins.config', args.property)
            io.jenkins.plugins.casc.CasCGlobalConfig.path = args.saved
            io.jenkins.plugins.casc.ConfigurationAsCode.loaded = args.loaded
        """
        unset = {"property": None, "saved": None, "loaded": []}
        return f"{code}{ownership._SCRIPT}", {"users": list(comparison.USERS), **unset, **values}

    folder, gone, home = tmp_path / "casc", str(tmp_path / "gone.yaml"), tmp_path / "jenkins.yaml"
    folder.mkdir()
    for file in (folder / "a.yaml", home, tmp_path / "bad.yaml"):
        file.touch()
    url, bad = "https://example.com/b.yaml", str(tmp_path / "bad.yaml")
    steps = [
        configure(property=f"{folder}, {url}", saved=gone, loaded=[str(folder)]),
        configure(loaded=[gone, str(home)]),
        configure(property=gone),
        configure(saved=bad),
        configure(saved=bad, property="", loaded=[]),
        configure(property=" "),
    ]
    classes = {path: code.replace("ACCEPTED", accepted) for path, code in {**CLASSES, **CASC_CLASSES}.items()}
    values = run_scripts(tmp_path / "with", jar, steps, classes=classes)
    first, second = values[0]
    assert (first["name"], second["name"]) == (str(folder / "a.yaml"), url)
    assert sorted(first["paths"]) == [["jenkins", "nodes"], ["jenkins", "securityRealm", "local"], ["jenkins", "type"]]
    assert sorted(second["paths"]) == [["unclassified", "location", "deep"], ["unclassified", "location", "empty"]]
    assert [source["users"] for source in values[0]] == [["ann", "bob"], []]
    unreadable = {"name": bad, "problem": "IOException: while parsing"}
    loaded = {"name": str(home), "paths": [["jenkins", "mode"]], "users": []}
    assert values[1:] == [[loaded], [{"name": gone, "missing": True}], [unreadable], [unreadable], []]
    assert run_scripts(tmp_path / "without", jar, [(ownership._SCRIPT, {})]) == [[]]


def test_manifest_of_a_plugin_file(tmp_path: Path, jar: Path) -> None:
    """The script reads until the manifest: what follows may be cut off."""
    archive = plugin_file("own", "3.0")
    (tmp_path / "own.hpi").write_bytes(archive)
    (tmp_path / "cut.hpi").write_bytes(archive[: archive.index(b"PK\x01\x02")])
    (tmp_path / "page.hpi").write_bytes(b"<html/>")
    classes = {
        "hudson/ProxyConfiguration": """
            class ProxyConfiguration { static InputStream getInputStream(URL url) { url.openStream() } }
        """
    }
    steps = [
        (remote_file.READ_MANIFEST, {"url": (tmp_path / name).as_uri()}) for name in ("own.hpi", "cut.hpi", "page.hpi")
    ]
    own, nothing = {"name": "own", "version": "3.0"}, {"name": None, "version": None}
    assert run_scripts(tmp_path, jar, steps, classes=classes) == [own, own, nothing]
