// SPDX-License-Identifier: Apache-2.0
package io.corelane.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every way in which pins can be out of reach, with each {@link Pinning}, in JVMs of their own: required pins are one typed
 * error, preferred ones a note and a line in the log, and with pinning off nothing native is loaded.
 */
class DegradationIT {
    private static final boolean JDK_24 = Runtime.version().feature() >= 24;
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();
    private static final String MACHINE =
            System.getProperty("os.arch").equals("aarch64") ? "linux-aarch64" : "linux-x86-64";
    private static final String OTHER_MACHINE = MACHINE.equals("linux-aarch64") ? "linux-x86-64" : "linux-aarch64";
    private static final int SKIPPED = 77;
    private static final List<String> OTHER_USER =
            List.of("setpriv", "--reuid=64321", "--regid=64321", "--clear-groups");

    @TempDir
    static Path scratch;

    private static final CpuSet ALLOWED = ThreadAffinity.get();

    private Path probe;

    /** Where pins are refused: how, and what the user has to be told. */
    private enum Trap {
        NO_LIBRARY_IN_THE_JAR(0, "load", "the jar has no library for", "-Dcorelane.native.path=FILE"),
        MACHINE_THAT_JNA_DOES_NOT_KNOW(0, "load", "JNA has no native part for toy", "remedy"),
        MACHINE_THAT_IS_NOT_THIS_ONE(0, "load", "for another machine than riscv64", "look at os.arch"),
        NO_JNA_ON_THE_PATH(0, "load", "com/sun/jna/Native", "add jna.jar to the class path"),
        NOEXEC_JNA_DIRECTORY(0, "load", "mounted noexec", "-Djna.tmpdir=DIR"),
        NOEXEC_HOME_AND_TEMPORARY_DIRECTORY(0, "load", "mounted noexec", "-Djna.tmpdir=DIR"),
        FULL_TEMPORARY_DIRECTORY(0, "load", "could not unpack", "-Djna.tmpdir=DIR"),
        READ_ONLY_TEMPORARY_DIRECTORY(0, "load", "could not unpack", "-Djna.tmpdir=DIR"),
        DENIED_NATIVE_ACCESS(0, "load", "denies native access", "add --enable-native-access=ALL-UNNAMED"),
        NOT_LINUX(0, "load", "needs Linux, this is FreeBSD", "run it on Linux"),
        FIXED_PATH_WITHOUT_A_FILE(
                0,
                "load",
                "-Dcorelane.native.path=/nonexistent/lib.so: no such file",
                "absolute path of a libcorelane"),
        FIXED_PATH_THAT_IS_RELATIVE(
                0, "load", "-Dcorelane.native.path=lib.so: not absolute", "absolute path of a libcorelane"),
        FIXED_PATH_OF_ANOTHER_MACHINE(0, "load", "for another machine than", "-Dcorelane.native.path=/"),
        SECCOMP_EPERM(1, "sched_setaffinity", "EPERM", "allow sched_setaffinity in the seccomp profile"),
        SECCOMP_ENOSYS(38, "sched_setaffinity", "ENOSYS", "allow sched_setaffinity in the seccomp profile");

        private final int errno;
        private final String call;
        private final String cause;
        private final String advice;

        Trap(int errno, String call, String cause, String advice) {
            this.errno = errno;
            this.call = call;
            this.cause = cause;
            this.advice = advice;
        }
    }

    private record Result(int exit, String output) {
        /** The facts that the probe printed, the JVM's own lines left away. */
        String fact(String name) {
            return output.lines()
                    .filter(line -> line.startsWith(name + "="))
                    .findFirst()
                    .map(line -> line.substring(name.length() + 1))
                    .orElseThrow(() -> new AssertionError("no " + name + " in " + output));
        }
    }

    @BeforeEach
    void copyProbe() throws IOException {
        probe = scratch.resolve("probe");
        if (Files.notExists(probe)) {
            PackagedJar.classes(probe, DegradationProbe.class);
        }
    }

    private static Stream<Trap> traps() {
        return Stream.of(Trap.values());
    }

    @ParameterizedTest
    @MethodSource("traps")
    void requiredPinsFailWithOneErrorThatNamesCauseAndRemedy(Trap trap) throws Exception {
        Result result = run(trap, Pinning.REQUIRED);
        assertThat(result.fact("refused")).contains(trap.cause, trap.advice).contains("Pinning.PREFERRED or OFF");
        assertThat(result.fact("remedy")).isNotBlank();
        assertThat(result.fact("refused")).contains(result.fact("remedy"), trap.call);
        assertThat(result.fact("errno")).isEqualTo(Integer.toString(trap.errno));
        assertThat(result.fact("call")).isEqualTo(trap.call);
        CpuSet asked = CpuSet.parse(result.fact("cpus"));
        assertThat(asked.size()).isEqualTo(1);
        assertThat(ALLOWED.containsAll(asked)).isTrue();
        assertThat(result.fact("refused")).contains("to CPUs " + asked);
        assertThat(result.fact("again")).as("%s", result.output).isEqualTo("true");
        assertThat(result.fact("threads")).isEqualTo("0");
        assertThat(result.output).doesNotContain("runs unpinned");
    }

    @ParameterizedTest
    @MethodSource("traps")
    void preferredPinsRunEveryJobAndSaySoInTheStatisticsAndInOneLineOfTheLog(Trap trap) throws Exception {
        Result result = run(trap, Pinning.PREFERRED);
        assertThat(result.fact("ran")).isEqualTo("1005 of 1005");
        assertThat(result.fact("note")).contains(trap.cause, trap.advice);
        assertThat(result.fact("got")).isEqualTo("[-1, -1]");
        List<String> log = result.output
                .lines()
                .filter(line -> line.matches("WARNING: (?!JNA ).*"))
                .toList();
        assertThat(log).as("%s", result.output).hasSize(1);
        assertThat(log.get(0)).contains("scheduler probe runs unpinned").contains(trap.cause, trap.advice);
        assertThat(result.output).doesNotContain("refused=", "state=");
    }

    @ParameterizedTest
    @MethodSource("traps")
    void withPinningOffEveryJobRunsAndNothingNativeIsLoaded(Trap trap) throws Exception {
        Result result = run(trap, Pinning.OFF);
        assertThat(result.fact("ran")).isEqualTo("1005 of 1005");
        assertThat(result.fact("note")).isEmpty();
        assertThat(result.fact("native")).isEqualTo("[]");
        assertThat(result.output).doesNotContain("unpinned", "io.corelane");
    }

    @Test
    void withoutATrapBothWorkersArePinnedAndTheLibraryIsMapped() throws Exception {
        Result result = exec(command(List.of(), nativeAccess(), classPath(PackagedJar.jar(), true)), "REQUIRED");
        assertPinned(result);
        assertThat(result.fact("native")).contains("jna"); // else that of the others would say nothing
    }

    @Test
    void aLibraryThatCannotBeLoadedIsLookedForOncePerProcess() throws Exception {
        List<String> options = new ArrayList<>(nativeAccess());
        options.add("-Djna.debug_load=true");
        Result result = exec(command(List.of(), options, classPath(withoutLibraries(), true)), "REQUIRED");
        assertThat(result.fact("again")).isEqualTo("true");
        assertThat(result.output.lines().filter(line -> line.contains("Looking for library 'corelane_affinity'")))
                .hasSize(1);
    }

    @Test
    void aFixedPathIsLoadedFromThereAndNothingIsUnpacked() throws Exception {
        Path library = scratch.resolve("fixed").resolve("libcorelane_affinity.so");
        Files.createDirectories(library.getParent());
        unpack(PackagedJar.jar(), MACHINE + "/libcorelane_affinity.so", library);
        Path jna = scratch.resolve("fixed").resolve("libjnidispatch.so");
        unpack(jnaJar(), "com/sun/jna/" + MACHINE + "/libjnidispatch.so", jna);
        List<String> options = new ArrayList<>(nativeAccess());
        options.addAll(List.of(
                "-Dcorelane.native.path=" + library,
                "-Djna.boot.library.path=" + library.getParent(),
                "-Djna.nounpack=true",
                "-Djava.io.tmpdir=/nonexistent",
                "-Duser.home=/nonexistent"));
        Result result = exec(command(List.of(), options, classPath(withoutLibraries(), true)), "REQUIRED");
        assertPinned(result);
        assertThat(result.fact("native").replaceAll("[\\[\\]]", "").split(", "))
                .containsExactlyInAnyOrder(library.toString(), jna.toString());
    }

    @Test
    void inAUserNamespacePinsHold() throws Exception {
        List<String> namespace = List.of("unshare", "-Ur");
        assumeWorks(namespace, "user namespaces are not to be had");
        Result result = exec(command(namespace, nativeAccess(), classPath(PackagedJar.jar(), true)), "REQUIRED");
        assertPinned(result);
    }

    /** The limit counts the threads of a user, and root is exempt: so a user whom nobody else is. */
    @ParameterizedTest
    @MethodSource("pinnings")
    void underALimitOfThreadsStartingFailsByNameOrEveryJobRuns(Pinning pinning) throws Exception {
        assumeWorks(OTHER_USER, "only root can become another user");
        Path world = scratch.resolve("world");
        if (Files.notExists(world)) {
            copyForEverybody(world);
        }
        List<String> options = new ArrayList<>(nativeAccess());
        options.addAll(List.of("-XX:+UseSerialGC", "-XX:-UseDynamicNumberOfCompilerThreads", "-Duser.home=" + world));
        List<String> command = command(OTHER_USER, options, everybodysClassPath(world));
        for (int room : new int[] {1, 40}) {
            Process process = start(command, pinning.name(), "4", "wait");
            try {
                awaitReady(process);
                limitThreads(process, room);
                process.getOutputStream().write('\n');
                process.getOutputStream().flush();
                Result result = finish(process, command);
                if (room == 1) { // JNA wants a thread as well, and a worker may have got the last one
                    assertThat(result.output)
                            .containsPattern("(?m)^(state=worker [0-3] of 4: its thread cannot be started \\(.+\\)"
                                    + "|refused=.*unable to create native thread.*raise the limit of.*)$");
                } else {
                    assertThat(result.fact("ran")).isEqualTo("1005 of 1005");
                }
                assertThat(result.fact("threads")).isEqualTo("0");
            } finally {
                process.destroyForcibly();
            }
        }
    }

    private static Stream<Pinning> pinnings() {
        return Stream.of(Pinning.values());
    }

    private static void assertPinned(Result result) {
        assertThat(result.fact("ran")).isEqualTo("1005 of 1005");
        assertThat(result.fact("note")).isEmpty();
        int first = ALLOWED.toArray()[0];
        int second = ALLOWED.toArray()[ALLOWED.size() > 1 ? 1 : 0];
        assertThat(result.fact("got")).isEqualTo("[" + first + ", " + second + "]");
    }

    private Result run(Trap trap, Pinning pinning) throws Exception {
        return exec(commandIn(trap), pinning.name());
    }

    private List<String> commandIn(Trap trap) throws Exception {
        List<String> options = new ArrayList<>(nativeAccess());
        List<String> prefix = List.of();
        String classPath = classPath(PackagedJar.jar(), true);
        Path mount = Files.createDirectories(scratch.resolve("mount"));
        switch (trap) {
            case NO_LIBRARY_IN_THE_JAR -> classPath = classPath(withoutLibraries(), true);
            case MACHINE_THAT_JNA_DOES_NOT_KNOW -> options.add("-Dos.arch=toy");
            case MACHINE_THAT_IS_NOT_THIS_ONE -> options.add("-Dos.arch=riscv64");
            case NO_JNA_ON_THE_PATH -> classPath = classPath(PackagedJar.jar(), false);
            case NOEXEC_JNA_DIRECTORY -> {
                prefix = withMount("noexec", mount);
                options.add("-Djna.tmpdir=" + mount);
            }
            case NOEXEC_HOME_AND_TEMPORARY_DIRECTORY -> {
                prefix = withMount("noexec", mount);
                options.addAll(List.of("-Djava.io.tmpdir=" + mount, "-Duser.home=" + mount, "-XX:-UsePerfData"));
            }
            case FULL_TEMPORARY_DIRECTORY -> {
                prefix = withMount("size=4k", mount);
                options.add("-Djna.tmpdir=" + mount);
            }
            case READ_ONLY_TEMPORARY_DIRECTORY -> {
                prefix = withMount("ro", mount);
                options.add("-Djna.tmpdir=" + mount);
            }
            case DENIED_NATIVE_ACCESS -> {
                assumeTrue(JDK_24, "--illegal-native-access came with JDK 24, this is " + Runtime.version());
                options.clear();
                options.add("--illegal-native-access=deny");
            }
            case NOT_LINUX -> options.add("-Dos.name=FreeBSD");
            case FIXED_PATH_WITHOUT_A_FILE -> options.add("-Dcorelane.native.path=/nonexistent/lib.so");
            case FIXED_PATH_THAT_IS_RELATIVE -> options.add("-Dcorelane.native.path=lib.so");
            case FIXED_PATH_OF_ANOTHER_MACHINE -> options.add("-Dcorelane.native.path=" + otherLibrary());
            case SECCOMP_EPERM -> prefix = withFilter(1);
            case SECCOMP_ENOSYS -> prefix = withFilter(38);
        }
        return command(prefix, options, classPath);
    }

    /** A mount that nobody else sees and that ends with the process. */
    private static List<String> withMount(String mountOptions, Path directory) throws Exception {
        List<String> namespace = List.of("unshare", "-m");
        assumeWorks(namespace, "mounting a file system needs root");
        List<String> all = new ArrayList<>(namespace);
        all.addAll(List.of(
                "sh", "-c", "mount -t tmpfs -o " + mountOptions + " tmpfs '" + directory + "' && exec \"$@\"", "sh"));
        return all;
    }

    private static List<String> withFilter(int errno) throws Exception {
        Path tool =
                Path.of("target", "native", "native", "test", "seccomp_exec").toAbsolutePath();
        assertThat(tool).as("made by the build of native/").isExecutable();
        List<String> prefix = List.of(tool.toString(), Integer.toString(errno));
        assumeTrue(
                exec(Stream.concat(prefix.stream(), Stream.of("true")).toList()).exit != SKIPPED,
                "a seccomp filter cannot be installed here");
        return prefix;
    }

    private static void assumeWorks(List<String> prefix, String reason) throws Exception {
        assumeTrue(exec(Stream.concat(prefix.stream(), Stream.of("true")).toList()).exit == 0, reason);
    }

    private static Path withoutLibraries() throws IOException {
        Path copy = scratch.resolve("without-libraries.jar");
        if (Files.notExists(copy)) {
            Files.copy(PackagedJar.jar(), copy);
            try (FileSystem jar = FileSystems.newFileSystem(copy)) {
                for (String machine : List.of("linux-x86-64", "linux-aarch64")) {
                    Files.deleteIfExists(jar.getPath("/" + machine + "/libcorelane_affinity.so"));
                }
            }
        }
        return copy;
    }

    private static Path otherLibrary() throws IOException {
        Path file = scratch.resolve("other-machine.so");
        if (Files.notExists(file)) {
            try (ZipFile jar = new ZipFile(PackagedJar.jar().toFile())) {
                assumeTrue(
                        jar.getEntry(OTHER_MACHINE + "/libcorelane_affinity.so") != null,
                        "the cross compiler that makes the library of another machine is not installed");
            }
            unpack(PackagedJar.jar(), OTHER_MACHINE + "/libcorelane_affinity.so", file);
        }
        return file;
    }

    private static void unpack(Path jar, String entry, Path target) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile());
                InputStream stream = zip.getInputStream(zip.getEntry(entry))) {
            Files.write(target, stream.readAllBytes());
        }
    }

    private static Path jnaJar() {
        return PackagedJar.dependencies().stream()
                .filter(path -> path.getFileName().toString().startsWith("jna-"))
                .findFirst()
                .orElseThrow();
    }

    private String classPath(Path jar, boolean withJna) {
        Stream<Path> dependencies =
                PackagedJar.dependencies().stream().filter(path -> withJna || !path.equals(jnaJar()));
        return path(Stream.concat(Stream.of(probe, jar), dependencies));
    }

    private static String path(Stream<Path> elements) {
        return String.join(File.pathSeparator, elements.map(Path::toString).toList());
    }

    /** A user of no name may not read the directories of the build. */
    private static void copyForEverybody(Path world) throws Exception {
        Files.createDirectories(world);
        Files.copy(PackagedJar.jar(), world.resolve("corelane.jar"));
        for (Path jar : PackagedJar.dependencies()) {
            Files.copy(jar, world.resolve(jar.getFileName()));
        }
        PackagedJar.classes(world.resolve("probe"), DegradationProbe.class);
        assertThat(exec(List.of("chmod", "-R", "a+rX", scratch.toString())).exit)
                .isZero();
        assertThat(exec(List.of("chmod", "a+rwx", world.toString())).exit).isZero();
    }

    private static String everybodysClassPath(Path world) throws IOException {
        try (Stream<Path> files = Files.list(world)) {
            return path(files.filter(
                    file -> file.endsWith("probe") || file.toString().endsWith(".jar")));
        }
    }

    private static List<String> nativeAccess() {
        return JDK_24 ? List.of("--enable-native-access=ALL-UNNAMED") : List.of();
    }

    private static List<String> command(List<String> prefix, List<String> options, String classPath) {
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(JAVA, "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, DegradationProbe.class.getName()));
        return command;
    }

    private static void limitThreads(Process process, int room) throws Exception {
        String status = Files.readString(Path.of("/proc/" + process.pid() + "/status"));
        int threads = Integer.parseInt(status.replaceAll("(?s).*\nThreads:\t(\\d+)\n.*", "$1"));
        List<String> command = new ArrayList<>(OTHER_USER); // who may not lift it again, either
        command.addAll(List.of("prlimit", "--pid=" + process.pid(), "--nproc=" + (threads + room)));
        Result set = exec(command);
        assertThat(set.exit).as(set.output).isZero();
    }

    private static void awaitReady(Process process) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = process.getInputStream().read();
                c != -1;
                c = process.getInputStream().read()) {
            line.append((char) c);
            if (line.toString().endsWith("ready\n")) {
                return;
            }
        }
        throw new AssertionError("ended early: " + line);
    }

    private static Process start(List<String> command, String... arguments) throws IOException {
        List<String> all = new ArrayList<>(command);
        all.addAll(Arrays.asList(arguments));
        return new ProcessBuilder(all).redirectErrorStream(true).start();
    }

    private static Result exec(List<String> command, String... arguments) throws Exception {
        Process process = start(command, arguments);
        process.getOutputStream().close();
        return finish(process, command);
    }

    private static Result finish(Process process, List<String> command) throws Exception {
        Thread watchdog = new Thread(() -> {
            try {
                if (!process.waitFor(60, TimeUnit.SECONDS)) {
                    process.destroyForcibly();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        watchdog.setDaemon(true);
        watchdog.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        assertThat(ended).as("%s: %s", command, output).isTrue();
        return new Result(process.exitValue(), output);
    }
}
