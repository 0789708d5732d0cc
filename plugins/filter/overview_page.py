# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: overview_page
short_description: Render an overview of Artifactory, Jenkins and others
description:
  - Returns an HTML page from the data that the role
    R(overview, ansible_collections.buildworks.toolchain.overview_role) collects. The role uses it to write its page.
  - The page is a single file without scripts or external resources.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
options:
  _input:
    description: The content of the JSON file of the role C(overview).
    type: dict
    required: true
  site:
    description:
      - URL of the documentation of this collection, as built by C(make site). The page then links guides and modules.
        If empty, it names commands.
    type: str
    default: ""
  rows:
    description: Number of rows of a table that are visible. Further rows are folded.
    type: int
    default: 8
seealso:
  - plugin: buildworks.toolchain.overview_summary
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Write the page again from the data of an earlier run
  ansible.builtin.copy:
    content: "{{ lookup('ansible.builtin.file', '~/overview.json') | from_json | buildworks.toolchain.overview_page }}"
    dest: ~/overview.html
    mode: "0600"
"""

RETURN = r"""
_value:
  description: The page.
  type: str
"""

import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview import page


def overview_page(overview: t.Mapping[str, t.Any], site: str = "", rows: int = 8) -> str:
    """Return the page, see DOCUMENTATION."""
    with page.report_invalid_input():
        return page.render_page(overview, site, rows)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"overview_page": overview_page}
