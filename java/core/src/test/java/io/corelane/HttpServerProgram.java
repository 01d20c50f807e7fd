// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import com.sun.net.httpserver.HttpServer;
import io.corelane.affinity.Pinning;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** Run by {@link HttpServerKillIT}: a server that closes its scheduler in a shutdown hook. */
public final class HttpServerProgram {
    private static final int DEADLINE_SECONDS = 5;

    private HttpServerProgram() {}

    /** Takes a port, 0 for any, and how many milliseconds an answer takes. */
    public static void main(String[] arguments) throws Exception {
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("server")
                .workers(2)
                .pinning(Pinning.PREFERRED)
                .build();
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        HttpServer server = HttpServer.create(address, 100);
        long millis = Long.parseLong(arguments[1]);
        server.createContext("/", exchange -> {
            try (exchange) {
                System.out.println("handling a request");
                Thread.sleep(millis);
                byte[] answer = "answer".getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, answer.length);
                exchange.getResponseBody().write(answer);
            } catch (InterruptedException shutdown) {
                Thread.currentThread().interrupt();
            }
        });
        server.setExecutor(scheduler);
        server.start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(scheduler)));
        System.out.println("port " + server.getAddress().getPort() + ".");
    }

    private static void close(PinnedScheduler scheduler) {
        long begin = System.nanoTime();
        scheduler.shutdown();
        try {
            boolean inTime = scheduler.awaitTermination(DEADLINE_SECONDS, TimeUnit.SECONDS);
            int left = inTime ? 0 : scheduler.shutdownNow().size();
            boolean ended = scheduler.awaitTermination(DEADLINE_SECONDS, TimeUnit.SECONDS);
            System.out.println("in time " + inTime + ", left over " + left + ", terminated " + ended + " after "
                    + TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + " ms.");
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
