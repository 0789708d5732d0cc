#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: ci_job
short_description: Manage Jenkins jobs
description:
  - Create, update, enable, disable, copy, rename, move or delete Jenkins jobs.
  - Declare a job with options such as O(type), O(script), O(git) and O(parameters). Alternatively, provide its
    configuration as XML in O(config) or O(src).
  - The module compares the declared elements of the configuration with the stored ones. Unless O(exact=true), it keeps
    elements that are not declared, such as defaults, settings of plugins and changes made in the web interface.
  - In a new job, an option that is not set has the value that Jenkins' own form for a new job sets.
  - The comparison ignores the order of attributes, comments, whitespace between elements, and the versions of plugins.
  - To manage several jobs concurrently, use O(items).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.ci_job
  - buildworks.toolchain.ci
  - buildworks.toolchain.connection
  - buildworks.toolchain.ci_predicted_plugins
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.state
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.update_secret
  - buildworks.toolchain.ci_on_dropped
  - buildworks.toolchain.visibility
  - buildworks.toolchain.bulk
  - buildworks.toolchain.attributes
notes:
  - Requires the permissions Job/Read and Job/Configure. Creating a job also requires Job/Create. Deleting a job also
    requires Job/Delete. Renaming a job also requires Job/Create and Job/Delete. Moving a job also requires Job/Move.
  - O(type=pipeline) requires the Jenkins plugins C(workflow-job) and C(workflow-cps). O(type=multibranch) requires the
    plugins C(workflow-multibranch) and C(branch-api). O(git) requires the plugin C(git). Jobs in folders require the
    plugin C(cloudbees-folder).
  - If a plugin that a Pipeline, a multibranch Pipeline or O(git) requires is not installed, the task fails before it
    changes the job.
  - If the XML contains elements of a plugin that is not installed, Jenkins drops most of them without an error.
    O(on_dropped) decides whether the task fails.
  - Organization folders are not supported.
  - If nothing changes, the module sends one request for each job. It sends one more request for each folder that
    contains these jobs.
  - Jenkins encrypts secrets in job configurations, so the module cannot compare them. It treats an encrypted value as
    equal to the declared value, unless O(update_secret=always).
  - Each update replaces the whole configuration of a job. The module reads the configuration again immediately before
    it writes, and compares again if another client has changed it. A change of another client between this read and
    the write is lost. Afterwards, the module verifies all elements, also those that the task does not declare.
  - This module has only been tested against the simulated server (sandbox) that comes with this collection, not against
    a real Jenkins server. The freestyle jobs of the sandbox were compared with recorded responses of Jenkins 2.579.
options:
  name:
    description:
      - Full name of the job, such as V(team/app). Required if O(items) is not set.
      - The folder that contains the job must exist.
      - Each part of the name of a new job can have at most 255 bytes. It must not contain control characters or any of
        the characters C(?*\%!@#$^&|<>[]:;). It must not start or end with whitespace, or end with a period.
    type: str
  previous_name:
    description:
      - Current full name of a job to rename or move to O(name). The job keeps its builds.
      - A job cannot be renamed while it is building. However, it can be moved to another folder.
      - Ignored if a job with the name O(name) already exists, or if no job has the name O(previous_name).
      - Must not be set with O(state=absent).
    type: str
  copy_from:
    description:
      - Full name of a job to copy if the job O(name) does not exist. The other options change the copy.
      - Jenkins does not build a copied job until the job is saved, and a new configuration does not save it. The module
        therefore saves the copy by submitting its description, even if an earlier task created the copy and then
        failed. The description stays as it is.
    type: str
  type:
    description:
      - Type of the job.
      - The type of an existing job cannot be changed. If the type differs, the task fails and does not change the job.
      - Required to create a job, unless O(config), O(src) or O(copy_from) is set.
      - Also required to set O(git), O(label), O(lightweight), O(orphaned_branches), O(scan_interval), O(script),
        O(script_path), O(script_sandbox) or O(shell).
      - Mutually exclusive with O(config) and O(src).
    type: str
    choices:
      freestyle: A freestyle job that runs shell scripts.
      pipeline: A Pipeline whose script is stored in the job configuration or in a Git repository.
      multibranch: A multibranch Pipeline. It creates a job for each branch of a Git repository that contains a Pipeline
        script.
  config:
    description:
      - Configuration of the job as XML, for example from the lookup plugin C(ansible.builtin.template). Mutually
        exclusive with O(type) and O(src).
      - The module compares the elements of this XML with the stored ones. Stored elements that are missing from the XML
        are kept, unless O(exact=true).
      - Lists of steps, parameters or triggers, and groups of elements with the same name, are compared and replaced as
        a whole. An element whose C(class) attribute differs is replaced as a whole.
      - An empty element clears a stored list. If the stored element is an object, its child elements are kept.
      - The module validates the schedules of timer triggers and SCM polling triggers in this XML.
      - The task fails before it changes the job if the XML limits the number of builds with C(hudson.tasks.LogRotator),
        and C(daysToKeep) or C(numToKeep) is missing. Jenkins would read the missing limit as 0 and delete all builds.
      - Jenkins builds a freestyle job only on the built-in node if the XML of a new job has neither C(canRoam) with the
        value V(true) nor C(assignedNode). The XML that Jenkins itself writes always has C(canRoam).
      - Of the options for job settings, only O(description), O(display_name) and O(disabled) can be combined with
        O(config). Specify all other settings in the XML.
    type: str
  src:
    description:
      - Path to a file with the configuration of the job as XML, encoded in UTF-8. The file must be on the host that
        runs the module.
      - The content of the file is processed in the same way as O(config).
      - Mutually exclusive with O(type) and O(config).
    type: path
  exact:
    description:
      - Whether to remove the elements of the stored job configuration that the task does not declare. Empty elements
        and elements with the value V(false) are kept.
      - Elements that a declared option requires get the value of a new job. For example, with O(retention.keep_builds)
        only, the age of builds is not limited. A password parameter without O(parameters[].secret_default) keeps its
        secret.
      - The elements C(folderViews), C(icon), C(orphanedItemStrategy) and C(factory) of a multibranch Pipeline are kept,
        because Jenkins would reset them.
      - Requires O(type), O(config) or O(src).
    type: bool
    default: false
  description:
    description: Description of the job. An empty string removes the description.
    type: str
  display_name:
    description: Name that Jenkins displays for the job instead of the last part of O(name). An empty string removes the
      display name.
    type: str
  disabled:
    description:
      - Whether the job is disabled. Jenkins does not start builds of a disabled job.
      - When a job is disabled, Jenkins cancels its queued builds. Running builds continue.
    type: bool
  parameters:
    description:
      - Build parameters of the job, in this order. An empty list removes all parameters.
      - Existing parameters that are not listed are removed, including parameters of types that this option does not
        support.
      - Does not apply to O(type=multibranch).
    type: list
    elements: dict
    suboptions:
      name:
        description: Name of the parameter. Required for each parameter.
        type: str
      type:
        description: Type of the parameter.
        type: str
        default: string
        choices:
          boolean: Either V(true) or V(false).
          choice: One of the values in O(parameters[].choices).
          password: A secret, which Jenkins stores in encrypted form.
          string: A single line of text.
          text: Multiple lines of text.
      default:
        description:
          - Default value of the parameter.
          - For the type V(boolean), specify V(true) or V(false). For the types V(string) and V(text), specify a string.
          - Does not apply to the type V(choice), because the first entry in O(parameters[].choices) is its default.
          - Does not apply to the type V(password). Use O(parameters[].secret_default) instead.
        type: raw
      secret_default:
        description:
          - Default value of a parameter. Applies only to the type V(password).
          - The module always sends the value for a new parameter. For an existing parameter, it sends the value only
            with O(update_secret=always).
        type: str
      choices:
        description: Values that the user can choose from. The first value is the default. Required for the type
          V(choice). Does not apply to other types.
        type: list
        elements: str
      description:
        description: Description of the parameter.
        type: str
      trim:
        description: Whether Jenkins removes leading and trailing whitespace from values. Applies only to the types
          V(string) and V(text).
        type: bool
  triggers:
    description:
      - Schedules on which Jenkins starts builds of the job. Triggers of other types, such as those of plugins, are
        kept.
      - A schedule consists of one or more lines. Each line contains the five fields minute, hour, day of month, month
        and day of week, or an alias such as V(@daily).
      - The symbol V(H) stands for a value that Jenkins selects for the job. For example, V(H 2 * * *) starts one build
        a day between 2:00 and 2:59.
      - The first line can set a time zone, such as V(TZ=Europe/Berlin).
      - The module rejects invalid schedules. Jenkins would accept them in a configuration, but never start a build.
      - Does not apply to O(type=multibranch). Use O(scan_interval) instead.
    type: dict
    suboptions:
      cron:
        description: Schedule on which Jenkins starts builds, in the format that O(triggers) describes. An empty string
          removes the schedule.
        type: str
      poll_scm:
        description:
          - Schedule on which Jenkins checks the source code repository for changes, in the format that O(triggers)
            describes. If there are changes, Jenkins starts a build.
          - An empty string removes the schedule.
        type: str
  retention:
    description:
      - Limits for the builds and artifacts that Jenkins keeps. Jenkins deletes builds and artifacts that exceed a
        limit.
      - If a limit is not set, the value of the existing job is kept, unless O(exact=true). If the job has no value
        either, there is no limit.
      - Does not apply to O(type=multibranch).
    type: dict
    suboptions:
      keep_builds:
        description: Maximum number of builds to keep. V(0) means that their number is not limited.
        type: int
      keep_days:
        description: Number of days for which builds are kept. V(0) means that their age is not limited.
        type: int
      keep_artifact_builds:
        description: Maximum number of builds whose artifacts are kept. V(0) means that their number is not limited.
        type: int
      keep_artifact_days:
        description: Number of days for which the artifacts of builds are kept. V(0) means that their age is not
          limited.
        type: int
  concurrent:
    description:
      - Whether several builds of the job can run at the same time.
      - Does not apply to O(type=multibranch).
    type: bool
  quiet_period:
    description:
      - Time in seconds that a build waits in the queue before it starts.
      - Does not apply to O(type=multibranch).
    type: int
  script:
    description:
      - Pipeline script to store in the configuration of the job. Applies only to O(type=pipeline).
      - Mutually exclusive with O(git). To create a Pipeline, either O(script) or O(git) is required, unless
        O(copy_from) is set.
    type: str
  script_sandbox:
    description:
      - Whether O(script) runs in the Groovy sandbox of Jenkins. Scripts in the Groovy sandbox do not require approval.
      - The default for a new script is V(true). Requires O(script).
    type: bool
  git:
    description:
      - Git repository of the job. Any other repositories are removed from the job.
      - With O(type=pipeline), the repository contains the Pipeline script. With O(type=multibranch), Jenkins creates a
        job for each of its branches. With O(type=freestyle), it contains the source code to build.
      - Required to create a job with O(type=multibranch), unless O(copy_from) is set.
    type: dict
    suboptions:
      url:
        description: URL of the Git repository, without a password. Required if O(git) is set. If the repository
          requires a login, set O(git.credentials_id).
        type: str
      branch:
        description:
          - Branch to build, such as V(*/main). Required if O(git) is set with O(type=pipeline) or O(type=freestyle).
          - Must not be set with O(type=multibranch), which builds all branches.
        type: str
      credentials_id:
        description: ID of the Jenkins credentials that are used to read the Git repository. An empty string removes the
          ID.
        type: str
  script_path:
    description:
      - Path of the Pipeline script in the Git repository. The default for a new job is V(Jenkinsfile).
      - Applies only to O(type=multibranch), and to O(type=pipeline) if O(git) is set.
    type: str
  lightweight:
    description:
      - Whether Jenkins reads only the Pipeline script from the Git repository. If V(false), it clones the whole
        repository on the controller to read the script.
      - The default for a new job is V(true). Applies only to O(type=pipeline) if O(git) is set.
    type: bool
  orphaned_branches:
    description: How Jenkins treats the jobs of branches that no longer exist in the Git repository. Applies only to
      O(type=multibranch).
    type: dict
    suboptions:
      delete:
        description: Whether Jenkins deletes the jobs of branches that no longer exist. The default for a new
          multibranch Pipeline is V(true).
        type: bool
      keep_days:
        description:
          - Number of days for which Jenkins keeps the jobs of branches that no longer exist. V(0) means that this time
            is not limited.
          - If neither O(orphaned_branches.keep_days) nor O(orphaned_branches.keep_count) sets a limit, Jenkins deletes
            these jobs in the next scan.
        type: int
      keep_count:
        description:
          - Maximum number of jobs to keep for branches that no longer exist. V(0) means that their number is not
            limited.
          - If neither O(orphaned_branches.keep_days) nor O(orphaned_branches.keep_count) sets a limit, Jenkins deletes
            these jobs in the next scan.
        type: int
  scan_interval:
    description:
      - How often Jenkins scans the Git repository for branches, unless a notification of a change starts a scan
        earlier.
      - Applies only to O(type=multibranch).
    type: str
    choices:
      1m: Every minute.
      2m: Every 2 minutes.
      5m: Every 5 minutes.
      10m: Every 10 minutes.
      15m: Every 15 minutes.
      20m: Every 20 minutes.
      25m: Every 25 minutes.
      30m: Every 30 minutes.
      1h: Every hour.
      2h: Every 2 hours.
      4h: Every 4 hours.
      8h: Every 8 hours.
      12h: Every 12 hours.
      1d: Every day.
      2d: Every 2 days.
      7d: Every 7 days.
      14d: Every 14 days.
      28d: Every 28 days.
      never: Jenkins does not scan the repository periodically. Only a user or a notification of a change starts a scan.
  shell:
    description:
      - Shell scripts that a freestyle job runs as its build steps, in this order. Other build steps of the job are
        removed.
      - Applies only to O(type=freestyle).
    type: list
    elements: str
  label:
    description:
      - Label expression that selects the nodes on which a freestyle job can be built. An empty string allows all nodes.
      - If not set, a new job can be built on all nodes, and an existing job keeps its label. With O(exact=true), an
        existing job can be built on all nodes as well.
      - Applies only to O(type=freestyle).
    type: str
  allow_delete_builds:
    description:
      - Whether O(state=absent) may delete a job that has builds. For a multibranch Pipeline, the jobs of its branches
        count as builds.
      - If V(false), the task fails instead of deleting a job with builds.
      - A job with a running build is never deleted, because the deletion would abort the build.
    type: bool
    default: false
  predict_missing:
    description:
      - Whether check mode assumes that earlier tasks create missing folders and the job in O(copy_from).
      - If V(false), check mode fails if a folder or the job in O(copy_from) is missing.
      - Ignored outside of check mode.
  undeclared:
    description:
      - How to treat existing jobs that are not in O(items). Only the folders that directly contain at least one of the
        O(items) are considered, without their subfolders.
      - Folders, and jobs that are named in O(items[].previous_name), are never reported or deleted.
      - V(report) and V(remove) require O(items) with at least one item. Deleting a job with builds also requires
        O(allow_delete_builds=true).
  state:
    choices:
      present: Create or update the job.
      absent: Delete the job and its builds. If the job has builds, this requires O(allow_delete_builds=true).
  items:
    description:
      - Jobs to manage. Options that are set outside O(items) are the defaults for all items.
      - Each item requires a unique C(name). The module validates all items before it sends the first request.
      - Items with C(copy_from) are processed after the other items.
    type: list
    elements: dict
    suboptions:
      name:
        description: Value of O(name) for this item.
        type: str
      previous_name:
        description: Value of O(previous_name) for this item.
        type: str
      copy_from:
        description: Value of O(copy_from) for this item.
        type: str
      type:
        description: Value of O(type) for this item.
        type: str
        choices:
          freestyle: Same as O(type=freestyle).
          pipeline: Same as O(type=pipeline).
          multibranch: Same as O(type=multibranch).
      config:
        description: Value of O(config) for this item.
        type: str
      src:
        description: Value of O(src) for this item.
        type: path
      exact:
        description: Value of O(exact) for this item.
        type: bool
      description:
        description: Value of O(description) for this item.
        type: str
      display_name:
        description: Value of O(display_name) for this item.
        type: str
      disabled:
        description: Value of O(disabled) for this item.
        type: bool
      parameters:
        description: Value of O(parameters) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Value of O(parameters[].name) for this item.
            type: str
          type:
            description: Value of O(parameters[].type) for this item.
            type: str
            default: string
            choices:
              boolean: Same as O(parameters[].type=boolean).
              choice: Same as O(parameters[].type=choice).
              password: Same as O(parameters[].type=password).
              string: Same as O(parameters[].type=string).
              text: Same as O(parameters[].type=text).
          default:
            description: Value of O(parameters[].default) for this item.
            type: raw
          secret_default:
            description: Value of O(parameters[].secret_default) for this item.
            type: str
          choices:
            description: Value of O(parameters[].choices) for this item.
            type: list
            elements: str
          description:
            description: Value of O(parameters[].description) for this item.
            type: str
          trim:
            description: Value of O(parameters[].trim) for this item.
            type: bool
      triggers:
        description: Value of O(triggers) for this item.
        type: dict
        suboptions:
          cron:
            description: Value of O(triggers.cron) for this item.
            type: str
          poll_scm:
            description: Value of O(triggers.poll_scm) for this item.
            type: str
      retention:
        description: Value of O(retention) for this item.
        type: dict
        suboptions:
          keep_builds:
            description: Value of O(retention.keep_builds) for this item.
            type: int
          keep_days:
            description: Value of O(retention.keep_days) for this item.
            type: int
          keep_artifact_builds:
            description: Value of O(retention.keep_artifact_builds) for this item.
            type: int
          keep_artifact_days:
            description: Value of O(retention.keep_artifact_days) for this item.
            type: int
      concurrent:
        description: Value of O(concurrent) for this item.
        type: bool
      quiet_period:
        description: Value of O(quiet_period) for this item.
        type: int
      script:
        description: Value of O(script) for this item.
        type: str
      script_sandbox:
        description: Value of O(script_sandbox) for this item.
        type: bool
      git:
        description: Value of O(git) for this item.
        type: dict
        suboptions:
          url:
            description: Value of O(git.url) for this item.
            type: str
          branch:
            description: Value of O(git.branch) for this item.
            type: str
          credentials_id:
            description: Value of O(git.credentials_id) for this item.
            type: str
      script_path:
        description: Value of O(script_path) for this item.
        type: str
      lightweight:
        description: Value of O(lightweight) for this item.
        type: bool
      orphaned_branches:
        description: Value of O(orphaned_branches) for this item.
        type: dict
        suboptions:
          delete:
            description: Value of O(orphaned_branches.delete) for this item.
            type: bool
          keep_days:
            description: Value of O(orphaned_branches.keep_days) for this item.
            type: int
          keep_count:
            description: Value of O(orphaned_branches.keep_count) for this item.
            type: int
      scan_interval:
        description: Value of O(scan_interval) for this item.
        type: str
        choices:
          1m: Same as O(scan_interval=1m).
          2m: Same as O(scan_interval=2m).
          5m: Same as O(scan_interval=5m).
          10m: Same as O(scan_interval=10m).
          15m: Same as O(scan_interval=15m).
          20m: Same as O(scan_interval=20m).
          25m: Same as O(scan_interval=25m).
          30m: Same as O(scan_interval=30m).
          1h: Same as O(scan_interval=1h).
          2h: Same as O(scan_interval=2h).
          4h: Same as O(scan_interval=4h).
          8h: Same as O(scan_interval=8h).
          12h: Same as O(scan_interval=12h).
          1d: Same as O(scan_interval=1d).
          2d: Same as O(scan_interval=2d).
          7d: Same as O(scan_interval=7d).
          14d: Same as O(scan_interval=14d).
          28d: Same as O(scan_interval=28d).
          never: Same as O(scan_interval=never).
      shell:
        description: Value of O(shell) for this item.
        type: list
        elements: str
      label:
        description: Value of O(label) for this item.
        type: str
      allow_delete_builds:
        description: Value of O(allow_delete_builds) for this item.
        type: bool
      update_secret:
        description: Value of O(update_secret) for this item.
        type: str
        choices:
          on_create: Same as O(update_secret=on_create).
          always: Same as O(update_secret=always).
      on_dropped:
        description: Value of O(on_dropped) for this item.
        type: str
        choices:
          fail: Same as O(on_dropped=fail).
          warn: Same as O(on_dropped=warn).
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
seealso:
  - module: buildworks.toolchain.ci_job_info
  - module: buildworks.toolchain.ci_build
"""

EXAMPLES = r"""
- name: Create a Pipeline whose script is in a Git repository
  buildworks.toolchain.ci_job:
    name: web
    type: pipeline
    git:
      url: https://git.example.com/web.git
      branch: "*/main"
    triggers:
      cron: H 2 * * *
    retention:
      keep_builds: 50

- name: Create a freestyle job with a parameter
  buildworks.toolchain.ci_job:
    name: cleanup
    type: freestyle
    description: Removes old files
    parameters:
      - name: DAYS
        default: "30"
    shell:
      - find /var/cache/builds -mtime "+$DAYS" -delete

- name: Create a multibranch Pipeline that is scanned every day
  buildworks.toolchain.ci_job:
    name: library
    type: multibranch
    git:
      url: https://git.example.com/library.git
    scan_interval: 1d

- name: Set the build steps of a job, and keep its other settings
  buildworks.toolchain.ci_job:
    name: smoke
    config: |
      <project>
        <builders>
          <hudson.tasks.Shell>
            <command>make smoke</command>
          </hudson.tasks.Shell>
        </builders>
      </project>

- name: Manage several jobs, and report other ones
  buildworks.toolchain.ci_job:
    type: pipeline
    items:
      - name: web
        script: node { sh 'make' }
      - name: docs
        script: node { sh 'make docs' }
    undeclared: report

- name: Disable a job
  buildworks.toolchain.ci_job:
    name: smoke
    disabled: true

- name: Rename a job
  buildworks.toolchain.ci_job:
    name: smoke test
    previous_name: smoke

- name: Delete a job and its builds
  buildworks.toolchain.ci_job:
    name: smoke test
    state: absent
    allow_delete_builds: true
"""

RETURN = r"""
job:
  description: State of the job after the task. In check mode, this is the predicted state. V(null) if the job does not
    exist after the task.
  returned: success, when O(items) is not set
  type: dict
  contains:
    name:
      description: Full name of the job.
      type: str
    type:
      description: Type of the job, which is V(freestyle), V(pipeline) or V(multibranch). For a job of another type,
        this is the root element of its configuration.
      type: str
    elements:
      description:
        - Texts and attributes of the configuration elements that the task manages. Each key is the path of an element,
          such as C(builders/hudson.tasks.Shell/command).
        - If several elements have the same name, the second one has the suffix C([2]). The key C(@order) of a list
          contains the names of its elements, in their order.
        - V((encrypted\)) replaces encrypted values and other secrets. V((encrypted, rewritten\)) replaces secrets that
          the task sent because of O(update_secret=always).
      type: dict
    on_hold:
      description: Whether the job is a copy that has never been saved. Jenkins does not build the copy until it is
        saved.
      returned: with O(copy_from)
      type: bool
  sample:
    name: team/app
    type: freestyle
    elements:
      description: Builds the application
      builders/hudson.tasks.Shell/command: make
undeclared:
  description: Full names of the existing jobs that are not in O(items), sorted. Only the folders that directly contain
    at least one of the O(items) are considered. If O(type) is set beside O(items), only jobs of this type. An empty
    list if there are no undeclared jobs.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [team/old]
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
    job:
      description: Value of RV(job) for this item.
      type: dict
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
"""

import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.items import names
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job import declared
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job.managed import ManagedJob
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.job.shared import SharedJobs
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.jobs import JOB
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.plugins.required import PREDICTED_PLUGINS
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CI, CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.losses import ON_DROPPED
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.limits import NAME
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    STATE,
    UNDECLARED,
    UPDATE_SECRET,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.tree import Option
from ansible_collections.buildworks.toolchain.plugins.module_utils._reconcile import Fields, reconcile
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared

_TEXT: Option = dict(matches=("[^\\0\ufffe\uffff]*", "a text without NUL characters, U+FFFE and U+FFFF"))
# without a limit, `exact` and the defaults of orphaned branches delete more
_LIMIT: Option = dict(type="int", at_least=0, at_most=1_000_000, narrows_scope=True)
_PARAMETER: dict[str, Option] = dict(
    name=dict(type="str", **NAME),
    type=dict(type="str", choices=list(declared.PARAMETER_TYPES), default="string"),
    default=dict(type="raw", unchecked="checked for the type of the parameter"),
    secret_default=dict(type="str", no_log=True, **_TEXT),
    choices=dict(type="list", elements="str", not_empty=True, each_element=_TEXT),
    description=dict(type="str", **_TEXT),
    trim=dict(type="bool"),
)
_RETENTION: dict[str, Option] = dict(
    keep_builds=_LIMIT, keep_days=_LIMIT, keep_artifact_builds=_LIMIT, keep_artifact_days=_LIMIT
)
_TRIGGERS: dict[str, Option] = dict(cron=dict(type="str", **_TEXT), poll_scm=dict(type="str", **_TEXT))
_GIT: dict[str, Option] = dict(
    url=dict(type="str", **NAME),
    branch=dict(type="str", **NAME),
    credentials_id=dict(type="str", one_line=True),
)


def check_options(params: Fields) -> None:
    if params["state"] == "absent":
        if params["previous_name"] is not None:
            raise BadOption("previous_name", "must not be set with 'state: absent'")
        return
    if params["previous_name"] == params["name"]:
        raise BadOption("previous_name", "must differ from 'name'")
    if any(params[option] is not None for option in ("type", "config", "src", "copy_from", "previous_name")):
        names.check_new_name(params["name"], "name")
    declared.check_options(params)


ITEM = (STATE + UPDATE_SECRET + ON_DROPPED) + ArgumentSpec(
    dict(
        name=dict(type="str", required=True, **JOB),
        previous_name=dict(type="str", **JOB),
        copy_from=dict(type="str", **JOB),
        type=dict(type="str", choices=list(declared.OPTIONS_OF_TYPES), narrows_scope=True),
        config=dict(type="str", not_empty=True, secret_elements=True, unchecked="checked when it is parsed"),
        src=dict(type="path", not_empty=True),
        exact=dict(type="bool", default=False),
        description=dict(type="str", **_TEXT),
        display_name=dict(type="str", one_line=True),
        disabled=dict(type="bool"),
        parameters=dict(type="list", elements="dict", narrows_scope=True, options=_PARAMETER),
        triggers=dict(
            type="dict",
            narrows_scope=True,
            options=dict(cron=dict(type="str", **_TEXT), poll_scm=dict(type="str", **_TEXT)),
        ),
        retention=dict(type="dict", narrows_scope=True, options=_RETENTION),
        concurrent=dict(type="bool"),
        quiet_period=dict(type="int", at_least=0, at_most=86400),
        script=dict(type="str", **_TEXT),
        script_sandbox=dict(type="bool"),
        git=dict(type="dict", narrows_scope=True, options=_GIT),
        script_path=dict(type="str", **NAME),
        lightweight=dict(type="bool"),
        orphaned_branches=dict(
            type="dict",
            narrows_scope=True,
            options=dict(delete=dict(type="bool", narrows_scope=True), keep_days=_LIMIT, keep_count=_LIMIT),
        ),
        scan_interval=dict(type="str", choices=[*declared.SCAN_INTERVALS, declared.NEVER]),
        shell=dict(type="list", elements="str", narrows_scope=True, each_element=_TEXT),
        label=dict(type="str", one_line=True),
        allow_delete_builds=dict(type="bool", default=False),
    ),
    mutually_exclusive=[("type", "config", "src")],
    checks=[check_options],
)
SPEC = (CI + PREDICT_MISSING + PREDICTED_PLUGINS + UNDECLARED + VISIBILITY) + with_items(ITEM)


def run(task: Task) -> None:
    shared = SharedJobs()
    process_one_or_items(
        task,
        lambda item_task: reconcile_job(item_task, shared),
        check=lambda params: read_configuration(task, params),
        identity=lambda params: params["name"],
        name_option="name",
        expand_all=lambda items: append_undeclared(
            task, "jobs", items, "name", lambda: shared.list_undeclared(task, CiService(task), items)
        ),
        level_of=lambda item: int(item.get("copy_from") is not None),
    )


def reconcile_job(task: Task, shared: SharedJobs) -> None:
    check_options(task.params)  # undeclared objects inherit the options of the task
    configuration = read_configuration(task, task.params)
    job = ManagedJob(task, CiService(task), shared, configuration)
    reconcile(
        task,
        "job",
        read=job.find,
        desired=job.desired,
        create=job.create,
        update=job.update,
        replaces=True,
        delete=job.delete,
        check=job.check,
        to_result=job.to_result,
        explain_shortfall=job.explain_loss,
    )


def read_configuration(task: Task, params: Fields) -> ET.Element | None:
    """Return the configuration in the option `config` or `src`, and register its secrets."""
    configuration = None if params["state"] == "absent" else declared.read_configuration(params)
    if configuration is not None:
        for secret in declared.find_secrets(configuration).values():
            task.register_secret(secret)
    return configuration


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
