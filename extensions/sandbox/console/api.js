// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Calls of the control API, with the secret that the session storage of this tab contains

const STORAGE_KEY = "sandbox secret";

/** The secret is missing or wrong. */
export class WrongSecret extends Error {}

/** The sandbox rejected a call. The message is the reason. */
export class Rejected extends Error {}

export const secret = {
  get: () => sessionStorage.getItem(STORAGE_KEY),
  store: (value) => sessionStorage.setItem(STORAGE_KEY, value),
  clear: () => sessionStorage.removeItem(STORAGE_KEY),
};

/**
 * Call a path below /_sandbox/. Throws a TypeError if the sandbox is unreachable.
 * The body is sent as it is if it is a text, otherwise as JSON.
 */
export async function call(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: headers(),
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  if (response.status === 401) throw new WrongSecret();
  const result = await response.json();
  if (!response.ok) throw new Rejected(result.error);
  return result;
}

function headers() {
  try {
    return new Headers({ Authorization: `Bearer ${secret.get() ?? ""}` });
  } catch {
    throw new WrongSecret(); // The secret contains characters that a header cannot contain.
  }
}
