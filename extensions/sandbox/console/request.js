// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Details of a request: headers, bodies and actions

import { call } from "./api.js";
import { copyText, createButton, createElement, showMessage } from "./dom.js";
import { prepareFault } from "./faults.js";
import { act, handleError } from "./live.js";

/** Fetch the details of a request. `onReplay` gets the number of a request that replays it. */
export async function createDetails(number, onReplay) {
  try {
    const details = await call("GET", `journal/${number}`);
    return createElement(
      "div",
      {},
      createActions(details, onReplay),
      ...(details.replay_obstacle ? [createElement("p", { className: "note" }, details.replay_obstacle)] : []),
      createCommand(details.curl),
      createElement("div", { className: "messages" }, createMessage("Request", details.request), createMessage("Response", details.response)),
    );
  } catch (error) {
    handleError(error);
    return "";
  }
}

function createActions(details, onReplay) {
  const { n, curl } = details;
  return createElement(
    "p",
    { className: "row" },
    createButton("Copy as curl", () => copyText(curl, "The command"), { disabled: !curl }),
    createButton("Replay", () => replay(n, onReplay), { disabled: details.replay_obstacle !== null }),
    createButton("Inject a fault for such requests", () => prepareFault(details)),
  );
}

function createCommand(curl) {
  const summary = createElement("summary", {}, "Command of curl");
  return createElement("details", { hidden: !curl }, summary, createText("Command of curl", curl ?? ""));
}

async function replay(number, onReplay) {
  const result = await act(`Request ${number} replayed.`, "POST", `journal/${number}/replay`);
  if (!result) return;
  showMessage(`Request ${number} replayed as request ${result.n}.`);
  await onReplay(result.n);
}

function createMessage(title, message) {
  const content = message
    ? [createHeaders(title, message.headers), createBody(title, message.body)]
    : [createElement("p", {}, "Not available.")];
  return createElement("div", {}, createElement("h3", {}, title), ...content);
}

function createHeaders(title, headers) {
  const lines = headers.map(([name, value]) => `${name}: ${value}`).join("\n");
  return createText(`${title} headers`, lines);
}

function createBody(title, { size, text, is_truncated: isTruncated }) {
  if (!size) return createElement("p", { className: "note" }, "No body.");
  const bytes = `${size.toLocaleString("en")} bytes`;
  if (text === null) return createElement("p", { className: "note" }, `Binary body, ${bytes}.`);
  if (!text) return createElement("p", { className: "note" }, `Body of ${bytes}, which the sandbox did not read.`);
  const note = isTruncated ? `Beginning of a body of ${bytes}:` : `Body, ${bytes}:`;
  return createElement("div", {}, createElement("p", { className: "note" }, note), createText(`${title} body`, text));
}

function createText(label, text) {
  return createElement("pre", { tabIndex: 0, role: "group", ariaLabel: label }, text);
}
