#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_cleanup
short_description: Delete old artifacts by rules
description:
  - Plans by rules which artifacts go, holds the plan against its guards, deletes, and verifies that they are gone.
  - Check mode gives the plan and deletes nothing. With O(plan_file) it is a file that a person can read, shorten and
    approve; O(from_plan) then does exactly that file.
  - What a rule is about goes when it is old to that rule and no rule keeps it. An artifact that any rule keeps stays.
  - Just before an artifact is deleted it is looked at again. One that was changed, downloaded or marked to be kept
    since it was planned is left alone, and the result says so.
  - In repositories of images (C(docker), C(oci), C(helmoci)) tags go as a whole, never a layer of a tag that stays. The
    folders of digests, which hold the platforms of an image list, are left alone.
  - Needs memory for one page of artifacts, however many there are. The rest lies in a database on disk, in the folder
    for temporary files or in O(state_file), of about 300 bytes for each artifact that a rule is about.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Needs the permissions Read and Delete on what it deletes; O(clean_trash=true) needs an administrator.
  - Artifacts that the account may not see are not planned, and not counted by O(rules[].keep_newest) either.
  - Artifacts with double quotes, control characters or blanks in front in their names are left alone, for the query
    language has no way to write them.
  - A month is 30 days in ages, a year 365. They are counted by the clock of the machine on which the task runs.
attributes:
  idempotent:
    support: full
    details: Ages pass, so that there can be something to do again later.
  diff_mode:
    support: none
    details: RV(plan) says what goes.
options:
  rules:
    description: What to delete and what to keep. One of O(rules) and O(from_plan) is required. It must not be empty.
    type: list
    elements: dict
    suboptions:
      title:
        description: What the plan calls the rule. By default its place, such as V(rules[0]).
        type: str
      repos:
        description:
          - Keys of the repositories, or patterns of them. V(*) is any run of characters, V(?) is any one.
          - The content of a remote repository is that of its cache, V(<key>-cache). Virtual ones have none of their
            own.
          - A key that is not there fails the task, and so does a rule that is about no repository. It must not be
            empty.
        type: list
        elements: str
        required: true
      exclude_repos:
        description: Patterns of repositories that the rule is not about. It must not be empty.
        type: list
        elements: str
      package_type:
        description: Only repositories for this kind of package, such as V(docker) or V(maven).
        type: str
      paths:
        description:
          - Patterns of folders, V(.) for the root. V(*) takes slashes as well, so V(app/*) is all below V(app).
          - In repositories of images, patterns of images. It must not be empty.
        type: list
        elements: str
      exclude_paths:
        description: Patterns of folders, or images, that the rule is not about. It must not be empty.
        type: list
        elements: str
      names:
        description: Patterns of names. In repositories of images, of tags. It must not be empty.
        type: list
        elements: str
      exclude_names:
        description: Patterns of names, or tags, that the rule is not about. It must not be empty.
        type: list
        elements: str
      properties:
        description:
          - Only artifacts with these properties. A list has values of which one is enough; nothing (C(null)) is any
            value.
          - Those of a tag are those of its manifest. It must not be empty.
        type: dict
      older_than:
        description:
          - Only artifacts that were neither created nor modified since.
          - An age such as V(30d), V(4w), V(6mo), V(1y), also in C(mi) or C(s), or spelt out as V(30days); or a date
            such as V(2026-10-01) or V(2026-10-01T12:00:00Z).
        type: str
      not_downloaded_since:
        description:
          - Only artifacts that were neither downloaded nor created nor modified since. An age or date as in
            O(rules[].older_than).
          - Of a tag, the downloads of its manifest count.
        type: str
      larger_than:
        description:
          - Only artifacts of more bytes, 0 to 1,000,000,000,000,000. A tag has the bytes of all files in its folder.
        type: int
      keep_newest:
        description:
          - So many of the newest artifacts that the rule is about stay, in each group, 1 to 1,000,000. Old is then
            what is not among them, and what O(rules[].older_than) and its like say, together.
          - The newest is the one that was created or modified last; of equally new ones, the last by path.
        type: int
      group_by:
        description:
          - The groups that O(rules[].keep_newest) counts in, each within one repository. V(folder) when not given.
          - V(folder) is the artifact's folder; of a tag, the image.
          - V(name) is what the groups of O(rules[].group_pattern) are in its name.
          - V(property) is the value of O(rules[].group_property); one with several values is in several groups.
          - An artifact that is in no group stays.
        type: str
        choices: [folder, name, property]
      group_pattern:
        description:
          - A regular expression for the whole name, as in Python, with a group in parentheses. It must not be empty.
        type: str
      group_property:
        description: Key of a property.
        type: str
      keep_properties:
        description:
          - What has one of these properties stays, of the artifacts that the rule is about. Values as in
            O(rules[].properties). It must not be empty.
        type: dict
  from_plan:
    description:
      - Do exactly what this file says, in place of rules. A task with O(plan_file) wrote it, perhaps in check mode;
        lines can be taken out of it.
      - A plan for another service is refused.
    type: path
  plan_file:
    description:
      - File for the plan, each item a line of JSON, after one that says where it is for and when it was made. For its
        owner alone. Written in check mode, too.
    type: path
  state_file:
    description:
      - File that lets an interrupted clean-up go on where it was, when the same task runs again. It goes when all is
        done.
      - Of items that were refused it keeps nothing, once all were tried.
      - Not used in check mode. On one machine only; two tasks cannot use it at the same time.
    type: path
  empty_folders:
    description:
      - Delete the folders, too, in which the plan leaves no file, together with empty folders in them.
      - For that, all files of the repositories are listed.
    type: bool
    default: false
  clean_trash:
    description: Delete what was deleted from the trash can as well, for only that frees its bytes.
    type: bool
    default: false
  max_items:
    description: Fail before the first delete when the plan has more items, 0 to 1,000,000,000.
    type: int
  max_bytes:
    description: Fail before the first delete when the plan has more bytes, 0 to 1,000,000,000,000,000,000.
    type: int
  max_share:
    description:
      - Fail before the first delete when the plan takes more of a repository, of its files or of its bytes, in percent,
        0 to 100.
      - For that, all files of the repositories are listed.
    type: float
  page_size:
    description:
      - Artifacts that are asked for at once, 100 to 100,000. When the server does not answer such a query in time, or
        trims the answer, the next ones ask for fewer.
    type: int
    default: 5000
  pause:
    description:
      - Seconds between two deletes of a worker, 0 to 10. They grow by themselves while the server answers 429 or 503.
    type: float
    default: 0
  workers:
    description: How many items are deleted at the same time, 1 to 64.
  on_error:
    description:
      - What to do about items that cannot be deleted. All others are, in any case, up to O(max_failures).
      - V(fail) fails the task at its end. What was reached is in its result.
      - V(report) leaves it to the playbook to look at RV(failures).
  max_failures:
    description:
      - After so many failed items no more are deleted and the task fails, whatever O(on_error) says, 1 to 1,000,000.
      - Without it all items are tried.
  shown:
    description: How many items, the first ones, are in RV(plan) and RV(outcomes), 0 to 10,000.
  to_file:
    description:
      - File for the outcomes of all items, each a line of JSON with the members of RV(outcomes), in the order in
        which they came to an end. For its owner alone, and replaced when the first item is deleted.
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
  description: What goes. None when there is nothing to delete.
  returned: success, and when it is beyond a guard
  type: dict
  contains:
    items:
      description: Number of files and tags.
      type: int
    bytes:
      description: Their bytes.
      type: int
    folders:
      description: Number of folders that are empty then, of O(empty_folders). Of those in each other, the uppermost.
      type: int
    rules:
      description: The same by rule. Each item counts for the first rule that it is old to.
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
            - Percent of the repository, of its files or its bytes, whichever is more. None without O(max_share).
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
deleted:
  description:
    - What went, in all; with O(state_file), also what the interrupted run deleted. None in check mode and when nothing
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
  description: How many items came to which end in this run. Each item has one. None in check mode.
  returned: success, and when items failed
  type: dict
  contains:
    changed:
      description: Deleted.
      type: int
    ok:
      description: Gone already, or left alone because they are no longer as they were planned.
      type: int
    failed:
      description: Refused, or still there. RV(failures) says why.
      type: int
    unknown:
      description: The reply was lost, and asking brought no clarity either. RV(failures) has them as well.
      type: int
    skipped:
      description: Not tried, because of O(max_failures).
      type: int
  sample: {changed: 118, ok: 1, failed: 1, unknown: 0, skipped: 0}
failures:
  description: The outcomes of all items that failed or whose end is unknown, with the members of RV(outcomes).
  returned: success, and when items failed
  type: list
  elements: dict
  sample: []
outcomes:
  description: What became of the first O(shown) items of this run, in the order of the plan.
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
      description: V(deleted), V(gone) when it was not there any more, or V(left) when it was left alone.
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
        rules=dict(type="list", elements="dict", not_empty=True, options=RULE.options),
        from_plan=dict(type="path", not_empty=True),
        plan_file=dict(type="path", not_empty=True),
        state_file=dict(type="path", not_empty=True),
        empty_folders=dict(type="bool", default=False),
        clean_trash=dict(type="bool", default=False),
        max_items=dict(type="int", at_least=0, at_most=1_000_000_000),
        max_bytes=dict(type="int", at_least=0, at_most=10**18),
        max_share=dict(type="float", at_least=0, at_most=100),
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
