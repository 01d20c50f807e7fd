// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonWriterTest {
    @Test
    void textReadsBackWhateverIsInIt() {
        String text = "quote \" backslash \\ tab \t newline \n nul \0 umlaut \u00fc emoji \ud83d\ude00 half \ud83d";

        String json = JsonWriter.write(Map.of("text", text));

        assertThat(json).isASCII();
        assertThat(JsonParser.parseString(json).getAsJsonObject().get("text").getAsString())
                .isEqualTo(text);
    }

    @Test
    void numbersAndBooleansAreNoText() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("int", 1);
        map.put("long", Long.MAX_VALUE);
        map.put("double", 0.123456789);
        map.put("boolean", true);
        map.put("nan", Double.NaN);

        JsonObject json = JsonParser.parseString(JsonWriter.write(map)).getAsJsonObject();

        assertThat(json.get("int").getAsInt()).isEqualTo(1);
        assertThat(json.get("long").getAsLong()).isEqualTo(Long.MAX_VALUE);
        assertThat(json.get("double").getAsDouble()).isEqualTo(0.123457);
        assertThat(json.get("boolean").getAsBoolean()).isTrue();
        assertThat(json.get("nan").isJsonNull()).isTrue();
    }

    @Test
    void emptyListsAndObjectsAreValid() {
        JsonArray json = JsonParser.parseString(JsonWriter.write(List.of(List.of(), Map.of(), List.of(1, 2))))
                .getAsJsonArray();

        assertThat(json).hasSize(3);
        assertThat(json.get(2).getAsJsonArray()).hasSize(2);
    }
}
