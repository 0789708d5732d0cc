// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Switches: an input for each, depending on the type of its value

import { call } from "./api.js";
import { createElement, find, hasChanged, showMessage } from "./dom.js";
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

const forms = new Map(); // by service
let current = {}; // values by service

export async function updateSwitches() {
  current = await call("GET", "switches");
  for (const [service, values] of Object.entries(current)) {
    if (hasChanged(`switches ${service}`, values)) showValues(service, values);
  }
}

/** Show the current values. Inputs with changes that were not applied keep them. */
function showValues(service, values, isDiscarding = false) {
  const form = findForm(service);
  for (const [name, value] of Object.entries(values)) {
    const editor = EDITORS[typeof value];
    const input = form.elements[name] ?? addInput(form, name, editor);
    if (isDiscarding || !input.dataset.isEdited) editor.write(input, value);
    if (isDiscarding) delete input.dataset.isEdited;
  }
}

function findForm(service) {
  if (!forms.has(service)) {
    const fields = createElement("div", { className: "switches", role: "group", ariaLabel: service });
    const apply = createElement("p", { className: "sticky" }, createElement("button", {}, "Apply"));
    const form = createElement("form", { autocomplete: "off" }, fields, apply);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      applyChanges(service, form);
    });
    find("#switches").append(createElement("details", {}, createElement("summary", {}, service), form));
    forms.set(service, form);
  }
  return forms.get(service);
}

function addInput(form, name, editor) {
  const input = createElement("input", { name, type: editor.type, spellcheck: false });
  if (editor.type === "checkbox") input.role = "switch";
  if (editor.type === "number") input.step = "any";
  input.addEventListener("input", () => (input.dataset.isEdited = "yes"));
  find(".switches", form).append(createElement("label", {}, createElement("span", {}, name), input));
  return input;
}

/** Set the changed switches. If the sandbox rejects a value, the inputs show the current values again. */
async function applyChanges(service, form) {
  const edited = [...form.elements].filter((input) => input.dataset.isEdited);
  const changes = {};
  for (const input of edited) {
    try {
      changes[input.name] = EDITORS[typeof current[service][input.name]].read(input);
    } catch (error) {
      showMessage(`${service}: ${input.name} requires JSON. ${error.message}`, true);
      return;
    }
  }
  const texts = Object.entries(changes).map(([name, value]) => `${name} is ${JSON.stringify(value)}`);
  const message = texts.length ? `${service}: ${texts.join(", ")}.` : `${service}: nothing has changed.`;
  await act(message, "PATCH", "switches", { [service]: changes });
  showValues(service, current[service], true);
}
