// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.LongFork;
import java.util.concurrent.RecursiveAction;

/** Sums the numbers of a range by splitting it into ten parts, down to single numbers. */
final class Skynet {
    private static final int CHILDREN = 10;

    private Skynet() {}

    static long plain(int first, int size) {
        if (size == 1) {
            return first;
        }
        long sum = 0;
        for (int i = 0; i < CHILDREN; i++) {
            sum += plain(first + i * (size / CHILDREN), size / CHILDREN);
        }
        return sum;
    }

    /** A fork of Corelane. */
    static final class Lazy extends LongFork {
        private final int first;
        private final int size;

        Lazy(int first, int size) {
            this.first = first;
            this.size = size;
        }

        @Override
        protected long compute() {
            if (size == 1) {
                return first;
            }
            Lazy[] children = new Lazy[CHILDREN];
            for (int i = 0; i < CHILDREN; i++) {
                children[i] = new Lazy(first + i * (size / CHILDREN), size / CHILDREN);
                children[i].fork();
            }
            long sum = 0;
            for (int i = CHILDREN - 1; i >= 0; i--) {
                sum += children[i].join();
            }
            return sum;
        }
    }

    /** A fork of ForkJoinPool. */
    static final class Eager extends RecursiveAction {
        private static final long serialVersionUID = 1L;

        private final int first;
        private final int size;
        long result;

        Eager(int first, int size) {
            this.first = first;
            this.size = size;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // joined below
        protected void compute() {
            if (size == 1) {
                result = first;
                return;
            }
            Eager[] children = new Eager[CHILDREN];
            for (int i = 0; i < CHILDREN; i++) {
                children[i] = new Eager(first + i * (size / CHILDREN), size / CHILDREN);
                children[i].fork();
            }
            long sum = 0;
            for (int i = CHILDREN - 1; i >= 0; i--) {
                children[i].join();
                sum += children[i].result;
            }
            result = sum;
        }
    }
}
