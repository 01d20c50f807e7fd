// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.macro;

import com.sun.net.httpserver.HttpServer;
import io.corelane.benchmarks.Arrivals;
import io.corelane.benchmarks.OpenLoop;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/**
 * The JDK's HTTP server under requests at a fixed rate: from the moment each was meant for until its answer is there. What
 * its users give it is a fixed ThreadPoolExecutor; by itself it answers in the thread that accepts.
 */
final class HttpWorkload implements Workload {
    private static final int WORDS = 400;

    private final int requests;
    private final int perSecond;
    private volatile Histogram last = new Histogram(3);

    HttpWorkload(int requests, int perSecond) {
        // else the server sends header and body apart, and the body waits 40 ms for the client's delayed
        // acknowledgement
        System.setProperty("sun.net.httpserver.nodelay", "true");
        this.requests = requests;
        this.perSecond = perSecond;
    }

    @Override
    public String defaultSubject() {
        return "tpe-lbq";
    }

    /** Returns the lateness of the answers of the last run, in nanoseconds. */
    Histogram lateness() {
        return last;
    }

    @Override
    public String run(ExecutorService executor) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(executor);
        server.createContext("/", exchange -> {
            byte[] page = page(exchange.getRequestURI().getQuery());
            exchange.sendResponseHeaders(200, page.length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(page);
            }
        });
        server.start();
        try {
            return ask(server.getAddress().getPort());
        } finally {
            server.stop(0);
        }
    }

    private String ask(int port) throws InterruptedException {
        HttpClient client = HttpClient.newHttpClient();
        Histogram late = new ConcurrentHistogram(3);
        AtomicInteger good = new AtomicInteger();
        CountDownLatch answered = new CountDownLatch(requests);
        Arrivals arrivals = Arrivals.poisson(requests, 1e9 / perSecond);
        OpenLoop.run(arrivals, (number, due) -> {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/?" + number))
                    .build();
            CompletableFuture<Void> ignored = client.sendAsync(request, HttpResponse.BodyHandlers.ofByteArray())
                    .handle((answer, failure) -> {
                        late.recordValue(Math.max(0, System.nanoTime() - due));
                        if (failure == null && answer.body().length == page(String.valueOf(number)).length) {
                            good.incrementAndGet();
                        }
                        answered.countDown();
                        return null;
                    });
        });
        if (!answered.await(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException(answered.getCount() + " requests without an answer after 60 s");
        }
        last = late;
        return good + " good answers of " + requests;
    }

    /** A page that takes some work to make. */
    static byte[] page(String seed) {
        StringBuilder text = new StringBuilder("<html>");
        int hash = seed.hashCode();
        for (int i = 0; i < WORDS; i++) {
            hash = hash * 31 + i;
            text.append("<p>").append(Integer.toHexString(hash | 0x1000_0000)).append("</p>");
        }
        return text.append("</html>").toString().getBytes(StandardCharsets.UTF_8);
    }
}
