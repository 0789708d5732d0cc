// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The served requests, newest first

import { call } from "./api.js";
import { createCell, createElement, find, formatTime } from "./dom.js";
import { act } from "./live.js";

const MAX_REQUESTS = 2000; // The filters apply to these.
const MAX_ROWS = 300;

const filters = find("#filters");
const pause = find("#pause");
const body = find("#requests tbody");

let requests = []; // newest first
let began = null;

export async function updateJournal() {
  if (pause.ariaPressed === "true") return;
  const latest = requests[0]?.n ?? 0;
  let page = await call("GET", `journal?last=${MAX_REQUESTS}&after=${latest}`);
  if (page.began !== began) {
    // The journal was cleared, and its numbers restarted at 1.
    if (latest) page = await call("GET", `journal?last=${MAX_REQUESTS}`);
    began = page.began;
    requests = [];
    render();
  }
  if (page.requests.length) add(page.requests.reverse());
}

function add(newer) {
  requests = [...newer, ...requests].slice(0, MAX_REQUESTS);
  body.prepend(...newer.filter(matchesFilters).slice(0, MAX_ROWS).map(createRow));
  while (body.rows.length > MAX_ROWS) body.lastElementChild.remove();
  updateCount();
}

function render() {
  body.replaceChildren(...requests.filter(matchesFilters).slice(0, MAX_ROWS).map(createRow));
  updateCount();
}

function updateCount() {
  const matches = requests.filter(matchesFilters).length;
  const limited = matches > MAX_ROWS ? `, showing the latest ${MAX_ROWS}` : "";
  find("#counted").textContent = `${matches} of the latest ${requests.length} requests${limited}`;
}

function matchesFilters(request) {
  const { service, method, status, text } = Object.fromEntries(new FormData(filters));
  return (
    (!service || request.service === service) &&
    (!method || request.method === method) &&
    (!status || String(request.status ?? "none").startsWith(status)) &&
    (!text || `${formatTarget(request)} ${request.label ?? ""}`.toLowerCase().includes(text.toLowerCase()))
  );
}

function formatTarget({ path, query }) {
  return query ? `${path}?${query}` : path;
}

function createRow(request) {
  const kind = { 2: "good", 3: "odd" }[String(request.status)[0]] ?? "wrong";
  return createElement(
    "tr",
    {},
    createCell(request.n),
    createCell(formatTime(request.time).slice(-8)),
    createCell(request.service),
    createCell(request.method),
    createCell(request.status ?? "none", `number ${kind}`),
    createCell(request.milliseconds.toFixed(1), "number"),
    createCell(request.label),
    createCell(request.effect),
    createCell(formatTarget(request), "long"),
  );
}

filters.addEventListener("input", render);
filters.addEventListener("submit", (event) => event.preventDefault());
pause.addEventListener("click", () => {
  pause.ariaPressed = String(pause.ariaPressed !== "true");
});
find("#clear-journal").addEventListener("click", () => act("Journal cleared.", "DELETE", "journal"));
