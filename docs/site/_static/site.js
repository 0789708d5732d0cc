/*
 * Copyright (c) 2026, the buildworks.toolchain authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// The theme puts tables into boxes that scroll, some time after the page is there
new MutationObserver(() => {
  for (const box of document.querySelectorAll(".wy-table-responsive:not([tabindex])")) {
    box.tabIndex = 0; // so that the keyboard scrolls it, too
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Table");
  }
  for (const link of document.querySelectorAll("[aria-role]")) link.removeAttribute("aria-role"); // there is none
}).observe(document, { childList: true, subtree: true });
