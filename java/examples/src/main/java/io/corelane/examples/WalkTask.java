// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RecursiveTask;

/** Walks with a task for each step. */
@SuppressWarnings("serial") // tasks are never written
final class WalkTask extends RecursiveTask<Findings> {
    private static final long serialVersionUID = 1L;

    private final Step step;

    WalkTask(Step step) {
        this.step = step;
    }

    @Override
    protected Findings compute() {
        Findings findings = new Findings();
        try {
            List<WalkTask> tasks = new ArrayList<>();
            for (Step next : step.run(findings)) {
                WalkTask task = new WalkTask(next);
                task.fork();
                tasks.add(task);
            }
            for (int i = tasks.size() - 1; i >= 0; i--) {
                findings.addAll(tasks.get(i).join());
            }
        } finally {
            step.end(findings);
        }
        return findings;
    }
}
