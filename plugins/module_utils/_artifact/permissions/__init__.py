# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Cleanup: delete artifacts by rules.

`run` performs a cleanup in two steps, which share a database (`store`):

1. `planning` only sends read requests and writes the plan to the store. `rules` has the rules, the queries for them and
   their form in plan files. `planner` coordinates the step, `scan` reads query results page by page, `candidates`
   collects the artifacts of a rule and decides which to delete, `survey` counts the files of whole repositories,
   `plan_file` writes and reads plan files, and `summary` sums up the plan and checks its limits.
2. `deletion` deletes the items of the plan (`entries`). Before each deletion, `verification` reads again whether the
   item still meets all conditions. An item is only deleted with an explicit verdict.
"""
