# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The prompts of a task, or of a file, each with the options that the task has for all."""

from __future__ import annotations

import json
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal
from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import check_readable, get_fingerprint
from ansible_collections.buildworks.toolchain.plugins.module_utils._inference.chat import schema
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import validate_parameters

Params = dict[str, t.Any]


class Prompts:
    """The prompts, each with what the task gives for all; gone through twice, and never all in memory at once."""

    def __init__(self, params: Params, spec: ArgumentSpec) -> None:
        self._params = params
        self._spec = spec
        self._path = params["prompts_file"]
        if self._path is not None:
            check_readable(self._path, "prompts_file")
            self._seen = get_fingerprint(self._path)
        self._checked = params["response_schema"]
        if params["response_schema"] is not None:
            schema.check(params["response_schema"], params["strict"])

    def __iter__(self) -> t.Iterator[Params]:
        if self._path is None:
            for number, prompt in enumerate(self._params["prompts"]):
                yield self._whole(self.place(number), prompt)
            return
        if get_fingerprint(self._path) != self._seen:
            raise self.changed()
        with open(rehearsal.resolve_read(self._path), "rb") as file:
            blank = None
            for number, line in enumerate(file):
                place = self.place(number)
                if not line.strip():
                    blank = blank or place
                    continue
                if blank:
                    raise BadOption(blank, "is empty, which only the last lines may be")
                yield self._whole(place, self._of_line(place, line))

    def changed(self) -> ToolchainError:
        """Return the error for prompts that are others than before."""
        return ToolchainError(f"'{self._path}' changed while it was being read. Try again.")

    def place(self, number: int) -> str:
        """Where the user gave a prompt."""
        return f"prompts[{number}]" if self._path is None else f"prompts_file, line {number + 1}"

    def _of_line(self, place: str, line: bytes) -> Params:
        try:
            return validate_parameters(self._spec, place, json.loads(line))
        except (ValueError, RecursionError):
            raise BadOption(place, "is no JSON object") from None

    def _whole(self, place: str, prompt: Params) -> Params:
        own = {name: value for name, value in prompt.items() if value is not None}
        own.setdefault("id", own.get("custom_id"))
        own.update(_of_body(place, own.get("body") or {}))
        for_all = self._params
        whole = {**for_all, "place": place, **{name: own.get(name, for_all.get(name)) for name in self._spec.options}}
        if not whole["model"]:
            raise BadOption(place, "has no 'model', and the task gives none for all")
        if "response_format" in (own.get("body") or {}):
            whole["response_schema"] = None
        wanted = own.get("response_schema")
        if wanted is not None and wanted != self._checked:
            schema.check(wanted, whole["strict"])
            self._checked = wanted
        return whole


def _of_body(place: str, body: Params) -> Params:
    """The options that the body of a line of OpenAI Batch takes the place of."""
    model = body.get("model")
    if model is None:
        return {}
    if not isinstance(model, str) or not model:
        raise BadOption(f"{place}.body.model", "takes the id of a model")
    return {"model": model}
