// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The memory-ordering tests of {@code src/jcstress} on the packaged classes: all in one JVM, or as jcstress runs them. */
class JcstressIT {
    private static final Path DIRECTORY = Path.of("target", "jcstress").toAbsolutePath();
    private static final Path TESTS = DIRECTORY.resolve("tests.jar");

    /** "short", or a mode of jcstress. */
    private static final String MODE = System.getProperty("jcstress.mode", "short");

    private static final String SELECTED = System.getProperty("jcstress.tests", ".*");

    private static final Pattern ONE_RESULT =
            Pattern.compile("^\\.+ \\[([A-Z ]+)] (io\\.corelane\\.\\S+)", Pattern.MULTILINE);
    private static final Pattern COUNTS = Pattern.compile(
            "\\(Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs\\)");

    private static final Pattern SAMPLES = Pattern.compile("^ .*? ([\\d,]+) +[<\\d.]+% +[A-Z]", Pattern.MULTILINE);

    private static final int SHORT_MILLISECONDS = 300;

    @Test
    void noOutcomeIsForbidden() throws Exception {
        assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "two threads at a time need two CPUs");
        Path log = DIRECTORY.resolve("output.txt");
        int exit = run(log);
        String output = Files.readString(log);
        assertThat(exit)
                .as("jcstress, whose output is in %s: %s", log, notPassed(output))
                .isZero();

        Set<String> seen = new TreeSet<>();
        Matcher result = ONE_RESULT.matcher(output);
        while (result.find()) {
            assertThat(result.group(1)).as(result.group(2)).isEqualTo("OK");
            seen.add(result.group(2));
        }
        assertThat(seen).isEqualTo(selected());

        int planned = lastCount(output, 1);
        int passed = lastCount(output, 2);
        System.out.println("jcstress " + MODE + ": " + seen.size() + " tests, " + planned + " configurations, " + passed
                + " passed, " + samples(output) + " samples");
        assertThat(passed).isEqualTo(planned);
    }

    private static int run(Path log) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (MODE.equals("short")) {
            // twice 2,560 states at a time, of up to 43 KiB: those are whole pools
            command.addAll(List.of("-Xmx1g", "-XX:+UseSerialGC", "-XX:-RestrictContended", "-cp", classPath()));
            command.addAll(List.of("io.corelane.ShortRun", SELECTED, Integer.toString(SHORT_MILLISECONDS)));
        } else {
            if (Runtime.version().feature() >= 24) {
                command.add("--enable-native-access=ALL-UNNAMED");
            }
            command.addAll(List.of("-cp", classPath(), "org.openjdk.jcstress.Main", "-v", "-t", SELECTED));
            command.addAll(List.of("-m", MODE, "-r", DIRECTORY.resolve("report").toString()));
        }
        Process jcstress = new ProcessBuilder(command)
                .directory(DIRECTORY.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            boolean ended = jcstress.waitFor(MODE.equals("short") ? 10 : 24 * 60, TimeUnit.MINUTES);
            assertThat(ended)
                    .as("jcstress ends: %s", notPassed(Files.readString(log)))
                    .isTrue();
            return jcstress.exitValue();
        } finally {
            jcstress.descendants().forEach(ProcessHandle::destroyForcibly);
            jcstress.destroyForcibly();
        }
    }

    /** The class path of this JVM, with the jcstress tests in the place of the others. */
    private static String classPath() {
        List<String> path = new ArrayList<>(List.of(TESTS.toString()));
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.endsWith("test-classes") && !entry.endsWith("test-classes" + File.separator)) {
                path.add(entry);
            }
        }
        return String.join(File.pathSeparator, path);
    }

    /** The names of the tests that were to run: the generated runners' without their suffix. */
    private static Set<String> selected() throws IOException {
        Pattern pattern = Pattern.compile(SELECTED);
        Set<String> names = new TreeSet<>();
        try (JarFile jar = new JarFile(TESTS.toFile())) {
            jar.stream().map(entry -> entry.getName()).forEach(entry -> {
                if (entry.endsWith("_jcstress.class")) {
                    String runner = entry.substring(0, entry.length() - "_jcstress.class".length());
                    String name = runner.replace('/', '.').replace("Jcstress_", "Jcstress.");
                    if (pattern.matcher(name).find()) {
                        names.add(name);
                    }
                }
            });
        }
        return names;
    }

    private static long samples(String output) {
        long sum = 0;
        Matcher samples = SAMPLES.matcher(output.substring(0, Math.max(0, output.indexOf("RUN RESULTS:"))));
        while (samples.find()) {
            sum += Long.parseLong(samples.group(1).replace(",", ""));
        }
        return sum;
    }

    private static int lastCount(String output, int group) {
        int last = -1;
        Matcher counts = COUNTS.matcher(output);
        while (counts.find()) {
            last = Integer.parseInt(counts.group(group));
        }
        return last;
    }

    /** The blocks of the output that tell what went wrong, or its end. */
    private static String notPassed(String output) {
        List<String> blocks = Arrays.stream(output.split("\n(?=\\.+ \\[)"))
                .filter(block -> block.matches("(?s)\\.+ \\[(?!OK]).*"))
                .limit(3)
                .toList();
        return blocks.isEmpty() ? output.substring(Math.max(0, output.length() - 2000)) : String.join("\n", blocks);
    }
}
