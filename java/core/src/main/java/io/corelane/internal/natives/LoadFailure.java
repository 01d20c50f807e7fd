// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.natives;

import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells from what JNA and the dynamic loader said why the library did not load, and what helps. Neither offers more than
 * text: one error class stands for all causes.
 */
final class LoadFailure {
    private static final int MAX_CAUSE_LENGTH = 1_000;

    private static final String NO_NATIVE_ACCESS =
            "this JVM denies native access: add --enable-native-access=ALL-UNNAMED, or =com.sun.jna on the module path";
    private static final String NOEXEC =
            "the temporary directory is mounted noexec, or a security module forbids mapping from it: set"
                    + " -Djna.tmpdir=DIR to a directory on a file system mounted with exec";
    private static final String NOT_UNPACKED =
            "JNA could not unpack itself or the library: set -Djna.tmpdir=DIR to a writable directory with some free space";
    private static final String NO_ROOM =
            "raise the limit of threads (ulimit -u, pids.max of the control group) or of memory, and start again";
    private static final String NO_JNA_FILE = "JNA was told not to unpack itself: set -Djna.boot.library.path=DIR to a"
            + " directory with its libjnidispatch.so, or drop -Djna.nounpack";

    private record Kind(Predicate<String> sign, String remedy) {}

    private LoadFailure() {}

    /** Returns what would help. */
    static String remedy(Throwable failure, @Nullable String path) {
        String text = cause(failure);
        String machine = System.getProperty("os.arch", "?");
        String otherMachine = "the file is for another machine than " + machine + ", or damaged: ";
        List<Kind> kinds = List.of(
                new Kind(any("OutOfMemoryError"), NO_ROOM),
                new Kind(any("IllegalCallerException", "native access"), NO_NATIVE_ACCESS),
                new Kind(any("failed to map segment", "Operation not permitted"), NOEXEC),
                new Kind(any("NoClassDefFoundError: com/sun/jna"), "add jna.jar to the class path or module path"),
                new Kind(any("libjnidispatch.so) not found"), "JNA has no native part for " + machine),
                new Kind(any("JNA native support"), NO_JNA_FILE),
                new Kind(
                        any("create temporary file", "No space left", "temporary directory", "Read-only file system"),
                        NOT_UNPACKED),
                new Kind(
                        any("`GLIBC_"),
                        "it is built for a newer C library than this system's: build it here with CMake"),
                new Kind(
                        any("can't load", "wrong ELF", "invalid ELF", "Exec format"), otherMachine + "look at os.arch"),
                // The loader passes over a file of another machine as if it were not there.
                new Kind(said -> path != null, otherMachine + "build it here with CMake"),
                new Kind(
                        any("not found in resource path"),
                        "the jar has no library for " + machine + ": build it with CMake and set -D"
                                + NativeLoader.PATH_PROPERTY + "=FILE"));
        return kinds.stream()
                .filter(kind -> kind.sign.test(text))
                .map(Kind::remedy)
                .findFirst()
                .orElse("build the library here with CMake and set -D" + NativeLoader.PATH_PROPERTY + "=FILE");
    }

    /** Returns what was said, on one line. */
    static String cause(Throwable failure) {
        String text = String.join(
                "; ",
                Stream.iterate(failure, at -> at != null, Throwable::getCause)
                        .flatMap(at -> at.toString().lines())
                        .map(LoadFailure::withoutClassPath)
                        .filter(line -> !line.isEmpty())
                        .distinct()
                        .toList());
        return text.length() <= MAX_CAUSE_LENGTH ? text : text.substring(0, MAX_CAUSE_LENGTH) + "...";
    }

    private static String withoutClassPath(String line) {
        int path = line.indexOf(" in resource path (");
        return (path < 0 ? line : line.substring(0, path) + " in resource path").strip();
    }

    private static Predicate<String> any(String... signs) {
        return text -> Stream.of(signs).anyMatch(text::contains);
    }
}
