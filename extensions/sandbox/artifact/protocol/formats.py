# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the service writes JSON, times and media types."""

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
# What the server's charset cannot hold arrives as a question mark.
CHARSET = ("latin-1", "replace")
CONTROL = re.compile("[\x00-\x08\x0a-\x1f\x7f]")
PLAIN_IN_PATHS = "/!$&'()*+,:;=@~"
# What json.dumps makes anew for each value
_text = json.JSONEncoder(ensure_ascii=False).encode
PACKAGE_NAMES = {"npm": "Npm", "nuget": "NuGet", "pypi": "Pypi", "sbt": "SBT", "yum": "YUM", "gitlfs": "GitLfs"}


def format_json(value: Any, depth: int = 0) -> str:
    """The value in the layout of Jackson's default pretty printer; members that are None are left out."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        indent = "  " * (depth + 1)
        members = [
            f"{indent}{_text(name)} : {format_json(member, depth + 1)}"
            for name, member in value.items()
            if member is not None
        ]
        return "{\n" + ",\n".join(members) + "\n" + "  " * depth + "}" if members else "{ }"
    if isinstance(value, (list, tuple)):
        return "[ " + ", ".join(format_json(element, depth) for element in value) + " ]" if value else "[ ]"
    return _text(value)


def iterate_json(members: Mapping[str, Any]) -> Iterator[str]:
    """The same for an object, part by part; members that are iterators become lists as they come."""
    between = "{\n  "
    for name, member in members.items():
        if member is None:
            continue
        yield f"{between}{json.dumps(name)} : "
        if isinstance(member, Iterator):
            yield from _list_parts(member)
        else:
            yield format_json(member, 1)
        between = ",\n  "
    yield "\n}"


def _list_parts(elements: Iterator[Any]) -> Iterator[str]:
    between = "[ "
    for element in elements:
        yield between + format_json(element, 1)
        between = ", "
    yield "[ ]" if between == "[ " else " ]"


def format_time(seconds: float) -> str:
    """A time as in item info and listings: `2024-05-01T10:11:12.345Z`."""
    return f"{_utc(seconds)}Z"


def format_time_with_offset(seconds: float) -> str:
    """A time as in the last-modified answer: the zone has no colon there."""
    return f"{_utc(seconds)}+0000"


def seconds(time: Any) -> float:
    """A time of a seed: seconds since the epoch, or ISO 8601 with a zone."""
    return float(time) if isinstance(time, (int, float)) else datetime.fromisoformat(str(time)).timestamp()


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")


def to_header_text(text: str) -> str:
    """Return a text as it arrives in a header: not encoded, and in the server's charset."""
    return CONTROL.sub(" ", text).encode(*CHARSET).decode("latin-1")


def encode_path(path: str) -> str:
    """Return a path or a name encoded, with all that may be plain in a path left plain."""
    return quote(path, PLAIN_IN_PATHS)


def media_type(name: str) -> str:
    """Return the media type of a file name by its extension, as the server's default configuration has it."""
    return MEDIA_TYPES.get(name[name.rfind(".") :].lower(), "application/octet-stream")


def format_package_type(package_type: str) -> str:
    """A package type as the list of repositories spells it."""
    return PACKAGE_NAMES.get(package_type, package_type.capitalize())
