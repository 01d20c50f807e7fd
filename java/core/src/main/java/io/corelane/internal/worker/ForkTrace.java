// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

/** Where a fork was joined that has failed on another thread; suppressed in its failure. */
final class ForkTrace extends Exception {
    private static final long serialVersionUID = 1L;

    ForkTrace() {
        super("forked on " + Thread.currentThread().getName() + ", and joined here");
    }
}
