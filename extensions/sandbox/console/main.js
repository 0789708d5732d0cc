// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The page: asks for the secret, and with it shows the sandbox

import { WrongSecret, call, secret } from "./api.js";
import { clock } from "./clock.js";
import { element, find } from "./dom.js";
import { showExports } from "./exports.js";
import { faults } from "./faults.js";
import { journal } from "./journal.js";
import { act, follow, leave } from "./live.js";
import { state } from "./state.js";
import { switches } from "./switches.js";

const WRONG = "That is not the secret that this sandbox printed when it started.";
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

async function open() {
  try {
    showExports(await call("GET", "exports"));
  } catch (error) {
    refuse(error instanceof WrongSecret ? WRONG : `The sandbox does not answer as it should: ${error.message}`);
    if (error instanceof WrongSecret) secret.forget();
    return;
  }
  const { services } = await call("GET", "health");
  choices(".services", services);
  choices(".methods", METHODS);
  find("#entry").remove();
  find("#console").hidden = find("#leave").hidden = false;
  find("#console").focus({ preventScroll: true });
  follow(state, journal, clock, faults, switches);
}

function refuse(text) {
  find("#refusal").textContent = text;
  find("#secret").select();
}

function choices(selector, values) {
  for (const select of document.querySelectorAll(selector)) {
    select.append(...values.map((value) => element("option", { value }, value)));
  }
}

find("#address").textContent = location.host;
find("#enter").addEventListener("submit", (event) => {
  event.preventDefault();
  secret.keep(find("#secret").value.trim());
  open();
});
find("#leave").addEventListener("click", () => leave());
find("#ask-reset").addEventListener("click", () => find("#sure").showModal());
find("#keep").addEventListener("click", () => find("#sure").close());
find("#do-reset").addEventListener("click", async () => {
  find("#sure").close();
  if (await act("The sandbox is as right after its first start.", "POST", "reset")) {
    showExports(await call("GET", "exports"));
  }
});

if (history.state?.refused) refuse(WRONG);
history.replaceState(null, "");
if (secret.get()) open();
