// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server of the JDK on the loopback interface, with a scheduler in place of its executor. */
@Timeout(120)
class HttpServerTest {
    private static final int REQUESTS = 60;

    private final CountDownLatch mayAnswer = new CountDownLatch(1);
    private final AtomicInteger handled = new AtomicInteger();

    private HttpServer start(PinnedScheduler scheduler) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), REQUESTS);
        server.createContext("/", exchange -> {
            try (exchange) {
                mayAnswer.await();
                handled.incrementAndGet();
                byte[] answer = "answer".getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
        });
        server.setExecutor(scheduler);
        server.start();
        return server;
    }

    private static PinnedScheduler.Builder builder() {
        return PinnedScheduler.builder().name("server").workers(2).pinning(Pinning.OFF);
    }

    @Test
    void concurrentRequestsAreAllAnswered() throws Exception {
        PinnedScheduler scheduler = builder().build();
        HttpServer server = start(scheduler);
        mayAnswer.countDown();
        int answered = 0;
        for (int round = 0; round < Stress.scaled(5); round++) {
            answered += HttpLoad.answered(HttpLoad.ask(server.getAddress().getPort(), REQUESTS));
        }
        assertThat(answered).isEqualTo(Stress.scaled(5) * REQUESTS);
        server.stop(0);
        Schedulers.end(scheduler);
        assertThat(scheduler.stats().jobsFailed()).isZero();
    }

    @ParameterizedTest
    @EnumSource(OverflowPolicy.class)
    void anOverloadedServerAnswersWhatItAccepted(OverflowPolicy policy) throws Exception {
        PinnedScheduler scheduler =
                builder().injectorCapacity(4).overflow(policy).build();
        HttpServer server = start(scheduler);
        List<CompletableFuture<String>> answers =
                HttpLoad.ask(server.getAddress().getPort(), REQUESTS);
        switch (policy) {
            case REJECT -> Stress.awaitProgress(() -> scheduler.stats().jobsRejected(), 1, scheduler::dump);
            case BLOCK -> Stress.awaitProgress(() -> scheduler.stats().submitterWaits(), 1, scheduler::dump);
            case CALLER_RUNS ->
                Stress.awaitProgress(() -> scheduler.stats().submissions().runByCallers(), 1, scheduler::dump);
        }
        mayAnswer.countDown();
        int answered = HttpLoad.answered(answers);
        server.stop(0);
        scheduler.close();
        SchedulerStats stats = scheduler.stats();
        assertThat(handled).hasValue(answered);
        if (policy == OverflowPolicy.REJECT) { // the client may have asked again
            assertThat(answered).isGreaterThanOrEqualTo(2 + 4);
            assertThat(stats.jobsRejected()).isGreaterThanOrEqualTo(REQUESTS - answered);
        } else {
            assertThat(answered).isEqualTo(REQUESTS);
        }
        assertThat(stats.jobsSubmitted()).isEqualTo(stats.jobsRun() + stats.jobsFailed());
    }

    @Test
    void aServerThatIsShutDownUnderLoadAnswersWhatItAccepted() throws Exception {
        PinnedScheduler scheduler = builder().build();
        HttpServer server = start(scheduler);
        List<CompletableFuture<String>> answers =
                HttpLoad.ask(server.getAddress().getPort(), REQUESTS);
        Stress.awaitProgress(() -> scheduler.stats().jobsSubmitted(), 10, scheduler::dump);
        scheduler.shutdown();
        mayAnswer.countDown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS))
                .as(scheduler.dump())
                .isTrue();
        int answered = HttpLoad.answered(answers);
        server.stop(0);
        assertThat(handled.get()).isGreaterThanOrEqualTo(10).isEqualTo(answered);
    }
}
