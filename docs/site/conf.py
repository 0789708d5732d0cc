# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Sphinx configuration of the documentation site. tools/build_site.py runs Sphinx."""

from __future__ import annotations

from docutils import nodes

project = "buildworks.toolchain"
copyright = "2026, the buildworks.toolchain authors"
html_title = html_short_title = "buildworks.toolchain"

extensions = ["sphinx_antsibull_ext"]
nitpicky = True
# Environment variables of other programs have no entry on the site
nitpick_ignore_regex = [("envvar", ".*")]
default_role = "any"
highlight_language = "yaml+jinja"
pygments_style = "ansible"

html_theme = "sphinx_ansible_theme"
html_theme_options = {"display_version": False, "navigation_depth": 3, "topbar_links": {}}
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_use_index = False
# Keep two dashes: they start options of commands
smartquotes = False

ANSIBLE = "https://docs.ansible.com/ansible/latest"
# Labels in the documentation of Ansible that pages of plugins refer to
ANSIBLE_LABELS = {
    "ansible_configuration_settings": "reference_appendices/config.html#ansible-configuration-settings",
    "common_return_values": "reference_appendices/common_return_values.html#common-return-values",
    **{f"{kind}_plugins": f"plugins/{kind}.html#{kind}-plugins" for kind in ("action", "callback", "filter", "lookup")},
}


def setup(app):
    app.connect("html-page-context", set_home_page)
    app.connect("missing-reference", resolve_ansible_label)


def set_home_page(app, pagename, templatename, context, doctree):
    """Link the bar of the theme to the home page of this site, at whatever address it is served."""
    context["theme_documentation_home_url"] = context["pathto"]("index")


def resolve_ansible_label(app, env, node, content):
    """Return a link to a label in the documentation of Ansible, or `None`."""
    if path := ANSIBLE_LABELS.get(node["reftarget"]):
        return nodes.reference("", "", content, refuri=f"{ANSIBLE}/{path}", internal=False)
    return None
