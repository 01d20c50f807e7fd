// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Reads and writes the report's JSON. */
final class Json {
    private static final ObjectMapper MAPPER = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private Json() {}

    static void write(Path file, Object value) throws IOException {
        WholeFile.write(file, MAPPER.writeValueAsBytes(value));
    }

    static <T> T read(Path file, Class<T> type) throws IOException {
        return MAPPER.readValue(Files.readAllBytes(file), type);
    }

    static String text(Object value) throws IOException {
        return MAPPER.writeValueAsString(value);
    }
}
