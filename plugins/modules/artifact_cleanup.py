#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_cleanup
short_description: Delete old Artifactory artifacts by rules
description:
  - Select artifacts in Artifactory by rules, check the plan against limits, delete the artifacts and verify that they
    no longer exist.
  - An artifact is deleted if at least one rule selects it, no rule keeps it, and deleting it is safe. The notes define
    when a rule selects or keeps an artifact and when deleting it is safe.
  - In check mode, the task returns the plan and deletes nothing. O(plan_file) writes the plan to a file that a person
    can read, shorten and approve. A later task with O(from_plan) deletes only the items in the file.
  - Each artifact is verified again shortly before its deletion. An artifact that no longer meets all conditions is
    kept, and RV(outcomes) has the reason.
  - The module reads artifacts page by page, so memory usage does not depend on their number. It stores the plan in a
    database on disk, in the directory for temporary files or in O(state_file). This database needs about 300 bytes for
    each artifact to which a rule applies.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_cleanup
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - "Definition of an artifact: in repositories of the package types V(docker), V(oci) and V(helmoci), each tag is an
    artifact. In all other repositories (V(generic), V(maven), V(npm) and so on), each file is an artifact. For example,
    a Maven POM, its JAR file and C(maven-metadata.xml) are three artifacts."
  - "The folder of a file is its path up to the last slash, and V(.) in the root of the repository. Its name is the rest
    of the path."
  - "Definition of a tag: a folder that directly contains a file C(manifest.json) or C(list.manifest.json). The name of
    the folder is the tag, and the path of its parent folder is the image. A manifest in the root of the repository, or
    in a folder without a parent folder, does not define a tag. Folders whose name begins with V(sha256:) or V(sha256__)
    are not tags either. Files that belong to no tag are never deleted in these repositories."
  - "The times, properties, downloads and checksum of a tag are those of its manifest. Its size is the total size of all
    files directly in its folder."
  - "The time of an artifact is its creation or its last modification, whichever is later, in milliseconds."
  - "A rule applies to an artifact if O(rules[].repos), O(rules[].exclude_repos), O(rules[].package_type),
    O(rules[].paths), O(rules[].exclude_paths), O(rules[].names), O(rules[].exclude_names) and O(rules[].properties) all
    match. An option that is not set matches everything."
  - "A rule selects an artifact if the rule applies to it and it meets all of O(rules[].older_than),
    O(rules[].not_downloaded_since) and O(rules[].larger_than) that are set. With O(rules[].keep_newest), the artifact
    must also be in at least one group, and it must not be among the newest of any of its groups."
  - "A rule keeps an artifact if the rule applies to it and the artifact has one of O(rules[].keep_properties) or is
    among the newest of at least one of its groups, regardless of its age and size. An artifact that any rule keeps is
    not deleted, even if other rules select it. An artifact that a rule merely excludes, for example by
    O(rules[].exclude_names), can still be selected by another rule."
  - "An artifact that several rules select is counted for the first of these rules in the list."
  - "All patterns match the whole string and are case-sensitive. V(*) matches any sequence of characters, including
    slashes and the empty sequence. V(?) matches exactly one character. All other characters match themselves."
  - Deleting a tag is not safe if its folder contains a folder, both kinds of manifests, or a file that does not belong
    to a tag. Only the manifest and files named V(sha256__) followed by 64 lower-case hexadecimal digits, optionally
    with the suffix V(.marker), belong to a tag. For example, the tag V(web) of the image V(team) cannot be deleted
    safely if there is an image V(team/web). Such tags are kept and listed in RV(unsafe). O(rules[].keep_newest) counts
    them like other tags.
  - "Unsafe names: an artifact is never selected, and not counted in O(rules[].keep_newest), if Artifactory would
    interpret its path as another item. This applies if its repository, path or name contains a double quote, a control
    character, a line separator (U+2028, U+2029, U+0085) or an unpaired surrogate, if its folder or name begins with
    white space, or if its path contains V(!) or V(;), ends with V(:properties) or ends with white space. For a tag,
    both the path of the tag and the path of its manifest are checked."
  - "Before each deletion, the module verifies again that the artifact exists; that its checksum, size, time and last
    download are those in the plan; that the rule still selects it by repository, folder, name, properties, age,
    download and size; that no rule keeps it by O(rules[].keep_properties); and that deleting a tag is still safe. An
    artifact that cannot be verified is kept."
  - "With O(from_plan), and when an interrupted task continues with O(state_file), the newest artifacts of each group
    are determined again before the first deletion. A planned artifact that is now among them is kept. A task that
    creates the plan itself determines them once."
  - The last download in the plan is compared with the current one, so that clock differences between machines do not
    matter. Artifactory records downloads with a delay.
  - Up to 200 artifacts are verified at a time, each of them at most one minute before its deletion.
  - Requires Artifactory Pro, because the open-source edition cannot sort queries.
  - Requires the Read and Delete permissions on the artifacts. O(clean_trash=true) requires an administrator account.
  - Artifacts that the account may not read are not selected, and not counted in O(rules[].keep_newest).
  - Ages are relative to the start of the task that creates the plan, according to the clock of the host where the
    module runs.
  - If Ansible is killed (SIGKILL), the process that deletes artifacts detects it before the next artifact and stops.
    Only artifacts whose deletion has already started, at most one for each of O(workers), are still deleted. To
    continue, run the task again, with the same O(state_file) if it was set. Without O(state_file), the next run creates
    a new plan.
  - If the process that deletes artifacts is killed itself, a directory C(toolchain-cleanup-*) remains in the directory
    for temporary files. On a remote host, and with C(async), the task continues to its end when Ansible is killed.
attributes:
  idempotent:
    support: full
    details: A later run can find more artifacts to delete, because artifacts get older.
  diff_mode:
    support: none
    details: RV(plan) describes the changes.
options:
  rules:
    description:
      - Rules that select the artifacts to delete and to keep. One of O(rules) and O(from_plan) is required. The list
        must not be empty.
      - In each rule, set at least one of O(rules[].paths), O(rules[].names), O(rules[].properties),
        O(rules[].older_than), O(rules[].not_downloaded_since), O(rules[].larger_than) and O(rules[].keep_newest).
      - To leave an option of a rule unset, omit it. An explicit V(null) is an error.
    type: list
    elements: dict
    suboptions:
      title:
        description: Name of the rule in the plan. Defaults to its position, such as V(rules[0]).
        type: str
      repos:
        description:
          - Keys of repositories, or patterns for keys. The list must not be empty.
          - Local and federated repositories match by their key, caches of remote repositories by V(<key>-cache).
            Virtual repositories do not store artifacts and never match.
          - Special repositories are only matched by their exact key, not by a pattern. These are
            C(artifactory-build-info), C(auto-trashcan), C(artifactory-pipe-info), C(artifactory-edge-uploads),
            C(jfrog-usage-logs), C(jfrog-support-bundle), C(release-bundles), C(release-bundles-v2), keys that end with
            C(-build-info), C(-release-bundles) or C(-release-bundles-v2), and the package types C(BuildInfo),
            C(ReleaseBundles), C(SupportBundle), C(Pipeinfo) and C(Trash).
          - The task fails if a key without V(*) and V(?) does not exist, or if a rule matches no repository.
        type: list
        elements: str
        required: true
      exclude_repos:
        description: Keys or patterns of repositories to which the rule does not apply. The list must not be empty.
        type: list
        elements: str
      package_type:
        description: Package type of the repositories to which the rule applies, such as V(docker) or V(maven). Not
          case-sensitive.
        type: str
      paths:
        description:
          - Patterns for folders to which the rule applies. V(.) is the root of the repository. The list must not be
            empty.
          - V(app) matches only files directly in C(app). V(app/*) matches only files in folders below it.
          - In container image repositories, the patterns match images. V(team/*) matches the image C(team/web), but not
            C(team).
        type: list
        elements: str
      exclude_paths:
        description: Patterns for folders or images to which the rule does not apply. The list must not be empty.
        type: list
        elements: str
      names:
        description: Patterns for file names or, in container image repositories, for tags to which the rule applies.
          The list must not be empty.
        type: list
        elements: str
      exclude_names:
        description: Patterns for file names or tags to which the rule does not apply. The list must not be empty.
        type: list
        elements: str
      properties:
        description:
          - Properties that an artifact must have for the rule to apply. All of them must match. The dictionary must not
            be empty.
          - Each value is a string, an integer, a boolean (V(true) or V(false) in lower case), or a list of
            alternatives. V(*) matches any value. Other values must match completely and are case-sensitive.
          - Put decimal numbers in quotes. If an artifact has several values of a property, one of them must match.
        type: dict
      older_than:
        description:
          - Select only artifacts that were created and last modified before this time. An artifact of exactly this age
            is not selected.
          - The value is an age, such as V(30d), or a date, such as V(2026-10-01) or V(2026-10-01T12:00:00Z). A date
            without a time is midnight UTC.
          - An age is an integer followed by a unit. The units are V(s), V(seconds), V(mi), V(minutes), V(d), V(days),
            V(w), V(weeks), V(mo), V(months), V(y) and V(years). A month has 30 days, and a year has 365 days.
        type: str
      not_downloaded_since:
        description:
          - Select only artifacts that were created, last modified and last downloaded, if ever, before this time. The
            value is an age or a date, as in O(rules[].older_than).
          - Only downloads from this server are considered, not downloads that other servers report to it.
        type: str
      larger_than:
        description: Select only artifacts larger than this size in bytes.
        type: int
      keep_newest:
        description:
          - Number of newest artifacts to keep in each group.
          - All artifacts to which the rule applies are compared, regardless of their age and size.
          - The newest artifact is the one with the latest time. If times are equal, paths are compared by code points,
            and the last one is the newest. Version numbers in names are not considered.
        type: int
      group_by:
        description:
          - How to group artifacts for O(rules[].keep_newest). Groups never span several repositories or rules. Defaults
            to V(folder).
        type: str
        choices:
          folder: Group by the folder of the artifact. For a tag, by the image.
          name: Group by the text that the capturing groups of O(rules[].group_pattern) match in the name. A capturing
            group that does not participate in the match counts as empty. An artifact whose name does not match is in no
            group.
          property: Group by each value of O(rules[].group_property). An artifact with several values is in several
            groups. An artifact without the property is in no group.
      group_pattern:
        description:
          - Regular expression that must match the whole name (for a tag, the tag), as in Python's C(re.fullmatch). It
            must contain at least one capturing group and must not be empty.
          - Required if O(rules[].group_by=name), and not allowed otherwise.
        type: str
      group_property:
        description:
          - Key of a property. Required if O(rules[].group_by=property), and not allowed otherwise.
        type: str
      keep_properties:
        description:
          - Keep artifacts that have at least one of these properties. The dictionary must not be empty.
          - The values have the same format as in O(rules[].properties). V(null) also matches any value.
          - Only the properties of the artifacts themselves count. A property of a folder does not protect the artifacts
            below it. To set a property of all files in a folder, use M(buildworks.toolchain.artifact_properties) with
            C(recursive=true).
        type: dict
  from_plan:
    description:
      - Path to a plan file whose items are deleted, instead of O(rules). Create it with O(plan_file), for example in
        check mode. You can remove lines of items from it.
      - The task fails if the plan was created for another server, if a line has the wrong kind for its repository, or
        if a line is repeated. An artifact is kept if its line does not agree with the server (for example in its size)
        or with the rule that it refers to.
    type: path
  plan_file:
    description:
      - Path to the file to which the plan is written, also in check mode. The first line contains the server, the time
        of the plan and the rules. Each other line is an item in JSON format. Only the owner can read the file.
    type: path
  state_file:
    description:
      - Path to a file that allows an interrupted task to continue when it runs again with the same options. The file is
        deleted when all items have been tried or when a limit rejects the plan.
      - Items that the server refused to delete are not recorded after all items have been tried.
      - The file belongs to one host, and two tasks cannot use it at the same time. Ignored in check mode.
    type: path
  empty_folders:
    description:
      - Whether to delete folders in which the plan leaves no files, together with the empty folders below them. The
        root of a repository and folders that contained none of the planned artifacts, directly or in a subfolder, are
        kept.
      - Folders are not counted in O(max_items).
      - If V(true), the module lists all files of the repositories.
    type: bool
    default: false
  clean_trash:
    description:
      - Whether to also delete the artifacts from the trash can, which is required to free their space.
      - Only artifacts that this task deletes are removed. A tag is kept in the trash can if its folder there contains
        anything other than files of a tag.
    type: bool
    default: false
  max_items:
    description: Maximum number of items in the plan. If the plan contains more items, the task fails before it deletes
      anything. A tag counts as one item.
    type: int
  max_bytes:
    description: Maximum size of all items in the plan in bytes. If it is exceeded, the task fails before it deletes
      anything.
    type: int
  max_share:
    description:
      - Maximum percentage of the files, and of the bytes, of one repository that the plan can delete. If it is
        exceeded, the task fails before it deletes anything.
      - If set, the module lists all files of the repositories.
    type: float
  page_size:
    description:
      - Number of artifacts to request at a time. If the server does not respond in time or truncates the response, the
        module requests fewer.
    type: int
    default: 5000
  pause:
    description:
      - Time in seconds that each worker waits between two deletions. It is increased while the server responds with 429
        or 503.
    type: float
    default: 0
  workers:
    description: Number of items to delete concurrently.
  on_error:
    description:
      - How to treat items that cannot be deleted. All other items are still processed, up to O(max_failures), unless
        the server rejects the credential (401).
    type: str
    choices:
      fail: Fail the task at its end. The result contains all outcomes.
      report: Do not fail the task. Check RV(failures) in the playbook.
  max_failures:
    description:
      - Number of failed items after which no more items are deleted and the task fails, regardless of O(on_error). If
        not set, all items are tried.
  result_limit:
    description: Maximum number of items to return in RV(plan), RV(unsafe) and RV(outcomes).
  to_file:
    description:
      - Path to the file to which the outcomes of all items are written, one JSON object per line with the same keys as
        RV(outcomes), in the order of completion. Only the owner can read the file. It is replaced when the first item
        is deleted.
      - O(to_file), O(from_plan), O(plan_file) and O(state_file) must be different files.
      - The file is not written in check mode.
seealso:
  - module: buildworks.toolchain.artifact_repository_info
"""

EXAMPLES = r"""
- name: Plan a cleanup and write the plan to a file for approval
  buildworks.toolchain.artifact_cleanup:
    rules:
      - title: nightly builds
        repos: ["*-local"]
        names: ["*.tar.gz"]
        older_than: 30d
        keep_newest: 3
        keep_properties:
          release:
    plan_file: "{{ ansible_facts.env.HOME }}/cleanup.jsonl"
  check_mode: true
  register: cleanup

- name: Delete the artifacts of the approved plan
  buildworks.toolchain.artifact_cleanup:
    from_plan: "{{ ansible_facts.env.HOME }}/cleanup.jsonl"
    max_items: 10000

- name: Keep ten tags of each image and tags that were pulled in the last 90 days
  buildworks.toolchain.artifact_cleanup:
    rules:
      - repos: ["*"]
        package_type: docker
        exclude_names: [latest]
        keep_newest: 10
        not_downloaded_since: 90d
    max_share: 50
    clean_trash: true

- name: Clean up a large repository and continue the next night if interrupted
  buildworks.toolchain.artifact_cleanup:
    rules:
      - repos: [generic-local]
        paths: [builds/*]
        older_than: 6mo
        keep_newest: 1
        group_by: name
        group_pattern: "(.*)-[0-9.]+[.]tar[.]gz"
    empty_folders: true
    workers: 8
    pause: 0.1
    state_file: "{{ ansible_facts.env.HOME }}/cleanup.state"
    to_file: "{{ ansible_facts.env.HOME }}/deleted.jsonl"
"""

RETURN = r"""
plan:
  description: Items to delete. V(null) if there is nothing to delete.
  returned: success, and when a limit rejects the plan
  type: dict
  contains:
    items:
      description: Number of files and tags.
      type: int
    bytes:
      description: Total size in bytes.
      type: int
    folders:
      description: Number of folders that O(empty_folders) deletes. Of nested folders, only the topmost is counted.
      type: int
    rules:
      description: Number and size by rule. Each item counts for the first rule that selects it.
      type: list
      elements: dict
      contains:
        rule:
          description: Title of the rule.
          type: str
        items:
          description: Number of files and tags.
          type: int
        bytes:
          description: Total size in bytes.
          type: int
    repositories:
      description: Number and size by repository.
      type: list
      elements: dict
      contains:
        repo:
          description: Key of the repository.
          type: str
        items:
          description: Number of files and tags.
          type: int
        bytes:
          description: Total size in bytes.
          type: int
        share:
          description:
            - Percentage of the files or of the bytes of the repository, whichever is larger. V(null) if O(max_share) is
              not set.
          type: float
    first:
      description: The first O(result_limit) items, by repository and path.
      type: list
      elements: dict
      contains:
        kind:
          description: One of V(file), V(tag) or V(folder).
          type: str
        repo:
          description: Key of the repository.
          type: str
        path:
          description: Path in the repository. For a tag, the path of its folder.
          type: str
        size:
          description: Size in bytes.
          type: int
        rule:
          description: Title of the rule.
          type: str
  sample:
    items: 120
    bytes: 73400320
    folders: 4
    rules: [{rule: nightly builds, items: 120, bytes: 73400320}]
    repositories: [{repo: generic-local, items: 120, bytes: 73400320, share: null}]
    first: [{kind: file, repo: generic-local, path: app/1.0/app-1.0.tar.gz, size: 611669, rule: nightly builds}]
unsafe:
  description:
    - Tags that a rule selects and no rule keeps, but that are kept because deleting them is not safe. The notes
      describe these conditions. RV(plan) does not contain these tags. V(null) if O(from_plan) is set.
  returned: success, and when a limit rejects the plan
  type: dict
  contains:
    items:
      description: Number of tags.
      type: int
    first:
      description: The first O(result_limit) tags, by repository and path.
      type: list
      elements: dict
      contains:
        repo:
          description: Key of the repository.
          type: str
        path:
          description: Path to the folder of the tag.
          type: str
        rule:
          description: Title of the rule that selects the tag.
          type: str
        reason:
          description: Reason why deleting the tag is not safe.
          type: str
  sample:
    items: 1
    first:
      - repo: docker-local
        path: team/web
        rule: rules[0]
        reason: its folder contains '1.0', which is not part of the tag
deleted:
  description:
    - Number and size of the deleted items. With O(state_file), this includes items that an interrupted run deleted.
      V(null) in check mode and if the plan is empty.
  returned: success, and when items failed
  type: dict
  contains:
    items:
      description: Number of files and tags.
      type: int
    bytes:
      description: Total size in bytes.
      type: int
    folders:
      description: Number of empty folders.
      type: int
    repositories:
      description: Number and size of the deleted items by repository, with the key of the repository as C(repo).
      type: list
      elements: dict
  sample:
    items: 120
    bytes: 73400320
    folders: 4
    repositories: [{repo: generic-local, items: 120, bytes: 73400320, folders: 4}]
counts:
  description: Number of items of this run by outcome. Each item is counted once. V(null) in check mode.
  returned: success, and when items failed
  type: dict
  contains:
    changed:
      description: Items that were deleted.
      type: int
    ok:
      description: Items that another client had already deleted, and items that were kept because they changed after
        the plan was created.
      type: int
    failed:
      description: Items that the server refused to delete or that still exist. RV(failures) has the reasons.
      type: int
    unknown:
      description: Items whose outcome is unknown because the response was lost and the item could not be read back.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 118, ok: 1, failed: 1, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: success, and when items failed
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of O(result_limit) artifacts. Failures come first, then deletions, changes that open access,
    other changes and unchanged artifacts, each in the order of the plan. Folders come last.
  returned: success, and when items failed
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in this run, starting at 0.
      type: int
    item:
      description: Item with the same keys as in RV(plan.first). C(id) is its position in the plan, starting at 1.
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item was deleted.
      type: bool
    reason:
      description: Reason why the item failed or was skipped, as reported by the server.
      type: str
    outcome:
      description: V(deleted) if the task deleted the item, V(missing) if the item had already been deleted, or V(kept)
        if the item was kept.
      type: str
    keep_reason:
      description: Reason why the item was kept.
      type: str
hidden:
  description: Number of artifacts that RV(outcomes) does not contain, by kind. Kinds without such artifacts are left
    out. V(null) in check mode.
  returned: success, and when items failed
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules.rule import RULE
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.run import Cleanup
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import BULK
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module

SPEC = (ARTIFACT + BULK) + ArgumentSpec(
    dict(
        rules=dict(type="list", elements="dict", narrows_scope=True, not_empty=True, options=RULE.options),
        from_plan=dict(type="path", narrows_scope=True, not_empty=True),
        plan_file=dict(type="path", not_empty=True),
        state_file=dict(type="path", not_empty=True),
        empty_folders=dict(type="bool", default=False),
        clean_trash=dict(type="bool", default=False),
        max_items=dict(type="int", narrows_scope=True, at_least=0, at_most=1_000_000_000),
        max_bytes=dict(type="int", narrows_scope=True, at_least=0, at_most=10**18),
        max_share=dict(type="float", narrows_scope=True, at_least=0, at_most=100),
        page_size=dict(type="int", default=5000, at_least=100, at_most=100_000),
        pause=dict(type="float", default=0.0, at_least=0, at_most=10),
    ),
    required_one_of=[("rules", "from_plan")],
    mutually_exclusive=[("rules", "from_plan"), ("plan_file", "from_plan")],
)


def run(task: Task) -> None:
    Cleanup(task).run()


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
