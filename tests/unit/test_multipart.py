# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import email.message
import email.parser
import email.policy
from pathlib import Path

from ansible_collections.buildworks.toolchain.plugins.module_utils._files.local import LocalFile
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.multipart import Multipart
from support.conversation import call, conversation
from support.transport import transport

NUISANCES = "ü\r\n--\n\"'\\ %;=&+"


def parse_parts(form: Multipart) -> list[email.message.Message]:
    """Return the parts of the form as read by an independent MIME implementation."""
    head = f"Content-Type: {form.content_type}\r\n\r\n".encode()
    message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + b"".join(form))
    return list(message.iter_parts())


def test_fields_and_files_are_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "deploy.zip"
    file.write_bytes(bytes(range(256)) * 3000)
    form = Multipart({"VERSION": NUISANCES, "EMPTY": ""}, {"PACKAGE": LocalFile.from_path_unhashed(str(file))})
    package, version, empty = parse_parts(form)
    assert version.get_payload(decode=True) == NUISANCES.encode()
    assert version["Content-Disposition"] == 'form-data; name="VERSION"'
    assert empty.get_payload(decode=True) == b""
    assert package.get_payload(decode=True) == file.read_bytes()
    assert package.get_filename() == "deploy.zip"


def test_form_knows_its_size_and_can_be_sent_again(tmp_path: Path) -> None:
    file = tmp_path / "empty"
    file.touch()
    form = Multipart({"a": "ü"}, {"f": LocalFile.from_path_unhashed(str(file))})
    once = b"".join(form)
    assert (len(once), once) == (form.size, b"".join(form))


def test_names_are_escaped_in_headers(tmp_path: Path) -> None:
    file = tmp_path / 'a"b'
    file.touch()
    text = b"".join(Multipart({'n"\r\nX: y': "v"}, {"f": LocalFile.from_path_unhashed(str(file))})).decode()
    assert 'name="n%22%0D%0AX: y"\r\n' in text
    assert 'filename="a%22b"\r\n' in text


def test_request_has_the_content_type_of_the_form(tmp_path: Path) -> None:
    form = Multipart({"a": "b"}, {})
    headers = {"Content-Type": form.content_type, "Content-Length": str(form.size)}
    with conversation(call("POST", "/x", sent_body=b"".join(form), sent_headers=headers)) as server:
        transport(server.url).write("POST", "/x", data=form)
