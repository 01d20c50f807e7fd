// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

/** A benchmark that could not be finished, or whose jobs did not run exactly once; the message is for the user. */
final class BenchException extends Exception {
    private static final long serialVersionUID = 1L;

    BenchException(String message) {
        super(message);
    }
}
