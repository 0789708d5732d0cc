# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The requests for credentials of Jenkins."""

from __future__ import annotations

import typing as t
import xml.etree.ElementTree as ET

from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.credentials.stores import Store
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.scripts.console import run_internal
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.service import CiService
from ansible_collections.buildworks.toolchain.plugins.module_utils._ci.xml.document import XmlBody
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.record import Record
from ansible_collections.buildworks.toolchain.plugins.module_utils._http.retry import IDEMPOTENT

_MEMBERS = "id,description,displayName"
# Jenkins returns no secret, so the script returns only a salted hash of each. `privateKeys` has final line feeds
_HASHES = """\
import com.cloudbees.plugins.credentials.CredentialsProvider
import com.cloudbees.plugins.credentials.SystemCredentialsProvider
import hudson.model.User
import javax.crypto.Mac
import javax.crypto.spec.SecretKeySpec
import jenkins.model.Jenkins

def store
if (args.folder || args.user) {
    def owner = args.folder ? Jenkins.getInstance().getItemByFullName(args.folder) : User.getById(args.user, false)
    store = owner == null ? null : CredentialsProvider.lookupStores(owner).find { it.context == owner }
} else {
    store = SystemCredentialsProvider.getInstance().getStore()
}
def domain = store == null ? null : store.domains.find { it.name == args.domain }
if (domain == null) {
    return [:]
}
def text = { it == null ? null : it.hasProperty('plainText') ? it.plainText : it.toString() }
def hash = { value ->
    if (value == null) {
        return null
    }
    def mac = Mac.getInstance('HmacSHA256')
    mac.init(new SecretKeySpec(args.salt.getBytes('UTF-8'), 'HmacSHA256'))
    return mac.doFinal(value instanceof byte[] ? value : value.toString().getBytes('UTF-8')).encodeHex().toString()
}
def read = { credential ->
    switch (credential.class.simpleName) {
        case 'UsernamePasswordCredentialsImpl':
            return [username: credential.username, password: text(credential.password)]
        case 'StringCredentialsImpl':
            return [secret: text(credential.secret)]
        case 'FileCredentialsImpl':
            return [file_name: credential.fileName, content: credential.secretBytes?.plainData]
        case 'BasicSSHUserPrivateKey':
            def key = credential.privateKeys ? credential.privateKeys.join('\\f') : null
            key = key == null ? null : key.replace('\\r\\n', '\\n').replaceAll('\\n$', '') + '\\n'
            return [username: credential.username, passphrase: text(credential.passphrase), private_key: key]
        case 'CertificateCredentialsImpl':
            def source = credential.keyStoreSource
            def values = [password: text(credential.password)]
            if (source?.hasProperty('uploadedKeystore')) {
                values.keystore = source.uploadedKeystore?.plainData
            } else if (source?.hasProperty('certChain')) {
                values.certificate_chain = text(source.certChain)
                values.certificate_key = text(source.privateKey)
            }
            return values
        default:
            return [:]
    }
}
def hashes = [:]
store.getCredentials(domain).findAll { it.hasProperty('id') && args.ids.contains(it.id) }.each { credential ->
    hashes[credential.id] = read(credential).collectEntries { name, value -> [(name): hash(value)] }
}
return hashes
"""


def list_all(ci: CiService, store: Store, domain: str | None) -> dict[str, Record] | None:
    """Return the credentials of a domain by ID, or `None` if Jenkins responds 404.

    The response proves that the account has the Credentials/View permission.
    """
    response = ci.view(store.domain_path(domain), f"credentials[{_MEMBERS}]", accept=(200, 404))
    if response.status == 404:
        return None
    return {record.text("id"): record for record in response.record().records("credentials")}


def find(ci: CiService, path: str) -> Record | None:
    """Return a credential, or `None` if it does not exist.

    :arg path: path of the credential
    """
    return ci.find(path, _MEMBERS, "id")


def create(ci: CiService, store: Store, domain: str | None, root: ET.Element) -> None:
    """Create a credential. Jenkins responds 409 if its ID exists."""
    ci.post(f"{store.domain_path(domain)}/createCredentials", data=XmlBody(root))


def replace(ci: CiService, path: str, root: ET.Element) -> None:
    """Replace all members of a credential, also its secrets.

    :arg path: path of the credential
    """
    ci.post(f"{path}/config.xml", data=XmlBody(root), policy=IDEMPOTENT)


def delete(ci: CiService, path: str) -> None:
    """Delete a credential.

    :arg path: path of the credential
    """
    ci.http.write("DELETE", f"{path}/config.xml", accept=(200, 404), policy=IDEMPOTENT)


def hash_secrets(
    ci: CiService, store: Store, domain: str | None, ids: t.Collection[str], salt: str
) -> dict[str, dict[str, str | None]]:
    """Return HMAC-SHA256 hashes of the user name, file name and secrets of credentials, by ID and field.

    The script runs on the server, so that no secret is transferred. Requires the Overall/Administer permission.
    """
    args = {"folder": store.folder, "user": store.user, "domain": domain, "ids": sorted(ids), "salt": salt}
    hashes: dict[str, dict[str, str | None]] = run_internal(ci, "hash credentials", _HASHES, args, read_only=True)
    return hashes
