// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Tabs. On wide screens, the journal has no tab because it is always visible.

import { find } from "./dom.js";
import { refresh } from "./live.js";

const tabs = [...document.querySelectorAll("[role=tab]")];
const [journalTab, firstTab] = tabs;
const wide = matchMedia("(min-width: 1100px)");

/** Show the panel of a tab. */
export function showPanel(name) {
  select(document.getElementById(`tab-${name}`));
}

function select(chosen) {
  for (const tab of tabs) {
    const panel = document.getElementById(tab.getAttribute("aria-controls"));
    tab.ariaSelected = String(tab === chosen);
    tab.tabIndex = tab === chosen ? 0 : -1;
    panel.hidden = tab !== chosen && !(tab === journalTab && wide.matches);
  }
  refresh();
}

function adapt() {
  journalTab.hidden = wide.matches;
  if (wide.matches) find("#journal").removeAttribute("role");
  else find("#journal").role = "tabpanel";
  const current = tabs.find((tab) => tab.ariaSelected === "true");
  if (!wide.matches) select(!current || current === firstTab ? journalTab : current);
  else select(!current || current === journalTab ? firstTab : current);
}

function moveFocus(event) {
  const shown = tabs.filter((tab) => !tab.hidden);
  const index = shown.indexOf(event.target);
  const targets = { ArrowRight: index + 1, ArrowLeft: index - 1 + shown.length, Home: 0, End: shown.length - 1 };
  if (!(event.key in targets)) return;
  event.preventDefault();
  const target = shown[targets[event.key] % shown.length];
  select(target);
  target.focus();
}

for (const tab of tabs) {
  tab.addEventListener("click", () => select(tab));
  tab.addEventListener("keydown", moveFocus);
}
wide.addEventListener("change", adapt);
adapt();
