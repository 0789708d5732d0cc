# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import random

import pytest

from ansible_collections.buildworks.toolchain.plugins.module_utils._task import mask_secrets
from ansible_collections.buildworks.toolchain.plugins.plugin_utils import _known_secrets

ENCODERS = {"standard": base64.b64encode, "url-safe": base64.urlsafe_b64encode}


@pytest.mark.parametrize("alphabet", ENCODERS)
@pytest.mark.parametrize("padding", ["=", ""])
def test_secret_in_base64_is_hidden_when_other_text_surrounds_it(alphabet: str, padding: str) -> None:
    dice = random.Random(1)
    for _try in range(300):
        secret = "".join(chr(dice.choice([*range(33, 127), 255, 8364])) for _place in range(dice.randrange(7, 40)))
        before, after = ("x" * dice.randrange(5) for _side in range(2))
        text = ENCODERS[alphabet](f"{before}{secret}{after}".encode()).decode().replace("=", padding)
        hidden = mask_secrets(f"Basic {text}", set(_known_secrets.encode_variants(secret)))
        start, _mask, end = hidden.removeprefix("Basic ").partition("********")
        assert hidden != f"Basic {text}"
        assert len(start) <= len(before) * 4 / 3 + 2
        assert len(end.rstrip("=")) <= len(after) * 4 / 3 + 2


@pytest.mark.parametrize("password", ["pw", "longer than that", "ünïcode"])
@pytest.mark.parametrize("alphabet", ENCODERS)
def test_login_in_base64_is_hidden_when_the_password_is_short(
    alphabet: str, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JENKINS_USER_ID", "bob")
    monkeypatch.setenv("JENKINS_API_TOKEN", password)
    found = [
        _known_secrets.find_in_environment(),
        _known_secrets.find_in_task("ci_info", {"username": "bob", "password": password}),
    ]
    login = ENCODERS[alphabet](f"bob:{password}".encode()).decode()
    for secrets in found:
        hidden = mask_secrets(f"Basic {login}", secrets.union(*map(_known_secrets.encode_variants, secrets)))
        assert len(hidden.removeprefix("Basic ").replace("********", "").rstrip("=")) <= 2


def test_other_text_is_unchanged_when_a_secret_is_short() -> None:
    assert _known_secrets.encode_variants("a") == {"YQ=="}
