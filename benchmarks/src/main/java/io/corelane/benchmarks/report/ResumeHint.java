// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.io.PrintWriter;

/** Says how to go on if the process is ended from outside before this is withdrawn. The exit code stays that of the signal. */
final class ResumeHint {
    private final Thread hook;

    ResumeHint(PrintWriter errors, String hint) {
        hook = new Thread(() -> {
            errors.println(hint);
            errors.flush();
        });
        Runtime.getRuntime().addShutdownHook(hook);
    }

    void withdraw() {
        try {
            boolean ignored = Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException ending) {
            return; // the hook runs
        }
    }
}
