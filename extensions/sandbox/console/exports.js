// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The environment variables for clients

import { createElement, find, showMessage } from "./dom.js";

export function showExports(variables) {
  const pairs = Object.entries({ ...variables, SANDBOX_URL: location.origin });
  find("#variables").replaceChildren(...pairs.flatMap(([name, value]) => createEntry(name, value)));
  const script = pairs.map(([name, value]) => `export ${name}=${quoteForShell(value)}\n`).join("");
  find("#copy-all").onclick = () => copy(script, "The script");
}

function createEntry(name, value) {
  const button = createElement("button", { type: "button", ariaLabel: `Copy ${name}` }, "Copy");
  button.addEventListener("click", () => copy(value, name));
  return [createElement("dt", {}, name), createElement("dd", {}, createElement("code", {}, value), button)];
}

function quoteForShell(value) {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

async function copy(text, subject) {
  try {
    await navigator.clipboard.writeText(text);
    showMessage(`${subject} copied.`);
  } catch {
    showMessage("The browser does not allow this page to copy. Select the text and copy it manually.", true);
  }
}
