// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.Comparator;

/**
 * What could not be read.
 *
 * @param path the file, directory, archive or entry
 * @param reason why
 */
record Unread(String path, String reason) {
    static final Comparator<Unread> ORDER = Comparator.comparing(Unread::path).thenComparing(Unread::reason);

    static Unread of(String path, Exception cause) {
        return new Unread(path, cause.getClass().getSimpleName() + ": " + cause.getMessage());
    }
}
