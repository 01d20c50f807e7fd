// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.guard;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The atomic instructions in what HotSpot prints of a compiled method. Without its disassembler library it prints the bytes,
 * and binutils' objdump knows what they mean.
 */
final class JitCode {
    private static final Pattern METHOD = Pattern.compile(
            "Compiled method \\(c2\\)\\s+\\d+\\s+\\d+[ !sbn]+(\\S+) \\((\\d+) bytes\\)(.*?)\\[MachCode\\](.*?)\\[/MachCode\\]",
            Pattern.DOTALL);
    private static final Pattern BYTES = Pattern.compile("(?m)^\\s+0x[0-9a-f]+: ([0-9a-f][0-9a-f |]*)$");
    private static final List<String> ENDS = List.of("[Exception Handler]", "[Stub Code]", "[Deopt Handler Code]");

    private JitCode() {}

    /** Returns the atomic instructions of the last C2 compilation of a method in {@code output}. */
    static List<String> atomics(String output, String method, Path directory) throws IOException, InterruptedException {
        String code = null;
        for (Matcher matcher = METHOD.matcher(output); matcher.find(); ) {
            if (matcher.group(1).equals(method)) {
                code = matcher.group(4);
            }
        }
        if (code == null) {
            throw new AssertionError(method + " was not compiled; the JVM printed:\n" + output);
        }
        return atomics(code, directory);
    }

    /** Returns the atomic instructions of all C2 compilations in {@code output}, by method. */
    static Map<String, List<String>> atomicsByMethod(String output, Path directory)
            throws IOException, InterruptedException {
        Map<String, List<String>> atomics = new TreeMap<>();
        for (Matcher matcher = METHOD.matcher(output); matcher.find(); ) {
            atomics.computeIfAbsent(matcher.group(1), method -> new ArrayList<>())
                    .addAll(atomics(matcher.group(4), directory));
        }
        return atomics;
    }

    private static List<String> atomics(String code, Path directory) throws IOException, InterruptedException {
        return disassemble(body(code), directory)
                .lines()
                .filter(line -> line.matches(".*\\b(lock|mfence)\\b.*") || line.matches(".*\\bxchg\\s.*\\(.*"))
                .map(line -> line.substring(line.lastIndexOf('\t') + 1).strip())
                .toList();
    }

    private static byte[] body(String code) {
        String text = code.substring(code.indexOf("[Verified Entry Point]"));
        for (String end : ENDS) {
            int at = text.indexOf(end);
            text = at < 0 ? text : text.substring(0, at);
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (Matcher matcher = BYTES.matcher(text); matcher.find(); ) {
            bytes.writeBytes(HexFormat.of().parseHex(matcher.group(1).replaceAll("[ |]", "")));
        }
        return bytes.toByteArray();
    }

    private static String disassemble(byte[] code, Path directory) throws IOException, InterruptedException {
        Path file = Files.write(directory.resolve("code.bin"), code);
        Process objdump = new ProcessBuilder("objdump", "-D", "-b", "binary", "-mi386:x86-64", file.toString())
                .redirectErrorStream(true)
                .start();
        String text = new String(objdump.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (objdump.waitFor() != 0) {
            throw new IOException("objdump: " + text);
        }
        return text;
    }
}
