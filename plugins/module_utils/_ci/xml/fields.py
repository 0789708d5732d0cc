# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare declared configurations with stored ones, element by element."""

from __future__ import annotations

import copy
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.document import is_blank, is_layout
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import (
    UNORDERED,
    Removed,
    is_encrypted,
    merge,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._secret_patterns import is_password

ENCRYPTED = "(encrypted)"
# What Jenkins returns instead of secrets that the account may not read
_REDACTED = "********"
# What the plugin credentials returns instead of secrets, and resolves only in credentials
_REDACTED_ELEMENT = "secret-redacted"
_PASSWORD_PARAMETER = "hudson.model.PasswordParameterDefinition"

# Texts by path, such as {"builders/hudson.tasks.Shell/command": "make", "scm/@class": "hudson.scm.NullSCM"}.
# The second of several elements with the same name is `hudson.tasks.Shell[2]`
Texts = dict[str, str]


class DesiredConfiguration:
    """A declared configuration as XML, which manages a part of the stored one.

    :arg declared: root element of the declared configuration
    :arg exact: whether stored elements that are not declared are removed
    :arg update_secret: `on_create` keeps the existing secrets, `always` replaces them by the declared ones
    """

    def __init__(self, declared: ET.Element, *, exact: bool = False, update_secret: str = "on_create") -> None:
        self.declared = declared
        self._exact = exact
        self._replaces_secrets = update_secret == "always"
        self._declared_texts = list_texts(declared)
        self._removed: set[str] = set()

    def read(self, stored: ET.Element, *, is_written: bool) -> Texts:
        """Return the texts of a stored configuration.

        An encrypted text counts as the declared one, because it cannot be compared.

        :arg is_written: whether this task has written the configuration. Before, an encrypted text differs from the
            declared one if it should be replaced
        """
        texts = list_texts(stored)
        if is_written:
            self._add_completed_objects(texts)
        if self._removed:
            for path in self._removed & list_texts(self.merge(stored)).keys():  # Jenkins has added a default instead
                texts.pop(path, None)
        for path, text in texts.items():
            if is_encrypted(text):
                is_equal = is_written or not self._replaces_secrets
                texts[path] = self._declared_texts.get(path, ENCRYPTED) if is_equal else ENCRYPTED
        return texts

    def _add_completed_objects(self, texts: Texts) -> None:
        """Add declared objects without children to which Jenkins has added children: they have their declared text."""
        missing = [path for path, text in self._declared_texts.items() if not text and path not in texts]
        texts.update((path, "") for path in missing if any(other.startswith(f"{path}/") for other in tuple(texts)))

    def list_desired(self, stored: ET.Element | None) -> dict[str, str | None]:
        """Return the declared texts, and `None` for each stored text that the declaration removes.

        :raises ToolchainError: if a placeholder would be written instead of a secret
        """
        if stored is None:  # Jenkins drops some empty elements, but no objects, unless their plugin is missing
            _check_placeholders(self._declared_texts)
            return {path: text for path, text in self._declared_texts.items() if text or _is_object(path)}
        merged, current = list_texts(self.merge(stored)), list_texts(stored)
        _check_placeholders({path: text for path, text in merged.items() if current.get(path) != text})
        changed = {
            path: self._declared_texts.get(path, ENCRYPTED) if is_encrypted(text) else text
            for path, text in merged.items()
            if current.get(path) != text
        }
        self._removed = current.keys() - merged.keys()
        return {**self._managed(merged), **changed, **dict.fromkeys(self._removed)}

    def merge(self, stored: ET.Element) -> ET.Element:
        """Return the stored configuration with the declared elements."""
        return merge(stored, self.declared, exact=self._exact, replaces_secrets=self._replaces_secrets)

    def _managed(self, merged: Texts) -> Texts:
        """Return the declared texts whose path is the same in the merged configuration."""
        return {path: text for path, text in self._declared_texts.items() if path in merged}


def list_texts(root: ET.Element) -> Texts:
    """Return the texts and attributes of a document by path, without the elements that should not exist.

    The attribute `plugin` is omitted, because it changes with each upgrade. Lists of different elements have an entry
    `@order`, because the paths do not show it.
    """
    texts: Texts = {}
    _add_texts(texts, root, "")
    return texts


def hide_encrypted(root: ET.Element) -> ET.Element:
    """Return a copy of a document without the texts that Jenkins has encrypted."""
    hidden = copy.deepcopy(root)
    for element in hidden.iter():
        if is_encrypted(element.text):
            element.text = ENCRYPTED
    return hidden


def find_secrets(declared: ET.Element) -> Texts:
    """Return the texts of a declared configuration that are probably secrets, by path."""
    return {path: text for path, text in list_texts(declared).items() if text and _is_secret(path)}


def check_complete(root: ET.Element, what: str) -> None:
    """Refuse to write a configuration in which Jenkins has hidden secrets: they would be replaced by asterisks.

    :arg what: the object, such as `job 'app'`
    :raises ToolchainError: if a secret is hidden
    """
    hidden = [path for path, text in list_texts(root).items() if text == _REDACTED]
    if hidden:
        raise ToolchainError(
            f"Changing {what} failed: the account may not read the secret in '{hidden[0]}', so that the change would "
            "destroy it. Use an account with the Configure permission."
        )


def _check_placeholders(written: Texts) -> None:
    for path, text in written.items():
        parent, _slash, name = path.rpartition("/")
        if name == _REDACTED_ELEMENT or (text in (ENCRYPTED, _REDACTED) and _is_secret(path)):
            raise ToolchainError(
                f"The element '{parent if name == _REDACTED_ELEMENT else path}' of the configuration has a placeholder "
                "instead of the secret, which Jenkins would store. Set the secret, or remove the element."
            )


def _is_secret(path: str) -> bool:
    name = path.rpartition("/")[2].partition("[")[0].removeprefix("@")
    return is_password(name) or (name == "defaultValue" and _PASSWORD_PARAMETER in path)


def _is_object(path: str) -> bool:
    """Return whether an element is named after a class, such as `hudson.tasks.ArtifactArchiver`."""
    name = path.rpartition("/")[2]
    return "." in name and not name.startswith("@")


def _add_texts(texts: Texts, element: ET.Element, path: str) -> None:
    prefix = f"{path}/" if path else ""
    for name, value in element.attrib.items():
        if name != "plugin":
            texts[f"{prefix}@{name}"] = value
    children = [child for child in element if not isinstance(child, Removed)]
    if path and (not children or not is_blank(element.text)):
        texts[path] = "" if is_layout(element.text) else element.text or ""
    counts: dict[str, int] = {}
    for child in children:
        count = counts[child.tag] = counts.get(child.tag, 0) + 1
        _add_texts(texts, child, f"{prefix}{child.tag}[{count}]" if count > 1 else f"{prefix}{child.tag}")
    if len(counts) > 1 and element.tag not in UNORDERED and all("." in name for name in counts):
        texts[f"{prefix}@order"] = ", ".join(child.tag for child in children)
