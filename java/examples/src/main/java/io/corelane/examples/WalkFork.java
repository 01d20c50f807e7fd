// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import io.corelane.Fork;
import java.util.ArrayList;
import java.util.List;

/** Walks with a fork for each step. */
final class WalkFork extends Fork<Findings> {
    private final Step step;

    WalkFork(Step step) {
        this.step = step;
    }

    @Override
    protected Findings compute() {
        Findings findings = new Findings();
        try {
            List<WalkFork> forks = new ArrayList<>();
            for (Step next : step.run(findings)) {
                WalkFork fork = new WalkFork(next);
                fork.fork();
                forks.add(fork);
            }
            for (int i = forks.size() - 1; i >= 0; i--) {
                findings.addAll(forks.get(i).join());
            }
        } finally {
            step.end(findings);
        }
        return findings;
    }
}
