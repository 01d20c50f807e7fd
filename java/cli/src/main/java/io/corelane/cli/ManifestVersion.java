// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

import picocli.CommandLine.IVersionProvider;

/** The version in the manifest of the jar. */
public final class ManifestVersion implements IVersionProvider {
    /** Creates the provider. */
    public ManifestVersion() {}

    @Override
    public String[] getVersion() {
        String version = Main.class.getPackage().getImplementationVersion();
        return new String[] {"corelane " + (version == null ? "(not run from its jar)" : version)};
    }
}
