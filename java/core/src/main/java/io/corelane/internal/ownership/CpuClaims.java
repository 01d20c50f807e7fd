// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.ownership;

import io.corelane.affinity.CpuSet;
import io.corelane.internal.natives.NativeAffinity;
import io.corelane.internal.natives.NativeLoadException;
import java.io.IOException;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * CPUs that this process has claimed, so that other processes of the same user that claim theirs choose others.
 *
 * <p>A claim is a lock that the kernel holds. It ends with {@link #release}, {@link #close} or the process, however that
 * ends. Nothing waits: a CPU that cannot be claimed, for whatever reason, is not owned, and {@link #refused} tells why.
 * Claims bind only those who claim; they keep no thread away from a CPU.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Cost:</b> a dozen system calls for a CPU claimed, three for
 * one that {@link #lost} looks at. <b>Source:</b> flock(2), open(2).
 */
public final class CpuClaims implements AutoCloseable {
    /*
     * How it works. A CPU has a lock file in a directory that only this user may enter; whoever has its lock owns the CPU.
     *
     * Why flock, by the C library, and not FileChannel.tryLock: that is a lock of fcntl, which the kernel drops when the
     * process closes any handle of the file, be it a second copy of this class that failed to get the lock, or something
     * that only read it; and within one JVM it is refused by an exception. A lock of flock belongs to the open file:
     * two schedulers, two class loaders and two processes meet it alike. It would be inherited, so the file is opened
     * with O_CLOEXEC. Not a Unix socket with an abstract name either: any user can take the name first, and names are
     * per network namespace.
     *
     * Where. Who may read a lock file may lock it, so no file is shared between users: claims are among the processes of
     * one user, and nobody else can hold one up. All of them have to look in the same place, whatever their environment:
     * not XDG_RUNTIME_DIR, which services have not and which goes with the last session; not /tmp, of which a service
     * often has its own and from which old files are cleaned away. /dev/shm is on every Linux, never on a network, and
     * empty after a start. A container has its own: for claims across containers mount a directory into each and name
     * it by the system property.
     *
     * In /dev/shm anybody may make entries. A fixed name could be taken first by a stranger. So each of our directories
     * has a random suffix, and is known by its prefix, its owner and its mode. Usually there is one; two are there when
     * two processes were the first at once. A CPU is claimed when its file is locked in *every* directory of ours, as
     * a look after the last lock shows. That excludes others: of two processes, let A be the one whose last look was the
     * first of the two. What A saw, and had locked, B's last look shows as well, since nobody else can delete it; so B
     * had to lock it, and could not.
     *
     * Not guaranteed  N1  that a claim outlives the deletion of its file: logind removes a user's files from /dev/shm
     *                     at the end of the last session (RemoveIPC=yes; not those of system users). lost() tells.
     *                 N2  that of several who claim at once one gets all it wanted: who got too few gives them back.
     */

    /** System property with a directory of this user's own for the lock files, instead of one below /dev/shm. */
    public static final String DIRECTORY_PROPERTY = "corelane.claims.directory";

    private final String holder;
    private final Map<Integer, CpuClaim> claims = new TreeMap<>();
    private final Map<Integer, String> refused = new LinkedHashMap<>();
    private @Nullable NativeAffinity library;
    private @Nullable ClaimDirectories directories;
    private String obstacle = "";

    private CpuClaims(String holder) {
        this.holder = holder;
    }

    /**
     * Claims CPUs of a set, the lowest first.
     *
     * @param wanted the CPUs to choose from
     * @param count how many are wanted
     * @param holder what others are told, such as the scheduler's name
     * @return the claims: fewer than {@code count} if the rest is refused
     */
    public static CpuClaims claim(CpuSet wanted, int count, String holder) {
        return claim(wanted.toArray(), count, holder);
    }

    /**
     * Claims CPUs in the order given, until there are enough.
     *
     * @param candidates the CPUs to choose from, the best first
     * @param count how many are wanted
     * @param holder what others are told, such as the scheduler's name
     * @return the claims: fewer than {@code count} if the rest is refused
     */
    public static CpuClaims claim(int[] candidates, int count, String holder) {
        ClaimDirectories directories;
        try {
            directories = ClaimDirectories.standard();
        } catch (IOException e) {
            return new CpuClaims(holder)
                    .without("the user of this process is unknown: " + e)
                    .take(candidates, count);
        }
        return claim(directories, candidates, count, holder);
    }

    static CpuClaims claim(ClaimDirectories directories, int[] candidates, int count, String holder) {
        CpuClaims claims = new CpuClaims(holder);
        claims.directories = directories;
        try {
            claims.library = NativeAffinity.load();
        } catch (NativeLoadException e) {
            claims.without(e.getMessage() + "; remedy: " + e.remedy());
        }
        return claims.take(candidates, count);
    }

    private CpuClaims without(String reason) {
        obstacle = reason;
        return this;
    }

    private CpuClaims take(int[] candidates, int count) {
        try {
            for (int i = 0; i < candidates.length && claims.size() < count; i++) {
                boolean ignored = add(candidates[i]);
            }
            return this;
        } catch (RuntimeException | Error failure) {
            close();
            throw failure;
        }
    }

    /**
     * Claims one CPU more, for a worker that has to move.
     *
     * @param cpu the CPU
     * @return whether it is claimed now, or was already; if not, {@link #refused} says why
     */
    public synchronized boolean add(int cpu) {
        if (claims.containsKey(cpu)) {
            return true;
        }
        NativeAffinity locks = library;
        ClaimDirectories places = directories;
        if (locks == null || places == null) {
            refused.put(cpu, obstacle);
            return false;
        }
        try {
            claims.put(cpu, CpuClaim.take(locks, places, cpu, holder));
            refused.remove(cpu);
            return true;
        } catch (CpuClaim.Refused e) {
            refused.put(cpu, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            refused.put(
                    cpu,
                    "no lock file can be made: " + e + " (set -D" + DIRECTORY_PROPERTY
                            + "=DIR to a directory that only this user may write)");
        }
        return false;
    }

    /**
     * Returns the CPUs that are claimed.
     *
     * @return a snapshot
     */
    public synchronized CpuSet cpus() {
        return CpuSet.of(claims.keySet().stream().mapToInt(Integer::intValue).toArray());
    }

    /**
     * Returns the CPUs that were tried and are not claimed, each with the reason; of one that another process has, the
     * name which that has left.
     *
     * @return a snapshot, in the order of the attempts
     */
    public synchronized Map<Integer, String> refused() {
        return Collections.unmodifiableMap(new LinkedHashMap<>(refused));
    }

    /**
     * Gives up, and returns, those claimed CPUs whose lock files have been deleted from under their locks: another
     * process may own them by now. {@link #add} claims them anew, if it can.
     *
     * @return the CPUs, normally none
     */
    public synchronized CpuSet lost() {
        int[] gone = claims.entrySet().stream()
                .filter(entry -> !entry.getValue().holds())
                .mapToInt(Map.Entry::getKey)
                .toArray();
        for (int cpu : gone) {
            release(cpu);
            refused.put(cpu, "its lock file was deleted");
        }
        return CpuSet.of(gone);
    }

    /**
     * Gives one CPU back.
     *
     * @param cpu the CPU; one that is not claimed is none of ours, and stays as it is
     */
    public synchronized void release(int cpu) {
        CpuClaim claim = claims.remove(cpu);
        if (claim != null) {
            claim.release();
        }
    }

    /** Gives all back; a second call does nothing. */
    @Override
    public synchronized void close() {
        claims.values().forEach(CpuClaim::release);
        claims.clear();
    }

    @Override
    public String toString() {
        return "claimed CPUs " + cpus() + ", refused " + refused();
    }
}
