// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.ownership;

import io.corelane.internal.natives.NativeAffinity;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The claim of one CPU: its lock files, one in each directory, locked or given back together. */
final class CpuClaim {
    private static final int ENOENT = 2;
    private static final int EAGAIN = 11;
    private static final int TYPE = 0170000;
    private static final int REGULAR = 0100000;
    private static final int MAX_ROUNDS = 100;
    private static final int MAX_NAME = 200;

    private final NativeAffinity library;
    private final ClaimDirectories directories;
    private final int cpu;
    private final Map<Path, Integer> handles = new LinkedHashMap<>();

    /** Why a CPU could not be claimed. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String reason) {
            super(reason);
        }
    }

    private CpuClaim(NativeAffinity library, ClaimDirectories directories, int cpu) {
        this.library = library;
        this.directories = directories;
        this.cpu = cpu;
    }

    /** Claims a CPU, or tells why not; then nothing is held. */
    static CpuClaim take(NativeAffinity library, ClaimDirectories directories, int cpu, String holder)
            throws Refused, IOException {
        CpuClaim claim = new CpuClaim(library, directories, cpu);
        try {
            claim.lockEverywhere();
        } catch (Refused | IOException | RuntimeException | Error failure) {
            claim.release();
            throw failure;
        }
        claim.handles.values().forEach(handle -> sign(handle, holder));
        return claim;
    }

    /** Locks until a look at the directories shows none that is new: CpuClaims says why that excludes everybody else. */
    private void lockEverywhere() throws Refused, IOException {
        for (int round = 0; round < MAX_ROUNDS; round++) {
            List<Path> files = directories.all().stream()
                    .map(directory -> directory.resolve("cpu" + cpu))
                    .toList();
            dropAllBut(files);
            if (handles.keySet().containsAll(files)) {
                return;
            }
            for (Path file : files) {
                if (!handles.containsKey(file)) {
                    lock(file);
                }
            }
        }
        throw new Refused("its lock files are deleted again and again");
    }

    private void dropAllBut(List<Path> files) throws IOException {
        for (Path file : List.copyOf(handles.keySet())) {
            if (!files.contains(file) || !leadsTo(file, Objects.requireNonNull(handles.get(file)))) {
                library.unlockFile(Objects.requireNonNull(handles.remove(file)));
            }
        }
    }

    private void lock(Path file) throws Refused, IOException {
        int handle = library.lockFile(file.toString());
        if (handle == -EAGAIN) {
            throw new Refused("claimed by " + signature(file));
        }
        if (handle == -ENOENT) {
            return; // the directory has been deleted meanwhile
        }
        if (handle < 0) {
            throw new Refused(file + " cannot be locked: errno " + -handle);
        }
        handles.put(file, handle);
        Map<String, Object> opened = Files.readAttributes(descriptor(handle), "unix:mode,uid");
        if ((ClaimDirectories.number(opened, "mode") & TYPE) != REGULAR || !directories.belongsToUser(opened)) {
            throw new Refused(file + " is not a file of this user");
        }
    }

    /** Whether a claim still keeps others away: a file that was deleted, or replaced, does not. */
    boolean holds() {
        try {
            for (Map.Entry<Path, Integer> entry : handles.entrySet()) {
                if (!leadsTo(entry.getKey(), entry.getValue())) {
                    return false;
                }
            }
            return true;
        } catch (IOException cannotTell) {
            return false;
        }
    }

    private static boolean leadsTo(Path file, int handle) throws IOException {
        try {
            Map<String, Object> named = Files.readAttributes(file, "unix:ino,dev", LinkOption.NOFOLLOW_LINKS);
            return named.equals(Files.readAttributes(descriptor(handle), "unix:ino,dev"));
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static Path descriptor(int handle) {
        return Path.of("/proc/self/fd/" + handle);
    }

    void release() {
        handles.values().forEach(library::unlockFile);
        handles.clear();
    }

    /**
     * Leaves a name for those who meet the lock. It is for people: on a full disk the claim holds without, and opening the
     * file has cut off what the holder before had left.
     */
    private static void sign(int handle, String holder) {
        String name = "process " + ProcessHandle.current().pid() + ", " + holder;
        try (OutputStream file = new FileOutputStream(descriptor(handle).toString())) {
            file.write(name.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            System.getLogger("io.corelane").log(Level.DEBUG, "a claimed CPU bears no name", e);
        }
    }

    private static String signature(Path file) {
        try {
            String name = read(file.toString()).strip();
            return name.isEmpty()
                    ? "a process that left no name"
                    : name.substring(0, Math.min(MAX_NAME, name.length()));
        } catch (IOException e) {
            return "a process whose name cannot be read: " + e;
        }
    }

    /** Reads a small file by a stream that an interrupt does not close, as it would one of NIO. */
    static String read(String file) throws IOException {
        try (InputStream stream = new FileInputStream(file)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
