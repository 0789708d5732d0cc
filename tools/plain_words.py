# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Count unidiomatic phrases per 1,000 sentences, and unidiomatic names per 100.

An aid for authors, not a gate: a clumsy sentence that avoids a pattern is worse than the pattern.

Usage: python tools/plain_words.py [--list] [--top N] [PATH ...]

Without paths it reads all files under version control. `--list` prints each finding, `--top` the files with the most
findings.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from export import CHECKOUT

USER_PYTHON = ("plugins/modules/", "plugins/doc_fragments/", "plugins/lookup/", "plugins/filter/", "plugins/callback/")
USER_TEXT = (".md", ".rst", ".yml", ".yaml", ".j2")
ENGINEER_TEXT = ("CONTRIBUTING.md",)
SKIPPED = ("LICENSE", "tools/plain_words.py", "changelogs/changelog.yaml", "requirements/", "build/")

PHRASES = re.compile(
    r"""
      \b(tell|tells|telling|told)\b
    | \b(is|are|was|were|be|been|being)\s(not\s)?there\b (?!\s(a|an|any|no|some|more)\b)
    | \bthere\s(is|are|was|were)\snone\b
    | \bshall\b
    | \bmend(s|ed|ing)?\b | \bmade?\sgood\b
    | \b(nobody|anew|whoever|whosoever|thereby|ere)\b
    | \b(of|with|by|for|from|but|has|have|gives?|gave|than|into|on|at|says?|only|all|that)\swhat\b
    | (^|[.:;]\s)What\s(?!is\s\w+\?|are\s\w+\?)[^?]*$
    | ^(Whose|Whoever|That\swhich)\s[^?]*\.$
    | \b(see|sees|saw|seen)\sto\s(it|its|their|them)\b
    | \bin\searnest\b | \bfor\sever\b | \bever\smore\b | \bby\sthe\sway\b | \ball\sbut\b
    | ,\sfor\s(it|they|there|nobody|the|this|that|a|each)\b(?=.*\b(is|are|has|have|would|can|does|do)\b)
    | \bforese(e|es|en|eing)\b | \bbeliev(e|es|ed|ing)\b
    | \b(hears?|heard)\b
    | (?<!\bthere\s)\b(is|are)\sno\s(?!longer\b|more\b|less\b|such\b|other\b)[a-z]+
    | \b(has|have|had|with)\snone\b | \bnone\sof\s(them|these|those|it)\b
    | \b(who|that)\sruns?\sthe\stask\b
    | \btwo\slooks\b | \b(let|lets)\sgo\b | \bstay(s|ed)?\swith\sit\b
    | \bcome(s)?\sof\s(it|that|them)\b | \bcame\sof\b | \bwhat\scame\sback\b
    | \b(of|by)\s(its|their)\sown\b | \bof\sothers\b | \bof\sthe\sone\b | \bthat\sof\sthe\sother\b
    | \bonce\smore\b | \bfrom\sthen\son\b | \bat\swill\b
    | \bask(s|ed)?\s(it|them|the\sserver|for\sby)\b | \bas\sasked\b | \basked\sfor\b
    | \b(likeness|sitting|stumbles?|worn|wears?)\b
    | \bwanted\b
    | \bgoes\son\b | \bgo\son\b | \bgone\b | \bmakes?\sof\b | \btakes?\sit\sfor\b
    | \bnothing\sbut\b | \banother\sthan\b | \botherwise\sthan\b | \bthe\sway\sout\b
    | \b(some|every|any)body\b | \bthat\sis\show\b | \bin\sits\splace\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
NONE_IN_TEXT = re.compile(r"(?<![`\w(])None\b(?![`\w)])")

PARTICIPLES = """
    told wanted shown known asked given said heard believed left kept meant found worn gone seen taken held made sent
    bound broken chosen drawn hidden lost spent spelt struck thrown understood written
"""
EVERYDAY = """
    going goes whose who what why where how when whole plain place look looks patience pace shall gone ways bring
    alone moreover others another one ones either both apart again anew there here same own such rest course thing
    things stuff way words question answer answers says tell tells take takes give gives let lets keep hear hears
"""
UNIDIOMATIC = frozenset((PARTICIPLES + EVERYDAY).split())
NOUNS_IN_ED = frozenset(("seed", "need", "feed", "speed", "embed", "bed", "red", "breed", "shed", "led"))
PREPOSITIONS = frozenset(("of", "at", "by", "in", "without", "among", "beyond", "below", "above", "behind", "until"))

MACHINE_COMMENT = re.compile(r"#\s*(Copyright|GNU|SPDX|noqa|type:|pylint|fmt)")
MARKUP = re.compile(
    r"^```.*?^```|<!--.*?-->|\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|^\.\. [\w-]+::[^\n]*\n(\n|[ ]{3}[^\n]*\n)*",
    re.MULTILINE | re.DOTALL,
)
PROSE = ("description", "short_description", "notes", "name", "msg", "fail_msg", "title", "text", "meaning", "remedy")


@dataclass
class Tally:
    """Sentences or names, and the findings among them."""

    total: int = 0
    null: re.Pattern[str] = re.compile(r"(?!)")
    findings: list[tuple[str, str]] = field(default_factory=list)

    def add_text(self, place: str, text: str) -> None:
        """Count the sentences of a text and record findings."""
        for sentence in split_sentences(text):
            self.total += 1
            phrases = [match[0] for match in PHRASES.finditer(sentence)] or self.null.findall(sentence)
            self.findings += [(place, f"{words.strip()!r} in: {sentence}") for words in phrases]

    def add_name(self, place: str, name: str) -> None:
        """Count a name and record it if it is unidiomatic."""
        self.total += 1
        if is_unidiomatic(name):
            self.findings.append((place, name))


def main() -> None:
    """Print the counts for files."""
    parser = argparse.ArgumentParser(description="Count home-made wording.")
    parser.add_argument("--list", action="store_true", help="print each finding")
    parser.add_argument("--top", type=int, default=0, help="print the files with the most findings")
    parser.add_argument("paths", nargs="*", help="files or directories, by default all under version control")
    arguments = parser.parse_args()
    tallies = {"user text": Tally(null=NONE_IN_TEXT), "engineer text": Tally(), "names": Tally()}
    for path in tracked_files(arguments.paths):
        read_file(path, tallies)
    for title, tally in tallies.items():
        print_tally(title, tally, arguments)


def print_tally(title: str, tally: Tally, arguments: argparse.Namespace) -> None:
    """Print the counts and findings of one kind of text."""
    if arguments.list:
        for place, finding in tally.findings:
            print(f"{place}: {finding}")
    for path, count in Counter(place.split(":")[0] for place, _ in tally.findings).most_common(arguments.top):
        print(f"{count:5} {path}")
    unit, per = ("names", 100) if title == "names" else ("sentences", 1000)
    rate = len(tally.findings) * per / max(tally.total, 1)
    print(f"{title}: {len(tally.findings)} in {tally.total} {unit}, {rate:.1f} per {per:,}")


def tracked_files(paths: list[str]) -> Iterator[str]:
    """Yield the files under version control, relative to the checkout."""
    names = subprocess.run(
        ["git", "ls-files", "--", *(str(Path(path).resolve()) for path in paths)],
        cwd=CHECKOUT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    yield from (name for name in names if not name.startswith(SKIPPED) and (CHECKOUT / name).is_file())


def read_file(name: str, tallies: dict[str, Tally]) -> None:
    """Add the texts and names of a file."""
    path = CHECKOUT / name
    if name.endswith(".py"):
        source = path.read_text(encoding="utf-8")
        is_user = name.startswith(USER_PYTHON)
        read_python(name, source, tallies, is_user)
        if is_user:
            read_documentation(name, source, tallies["user text"])
    elif name.endswith(USER_TEXT):
        text = path.read_text(encoding="utf-8")
        is_engineer = name in ENGINEER_TEXT or name.startswith(("tests/", "requirements/"))
        tally = tallies["engineer text" if is_engineer else "user text"]
        if name.endswith((".yml", ".yaml")):
            read_yaml(name, text, tally)
        else:
            read_prose(name, text, tally)


def read_python(name: str, source: str, tallies: dict[str, Tally], is_user: bool) -> None:  # noqa: ARG001
    """Count docstrings, comments and the names of functions and classes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if text := ast.get_docstring(node):
                tallies["engineer text"].add_text(f"{name}:{getattr(node, 'lineno', 1)}", text)
            if not isinstance(node, ast.Module) and not node.name.startswith(("__", "test_")):
                tallies["names"].add_name(f"{name}:{node.lineno}", node.name)
    comments: list[tuple[int, str]] = []
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT and not MACHINE_COMMENT.match(token.string):
            if comments and comments[-1][0] == token.start[0] - 1:
                comments[-1] = (token.start[0], f"{comments[-1][1]} {token.string.strip('# ')}")
            else:
                comments.append((token.start[0], token.string.strip("# ")))
    for line, comment in comments:
        tallies["engineer text"].add_text(f"{name}:{line}", comment)


def read_documentation(name: str, source: str, tally: Tally) -> None:
    """Count the YAML documents of a module, a plugin or a fragment."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id.isupper() and "\n" in node.value.value:
                read_yaml(f"{name}:{node.lineno}", node.value.value, tally)


def read_yaml(name: str, text: str, tally: Tally) -> None:
    """Add the texts of a YAML document."""
    for line in text.splitlines():
        if (match := re.match(r"\s*#\s+(.+)", line)) and not re.match(r"(Copyright|GNU|SPDX)", match[1]):
            tally.add_text(name, match[1])
    try:
        documents = list(yaml.safe_load_all(text))
    except yaml.YAMLError:
        return
    for prose in find_prose(documents):
        tally.add_text(name, prose)


def find_prose(value: object, key: str = "") -> Iterator[str]:
    """Yield the texts of descriptions, names, notes and messages."""
    if isinstance(value, dict):
        for member, inner in value.items():
            yield from find_prose(inner, key if key == "choices" else str(member))
    elif isinstance(value, list):
        for inner in value:
            yield from find_prose(inner, key)
    elif isinstance(value, str) and (key in (*PROSE, "choices") or key.endswith(("_changes", "fixes"))):
        yield value


def read_prose(name: str, text: str, tally: Tally) -> None:
    """Count a Markdown, reStructuredText or Jinja file without its code blocks."""
    text = MARKUP.sub("", text)
    for number, paragraph in enumerate(re.split(r"\n\s*\n|\n(?=\s*[-*|] )|\|", text)):
        tally.add_text(f"{name}:{number}", paragraph)


def split_sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text of at least two words, without markup of literals."""
    text = re.sub(r"``[^`]*``|`[^`]*`|\b[VOCPRI]V?\([^)]*\)", "x", text)
    for paragraph in re.split(r"\n\s*\n|\n\s*(?=:\w+|[-*] )", text):
        joined = " ".join(paragraph.split())
        for sentence in re.split(r"(?<=[.!?;:])\s+(?=[A-Z`])", joined):
            if " " in sentence:
                yield sentence


def is_unidiomatic(name: str) -> bool:
    """Return whether a name is a participle, an everyday word or starts with a preposition."""
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+", name)]
    if not words:
        return False
    if words[0] in PREPOSITIONS:
        return True
    if len(words) > 1:
        return False
    word = words[0]
    return word in UNIDIOMATIC or (word.endswith("ed") and word not in NOUNS_IN_ED)


if __name__ == "__main__":
    main()
