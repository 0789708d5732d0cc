// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The variables with which clients find the services

import { element, find, say } from "./dom.js";

export function showExports(variables) {
  const pairs = Object.entries({ ...variables, SANDBOX_URL: location.origin });
  find("#variables").replaceChildren(...pairs.flatMap(([name, value]) => shown(name, value)));
  const script = pairs.map(([name, value]) => `export ${name}=${quoted(value)}\n`).join("");
  find("#copy-all").onclick = () => copy(script, "The script");
}

function shown(name, value) {
  const button = element("button", { type: "button", ariaLabel: `Copy ${name}` }, "Copy");
  button.addEventListener("click", () => copy(value, name));
  return [element("dt", {}, name), element("dd", {}, element("code", {}, value), button)];
}

function quoted(value) {
  return `'${value.replaceAll("'", "'\\''")}'`;
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    say("The browser does not let this page copy; mark the text instead.", true);
  }
}
