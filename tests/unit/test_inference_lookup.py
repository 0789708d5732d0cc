# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest
from ansible.errors import AnsibleError

from ansible_collections.buildworks.toolchain.plugins.lookup.inference_chat import LookupModule


def test_message_names_the_options_when_a_term_is_given() -> None:
    with pytest.raises(AnsibleError) as raised:
        LookupModule().run(["Hello!"], {}, model="gpt-4o")
    message = "inference_chat takes options only, such as model='...', prompt='...', cache='...'."
    assert str(raised.value) == message
