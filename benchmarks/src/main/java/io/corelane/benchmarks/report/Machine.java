// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import io.corelane.topology.CpuLimits;
import java.io.IOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/** What a reader has to know of the machine to judge a figure; all of it as text, in the order of showing. */
final class Machine {
    /** The fact that is there only if the machine was not quiet. */
    static final String NOISE = "noise";

    private static final double QUIET_LOAD = 0.5; // half a CPU in the last minute
    private static final Path MITIGATIONS = Path.of("/sys/devices/system/cpu/vulnerabilities");

    private Machine() {}

    static Map<String, String> describe() {
        return describe(ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
    }

    /** Describes a machine that had a load average, which is negative if it is not known. */
    static Map<String, String> describe(double load) {
        CpuLimits limits = CpuLimits.read();
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("date", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        facts.put("commit", commit(codeSource()));
        facts.put("CPU", cpuModel());
        facts.put("allowed CPUs", limits.allowed() + " (workers by default: " + limits.defaultWorkers() + ")");
        facts.put("kernel", System.getProperty("os.name") + " " + System.getProperty("os.version"));
        facts.put("JDK", System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"));
        facts.put(
                "GC",
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(GarbageCollectorMXBean::getName)
                        .collect(Collectors.joining(", ")));
        facts.put("mitigations", mitigations(MITIGATIONS));
        facts.put("load average before", String.valueOf(load));
        if (load > QUIET_LOAD) {
            facts.put(NOISE, noise(load));
        }
        return facts;
    }

    private static String noise(double load) {
        return String.format(Locale.ROOT, "load average %.2f", load) + " before the run (expected at most " + QUIET_LOAD
                + "): other processes use CPUs, or did a minute ago; figures may be low and differ from JVM to JVM";
    }

    private static String cpuModel() {
        try {
            for (String line : Files.readAllLines(Path.of("/proc/cpuinfo"), StandardCharsets.ISO_8859_1)) {
                if (line.startsWith("model name")) {
                    return line.substring(line.indexOf(':') + 1).strip();
                }
            }
        } catch (IOException absent) {
            return System.getProperty("os.arch");
        }
        return System.getProperty("os.arch");
    }

    /** Lists those of the kernel's mitigations that are switched on or needed; one "Not affected" for all that are not. */
    static String mitigations(Path directory) {
        Map<String, String> states = new TreeMap<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                String state = Files.readString(file).strip();
                if (!state.equals("Not affected")) {
                    states.put(file.getFileName().toString(), state);
                }
            }
        } catch (IOException absent) {
            return "unknown";
        }
        return states.isEmpty()
                ? "not affected"
                : states.entrySet().stream()
                        .map(state -> state.getKey() + ": " + state.getValue())
                        .collect(Collectors.joining("; "));
    }

    private static Path codeSource() {
        String first = System.getProperty("java.class.path").split(":", 2)[0];
        Path path = Path.of(first).toAbsolutePath();
        return Files.isDirectory(path) || path.getParent() == null ? path : path.getParent();
    }

    /** Returns the commit of the work tree that a directory is in, or "unknown". */
    static String commit(Path directory) {
        try {
            Process git = new ProcessBuilder(
                            "git", "-C", directory.toString(), "describe", "--always", "--dirty", "--abbrev=12")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return git.waitFor(10, TimeUnit.SECONDS) && git.exitValue() == 0 ? text : "unknown";
        } catch (IOException noGit) {
            return "unknown";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "unknown";
        }
    }
}
