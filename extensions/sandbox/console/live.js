// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Periodic updates of the page, and actions of the user

import { Rejected, WrongSecret, call, secret } from "./api.js";
import { find, showMessage } from "./dom.js";

const INTERVAL = 1000; // milliseconds
const UNREACHABLE = "The sandbox is unreachable. Retrying.";

let parts = [];
let pending = Promise.resolve();

/** Keep parts of the page up to date. Each is a function that fetches data and renders it. */
export async function startUpdates(...functions) {
  parts = functions;
  for (;;) {
    if (!document.hidden) await refresh();
    await new Promise((done) => setTimeout(done, INTERVAL));
  }
}

/** Update all parts. Updates do not overlap, so that no data is added twice. */
function refresh() {
  pending = pending.then(async () => {
    try {
      await Promise.all(parts.map((part) => part()));
      showConnection("Connected", "good");
    } catch (error) {
      handleError(error);
    }
  });
  return pending;
}

/** Call the control API, show a message and update the page. Returns null on failure. */
export async function act(message, method, path, body) {
  try {
    const response = await call(method, path, body);
    showMessage(message);
    await refresh();
    return response;
  } catch (error) {
    handleError(error);
    return null;
  }
}

/** Discard the secret and all data, and return to the sign-in form. */
export function signOut(isRejected = false) {
  secret.clear();
  history.replaceState({ isRejected }, "");
  location.reload();
}

function handleError(error) {
  if (error instanceof WrongSecret) signOut(true);
  else if (error instanceof Rejected) showMessage(`Error: ${error.message}`, true);
  else showConnection(UNREACHABLE, "wrong");
}

function showConnection(text, className) {
  const status = find("#connection");
  if (status.textContent === text) return; // Screen readers announce each assignment.
  status.className = className;
  status.textContent = text;
}
