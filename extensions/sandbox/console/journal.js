// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The requests that were served, newest first, as they come

import { call } from "./api.js";
import { cell, element, find, time } from "./dom.js";
import { act } from "./live.js";

const KEPT = 2000; // the latest requests, among which is filtered
const SHOWN = 300; // rows

const filters = find("#filters");
const pause = find("#pause");
const body = find("#requests tbody");

let requests = []; // newest first
let began = null;

export async function journal() {
  if (pause.ariaPressed === "true") return;
  const latest = requests[0]?.n ?? 0;
  let page = await call("GET", `journal?last=${KEPT}&after=${latest}`);
  if (page.began !== began) {
    // it was cleared, and counts from 1 again
    if (latest) page = await call("GET", `journal?last=${KEPT}`);
    began = page.began;
    requests = [];
    show();
  }
  if (page.requests.length) add(page.requests.reverse());
}

function add(newer) {
  requests = [...newer, ...requests].slice(0, KEPT);
  body.prepend(...newer.filter(wanted).slice(0, SHOWN).map(row));
  while (body.rows.length > SHOWN) body.lastElementChild.remove();
  count();
}

function show() {
  body.replaceChildren(...requests.filter(wanted).slice(0, SHOWN).map(row));
  count();
}

function count() {
  const found = requests.filter(wanted).length;
  const shown = found > SHOWN ? `, of which the latest ${SHOWN} are shown` : "";
  find("#counted").textContent = `${found} of the latest ${requests.length} requests${shown}`;
}

function wanted(request) {
  const { service, method, status, text } = Object.fromEntries(new FormData(filters));
  return (
    (!service || request.service === service) &&
    (!method || request.method === method) &&
    (!status || String(request.status ?? "none").startsWith(status)) &&
    (!text || `${address(request)} ${request.label ?? ""}`.toLowerCase().includes(text.toLowerCase()))
  );
}

function address({ path, query }) {
  return query ? `${path}?${query}` : path;
}

function row(request) {
  const kind = { 2: "good", 3: "odd" }[String(request.status)[0]] ?? "wrong";
  return element(
    "tr",
    {},
    cell(request.n),
    cell(time(request.time).slice(-8)),
    cell(request.service),
    cell(request.method),
    cell(request.status ?? "none", `number ${kind}`),
    cell(request.milliseconds.toFixed(1), "number"),
    cell(request.label),
    cell(request.effect),
    cell(address(request), "long"),
  );
}

filters.addEventListener("input", show);
filters.addEventListener("submit", (event) => event.preventDefault());
pause.addEventListener("click", () => {
  pause.ariaPressed = String(pause.ariaPressed !== "true");
});
find("#clear-journal").addEventListener("click", () => act("The journal is empty.", "DELETE", "journal"));
