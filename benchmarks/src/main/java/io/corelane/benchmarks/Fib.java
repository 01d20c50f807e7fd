// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.LongFork;
import java.util.concurrent.RecursiveAction;

/** Fibonacci numbers, the slow way. */
final class Fib {
    private Fib() {}

    static long plain(int n) {
        return n < 2 ? n : plain(n - 1) + plain(n - 2);
    }

    /** A fork of Corelane. */
    static final class Lazy extends LongFork {
        private final int n;

        Lazy(int n) {
            this.n = n;
        }

        @Override
        protected long compute() {
            return of(n);
        }

        private static long of(int n) {
            if (n < 2) {
                return n;
            }
            Lazy left = new Lazy(n - 1);
            left.fork();
            long right = of(n - 2);
            return left.join() + right;
        }
    }

    /** A fork of ForkJoinPool. */
    static final class Eager extends RecursiveAction {
        private static final long serialVersionUID = 1L;

        private final int n;
        long result;

        Eager(int n) {
            this.n = n;
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // joined below
        protected void compute() {
            result = of(n);
        }

        @SuppressWarnings("FutureReturnValueIgnored") // joined below
        private static long of(int n) {
            if (n < 2) {
                return n;
            }
            Eager left = new Eager(n - 1);
            left.fork();
            long right = of(n - 2);
            left.join();
            return left.result + right;
        }
    }
}
