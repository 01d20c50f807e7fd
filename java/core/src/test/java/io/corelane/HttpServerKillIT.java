// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A server that is killed while it has more requests than it can answer at once. */
@Timeout(300)
class HttpServerKillIT {
    private static final int REQUESTS = 60;
    private static final Pattern PORT = Pattern.compile("port ([0-9]+)[.]");

    private static int startOn(ChildJvm server) throws InterruptedException {
        server.awaitOutput(".");
        Matcher port = PORT.matcher(server.output());
        assertThat(port.find()).as(server.output()).isTrue();
        return Integer.parseInt(port.group(1));
    }

    /** With 20 ms an answer all that were accepted are answered in time; with a minute the deadline cuts them off. */
    @ParameterizedTest
    @CsvSource({"KILL, 20", "TERM, 20", "TERM, 60000"})
    void everyRequestIsAnsweredOrRefusedAndTheNextServerGetsThePort(String signal, int millis) throws Exception {
        int port;
        List<CompletableFuture<String>> answers;
        try (ChildJvm server =
                ChildJvm.start(List.of(), List.of(), HttpServerProgram.class, "0", Integer.toString(millis))) {
            port = startOn(server);
            answers = HttpLoad.ask(port, REQUESTS);
            server.awaitOutput("handling a request");
            if (millis < 1000) {
                CompletableFuture.anyOf(answers.toArray(new CompletableFuture<?>[0]))
                        .get();
            }
            if (signal.equals("KILL")) {
                server.process().destroyForcibly();
            } else {
                server.process().destroy();
            }
            ChildJvm.Result end = server.await();
            assertThat(end.exit()).isEqualTo(signal.equals("KILL") ? 137 : 143);
            if (signal.equals("TERM")) {
                assertThat(end.output()).contains("terminated true");
                assertThat(end.output()).contains(millis < 1000 ? "in time true, left over 0" : "in time false");
            }
        }
        int answered = HttpLoad.answered(answers);
        assertThat(answered).isBetween(millis < 1000 ? 1 : 0, millis < 1000 ? REQUESTS : 0);
        try (ChildJvm next =
                ChildJvm.start(List.of(), List.of(), HttpServerProgram.class, Integer.toString(port), "1")) {
            assertThat(startOn(next)).isEqualTo(port);
            assertThat(HttpLoad.answered(HttpLoad.ask(port, REQUESTS))).isEqualTo(REQUESTS);
        }
    }
}
