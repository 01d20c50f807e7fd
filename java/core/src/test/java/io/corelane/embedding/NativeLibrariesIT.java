// SPDX-License-Identifier: Apache-2.0
package io.corelane.embedding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** The libraries in the packaged jar: which machines they are for. */
class NativeLibrariesIT {
    private static final int MACHINE_OFFSET = 18;
    private static final int X86_64 = 62;
    private static final int AARCH64 = 183;

    @Test
    void theJarHoldsTheLibraryOfThisMachine() throws Exception {
        boolean arm = System.getProperty("os.arch").equals("aarch64");
        assertThat(machine(arm ? "linux-aarch64" : "linux-x86-64")).isEqualTo(arm ? AARCH64 : X86_64);
    }

    @Test
    void theJarHoldsTheLibraryForAarch64WhereTheCrossCompilerIs() throws Exception {
        assumeTrue(onPath("aarch64-linux-gnu-gcc"), "aarch64-linux-gnu-gcc, which makes it, is not in PATH");
        assertThat(machine("linux-aarch64")).isEqualTo(AARCH64);
    }

    /** Returns the machine that the header of an ELF file names; elf(5). */
    private static int machine(String directory) throws Exception {
        try (ZipFile jar = new ZipFile(PackagedJar.jar().toFile())) {
            ZipEntry entry = jar.getEntry(directory + "/libcorelane_affinity.so");
            assertThat(entry).as("%s in %s", directory, jar.getName()).isNotNull();
            try (InputStream stream = jar.getInputStream(entry)) {
                byte[] header = stream.readNBytes(64);
                assertThat(header).startsWith(0x7f, 'E', 'L', 'F', 2, 1); // 64 bits, little-endian
                return ByteBuffer.wrap(header).order(ByteOrder.LITTLE_ENDIAN).getShort(MACHINE_OFFSET);
            }
        }
    }

    private static boolean onPath(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, program)));
    }
}
