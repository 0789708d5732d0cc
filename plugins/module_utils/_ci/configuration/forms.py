# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Forms of configuration that Jenkins accepts and exports in another form, and forms that it refuses.

Each row names the class that accepts or refuses the form. The sources are those of Jenkins 2.579, configuration-as-code
2117, matrix-auth 3.2.9 and role-strategy 898.
"""

from __future__ import annotations

import re
import typing as t

Path = tuple[str, ...]

_VARIABLE = re.compile(r"(?<!\^)\$\{")
_WHOLE_NUMBER = re.compile(r"[+-]?\d{1,10}")
ROOT = "jenkins"


# Attributes of jenkins.model.Jenkins. The plugin finds them in upper and lower case, see
# io.jenkins.plugins.casc.BaseConfigurator.removeIgnoreCase. Their names have a meaning for the module
_ATTRIBUTES = (
    *("authorizationStrategy", "clouds", "crumbIssuer", "disableRememberMe", "disabledAdministrativeMonitors"),
    *("globalNodeProperties", "labelAtoms", "labelString", "markupFormatter", "mode", "nodeMonitors"),
    *("nodeProperties", "nodes", "numExecutors", "primaryView", "projectNamingStrategy", "proxy", "quietPeriod"),
    *("scmCheckoutRetryCount", "securityRealm", "slaveAgentPort", "systemMessage", "updateCenter", "views"),
    "viewsTabBar",
)
_ATTRIBUTE_NAMES = {name.lower(): name for name in _ATTRIBUTES}
_ROOTS = ("appearance", "credentials", "items", "jenkins", "jobs", "plugins", "security", "tool", "unclassified")

# Lists of texts that Jenkins keeps as sets, with the class of each
SETS = {
    "disabledAdministrativeMonitors": "jenkins.model.Jenkins",
    "grantedPermissions": "org.jenkinsci.plugins.matrixauth.AuthorizationContainer",
    "jobNames": "hudson.model.ListView",
    "permissions": "org.jenkinsci.plugins.rolestrategy.casc.RoleDefinition",
}


def _normalize_address(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


# What Jenkins changes in texts, by the names of the last members. The class of each is in the comment
_TEXTS: dict[Path, t.Callable[[str], str]] = {
    ("adminAddress",): _normalize_address,  # jenkins.model.JenkinsLocationConfiguration
    ("labelString",): lambda text: " ".join(text.split()),  # hudson.model.Slave, jenkins.model.Jenkins
    ("proxy", "name"): str.strip,  # hudson.ProxyConfiguration
    ("proxy", "noProxyHost"): str.strip,
    ("proxy", "testUrl"): str.strip,
    ("proxy", "userName"): str.strip,
    ("remoteFS",): str.strip,  # hudson.model.Slave
    # com.cloudbees.plugins.credentials.domains.SchemeSpecification
    ("schemes",): lambda text: ",".join(name.strip() for name in text.split(",")),
    ("tunnel",): str.strip,  # hudson.slaves.JNLPLauncher
    ("url",): lambda text: text.rstrip("/"),  # jenkins.model.JenkinsLocationConfiguration
}


class Refused(t.NamedTuple):
    """A member that Jenkins refuses, because it is deprecated.

    :ivar source: the class
    :ivar remedy: what to declare instead
    """

    source: str
    remedy: str


# The plugin refuses deprecated members unless 'configuration-as-code.deprecated' is 'warn', see
# io.jenkins.plugins.casc.BaseConfigurator.configure. Older servers accept them
REFUSED = {
    "agentProtocols": Refused("jenkins.model.Jenkins", "Remove it, because Jenkins selects the protocols itself"),
    "assignments": Refused(
        "org.jenkinsci.plugins.rolestrategy.casc.RoleDefinition",
        "Use 'entries' with elements such as 'user: NAME', 'group: NAME' or 'either: NAME'",
    ),
    "excludeClientIPFromCrumb": Refused(
        "hudson.security.csrf.DefaultCrumbIssuer", "Remove it, because Jenkins ignores addresses in crumbs"
    ),
    "statusFilter": Refused("hudson.model.ListView", "Use 'jobFilters' with an element 'statusFilter'"),
}


def find_remedy(message: str) -> str | None:
    """Return what to declare instead of a member that a message of Jenkins refuses, or `None`."""
    problem = message.partition("Available attributes")[0]
    return next((row.remedy for name, row in REFUSED.items() if re.search(rf"\b{name}\b", problem)), None)


def find_repeated(members: t.Any) -> str | None:
    """Return a name that is declared in several spellings, or `None`. Jenkins ignores upper and lower case."""
    names = [name.lower() for name in members or ()] if isinstance(members, (dict, type(None))) else []
    return next((name for number, name in enumerate(names) if name in names[:number]), None)


def rename_members(roots: dict[str, t.Any]) -> dict[str, t.Any]:
    """Return the roots with the names of roots and attributes of Jenkins as it exports them."""
    renamed = {_find_root(name): members for name, members in roots.items()}
    members = renamed.get(ROOT)
    if isinstance(members, dict):
        renamed[ROOT] = {_ATTRIBUTE_NAMES.get(name.lower(), name): value for name, value in members.items()}
    return renamed


def _find_root(name: str) -> str:
    return name.lower() if name.lower() in _ROOTS else name


def is_blank(value: t.Any) -> bool:
    """Return whether Jenkins does not export a value, see io.jenkins.plugins.casc.ConfigurationAsCode.toYaml."""
    return value in (None, [], {}) or (isinstance(value, str) and not value.strip())


def normalize_text(path: Path, text: str) -> str:
    """Return a text as Jenkins exports it."""
    normalize = _TEXTS.get(path[-2:]) or _TEXTS.get(path[-1:])
    return normalize(text) if normalize else text


def has_variable(text: t.Any) -> bool:
    """Return whether Jenkins replaces a variable in a text."""
    return isinstance(text, str) and bool(_VARIABLE.search(text))


def is_variable(text: str) -> bool:
    """Return whether a text consists of variables."""
    return has_variable(text) and not "".join(_split_variables(text)).strip()


def fits_literal_parts(declared: str, current: str) -> bool:
    """Return whether the parts of a declared text outside of its variables occur in the current text in their order."""
    first, *parts = _split_variables(declared)
    if not parts:
        return first == current
    last = parts.pop()
    position, end = len(first), len(current) - len(last)
    if position > end or not (current.startswith(first) and current.endswith(last)):
        return False
    for part in parts:  # a regular expression would try all combinations
        found = current.find(part, position, end)
        if found < 0:
            return False
        position = found + len(part)
    return True


def _split_variables(text: str) -> list[str]:
    """Return the parts of a text outside of its variables, which can be nested.

    The beginning of a variable that does not end is a text, and the plugin exports it as such.
    """
    parts, start = [], 0
    while found := _VARIABLE.search(text, start):
        end = _find_end(text, found.end())
        if end is None:
            break
        parts.append(text[start : found.start()])
        start = end
    return [*parts, _VARIABLE.sub("^${", text[start:])]


def _find_end(text: str, position: int) -> int | None:
    """Return the position after the variable whose name starts at a position, or `None` if it is not closed."""
    depth = 1
    for token in re.finditer(r"\$\{|\}", text[position:]):
        depth += 1 if token[0] == "${" else -1
        if depth == 0:
            return position + token.end()
    return None


def is_same_number(declared: str, current: int) -> bool:
    """Return whether a text stands for a number, such as `+5`."""
    return bool(_WHOLE_NUMBER.fullmatch(declared)) and int(declared) == current
