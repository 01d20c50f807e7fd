// SPDX-License-Identifier: Apache-2.0
package io.corelane.examples;

import io.corelane.topology.CpuLimits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that all programs have. */
final class RunOptions {
    private static final int MAX_WORKERS = 1024;
    private static final int MAX_ROUNDS = 1000;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--workers",
            paramLabel = "N",
            description = "threads of the ForkJoinPool and of Corelane; default: one for each CPU")
    private @Nullable Integer workers;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "3",
            description = "measured rounds, after one to warm up; default: ${DEFAULT-VALUE}")
    private int rounds;

    void validate() {
        requireRange("--rounds", rounds, 1, MAX_ROUNDS);
        if (workers != null) {
            requireRange("--workers", workers, 1, MAX_WORKERS);
        }
    }

    int rounds() {
        return rounds;
    }

    Pools startPools() {
        return Pools.start(workers != null ? workers : CpuLimits.read().defaultWorkers());
    }

    /** Refuses a value as wrong usage. */
    void requireRange(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw usage(Report.format("%s=%d (expected %d..%d)", option, value, min, max));
        }
    }

    ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
