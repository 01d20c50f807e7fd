// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.natives;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Loads {@code libcorelane_affinity.so} and turns each way in which that fails into one message with a remedy. */
final class NativeLoader {
    /** System property with the path of a library to load as it is, instead of the one in the jar. */
    static final String PATH_PROPERTY = "corelane.native.path";

    private static final String LIBRARY = "corelane_affinity";
    private static final int ABI_VERSION = 1;

    private NativeLoader() {}

    static NativeLibrary load() throws NativeLoadException {
        String os = System.getProperty("os.name", "");
        if (!os.equals("Linux")) {
            throw new NativeLoadException(
                    "CPU affinity needs Linux, this is " + os + "; choose Pinning.PREFERRED or Pinning.OFF", null);
        }
        String path = System.getProperty(PATH_PROPERTY);
        NativeLibrary library;
        try {
            library = NativeLibrary.getInstance(
                    path == null ? LIBRARY : path,
                    Map.of(Library.OPTION_CLASSLOADER, AffinityBindings.class.getClassLoader()));
            Native.register(AffinityBindings.class, library);
        } catch (LinkageError | RuntimeException failure) {
            throw new NativeLoadException(describe(failure, path), failure);
        }
        int abi = AffinityBindings.corelane_abi_version();
        if (abi != ABI_VERSION) {
            throw new NativeLoadException(
                    "lib" + LIBRARY + ".so has ABI version " + abi + " (expected " + ABI_VERSION
                            + "): another version of Corelane stands earlier on the library path; remove it or set -D"
                            + PATH_PROPERTY,
                    null);
        }
        return library;
    }

    /** Undoes {@link #load}. */
    static void unload(NativeLibrary library) {
        Native.unregister(AffinityBindings.class);
        library.close();
    }

    private static String describe(Throwable failure, @Nullable String path) {
        String text = causes(failure);
        String remedy;
        if (text.contains("failed to map segment") || text.contains("Operation not permitted")) {
            remedy = "the temporary directory is mounted noexec, or a security module forbids mapping from it: set"
                    + " -Djna.tmpdir=DIR to a directory on a file system mounted with exec";
        } else if (text.contains("IllegalCallerException") || text.contains("native access")) {
            remedy = "this JVM denies native access: add --enable-native-access=ALL-UNNAMED, or =com.sun.jna on the"
                    + " module path";
        } else if (path != null) {
            remedy = "-D" + PATH_PROPERTY + "=" + path + " must name a libcorelane_affinity.so for this machine";
        } else if (text.contains("No space left") || text.contains("temporary directory")) {
            remedy = "JNA could not unpack itself: set -Djna.tmpdir=DIR to a writable directory";
        } else {
            remedy = "the jar has no library for " + System.getProperty("os.arch", "?")
                    + " or it does not load: build it" + " with CMake and set -D" + PATH_PROPERTY + "=FILE";
        }
        return "the native affinity library was not loaded: " + remedy + " (or choose Pinning.PREFERRED or"
                + " Pinning.OFF). Cause: " + text;
    }

    private static String causes(Throwable failure) {
        StringBuilder text = new StringBuilder();
        for (Throwable at = failure; at != null; at = at.getCause()) {
            text.append(text.isEmpty() ? "" : "; ").append(firstLine(at.toString()));
        }
        return text.toString();
    }

    private static String firstLine(String text) {
        return text.lines().findFirst().orElse("").strip();
    }
}
