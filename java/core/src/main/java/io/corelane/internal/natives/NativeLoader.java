// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.natives;

import com.sun.jna.Library;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Loads {@code libcorelane_affinity.so} and turns each way in which that fails into one message with a remedy. */
final class NativeLoader {
    /** System property with the path of a library to load as it is, instead of the one in the jar. */
    static final String PATH_PROPERTY = "corelane.native.path";

    private static final String LIBRARY = "corelane_affinity";
    private static final int ABI_VERSION = 2;

    private NativeLoader() {}

    static NativeLibrary load() throws NativeLoadException {
        String os = System.getProperty("os.name", "");
        if (!os.equals("Linux")) {
            throw new NativeLoadException("CPU affinity needs Linux, this is " + os, "run it on Linux", null);
        }
        String path = System.getProperty(PATH_PROPERTY);
        if (path != null) {
            checkPath(path);
        }
        NativeLibrary library;
        try {
            library = NativeLibrary.getInstance(
                    path == null ? LIBRARY : path,
                    Map.of(Library.OPTION_CLASSLOADER, AffinityBindings.class.getClassLoader()));
            checkFile(library, path);
            Native.register(AffinityBindings.class, library);
        } catch (LinkageError | RuntimeException | OutOfMemoryError failure) { // JNA starts a process and a thread
            throw new NativeLoadException(
                    LoadFailure.cause(failure) + (path == null ? "" : " (-D" + PATH_PROPERTY + "=" + path + ")"),
                    LoadFailure.remedy(failure, path),
                    failure);
        }
        int abi = AffinityBindings.corelane_abi_version();
        if (abi != ABI_VERSION) {
            throw new NativeLoadException(
                    "lib" + LIBRARY + ".so has ABI version " + abi + " (expected " + ABI_VERSION + ")",
                    "another version of Corelane stands earlier on the library path: remove it or set -D"
                            + PATH_PROPERTY + "=FILE",
                    null);
        }
        return library;
    }

    /** Undoes {@link #load}. */
    static void unload(NativeLibrary library) {
        Native.unregister(AffinityBindings.class);
        library.close();
    }

    /** JNA would search further for a name that is no file; a fixed path is met or refused. */
    private static void checkPath(String path) throws NativeLoadException {
        Path file = Path.of(path);
        if (!file.isAbsolute() || !Files.isRegularFile(file) || !Files.isReadable(file)) {
            String fault = !file.isAbsolute()
                    ? "not absolute"
                    : !Files.exists(file) ? "no such file" : "not a file that may be read";
            throw new NativeLoadException(
                    "-D" + PATH_PROPERTY + "=" + path + ": " + fault,
                    "set it to the absolute path of a libcorelane_affinity.so for this machine, or leave it away",
                    null);
        }
    }

    private static void checkFile(NativeLibrary library, @Nullable String path) {
        if (path != null && !Path.of(path).equals(library.getFile().toPath())) {
            throw new UnsatisfiedLinkError("JNA took " + library.getFile() + " instead of " + path);
        }
    }
}
