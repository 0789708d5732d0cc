// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Fault presets

import { call } from "./api.js";
import { createButton, find } from "./dom.js";
import { act } from "./live.js";

const form = find("#presets");

export async function loadPresets() {
  const { presets } = await call("GET", "faults/presets");
  find("#preset-list").replaceChildren(...Object.entries(presets).map(([name, preset]) => createPreset(name, preset)));
  disableUnsupported();
}

function createPreset(name, { title, services }) {
  const button = createButton(title, () => inject(name, title));
  button.dataset.services = services.join(" ");
  return button;
}

function inject(name, title) {
  const service = form.elements.service.value;
  act(`Fault injected: ${title}.`, "POST", `faults/presets/${name}`, service ? { service } : {});
}

/** Disable the presets that the selected service does not have. */
function disableUnsupported() {
  const service = form.elements.service.value;
  for (const button of find("#preset-list").children) {
    button.disabled = service !== "" && !button.dataset.services.split(" ").includes(service);
  }
}

form.elements.service.addEventListener("change", disableUnsupported);
form.addEventListener("submit", (event) => event.preventDefault());
