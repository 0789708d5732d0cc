#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_credential
short_description: Manage Jenkins credentials
description:
  - Create, update or delete Jenkins credentials in the system store, in the store of a folder or in the store of a
    user.
  - The module compares and changes only the options that are set.
  - In a new credential, an option that is not set has the value that Jenkins' own form for a new credential sets.
  - An existing credential is changed in place. The module never deletes a credential to create it again, because jobs
    that use it would fail in between.
  - To manage several credentials concurrently, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_credential
  - buildworks.toolchain.ci
  - buildworks.toolchain.ci_sources
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the plugin C(credentials). The types V(secret_text) and V(secret_file) also require the plugin
    C(plain-credentials). The type V(ssh_key) also requires the plugin C(ssh-credentials).
  - Requires the Credentials/View permission. To create, update or delete a credential, the account also needs the
    Credentials/Create, Credentials/Update or Credentials/Delete permission. O(update_secret=verify) requires the
    Overall/Administer permission.
  - O(username) and O(password) are the login with which the module connects to Jenkins. To set the user name and the
    password of the credential, use O(credential_username) and O(credential_password). Within O(items), these options
    are named O(items[].username) and O(items[].password).
  - If nothing changes, the module sends one request for each store and domain, and one request for each existing
    credential. O(update_secret=verify) adds one request for each store and domain.
  - If the user name of a credential is secret, Jenkins does not return its characters outside of ISO-8859-1. The module
    then compares only the other characters and prints a warning. With O(update_secret=verify), it compares all
    characters.
  - Each update replaces the whole configuration of a credential. If another client changes the credential after the
    module has read it, this change is lost.
  - Tested against the simulated server (sandbox) that comes with this collection. The responses of the sandbox are
    compared with recordings of Jenkins 2.579. The module has not been tested against a real Jenkins server.
options:
  id:
    description: ID of the credential, by which jobs refer to the credential. It is case-sensitive and cannot be
      changed. Required if O(items) is not set.
    type: str
  folder:
    description:
      - Full name of a folder, such as V(team/web). The credential is in the store of this folder, and only jobs in the
        folder can use it.
      - If neither O(folder) nor O(user) is set, the credential is in the system store.
    type: str
  user:
    description:
      - ID of a user. The credential is in the store of this user, which only this user can access. The task must
        therefore log in as this user.
      - Mutually exclusive with O(folder).
    type: str
  domain:
    description:
      - Name of the domain that contains the credential. The domain must exist.
      - If not set, the credential is in the global domain.
    type: str
  type:
    description:
      - Type of the credential. Required if O(state=present).
      - The type of an existing credential is changed only if O(allow_type_change=true).
    type: str
    choices:
      username_password: A user name with a password.
      secret_text: A secret text, such as a token.
      secret_file: A secret file.
      ssh_key: A user name with a private SSH key.
      certificate: A certificate with its private key.
      xml: A credential of any class. O(xml) defines the class and the members.
  allow_type_change:
    description:
      - Whether to replace an existing credential that has another type. If V(false), the task fails if the existing
        credential does not have the type O(type).
      - Jobs that use the credential can fail after its type has changed.
    type: bool
    default: false
  scope:
    description:
      - Where the credential can be used.
      - The default for a new credential is V(user) in the store of a user, and V(global) in all other stores.
      - If O(type=xml), set the scope in O(xml) instead.
    type: str
    choices:
      global: Jenkins itself and jobs can use the credential.
      system: Only Jenkins itself can use the credential, for example to connect agents. This scope is possible only in
        the system store, because jobs can use all credentials of their folder.
      user: Only the user who owns the store can use the credential. This is the only possible scope in the store of a
        user. It is not possible in other stores.
  description:
    description: Description of the credential. An empty string removes the description. If O(type=xml), set the
      description in O(xml) instead.
    type: str
  credential_username:
    description:
      - User name of the credential. Within O(items), this option is named O(items[].username).
      - Requires O(type=username_password) or O(type=ssh_key). It must be set to create a credential of one of these
        types.
    type: str
  username_secret:
    description:
      - Whether Jenkins treats the user name of the credential as a secret. Jenkins masks a secret user name in build
        logs and does not display it.
      - The default for a new credential is V(false).
      - Requires O(type=username_password) or O(type=ssh_key).
    type: bool
  credential_password:
    description:
      - Password of the credential. Within O(items), this option is named O(items[].password).
      - Requires O(type=username_password) or O(type=certificate). It must be set to create a credential of one of these
        types.
      - If O(type=username_password), the password must not be empty.
      - If O(type=certificate), this is the password of the PKCS#12 key store or of the PEM private key. Set an empty
        string if there is no password. Jenkins accepts a wrong password, but then it cannot use the certificate.
    type: str
  secret:
    description: Secret text of the credential. Requires O(type=secret_text). It must be set to create a credential of
      this type.
    type: str
  file_name:
    description: Name of the secret file in the workspace of a build. Requires O(type=secret_file). It must be set to
      create a credential of this type.
    type: str
  content:
    description:
      - Content of the secret file as text. The text is stored in UTF-8.
      - Requires O(type=secret_file). To create a secret file, set exactly one of O(content), O(content_base64) and
        O(src).
    type: str
  content_base64:
    description:
      - Content of the secret file or of the PKCS#12 key store, encoded in Base64.
      - Requires O(type=secret_file) or O(type=certificate). Mutually exclusive with O(content) and O(src).
    type: str
  src:
    description:
      - Path to a file with the secret of the credential. The file must be on the host on which the task runs, by
        default the Ansible controller.
      - If O(type=secret_file), the file is the secret file. If O(type=ssh_key), it contains the private SSH key. If
        O(type=certificate), it contains the PKCS#12 key store. Other types do not support this option.
      - Mutually exclusive with O(content), O(content_base64) and O(private_key).
    type: path
  private_key:
    description:
      - If O(type=ssh_key), this is the private SSH key. To create an SSH key, set O(private_key) or O(src).
      - If O(type=certificate), this is the PEM private key that belongs to O(certificate_chain).
      - Other types do not support this option. Mutually exclusive with O(src).
    type: str
  passphrase:
    description: Passphrase of the private SSH key. An empty string removes the passphrase. Requires O(type=ssh_key).
    type: str
  certificate_chain:
    description:
      - PEM certificates, starting with the certificate that belongs to O(private_key).
      - Requires O(type=certificate) and O(private_key). Mutually exclusive with O(content_base64) and O(src).
      - To create a certificate, set exactly one of O(certificate_chain), O(content_base64) and O(src).
    type: str
  xml:
    description:
      - XML document with the class and the members of the credential, including its secrets in plain text. The name of
        the root element is the Java class.
      - If the document contains an ID, the ID must be equal to O(id).
      - The module compares only the members that the document contains, and keeps all other members. It cannot compare
        secrets and only checks whether they are set.
      - The diff does not show the members, because some of them are secrets.
      - Required if O(type=xml).
    type: str
  update_secret:
    description:
      - When to send the secrets of an existing credential to Jenkins. Jenkins does not return secrets.
      - Jenkins replaces all members of a credential at once. If another option changes, the module therefore sends all
        secrets again, even with V(on_create). RV(updated_secrets) and the diff list these secrets.
      - If the task does not set a secret that must be sent again, the task fails.
    type: str
    choices:
      on_create: Send the secrets when the credential is created or when another option changes.
      always: Send the secrets in each run. A task that sets a secret always reports a change.
      verify: Compare the secrets, and send them only if they differ. For the comparison, a script on the Jenkins
        controller computes hashes with a random salt, so that no secret is transferred. Requires the Overall/Administer
        permission. Not available if O(type=xml).
    default: on_create
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing folders and domains.
      - If V(false), check mode fails if a folder or domain is missing.
      - Ignored outside of check mode.
  undeclared:
    description:
      - Whether to keep, report or delete existing credentials that are not in O(items).
      - This applies only to the stores and domains that O(items) uses. Other stores and domains are not changed.
      - V(report) and V(remove) require O(items) with at least one item. O(items) must then list all credentials of each
        of these stores and domains.
  state:
    choices:
      present: Create the credential, or change it as specified.
      absent: Delete the credential. Jobs that use it fail afterwards.
  items:
    description:
      - Credentials to manage, each with the options below. Options set outside O(items) are the defaults for all items.
      - Each item requires an C(id) that is unique in its store and domain. All items are validated before the first
        request.
    type: list
    elements: dict
    suboptions:
      id:
        description: Value of O(id) for this item.
        type: str
      folder:
        description: Value of O(folder) for this item.
        type: str
      user:
        description: Value of O(user) for this item.
        type: str
      domain:
        description: Value of O(domain) for this item.
        type: str
      type:
        description: Value of O(type) for this item.
        type: str
        choices:
          username_password: Same as O(type=username_password).
          secret_text: Same as O(type=secret_text).
          secret_file: Same as O(type=secret_file).
          ssh_key: Same as O(type=ssh_key).
          certificate: Same as O(type=certificate).
          xml: Same as O(type=xml).
      allow_type_change:
        description: Value of O(allow_type_change) for this item.
        type: bool
      scope:
        description: Value of O(scope) for this item.
        type: str
        choices:
          global: Same as O(scope=global).
          system: Same as O(scope=system).
          user: Same as O(scope=user).
      description:
        description: Value of O(description) for this item.
        type: str
      username:
        description: Value of O(credential_username) for this item.
        type: str
      username_secret:
        description: Value of O(username_secret) for this item.
        type: bool
      password:
        description: Value of O(credential_password) for this item.
        type: str
      secret:
        description: Value of O(secret) for this item.
        type: str
      file_name:
        description: Value of O(file_name) for this item.
        type: str
      content:
        description: Value of O(content) for this item.
        type: str
      content_base64:
        description: Value of O(content_base64) for this item.
        type: str
      src:
        description: Value of O(src) for this item.
        type: path
      private_key:
        description: Value of O(private_key) for this item.
        type: str
      passphrase:
        description: Value of O(passphrase) for this item.
        type: str
      certificate_chain:
        description: Value of O(certificate_chain) for this item.
        type: str
      xml:
        description: Value of O(xml) for this item.
        type: str
      update_secret:
        description: Value of O(update_secret) for this item.
        type: str
        choices:
          on_create: Same as O(update_secret=on_create).
          always: Same as O(update_secret=always).
          verify: Same as O(update_secret=verify).
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.ci_credential_domain
  - module: buildworks.toolchain.ci_credential_info
"""

EXAMPLES = r"""
- name: Create the login for a registry
  buildworks.toolchain.ci_credential:
    id: registry
    type: username_password
    description: Login of the image registry
    credential_username: deploy
    credential_password: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/registry.password') }}"

- name: Keep a token up to date without sending it in each run
  buildworks.toolchain.ci_credential:
    id: api-token
    type: secret_text
    secret: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/api.token') }}"
    update_secret: verify

- name: Create the SSH key that connects agents
  buildworks.toolchain.ci_credential:
    id: agents
    type: ssh_key
    scope: system
    credential_username: jenkins
    private_key: "{{ agent_key }}"
  vars:
    agent_key: the text of the key, encrypted with Ansible Vault

- name: Create the exact credentials of the system store
  buildworks.toolchain.ci_credential:
    items:
      - id: registry
        type: username_password
        username: deploy
        password: "{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/registry.password') }}"
      - id: settings
        type: secret_file
        file_name: settings.xml
        content: "<settings/>"
    undeclared: remove

- name: Create a credential of another class
  buildworks.toolchain.ci_credential:
    id: legacy
    type: xml
    xml: |
      <org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl>
        <scope>GLOBAL</scope>
        <secret>{{ lookup('ansible.builtin.password', ansible_facts.env.HOME ~ '/legacy.token') }}</secret>
      </org.jenkinsci.plugins.plaincredentials.impl.StringCredentialsImpl>

- name: Delete a credential
  buildworks.toolchain.ci_credential:
    id: registry
    state: absent
"""

RETURN = r"""
credential:
  description: State of the credential after the task or, in check mode, the predicted state. It does not contain
    secrets. V(null) if the credential does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    id:
      description: ID of the credential.
      type: str
    domain:
      description: Name of the domain that contains the credential. V(null) if it is in the global domain.
      type: str
    type:
      description: Type of the credential, one of the choices of O(type). V(xml) if no other type matches the class of
        the credential.
      type: str
    class:
      description: Name of the Java class of the credential.
      type: str
    scope:
      description: Scope of the credential, one of the choices of O(scope). V(null) if the credential has no scope,
        which has the same effect as V(global).
      type: str
    description:
      description: Description of the credential. An empty string if it has no description.
      type: str
    username:
      description: User name of the credential. If it is secret and contains characters outside of ISO-8859-1, Jenkins
        does not return these characters. The value is then V(null), unless the task sets the user name.
      returned: when the type is V(username_password) or V(ssh_key)
      type: str
    username_secret:
      description: Whether Jenkins treats the user name of the credential as a secret.
      returned: when the type is V(username_password) or V(ssh_key)
      type: bool
    file_name:
      description: Name of the secret file in the workspace of a build.
      returned: when the type is V(secret_file)
      type: str
    certificate_format:
      description: Format of the certificate. V(pkcs12) for a PKCS#12 key store, V(pem) for PEM certificates, V(null)
        for any other format.
      returned: when the type is V(certificate)
      type: str
  sample:
    id: registry
    domain:
    type: username_password
    class: com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl
    scope: global
    description: Login of the image registry
    username: deploy
    username_secret: false
updated_secrets:
  description: Names of the secrets that were written to an existing credential, such as V(password), or would be
    written in check mode. An empty list if the credential is new or no secret was written.
  returned: success, when O(items) is not set
  type: list
  elements: str
  sample: []
undeclared:
  description:
    - Existing credentials that are not in O(items), but in a store and domain that O(items) uses. Each entry has the
      keys C(folder), C(user), C(domain) and C(id).
    - C(folder) is V(null) if the store does not belong to a folder. C(user) is V(null) if the store does not belong to
      a user. C(domain) is V(null) for the global domain.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: dict
  sample: [{folder: team, user: null, domain: null, id: old-token}]
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Number of items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Number of items that were already in the desired state.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Number of items with an unknown outcome, because the response was lost or the task was interrupted.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 120, ok: 4879, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items), without options that are not set.
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server or, in check mode, would change anything. V(true) is
        also possible for a failed item, if a part of the change took effect.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    credential:
      description: State of the credential after the item was processed or, in check mode, the predicted state. It has
        the same keys as RV(credential).
      type: dict
    updated_secrets:
      description: Names of the secrets that were written to an existing credential for this item, or would be written
        in check mode.
      type: list
      elements: str
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials import form, managed, stores
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_SECRET: Option = dict(**stores.TEXT, no_log=True)
_KEY: Option = dict(**_SECRET, not_empty=True)
_NAMES = dict(credential_username="username", credential_password="password")
ITEM = STATE + ArgumentSpec(
    dict(
        id=dict(stores.ID, required=True),
        folder=dict(stores.FOLDER, narrows_scope=True),
        user=dict(stores.USER, narrows_scope=True),
        domain=dict(stores.DOMAIN, narrows_scope=True),
        type=dict(type="str", choices=[*form.TYPES, form.XML], refused_with_undeclared=True),
        allow_type_change=dict(type="bool", default=False),
        scope=dict(type="str", choices=["global", "system", "user"], narrows_scope=True, refused_with_undeclared=True),
        description=stores.TEXT,
        credential_username=dict(type="str", one_line=True),
        username_secret=dict(type="bool", no_log=False),
        credential_password=_SECRET,
        secret=_KEY,
        file_name=dict(type="str", **NAME),
        content=dict(type="str", no_log=True, unchecked="a file may contain any text"),
        content_base64=dict(type="str", no_log=True, unchecked="checked when it is parsed"),
        src=dict(type="path", not_empty=True),
        private_key=_KEY,
        passphrase=_SECRET,
        certificate_chain=dict(**stores.TEXT, not_empty=True),
        xml=dict(type="str", no_log=True, unchecked="checked when it is parsed"),
        update_secret=dict(type="str", choices=["on_create", "always", "verify"], default="on_create", no_log=False),
    ),
    mutually_exclusive=[("folder", "user"), ("content", "content_base64", "src"), ("src", "private_key")],
)
SPEC = (CI + PREDICT_MISSING + PREDICTED_PLUGINS + UNDECLARED + VISIBILITY) + with_items(ITEM, **_NAMES)


def run(task: Task) -> None:
    for item in task.params["items"] or ():  # the options of the connection have the same names
        for name, inner_name in _NAMES.items():
            item[name] = item.pop(inner_name, None)
    shared = managed.SharedStores(task.params)
    process_one_or_items(
        task,
        lambda item_task: reconcile_credential(item_task, shared),
        check=form.parse_options,
        identity=lambda params: (params["folder"], params["user"], params["domain"], params["id"]),
        name_option="id",
        expand_all=lambda items: append_undeclared(task, shared, items),
    )


def append_undeclared(task: Task, shared: managed.SharedStores, items: list[Item]) -> list[Item]:
    if task.params["undeclared"] == "keep":
        return items
    undeclared = managed.list_undeclared(task, CiService(task), shared, items)
    if task.params["undeclared"] == "report":
        return items
    return [*items, *({**credential, "state": "absent"} for credential in undeclared)]


def reconcile_credential(task: Task, shared: managed.SharedStores) -> None:
    declared = form.parse_options(task.params, task.register_secret)
    credential = managed.ManagedCredential(task, CiService(task), shared, declared)
    task.result["updated_secrets"] = []
    reconcile(
        task,
        "credential",
        read=credential.find,
        desired=credential.desired,
        create=credential.create,
        update=credential.update,
        delete=credential.delete,
        check=credential.check,
        to_result=credential.to_result,
        explain_shortfall=credential.explain_loss,
        replaces=True,
        secrets=credential.secrets,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
