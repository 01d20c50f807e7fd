// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.cli.CommandException;
import io.corelane.cli.CpuListConverter;
import io.corelane.cli.ManifestVersion;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.PinningException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code corelane bench} command. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        versionProvider = ManifestVersion.class,
        description = "Runs a million jobs from one submitting thread and prints how long they take.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:every job of every round ran exactly once",
            "1:a job did not run exactly once, a CPU was refused, or the run broke off",
            "2:wrong usage"
        })
public final class BenchCommand implements Callable<Integer> {
    private static final int MAX_JOBS = 20_000_000;
    /** Measured at up to 56 bytes for a queued job, and a collector needs some air. */
    private static final long BYTES_PER_JOB = 100;

    private static final long MAX_WORK_NANOS = 100_000_000;
    private static final int MAX_ROUNDS = 1000;
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    @Option(
            names = "--jobs",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "jobs in a round; default: ${DEFAULT-VALUE}")
    private int jobs;

    @Option(names = "--workers", paramLabel = "N", description = "workers; default: one for each CPU")
    private @Nullable Integer workers;

    @Option(
            names = "--work-ns",
            paramLabel = "NS",
            defaultValue = "0",
            description = "nanoseconds that a job spins; default: ${DEFAULT-VALUE}, an empty job")
    private long workNanos;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "counted rounds, after the warm-up; default: ${DEFAULT-VALUE}")
    private int rounds;

    @Option(
            names = "--compare",
            description = "measure a ForkJoinPool, a ThreadPoolExecutor and a thread for each job as well")
    private boolean compare;

    @Option(
            names = "--cpus",
            paramLabel = "LIST",
            converter = CpuListConverter.class,
            description = "CPUs to pin the workers to, such as 0-3,8; default: those this process may use")
    private @Nullable CpuSet cpus;

    @Option(
            names = "--pinning",
            paramLabel = "MODE",
            defaultValue = "REQUIRED",
            description = "${COMPLETION-CANDIDATES}; default: ${DEFAULT-VALUE}")
    private Pinning pinning = Pinning.REQUIRED;

    @Option(names = "--json", description = "print the report as one JSON document")
    private boolean json;

    /** Creates the command with nothing set; picocli fills it. */
    public BenchCommand() {}

    @Override
    public Integer call() throws CommandException {
        validate();
        BenchResult result;
        try {
            result = measure();
        } catch (BenchException failed) {
            throw new CommandException(String.valueOf(failed.getMessage()), failed);
        } catch (OutOfMemoryError error) {
            throw new CommandException(
                    error.getMessage() + " with --jobs=" + jobs
                            + " (expected room for all of them; lower --jobs, or raise -Xmx or the limit of threads)",
                    error);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", interrupt);
        }
        PrintWriter out = spec.commandLine().getOut();
        out.println(json ? JsonReport.of(result) : TextReport.of(result).stripTrailing());
        out.flush();
        return CommandLine.ExitCode.OK;
    }

    private BenchResult measure() throws BenchException, InterruptedException {
        BenchSettings settings =
                new BenchSettings(jobs, workNanos, rounds, compare, new SchedulerSettings(workers, cpus, pinning));
        MachineFacts machine = MachineFacts.read();
        List<Subject> subjects = subjects(settings, machine.allowedCpus().size());
        noteLoad(machine);
        Calibration calibration = Calibration.of(workNanos);
        Duration patience = PATIENCE.plusNanos(100 * workNanos);
        RoundRunner runner = new RoundRunner(calibration.work(), patience);
        BenchRun run = new BenchRun(subjects, runner, spec.commandLine().getErr());
        return new BenchResult(
                settings,
                machine,
                calibration.work().steps(),
                calibration.measuredNanos(),
                run.run(jobs, workNanos, rounds));
    }

    private void noteLoad(MachineFacts machine) {
        if (machine.isBusy()) {
            spec.commandLine()
                    .getErr()
                    .printf(
                            Locale.ROOT,
                            "note: load average %.2f with CPUs %s (numbers repeat on an idle machine only)%n",
                            machine.loadAverage(),
                            machine.allowedCpus());
        }
    }

    private List<Subject> subjects(BenchSettings settings, int allowedCpus) {
        try {
            return Subjects.list(settings, allowedCpus);
        } catch (PinningException refused) {
            if (settings.scheduler().cpus() != null) {
                throw refused; // their number was right, so it is about the CPUs themselves
            }
            throw usage(String.valueOf(refused.getMessage()));
        } catch (IllegalArgumentException refused) {
            throw usage(String.valueOf(refused.getMessage()));
        }
    }

    private void validate() {
        requireRange("--jobs", jobs, 1, MAX_JOBS);
        requireMemory(Runtime.getRuntime().maxMemory());
        requireRange("--work-ns", workNanos, 0, MAX_WORK_NANOS);
        requireRange("--rounds", rounds, 1, MAX_ROUNDS);
        if (cpus != null && pinning == Pinning.OFF) {
            throw usage("--cpus=" + cpus + " with --pinning=OFF (expected REQUIRED or PREFERRED; or leave --cpus out)");
        }
        if (workers != null && pinning != Pinning.OFF) {
            CpuSet plan = cpus != null ? cpus : CpuLimits.read().defaultCpus();
            if (workers < 1 || workers > plan.size()) {
                throw usage("--workers=" + workers + " (expected 1.." + plan.size() + ", one for each of the CPUs "
                        + plan + "; more are possible with --pinning=OFF)");
            }
        }
    }

    /** All jobs may wait at once, if the workers are slow. */
    void requireMemory(long heapBytes) {
        long fitting = heapBytes / BYTES_PER_JOB;
        if (jobs > fitting) {
            throw usage(String.format(
                    Locale.ROOT,
                    "--jobs=%d (expected 1..%d, as many as fit into a heap of %d MiB; raise -Xmx for more)",
                    jobs,
                    fitting,
                    heapBytes >> 20));
        }
    }

    private void requireRange(String option, long value, long min, long max) {
        if (value < min || value > max) {
            throw usage(String.format(Locale.ROOT, "%s=%d (expected %d..%d)", option, value, min, max));
        }
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
