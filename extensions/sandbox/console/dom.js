// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Helpers for the page. Data of the sandbox is inserted as text, never as markup.

export const find = (selector, within = document) => within.querySelector(selector);

/** Create an element with properties and children. Children that are not elements become text. */
export function createElement(name, properties = {}, ...children) {
  const created = Object.assign(document.createElement(name), properties);
  created.append(...children);
  return created;
}

/** Create a button with a function for clicks. */
export function createButton(label, onclick, properties = {}) {
  return createElement("button", { type: "button", onclick, ...properties }, label);
}

/** Copy a text to the clipboard. */
export async function copyText(text, subject) {
  try {
    await navigator.clipboard.writeText(text);
    showMessage(`${subject} copied.`);
  } catch {
    showMessage("The browser does not allow this page to copy. Select the text and copy it manually.", true);
  }
}

/** Format seconds since the epoch as 2026-01-31 12:00:00, in UTC. */
export function formatTime(seconds) {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.valueOf()) ? `${seconds} s` : date.toISOString().slice(0, 19).replace("T", " ");
}

/** Show the result of an action. */
export function showMessage(text, isError = false) {
  const message = find("#message");
  message.className = isError ? "wrong" : "good";
  message.textContent = text;
}

const rendered = new Map();

/** Return whether the data of a part of the page has changed since the last call. */
export function hasChanged(part, data) {
  const text = JSON.stringify(data);
  if (rendered.get(part) === text) return false;
  rendered.set(part, text);
  return true;
}

/** Force a part of the page to be rendered again. */
export const invalidate = (part) => rendered.delete(part);
