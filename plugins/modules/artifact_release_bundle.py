#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_release_bundle
short_description: Manage Artifactory release bundles
description:
  - Create, promote or delete release bundles (v2) with the JFrog Lifecycle API.
  - A release bundle contains artifacts, which you select by path, by query, by build, or from other release bundles.
  - A version of a release bundle cannot be changed. If it already exists with different contents, the task fails.
  - If O(environment) is set, the module promotes the release bundle, which copies its artifacts to the repositories of
    the environment. A release bundle that has already been promoted to the environment is not promoted again.
  - To manage several release bundles in one task, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_release_bundle
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.wait
  - buildworks.toolchain.state
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires Artifactory 7.63.2 or later with an Enterprise license.
  - Creating a release bundle requires the Read permission on its artifacts. Promoting it requires the Deploy permission
    on the repositories of the environment.
  - Do not promote the same release bundle with several tasks at the same time, because Artifactory would promote it
    more than once.
  - The module deletes only the release bundles that you specify. To delete release bundles by age, use the clean-up
    policies of Artifactory.
  - Tested against the sandbox of this collection. Not tested against a real Artifactory server.
options:
  name:
    description:
      - Name of the release bundle. Required if O(items) is not set.
      - The name may contain letters, digits, underscores, periods and hyphens. It must not start with a period or
        hyphen. Artifactory versions before 7.113 accept at most 128 characters.
    type: str
  version:
    description:
      - Version of the release bundle, as a string. Required if O(items) is not set.
      - The version may contain letters, digits, underscores, periods and hyphens. It must not start with a period or
        hyphen. Artifactory versions before 7.113 accept at most 32 characters.
    type: str
  project:
    description: Key of the project to which the release bundle belongs. If not set, the release bundle is global.
    type: str
  artifacts:
    description:
      - Artifacts of the release bundle.
      - For container images, list only the manifests. Artifactory adds the layers.
      - To create a release bundle, exactly one of O(artifacts), O(aql), O(builds) and O(release_bundles) is required.
        To promote an existing release bundle, all of them are optional.
    type: list
    elements: dict
    suboptions:
      path:
        description: Path of the artifact, beginning with the key of a local or federated repository. Required.
        type: str
      sha256:
        description: SHA-256 checksum that the artifact must have. If not set, the checksum is not verified.
        type: str
  aql:
    description:
      - Query in Artifactory Query Language (AQL) that selects the artifacts. It must have the form
        C(items.find(...)), followed only by C(include), C(sort), C(offset), C(limit), C(distinct) and C(transitive).
      - For an existing release bundle, the module compares the query only if the version of Artifactory returns it.
    type: str
  builds:
    description:
      - Builds whose artifacts the release bundle contains.
      - For an existing release bundle, the module compares the builds only if the version of Artifactory returns them.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the build. Required.
        type: str
      number:
        description: Build number, as a string. Required. If several runs have this number, the newest one is used.
        type: str
      repository:
        description: Key of the repository with the build info. The default is the build-info repository of O(project)
          or, if O(project) is not set, V(artifactory-build-info).
        type: str
      include_dependencies:
        description: Whether the release bundle also contains the dependencies of the build.
        type: bool
        default: false
  release_bundles:
    description:
      - Other release bundles whose artifacts the release bundle contains.
      - For an existing release bundle, the module compares this list only if the version of Artifactory returns it.
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the release bundle. Required.
        type: str
      version:
        description: Version of the release bundle, as a string. Required.
        type: str
      project:
        description: Key of the project of the release bundle. The default is the value of O(project). For a global
          release bundle, specify V(default).
        type: str
  skip_docker_manifest_resolution:
    description: Whether to omit the layers of container images. The default of Artifactory is V(false).
    type: bool
  signing_key:
    description:
      - Name of the key pair with which Artifactory signs the release bundle and its promotion.
      - If not set, Artifactory uses its default key. Early versions of the Lifecycle API require a key.
      - The key of an existing release bundle is not compared.
    type: str
  environment:
    description:
      - Environment to which the release bundle is promoted, such as V(PROD).
      - If a promotion to this environment has been completed before, the release bundle is not promoted again, even if
        the repositories differ.
      - If all promotions to this environment failed, the release bundle is promoted again.
      - If the environment does not exist, nothing is created or promoted. Without the permission to read environments,
        this is not verified.
      - Requires O(wait=true).
    type: str
  included_repository_keys:
    description: Keys of the repositories to which the artifacts are copied. If not set, artifacts are copied to all
      suitable repositories of O(environment). Requires O(environment).
    type: list
    elements: str
  excluded_repository_keys:
    description: Keys of repositories of O(environment) to which no artifacts are copied. Requires O(environment).
    type: list
    elements: str
  overwrite_existing_artifacts:
    description: Whether the promotion overwrites different artifacts that exist at the same path. If V(false), the
      promotion fails if such an artifact exists.
    type: bool
    default: false
  allow_delete_promoted:
    description:
      - Whether O(state=absent) deletes a release bundle that has been promoted. If V(false), the task fails and names
        the environments.
      - A deleted release bundle is not moved to the trash can and cannot be restored.
    type: bool
    default: false
  wait:
    description:
      - Whether to wait until creation, promotion or deletion is complete. This includes operations that are already in
        progress.
      - If V(false), the task ends when the server has accepted the request. If the creation fails later, the next task
        that uses the release bundle reports the failure.
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing artifacts, builds, release bundles, environments,
        repositories and projects.
      - If V(false), check mode fails if one of them is missing. The results of O(aql) are not verified.
      - Ignored outside of check mode.
  state:
    choices:
      present: Create the release bundle if it does not exist, and promote it if O(environment) is set.
      absent: Delete the release bundle.
  items:
    description:
      - Release bundles to manage, each with the options below. Options set outside O(items) are the defaults for all
        items.
      - Each item requires C(name) and C(version). All items are validated before the first request.
      - The items are processed concurrently, so an item must not use the release bundle of another item in
        O(release_bundles).
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      version:
        description: Value of O(version) for this item.
        type: str
      project:
        description: Value of O(project) for this item.
        type: str
      artifacts:
        description: Value of O(artifacts) for this item.
        type: list
        elements: dict
        suboptions:
          path:
            description: Path of the artifact, beginning with the key of a local or federated repository. Required.
            type: str
          sha256:
            description: SHA-256 checksum that the artifact must have.
            type: str
      aql:
        description: Value of O(aql) for this item.
        type: str
      builds:
        description: Value of O(builds) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Name of the build. Required.
            type: str
          number:
            description: Build number, as a string. Required.
            type: str
          repository:
            description: Key of the repository with the build info.
            type: str
          include_dependencies:
            description: Whether the release bundle also contains the dependencies of the build.
            type: bool
            default: false
      release_bundles:
        description: Value of O(release_bundles) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Name of the release bundle. Required.
            type: str
          version:
            description: Version of the release bundle, as a string. Required.
            type: str
          project:
            description: Key of the project of the release bundle.
            type: str
      skip_docker_manifest_resolution:
        description: Value of O(skip_docker_manifest_resolution) for this item.
        type: bool
      signing_key:
        description: Value of O(signing_key) for this item.
        type: str
      environment:
        description: Value of O(environment) for this item.
        type: str
      included_repository_keys:
        description: Value of O(included_repository_keys) for this item.
        type: list
        elements: str
      excluded_repository_keys:
        description: Value of O(excluded_repository_keys) for this item.
        type: list
        elements: str
      overwrite_existing_artifacts:
        description: Value of O(overwrite_existing_artifacts) for this item.
        type: bool
      allow_delete_promoted:
        description: Value of O(allow_delete_promoted) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.artifact_release_bundle_info
  - module: buildworks.toolchain.artifact_build_promotion
  - module: buildworks.toolchain.artifact_image_promotion
"""

EXAMPLES = r"""
- name: Create a release bundle of an artifact
  buildworks.toolchain.artifact_release_bundle:
    name: app
    version: "1.0"
    artifacts:
      - path: generic-local/app/1.0/app-1.0.tar.gz

- name: Create a release bundle of a build and promote it
  buildworks.toolchain.artifact_release_bundle:
    name: app
    version: "1.1"
    builds:
      - name: app
        number: "2"
    environment: DEV
    included_repository_keys: [generic-release-local]

- name: Create a release bundle of a query
  buildworks.toolchain.artifact_release_bundle:
    name: libraries
    version: "2026.1"
    aql: 'items.find({"repo": "libs-release-local", "path": {"$match": "org/acme/*"}})'

- name: Combine release bundles
  buildworks.toolchain.artifact_release_bundle:
    name: platform
    version: "2026.1"
    release_bundles:
      - name: app
        version: "1.1"
      - name: libraries
        version: "2026.1"

- name: Promote an existing release bundle
  buildworks.toolchain.artifact_release_bundle:
    name: app
    version: "1.0"
    environment: DEV
    included_repository_keys: [generic-release-local]

- name: Delete a release bundle, although it has been promoted
  buildworks.toolchain.artifact_release_bundle:
    name: app
    version: "1.0"
    allow_delete_promoted: true
    state: absent
"""

RETURN = r"""
release_bundle:
  description: The release bundle after the task or, in check mode, as predicted. V(null) if the release bundle does not
    exist.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Name of the release bundle.
      type: str
    version:
      description: Version of the release bundle.
      type: str
    project:
      description: Key of the project. An empty string if the release bundle is global.
      type: str
    status:
      description: Status of the creation. V(COMPLETED), or a status such as V(PROCESSING) with O(wait=false).
      type: str
    created:
      description: Time of the creation in UTC (ISO 8601). V(null) if the creation is not complete.
      type: str
    created_by:
      description: User who created the release bundle. V(null) if the creation is not complete.
      type: str
    environments:
      description: Environments to which the release bundle has been promoted, sorted.
      returned: when O(environment) is set
      type: list
      elements: str
    artifacts:
      description: Artifacts of the release bundle, sorted by path.
      returned: when O(artifacts) is set
      type: list
      elements: dict
      contains:
        path:
          description: Path of the artifact, beginning with the key of its repository.
          type: str
        sha256:
          description: SHA-256 checksum of the artifact.
          returned: when O(artifacts[].sha256) is set
          type: str
    aql:
      description: Query that selected the artifacts.
      returned: when O(aql) is set
      type: str
    builds:
      description: Builds of the release bundle, sorted. Each contains C(name), C(number), C(repository) and
        C(include_dependencies).
      returned: when O(builds) is set
      type: list
      elements: dict
    release_bundles:
      description: Release bundles whose artifacts the release bundle contains, sorted. Each contains C(name),
        C(version) and C(project).
      returned: when O(release_bundles) is set
      type: list
      elements: dict
  sample:
    name: app
    version: "1.1"
    project: ""
    status: COMPLETED
    created: "2026-05-01T10:11:12.000Z"
    created_by: ci
    builds: [{name: app, number: "2", repository: artifactory-build-info, include_dependencies: false}]
    environments: [DEV]
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
    release_bundle:
      description: Value of RV(release_bundle) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.release_bundles import managed, sources
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME, SEGMENT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    VISIBILITY,
    WAIT,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

_NAME = dict(
    **NAME,
    matches=(
        "[A-Za-z0-9_][A-Za-z0-9_.-]{0,254}",
        "at most 255 letters, digits, underscores, periods and hyphens, of which the first is no period or hyphen",
    ),
)
_PROJECT = dict(
    **NAME,
    matches=("[a-z][a-z0-9-]{1,31}", "2 to 32 lowercase letters, digits and hyphens, of which the first is a letter"),
)
_PATH = dict(
    **NAME, matches=(r"[^/]+(/(?!\.{1,2}(/|$))[^/]+)+", "the key of a repository and a path, such as 'libs/app.jar'")
)
_SHA256 = dict(**NAME, matches=("[0-9a-fA-F]{64}", "64 hexadecimal digits"))
_ENVIRONMENT = dict(
    **NAME,
    matches=("[a-zA-Z][a-zA-Z0-9-]{1,31}", "2 to 32 letters, digits and hyphens, of which the first is a letter"),
)
_ARTIFACT = dict(path=dict(type="str", **_PATH), sha256=dict(type="str", narrows_scope=True, **_SHA256))
_BUILD = dict(
    name=dict(type="str", **NAME),
    number=dict(type="str", **NAME),
    repository=dict(type="str", narrows_scope=True, **SEGMENT),
    include_dependencies=dict(type="bool", default=False),
)
_BUNDLE = dict(
    name=dict(type="str", **_NAME),
    version=dict(type="str", **_NAME),
    project=dict(type="str", narrows_scope=True, **_PROJECT),
)
_KEYS = dict(type="list", elements="str", narrows_scope=True, no_log=False, each_element=SEGMENT)

ITEM = STATE + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **_NAME),
        version=dict(type="str", required=True, **_NAME),
        project=dict(type="str", narrows_scope=True, **_PROJECT),
        artifacts=dict(type="list", elements="dict", not_empty=True, options=_ARTIFACT),
        aql=dict(
            type="str", not_empty=True, matches=(r"(?s)\s*items\s*\..*", "an AQL query that begins with 'items.'")
        ),
        builds=dict(type="list", elements="dict", not_empty=True, options=_BUILD),
        release_bundles=dict(type="list", elements="dict", not_empty=True, options=_BUNDLE),
        skip_docker_manifest_resolution=dict(type="bool"),
        signing_key=dict(type="str", no_log=False, **NAME, matches=("[ -~]+", "a name of printable ASCII characters")),
        environment=dict(type="str", **_ENVIRONMENT),
        included_repository_keys=dict(**_KEYS, not_empty=True),
        excluded_repository_keys=_KEYS,
        overwrite_existing_artifacts=dict(type="bool", default=False),
        allow_delete_promoted=dict(type="bool", default=False),
    ),
    mutually_exclusive=[sources.SOURCES],
    required_by=dict(included_repository_keys=["environment"], excluded_repository_keys=["environment"]),
    checks=[sources.check],
)
SPEC = (ARTIFACT + PREDICT_MISSING + WAIT + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    process_one_or_items(task, reconcile_release_bundle, identity=managed.identify, name_option="name")


def reconcile_release_bundle(task: Task) -> None:
    bundle = managed.ManagedReleaseBundle(task, ArtifactService(task))
    reconcile(
        task,
        "release_bundle",
        read=bundle.find,
        desired=bundle.desired,
        create=bundle.create,
        update=bundle.update,
        delete=bundle.delete,
        check=bundle.check,
        predict_refusal=bundle.predict_refusal,
        to_result=bundle.to_result,
    )


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
