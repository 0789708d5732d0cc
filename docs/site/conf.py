# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sphinx configuration of the documentation site. tools/build_site.py runs Sphinx."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes

project = "buildworks.toolchain"
copyright = "2026, the buildworks.toolchain authors"
html_title = html_short_title = "buildworks.toolchain"

extensions = ["sphinx_antsibull_ext", "sphinx_copybutton", "site_reference", "site_search", "site_stacked"]
nitpicky = True
# Environment variables of other programs have no entry on the site
nitpick_ignore_regex = [("envvar", ".*")]
default_role = "any"
highlight_language = "yaml+jinja"
pygments_style = "github-light-high-contrast"
pygments_dark_style = "github-dark-high-contrast"

html_theme = "furo"
html_theme_options = {
    "top_of_page_buttons": [],
    # site.css uses these colors
    "light_css_variables": {
        "site-green": "#1b6e30",
        "site-purple": "#7a3e94",
        "site-red": "#a8281d",
        "site-yellow": "#7a5c00",
    },
    "dark_css_variables": {
        "site-green": "#6bd48a",
        "site-purple": "#d9a6f0",
        "site-red": "#ff9b91",
        "site-yellow": "#e0c35a",
    },
}
# site.css has the colors, for both color schemes
antsibull_ext_color_scheme = "none"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
# Copy commands without their prompt and their output
copybutton_prompt_text = "$ "
# Sphinx opens it in the current directory
html_search_scorer = str(Path(__file__).with_name("search_scorer.js"))
html_use_index = False
# Keep two dashes: they start options of commands
smartquotes = False

# HTML of the theme and of antsibull-docs, and its replacement: the keyboard can scroll wide tables and code, and links
# have no invalid attribute
REPLACEMENTS = {
    '<div class="table-wrapper': '<div tabindex="0" role="group" aria-label="Table" class="table-wrapper',
    '<div class="highlight"><pre>': '<div class="highlight"><pre tabindex="0">',
    '<a aria-role="button"': "<a",
}

ANSIBLE = "https://docs.ansible.com/ansible/latest"
# Labels in the documentation of Ansible that pages of plugins refer to
ANSIBLE_LABELS = {
    "ansible_configuration_settings": "reference_appendices/config.html#ansible-configuration-settings",
    "common_return_values": "reference_appendices/common_return_values.html#common-return-values",
    **{f"{kind}_plugins": f"plugins/{kind}.html#{kind}-plugins" for kind in ("action", "callback", "filter", "lookup")},
}


def setup(app):
    app.connect("html-page-context", make_accessible)
    app.connect("missing-reference", resolve_ansible_label)


def make_accessible(app, pagename, templatename, context, doctree):
    """Replace HTML that is not accessible."""
    for html, replacement in REPLACEMENTS.items():
        context["body"] = context.get("body", "").replace(html, replacement)


def resolve_ansible_label(app, env, node, content):
    """Return a link to a label in the documentation of Ansible, or `None`."""
    if path := ANSIBLE_LABELS.get(node["reftarget"]):
        return nodes.reference("", "", content, refuri=f"{ANSIBLE}/{path}", internal=False)
    return None
