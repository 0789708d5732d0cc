# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
# Written by tools/generate.py.

from __future__ import annotations


class ModuleDocFragment:
    """The names of the options of each module, except connection options.

    Editors list options in the order in which they first occur: in the fragments of a module, then in the module. Each
    module extends its part of this fragment first, so that its connection options are listed last.
    """

    ACCESS_TOKEN = r"""
{options: {description: {}, subject: {}, scope: {}, expires_in: {},
    rotate_before: {}, token_file: {}, refreshable: {}, refresh_token_file: {},
    include_reference_token: {}, project_key: {}, allow_unlisted: {},
    allow_lockout: {}, state: {}, surplus: {}, owner: {}, group: {},
    mode: {}, visibility_timeout: {}}}
"""

    ACCESS_TOKEN_INFO = r"""
{options: {description: {}, subject: {}, refreshable: {}, token_id: {},
    exclude_own: {}}}
"""

    ARTIFACT_ARCHIVE = r"""
{options: {repo: {}, path: {}, src: {}, atomic: {}, predict_missing: {}}}
"""

    ARTIFACT_BACKUP = r"""
{options: {key: {}, enabled: {}, cron: {}, retention_period_hours: {},
    create_archive: {}, excluded_repositories: {}, exclude_new_repositories: {},
    send_mail_on_error: {}, verify_disk_space: {}, export_mission_control: {},
    state: {}, items: {}, predict_missing: {}, undeclared: {},
    deletions_only: {}, visibility_timeout: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_BACKUP_INFO = r"""
{options: {key: {}}}
"""

    ARTIFACT_BUILD = r"""
{options: {build: {}, number: {}, src: {}, content: {}, artifacts: {},
    project_key: {}, state: {}, items: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_BUILD_INFO = r"""
{options: {build: {}, number: {}, started: {}, project_key: {}}}
"""

    ARTIFACT_BUILD_PROMOTION = r"""
{options: {build: {}, number: {}, status: {}, from_status: {},
    comment: {}, ci_user: {}, repo: {}, target_repo: {}, copy: {},
    artifacts: {}, dependencies: {}, scopes: {}, properties: {},
    fail_fast: {}, project_key: {}, items: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_BUILD_RETENTION = r"""
{options: {build: {}, count: {}, minimum_date: {}, keep: {}, artifacts: {},
    project_key: {}, wait: {}, wait_timeout: {}, items: {}, wait_delay: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_CERTIFICATE = r"""
{options: {alias: {}, certificate: {}, private_key: {}, warn_before: {},
    predict_missing: {}, undeclared: {}, state: {}, items: {},
    deletions_only: {}, visibility_timeout: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_CERTIFICATE_INFO = r"""
{options: {}}
"""

    ARTIFACT_CLEANUP = r"""
{options: {rules: {}, from_plan: {}, plan_file: {}, state_file: {},
    empty_folders: {}, clean_trash: {}, max_items: {}, max_bytes: {},
    max_share: {}, page_size: {}, pause: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_CLEANUP_POLICY = r"""
{options: {key: {}, description: {}, cron: {}, duration_in_minutes: {},
    enabled: {}, skip_trashcan: {}, project: {}, criteria: {},
    allow_broad_criteria: {}, undeclared: {}, state: {}, items: {},
    predict_missing: {}, deletions_only: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_CLEANUP_POLICY_INFO = r"""
{options: {key: {}}}
"""

    ARTIFACT_CONFIGURATION = r"""
{options: {configuration: {}, allow_delete_section: {}, allow_lockout: {},
    predict_missing: {}, update_secret: {}, visibility_timeout: {}}}
"""

    ARTIFACT_CONFIGURATION_INFO = r"""
{options: {sections: {}}}
"""

    ARTIFACT_DOWNLOAD = r"""
{options: {repo: {}, path: {}, dest: {}, items: {}, workers: {},
    on_error: {}, max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_ENVIRONMENT = r"""
{options: {name: {}, previous_name: {}, predict_missing: {}, undeclared: {},
    state: {}, items: {}, deletions_only: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_ENVIRONMENT_INFO = r"""
{options: {}}
"""

    ARTIFACT_FILE = r"""
{options: {repo: {}, path: {}, src: {}, content: {}, properties: {},
    recursive: {}, state: {}, items: {}, predict_missing: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    ARTIFACT_GROUP = r"""
{options: {name: {}, description: {}, external_id: {}, members: {},
    purge: {}, auto_join: {}, admin_privileges: {}, watch_manager: {},
    policy_viewer: {}, policy_manager: {}, reports_manager: {},
    resources_manager: {}, manage_webhook: {}, allow_lockout: {},
    withhold_grants: {}, predict_missing: {}, undeclared: {},
    state: {}, items: {}, deletions_only: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_GROUP_INFO = r"""
{options: {name: {}, workers: {}}}
"""

    ARTIFACT_IMAGE_INFO = r"""
{options: {repo: {}, image: {}, page_size: {}}}
"""

    ARTIFACT_IMAGE_PROMOTION = r"""
{options: {repo: {}, image: {}, tag: {}, target_repo: {}, target_image: {},
    target_tag: {}, copy: {}, items: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_INFO = r"""
{options: {}}
"""

    ARTIFACT_ITEM_INFO = r"""
{options: {repo: {}, path: {}, properties: {}, statistics: {},
    last_modified: {}, items: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    ARTIFACT_KEYPAIR = r"""
{options: {name: {}, type: {}, alias: {}, private_key: {}, public_key: {},
    passphrase: {}, replace: {}, verify: {}, predict_missing: {},
    undeclared: {}, state: {}, items: {}, deletions_only: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    ARTIFACT_KEYPAIR_INFO = r"""
{options: {name: {}}}
"""

    ARTIFACT_LAYOUT = r"""
{options: {name: {}, artifact_path_pattern: {}, distinctive_descriptor_path_pattern: {},
    descriptor_path_pattern: {}, folder_integration_revision_regexp: {},
    file_integration_revision_regexp: {}, predict_missing: {},
    undeclared: {}, state: {}, items: {}, deletions_only: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    ARTIFACT_LAYOUT_INFO = r"""
{options: {name: {}}}
"""

    ARTIFACT_LDAP = r"""
{options: {key: {}, ldap_url: {}, enabled: {}, user_dn_pattern: {},
    search_filter: {}, search_base: {}, search_sub_tree: {}, manager_dn: {},
    manager_password: {}, auto_create_user: {}, email_attribute: {},
    ldap_poisoning_protection: {}, allow_user_to_access_profile: {},
    paging_support_enabled: {}, groups: {}, purge: {}, allow_lockout: {},
    update_secret: {}, undeclared: {}, state: {}, items: {}, deletions_only: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    ARTIFACT_LDAP_INFO = r"""
{options: {key: {}}}
"""

    ARTIFACT_LICENSE = r"""
{options: {license_keys: {}, license_hashes: {}, update_license: {},
    remove_used: {}, wait_timeout: {}, state: {}, visibility_timeout: {}}}
"""

    ARTIFACT_LICENSE_INFO = r"""
{options: {}}
"""

    ARTIFACT_LIST_INFO = r"""
{options: {repo: {}, path: {}, deep: {}, depth: {}, folders: {},
    metadata_timestamps: {}, root: {}, to_file: {}, mask_secrets: {},
    secret_members: {}, owner: {}, group: {}, mode: {}}}
"""

    ARTIFACT_MAIL = r"""
{options: {enabled: {}, host: {}, port: {}, smtp_username: {},
    smtp_password: {}, from_address: {}, subject_prefix: {}, ssl: {},
    tls: {}, artifactory_url: {}, state: {}, update_secret: {},
    visibility_timeout: {}}}
"""

    ARTIFACT_MAIL_INFO = r"""
{options: {}}
"""

    ARTIFACT_OIDC = r"""
{options: {name: {}, description: {}, issuer_url: {}, provider_type: {},
    audience: {}, organization: {}, project: {}, token_issuer: {},
    azure_app_id: {}, use_default_proxy: {}, enable_permissive_configuration: {},
    identity_mappings: {}, allow_any_token: {}, allow_admin_scope: {},
    purge: {}, undeclared: {}, state: {}, items: {}, predict_missing: {},
    deletions_only: {}, visibility_timeout: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_OIDC_INFO = r"""
{options: {name: {}, workers: {}}}
"""

    ARTIFACT_PERMISSION = r"""
{options: {name: {}, repositories: {}, builds: {}, release_bundles: {},
    destinations: {}, pipeline_sources: {}, purge: {}, allow_lockout: {},
    undeclared: {}, state: {}, items: {}, predict_missing: {},
    deletions_only: {}, visibility_timeout: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_PERMISSION_INFO = r"""
{options: {name: {}, workers: {}}}
"""

    ARTIFACT_PROJECT = r"""
{options: {key: {}, display_name: {}, description: {}, storage_quota: {},
    soft_limit: {}, storage_quota_email_notification: {}, admin_privileges: {},
    environments: {}, roles: {}, members: {}, repositories: {},
    shared_repositories: {}, predict_missing: {}, purge: {}, allow_move: {},
    allow_lockout: {}, detach_repositories: {}, undeclared: {},
    state: {}, items: {}, deletions_only: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_PROJECT_INFO = r"""
{options: {key: {}, include: {}, workers: {}}}
"""

    ARTIFACT_PROPERTIES = r"""
{options: {repo: {}, path: {}, recursive: {}, properties: {},
    purge: {}, keys: {}, state: {}, items: {}, predict_missing: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    ARTIFACT_PROPERTIES_INFO = r"""
{options: {repo: {}, path: {}, items: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_PROPERTY_SET = r"""
{options: {name: {}, visible: {}, properties: {}, purge: {}, predict_missing: {},
    undeclared: {}, state: {}, items: {}, deletions_only: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    ARTIFACT_PROPERTY_SET_INFO = r"""
{options: {name: {}}}
"""

    ARTIFACT_PROXY = r"""
{options: {key: {}, host: {}, port: {}, proxy_username: {}, proxy_password: {},
    nt_host: {}, nt_domain: {}, platform_default: {}, redirected_to_hosts: {},
    services: {}, state: {}, predict_missing: {}, items: {}, undeclared: {},
    deletions_only: {}, update_secret: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_PROXY_INFO = r"""
{options: {key: {}}}
"""

    ARTIFACT_QUERY_INFO = r"""
{options: {domain: {}, find: {}, include: {}, sort: {}, descending: {},
    offset: {}, limit: {}, page_size: {}, by_repository: {}, query: {},
    to_file: {}, mask_secrets: {}, secret_members: {}, owner: {},
    group: {}, mode: {}}}
"""

    ARTIFACT_RELEASE_BUNDLE = r"""
{options: {name: {}, version: {}, project: {}, artifacts: {},
    aql: {}, builds: {}, release_bundles: {}, skip_docker_manifest_resolution: {},
    signing_key: {}, environment: {}, included_repository_keys: {},
    excluded_repository_keys: {}, overwrite_existing_artifacts: {},
    allow_delete_promoted: {}, wait: {}, predict_missing: {},
    state: {}, items: {}, wait_timeout: {}, wait_delay: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_RELEASE_BUNDLE_INFO = r"""
{options: {name: {}, version: {}, project: {}, include: {}, workers: {}}}
"""

    ARTIFACT_REPLICATION = r"""
{options: {repo: {}, type: {}, cron: {}, event_replication: {},
    targets: {}, enabled: {}, sync_deletes: {}, sync_properties: {},
    include_path_prefix_pattern: {}, exclude_path_prefix_pattern: {},
    check_binary_existence_in_filestore: {}, purge: {}, undeclared: {},
    state: {}, items: {}, deletions_only: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}, update_secret: {},
    predict_missing: {}, visibility_timeout: {}}}
"""

    ARTIFACT_REPLICATION_INFO = r"""
{options: {repo: {}}}
"""

    ARTIFACT_REPOSITORY = r"""
{options: {state: {}, key: {}, type: {}, package_type: {}, terraform_type: {},
    description: {}, notes: {}, layout: {}, project: {}, environments: {},
    includes_pattern: {}, excludes_pattern: {}, remote_url: {},
    remote_username: {}, remote_password: {}, repositories: {},
    default_deployment_repo: {}, members: {}, blacked_out: {},
    xray_index: {}, property_sets: {}, archive_browsing_enabled: {},
    download_redirect: {}, cdn_redirect: {}, priority_resolution: {},
    checksum_policy_type: {}, snapshot_version_behavior: {}, max_unique_snapshots: {},
    handle_releases: {}, handle_snapshots: {}, suppress_pom_consistency_checks: {},
    docker_api_version: {}, max_unique_tags: {}, docker_tag_retention: {},
    block_pushing_schema1: {}, debian_trivial_layout: {}, optional_index_compression_formats: {},
    ddeb_supported: {}, debian_default_architectures: {}, primary_key_pair_ref: {},
    secondary_key_pair_ref: {}, yum_root_depth: {}, calculate_yum_metadata: {},
    enable_file_lists_indexing: {}, yum_group_file_names: {},
    force_nuget_authentication: {}, force_non_duplicate_chart: {},
    force_metadata_name_version: {}, proxy: {}, disable_proxy: {},
    remote_layout: {}, hard_fail: {}, offline: {}, query_params: {},
    store_artifacts_locally: {}, socket_timeout_millis: {}, local_address: {},
    retrieval_cache_period_secs: {}, missed_retrieval_cache_period_secs: {},
    metadata_retrieval_timeout_secs: {}, unused_artifacts_cleanup_period_hours: {},
    assumed_offline_period_secs: {}, share_configuration: {},
    synchronize_properties: {}, block_mismatching_mime_types: {},
    mismatching_mime_types_override_list: {}, allow_any_host_auth: {},
    enable_cookie_management: {}, bypass_head_requests: {}, client_tls_certificate: {},
    disable_url_normalization: {}, list_remote_folder_items: {},
    content_synchronisation: {}, fetch_jars_eagerly: {}, fetch_sources_eagerly: {},
    remote_repo_checksum_policy_type: {}, reject_invalid_jars: {},
    external_dependencies_enabled: {}, external_dependencies_patterns: {},
    external_dependencies_remote_repo: {}, enable_token_authentication: {},
    docker_project_id: {}, charts_base_url: {}, pypi_registry_url: {},
    pypi_repository_suffix: {}, feed_context_path: {}, download_context_path: {},
    v3_feed_url: {}, symbol_server_url: {}, vcs_type: {}, vcs_git_provider: {},
    vcs_git_download_url: {}, propagate_query_params: {}, retrieve_sha256_from_server: {},
    custom_http_headers: {}, artifactory_requests_can_retrieve_remote_artifacts: {},
    virtual_retrieval_cache_period_secs: {}, force_maven_authentication: {},
    key_pair: {}, pom_repository_references_cleanup_policy: {},
    resolve_docker_tags_by_timestamp: {}, use_namespaces: {},
    settings: {}, allow_delete_content: {}, test_connection: {},
    items: {}, update_secret: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}, visibility_timeout: {}, predict_missing: {},
    undeclared: {}, deletions_only: {}}}
"""

    ARTIFACT_REPOSITORY_INFO = r"""
{options: {key: {}, type: {}, package_type: {}, project: {}, configuration: {},
    sharing: {}, workers: {}}}
"""

    ARTIFACT_SAML = r"""
{options: {name: {}, enabled: {}, login_url: {}, logout_url: {},
    service_provider_name: {}, certificate: {}, verify_audience_restriction: {},
    use_encrypted_assertion: {}, auto_user_creation: {}, allow_user_to_access_profile: {},
    auto_redirect: {}, sync_groups: {}, group_attribute: {}, email_attribute: {},
    name_id_attribute: {}, ldap_group_settings: {}, allow_lockout: {},
    undeclared: {}, state: {}, items: {}, deletions_only: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    ARTIFACT_SAML_INFO = r"""
{options: {name: {}}}
"""

    ARTIFACT_SEARCH_INFO = r"""
{options: {name: {}, repos: {}, pattern: {}, detail: {}, to_file: {},
    mask_secrets: {}, secret_members: {}, owner: {}, group: {},
    mode: {}}}
"""

    ARTIFACT_STORAGE_INFO = r"""
{options: {repo: {}, refresh: {}, refresh_timeout: {}}}
"""

    ARTIFACT_TRASH = r"""
{options: {action: {}, repo: {}, path: {}, build_records: {},
    project_key: {}, to_repo: {}, to_path: {}, force: {}, wait: {},
    items: {}, wait_timeout: {}, wait_delay: {}, workers: {},
    on_error: {}, max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_TRASH_INFO = r"""
{options: {repo: {}, path: {}, deep: {}, to_file: {}, mask_secrets: {},
    secret_members: {}, owner: {}, group: {}, mode: {}}}
"""

    ARTIFACT_TRUSTED_KEY = r"""
{options: {alias: {}, key: {}, replace: {}, undeclared: {}, state: {},
    items: {}, deletions_only: {}, visibility_timeout: {}, workers: {},
    on_error: {}, max_failures: {}, result_limit: {}, to_file: {}}}
"""

    ARTIFACT_TRUSTED_KEY_INFO = r"""
{options: {}}
"""

    ARTIFACT_USER = r"""
{options: {name: {}, email: {}, user_password: {}, update_secret: {},
    groups: {}, purge: {}, admin: {}, profile_updatable: {}, disable_ui_access: {},
    internal_password_disabled: {}, watch_manager: {}, policy_viewer: {},
    policy_manager: {}, reports_manager: {}, resources_manager: {},
    manage_webhook: {}, platform_auditor: {}, locked: {}, allow_lockout: {},
    withhold_grants: {}, predict_missing: {}, undeclared: {},
    state: {}, items: {}, deletions_only: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_USER_INFO = r"""
{options: {name: {}, workers: {}}}
"""

    ARTIFACT_WEBHOOK = r"""
{options: {key: {}, description: {}, enabled: {}, project: {},
    domain: {}, event_types: {}, allow_unknown_events: {}, criteria: {},
    handler: {}, webhook_url: {}, secret: {}, use_secret_for_signing: {},
    proxy: {}, headers: {}, method: {}, payload: {}, secrets: {},
    test_event: {}, update_secret: {}, undeclared: {}, state: {},
    items: {}, predict_missing: {}, deletions_only: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    ARTIFACT_WEBHOOK_INFO = r"""
{options: {key: {}}}
"""

    CI_API_TOKEN = r"""
{options: {name: {}, user: {}, expires_in: {}, rotate_before: {},
    rotate_after: {}, token_file: {}, state: {}, surplus: {},
    owner: {}, group: {}, mode: {}, visibility_timeout: {}}}
"""

    CI_AUTHORIZATION = r"""
{options: {folder: {}, job: {}, node: {}, strategy: {}, users: {},
    groups: {}, users_or_groups: {}, inheritance: {}, roles: {},
    predict_missing: {}, purge: {}, allow_lockout: {}, state: {},
    items: {}, predicted_plugins: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    CI_AUTHORIZATION_INFO = r"""
{options: {folder: {}, job: {}, node: {}}}
"""

    CI_BUILD = r"""
{options: {job: {}, parameters: {}, secret_parameters: {}, files: {},
    form: {}, delay: {}, token: {}, skip_if_built: {}, wait: {},
    wait_timeout: {}, wait_delay: {}, accept: {}, on_timeout: {},
    console_lines: {}, items: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    CI_BUILD_INFO = r"""
{options: {job: {}, build: {}, fields: {}, all_builds: {}, offset: {},
    limit: {}, results: {}, building: {}, parameters: {}, newer_than: {},
    older_than: {}, xpath: {}, console_lines: {}, console_file: {},
    to_file: {}, mask_secrets: {}, secret_members: {}, owner: {},
    group: {}, mode: {}}}
"""

    CI_BUILD_STOP = r"""
{options: {job: {}, build: {}, queue_item: {}, escalate_to: {},
    wait: {}, wait_timeout: {}, wait_delay: {}}}
"""

    CI_CLI = r"""
{options: {command: {}, arguments: {}, stdin: {}, stdin_file: {},
    via: {}, read_only: {}, accept: {}, wait_timeout: {}, to_file: {},
    java: {}, java_options: {}, jar_cache: {}, jar_transport: {},
    ssh_user: {}, identity_file: {}, known_hosts: {}, owner: {},
    group: {}, mode: {}}}
"""

    CI_CLI_JAR = r"""
{options: {dest: {}}}
"""

    CI_CONFIGURATION = r"""
{options: {configuration: {}, src: {}, allow_removals: {}, allow_secret_removals: {},
    allow_user_changes: {}, allow_lockout: {}, force: {}, source_file: {},
    owner: {}, group: {}, mode: {}, visibility_timeout: {}}}
"""

    CI_CONFIGURATION_INFO = r"""
{options: {sections: {}, mask_secrets: {}}}
"""

    CI_CREDENTIAL = r"""
{options: {id: {}, folder: {}, user: {}, domain: {}, type: {},
    allow_type_change: {}, scope: {}, description: {}, credential_username: {},
    username_secret: {}, credential_password: {}, secret: {},
    file_name: {}, content: {}, content_base64: {}, src: {}, private_key: {},
    passphrase: {}, certificate_chain: {}, xml: {}, update_secret: {},
    predict_missing: {}, undeclared: {}, state: {}, items: {},
    predicted_plugins: {}, deletions_only: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    CI_CREDENTIAL_DOMAIN = r"""
{options: {name: {}, folder: {}, description: {}, hostname: {},
    hostname_port: {}, path: {}, schemes: {}, allow_delete_credentials: {},
    predict_missing: {}, state: {}, items: {}, predicted_plugins: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    CI_CREDENTIAL_INFO = r"""
{options: {folder: {}, user: {}, domain: {}, id: {}, workers: {}}}
"""

    CI_FOLDER = r"""
{options: {name: {}, previous_name: {}, description: {}, display_name: {},
    config: {}, allow_delete_content: {}, predict_missing: {},
    undeclared: {}, undeclared_in: {}, state: {}, items: {}, predicted_plugins: {},
    deletions_only: {}, on_dropped: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    CI_FOLDER_INFO = r"""
{options: {name: {}, folder: {}, depth: {}, include_config: {},
    include_content: {}, to_file: {}, mask_secrets: {}, secret_members: {},
    owner: {}, group: {}, mode: {}}}
"""

    CI_INFO = r"""
{options: {}}
"""

    CI_JOB = r"""
{options: {name: {}, previous_name: {}, copy_from: {}, type: {},
    config: {}, src: {}, exact: {}, description: {}, display_name: {},
    disabled: {}, parameters: {}, triggers: {}, retention: {},
    concurrent: {}, quiet_period: {}, script: {}, script_sandbox: {},
    git: {}, script_path: {}, lightweight: {}, orphaned_branches: {},
    scan_interval: {}, shell: {}, label: {}, allow_delete_builds: {},
    predict_missing: {}, undeclared: {}, state: {}, items: {},
    predicted_plugins: {}, deletions_only: {}, update_secret: {},
    on_dropped: {}, visibility_timeout: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    CI_JOB_INFO = r"""
{options: {job: {}, folder: {}, depth: {}, fields: {}, workers: {},
    to_file: {}, mask_secrets: {}, secret_members: {}, owner: {},
    group: {}, mode: {}}}
"""

    CI_LOCKABLE_RESOURCE = r"""
{options: {name: {}, description: {}, labels: {}, note: {}, properties: {},
    reserved: {}, locked: {}, allow_in_use: {}, undeclared: {},
    state: {}, items: {}, predicted_plugins: {}, deletions_only: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    CI_LOCKABLE_RESOURCE_INFO = r"""
{options: {names: {}, label: {}}}
"""

    CI_NODE = r"""
{options: {name: {}, previous_name: {}, description: {}, remote_root: {},
    executors: {}, usage: {}, labels: {}, launcher: {}, retention: {},
    environment_variables: {}, tools: {}, config: {}, secret_file: {},
    owner: {}, group: {}, mode: {}, allow_abort_builds: {}, undeclared: {},
    state: {}, items: {}, predicted_plugins: {}, deletions_only: {},
    on_dropped: {}, visibility_timeout: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    CI_NODE_DRAIN = r"""
{options: {name: {}, state: {}, reason: {}, wait: {}, wait_timeout: {},
    cancel_on_timeout: {}, wait_delay: {}, visibility_timeout: {}}}
"""

    CI_NODE_INFO = r"""
{options: {name: {}, complete_config: {}, read_config: {}, workers: {}}}
"""

    CI_PLUGIN = r"""
{options: {plugins: {}, plugins_file: {}, undeclared: {}, restart: {},
    break_dependents: {}, allow_lockout: {}, metadata_max_age: {},
    wait_timeout: {}, wait_delay: {}, visibility_timeout: {}}}
"""

    CI_PLUGIN_INFO = r"""
{options: {names: {}, enabled: {}, has_update: {}, failed_to_load: {}}}
"""

    CI_QUIET_DOWN = r"""
{options: {reason: {}, state: {}, wait: {}, wait_timeout: {},
    cancel_on_timeout: {}, wait_delay: {}, visibility_timeout: {}}}
"""

    CI_RESTART = r"""
{options: {kill_builds: {}, wait: {}, wait_timeout: {}, wait_delay: {}}}
"""

    CI_SAFE_RESTART = r"""
{options: {only_if_required: {}, wait: {}, wait_timeout: {}, cancel_on_timeout: {},
    wait_delay: {}}}
"""

    CI_SCRIPT = r"""
{options: {script: {}, src: {}, args: {}, secret_args: {}, node: {},
    unless: {}, read_only: {}, wait_timeout: {}}}
"""

    CI_SCRIPT_APPROVAL = r"""
{options: {signature: {}, script: {}, language: {}, script_hash: {},
    assume_permission_check: {}, allow_dangerous: {}, state: {},
    items: {}, predicted_plugins: {}, visibility_timeout: {},
    workers: {}, on_error: {}, max_failures: {}, result_limit: {},
    to_file: {}}}
"""

    CI_SCRIPT_APPROVAL_INFO = r"""
{options: {script_text: {}}}
"""

    CI_USER = r"""
{options: {name: {}, full_name: {}, description: {}, email: {},
    user_password: {}, update_secret: {}, allow_lockout: {}, predict_missing: {},
    undeclared: {}, state: {}, items: {}, predicted_plugins: {},
    deletions_only: {}, visibility_timeout: {}, workers: {}, on_error: {},
    max_failures: {}, result_limit: {}, to_file: {}}}
"""

    CI_USER_INFO = r"""
{options: {name: {}}}
"""

    CI_VIEW = r"""
{options: {name: {}, folder: {}, parent: {}, type: {}, description: {},
    jobs: {}, purge: {}, regex: {}, recurse: {}, columns: {},
    status_filter: {}, filter_queue: {}, filter_executors: {},
    config: {}, predict_missing: {}, undeclared: {}, state: {},
    items: {}, predicted_plugins: {}, deletions_only: {}, on_dropped: {},
    visibility_timeout: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, to_file: {}}}
"""

    CI_VIEW_INFO = r"""
{options: {name: {}, folder: {}, parent: {}, include_config: {},
    workers: {}}}
"""

    INFERENCE_ADMIN_KEY = r"""
{options: {name: {}, expires_in: {}, rotate_before: {}, allow_lockout: {},
    state: {}, owner: {}, group: {}, mode: {}, key_file: {}, surplus: {},
    visibility_timeout: {}}}
"""

    INFERENCE_ADMIN_KEY_INFO = r"""
{options: {name: {}}}
"""

    INFERENCE_CHAT = r"""
{options: {model: {}, messages: {}, prompt: {}, system: {}, tools: {},
    tool_choice: {}, n: {}, stream: {}, max_tokens: {}, response_schema: {},
    strict: {}, accept_incomplete: {}, cache: {}, response_timeout: {},
    temperature: {}, max_tokens_member: {}, seed: {}, reasoning_effort: {},
    extra: {}}}
"""

    INFERENCE_CHAT_BATCH = r"""
{options: {prompts: {}, prompts_file: {}, to_file: {}, model: {},
    system: {}, max_tokens: {}, response_schema: {}, strict: {},
    attempts: {}, accept_incomplete: {}, cache: {}, response_timeout: {},
    limits: {}, limit_period: {}, prices: {}, max_tokens_total: {},
    max_cost: {}, workers: {}, on_error: {}, max_failures: {},
    result_limit: {}, temperature: {}, max_tokens_member: {},
    seed: {}, reasoning_effort: {}, extra: {}}}
"""

    INFERENCE_COST_INFO = r"""
{options: {newer_than: {}, older_than: {}, group_by: {}, project_ids: {},
    api_key_ids: {}}}
"""

    INFERENCE_DASHBOARD_INFO = r"""
{options: {subject: {}}}
"""

    INFERENCE_DRIFT_INFO = r"""
{options: {projects: {}, users: {}, max_key_age_days: {}}}
"""

    INFERENCE_MODEL_INFO = r"""
{options: {pattern: {}}}
"""

    INFERENCE_MODEL_LIMIT_INFO = r"""
{options: {}}
"""

    INFERENCE_ORGANIZATION_INFO = r"""
{options: {}}
"""

    INFERENCE_PROJECT = r"""
{options: {name: {}, id: {}, external_key_id: {}, residency: {},
    state: {}, visibility_timeout: {}}}
"""

    INFERENCE_PROJECT_INFO = r"""
{options: {name: {}, include_archived: {}, details: {}}}
"""

    INFERENCE_RATE_LIMIT = r"""
{options: {limits: {}, project_id: {}, project_name: {}, predict_missing: {},
    visibility_timeout: {}}}
"""

    INFERENCE_RATE_LIMIT_INFO = r"""
{options: {dashboard: {}, project_id: {}, project_name: {}}}
"""

    INFERENCE_SERVICE_ACCOUNT = r"""
{options: {name: {}, role: {}, rotate_after: {}, project_id: {},
    project_name: {}, state: {}, owner: {}, group: {}, mode: {},
    key_file: {}, surplus: {}, predict_missing: {}, visibility_timeout: {}}}
"""

    INFERENCE_USAGE_INFO = r"""
{options: {kind: {}, newer_than: {}, older_than: {}, bucket_width: {},
    group_by: {}, project_ids: {}, user_ids: {}, api_key_ids: {},
    models: {}}}
"""

    INFERENCE_USER = r"""
{options: {email: {}, role: {}, projects: {}, allow_lockout: {},
    state: {}, predict_missing: {}, visibility_timeout: {}}}
"""

    INFERENCE_USER_INFO = r"""
{options: {emails: {}, invites: {}, project_id: {}, project_name: {}}}
"""

    REVIEW_BUILD = r"""
{options: {project: {}, name: {}, new_name: {}, keep: {}, allow_last: {},
    keep_newest: {}, state: {}, visibility_timeout: {}}}
"""

    REVIEW_BUILD_INFO = r"""
{options: {project: {}, name: {}, via: {}, admin_tool: {}, admin_tool_timeout: {}}}
"""

    REVIEW_CALL = r"""
{options: {action: {}, parameters: {}, read_only: {}, dest: {},
    owner: {}, group: {}, mode: {}}}
"""

    REVIEW_CHURN_INFO = r"""
{options: {project: {}, view: {}, view_creator: {}, latest_builds: {},
    component: {}}}
"""

    REVIEW_CONFIG_FILE = r"""
{options: {project: {}, src: {}, name: {}, checksum_file: {},
    force: {}, admin_tool: {}, admin_tool_timeout: {}, state: {},
    visibility_timeout: {}}}
"""

    REVIEW_CONFIG_FILE_INFO = r"""
{options: {project: {}, name: {}, types: {}, admin_tool: {}, admin_tool_timeout: {}}}
"""

    REVIEW_DEFECT_TYPE = r"""
{options: {project: {}, defect_types: {}, visibility_timeout: {}}}
"""

    REVIEW_DEFECT_TYPE_INFO = r"""
{options: {project: {}, taxonomy: {}, code: {}, enabled: {}, taxonomies: {},
    to_file: {}, mask_secrets: {}, secret_members: {}, owner: {},
    group: {}, mode: {}}}
"""

    REVIEW_GATE_INFO = r"""
{options: {project: {}, checks: {}, compare: {}, result_limit: {},
    json_file: {}, sarif_file: {}, sarif_limit: {}, source_root: {},
    owner: {}, group: {}, mode: {}}}
"""

    REVIEW_GROUP = r"""
{options: {name: {}, users: {}, append: {}, allow_lockout: {},
    predict_missing: {}, state: {}, visibility_timeout: {}}}
"""

    REVIEW_GROUP_INFO = r"""
{options: {name: {}, search: {}}}
"""

    REVIEW_ISSUE = r"""
{options: {project: {}, ids: {}, query: {}, from_status: {}, from_owner: {},
    status: {}, owner: {}, comment: {}, rules: {}, visibility_timeout: {}}}
"""

    REVIEW_ISSUE_INFO = r"""
{options: {project: {}, query: {}, ids: {}, details: {}, view: {},
    limit: {}, grouped: {}, state: {}, status: {}, severity: {},
    code: {}, file: {}, issue_owner: {}, module: {}, category: {},
    reference: {}, taxonomy: {}, text: {}, exact: {}, build: {},
    to_file: {}, mask_secrets: {}, secret_members: {}, owner: {},
    group: {}, mode: {}}}
"""

    REVIEW_METRIC_INFO = r"""
{options: {project: {}, tags: {}, query: {}, view: {}, limit: {},
    aggregate: {}, system_files: {}, to_file: {}, mask_secrets: {},
    secret_members: {}, owner: {}, group: {}, mode: {}}}
"""

    REVIEW_MODULE = r"""
{options: {project: {}, name: {}, new_name: {}, paths: {}, tags: {},
    allow_all: {}, allow_users: {}, allow_groups: {}, deny_users: {},
    deny_groups: {}, update_unreadable: {}, predict_missing: {},
    state: {}, visibility_timeout: {}}}
"""

    REVIEW_MODULE_INFO = r"""
{options: {project: {}, name: {}}}
"""

    REVIEW_PROJECT = r"""
{options: {name: {}, new_name: {}, description: {}, tags: {},
    auto_delete_builds: {}, auto_delete_threshold: {}, use_admin_tool: {},
    allow_delete: {}, update_unreadable: {}, state: {}, admin_tool: {},
    admin_tool_timeout: {}, visibility_timeout: {}}}
"""

    REVIEW_PROJECT_IMPORT = r"""
{options: {name: {}, force: {}, source_url: {}, source_username: {},
    source_password: {}, wait: {}, wait_timeout: {}, wait_delay: {}}}
"""

    REVIEW_PROJECT_INFO = r"""
{options: {name: {}, streams: {}, configuration: {}, build: {},
    taxonomies: {}}}
"""

    REVIEW_REPORT_INFO = r"""
{options: {project: {}, build: {}, query: {}, view: {}, rows: {},
    columns: {}, rows_drilldown: {}, columns_drilldown: {}, counts: {},
    group: {}}}
"""

    REVIEW_ROLE = r"""
{options: {name: {}, permissions: {}, transitions: {}, assignments: {},
    allow_lockout: {}, purge: {}, predict_missing: {}, state: {},
    visibility_timeout: {}}}
"""

    REVIEW_ROLE_INFO = r"""
{options: {name: {}, search: {}}}
"""

    REVIEW_SERVER_IMPORT = r"""
{options: {source_url: {}, source_username: {}, source_password: {},
    wait: {}, wait_timeout: {}, wait_delay: {}}}
"""

    REVIEW_SERVER_INFO = r"""
{options: {gather: {}, feature: {}}}
"""

    REVIEW_USER = r"""
{options: {name: {}, password: {}, update_password: {}, allow_lockout: {},
    state: {}, visibility_timeout: {}}}
"""

    REVIEW_USER_INFO = r"""
{options: {name: {}, search: {}}}
"""

    REVIEW_VIEW = r"""
{options: {project: {}, name: {}, new_name: {}, query: {}, tags: {},
    public: {}, take_over: {}, predict_missing: {}, state: {},
    visibility_timeout: {}}}
"""

    REVIEW_VIEW_INFO = r"""
{options: {project: {}, name: {}}}
"""
