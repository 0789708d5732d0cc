// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later
// Seeds and snapshots: save, load, reset

import { call } from "./api.js";
import { createElement, find, showMessage } from "./dom.js";
import { showEnvironment } from "./environment.js";
import { act, handleError } from "./live.js";

/** Change the data, and show the credentials that the sandbox has then. */
async function changeData(message, path, body) {
  if (await act(message, "POST", path, body)) showEnvironment(await call("GET", "exports"));
}

async function saveSeed() {
  try {
    const { yaml, omitted } = await call("GET", "seed");
    const notes = Object.entries(omitted).flatMap(([service, texts]) => texts.map((text) => `${service}: ${text}`));
    find("#omitted").hidden = !notes.length;
    find("#omitted ul").replaceChildren(...notes.map((note) => createElement("li", {}, note)));
    download("seed.yml", yaml);
    showMessage("State saved as seed.yml.");
  } catch (error) {
    handleError(error);
  }
}

function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: "application/yaml" }));
  createElement("a", { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

async function readSnapshot(files) {
  const read = [...files].map(async (file) => [file.webkitRelativePath || file.name, await file.text()]);
  const texts = Object.fromEntries(await Promise.all(read));
  // The directory may also contain other files, such as those of Git.
  return Object.fromEntries(Object.entries(texts).filter(([path]) => /[^/]\/[^/.][^/]*\.jsonl?$/.test(path)));
}

find("#save-seed").addEventListener("click", saveSeed);
find("#load-seed").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { file, reset } = event.target.elements;
  await changeData("Seed loaded.", reset.checked ? "seed?reset=1" : "seed", await file.files[0].text());
});
find("#load-snapshot").addEventListener("submit", async (event) => {
  event.preventDefault();
  await changeData("Snapshot loaded.", "snapshot", await readSnapshot(event.target.elements.files.files));
});
find("#ask-reset").addEventListener("click", () => find("#confirm-reset").showModal());
find("#cancel-reset").addEventListener("click", () => find("#confirm-reset").close());
find("#do-reset").addEventListener("click", async () => {
  find("#confirm-reset").close();
  await changeData("Sandbox reset.", "reset");
});
