# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: mask_secrets
short_description: Mask what looks like a secret of Artifactory, Jenkins or others
description:
  - Replaces texts that look like secrets by V(MASKED_SECRET), at any depth of lists and dictionaries.
  - These are values of properties, parameters and members whose names contain a word such as C(password) or C(token),
    or of properties and parameters also C(key); user names and passwords in URLs; values after such names in texts and
    in options of commands; and texts in the form of well-known tokens, of private keys and of a login in Base64.
  - Names and paths are never masked.
version_added: 0.2.0
author: the buildworks.toolchain authors (@buildworks)
options:
  _input:
    description: The data.
    type: raw
    required: true
  list_as:
    description:
      - Name of a member to add to O(_input), which must be a dictionary then. It gets the C(count) of masked texts and
        the C(places) of the first 100.
      - By default, no member is added.
    type: str
  keep:
    description: Whether to leave the data unmasked. The count of O(list_as) is V(0) then.
    type: bool
    default: false
notes:
  - A secret without such a name or form is not recognized. Do not publish the result without a look at it.
seealso:
  - module: buildworks.toolchain.artifact_query_info
"""

EXAMPLES = r"""
- name: Show the parameters of a job without the secrets in their defaults
  ansible.builtin.debug:
    msg: "{{ found.job.parameters | buildworks.toolchain.mask_secrets }}"
"""

RETURN = r"""
_value:
  description: The data without the secrets.
  type: raw
"""

import typing as t

from ansible.errors import AnsibleFilterError

from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import SecretMasker


def mask_secrets(value: t.Any, list_as: str | None = None, keep: bool = False) -> t.Any:
    """Return a value without secrets, see DOCUMENTATION."""
    masking = SecretMasker()
    masked = value if keep else masking.mask(value)
    if list_as is None:
        return masked
    if not isinstance(masked, dict):
        raise AnsibleFilterError("mask_secrets: 'list_as' needs a dictionary to add a member to.")
    return {**masked, list_as: masking.result}


class FilterModule:
    """What Ansible asks for filters."""

    def filters(self) -> dict[str, t.Callable[..., t.Any]]:
        """Return the filters by name."""
        return {"mask_secrets": mask_secrets}
