// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.ownership;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Run by {@link CpuClaimsIT}: a process that claims CPUs below a directory of the test. */
public final class ClaimProgram {
    private final ClaimDirectories directories;

    private ClaimProgram(ClaimDirectories directories) {
        this.directories = directories;
    }

    /**
     * Takes what to do, the directory, and what that needs.
     *
     * @param arguments {@code hold PARENT CPUS COUNT [COMMAND...]} or {@code fixed DIRECTORY CPUS COUNT}: claims, prints,
     *     runs the command if any and waits for the end of its input; {@code race PARENT CPUS ROUNDS MARKS}
     */
    public static void main(String[] arguments) throws Exception {
        Path place = Path.of(arguments[1]);
        boolean fixed = arguments[0].equals("fixed");
        ClaimProgram program = new ClaimProgram(fixed ? ClaimDirectories.fixed(place) : ClaimDirectories.below(place));
        int[] cpus = IntStream.range(0, Integer.parseInt(arguments[2])).toArray();
        int count = Integer.parseInt(arguments[3]);
        if (arguments[0].equals("race")) {
            program.race(cpus, count, Path.of(arguments[4]));
        } else {
            program.hold(cpus, count, arguments);
        }
    }

    private void hold(int[] cpus, int count, String[] arguments) throws IOException {
        System.out.println("ready");
        awaitLine();
        try (CpuClaims claims = CpuClaims.claim(directories, cpus, count, "test")) {
            if (arguments.length > 4) {
                String[] command = Arrays.copyOfRange(arguments, 4, arguments.length);
                Process child = new ProcessBuilder(command).inheritIO().start();
                System.out.println("child=" + child.pid());
            }
            System.out.println("claimed=" + claims.cpus());
            System.out.println("refused=" + claims.refused());
            System.out.println("done");
            awaitLine();
        }
    }

    private static void awaitLine() throws IOException {
        int line = System.in.read();
        if (line < 0) {
            System.out.println("end of input");
        }
    }

    /** A claimed CPU is marked by a directory while it is held: whoever finds it marked shares it with someone. */
    private void race(int[] cpus, int rounds, Path marks) throws IOException {
        System.out.println("ready");
        awaitLine();
        int claimed = 0;
        for (int round = 0; round < rounds; round++) {
            int start = round % cpus.length;
            int[] order = IntStream.range(0, cpus.length)
                    .map(i -> cpus[(i + start) % cpus.length])
                    .toArray();
            try (CpuClaims claims = CpuClaims.claim(directories, order, 1, "race")) {
                for (int cpu : claims.cpus().toArray()) {
                    claimed++;
                    mark(marks.resolve("cpu" + cpu));
                }
            }
        }
        System.out.println("claimed=" + claimed);
        System.out.println("done");
    }

    private static void mark(Path mark) throws IOException {
        try {
            Files.createDirectory(mark);
        } catch (FileAlreadyExistsException e) {
            throw new AssertionError("claimed twice: " + mark, e);
        }
        Files.delete(mark);
    }
}
