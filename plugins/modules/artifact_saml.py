#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_saml
short_description: Manage Artifactory SAML single sign-on
description:
  - Create, update or delete SAML settings of Artifactory. Each setting connects one identity provider, such as Okta or
    Microsoft Entra ID, through which users log in to the user interface.
  - The module compares and changes only the options that are set.
  - To manage several settings in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_saml
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory Pro 7.83.1 or later. Some older versions support only one setting.
  - If SAML is not activated for a JFrog Cloud subscription, a new setting may stay disabled. A task with
    O(enabled=true) then fails.
  - The module reads the current state with one request, regardless of the number of O(items).
  - Artifactory replaces a setting as a whole. The module reads it again immediately before. If another administrator
    changes it between these two requests, the change is lost.
  - An enabled setting is disabled while it is changed, and enabled after everything that was sent is verified. Logins
    with SAML are interrupted for this moment. If the change fails, the setting stays disabled, and the message says so.
    A setting with which the account of the task may log in is changed while it is enabled, with a warning.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description: Name of the setting, which cannot be changed. Required if O(items) is not set.
    type: str
  enabled:
    description: Whether users can log in with the identity provider. The default for a new setting is V(true).
    type: bool
  login_url:
    description:
      - URL of the identity provider to which users are sent to log in. The URL must start with V(http://), V(https://)
        or V({baseUrl}), which stands for the URL of Artifactory.
      - Required if the setting does not exist.
    type: str
  logout_url:
    description:
      - URL to which users are sent to log out, in the same format as O(login_url).
      - Required if the setting does not exist.
    type: str
  service_provider_name:
    description:
      - Name of Artifactory at the identity provider, also known as entity ID. The name is usually a URL.
      - Required if the setting does not exist.
    type: str
  certificate:
    description:
      - X.509 certificate with which the identity provider signs its responses, in PEM format or as the Base64
        content of a PEM file.
      - The module compares the content of the certificate, not its format. The text must not contain a private key or a
        second certificate.
      - Required if the setting does not exist.
    type: str
  verify_audience_restriction:
    description: Whether to accept only responses whose audience is O(service_provider_name). The default for a
      new setting is V(true).
    type: bool
  use_encrypted_assertion:
    description:
      - Whether the identity provider encrypts its assertions. The default for a new setting is V(false).
      - If V(true), download the encryption certificate in the user interface of Artifactory and install it at the
        identity provider.
    type: bool
  auto_user_creation:
    description:
      - Whether Artifactory creates a user at the first login. The default for a new setting is V(true).
      - If V(false), users that do not exist in Artifactory exist only for their session. They have the permissions of
        the groups that new users join automatically.
    type: bool
  allow_user_to_access_profile:
    description: Whether users that Artifactory creates can open their profile page, for example to create tokens. The
      default for a new setting is V(false).
    type: bool
  auto_redirect:
    description:
      - Whether the login page redirects users to O(login_url) immediately. The default for a new setting is V(false).
      - With V(true) and a wrong O(login_url) or O(certificate), no user can log in to the user interface. Test the
        login with V(false) first. To restore access, run this module with O(token) and O(auto_redirect=false).
    type: bool
  sync_groups:
    description: Whether users become members of the groups in O(group_attribute) for their session, in addition to
      their groups in Artifactory. The default for a new setting is V(false).
    type: bool
  group_attribute:
    description: Attribute of the SAML response with the group names of the user. Group names are case-sensitive. An
      empty string removes the attribute.
    type: str
  email_attribute:
    description: Attribute of the SAML response with the email address of the user. An empty string removes the
      attribute.
    type: str
  name_id_attribute:
    description: Attribute of the SAML response with the name of the user. With an empty string, Artifactory uses the
      C(NameID) of the response.
    type: str
  ldap_group_settings:
    description:
      - Names of LDAP group settings whose groups Artifactory synchronizes for SAML users. The list replaces the
        existing one.
      - Requires Artifactory 7.98.0 or later.
    type: list
    elements: str
  allow_lockout:
    description:
      - Whether to allow the deletion or deactivation of an enabled setting if the account of this task logs in with
        SAML.
      - If V(false), the task fails before such a change. It also fails before it sets O(sync_groups=false) if the
        account logs in with SAML and is an administrator only through groups.
      - The task also fails if the module cannot determine the name or the realm of the account, as with O(api_key).
    type: bool
    default: false
  undeclared:
    description:
      - How to treat existing SAML settings that are not in O(items).
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create or update the setting.
      absent: Delete the setting.
  items:
    description:
      - SAML settings to manage, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Each item requires a unique C(name). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      enabled:
        description: Value of O(enabled) for this item.
        type: bool
      login_url:
        description: Value of O(login_url) for this item.
        type: str
      logout_url:
        description: Value of O(logout_url) for this item.
        type: str
      service_provider_name:
        description: Value of O(service_provider_name) for this item.
        type: str
      certificate:
        description: Value of O(certificate) for this item.
        type: str
      verify_audience_restriction:
        description: Value of O(verify_audience_restriction) for this item.
        type: bool
      use_encrypted_assertion:
        description: Value of O(use_encrypted_assertion) for this item.
        type: bool
      auto_user_creation:
        description: Value of O(auto_user_creation) for this item.
        type: bool
      allow_user_to_access_profile:
        description: Value of O(allow_user_to_access_profile) for this item.
        type: bool
      auto_redirect:
        description: Value of O(auto_redirect) for this item.
        type: bool
      sync_groups:
        description: Value of O(sync_groups) for this item.
        type: bool
      group_attribute:
        description: Value of O(group_attribute) for this item.
        type: str
      email_attribute:
        description: Value of O(email_attribute) for this item.
        type: str
      name_id_attribute:
        description: Value of O(name_id_attribute) for this item.
        type: str
      ldap_group_settings:
        description: Value of O(ldap_group_settings) for this item.
        type: list
        elements: str
      allow_lockout:
        description: Value of O(allow_lockout) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_saml_info
  - module: buildworks.toolchain.artifact_oidc
  - module: buildworks.toolchain.artifact_group
"""

EXAMPLES = r"""
- name: Let users log in with Okta
  buildworks.toolchain.artifact_saml:
    name: okta
    login_url: https://idp.example.com/saml/login
    logout_url: https://idp.example.com/saml/logout
    service_provider_name: https://repo.example.com
    certificate: |
      -----BEGIN CERTIFICATE-----
      MIIBizCCATGgAwIBAgIUf3Nm33ID38g5FnQA1aUvJCPOeEMwCgYIKoZIzj0EAwIw
      GjEYMBYGA1UEAwwPaWRwLmV4YW1wbGUuY29tMCAXDTI2MTEyNzA3MDYwNVoYDzIx
      MjYxMTAzMDcwNjA1WjAaMRgwFgYDVQQDDA9pZHAuZXhhbXBsZS5jb20wWTATBgcq
      hkjOPQIBBggqhkjOPQMBBwNCAAR4OQAHY+Gh7JflxyE4JRhLba+s1tfVPYLn85ks
      YzpNYX78sTznM6SMJhNC0HbvZk0E6g5XFeY3gvaT8teVe4IIo1MwUTAdBgNVHQ4E
      FgQU7YwhfSRBrs87RIic29FKciddYUcwHwYDVR0jBBgwFoAU7YwhfSRBrs87RIic
      29FKciddYUcwDwYDVR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiAzP8KH
      IfNN7/kh3AXfqnDNcDHw91E8rxzMQCPf7NQrnAIhAPzbG+MxQIYO/WAao3uIs6bT
      kAwHr0hETTXjtsBhF+vp
      -----END CERTIFICATE-----
    sync_groups: true
    group_attribute: groups
    email_attribute: email

- name: Send users to the identity provider immediately, after the login was tested
  buildworks.toolchain.artifact_saml:
    name: okta
    auto_redirect: true

- name: Manage the complete list of settings, and delete all others
  buildworks.toolchain.artifact_saml:
    items:
      - name: okta
        enabled: true
    undeclared: remove

- name: Delete a setting
  buildworks.toolchain.artifact_saml:
    name: okta
    state: absent
"""

RETURN = r"""
setting:
  description: The SAML setting after the task or, in check mode, as predicted. V(null) if it does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the setting.
      type: str
    enabled:
      description: Whether users can log in with the identity provider.
      type: bool
    login_url:
      description: URL to which users are sent to log in.
      type: str
    logout_url:
      description: URL to which users are sent to log out.
      type: str
    service_provider_name:
      description: Name of Artifactory at the identity provider.
      type: str
    certificate:
      description: Certificate of the identity provider, as Base64 in one line.
      type: str
    verify_audience_restriction:
      description: Whether Artifactory verifies the audience of responses.
      type: bool
    use_encrypted_assertion:
      description: Whether the identity provider encrypts its assertions.
      type: bool
    auto_user_creation:
      description: Whether Artifactory creates a user at the first login.
      type: bool
    allow_user_to_access_profile:
      description: Whether users that Artifactory creates can open their profile page.
      type: bool
    auto_redirect:
      description: Whether the login page redirects users to the identity provider immediately.
      type: bool
    sync_groups:
      description: Whether users become members of the groups in RV(setting.group_attribute) for their session.
      type: bool
    group_attribute:
      description: Attribute of the SAML response with the group names of the user. An empty string if it is not set.
      type: str
    email_attribute:
      description: Attribute of the SAML response with the email address of the user. An empty string if it is not set.
      type: str
    name_id_attribute:
      description: Attribute of the SAML response with the name of the user. An empty string if Artifactory uses the
        C(NameID).
      type: str
    ldap_group_settings:
      description: Names of the LDAP group settings whose groups are synchronized, sorted.
      type: list
      elements: str
  sample:
    name: okta
    enabled: true
    login_url: https://idp.example.com/saml/login
    logout_url: https://idp.example.com/saml/logout
    service_provider_name: https://repo.example.com
    certificate: MIIBtTCCAVugAwIBAgIUKh7d
    verify_audience_restriction: true
    use_encrypted_assertion: false
    auto_user_creation: true
    allow_user_to_access_profile: false
    auto_redirect: false
    sync_groups: true
    group_attribute: groups
    email_attribute: email
    name_id_attribute: ""
    ldap_group_settings: []
undeclared:
  description: Names of the existing SAML settings that are not in O(items), sorted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-idp]
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
    setting:
      description: Value of RV(setting) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import saml
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso.managed_saml import (
    ManagedSetting,
    SharedSettings,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared


def declared_fields(params: Fields) -> Fields:
    return {} if params["state"] == "absent" else saml.parse_options(params)


ITEM = STATE + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **SEGMENT),
        certificate=dict(type="str", unchecked="parsed as a certificate"),
        ldap_group_settings=dict(type="list", elements="str", each_element=NAME),
        allow_lockout=dict(type="bool", default=False),
        **{name: dict(type="bool") for name in saml.FLAGS},
        **{name: dict(type="str", one_line=True) for name in saml.TEXTS},
    ),
    checks=[declared_fields],
)
SPEC = (ARTIFACT + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = SharedSettings()
    process_one_or_items(
        task,
        lambda item_task: reconcile_setting(item_task, shared),
        identity=lambda params: params["name"],
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "SAML settings", items, "name", lambda: shared.list_all(ArtifactService(task))
        ),
    )


def reconcile_setting(task: Task, shared: SharedSettings) -> None:
    setting = ManagedSetting(task, ArtifactService(task), shared, declared_fields(task.params))
    reconcile(
        task,
        "setting",
        read=setting.find,
        desired=setting.desired,
        create=setting.create,
        update=setting.update,
        delete=setting.delete,
        check=setting.check,
        to_result=setting.to_result,
        replaces=True,
        enable_last="enabled",
        may_disable=setting.may_disable,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
