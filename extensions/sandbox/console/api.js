// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The control API, called with the secret that this tab keeps

const KEPT = "sandbox secret";

/** The secret is missing or wrong. */
export class WrongSecret extends Error {}

/** The sandbox refused a call, and says why. */
export class Refused extends Error {}

export const secret = {
  get: () => sessionStorage.getItem(KEPT),
  keep: (value) => sessionStorage.setItem(KEPT, value),
  forget: () => sessionStorage.removeItem(KEPT),
};

/** Call a path below /_sandbox/; a TypeError is thrown when the sandbox cannot be reached. */
export async function call(method, path, body) {
  const answer = await fetch(path, {
    method,
    headers: headers(),
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store",
    credentials: "omit",
    redirect: "error",
  });
  if (answer.status === 401) throw new WrongSecret();
  const said = await answer.json();
  if (!answer.ok) throw new Refused(said.error);
  return said;
}

function headers() {
  try {
    return new Headers({ Authorization: `Bearer ${secret.get() ?? ""}` });
  } catch {
    throw new WrongSecret(); // what no header can hold
  }
}
