# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The credentials and domains of a store, as `ci_credential_info` returns them."""

from __future__ import annotations

import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import read_concurrently
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials import (
    credentials,
    domains,
    form,
    stores,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials.stores import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task

_GLOBAL = "_"
# Credentials by domain, `None` for the global one, and ID
Inventory = dict[t.Optional[str], dict[str, Record]]


def read_credentials(task: Task, store: Store) -> Inventory:
    """Return the credentials of the domains that the task selects.

    :raises ToolchainError: if a domain does not exist, or the account may not view it
    """
    ci, selected = CiService(task), task.params["domain"]
    if selected is not None or store.user:
        names = [None if selected in (None, _GLOBAL) else selected]
    else:
        named = stores.list_domains(ci, store)
        if named is None:
            raise stores.explain_missing(ci, store)
        names = [None, *sorted(named)]
    return {name: _list_domain(ci, store, name) for name in names}


def describe_credentials(task: Task, store: Store, inventory: Inventory) -> list[Fields]:
    """Return the credentials, sorted by domain and ID. Credentials that are deleted meanwhile are omitted."""
    selected = task.params["id"]
    found = {
        store.credential_path(domain, name): (domain, name, record)
        for domain, listed in inventory.items()
        for name, record in listed.items()
        if name and selected in (None, name)
    }
    configs = read_concurrently(task, found, lambda item_task, path: stores.fetch_config(CiService(item_task), path))
    results = []
    for path, root in configs.items():
        domain, name, record = found[path]
        fields = form.read_fields(root, record.maybe_text("description"), record.maybe_text("displayName"))
        results.append(form.to_result({"id": name, "domain": domain}, fields))
    return sorted(results, key=lambda result: (result["domain"] or "", result["id"]))


def describe_domains(task: Task, store: Store, inventory: Inventory) -> list[Fields]:
    """Return the named domains, sorted by name."""
    ci = CiService(task)
    names = sorted(name for name in inventory if name is not None)
    return [domains.describe(ci, store, name) for name in names]


def _list_domain(ci: CiService, store: Store, domain: str | None) -> dict[str, Record]:
    found = credentials.list_all(ci, store, domain)
    if found is None:
        if stores.lacks_domain(ci, store, domain):
            raise stores.domain_not_found(store, domain)
        raise stores.explain_missing(ci, store)
    return found
