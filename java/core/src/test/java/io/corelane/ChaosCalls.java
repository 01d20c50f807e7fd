// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.ChaosTicket.Entry;
import io.corelane.Repetition.AfterFailure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The random calls of one thread of the chaos run, or of one of its jobs.
 *
 * <p>A wait without a limit is for a job that the caller has submitted itself, and never for a lane's job by what a lane's
 * job has submitted: everything else may wait in a circle, through no fault of the scheduler. A job does not wait for a timed
 * one without a limit either, which needs a worker while all of them may wait in joins for what waits for it.
 */
final class ChaosCalls {
    private static final int DEEPEST = 3;
    private static final Duration SOON = Duration.ofNanos(300_000);

    private final ChaosRound round;
    private final PinnedScheduler scheduler;
    private final SplittableRandom random;
    private final int depth;
    private final boolean inLane;
    /** Whether these are the calls of a fork, or come of them: the scheduler cannot end before that, so nobody waits for it. */
    private final boolean inFork;

    private final AtomicInteger[] lastPlaces;
    private final int[] places;

    ChaosCalls(ChaosRound round, SplittableRandom random, int depth, boolean inLane) {
        this(round, random, depth, inLane, false);
    }

    private ChaosCalls(ChaosRound round, SplittableRandom random, int depth, boolean inLane, boolean inFork) {
        this.inFork = inFork;
        this.round = round;
        this.scheduler = round.scheduler;
        this.random = random;
        this.depth = depth;
        this.inLane = inLane;
        this.places = new int[scheduler.workers()];
        this.lastPlaces = new AtomicInteger[scheduler.workers()];
    }

    /** Returns the calls of a part of a tree, which are made by whichever thread runs it. */
    static ChaosCalls ofFork(ChaosRound round, SplittableRandom random, int depth, boolean inLane) {
        return new ChaosCalls(round, random, depth, inLane, true);
    }

    /** Makes a random call; what it throws is a fault, unless it is expected of that call. */
    void any() {
        try {
            call();
        } catch (Throwable t) {
            round.fault("a call threw " + ChaosRound.text(t));
        }
    }

    private void call() throws Exception {
        switch (random.nextInt(43)) {
            case 0, 1, 2 -> execute();
            case 3 -> tryExecute();
            case 4 -> tryExecuteInTime();
            case 5, 6 -> executeAll();
            case 7, 8, 9 -> waitSometimes(submit(ticket(false)), true);
            case 10 -> waitSometimes(submitWithin(), true);
            case 11, 12 -> waitSometimes(schedule(), depth == 0);
            case 13 -> repeat();
            case 14, 15 -> executeOnLane();
            case 16, 17 -> waitSometimes(submitToLane(), !inLane);
            case 18 -> forEachLane();
            case 19 -> invokeAll();
            case 20 -> invokeAny();
            case 21, 22, 23 -> waitForAny();
            case 24 -> listen();
            case 25 -> future();
            case 26, 27, 28 -> cancelAny();
            case 29 -> awaitQuiescence();
            case 30 -> look();
            case 31 -> block();
            case 32 -> executeHandle();
            case 33 -> supplyAsync();
            case 34 -> kill();
            case 35, 36 ->
                round.clients.get(random.nextInt(round.clients.size())).interrupt();
            case 37 -> fork();
            case 38 -> waitSometimes(chain(chainLength()), true);
            case 39, 40 -> forks();
            case 41 -> runByHand();
            default -> endRarely();
        }
    }

    // ---- jobs
    // --------------------------------------------------------------------------------------------------------

    /** What a job does, chosen now. */
    private ChaosTicket ticket(boolean laneJob) {
        SplittableRandom seed = random.split();
        return round.ticket(() -> new ChaosCalls(round, seed, depth + 1, inLane || laneJob, inFork).body());
    }

    private int body() throws Exception {
        switch (random.nextInt(depth > DEEPEST ? 12 : 24)) {
            case 0 -> throw new IllegalStateException(ChaosTicket.CHAOS);
            case 1 ->
                throw random.nextInt(4) == 0
                        ? new InternalError(ChaosTicket.CHAOS)
                        : new AssertionError(ChaosTicket.CHAOS);
            case 2, 3 -> LockSupport.parkNanos(random.nextInt(200_000));
            case 4 -> block();
            case 12, 13, 14, 15 -> any();
            case 16 -> fork();
            case 17 -> waitSometimes(submit(ticket(false)), true);
            case 18 -> {
                any();
                any();
                any();
            }
            default -> {}
        }
        return depth;
    }

    /** Submits some and waits for all. */
    private void fork() throws Exception {
        List<@Nullable JobHandle<?>> forked = new ArrayList<>();
        for (int i = random.nextInt(4); i >= 0; i--) {
            forked.add(submit(ticket(false)));
        }
        for (JobHandle<?> handle : forked) {
            await(handle, true);
        }
    }

    /** A tree of forks, a scope or a loop. */
    private void forks() {
        if (depth <= DEEPEST) {
            new ChaosForks(round, random.split(), depth + 1, inLane).run();
        }
    }

    /** What one part of it does: nothing, mostly. */
    void part() {
        switch (random.nextInt(20)) {
            case 0, 1 -> any();
            case 2 -> {
                try {
                    block();
                } catch (Exception e) {
                    round.fault("a blocking section threw " + ChaosRound.text(e));
                }
            }
            case 3 -> LockSupport.parkNanos(random.nextInt(100_000));
            default -> {}
        }
    }

    /** Calls run() of a handle, in a race with whoever else may run that job. */
    private void runByHand() {
        if (submit(ticket(false)) instanceof Runnable handle) {
            handle.run();
        }
    }

    /** Sometimes longer than fits on one thread. */
    private int chainLength() {
        return random.nextInt(20) == 0 && round.mayWaitForEver() ? 300 : 1 + random.nextInt(10);
    }

    /** A job that waits for a job that waits for a job. */
    private @Nullable JobHandle<?> chain(int length) {
        if (length == 0) {
            return null;
        }
        boolean blocks = random.nextInt(30) == 0;
        ChaosCalls next = new ChaosCalls(round, random.split(), DEEPEST + 1, inLane, inFork);
        return submit(round.ticket(() -> {
            if (blocks) {
                next.block();
            }
            next.await(next.chain(length - 1), true);
            return length;
        }));
    }

    // ---- submissions
    // -------------------------------------------------------------------------------------------------

    private interface Submission {
        boolean make() throws Exception;
    }

    /** Makes a submission and notes what came of it; returns whether it was accepted. */
    private boolean noted(ChaosTicket ticket, Submission submission) throws Exception {
        try {
            if (submission.make()) {
                round.accept(ticket);
                return true;
            }
            ticket.entry = Entry.REFUSED;
        } catch (RejectedExecutionException e) {
            ticket.entry = Entry.REFUSED;
        } catch (InterruptedException e) {
            ticket.entry = Entry.REFUSED;
        }
        return false;
    }

    private ChaosTicket executed() {
        ChaosTicket ticket = ticket(false);
        ticket.executed = true;
        return ticket;
    }

    private void execute() throws Exception {
        ChaosTicket ticket = executed();
        boolean ignored = noted(ticket, () -> {
            scheduler.execute(ticket);
            return true;
        });
    }

    private void tryExecute() throws Exception {
        ChaosTicket ticket = executed();
        boolean ignored = noted(ticket, () -> scheduler.tryExecute(ticket));
    }

    private void tryExecuteInTime() throws Exception {
        ChaosTicket ticket = executed();
        Duration time = Duration.ofNanos(random.nextInt(300_000));
        boolean ignored = noted(ticket, () -> scheduler.tryExecute(ticket, time));
    }

    private void executeAll() throws Exception {
        List<ChaosTicket> batch = new ArrayList<>();
        for (int i = random.nextInt(depth == 0 ? 50 : 4); i >= 0; i--) {
            batch.add(executed());
        }
        ChaosTicket first = batch.get(0);
        boolean accepted = noted(first, () -> {
            scheduler.executeAll(batch);
            return true;
        });
        for (ChaosTicket ticket : batch.subList(1, batch.size())) {
            if (accepted) {
                round.accept(ticket);
            } else {
                ticket.entry = Entry.REFUSED;
            }
        }
    }

    private @Nullable JobHandle<?> submit(ChaosTicket ticket) {
        Callable<Integer> callable = ticket::call;
        Runnable runnable = ticket;
        int form = random.nextInt(3);
        return handle(
                ticket,
                () -> form == 0
                        ? scheduler.submit(runnable)
                        : form == 1 ? scheduler.submit(callable) : scheduler.submit(runnable, "result"),
                true);
    }

    private interface Handled {
        JobHandle<?> make();
    }

    private @Nullable JobHandle<?> handle(ChaosTicket ticket, Handled submission, boolean counts) {
        try {
            JobHandle<?> handle = submission.make();
            ticket.handle = handle;
            if (counts) {
                round.accept(ticket);
            } else {
                ticket.entry = Entry.ACCEPTED;
            }
            round.recent.set(random.nextInt(round.recent.length()), handle);
            return handle;
        } catch (RejectedExecutionException e) {
            ticket.entry = Entry.REFUSED;
            return null;
        }
    }

    private @Nullable JobHandle<?> submitWithin() {
        ChaosTicket ticket = ticket(false);
        Callable<Integer> body = ticket::call;
        Duration limit = Duration.ofNanos(random.nextInt(500_000));
        return handle(ticket, () -> scheduler.submitWithin(body, limit), true);
    }

    private @Nullable JobHandle<?> schedule() {
        ChaosTicket ticket = ticket(false);
        Callable<Integer> callable = ticket::call;
        Runnable runnable = ticket;
        int micros = random.nextInt(-10, 3000);
        boolean calls = random.nextBoolean();
        return handle(
                ticket,
                () -> calls
                        ? scheduler.schedule(callable, micros, TimeUnit.MICROSECONDS)
                        : scheduler.schedule(runnable, micros, TimeUnit.MICROSECONDS),
                false);
    }

    private void repeat() {
        SplittableRandom seed = random.split();
        ChaosTicket ticket = round.ticket(() -> {
            if (seed.nextInt(10) == 0) {
                throw new IllegalStateException(ChaosTicket.CHAOS);
            }
            return 0;
        });
        ticket.mostRuns = Integer.MAX_VALUE;
        int micros = 200 + random.nextInt(3000);
        Repetition repetition = new Repetition(
                Duration.ofNanos(random.nextInt(-10, 1_000_000)),
                Duration.ofNanos(1000L * micros),
                random.nextBoolean(),
                oneOf(AfterFailure.values()));
        int form = random.nextInt(4);
        JobHandle<?> handle = handle(
                ticket,
                () -> switch (form) {
                    case 0 -> scheduler.scheduleAtFixedRate(ticket, 10, micros, TimeUnit.MICROSECONDS);
                    case 1 -> scheduler.scheduleWithFixedDelay(ticket, 10, micros, TimeUnit.MICROSECONDS);
                    default -> scheduler.repeat(ticket, repetition);
                },
                false);
        if (handle instanceof ScheduledJob<?> job) {
            round.repeated.add(job);
        }
    }

    /** Chooses a lane for a ticket. */
    private Lane lane(ChaosTicket ticket) {
        Lane lane = random.nextBoolean()
                ? scheduler.lane(random.nextInt(scheduler.workers()))
                : scheduler.laneFor("key" + random.nextInt(20));
        int index = lane.index();
        if (lastPlaces[index] == null) {
            lastPlaces[index] = new AtomicInteger();
        }
        ticket.lane = index;
        ticket.place = ++places[index];
        ticket.lastPlace = lastPlaces[index];
        return lane;
    }

    private void executeOnLane() throws Exception {
        ChaosTicket ticket = ticket(true);
        ticket.executed = true;
        Lane lane = lane(ticket);
        boolean ignored = noted(ticket, () -> {
            lane.execute(ticket);
            return true;
        });
    }

    private @Nullable JobHandle<?> submitToLane() {
        ChaosTicket ticket = ticket(true);
        Lane lane = lane(ticket);
        Callable<Integer> callable = ticket::call;
        Runnable runnable = ticket;
        boolean calls = random.nextBoolean();
        return handle(ticket, () -> calls ? lane.submit(callable) : lane.submit(runnable), true);
    }

    private void forEachLane() throws Exception {
        ChaosTicket ticket = round.ticket(() -> {
            LockSupport.parkNanos(10_000);
            return 0;
        });
        ticket.mostRuns = scheduler.workers();
        try {
            List<JobHandle<?>> handles = scheduler.forEachLane(ticket);
            round.accepted.add(handles.size());
            ticket.entry = Entry.ACCEPTED;
            for (JobHandle<?> handle : handles) {
                ticket.handle = handle;
                await(handle, !inLane);
            }
        } catch (RejectedExecutionException e) {
            round.inexact = true;
            ticket.entry = Entry.UNKNOWN;
        }
    }

    private List<ChaosTicket> several() {
        List<ChaosTicket> tickets = new ArrayList<>();
        for (int i = random.nextInt(5); i >= 0; i--) {
            tickets.add(ticket(false));
        }
        return tickets;
    }

    private static List<Callable<Integer>> bodies(List<ChaosTicket> tickets) {
        List<Callable<Integer>> bodies = new ArrayList<>();
        tickets.forEach(ticket -> bodies.add(ticket::call));
        return bodies;
    }

    private void invokeAll() throws Exception {
        List<ChaosTicket> tickets = several();
        List<Callable<Integer>> bodies = bodies(tickets);
        boolean forEver = random.nextBoolean() && (depth == 0 || round.mayWaitForEver());
        try {
            List<Future<Integer>> futures = forEver
                    ? scheduler.invokeAll(bodies)
                    : scheduler.invokeAll(bodies, random.nextInt(2000), TimeUnit.MICROSECONDS);
            for (int i = 0; i < futures.size(); i++) {
                ChaosTicket ticket = tickets.get(i);
                ticket.handle = (JobHandle<Integer>) futures.get(i);
                round.accept(ticket);
                if (!futures.get(i).isDone()) {
                    round.fault("invokeAll returned before the end of " + ticket);
                }
            }
        } catch (RejectedExecutionException | InterruptedException e) {
            round.inexact = true;
            tickets.forEach(ticket -> ticket.entry = Entry.UNKNOWN);
        }
    }

    private void invokeAny() throws Exception {
        List<ChaosTicket> tickets = several();
        tickets.forEach(ticket -> ticket.entry = Entry.UNKNOWN);
        round.inexact = true;
        try {
            Integer ignored = random.nextBoolean() && depth == 0
                    ? scheduler.invokeAny(bodies(tickets))
                    : scheduler.invokeAny(bodies(tickets), random.nextInt(2000), TimeUnit.MICROSECONDS);
        } catch (RejectedExecutionException
                | InterruptedException
                | ExecutionException
                | TimeoutException
                | CancellationException e) {
            round.progress.incrementAndGet();
        }
    }

    private void executeHandle() throws Exception {
        ChaosTicket ticket = ticket(false);
        if (submit(ticket) instanceof Runnable handle) {
            ticket.executedAgain = true;
            try {
                scheduler.execute(handle);
                round.accepted.increment();
            } catch (RejectedExecutionException e) {
                round.progress.incrementAndGet();
            }
        }
    }

    private void supplyAsync() {
        ChaosTicket ticket = ticket(false);
        try {
            CompletableFuture<Integer> future = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return ticket.call();
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    scheduler);
            if (!future.isCompletedExceptionally()) {
                boolean ignored =
                        future.completeOnTimeout(0, 1, TimeUnit.MILLISECONDS).isDone();
            }
            round.accept(ticket);
        } catch (RejectedExecutionException e) {
            ticket.entry = Entry.REFUSED;
        }
    }

    // ---- waits
    // -------------------------------------------------------------------------------------------------------

    private void waitSometimes(@Nullable JobHandle<?> handle, boolean own) throws Exception {
        if (random.nextInt(3) == 0) {
            await(handle, own);
        }
    }

    /** Waits in some form; without a limit only for a job of one's own. */
    private void await(@Nullable JobHandle<?> handle, boolean own) throws Exception {
        if (handle == null) {
            return;
        }
        boolean forEver = own && (depth == 0 || round.mayWaitForEver());
        Duration time = own ? Duration.ofMillis(5) : SOON;
        try {
            switch (random.nextInt(3)) {
                case 0 -> note(forEver ? handle.join() : handle.join(time));
                case 1 -> note(forEver ? handle.outcome() : handle.outcome(time));
                default -> note(forEver ? handle.get() : handle.get(time.toNanos(), TimeUnit.NANOSECONDS));
            }
            if (!handle.isDone()) {
                round.fault("a wait returned before the end of " + handle);
            }
        } catch (CancellationException
                | JobFailedException
                | ExecutionException
                | TimeoutException
                | InterruptedException e) {
            round.progress.incrementAndGet();
        } catch (IllegalStateException e) {
            if (!String.valueOf(e.getMessage()).contains("waits for itself")) {
                throw e;
            }
        }
    }

    /** Takes a result whose value says nothing. */
    private void note(@Nullable Object result) {
        round.progress.addAndGet(result == null ? 1 : 2);
    }

    private <T> T oneOf(T[] values) {
        return values[random.nextInt(values.length)];
    }

    private @Nullable JobHandle<?> anyHandle() {
        return round.recent.get(random.nextInt(round.recent.length()));
    }

    private void waitForAny() throws Exception {
        await(anyHandle(), false);
    }

    private void listen() {
        JobHandle<?> handle = anyHandle();
        boolean throwing = random.nextInt(4) == 0;
        if (handle != null) {
            AtomicInteger told = new AtomicInteger();
            handle.onComplete(outcome -> {
                if (told.incrementAndGet() > 1) {
                    round.fault("a listener was told twice");
                }
                if (throwing) {
                    throw new IllegalStateException("chaos listener");
                }
            });
        }
    }

    private void future() {
        JobHandle<?> handle = anyHandle();
        if (handle != null) {
            CompletableFuture<?> future = handle.toCompletableFuture();
            if (random.nextInt(3) == 0) {
                future.cancel(random.nextBoolean());
            }
        }
    }

    private void cancelAny() {
        JobHandle<?> handle = anyHandle();
        if (handle != null) {
            handle.cancel(random.nextInt(3) > 0);
            if (!handle.isDone()) {
                round.fault("not done after cancel: " + handle);
            }
        }
    }

    private void awaitQuiescence() throws Exception {
        Duration time = random.nextInt(10) == 0 ? Duration.ofSeconds(5) : SOON;
        try {
            note(scheduler.awaitQuiescence(time));
            note(scheduler.awaitTermination(random.nextInt(100), TimeUnit.MICROSECONDS));
        } catch (InterruptedException e) {
            round.progress.incrementAndGet();
        }
    }

    private void look() {
        JobHandle<?> handle = anyHandle();
        switch (random.nextInt(5)) {
            case 0 -> note(scheduler.dump());
            case 1 -> note(scheduler.stats());
            case 2 -> note(scheduler + " " + handle);
            case 3 -> {
                if (handle != null && handle.isDone() && !handle.isCancelled()) {
                    note(handle.outcome() instanceof Outcome.Done<?> ? handle.resultNow() : handle.exceptionNow());
                }
            }
            default -> note(scheduler.isShutdown() + " " + scheduler.isTerminated() + scheduler.cpus());
        }
    }

    private void block() throws Exception {
        long nanos = random.nextInt(300_000);
        if (random.nextBoolean()) {
            note(scheduler.blocking(() -> {
                LockSupport.parkNanos(nanos);
                return 0;
            }));
            return;
        }
        CountDownLatch latch = new CountDownLatch(1);
        try {
            scheduler.blocking(new ForkJoinPool.ManagedBlocker() {
                @Override
                public boolean block() throws InterruptedException {
                    note(latch.await(nanos, TimeUnit.NANOSECONDS));
                    return true;
                }

                @Override
                public boolean isReleasable() {
                    return latch.getCount() == 0;
                }
            });
        } catch (InterruptedException e) {
            round.progress.incrementAndGet();
        }
    }

    // ---- violence
    // ----------------------------------------------------------------------------------------------------

    private void kill() {
        round.kills.incrementAndGet();
        boolean accepted = random.nextBoolean()
                ? round.insider.kill()
                : round.insider.kill(scheduler.lane(random.nextInt(scheduler.workers())));
        if (accepted) {
            round.accepted.increment();
        }
    }

    private void endRarely() {
        if (!inFork && random.nextInt(100) == 0) {
            round.end(random.nextInt(4));
        }
    }
}
