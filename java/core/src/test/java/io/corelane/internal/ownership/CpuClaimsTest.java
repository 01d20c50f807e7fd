// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.corelane.affinity.CpuSet;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CpuClaimsTest {
    private static final int[] CPUS = {5, 3, 9};

    /** Stands for /dev/shm. */
    @TempDir
    Path parent;

    /** JUnit would warn of links when it deletes the directory. */
    private final List<Path> links = new ArrayList<>();

    private ClaimDirectories directories;

    @BeforeEach
    void below() throws IOException {
        directories = ClaimDirectories.below(parent);
    }

    @AfterEach
    void deleteLinks() throws IOException {
        for (Path link : links) {
            Files.delete(link);
        }
    }

    private Path link(String name, Path target) throws IOException {
        Path link = Files.createSymbolicLink(parent.resolve(name), target);
        links.add(link);
        return link;
    }

    @Test
    void cpusAreClaimedInTheOrderGivenUntilThereAreEnough() {
        try (CpuClaims claims = claim("a", 2)) {
            assertThat(claims.cpus()).isEqualTo(CpuSet.parse("3,5"));
            assertThat(claims.refused()).isEmpty();
            assertThat(claims.lost()).isEqualTo(CpuSet.empty());
        }
    }

    @Test
    void aClaimedCpuIsRefusedToTheNextWhoTakesAnotherAndLearnsWhoHasIt() {
        try (CpuClaims first = claim("orders", 2);
                CpuClaims second = claim("prices", 2)) {
            assertThat(first.cpus()).isEqualTo(CpuSet.parse("3,5"));
            assertThat(second.cpus()).isEqualTo(CpuSet.of(9));
            String name = "claimed by process " + ProcessHandle.current().pid() + ", orders";
            assertThat(second.refused()).containsExactly(entry(5, name), entry(3, name));
            assertThat(second).hasToString("claimed CPUs 9, refused " + second.refused());
        }
    }

    @Test
    void whatIsGivenBackIsFree() {
        CpuClaims first = claim("a", 3);
        first.release(3);
        first.release(77);
        assertThat(first.cpus()).isEqualTo(CpuSet.parse("5,9"));
        try (CpuClaims second = claim("b", 3)) {
            assertThat(second.cpus()).isEqualTo(CpuSet.of(3));
            assertThat(first.add(3)).isFalse();
            assertThat(first.refused()).containsOnlyKeys(3);
            first.close();
            first.close();
            assertThat(first.cpus()).isEqualTo(CpuSet.empty());
            assertThat(second.add(5)).isTrue();
            assertThat(second.add(5)).isTrue();
            assertThat(second.cpus()).isEqualTo(CpuSet.parse("3,5"));
            assertThat(second.refused()).containsOnlyKeys(9);
        }
        assertThat(first.add(3)).isTrue();
        assertThat(first.refused()).isEmpty();
        first.close();
    }

    /** With the locks of fcntl the first claim would be gone after this. */
    @Test
    void nothingThatElseOpensAndClosesTheFileEndsTheClaim() throws IOException {
        try (CpuClaims first = claim("a", 1)) {
            try (InputStream stream = new FileInputStream(lockFile(5).toFile())) {
                assertThat(stream.read()).isEqualTo('p');
            }
            for (int i = 0; i < 3; i++) {
                try (CpuClaims second = claim("b", 3)) {
                    assertThat(second.cpus()).isEqualTo(CpuSet.parse("3,9"));
                }
            }
            assertThat(first.lost()).isEqualTo(CpuSet.empty());
        }
    }

    @Test
    void theFileOfADeadHolderIsNoObstacleAndItsNameIsReplaced() throws IOException {
        claim("a", 1).close();
        Files.writeString(lockFile(5), "process 4711, one with a very long name that died long ago");
        try (CpuClaims claims = claim("b", 1)) {
            assertThat(claims.cpus()).isEqualTo(CpuSet.of(5));
            assertThat(lockFile(5))
                    .hasContent("process " + ProcessHandle.current().pid() + ", b");
        }
    }

    @Test
    void onlyTheOwnerMayEnterTheDirectory() throws IOException {
        claim("a", 1).close();
        assertThat(Files.getPosixFilePermissions(lockFile(5).getParent()))
                .isEqualTo(PosixFilePermissions.fromString("rwx------"));
        assertThat(Files.getPosixFilePermissions(lockFile(5))).isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void aClaimWhoseFileIsDeletedIsLostAndMayBeMadeAnew() throws IOException {
        try (CpuClaims claims = claim("a", 2)) {
            Files.delete(lockFile(5));
            try (CpuClaims other = claim("b", 1)) {
                assertThat(other.cpus()).isEqualTo(CpuSet.of(5));
                assertThat(claims.lost()).isEqualTo(CpuSet.of(5));
                assertThat(claims.cpus()).isEqualTo(CpuSet.of(3));
                assertThat(claims.refused()).containsExactly(entry(5, "its lock file was deleted"));
                assertThat(claims.add(5)).isFalse();
            }
            assertThat(claims.add(5)).isTrue();
            assertThat(claims.lost()).isEqualTo(CpuSet.empty());
        }
    }

    @Test
    void aClaimWhoseDirectoryIsDeletedIsLost() throws IOException {
        try (CpuClaims claims = claim("a", 1)) {
            Path file = lockFile(5);
            Files.delete(file);
            Files.delete(file.getParent());
            assertThat(claims.lost()).isEqualTo(CpuSet.of(5));
            assertThat(claims.add(5)).isTrue();
        }
    }

    /** As when two processes were the first at once. */
    @Test
    void aClaimIsMadeInEveryDirectoryOfTheUser() throws IOException {
        try (CpuClaims first = claim("a", 1)) {
            Path second = Files.createDirectory(
                    parent.resolve(prefix() + "another"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            try (CpuClaims both = claim("b", 2)) {
                assertThat(both.cpus()).isEqualTo(CpuSet.parse("3,9"));
                assertThat(second.resolve("cpu3")).exists();
            }
            assertThat(first.cpus()).isEqualTo(CpuSet.of(5));
        }
    }

    /** Another process, which saw no directory, makes one and claims there, between our look and our lock. */
    @Test
    void aDirectoryThatIsMadeMeanwhileIsLookedInBeforeTheCpuIsOwned() throws IOException {
        Path late = parent.resolve(prefix() + "late");
        CpuClaims[] other = new CpuClaims[1];
        ClaimDirectories raced = new ClaimDirectories(parent, false, ClaimDirectories.user()) {
            @Override
            List<Path> all() throws IOException {
                List<Path> seen = super.all();
                if (other[0] == null) {
                    other[0] = CpuClaims.claim(ClaimDirectories.fixed(late), CPUS, 1, "other");
                }
                return seen;
            }
        };
        try (CpuClaims claims = CpuClaims.claim(raced, CPUS, 1, "raced")) {
            assertThat(other[0].cpus()).isEqualTo(CpuSet.of(5));
            assertThat(claims.cpus()).isEqualTo(CpuSet.of(3));
        } finally {
            other[0].close();
        }
    }

    @Test
    void aRefusedClaimHoldsNothingInTheOtherDirectoriesEither() throws IOException {
        claim("a", 1).close();
        Path only = lockFile(5).getParent();
        try (CpuClaims one = CpuClaims.claim(ClaimDirectories.fixed(only), CPUS, 1, "one")) {
            Path first = Files.createDirectory(
                    parent.resolve(prefix() + "!first"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            try (CpuClaims all = claim("all", 1)) {
                assertThat(all.cpus()).isEqualTo(CpuSet.of(3));
            }
            try (CpuClaims other = CpuClaims.claim(ClaimDirectories.fixed(first), CPUS, 1, "other")) {
                assertThat(other.cpus()).isEqualTo(one.cpus());
            }
        }
    }

    @Test
    void namesThatSomebodyElseTookAreNotUsed() throws IOException {
        Path open = Files.createDirectory(parent.resolve(prefix() + "1"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
        Path elsewhere = Files.createDirectory(parent.resolve("elsewhere"));
        link(prefix() + "2", elsewhere);
        Files.createFile(parent.resolve(prefix() + "3"));
        try (CpuClaims claims = claim("a", 1)) {
            assertThat(claims.cpus()).isEqualTo(CpuSet.of(5));
        }
        try (Stream<Path> entries = Files.walk(parent)) {
            assertThat(entries.filter(path -> path.endsWith("cpu5")))
                    .hasSize(1)
                    .noneMatch(path -> path.startsWith(open) || path.startsWith(elsewhere));
        }
    }

    @Test
    void aNamedDirectoryIsMadeAndRefusedIfOthersMayWriteIt() throws IOException {
        Path named = parent.resolve("named");
        try (CpuClaims claims = CpuClaims.claim(ClaimDirectories.fixed(named), CPUS, 1, "a")) {
            assertThat(claims.cpus()).isEqualTo(CpuSet.of(5));
            assertThat(named.resolve("cpu5")).exists();
        }
        Files.setPosixFilePermissions(named, PosixFilePermissions.fromString("rwxrwx---"));
        refusedAll(named, "may be written by others (expected mode 700)");
        refusedAll(link("link", named), "is not a directory");
        refusedAll(parent.resolve("missing/missing"), "NoSuchFileException");
        assumeTrue((int) Files.getAttribute(parent, "unix:uid") == 0, "only root can give a directory away");
        Files.setPosixFilePermissions(named, PosixFilePermissions.fromString("rwx------"));
        Files.setAttribute(named, "unix:uid", 64_321);
        refusedAll(named, "belongs to user 64321 (expected 0, who runs this process)");
    }

    private static void refusedAll(Path directory, String reason) throws IOException {
        try (CpuClaims claims = CpuClaims.claim(ClaimDirectories.fixed(directory), CPUS, 2, "a")) {
            assertThat(claims.cpus()).isEqualTo(CpuSet.empty());
            assertThat(claims.refused()).containsOnlyKeys(5, 3, 9);
            assertThat(claims.refused().get(9)).contains(reason, "set -Dcorelane.claims.directory=DIR");
        }
    }

    @Test
    void whatIsInTheWayOfALockFileIsNamedAndLeftAlone() throws IOException {
        claim("a", 3).close();
        Path directory = lockFile(5).getParent();
        Path target = Files.writeString(parent.resolve("target"), "precious");
        for (int cpu : CPUS) {
            Files.delete(directory.resolve("cpu" + cpu));
        }
        links.add(Files.createSymbolicLink(directory.resolve("cpu5"), target));
        Files.createDirectory(directory.resolve("cpu3"));
        try (CpuClaims claims = claim("a", 3)) {
            assertThat(claims.cpus()).isEqualTo(CpuSet.of(9));
            assertThat(claims.refused().get(5)).contains("cpu5 cannot be locked: errno 40"); // ELOOP
            assertThat(claims.refused().get(3)).contains("cpu3 cannot be locked: errno 21"); // EISDIR
        }
        assertThat(target).hasContent("precious");
    }

    @Test
    void thePlaceIsInSharedMemoryUnlessASystemPropertyNamesAnother() throws IOException {
        Path shared = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(shared), shared + " is not to be written here");
        CpuSet nobodys = CpuSet.of(CpuSet.MAX_CPU);
        try (CpuClaims claims = CpuClaims.claim(nobodys, 1, "a");
                Stream<Path> entries = Files.list(shared)) {
            assertThat(claims.cpus()).isEqualTo(nobodys);
            List<Path> files = entries.filter(
                            path -> path.getFileName().toString().startsWith(prefix()))
                    .map(path -> path.resolve("cpu" + CpuSet.MAX_CPU))
                    .toList();
            assertThat(files).isNotEmpty().allMatch(Files::exists);
            for (Path file : files) {
                Files.delete(file);
            }
        }
        Path named = parent.resolve("named");
        System.setProperty(CpuClaims.DIRECTORY_PROPERTY, named.toString());
        try (CpuClaims claims = CpuClaims.claim(nobodys, 1, "a")) {
            assertThat(claims.cpus()).isEqualTo(nobodys);
            assertThat(named.resolve("cpu" + CpuSet.MAX_CPU)).exists();
        } finally {
            System.clearProperty(CpuClaims.DIRECTORY_PROPERTY);
        }
    }

    @Test
    void anInterruptedThreadClaimsAsAnyOther() throws Exception {
        FutureTask<Boolean> interrupted = new FutureTask<>(() -> {
            Thread.currentThread().interrupt();
            ClaimDirectories own = ClaimDirectories.below(parent);
            try (CpuClaims claims = CpuClaims.claim(own, CPUS, 1, "a");
                    CpuClaims second = CpuClaims.claim(own, CPUS, 1, "b")) {
                assertThat(claims.cpus()).isEqualTo(CpuSet.of(5));
                assertThat(second.refused().get(5)).endsWith(", a");
            }
            return Thread.interrupted();
        });
        Thread thread = new Thread(interrupted);
        thread.start();
        assertThat(interrupted.get()).isTrue();
    }

    private CpuClaims claim(String holder, int count) {
        return CpuClaims.claim(directories, CPUS, count, holder);
    }

    private static String prefix() {
        try {
            return "corelane-" + ClaimDirectories.user() + ".";
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private Path lockFile(int cpu) throws IOException {
        try (Stream<Path> entries = Files.walk(parent)) {
            List<Path> found =
                    entries.filter(path -> path.endsWith("cpu" + cpu)).toList();
            assertThat(found).hasSize(1);
            return found.get(0);
        }
    }
}
