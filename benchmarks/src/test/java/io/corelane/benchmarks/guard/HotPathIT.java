// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.benchmarks.Subjects;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Counts what the way of a job costs in things that do not depend on how busy the machine is: bytes, sleeps, wake-ups, and
 * atomic instructions in the compiled code. A change that adds one fails here, and has to change the number on purpose.
 */
class HotPathIT {
    private static final String WORKER = "io.corelane.internal.worker.";
    private static final String SHARD_OFFER = "io.corelane.internal.injector.InjectorShard::offer";
    private static final String EXECUTE = WORKER + "Intake::execute";
    private static final String PUSH_ALL = "io.corelane.internal.deque.FifoWorkDeque::pushAll";
    private static final String RUN_OWN_JOBS = WORKER + "Worker::runOwnJobs";

    @TempDir
    Path directory;

    private String run(List<String> options, String... arguments) throws IOException, InterruptedException {
        Path output = directory.resolve("output");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(Subjects.jvmArguments("corelane", Runtime.version().feature()));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), HotPathMain.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        boolean ended = process.waitFor(300, TimeUnit.SECONDS);
        process.destroyForcibly();
        assertThat(ended).as("ended; printed: %s", Files.readString(output)).isTrue();
        assertThat(process.exitValue())
                .as("exit code; printed: %s", Files.readString(output))
                .isZero();
        return Files.readString(output);
    }

    @Test
    void bytesSleepsAndWakeUpsStayWhereTheyAre() throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        run(List.of("-Xms512m", "-Xmx512m"))
                .lines()
                .filter(line -> line.contains("="))
                .forEach(line -> {
                    String[] parts = line.split("=", 2);
                    counts.put(parts[0], Long.valueOf(parts[1]));
                });
        assertThat(counts.get("bytesPerMillionExecutes")).as("all: %s", counts).isLessThan(1_000_000);
        assertThat(counts.get("bytesPerMillionSubmits")).as("all: %s", counts).isBetween(24_000_000L, 40_000_000L);
        assertThat(counts.get("bytesPerMillionForks"))
                .as("a fork with an int is an object of 24 bytes; all: %s", counts)
                .isBetween(24_000_000L, 32_000_000L);
        assertThat(counts.get("sleepsPerMillionInABurst"))
                .as("a quiet machine has fewer than 100, one per chunk of jobs would be thousands; all: %s", counts)
                .isLessThanOrEqualTo(1000);
        assertThat(counts.get("parksPer20000Hops"))
                .as("a chain beside an idle worker, nine of ten; all: %s", counts)
                .isLessThanOrEqualTo(40);
        assertThat(counts.get("stolenPer20000Hops"))
                .as("a chain stays where it is, nine times of ten; all: %s", counts)
                .isLessThanOrEqualTo(100);
        assertThat(counts.get("wakeUpsPerThousandSingles"))
                .as("all: %s", counts)
                .isLessThanOrEqualTo(1500);
    }

    @Test
    void compiledHotPathsHaveTheAtomicInstructionsTheyNeedAndNoMore() throws Exception {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "counts x86-64 instructions");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/objdump")), "no objdump (Debian package binutils)");
        List<String> options = new ArrayList<>(List.of(
                "-Xbatch",
                "-XX:-TieredCompilation",
                "-XX:+UseSerialGC",
                "-XX:+UnlockDiagnosticVMOptions",
                "-XX:CompileCommand=quiet",
                "-XX:CompileCommand=inline,io.corelane.internal.deque.*::*",
                "-XX:CompileCommand=inline,io.corelane.internal.injector.*::*",
                "-XX:CompileCommand=inline,io.corelane.internal.worker.Intake::*",
                "-XX:CompileCommand=inline,io.corelane.internal.worker.Worker::goesOn",
                "-XX:CompileCommand=inline,io.corelane.internal.worker.Worker::ownJob",
                "-XX:CompileCommand=inline,io.corelane.internal.worker.Worker::run",
                "-XX:CompileCommand=inline,io.corelane.internal.worker.Worker::runAlone"));
        for (String rare : List.of("fairTurn", "found", "giveAway", "idle", "pollMailbox", "runFirst", "sweep")) {
            options.add("-XX:CompileCommand=dontinline,io.corelane.internal.worker.Worker::" + rare);
        }
        for (String method : List.of(SHARD_OFFER, EXECUTE, PUSH_ALL, RUN_OWN_JOBS)) {
            options.add("-XX:CompileCommand=print," + method);
        }
        String output = run(options, "compile");
        List<String> offer = JitCode.atomics(output, SHARD_OFFER, directory);
        assertThat(offer)
                .as("offer: a CAS on either way through it")
                .hasSizeBetween(1, 2)
                .allMatch(HotPathIT::isCas);
        assertThat(JitCode.atomics(output, EXECUTE, directory))
                .as("execute: offers to this shard and to others, none with a fence of its own")
                .hasSizeBetween(1, 7)
                .allMatch(HotPathIT::isCas);
        assertThat(JitCode.atomics(output, PUSH_ALL, directory)).as("pushAll").isEmpty();
        assertThat(JitCode.atomics(output, RUN_OWN_JOBS, directory))
                .as("runOwnJobs: the pop")
                .hasSize(1)
                .allMatch(HotPathIT::isCas);
    }

    /**
     * All of our code that C2 compiles while trees of private forks run is looked at, so it does not matter what is inlined
     * where. The scheduler itself is kept out of it: it is called once in many forks, and may have fences.
     */
    @Test
    void privateForksAndTheirJoinsHaveNoAtomicInstruction() throws Exception {
        assumeTrue(System.getProperty("os.arch").equals("amd64"), "counts x86-64 instructions");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/objdump")), "no objdump (Debian package binutils)");
        String output = run(
                List.of(
                        "-Xbatch",
                        "-XX:-TieredCompilation",
                        "-XX:+UseSerialGC",
                        "-XX:+UnlockDiagnosticVMOptions",
                        "-XX:CompileCommand=quiet",
                        "-XX:CompileCommand=dontinline," + WORKER + "*::*",
                        "-XX:CompileCommand=print,io.corelane.*::*"),
                "forks");
        Map<String, List<String>> atomics = JitCode.atomicsByMethod(output, directory);
        assertThat(atomics).containsKey(ForkedFib.class.getName() + "::of");
        assertThat(atomics)
                .allSatisfy((method, instructions) ->
                        assertThat(instructions).as(method).isEmpty());
    }

    private static boolean isCas(String instruction) {
        return instruction.startsWith("lock cmpxchg");
    }
}
