// SPDX-License-Identifier: Apache-2.0
package io.corelane.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.ThreadAffinity;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The packaged jar in JVMs as users start them: class path, module path, limits, another user. */
class EmbeddingIT {
    private static final boolean JDK_24 = Runtime.version().feature() >= 24;

    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @TempDir
    Path scratch;

    private record Result(int exit, String output) {}

    @Test
    void onTheClassPathOneDependencyIsAllItTakes() throws Exception {
        Result result = run(List.of(), onClassPath(nativeAccess("ALL-UNNAMED")), "REQUIRED");
        assertThat(result.output).contains("result=42", "native=true", "module=null", "note=\n");
        assertThat(result.output).doesNotContain("WARNING");
        assertThat(result.exit).isZero();
    }

    @Test
    void onTheModulePathItRunsWithoutAWarning() throws Exception {
        List<String> options = new ArrayList<>(nativeAccess("com.sun.jna"));
        options.addAll(List.of("-p", jar() + File.pathSeparator + dependencies(), "--add-modules", "io.corelane"));
        options.addAll(List.of("-cp", probe().toString()));
        Result result = run(List.of(), options, "REQUIRED");
        assertThat(result.output).contains("result=42", "native=true", "module=io.corelane");
        assertThat(result.output).doesNotContain("WARNING");
        assertThat(result.exit).isZero();
    }

    @Test
    void theReadmesExampleCompilesAndPrintsWhatItSays() throws Exception {
        Matcher example = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(Files.readString(Path.of("..", "..", "README.md")));
        assertThat(example.find()).as("README.md has a java example").isTrue();
        Path source = Files.writeString(scratch.resolve("Example.java"), example.group(1));
        List<String> options = onClassPath(nativeAccess("ALL-UNNAMED"));
        options.add(0, JAVA);
        options.add(source.toString());
        assertThat(exec(options)).isEqualTo(new Result(0, "the answer is 42\n"));
    }

    @Test
    void withPinningOffNothingNativeIsLoaded() throws Exception {
        Result result = run(List.of(), onClassPath(List.of()), "OFF");
        assertThat(result.output).contains("result=42", "native=false").doesNotContain("WARNING");
    }

    @Test
    void underTasksetItTakesWhatItIsGiven() throws Exception {
        CpuSet allowed = ThreadAffinity.get();
        String last = Integer.toString(allowed.last());
        Result result = run(List.of("taskset", "-c", last), onClassPath(nativeAccess("ALL-UNNAMED")), "REQUIRED");
        assertThat(result.output).contains("result=42", "workers=1\n", "cpus=" + last + "\n");
    }

    @Test
    void theJvmsOwnProcessorCountIsHonoured() throws Exception {
        List<String> options = new ArrayList<>(nativeAccess("ALL-UNNAMED"));
        options.add("-XX:ActiveProcessorCount=1");
        Result result = run(List.of(), onClassPath(options), "REQUIRED");
        assertThat(result.output).contains("result=42", "workers=1\n");
    }

    @Test
    void asAnotherUserItPinsAsWell() throws Exception {
        assumeTrue(exec(List.of("id", "-u")).output.strip().equals("0"), "only root can become another user");
        Path readable = probe();
        List<Path> jars = new ArrayList<>();
        for (String path : (jar() + File.pathSeparator + dependencies()).split(File.pathSeparator)) {
            jars.add(Files.copy(Path.of(path), scratch.resolve(Path.of(path).getFileName())));
        }
        assertThat(exec(List.of("chmod", "-R", "a+rX", scratch.toString())).exit)
                .isZero();
        List<String> options = new ArrayList<>(nativeAccess("ALL-UNNAMED"));
        options.add("-cp");
        options.add(readable
                + File.pathSeparator
                + String.join(
                        File.pathSeparator, jars.stream().map(Path::toString).toList()));
        Result result =
                run(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"), options, "REQUIRED");
        assertThat(result.output).contains("result=42", "native=true", "note=\n");
    }

    /** Returns a directory with the probe alone: the other test classes would bring their logger along. */
    private Path probe() throws IOException {
        Path to = scratch.resolve("probe");
        if (Files.notExists(to)) {
            PackagedJar.classes(to, Probe.class);
        }
        return to;
    }

    private static List<String> nativeAccess(String module) {
        return JDK_24 ? List.of("--enable-native-access=" + module) : List.of();
    }

    private List<String> onClassPath(List<String> options) throws IOException {
        List<String> all = new ArrayList<>(options);
        all.add("-cp");
        all.add(String.join(File.pathSeparator, probe().toString(), jar(), dependencies()));
        return all;
    }

    private static String jar() throws IOException {
        return PackagedJar.jar().toString();
    }

    private static String dependencies() {
        return String.join(
                File.pathSeparator,
                PackagedJar.dependencies().stream().map(Path::toString).toList());
    }

    private static Result run(List<String> prefix, List<String> options, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(prefix);
        command.add(JAVA);
        command.addAll(options);
        command.add(Probe.class.getName());
        command.addAll(List.of(arguments));
        return exec(command);
    }

    private static Result exec(List<String> command) throws Exception {
        Path log = Files.createTempFile("embedding", ".log");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        if (!ended) {
            process.destroyForcibly();
        }
        String output = Files.readString(log, StandardCharsets.UTF_8);
        Files.delete(log);
        assertThat(ended).as("%s: %s", command, output).isTrue();
        return new Result(process.exitValue(), output);
    }
}
