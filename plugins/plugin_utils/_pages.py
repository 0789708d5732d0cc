# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""HTML pages from Jinja templates in the directories of plugins."""

from __future__ import annotations

import re
import typing as t

import jinja2

_INVALID_CHARACTERS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Templates:
    """The templates of a page, with HTML escaping.

    :arg folders: directories with templates, style sheets and scripts; the first one that has a file is used
    :arg options: further options of the environment of Jinja
    """

    def __init__(self, *folders: str, **options: t.Any) -> None:
        self._loader = jinja2.FileSystemLoader(folders)
        self.environment = jinja2.Environment(
            loader=self._loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, **options
        )

    def read(self, name: str) -> str:
        """Return the text of a file, such as a style sheet."""
        return self._loader.get_source(self.environment, name)[0]

    def render(self, name: str, **values: t.Any) -> str:
        """Return a template with these values."""
        return replace_invalid_characters(self.environment.get_template(name).render(**values))


def replace_invalid_characters(text: str) -> str:
    """Return a text without the characters that HTML and XML do not allow."""
    return _INVALID_CHARACTERS.sub("\N{REPLACEMENT CHARACTER}", text)
