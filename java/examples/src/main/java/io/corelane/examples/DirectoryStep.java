// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;

/**
 * Lists a directory. Links are counted and not followed.
 *
 * @param directory the directory
 */
record DirectoryStep(Path directory) implements Step {
    @Override
    public List<Step> run(Findings findings) {
        List<Step> steps = new ArrayList<>();
        try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
            for (Path child : children) {
                add(child, steps, findings);
            }
        } catch (IOException | DirectoryIteratorException e) {
            findings.addUnread(directory.toString(), e);
        }
        return steps;
    }

    private static void add(Path child, List<Step> steps, Findings findings) {
        BasicFileAttributes attributes;
        try {
            attributes = Files.readAttributes(child, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        } catch (IOException e) {
            findings.addUnread(child.toString(), e);
            return;
        }
        if (attributes.isDirectory()) {
            steps.add(new DirectoryStep(child));
        } else if (attributes.isRegularFile()) {
            steps.add(ArchiveStep.isArchive(child) ? new ArchiveStep(child) : new FileStep(child));
        } else if (attributes.isSymbolicLink()) {
            findings.addLink();
        } else {
            findings.addOther();
        }
    }
}
