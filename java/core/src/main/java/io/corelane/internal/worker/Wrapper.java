// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

/**
 * A job around another one. Who gets to see a job, a failure handler or the caller of shutdownNow, sees the one inside.
 */
abstract class Wrapper implements Runnable {
    final Runnable body;

    Wrapper(Runnable body) {
        this.body = body;
    }

    static Runnable unwrap(Runnable job) {
        Runnable inner = job;
        while (inner instanceof Wrapper wrapper) {
            inner = wrapper.body;
        }
        return inner;
    }

    @Override
    public String toString() {
        return body.toString();
    }
}
