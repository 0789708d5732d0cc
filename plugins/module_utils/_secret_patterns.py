# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Detection of undeclared secrets by the name of a property or parameter, or by the format of a text."""

from __future__ import annotations

import base64
import re
import typing as t
from xml.sax.saxutils import escape, unescape

MASK = "MASKED_SECRET"
MAX_PLACES = 100

_WORDS = (
    r"passw|passphrase|pwd|psw|secret(?!ar)|credential|signature|(?:api|access|private|signing|account)[_. -]?key"
    r"|(?<!max)(?<!max[_. -])token(?!i[sz]|s?[_. -]?(?:per|count|limit|usage))"
)
# Words that end with `key`, and names of keys that are not secret
_OTHER_KEYS = (
    *("project", "build", "plan", "issue", "jira", "public", "primary", "foreign", "sort", "cache"),
    *("mon", "tur", "turn", "hot", "don"),
)
_KEY = "".join(rf"(?<!{word})(?<!{word}[_. -])" for word in _OTHER_KEYS) + r"key(?!word|board|pair|cloak|store|tool)"
_NAME = re.compile(
    rf"{_WORDS}|(?<![a-z])pass(?![a-z]|[_. -]rate)|auth(?!or|entic)|{_KEY}",
    re.IGNORECASE,
)
_PASSWORD = re.compile(_WORDS, re.IGNORECASE)
# Endings of names whose values describe a secret
_ABOUT = ("url", "uri", "endpoint", "file", "path", "dir", "id", "name", "type", "policy", "rule", "length", "issuer")
_ABOUT_SECRET = re.compile(rf"(?:[_. -](?i:{'|'.join(_ABOUT)})|(?:{'|'.join(word.title() for word in _ABOUT)}))$")
_QUOTE = r"(?P<quote>\\?[\"'])"
_VALUE = r"(?(quote)(?:(?!(?P=quote))(?:\\.|[^\\])){1,10000}|[^\s\"'&;,<>\\]+)"
_REFERENCE = r"\$\{\w{1,100}\}(?!\w)|\{\{[^{}]{0,200}\}\}"
# Bounded quantifiers prevent quadratic time. The group `kept` precedes the secret, `end` follows it
_IN_CONTEXT = [
    re.compile(form, re.IGNORECASE | re.DOTALL)
    for form in (
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----|\Z)",
        # The user name alone can be a token, but not the `git` of SSH. A password is not a port, and may have `@`
        r"(?P<kept>\b[a-z][a-z0-9+.-]{0,30}://)(?!git@)"
        r"[^\s/?#@:\[]{0,500}(?::(?!\d{1,5}(?:[/?#\s]|\Z))[^\s@]{0,2000}(?:@[^\s@/?#,]{0,500}(?=@)){0,9})?(?P<end>@)",
        r"(?P<kept>\bauthorization\\?[\"']?\s{0,5}[=:]\s{0,5}\\?[\"']?(?:bearer|basic|digest|token)\s{1,5})"
        rf"(?!{MASK})[^\s\"'\\]+",
        r"(?P<kept>\b(?:bearer|basic)\s{1,5})(?=[\w.~+/-]{0,99}(?:[\d=]|(?-i:[a-z][A-Z])))[\w.~+/=-]{8,}",
        rf"(?P<kept>(?:{_WORDS}|\bauth(?!or|entic)|\bpass(?=\s?=)|[_.-]pass(?![\w.-]))[\w.-]{{0,60}}"
        rf"\\?[\"']?\s{{0,5}}[=:]>?\s{{0,5}}{_QUOTE}?)"
        rf"(?!{MASK}|{_REFERENCE})(?:[|>][+-]?[ \t]{{0,9}}(?:\n[ \t]+[^\n]{{0,2000}}){{1,100}}|{_VALUE})",
        rf"(?P<kept>(?<!\S)--[\w-]{{0,30}}(?:{_WORDS})[\w-]{{0,30}}\s{{1,5}}{_QUOTE}?)(?!{MASK}|{_REFERENCE}|-){_VALUE}",
        rf"(?P<kept>\bcurl\s(?:[^\n;|]{{0,500}}?\s)?(?:-u\s?|--user[ =]){_QUOTE}?[\w.@-]{{1,100}}:)"
        rf"(?!{MASK}|{_REFERENCE}){_VALUE}",
        rf"(?P<kept>\bsshpass\s{{1,5}}-p\s?{_QUOTE}?)(?!{MASK}|{_REFERENCE}){_VALUE}",
        rf"(?P<kept><[\w.:-]{{0,40}}(?:{_WORDS})[\w.:-]{{0,40}}>)(?!{MASK}|{_REFERENCE})[^<]{{1,2000}}",
        r"(?P<kept>[?&]sig=)[^\s&#\"'<>]+",  # of Azure
        r"(?P<kept>hooks\.slack\.com/(?:services|workflows)/)\S+",
    )
]
_TOKENS = (
    r"AKC[a-zA-Z0-9]{8,}",  # API key of Artifactory
    r"cmVmd[\w+/=-]{8,}",  # reference token of Artifactory
    r"eyJ[\w=-]{8,}(?:\.[\w=-]*){0,4}",  # JSON Web Token
    r"(?:sk|sess|rk)-(?=[\w-]{0,200}[\dA-Z])[\w-]{8,}",  # OpenAI
    r"(?:gh[a-z]_|github_pat_|glpat-|xox[a-z]-|hf_|[rs]k_live_|npm_[A-Za-z0-9]{20}|pypi-AgE|ya29\.)[\w.-]{8,}",
    r"(?:AKIA|ASIA|AIza)[\w-]{12,}",  # Amazon, Google
    r"11[0-9a-f]{32}(?![\w-])",  # API token of Jenkins
    r"\{AQAAAB[A-Za-z0-9+/]{16,}={0,2}\}",  # secret that Jenkins has encrypted
)
_FORMS = (*_IN_CONTEXT, re.compile(rf"(?<![\w-])(?:{'|'.join(_TOKENS)})"))
_BASE64 = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/]{12,400}={0,2}(?![\w+/=])")
_LOGIN = re.compile(rb"[\w.@+-]{1,100}:[!-~]{4,200}")
# Members that identify an object or its type
_IDENTITIES = frozenset(
    ("file", "id", "key", "name", "path", "repo", "repositories", "defaultDeploymentRepo", "sha1", "sha256")
)
# Members with user-defined names of members
_MAPPINGS = ("parameters", "properties")
_VALUES = ("choices", "default", "value", "values")
# XML documents: tags, elements whose text is the name of the next element, and texts that are no secrets
_XML_DECLARATION = "<?xml"
_XML_TAG = re.compile(r"(<[^<>]*>)")
_XML_NAMES = ("name", "key")
_XML_VALUES = ("defaultValue", "value")
_XML_ENTITIES = {"&quot;": '"', "&apos;": "'"}
_XML_TEXT = re.compile(
    r"<(?P<name>[\w.$:-]{1,200})(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[(?P<data>.*?)\]\]>|(?P<text>[^<]+?))\s*</(?P=name)\s*>",
    re.DOTALL,
)
_XML_ATTRIBUTE = re.compile(r"\s(?P<name>[\w.$:-]{1,200})\s*=\s*(?P<quote>[\"'])(?P<text>.*?)(?P=quote)", re.DOTALL)
_XML_PASSWORD_PARAMETER = re.compile(
    r"<hudson\.model\.PasswordParameterDefinition\b.*?</hudson\.model\.PasswordParameterDefinition>", re.DOTALL
)
_NO_SECRET = re.compile(r"\s*(?:true|false|-?\d{1,6}|\(encrypted\))?\s*", re.IGNORECASE)


class SecretMasker:
    """Replaces secrets in data by `MASKED_SECRET`, and lists where they were.

    :arg members: names of further members whose texts are secret
    :ivar result: `count`, and the first `places`, such as `libs app/1.0 app.jar: properties: db.password: value`
    """

    def __init__(self, members: t.Iterable[str] = ()) -> None:
        self._secret_members = frozenset(members)
        self.result: dict[str, t.Any] = {"count": 0, "places": []}

    def mask(self, value: t.Any, place: str = "") -> t.Any:
        """Return a value without secrets.

        :arg place: where the value is
        """
        return self._mask(value, place, "", is_secret=False)

    def _mask(self, value: t.Any, place: str, member: str, is_secret: bool) -> t.Any:
        """
        :arg member: the name of the innermost member that the value is in
        :arg is_secret: whether a name says that the value is secret
        """
        if isinstance(value, dict):
            return self._mask_members(value, place, member, is_secret)
        if isinstance(value, list):
            return [
                self._mask(element, place, "" if isinstance(element, dict) else member, is_secret) for element in value
            ]
        if not isinstance(value, str) or not value:
            return value
        if value.startswith(_XML_DECLARATION):
            masked = mask_document(value)
        else:
            masked = MASK if is_secret else value if member in _IDENTITIES else mask_text(value)
        if masked != value:
            self._note(place)
        return masked

    def _mask_members(self, value: dict[str, t.Any], place: str, member: str, is_secret: bool) -> dict[str, t.Any]:
        if member in _MAPPINGS:
            return {
                name: self._mask(content, f"{place}: {name}", "", is_secret or has_secret_name(name))
                for name, content in value.items()
            }
        own = " ".join(str(value[name]) for name in ("repo", "path", "key", "name") if isinstance(value.get(name), str))
        is_of_secret = any(has_secret_name(value.get(name)) for name in ("key", "name"))
        return {
            name: self._mask(
                content,
                ": ".join(filter(None, (place, own, str(name)))),
                name,
                is_secret
                or name in self._secret_members
                or (is_of_secret and name in _VALUES)
                or (isinstance(content, str) and is_password(name)),
            )
            for name, content in value.items()
        }

    def _note(self, place: str) -> None:
        self.result["count"] += 1
        if len(self.result["places"]) < MAX_PLACES:
            self.result["places"].append(place)


def has_secret_name(name: t.Any) -> bool:
    """Return whether the name of a property, setting or parameter says that its value is secret."""
    return isinstance(name, str) and bool(_NAME.search(name)) and not _ABOUT_SECRET.search(name)


def is_password(name: t.Any) -> bool:
    """Return whether the value of a member is secret in any context, unlike `key` of repositories."""
    return has_secret_name(name) and bool(_PASSWORD.search(name))


def find_secret_elements(document: str) -> t.Iterator[str]:
    """Yield the texts of elements and attributes whose names say that they are secret, escaped and unescaped.

    :arg document: an XML document, which may be malformed
    """
    for pattern in (_XML_TEXT, _XML_ATTRIBUTE):
        for match in pattern.finditer(document):
            if is_password(match["name"].rpartition(":")[2]):
                yield from _list_forms(match)
    for parameter in _XML_PASSWORD_PARAMETER.finditer(document):
        for match in _XML_TEXT.finditer(parameter[0]):
            if match["name"] == "defaultValue":
                yield from _list_forms(match)


def _list_forms(match: re.Match[str]) -> set[str]:
    """Return the forms of a text in a document, none if it is a switch or a number."""
    text = match["text"] or match.groupdict().get("data") or ""
    return set() if _NO_SECRET.fullmatch(text) else {text, unescape(text, _XML_ENTITIES)}


def mask_text(text: str) -> str:
    """Return a text in which everything that looks like a secret is masked."""
    for form in _FORMS:
        text = form.sub(_replace, text)
    return _BASE64.sub(_mask_login, text)


def mask_document(document: str) -> str:
    """Return an XML document in which the text of each element is masked. Its tags stay as they are.

    An element is secret because of its own name, or because the element before it has the name of a secret, as in
    parameters and environment variables.
    """
    parts = _XML_TAG.split(document)
    name, is_map, follows_leaf = "", False, False
    for place in range(2, len(parts) - 1, 2):
        start, text, end = parts[place - 1], unescape(parts[place], _XML_ENTITIES), parts[place + 1]
        tag = _leaf_tag(start, end)
        if not tag and not follows_leaf and not start.endswith("/>"):
            name, is_map = "", False  # of another parent
        is_map = is_map or tag == "int"  # number of the names and values that follow
        is_value = tag in _XML_VALUES or (tag == "string" and is_map and name != "")
        is_secret = is_password(tag) or (is_value and has_secret_name(name))
        masked = MASK if is_secret and not _NO_SECRET.fullmatch(text) else mask_text(text)
        if masked != text:
            parts[place] = escape(masked)
        if tag in _XML_NAMES or tag == "string":
            name = "" if is_value else text
        follows_leaf = bool(tag)
    return "".join(parts)


def _leaf_tag(start: str, end: str) -> str:
    """Return the last part of the name of an element, or an empty text if the tags do not enclose only a text."""
    tag = end[2:-1]
    is_leaf = end.startswith("</") and re.fullmatch(rf"<{re.escape(tag)}(?:\s[^>]*)?", start[:-1])
    return tag.rpartition(".")[2] if is_leaf else ""


def _replace(match: re.Match[str]) -> str:
    groups = match.groupdict()
    return f"{groups.get('kept', '')}{MASK}{groups.get('end', '')}"


def _mask_login(match: re.Match[str]) -> str:
    """Mask base64 text that decodes to `user:password`."""
    text = match[0]
    try:
        is_login = _LOGIN.fullmatch(base64.b64decode(text, validate=True))
    except ValueError:
        return text
    return MASK if is_login else text
