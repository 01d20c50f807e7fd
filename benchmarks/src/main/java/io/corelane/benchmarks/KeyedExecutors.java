// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.Lane;
import io.corelane.PinnedScheduler;
import io.corelane.affinity.Pinning;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;

/** Executors that run the jobs of one key in order: an executor of one thread, or a lane, for each of several keys. */
public final class KeyedExecutors implements AutoCloseable {
    private final List<Executor> executors;
    private final List<ExecutorService> owners;

    private KeyedExecutors(List<? extends Executor> executors, List<? extends ExecutorService> owners) {
        this.executors = List.copyOf(executors);
        this.owners = List.copyOf(owners);
    }

    /**
     * Starts them.
     *
     * @param name {@code corelane-lanes}, {@code corelane-lanes-unpinned}, {@code netty-hash}, or a name of
     *     {@link Subjects#create} with {@code -hash} behind it
     * @param workers how many threads
     * @return the running executors
     */
    public static KeyedExecutors create(String name, int workers) {
        switch (name) {
            case "corelane-lanes", "corelane-lanes-unpinned" -> {
                PinnedScheduler scheduler = PinnedScheduler.builder()
                        .workers(workers)
                        .sharing(true)
                        .pinning(name.endsWith("unpinned") ? Pinning.OFF : Pinning.REQUIRED)
                        .build();
                List<Lane> lanes = new ArrayList<>();
                for (int i = 0; i < workers; i++) {
                    lanes.add(scheduler.lane(i));
                }
                return new KeyedExecutors(lanes, List.of(scheduler));
            }
            case "netty-hash" -> {
                DefaultEventExecutorGroup group = new DefaultEventExecutorGroup(workers);
                List<EventExecutor> members = new ArrayList<>();
                group.forEach(members::add);
                return new KeyedExecutors(members, List.of(group));
            }
            default -> {
                if (!name.endsWith("-hash")) {
                    throw new IllegalArgumentException("subject=" + name + " (expected a name of KeyedExecutors)");
                }
                List<ExecutorService> singles = new ArrayList<>();
                for (int i = 0; i < workers; i++) {
                    singles.add(Subjects.create(name.substring(0, name.length() - "-hash".length()), 1));
                }
                return new KeyedExecutors(singles, singles);
            }
        }
    }

    /**
     * Runs a job after all earlier ones of its key.
     *
     * @param key the key, not negative
     * @param job the job
     */
    public void execute(int key, Runnable job) {
        executors.get(key % executors.size()).execute(job);
    }

    @Override
    public void close() {
        owners.forEach(ExecutorService::shutdownNow);
    }
}
