# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The search of the site finds pages by words for products and tasks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from support.browser import Chromium

if TYPE_CHECKING:
    from playwright.sync_api import Page

# Common searches, with pages of which at least one should be among the first results
SEARCHES = {
    # Artifactory
    "upload artifactory": {"provision-artifact", "artifact_file_module"},
    "upload file artifactory": {"provision-artifact", "artifact_file_module"},
    "download artifact": {"artifact_download_module"},
    "create repository": {"artifact_repository_module", "build-artifactory"},
    "artifactory user": {"artifact_user_module"},
    "artifactory permissions": {"artifact_permission_module"},
    "delete old artifacts": {"clean-up", "artifact_cleanup_module", "artifact_housekeeping_role"},
    "promote docker image": {"artifact_image_promotion_module", "release"},
    "promote build": {"release", "artifact_build_promotion_module"},
    "rotate token": {"rotate-tokens", "access_token_module"},
    "jfrog access token": {"access_token_module"},
    "add webhook": {"artifact_webhook_module"},
    "back up artifactory": {"backups", "artifact_backup_module"},
    "smtp": {"artifact_mail_module"},
    "ldap settings": {"artifact_ldap_module", "ldap"},
    "property set": {"artifact_property_set_module"},
    "rename repository": {"rename-repository"},
    "sign debian repository": {"signed-repositories"},
    "gpg key artifactory": {"artifact_keypair_module", "signed-repositories"},
    "client certificate artifactory": {"artifact_certificate_module"},
    # Jenkins
    "trigger jenkins job": {"builds", "ci_build_module"},
    "jenkins restart": {"nightly-restart", "ci_safe_restart_module", "ci_restart_module"},
    "jenkins plugin install": {"ci_plugin_module", "provision-ci"},
    "create jenkins job": {"ci_job_module", "build-jenkins"},
    "jenkins credentials": {"ci_credential_module"},
    "jenkins agent offline": {"ci_node_drain_module", "ci_node_module"},
    "jcasc": {"jcasc", "ci_configuration_module"},
    "run groovy script": {"ci_script_module"},
    "jenkins api token": {"ci_api_token_module"},
    # Klocwork
    "onboard klocwork": {"onboard-project", "review_onboarding_role"},
    "klocwork quality gate": {"quality-gate", "review_quality_gate_role", "review_gate_info_module"},
    "sarif": {"quality-gate", "review_gate_info_module"},
    "klocwork user": {"review_user_module"},
    # OpenAI
    "openai cost": {"run-prompts", "inference_chat_batch_module", "inference_organization_info_module"},
    "openai rate limit": {"inference_rate_limit_module"},
    "chat completion": {"inference_chat_module"},
    # All services
    "check mode": {"behavior"},
    "awx": {"execution-environments"},
    "terraform": {"terraform", "why-not"},
    "test playbook without server": {"testing", "rehearse"},
    "supported versions": {"versions"},
}
MAX_RANK = 5
PATIENCE = """() => document.querySelector('#search-results h2')
    && !/Searching/.test(document.querySelector('#search-results h2').textContent)"""


@pytest.mark.parametrize("query", SEARCHES)
def test_search_finds_the_pages_for_common_tasks(browser: Chromium, site: Path, query: str) -> None:
    links: list[str] = []

    def read_results(page: Page) -> None:
        page.wait_for_function(PATIENCE)
        page.wait_for_selector("#search-results li a")
        links.extend(page.eval_on_selector_all("#search-results li > a", "all => all.map(link => link.pathname)"))

    browser.visit(f"{(site / 'search.html').as_uri()}?q={quote(query)}", read_results)
    names = list(dict.fromkeys(Path(link).stem for link in links))
    assert SEARCHES[query] & set(names[:MAX_RANK]), names
