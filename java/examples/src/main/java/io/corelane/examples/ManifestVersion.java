// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import picocli.CommandLine.IVersionProvider;

/** The version in the manifest of the jar. */
final class ManifestVersion implements IVersionProvider {
    @Override
    public String[] getVersion() {
        String version = Main.class.getPackage().getImplementationVersion();
        return new String[] {"examples " + (version == null ? "(not run from its jar)" : version)};
    }
}
