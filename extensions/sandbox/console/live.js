// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the parts of the page again and again, and carries out what is asked for on it

import { Refused, WrongSecret, call, secret } from "./api.js";
import { find, say } from "./dom.js";

const PAUSE = 1000; // milliseconds
const NO_ANSWER = "The sandbox does not answer. Trying again.";

let parts = [];
let turn = Promise.resolve();

/** Keep parts of the page up to date; each is a function that reads and shows it. */
export async function follow(...functions) {
  parts = functions;
  for (;;) {
    if (!document.hidden) await refresh();
    await new Promise((done) => setTimeout(done, PAUSE));
  }
}

/** Read all parts, one time after the other, so that no answer comes twice. */
function refresh() {
  turn = turn.then(async () => {
    try {
      await Promise.all(parts.map((part) => part()));
      connection("Connected", "good");
    } catch (error) {
      failed(error);
    }
  });
  return turn;
}

/** Ask for a change, tell that it is done, and show what has become of all. */
export async function act(done, method, path, body) {
  try {
    const answer = await call(method, path, body);
    say(done);
    await refresh();
    return answer;
  } catch (error) {
    failed(error);
    return null;
  }
}

/** Go back to the form that asks for the secret; nothing that was shown remains. */
export function leave(refused = false) {
  secret.forget();
  history.replaceState({ refused }, "");
  location.reload();
}

function failed(error) {
  if (error instanceof WrongSecret) leave(true);
  else if (error instanceof Refused) say(`Refused: ${error.message}`, true);
  else connection(NO_ANSWER, "wrong");
}

function connection(text, className) {
  const shown = find("#connection");
  if (shown.textContent === text) return; // said once
  shown.className = className;
  shown.textContent = text;
}
