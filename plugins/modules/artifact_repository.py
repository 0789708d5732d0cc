#!/usr/bin/python
# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: artifact_repository
short_description: Manage Artifactory repositories
description:
  - Create, change or delete local, remote, virtual and federated repositories in Artifactory. With O(items), manage
    many repositories with few requests.
  - Only the options that are set are compared and changed. The order of lists does not matter,
    except for O(repositories), O(includes_pattern) and O(excludes_pattern). A value that Artifactory does not return
    counts as its default.
  - Key, class and package type of a repository cannot be changed. The task fails and changes nothing.
  - Options that do not apply to the class and package type of the repository are refused before the first request.
  - After a change, the module reads the repository back. The task fails if Artifactory did not store it as requested.
  - A repository with artifacts is only deleted if O(allow_delete_content=true). A member of a virtual repository is not
    deleted, unless the virtual repository is changed or deleted by the same task.
  - In check mode, missing layouts, proxies, property sets and members, members of another package type, and the
    open-source edition are reported as failures, as far as the account can read them.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.artifact
  - buildworks.toolchain.connection
  - buildworks.toolchain.state
  - buildworks.toolchain.update_secret
  - buildworks.toolchain.bulk
  - buildworks.toolchain.visibility
  - buildworks.toolchain.predict_missing
  - buildworks.toolchain.undeclared
  - buildworks.toolchain.attributes
notes:
  - Requires administrator permissions and Artifactory Pro. Federated repositories require Enterprise.
  - With O(undeclared=remove), repositories that Artifactory creates for itself are kept, such as those for build
    information, release bundles and logs.
  - Verified on the sandbox, which is itself verified with jfrog-client-go and pyartifactory. Not verified on a real
    Artifactory.
options:
  state:
    choices:
      present: The repository exists with the given options.
      absent: The repository does not exist.
  key:
    description:
      - Key of the repository. Required, in the task or in each of the O(items).
      - It cannot be changed. To rename a repository, create another one, move the artifacts and delete the old one.
    type: str
  type:
    description:
      - Class of the repository. Required if O(state=present). The class of an existing repository cannot be changed.
    type: str
    choices:
      local: Stores uploaded artifacts.
      remote: Proxies another server and caches its artifacts.
      virtual: Combines several repositories under one key.
      federated: Is mirrored between several servers. Requires Artifactory Enterprise 7.18.3 or later.
  package_type:
    description:
      - Package type in lower case, such as V(maven), V(npm), V(docker), V(pypi) or V(generic). Required if
        O(state=present). It cannot be changed.
    type: str
  terraform_type:
    description:
      - Kind of a Terraform repository. Required for local ones. It cannot be changed.
      - Applies to local, remote, virtual and federated repositories of the type V(terraform).
    type: str
    choices:
      module: Terraform modules.
      provider: Terraform providers.
  description:
    description:
      - Description of the repository.
    type: str
  notes:
    description:
      - Internal notes about the repository.
    type: str
  layout:
    description:
      - Name of the repository layout, such as V(maven-2-default).
      - If not set, a new repository gets the layout of its package type, as in the user interface of Artifactory.
        Artifactory itself would use V(maven-2-default) for all package types.
    type: str
  project:
    description:
      - Key of the project to create the repository in. An existing repository cannot be moved to another project with
        this option.
    type: str
  environments:
    description:
      - Environments of the repository, such as V(DEV) and V(PROD). Artifactory ignores them unless the repository is in
        a project.
    type: list
    elements: str
  includes_pattern:
    description:
      - Ant patterns of the paths that the repository accepts, separated by commas. V(**/*) accepts all paths.
    type: str
  excludes_pattern:
    description:
      - Ant patterns of the paths that the repository refuses, separated by commas. For example,
        V(**/*-SNAPSHOT/**,tmp/**).
    type: str
  remote_url:
    description:
      - URL of the server that the remote repository proxies. Required for remote repositories, and not allowed for
        others.
      - Within O(items), this option is called O(items[].url). Outside of O(items), O(url) is the URL of Artifactory.
    type: str
  remote_username:
    description:
      - User name with which Artifactory logs in to O(remote_url).
      - Within O(items), this option is called O(items[].username).
    type: str
  remote_password:
    description:
      - Password or token with which Artifactory logs in to O(remote_url).
      - Within O(items), this option is called O(items[].password).
      - Artifactory does not return it, see O(update_secret).
    type: str
  repositories:
    description:
      - Keys of the members of a virtual repository, in the order in which Artifactory resolves artifacts. An empty list
        removes all members.
      - Applies to virtual repositories.
    type: list
    elements: str
  default_deployment_repo:
    description:
      - Key of the local or federated member that stores uploads to a virtual repository. An empty string removes it.
      - Applies to virtual repositories.
    type: str
  members:
    description:
      - Repositories on other servers that a federated repository is mirrored with, in any order. Artifactory adds its
        own URL, which can be omitted.
      - Other members are removed. An empty list removes all of them.
      - Applies to federated repositories.
    type: list
    elements: dict
    suboptions:
      url:
        description:
          - URL of the repository. Required. For example, V(https://eu.example.com/artifactory/npm-federated).
        type: str
      enabled:
        description:
          - Whether artifacts are mirrored to this member.
        type: bool
        default: true
  blacked_out:
    description:
      - Whether the repository is disabled, so that it accepts no uploads and returns no artifacts.
      - Applies to local, remote and federated repositories.
    type: bool
  xray_index:
    description:
      - Whether Xray indexes the repository.
      - Applies to local, remote and federated repositories.
    type: bool
  property_sets:
    description:
      - Names of the property sets of the repository, in any order.
      - Applies to local, remote and federated repositories.
    type: list
    elements: str
  archive_browsing_enabled:
    description:
      - Whether users can view the contents of archives, such as Javadoc, in the browser.
      - Applies to local, remote and federated repositories.
    type: bool
  download_redirect:
    description:
      - Whether downloads are redirected to the cloud storage of the file store.
      - Applies to local, remote and federated repositories.
    type: bool
  cdn_redirect:
    description:
      - Whether downloads are redirected to a content delivery network.
      - Applies to local, remote and federated repositories.
    type: bool
  priority_resolution:
    description:
      - Whether virtual repositories search this repository before those without priority.
      - Applies to local, remote and federated repositories.
    type: bool
  checksum_policy_type:
    description:
      - How Artifactory verifies the checksum that a client sends with an upload.
      - Applies to local and federated repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
    choices:
      client-checksums: Refuse uploads whose checksum does not match.
      server-generated-checksums: Ignore checksums of clients.
  snapshot_version_behavior:
    description:
      - How Maven snapshots are stored.
      - Applies to local and federated repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
    choices:
      unique: Under names with a timestamp.
      non-unique: Under names that end with C(-SNAPSHOT).
      deployer: As the client uploads them.
  max_unique_snapshots:
    description:
      - Number of snapshots of an artifact to keep. V(0) keeps all.
      - Applies to local and federated repositories of the types V(gradle), V(ivy), V(maven), V(nuget) and V(sbt), and
        for remote repositories of the types V(gradle), V(ivy), V(maven), V(sbt) and V(vcs).
    type: int
  handle_releases:
    description:
      - Whether the repository accepts releases.
      - Applies to local, remote and federated repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  handle_snapshots:
    description:
      - Whether the repository accepts snapshots.
      - Applies to local, remote and federated repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  suppress_pom_consistency_checks:
    description:
      - Whether to accept POM files whose coordinates do not match their path.
      - Applies to local, remote and federated repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  docker_api_version:
    description:
      - Version of the Docker registry API.
      - Applies to local and federated repositories of the types V(docker) and V(oci).
    type: str
    choices:
      V1: Registry API version 1.
      V2: Registry API version 2.
  max_unique_tags:
    description:
      - Number of tags of an image to keep. V(0) keeps all.
      - Applies to local and federated repositories of the types V(docker), V(helmoci) and V(oci).
    type: int
  docker_tag_retention:
    description:
      - Number of overwritten manifests of a tag to keep.
      - Applies to local and federated repositories of the types V(docker), V(helmoci) and V(oci).
    type: int
  block_pushing_schema1:
    description:
      - Whether to refuse images with a manifest of schema version 1.
      - Applies to local, remote and federated repositories of the type V(docker).
    type: bool
  debian_trivial_layout:
    description:
      - Whether the repository has the deprecated trivial layout.
      - Applies to local and federated repositories of the type V(debian).
    type: bool
  optional_index_compression_formats:
    description:
      - Compression formats of the index besides Gzip, such as V(bz2), V(xz) and V(lzma), in any order.
      - Applies to local, virtual and federated repositories of the type V(debian).
    type: list
    elements: str
  ddeb_supported:
    description:
      - Whether the repository indexes debug packages (ddeb).
      - Applies to local and federated repositories of the type V(debian).
    type: bool
  debian_default_architectures:
    description:
      - Architectures to index by default, separated by commas, in any order.
      - Applies to virtual repositories of the type V(debian).
    type: str
  primary_key_pair_ref:
    description:
      - Name of the key pair that signs the metadata.
      - Applies to local repositories of the types V(alpine), V(ansible), V(debian), V(hex) and V(rpm), and for remote
        repositories of the type V(hex), and for virtual repositories of the types V(alpine), V(debian), V(hex) and
        V(rpm), and for federated repositories of the types V(alpine), V(ansible), V(debian) and V(rpm).
    type: str
  secondary_key_pair_ref:
    description:
      - Name of a second key pair that signs the metadata.
      - Applies to local, virtual and federated repositories of the types V(debian) and V(rpm).
    type: str
  yum_root_depth:
    description:
      - Depth of the folders that contain the RPM metadata. V(0) is the root of the repository.
      - Applies to local and federated repositories of the type V(rpm).
    type: int
  calculate_yum_metadata:
    description:
      - Whether Artifactory calculates the RPM metadata after uploads.
      - Applies to local and federated repositories of the type V(rpm).
    type: bool
  enable_file_lists_indexing:
    description:
      - Whether the RPM metadata includes the lists of files.
      - Applies to local and federated repositories of the type V(rpm).
    type: bool
  yum_group_file_names:
    description:
      - Names of files with RPM package groups, separated by commas.
      - Applies to local and federated repositories of the type V(rpm).
    type: str
  force_nuget_authentication:
    description:
      - Whether anonymous access to the NuGet API is refused, even if anonymous users have permissions.
      - Applies to local, remote, virtual and federated repositories of the type V(nuget).
    type: bool
  force_non_duplicate_chart:
    description:
      - Whether to refuse charts with a name and version that exist already. Artifactory may only accept this for new
        repositories.
      - Applies to local and federated repositories of the type V(helm).
    type: bool
  force_metadata_name_version:
    description:
      - Whether to refuse charts whose file name does not match their metadata. Artifactory may only accept this for new
        repositories.
      - Applies to local and federated repositories of the type V(helm).
    type: bool
  proxy:
    description:
      - Key of the HTTP proxy for requests to other servers. An empty string removes it.
      - Applies to remote and federated repositories.
    type: str
  disable_proxy:
    description:
      - Whether to ignore the default proxy of the server. Requires Artifactory 7.41.7 or later.
      - Applies to remote and federated repositories.
    type: bool
  remote_layout:
    description:
      - Name of the layout of the remote server, if it differs from O(layout). Artifactory cannot remove it again.
      - Applies to remote repositories.
    type: str
  hard_fail:
    description:
      - Whether requests fail if the connection to the remote server fails.
      - Applies to remote repositories.
    type: bool
  offline:
    description:
      - Whether Artifactory only uses the cache and sends no requests to the remote server.
      - Applies to remote repositories.
    type: bool
  query_params:
    description:
      - Query parameters to add to all requests to the remote server, such as V(a=b&c=d).
      - Applies to remote repositories.
    type: str
  store_artifacts_locally:
    description:
      - Whether to cache artifacts.
      - Applies to remote repositories.
    type: bool
  socket_timeout_millis:
    description:
      - Timeout in milliseconds for connections to the remote server.
      - Applies to remote repositories.
    type: int
  local_address:
    description:
      - Local IP address for connections to the remote server.
      - Applies to remote repositories.
    type: str
  retrieval_cache_period_secs:
    description:
      - Seconds for which metadata of the remote server is used without checking for a newer version.
      - Applies to remote repositories.
    type: int
  missed_retrieval_cache_period_secs:
    description:
      - How long Artifactory remembers that an artifact does not exist on the remote server, in seconds.
      - Applies to remote repositories.
    type: int
  metadata_retrieval_timeout_secs:
    description:
      - Seconds to wait for metadata of the remote server before the cached version is used.
      - Applies to remote repositories.
    type: int
  unused_artifacts_cleanup_period_hours:
    description:
      - Hours after which cached artifacts that were not downloaded can be deleted. V(0) keeps them.
      - Applies to remote repositories.
    type: int
  assumed_offline_period_secs:
    description:
      - Seconds for which the remote server is regarded as offline after a failed connection.
      - Applies to remote repositories.
    type: int
  share_configuration:
    description:
      - Whether other Artifactory servers can import the configuration of this repository.
      - Applies to remote repositories.
    type: bool
  synchronize_properties:
    description:
      - Whether to copy properties of artifacts from a remote Artifactory server.
      - Applies to remote repositories.
    type: bool
  block_mismatching_mime_types:
    description:
      - Whether to refuse downloads whose MIME type does not match the extension of the file, such as an HTML login page
        instead of an archive.
      - Applies to remote repositories.
    type: bool
  mismatching_mime_types_override_list:
    description:
      - MIME types to accept despite O(block_mismatching_mime_types), separated by commas.
      - Applies to remote repositories.
    type: str
  allow_any_host_auth:
    description:
      - Whether to send the credential also to other hosts that the remote server redirects to. Enable it only if these
        hosts are trusted.
      - Applies to remote repositories.
    type: bool
  enable_cookie_management:
    description:
      - Whether to store and send cookies of the remote server.
      - Applies to remote repositories.
    type: bool
  bypass_head_requests:
    description:
      - Whether to send C(GET) requests instead of C(HEAD) requests. Artifactory enables this for Ansible Galaxy and
        public Terraform registries.
      - Applies to remote repositories.
    type: bool
  client_tls_certificate:
    description:
      - Alias of the client certificate for the remote server.
      - Applies to remote repositories.
    type: str
  disable_url_normalization:
    description:
      - Whether to send URLs to the remote server without normalizing them.
      - Applies to remote repositories.
    type: bool
  list_remote_folder_items:
    description:
      - Whether users can browse the contents of the remote server.
      - Applies to remote repositories.
    type: bool
  content_synchronisation:
    description:
      - What to synchronize with a remote Artifactory server (smart remote repository).
      - Applies to remote repositories.
    type: dict
    suboptions:
      enabled:
        description:
          - Whether to synchronize at all.
        type: bool
      statistics:
        description:
          - Whether to send download statistics to the remote server.
        type: bool
      properties:
        description:
          - Whether to synchronize properties.
        type: bool
      origin_absence_detection:
        description:
          - Whether to mark artifacts that were deleted on the remote server.
        type: bool
  fetch_jars_eagerly:
    description:
      - Whether to download the JAR file when its POM file is requested.
      - Applies to remote repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  fetch_sources_eagerly:
    description:
      - Whether to download the source archive when the JAR file is requested.
      - Applies to remote repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  remote_repo_checksum_policy_type:
    description:
      - How missing and wrong checksums of the remote server are handled, such as V(generate-if-absent), V(fail),
        V(ignore-and-generate) or V(pass-thru).
      - Applies to remote repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
  reject_invalid_jars:
    description:
      - Whether to refuse JAR files that are not valid archives.
      - Applies to remote repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  external_dependencies_enabled:
    description:
      - Whether to rewrite dependencies on other hosts, so that they are downloaded through Artifactory.
      - Applies to remote repositories of the types V(docker), V(helm), V(helmoci) and V(oci), and for virtual
        repositories of the types V(bower), V(go) and V(npm).
    type: bool
  external_dependencies_patterns:
    description:
      - Ant patterns of the dependencies to rewrite, in any order. If O(external_dependencies_enabled=true), Artifactory
        stores an empty list as V(["**"]).
      - Applies to remote repositories of the types V(docker), V(helm), V(helmoci) and V(oci), and for virtual
        repositories of the types V(bower), V(go) and V(npm).
    type: list
    elements: str
  external_dependencies_remote_repo:
    description:
      - Key of the remote repository that downloads rewritten dependencies.
      - Applies to virtual repositories of the types V(bower) and V(npm).
    type: str
  enable_token_authentication:
    description:
      - Whether to authenticate with tokens (bearer authentication).
      - Applies to remote repositories of the types V(docker), V(helmoci) and V(oci).
    type: bool
  docker_project_id:
    description:
      - Project ID of the remote Docker registry.
      - Applies to remote repositories of the types V(docker), V(helmoci) and V(oci).
    type: str
  charts_base_url:
    description:
      - URL of the charts, if it differs from O(remote_url).
      - Applies to remote repositories of the type V(helm).
    type: str
  pypi_registry_url:
    description:
      - URL of the PyPI registry.
      - Applies to remote repositories of the type V(pypi).
    type: str
  pypi_repository_suffix:
    description:
      - Path of the index below O(pypi_registry_url).
      - Applies to remote repositories of the type V(pypi).
    type: str
  feed_context_path:
    description:
      - Path of the NuGet v2 feed.
      - Applies to remote repositories of the type V(nuget).
    type: str
  download_context_path:
    description:
      - Path of NuGet v2 downloads.
      - Applies to remote repositories of the type V(nuget).
    type: str
  v3_feed_url:
    description:
      - URL of the NuGet v3 feed. Artifactory does not return it, see O(update_secret).
      - Applies to remote repositories of the type V(nuget).
    type: str
  symbol_server_url:
    description:
      - URL of the NuGet symbol server. Artifactory does not return it, see O(update_secret).
      - Applies to remote repositories of the type V(nuget).
    type: str
  vcs_type:
    description:
      - Version control system, V(GIT).
      - Applies to remote repositories of the types V(bower), V(cocoapods), V(composer), V(go) and V(vcs).
    type: str
  vcs_git_provider:
    description:
      - Git provider, such as V(GITHUB), V(GITLAB), V(BITBUCKET), V(STASH), V(ARTIFACTORY) or V(CUSTOM).
      - Applies to remote repositories of the types V(bower), V(cocoapods), V(composer), V(go) and V(vcs).
    type: str
  vcs_git_download_url:
    description:
      - URL pattern of archives, for the Git provider V(CUSTOM).
      - Applies to remote repositories of the types V(bower), V(cocoapods), V(composer), V(go) and V(vcs).
    type: str
  propagate_query_params:
    description:
      - Whether query parameters of requests are sent to the remote server.
      - Applies to remote repositories of the type V(generic).
    type: bool
  retrieve_sha256_from_server:
    description:
      - Whether to use SHA-256 checksums that the remote server returns in headers.
      - Applies to remote repositories of the type V(generic).
    type: bool
  custom_http_headers:
    description:
      - Headers to send to the remote server, at most five, in any order. Other headers are removed.
      - Applies to remote repositories of the type V(generic).
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - Name of the header. Required.
        type: str
      value:
        description:
          - Value of a header that is not secret.
        type: str
      secret_value:
        description:
          - Value of a sensitive header. Artifactory does not return it, see O(update_secret). Mutually exclusive with
            C(value).
        type: str
  artifactory_requests_can_retrieve_remote_artifacts:
    description:
      - Whether requests of other Artifactory servers can download artifacts through remote members.
      - Applies to virtual repositories.
    type: bool
  virtual_retrieval_cache_period_secs:
    description:
      - Seconds for which the merged metadata is cached.
      - Applies to virtual repositories of the types V(alpine), V(conda), V(cran), V(debian), V(docker), V(gems), V(go),
        V(gradle), V(helm), V(ivy), V(maven), V(npm), V(pypi), V(rpm) and V(sbt).
    type: int
  force_maven_authentication:
    description:
      - Whether anonymous access is refused, even if anonymous users have permissions.
      - Applies to virtual repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  key_pair:
    description:
      - Name of the key pair that signs JAR files for Java Web Start.
      - Applies to virtual repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
  pom_repository_references_cleanup_policy:
    description:
      - Which repository references are removed from POM files.
      - Applies to virtual repositories of the types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
    choices:
      discard_active_reference: References of the POM and of active profiles.
      discard_any_reference: All references.
      nothing: None.
  resolve_docker_tags_by_timestamp:
    description:
      - Whether the newest image wins if several members have the same tag, instead of the first member.
      - Applies to virtual repositories of the types V(docker), V(helmoci) and V(oci).
    type: bool
  use_namespaces:
    description:
      - Whether clients refer to a chart by the key of its repository, so that several repositories can have charts of
        the same name.
      - Applies to virtual repositories of the type V(helm).
    type: bool
  settings:
    description:
      - Further settings of the repository for which this module has no option, as a dictionary with the names of the
        REST API, such as V(hideUnauthorizedResources). Names and types are checked before the first request, and the
        message for a misspelled name suggests the right one.
      - A setting that has an option can be set here as well, but not together with the option. Lists and
        comma-separated values are compared like those of the options.
    type: dict
  allow_delete_content:
    description:
      - Whether to delete a repository that contains artifacts. For remote repositories, these are the cached ones.
      - If V(false), O(state=absent) fails for a repository with artifacts, and the message contains their number and
        size.
    type: bool
    default: false
  test_connection:
    description:
      - Whether Artifactory connects to the server of a remote repository, after it was created or changed and also if
        nothing changed. The task fails if the connection fails.
      - This uses a call of Artifactory's user interface, which is not part of the documented REST API. In check mode,
        only unchanged repositories are tested. Ignored for other types.
    type: bool
    default: false
  items:
    description:
      - List of repositories, each with the options below. Options set outside O(items) are the defaults for all items.
      - Artifactory 7.61.3 and later returns all configurations in one request. New repositories are created in batches
        since 7.84.3, and existing ones are changed in batches since 7.104.2. If Artifactory refuses a batch, its
        repositories are sent separately, so that each has its own outcome.
      - >-
        The order of the items does not matter: members are created before the virtual repositories that contain them,
        and repositories are deleted last, virtual ones first.
      - All items are validated before the first request. Two items must not have keys that differ only in case.
    type: list
    elements: dict
    suboptions:
      key:
        description: Value of O(key) for this item.
        type: str
      type:
        description: Value of O(type) for this item.
        type: str
        choices:
          local: Same as O(type=local).
          remote: Same as O(type=remote).
          virtual: Same as O(type=virtual).
          federated: Same as O(type=federated).
      package_type:
        description: Value of O(package_type) for this item.
        type: str
      terraform_type:
        description: Value of O(terraform_type) for this item.
        type: str
        choices:
          module: Same as O(terraform_type=module).
          provider: Same as O(terraform_type=provider).
      description:
        description: Value of O(description) for this item.
        type: str
      notes:
        description: Value of O(notes) for this item.
        type: str
      layout:
        description: Value of O(layout) for this item.
        type: str
      project:
        description: Value of O(project) for this item.
        type: str
      environments:
        description: Value of O(environments) for this item.
        type: list
        elements: str
      includes_pattern:
        description: Value of O(includes_pattern) for this item.
        type: str
      excludes_pattern:
        description: Value of O(excludes_pattern) for this item.
        type: str
      url:
        description:
          - Value of O(remote_url) for this item. It is not the URL of Artifactory.
        type: str
      username:
        description:
          - Value of O(remote_username) for this item. It is not the user name of the connection to Artifactory.
        type: str
      password:
        description:
          - Value of O(remote_password) for this item. It is not the password of the connection to Artifactory.
        type: str
      repositories:
        description: Value of O(repositories) for this item.
        type: list
        elements: str
      default_deployment_repo:
        description: Value of O(default_deployment_repo) for this item.
        type: str
      members:
        description: Value of O(members) for this item.
        type: list
        elements: dict
        suboptions:
          url:
            description: Value of O(members[].url) for this item.
            type: str
          enabled:
            description: Value of O(members[].enabled) for this item.
            type: bool
            default: true
      blacked_out:
        description: Value of O(blacked_out) for this item.
        type: bool
      xray_index:
        description: Value of O(xray_index) for this item.
        type: bool
      property_sets:
        description: Value of O(property_sets) for this item.
        type: list
        elements: str
      archive_browsing_enabled:
        description: Value of O(archive_browsing_enabled) for this item.
        type: bool
      download_redirect:
        description: Value of O(download_redirect) for this item.
        type: bool
      cdn_redirect:
        description: Value of O(cdn_redirect) for this item.
        type: bool
      priority_resolution:
        description: Value of O(priority_resolution) for this item.
        type: bool
      checksum_policy_type:
        description: Value of O(checksum_policy_type) for this item.
        type: str
        choices:
          client-checksums: Same as O(checksum_policy_type=client-checksums).
          server-generated-checksums: Same as O(checksum_policy_type=server-generated-checksums).
      snapshot_version_behavior:
        description: Value of O(snapshot_version_behavior) for this item.
        type: str
        choices:
          unique: Same as O(snapshot_version_behavior=unique).
          non-unique: Same as O(snapshot_version_behavior=non-unique).
          deployer: Same as O(snapshot_version_behavior=deployer).
      max_unique_snapshots:
        description: Value of O(max_unique_snapshots) for this item.
        type: int
      handle_releases:
        description: Value of O(handle_releases) for this item.
        type: bool
      handle_snapshots:
        description: Value of O(handle_snapshots) for this item.
        type: bool
      suppress_pom_consistency_checks:
        description: Value of O(suppress_pom_consistency_checks) for this item.
        type: bool
      docker_api_version:
        description: Value of O(docker_api_version) for this item.
        type: str
        choices:
          V1: Same as O(docker_api_version=V1).
          V2: Same as O(docker_api_version=V2).
      max_unique_tags:
        description: Value of O(max_unique_tags) for this item.
        type: int
      docker_tag_retention:
        description: Value of O(docker_tag_retention) for this item.
        type: int
      block_pushing_schema1:
        description: Value of O(block_pushing_schema1) for this item.
        type: bool
      debian_trivial_layout:
        description: Value of O(debian_trivial_layout) for this item.
        type: bool
      optional_index_compression_formats:
        description: Value of O(optional_index_compression_formats) for this item.
        type: list
        elements: str
      ddeb_supported:
        description: Value of O(ddeb_supported) for this item.
        type: bool
      debian_default_architectures:
        description: Value of O(debian_default_architectures) for this item.
        type: str
      primary_key_pair_ref:
        description: Value of O(primary_key_pair_ref) for this item.
        type: str
      secondary_key_pair_ref:
        description: Value of O(secondary_key_pair_ref) for this item.
        type: str
      yum_root_depth:
        description: Value of O(yum_root_depth) for this item.
        type: int
      calculate_yum_metadata:
        description: Value of O(calculate_yum_metadata) for this item.
        type: bool
      enable_file_lists_indexing:
        description: Value of O(enable_file_lists_indexing) for this item.
        type: bool
      yum_group_file_names:
        description: Value of O(yum_group_file_names) for this item.
        type: str
      force_nuget_authentication:
        description: Value of O(force_nuget_authentication) for this item.
        type: bool
      force_non_duplicate_chart:
        description: Value of O(force_non_duplicate_chart) for this item.
        type: bool
      force_metadata_name_version:
        description: Value of O(force_metadata_name_version) for this item.
        type: bool
      proxy:
        description: Value of O(proxy) for this item.
        type: str
      disable_proxy:
        description: Value of O(disable_proxy) for this item.
        type: bool
      remote_layout:
        description: Value of O(remote_layout) for this item.
        type: str
      hard_fail:
        description: Value of O(hard_fail) for this item.
        type: bool
      offline:
        description: Value of O(offline) for this item.
        type: bool
      query_params:
        description: Value of O(query_params) for this item.
        type: str
      store_artifacts_locally:
        description: Value of O(store_artifacts_locally) for this item.
        type: bool
      socket_timeout_millis:
        description: Value of O(socket_timeout_millis) for this item.
        type: int
      local_address:
        description: Value of O(local_address) for this item.
        type: str
      retrieval_cache_period_secs:
        description: Value of O(retrieval_cache_period_secs) for this item.
        type: int
      missed_retrieval_cache_period_secs:
        description: Value of O(missed_retrieval_cache_period_secs) for this item.
        type: int
      metadata_retrieval_timeout_secs:
        description: Value of O(metadata_retrieval_timeout_secs) for this item.
        type: int
      unused_artifacts_cleanup_period_hours:
        description: Value of O(unused_artifacts_cleanup_period_hours) for this item.
        type: int
      assumed_offline_period_secs:
        description: Value of O(assumed_offline_period_secs) for this item.
        type: int
      share_configuration:
        description: Value of O(share_configuration) for this item.
        type: bool
      synchronize_properties:
        description: Value of O(synchronize_properties) for this item.
        type: bool
      block_mismatching_mime_types:
        description: Value of O(block_mismatching_mime_types) for this item.
        type: bool
      mismatching_mime_types_override_list:
        description: Value of O(mismatching_mime_types_override_list) for this item.
        type: str
      allow_any_host_auth:
        description: Value of O(allow_any_host_auth) for this item.
        type: bool
      enable_cookie_management:
        description: Value of O(enable_cookie_management) for this item.
        type: bool
      bypass_head_requests:
        description: Value of O(bypass_head_requests) for this item.
        type: bool
      client_tls_certificate:
        description: Value of O(client_tls_certificate) for this item.
        type: str
      disable_url_normalization:
        description: Value of O(disable_url_normalization) for this item.
        type: bool
      list_remote_folder_items:
        description: Value of O(list_remote_folder_items) for this item.
        type: bool
      content_synchronisation:
        description: Value of O(content_synchronisation) for this item.
        type: dict
        suboptions:
          enabled:
            description: Value of O(content_synchronisation.enabled) for this item.
            type: bool
          statistics:
            description: Value of O(content_synchronisation.statistics) for this item.
            type: bool
          properties:
            description: Value of O(content_synchronisation.properties) for this item.
            type: bool
          origin_absence_detection:
            description: Value of O(content_synchronisation.origin_absence_detection) for this item.
            type: bool
      fetch_jars_eagerly:
        description: Value of O(fetch_jars_eagerly) for this item.
        type: bool
      fetch_sources_eagerly:
        description: Value of O(fetch_sources_eagerly) for this item.
        type: bool
      remote_repo_checksum_policy_type:
        description: Value of O(remote_repo_checksum_policy_type) for this item.
        type: str
      reject_invalid_jars:
        description: Value of O(reject_invalid_jars) for this item.
        type: bool
      external_dependencies_enabled:
        description: Value of O(external_dependencies_enabled) for this item.
        type: bool
      external_dependencies_patterns:
        description: Value of O(external_dependencies_patterns) for this item.
        type: list
        elements: str
      external_dependencies_remote_repo:
        description: Value of O(external_dependencies_remote_repo) for this item.
        type: str
      enable_token_authentication:
        description: Value of O(enable_token_authentication) for this item.
        type: bool
      docker_project_id:
        description: Value of O(docker_project_id) for this item.
        type: str
      charts_base_url:
        description: Value of O(charts_base_url) for this item.
        type: str
      pypi_registry_url:
        description: Value of O(pypi_registry_url) for this item.
        type: str
      pypi_repository_suffix:
        description: Value of O(pypi_repository_suffix) for this item.
        type: str
      feed_context_path:
        description: Value of O(feed_context_path) for this item.
        type: str
      download_context_path:
        description: Value of O(download_context_path) for this item.
        type: str
      v3_feed_url:
        description: Value of O(v3_feed_url) for this item.
        type: str
      symbol_server_url:
        description: Value of O(symbol_server_url) for this item.
        type: str
      vcs_type:
        description: Value of O(vcs_type) for this item.
        type: str
      vcs_git_provider:
        description: Value of O(vcs_git_provider) for this item.
        type: str
      vcs_git_download_url:
        description: Value of O(vcs_git_download_url) for this item.
        type: str
      propagate_query_params:
        description: Value of O(propagate_query_params) for this item.
        type: bool
      retrieve_sha256_from_server:
        description: Value of O(retrieve_sha256_from_server) for this item.
        type: bool
      custom_http_headers:
        description: Value of O(custom_http_headers) for this item.
        type: list
        elements: dict
        suboptions:
          name:
            description: Value of O(custom_http_headers[].name) for this item.
            type: str
          value:
            description: Value of O(custom_http_headers[].value) for this item.
            type: str
          secret_value:
            description: Value of O(custom_http_headers[].secret_value) for this item.
            type: str
      artifactory_requests_can_retrieve_remote_artifacts:
        description: Value of O(artifactory_requests_can_retrieve_remote_artifacts) for this item.
        type: bool
      virtual_retrieval_cache_period_secs:
        description: Value of O(virtual_retrieval_cache_period_secs) for this item.
        type: int
      force_maven_authentication:
        description: Value of O(force_maven_authentication) for this item.
        type: bool
      key_pair:
        description: Value of O(key_pair) for this item.
        type: str
      pom_repository_references_cleanup_policy:
        description: Value of O(pom_repository_references_cleanup_policy) for this item.
        type: str
        choices:
          discard_active_reference: Same as O(pom_repository_references_cleanup_policy=discard_active_reference).
          discard_any_reference: Same as O(pom_repository_references_cleanup_policy=discard_any_reference).
          nothing: Same as O(pom_repository_references_cleanup_policy=nothing).
      resolve_docker_tags_by_timestamp:
        description: Value of O(resolve_docker_tags_by_timestamp) for this item.
        type: bool
      use_namespaces:
        description: Value of O(use_namespaces) for this item.
        type: bool
      settings:
        description: Value of O(settings) for this item.
        type: dict
      allow_delete_content:
        description: Value of O(allow_delete_content) for this item.
        type: bool
      test_connection:
        description: Value of O(test_connection) for this item.
        type: bool
      state:
        description: Value of O(state) for this item.
        type: str
        choices:
          present: Same as O(state=present).
          absent: Same as O(state=absent).
      update_secret:
        description: Value of O(update_secret) for this item.
        type: str
        choices:
          on_create: Same as O(update_secret=on_create).
          always: Same as O(update_secret=always).
seealso:
  - module: buildworks.toolchain.artifact_repository_info
"""

EXAMPLES = r"""
- name: Create a local repository
  buildworks.toolchain.artifact_repository:
    key: libs-release-local
    type: local
    package_type: maven
    description: Releases of our teams
    handle_snapshots: false
    xray_index: true

- name: Declare the npm repositories
  buildworks.toolchain.artifact_repository:
    package_type: npm
    items:
      - key: npm-local
        type: local
        description: Packages of our teams
      - key: npm-remote
        type: remote
        url: https://registry.npmjs.org
        username: proxy
        password: "{{ npm_password | default('change-me') }}"
        retrieval_cache_period_secs: 3600
      - key: npm
        type: virtual
        repositories: [npm-local, npm-remote]
        default_deployment_repo: npm-local
        settings:
          hideUnauthorizedResources: true

- name: Test the connection of a remote repository
  buildworks.toolchain.artifact_repository:
    key: npm-remote
    type: remote
    package_type: npm
    remote_url: https://registry.npmjs.org
    test_connection: true

- name: Replace the password of a remote repository
  buildworks.toolchain.artifact_repository:
    key: npm-remote
    type: remote
    package_type: npm
    remote_url: https://registry.npmjs.org
    remote_password: "{{ new_npm_password | default('change-me-too') }}"
    update_secret: always

- name: Set members of the configuration that have no option
  buildworks.toolchain.artifact_repository:
    key: rust-local
    type: local
    package_type: cargo
    settings:
      cargoInternalIndex: true

- name: Delete a repository together with its artifacts
  buildworks.toolchain.artifact_repository:
    key: rust-local
    state: absent
    allow_delete_content: true

- name: List repositories that are not declared
  buildworks.toolchain.artifact_repository:
    package_type: npm
    items:
      - key: npm-local
        type: local
    undeclared: report
"""

RETURN = r"""
repository:
  description:
    - The repository after the task, with all options that apply to its class and package type except for secrets. In
      check mode, the predicted repository. V(null) if it does not exist.
    - The keys are those of O(items), so that C(url) is the value of O(remote_url).
  returned: success, when O(items) is not set
  type: dict
  contains:
    key:
      description: Key of the repository.
      type: str
    type:
      description: Class of the repository.
      type: str
    package_type:
      description: Package type of the repository.
      type: str
    settings:
      description: Members without an option, under the names of the REST API.
      type: dict
  sample:
    key: npm
    type: virtual
    package_type: npm
    description: ""
    notes: ""
    includes_pattern: "**/*"
    excludes_pattern: ""
    layout: npm-default
    project: ""
    environments: []
    repositories: [npm-local, npm-remote]
    default_deployment_repo: npm-local
    artifactory_requests_can_retrieve_remote_artifacts: false
    external_dependencies_enabled: false
    external_dependencies_patterns: ["**"]
    external_dependencies_remote_repo: ""
    virtual_retrieval_cache_period_secs: 7200
    settings:
      hideUnauthorizedResources: true
connection:
  description: Message of Artifactory about the tested connection.
  returned: success, when O(test_connection=true) and the connection of a remote repository was tested, without O(items)
  type: str
  sample: Successfully connected to server
undeclared:
  description: Keys of the existing repositories that are not in O(items), without those that are never deleted.
  returned: when O(undeclared) is V(report) or V(remove)
  type: list
  elements: str
  sample: [old-npm-local]
counts:
  description: Number of items for each outcome. Each item is counted once.
  returned: when O(items) is set
  type: dict
  contains:
    changed:
      description: Number of items that were changed or, in check mode, would be changed.
      type: int
    ok:
      description: Number of items that were already in the desired state.
      type: int
    failed:
      description: Number of items that failed. RV(failures) contains the reasons.
      type: int
    unknown:
      description: Number of items with an unknown outcome, because the response was lost or the task was interrupted.
        RV(failures) lists these items.
      type: int
    skipped:
      description: Number of items that were not processed, because the task stopped early, for example when
        O(max_failures) was reached.
      type: int
  sample: {changed: 2, ok: 1, failed: 0, unknown: 0, skipped: 0}
failures:
  description: Outcomes of all items with the status V(failed) or V(unknown), in the order of the items. The entries
    have the same keys as RV(outcomes).
  returned: when O(items) is set
  type: list
  elements: dict
  sample: []
outcomes:
  description: Outcomes of the first O(result_limit) items, in the order of O(items). To save the outcomes of all items,
    set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: Item as specified in O(items). C(url), C(username) and the masked C(password) have the keys
        C(remote_url), C(remote_username) and C(remote_password).
      type: dict
    status:
      description: Outcome of the item. One of V(changed), V(ok), V(failed), V(unknown) and V(skipped). RV(counts)
        explains these values.
      type: str
    changed:
      description: Whether the item changed anything on the server or, in check mode, would change anything. V(true) is
        also possible for a failed item, if a part of the change took effect.
      type: bool
    reason:
      description: Reason why the item failed, was skipped or has an unknown outcome. V(null) for successful items.
      type: str
    repository:
      description: Value of RV(repository) for this item.
      type: dict
    connection:
      description: Value of RV(connection) for this item.
      type: str
"""

from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories import (
    connection_test,
    options,
    provisioning,
    queries,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.repositories.repository import Repository
from ansible_collections.buildworks.toolchain.plugins.module_utils._artifact.service import ARTIFACT, ArtifactService
from ansible_collections.buildworks.toolchain.plugins.module_utils._bulk import Item, process_one_or_items
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.shared import (
    PREDICT_MISSING,
    UNDECLARED,
    VISIBILITY,
    with_items,
)
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import (
    append_undeclared,
    check_undeclared,
)

SPEC = ARTIFACT + with_items(options.ITEM, **options.NAMES_IN_ITEMS) + VISIBILITY + PREDICT_MISSING + UNDECLARED


def run(task: Task) -> None:
    check_undeclared(task)
    artifact = ArtifactService(task)
    for item in task.params["items"] or ():
        options.rename_in_item(item)
    shared = provisioning.Provisioning(task, artifact, lambda *item: Repository(*item).reconcile())

    def expand(items: list[Item]) -> list[Item]:
        complete = append_undeclared(task, "repositories", items, "key", lambda: queries.list_deletable(artifact))
        return shared.prepare(complete)

    process_one_or_items(
        task,
        options.ITEM,
        lambda item: reconcile_repository(item, shared),
        check=options.check_options,
        identity=lambda params: params["key"].lower(),
        name_option="key",
        expand_all=expand,
    )


def reconcile_repository(task: Task, shared: provisioning.Provisioning) -> None:
    options.check_options(task.params)
    Repository(task, shared).reconcile()
    connection_test.test_connection(task, ArtifactService(task))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
