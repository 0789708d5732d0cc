// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The environment variables for clients

import { copyText, createButton, createElement, find } from "./dom.js";

export function showEnvironment(variables) {
  const pairs = Object.entries({ ...variables, SANDBOX_URL: location.origin });
  find("#variables").replaceChildren(...pairs.map(([name, value]) => createEntry(name, value)));
  const script = pairs.map(([name, value]) => `export ${name}=${quoteForShell(value)}\n`).join("");
  find("#copy-all").onclick = () => copyText(script, "The script");
}

function createEntry(name, value) {
  const button = createButton("Copy", () => copyText(value, name), { ariaLabel: `Copy ${name}` });
  const text = createElement("span", {}, createElement("b", {}, name), " ", createElement("code", {}, value));
  return createElement("li", {}, text, button);
}

function quoteForShell(value) {
  return `'${value.replaceAll("'", "'\\''")}'`;
}
