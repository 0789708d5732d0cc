// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of the services, as tables with the number of rows in their titles

import { call } from "./api.js";
import { createCell, createElement, find, hasChanged } from "./dom.js";

export async function updateState() {
  for (const [service, tables] of Object.entries(await call("GET", "state"))) {
    for (const [name, table] of Object.entries(tables)) {
      if (hasChanged(`state ${service} ${name}`, table)) render(service, name, table);
    }
  }
}

function render(service, name, { total, rows }) {
  const count = createElement("span", { className: "count" }, total.toLocaleString("en"));
  const more = total > rows.length ? `Showing the first ${rows.length}.` : "";
  const title = createElement("summary", {}, `${name} `, count);
  findSection(service, name).replaceChildren(title, rows.length ? createTable(`${service} ${name}`, rows) : "None.", more);
}

/** Return the collapsible section of a table. It is created once, so that it stays open when rows change. */
function findSection(service, name) {
  const id = `state-${service}`;
  let group = document.getElementById(id);
  if (!group) {
    group = createElement("div", { id }, createElement("h3", {}, service));
    find("#tables").append(group);
  }
  let section = find(`[data-table="${name}"]`, group);
  if (!section) {
    section = createElement("details");
    section.dataset.table = name;
    group.append(section);
  }
  return section;
}

function createTable(title, rows) {
  const names = Object.keys(rows[0]);
  const heads = names.map((name) => {
    const className = typeof rows[0][name] === "number" ? "number" : "";
    return createElement("th", { scope: "col", className }, name.replaceAll("_", " "));
  });
  const body = rows.map((row) => createElement("tr", {}, ...Object.values(row).map((value) => createCell(value))));
  const table = createElement("table", {}, createElement("thead", {}, createElement("tr", {}, ...heads)), createElement("tbody", {}, ...body));
  return createElement("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: title }, table);
}
