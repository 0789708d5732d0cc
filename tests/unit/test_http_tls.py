# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import datetime
import ssl
import warnings
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from unit.certificates import Authority
from unit.conversation import call, conversation
from unit.transport import transport

OK = call("GET", "/x", json={"ok": True})
NAME_THE_AUTHORITY = (
    "Name the authority that signed the certificate with 'ca_path', "
    "or set 'validate_certs: false' if you trust the network."
)


@pytest.fixture(autouse=True)
def no_authorities_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may name some."""
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Who signed the server's certificate; no machine trusts it."""
    return Authority(tmp_path_factory.mktemp("certificates"), "authority")


@pytest.fixture
def tls(authority: Authority) -> ssl.SSLContext:
    """What a server with a good certificate speaks."""
    return context(authority.sign("server"))


def context(pair: tuple[Path, Path]) -> ssl.SSLContext:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*pair)
    return server


def refused(url: str, **options: Any) -> str:
    """The message of the failure to connect."""
    with pytest.raises(ToolchainError) as error:
        transport(url, retries=0, **options).read("GET", "/x", query={"key": "secret-word"})
    assert "secret-word" not in str(error.value)
    return str(error.value)


def test_a_server_that_nobody_vouches_for_is_refused(tls: ssl.SSLContext) -> None:
    with conversation(tls=tls) as server:
        message = refused(server.url)
    assert message.startswith(f"GET {server.url}/x: ")
    assert "certificate verify failed" in message
    assert message.endswith(NAME_THE_AUTHORITY)


def test_a_refused_server_is_not_tried_again(tls: ssl.SSLContext, naps: list[float]) -> None:
    with conversation(tls=tls) as server, pytest.raises(ToolchainError):
        transport(server.url).read("GET", "/x")
    assert not naps


def test_the_users_own_authority_is_believed(tls: ssl.SSLContext, authority: Authority) -> None:
    with conversation(OK, tls=tls) as server:
        assert transport(server.url, ca_path=str(authority.path)).read("GET", "/x").json() == {"ok": True}


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_the_authorities_of_the_environment_are_believed(
    tls: ssl.SSLContext, authority: Authority, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, str(authority.path))
    with conversation(OK, tls=tls) as server:
        transport(server.url).read("GET", "/x")


def test_another_authority_is_not_believed(tls: ssl.SSLContext, tmp_path: Path) -> None:
    other = Authority(tmp_path, "other")
    with conversation(tls=tls) as server:
        assert refused(server.url, ca_path=str(other.path)).endswith(NAME_THE_AUTHORITY)


def test_certificates_need_not_be_validated(
    tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, authority: Authority
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.path))
    with conversation(OK, tls=tls) as server, warnings.catch_warnings(record=True) as warned:
        transport(server.url, validate_certs=False).read("GET", "/x")
    assert not warned


def test_not_validating_once_does_not_spread(tls: ssl.SSLContext) -> None:
    with conversation(OK, tls=tls) as server:
        transport(server.url, validate_certs=False).read("GET", "/x")
        assert refused(server.url).endswith(NAME_THE_AUTHORITY)


@pytest.mark.parametrize(
    ("address", "until", "why"), [("127.0.0.2", 1, "IP address mismatch"), ("127.0.0.1", -1, "certificate has expired")]
)
def test_a_certificate_for_another_or_of_the_past_is_refused(
    address: str, until: int, why: str, authority: Authority
) -> None:
    pair = authority.sign("odd", address, until=datetime.timedelta(days=until))
    with conversation(tls=context(pair)) as server:
        assert why in refused(server.url, ca_path=str(authority.path))


def test_a_file_without_authorities_is_told(tls: ssl.SSLContext, tmp_path: Path) -> None:
    file = tmp_path / "empty.pem"
    file.write_text("nothing\n")
    with conversation(tls=tls) as server:
        assert refused(server.url, ca_path=str(file)).startswith(f"GET {server.url}/x: ")


def test_a_server_that_speaks_no_tls_is_told() -> None:
    with conversation() as server:
        message = refused(server.url.replace("http", "https"))
    assert "Does the server speak TLS at this address" in message


@pytest.fixture
def demanding(tls: ssl.SSLContext, authority: Authority) -> ssl.SSLContext:
    """What a server speaks that wants a certificate of its clients."""
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.load_verify_locations(authority.path)
    return tls


@pytest.mark.parametrize("in_one_file", [True, False])
def test_a_client_certificate_is_shown(demanding: ssl.SSLContext, authority: Authority, in_one_file: bool) -> None:
    certificate, key = authority.sign("client")
    if in_one_file:
        certificate.write_bytes(certificate.read_bytes() + key.read_bytes())
    files = (
        {"client_cert": str(certificate)} if in_one_file else {"client_cert": str(certificate), "client_key": str(key)}
    )
    with conversation(OK, tls=demanding) as server:
        transport(server.url, ca_path=str(authority.path), **files).read("GET", "/x")


def test_a_missing_client_certificate_is_told(demanding: ssl.SSLContext, authority: Authority) -> None:
    # with 1.3 the client may have sent its request before it learns of the refusal
    demanding.maximum_version = ssl.TLSVersion.TLSv1_2
    with conversation(tls=demanding) as server:
        assert refused(server.url, ca_path=str(authority.path)).endswith("a certificate of yours ('client_cert')?")


def test_a_client_certificate_without_its_key_is_told(tls: ssl.SSLContext, authority: Authority) -> None:
    certificate, _key = authority.sign("client")
    with conversation(tls=tls) as server:
        assert "'client_cert'" in refused(server.url, ca_path=str(authority.path), client_cert=str(certificate))
