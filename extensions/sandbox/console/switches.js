// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Switches: an input for each, depending on the type of its value

import { call } from "./api.js";
import { createElement, find, hasChanged, invalidate, showMessage } from "./dom.js";
import { act } from "./live.js";

/** Input type, setter and getter by type of value. */
const EDITORS = {
  boolean: { type: "checkbox", write: (input, value) => (input.checked = value), read: (input) => input.checked },
  number: { type: "number", write: (input, value) => (input.value = value), read: (input) => input.valueAsNumber },
  string: { type: "text", write: (input, value) => (input.value = value), read: (input) => input.value },
  object: {
    type: "text",
    write: (input, value) => (input.value = JSON.stringify(value)),
    read: (input) => JSON.parse(input.value),
  },
};

export async function updateSwitches() {
  for (const [service, values] of Object.entries(await call("GET", "switches"))) {
    for (const [name, value] of Object.entries(values)) render(service, name, value);
  }
}

function render(service, name, value) {
  const id = `switch ${service} ${name}`;
  const editor = EDITORS[typeof value];
  const input = document.getElementById(id) ?? createInput(id, service, name, editor);
  const isEdited = input === document.activeElement && input.type !== "checkbox";
  if (!isEdited && hasChanged(id, value)) editor.write(input, value);
}

function createInput(id, service, name, editor) {
  const input = createElement("input", { id, type: editor.type, spellcheck: false });
  if (editor.type === "checkbox") input.role = "switch";
  if (editor.type === "number") input.step = "any";
  input.addEventListener("change", () => applyChange(id, service, name, editor, input));
  findGroup(service).append(createElement("label", {}, createElement("span", {}, name), input));
  return input;
}

function findGroup(service) {
  const id = `switches ${service}`;
  const existing = document.getElementById(id);
  if (existing) return existing;
  const group = createElement("div", { id, role: "group", ariaLabel: service });
  find("#switch-list").append(createElement("details", {}, createElement("summary", {}, service), group));
  return group;
}

/** Set a switch. If the sandbox rejects the value, the input shows the current value again. */
async function applyChange(id, service, name, editor, input) {
  try {
    const value = editor.read(input);
    const message = `${service}: ${name} is ${JSON.stringify(value)}.`;
    if (await act(message, "PATCH", "switches", { [service]: { [name]: value } })) return;
  } catch (error) {
    showMessage(`${service}: ${name} requires JSON. ${error.message}`, true);
  }
  invalidate(id);
}
