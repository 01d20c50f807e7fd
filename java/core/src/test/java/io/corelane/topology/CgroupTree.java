// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Writes the files by which a process finds its control groups, and those of the groups. */
final class CgroupTree {
    private final Path root;
    private final StringBuilder memberships = new StringBuilder();
    private final StringBuilder mounts = new StringBuilder("22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n");

    CgroupTree(Path root) {
        this.root = root;
    }

    /** A host or container with version 2 only, mounted where systemd and Docker mount it. */
    static CgroupTree v2(Path root, String path) {
        return new CgroupTree(root).member("0::" + path).mountV2("/", "/sys/fs/cgroup");
    }

    /** As Docker shows version 1 in a container without a namespace: the path is the host's, and so is the mount's root. */
    static CgroupTree v1(Path root, String path, String mountRoot) {
        return new CgroupTree(root)
                .member("12:memory:" + path)
                .member("7:cpu,cpuacct:" + path)
                .member("5:cpuset:" + path)
                .member("1:name=systemd:" + path)
                .mountV1(mountRoot, "/sys/fs/cgroup/cpu,cpuacct", "cpu,cpuacct")
                .mountV1(mountRoot, "/sys/fs/cgroup/cpuset", "cpuset");
    }

    CgroupTree member(String line) {
        memberships.append(line).append('\n');
        return file("proc/self/cgroup", memberships.toString());
    }

    CgroupTree mountV2(String mountRoot, String point) {
        return mount("30 23 0:26 " + mountRoot + " " + point + " rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate");
    }

    CgroupTree mountV1(String mountRoot, String point, String controllers) {
        return mount(
                "33 28 0:30 " + mountRoot + " " + point + " ro,nosuid master:11 - cgroup cgroup rw," + controllers);
    }

    CgroupTree mount(String line) {
        mounts.append(line).append('\n');
        return file("proc/self/mountinfo", mounts.toString());
    }

    /** A file of a group; the name is that of the whole path. */
    CgroupTree group(String path, String content) {
        return file(path.substring(1), content + "\n");
    }

    CgroupTree quotaV1(String folder, String quota, String period) {
        return group(folder + "/cpu.cfs_quota_us", quota).group(folder + "/cpu.cfs_period_us", period);
    }

    CgroupTree file(String name, String content) {
        try {
            Path file = root.resolve(name);
            Files.createDirectories(Objects.requireNonNull(file.getParent()));
            Files.writeString(file, content, StandardCharsets.UTF_8);
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CgroupTree folder(String name) {
        try {
            Files.deleteIfExists(root.resolve(name));
            Files.createDirectories(root.resolve(name));
            return this;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    CgroupLimits read() {
        return CgroupLimits.read(root);
    }
}
