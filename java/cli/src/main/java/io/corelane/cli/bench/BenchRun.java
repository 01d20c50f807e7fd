// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Takes the subjects in turn: warm-up first, then the counted rounds, each in another order. */
final class BenchRun {
    private static final int WARMUP_ROUNDS = 3;
    private static final long WARMUP_WORK_NANOS = 1_000_000_000;

    private final List<Subject> subjects;
    private final RoundRunner runner;
    private final PrintWriter progress;

    BenchRun(List<Subject> subjects, RoundRunner runner, PrintWriter progress) {
        this.subjects = subjects;
        this.runner = runner;
        this.progress = progress;
    }

    List<SubjectResult> run(int jobs, long workNanos, int rounds) throws BenchException, InterruptedException {
        int warmupJobs = warmupJobs(jobs, workNanos);
        for (int i = 0; i < WARMUP_ROUNDS; i++) {
            note("warm-up " + (i + 1) + "/" + WARMUP_ROUNDS, round(i, warmupJobs));
        }
        RoundTime[][] times = new RoundTime[subjects.size()][rounds];
        for (int i = 0; i < rounds; i++) {
            RoundTime[] round = round(i, jobs);
            note("round " + (i + 1) + "/" + rounds, round);
            for (int s = 0; s < round.length; s++) {
                times[s][i] = round[s];
            }
        }
        List<SubjectResult> results = new ArrayList<>();
        for (int s = 0; s < times.length; s++) {
            Subject subject = subjects.get(s);
            results.add(new SubjectResult(subject, subject.jobs(jobs), List.of(times[s])));
        }
        return results;
    }

    /** A warm-up round is a whole one, but works about a second in all at most. */
    static int warmupJobs(int jobs, long workNanos) {
        return workNanos == 0 ? jobs : (int) Math.max(1, Math.min(jobs, WARMUP_WORK_NANOS / workNanos));
    }

    /** Runs each subject once, starting with another one in each round. */
    private RoundTime[] round(int number, int jobs) throws BenchException, InterruptedException {
        RoundTime[] times = new RoundTime[subjects.size()];
        for (int i = 0; i < times.length; i++) {
            int turn = (i + number) % times.length;
            Subject subject = subjects.get(turn);
            times[turn] = runner.run(subject, subject.jobs(jobs));
        }
        return times;
    }

    private void note(String what, RoundTime[] times) {
        StringBuilder line = new StringBuilder(what);
        for (int s = 0; s < times.length; s++) {
            line.append(String.format(
                    Locale.ROOT,
                    "%s %s %.1f ms",
                    s == 0 ? ":" : ",",
                    subjects.get(s).name(),
                    times[s].nanos() / 1e6));
        }
        progress.println(line);
        progress.flush();
    }
}
