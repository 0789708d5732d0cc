# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The changes of a credential.

Jenkins replaces all members of a credential at once, so each change sends the secrets again. The module never deletes a
credential to create it again, because jobs would fail in between.
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import secrets
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, SharedValues
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.configuration.ownership import SharedSources
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials import credentials, form, stores
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials.form import Declared
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials.stores import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import require_plugin
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import (
    OutcomeUnknown,
    ServerRefusal,
    ToolchainError,
    add_advice,
    join_names,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, find_differences
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task
from ansible_collections.buildworks.toolchain.plugins.module_utils._write_only_secrets import WriteOnlySecrets

# Hashed as bytes, which the fields contain in Base64
_BINARY = ("content", "keystore")
_SERVER_ERROR = 500


class SharedStores:
    """Values that all items of a task share: the credentials of each domain, and hashes of the declared ones.

    :ivar sources: the configuration sources
    """

    def __init__(self, params: Fields) -> None:
        self._values = SharedValues()
        self.sources = SharedSources()
        self._salt = secrets.token_hex(16)
        items = params["items"] if params["items"] is not None else [{}]
        self._places = [(_place_of(params, item), item.get("id") or params["id"]) for item in items]

    @property
    def places(self) -> list[tuple[Store, str | None]]:
        """The stores and domains of the declared credentials."""
        return list(dict.fromkeys(place for place, _id in self._places))

    def credentials(self, task: Task, ci: CiService, store: Store, domain: str | None) -> dict[str, Record]:
        """Return the credentials of a domain by ID, as they were before this task changed one.

        :raises ToolchainError: if the account may not view them, or if the domain does not exist but should
        """
        found = self._values.get(f"credentials {store} {domain}", lambda: _list_existing(task, ci, store, domain))
        if found is None and not task.predicts_missing and task.params["state"] == "present":
            raise stores.domain_not_found(store, domain)
        return found or {}

    def is_current(
        self, ci: CiService, store: Store, domain: str | None, credential_id: str, declared: t.Mapping[str, str]
    ) -> bool:
        """Return whether a credential has these texts and secrets, according to a salted hash of the server.

        :arg declared: texts by field
        :raises ToolchainError: if the script did not find the credential
        """
        ids = {declared_id for place, declared_id in self._places if place == (store, domain)}
        hashes = self._values.get(
            f"hashes {store} {domain}", lambda: credentials.hash_secrets(ci, store, domain, ids, self._salt)
        )
        if credential_id not in hashes:
            raise ToolchainError(
                f"The secret of credential '{credential_id}' cannot be verified: the script on the server did not find "
                "it. Check whether another client changes the credential."
            )
        stored = hashes[credential_id]
        return all(stored.get(name) == self._hash(name, text) for name, text in declared.items())

    def require_plugin(self, ci: CiService, name: str) -> None:
        """Check that a plugin is installed, once for all items."""
        self._values.get(f"plugin {name}", lambda: require_plugin(ci, name, f"{stores.PURPOSE} of this type"))

    def _hash(self, name: str, text: str) -> str | None:
        if name == "passphrase" and not text:
            return None  # Jenkins removes an empty passphrase
        content = base64.b64decode(text) if name in _BINARY else text.encode()
        return hmac.new(self._salt.encode(), content, hashlib.sha256).hexdigest()


class ManagedCredential:
    """The credential that a task manages.

    :arg shared: shared by all items of a task
    :arg declared: the declared credential, `None` if it should be absent
    """

    def __init__(self, task: Task, ci: CiService, shared: SharedStores, declared: Declared | None) -> None:
        self._task, self._ci, self._shared, self._declared = task, ci, shared, declared
        params = task.params
        self._id: str = params["id"]
        self._store, self._domain = stores.select_store(params), params["domain"]
        self._path = self._store.credential_path(self._domain, self._id)
        self._is_read = False
        self._stored: ET.Element | None = None
        self._current: Fields | None = None
        self._body: ET.Element | None = None
        self._is_secret_unknown = False
        # a change of another field sends all secrets, so `on_create` sends them if another field differs
        update = "always" if params["update_secret"] == "always" else "verify"
        self.secrets = WriteOnlySecrets(form.SECRETS, update, self._is_current)

    def find(self) -> Fields | None:
        """Return the fields of the credential, or `None` if it does not exist.

        The first call for an item uses the list of all credentials of the domain.

        :raises ToolchainError: if the account may not view the credential, or if its secret cannot be verified
        """
        if self._is_secret_unknown:
            raise ToolchainError(
                f"Jenkins does not return the secret of credential '{self._id}'. Run the task again with "
                "'update_secret: always'."
            )
        is_first, self._is_read = not self._is_read, True
        if is_first:
            record = self._shared.credentials(self._task, self._ci, self._store, self._domain).get(self._id)
        else:
            record = credentials.find(self._ci, self._path)
        self._stored = None if record is None else stores.fetch_config(self._ci, self._path)
        if record is None or self._stored is None:
            self._current = None
            return None
        current = form.read_fields(self._stored, record.maybe_text("description"), record.maybe_text("displayName"))
        if self._declared:
            self._read_declared(self._declared, self._stored, current, is_first)
        self._current = current
        return current

    def desired(self, before: Fields | None) -> Fields:
        """Return the fields to compare: for a new credential or another type, with default values."""
        if self._declared is None:
            return {}
        is_new = before is None or self._has_other_class(before)
        return self._complete(self._declared).fields if is_new else self._declared.fields

    def check(self, before: Fields | None, fields: Fields | None) -> None:
        """Refuse a change that would be reverted or destroy a secret, and prepare the request.

        :arg fields: the fields to write; `None` for a deletion
        :raises BadOption: if an option is missing
        :raises ToolchainError: if the type would change
        """
        self._store.refuse_owned(self._ci, self._shared.sources, f"credential '{self._id}'")
        if fields is None or self._declared is None:
            return
        declared, params = self._declared, self._task.params
        if before is not None and not self._has_other_class(before) and self._stored is not None:
            self._body = form.merge(declared, self._stored, before, params)
            self._task.result["updated_secrets"] = self.secrets.list_paths(declared.fields)
            return
        if before is not None and not params["allow_type_change"]:
            raise ToolchainError(
                f"Credential '{self._id}' has the class {before['class']}, not {declared.class_name}. To replace it, "
                "set 'allow_type_change: true'. Jobs that use it can then fail."
            )
        form.check_required(params)
        if params["type"] != form.XML:
            self._shared.require_plugin(self._ci, form.TYPES[params["type"]].plugin)
        self._body = self._complete(declared).root
        if before is not None:
            self._task.result["updated_secrets"] = self.secrets.list_paths(declared.fields)

    def create(self, _fields: Fields) -> None:
        """Create the credential."""
        with _explain_server_error():
            credentials.create(self._ci, self._store, self._domain, t.cast(ET.Element, self._body))

    def update(self, fields: Fields) -> None:
        """Replace the credential.

        :arg fields: the fields that differ
        """
        try:
            with _explain_server_error():
                credentials.replace(self._ci, self._path, t.cast(ET.Element, self._body))
        except OutcomeUnknown:
            # other fields are written with the secret, so they show whether it was written
            self._is_secret_unknown = not self.secrets.strip(fields)
            raise

    def delete(self) -> None:
        """Delete the credential."""
        credentials.delete(self._ci, self._path)

    def to_result(self, fields: Fields) -> Fields:
        """Return the credential as the module returns it."""
        return form.to_result(self._task.params, fields)

    def explain_loss(self) -> str:
        """Return which members of the XML the credential does not have as declared, or an empty text."""
        desired, current = (dict(fields.get("members", ())) for fields in (self.desired(None), self._current or {}))
        lost = [f"'{path}'" for path, text in desired.items() if current and current.get(path) != text]
        return f" Jenkins did not keep these elements as declared: {join_names(lost)}." if lost else ""

    def _complete(self, declared: Declared) -> Declared:
        return form.complete_new(declared, self._id, self._store.user)

    def _has_other_class(self, before: Fields) -> bool:
        return self._declared is not None and before["class"] != self._declared.class_name

    def _read_declared(self, declared: Declared, stored: ET.Element, current: Fields, is_first: bool) -> None:
        """Add the fields that depend on the declaration to those of the stored credential."""
        if stored.tag != declared.class_name:
            return
        if declared.fields["type"] == form.XML:
            current.update(type=form.XML, members=form.read_members(stored, declared))
            return
        username = declared.fields.get("username")
        raw = form.read_raw_username(stored)
        if current.get("username", "") is None and username is not None and stores.to_latin(username) == raw:
            self._read_unknown_username(username, current, is_first)

    def _read_unknown_username(self, username: str, current: Fields, is_first: bool) -> None:
        """Compare a user name with characters that Jenkins does not return."""
        if is_first and self._task.params["update_secret"] == "verify":
            is_equal = self._shared.is_current(self._ci, self._store, self._domain, self._id, {"username": username})
            current["username"] = username if is_equal else form.read_raw_username(t.cast(ET.Element, self._stored))
            return
        current["username"] = username
        self._task.warn(
            f"The user name of credential '{self._id}' can have characters that Jenkins does not return. Only its "
            "other characters are compared. To compare all, set 'update_secret: verify'."
        )

    def _is_current(self) -> bool:
        current = self._current or {}
        desired = self.desired(current)
        if find_differences(current, self.secrets.strip(desired)):
            return False
        if self._task.params["update_secret"] != "verify":
            return True
        declared = {name: desired[name] for name in self.secrets.list_paths(desired)}
        return self._shared.is_current(self._ci, self._store, self._domain, self._id, declared)


def list_undeclared(task: Task, ci: CiService, shared: SharedStores, items: t.Sequence[Item]) -> list[Item]:
    """Return an item for each credential that no item declares, in the stores and domains of the items."""
    declared = {(*_place_of(task.params, item), item.get("id") or task.params["id"]) for item in items}
    found = [
        (store, domain, credential_id)
        for store, domain in shared.places
        for credential_id in shared.credentials(task, ci, store, domain)
        if (store, domain, credential_id) not in declared and credential_id
    ]
    undeclared = [
        {"folder": store.folder, "user": store.user, "domain": domain, "id": credential_id}
        for store, domain, credential_id in found
    ]
    task.result["undeclared"] = undeclared
    if found and task.params["undeclared"] == "report":
        names = sorted(store.full_name(domain, credential_id) for store, domain, credential_id in found)
        task.warn(f"These credentials exist, but are not declared: {join_names(names)}.")
    return undeclared


@contextlib.contextmanager
def _explain_server_error() -> t.Iterator[None]:
    """Complete the message of a server error, which does not show the cause."""
    try:
        yield
    except ServerRefusal as refusal:
        if refusal.status != _SERVER_ERROR:
            raise
        advice = "Jenkins could not load the credential. Check that the plugin with its class is installed."
        raise add_advice(refusal, advice) from None


def _place_of(params: Fields, item: Item) -> tuple[Store, str | None]:
    folder, user, domain = (item.get(name) or params[name] for name in ("folder", "user", "domain"))
    return Store(folder, user), domain


def _list_existing(task: Task, ci: CiService, store: Store, domain: str | None) -> dict[str, Record] | None:
    """Return the credentials of a domain by ID, or `None` if the store surely has no such domain."""
    found = credentials.list_all(ci, store, domain)
    if found is not None:
        return found
    if stores.is_predicted(task, ci, store):
        return {}
    if stores.lacks_domain(ci, store, domain):
        return None
    raise stores.explain_missing(ci, store)
