/*
 * Copyright (c) 2026, the buildworks.toolchain authors
 * GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
 * SPDX-License-Identifier: GPL-3.0-or-later
 */

// Rank pages by how many words of the query their title and name contain. Sphinx counts only the best word.
{
  const STEM_LENGTH = 5;
  const OTHER_KINDS = { object: -40, index: -40 };
  const query = new URLSearchParams(window.location.search).get("q") || "";
  const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  const stems = words.map((word) => word.slice(0, STEM_LENGTH));

  Scorer.score = ([docname, title, anchor, , score, , kind]) => {
    const name = `${docname.split("/").pop()} ${title}`.toLowerCase();
    const found = stems.filter((stem) => name.includes(stem)).length;
    const isGuide = /^(guides|start)\//.test(docname) ? 2 : 0;
    const isInfo = /_info_/.test(docname) && !words.includes("get") ? -4 : 0;
    return score + 10 * found + isGuide + isInfo + (anchor ? -3 : 0) + (OTHER_KINDS[kind] || 0);
  };
}
