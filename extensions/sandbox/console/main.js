// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Entry point: prompts for the secret and starts the updates of the page

import { WrongSecret, call, secret } from "./api.js";
import { updateClock } from "./clock.js";
import { createElement, find } from "./dom.js";
import { showEnvironment } from "./environment.js";
import { updateFaults } from "./faults.js";
import { updateJournal } from "./journal.js";
import { signOut, startUpdates } from "./live.js";
import { loadPresets } from "./presets.js";
import "./seed.js";
import { updateState } from "./state.js";
import { updateSwitches } from "./switches.js";
import "./tabs.js";

const WRONG_SECRET = "Wrong secret. Use the value of SANDBOX_SECRET that the sandbox printed at startup.";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

async function signIn() {
  try {
    showEnvironment(await call("GET", "exports"));
  } catch (error) {
    showRefusal(error instanceof WrongSecret ? WRONG_SECRET : `Unexpected response of the sandbox: ${error.message}`);
    if (error instanceof WrongSecret) secret.clear();
    return;
  }
  const { services } = await call("GET", "health");
  addChoices(".services", services);
  addChoices(".methods", METHODS);
  find("#sign-in-page").remove();
  find("#console").hidden = find("#sign-out").hidden = false;
  find("#console").focus({ preventScroll: true });
  await loadPresets();
  startUpdates({
    journal: updateJournal,
    state: updateState,
    faults: updateFaults,
    clock: updateClock,
    switches: updateSwitches,
  });
}

function showRefusal(text) {
  find("#refusal").textContent = text;
  find("#secret").select();
}

function addChoices(selector, values) {
  for (const select of document.querySelectorAll(selector)) {
    select.append(...values.map((value) => createElement("option", { value }, value)));
  }
}

find("#address").textContent = location.host;
find("#sign-in").addEventListener("submit", (event) => {
  event.preventDefault();
  secret.store(find("#secret").value.trim());
  signIn();
});
find("#sign-out").addEventListener("click", () => signOut());

if (history.state?.isRejected) showRefusal(WRONG_SECRET);
history.replaceState(null, "");
if (secret.get()) signIn();
