# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Formats of JSON, times, headers, paths and media types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

MEDIA_TYPES = {
    f".{extension}": media_type
    for media_type, extensions in {
        "text/plain": "txt properties mf asc log yml yaml",
        "text/html": "htm html",
        "text/css": "css",
        "text/xslt": "xslt",
        "text/x-java-source": "java",
        "text/x-javafx-source": "fx",
        "text/x-groovy-source": "groovy gradle",
        "text/x-c": "h c cc cpp",
        "text/x-python": "py",
        "text/x-scala-source": "scala",
        "text/x-ruby-source": "rb",
        "text/x-script.sh": "sh",
        "text/x-csharp.sh": "cs",
        "text/plain+mod": "mod",
        "application/json": "json",
        "application/json+info": "info",
        "application/xml": "xml xsl xsi",
        "application/xml-dtd": "dtd",
        "application/xml-schema": "xsd",
        "application/xml-external-parsed-entity": "ent",
        "application/xhtml+xml": "xhtml",
        "application/x-maven-pom+xml": "pom",
        "application/x-ivy+xml": "ivy",
        "application/x-nuspec+xml": "nuspec",
        "application/x-java-jnlp-file": "jnlp",
        "application/x-checksum": "sha1 sha256 md5",
        "application/java-archive": "jar war ear sar har hpi jpi",
        "application/x-java-archive-diff": "jardiff",
        "application/zip": "zip",
        "application/x-tar": "tar",
        "application/x-gzip": "tgz gz",
        "application/x-bzip2": "bz2",
        "application/x-7z-compressed": "7z",
        "application/x-rar-compressed": "rar",
        "application/x-nupkg": "nupkg",
        "application/x-conda": "conda",
        "application/vnd.android.package-archive": "apk",
        "application/x-rpm": "rpm",
        "application/x-rubygems": "gem",
        "application/x-ruby-marshal": "rz",
        "application/x-debian-package": "deb",
        "application/x-vagrant-box": "box",
    }.items()
    for extension in extensions.split()
}
# The versions that introduced the types of some extensions: the defaults of 4.4.2 and 5.4.6 lack them.
MEDIA_TYPE_VERSIONS = {
    ".py": "5.0",
    **dict.fromkeys((".log", ".yml", ".yaml", ".mod", ".info", ".sha256", ".bz2", ".7z", ".conda"), "6.0"),
}
UNKNOWN_MEDIA_TYPE = "application/octet-stream"
# Encoding and error handler of the server: unsupported characters become question marks.
CHARSET = ("latin-1", "replace")
CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0a-\x1f\x7f]")
SAFE_IN_PATHS = "/!$&'()*+,:;=@~"
# Shared encoder, because json.dumps with options creates one for each value.
_encode_scalar = json.JSONEncoder(ensure_ascii=False).encode
PACKAGE_TYPE_LABELS = {"npm": "Npm", "nuget": "NuGet", "pypi": "Pypi", "sbt": "SBT", "yum": "YUM", "gitlfs": "GitLfs"}


def format_json(value: Any, depth: int = 0) -> str:
    """Return a value in the format of Jackson's pretty printer, without members that are `None`."""
    if isinstance(value, str):
        return _encode_scalar(value)
    if isinstance(value, Mapping):
        indent = "  " * (depth + 1)
        members = [
            f"{indent}{_encode_scalar(name)} : {format_json(member, depth + 1)}"
            for name, member in value.items()
            if member is not None
        ]
        return "{\n" + ",\n".join(members) + "\n" + "  " * depth + "}" if members else "{ }"
    if isinstance(value, (list, tuple)):
        return "[ " + ", ".join(format_json(element, depth) for element in value) + " ]" if value else "[ ]"
    return _encode_scalar(value)


def iterate_json(members: Mapping[str, Any]) -> Iterator[str]:
    """Yield an object in the format of `format_json` in parts; members that are iterators become lists."""
    separator = "{\n  "
    for name, member in members.items():
        if member is None:
            continue
        yield f"{separator}{json.dumps(name)} : "
        if isinstance(member, Iterator):
            yield from _iterate_list(member)
        else:
            yield format_json(member, 1)
        separator = ",\n  "
    yield "\n}"


def _iterate_list(elements: Iterator[Any]) -> Iterator[str]:
    separator = "[ "
    for element in elements:
        yield separator + format_json(element, 1)
        separator = ", "
    yield "[ ]" if separator == "[ " else " ]"


def format_time(seconds: float) -> str:
    """Return a time as in item information: `2024-05-01T10:11:12.345Z`."""
    return f"{_format_utc(seconds)}Z"


def format_time_with_offset(seconds: float) -> str:
    """Return a time with a numeric offset: `2024-05-01T10:11:12.345+0000`."""
    return f"{_format_utc(seconds)}+0000"


def parse_seed_time(time: Any) -> float:
    """Return a time of a seed in seconds since the epoch; it is a number or ISO 8601 with a zone."""
    return float(time) if isinstance(time, (int, float)) else datetime.fromisoformat(str(time)).timestamp()


def _format_utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")


def to_header_text(text: str) -> str:
    """Return a text as the server writes it in a header: not encoded, in Latin-1."""
    return CONTROL_CHARACTERS.sub(" ", text).encode(*CHARSET).decode("latin-1")


def encode_path(path: str) -> str:
    """Return a percent-encoded path. Characters that may be literal in a path are not encoded."""
    return quote(path, SAFE_IN_PATHS)


def guess_media_type(name: str) -> str:
    """Return the media type of a file by its extension, as in the server's default configuration."""
    return MEDIA_TYPES.get(get_extension(name), UNKNOWN_MEDIA_TYPE)


def get_extension(name: str) -> str:
    """Return the extension of a file in lower case, with its dot."""
    return name[name.rfind(".") :].lower()


def format_package_type(package_type: str) -> str:
    """Return a package type as the list of repositories spells it."""
    return PACKAGE_TYPE_LABELS.get(package_type, package_type.capitalize())
