// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import io.corelane.internal.worker.Insider;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/** The life of one scheduler of the chaos run, from its random options to the books at its end. */
final class ChaosRound {
    static final String NAME = "chaos-";

    private static final int CLIENTS = 16;
    private static final int RECENT = 64;
    /** A round that takes longer is taken for one without progress. */
    private static final long MOST_NANOS = TimeUnit.SECONDS.toNanos(60);

    final PinnedScheduler scheduler;
    final Insider insider;
    final AtomicLong progress = new AtomicLong();
    final List<ChaosClient> clients = new ArrayList<>();
    final AtomicReferenceArray<@Nullable JobHandle<?>> recent = new AtomicReferenceArray<>(RECENT);
    final Queue<ChaosTicket> tickets = new ConcurrentLinkedQueue<>();
    final Queue<ScheduledJob<?>> repeated = new ConcurrentLinkedQueue<>();
    /** Jobs accepted, but for timed ones. */
    final LongAdder accepted = new LongAdder();

    final AtomicInteger kills = new AtomicInteger();
    /** Whether a call failed in the middle of several submissions, so that {@link #accepted} is too low. */
    volatile boolean inexact;

    /** Whether a job was too deep for the stack of the test. */
    volatile boolean overflowed;

    private final SplittableRandom random;
    private final String options;
    private final boolean mayWaitForEver;
    private final AtomicInteger deaths = new AtomicInteger();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final Queue<Runnable> handedBack = new ConcurrentLinkedQueue<>();
    private final AtomicReferenceArray<@Nullable Thread> laneOwners;
    private final int[] laneDepths;
    /** Set before shutdownNow: from then on running jobs see interrupts. */
    private volatile boolean stopped;

    ChaosRound(int number, SplittableRandom random) {
        this.random = random;
        int workers = 1 + random.nextInt(8);
        boolean pinned = random.nextInt(3) == 0;
        String idle = List.of("default", "park", "spin", "busy").get(random.nextInt(workers > 2 ? 3 : 4));
        LocalOrder order = random.nextBoolean() ? LocalOrder.FIFO : LocalOrder.LIFO;
        int capacity = random.nextInt(2) == 0 ? 0 : 1 + random.nextInt(40);
        OverflowPolicy overflow = List.of(OverflowPolicy.values()).get(random.nextInt(3));
        JoinHelp help = List.of(JoinHelp.values()).get(random.nextInt(3));
        int spares = List.of(256, 256, 2, 0).get(random.nextInt(4));
        boolean submittersLoader = random.nextInt(4) == 0;
        options = workers + " workers, pinned " + pinned + ", idle " + idle + ", " + order + ", capacity " + capacity
                + ", " + overflow + ", help " + help + ", spares " + spares + ", submitter's loader "
                + submittersLoader;
        PinnedScheduler.Builder builder = PinnedScheduler.builder()
                .name(NAME + number + "-")
                .workers(workers)
                .pinning(pinned ? Pinning.PREFERRED : Pinning.OFF)
                .sharing(true)
                .localOrder(order)
                .overflow(overflow)
                .joinHelp(help)
                .spareThreads(spares)
                .daemon(true)
                .failureHandler(this::told);
        switch (idle) {
            case "park" -> builder.idle(IdlePolicy.park());
            case "spin" -> builder.idle(IdlePolicy.spinThenPark(Duration.ofNanos(20_000)));
            case "busy" -> builder.idle(IdlePolicy.busySpin());
            default -> {}
        }
        if (capacity > 0) {
            builder.injectorCapacity(capacity);
        }
        if (submittersLoader) {
            builder.contextClassLoaderOfSubmitter();
        }
        mayWaitForEver = help != JoinHelp.ANY && spares == 256;
        scheduler = builder.build();
        insider = Insider.of(scheduler);
        laneOwners = new AtomicReferenceArray<>(workers);
        laneDepths = new int[workers];
    }

    /**
     * Whether a job may wait without a limit for one that it has submitted itself. Jobs that run inside a waiting one can bury
     * what others wait for, so not where any job may, by choice or because threads are short.
     */
    boolean mayWaitForEver() {
        return mayWaitForEver;
    }

    // ---- what happens ----------------------------------------------------------------------------------------------

    /** Starts the clients, ends the scheduler in some way at some time, and waits until all is over. */
    void play() {
        int calls = 20 + random.nextInt(200);
        for (int i = 0; i < CLIENTS; i++) {
            clients.add(new ChaosClient(this, random.split(), calls));
        }
        AtomicBoolean over = new AtomicBoolean();
        Stress.Threads conductor = new Stress.Threads();
        conductor.start("conductor", () -> {
            try {
                conduct(calls);
            } finally {
                over.set(true);
            }
        });
        long start = System.nanoTime();
        Stress.awaitProgress(
                () -> over.get() ? Long.MAX_VALUE : System.nanoTime() - start > MOST_NANOS ? 0 : progress.get(),
                Long.MAX_VALUE,
                () -> this + "\n" + scheduler.dump());
        try {
            conductor.join(this::toString);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void conduct(int calls) throws Exception {
        clients.forEach(Thread::start);
        if (random.nextInt(3) > 0) {
            long when = (long) (random.nextDouble() * calls * CLIENTS);
            Stress.await(
                    () -> clients.stream()
                                    .mapToLong(client -> client.calls.get())
                                    .sum()
                            >= when,
                    this::toString);
            end(random.nextInt(4));
        }
        for (ChaosClient client : clients) {
            while (client.isAlive()) {
                client.join(50);
                repeated.forEach(job -> job.cancel(false)); // or who awaits quiescence may wait for ever
            }
        }
        if (!scheduler.isShutdown() && random.nextBoolean()) {
            checkAtRest();
        }
        end(random.nextInt(4));
        assertThat(scheduler.awaitTermination(1, TimeUnit.DAYS)).isTrue();
    }

    /** Shuts down in one of the ways, or in another one at the same time. */
    void end(int how) {
        switch (how) {
            case 0 -> scheduler.shutdown();
            case 1 -> stopNow();
            case 2 -> {
                if (Thread.currentThread() instanceof ChaosClient client) {
                    client.setInterruptible(false); // an interrupted close hands back jobs to nobody
                }
                scheduler.close();
            }
            default -> {
                ChaosTicket ticket = ticket(() -> {
                    end(random.nextInt(3));
                    return 0;
                });
                ticket.executed = true;
                try {
                    scheduler.execute(ticket);
                    accept(ticket);
                } catch (RejectedExecutionException e) {
                    ticket.entry = ChaosTicket.Entry.REFUSED;
                }
                scheduler.shutdown();
            }
        }
    }

    private void stopNow() {
        stopped = true;
        handedBack.addAll(scheduler.shutdownNow());
    }

    /** Without a shutdown: once nothing is left, the books must be right as well. */
    private void checkAtRest() throws Exception {
        do {
            if (scheduler.isShutdown()) {
                return; // by a job
            }
            repeated.forEach(job -> job.cancel(false));
        } while (!scheduler.awaitQuiescence(Duration.ofSeconds(1))
                || scheduler.stats().timersWaiting() > 0);
        Stress.await( // a canceller on the timers' thread may not have counted yet
                () -> missing(scheduler.stats()) == 0,
                () -> "at rest " + missing(scheduler.stats()) + " are missing: " + this);
    }

    // ---- what tickets report ---------------------------------------------------------------------------------------

    ChaosTicket ticket(ChaosTicket.Body body) {
        ChaosTicket ticket = new ChaosTicket(this, body);
        tickets.add(ticket);
        return ticket;
    }

    void accept(ChaosTicket ticket) {
        ticket.entry = ChaosTicket.Entry.ACCEPTED;
        accepted.increment();
    }

    void fault(String what) {
        faults.add(what);
    }

    private void told(Runnable job, Throwable failure) {
        if (job instanceof ChaosTicket ticket) {
            ticket.told.incrementAndGet();
        } else if (job instanceof Thread thread) {
            deaths.incrementAndGet();
            if (!(failure instanceof Insider.Death)) {
                fault(thread.getName() + " died of " + text(failure));
            }
        }
    }

    static String text(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** A job begins. */
    void enter(ChaosTicket ticket) {
        int worker = insider.servedWorker();
        if (worker >= 0 && !insider.isServedByCaller(worker)) {
            fault("two threads serve worker " + worker + ": " + ticket);
        }
        if (ticket.executed && worker >= 0 && Thread.currentThread().isInterrupted() && !stopped) {
            fault("began with somebody else's interrupt: " + ticket);
        }
        if (ticket.lane >= 0) {
            enterLane(ticket, worker);
        }
    }

    private void enterLane(ChaosTicket ticket, int worker) {
        if (worker != ticket.lane) {
            fault("ran on worker " + worker + ": " + ticket);
        }
        Thread before = laneOwners.getAndSet(ticket.lane, Thread.currentThread());
        if (before != null && before != Thread.currentThread()) {
            fault("ran beside another job of its lane, on " + before.getName() + ": " + ticket);
        }
        laneDepths[ticket.lane]++;
        AtomicInteger last = ticket.lastPlace;
        if (last != null && last.getAndSet(ticket.place) >= ticket.place) {
            fault("ran after a later one of its lane: " + ticket);
        }
    }

    /** A job ends. */
    void exit(ChaosTicket ticket) {
        if (ticket.lane >= 0 && --laneDepths[ticket.lane] == 0) {
            laneOwners.set(ticket.lane, null);
        }
    }

    // ---- the books -------------------------------------------------------------------------------------------------

    private static long missing(SchedulerStats stats) {
        return stats.jobsSubmitted()
                - stats.jobsRun()
                - stats.jobsFailed()
                - stats.jobsCancelled()
                - stats.jobsHandedBack();
    }

    /** Checks the books of the ended scheduler; returns how many tickets there were. */
    int check() {
        SchedulerStats stats = scheduler.stats();
        assertThat(overflowed).as("a stack overflowed").isFalse();
        assertThat(faults).as("faults").isEmpty();
        assertThat(missing(stats)).as("jobs missing in %s", stats).isZero();
        assertThat(stats.jobsHandedBack()).as("handed back").isEqualTo(handedBack.size());
        IdentityHashMap<Object, ChaosTicket> byHandle = new IdentityHashMap<>();
        tickets.forEach(ticket -> byHandle.put(ticket.handle != null ? ticket.handle : ticket, ticket));
        for (Runnable job : handedBack) {
            ChaosTicket ticket = byHandle.get(job);
            if (ticket != null) {
                ticket.handedBack.incrementAndGet();
            }
        }
        for (ChaosTicket ticket : tickets) {
            assertThat(ticket.complaint()).as("%s", ticket).isEmpty();
        }
        if (!inexact) {
            Submissions submissions = stats.submissions();
            assertThat(submissions.total() - submissions.timed())
                    .as("accepted by %s", submissions)
                    .isEqualTo(accepted.sum());
        }
        assertThat(stats.workers()).as("late finds").allMatch(worker -> worker.lateFinds() == 0);
        assertThat(deaths.get()).as("deaths").isLessThanOrEqualTo(kills.get());
        assertThat(stats.queued()).as("queued").isZero();
        assertThat(stats.threadsAway()).as("away").isZero();
        assertThat(stats.timersWaiting()).as("timers").isZero();
        Stress.await(() -> threadsLeft().isEmpty(), () -> "threads left: " + threadsLeft());
        return tickets.size();
    }

    private List<String> threadsLeft() {
        String prefix = scheduler.stats().name();
        Thread[] threads = new Thread[Thread.activeCount() + 64];
        int count = Thread.enumerate(threads);
        List<String> left = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            if (threads[i].getName().startsWith(prefix)) {
                left.add(threads[i].getName());
            }
        }
        return left;
    }

    @Override
    public String toString() {
        return "[" + options + ", deaths " + deaths + ", " + scheduler.stats() + ", faults " + faults + "]";
    }
}
