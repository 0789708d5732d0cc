# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the scripts that run inside of Jenkins are written for.

Each row names the version whose source was read, and the classes with the members that the script uses. A script uses
members that are not documented only where Jenkins has no other way. The rows say which these are.
"""

from __future__ import annotations

import typing as t


class Origin(t.NamedTuple):
    """A program whose source was read.

    :ivar program: its name and version
    :ivar classes: the classes that a script uses
    :ivar undocumented: members of them that are not part of the documented interface
    """

    program: str
    classes: tuple[str, ...]
    undocumented: tuple[str, ...] = ()


_JENKINS = "Jenkins 2.579"
_CASC = Origin(
    "configuration-as-code 2088 and 2117",
    tuple(
        f"io.jenkins.plugins.casc.{name}"
        for name in (
            *("CasCGlobalConfig", "ConfigurationAsCode", "ConfigurationContext", "ConfiguratorRegistry"),
            *("yaml.YamlSource", "yaml.YamlUtils"),
        )
    ),
    ("ConfigurationAsCode.configs", "ConfigurationAsCode.getSources", "ConfigurationAsCode.isSupportedURI"),
)
_CREDENTIALS = (
    Origin(
        "credentials 1502",
        tuple(
            f"com.cloudbees.plugins.credentials.{name}"
            for name in ("CredentialsProvider", "SecretBytes", "SystemCredentialsProvider")
        ),
    ),
    Origin("plain-credentials 199", ("org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl",)),
    Origin("ssh-credentials 361", ("com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey",)),
    Origin(_JENKINS, ("hudson.model.User", "jenkins.model.Jenkins")),
)
_LOCKABLE_RESOURCES = Origin(
    "lockable-resources 1539",
    tuple(
        f"org.jenkins.plugins.lockableresources.{name}"
        for name in ("LockableResource", "LockableResourceProperty", "LockableResourcesManager")
    ),
    ("LockableResourcesManager.syncResources", "LockableResourcesManager.addResource"),
)
_SCRIPT_SECURITY = Origin(
    "script-security 1402",
    (
        "org.jenkinsci.plugins.scriptsecurity.sandbox.whitelists.StaticWhitelist",
        "org.jenkinsci.plugins.scriptsecurity.scripts.ScriptApproval",
    ),
    ("ScriptApproval.aclApprovedSignatures",),
)
_TOKENS = Origin(
    _JENKINS,
    ("hudson.model.User", "jenkins.security.ApiTokenProperty", "jenkins.security.apitoken.ApiTokenStore"),
    ("ApiTokenProperty.tokenStore", "ApiTokenStore$HashedToken.value"),
)
_ACCOUNTS = Origin(
    _JENKINS,
    ("hudson.security.HudsonPrivateSecurityRealm", "jenkins.security.seed.UserSeedProperty"),
    ("HudsonPrivateSecurityRealm$Details.fromPlainPassword", "HudsonPrivateSecurityRealm.ID_REGEX"),
)
_MAILER = Origin("mailer 534", ("hudson.tasks.Mailer$UserProperty",))
# By the name of the script, see `console.run_internal`
ORIGINS: dict[str, tuple[Origin, ...]] = {
    "approve a signature or script": (_SCRIPT_SECURITY,),
    "change a user": (_ACCOUNTS, _MAILER),
    "check regular expressions": (Origin("Java 8", ("java.util.regex.Pattern",)),),
    "configure the built-in node": (Origin(_JENKINS, ("hudson.model.Node", "jenkins.model.Jenkins")),),
    "delete a lockable resource": (_LOCKABLE_RESOURCES,),
    "find unknown variables and user properties": (
        Origin(
            "configuration-as-code 2117",
            tuple(
                f"io.jenkins.plugins.casc.{name}"
                for name in ("ConfigurationContext", "ConfiguratorRegistry", "impl.attributes.DescribableAttribute")
            ),
            ("DescribableAttribute.getSymbols",),
        ),
        Origin(_JENKINS, ("hudson.model.UserProperty", "jenkins.model.Jenkins")),
    ),
    "find unknown classes and permissions": (
        Origin(
            _JENKINS,
            (
                *("com.thoughtworks.xstream.mapper.CannotResolveClassException", "hudson.model.Items"),
                *("hudson.security.PermissionGroup", "hudson.security.PermissionScope"),
            ),
        ),
    ),
    "hash credentials": _CREDENTIALS,
    "list API tokens": (_TOKENS,),
    "list permissions": (Origin(_JENKINS, ("hudson.security.PermissionGroup",)),),
    "list plugins of the security settings": (Origin(_JENKINS, ("hudson.PluginManager", "jenkins.model.Jenkins")),),
    "list the members that configuration sources set": (
        _CASC,
        Origin(_JENKINS, ("jenkins.model.GlobalConfiguration", "jenkins.model.Jenkins")),
    ),
    "list users": (_ACCOUNTS, _TOKENS, _MAILER),
    "read the manifest of a plugin file": (Origin(_JENKINS, ("hudson.ProxyConfiguration",)),),
    "read script approvals": (_SCRIPT_SECURITY,),
    "revoke the approval of a signature or script": (_SCRIPT_SECURITY,),
    "save a lockable resource": (_LOCKABLE_RESOURCES,),
}


def list_programs(name: str) -> list[str]:
    """Return the programs that a script is written for.

    :arg name: name of the script
    """
    return list(dict.fromkeys(origin.program for origin in ORIGINS[name]))
