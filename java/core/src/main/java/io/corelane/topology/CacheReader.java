// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the caches and who shares them.
 *
 * <p>A cache without a level or without a set of CPUs is left out with a warning, as nothing useful can be said of it.
 */
final class CacheReader {
    private static final List<String> SHARED_FILES = List.of("shared_cpu_list", "shared_cpu_map");
    private static final Pattern SIZE = Pattern.compile("([0-9]{1,9})([KMG]?)");
    private static final Map<String, CpuCache.Type> TYPES = Map.of(
            "Unified", CpuCache.Type.UNIFIED, "Data", CpuCache.Type.DATA, "Instruction", CpuCache.Type.INSTRUCTION);
    private static final int MAX_LEVEL = 9;

    /**
     * What makes two caches of different CPUs comparable. Virtual machines may show two level 1 data caches for each CPU,
     * which the ordinal keeps apart.
     */
    private record Kind(int level, CpuCache.Type type, int ordinal) {
        static final Comparator<Kind> ORDER =
                Comparator.comparingInt(Kind::level).thenComparing(Kind::type).thenComparingInt(Kind::ordinal);
    }

    /** All caches of one kind: by CPU, who shares it and its size. */
    private static final class Statements {
        final Map<Integer, CpuSet> shared = new TreeMap<>();
        final Map<Integer, Long> sizes = new HashMap<>();
    }

    private final KernelTree tree;
    private final CpuStates states;
    private final CpuSet folders;
    private final TolerantFiles files;
    private final Warnings warnings;
    private final Map<Kind, Statements> kinds = new TreeMap<>(Kind.ORDER);

    CacheReader(KernelTree tree, CpuStates states, TolerantFiles files, Warnings warnings) {
        this.tree = tree;
        this.states = states;
        this.folders = states.folders().intersect(states.online());
        this.files = files;
        this.warnings = warnings;
    }

    /** Returns the caches by level, type and lowest CPU. */
    List<CpuCache> read() {
        folders.stream().forEach(cpu -> tree.numbered(KernelTree.CPU + "cpu" + cpu + "/cache", "index").stream()
                .forEach(index -> readOne(cpu, "cache/index" + index + "/")));
        List<CpuCache> caches = new ArrayList<>();
        kinds.forEach((kind, said) -> {
            String source = "sharers of a level " + kind.level() + " cache";
            for (CpuSet cpus : new Partition(states, source, warnings).groups(said.shared)) {
                caches.add(new CpuCache(kind.level(), kind.type(), size(said, cpus), cpus));
            }
        });
        warnAboutLevels(caches);
        return List.copyOf(caches);
    }

    /** Who shares a cache shares the higher ones too: a level that breaks this is a wrong number. */
    private void warnAboutLevels(List<CpuCache> caches) {
        Map<Integer, List<CpuCache>> byCpu = new TreeMap<>();
        for (CpuCache cache : caches) {
            cache.cpus().stream().forEach(cpu -> byCpu.computeIfAbsent(cpu, key -> new ArrayList<>())
                    .add(cache));
        }
        byCpu.forEach((cpu, own) -> own.forEach(low -> own.stream()
                .filter(high -> high.level() > low.level() && !high.cpus().containsAll(low.cpus()))
                .forEach(high -> warnings.add("CPUs " + low.cpus() + " share a level " + low.level()
                        + " cache, but the level " + high.level() + " cache of CPU " + cpu + " is that of CPUs "
                        + high.cpus() + "; taken as told"))));
    }

    private void readOne(int cpu, String folder) {
        int level = files.number(cpu, folder + "level", 1, MAX_LEVEL);
        CpuSet shared =
                files.set(cpu, SHARED_FILES.stream().map(name -> folder + name).toList());
        if (level < 0 || shared == null) {
            String missing = level < 0 ? "its level" : "who shares it";
            warnings.add(cpu, "cpu*/cache/index* does not tell " + missing + ": left out", folder);
            return;
        }
        CpuCache.Type type = type(cpu, folder + "type");
        Statements said = statements(cpu, level, type);
        said.shared.put(cpu, shared);
        said.sizes.put(cpu, size(cpu, folder + "size"));
    }

    private Statements statements(int cpu, int level, CpuCache.Type type) {
        for (int ordinal = 0; ; ordinal++) {
            Statements said = kinds.computeIfAbsent(new Kind(level, type, ordinal), key -> new Statements());
            if (!said.shared.containsKey(cpu)) {
                return said;
            }
        }
    }

    private CpuCache.Type type(int cpu, String file) {
        String text = files.text(cpu, file);
        CpuCache.Type type = text == null ? null : TYPES.get(text);
        if (type != null) {
            return type;
        }
        warnings.add(
                cpu,
                "cpu*/" + file + " does not hold Unified, Data or Instruction: taken as a cache that holds data",
                text == null ? "" : KernelTree.quote(text));
        return CpuCache.Type.UNKNOWN;
    }

    /** The size in bytes, or -1 if it is missing, 0 or nonsense. */
    private long size(int cpu, String file) {
        String text = files.text(cpu, file);
        if (text == null) {
            return -1;
        }
        Matcher matcher = SIZE.matcher(text);
        if (!matcher.matches()) {
            warnings.add(
                    cpu, "cpu*/" + file + " does not hold a size as in 32K: taken as unknown", KernelTree.quote(text));
            return -1;
        }
        long size = Long.parseLong(matcher.group(1)) << shift(matcher.group(2));
        return size == 0 ? -1 : size;
    }

    private static int shift(@Nullable String unit) {
        return unit == null || unit.isEmpty() ? 0 : 10 * ("KMG".indexOf(unit) + 1);
    }

    private long size(Statements said, CpuSet cpus) {
        long[] sizes = cpus.stream()
                .mapToLong(cpu -> said.sizes.getOrDefault(cpu, -1L))
                .filter(size -> size > 0)
                .distinct()
                .toArray();
        if (sizes.length > 1) {
            warnings.add("CPUs " + cpus + " share a cache but tell different sizes of it; taken as unknown");
        }
        return sizes.length == 1 ? sizes[0] : -1;
    }
}
