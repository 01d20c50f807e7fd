// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

/**
 * The work of a job: dependent xorshift steps, which no processor can overlap and no compiler can leave out.
 *
 * @param steps how many, 0 for an empty job
 */
record SpinWork(int steps) {
    /** Works and returns a value that depends on every step. */
    long spin(long seed) {
        long x = seed | 1;
        for (int i = 0; i < steps; i++) {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }
        return x;
    }
}
