# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: mask_secrets
short_description: Mask secrets in data from Artifactory, Jenkins and others
description:
  - Replaces texts that look like secrets with V(MASKED_SECRET), at any depth of lists and dictionaries.
  - The filter masks the values of properties, parameters and dictionary keys whose names contain a word such as
    C(password) or C(token). For properties and parameters, names that contain C(key) are also included. It masks values
    that follow such names in texts and in command options. It also masks user names and passwords in URLs, well-known
    token formats, private keys and Base64-encoded logins.
  - Names and paths are never masked.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
options:
  _input:
    description: Data whose secrets are masked.
    type: raw
    required: true
  list_as:
    description:
      - Name of a key to add to O(_input), which must be a dictionary if this option is set. Its value contains the
        C(count) of masked texts and the C(places) of the first 100 of them.
      - By default, no key is added.
    type: str
  keep:
    description: Whether to return the data without masking. If V(true), the C(count) in O(list_as) is V(0).
    type: bool
    default: false
  members:
    description:
      - Names of further keys whose texts are masked, at any depth. Use it for free texts that contain secrets.
    type: list
    elements: str
    default: []
notes:
  - The filter does not recognize a secret that has no such name or format. Review the result before you publish it.
seealso:
  - module: buildworks.toolchain.artifact_query_info
"""

EXAMPLES = r"""
- name: Show the parameters of a job without the secrets in their defaults
  ansible.builtin.debug:
    msg: "{{ found.job.parameters | buildworks.toolchain.mask_secrets }}"

- name: Show lockable resources of Jenkins without their notes
  ansible.builtin.debug:
    msg: "{{ found.resources | buildworks.toolchain.mask_secrets(members=['note']) }}"
"""

RETURN = r"""
_value:
  description: The data with all recognized secrets masked.
  type: raw
"""

import typing as t

from ansible.errors import AnsibleFilterError

from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import SecretMasker


def mask_secrets(value: t.Any, list_as: str | None = None, keep: bool = False, members: t.Iterable[str] = ()) -> t.Any:
    """Return a value without secrets, see DOCUMENTATION."""
    masking = SecretMasker(members)
    masked = value if keep else masking.mask(value)
    if list_as is None:
        return masked
    if not isinstance(masked, dict):
        raise AnsibleFilterError(
            "Cannot mask secrets: 'list_as' requires a dictionary as input. Pass a dictionary or omit 'list_as'."
        )
    return {**masked, list_as: masking.result}


class FilterModule:
    """What Ansible asks for filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"mask_secrets": mask_secrets}
