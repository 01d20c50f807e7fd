// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own for a test program that needs limits, a small heap or a death; it has the tests' class path. */
public final class ChildJvm implements AutoCloseable {
    private static final long DEADLINE_SECONDS = 120;

    private final Process process;
    private final Path log;

    /** How it ended. */
    public record Result(int exit, String output) {}

    private ChildJvm(Process process, Path log) {
        this.process = process;
        this.log = log;
    }

    /** Starts the main method of a class, behind a command such as {@code taskset} if the prefix is not empty. */
    public static ChildJvm start(List<String> prefix, List<String> options, Class<?> program, String... arguments)
            throws IOException {
        return start(prefix, options, classPath(), program, arguments);
    }

    /** The same with another class path, for a user who may not read that of the tests. */
    public static ChildJvm start(
            List<String> prefix, List<String> options, String classPath, Class<?> program, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        if (Runtime.version().feature() >= 24) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        command.addAll(options);
        command.add("-cp");
        command.add(classPath);
        command.add(program.getName());
        command.addAll(List.of(arguments));
        Path log = Files.createTempFile("child", ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        return new ChildJvm(process, log);
    }

    /** Runs a program that must end by itself with exit code 0. */
    public static String run(List<String> prefix, List<String> options, Class<?> program, String... arguments)
            throws Exception {
        try (ChildJvm child = start(prefix, options, program, arguments)) {
            Result result = child.await();
            assertThat(result.exit).as("%s", result.output).isZero();
            return result.output;
        }
    }

    /** The class path of this JVM, absolute, so that it holds in any directory. */
    public static String classPath() {
        return String.join(
                File.pathSeparator,
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .map(path -> Path.of(path).toAbsolutePath().toString())
                        .toList());
    }

    /** Returns the process. */
    public Process process() {
        return process;
    }

    /** Returns what it has printed so far. */
    public String output() {
        try {
            return Files.readString(log, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits until the program has printed a text. */
    public void awaitOutput(String text) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!output().contains(text)) {
            assertThat(process.isAlive() && System.nanoTime() - deadline < 0)
                    .as("waits for %s: %s", text, output())
                    .isTrue();
            boolean ignored = process.waitFor(10, TimeUnit.MILLISECONDS);
        }
    }

    /** Waits for its end. */
    public Result await() throws InterruptedException {
        boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
        assertThat(ended).as("does not end: %s", output()).isTrue();
        return new Result(process.exitValue(), output());
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.delete(log);
    }
}
