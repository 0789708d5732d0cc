# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import contextlib
import datetime
import os
import socket
import ssl
import subprocess
import threading
import warnings
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._http import session
from support.certificates import Authority
from support.conversation import call, conversation
from support.transport import socket_server, transport

VARIABLES = ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"]
OK = call("GET", "/x", json={"ok": True})
NAME_THE_AUTHORITY = (
    "Set 'ca_path' to the CA certificate that signed it ('system' for the CA certificates of this machine), or set "
    "'validate_certs: false' if you trust the network."
)


@pytest.fixture(autouse=True)
def clear_ca_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the CA settings of the environment."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Return a certificate authority that no machine trusts; it signs the server's certificate."""
    return Authority(tmp_path_factory.mktemp("certificates"), "authority")


@pytest.fixture
def tls(authority: Authority) -> ssl.SSLContext:
    """Return the TLS context of a server with a valid certificate."""
    return context(authority.sign("server"))


def context(pair: tuple[Path, Path]) -> ssl.SSLContext:
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(*pair)
    return server


def connection_error(url: str, **options: Any) -> str:
    """Return the message of a connection failure."""
    with pytest.raises(ToolchainError) as error:
        transport(url, retries=0, **options).read("GET", "/x", query={"key": "secret-word"})
    assert "secret-word" not in str(error.value)
    return str(error.value)


def test_server_is_refused_when_its_authority_is_unknown(tls: ssl.SSLContext) -> None:
    with conversation(tls=tls) as server:
        message = connection_error(server.url)
    assert message.startswith(f"GET {server.url}/x: ")
    assert "certificate verify failed" in message
    assert message.endswith(NAME_THE_AUTHORITY)


def test_request_is_not_repeated_when_the_certificate_is_refused(tls: ssl.SSLContext, delays: list[float]) -> None:
    with conversation(tls=tls) as server, pytest.raises(ToolchainError):
        transport(server.url).read("GET", "/x")
    assert not delays


def test_ca_bundle_of_the_option_is_used(tls: ssl.SSLContext, authority: Authority) -> None:
    with conversation(OK, tls=tls) as server:
        assert transport(server.url, ca_path=str(authority.path)).read("GET", "/x").json() == {"ok": True}


@pytest.mark.parametrize("name", VARIABLES)
def test_ca_bundle_of_the_environment_is_used(
    tls: ssl.SSLContext, authority: Authority, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, str(authority.path))
    with conversation(OK, tls=tls) as server:
        transport(server.url).read("GET", "/x")


def test_ca_bundle_is_read_once(tls: ssl.SSLContext, authority: Authority) -> None:
    read = session._read_context.cache_info().misses
    for _server in range(2):
        with conversation(OK, OK, tls=tls) as server:
            http = transport(server.url, ca_path=str(authority.path))
            http.read("GET", "/x")
            http.read("GET", "/x")
    assert session._read_context.cache_info().misses <= read + 1


def test_ca_bundle_is_read_again_when_it_changes(
    tls: ssl.SSLContext, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tmp_path / "list.pem"
    listed.write_bytes(Authority(tmp_path, "other").path.read_bytes())
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(listed))
    session.preload_certificates()
    with conversation(OK, tls=tls) as server:
        assert "certificate verify failed" in connection_error(server.url)
        listed.write_bytes(listed.read_bytes() + authority.path.read_bytes())
        session._CONNECTIONS.clear()  # as in a new worker
        transport(server.url).read("GET", "/x")


def test_server_is_refused_when_another_authority_signed_it(tls: ssl.SSLContext, tmp_path: Path) -> None:
    other = Authority(tmp_path, "other")
    with conversation(tls=tls) as server:
        assert connection_error(server.url, ca_path=str(other.path)).endswith(NAME_THE_AUTHORITY)


def test_certificate_is_not_verified_when_verification_is_disabled(
    tls: ssl.SSLContext, monkeypatch: pytest.MonkeyPatch, authority: Authority
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.path))
    with conversation(OK, tls=tls) as server, warnings.catch_warnings(record=True) as warned:
        transport(server.url, validate_certs=False).read("GET", "/x")
    assert not warned


def test_disabled_verification_does_not_affect_other_tasks(tls: ssl.SSLContext) -> None:
    with conversation(OK, tls=tls) as server:
        transport(server.url, validate_certs=False).read("GET", "/x")
        assert connection_error(server.url).endswith(NAME_THE_AUTHORITY)


def test_option_has_precedence_over_the_environment(
    tls: ssl.SSLContext, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(Authority(tmp_path, "other").path))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(authority.path))
    with conversation(OK, tls=tls) as server:
        transport(server.url).read("GET", "/x")


def test_default_ca_bundle_of_the_machine_is_used(
    tls: ssl.SSLContext, authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(Authority(tmp_path, "other").path))
    # OpenSSL's default path, which only root may write
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.path))
    with conversation(OK, tls=tls) as server:
        transport(server.url, ca_path="system").read("GET", "/x")


def test_message_explains_a_machine_without_authorities(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = ssl.DefaultVerifyPaths(None, None, "SSL_CERT_FILE", "/a.pem", "SSL_CERT_DIR", "/b")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: paths)
    message = connection_error("https://127.0.0.1:1", ca_path="system")
    assert message == "Option 'ca_path': this machine has no CA certificates at /a.pem or /b."


@pytest.mark.parametrize(
    ("address", "until", "why", "advice"),
    [
        ("127.0.0.2", 1, "IP address mismatch", "is for another host name. Use the URL with that host name."),
        (
            "127.0.0.1",
            -1,
            "certificate has expired",
            "Renew the server's certificate, or correct this machine's clock.",
        ),
    ],
)
def test_certificate_is_refused_when_it_is_expired_or_of_another_host(
    address: str, until: int, why: str, advice: str, authority: Authority
) -> None:
    pair = authority.sign("odd", address, until=datetime.timedelta(days=until))
    with conversation(tls=context(pair)) as server:
        message = connection_error(server.url, ca_path=str(authority.path))
    assert why in message
    assert message.endswith(advice)


def test_file_without_certificates_is_refused_before_any_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "empty.pem"
    file.write_text("nothing\n")
    message = connection_error("https://127.0.0.1:1", ca_path=str(file))
    assert message == f"Option 'ca_path': '{file}' has no certificates in PEM format."
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    message = connection_error("https://127.0.0.1:1")
    assert (
        message == f"The environment variable SSL_CERT_FILE cannot be used: '{file}' has no certificates in PEM format."
    )


@pytest.mark.parametrize("option", ["ca_path", "client_cert", "client_key"])
def test_pipe_is_refused_when_a_file_is_expected(tmp_path: Path, option: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert connection_error("https://127.0.0.1:1", **{option: str(pipe)}) == (
        f"Option '{option}': '{pipe}' does not exist, or is not a file."
    )


def test_message_names_the_variable_when_its_file_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CURL_CA_BUNDLE", f"{tmp_path}/none")
    session.preload_certificates()  # has nobody to tell it to
    message = connection_error("https://127.0.0.1:1")
    assert message.startswith("The environment variable CURL_CA_BUNDLE cannot be used: ")
    assert message.endswith("cannot be read: No such file or directory.")


def test_directory_is_searched_like_openssl_does(tls: ssl.SSLContext, authority: Authority, tmp_path: Path) -> None:
    folder = tmp_path / "authorities"
    folder.mkdir()
    (folder / "ours.pem").write_bytes(authority.path.read_bytes())
    message = connection_error("https://127.0.0.1:1", ca_path=str(folder))
    assert message.endswith("has no certificates, or was not prepared by 'openssl rehash'.")
    subprocess.run(["openssl", "rehash", folder], check=True)
    with conversation(OK, tls=tls) as server:
        transport(server.url, ca_path=str(folder)).read("GET", "/x")


def test_client_certificate_is_refused_when_the_key_does_not_match(authority: Authority) -> None:
    (certificate, _key), (_other, key) = authority.sign("one"), authority.sign("two")
    options = {"client_cert": str(certificate), "client_key": str(key)}
    assert connection_error("https://127.0.0.1:1", **options) == (
        f"Option 'client_key': the key does not belong to the certificate in '{certificate}'."
    )


@pytest.mark.parametrize(
    ("certificate", "key", "complaint"),
    [
        ("nothing\n", None, "Option 'client_cert': '{folder}/c.pem' has no certificate in PEM format."),
        ("good", "nothing\n", "Option 'client_key': '{folder}/k.pem' has no key in PEM format."),
        ("good", None, "Option 'client_cert': '{folder}/c.pem' has no key in PEM format."),
        ("good", "encrypted", "Option 'client_key': the key has a passphrase. Use a key without one."),
    ],
)
def test_file_is_refused_when_it_is_no_certificate_or_key(
    certificate: str, key: str | None, complaint: str, authority: Authority, tmp_path: Path
) -> None:
    pair = authority.sign("own")
    encrypted = ["openssl", "pkey", "-in", pair[1], "-aes256", "-passout", "pass:secret"]
    texts = {
        "good": pair[0].read_bytes(),
        "encrypted": subprocess.run(encrypted, capture_output=True, check=True).stdout,
    }
    options = {"client_cert": certificate, "client_key": key}
    for option, text in options.items():
        if text is not None:
            file = tmp_path / f"{option[7]}.pem"
            file.write_bytes(texts.get(text, text.encode()))
            options[option] = str(file)
    assert connection_error("https://127.0.0.1:1", **options) == complaint.replace("{folder}", str(tmp_path))


def test_request_passes_a_proxy_when_the_server_speaks_tls(
    tls: ssl.SSLContext, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forward(source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)

    def serve(listener: socket.socket) -> None:
        client, _address = listener.accept()
        with client:
            request_lines.append(client.recv(65536).split(b"\r\n")[0])
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            with socket.create_connection(("127.0.0.1", port)) as upstream:
                back = threading.Thread(target=forward, args=(upstream, client))
                back.start()
                forward(client, upstream)
                back.join()

    request_lines: list[bytes] = []
    with conversation(OK, tls=tls) as server:
        port = urlsplit(server.url).port
        with socket_server(serve) as proxy:
            monkeypatch.setenv("https_proxy", proxy)
            http = transport(server.url, ca_path=str(authority.path), retries=0)
            assert http.read("GET", "/x").json() == {"ok": True}
            http._connection._pool.close()
    assert request_lines[0].startswith(f"CONNECT 127.0.0.1:{port} ".encode())


def test_message_names_the_package_that_a_proxy_requires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "socks5://127.0.0.1:1")
    message = connection_error("https://ci.example.com")
    assert message.startswith("GET https://ci.example.com/x: the Python package for the SOCKS proxy is missing")
    assert message.endswith("-m pip install requests[socks]'.")


def test_message_explains_a_server_without_tls() -> None:
    with conversation() as server:
        message = connection_error(server.url.replace("http", "https"))
    assert "Check that the server uses TLS at this URL" in message


@pytest.fixture
def client_tls(tls: ssl.SSLContext, authority: Authority) -> ssl.SSLContext:
    """Return the TLS context of a server that requires a client certificate."""
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.load_verify_locations(authority.path)
    return tls


@pytest.mark.parametrize("in_one_file", [True, False])
def test_client_certificate_is_sent(client_tls: ssl.SSLContext, authority: Authority, in_one_file: bool) -> None:
    certificate, key = authority.sign("client")
    if in_one_file:
        certificate.write_bytes(certificate.read_bytes() + key.read_bytes())
    files = (
        {"client_cert": str(certificate)} if in_one_file else {"client_cert": str(certificate), "client_key": str(key)}
    )
    with conversation(OK, tls=client_tls) as server:
        transport(server.url, ca_path=str(authority.path), **files).read("GET", "/x")


def test_message_explains_a_missing_client_certificate(client_tls: ssl.SSLContext, authority: Authority) -> None:
    # with TLS 1.3 the client may send its request before the server refuses the connection
    client_tls.maximum_version = ssl.TLSVersion.TLSv1_2
    with conversation(tls=client_tls) as server:
        assert connection_error(server.url, ca_path=str(authority.path)).endswith(
            "a client certificate ('client_cert')."
        )


def test_client_certificate_is_refused_when_the_key_is_missing(tls: ssl.SSLContext, authority: Authority) -> None:
    certificate, _key = authority.sign("client")
    with conversation(tls=tls) as server:
        message = connection_error(server.url, ca_path=str(authority.path), client_cert=str(certificate))
    assert message == f"Option 'client_cert': '{certificate}' has no key in PEM format."
