// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which classes of roots had many forks and have ended quickly all the same, the last time.
 *
 * <p><b>Thread safety:</b> any thread may call anything. It may forget: a class that is not known counts as not quick.
 */
final class QuickRoots {
    /*
     * A table with one place for each hash, read and written without order: what a reader sees is a class or null, and a
     * class is a final object. A wrong answer costs time and nothing else.
     */
    private static final int PLACES = 64;

    private final @Nullable Class<?>[] quick = new Class<?>[PLACES];

    boolean isQuick(Class<?> root) {
        return quick[place(root)] == root;
    }

    void note(Class<?> root, boolean wasQuick) {
        int place = place(root);
        if (wasQuick != (quick[place] == root)) {
            quick[place] = wasQuick ? root : null;
        }
    }

    private static int place(Class<?> root) {
        int hash = System.identityHashCode(root);
        return (hash ^ hash >>> 16) & PLACES - 1;
    }

    @Override
    public String toString() {
        return Arrays.toString(quick);
    }
}
