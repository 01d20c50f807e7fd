// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.internal.parking.EventCount;
import io.corelane.internal.worker.PoolConfig;
import io.corelane.internal.worker.WorkerPool;
import io.corelane.topology.CpuLimits;
import io.corelane.topology.CpuNeighbours;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs on worker threads that are each pinned to one logical CPU and steal work from each other.
 *
 * <p>A job submitted from outside goes to the global injector, one submitted by a job of this scheduler to the deque of
 * its worker; any idle worker may take either. An {@code execute}d job that throws is reported to the
 * {@link FailureHandler}; a submitted one to its {@link JobHandle}.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Memory effects:</b> what a thread did before it submits a job
 * is visible to the job; what the job did is visible to whoever learns of its end, and after {@link #awaitTermination}
 * has returned true. <b>Cost:</b> {@code execute} allocates nothing and {@code submit} one object; a submission makes a
 * system call only if a worker has to be woken.
 */
public final class PinnedScheduler extends AbstractExecutorService implements AutoCloseable {
    private final WorkerPool pool;
    private final CpuSet cpus;
    private final int workers;

    private PinnedScheduler(PoolConfig config) {
        this.pool = WorkerPool.start(config);
        this.workers = config.workers();
        CpuSet planned = config.cpus();
        this.cpus = planned == null ? CpuSet.empty() : planned;
    }

    /**
     * Starts to describe a scheduler.
     *
     * @return a builder with the defaults: one pinned worker per CPU that the process may use
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Starts a scheduler with the defaults of {@link #builder}.
     *
     * @return the running scheduler
     * @throws io.corelane.affinity.AffinityException if a worker cannot be pinned
     */
    public static PinnedScheduler create() {
        return builder().build();
    }

    /**
     * Runs a job at some time, on some worker.
     *
     * @param job the job
     * @throws RejectedExecutionException if the scheduler was shut down, or its injector is full
     */
    @Override
    public void execute(Runnable job) {
        Objects.requireNonNull(job, "job");
        pool.execute(job);
    }

    /**
     * Runs a job at some time, on some worker, unless the injector is full.
     *
     * @param job the job
     * @return false if the injector has no room; then the job will not run. Always true without
     *     {@link Builder#injectorCapacity}, and for a job of this scheduler: that goes to the deque of its worker
     * @throws RejectedExecutionException if the scheduler was shut down
     */
    public boolean tryExecute(Runnable job) {
        Objects.requireNonNull(job, "job");
        return pool.tryExecute(job);
    }

    /**
     * Runs jobs at some time, on some workers: all of them, or none if this throws. They are queued in the order of the
     * collection, and nobody else's job comes between them.
     *
     * <p><b>Cost:</b> one atomic operation and at most one wake-up for all, and a copy of the references.
     *
     * @param jobs the jobs, none of them null
     * @throws NullPointerException if one is null
     * @throws RejectedExecutionException if the scheduler was shut down, or its injector has no room for all
     */
    public void executeAll(Collection<? extends Runnable> jobs) {
        Object[] copy = jobs.toArray(new Runnable[0]);
        for (int i = 0; i < copy.length; i++) {
            Objects.requireNonNull(copy[i], () -> "a job of " + copy.length + " is null");
        }
        if (copy.length > 0) {
            pool.executeAll(copy);
        }
    }

    /**
     * Runs a job at some time, on some worker.
     *
     * @param job the job
     * @param <T> the type of its result
     * @return its handle
     * @throws RejectedExecutionException if the scheduler was shut down, or its injector is full
     */
    @Override
    public <T extends @Nullable Object> JobHandle<T> submit(Callable<T> job) {
        Objects.requireNonNull(job, "job");
        return pool.submit(job);
    }

    /**
     * Runs a job at some time, on some worker.
     *
     * @param job the job
     * @return its handle, whose result is null
     * @throws RejectedExecutionException if the scheduler was shut down, or its injector is full
     */
    @Override
    public JobHandle<?> submit(Runnable job) {
        Objects.requireNonNull(job, "job");
        return pool.submit(job);
    }

    /**
     * Runs a job at some time, on some worker.
     *
     * @param job the job
     * @param result what its handle returns when the job is done
     * @param <T> the type of the result
     * @return its handle
     * @throws RejectedExecutionException if the scheduler was shut down, or its injector is full
     */
    @Override
    public <T extends @Nullable Object> JobHandle<T> submit(Runnable job, T result) {
        return submit(Executors.callable(job, result));
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Callable<T> job) {
        return pool.newJob(job);
    }

    @Override
    protected <T extends @Nullable Object> RunnableFuture<T> newTaskFor(Runnable job, T result) {
        return pool.newJob(Executors.callable(job, result));
    }

    /**
     * Returns the number of workers.
     *
     * @return at least 1
     */
    public int workers() {
        return workers;
    }

    /**
     * Returns the CPUs that the workers are planned for: worker i has the i-th.
     *
     * @return the CPUs, empty if pinning is off
     */
    public CpuSet cpus() {
        return cpus;
    }

    /**
     * Takes a snapshot of what has been done so far.
     *
     * @return the snapshot
     */
    public SchedulerStats stats() {
        return pool.stats();
    }

    /** Rejects new jobs from now on, also those of running jobs; what was accepted is run, then the workers end. */
    @Override
    public void shutdown() {
        pool.shutdown();
    }

    /**
     * Rejects new jobs, interrupts those that run, and takes back those that have not started.
     *
     * @return the jobs that never ran, in no particular order; submitted ones as their handles, which are cancelled
     */
    @Override
    public List<Runnable> shutdownNow() {
        return pool.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return pool.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return pool.isTerminated();
    }

    /**
     * Waits until all jobs have ended after a shutdown and the workers are gone. Called from a job of this scheduler,
     * which would wait for itself, it returns at once.
     *
     * @param timeout the longest to wait
     * @param unit its unit
     * @return whether the scheduler has terminated
     * @throws InterruptedException if interrupted while waiting
     */
    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        Objects.requireNonNull(unit, "unit");
        return pool.awaitTermination(timeout, unit);
    }

    /**
     * Shuts down and waits until all accepted jobs have ended, as {@link ExecutorService} does from JDK 19 on: if the
     * wait is interrupted, the scheduler is shut down at once and the wait goes on. Called from a job of this scheduler
     * it shuts down and returns without waiting.
     */
    @Override
    public void close() {
        shutdown();
        if (pool.isOwnThread()) {
            return;
        }
        boolean interrupted = false;
        boolean terminated = false;
        while (!terminated) {
            try {
                terminated = awaitTermination(1, TimeUnit.DAYS);
            } catch (InterruptedException e) {
                if (!interrupted) {
                    shutdownNow();
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public String toString() {
        SchedulerStats stats = stats();
        return "PinnedScheduler[" + stats.name() + ", " + stats.workers().size() + " workers, "
                + (isTerminated() ? "terminated" : isShutdown() ? "shut down" : "running") + ", run " + stats.jobsRun()
                + ", failed " + stats.jobsFailed() + ", queued " + stats.queued() + "]";
    }

    /**
     * Describes a scheduler and starts it.
     *
     * <p><b>Thread safety:</b> for one thread; the schedulers it builds are independent of it.
     */
    public static final class Builder {
        private static final AtomicInteger SEQUENCE = new AtomicInteger();

        private @Nullable String name;
        private int workers;
        private @Nullable CpuSet cpus;
        private Pinning pinning = Pinning.REQUIRED;
        private @Nullable IdlePolicy idle;
        private LocalOrder localOrder = LocalOrder.FIFO;
        private int injectorCapacity;
        private boolean sharing;
        private boolean daemon;
        private @Nullable FailureHandler failureHandler;

        private Builder() {}

        /**
         * Names the scheduler and its threads; the default is {@code corelane} and a number.
         *
         * @param name not empty; the kernel's thread names keep only its first characters
         * @return this
         * @throws IllegalArgumentException if it is empty
         */
        public Builder name(String name) {
            if (name.isEmpty()) {
                throw new IllegalArgumentException("name is empty (expected at least one character)");
            }
            this.name = name;
            return this;
        }

        /**
         * Sets how many workers to start; the default is one for each CPU.
         *
         * @param workers 1 to {@value EventCount#MAX_SLOTS}
         * @return this
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder workers(int workers) {
            if (workers < 1 || workers > EventCount.MAX_SLOTS) {
                throw new IllegalArgumentException(
                        "workers=" + workers + " (expected 1.." + EventCount.MAX_SLOTS + ")");
            }
            this.workers = workers;
            return this;
        }

        /**
         * Sets the CPUs to pin to, worker i to the i-th; the default is the CPUs that the process may use. They are
         * taken as they are or refused: a CPU outside the process's mask is tried, and the kernel decides.
         *
         * @param cpus not empty
         * @return this
         * @throws IllegalArgumentException if it is empty
         */
        public Builder cpus(CpuSet cpus) {
            if (cpus.isEmpty()) {
                throw new IllegalArgumentException("cpus is empty (expected at least one CPU, or Pinning.OFF)");
            }
            this.cpus = cpus;
            return this;
        }

        /**
         * Sets how much a pin matters; the default is {@link Pinning#REQUIRED}.
         *
         * @param pinning how much a pin matters
         * @return this
         */
        public Builder pinning(Pinning pinning) {
            this.pinning = Objects.requireNonNull(pinning, "pinning");
            return this;
        }

        /**
         * Sets what an idle worker does before it parks; the default is a short spin that fits the machine.
         *
         * @param idle the policy
         * @return this
         */
        public Builder idle(IdlePolicy idle) {
            this.idle = Objects.requireNonNull(idle, "idle");
            return this;
        }

        /**
         * Sets the order in which a worker takes the jobs of its own deque; the default is {@link LocalOrder#FIFO}.
         *
         * @param localOrder the order
         * @return this
         */
        public Builder localOrder(LocalOrder localOrder) {
            this.localOrder = Objects.requireNonNull(localOrder, "localOrder");
            return this;
        }

        /**
         * Bounds how many jobs from outside may wait in the injector; the default is any number. When it is full,
         * {@code execute} and {@code submit} throw a {@link RejectedExecutionException}, and {@code tryExecute} returns
         * false. Jobs that run may submit more without limit.
         *
         * <p><b>Cost:</b> the bound is exact, so all submitters share one queue and workers take from it one by one; the
         * unbounded injector is striped and emptied in batches.
         *
         * @param capacity at least 1
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder injectorCapacity(int capacity) {
            if (capacity < 1) {
                throw new IllegalArgumentException("injectorCapacity=" + capacity + " (expected at least 1)");
            }
            this.injectorCapacity = capacity;
            return this;
        }

        /**
         * Allows more workers than CPUs, so that several are pinned to the same one; the default is to refuse that.
         *
         * @param sharing whether workers may share a CPU
         * @return this
         */
        public Builder sharing(boolean sharing) {
            this.sharing = sharing;
            return this;
        }

        /**
         * Sets who learns of failures that no handle tells; the default is the worker thread's uncaught-exception
         * handler.
         *
         * @param failureHandler the handler
         * @return this
         */
        public Builder failureHandler(FailureHandler failureHandler) {
            this.failureHandler = Objects.requireNonNull(failureHandler, "failureHandler");
            return this;
        }

        /**
         * Sets whether the worker threads are daemons, which do not keep the JVM alive; the default is false.
         *
         * @param daemon whether they are daemons
         * @return this
         */
        public Builder daemon(boolean daemon) {
            this.daemon = daemon;
            return this;
        }

        /**
         * Starts the scheduler: all workers, each pinned as asked, or none. The mask of the calling thread stays as it
         * is.
         *
         * @return the running scheduler
         * @throws IllegalArgumentException if there are more workers than CPUs and {@link #sharing} is off, or CPUs
         *     were given and pinning is off
         * @throws io.corelane.affinity.AffinityException if pins are required and one is refused, or the native library
         *     cannot be loaded
         * @throws IllegalStateException if a thread cannot be started
         */
        public PinnedScheduler build() {
            if (pinning == Pinning.OFF && cpus != null) {
                throw new IllegalArgumentException(
                        "cpus=" + cpus + " with Pinning.OFF (expected no CPUs, or Pinning.REQUIRED or PREFERRED)");
            }
            CpuLimits limits = CpuLimits.read();
            CpuSet plan = pinning == Pinning.OFF ? null : cpus != null ? cpus : limits.defaultCpus();
            int count = workers != 0 ? workers : plan != null ? plan.size() : limits.defaultWorkers();
            if (plan != null && count > plan.size() && !sharing) {
                throw new IllegalArgumentException("workers=" + count + " (expected 1.." + plan.size() + ", CPUs "
                        + plan + "; allow more with sharing(true) or Pinning.OFF)");
            }
            boolean crowded = count >= limits.allowed().size();
            return new PinnedScheduler(new PoolConfig(
                    name != null ? name : "corelane" + SEQUENCE.incrementAndGet(),
                    count,
                    plan == null ? null : plan.limit(count),
                    plan == null ? null : CpuNeighbours.read(plan.limit(count)),
                    pinning,
                    injectorCapacity,
                    localOrder == LocalOrder.LIFO,
                    idle != null
                            ? idle.spinNanos()
                            : defaultSpinNanos(limits.allowed().size(), crowded),
                    crowded,
                    daemon,
                    failureHandler));
        }

        /**
         * Where a CPU is left for the submitters, about the time that parking and being woken takes (7 to 40 us were
         * measured on virtual machines): two pools that hand jobs to and fro then stay awake. Where workers share their
         * CPUs with the submitters, just longer than the gap between two submissions.
         */
        private static long defaultSpinNanos(int cpus, boolean crowded) {
            if (cpus == 1) {
                return 0;
            }
            return crowded && cpus <= 2 ? 2_000 : crowded ? 10_000 : 20_000;
        }
    }
}
