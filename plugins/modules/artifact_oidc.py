#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_oidc
short_description: Manage Artifactory OIDC providers of CI pipelines
description:
  - Create, update or delete OIDC providers of Artifactory with their identity mappings. Pipelines of GitHub Actions,
    GitLab or Jenkins exchange an OIDC token for a short-lived access token. They need no stored password.
  - The module compares and changes only the options that are set, and writes only the mappings that differ.
  - The module first deletes mappings, then updates the provider, and finally creates and updates mappings. If the task
    fails in between, the next run completes the change.
  - To manage several providers concurrently, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_oidc
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.purge
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions. Set O(token), because the server may accept only access tokens for this API.
  - Requires Artifactory 7.73.1 or later. According to JFrog, an Enterprise X or Enterprise+ license is also required.
  - Reading the current state of one provider takes one request, plus one if O(identity_mappings) is set. With
    O(items), one request reads all providers.
  - Mappings whose scope grants roles belong to the project of the roles. A mapping cannot be moved to another project.
    Create a mapping with another name instead.
  - The module reads the mappings of the provider's project or, if the provider is global, the global mappings. It also
    reads the mappings of the projects whose roles O(identity_mappings) grant. Mappings of other projects are kept, even
    with O(purge=true).
  - In check mode, the task fails if O(project) does not exist, unless O(predict_missing=true).
  - If a user, group or role of a mapping does not exist, Artifactory may accept the mapping, but issue no tokens to the
    pipelines.
  - Artifactory replaces a provider and each mapping as a whole. The module reads them again immediately before. If
    another administrator changes one of them between these two requests, the change is lost.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description:
      - Name of the provider, which cannot be changed. Required if O(items) is not set. Pipelines specify this name when
        they exchange their token.
      - The name consists of 2 to 255 lowercase letters, digits and hyphens, and starts with a letter.
    type: str
  description:
    description: Description of the provider. An empty string removes the description.
    type: str
  issuer_url:
    description:
      - URL of the provider. The URL must start with V(https://). Artifactory finds the public keys of the provider
        through C(/.well-known/openid-configuration) below this URL. Required if the provider does not exist.
      - With O(provider_type=github), the URL must start with V(https://token.actions.githubusercontent.com) and must
        not end with V(/). With other types, the module warns about V(/) at the end, because Artifactory may be unable
        to read the keys then.
    type: str
  provider_type:
    description: Type of the provider, which cannot be changed. Required if the provider does not exist.
    type: str
    choices:
      github: GitHub Actions on github.com.
      github_enterprise: GitHub Actions on GitHub Enterprise.
      azure: Microsoft Entra ID, for example of Azure DevOps.
      generic: Any other provider, such as GitLab, Jenkins or Okta.
  audience:
    description: Audience (claim C(aud)) that tokens must have. Pipelines specify the audience when they request their
      token. An empty string removes the audience.
    type: str
  organization:
    description:
      - GitHub organization whose workflows may get tokens. An empty string removes the organization.
      - For GitHub, recent versions of Artifactory require an organization unless
        O(enable_permissive_configuration=true).
    type: str
  project:
    description:
      - Key of the project to which the provider belongs. If it is not set when the provider is created, the
        provider is global.
      - The project of an existing provider cannot be changed.
    type: str
  token_issuer:
    description: Issuer in the tokens (claim C(iss)), if it differs from O(issuer_url). Requires
      O(provider_type=generic) or O(provider_type=azure). An empty string removes the issuer.
    type: str
  azure_app_id:
    description: ID of the Azure application, if the application has its own signing keys. Requires
      O(provider_type=azure). An empty string removes the ID.
    type: str
  use_default_proxy:
    description: Whether Artifactory connects to the provider through its default proxy. The default for a new
      provider is V(false).
    type: bool
  enable_permissive_configuration:
    description:
      - Whether to accept workflows of all GitHub organizations. The claims of O(identity_mappings) are then the
        only restriction. The default for a new provider is V(false).
      - Requires O(provider_type=github) or O(provider_type=github_enterprise).
    type: bool
  identity_mappings:
    description:
      - Identity mappings of the provider. A mapping defines which access token Artifactory issues to pipelines whose
        OIDC token has certain claims.
      - In existing mappings, suboptions that are not set are not changed. Mappings that are not listed are kept unless
        O(purge=true).
      - A mapping requires at least one of O(identity_mappings[].username), O(identity_mappings[].username_pattern),
        O(identity_mappings[].groups_pattern) and O(identity_mappings[].scope).
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - Name of the mapping, which cannot be changed. Required.
          - The name has at most 255 characters. It must not contain spaces or special characters other than V(-) and
            V(_).
        type: str
      description:
        description: Description of the mapping. An empty string removes the description.
        type: str
      priority:
        description: Priority of the mapping, at least V(1). If several mappings match, Artifactory uses the one with
          the lowest number, so give the strictest mapping the number V(1). Required if the mapping does not exist.
        type: int
      claims:
        description:
          - >-
            Claims that a token must have, such as V({repository: acme/shop, ref: refs/heads/main}). The values may
            contain the wildcard V(*). Required if the mapping does not exist.
          - The dictionary replaces all existing claims of the mapping.
          - The type of a value matters. If the provider sends a number or V(true) as a string, put the value in quotes.
          - Unless O(allow_any_token=true), at least one claim other than C(iss) and C(aud) must have a value other than
            V(*).
        type: dict
      username:
        description:
          - Name of the user for whom Artifactory issues the token. An empty string removes the user name.
          - Mutually exclusive with O(identity_mappings[].username_pattern). Setting the name removes an existing
            pattern, and vice versa.
        type: str
      username_pattern:
        description:
          - Pattern that derives the name of the user from claims. Put names of claims, such as C(actor), in double
            braces. An empty string removes the pattern. Requires Artifactory 7.95.0 or later.
          - O(identity_mappings[].claims) must ensure that only trusted pipelines match, because pipelines control the
            values of some claims.
          - To keep Ansible from evaluating the braces, mark the text with C(!unsafe), or use the C(raw) tag as in the
            examples.
        type: str
      groups_pattern:
        description: Pattern that derives the names of groups from claims. Put names of claims in double braces. An
          empty string removes the pattern. Requires Artifactory 7.95.0 or later.
        type: str
      scope:
        description:
          - Scope of the token. Separate several scopes with spaces. An empty string removes the scope.
          - V(applied-permissions/user) grants the permissions of the user,
            V(applied-permissions/groups:"deployers","readers") those of groups, and
            V(applied-permissions/roles:web:"Developer") those of roles in the project V(web).
          - V(applied-permissions/admin) requires O(allow_admin_scope=true).
        type: str
      audience:
        description: JFrog services that accept the token, separated by spaces, such as V(jfrt@*) for Artifactory. The
          default for a new mapping is V(*@*), which stands for all services. The order is ignored, so that an
          existing order is kept.
        type: str
      expires_in:
        description: Lifetime of the token in seconds, at least V(60). The default for a new mapping is V(60). The
          server limits the lifetime, by default to V(86400).
        type: int
  allow_any_token:
    description:
      - Whether to allow mappings that accept every token of the provider, because their claims are empty or restrict
        nothing.
      - If V(false), the task fails before the first request.
      - Anyone can obtain tokens from github.com and gitlab.com. With V(false), new and changed mappings of these
        providers must therefore also identify the owner of the pipelines, for example with the claim C(repository) or
        C(namespace_path). For GitHub, O(organization) is sufficient.
      - If a task removes this restriction from an existing provider, all mappings of the provider are verified.
    type: bool
    default: false
  allow_admin_scope:
    description: Whether to allow mappings with the scope V(applied-permissions/admin), which grants administrator
      permissions on the platform to pipelines. If V(false), the task fails before the first request.
    type: bool
    default: false
  purge:
    description: Whether to delete identity mappings that are not in O(identity_mappings). Ignored if
      O(identity_mappings) is not set.
  undeclared:
    description:
      - How to treat existing providers that are not in O(items).
      - V(report) and V(remove) require O(items) with at least one item.
  state:
    choices:
      present: Create or update the provider.
      absent: Delete the provider with all its mappings.
  items:
    description:
      - Providers to manage, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Each item requires a unique C(name). All items are validated before the first request.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      description:
        description: Value of O(description) for this item.
        type: str
      issuer_url:
        description: Value of O(issuer_url) for this item.
        type: str
      provider_type:
        description: Value of O(provider_type) for this item.
        type: str
        choices:
          github: Same as O(provider_type=github).
          github_enterprise: Same as O(provider_type=github_enterprise).
          azure: Same as O(provider_type=azure).
          generic: Same as O(provider_type=generic).
      audience:
        description: Value of O(audience) for this item.
        type: str
      organization:
        description: Value of O(organization) for this item.
        type: str
      project:
        description: Value of O(project) for this item.
        type: str
      token_issuer:
        description: Value of O(token_issuer) for this item.
        type: str
      azure_app_id:
        description: Value of O(azure_app_id) for this item.
        type: str
      use_default_proxy:
        description: Value of O(use_default_proxy) for this item.
        type: bool
      enable_permissive_configuration:
        description: Value of O(enable_permissive_configuration) for this item.
        type: bool
      identity_mappings:
        description: Value of O(identity_mappings) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Value of O(identity_mappings[].name) for this item.
            type: str
          description:
            description: Value of O(identity_mappings[].description) for this item.
            type: str
          priority:
            description: Value of O(identity_mappings[].priority) for this item.
            type: int
          claims:
            description: Value of O(identity_mappings[].claims) for this item.
            type: dict
          username:
            description: Value of O(identity_mappings[].username) for this item.
            type: str
          username_pattern:
            description: Value of O(identity_mappings[].username_pattern) for this item.
            type: str
          groups_pattern:
            description: Value of O(identity_mappings[].groups_pattern) for this item.
            type: str
          scope:
            description: Value of O(identity_mappings[].scope) for this item.
            type: str
          audience:
            description: Value of O(identity_mappings[].audience) for this item.
            type: str
          expires_in:
            description: Value of O(identity_mappings[].expires_in) for this item.
            type: int
      allow_any_token:
        description: Value of O(allow_any_token) for this item.
        type: bool
      allow_admin_scope:
        description: Value of O(allow_admin_scope) for this item.
        type: bool
      purge:
        description: Value of O(purge) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_oidc_info
  - module: buildworks.toolchain.artifact_saml
  - module: buildworks.toolchain.artifact_permission
  - module: buildworks.toolchain.access_token
"""

EXAMPLES = r"""
- name: Let the main branch of a GitHub repository deploy
  buildworks.toolchain.artifact_oidc:
    name: github
    issuer_url: https://token.actions.githubusercontent.com
    provider_type: github
    audience: artifactory
    organization: acme
    identity_mappings:
      - name: shop-release
        priority: 1
        claims:
          repository: acme/shop
          ref: refs/heads/main
        scope: applied-permissions/groups:"deployers"
        expires_in: 600
    purge: true

- name: Let GitLab pipelines of a group act as the users who started them
  buildworks.toolchain.artifact_oidc:
    name: gitlab
    issuer_url: https://gitlab.example.com
    provider_type: generic
    audience: https://repo.example.com
    identity_mappings:
      - name: acme-main
        priority: 1
        claims:
          namespace_path: acme
          ref_protected: "true"
        username_pattern: "{% raw %}{{user_login}}{% endraw %}"
        scope: applied-permissions/user

- name: Manage several providers, and delete all others
  buildworks.toolchain.artifact_oidc:
    items:
      - name: github
      - name: jenkins
        issuer_url: https://ci.example.com/oidc
        provider_type: generic
    undeclared: remove

- name: Delete a provider
  buildworks.toolchain.artifact_oidc:
    name: jenkins
    state: absent
"""

RETURN = r"""
provider:
  description: The OIDC provider after the task or, in check mode, as predicted. V(null) if it does not exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the provider.
      type: str
    description:
      description: Description of the provider. An empty string if it has no description.
      type: str
    issuer_url:
      description: URL of the provider.
      type: str
    provider_type:
      description: Type of the provider, such as V(github) or V(generic). A type that the module does not know is
        returned as the server reports it.
      type: str
    audience:
      description: Audience that tokens must have. An empty string if it is not set.
      type: str
    organization:
      description: GitHub organization whose workflows may get tokens. An empty string if it is not set.
      type: str
    project:
      description: Key of the project. An empty string if the provider is global.
      type: str
    token_issuer:
      description: Issuer in the tokens, if it differs from the URL. An empty string if it is not set.
      type: str
    azure_app_id:
      description: ID of the Azure application. An empty string if it is not set.
      type: str
    use_default_proxy:
      description: Whether Artifactory connects to the provider through its default proxy.
      type: bool
    enable_permissive_configuration:
      description: Whether workflows of all GitHub organizations are accepted.
      type: bool
    identity_mappings:
      description: Identity mappings of the provider, sorted by name. V(null) if O(identity_mappings) is not set.
      type: list
      elements: dict
      contains:
        name:
          description: Name of the mapping.
          type: str
        description:
          description: Description of the mapping. An empty string if it has no description.
          type: str
        priority:
          description: Priority of the mapping. The lowest number takes precedence.
          type: int
        claims:
          description: Claims that an OIDC token must have.
          type: dict
        username:
          description: Name of the user for whom Artifactory issues the token. An empty string if it is not set.
          type: str
        username_pattern:
          description: Pattern that derives the name of the user from claims. An empty string if it is not set.
          type: str
        groups_pattern:
          description: Pattern that derives the names of groups from claims. An empty string if it is not set.
          type: str
        scope:
          description: Scope of the access token. An empty string if it is not set.
          type: str
        audience:
          description: JFrog services that accept the token, sorted and separated by spaces.
          type: str
        expires_in:
          description: Lifetime of the access token in seconds.
          type: int
  sample:
    name: github
    description: Workflows of acme
    issuer_url: https://token.actions.githubusercontent.com
    provider_type: github
    audience: artifactory
    organization: acme
    project: ""
    token_issuer: ""
    azure_app_id: ""
    use_default_proxy: false
    enable_permissive_configuration: false
    identity_mappings:
      - name: shop-release
        description: ""
        priority: 1
        claims: {ref: refs/heads/main, repository: acme/shop}
        username: ""
        username_pattern: ""
        groups_pattern: ""
        scope: applied-permissions/groups:"deployers"
        audience: "*@*"
        expires_in: 600
undeclared:
  description: Names of the existing OIDC providers that are not in O(items), sorted. If O(provider_type) is set beside
    O(items), only providers of this type.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-ci]
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
    provider:
      description: Value of RV(provider) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso import providers
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.sso.managed_provider import (
    ManagedProvider,
    SharedProviders,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    PURGE,
    STATE,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared,
    deletions_first,
)

_NAME = dict(
    **NAME,
    matches=("[a-z][a-z0-9-]{1,254}", "2 to 255 lowercase letters, digits and hyphens, of which the first is a letter"),
)
_MAPPING_NAME = dict(
    **NAME,
    matches=(
        r"[^\s!@#$%^&*()+={}\[\]:;'\"<>,./?~`|\\]{1,255}",
        "1 to 255 characters without spaces and special characters other than '-' and '_'",
    ),
)
_DESCRIPTION: Option = dict(type="str", unchecked="a description may be any text")
_MAPPING: dict[str, Option] = dict(
    name=dict(type="str", **_MAPPING_NAME),
    description=_DESCRIPTION,
    priority=dict(type="int", at_least=1, at_most=2**31 - 1),
    claims=dict(type="dict", text_values=True, narrows_scope=True, unchecked="checked when it is parsed"),
    username=dict(type="str", one_line=True, narrows_scope=True),
    username_pattern=dict(type="str", one_line=True, narrows_scope=True),
    groups_pattern=dict(type="str", one_line=True, narrows_scope=True),
    scope=dict(type="str", one_line=True, narrows_scope=True),
    audience=dict(type="str", narrows_scope=True, **NAME),
    expires_in=dict(type="int", narrows_scope=True, at_least=60, at_most=2**31 - 1),
)


def declared_fields(params: Fields) -> Fields:
    return {} if params["state"] == "absent" else providers.parse_options(params)


ITEM = (PURGE + STATE) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **_NAME),
        description=_DESCRIPTION,
        issuer_url=dict(type="str", **NAME),
        provider_type=dict(type="str", choices=list(providers.PROVIDER_TYPES), narrows_scope=True),
        audience=dict(type="str", one_line=True, narrows_scope=True),
        organization=dict(type="str", one_line=True, narrows_scope=True),
        project=dict(type="str", one_line=True, narrows_scope=True, refused_with_undeclared=True),
        token_issuer=dict(type="str", no_log=False, one_line=True, narrows_scope=True),
        azure_app_id=dict(type="str", one_line=True, narrows_scope=True),
        **{name: dict(type="bool") for name in providers.FLAGS},
        identity_mappings=dict(type="list", elements="dict", options=_MAPPING),
        allow_any_token=dict(type="bool", no_log=False, default=False),
        allow_admin_scope=dict(type="bool", default=False),
    ),
    checks=[declared_fields],
)
SPEC = (ARTIFACT + PREDICT_MISSING + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = SharedProviders()
    process_one_or_items(
        task,
        lambda item_task: reconcile_provider(item_task, shared),
        identity=lambda params: params["name"],
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "OIDC providers", items, "name", lambda: shared.list_selected(task)
        ),
        level_of=deletions_first(task),
    )


def reconcile_provider(task: Task, shared: SharedProviders) -> None:
    provider = ManagedProvider(task, ArtifactService(task), shared, declared_fields(task.params))
    reconcile(
        task,
        "provider",
        read=provider.find,
        desired=provider.desired,
        create=provider.create,
        update=provider.update,
        delete=provider.delete,
        check=provider.check,
        predict_refusal=provider.predict_refusal,
        to_result=provider.to_result,
        replaces=True,
        grants_access=True,
        cumulative=task.params["purge"],
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
