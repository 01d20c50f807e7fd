// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The clients of a server on this machine that answers "answer". */
final class HttpLoad {
    private HttpLoad() {}

    /** Sends requests, all at once. */
    static List<CompletableFuture<String>> ask(int port, int requests) {
        HttpClient client =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/"))
                .timeout(Duration.ofSeconds(60))
                .build();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            answers.add(client.sendAsync(request, HttpResponse.BodyHandlers.ofString())
                    .thenApply(HttpResponse::body));
        }
        return answers;
    }

    /** Waits until each request was answered or refused; returns how many were answered. */
    static int answered(List<CompletableFuture<String>> answers) throws Exception {
        int answered = 0;
        for (CompletableFuture<String> answer : answers) {
            try {
                assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("answer");
                answered++;
            } catch (ExecutionException refused) {
                assertThat(refused)
                        .hasCauseInstanceOf(IOException.class)
                        .hasMessageNotContaining("HttpTimeoutException");
            } catch (TimeoutException hangs) {
                throw new AssertionError("a request was forgotten", hangs);
            }
        }
        return answered;
    }
}
