// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Entry point: prompts for the secret and starts the updates of the page

import { WrongSecret, call, secret } from "./api.js";
import { updateClock } from "./clock.js";
import { createElement, find } from "./dom.js";
import { showExports } from "./exports.js";
import { updateFaults } from "./faults.js";
import { updateJournal } from "./journal.js";
import { act, signOut, startUpdates } from "./live.js";
import { updateState } from "./state.js";
import { updateSwitches } from "./switches.js";

const WRONG_SECRET = "Wrong secret. Use the value of SANDBOX_SECRET that the sandbox printed at startup.";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

async function signIn() {
  try {
    showExports(await call("GET", "exports"));
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
  startUpdates(updateState, updateJournal, updateClock, updateFaults, updateSwitches);
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
find("#ask-reset").addEventListener("click", () => find("#confirm-reset").showModal());
find("#cancel-reset").addEventListener("click", () => find("#confirm-reset").close());
find("#do-reset").addEventListener("click", async () => {
  find("#confirm-reset").close();
  if (await act("Sandbox reset.", "POST", "reset")) {
    showExports(await call("GET", "exports"));
  }
});

if (history.state?.isRejected) showRefusal(WRONG_SECRET);
history.replaceState(null, "");
if (secret.get()) signIn();
