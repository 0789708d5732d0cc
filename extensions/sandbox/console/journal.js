// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The served requests in pages, newest first

import { call } from "./api.js";
import { createButton, createElement, find, formatTime } from "./dom.js";
import { act, refresh } from "./live.js";
import { createDetails } from "./request.js";

const PAGE_SIZE = 100;

const filters = find("#filters");
const pause = find("#pause");
const table = find("#requests");

let began = null; // The time at which the journal was cleared
let latest = 0; // The number of the newest request that was fetched
let page = null; // Requests with lower numbers are shown; null for the newest page, which is updated
let newerPages = [];

export async function updateJournal() {
  if (pause.ariaPressed === "true" || page !== null) return;
  const result = await fetchRequests({ after: latest });
  if (result.began === began) add(result);
  else await showPage(null); // The journal was cleared, and its numbers restarted at 1.
}

async function fetchRequests(limits) {
  const given = [...new FormData(filters)].filter(([, value]) => value);
  return call("GET", `journal?${new URLSearchParams([...given, ...Object.entries({ last: PAGE_SIZE, ...limits })])}`);
}

/** Show the requests below a number, or the newest ones. */
async function showPage(before) {
  page = before;
  if (before === null) newerPages = [];
  const result = await fetchRequests(before === null ? {} : { before });
  if (page !== before) return; // Another page was selected meanwhile.
  began = result.began;
  latest = 0;
  for (const body of [...table.tBodies]) body.remove();
  add(result);
  find("#request-list").scrollTop = 0;
}

function add({ total, requests }) {
  table.tHead.after(...requests.reverse().map(createEntry));
  latest = Math.max(latest, ...requests.map(({ n }) => n));
  while (table.tBodies.length > PAGE_SIZE && !lastEntry().classList.contains("open")) lastEntry().remove();
  find("#counted").textContent = `Showing ${table.tBodies.length} of ${total.toLocaleString("en")} requests`;
  find("#newer").disabled = page === null;
  find("#older").disabled = table.tBodies.length < PAGE_SIZE;
}

const lastEntry = () => table.tBodies[table.tBodies.length - 1];

function createEntry(request) {
  const status = { 2: "good", 3: "odd" }[String(request.status)[0]] ?? "wrong";
  const target = request.query ? `${request.path}?${request.query}` : request.path;
  const button = createButton(request.n, null, { className: "number", ariaExpanded: "false", ariaLabel: `Request ${request.n}` });
  const row = createElement(
    "tr",
    {},
    createElement("td", {}, button),
    createElement("td", { className: "minor" }, formatTime(request.time).slice(-8)),
    createElement("td", { className: "minor" }, request.service),
    createElement("td", {}, request.method),
    createElement("td", { className: `number ${status}` }, request.status ?? "none"),
    createElement("td", { className: "target" }, createElement("div", {}, target)),
    createElement("td", { className: "minor" }, request.label ?? ""),
    createElement("td", { className: "minor" }, request.effect),
    createElement("td", { className: "number minor" }, request.milliseconds.toFixed(1)),
  );
  const entry = createElement("tbody", {}, row);
  entry.dataset.n = request.n;
  row.addEventListener("click", () => toggle(entry));
  return entry;
}

async function toggle(entry) {
  const isOpen = entry.classList.toggle("open");
  find("button", entry).ariaExpanded = String(isOpen);
  entry.rows[1]?.remove();
  if (!isOpen) return;
  const cell = createElement("td", { colSpan: entry.rows[0].cells.length });
  entry.append(createElement("tr", { className: "details" }, cell));
  cell.append(await createDetails(entry.dataset.n, openRequest));
}

/** Show a request of the newest page, and open its details. */
async function openRequest(number) {
  if (page !== null) await showPage(null);
  await refresh();
  const entry = find(`tbody[data-n="${number}"]`, table);
  if (!entry) return; // It does not match the filters, or the journal is paused.
  if (!entry.classList.contains("open")) await toggle(entry);
  find("button", entry).focus();
}

filters.addEventListener("input", () => showPage(null));
filters.addEventListener("submit", (event) => event.preventDefault());
pause.addEventListener("click", () => {
  pause.ariaPressed = String(pause.ariaPressed !== "true");
});
find("#older").addEventListener("click", () => {
  newerPages.push(page);
  showPage(Number(lastEntry().dataset.n));
});
find("#newer").addEventListener("click", () => showPage(newerPages.pop() ?? null));
find("#clear-journal").addEventListener("click", () => act("Journal cleared.", "DELETE", "journal"));
