// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the page: whatever comes from the sandbox becomes text, never markup

export const find = (selector, within = document) => within.querySelector(selector);

/** An element with properties and children; children that are no elements become text. */
export function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** A cell of a table; numbers stand at its right. */
export function cell(value, className = typeof value === "number" ? "number" : "") {
  return element("td", { className }, value ?? "");
}

/** Seconds since 1970 as 2026-01-31 12:00:00, in UTC. */
export function time(seconds) {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.valueOf()) ? `${seconds} s` : date.toISOString().slice(0, 19).replace("T", " ");
}

/** Tell what came of an action. */
export function say(text, wrong = false) {
  const said = find("#said");
  said.className = wrong ? "wrong" : "good";
  said.textContent = text;
}

const drawn = new Map();

/** Whether a part of the page has to be drawn anew: what it shows is not what it showed the last time. */
export function differs(part, data) {
  const text = JSON.stringify(data);
  if (drawn.get(part) === text) return false;
  drawn.set(part, text);
  return true;
}

/** Draw a part anew in any case. */
export const forget = (part) => drawn.delete(part);
