// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Fault injection

import { call } from "./api.js";
import { createButton, createElement, find, formatTime, hasChanged, showMessage } from "./dom.js";
import { act } from "./live.js";
import { showPanel } from "./tabs.js";

const form = find("#fault");

export async function updateFaults() {
  const { faults: all } = await call("GET", "faults");
  const list = find("#fault-list");
  if (hasChanged("faults", all.map(({ matched, ...set }) => set))) {
    list.replaceChildren(...all.map(createEntry));
    list.hidden = find("#clear-faults").hidden = !all.length;
    find("#no-faults").hidden = all.length > 0;
  }
  // Only the counters change while requests match, so that buttons are not replaced during a click.
  all.forEach(({ matched }, index) => (find(".matched", list.children[index]).textContent = matched));
}

/** Fill the form for requests like one of the journal. */
export function prepareFault({ service, method, path }) {
  form.reset();
  Object.assign(form.elements.service, { value: service });
  Object.assign(form.elements.method, { value: method });
  form.elements.path.value = `^${escapeExpression(path)}$`;
  selectKind();
  offerGeneralization();
  showPanel("faults");
  form.elements.kind.focus();
}

function escapeExpression(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** Return a path expression that matches all IDs: numbers, UUIDs and checksums. */
function generalizePath(expression) {
  return expression.replace(/\/(?:\d+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{20,})(?=\/|\$|$)/gi, "/[^/]+");
}

function offerGeneralization() {
  const path = form.elements.path.value;
  find("#generalize").hidden = generalizePath(path) === path;
}

function createEntry(fault) {
  const matched = createElement("span", { className: "matched" }, fault.matched);
  const summary = `${fault.id}: ${describeFault(fault)}; ${describeRequests(fault)}; matched `;
  const clear = createButton("Clear", () => clearFault(fault.id), { ariaLabel: `Clear fault ${fault.id}` });
  return createElement("li", {}, createElement("div", {}, createElement("span", {}, summary, matched), ...createResponse(fault)), clear);
}

function createResponse({ id, headers, body }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  if (!lines.length && !body) return [];
  const text = createElement("pre", { tabIndex: 0, role: "group", ariaLabel: `Response of fault ${id}` }, [...lines, "", body].join("\n"));
  return [createElement("details", {}, createElement("summary", {}, "Response"), text)];
}

async function clearFault(id) {
  await act(`Fault ${id} cleared.`, "DELETE", `faults/${id}`);
  find("#faults").focus({ preventScroll: true }); // The focused button was removed.
}

function describeFault({ kind, status, seconds }) {
  return [kind, status, seconds ? `${seconds} s` : ""].filter(Boolean).join(" ");
}

function describeRequests({ service, method, effect, path, label, nth, times, expires }) {
  const conditions = [service, method, effect, path, label].filter(Boolean).join(" ") || "all";
  const last = nth + times - 1;
  const range = times === 0 ? `from no. ${nth}` : nth === last ? `no. ${nth}` : `no. ${nth} to ${last}`;
  return `${conditions}, ${range}${expires ? `, until ${formatTime(expires)}` : ""}`;
}

/** Show the fields of the selected kind. */
function selectKind() {
  const kind = form.elements.kind.value;
  for (const field of form.querySelectorAll("[data-kinds]")) {
    field.hidden = !field.dataset.kinds.split(" ").includes(kind);
    find("input, textarea", field).disabled = field.hidden;
  }
  form.elements.status.required = kind === "status";
}

/** Return the fault in the form, without empty fields. */
function readForm() {
  const fields = [...new FormData(form)].filter(([, value]) => value !== "");
  const fault = Object.fromEntries(
    fields.map(([name, value]) => [name, form.elements[name].type === "number" ? Number(value) : value]),
  );
  if (fault.headers) fault.headers = parseHeaders(fault.headers);
  return fault;
}

function parseHeaders(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (!name) throw new Error(`Invalid header: ${line}. Use 'Name: value'.`);
      return [name, value];
    }),
  );
}

form.elements.kind.addEventListener("change", selectKind);
form.elements.path.addEventListener("input", offerGeneralization);
find("#generalize").addEventListener("click", () => {
  form.elements.path.value = generalizePath(form.elements.path.value);
  offerGeneralization();
  form.elements.path.focus();
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  try {
    act("Fault injected.", "POST", "faults", readForm());
  } catch (error) {
    showMessage(error.message, true);
  }
});
find("#clear-faults").addEventListener("click", () => act("All faults cleared.", "DELETE", "faults"));
selectKind();
