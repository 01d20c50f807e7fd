// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.macro;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Real files, read before the clock starts. */
final class Corpus {
    private static final long MOST_BYTES = 1 << 20;

    private Corpus() {}

    /** Reads up to {@code most} UTF-8 files below a directory whose names end in {@code ending}, in the order of names. */
    static List<String> read(Path directory, String ending, int most) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.walk(directory)) {
            files = all.filter(file -> file.toString().endsWith(ending) && Files.isRegularFile(file))
                    .sorted()
                    .toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        List<String> texts = new ArrayList<>();
        for (Path file : files) {
            if (texts.size() == most) {
                break;
            }
            if (Files.size(file) > 0 && Files.size(file) <= MOST_BYTES) {
                addText(texts, file);
            }
        }
        if (texts.isEmpty()) {
            throw new IOException("it has no text files that end in '" + ending + "' (expected at least one)");
        }
        return texts;
    }

    private static void addText(List<String> texts, Path file) throws IOException {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.UTF_8);
        } catch (CharacterCodingException notText) {
            return;
        }
        texts.add(text);
    }
}
