// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Fault injection

import { call } from "./api.js";
import { createCell, createElement, find, hasChanged, showMessage } from "./dom.js";
import { act } from "./live.js";

const form = find("#fault");

export async function updateFaults() {
  const { faults: all } = await call("GET", "faults");
  const body = find("#fault-list tbody");
  if (hasChanged("faults", all.map(({ matched, ...set }) => set))) {
    body.replaceChildren(...all.map(createRow));
    find("#faults .scroll").hidden = find("#clear-faults").hidden = !all.length;
    find("#no-faults").hidden = all.length > 0;
  }
  // Only the counters change while requests match, so that buttons are not replaced during a click.
  all.forEach(({ matched }, index) => (find(".matched", body.rows[index]).textContent = matched));
}

function createRow(fault) {
  const matched = createCell(fault.matched, "number matched");
  return createElement("tr", {}, createCell(fault.id), createCell(describeFault(fault), "long"), createCell(describeRequests(fault), "long"), matched, createClearCell(fault));
}

function createClearCell({ id }) {
  const button = createElement("button", { type: "button", ariaLabel: `Clear fault ${id}` }, "Clear");
  button.addEventListener("click", async () => {
    await act(`Fault ${id} cleared.`, "DELETE", `faults/${id}`);
    find("#faults").focus({ preventScroll: true }); // The focused button was removed.
  });
  return createElement("td", {}, button);
}

function describeFault({ kind, status, seconds, headers, body }) {
  const details = [
    status,
    seconds ? `${seconds} s` : "",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    body,
  ];
  return [kind, ...details.filter(Boolean)].join(", ");
}

function describeRequests({ service, method, path, label, nth, times }) {
  const conditions = [service, method, path, label].filter(Boolean).join(" ") || "all";
  const last = nth + times - 1;
  const range = times === 0 ? `from no. ${nth}` : nth === last ? `no. ${nth}` : `no. ${nth} to ${last}`;
  return `${conditions}, ${range}`;
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
