// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.macro;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;

/** Jackson: a job for each JSON file, which is parsed, written and parsed again. The default is the common pool's kind. */
final class JsonWorkload implements Workload {
    private final List<String> texts;
    private final ObjectMapper mapper = new ObjectMapper();

    JsonWorkload(List<String> texts) {
        this.texts = texts;
    }

    @Override
    public String defaultSubject() {
        return "fjp-lifo";
    }

    @Override
    public String run(ExecutorService executor) throws Exception {
        List<Future<Integer>> nodes = new ArrayList<>();
        for (String text : texts) {
            nodes.add(executor.submit(() -> roundTrip(text)));
        }
        long sum = 0;
        for (Future<Integer> one : nodes) {
            sum += one.get();
        }
        return texts.size() + " files, " + sum + " nodes";
    }

    private int roundTrip(String text) throws Exception {
        JsonNode tree = mapper.readTree(text);
        if (!mapper.readTree(mapper.writeValueAsString(tree)).equals(tree)) {
            throw new IllegalStateException("a file is not the same after a round trip");
        }
        return count(tree);
    }

    private static int count(JsonNode node) {
        int sum = 1;
        for (JsonNode child : node) {
            sum += count(child);
        }
        return sum;
    }
}
