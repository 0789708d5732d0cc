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
  - The module compares and changes only the options that are set. If Artifactory does not return a value, the module
    assumes the default of Artifactory.
  - The order of list elements is ignored, except in O(repositories). The order of comma-separated values matters,
    except in O(debian_default_architectures).
  - The class, package type and Terraform type of an existing repository cannot be changed. If one of them differs, the
    task fails without changing the repository.
  - If an option does not apply to the class and package type of the repository, the task fails before the first
    request.
  - After a change, the module reads the repository again. The task fails if Artifactory did not store the requested
    values.
  - A repository that contains artifacts is deleted only if O(allow_delete_content=true).
  - A member of a virtual repository is deleted only if the same task removes it from the virtual repository or deletes
    the virtual repository.
  - In check mode, the task fails if the server is the open-source edition of Artifactory. Unless
    O(predict_missing=true), it also fails if a layout, proxy, property set or member does not exist, or if a member has
    an unsuitable package type. These checks require that the account can read the objects.
version_added: 0.3.0
author: the buildworks.toolchain authors (@buildworks)
extends_documentation_fragment:
  - buildworks.toolchain.option_order.artifact_repository
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
  - Requires administrator permissions and Artifactory Pro. Federated repositories require Artifactory Enterprise.
  - With O(undeclared=remove), the module keeps repositories that Artifactory creates for itself, such as those for
    build information, release bundles and logs.
  - If two administrators change a repository at the same time, both changes are kept, because the module sends only the
    members that differ. Of changes of the same member, the last one remains.
  - Tested against the sandbox of this collection, which is itself tested with jfrog-client-go and pyartifactory. Not
    tested against a real Artifactory server.
options:
  state:
    choices:
      present: Create the repository or change it as specified.
      absent: Delete the repository.
  key:
    description:
      - Key of the repository. It has at most 64 characters. Spaces and special characters such as slashes, colons and
        quotes are not allowed.
      - With O(state=present), the key must be an XML name. It consists of letters, digits, V(_), V(-) and V(.), and
        starts with a letter or V(_). Names of pages of Artifactory, such as V(api) and V(list), are reserved.
      - The key cannot be changed. To rename a repository, create another one, move the artifacts and delete the old
        one.
      - Required if O(items) is not set. With O(items), each item must have a key.
    type: str
  type:
    description:
      - Class of the repository. The class of an existing repository cannot be changed.
      - Required if O(state=present).
    type: str
    choices:
      local: The repository stores uploaded artifacts.
      remote: The repository proxies another server and caches its artifacts.
      virtual: The repository combines several repositories under one key.
      federated: The repository is mirrored between several Artifactory servers. Requires Artifactory Enterprise 7.18.3
        or later.
  package_type:
    description:
      - Package type of the repository in lower case, such as V(maven), V(npm), V(docker), V(pypi) or V(generic). The
        package type of an existing repository cannot be changed.
      - Required if O(state=present).
    type: str
  terraform_type:
    description:
      - Whether a Terraform repository contains modules or providers. This cannot be changed for an existing repository.
      - Required for local Terraform repositories.
      - Applies to all repositories of the package type V(terraform).
    type: str
    choices:
      module: The repository contains Terraform modules.
      provider: The repository contains Terraform providers.
  description:
    description:
      - Description of the repository. An empty string removes it.
    type: str
  notes:
    description:
      - Internal notes about the repository. An empty string removes them.
    type: str
  layout:
    description:
      - Name of the repository layout, which defines the structure of the paths of artifacts. For example,
        V(maven-2-default).
      - If not set, a new repository gets the layout that the user interface of Artifactory selects for its package
        type.
    type: str
  project:
    description:
      - Key of the project in which a new repository is created. Requires Artifactory 7.17.4 or later.
      - This option cannot move an existing repository to another project. Use M(buildworks.toolchain.artifact_project)
        instead.
    type: str
  environments:
    description:
      - Environments of the repository, such as V(DEV) and V(PROD), in any order. Environments other than these two
        require Artifactory 7.53.1 or later. From that version until 7.107.1, a repository has only one environment.
      - A repository keeps its environments if it is assigned to a project or removed from one.
    type: list
    elements: str
  includes_pattern:
    description:
      - Comma-separated Ant patterns of the paths that the repository accepts. V(**/*), the default of Artifactory,
        accepts all paths.
    type: str
  excludes_pattern:
    description:
      - Comma-separated Ant patterns of the paths that the repository rejects, even if O(includes_pattern) accepts them.
        For example, V(**/*-SNAPSHOT/**,tmp/**).
      - An empty string, the default of Artifactory, rejects no paths.
    type: str
  remote_url:
    description:
      - URL of the server that the remote repository proxies.
      - Within O(items), this option is named O(items[].url). Outside of O(items), O(url) is the URL of Artifactory.
      - Applies to remote repositories, for which it is required.
    type: str
  remote_username:
    description:
      - User name with which Artifactory authenticates to the server at O(remote_url).
      - Within O(items), this option is named O(items[].username).
      - Applies to remote repositories.
    type: str
  remote_password:
    description:
      - Password or token with which Artifactory authenticates to the server at O(remote_url).
      - Artifactory does not return the password, so O(update_secret) determines when it is sent.
      - Within O(items), this option is named O(items[].password).
      - Applies to remote repositories.
    type: str
  repositories:
    description:
      - Keys of the repositories that are members of a virtual repository, in the order in which Artifactory searches
        them.
      - Members that are not listed are removed. An empty list removes all members.
      - Applies to virtual repositories.
    type: list
    elements: str
  default_deployment_repo:
    description:
      - Key of the local or federated member that stores the artifacts that are uploaded to a virtual repository.
      - An empty string removes the setting, so that the virtual repository accepts no uploads.
      - Applies to virtual repositories.
    type: str
  members:
    description:
      - Repositories on other Artifactory servers with which a federated repository is mirrored, in any order.
      - Members that are not listed are removed. An empty list removes all of them.
      - Artifactory adds the URL of the repository itself, which can be omitted.
      - Applies to federated repositories.
    type: list
    elements: dict
    suboptions:
      url:
        description:
          - URL of the repository on the other server, such as V(https://eu.example.com/artifactory/npm-federated).
            Required.
        type: str
      enabled:
        description:
          - Whether Artifactory mirrors artifacts to this member.
        type: bool
        default: true
  blacked_out:
    description:
      - Whether the repository is disabled. A disabled repository accepts no uploads and returns no artifacts.
      - Applies to local, remote and federated repositories.
    type: bool
  xray_index:
    description:
      - Whether JFrog Xray indexes the artifacts in the repository.
      - Applies to local, remote and federated repositories.
    type: bool
  property_sets:
    description:
      - Names of the property sets of the repository, in any order. Property sets that are not listed are removed from
        the repository.
      - Applies to local, remote and federated repositories.
    type: list
    elements: str
  archive_browsing_enabled:
    description:
      - Whether users can view files in archives, such as Javadoc, in the browser without downloading the archive.
      - Applies to local, remote and federated repositories.
    type: bool
  download_redirect:
    description:
      - Whether Artifactory redirects downloads to the cloud storage that contains the files.
      - Applies to local, remote and federated repositories.
    type: bool
  cdn_redirect:
    description:
      - Whether Artifactory redirects downloads to a content delivery network (CDN).
      - Applies to local, remote and federated repositories.
    type: bool
  priority_resolution:
    description:
      - Whether virtual repositories search this repository before members without priority.
      - Applies to local, remote and federated repositories.
    type: bool
  checksum_policy_type:
    description:
      - How Artifactory handles a checksum that a client sends with an upload.
      - Applies to local and federated repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
    choices:
      client-checksums: Reject the upload if the checksum does not match. This is the default of Artifactory.
      server-generated-checksums: Ignore the checksum of the client and use the one that Artifactory calculates.
  snapshot_version_behavior:
    description:
      - Names under which Artifactory stores Maven snapshots.
      - Applies to local and federated repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
    choices:
      unique: Unique names that contain a timestamp. This is the default of Artifactory.
      non-unique: Names that end with C(-SNAPSHOT), so that a new snapshot replaces the previous one.
      deployer: The names that the client uses in the upload.
  max_unique_snapshots:
    description:
      - Maximum number of snapshots of an artifact that Artifactory keeps. If it is exceeded, Artifactory deletes the
        oldest snapshots.
      - V(0), the default of Artifactory, keeps all snapshots.
      - Applies to local, remote and federated repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
        Applies to local and federated repositories of the package type V(nuget). Applies to remote repositories of the
        package type V(vcs).
    type: int
  handle_releases:
    description:
      - Whether the repository accepts release versions of artifacts. Artifactory's default is V(true).
      - Applies to local, remote and federated repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  handle_snapshots:
    description:
      - Whether the repository accepts snapshot versions of artifacts. Artifactory's default is V(true).
      - Applies to local, remote and federated repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  suppress_pom_consistency_checks:
    description:
      - Whether the repository accepts POM files whose coordinates do not match their path.
      - Artifactory's default is V(false) for V(maven) and V(true) for the other package types.
      - Applies to local, remote and federated repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  docker_api_version:
    description:
      - Version of the Docker registry API that the repository supports. Artifactory's default is V(V2).
      - Applies to local and federated repositories of the package types V(docker) and V(oci).
    type: str
    choices:
      V1: Version 1, for clients before Docker 1.6.
      V2: Version 2, which current clients require.
  max_unique_tags:
    description:
      - Maximum number of tags of an image that Artifactory keeps. If it is exceeded, Artifactory deletes the oldest
        tags.
      - V(0), the default of Artifactory, keeps all tags.
      - Applies to local and federated repositories of the package types V(docker), V(helmoci) and V(oci).
    type: int
  docker_tag_retention:
    description:
      - Maximum number of revisions of a tag that Artifactory keeps when the tag is overwritten. V(1), the default of
        Artifactory, keeps only the latest revision.
      - Applies to local and federated repositories of the package types V(docker), V(helmoci) and V(oci).
    type: int
  block_pushing_schema1:
    description:
      - Whether the repository rejects images whose manifest has schema version 1. Artifactory's default is V(true).
      - Applies to local, remote and federated repositories of the package type V(docker).
    type: bool
  debian_trivial_layout:
    description:
      - Whether the repository uses the trivial layout for Debian repositories, which is deprecated.
      - Applies to local and federated repositories of the package type V(debian).
    type: bool
  optional_index_compression_formats:
    description:
      - Formats in which Artifactory compresses the package index in addition to Gzip, in any order. For example,
        V(bz2), V(xz) and V(lzma).
      - Artifactory's default is V(["bz2"]).
      - Applies to local, virtual and federated repositories of the package type V(debian).
    type: list
    elements: str
  ddeb_supported:
    description:
      - Whether Artifactory indexes packages with debug symbols (C(.ddeb) files).
      - Applies to local and federated repositories of the package type V(debian).
    type: bool
  debian_default_architectures:
    description:
      - Comma-separated architectures that Artifactory includes in the initial package index, in any order.
        Artifactory's default is V(amd64,i386).
      - Applies to virtual repositories of the package type V(debian).
    type: str
  primary_key_pair_ref:
    description:
      - Name of the key pair with which Artifactory signs the metadata of the repository.
      - Applies to local, virtual and federated repositories of the package types V(alpine), V(debian) and V(rpm), to
        all repositories of the package type V(hex), and to local and federated repositories of the package type
        V(ansible).
    type: str
  secondary_key_pair_ref:
    description:
      - Name of a second key pair with which Artifactory signs the metadata of the repository, in addition to
        O(primary_key_pair_ref).
      - Applies to local, virtual and federated repositories of the package types V(debian) and V(rpm).
    type: str
  yum_root_depth:
    description:
      - Depth of the folders in which Artifactory creates the RPM metadata. V(0), the default of Artifactory, is the
        root folder of the repository.
      - Applies to local and federated repositories of the package type V(rpm).
    type: int
  calculate_yum_metadata:
    description:
      - Whether Artifactory calculates the RPM metadata automatically after uploads.
      - Applies to local and federated repositories of the package type V(rpm).
    type: bool
  enable_file_lists_indexing:
    description:
      - Whether the RPM metadata lists the files in each package.
      - Applies to local and federated repositories of the package type V(rpm).
    type: bool
  yum_group_file_names:
    description:
      - Comma-separated names of the XML files that define groups of RPM packages. Artifactory adds these groups to the
        RPM metadata.
      - Applies to local and federated repositories of the package type V(rpm).
    type: str
  force_nuget_authentication:
    description:
      - Whether the repository rejects anonymous requests for NuGet packages, even if anonymous users have permissions.
      - Applies to all repositories of the package type V(nuget).
    type: bool
  force_non_duplicate_chart:
    description:
      - Whether the repository rejects a chart if a chart with the same name and version exists.
      - Artifactory may refuse to change this setting of an existing repository.
      - Applies to local and federated repositories of the package type V(helm).
    type: bool
  force_metadata_name_version:
    description:
      - Whether the repository rejects a chart if its file name does not match the name and version in its metadata.
      - Artifactory may refuse to change this setting of an existing repository.
      - Applies to local and federated repositories of the package type V(helm).
    type: bool
  proxy:
    description:
      - Key of the HTTP proxy through which Artifactory sends requests to other servers. An empty string removes the
        proxy.
      - Applies to remote and federated repositories.
    type: str
  disable_proxy:
    description:
      - Whether Artifactory ignores its default proxy for this repository. Requires Artifactory 7.41.7 or later.
      - Applies to remote and federated repositories.
    type: bool
  remote_layout:
    description:
      - Name of the repository layout on the remote server, if it differs from O(layout). A remote layout can be
        changed, but Artifactory cannot remove it.
      - Applies to remote repositories.
    type: str
  hard_fail:
    description:
      - Whether Artifactory returns an error to the client if it cannot connect to the remote server.
      - Applies to remote repositories.
    type: bool
  offline:
    description:
      - Whether Artifactory returns only cached artifacts and sends no requests to the remote server.
      - Applies to remote repositories.
    type: bool
  query_params:
    description:
      - Query parameters that Artifactory adds to all requests to the remote server, such as V(a=b&c=d).
      - Applies to remote repositories.
    type: str
  store_artifacts_locally:
    description:
      - Whether Artifactory caches the artifacts of the remote server. If V(false), it passes them to the client without
        storing them.
      - Artifactory's default is V(true).
      - Applies to remote repositories.
    type: bool
  socket_timeout_millis:
    description:
      - Time in milliseconds that Artifactory waits for a connection or response of the remote server. Artifactory's
        default is V(15000).
      - Applies to remote repositories.
    type: int
  local_address:
    description:
      - Local IP address from which Artifactory connects to the remote server. This selects the network interface if the
        host has several.
      - Applies to remote repositories.
    type: str
  retrieval_cache_period_secs:
    description:
      - Time in seconds for which Artifactory uses cached metadata without checking the remote server for a newer
        version. V(0) disables the caching of metadata.
      - Artifactory's default is V(21600) for V(docker), V(helmoci) and V(oci), and V(7200) for the other package types.
      - Applies to remote repositories.
    type: int
  missed_retrieval_cache_period_secs:
    description:
      - Time in seconds for which Artifactory remembers that an artifact does not exist on the remote server. V(0)
        disables this.
      - Artifactory's default is V(1800).
      - Applies to remote repositories.
    type: int
  metadata_retrieval_timeout_secs:
    description:
      - Time in seconds that Artifactory waits for metadata of the remote server before it uses the cached version.
        Artifactory's default is V(60).
      - Applies to remote repositories.
    type: int
  unused_artifacts_cleanup_period_hours:
    description:
      - Time in hours without downloads after which Artifactory can delete a cached artifact. V(0), the default of
        Artifactory, keeps all cached artifacts.
      - Applies to remote repositories.
    type: int
  assumed_offline_period_secs:
    description:
      - Time in seconds for which Artifactory regards the remote server as offline after a failed connection. V(0)
        disables this.
      - Artifactory's default is V(300).
      - Applies to remote repositories.
    type: int
  share_configuration:
    description:
      - Whether other Artifactory servers can import the configuration of this repository.
      - Applies to remote repositories.
    type: bool
  synchronize_properties:
    description:
      - Whether Artifactory copies the properties of artifacts from the remote server, which must be another Artifactory
        server.
      - Applies to remote repositories.
    type: bool
  block_mismatching_mime_types:
    description:
      - Whether Artifactory rejects responses of the remote server whose MIME type does not match the extension of the
        requested file. An example is an HTML login page instead of an archive.
      - Applies to remote repositories.
    type: bool
  mismatching_mime_types_override_list:
    description:
      - Comma-separated MIME types that Artifactory accepts even if O(block_mismatching_mime_types=true).
      - Applies to remote repositories.
    type: str
  allow_any_host_auth:
    description:
      - Whether Artifactory also sends the credential to other hosts to which the remote server redirects requests.
        Enable this only if you trust these hosts.
      - Applies to remote repositories.
    type: bool
  enable_cookie_management:
    description:
      - Whether Artifactory stores the cookies of the remote server and sends them with later requests.
      - Applies to remote repositories.
    type: bool
  bypass_head_requests:
    description:
      - Whether Artifactory requests artifacts with C(GET) without sending a C(HEAD) request first. This is necessary if
        the remote server rejects C(HEAD) requests.
      - Artifactory enables this setting for Ansible Galaxy and public Terraform registries. V(false) is refused for
        them.
      - Applies to remote repositories.
    type: bool
  client_tls_certificate:
    description:
      - Alias of the client certificate with which Artifactory authenticates to the remote server.
      - Applies to remote repositories.
    type: str
  disable_url_normalization:
    description:
      - Whether Artifactory sends URLs to the remote server without normalizing them.
      - Applies to remote repositories.
    type: bool
  list_remote_folder_items:
    description:
      - Whether users can browse the folders of the remote server in Artifactory.
      - Applies to remote repositories.
    type: bool
  content_synchronisation:
    description:
      - Synchronization with the remote server, which must be another Artifactory server (smart remote repository). Only
        the suboptions that are set are changed.
      - Applies to remote repositories.
    type: dict
    suboptions:
      enabled:
        description:
          - Whether Artifactory synchronizes anything with the remote server.
        type: bool
      statistics:
        description:
          - Whether Artifactory reports downloads of cached artifacts to the remote server.
        type: bool
      properties:
        description:
          - Whether Artifactory updates the properties of cached artifacts if they change on the remote server.
        type: bool
      origin_absence_detection:
        description:
          - Whether Artifactory marks cached artifacts that were deleted on the remote server.
        type: bool
  fetch_jars_eagerly:
    description:
      - Whether Artifactory downloads a JAR file as soon as a client requests its POM file.
      - Applies to remote repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  fetch_sources_eagerly:
    description:
      - Whether Artifactory downloads a source archive as soon as a client requests the JAR file.
      - Applies to remote repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  remote_repo_checksum_policy_type:
    description:
      - How Artifactory handles missing and wrong checksums of the remote server.
      - V(generate-if-absent), the default of Artifactory, generates missing checksums and rejects artifacts with wrong
        ones. V(fail) rejects artifacts in both cases.
      - V(ignore-and-generate) always uses generated checksums. V(pass-thru) stores the checksums of the remote server
        unchanged.
      - Applies to remote repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
  reject_invalid_jars:
    description:
      - Whether Artifactory rejects JAR files of the remote server that are not valid archives.
      - Applies to remote repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  external_dependencies_enabled:
    description:
      - Whether Artifactory rewrites references to dependencies on other hosts, so that clients download them through
        Artifactory.
      - Artifactory's default is V(true) for virtual repositories of the package type V(go) and V(false) for other
        repositories.
      - Applies to remote repositories of the package types V(docker), V(helm), V(helmoci) and V(oci), and to virtual
        repositories of the package types V(bower), V(go) and V(npm).
    type: bool
  external_dependencies_patterns:
    description:
      - Ant patterns of the dependencies on other hosts that Artifactory rewrites, in any order.
      - If O(external_dependencies_enabled=true), Artifactory replaces an empty list with V(["**"]), which matches all
        dependencies.
      - Applies to remote repositories of the package types V(docker), V(helm), V(helmoci) and V(oci), and to virtual
        repositories of the package types V(bower), V(go) and V(npm).
    type: list
    elements: str
  external_dependencies_remote_repo:
    description:
      - Key of the remote repository through which Artifactory downloads dependencies on other hosts.
      - Applies to virtual repositories of the package types V(bower) and V(npm).
    type: str
  enable_token_authentication:
    description:
      - Whether Artifactory authenticates to the remote registry with bearer tokens.
      - Applies to remote repositories of the package types V(docker), V(helmoci) and V(oci).
    type: bool
  docker_project_id:
    description:
      - ID of the project in the remote registry to which the repository is limited, such as the ID of a Google Cloud
        project.
      - Applies to remote repositories of the package types V(docker), V(helmoci) and V(oci).
    type: str
  charts_base_url:
    description:
      - Base URL of the charts on the remote server, if it differs from O(remote_url).
      - Applies to remote repositories of the package type V(helm).
    type: str
  pypi_registry_url:
    description:
      - URL of the PyPI registry that the repository proxies. Artifactory's default is V(https://pypi.org).
      - Applies to remote repositories of the package type V(pypi).
    type: str
  pypi_repository_suffix:
    description:
      - Path of the package index, relative to O(pypi_registry_url). Artifactory's default is V(simple).
      - Applies to remote repositories of the package type V(pypi).
    type: str
  feed_context_path:
    description:
      - Path of the NuGet v2 feed on the remote server. Artifactory's default is V(api/v2).
      - Applies to remote repositories of the package type V(nuget).
    type: str
  download_context_path:
    description:
      - Path from which Artifactory downloads NuGet v2 packages on the remote server. Artifactory's default is
        V(api/v2/package).
      - Applies to remote repositories of the package type V(nuget).
    type: str
  v3_feed_url:
    description:
      - URL of the NuGet v3 feed. Artifactory's default is V(https://api.nuget.org/v3/index.json).
      - Artifactory does not return the URL, so O(update_secret) determines when it is sent.
      - Applies to remote repositories of the package type V(nuget).
    type: str
  symbol_server_url:
    description:
      - URL of the NuGet symbol server. Artifactory's default is V(https://symbols.nuget.org/download/symbols).
      - Artifactory does not return the URL, so O(update_secret) determines when it is sent.
      - Applies to remote repositories of the package type V(nuget).
    type: str
  vcs_type:
    description:
      - Version control system of the remote server. Artifactory's default is V(GIT).
      - Applies to remote repositories of the package types V(bower), V(cocoapods), V(composer), V(go) and V(vcs).
    type: str
  vcs_git_provider:
    description:
      - Provider of the Git repositories, such as V(GITHUB), V(GITLAB), V(BITBUCKET), V(STASH), V(ARTIFACTORY) or
        V(CUSTOM).
      - Artifactory's default is V(ARTIFACTORY) for V(go) and V(GITHUB) for the other package types.
      - Applies to remote repositories of the package types V(bower), V(cocoapods), V(composer), V(go) and V(vcs).
    type: str
  vcs_git_download_url:
    description:
      - Pattern of the URLs from which Artifactory downloads archives of Git repositories. It is used if
        O(vcs_git_provider=CUSTOM).
      - Applies to remote repositories of the package types V(bower), V(cocoapods), V(composer), V(go) and V(vcs).
    type: str
  propagate_query_params:
    description:
      - Whether Artifactory passes the query parameters of client requests to the remote server.
      - Applies to remote repositories of the package types V(gems), V(generic) and V(go).
    type: bool
  retrieve_sha256_from_server:
    description:
      - Whether Artifactory retrieves the SHA-256 checksum of an artifact from the remote server if the checksum is not
        in the cache.
      - Applies to remote repositories of the package types V(gems), V(generic) and V(go).
    type: bool
  custom_http_headers:
    description:
      - At most five HTTP headers that Artifactory sends with requests to the remote server, in any order.
      - Headers that are not listed are removed. An empty list removes all headers.
      - Applies to remote repositories of the package type V(generic).
    type: list
    elements: dict
    suboptions:
      name:
        description:
          - Name of the HTTP header. Required.
        type: str
      value:
        description:
          - Value of the HTTP header. If the value is secret, set O(custom_http_headers[].secret_value) instead.
        type: str
      secret_value:
        description:
          - Secret value of the HTTP header. Mutually exclusive with O(custom_http_headers[].value).
          - Artifactory does not return the value, so O(update_secret) determines when it is sent.
        type: str
  artifactory_requests_can_retrieve_remote_artifacts:
    description:
      - Whether other Artifactory servers can download artifacts through remote members of the virtual repository.
      - Applies to virtual repositories.
    type: bool
  virtual_retrieval_cache_period_secs:
    description:
      - Time in seconds for which Artifactory caches the metadata that it merges from the members of the virtual
        repository. V(0) disables the cache.
      - Artifactory's default is V(7200) for V(alpine), V(conda), V(cran), V(debian), V(helm), V(npm) and V(rpm), and
        V(600) for the other package types.
      - Applies to virtual repositories of the package types V(alpine), V(ansible), V(chef), V(conan), V(conda),
        V(cran), V(debian), V(docker), V(gems), V(go), V(gradle), V(helm), V(ivy), V(maven), V(npm), V(pypi), V(rpm)
        and V(sbt).
    type: int
  force_maven_authentication:
    description:
      - Whether the virtual repository rejects anonymous requests, even if anonymous users have permissions.
      - Applies to virtual repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: bool
  key_pair:
    description:
      - Name of the key pair with which Artifactory signs JAR files for Java Web Start.
      - Applies to virtual repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
  pom_repository_references_cleanup_policy:
    description:
      - Which references to other repositories Artifactory removes from POM files.
      - Applies to virtual repositories of the package types V(gradle), V(ivy), V(maven) and V(sbt).
    type: str
    choices:
      discard_active_reference: Remove references that are declared in the project or in a profile that is active by
        default. This is the default of Artifactory.
      discard_any_reference: Remove all references, including those in profiles that are not active.
      nothing: Keep all references.
  resolve_docker_tags_by_timestamp:
    description:
      - Whether the virtual repository returns the newest image if several members have the same tag. If V(false), it
        returns the image of the first member.
      - Applies to virtual repositories of the package types V(docker), V(helmoci) and V(oci).
    type: bool
  use_namespaces:
    description:
      - Whether clients can download a chart from a certain member by adding the key of the member to the path. This
        way, several members can contain charts with the same name.
      - Applies to virtual repositories of the package type V(helm).
    type: bool
  settings:
    description:
      - Settings for which this module has no option. The keys are the names of the REST API, such as
        V(hideUnauthorizedResources), or V(curated) and V(passThrough) of remote repositories.
      - The module checks the names and types of settings before the first request. If a name is misspelled, the error
        message suggests the correct one.
      - A setting that has an option can be set here instead of in the option. This does not apply to the key, class,
        package type, password and HTTP headers.
      - Lists and comma-separated values are compared in the same way as those of the options.
    type: dict
  allow_delete_content:
    description:
      - Whether the module may delete a repository that contains artifacts. For a remote repository, these are the
        cached artifacts.
      - If V(false), O(state=absent) fails for such a repository. The error message contains the number and size of the
        files, if they are known.
    type: bool
    default: false
  test_connection:
    description:
      - Whether Artifactory tests its connection to the server of a remote repository. The test follows after changes,
        and also if nothing changed. If it fails, the task fails.
      - The test uses an internal API of Artifactory's user interface, which is not part of the documented REST API.
      - In check mode, only unchanged repositories are tested. Repositories of other classes are never tested.
    type: bool
    default: false
  items:
    description:
      - Repositories to manage, each with the options below. Options that are set outside of O(items) are the defaults
        for all items.
      - Artifactory 7.61.3 and later returns all configurations in one request. New repositories are created in batches
        since Artifactory 7.84.3, and existing ones are changed in batches since Artifactory 7.104.2.
      - If Artifactory refuses a batch, the module sends smaller batches and finally single repositories, so that each
        repository has its own outcome.
      - The order of the items does not matter. Members are created before the virtual repositories that contain them.
        Repositories are deleted last, and virtual repositories are deleted before their members.
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

- name: List npm repositories that are not declared
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
    - The repository after the task, or the predicted repository in check mode. V(null) if the repository does not
      exist.
    - The dictionary contains all options that apply to the class and package type of the repository, except for
      secrets.
    - The keys are the names of the options within O(items). Therefore, C(url) is the value of O(remote_url).
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
      description: Settings for which the module has no option. The keys are the names of the REST API.
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
  description: Message that Artifactory returned when it tested the connection to the remote server.
  returned: success, when O(test_connection=true) and the connection of a remote repository was tested, without O(items)
  type: str
  sample: Successfully connected to server
undeclared:
  description: Keys of the existing repositories that are not in O(items), except for those that Artifactory creates for
    itself. If O(package_type) or O(type) is set beside O(items), only repositories with this value.
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
  description: Outcomes of O(result_limit) items. Failures come first, then deletions, changes that open access, other
    changes and unchanged items, each in the order of O(items). To save the outcomes of all items, set O(to_file).
  returned: when O(items) is set
  type: list
  elements: dict
  contains:
    index:
      description: Position of the item in O(items), starting at 0.
      type: int
    item:
      description: The item as specified in O(items), with a masked password. The options C(url), C(username) and
        C(password) are named C(remote_url), C(remote_username) and C(remote_password).
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
      description: The repository of this item after the task, with the same keys as RV(repository).
      type: dict
    connection:
      description: Message that Artifactory returned when it tested the connection to the remote server of this item.
      type: str
hidden:
  description: Number of items that RV(outcomes) does not contain, by kind. Kinds without such items are left out.
  returned: when O(items) is set
  type: dict
  sample: {changes: 110, unchanged: 4880}
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
from ansible_collections.buildworks.toolchain.plugins.module_utils._options.spec import ArgumentSpec
from ansible_collections.buildworks.toolchain.plugins.module_utils._task import Task, run_as_module
from ansible_collections.buildworks.toolchain.plugins.module_utils._undeclared import append_undeclared

ITEM = options.ITEM + ArgumentSpec({}, checks=[options.check_options])
SPEC = (ARTIFACT + VISIBILITY + PREDICT_MISSING + UNDECLARED) + with_items(ITEM, **options.NAMES_IN_ITEMS)


def run(task: Task) -> None:
    artifact = ArtifactService(task)
    for item in task.params["items"] or ():
        options.rename_in_item(item)
    shared = provisioning.Provisioning(task, artifact, lambda *item: Repository(*item).reconcile())

    def expand(items: list[Item]) -> list[Item]:
        complete = append_undeclared(task, "repositories", items, "key", lambda: queries.list_deletable(task, artifact))
        return shared.prepare(complete)

    process_one_or_items(
        task,
        lambda item: reconcile_repository(item, shared),
        identity=lambda params: params["key"].lower(),
        name_option="key",
        expand_all=expand,
    )


def reconcile_repository(task: Task, shared: provisioning.Provisioning) -> None:
    Repository(task, shared).reconcile()
    connection_test.test_connection(task, ArtifactService(task))


def main() -> None:
    run_as_module(SPEC, run)


if __name__ == "__main__":
    main()
