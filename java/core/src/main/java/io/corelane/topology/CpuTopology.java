// SPDX-License-Identifier: Apache-2.0
package io.corelane.topology;

import io.corelane.affinity.CpuSet;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What CPUs a machine has: cores, dies, sockets, NUMA nodes, caches and core classes, as the kernel's files tell.
 *
 * <p>It is a snapshot, and describes the machine and not the process: which of the CPUs this process may use is told by
 * {@link CpuLimits}. It can be read from a copy of another machine's files as well.
 *
 * <h2>Sources</h2>
 * All files are below {@code /sys/devices/system/cpu} unless another folder is named. Where files contradict each other,
 * what is taken stands here, and {@link #warnings()} says that it happened. Groups consist of online CPUs: others that
 * the files list do not count, with a warning if they are not even present.
 * <ul>
 *   <li><b>States:</b> {@code online} decides and must hold a list; if it is missing, the CPU folders that are not
 *       switched off are online, then the CPUs in {@code /proc/cpuinfo}. {@code present} and {@code possible} are widened
 *       to include the set before them. {@code isolated} and {@code nohz_full} are empty if missing or broken.
 *   <li><b>Cores and sockets:</b> the sibling sets {@code topology/core_cpus}, {@code thread_siblings},
 *       {@code package_cpus} and {@code core_siblings}, as lists or as hex maps, win over {@code core_id} and
 *       {@code physical_package_id}, which repeat on some machines and are -1 on others; {@code /proc/cpuinfo} comes
 *       last. Without any of these each CPU is its own core and all are one socket. If siblings contradict each other,
 *       CPUs that state the same set are together.
 *   <li><b>Dies:</b> {@code topology/die_cpus}; where {@code die_id} is missing or -1, each socket is one die.
 *   <li><b>Caches:</b> {@code cache/index*}; one that does not tell its level or who shares it is left out.
 *   <li><b>NUMA nodes:</b> the CPU lists, else maps, and distances in {@code /sys/devices/system/node}. A CPU that two nodes list is in neither.
 *   <li><b>Core classes:</b> {@code /sys/devices/cpu_core}, {@code cpu_atom} and {@code cpu_lowpower} if together they
 *       list each online CPU once; else {@code cpu_capacity} if it tells CPUs apart; else
 *       {@code cpufreq/cpuinfo_max_freq}. A step of more than 10 % between neighbours in the order of speed starts a new
 *       class; slower CPUs of {@code cpu_atom} are {@link CoreClass#LOW_POWER}.
 * </ul>
 *
 * <p><b>Thread safety:</b> immutable.
 *
 * @see <a href="https://docs.kernel.org/admin-guide/cputopology.html">How CPU topology info is exported via sysfs</a>
 */
public final class CpuTopology {
    private final CpuStates states;
    private final CpuGroups groups;
    private final List<CpuCache> caches;
    private final List<CpuSet> l3Domains;
    private final List<CpuSet> llcDomains;
    private final List<NumaNode> nodes;
    private final Map<CoreClass, CpuSet> classes;
    private final List<LogicalCpu> cpus;
    private final List<String> warnings;
    private final int[] positions;

    CpuTopology(
            CpuStates states,
            CpuGroups groups,
            List<CpuCache> caches,
            List<CpuSet> l3Domains,
            List<CpuSet> llcDomains,
            List<NumaNode> nodes,
            Map<CoreClass, CpuSet> classes,
            List<LogicalCpu> cpus,
            List<String> warnings) {
        this.states = states;
        this.groups = groups;
        this.caches = caches;
        this.l3Domains = l3Domains;
        this.llcDomains = llcDomains;
        this.nodes = nodes;
        this.classes = classes;
        this.cpus = cpus;
        this.warnings = warnings;
        this.positions = new int[states.online().last() + 1];
        Arrays.fill(positions, -1);
        for (int i = 0; i < cpus.size(); i++) {
            positions[cpus.get(i).cpu()] = i;
        }
    }

    /**
     * Reads this machine.
     *
     * <p><b>Cost:</b> some 20 small files for each CPU: on 512 CPUs 1 to 2 seconds in a fresh JVM. Not cached.
     *
     * @return the topology
     * @throws TopologyException if the files do not tell which CPUs are online, as on a system that is not Linux
     */
    public static CpuTopology read() {
        return read(Path.of("/"));
    }

    /**
     * Reads a machine whose files are below the given folder, as {@code sys/devices/system/cpu/online} and so on.
     *
     * @param root folder that stands for {@code /}; other files in it are not looked at
     * @return the topology
     * @throws TopologyException if {@code root} is no folder, if the list of online CPUs is empty, nonsense or unreadable,
     *     if no CPU is found at all, or if a folder of CPUs, caches or nodes cannot be listed
     */
    public static CpuTopology read(Path root) {
        return new TopologyReader(new KernelTree(root)).read();
    }

    /**
     * Returns the CPUs that are switched on.
     *
     * @return at least one CPU
     */
    public CpuSet online() {
        return states.online();
    }

    /**
     * Returns the CPUs that are plugged in, whether switched on or not.
     *
     * @return a set that includes {@link #online()}
     */
    public CpuSet present() {
        return states.present();
    }

    /**
     * Returns the CPUs that the kernel has reserved numbers for; they may be plugged in later.
     *
     * @return a set that includes {@link #present()}
     */
    public CpuSet possible() {
        return states.possible();
    }

    /**
     * Returns the CPUs that the kernel keeps ordinary tasks away from ({@code isolcpus}).
     *
     * @return a subset of {@link #possible()}; empty if there are none or the kernel does not tell
     */
    public CpuSet isolated() {
        return states.isolated();
    }

    /**
     * Returns the CPUs without a timer tick while they run a single task ({@code nohz_full}).
     *
     * @return a subset of {@link #possible()}; empty if there are none or the kernel does not tell
     */
    public CpuSet nohzFull() {
        return states.nohzFull();
    }

    /**
     * Returns the online CPUs in ascending order.
     *
     * @return at least one CPU
     */
    public List<LogicalCpu> cpus() {
        return cpus;
    }

    /**
     * Returns one online CPU.
     *
     * @param cpu kernel number
     * @return the CPU
     * @throws IllegalArgumentException if it is not online; the message says whether it is present
     */
    public LogicalCpu cpu(int cpu) {
        int position = cpu >= 0 && cpu < positions.length ? positions[cpu] : -1;
        if (position < 0) {
            String state = present().contains(cpu) ? "is offline" : "does not exist";
            throw new IllegalArgumentException(
                    "cpu=" + cpu + " " + state + " (expected one of the online CPUs " + online() + ")");
        }
        return cpus.get(position);
    }

    /**
     * Returns the online CPUs of each core, in the order of the lowest. {@link LogicalCpu#core()} is a position in it.
     *
     * @return sets without overlap that together are {@link #online()}
     */
    public List<CpuSet> cores() {
        return groups.cores();
    }

    /**
     * Returns the online CPUs of each die. {@link LogicalCpu#die()} is a position in it.
     *
     * @return sets without overlap that together are {@link #online()}; the sockets, if the machine tells no dies apart
     */
    public List<CpuSet> dies() {
        return groups.dies();
    }

    /**
     * Returns the online CPUs of each socket. {@link LogicalCpu#socket()} is a position in it.
     *
     * @return sets without overlap that together are {@link #online()}
     */
    public List<CpuSet> sockets() {
        return groups.sockets();
    }

    /**
     * Returns the online CPUs of the core that a CPU is in: itself and its SMT siblings.
     *
     * @param cpu kernel number
     * @return at least {@code cpu}
     * @throws IllegalArgumentException if it is not online
     */
    public CpuSet siblings(int cpu) {
        return cores().get(cpu(cpu).core());
    }

    /**
     * Returns the online CPUs under each level 3 cache. {@link LogicalCpu#l3()} is a position in it.
     *
     * @return sets without overlap; empty if there is no level 3 cache or the machine does not tell
     */
    public List<CpuSet> l3Domains() {
        return l3Domains;
    }

    /**
     * Returns the online CPUs under each last-level cache: the highest cache of a CPU that holds data, of whatever level.
     * {@link LogicalCpu#llc()} is a position in it.
     *
     * @return sets without overlap; empty if the machine tells of no cache, as many virtual machines do
     */
    public List<CpuSet> llcDomains() {
        return llcDomains;
    }

    /**
     * Returns the caches, by level, type and lowest CPU.
     *
     * @return every cache with the online CPUs that share it; empty if the machine does not tell
     */
    public List<CpuCache> caches() {
        return caches;
    }

    /**
     * Returns the NUMA nodes by number, those without CPUs included.
     *
     * @return nodes without common CPUs; empty if the machine shows no nodes
     */
    public List<NumaNode> nodes() {
        return nodes;
    }

    /**
     * Returns the core classes that this machine has.
     *
     * @return fastest first; {@link CoreClass#PERFORMANCE} alone if all cores are alike
     */
    public Set<CoreClass> coreClasses() {
        return Collections.unmodifiableSet(EnumSet.copyOf(classes.keySet()));
    }

    /**
     * Returns the online CPUs of one core class.
     *
     * @param coreClass the class
     * @return its CPUs; empty if the machine has none
     */
    public CpuSet cpusOf(CoreClass coreClass) {
        return classes.getOrDefault(coreClass, CpuSet.empty());
    }

    /**
     * Returns what had to be assumed: missing, broken or contradicting files, and what was taken instead.
     *
     * @return one line for each, with the file, what it holds and the CPUs; empty if all files were as expected
     */
    public List<String> warnings() {
        return warnings;
    }

    /** Returns a summary on one line. */
    @Override
    public String toString() {
        return "CPUs " + online() + ": " + count(sockets().size(), "socket") + ", " + count(cores().size(), "core")
                + ", " + count(nodes.size(), "NUMA node") + ", " + count(warnings.size(), "warning");
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
