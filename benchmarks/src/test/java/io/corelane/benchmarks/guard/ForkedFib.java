// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.guard;

import io.corelane.LongFork;

/** Fibonacci numbers without a cut-off: for each of them a fork with one int. */
final class ForkedFib extends LongFork {
    private final int n;

    ForkedFib(int n) {
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
        ForkedFib left = new ForkedFib(n - 1);
        left.fork();
        long right = of(n - 2);
        return left.join() + right;
    }

    /** Returns how many forks the number has: as many as there are sums. */
    static long forks(int n) {
        return n < 2 ? 0 : 1 + forks(n - 1) + forks(n - 2);
    }
}
