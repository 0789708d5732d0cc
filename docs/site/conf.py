# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""How Sphinx builds the site; tools/build_site.py runs it."""

from __future__ import annotations

from docutils import nodes

project = "buildworks.toolchain"
copyright = "2026, the buildworks.toolchain authors"
html_title = html_short_title = "buildworks.toolchain"

extensions = ["sphinx_antsibull_ext"]
nitpicky = True
# What other programs read is described by them
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
# Two dashes are an option of a command, and no dash
smartquotes = False

ANSIBLE = "https://docs.ansible.com/ansible/latest"
# Labels in Ansible's own documentation that pages of plugins refer to
ELSEWHERE = {
    "ansible_configuration_settings": "reference_appendices/config.html#ansible-configuration-settings",
    "common_return_values": "reference_appendices/common_return_values.html#common-return-values",
    **{f"{kind}_plugins": f"plugins/{kind}.html#{kind}-plugins" for kind in ("action", "callback", "filter", "lookup")},
}


def setup(app):
    app.connect("html-page-context", home_of_the_site)
    app.connect("missing-reference", in_ansibles_documentation)


def home_of_the_site(app, pagename, templatename, context, doctree):
    """The theme's bar leads to the home page of this site, wherever it is put."""
    context["theme_documentation_home_url"] = context["pathto"]("index")


def in_ansibles_documentation(app, env, node, content):
    """A link to a label that is not here, but there."""
    if place := ELSEWHERE.get(node["reftarget"]):
        return nodes.reference("", "", content, refuri=f"{ANSIBLE}/{place}", internal=False)
    return None
