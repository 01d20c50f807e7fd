// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Finds the control groups of a process and reads their limits. */
final class CgroupReader {
    /*
     * Where a group's files are. proc/self/cgroup tells the path P of the process's group in its hierarchy, mountinfo the
     * mounts of that hierarchy, each with the group R that its root shows and its mount point M. If P is R or below it,
     * the group is at M + (P without R); of several such mounts the one with the longest R is taken.
     *
     * In a container without its own cgroup namespace P is a path on the host, and R is usually the container's own group,
     * so that the group is at M itself. If R is no beginning of P, P or R was seen from another namespace: then M + P is
     * taken if it exists, else M, with a warning. A P or R that leads out of its namespace ("/..") cannot be followed at
     * all: no limit is taken from that hierarchy, with a warning, instead of those of some other group.
     *
     * From the group's folder the reader goes up to M: a group without the file (its controller is off) takes part in its
     * parent's limit. M is never passed, and the files at M are those of the container's root group, if not of the host's.
     * A group whose folder is not there may have limits that nobody can read: those of the groups above it count, with a
     * warning. The same goes for a hierarchy that has the process in a group and is mounted nowhere.
     */
    private static final String CGROUP = "proc/self/cgroup";
    private static final String MOUNTINFO = "proc/self/mountinfo";

    /** A host with tens of thousands of mounts has some megabytes of them. */
    private static final int MAX_BYTES = 1 << 25;

    private static final Pattern ESCAPE = Pattern.compile("\\\\([0-3][0-7]{2})");

    private final KernelTree tree;
    private final List<String> warnings = new ArrayList<>();

    CgroupReader(KernelTree tree) {
        this.tree = tree;
    }

    /** A mounted hierarchy; {@code controllers} is empty for version 2. */
    private record Mount(String root, String point, List<String> controllers, boolean v2) {}

    /** A group of the process, as proc/self/cgroup has it. */
    private record Membership(List<String> controllers, String path) {}

    CgroupLimits read() {
        List<Membership> memberships = memberships();
        List<Mount> mounts = mounts();
        Found<CpuSet> cpuset = cpuset(folders("cpuset", memberships, mounts));
        Found<Double> quota = quota(folders("cpu", memberships, mounts));
        return new CgroupLimits(
                cpuset == null ? null : cpuset.value,
                cpuset == null ? "" : cpuset.file,
                quota == null ? Double.POSITIVE_INFINITY : quota.value,
                quota == null ? "" : quota.file,
                warnings.stream()
                        .map(warning -> warning.replaceAll("\\p{Cntrl}", "?"))
                        .distinct()
                        .toList());
    }

    private record Found<T>(T value, String file) {}

    private List<Membership> memberships() {
        List<Membership> found = new ArrayList<>();
        List<String> odd = new ArrayList<>();
        for (String line : lines(CGROUP)) {
            String[] parts = line.split(":", 3); // hierarchy:controllers:path
            if (parts.length == 3 && isNumber(parts[0]) && isPath(parts[2])) {
                List<String> controllers = parts[1].isEmpty() ? List.of() : Arrays.asList(parts[1].split(","));
                found.add(new Membership(controllers, parts[2]));
            } else {
                odd.add(line);
            }
        }
        warnOf(odd, CGROUP, "number:controllers:/path");
        return found;
    }

    private List<Mount> mounts() {
        List<Mount> found = new ArrayList<>();
        List<String> odd = new ArrayList<>();
        for (String line : lines(MOUNTINFO)) {
            // 36 35 98:0 /root /mount/point options [optional fields] - type source super-options
            String[] halves = line.split(" - ", 2);
            String[] left = halves[0].split(" ", -1);
            String[] right = halves.length < 2 ? new String[0] : halves[1].split(" ", -1);
            if (left.length < 6 || !isNumber(left[0]) || right.length < 3) {
                odd.add(line);
            } else if (right[0].equals("cgroup2") || right[0].equals("cgroup")) {
                boolean v2 = right[0].equals("cgroup2");
                String root = unescape(left[3]);
                String point = unescape(left[4]);
                if (isPath(root) && isPath(point) && !leadsOut(point)) {
                    found.add(new Mount(root, point, v2 ? List.of() : Arrays.asList(right[2].split(",")), v2));
                } else {
                    odd.add(line);
                }
            }
        }
        warnOf(odd, MOUNTINFO, "a mount");
        return found;
    }

    /** One warning for a file, however many lines of it are odd. */
    private void warnOf(List<String> odd, String file, String expected) {
        if (!odd.isEmpty()) {
            String others = odd.size() == 1 ? "" : " and " + (odd.size() - 1) + " more like it";
            warnings.add(tree.path(file) + " has the line " + KernelTree.quote(odd.get(0)) + others + " (expected "
                    + expected + "); skipped");
        }
    }

    private static boolean isNumber(String text) {
        return text.matches("[0-9]{1,10}");
    }

    private static boolean isPath(String text) {
        return text.startsWith("/") && !text.startsWith("//") && text.indexOf('\0') < 0;
    }

    /** mountinfo writes space, tab, newline and backslash in octal. */
    private static String unescape(String path) {
        return ESCAPE.matcher(path)
                .replaceAll(escape ->
                        Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(escape.group(1), 8))));
    }

    private List<String> lines(String file) {
        try {
            String text = tree.text(file, MAX_BYTES);
            if (text == null || text.isBlank()) {
                return List.of();
            }
            byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1); // the kernel writes names as they are
            return new String(bytes, StandardCharsets.UTF_8).lines().toList();
        } catch (IOException unreadable) {
            warnings.add(tree.path(file) + " cannot be read: " + unreadable + "; taken as missing");
            return List.of();
        }
    }

    /** The folders of the process's group and of its parents up to the mount point, innermost first; and the version. */
    private record Folders(List<String> paths, boolean v2) {}

    private @Nullable Folders folders(String controller, List<Membership> memberships, List<Mount> mounts) {
        for (Membership membership : memberships) {
            if (membership.controllers.contains(controller)) {
                return folders(membership.path, select(mounts, membership.path, controller), "of " + controller);
            }
        }
        for (Membership membership : memberships) {
            if (membership.controllers.isEmpty()) {
                return folders(membership.path, select(mounts, membership.path, null), "of version 2");
            }
        }
        return null;
    }

    /** The mount whose root is the longest beginning of the path; else the first of the hierarchy. */
    private static @Nullable Mount select(List<Mount> mounts, String path, @Nullable String controller) {
        Mount best = null;
        for (Mount mount : mounts) {
            boolean fits = controller == null ? mount.v2 : !mount.v2 && mount.controllers.contains(controller);
            if (fits) {
                if (best == null) {
                    best = mount;
                } else if (isWithin(path, mount.root)
                        && (!isWithin(path, best.root) || mount.root.length() > best.root.length())) {
                    best = mount;
                }
            }
        }
        return best;
    }

    private static boolean isWithin(String path, String root) {
        return root.equals("/") || path.equals(root) || path.startsWith(root + "/");
    }

    private @Nullable Folders folders(String path, @Nullable Mount mount, String hierarchy) {
        if (mount == null) {
            warnings.add("the control groups " + hierarchy + " are not mounted; the limits of group "
                    + KernelTree.quote(path) + " are unknown");
            return null;
        }
        if (leadsOut(path) || leadsOut(mount.root)) {
            warnings.add("the control group " + KernelTree.quote(path) + ' ' + hierarchy
                    + " is outside of what is mounted at " + mount.point + " (root " + mount.root
                    + "); its limits are unknown");
            return null;
        }
        String point = mount.point.equals("/") ? "" : mount.point;
        String below = below(path, mount, point, hierarchy);
        if (!isFolder(point + below)) {
            warnings.add("the control group " + KernelTree.quote(path) + ' ' + hierarchy + " has no folder " + point
                    + below + "; its limits are unknown, those of the groups above it are taken");
        }
        List<String> paths = new ArrayList<>();
        String folder = below;
        while (true) {
            paths.add(point + folder);
            if (folder.isEmpty()) {
                return new Folders(paths, mount.v2);
            }
            folder = folder.substring(0, folder.lastIndexOf('/'));
        }
    }

    private String below(String path, Mount mount, String point, String hierarchy) {
        if (isWithin(path, mount.root)) {
            String rest = mount.root.equals("/") ? path : path.substring(mount.root.length());
            return rest.equals("/") ? "" : rest;
        }
        boolean exists = !path.equals("/") && isFolder(point + path);
        warnings.add("the control group " + KernelTree.quote(path) + ' ' + hierarchy + " is not below " + mount.root
                + ", which is mounted at " + mount.point + "; taken is "
                + (exists ? mount.point + path : mount.point + " itself"));
        return exists ? path : "";
    }

    private static boolean leadsOut(String path) {
        return (path + "/").contains("/../");
    }

    /** A name for the tree: names there are relative to its root. */
    private static String relative(String path) {
        return path.startsWith("/") ? path.substring(1) : path;
    }

    private boolean isFolder(String path) {
        try {
            return tree.isFolder(relative(path));
        } catch (InvalidPathException unnameable) {
            return false;
        }
    }

    private @Nullable Found<CpuSet> cpuset(@Nullable Folders folders) {
        if (folders == null) {
            return null;
        }
        List<String> names = folders.v2
                ? List.of("cpuset.cpus.effective")
                : List.of("cpuset.effective_cpus", "cpuset.cpus", "effective_cpus", "cpus"); // noprefix
        for (String folder : folders.paths) {
            for (String name : names) {
                String file = relative(folder + "/" + name);
                String text = textOrNull(file);
                if (text != null && !text.isEmpty()) { // empty in a group that has none of its own
                    try {
                        return new Found<>(CpuSet.parse(text), tree.path(file));
                    } catch (IllegalArgumentException nonsense) {
                        warnings.add(tree.path(file) + " holds " + KernelTree.quote(text)
                                + " (expected a list of CPUs); taken as missing");
                    }
                }
            }
        }
        return null;
    }

    private @Nullable Found<Double> quota(@Nullable Folders folders) {
        if (folders == null) {
            return null;
        }
        Found<Double> least = null;
        for (String folder : folders.paths) {
            Found<Double> quota = folders.v2 ? quotaV2(relative(folder + "/cpu.max")) : quotaV1(folder);
            if (quota != null && (least == null || quota.value < least.value)) {
                least = quota;
            }
        }
        return least;
    }

    private @Nullable Found<Double> quotaV2(String file) {
        String text = textOrNull(file);
        if (text == null || text.matches("max( [0-9]+)?")) {
            return null;
        }
        String[] parts = text.split(" ", -1);
        long quota = parts.length == 2 ? positive(parts[0]) : -1;
        long period = parts.length == 2 ? positive(parts[1]) : -1;
        if (quota <= 0 || period <= 0) {
            warnings.add(tree.path(file) + " holds " + KernelTree.quote(text)
                    + " (expected \"quota period\" or \"max period\"); taken as no quota");
            return null;
        }
        return new Found<>((double) quota / period, tree.path(file));
    }

    private @Nullable Found<Double> quotaV1(String folder) {
        String quotaFile = relative(folder + "/cpu.cfs_quota_us");
        String quotaText = textOrNull(quotaFile);
        if (quotaText == null || quotaText.equals("-1")) {
            return null;
        }
        String periodText = textOrNull(relative(folder + "/cpu.cfs_period_us"));
        long quota = positive(quotaText);
        long period = periodText == null ? -1 : positive(periodText);
        if (quota <= 0 || period <= 0) {
            warnings.add(tree.path(quotaFile) + " holds " + KernelTree.quote(quotaText) + " and cpu.cfs_period_us "
                    + (periodText == null ? "is missing" : "holds " + KernelTree.quote(periodText))
                    + " (expected microseconds in both, or a quota of -1); taken as no quota");
            return null;
        }
        return new Found<>((double) quota / period, tree.path(quotaFile));
    }

    private static long positive(String text) {
        return text.matches("[0-9]{1,15}") ? Long.parseLong(text) : -1;
    }

    private @Nullable String textOrNull(String file) {
        try {
            return tree.text(file);
        } catch (IOException unreadable) {
            warnings.add(tree.path(file) + " cannot be read: " + unreadable + "; taken as missing");
            return null;
        } catch (InvalidPathException unnameable) {
            return null; // isFolder did not find it either, which is warned of
        }
    }
}
