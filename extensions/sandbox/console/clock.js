// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The time in the sandbox

import { call } from "./api.js";
import { differs, find, time } from "./dom.js";
import { act } from "./live.js";

const UNITS = { d: 86400, h: 3600, min: 60, s: 1 };

export async function clock() {
  const { now, offset, frozen } = await call("GET", "clock");
  find("#now").textContent = `${time(now)} UTC`;
  find("#offset").textContent = frozen ? "stands still" : moved(Math.round(offset));
  if (differs("frozen", frozen)) find("#frozen").checked = frozen; // a late answer undoes no click
}

function moved(offset) {
  if (!offset) return "";
  let left = Math.abs(offset);
  const parts = Object.entries(UNITS).map(([unit, seconds]) => {
    const amount = Math.floor(left / seconds);
    left -= amount * seconds;
    return amount ? `${amount} ${unit} ` : "";
  });
  return `${parts.join("")}${offset > 0 ? "ahead of" : "behind"} the real time`;
}

function change(done, body) {
  act(done, "PUT", "clock", body);
}

find("#advance").addEventListener("submit", (event) => {
  event.preventDefault();
  const { amount, unit } = event.target.elements;
  change("The clock has moved on.", { advance: amount.valueAsNumber * Number(unit.value) });
});
find("#set").addEventListener("submit", (event) => {
  event.preventDefault();
  change("The clock is set.", { set: event.target.elements.to.valueAsNumber / 1000 });
});
find("#frozen").addEventListener("change", (event) => {
  const frozen = event.target.checked;
  change(frozen ? "The clock stands still." : "The clock goes on.", { frozen });
});
