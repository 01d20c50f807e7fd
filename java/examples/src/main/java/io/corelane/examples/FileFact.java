// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.Locale;

/**
 * What is known of a file, or of an entry of an archive.
 *
 * @param extension what follows the last dot of the name, in small letters; empty if there is none
 * @param entry whether it is an entry of an archive
 * @param bytes its size
 * @param sha256 the hash of its content, in hexadecimal digits
 */
record FileFact(String extension, boolean entry, long bytes, String sha256) {
    /** Returns the extension of a name. That of a hidden file begins at a second dot. */
    static String extensionOf(String path) {
        String name = path.substring(path.lastIndexOf('/') + 1);
        int dot = name.lastIndexOf('.');
        return dot <= 0 ? "" : name.substring(dot + 1).toLowerCase(Locale.ROOT);
    }
}
