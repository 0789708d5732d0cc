// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// What goes wrong on purpose

import { call } from "./api.js";
import { cell, differs, element, find, say } from "./dom.js";
import { act } from "./live.js";

const form = find("#fault");

export async function faults() {
  const { faults: all } = await call("GET", "faults");
  const body = find("#fault-list tbody");
  if (differs("faults", all.map(({ matched, ...set }) => set))) {
    body.replaceChildren(...all.map(row));
    find("#faults .scroll").hidden = find("#clear-faults").hidden = !all.length;
    find("#no-faults").hidden = all.length > 0;
  }
  // Rows stay as requests match, or else a click may meet a button that is gone
  all.forEach(({ matched }, index) => (find(".matched", body.rows[index]).textContent = matched));
}

function row(fault) {
  const matched = cell(fault.matched, "number matched");
  return element("tr", {}, cell(fault.id), cell(what(fault), "long"), cell(which(fault), "long"), matched, clearing(fault));
}

function clearing({ id }) {
  const button = element("button", { type: "button", ariaLabel: `Clear fault ${id}` }, "Clear");
  button.addEventListener("click", async () => {
    await act(`Fault ${id} is cleared.`, "DELETE", `faults/${id}`);
    find("#faults").focus({ preventScroll: true }); // the button is gone
  });
  return element("td", {}, button);
}

function what({ kind, status, seconds, headers, body }) {
  const details = [
    status,
    seconds ? `${seconds} s` : "",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    body,
  ];
  return [kind, ...details.filter(Boolean)].join(", ");
}

function which({ service, method, path, label, nth, times }) {
  const of = [service, method, path, label].filter(Boolean).join(" ") || "all";
  const last = nth + times - 1;
  const those = times === 0 ? `from no. ${nth} on` : nth === last ? `no. ${nth}` : `no. ${nth} to ${last}`;
  return `${of}, ${those}`;
}

/** The fields that belong to the kind. */
function choose() {
  const kind = form.elements.kind.value;
  for (const field of form.querySelectorAll("[data-kinds]")) {
    field.hidden = !field.dataset.kinds.split(" ").includes(kind);
    find("input, textarea", field).disabled = field.hidden;
  }
  form.elements.status.required = kind === "status";
}

/** The fault that the form describes; what is left empty is left out. */
function described() {
  const given = [...new FormData(form)].filter(([, value]) => value !== "");
  const fault = Object.fromEntries(
    given.map(([name, value]) => [name, form.elements[name].type === "number" ? Number(value) : value]),
  );
  if (fault.headers) fault.headers = headers(fault.headers);
  return fault;
}

function headers(text) {
  const lines = text.split("\n").filter((line) => line.trim());
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^\s*([^\s:]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (!name) throw new Error(`A header is a name, a colon and a value; not: ${line}`);
      return [name, value];
    }),
  );
}

form.elements.kind.addEventListener("change", choose);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  try {
    act("The fault is set.", "POST", "faults", described());
  } catch (error) {
    say(error.message, true);
  }
});
find("#clear-faults").addEventListener("click", () => act("Nothing goes wrong any more.", "DELETE", "faults"));
choose();
