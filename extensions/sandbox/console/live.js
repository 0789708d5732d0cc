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

/** Keep the visible panels up to date. For each panel, a function fetches data and renders it. */
export async function startUpdates(functions) {
  parts = Object.entries(functions);
  for (;;) {
    if (!document.hidden) await refresh();
    await new Promise((done) => setTimeout(done, INTERVAL));
  }
}

/** Update all visible panels. Updates do not overlap, so that no data is added twice. */
export function refresh() {
  pending = pending.then(async () => {
    if (!parts.length) return; // before the sign-in
    try {
      const visible = parts.filter(([panel]) => !document.getElementById(panel).hidden);
      await Promise.all(visible.map(([, update]) => update()));
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

export function handleError(error) {
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
