# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Option and note of modules that declare configurations of Jenkins as XML."""

    DOCUMENTATION = r"""
options:
  on_dropped:
    description:
      - What to do if Jenkins does not store elements of a configuration that is declared as XML, because they are
        outdated, unknown, or belong to a plugin that is not installed. The message names the elements and the reasons.
      - The module knows outdated elements of Pipelines, of the Git plugin and of list views, and how Jenkins replaces
        them. It also knows all elements that a freestyle job or a Pipeline can have, and the permissions that do not
        apply to a folder, job or node.
      - If a new element names its plugin in the attribute C(plugin), the module checks whether Jenkins has the plugin.
        The account must be allowed to list plugins, which requires the permission Overall/SystemRead or
        Overall/Administer.
      - For new elements that are named after classes of other plugins, and for permissions of plugins, the module runs
        a script in Jenkins that says whether it has them. This requires the permission Overall/Administer.
      - Further elements are missing when the configuration is read again after the change.
      - Empty elements are not considered, unless their name is that of a class, or they are texts in a list. Jenkins
        drops some of them.
      - If a different value is stored, or if Jenkins refuses the configuration, the task fails in any case.
    type: str
    choices:
      fail: The task fails. If it is known that Jenkins does not store an element, the task fails before the change.
      warn: The task succeeds with a warning. Outdated elements are replaced as Jenkins replaces them, or left out.
        Missing elements count as unchanged if it is known that Jenkins does not store them. Other missing elements are
        sent in each run, and if Jenkins does not store them again, the task reports no change. Check mode cannot know
        this and predicts a change.
    default: fail
notes:
  - Forms that mean the same to Jenkins are equal in a configuration as XML. This applies to line ends in the commands
    of shell and batch steps, the order of permissions in a matrix and of the jobs in a list view, names and IDs of
    permissions, the C(class) attribute of a collection, upper and lower case in booleans, forms of whole numbers such
    as C(+5), C(05) and C(0x5), and empty elements that Jenkins drops. As in Jenkins, C(010) is octal. An element that
    contains only blanks and line breaks is empty, unless they are in CDATA or written as references, such as C(&#xa;).
  - The task fails before the change if a boolean of a job, view or node is neither C(true) nor C(false), or if a number
    contains blanks or a decimal point. Jenkins would store C(false) or no number.
"""
