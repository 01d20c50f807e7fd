// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import io.corelane.IdlePolicy;
import io.corelane.PinnedScheduler;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.PinnedThreadFactory;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import io.corelane.benchmarks.pools.AgronaPool;
import io.corelane.benchmarks.pools.ChannelPool;
import io.corelane.benchmarks.pools.DisruptorPool;
import io.corelane.benchmarks.pools.MutexPool;
import io.corelane.benchmarks.pools.RingPool;
import io.corelane.benchmarks.pools.ShardedPool;
import io.corelane.benchmarks.pools.ThreadPerJobPool;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RejectedExecutionHandler;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The executors that the benchmarks compare, by name. */
public final class Subjects {
    /** The names that {@link #create} knows. */
    public static final List<String> NAMES = List.of(
            "corelane",
            "corelane-unpinned",
            "corelane-park",
            "corelane-50us",
            "corelane-spin",
            "fjp-fifo",
            "fjp-lifo",
            "tpe-lbq",
            "tpe-ltq",
            "tpe-abq",
            "ws-pool",
            "mutex",
            "channel",
            "sharded",
            "ring",
            "ring-spin",
            "disruptor-block",
            "disruptor-yield",
            "netty-group",
            "agrona",
            "thread-per-job",
            "virtual");

    private static final int BOUND = 1 << 16;

    private Subjects() {}

    /**
     * Returns why a subject cannot run on this JVM.
     *
     * @param name one of {@link #NAMES}
     * @return the reason, or null if it can run
     */
    public static @Nullable String unavailable(String name) {
        return name.equals("virtual") && Runtime.version().feature() < 21
                ? "virtual threads need JDK 21 (this is " + Runtime.version().feature() + ")"
                : null;
    }

    /**
     * Returns whether a subject runs each job in a thread of its own, so that {@link RunCounters} have to be atomic.
     *
     * @param name one of {@link #NAMES}
     * @return whether it does
     */
    public static boolean hasThreadPerJob(String name) {
        return name.equals("thread-per-job") || name.equals("virtual");
    }

    /**
     * Returns the options that a JVM needs to run a subject without a warning or a refusal.
     *
     * @param name one of {@link #NAMES}
     * @param feature the JDK's feature version
     * @return options; empty for most
     */
    public static List<String> jvmArguments(String name, int feature) {
        List<String> arguments = new ArrayList<>();
        if (feature >= 22) {
            arguments.add("--enable-native-access=ALL-UNNAMED"); // JNA, for pinning
        }
        if (name.equals("agrona")) {
            arguments.add("--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED");
        }
        return List.copyOf(arguments);
    }

    /**
     * Makes an executor.
     *
     * @param name one of {@link #NAMES}
     * @param workers how many worker threads; those with a thread per job ignore it
     * @return the running executor
     */
    public static ExecutorService create(String name, int workers) {
        return switch (name) {
            case "corelane" -> corelane(workers).build();
            case "corelane-unpinned" -> corelane(workers).pinning(Pinning.OFF).build();
            case "corelane-park" -> corelane(workers).idle(IdlePolicy.park()).build();
            case "corelane-50us" ->
                corelane(workers)
                        .idle(IdlePolicy.spinThenPark(Duration.ofNanos(50_000)))
                        .build();
            case "corelane-spin" ->
                corelane(workers).idle(IdlePolicy.busySpin()).build();
            case "fjp-fifo" -> forkJoinPool(workers, true);
            case "fjp-lifo" -> forkJoinPool(workers, false);
            case "tpe-lbq" -> Executors.newFixedThreadPool(workers);
            case "tpe-ltq" ->
                new ThreadPoolExecutor(workers, workers, 0, TimeUnit.SECONDS, new LinkedTransferQueue<>());
            case "tpe-abq" ->
                new ThreadPoolExecutor(
                        workers, workers, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(BOUND), new WaitForRoom());
            case "ws-pool" -> Executors.newWorkStealingPool(workers);
            case "mutex" -> new MutexPool(workers);
            case "channel" -> new ChannelPool(workers);
            case "sharded" -> new ShardedPool(workers);
            case "ring" -> new RingPool(workers, true);
            case "ring-spin" -> new RingPool(workers, false);
            case "thread-per-job" -> new ThreadPerJobPool();
            case "virtual" -> VirtualThreads.newExecutor();
            case "disruptor-block" -> new DisruptorPool(workers, new BlockingWaitStrategy());
            case "disruptor-yield" -> new DisruptorPool(workers, new YieldingWaitStrategy());
            case "netty-group" -> new DefaultEventExecutorGroup(workers);
            case "agrona" -> new AgronaPool(workers, ThreadAffinity.get());
            default -> throw new IllegalArgumentException("subject=" + name + " (expected a name of Subjects.create)");
        };
    }

    /**
     * Makes one of several executors of one worker that run at the same time, on different CPUs if they are pinned.
     *
     * @param name one of the names above
     * @param number which of the executors, from 0
     * @return the running executor
     */
    public static ExecutorService oneOfSeveral(String name, int number) {
        if (!name.startsWith("corelane") || name.equals("corelane-unpinned")) {
            return create(name, 1);
        }
        int[] allowed = ThreadAffinity.get().toArray();
        return pinned(name, allowed[number % allowed.length]);
    }

    /**
     * Makes an executor of one worker that is pinned to a CPU, for measurements of hand-overs.
     *
     * @param name one of the names below
     * @param cpu where to pin its worker
     * @return the running executor
     */
    public static ExecutorService pinned(String name, int cpu) {
        CpuSet cpus = CpuSet.of(cpu);
        return switch (name) {
            case "corelane" -> PinnedScheduler.builder().cpus(cpus).build();
            case "corelane-park" ->
                PinnedScheduler.builder().cpus(cpus).idle(IdlePolicy.park()).build();
            case "corelane-50us" ->
                PinnedScheduler.builder()
                        .cpus(cpus)
                        .idle(IdlePolicy.spinThenPark(Duration.ofNanos(50_000)))
                        .build();
            case "corelane-spin" ->
                PinnedScheduler.builder().cpus(cpus).idle(IdlePolicy.busySpin()).build();
            case "fjp-fifo" -> new ForkJoinPool(1, pool -> new PinnedForkJoinThread(pool, cpu), null, true);
            case "tpe-lbq" -> Executors.newFixedThreadPool(1, PinnedThreadFactory.of("peer", cpus));
            case "tpe-ltq" ->
                new ThreadPoolExecutor(
                        1, 1, 0, TimeUnit.SECONDS, new LinkedTransferQueue<>(), PinnedThreadFactory.of("peer", cpus));
            case "raw-park" -> new RawHandOff(cpu, false);
            case "raw-spin" -> new RawHandOff(cpu, true);
            default -> throw new IllegalArgumentException("subject=" + name + " (expected a name of Subjects.pinned)");
        };
    }

    /**
     * Makes an executor of one worker, pinned to a CPU if that kind of executor can be.
     *
     * @param name a name of {@link #pinned} or {@link #create}
     * @param cpu where to pin its worker
     * @return the running executor
     */
    public static ExecutorService pinnedIfPossible(String name, int cpu) {
        return switch (name) {
            case "corelane", "corelane-park", "corelane-50us", "corelane-spin", "fjp-fifo", "tpe-lbq", "tpe-ltq" ->
                pinned(name, cpu);
            case "agrona" -> new AgronaPool(1, CpuSet.of(cpu));
            default -> create(name, 1);
        };
    }

    /** A worker of a ForkJoinPool that pins itself. */
    private static final class PinnedForkJoinThread extends ForkJoinWorkerThread {
        private final int cpu;

        PinnedForkJoinThread(ForkJoinPool pool, int cpu) {
            super(pool);
            this.cpu = cpu;
        }

        @Override
        protected void onStart() {
            ThreadAffinity.set(CpuSet.of(cpu));
        }
    }

    /** Holds the submitter up while the queue is full; else a bounded queue would refuse most of a million jobs. */
    private static final class WaitForRoom implements RejectedExecutionHandler {
        @Override
        public void rejectedExecution(Runnable job, ThreadPoolExecutor pool) {
            try {
                while (!pool.isShutdown()) {
                    if (pool.getQueue().offer(job, 100, TimeUnit.MILLISECONDS)) {
                        if (pool.isShutdown() && pool.remove(job)) {
                            break;
                        }
                        return;
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            throw new RejectedExecutionException("shut down, or interrupted while waiting for room");
        }
    }

    private static PinnedScheduler.Builder corelane(int workers) {
        return PinnedScheduler.builder().workers(workers).sharing(true);
    }

    private static ForkJoinPool forkJoinPool(int workers, boolean fifo) {
        return new ForkJoinPool(workers, ForkJoinPool.defaultForkJoinWorkerThreadFactory, null, fifo);
    }
}
