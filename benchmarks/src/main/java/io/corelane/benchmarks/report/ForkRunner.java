// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import io.corelane.benchmarks.Subjects;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a fork's JVM, and sees to it that there is a result whatever becomes of it. */
class ForkRunner {
    private static final int MESSAGE_CHARACTERS = 300;

    private final Path directory;
    private final Profile profile;

    ForkRunner(Path directory, Profile profile) {
        this.directory = directory;
        this.profile = profile;
    }

    /** Runs a fork, or tells why it cannot be run here. */
    ForkResult run(Fork fork) throws IOException, InterruptedException {
        String reason = Subjects.unavailable(fork.subject());
        if (reason != null) {
            return ForkResult.without(fork, ForkResult.Status.SKIPPED, reason);
        }
        Path task = directory.resolve(fork.id() + ".task");
        Path answer = directory.resolve(fork.id() + ".answer");
        Path log = directory.resolve(fork.id() + ".log");
        Files.deleteIfExists(answer);
        Json.write(task, Task.of(fork, profile));
        Process process = new ProcessBuilder(command(fork, task, answer))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            return result(fork, process, answer, log);
        } finally {
            process.destroyForcibly();
            Files.deleteIfExists(task);
            Files.deleteIfExists(answer);
        }
    }

    private ForkResult result(Fork fork, Process process, Path answer, Path log)
            throws IOException, InterruptedException {
        if (!process.waitFor(profile.timeoutSeconds(), TimeUnit.SECONDS)) {
            return ForkResult.without(
                    fork, ForkResult.Status.TIMEOUT, "not ended after " + profile.timeoutSeconds() + " s");
        }
        if (process.exitValue() != 0 || !Files.exists(answer)) {
            return ForkResult.without(
                    fork, ForkResult.Status.FAILED, "exit code " + process.exitValue() + ": " + reason(log));
        }
        if (Files.size(log) == 0) {
            Files.delete(log);
        }
        return Json.read(answer, ForkResult.class);
    }

    List<String> command(Fork fork, Path task, Path answer) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xms" + profile.heapMebibytes() + "m");
        command.add("-Xmx" + profile.heapMebibytes() + "m");
        command.add("-XX:+AlwaysPreTouch");
        command.addAll(Subjects.jvmArguments(fork.subject(), Runtime.version().feature()));
        command.add("-cp");
        command.add(System.getProperty("java.class.path"));
        command.add(ForkMain.class.getName());
        command.add(task.toString());
        command.add(answer.toString());
        return command;
    }

    /** Returns the last line that a JVM printed, without those of a stack trace that only say where. */
    static String reason(Path log) throws IOException {
        String last = Files.readString(log, StandardCharsets.ISO_8859_1)
                .lines()
                .filter(line -> !line.isBlank() && !line.startsWith("\t"))
                .reduce((earlier, later) -> later)
                .orElse("its log is empty");
        return last.length() <= MESSAGE_CHARACTERS ? last : last.substring(0, MESSAGE_CHARACTERS) + "...";
    }
}
