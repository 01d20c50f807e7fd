// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.ownership;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The directories of this user in which the lock files of CPUs lie; {@link CpuClaims} says why there may be several. */
class ClaimDirectories {
    private static final int TYPE = 0170000;
    private static final int DIRECTORY = 0040000;
    private static final int WRITABLE_BY_OTHERS = 0022;

    private final Path place;
    private final boolean fixed;
    private final int user;

    ClaimDirectories(Path place, boolean fixed, int user) {
        this.place = place;
        this.fixed = fixed;
        this.user = user;
    }

    /** One directory, which somebody who knows the machine has named; it is made if only it is missing. */
    static ClaimDirectories fixed(Path directory) throws IOException {
        return new ClaimDirectories(directory, true, user());
    }

    /** Directories of names that nobody can take first, below one in which everybody may make some. */
    static ClaimDirectories below(Path parent) throws IOException {
        return new ClaimDirectories(parent, false, user());
    }

    /** Those named by the system property or, without it, below {@code /dev/shm}. */
    static ClaimDirectories standard() throws IOException {
        String named = System.getProperty(CpuClaims.DIRECTORY_PROPERTY);
        return named == null ? below(Path.of("/dev/shm")) : fixed(Path.of(named));
    }

    /** The effective user, whose files ours will be. */
    static int user() throws IOException {
        String status = CpuClaim.read("/proc/self/status");
        return status.lines()
                .filter(line -> line.startsWith("Uid:"))
                .map(line -> Integer.parseUnsignedInt(line.split("\\s+", -1)[2]))
                .findFirst()
                .orElseThrow(() -> new IOException("/proc/self/status has no line Uid: " + status));
    }

    /** Returns all that are there now, in the same order for everybody; at least one, which is made if need be. */
    List<Path> all() throws IOException {
        if (fixed) {
            makeOnce(place);
            String fault = fault(place);
            if (fault != null) {
                throw new IOException(place + " " + fault);
            }
            return List.of(place);
        }
        List<Path> found = list();
        if (found.isEmpty()) {
            makeOnce(place.resolve(prefix() + UUID.randomUUID()));
            found = list();
        }
        if (found.isEmpty()) {
            throw new IOException("a directory that was made below " + place + " is gone");
        }
        return found;
    }

    boolean belongsToUser(Map<String, Object> attributes) {
        return user == number(attributes, "uid");
    }

    static int number(Map<String, Object> attributes, String name) {
        return (int) Objects.requireNonNull(attributes.get(name), name);
    }

    private List<Path> list() throws IOException {
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(place, prefix() + "*")) {
            for (Path entry : entries) {
                if (fault(entry) == null) { // else a stranger's, who took a name that looks like ours
                    found.add(entry);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
        found.sort(null);
        return found;
    }

    private String prefix() {
        return "corelane-" + Integer.toUnsignedString(user) + ".";
    }

    private static void makeOnce(Path directory) throws IOException {
        if (Files.notExists(directory, LinkOption.NOFOLLOW_LINKS)) {
            try {
                Files.createDirectory(
                        directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            } catch (FileAlreadyExistsException raced) {
                return; // it is looked at next, as any other
            }
        }
    }

    /** Says why a directory is none to put locks in, or returns null. */
    private @Nullable String fault(Path directory) throws IOException {
        Map<String, Object> attributes;
        try {
            attributes = Files.readAttributes(directory, "unix:mode,uid", LinkOption.NOFOLLOW_LINKS);
        } catch (NoSuchFileException e) {
            return "is gone";
        }
        int mode = number(attributes, "mode");
        if ((mode & TYPE) != DIRECTORY) {
            return "is not a directory";
        }
        if (!belongsToUser(attributes)) {
            return "belongs to user " + attributes.get("uid") + " (expected " + user + ", who runs this process)";
        }
        return (mode & WRITABLE_BY_OTHERS) == 0 ? null : "may be written by others (expected mode 700)";
    }
}
