# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Read the prompts of a task or a file, merged with the options for all prompts."""

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
    """The prompts with the options for all prompts. A file is read line by line, and again for each iteration."""

    def __init__(self, params: Params, spec: ArgumentSpec) -> None:
        self._params = params
        self._spec = spec
        self._path = params["prompts_file"]
        if self._path is not None:
            check_readable(self._path, "prompts_file")
            self._fingerprint = get_fingerprint(self._path)
        self._checked_schema = params["response_schema"]
        if params["response_schema"] is not None:
            schema.check(params["response_schema"], params["strict"])

    def __iter__(self) -> t.Iterator[Params]:
        if self._path is None:
            for number, prompt in enumerate(self._params["prompts"]):
                yield self._merge(self.path(number), prompt)
            return
        if get_fingerprint(self._path) != self._fingerprint:
            raise self.change_error()
        with open(rehearsal.resolve_read(self._path), "rb") as file:
            blank_line = None
            for number, line in enumerate(file):
                path = self.path(number)
                if not line.strip():
                    blank_line = blank_line or path
                    continue
                if blank_line:
                    raise BadOption(blank_line, "is empty. Only lines at the end of the file may be empty")
                yield self._merge(path, self._parse_line(path, line))

    def change_error(self) -> ToolchainError:
        """Return the error for a file that changed between two iterations."""
        return ToolchainError(f"'{self._path}' changed while it was being read. Run the task again.")

    def path(self, number: int) -> str:
        """Return the option or line that contains a prompt, for messages."""
        return f"prompts[{number}]" if self._path is None else f"prompts_file, line {number + 1}"

    def _parse_line(self, path: str, line: bytes) -> Params:
        try:
            return validate_parameters(self._spec, path, json.loads(line))
        except (ValueError, RecursionError):
            raise BadOption(path, "is not a JSON object") from None

    def _merge(self, path: str, prompt: Params) -> Params:
        """Return a prompt with the options for all prompts and, as `path`, its position."""
        own = {name: value for name, value in prompt.items() if value is not None}
        own.setdefault("id", own.get("custom_id"))
        own.update(_select_model(path, own.get("body") or {}))
        options = {name: own.get(name, self._params.get(name)) for name in self._spec.options}
        merged = {**self._params, "path": path, **options}
        if not merged["model"]:
            raise BadOption(path, "has no 'model'. Set it for the prompt or for the task")
        if "response_format" in (own.get("body") or {}):
            merged["response_schema"] = None
        own_schema = own.get("response_schema")
        if own_schema is not None and own_schema != self._checked_schema:
            schema.check(own_schema, merged["strict"])
            self._checked_schema = own_schema
        return merged


def _select_model(path: str, body: Params) -> Params:
    """Return the options that the body of a line for the OpenAI Batch API replaces."""
    model = body.get("model")
    if model is None:
        return {}
    if not isinstance(model, str) or not model:
        raise BadOption(f"{path}.body.model", "must be the ID of a model")
    return {"model": model}
