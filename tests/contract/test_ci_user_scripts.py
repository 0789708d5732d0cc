# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The scripts for users and API tokens run with the Groovy release of Jenkins, on classes with the same members."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.users import accounts, api_token
from sandbox.client import Sandbox
from support.running import run
from support.servers.groovy import groovy_jar
from support.servers.process import UnavailableError

# Each class is compiled after those that it uses
CLASSES = [
    "package hudson.model; abstract class UserProperty { }",
    """
    package jenkins.security.apitoken
    class ApiTokenStore {
        List<HashedToken> tokenListSortedByName = []
        static class HashValue { private final String hash; HashValue(String hash) { this.hash = hash } }
        static class HashedToken {
            String uuid, name; Date creationDate; java.time.LocalDate expirationDate; private HashValue value
        }
    }
    """,
    """
    package jenkins.security
    class ApiTokenProperty extends hudson.model.UserProperty {
        jenkins.security.apitoken.ApiTokenStore tokenStore = new jenkins.security.apitoken.ApiTokenStore()
    }
    """,
    """
    package jenkins.security.seed
    class UserSeedProperty extends hudson.model.UserProperty { int renewals; void renewSeed() { renewals++ } }
    """,
    "package jenkins.util; class SystemProperties { static boolean getBoolean(String name) { false } }",
    """
    package hudson.tasks
    class Mailer {
        static class UserProperty extends hudson.model.UserProperty {
            private final String emailAddress
            UserProperty(String emailAddress) { this.emailAddress = emailAddress }
            boolean hasExplicitlyConfiguredAddress() { emailAddress }
            String getConfiguredAddress() { emailAddress }
        }
    }
    """,
    """
    package hudson.model
    class User {
        static Map<String, User> all = [:]
        String id, fullName, description; List<UserProperty> allProperties = []; boolean saved
        static User getById(String id, boolean create) { all[id.toLowerCase()] }
        static User current() { all.admin }
        UserProperty getProperty(Class type) { allProperties.find { type.isInstance(it) } }
        void addProperty(UserProperty added) {
            allProperties = allProperties.findAll { it.class != added.class } + added
        }
        void save() { saved = true }
    }
    """,
    """
    package hudson.security
    class HudsonPrivateSecurityRealm {
        List<hudson.model.User> getAllUsers() { hudson.model.User.all.values().findAll { it.getProperty(Details) } }
        static class Details extends hudson.model.UserProperty {
            String hash
            static Details fromPlainPassword(String password) { new Details(hash: "hash of $password") }
        }
    }
    """,
    """
    package jenkins.model
    class Jenkins {
        static Jenkins instance = new Jenkins()
        def securityRealm = new hudson.security.HudsonPrivateSecurityRealm()
        def getPluginManager() { [uberClassLoader: this.class.classLoader] }
    }
    """,
]
PROGRAM = r"""
def loader = new GroovyClassLoader()
args.classes.each { loader.parseClass(it) }
def users = [admin: [], carol: ['Details'], ghost: []].collectEntries { name, kinds ->
    def user = loader.loadClass('hudson.model.User').newInstance(id: name, fullName: name)
    user.addProperty(loader.loadClass('jenkins.security.ApiTokenProperty').newInstance())
    user.addProperty(loader.loadClass('jenkins.security.seed.UserSeedProperty').newInstance())
    if (kinds) user.addProperty(loader.loadClass('hudson.security.HudsonPrivateSecurityRealm$Details').newInstance())
    [name, user]
}
loader.loadClass('hudson.model.User').all = users
def store = users.carol.allProperties.find { it.hasProperty('tokenStore') }.tokenStore
store.tokenListSortedByName << loader.loadClass('jenkins.security.apitoken.ApiTokenStore$HashedToken').newInstance(
    uuid: 'u1', name: 'notebook', creationDate: new Date(1795400596155L),
    expirationDate: java.time.LocalDate.of(2026, 12, 23),
    value: loader.loadClass('jenkins.security.apitoken.ApiTokenStore$HashValue').newInstance('abc'))
if (args.realm == 'other') loader.loadClass('jenkins.model.Jenkins').instance.securityRealm = new Object()
def config = new org.codehaus.groovy.control.CompilerConfiguration()
def imports = new org.codehaus.groovy.control.customizers.ImportCustomizer()
imports.addStarImports('jenkins.model', 'hudson.model')
config.addCompilationCustomizers(imports)
def value = new GroovyShell(loader, new Binding([args: args.args]), config).parse(args.code, 'TaskScript.groovy').run()
def carol = users.carol
def details = carol.allProperties.collectEntries { [it.class.simpleName, it] }
[value: value, full_name: carol.fullName, description: carol.description, saved: carol.saved,
 hash: details.Details.hash, renewals: details.UserSeedProperty.renewals,
 email: details.UserProperty?.configuredAddress]
"""
TOKEN = {"uuid": "u1", "name": "notebook", "created": 1795400596155, "expires": "2026-12-23", "hash": "abc"}
CAROL = {"name": "carol", "full_name": "carol", "description": None, "email": None, "tokens": [TOKEN]}


@pytest.fixture
def server(sandbox: Sandbox) -> dict[str, Any]:
    """Return the connection options of a server whose script console runs Groovy."""
    try:
        jar = groovy_jar()
    except UnavailableError as reason:
        pytest.skip(f"CANNOT RUN HERE: {reason}")
    sandbox.switch("ci", groovy_jar=str(jar))
    names = {"url": "JENKINS_URL", "username": "JENKINS_USER_ID", "api_token": "JENKINS_API_TOKEN"}
    return {option: sandbox.environment[name] for option, name in names.items()}


def run_script(server: dict[str, Any], code: str, *, has_mailer: bool = True, **args: Any) -> dict[str, Any]:
    """Run a script of the modules. Return its value and the state of the user `carol`."""
    classes = [source for source in CLASSES if has_mailer or "package hudson.tasks" not in source]
    options = {"classes": classes, "code": code, "realm": args.pop("realm", "own"), "args": args}
    result = run("ci_script", **server, script=PROGRAM, args=options, wait_timeout=300)
    assert not result.get("failed"), result["msg"]
    return dict(result["value"])


@pytest.mark.parametrize("has_mailer", [False, True])
def test_accounts_are_listed(server: dict[str, Any], has_mailer: bool) -> None:
    listing = run_script(server, accounts.LIST_USERS, has_mailer=has_mailer, name=None)["value"]
    realm = "hudson.security.HudsonPrivateSecurityRealm"
    assert listing == {"realm": realm, "users": [CAROL], "mailer": has_mailer, "name_pattern": None}


@pytest.mark.parametrize(("name", "users"), [("CAROL", [CAROL]), ("admin", [])])
def test_account_is_listed_by_its_name(server: dict[str, Any], name: str, users: list[Any]) -> None:
    assert run_script(server, accounts.LIST_USERS, name=name)["value"]["users"] == users


def test_no_accounts_are_listed_when_the_users_come_from_elsewhere(server: dict[str, Any]) -> None:
    listing = run_script(server, accounts.LIST_USERS, realm="other", name=None)["value"]
    assert listing == {"realm": "java.lang.Object", "users": None, "mailer": True, "name_pattern": None}


def test_user_is_changed(server: dict[str, Any]) -> None:
    changes = {"full_name": "Carol Jones", "description": "", "email": "c@example.com", "password": "new"}
    state = run_script(server, accounts.CHANGE_USER, name="Carol", changes=changes)
    assert state == {
        "value": None,
        "full_name": "Carol Jones",
        "description": "",
        "saved": True,
        "hash": "hash of new",
        "renewals": 1,
        "email": "c@example.com",
    }


def test_other_fields_are_kept_when_one_is_changed(server: dict[str, Any]) -> None:
    state = run_script(server, accounts.CHANGE_USER, name="carol", changes={"description": "On leave"})
    assert (state["full_name"], state["description"], state["hash"], state["renewals"]) == (
        "carol",
        "On leave",
        None,
        0,
    )


@pytest.mark.parametrize("name", ["ghost", "nobody"])
def test_change_fails_when_the_user_has_no_account(server: dict[str, Any], name: str) -> None:
    options = {"classes": CLASSES, "code": accounts.CHANGE_USER, "realm": "own", "args": {"name": name, "changes": {}}}
    result = run("ci_script", **server, script=PROGRAM, args=options)
    assert f"the user '{name}' has no account" in result["msg"]


@pytest.mark.parametrize(
    ("user", "value"),
    [
        ("Carol", {"tokens": [TOKEN], "may_create": False}),
        ("admin", {"tokens": [], "may_create": True}),
        ("nobody", None),
    ],
)
def test_tokens_are_listed(server: dict[str, Any], user: str, value: Any) -> None:
    assert run_script(server, api_token.LIST_TOKENS, user=user)["value"] == value
