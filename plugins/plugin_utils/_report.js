/*
 * Copyright (c) 2026, the buildworks.toolchain authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */
"use strict";
const form = document.querySelector("form");
const entries = [...document.querySelectorAll("[data-status]")].map(element => ({
  element, text: element.textContent.toLowerCase(), service: element.dataset.service.split(" "),
  status: element.dataset.status.split(" "),
}));

function filter() {
  const filled = [...new FormData(form)].filter(([, value]) => value.trim());
  const {text = "", service, status} = Object.fromEntries(filled);
  const words = text.toLowerCase().split(/\s+/);
  const matches = entry => (!service || entry.service.includes(service)) && (!status || entry.status.includes(status))
    && words.every(word => entry.text.includes(word));
  let count = 0;
  for (const entry of entries) {
    entry.element.hidden = !matches(entry);
    count += !entry.element.hidden;
  }
  for (const group of document.querySelectorAll("section, .group"))
    group.hidden = filled.length > 0 && !group.querySelector("[data-status]:not([hidden])");
  if (filled.length)
    for (const group of document.querySelectorAll("details.group")) group.open = true;
  form.querySelector("output").textContent = filled.length ? `${count} of ${entries.length} entries match` : "";
  return filled;
}

form.hidden = false;
for (const [name, value] of new URLSearchParams(location.hash.slice(1)))
  if (form.elements[name]) form.elements[name].value = value;
filter();
form.addEventListener("input", () => history.replaceState(null, "", `#${new URLSearchParams(filter())}`));
form.addEventListener("submit", event => event.preventDefault());
