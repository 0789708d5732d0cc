// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Switches: a control for each, by the kind of its value

import { call } from "./api.js";
import { differs, element, find, forget, say } from "./dom.js";
import { act } from "./live.js";

/** How a value is edited: the type of its input, and how it gets in and out of it. */
const KINDS = {
  boolean: { type: "checkbox", put: (input, value) => (input.checked = value), take: (input) => input.checked },
  number: { type: "number", put: (input, value) => (input.value = value), take: (input) => input.valueAsNumber },
  string: { type: "text", put: (input, value) => (input.value = value), take: (input) => input.value },
  object: {
    type: "text",
    put: (input, value) => (input.value = JSON.stringify(value)),
    take: (input) => JSON.parse(input.value),
  },
};

export async function switches() {
  for (const [service, values] of Object.entries(await call("GET", "switches"))) {
    for (const [name, value] of Object.entries(values)) show(service, name, value);
  }
}

function show(service, name, value) {
  const id = `switch ${service} ${name}`;
  const kind = KINDS[typeof value];
  const input = document.getElementById(id) ?? control(id, service, name, kind);
  const edited = input === document.activeElement && input.type !== "checkbox";
  if (!edited && differs(id, value)) kind.put(input, value);
}

function control(id, service, name, kind) {
  const input = element("input", { id, type: kind.type, spellcheck: false });
  if (kind.type === "checkbox") input.role = "switch";
  if (kind.type === "number") input.step = "any";
  input.addEventListener("change", () => change(id, service, name, kind, input));
  group(service).append(element("label", {}, element("span", {}, name), input));
  return input;
}

function group(service) {
  const id = `switches ${service}`;
  const found = document.getElementById(id);
  if (found) return found;
  const made = element("div", { id, role: "group", ariaLabel: service });
  find("#switch-list").append(element("details", {}, element("summary", {}, service), made));
  return made;
}

/** Set it at once; what is refused gets the value again that the sandbox has. */
async function change(id, service, name, kind, input) {
  try {
    const value = kind.take(input);
    const done = `${service}: ${name} is ${JSON.stringify(value)}.`;
    if (await act(done, "PATCH", "switches", { [service]: { [name]: value } })) return;
  } catch (error) {
    say(`${service}: ${name} takes JSON. ${error.message}`, true);
  }
  forget(id);
}
