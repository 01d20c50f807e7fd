// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs the forks of a profile one after the other. Each result is a file of its own, so a run that was interrupted goes on
 * where it was: forks whose file is there are not run again, unless they failed.
 */
final class ReportRun {
    private final Profile profile;
    private final Path forks;
    private final ForkRunner runner;
    private final PrintWriter progress;

    ReportRun(Profile profile, Path directory, ForkRunner runner, PrintWriter progress) {
        this.profile = profile;
        this.forks = directory;
        this.runner = runner;
        this.progress = progress;
    }

    /** Runs what has not been run; the first result is that of the raw costs. */
    List<ForkResult> run() throws IOException, InterruptedException {
        List<Fork> plan = new ArrayList<>();
        plan.add(Task.raw());
        plan.addAll(Fork.plan(profile));
        List<ForkResult> results = new ArrayList<>();
        long start = System.nanoTime();
        for (Fork fork : plan) {
            progress.print("[" + (results.size() + 1) + "/" + plan.size() + "] " + fork.id() + " ");
            progress.flush();
            ForkResult result = resultOf(fork, (System.nanoTime() - start) / 1_000_000_000L);
            results.add(result);
            progress.println(
                    result.status() == ForkResult.Status.OK ? "ok" : result.status() + ": " + result.message());
        }
        return results;
    }

    private ForkResult resultOf(Fork fork, long elapsedSeconds) throws IOException, InterruptedException {
        Path file = forks.resolve(fork.id() + ".json");
        if (Files.exists(file)) {
            ForkResult result = Json.read(file, ForkResult.class);
            if (!result.isFailure()) {
                return result;
            }
            Files.delete(file);
        }
        if (profile.budgetSeconds() > 0 && fork.repetition() > 0 && elapsedSeconds > profile.budgetSeconds()) {
            return ForkResult.without(
                    fork, ForkResult.Status.SKIPPED, "left out: " + profile.budgetSeconds() + " s were over");
        }
        ForkResult result = runner.run(fork);
        Json.write(file, result);
        return result;
    }
}
