// Copyright (c) 2026, the buildworks.toolchain authors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

import java.io.File;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jfrog.artifactory.client.Artifactory;
import org.jfrog.artifactory.client.ArtifactoryClientBuilder;

/** Uploads a file to Artifactory and downloads it again: URL TOKEN REPOSITORY PATH SOURCE TARGET. */
public class Client {
    public static void main(String[] arguments) throws Exception {
        try (Artifactory artifactory = ArtifactoryClientBuilder.create()
                .setUrl(arguments[0]).setAccessToken(arguments[1]).build()) {
            var repository = artifactory.repository(arguments[2]);
            repository.upload(arguments[3], new File(arguments[4])).doUpload();
            try (InputStream content = repository.download(arguments[3]).doDownload()) {
                Files.copy(content, Path.of(arguments[5]));
            }
        }
    }
}
