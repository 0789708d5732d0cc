// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The contents of the services as a tree. Tables are loaded when they are opened.

import { call } from "./api.js";
import { createButton, createElement, find, hasChanged } from "./dom.js";
import { handleError } from "./live.js";

const PRODUCTS = { artifact: "Artifactory", ci: "Jenkins", review: "Klocwork", inference: "OpenAI-compatible API" };

export async function updateState() {
  for (const [service, tables] of Object.entries(await call("GET", "state"))) {
    for (const [name, table] of Object.entries(tables)) {
      if (hasChanged(`state ${service} ${name}`, table)) findTable(service, name).show(table);
    }
  }
}

/** The tables at the top, which are created once so that they stay open when rows change. */
const topTables = new Map();

function findTable(service, name) {
  const key = `${service} ${name}`;
  if (!topTables.has(key)) {
    const table = new Table(service, name);
    topTables.set(key, table);
    findGroup(service).append(table.element);
  }
  return topTables.get(key);
}

function findGroup(service) {
  const id = `state-${service}`;
  const existing = document.getElementById(id);
  if (existing) return existing;
  const group = createElement("div", { id }, createElement("h2", {}, PRODUCTS[service]));
  find("#state").append(group);
  return group;
}

/** A table of the state, below a row or at the top. */
class Table {
  constructor(service, name, parent = null) {
    Object.assign(this, { service, name, parent, rows: new Map() });
    this.count = createElement("span", { className: "count" });
    this.list = createElement("ul");
    this.more = createButton("Show more", () => this.load(this.rows.size), { hidden: true });
    const title = createElement("summary", {}, `${name.replaceAll("_", " ")} `, this.count);
    this.element = createElement("details", {}, title, this.list, this.more);
  }

  /** Fetch rows and add them. */
  async load(offset) {
    const query = new URLSearchParams({ offset, ...(this.parent === null ? {} : { parent: this.parent }) });
    try {
      this.show(await call("GET", `state/${this.service}/${this.name}?${query}`), offset);
    } catch (error) {
      handleError(error);
    }
  }

  /** Show rows from an offset on. Rows that exist already stay open. */
  show({ total, rows, nested }, offset = 0) {
    const shown = [...this.rows.entries()];
    const updated = rows.map((row) => [identify(row), this.showRow(row, nested)]);
    const rest = total > rows.length ? shown.slice(offset + rows.length) : [];
    this.rows = new Map([...shown.slice(0, offset), ...updated, ...rest]);
    this.list.replaceChildren(...[...this.rows.values()].map(({ item }) => item));
    this.count.textContent = total.toLocaleString("en");
    this.more.hidden = this.rows.size >= total;
  }

  showRow(row, nested) {
    const existing = this.rows.get(identify(row)) ?? createRow(this.service, row, nested);
    existing.update(row);
    return existing;
  }
}

/** Return the ID of a row: its column `_id` or, without that, its first columns. */
function identify(row) {
  return String(row._id ?? Object.values(row).slice(0, 2).join(" "));
}

function createRow(service, row, nested) {
  const names = row._nested === undefined ? nested : row._nested.split(",").filter(Boolean);
  const title = createElement(names.length ? "summary" : "div");
  const item = createElement("li", {}, names.length ? createBranch(service, row, names, title) : title);
  return { item, update: (values) => showValues(title, values) };
}

/** Show the values of a row, the first one in bold. The element is changed only if a value has changed. */
function showValues(title, row) {
  const columns = Object.entries(row).filter(([name, value]) => !name.startsWith("_") && value !== null);
  const text = JSON.stringify(columns);
  if (title.dataset.values === text) return;
  title.dataset.values = text;
  const [[, first], ...others] = columns;
  const facts = others.map(([name, value]) => createElement("span", { className: "fact" }, `${name.replaceAll("_", " ")}: ${value}`));
  title.replaceChildren(createElement("b", {}, first), ...facts.flatMap((fact) => [" ", fact]));
}

function createBranch(service, row, names, title) {
  const branch = createElement("details", {}, title);
  const parent = row._id ?? Object.values(row)[0];
  branch.addEventListener("toggle", () => {
    if (!branch.open || branch.children.length > 1) return;
    const tables = names.map((name) => new Table(service, name, parent));
    for (const table of tables) {
      table.load(0);
      if (tables.length === 1) branch.append(table.list, table.more);
      else branch.append(table.element);
    }
  });
  return branch;
}
