# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Symbols of the classes in a configuration. Jenkins accepts several names of a class, and exports one.

Each row names the class. The sources are those of Jenkins 2.579 and of its plugins of August 2026.
"""

from __future__ import annotations

import re
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.forms import ROOT, Path

# A member of Jenkins. Its objects have classes of plugins with names of their own
_FOREIGN = "clouds"


class Symbol(t.NamedTuple):
    """A class that the configuration names by a symbol.

    The plugin accepts each symbol of the class and names that it derives from the class, in upper and lower case. See
    io.jenkins.plugins.casc.impl.attributes.DescribableAttribute.getSymbols.

    :ivar exported: the symbol that Jenkins exports
    :ivar source: the class
    :ivar others: its other symbols
    """

    exported: str
    source: str
    others: tuple[str, ...] = ()

    def list_names(self, extension_point: str) -> t.Iterator[str]:
        """Yield all names of the class in lower case.

        :arg extension_point: name of the class that it extends
        """
        name = re.split(r"[.$]", self.source)[-1]
        derived = [name, name.removesuffix(extension_point), name.removesuffix(f"{extension_point}Impl")]
        yield from (other.lower() for other in (self.exported, *self.others, *derived) if other)


Classes = dict[str, tuple[str, tuple[Symbol, ...]]]
_NODE_PROPERTIES = (
    "NodeProperty",
    (
        Symbol("authorizationMatrix", "org.jenkinsci.plugins.matrixauth.AuthorizationMatrixNodeProperty"),
        Symbol("diskSpaceMonitor", "hudson.node_monitors.DiskSpaceMonitorNodeProperty"),
        Symbol("envVars", "hudson.slaves.EnvironmentVariablesNodeProperty"),
        Symbol("toolLocation", "hudson.tools.ToolLocationNodeProperty"),
    ),
)
_VIEWS = (
    "View",
    (
        Symbol("all", "hudson.model.AllView"),
        Symbol("list", "hudson.model.ListView"),
        Symbol("myView", "hudson.model.MyView"),
        Symbol("proxy", "hudson.model.ProxyView"),
    ),
)
# The extension point and the classes by the name of the member, in the root 'jenkins'
_OF_JENKINS: Classes = {
    "authorizationStrategy": (
        "AuthorizationStrategy",
        (
            Symbol("globalMatrix", "hudson.security.GlobalMatrixAuthorizationStrategy"),
            Symbol("legacy", "hudson.security.LegacyAuthorizationStrategy"),
            Symbol("loggedInUsersCanDoAnything", "hudson.security.FullControlOnceLoggedInAuthorizationStrategy"),
            Symbol("projectMatrix", "hudson.security.ProjectMatrixAuthorizationStrategy"),
            Symbol("roleBased", "com.michelin.cio.hudson.plugins.rolestrategy.RoleBasedAuthorizationStrategy"),
            Symbol("unsecured", "hudson.security.AuthorizationStrategy$Unsecured"),
        ),
    ),
    "columns": (
        "ListViewColumn",
        (
            Symbol("buildButton", "hudson.views.BuildButtonColumn"),
            Symbol("jobName", "hudson.views.JobColumn"),
            Symbol("lastDuration", "hudson.views.LastDurationColumn"),
            Symbol("lastFailure", "hudson.views.LastFailureColumn"),
            Symbol("lastStable", "hudson.views.LastStableColumn"),
            Symbol("lastSuccess", "hudson.views.LastSuccessColumn"),
            Symbol("status", "hudson.views.StatusColumn"),
            Symbol("weather", "hudson.views.WeatherColumn"),
        ),
    ),
    "crumbIssuer": ("CrumbIssuer", (Symbol("standard", "hudson.security.csrf.DefaultCrumbIssuer"),)),
    "jobFilters": ("ViewJobFilter", ()),
    "globalNodeProperties": _NODE_PROPERTIES,
    "launcher": (
        "ComputerLauncher",
        (
            Symbol("command", "hudson.slaves.CommandLauncher"),
            Symbol("inbound", "hudson.slaves.JNLPLauncher", ("jnlp",)),
            Symbol("ssh", "hudson.plugins.sshslaves.SSHLauncher", ("sSHLauncher",)),
        ),
    ),
    "markupFormatter": (
        "MarkupFormatter",
        (
            Symbol("plainText", "hudson.markup.EscapedMarkupFormatter"),
            Symbol("rawHtml", "hudson.markup.RawHtmlMarkupFormatter"),
        ),
    ),
    "nodeMonitors": (
        "NodeMonitor",
        (
            Symbol("architecture", "hudson.node_monitors.ArchitectureMonitor"),
            Symbol("clock", "hudson.node_monitors.ClockMonitor"),
            Symbol("diskSpace", "hudson.node_monitors.DiskSpaceMonitor"),
            Symbol("responseTime", "hudson.node_monitors.ResponseTimeMonitor"),
            Symbol("swapSpace", "hudson.node_monitors.SwapSpaceMonitor"),
            Symbol("tmpSpace", "hudson.node_monitors.TemporarySpaceMonitor"),
        ),
    ),
    "nodeProperties": _NODE_PROPERTIES,
    "nodes": ("Node", (Symbol("permanent", "hudson.slaves.DumbSlave", ("dumb", "slave")),)),
    "passwordComplexityRule": (
        "PasswordComplexityRule",
        (
            Symbol("basicPasswordComplexity", "jenkins.security.BasicPasswordComplexityRule"),
            Symbol("nonePasswordComplexity", "jenkins.security.NonePasswordComplexityRule"),
        ),
    ),
    "primaryView": _VIEWS,
    "projectNamingStrategy": (
        "ProjectNamingStrategy",
        (
            Symbol("pattern", "jenkins.model.ProjectNamingStrategy$PatternProjectNamingStrategy"),
            Symbol("roleBased", "org.jenkinsci.plugins.rolestrategy.RoleBasedProjectNamingStrategy"),
            Symbol("standard", "jenkins.model.ProjectNamingStrategy$DefaultProjectNamingStrategy"),
        ),
    ),
    "retentionStrategy": (
        "RetentionStrategy",
        (
            Symbol("always", "hudson.slaves.RetentionStrategy$Always"),
            Symbol("demand", "hudson.slaves.RetentionStrategy$Demand"),
            Symbol("schedule", "hudson.slaves.SimpleScheduledRetentionStrategy"),
        ),
    ),
    "securityRealm": (
        "SecurityRealm",
        (
            Symbol("activeDirectory", "hudson.plugins.active_directory.ActiveDirectorySecurityRealm"),
            Symbol("ldap", "hudson.security.LDAPSecurityRealm"),
            Symbol("legacy", "hudson.security.LegacySecurityRealm"),
            Symbol("local", "hudson.security.HudsonPrivateSecurityRealm"),
            Symbol("none", "hudson.security.SecurityRealm$None"),
            Symbol("pam", "hudson.security.PAMSecurityRealm"),
        ),
    ),
    "sshHostKeyVerificationStrategy": ("SshHostKeyVerificationStrategy", ()),
    "views": _VIEWS,
    "viewsTabBar": ("ViewsTabBar", (Symbol("standard", "hudson.views.DefaultViewsTabBar"),)),
}
# The same for members of the other roots
_OF_OTHERS: Classes = {
    "authenticators": ("QueueItemAuthenticator", ()),
    "browser": (
        "GitRepositoryBrowser",
        (
            Symbol("assembla", "hudson.plugins.git.browser.AssemblaWeb"),
            Symbol("bitbucketServer", "hudson.plugins.git.browser.BitbucketServer"),
            Symbol("bitbucket", "hudson.plugins.git.browser.BitbucketWeb"),
            Symbol("cgit", "hudson.plugins.git.browser.CGit"),
            Symbol("fisheye", "hudson.plugins.git.browser.FisheyeGitRepositoryBrowser"),
            Symbol("gitblit", "hudson.plugins.git.browser.GitBlitRepositoryBrowser"),
            Symbol("gitLab", "hudson.plugins.git.browser.GitLab"),
            Symbol("gitList", "hudson.plugins.git.browser.GitList"),
            Symbol("gitWeb", "hudson.plugins.git.browser.GitWeb"),
            Symbol("github", "hudson.plugins.git.browser.GithubWeb"),
            Symbol("gitiles", "hudson.plugins.git.browser.Gitiles"),
            Symbol("gogs", "hudson.plugins.git.browser.GogsGit"),
            Symbol("kiln", "hudson.plugins.git.browser.KilnGit"),
            Symbol("phabricator", "hudson.plugins.git.browser.Phabricator"),
            Symbol("redmine", "hudson.plugins.git.browser.RedmineWeb"),
            Symbol("rhodeCode", "hudson.plugins.git.browser.RhodeCode"),
            Symbol("stash", "hudson.plugins.git.browser.Stash"),
            Symbol("teamFoundation", "hudson.plugins.git.browser.TFS2013GitRepositoryBrowser"),
            Symbol("viewgit", "hudson.plugins.git.browser.ViewGitWeb"),
        ),
    ),
    "buildDiscarders": (
        "GlobalBuildDiscarderStrategy",
        (
            Symbol("jobBuildDiscarder", "jenkins.model.JobGlobalBuildDiscarderStrategy"),
            Symbol("simpleBuildDiscarder", "jenkins.model.SimpleGlobalBuildDiscarderStrategy"),
        ),
    ),
    "credentials": (
        "Credentials",
        (
            Symbol("aws", "com.cloudbees.jenkins.plugins.awscredentials.AWSCredentialsImpl"),
            Symbol("azure", "com.microsoft.azure.util.AzureCredentials"),
            Symbol(
                "basicSSHUserPrivateKey", "com.cloudbees.jenkins.plugins.sshcredentials.impl.BasicSSHUserPrivateKey"
            ),
            Symbol("certificate", "com.cloudbees.plugins.credentials.impl.CertificateCredentialsImpl"),
            Symbol("file", "org.jenkinsci.plugins.plaincredentials.impl.FileCredentialsImpl"),
            Symbol("giteaAccessToken", "org.jenkinsci.plugin.gitea.credentials.PersonalAccessTokenImpl"),
            Symbol("gitHubApp", "org.jenkinsci.plugins.github_branch_source.GitHubAppCredentials"),
            Symbol(
                "gitlabPersonalAccessToken", "io.jenkins.plugins.gitlabserverconfig.credentials.PersonalAccessTokenImpl"
            ),
            Symbol("string", "org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl"),
            Symbol("usernamePassword", "com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl"),
            Symbol("vaultAppRoleCredential", "com.datapipe.jenkins.vault.credentials.VaultAppRoleCredential"),
            Symbol("vaultTokenCredential", "com.datapipe.jenkins.vault.credentials.VaultTokenCredential"),
        ),
    ),
    "discarder": ("BuildDiscarder", (Symbol("logRotator", "hudson.tasks.LogRotator"),)),
    "extensions": (
        "GitSCMExtension",
        (
            Symbol("authorInChangelog", "hudson.plugins.git.extensions.impl.AuthorInChangelog"),
            Symbol("buildSingleRevisionOnly", "hudson.plugins.git.extensions.impl.BuildSingleRevisionOnly"),
            Symbol("changelogToBranch", "hudson.plugins.git.extensions.impl.ChangelogToBranch"),
            Symbol("checkoutOption", "hudson.plugins.git.extensions.impl.CheckoutOption"),
            Symbol("cleanBeforeCheckout", "hudson.plugins.git.extensions.impl.CleanBeforeCheckout"),
            Symbol("cleanAfterCheckout", "hudson.plugins.git.extensions.impl.CleanCheckout"),
            Symbol("cloneOption", "hudson.plugins.git.extensions.impl.CloneOption"),
            Symbol("firstBuildChangelog", "hudson.plugins.git.extensions.impl.FirstBuildChangelog"),
            Symbol("lfs", "hudson.plugins.git.extensions.impl.GitLFSPull"),
            Symbol("localBranch", "hudson.plugins.git.extensions.impl.LocalBranch"),
            Symbol("perBuildTag", "hudson.plugins.git.extensions.impl.PerBuildTag"),
            Symbol("pruneStaleBranch", "hudson.plugins.git.extensions.impl.PruneStaleBranch"),
            Symbol("pruneTags", "hudson.plugins.git.extensions.impl.PruneStaleTag"),
            Symbol("sparseCheckout", "hudson.plugins.git.extensions.impl.SparseCheckoutPaths"),
            Symbol("submodule", "hudson.plugins.git.extensions.impl.SubmoduleOption"),
        ),
    ),
    "installers": (
        "ToolInstaller",
        (
            Symbol("batchFile", "hudson.tools.BatchCommandInstaller"),
            Symbol("command", "hudson.tools.CommandInstaller"),
            Symbol("maven", "hudson.tasks.Maven$MavenInstaller"),
            Symbol("zip", "hudson.tools.ZipExtractionInstaller"),
        ),
    ),
    "keyStoreSource": (
        "KeyStoreSource",
        (
            Symbol(
                "pEMEntry", "com.cloudbees.plugins.credentials.impl.CertificateCredentialsImpl$PEMEntryKeyStoreSource"
            ),
            Symbol(
                "uploaded", "com.cloudbees.plugins.credentials.impl.CertificateCredentialsImpl$UploadedKeyStoreSource"
            ),
        ),
    ),
    "privateKeySource": ("PrivateKeySource", ()),
    "properties": ("ToolProperty", (Symbol("installSource", "hudson.tools.InstallSourceProperty"),)),
    "retriever": (
        "LibraryRetriever",
        (
            Symbol("legacySCM", "org.jenkinsci.plugins.workflow.libs.SCMRetriever"),
            Symbol("modernSCM", "org.jenkinsci.plugins.workflow.libs.SCMSourceRetriever"),
        ),
    ),
    "scm": (
        "SCM",
        (
            Symbol("github", "org.jenkinsci.plugins.github_branch_source.GitHubSCMSource"),
            Symbol("gitSource", "jenkins.plugins.git.GitSCMSource", ("git",)),
            Symbol("scmGit", "hudson.plugins.git.GitSCM", ("gitSCM",)),
        ),
    ),
    "specifications": ("DomainSpecification", ()),
    "traits": (
        "SCMSourceTrait",
        (
            Symbol("authorInChangelog", "jenkins.plugins.git.traits.AuthorInChangelogTrait"),
            Symbol("gitBranchDiscovery", "jenkins.plugins.git.traits.BranchDiscoveryTrait"),
            Symbol("checkoutOption", "jenkins.plugins.git.traits.CheckoutOptionTrait"),
            Symbol("cleanAfterCheckout", "jenkins.plugins.git.traits.CleanAfterCheckoutTrait"),
            Symbol("cleanBeforeCheckout", "jenkins.plugins.git.traits.CleanBeforeCheckoutTrait"),
            Symbol("cloneOption", "jenkins.plugins.git.traits.CloneOptionTrait"),
            Symbol(
                "discoverOtherRefs", "jenkins.plugins.git.traits.DiscoverOtherRefsTrait", ("discoverOtherRefsTrait",)
            ),
            Symbol("firstBuildChangelog", "jenkins.plugins.git.traits.FirstBuildChangelogTrait"),
            Symbol("browser", "jenkins.plugins.git.traits.GitBrowserSCMSourceTrait"),
            Symbol("lfs", "jenkins.plugins.git.traits.GitLFSPullTrait"),
            Symbol("gitTool", "jenkins.plugins.git.traits.GitToolSCMSourceTrait"),
            Symbol("ignoreOnPush", "jenkins.plugins.git.traits.IgnoreOnPushNotificationTrait"),
            Symbol("localBranch", "jenkins.plugins.git.traits.LocalBranchTrait", ("localBranchTrait",)),
            Symbol("pruneStaleBranch", "jenkins.plugins.git.traits.PruneStaleBranchTrait"),
            Symbol("pruneStaleTag", "jenkins.plugins.git.traits.PruneStaleTagTrait"),
            Symbol("refSpecs", "jenkins.plugins.git.traits.RefSpecsSCMSourceTrait"),
            Symbol("remoteName", "jenkins.plugins.git.traits.RemoteNameSCMSourceTrait"),
            Symbol("sparseCheckoutPaths", "jenkins.plugins.git.traits.SparseCheckoutPathsTrait"),
            Symbol("submoduleOption", "jenkins.plugins.git.traits.SubmoduleOptionTrait"),
            Symbol("gitTagDiscovery", "jenkins.plugins.git.traits.TagDiscoveryTrait"),
            Symbol("userIdentity", "jenkins.plugins.git.traits.UserIdentityTrait"),
            Symbol("gitHubBranchDiscovery", "org.jenkinsci.plugins.github_branch_source.BranchDiscoveryTrait"),
        ),
    ),
}


class _Member(t.NamedTuple):
    """A member with objects of several classes.

    :ivar extension_point: the class that these extend
    :ivar symbols: the symbol that Jenkins exports, by each name of a class in lower case
    """

    extension_point: str
    symbols: dict[str, str]

    def get_symbol(self, name: str) -> str:
        """Return the symbol that Jenkins exports. That of an unknown class is derived from its name."""
        short = name
        for suffix in (f"{self.extension_point}Impl", self.extension_point):
            if len(name) > len(suffix) and name.lower().endswith(suffix.lower()):
                short = name[: -len(suffix)]
                break
        derived = short.lower() if short.isupper() else short[:1].lower() + short[1:]
        return self.symbols.get(name.lower(), derived)

    def rename(self, members: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return an object with the symbol that Jenkins exports. Other dictionaries are returned as they are."""
        if len(members) != 1:
            return members
        ((name, inner),) = members.items()
        is_object = inner is None or isinstance(inner, dict)
        return {self.get_symbol(name) if is_object else self.symbols.get(name.lower(), name): inner}


def _index(classes: Classes) -> dict[str, _Member]:
    return {
        member: _Member(
            point, {name: symbol.exported for symbol in reversed(symbols) for name in symbol.list_names(point)}
        )
        for member, (point, symbols) in classes.items()
    }


_MEMBERS_OF_JENKINS, _MEMBERS_OF_OTHERS = _index(_OF_JENKINS), _index(_OF_OTHERS)


def rename_symbols(path: Path, value: t.Any) -> t.Any:
    """Return a value with the symbols that Jenkins exports.

    :arg path: names of the members, without the elements of lists
    """
    if _FOREIGN in path:
        return value
    if isinstance(value, list):
        return [rename_symbols(path, element) for element in value]
    member = (_MEMBERS_OF_JENKINS if path[:1] == (ROOT,) else _MEMBERS_OF_OTHERS).get(path[-1])
    if isinstance(value, dict):
        renamed = value if member is None else member.rename(value)
        return {name: rename_symbols((*path, name), inner) for name, inner in renamed.items()}
    return member.symbols.get(value.lower(), value) if member and isinstance(value, str) else value
