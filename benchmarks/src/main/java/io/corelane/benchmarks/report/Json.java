// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Reads and writes the report's JSON. */
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private Json() {}

    /** Writes a file that is there as a whole or not at all, even if the process is killed. */
    static void write(Path file, Object value) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        Files.write(part, MAPPER.writeValueAsBytes(value));
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    static <T> T read(Path file, Class<T> type) throws IOException {
        return MAPPER.readValue(Files.readAllBytes(file), type);
    }

    static String text(Object value) throws IOException {
        return MAPPER.writeValueAsString(value);
    }
}
