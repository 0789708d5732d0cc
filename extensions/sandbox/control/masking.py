# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Masks secrets in recorded requests and responses.

A text is secret if the name of its header, field or element says so, if it is a known secret of the sandbox, or if it
has the form of a token.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from html import escape
from urllib.parse import quote, quote_plus, unquote_plus

MASK = "***"
# Shorter secrets are only masked by the names of their fields, because the text also has other meanings.
MIN_KNOWN_LENGTH = 6

_NAME = (
    r"(?:password|passwd|passphrase|pwd|token|secret|crumb|api[-_.]?key|private[-_.]?key|access[-_.]?key|art-api"
    r"|secret[-_.]?(?:key|value|bytes|text)|license[-_.]?key|token[-_.]?value|credential)\d{0,3}"
)
_SECRET_HEADER = re.compile(rf"(?:(?:proxy-)?authorization|cookie|set-cookie|.*{_NAME})", re.IGNORECASE)
_FORM_TYPE = "application/x-www-form-urlencoded"
# In each pattern, the group `secret` is replaced.
_FIELDS = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        # JSON, also in a string of JSON: "password": "...", and "name": "PASSWORD", "value": "..."
        rf'(?P<quote>\\?")[^"\\]{{0,200}}{_NAME}(?P=quote)\s*:\s*(?P=quote)'
        r"(?P<secret>(?:(?!(?P=quote))(?:\\.|[^\\]))+)",
        rf'"[^"\\]{{0,200}}{_NAME}"\s*:\s*(?P<secret>-?\d[\d.eE+-]*)',
        rf'(?P<quote>\\?")(?:name|key)(?P=quote)\s*:\s*(?P=quote)[^"\\]{{0,200}}{_NAME}(?P=quote)\s*,\s*'
        r"(?P=quote)value(?P=quote)\s*:\s*(?P=quote)(?P<secret>(?:(?!(?P=quote))(?:\\.|[^\\]))+)",
        # XML: <password>...</password>, password="...", and <name>PASSWORD</name> ... <value>...</value>
        rf"<[\w.:-]{{0,200}}{_NAME}(?:\s[^<>]{{0,500}})?>(?P<secret>[^<]+)",
        rf"\s[\w.:-]{{0,200}}{_NAME}\s?=\s?[\"'](?P<secret>[^\"'<>]+)",
        rf"<name>[^<]{{0,200}}{_NAME}</name>\s*(?:<description>[^<]{{0,500}}</description>\s*)?"
        r"<(?:defaultValue|value)>(?P<secret>[^<]+)",
        # Query and form: password=...
        rf"(?:^|[&?;])[^=&?;\s\"'<>]{{0,200}}{_NAME}=(?P<secret>[^&;\s\"'<>]+)",
        # Query in another query: password%3D...
        rf"{_NAME}%3D(?P<secret>(?:(?!%26)[\w.~%+-])+)",
        # YAML: password: ...
        rf"^[ \t]*(?:-[ \t]+)*[\w.-]{{0,200}}{_NAME}:[ \t]+(?P<secret>[^\s{{[|>&*!%@`][^\r\n]*)",
        rf"^(?P<indent>[ \t]*)(?:-[ \t]+)*[\w.-]{{0,200}}{_NAME}:[ \t]*[|>][+-]?"
        r"(?P<secret>(?:\r?\n(?P=indent)[ \t]+[^\r\n]+)+)",
        # multipart/form-data
        rf'name="[^"\r\n]{{0,200}}{_NAME}"[^\r\n]{{0,500}}\r?\n(?:[^\r\n]{{1,500}}\r?\n){{0,9}}\r?\n(?P<secret>[^\r\n]+)',
    )
)
_TOKENS = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?:(?!-----END)[\s\S])*(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----)?"
    r"|(?<![\w-])(?:"
    r"eyJ[\w=-]{8,}(?:\.[\w=-]*){0,4}"  # JSON Web Token
    r"|AKC[A-Za-z0-9]{8,}|cmVmd[\w+/=-]{8,}"  # API key and reference token of Artifactory
    r"|(?:sk|sess)-[\w-]{8,}(?![\w.])"  # OpenAI
    r"|11[0-9a-f]{32}(?![\w-])"  # API token of Jenkins
    r"|(?:(?<=bearer )|(?<=Bearer )|(?<=Basic )|(?<=basic ))[\w.~+/=-]{8,}"
    r")|\{AQAAAB[A-Za-z0-9+/]{16,}={0,2}\}"  # secret that Jenkins has encrypted
)

Replace = Callable[[str], str]


class Masker:
    """Replaces secrets in headers, targets and bodies."""

    def __init__(self, known: Iterable[str], replace: Replace = lambda _secret: MASK) -> None:
        """Create a masker.

        :arg known: secrets that are masked wherever they occur
        :arg replace: function that returns the replacement of a secret, of characters that need no encoding
        """
        long_enough = {secret for secret in known if len(secret) >= MIN_KNOWN_LENGTH}
        forms = {form for secret in long_enough for form in _list_forms(secret)}
        self._known = sorted(forms, key=len, reverse=True)
        self._replace = replace

    def mask_header(self, name: str, value: str) -> str:
        """Return the value of a header."""
        if not _SECRET_HEADER.fullmatch(name):
            return self.mask_text(value)
        if "cookie" in name.lower():
            first, semicolon, attributes = value.partition(";") if name.lower() == "set-cookie" else (value, "", "")
            return "; ".join(map(self._mask_cookie, first.split("; "))) + semicolon + attributes
        scheme, blank, credentials = value.partition(" ")
        if blank and "authorization" in name.lower():
            return f"{scheme} {self._replace(credentials)}"
        return self._replace(value) if value else value

    def mask_body(self, text: str, content_type: str = "", is_truncated: bool = False) -> str:
        """Return the text of a body."""
        if is_truncated:
            text = self._cut_partial_secret(text)
        if content_type.lower().startswith(_FORM_TYPE):
            return self.mask_form(text)
        return self.mask_text(text)

    def mask_form(self, text: str) -> str:
        """Return an encoded form or query."""
        return self.mask_text("&".join(map(self._mask_form_field, text.split("&"))))

    def mask_text(self, text: str) -> str:
        """Return a text in any format."""
        for pattern in _FIELDS:
            text = pattern.sub(self._replace_group, text)
        text = self.mask_known(text)
        return _TOKENS.sub(lambda match: self._replace(match[0]), text)

    def mask_known(self, text: str) -> str:
        """Return a text without the known secrets."""
        for secret in self._known:
            if secret in text:
                text = text.replace(secret, self._replace(secret))
        return text

    def _replace_group(self, match: re.Match[str]) -> str:
        start, end = (position - match.start() for position in match.span("secret"))
        return match[0][:start] + self._replace(match["secret"]) + match[0][end:]

    def _mask_cookie(self, cookie: str) -> str:
        name, equals, value = cookie.partition("=")
        return f"{name}{equals}{self._replace(value)}" if value else cookie

    def _mask_form_field(self, field: str) -> str:
        """Mask the encoded value of a form field, such as a document with a password."""
        name, equals, value = field.partition("=")
        if "%" not in value and "+" not in value:
            return field
        decoded = unquote_plus(value)
        masked = self.mask_text(decoded)
        return field if masked == decoded else f"{name}{equals}{quote_plus(masked, safe='*')}"

    def _cut_partial_secret(self, text: str) -> str:
        """Return a truncated text without the beginning of a known secret at its end."""
        for secret in self._known:
            for length in range(min(len(secret), len(text)), 2, -1):
                if text.endswith(secret[:length]):
                    return text[:-length]
        return text


def _list_forms(secret: str) -> tuple[str, ...]:
    """Return a secret in the forms in which URLs, forms, JSON and XML contain it."""
    return secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1], escape(secret)
