// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

/** Walks one step after the other. */
final class WalkRecursion {
    private WalkRecursion() {}

    static Findings walk(Step step) {
        Findings findings = new Findings();
        try {
            for (Step next : step.run(findings)) {
                findings.addAll(walk(next));
            }
        } finally {
            step.end(findings);
        }
        return findings;
    }
}
