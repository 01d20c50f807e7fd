// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** One tree of forks, scope or loop of the chaos run, whose parts call the scheduler, block and fail. */
final class ChaosForks {
    private final ChaosRound round;
    private final SplittableRandom random;
    private final boolean fails;
    private final int parts;
    private final AtomicIntegerArray runs;
    private final List<ChaosCalls> calls = new ArrayList<>();

    /**
     * Chooses what the parts will do.
     *
     * @param depth of the calls that they make
     * @param inLane whether what they do belongs to a lane's job
     */
    ChaosForks(ChaosRound round, SplittableRandom random, int depth, boolean inLane) {
        this.round = round;
        this.random = random;
        this.fails = random.nextInt(4) == 0;
        this.parts = 1 + random.nextInt(depth > 1 ? 8 : 64);
        this.runs = new AtomicIntegerArray(parts);
        for (int i = 0; i < parts; i++) {
            calls.add(ChaosCalls.ofFork(round, random.split(), depth, inLane));
        }
    }

    /** Runs it; each part has run once afterwards, unless one has failed or all were cancelled. */
    void run() {
        boolean whole = false;
        try {
            whole = switch (random.nextInt(4)) {
                case 0 -> scope();
                case 1 -> loop();
                default -> tree();
            };
        } catch (CancellationException | RejectedExecutionException e) {
            round.progress.incrementAndGet();
        } catch (IllegalStateException e) {
            if (!ChaosTicket.CHAOS.equals(e.getMessage())) {
                throw e;
            }
        }
        int[] after = new int[parts];
        for (int i = 0; i < parts; i++) {
            after[i] = runs.get(i);
            if (after[i] > 1 || (whole && after[i] != 1)) {
                round.fault("part " + i + " of " + parts + " ran " + after[i] + " times");
            }
        }
        Thread.onSpinWait();
        for (int i = 0; i < parts; i++) {
            if (runs.get(i) != after[i]) {
                round.fault("part " + i + " of " + parts + " ran after the end");
            }
        }
    }

    private boolean tree() {
        long ran = round.scheduler.invoke(new Tree(0, parts));
        if (ran != parts) {
            round.fault(ran + " of " + parts + " parts");
        }
        return true;
    }

    private boolean loop() {
        round.scheduler.parallelFor(0, parts, i -> part((int) i));
        return true;
    }

    private boolean scope() {
        int joined = random.nextInt(parts + 1);
        boolean cancels = random.nextInt(8) == 0;
        Duration limit = random.nextInt(3) > 0 ? Duration.ofDays(1) : Duration.ofNanos(random.nextInt(500_000));
        return round.scheduler.scope(limit, scope -> {
            List<Fork<Integer>> forks = new ArrayList<>();
            for (int i = 0; i < parts; i++) {
                int number = i;
                forks.add(scope.fork(() -> part(number)));
            }
            if (cancels) {
                scope.cancel();
            }
            int ran = 0;
            for (Fork<Integer> fork : forks.subList(parts - joined, parts)) {
                ran += fork.join();
            }
            if (ran != joined) {
                round.fault(ran + " of " + joined + " joined parts");
            }
            return true;
        });
    }

    private int part(int number) {
        runs.incrementAndGet(number);
        if (fails && number == parts / 2) {
            throw new IllegalStateException(ChaosTicket.CHAOS);
        }
        calls.get(number).part();
        round.progress.incrementAndGet();
        return 1;
    }

    private final class Tree extends LongFork {
        private final int from;
        private final int to;

        Tree(int from, int to) {
            this.from = from;
            this.to = to;
        }

        @Override
        protected long compute() {
            if (to - from == 1) {
                return part(from);
            }
            int middle = (from + to) >>> 1;
            Tree right = new Tree(middle, to);
            right.fork();
            long left = new Tree(from, middle).compute();
            return left + right.join();
        }
    }
}
