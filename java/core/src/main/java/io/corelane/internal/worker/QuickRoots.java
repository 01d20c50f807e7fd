// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;

/**
 * Remembers which classes of roots have trees so small that it does not pay to wake a worker for them.
 *
 * <p><b>Thread safety:</b> any thread may call anything. It may forget: a class that is not known has large trees.
 */
final class QuickRoots {
    /*
     * How long a tree takes on one thread shows only if it was not shared. So a class whose last tree was small by the
     * number of its forks, and did not take much longer than a wake-up, is tried: its next tree begins unshared. If that
     * ends in time, so does the next one; if not, a growing number of trees is shared before the next trial, so that trees
     * with few, long parts lose little. Trees with very few forks are never tried: each of those may be long.
     *
     * A table with one place for each hash, read and written without order: entries are immutable, and a wrong answer
     * costs time and nothing else. It keeps no class alive.
     */
    /** Stands for roots that are never tried. */
    static final Class<?> NEVER = QuickRoots.class;

    /** Small trees take less, also if they were shared. */
    private static final long LONG_NANOS = 200_000;

    private static final int PLACES = 64;
    private static final int FEW_FORKS = 32;
    private static final int MANY_FORKS = 4_096;
    private static final int FIRST_PAUSE = 1;
    private static final int LONGEST_PAUSE = 4_096;

    private final @Nullable Entry[] entries = new Entry[PLACES];

    /**
     * A class that has small trees.
     *
     * @param root the class
     * @param skip how many trees until the next trial
     * @param pause how many there will be after a trial that fails
     */
    private record Entry(WeakReference<Class<?>> root, int skip, int pause) {
        boolean isOf(Class<?> other) {
            return root.refersTo(other);
        }
    }

    /** Whether the next tree of this class is to begin unshared. */
    boolean isQuick(Class<?> root) {
        if (root == NEVER) {
            return false;
        }
        int place = place(root);
        Entry entry = entries[place];
        if (entry == null || !entry.isOf(root)) {
            return false;
        }
        if (entry.skip > 0) {
            entries[place] = new Entry(entry.root, entry.skip - 1, entry.pause);
            return false;
        }
        return true;
    }

    /**
     * A tree has ended.
     *
     * @param root the class of its root
     * @param forks how many forks the calling thread has made
     * @param nanos how long it took; 0 if it was tried
     * @param tried whether it began unshared
     * @param inTime whether it stayed so
     */
    void note(Class<?> root, long forks, long nanos, boolean tried, boolean inTime) {
        if (root == NEVER) {
            return;
        }
        int place = place(root);
        Entry entry = entries[place];
        boolean known = entry != null && entry.isOf(root);
        if (nanos > LONG_NANOS && !known) {
            return;
        }
        if (forks < FEW_FORKS || forks > MANY_FORKS) {
            if (known) {
                entries[place] = null;
            }
        } else if (tried && !inTime) {
            int pause = known && entry != null ? entry.pause : FIRST_PAUSE;
            entries[place] = new Entry(new WeakReference<>(root), pause, Math.min(2 * pause, LONGEST_PAUSE));
        } else if (!known || (tried && entry != null && entry.pause > FIRST_PAUSE)) {
            entries[place] = new Entry(new WeakReference<>(root), 0, FIRST_PAUSE);
        }
    }

    private static int place(Class<?> root) {
        int hash = System.identityHashCode(root);
        return (hash ^ (hash >>> 16)) & (PLACES - 1);
    }
}
