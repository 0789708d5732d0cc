# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Stores of credentials in Jenkins: that of the server, of a folder or of a user, each with domains.

`DELETE .../domain/_/config.xml` deletes all global credentials of a store, and `POST .../domain/_/config.xml` can move
them. The functions of this package never send these requests.
"""

from __future__ import annotations

import dataclasses
import typing as t
import xml.etree.ElementTree as ET
from urllib.parse import quote

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci import jobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.object_names import UNREADABLE
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import (
    predicts_plugin,
    require_plugin,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml import stored
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import MissingObject, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.response import Response
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._url import encode_path

PLUGIN = "credentials"
PURPOSE = "Managing credentials"
# Options that select a store
FOLDER: Option = dict(type="str", **jobs.JOB)
USER: Option = dict(type="str", **SEGMENT)
# The name of a domain in URLs. `_` is the global domain, which has no name. With quotes or backslashes, Jenkins would
# return invalid JSON for the whole store
DOMAIN: Option = dict(
    type="str",
    **NAME,
    matches=(
        rf"(?!(_|\.|\.\.)$)[^/\"\\{UNREADABLE}]*",
        "the name of a domain without '/', '\"', '\\' and control characters, other than '_', '.' and '..'",
    ),
)
# The ID of a credential
ID: Option = dict(
    type="str",
    **NAME,
    matches=(
        rf"(?!\.{{1,2}}$)[^{UNREADABLE}]*",
        "the ID of a credential without control characters, other than '.' and '..'",
    ),
)
# Characters that XML documents can contain
TEXT: Option = dict(
    type="str",
    matches=(r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]*", "text without control characters"),
)


# What configuration sources set for the system store
_SYSTEM = ("credentials", "system", "domainCredentials")


@dataclasses.dataclass(frozen=True)
class Store:
    """A store of credentials.

    :ivar folder: full name of its folder, or `None`
    :ivar user: ID of its user, or `None`
    """

    folder: str | None
    user: str | None

    def __str__(self) -> str:
        if self.folder:
            return f"the store of folder '{self.folder}'"
        return f"the store of user '{self.user}'" if self.user else "the system store"

    @property
    def kind(self) -> str:
        """The kind of the store: `system`, `folder` or `user`."""
        return "folder" if self.folder else "user" if self.user else "system"

    @property
    def path(self) -> str:
        """The path of the store."""
        context = ""
        if self.folder:
            context = jobs.job_path(self.folder, "folder")
        elif self.user:
            context = f"/user{encode_path(self.user, option='user')}"
        return f"{context}/credentials/store/{self.kind}"

    def refuse_owned(self, ci: CiService, sources: SharedSources, name: str) -> None:
        """Refuse to change what a configuration source sets.

        :arg name: what is changed
        :raises ToolchainError: if a source sets the store
        """
        if self.kind == "system":
            sources.refuse_owned(ci, _SYSTEM, name)

    def domain_path(self, domain: str | None) -> str:
        """Return the path of a domain.

        :arg domain: name of the domain; `None` for the global domain
        """
        return f"{self.path}/domain{'/_' if domain is None else encode_path(domain, option='domain')}"

    def credential_path(self, domain: str | None, credential_id: str) -> str:
        """Return the path of a credential."""
        return f"{self.domain_path(domain)}/credential{encode_path(credential_id, option='id')}"

    def full_name(self, domain: str | None, credential_id: str) -> str:
        """Return the full name of a credential as Jenkins writes it, such as `team/folder/_/deploy`."""
        owner = self.folder or self.user
        return f"{owner + '/' if owner else ''}{self.kind}/{domain or '_'}/{quote(credential_id, safe='')}"


def select_store(params: dict[str, t.Any]) -> Store:
    """Return the store that the options `folder` and `user` select."""
    return Store(params["folder"], params["user"])


def list_domains(ci: CiService, store: Store) -> dict[str, Record] | None:
    """Return the named domains by name, or `None` if the store does not exist or the account may not view it.

    The store of a user does not support this.
    """
    tree = "domains[urlName,description,credentials[id]]"
    response = ci.view(store.path, tree, accept=(200, 404))
    if response.status == 404:
        return None
    domains = response.record().record("domains")
    return {name: domains.record(name) for name in domains if name != "_"}


def lacks_domain(ci: CiService, store: Store, domain: str | None) -> bool:
    """Return whether a store surely has no such domain. That of a user can hide it."""
    if domain is None or store.user:
        return False
    domains = list_domains(ci, store)
    return domains is not None and domain not in domains


def is_predicted(task: Task, ci: CiService, store: Store) -> bool:
    """Return whether check mode predicts that a store is created, with its folder or with the credentials plugin."""
    has_new_plugin = predicts_plugin(ci, PLUGIN)
    if store.folder and (has_new_plugin or task.predicts_missing) and not has_folder(ci, store):
        return task.predicts_missing
    return has_new_plugin


def explain_missing(ci: CiService, store: Store) -> ToolchainError:
    """Return the error for a store that does not exist or that the account may not view.

    :raises ToolchainError: if the credentials plugin is missing
    """
    require_plugin(ci, PLUGIN, PURPOSE)
    if store.user:
        return ToolchainError(
            f"The credentials in {store} are not accessible: only the user itself can access them. Log in as this "
            "user, and check the name of the domain."
        )
    if store.folder and not has_folder(ci, store):
        return ToolchainError(
            f"Folder '{store.folder}' does not exist, or the account has no Job/Read permission on it."
        )
    reason = "the account has no Credentials/View permission" + (", or it is not a folder" if store.folder else "")
    return ToolchainError(f"The credentials in {store} are not accessible: {reason}. Check the path in 'url' as well.")


def domain_not_found(store: Store, domain: str | None) -> ToolchainError:
    """Return the error for a domain that does not exist."""
    return MissingObject(
        f"Domain '{domain}' does not exist in {store}. Create it with the module ci_credential_domain."
    )


def has_folder(ci: CiService, store: Store) -> bool:
    """Return whether the folder of a store exists and the account may read it."""
    path = jobs.job_path(store.folder or "", "folder")
    return ci.find(path, "name", "name") is not None


def fetch_config(ci: CiService, path: str) -> ET.Element | None:
    """Return the configuration of a credential or domain, or `None` if it does not exist.

    Jenkins sends it in ISO-8859-1 without saying so, with a question mark for each other character.

    :arg path: path of the credential or domain
    :raises UnexpectedResponse: if the response is not XML
    """
    response = ci.http.read("GET", f"{path}/config.xml", accept=(200, 404))
    if response.status == 404:
        return None
    return stored.parse(response, _decode(response))


def to_latin(text: str) -> str:
    """Return a text as Jenkins returns it in a configuration."""
    return text.encode("latin-1", "replace").decode("latin-1")


def has_unknown_text(root: ET.Element) -> bool:
    """Return whether a configuration can have characters that Jenkins replaced by question marks."""
    return any("?" in (element.text or "") for element in root.iter())


def _decode(response: Response) -> str:
    if "charset=" in (response.headers.get("Content-Type") or ""):
        return response.text
    return b"".join(response.chunks()).decode("latin-1")
