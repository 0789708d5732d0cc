# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compare declared configurations with stored ones, element by element."""

from __future__ import annotations

import copy
import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.losses import Losses, LossPolicy
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.merge import (
    UNORDERED,
    Removed,
    copy_declared,
    is_encrypted,
    merge,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.normal_forms import normalize
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


class StoredTexts(Texts):
    """The texts of a stored configuration, and those of elements that Jenkins dropped although their loss is accepted.

    :ivar visible: the texts without those of dropped elements
    """

    visible: Texts

    def select(self, is_selected: t.Callable[[str], bool]) -> StoredTexts:
        """Return the texts with some paths."""
        selected = StoredTexts((path, text) for path, text in self.items() if is_selected(path))
        selected.visible = {path: text for path, text in self.visible.items() if is_selected(path)}
        return selected


class DesiredConfiguration:
    """A declared configuration as XML, which manages a part of the stored one.

    :arg declared: root element of the declared configuration
    :arg exact: whether stored elements that are not declared are removed
    :arg update_secret: `on_create` keeps the existing secrets, `always` replaces them by the declared ones
    :arg losses: what happens to elements that Jenkins does not store; by default they count as missing
    :ivar declared: the declared configuration; outdated elements are replaced when it is compared for the first time
    """

    def __init__(
        self,
        declared: ET.Element,
        *,
        exact: bool = False,
        update_secret: str = "on_create",
        losses: LossPolicy | None = None,
    ) -> None:
        self.declared = declared
        self._exact = exact
        self._replaces_secrets = update_secret == "always"
        self._losses = Losses(losses)
        self._removed: set[str] = set()
        self._normalize_declared()

    def read(self, stored: ET.Element, *, is_written: bool) -> StoredTexts:
        """Return the texts of a stored configuration.

        An encrypted text counts as the declared one, because it cannot be compared.

        :arg is_written: whether this task has written the configuration. Before, an encrypted text differs from the
            declared one if it should be replaced
        """
        texts = StoredTexts(self._list_current(stored, is_written))
        if is_written:
            self._add_completed_objects(texts)
        if self._removed:
            for path in self._removed & self._list_merged(stored).keys():  # Jenkins has added a default instead
                texts.pop(path, None)
        for path, text in texts.items():
            if is_encrypted(text):
                is_equal = is_written or not self._replaces_secrets
                texts[path] = self._declared_texts.get(path, ENCRYPTED) if is_equal else ENCRYPTED
        texts.visible = texts
        kept = self._losses.find_kept(stored, self.declared)
        if kept is not None:
            items = list_texts(kept).items()
            texts.visible = {path: ENCRYPTED if is_encrypted(text) else text for path, text in items}
        return texts

    def list_desired(self, stored: ET.Element | None) -> dict[str, str | None]:
        """Return the declared texts, and `None` for each stored text that the declaration removes.

        :raises ToolchainError: if a placeholder would be written instead of a secret
        """
        if stored is None:
            self._find_losses(None)
            self._list_current(self._losses.predict_stored(self.declared), is_written=False)
            _check_placeholders(self._declared_texts)
            return dict(self._losses.select_kept(self._declared_texts))
        merged, current = self._list_merged(stored), self._list_current(stored, False)
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

    def record_acceptance(self) -> None:
        """Record that Jenkins has accepted the configuration: what it lacks from now on, Jenkins has dropped."""
        self._losses.record_acceptance()

    def check_kept(self) -> None:
        """Refuse elements before the change that Jenkins would not store, unless their loss is accepted.

        :raises ToolchainError: if there are such elements
        """
        self._losses.check()

    def explain_loss(self) -> str:
        """Return why the configuration that was read last lacks declared elements, or an empty text."""
        return self._losses.explain()

    def show(self, texts: dict[str, t.Any]) -> dict[str, t.Any]:
        """Return the texts of a stored or predicted configuration without those of elements that Jenkins drops."""
        return texts.visible if isinstance(texts, StoredTexts) else self._losses.select_kept(texts)

    def _list_current(self, stored: ET.Element, is_written: bool) -> Texts:
        """Return the texts of a stored configuration in normal form, with the lost elements whose loss is accepted."""
        self._find_losses(stored)
        return list_texts(self._losses.restore(stored, self.declared, is_written))

    def _find_losses(self, stored: ET.Element | None) -> None:
        if self._losses.find_known(self.declared, stored):
            self._normalize_declared()

    def _list_merged(self, stored: ET.Element) -> Texts:
        return list_texts(normalize(self.merge(stored)))

    def _normalize_declared(self) -> None:
        self._declared_texts = list_texts(normalize(copy_declared(self.declared)))

    def _add_completed_objects(self, texts: Texts) -> None:
        """Add declared objects without children to which Jenkins has added children: they have their declared text."""
        missing = [path for path, text in self._declared_texts.items() if not text and path not in texts]
        texts.update((path, "") for path in missing if any(other.startswith(f"{path}/") for other in tuple(texts)))

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


def _add_texts(texts: Texts, element: ET.Element, path: str) -> None:
    prefix = f"{path}/" if path else ""
    for name, value in element.attrib.items():
        if name != "plugin":
            texts[f"{prefix}@{name}"] = value
    children = [child for child in element if not isinstance(child, Removed)]
    if path and (not children or element.text):
        texts[path] = element.text or ""
    counts: dict[str, int] = {}
    for child in children:
        count = counts[child.tag] = counts.get(child.tag, 0) + 1
        _add_texts(texts, child, f"{prefix}{child.tag}[{count}]" if count > 1 else f"{prefix}{child.tag}")
    if len(counts) > 1 and element.tag not in UNORDERED and all("." in name for name in counts):
        texts[f"{prefix}@order"] = ", ".join(child.tag for child in children)
