#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_cleanup
short_description: Delete old artifacts from Artifactory by rules
description:
  - Selects artifacts in Artifactory by rules, compares the plan with guards, deletes the artifacts and verifies that
    they are gone.
  - An artifact is deleted if at least one rule selects it, no rule keeps it, and deleting it is safe. See the notes for
    the exact meaning.
  - In check mode the task returns the plan and deletes nothing. With O(plan_file) the plan is a file that a person can
    read, shorten and approve. O(from_plan) then deletes only what the file lists.
  - Each artifact is verified again shortly before its deletion. An artifact that no longer meets every condition is
    left alone, and RV(outcomes) has the reason.
  - Memory holds one page of artifacts, whatever the number of artifacts is. The rest is in a database on disk, in the
    directory for temporary files or in O(state_file), with about 300 bytes for each artifact that a rule applies to.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - "What an artifact is: in repositories of the package types V(docker), V(oci) and V(helmoci), a tag. In all other
    repositories (V(generic), V(maven), V(npm) and so on), each file. A Maven POM, its JAR file and
    C(maven-metadata.xml) are three artifacts."
  - "The folder of a file is its path up to the last slash, and V(.) in the root. Its name is the rest."
  - "A tag is a folder with a file C(manifest.json) or C(list.manifest.json) directly in it. The name of the folder is
    the tag, the path of the folder around it is the image. A manifest in the root of the repository, or in a folder
    without a folder around it, makes no tag. Neither does a folder whose name begins with V(sha256:) or V(sha256__).
    Files that belong to no tag are never deleted in these repositories."
  - "The times, properties, downloads and checksum of a tag are those of its manifest. Its size is the sum of the sizes
    of all files directly in its folder."
  - "The time of an artifact is the later one of its creation and its last modification, in milliseconds."
  - "A rule applies to an artifact if O(rules[].repos), O(rules[].exclude_repos), O(rules[].package_type),
    O(rules[].paths), O(rules[].exclude_paths), O(rules[].names), O(rules[].exclude_names) and O(rules[].properties) all
    match. Options that are omitted match everything."
  - "A rule selects an artifact if the rule applies to it and O(rules[].older_than), O(rules[].not_downloaded_since) and
    O(rules[].larger_than) are all true of it, as far as they are given. With O(rules[].keep_newest), the artifact must
    also be in at least one group, and in none of its groups among the newest."
  - "A rule keeps an artifact if the rule applies to it and the artifact has one of O(rules[].keep_properties), or is
    among the newest of at least one of its groups. Its age and size do not matter for that. What a rule keeps stays,
    whichever rules select it. What a rule only excludes (O(rules[].exclude_names) and the like) can be selected by
    another rule."
  - "An artifact that several rules select counts for the first of these rules in the list."
  - "All patterns match the whole text and are case-sensitive. V(*) is any run of characters, also none and also
    slashes. V(?) is exactly one character. All other characters stand for themselves."
  - "Deleting a tag is not safe, and the tag stays, if its folder contains a folder, both kinds of manifests, or a file
    that belongs to no tag. Only the manifest and files named V(sha256__) followed by 64 hexadecimal digits in lower
    case, with or without V(.marker) after them, belong to a tag. An example is the tag C(web) of the image C(team) when
    there is an image C(team/web). Such tags are in RV(unsafe). They count in O(rules[].keep_newest) as other tags do."
  - "Names that cannot be handled safely: an artifact is not selected, and not counted in O(rules[].keep_newest), if its
    repository, path or name has a double quote, a control character, a line separator (U+2028, U+2029, U+0085) or an
    unpaired surrogate, if its folder or name begins with white space, or if its path has a V(!) or a V(;), ends with
    V(:properties) or ends with white space. Artifactory would take such paths for others. Of a tag, both the path of
    the tag and that of its manifest count."
  - "Before each deletion these conditions are verified again: the artifact exists; its checksum, size, time and last
    download are those of the plan; the rule that selected it still selects it by repository, folder, name, properties,
    age, download and size; no rule keeps it by O(rules[].keep_properties); deleting a tag is still safe. An artifact
    that could not be verified is left alone."
  - "With O(from_plan), and when an interrupted task continues with O(state_file), the newest artifacts of the groups
    are determined again before the first deletion. A planned artifact that is among them by now is left alone. A task
    that makes the plan itself determines them once."
  - The last download of the plan is compared with the current one, so that clocks of different machines do not matter.
    Artifactory records downloads with a delay.
  - Up to 200 artifacts are verified at a time, each at most a minute before the task begins to delete it.
  - Requires Artifactory Pro, since the open-source edition sorts no queries.
  - Requires the permissions Read and Delete on what is deleted. O(clean_trash=true) requires an administrator.
  - Artifacts that the account may not read are not selected, and not counted in O(rules[].keep_newest).
  - Ages are counted back from the start of the task that makes the plan, by the clock of the machine on which the task
    runs.
  - If Ansible is killed (SIGKILL), the process that deletes artifacts notices it before the next artifact and stops.
    Only the artifacts that are being deleted at that moment, at most one for each of O(workers), are still deleted. Run
    the task again to continue, with the same O(state_file) if one was given. Without one, the next run plans anew.
  - If the process that deletes artifacts is killed itself, a directory C(toolchain-cleanup-*) remains in the directory
    for temporary files. On another machine, and with C(async), the task continues to its end when Ansible is killed.
attributes:
  idempotent:
    support: full
    details: Ages pass, so that a later run can find something to delete.
  diff_mode:
    support: none
    details: RV(plan) has the artifacts that are deleted.
options:
  rules:
    description:
      - What to delete and what to keep. One of O(rules) and O(from_plan) is required. It must not be empty.
      - Each rule needs at least one of O(rules[].paths), O(rules[].names), O(rules[].properties),
        O(rules[].older_than), O(rules[].not_downloaded_since), O(rules[].larger_than) and O(rules[].keep_newest).
      - An explicit V(null) in an option of a rule, or in a guard, is an error. Omit the option instead.
    type: list
    elements: dict
    suboptions:
      title:
        description: Name of the rule in the plan. By default its position, such as V(rules[0]).
        type: str
      repos:
        description:
          - Keys of repositories, or patterns of keys. It must not be empty.
          - Local and federated repositories match by their keys, the caches of remote repositories by V(<key>-cache).
            Virtual repositories hold no artifacts of their own and never match.
          - Special repositories match only a key that is written out, not a pattern. These are
            C(artifactory-build-info), C(auto-trashcan), C(artifactory-pipe-info), C(artifactory-edge-uploads),
            C(jfrog-usage-logs), C(jfrog-support-bundle), C(release-bundles), C(release-bundles-v2), keys that end with
            C(-build-info), C(-release-bundles) or C(-release-bundles-v2), and the package types C(BuildInfo),
            C(ReleaseBundles), C(SupportBundle), C(Pipeinfo) and C(Trash).
          - A key without V(*) and V(?) that does not exist fails the task, and so does a rule that matches no
            repository.
        type: list
        elements: str
        required: true
      exclude_repos:
        description: Keys or patterns of repositories that the rule does not apply to. It must not be empty.
        type: list
        elements: str
      package_type:
        description: Only repositories of this package type, such as V(docker) or V(maven), in upper or lower case.
        type: str
      paths:
        description:
          - Patterns of folders, V(.) for the root of the repository. It must not be empty.
          - V(app) matches only files directly in C(app), V(app/*) only files in folders below it.
          - In repositories of images, patterns of images. V(team/*) matches the image C(team/web), not C(team).
        type: list
        elements: str
      exclude_paths:
        description: Patterns of folders, or of images, that the rule does not apply to. It must not be empty.
        type: list
        elements: str
      names:
        description: Patterns of file names, or of tags in repositories of images. It must not be empty.
        type: list
        elements: str
      exclude_names:
        description: Patterns of file names, or of tags, that the rule does not apply to. It must not be empty.
        type: list
        elements: str
      properties:
        description:
          - Only artifacts with all of these properties. It must not be empty.
          - Each value is a text, an integer, a boolean (V(true) or V(false) in lower case) or a list of these, of which
            one must be a value of the property. V(*) is any value. Values are compared in full and case-sensitively.
          - Put other numbers in quotes. An artifact can have several values of one property.
        type: dict
      older_than:
        description:
          - Only artifacts whose time is earlier than this. An artifact that is exactly as old is not selected.
          - An age, a whole number with a unit such as V(30d), or a date such as V(2026-10-01) or
            V(2026-10-01T12:00:00Z). A date alone is its midnight in UTC.
          - Units are V(s), V(seconds), V(mi), V(minutes), V(d), V(days), V(w), V(weeks), V(mo), V(months), V(y) and
            V(years). A month has 30 days, a year 365.
        type: str
      not_downloaded_since:
        description:
          - Only artifacts whose time is earlier than this, and whose last download, if there was one, is earlier as
            well. An age or date as in O(rules[].older_than).
          - Only downloads from this server count, not those that other servers report to it.
        type: str
      larger_than:
        description: Only artifacts with more bytes than this, 0 to 1,000,000,000,000,000.
        type: int
      keep_newest:
        description:
          - Number of newest artifacts that stay in each group, 1 to 1,000,000.
          - All artifacts that the rule applies to compete, whatever their age and size.
          - The newest artifact is the one with the latest time. Of artifacts with the same time, the one whose path is
            last in the order of code points is newer. Versions in names do not matter.
        type: int
      group_by:
        description:
          - Groups for O(rules[].keep_newest), each within one repository and one rule. V(folder) if omitted.
          - V(folder) is the folder of the artifact. For a tag, it is the image.
          - V(name) is what the groups in parentheses of O(rules[].group_pattern) match in the name, all of them
            together. A group that takes no part in the match counts as empty. An artifact whose name does not match is
            in no group.
          - V(property) is each value of O(rules[].group_property). An artifact with several values is in several
            groups. An artifact without the property is in no group.
        type: str
        choices: [folder, name, property]
      group_pattern:
        description:
          - A regular expression for the whole name (of a tag, the tag), as in Python's C(re.fullmatch), with at least
            one group in parentheses. It must not be empty.
          - Required with O(rules[].group_by=name), and only allowed with it.
        type: str
      group_property:
        description:
          - Key of a property. Required with O(rules[].group_by=property), and only allowed with it.
        type: str
      keep_properties:
        description:
          - Artifacts with at least one of these properties stay. It must not be empty.
          - Values as in O(rules[].properties). V(null) is any value, too.
        type: dict
  from_plan:
    description:
      - Delete what this file lists, in place of O(rules). A task with O(plan_file) wrote the file, perhaps in check
        mode. Lines of items can be taken out of it.
      - A plan for another server is refused. So is a line with the wrong kind for its repository, and a line that
        repeats another one. An artifact whose line does not agree with the server (its size, for example), or with the
        rule that it names, is left alone.
    type: path
  plan_file:
    description:
      - File for the plan. The first line has the server, the time of the plan and the rules. Each other line is an
        item, as JSON. The file can be read by its owner only. It is also written in check mode.
    type: path
  state_file:
    description:
      - File with which an interrupted task continues when it runs again with the same options. It is deleted when every
        item was tried, and when a guard refuses the plan.
      - It does not record the items that the server refused, once all items were tried.
      - Not used in check mode. It belongs to one machine. Two tasks cannot use it at the same time.
    type: path
  empty_folders:
    description:
      - Whether to delete the folders in which the plan leaves no file, together with the empty folders in them. A
        folder that none of the planned artifacts was in or below stays, as does the root of a repository.
      - Folders do not count in O(max_items), since they have no content.
      - For that, all files of the repositories are listed.
    type: bool
    default: false
  clean_trash:
    description:
      - Whether to delete the deleted artifacts from the trash can as well, since only that frees their bytes.
      - Only artifacts that this task deletes are cleaned. What the trash can has of a tag stays there if it is more
        than files of a tag.
    type: bool
    default: false
  max_items:
    description: Fail before the first deletion if the plan has more items than this, 0 to 1,000,000,000. A tag is one
      item.
    type: int
  max_bytes:
    description: Fail before the first deletion if the plan has more bytes than this, 0 to 1,000,000,000,000,000,000.
    type: int
  max_share:
    description:
      - Fail before the first deletion if the plan has more than this percentage of the files, or of the bytes, of one
        repository, 0 to 100.
      - For that, all files of the repositories are listed.
    type: float
  page_size:
    description:
      - Number of artifacts in one request, 100 to 100,000. If the server does not answer such a request in time, or
        trims the response, the next requests ask for fewer.
    type: int
    default: 5000
  pause:
    description:
      - Seconds between two deletions of a worker, 0 to 10. They grow while the server answers 429 or 503.
    type: float
    default: 0
  workers:
    description: Number of items that are deleted at the same time, 1 to 64.
  on_error:
    description:
      - What to do if items cannot be deleted. All other items are deleted in any case, up to O(max_failures), unless
        the server rejects the credential (401).
      - V(fail) fails the task at its end. The result has what was reached.
      - V(report) leaves it to the playbook to check RV(failures).
  max_failures:
    description:
      - Number of failed items after which no more items are deleted and the task fails, whatever O(on_error) is, 1 to
        1,000,000. If omitted, all items are tried.
  shown:
    description: Number of items, the first ones, in RV(plan), RV(unsafe) and RV(outcomes), 0 to 10,000.
  to_file:
    description:
      - File for the outcomes of all items, each a line of JSON with the members of RV(outcomes), in the order in which
        they came to an end. The file can be read by its owner only. It is replaced when the first item is deleted.
      - Two of O(to_file), O(from_plan), O(plan_file) and O(state_file) must not be the same file.
      - Not written in check mode.
seealso:
  - module: buildworks.toolchain.artifact_repository_info
"""

EXAMPLES = r"""
- name: See what would go, and write it down for approval
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

- name: Do what was approved
  buildworks.toolchain.artifact_cleanup:
    from_plan: "{{ ansible_facts.env.HOME }}/cleanup.jsonl"
    max_items: 10000

- name: Keep ten tags of each image, and what was pulled in the last quarter
  buildworks.toolchain.artifact_cleanup:
    rules:
      - repos: ["*"]
        package_type: docker
        exclude_names: [latest]
        keep_newest: 10
        not_downloaded_since: 90d
    max_share: 50
    clean_trash: true

- name: Clean up many artifacts by night, and go on the next night where this one ended
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
  description: What is deleted. Null if there is nothing to delete.
  returned: success, and if a guard refuses the plan
  type: dict
  contains:
    items:
      description: Number of files and tags.
      type: int
    bytes:
      description: Their bytes.
      type: int
    folders:
      description: Number of folders that O(empty_folders) deletes. Of folders in each other, only the uppermost counts.
      type: int
    rules:
      description: The same by rule. Each item counts for the first rule that selects it.
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
          description: Their bytes.
          type: int
    repositories:
      description: The same by repository.
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
          description: Their bytes.
          type: int
        share:
          description:
            - Percentage of the files or of the bytes of the repository, whichever is more. Null without O(max_share).
          type: float
    first:
      description: The first O(shown) items, by repository and path.
      type: list
      elements: dict
      contains:
        kind:
          description: V(file), V(tag) or V(folder).
          type: str
        repo:
          description: Key of the repository.
          type: str
        path:
          description: Path in the repository. Of a tag, its folder.
          type: str
        size:
          description: Bytes.
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
    - Tags that rules select and no rule keeps, but that stay because deleting them is not safe. See the notes. They are
      not in RV(plan). Null with O(from_plan).
  returned: success, and if a guard refuses the plan
  type: dict
  contains:
    items:
      description: Number of tags.
      type: int
    first:
      description: The first O(shown) tags, by repository and path.
      type: list
      elements: dict
      contains:
        repo:
          description: Key of the repository.
          type: str
        path:
          description: Folder of the tag.
          type: str
        rule:
          description: Title of the rule that selects it.
          type: str
        reason:
          description: Why deleting it is not safe.
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
    - What was deleted; with O(state_file), also what the interrupted run deleted. Null in check mode and if nothing
      was planned.
  returned: success, and when items failed
  type: dict
  contains:
    items:
      description: Number of files and tags.
      type: int
    bytes:
      description: Their bytes.
      type: int
    folders:
      description: Number of empty folders.
      type: int
    repositories:
      description: The same by repository, with its key as C(repo).
      type: list
      elements: dict
  sample:
    items: 120
    bytes: 73400320
    folders: 4
    repositories: [{repo: generic-local, items: 120, bytes: 73400320, folders: 4}]
counts:
  description: Number of items by outcome in this run. Each item counts once. Null in check mode.
  returned: success, and when items failed
  type: dict
  contains:
    changed:
      description: Deleted.
      type: int
    ok:
      description: Deleted by others before, or left alone because they are no longer as they were planned.
      type: int
    failed:
      description: Refused, or still existing. RV(failures) has the reasons.
      type: int
    unknown:
      description: The response was lost, and reading back failed as well. RV(failures) lists them, too.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 118, ok: 1, failed: 1, unknown: 0, skipped: 0}
failures:
  description: The outcomes of all items that failed or whose outcome is unknown, with the members of RV(outcomes).
  returned: success, and when items failed
  type: list
  elements: dict
  sample: []
outcomes:
  description: The first O(shown) items of this run with their outcomes, in the order of the plan, folders last.
  returned: success, and when items failed
  type: list
  elements: dict
  contains:
    index:
      description: Place among the items of this run, from 0.
      type: int
    item:
      description: The item, with the members that it has in RV(plan), and its C(id), its place in the plan from 1.
      type: dict
    status:
      description: V(changed), V(ok), V(failed), V(unknown) or V(skipped), as RV(counts) has them.
      type: str
    changed:
      description: Whether it was deleted.
      type: bool
    reason:
      description: Why it failed, or was not tried, in the server's words.
      type: str
    outcome:
      description: V(deleted), V(gone) if it had been deleted before, or V(left) if it was left alone.
      type: str
    why:
      description: Why it was left alone.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._argspec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.rules import RULE
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.cleanup.run import CleanUp
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT
from ansible_collections.buildworks.toolchain.plugins.module_utils._options import BULK
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import run_as_module

SPEC = (ARTIFACT + BULK) + ArgumentSpec(
    dict(
        rules=dict(type="list", elements="dict", narrows=True, not_empty=True, options=RULE.options),
        from_plan=dict(type="path", narrows=True, not_empty=True),
        plan_file=dict(type="path", not_empty=True),
        state_file=dict(type="path", not_empty=True),
        empty_folders=dict(type="bool", default=False),
        clean_trash=dict(type="bool", default=False),
        max_items=dict(type="int", narrows=True, at_least=0, at_most=1_000_000_000),
        max_bytes=dict(type="int", narrows=True, at_least=0, at_most=10**18),
        max_share=dict(type="float", narrows=True, at_least=0, at_most=100),
        page_size=dict(type="int", default=5000, at_least=100, at_most=100_000),
        pause=dict(type="float", default=0.0, at_least=0, at_most=10),
    ),
    required_one_of=[("rules", "from_plan")],
    mutually_exclusive=[("rules", "from_plan"), ("plan_file", "from_plan")],
)


def run(task):
    CleanUp(task).carry_out()


def main():
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
