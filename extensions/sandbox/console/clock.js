// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// The clock of the sandbox

import { call } from "./api.js";
import { find, formatTime, hasChanged } from "./dom.js";
import { act } from "./live.js";

const UNITS = { d: 86400, h: 3600, min: 60, s: 1 };

export async function updateClock() {
  const { now, offset, frozen } = await call("GET", "clock");
  find("#now").textContent = `${formatTime(now)} UTC`;
  find("#offset").textContent = frozen ? "frozen" : formatOffset(Math.round(offset));
  if (hasChanged("frozen", frozen)) find("#frozen").checked = frozen; // A delayed response must not undo a click.
}

function formatOffset(offset) {
  if (!offset) return "";
  let left = Math.abs(offset);
  const parts = Object.entries(UNITS).map(([unit, seconds]) => {
    const amount = Math.floor(left / seconds);
    left -= amount * seconds;
    return amount ? `${amount} ${unit} ` : "";
  });
  return `${parts.join("")}${offset > 0 ? "ahead of" : "behind"} the real time`;
}

function changeClock(message, body) {
  act(message, "PUT", "clock", body);
}

find("#advance").addEventListener("submit", (event) => {
  event.preventDefault();
  const { amount, unit } = event.target.elements;
  changeClock("Clock advanced.", { advance: amount.valueAsNumber * Number(unit.value) });
});
find("#set").addEventListener("submit", (event) => {
  event.preventDefault();
  changeClock("Clock set.", { set: event.target.elements.to.valueAsNumber / 1000 });
});
find("#frozen").addEventListener("change", (event) => {
  const frozen = event.target.checked;
  changeClock(frozen ? "Clock frozen." : "Clock running.", { frozen });
});
