# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""TLS settings: CA bundle, client certificate, and messages for certificate errors."""

from __future__ import annotations

import os
import re
import ssl
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal

_SYSTEM = "system"
_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
# File names of certificates in a CA directory of OpenSSL
_HASHED = re.compile(r"[0-9a-f]{8}\.\d+")
_OTHER_NAME = "The certificate is for another host name. Use the URL with that host name."
_REMEDIES = {
    "certificate is not valid for": _OTHER_NAME,
    "doesn't match": _OTHER_NAME,  # urllib3 before 2
    "certificate has expired": "Renew the server's certificate, or correct this machine's clock.",
    "certificate is not yet valid": "Correct the clock of the server or of this machine.",
    "CERTIFICATE_VERIFY_FAILED": (
        "Set 'ca_path' to the CA certificate that signed it ('system' for the CA certificates of this machine), or set "
        "'validate_certs: false' if you trust the network."
    ),
}


def ca_bundle(params: dict[str, t.Any]) -> bool | str:
    """Return the CA file or directory, `True` for Python's default bundle, or `False` to skip verification.

    :raises BadOption: if a file does not exist, or is a FIFO or device, which would block
    """
    for option in ("ca_path", "client_cert", "client_key"):
        path = _file(params, option)
        if path and path != _SYSTEM and not (os.path.isfile(path) or (option == "ca_path" and os.path.isdir(path))):
            raise BadOption(option, f"'{path}' does not exist, or is not a file")
    if not params["validate_certs"]:
        return False
    if params["ca_path"] == _SYSTEM:
        return _find_system_bundle()
    return _file(params, "ca_path") or ca_bundle_from_environment()


def ca_bundle_from_environment() -> bool | str:
    """Return the CA file or directory that the environment sets, or `True` for Python's default bundle."""
    variable = _variable()
    return os.environ[variable] if variable else True


def client_certificate(params: dict[str, t.Any]) -> str | tuple[str, str] | None:
    """Return the path of the client certificate, or the pair of certificate and key.

    :raises BadOption: if only the key is set
    """
    if params["client_key"] and not params["client_cert"]:
        raise BadOption("client_key", "requires 'client_cert'")
    certificate, key = _file(params, "client_cert"), _file(params, "client_key")
    return (certificate, key) if certificate and key else certificate


def check_files(params: dict[str, t.Any], bundle: bool | str, read: t.Callable[[str], t.Any]) -> None:
    """Verify that the CA bundle and the client certificate can be used.

    :arg bundle: result of `ca_bundle`, `False` for plain HTTP
    :arg read: reads a CA file or directory, or raises `OSError`
    :raises ToolchainError: if a file has invalid content
    """
    if isinstance(bundle, str) and (problem := _find_bundle_problem(bundle, read)):
        if params["ca_path"]:
            raise BadOption("ca_path", problem)
        raise ToolchainError(f"The environment variable {_variable()} cannot be used: {problem}")
    if params["client_cert"]:
        _check_client_certificate(rehearsal.resolve_read(params["client_cert"]), _file(params, "client_key"))


def suggest_remedy(reason: str) -> str:
    """Return advice for the user after a failed TLS handshake."""
    for text, remedy in _REMEDIES.items():
        if text in reason:
            return remedy
    return "Check that the server uses TLS at this URL, and whether it requires a client certificate ('client_cert')."


def _file(params: dict[str, t.Any], option: str) -> str | None:
    """Return the path to read for an option."""
    return rehearsal.resolve_read(params[option]) if params[option] else None


def _variable() -> str | None:
    return next(filter(os.environ.get, _VARIABLES), None)


def _find_system_bundle() -> str:
    paths = ssl.get_default_verify_paths()
    if bundle := paths.cafile or paths.capath:
        return bundle
    raise BadOption(
        "ca_path", f"this machine has no CA certificates at {paths.openssl_cafile} or {paths.openssl_capath}"
    )


def _find_bundle_problem(path: str, read: t.Callable[[str], t.Any]) -> str | None:
    """Return why a CA bundle cannot be used, or `None`."""
    try:
        if os.path.isdir(path):
            has_certificates = any(map(_HASHED.fullmatch, os.listdir(path)))
            return (
                None
                if has_certificates
                else f"the directory '{path}' has no certificates, or was not prepared by 'openssl rehash'"
            )
        read(path)
    except ssl.SSLError:
        return f"'{path}' has no certificates in PEM format"
    except OSError as error:
        return f"'{path}' cannot be read: {error.strerror}"
    return None


def _check_client_certificate(certificate: str, key: str | None) -> None:
    of_key = "client_key" if key else "client_cert"
    try:
        # without the argument, OpenSSL would ask for a passphrase on the terminal
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, key, password="")
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise BadOption(of_key, f"the key does not belong to the certificate in '{certificate}'") from None
        if not _contains(certificate, b"-----BEGIN CERTIFICATE-----"):
            raise BadOption("client_cert", f"'{certificate}' has no certificate in PEM format") from None
        if _contains(key or certificate, b"ENCRYPTED"):
            raise BadOption(of_key, "the key has a passphrase. Use a key without one") from None
        raise BadOption(of_key, f"'{key or certificate}' has no key in PEM format") from None
    except OSError as error:
        raise BadOption("client_cert", f"it or its key cannot be read: {error.strerror}") from None


def _contains(path: str, mark: bytes) -> bool:
    with open(path, "rb") as file:
        return mark in file.read()
