# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Certificates: which authorities to believe, which certificate to show; and what is wrong with one, in words."""

from __future__ import annotations

import os
import re
import ssl
import typing as t

from ansible_collections.buildworks.toolchain.plugins.module_utils._errors import BadOption, ToolchainError
from ansible_collections.buildworks.toolchain.plugins.module_utils._files import rehearsal

_SYSTEM = "system"
_VARIABLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE")
# The names under which OpenSSL looks for certificates in a folder
_HASHED = re.compile(r"[0-9a-f]{8}\.\d+")
_FOR_ANOTHER = "The certificate is for another name: give the address that it is for."
_REFUSALS = {
    "certificate is not valid for": _FOR_ANOTHER,
    "doesn't match": _FOR_ANOTHER,  # urllib3 before 2
    "certificate has expired": "The server needs a new certificate, or this machine's clock is wrong.",
    "certificate is not yet valid": "The server's clock or this machine's clock is wrong.",
    "CERTIFICATE_VERIFY_FAILED": (
        "Name the authority that signed the certificate with 'ca_path' ('system' for those that this machine trusts), "
        "or set 'validate_certs: false' if you trust the network."
    ),
}


def ca_bundle(params: dict[str, t.Any]) -> bool | str:
    """The file or folder with the authorities to believe; `True` for those of Python's own list, `False` for any.

    :raises BadOption: if one of the files does not exist, or is a FIFO or device, which would be waited for
    """
    for option in ("ca_path", "client_cert", "client_key"):
        path = _file(params, option)
        if path and path != _SYSTEM and not (os.path.isfile(path) or (option == "ca_path" and os.path.isdir(path))):
            raise BadOption(option, f"'{path}' does not exist, or is not a file")
    if not params["validate_certs"]:
        return False
    if params["ca_path"] == _SYSTEM:
        return _of_the_system()
    return _file(params, "ca_path") or ca_bundle_from_environment()


def ca_bundle_from_environment() -> bool | str:
    """What is believed where no option says otherwise."""
    variable = _variable()
    return os.environ[variable] if variable else True


def client_certificate(params: dict[str, t.Any]) -> str | tuple[str, str] | None:
    """The file with the certificate of the client, or the files with it and with its key.

    :raises BadOption: when there is a key alone
    """
    if params["client_key"] and not params["client_cert"]:
        raise BadOption("client_key", "needs 'client_cert' as well")
    certificate, key = _file(params, "client_cert"), _file(params, "client_key")
    return (certificate, key) if certificate and key else certificate


def check_files(params: dict[str, t.Any], authorities: bool | str, read: t.Callable[[str], t.Any]) -> None:
    """
    :arg authorities: what is `believed`, `False` where nobody is asked
    :arg read: reads a file or folder of authorities, or raises `OSError`
    :raises ToolchainError: when a file is not what it should be
    """
    if isinstance(authorities, str) and (problem := _no_authorities(authorities, read)):
        if params["ca_path"]:
            raise BadOption("ca_path", problem)
        raise ToolchainError(f"{_variable()} of the environment cannot be used: {problem}")
    if params["client_cert"]:
        _check_own(rehearsal.resolve_read(params["client_cert"]), _file(params, "client_key"))


def suggest_remedy(reason: str) -> str:
    """What to do when a connection cannot be made safe."""
    for words, what in _REFUSALS.items():
        if words in reason:
            return what
    return "Does the server speak TLS at this address, and does it ask for a certificate of yours ('client_cert')?"


def _file(params: dict[str, t.Any], option: str) -> str | None:
    """Return the path to read for an option."""
    return rehearsal.resolve_read(params[option]) if params[option] else None


def _variable() -> str | None:
    return next(filter(os.environ.get, _VARIABLES), None)


def _of_the_system() -> str:
    paths = ssl.get_default_verify_paths()
    if found := paths.cafile or paths.capath:
        return found
    raise BadOption("ca_path", f"this machine has no authorities at {paths.openssl_cafile} or {paths.openssl_capath}")


def _no_authorities(path: str, read: t.Callable[[str], t.Any]) -> str | None:
    """Why there are no authorities at a path, if so."""
    try:
        if os.path.isdir(path):
            found = any(map(_HASHED.fullmatch, os.listdir(path)))
            return None if found else f"the folder '{path}' has no certificates, or 'openssl rehash' was not run on it"
        read(path)
    except ssl.SSLError:
        return f"'{path}' has no certificates in PEM format"
    except OSError as error:
        return f"'{path}' cannot be read: {error.strerror}"
    return None


def _check_own(certificate: str, key: str | None) -> None:
    of_key = "client_key" if key else "client_cert"
    try:
        # without a passphrase OpenSSL would ask for one, on the terminal
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_cert_chain(certificate, key, password="")
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            raise BadOption(of_key, f"the key does not belong to the certificate in '{certificate}'") from None
        if not _has(certificate, b"-----BEGIN CERTIFICATE-----"):
            raise BadOption("client_cert", f"'{certificate}' has no certificate in PEM format") from None
        if _has(key or certificate, b"ENCRYPTED"):
            raise BadOption(of_key, "the key needs a passphrase: give one that does not") from None
        raise BadOption(of_key, f"'{key or certificate}' has no key in PEM format") from None
    except OSError as error:
        raise BadOption("client_cert", f"it or its key cannot be read: {error.strerror}") from None


def _has(path: str, mark: bytes) -> bool:
    with open(path, "rb") as file:
        return mark in file.read()
