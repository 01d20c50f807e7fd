// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Hashes a file.
 *
 * @param file the file
 */
record FileStep(Path file) implements Step {
    @Override
    public List<Step> run(Findings findings) {
        try (InputStream content = Files.newInputStream(file)) {
            findings.addFact(Hashing.fact(file.toString(), false, content));
        } catch (IOException e) {
            findings.addUnread(file.toString(), e);
        }
        return List.of();
    }
}
