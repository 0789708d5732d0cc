# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: overview_summary
short_description: Summarize the state of Artifactory, Jenkins and others
description:
  - Returns a verdict, the health of each service with its reason, and the items that need attention, from the
    data that the role R(overview, ansible_collections.buildworks.toolchain.overview_role) collects.
  - The role adds the result to its JSON file as C(summary).
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
options:
  _input:
    description: The content of the JSON file of the role C(overview).
    type: dict
    required: true
seealso:
  - plugin: buildworks.toolchain.overview_page
    plugin_type: filter
"""

EXAMPLES = r"""
- name: Fail if a service needs attention
  ansible.builtin.assert:
    that: (overview | buildworks.toolchain.overview_summary).health == 'ok'
  vars:
    overview: "{{ lookup('ansible.builtin.file', '~/overview.json') | from_json }}"
"""

RETURN = r"""
_value:
  description: The summary.
  type: dict
  contains:
    verdict:
      description: The state of all services and the most urgent item in words.
      type: str
    health:
      description: The worst health of a service, which is V(failing), V(unknown), V(attention), V(notice) or V(ok).
      type: str
    attention:
      description:
        - The items that need attention, the most urgent first. Each entry has C(severity), which is V(failing),
          V(unknown), V(attention) or V(notice), C(host), C(service), C(reason), and the remedy as C(remedy) in words,
          C(page) of the documentation site and C(command).
      type: list
      elements: dict
    services:
      description: Each service with C(host), C(service), C(health), C(reason) and C(figures).
      type: list
      elements: dict
"""

import typing as t

from ansible_collections.buildworks.toolchain.plugins.plugin_utils._overview import page


def overview_summary(overview: t.Mapping[str, t.Any]) -> dict[str, t.Any]:
    """Return verdict, health and findings, see DOCUMENTATION."""
    with page.report_invalid_input():
        return page.summarize(overview)


class FilterModule:
    """The filters of this file."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"overview_summary": overview_summary}
