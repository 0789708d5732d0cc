# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Clean-up: delete artifacts by rules.

`run` carries out a clean-up in two steps, which share a database (`store`):

1. `planning` only reads, and writes the plan into the store. `rules` says what applies, is old and stays. `conditions`
   puts that into queries, and `scan` sends them page by page. `candidates` gathers the artifacts of a rule and decides
   which ones are deleted. `survey` counts whole repositories. `plan_file` and `rule_records` keep a plan in a file.
   `summary` sums it up and checks the guards.
2. `deletion` deletes the items of the plan (`entries`). For each one it asks `verification`, which reads again whether
   everything that selected the item still holds. Only an explicit verdict deletes.

`artifact`, `ages` and `patterns` are the vocabulary of all of them.
"""
