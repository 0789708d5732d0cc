// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// What there is: a table for each kind of thing, with the number of them in its title

import { call } from "./api.js";
import { cell, differs, element, find } from "./dom.js";

export async function state() {
  for (const [service, tables] of Object.entries(await call("GET", "state"))) {
    for (const [name, table] of Object.entries(tables)) {
      if (differs(`state ${service} ${name}`, table)) show(service, name, table);
    }
  }
}

function show(service, name, { total, rows }) {
  const count = element("span", { className: "count" }, total.toLocaleString("en"));
  const more = total > rows.length ? `The first ${rows.length} of them.` : "";
  const title = element("summary", {}, `${name} `, count);
  folder(service, name).replaceChildren(title, rows.length ? listed(`${service} ${name}`, rows) : "None.", more);
}

/** The fold of a table, which stays open when its rows change. */
function folder(service, name) {
  const id = `state-${service}`;
  let group = document.getElementById(id);
  if (!group) {
    group = element("div", { id }, element("h3", {}, service));
    find("#tables").append(group);
  }
  let fold = find(`[data-table="${name}"]`, group);
  if (!fold) {
    fold = element("details");
    fold.dataset.table = name;
    group.append(fold);
  }
  return fold;
}

function listed(title, rows) {
  const names = Object.keys(rows[0]);
  const heads = names.map((name) => {
    const className = typeof rows[0][name] === "number" ? "number" : "";
    return element("th", { scope: "col", className }, name.replaceAll("_", " "));
  });
  const body = rows.map((row) => element("tr", {}, ...Object.values(row).map((value) => cell(value))));
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...body));
  return element("div", { className: "scroll", tabIndex: 0, role: "region", ariaLabel: title }, table);
}
