// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Control groups of both versions as hosts and containers show them, and as they do not. */
class CgroupReaderTest {
    private static final String V2 = "/sys/fs/cgroup";
    private static final String V1_CPU = "/sys/fs/cgroup/cpu,cpuacct";
    private static final String V1_CPUSET = "/sys/fs/cgroup/cpuset";

    @TempDir
    private Path root;

    /** What {@code docker run --cpus=Q --cpuset-cpus=C} writes, on a host with CPUs 0 to 7. */
    @ParameterizedTest(name = "--cpus={0} --cpuset-cpus={1} is {4} workers")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "0.5 |  -   | 50000 100000  | 0-7 | 1",
                "1   |  -   | 100000 100000 | 0-7 | 1",
                "1.5 |  -   | 150000 100000 | 0-7 | 2",
                "4   |  -   | 400000 100000 | 0-7 | 4",
                "64  |  -   | 6400000 100000| 0-7 | 8",
                "0.01|  -   | 1000 100000   | 0-7 | 1",
                "  - |  -   | max 100000    | 0-7 | 8",
                "1.5 |  0-3 | 150000 100000 | 0-3 | 2",
                "  - |  0-3 | max 100000    | 0-3 | 4",
                "6   |  2,5 | 600000 100000 | 2,5 | 2"
            })
    void workersAreTheFewerOfCpusAndQuotaRoundedUp(
            String cpus, String cpusetCpus, String cpuMax, String effective, int workers) throws IOException {
        Path two = Files.createDirectory(root.resolve("v2"));
        CgroupTree.v2(two, "/")
                .group(V2 + "/cpu.max", cpuMax)
                .group(V2 + "/cpuset.cpus", cpusetCpus == null ? "" : cpusetCpus)
                .group(V2 + "/cpuset.cpus.effective", effective);
        Path one = Files.createDirectory(root.resolve("v1"));
        String[] quota = cpuMax.replace("max", "-1").split(" ");
        CgroupTree.v1(one, "/docker/4af", "/docker/4af")
                .quotaV1(V1_CPU, quota[0], quota[1])
                .group(V1_CPUSET + "/cpuset.cpus", effective);
        for (Path version : List.of(one, two)) {
            CpuLimits limits = CpuLimits.read(version, CpuSet.range(0, 7));
            assertThat(limits.defaultWorkers()).as(version.toString()).isEqualTo(workers);
            assertThat(limits.allowed()).isEqualTo(CpuSet.parse(effective));
            assertThat(limits.cgroups().quota())
                    .isEqualTo(cpus == null ? Double.POSITIVE_INFINITY : Double.parseDouble(cpus));
            assertThat(limits.cgroups().warnings()).isEmpty();
        }
    }

    @Test
    void aMachineWithoutControlGroupsHasNoLimits() {
        CgroupLimits limits = CgroupLimits.read(root);
        assertThat(limits).isEqualTo(CgroupLimits.NONE);
        assertThat(limits.quotaWorkers()).isEqualTo(Integer.MAX_VALUE);
    }

    @Test
    void theFilesThatSaySoAreNamed() {
        CgroupLimits limits = CgroupTree.v2(root, "/app.slice")
                .group(V2 + "/app.slice/cpu.max", "50000 100000")
                .group(V2 + "/app.slice/cpuset.cpus.effective", "1-2")
                .read();
        assertThat(limits)
                .isEqualTo(new CgroupLimits(
                        CpuSet.of(1, 2),
                        root + V2 + "/app.slice/cpuset.cpus.effective",
                        0.5,
                        root + V2 + "/app.slice/cpu.max",
                        List.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "max,250000,max,2.5",
        "100000,250000,max,1",
        "400000,250000,max,2.5",
        "400000,250000,150000,1.5",
        "max,max,300000,3"
    })
    void ofNestedGroupsTheSmallestQuotaCounts(String inner, String middle, String outer, double quota)
            throws IOException {
        Path two = Files.createDirectory(root.resolve("v2"));
        CgroupTree.v2(two, "/pods/pod1/c1")
                .group(V2 + "/pods/pod1/c1/cpu.max", inner + " 100000")
                .group(V2 + "/pods/pod1/cpu.max", middle + " 100000")
                .group(V2 + "/pods/cpu.max", outer + " 100000");
        assertThat(CgroupLimits.read(two).quota()).isEqualTo(quota);
        Path one = Files.createDirectory(root.resolve("v1"));
        CgroupTree.v1(one, "/pods/pod1/c1", "/")
                .quotaV1(V1_CPU + "/pods/pod1/c1", inner.replace("max", "-1"), "100000")
                .quotaV1(V1_CPU + "/pods/pod1", middle.replace("max", "-1"), "100000")
                .quotaV1(V1_CPU + "/pods", outer.replace("max", "-1"), "100000")
                .folder("sys/fs/cgroup/cpuset/pods/pod1/c1");
        CgroupLimits limits = CgroupLimits.read(one);
        assertThat(limits.quota()).isEqualTo(quota);
        assertThat(limits.warnings()).isEmpty();
    }

    @Test
    void aGroupWithoutTheFilesTakesPartInThoseAboveIt() {
        CgroupLimits limits = CgroupTree.v2(root, "/app.slice/x.service")
                .folder("sys/fs/cgroup/app.slice/x.service")
                .group(V2 + "/app.slice/cpu.max", "200000 100000")
                .group(V2 + "/app.slice/cpuset.cpus.effective", "0-3")
                .group(V2 + "/cpuset.cpus.effective", "0-7")
                .read();
        assertThat(limits.quota()).isEqualTo(2);
        assertThat(limits.cpuset()).isEqualTo(CpuSet.range(0, 3));
        assertThat(limits.warnings()).isEmpty();
    }

    @Test
    void aGroupWhoseFolderIsMissingIsWarnedOf() {
        CgroupLimits limits = CgroupTree.v2(root, "/app.slice/gone")
                .group(V2 + "/app.slice/cpu.max", "200000 100000")
                .read();
        assertThat(limits.quota()).isEqualTo(2);
        assertThat(limits.warnings())
                .containsExactly(
                        "the control group \"/app.slice/gone\" of version 2 has no folder"
                                + " /sys/fs/cgroup/app.slice/gone; its limits are unknown, those of the groups above it are taken");
    }

    @Test
    void theEffectiveCpusetCountsAndNotTheOneAskedFor() {
        assertThat(CgroupTree.v2(root, "/")
                        .group(V2 + "/cpuset.cpus", "0-7")
                        .group(V2 + "/cpuset.cpus.effective", "2-3")
                        .read()
                        .cpuset())
                .isEqualTo(CpuSet.of(2, 3));
        assertThat(CgroupTree.v1(root, "/", "/")
                        .group(V1_CPUSET + "/cpuset.cpus", "0-7")
                        .group(V1_CPUSET + "/cpuset.effective_cpus", "4-5")
                        .folder("sys/fs/cgroup/cpu,cpuacct")
                        .read()
                        .cpuset())
                .isEqualTo(CpuSet.of(4, 5));
    }

    @Test
    void anEmptyCpusetIsThatOfTheGroupAbove() {
        CgroupLimits limits = CgroupTree.v2(root, "/a/b")
                .group(V2 + "/a/b/cpuset.cpus.effective", "")
                .group(V2 + "/a/cpuset.cpus.effective", "1,3")
                .read();
        assertThat(limits.cpuset()).isEqualTo(CpuSet.of(1, 3));
        assertThat(limits.cpusetFile()).isEqualTo(root + V2 + "/a/cpuset.cpus.effective");
    }

    @Test
    void aV1CpusetMountedWithoutPrefixIsRead() {
        assertThat(CgroupTree.v1(root, "/", "/")
                        .folder("sys/fs/cgroup/cpu,cpuacct")
                        .group(V1_CPUSET + "/cpus", "0-1")
                        .read()
                        .cpuset())
                .isEqualTo(CpuSet.of(0, 1));
    }

    @Test
    void inAHybridEachControllerIsReadWhereItIs() {
        CgroupLimits limits = new CgroupTree(root)
                .member("5:cpuset:/jobs")
                .member("0::/user.slice/run.scope")
                .mountV2("/", "/sys/fs/cgroup/unified")
                .mountV1("/", "/sys/fs/cgroup/cpuset", "cpuset")
                .group("/sys/fs/cgroup/unified/user.slice/run.scope/cpu.max", "150000 100000")
                .group("/sys/fs/cgroup/unified/user.slice/run.scope/cpuset.cpus.effective", "7")
                .group("/sys/fs/cgroup/cpuset/jobs/cpuset.cpus", "0-1")
                .read();
        assertThat(limits.quota()).isEqualTo(1.5);
        assertThat(limits.cpuset()).isEqualTo(CpuSet.of(0, 1));
        assertThat(limits.warnings()).isEmpty();
    }

    @Test
    void inAHybridThatHasTheCpuControllerInVersion1Version2DoesNotCount() {
        CgroupLimits limits = CgroupTree.v1(root, "/a", "/")
                .member("0::/a")
                .mountV2("/", "/sys/fs/cgroup/unified")
                .folder("sys/fs/cgroup/cpuset/a")
                .quotaV1(V1_CPU + "/a", "300000", "100000")
                .group("/sys/fs/cgroup/unified/a/cpu.max", "100000 100000")
                .read();
        assertThat(limits.quota()).isEqualTo(3);
    }

    /** P is the path of the process's group, R the root of the mount. */
    @ParameterizedTest(name = "P={0} R={1}")
    @CsvSource({
        "/,/,/sys/fs/cgroup", // own namespace, own mount
        "/docker/4af,/docker/4af,/sys/fs/cgroup", // the host's names, the container's mount
        "/docker/4af/x.service,/docker/4af,/sys/fs/cgroup/x.service",
        "/docker/4af,/,/sys/fs/cgroup/docker/4af", // the host's mount
        "/docker/4af,/docker,/sys/fs/cgroup/4af"
    })
    void theGroupIsAtItsPathBelowTheMount(String path, String mountRoot, String folder) {
        CgroupLimits limits = new CgroupTree(root)
                .member("0::" + path)
                .mountV2(mountRoot, V2)
                .group(folder + "/cpu.max", "150000 100000")
                .group("/sys/fs/cgroup/docker/cpu.max", "900000 100000")
                .read();
        assertThat(limits.quotaFile()).isEqualTo(root + folder + "/cpu.max");
        assertThat(limits.warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofTwoMountsTheOneWithTheLongestRootIsTaken(boolean longestFirst) {
        CgroupTree tree = new CgroupTree(root).member("0::/kube/pod1/c1");
        if (longestFirst) {
            tree.mountV2("/kube/pod1", "/pod").mountV2("/kube", "/kube").mountV2("/", V2);
        } else {
            tree.mountV2("/", V2).mountV2("/kube", "/kube").mountV2("/kube/pod1", "/pod");
        }
        tree.mountV2("/kube/pod10", "/other").mountV2("/kube/pod1/c", "/no");
        CgroupLimits limits = tree.group("/pod/c1/cpu.max", "100000 100000")
                .group(V2 + "/kube/pod1/c1/cpu.max", "200000 100000")
                .group("/kube/pod1/c1/cpu.max", "300000 100000")
                .group("/other/c1/cpu.max", "400000 100000")
                .read();
        assertThat(limits.quotaFile()).isEqualTo(root + "/pod/c1/cpu.max");
    }

    @Test
    void aMountThatHoldsTheGroupWinsOverAnEarlierOneThatDoesNot() {
        CgroupLimits limits = new CgroupTree(root)
                .member("0::/a")
                .mountV2("/b", "/elsewhere")
                .mountV2("/", V2)
                .group("/elsewhere/cpu.max", "100000 100000")
                .group(V2 + "/a/cpu.max", "200000 100000")
                .read();
        assertThat(limits.quota()).isEqualTo(2);
        assertThat(limits.warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/,/../../kube/pod1",
        "/../..,/",
        "/..,/..",
        "/../other,/",
        "/a/../b,/",
        "/a/..,/",
    })
    void aPathThatLeadsOutOfTheNamespaceIsNotFollowed(String path, String mountRoot) {
        CgroupLimits limits = new CgroupTree(root)
                .member("0::" + path)
                .mountV2(mountRoot, V2)
                .group(V2 + "/cpu.max", "100000 100000")
                .group(V2 + "/cpuset.cpus.effective", "0")
                .group("/sys/fs/cpu.max", "100000 100000")
                .read();
        assertThat(limits.quota()).isInfinite();
        assertThat(limits.cpuset()).isNull();
        assertThat(limits.warnings())
                .containsExactly("the control group \"" + path + "\" of version 2 is outside of what is mounted at "
                        + V2 + " (root " + mountRoot + "); its limits are unknown");
    }

    @Test
    void anUnrelatedMountRootIsTakenForTheGroupWithAWarning() {
        CgroupTree tree = new CgroupTree(root)
                .member("0::/seen/from/elsewhere")
                .mountV2("/docker/4af", V2)
                .group(V2 + "/cpu.max", "100000 100000");
        CgroupLimits itself = tree.read();
        assertThat(itself.quota()).isEqualTo(1);
        assertThat(itself.warnings())
                .containsExactly(
                        "the control group \"/seen/from/elsewhere\" of version 2 is not below /docker/4af, which"
                                + " is mounted at /sys/fs/cgroup; taken is /sys/fs/cgroup itself");
        CgroupLimits below =
                tree.group(V2 + "/seen/from/elsewhere/cpu.max", "50000 100000").read();
        assertThat(below.quota()).isEqualTo(0.5);
        assertThat(below.warnings()).singleElement().asString().endsWith("taken is /sys/fs/cgroup/seen/from/elsewhere");
    }

    @Test
    void aHierarchyThatIsNotMountedIsWarnedOf() {
        CgroupLimits limits = new CgroupTree(root)
                .member("7:cpu,cpuacct:/docker/4af")
                .member("0::/x")
                .mount("40 30 0:40 / /sys/fs/bpf rw - bpf bpf rw")
                .read();
        assertThat(limits.quota()).isInfinite();
        assertThat(limits.warnings())
                .containsExactly(
                        "the control groups of version 2 are not mounted; the limits of group \"/x\" are unknown",
                        "the control groups of cpu are not mounted; the limits of group \"/docker/4af\" are unknown");
    }

    @Test
    void escapesInMountPointsAndRootsAreResolved() {
        CgroupLimits limits = new CgroupTree(root)
                .member("0::/my group\\x2d1/job")
                .mountV2("/my\\040group\\134x2d1", "/mnt/tab\\011and\\043hash")
                .group("/mnt/tab\tand#hash/job/cpu.max", "100000 100000")
                .read();
        assertThat(limits.quota()).isEqualTo(1);
        assertThat(limits.warnings()).isEmpty();
    }

    @Test
    void namesThatAreNotAsciiAreFoundOrWarnedOf() {
        CgroupLimits limits = CgroupTree.v2(root, "/größe")
                .group(V2 + "/größe/cpu.max", "100000 100000")
                .read();
        assertThat(limits.quota() == 1 || limits.warnings().size() == 1).isTrue();
    }

    @Test
    void aGroupMountedAtTheRootStaysBelowTheRoot() {
        CgroupLimits limits = new CgroupTree(root)
                .member("0::/")
                .mountV2("/", "/")
                .file("cpu.max", "100000 100000\n")
                .read();
        assertThat(limits.quotaFile()).isEqualTo(root + "/cpu.max");
        assertThat(limits.quota()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "max max",
                "maximum",
                "max 100000 1",
                "100000",
                "100000 0",
                "0 100000",
                "-1 100000",
                "1e5 100000",
                "100000 100000 100000",
                "99999999999999999999 100000"
            })
    void nonsenseInCpuMaxIsNoQuotaAndWarnedOf(String content) {
        CgroupLimits limits = CgroupTree.v2(root, "/a")
                .group(V2 + "/a/cpu.max", content)
                .group(V2 + "/cpu.max", "800000 100000")
                .read();
        assertThat(limits.quota()).isEqualTo(8);
        assertThat(limits.warnings())
                .containsExactly(root + V2 + "/a/cpu.max holds " + KernelTree.quote(content)
                        + " (expected \"quota period\" or \"max period\"); taken as no quota");
    }

    @ParameterizedTest
    @CsvSource({"x,100000", "0,100000", "-2,100000", "50000,0", "50000,", "50000,-1", "'',100000", "max,100000"})
    void nonsenseInAV1QuotaIsNoQuotaAndWarnedOf(String quota, String period) {
        CgroupTree tree =
                CgroupTree.v1(root, "/", "/").folder("sys/fs/cgroup/cpuset").group(V1_CPU + "/cpu.cfs_quota_us", quota);
        if (period != null) {
            tree.group(V1_CPU + "/cpu.cfs_period_us", period);
        }
        CgroupLimits limits = tree.read();
        assertThat(limits.quota()).isInfinite();
        assertThat(limits.warnings())
                .singleElement()
                .asString()
                .startsWith(root + V1_CPU + "/cpu.cfs_quota_us holds \"" + quota + "\" and cpu.cfs_period_us ")
                .contains(period == null ? "is missing" : "holds \"" + period + "\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "0-", "3-1", "0,,1", "0-99999", "all"})
    void nonsenseInACpusetIsWarnedOfAndTheGroupAboveCounts(String content) {
        CgroupLimits limits = CgroupTree.v2(root, "/a")
                .group(V2 + "/a/cpuset.cpus.effective", content)
                .group(V2 + "/cpuset.cpus.effective", "0-3")
                .read();
        assertThat(limits.cpuset()).isEqualTo(CpuSet.range(0, 3));
        assertThat(limits.warnings())
                .containsExactly(root + V2 + "/a/cpuset.cpus.effective holds \"" + content
                        + "\" (expected a list of CPUs); taken as missing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0:", "0::", "nonsense", "0::relative", "x::/", "0:://double"})
    void nonsenseInTheMembershipIsWarnedOf(String line) {
        CgroupLimits limits = CgroupTree.v2(root, "/")
                .file("proc/self/cgroup", line + "\n" + line + "\n")
                .group(V2 + "/cpu.max", "100000 100000")
                .read();
        assertThat(limits.quota()).isInfinite();
        assertThat(limits.warnings())
                .containsExactly(root + "/proc/self/cgroup has the line \"" + line
                        + "\" and 1 more like it (expected number:controllers:/path); skipped");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "nonsense",
                "30 23 0:26 / /sys/fs/cgroup rw - cgroup2",
                "30 23 0:26 / /sys/fs/cgroup rw shared:9",
                "30 23 0:26 / /sys/fs/cgroup - cgroup2 cgroup2 rw",
                "30 23 0:26 / relative rw - cgroup2 cgroup2 rw",
                "30 23 0:26 x /sys/fs/cgroup rw - cgroup2 cgroup2 rw",
                "30 23 0:26 / /sys/../../../etc rw - cgroup2 cgroup2 rw",
                "30 23 0:26 / /sys/fs\\000 rw - cgroup2 cgroup2 rw"
            })
    void nonsenseInTheMountsIsWarnedOf(String line) {
        CgroupLimits limits = new CgroupTree(root)
                .member("0::/")
                .file("proc/self/mountinfo", line + "\n")
                .group(V2 + "/cpu.max", "100000 100000")
                .read();
        assertThat(limits.quota()).isInfinite();
        assertThat(limits.warnings())
                .containsExactly(
                        root + "/proc/self/mountinfo has the line " + KernelTree.quote(line)
                                + " (expected a mount); skipped",
                        "the control groups of version 2 are not mounted; the limits of group \"/\" are unknown");
    }

    @Test
    void nulInsideAPathIsWarnedOf() {
        CgroupLimits limits =
                CgroupTree.v2(root, "/").file("proc/self/cgroup", "0::/a\0b\n").read();
        assertThat(limits.warnings()).singleElement().asString().contains("has the line \"0::/a\\x00b\"");
    }

    /** A folder in place of a file: what not even root can read. */
    @Test
    void filesThatCannotBeReadAreWarnedOf() {
        CgroupLimits limits = CgroupTree.v2(root, "/a")
                .folder("sys/fs/cgroup/a/cpu.max")
                .folder("sys/fs/cgroup/a/cpuset.cpus.effective")
                .group(V2 + "/cpu.max", "100000 100000")
                .read();
        assertThat(limits.quota()).isEqualTo(1);
        assertThat(limits.warnings())
                .hasSize(2)
                .allMatch(text -> text.startsWith(root + V2 + "/a/cpu") && text.contains(" cannot be read: "));
        CgroupLimits none = new CgroupTree(root)
                .folder("proc/self/cgroup")
                .folder("proc/self/mountinfo")
                .read();
        assertThat(none.quota()).isInfinite();
        assertThat(none.warnings())
                .satisfiesExactly(
                        first -> assertThat(first).startsWith(root + "/proc/self/cgroup cannot be read: "),
                        second -> assertThat(second).startsWith(root + "/proc/self/mountinfo cannot be read: "));
    }

    @Test
    void filesWithoutPermissionAreWarnedOf() throws IOException {
        CgroupTree tree = CgroupTree.v2(root, "/").group(V2 + "/cpu.max", "100000 100000");
        Path file = root.resolve("sys/fs/cgroup/cpu.max");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("---------"));
        assumeFalse(Files.isReadable(file), "runs as root, who may read every file");
        assertThat(tree.read().warnings()).singleElement().asString().contains("cannot be read");
    }

    @Test
    void mountsOfALargeHostAreRead() {
        CgroupTree tree = new CgroupTree(root).member("0::/");
        StringBuilder mounts = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            mounts.append(i).append(" 23 0:5 / /var/lib/docker/overlay2/").append("x".repeat(64));
            mounts.append("/merged rw - overlay overlay rw,lowerdir=/somewhere\n");
        }
        mounts.append("30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
        CgroupLimits limits = tree.file("proc/self/mountinfo", mounts.toString())
                .group(V2 + "/cpu.max", "100000 100000")
                .read();
        assertThat(limits.quota()).isEqualTo(1);
        assertThat(limits.warnings()).isEmpty();
    }

    @Test
    void aQuotaThatIsNoneIsRefused() {
        assertThatThrownBy(() -> new CgroupLimits(null, "", 0, "", List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("quota=0.0 (expected CPUs above 0, or infinity)");
    }

    @Test
    void theCpusetOfThisProcessHasItsMask() {
        CgroupLimits limits = CgroupLimits.read();
        assertThat(limits.quota()).isPositive();
        if (limits.cpuset() != null) {
            assertThat(limits.cpuset().containsAll(CpuLimits.read().mask())).isTrue();
        }
    }
}
