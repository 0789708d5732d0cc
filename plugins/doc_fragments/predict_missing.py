# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """What is not there yet in check mode."""

    DOCUMENTATION = r"""
options:
  predict_missing:
    description:
      - In check mode, whether a project, account or group that is not there counts as one that an earlier task would
        have made, so that the task is predicted and not refused.
      - Without check mode it changes nothing.
    type: bool
    default: false
"""
