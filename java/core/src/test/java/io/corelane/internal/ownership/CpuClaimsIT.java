// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.jna.NativeLibrary;
import io.corelane.ChildJvm;
import io.corelane.Stress;
import io.corelane.affinity.CpuSet;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Claims between real processes: their deaths, their children, other users, and file systems that refuse. */
class CpuClaimsIT {
    private static final List<String> OTHER_USER =
            List.of("setpriv", "--reuid=64321", "--regid=64321", "--clear-groups");

    @TempDir
    Path scratch;

    private final List<ChildJvm> children = new ArrayList<>();

    @AfterEach
    void endChildren() throws Exception {
        for (ChildJvm child : children) {
            child.process().destroyForcibly().waitFor();
            child.close();
        }
        try (Stream<Path> files = Files.walk(scratch)) { // JUnit would warn of links when it deletes the directory
            for (Path link : files.filter(Files::isSymbolicLink).toList()) {
                Files.delete(link);
            }
        }
    }

    @Test
    void threeProcessesAtOnceChooseDifferentCpusAndAFourthLearnsWhoHasThem() throws Exception {
        // Where the directory is there before; to make it at once may cost one of them a CPU.
        CpuClaims.claim(ClaimDirectories.below(scratch), new int[] {0}, 1, "first")
                .close();
        List<ChildJvm> three = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            three.add(start(List.of(), "hold", scratch.toString(), "6", "2"));
        }
        for (ChildJvm child : three) {
            child.awaitOutput("ready");
        }
        for (ChildJvm child : three) {
            go(child);
        }
        CpuSet all = CpuSet.empty();
        for (ChildJvm child : three) {
            child.awaitOutput("done");
            all = all.union(claimed(child));
        }
        int sum = three.stream().mapToInt(child -> claimed(child).size()).sum();
        assertThat(all.size()).isEqualTo(sum);
        assertThat(sum).isEqualTo(6);

        ChildJvm fourth = hold(List.of(), scratch, 6, 1);
        assertThat(claimed(fourth)).isEqualTo(CpuSet.empty());
        for (ChildJvm child : three) {
            assertThat(fourth.output())
                    .contains("claimed by process " + child.process().pid() + ", test");
        }
    }

    @Test
    void aKilledProcessLeavesItsCpusFreeAlsoIfAProgramItStartedLivesOn() throws Exception {
        ChildJvm first = hold(List.of(), scratch, 2, 2, "sleep", "60");
        assertThat(claimed(first)).isEqualTo(CpuSet.parse("0-1"));
        ChildJvm second = hold(List.of(), scratch, 2, 2);
        assertThat(claimed(second)).isEqualTo(CpuSet.empty());

        first.process().destroyForcibly().waitFor(); // kill -9
        long sleeper = Long.parseLong(first.output().replaceAll("(?s).*child=(\\d+).*", "$1"));
        ProcessHandle child = ProcessHandle.of(sleeper).orElseThrow();
        try {
            ChildJvm third = hold(List.of(), scratch, 2, 2);
            assertThat(child.isAlive()).isTrue();
            assertThat(claimed(third)).isEqualTo(CpuSet.parse("0-1"));
        } finally {
            boolean ignored = child.destroyForcibly();
        }
    }

    /** Starts in an empty directory, so that also the first directories are made at once. */
    @Test
    void noCpuHasTwoOwnersInARaceOfProcesses() throws Exception {
        Path marks = Files.createDirectory(scratch.resolve("marks"));
        Path parent = Files.createDirectory(scratch.resolve("parent"));
        List<ChildJvm> racers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String rounds = Integer.toString(Stress.scaled(500));
            racers.add(start(List.of(), "race", parent.toString(), "2", rounds, marks.toString()));
        }
        for (ChildJvm racer : racers) {
            racer.awaitOutput("ready");
        }
        for (ChildJvm racer : racers) {
            go(racer);
        }
        for (ChildJvm racer : racers) {
            racer.awaitOutput("done");
            assertThat(racer.output()).doesNotContain("claimed twice").doesNotContain("claimed=0\n");
        }
    }

    @Test
    void twoUsersDoNotHoldUpEachOther() throws Exception {
        assumeWorks(OTHER_USER, "only root can become another user");
        Path shared = Files.createDirectory(scratch.resolve("shared"));
        Files.setPosixFilePermissions(shared, PosixFilePermissions.fromString("rwxrwxrwx"));
        sh(List.of(), "chmod 1777 " + shared + " && chmod a+rx " + scratch);
        // What a hostile user can do first: take names that look like ours.
        sh(
                OTHER_USER,
                "cd " + shared + " && mkdir -m 777 corelane-0.a && ln -s /etc corelane-0.b && : > corelane-0.c"
                        + " && : > corelane-0.a/cpu0 && mkdir -m 777 corelane-0.d && ln -s /etc/passwd corelane-0.d/cpu0");
        String passwd = Files.readString(Path.of("/etc/passwd"));
        ChildJvm ours = hold(List.of(), shared, 2, 2);
        assertThat(claimed(ours)).as("%s", ours.output()).isEqualTo(CpuSet.parse("0-1"));
        assertThat(Files.readString(Path.of("/etc/passwd"))).isEqualTo(passwd);

        // And afterwards: lock our files, delete or rename what we have made.
        Path own;
        try (Stream<Path> entries = Files.list(shared)) {
            own = entries.filter(path -> path.getFileName().toString().length() > "corelane-0.a".length())
                    .findFirst()
                    .orElseThrow();
        }
        sh(
                OTHER_USER,
                "! flock -n " + own + "/cpu0 true && ! ls " + own + " && ! mv " + own + " " + shared + "/x && ! rm -r "
                        + own);
        ours.process().destroyForcibly().waitFor();

        Path copies = copyForEverybody();
        ChildJvm first = hold(List.of(), shared, 2, 2);
        ChildJvm other = ChildJvm.start(
                OTHER_USER,
                List.of("-Duser.home=" + copies),
                classPath(copies),
                ClaimProgram.class,
                "hold",
                shared.toString(),
                "2",
                "2");
        children.add(other);
        other.awaitOutput("ready");
        go(other);
        other.awaitOutput("done");
        assertThat(claimed(first)).isEqualTo(CpuSet.parse("0-1"));
        assertThat(claimed(other)).as("%s", other.output()).isEqualTo(CpuSet.parse("0-1"));
    }

    @Test
    void inAReadOnlyDirectoryNothingIsOwnedAndTheReasonIsGiven() throws Exception {
        ChildJvm child = hold(mounted("ro"), "hold", mount(), 2, 2);
        assertThat(claimed(child)).isEqualTo(CpuSet.empty());
        assertThat(child.output()).contains("Read-only file system", "set -Dcorelane.claims.directory=DIR");
    }

    @Test
    void onADiskWithoutRoomForAFileNothingIsOwnedAndTheReasonIsGiven() throws Exception {
        ChildJvm child = hold(mounted("nr_inodes=2,mode=700"), "fixed", mount(), 2, 2);
        // One inode is the root's; one lock file fits, the next does not.
        assertThat(claimed(child)).as("%s", child.output()).isEqualTo(CpuSet.of(0));
        assertThat(child.output()).contains("1=" + mount() + "/cpu1 cannot be locked: errno 28");
    }

    @Test
    void onADiskWithoutRoomForANameTheClaimHoldsWithoutOne() throws Exception {
        List<String> full = new ArrayList<>(mounted("size=4k,mode=700"));
        full.set(
                full.size() - 2,
                full.get(full.size() - 2)
                        .replace(" && exec", " && head -c 4096 /dev/zero > " + mount() + "/fill && exec"));
        ChildJvm child = hold(full, "fixed", mount(), 2, 2);
        assertThat(claimed(child)).as("%s", child.output()).isEqualTo(CpuSet.parse("0-1"));
    }

    @Test
    void withoutTheLibraryNothingIsOwnedAndTheReasonIsGiven() throws Exception {
        ChildJvm child = ChildJvm.start(
                List.of(),
                List.of("-Dcorelane.native.path=/nonexistent"),
                ClaimProgram.class,
                "hold",
                scratch.toString(),
                "2",
                "1");
        children.add(child);
        child.awaitOutput("ready");
        go(child);
        child.awaitOutput("done");
        assertThat(claimed(child)).isEqualTo(CpuSet.empty());
        assertThat(child.output()).contains("0=the native affinity library was not loaded", "no such file; remedy: ");
        try (Stream<Path> entries = Files.list(scratch)) {
            assertThat(entries).isEmpty();
        }
    }

    private Path mount() throws IOException {
        return Files.createDirectories(scratch.resolve("mount"));
    }

    /** A mount that nobody else sees and that ends with the process. */
    private List<String> mounted(String options) throws Exception {
        List<String> namespace = List.of("unshare", "-m");
        assumeWorks(namespace, "mounting a file system needs root");
        List<String> all = new ArrayList<>(namespace);
        all.addAll(
                List.of("sh", "-c", "mount -t tmpfs -o " + options + " tmpfs '" + mount() + "' && exec \"$@\"", "sh"));
        return all;
    }

    private ChildJvm hold(List<String> prefix, Path parent, int cpus, int count, String... command) throws Exception {
        return hold(prefix, "hold", parent, cpus, count, command);
    }

    private ChildJvm hold(List<String> prefix, String how, Path place, int cpus, int count, String... command)
            throws Exception {
        List<String> arguments =
                new ArrayList<>(List.of(how, place.toString(), Integer.toString(cpus), Integer.toString(count)));
        arguments.addAll(List.of(command));
        ChildJvm child = start(prefix, arguments.toArray(String[]::new));
        child.awaitOutput("ready");
        go(child);
        child.awaitOutput("done");
        return child;
    }

    private ChildJvm start(List<String> prefix, String... arguments) throws IOException {
        ChildJvm child = ChildJvm.start(prefix, List.of(), ClaimProgram.class, arguments);
        children.add(child);
        return child;
    }

    private static void go(ChildJvm child) throws IOException {
        child.process().getOutputStream().write('\n');
        child.process().getOutputStream().flush();
    }

    private static CpuSet claimed(ChildJvm child) {
        String list = child.output()
                .lines()
                .filter(line -> line.startsWith("claimed="))
                .map(line -> line.substring("claimed=".length()))
                .findFirst()
                .orElseThrow();
        return list.isEmpty() ? CpuSet.empty() : CpuSet.parse(list);
    }

    /** A user of no name may not read the directories of the build. */
    private Path copyForEverybody() throws Exception {
        Path copies = Files.createDirectory(scratch.resolve("copies"));
        StringBuilder script = new StringBuilder("cd '" + copies + "'");
        int number = 0;
        for (Class<?> needed : List.of(NativeLibrary.class, CpuClaims.class, ClaimProgram.class)) {
            Path element = Path.of(
                    needed.getProtectionDomain().getCodeSource().getLocation().toURI());
            script.append(" && cp -r '").append(element).append("' ").append(number++);
        }
        sh(List.of(), script + " && chmod -R a+rX . && chmod a+rwx .");
        return copies;
    }

    private static String classPath(Path copies) throws IOException {
        try (Stream<Path> entries = Files.list(copies)) {
            return String.join(File.pathSeparator, entries.map(Path::toString).toList());
        }
    }

    private static void sh(List<String> prefix, String script) throws Exception {
        assertThat(exec(prefix, "sh", "-c", script)).as(script).isZero();
    }

    private static void assumeWorks(List<String> prefix, String reason) throws Exception {
        assumeTrue(exec(prefix, "true") == 0, reason);
    }

    private static int exec(List<String> prefix, String... command) throws Exception {
        List<String> all = new ArrayList<>(prefix);
        all.addAll(List.of(command));
        Process process = new ProcessBuilder(all)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }
}
