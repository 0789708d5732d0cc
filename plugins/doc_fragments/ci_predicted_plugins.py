# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """Option for check mode of Jenkins modules that require plugins."""

    DOCUMENTATION = r"""
options:
  predicted_plugins:
    description:
      - Short names of the plugins that earlier tasks install or enable. Check mode treats these plugins as active, and
        can therefore predict objects that require them.
      - If at least one plugin is listed, check mode does not verify the names of permissions, because the plugin can
        provide them.
      - Ignored outside of check mode.
    type: list
    elements: str
    version_added: 0.3.0
"""
