// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.Pinning;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The class loader that jobs see as their thread's own. */
@Timeout(120)
class ContextClassLoaderTest {
    private final ClassLoader before = Thread.currentThread().getContextClassLoader();
    private final ClassLoader fixed = new URLClassLoader(new URL[0]);
    private final ClassLoader other = new URLClassLoader(new URL[0]);
    private final Queue<ClassLoader> seen = new ConcurrentLinkedQueue<>();

    @AfterEach
    void restore() {
        Thread.currentThread().setContextClassLoader(before);
    }

    private static PinnedScheduler.Builder builder(int workers) {
        return PinnedScheduler.builder().name("context").workers(workers).pinning(Pinning.OFF);
    }

    private void look() {
        seen.add(Thread.currentThread().getContextClassLoader());
    }

    /** Looks, and leaves another loader behind. */
    private void spoil() {
        look();
        Thread.currentThread().setContextClassLoader(other);
    }

    /** Runs a job on every path there is, one after the other; returns how many times. */
    private static int onEveryPath(PinnedScheduler scheduler, Runnable job) throws Exception {
        scheduler.execute(job);
        assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
        scheduler.executeAll(List.of(job, job));
        assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
        scheduler.submit(job).join();
        scheduler
                .submit(() -> {
                    job.run();
                    return 1;
                })
                .join();
        scheduler
                .submitWithin(
                        () -> {
                            job.run();
                            return 1;
                        },
                        Duration.ofHours(1))
                .join();
        scheduler.lane(0).execute(job);
        scheduler.lane(0).submit(job).join();
        scheduler
                .lane(0)
                .submit(() -> {
                    job.run();
                    return 1;
                })
                .join();
        scheduler.schedule(job, 1, TimeUnit.MICROSECONDS).join();
        scheduler
                .schedule(
                        () -> {
                            job.run();
                            return 1;
                        },
                        1,
                        TimeUnit.MICROSECONDS)
                .join();
        scheduler.forEachLane(job).forEach(JobHandle::join);
        return 11 + scheduler.workers();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theFixedLoaderIsRestoredAfterAJobThatChangedIt(int workers) throws Exception {
        try (PinnedScheduler scheduler =
                builder(workers).contextClassLoader(fixed).build()) {
            int jobs = onEveryPath(scheduler, this::spoil) + onEveryPath(scheduler, this::look);
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            assertThat(seen).hasSize(jobs).containsOnly(fixed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theFixedLoaderIsRestoredAfterAJobThatChangedItAndThrew(int workers) throws Exception {
        try (PinnedScheduler scheduler = builder(workers)
                .contextClassLoader(fixed)
                .failureHandler((job, failure) -> {})
                .build()) {
            for (int i = 0; i < 10; i++) {
                scheduler.execute(() -> {
                    spoil();
                    throw new IllegalStateException();
                });
                assertThat(scheduler
                                .submit(() -> {
                                    spoil();
                                    throw new IllegalStateException();
                                })
                                .outcome())
                        .isInstanceOf(Outcome.Failed.class);
            }
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            assertThat(seen).hasSize(20).containsOnly(fixed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aJobThatRunsInsideAnotherSeesTheFixedLoaderAndLeavesTheOuterOnesAlone(int workers) throws Exception {
        try (PinnedScheduler scheduler =
                builder(workers).contextClassLoader(fixed).build()) {
            Thread.currentThread().setContextClassLoader(null);
            ClassLoader[] afterJoin = new ClassLoader[1];
            scheduler
                    .submit(() -> {
                        Thread.currentThread().setContextClassLoader(other);
                        scheduler.submit(this::spoil).join();
                        afterJoin[0] = Thread.currentThread().getContextClassLoader();
                    })
                    .join();
            scheduler.submit(this::look).join();
            assertThat(afterJoin[0]).as("the outer job's own").isSameAs(other);
            assertThat(seen).containsExactly(fixed, fixed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aBlockingSectionKeepsTheJobsLoaderAndTheSpareThreadHasTheFixedOne(int workers) throws Exception {
        try (PinnedScheduler scheduler =
                builder(workers).contextClassLoader(fixed).build()) {
            ClassLoader[] own = new ClassLoader[2];
            scheduler
                    .submit(() -> {
                        Thread.currentThread().setContextClassLoader(other);
                        own[0] = scheduler.blocking(() -> {
                            scheduler.forEachLane(this::look).forEach(JobHandle::join);
                            return Thread.currentThread().getContextClassLoader();
                        });
                        own[1] = Thread.currentThread().getContextClassLoader();
                        return 1;
                    })
                    .join();
            scheduler.forEachLane(this::look).forEach(JobHandle::join);
            assertThat(own).containsOnly(other);
            assertThat(seen).hasSize(2 * workers).containsOnly(fixed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void theSubmittersLoaderIsSeenByItsJobAlone(int workers) throws Exception {
        try (PinnedScheduler scheduler =
                builder(workers).contextClassLoaderOfSubmitter().build()) {
            for (ClassLoader mine : List.of(fixed, other, before)) {
                seen.clear();
                Thread.currentThread().setContextClassLoader(mine);
                int jobs = onEveryPath(scheduler, this::look);
                assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
                assertThat(seen).hasSize(jobs).containsOnly(mine);
            }
        }
    }

    @Test
    void theSubmittersLoaderIsGoneAfterAJobThatChangedIt() throws Exception {
        try (PinnedScheduler scheduler =
                builder(1).contextClassLoaderOfSubmitter().build()) {
            Thread.currentThread().setContextClassLoader(fixed);
            onEveryPath(scheduler, this::spoil);
            int jobs = onEveryPath(scheduler, this::look);
            assertThat(scheduler.awaitQuiescence(Duration.ofSeconds(60))).isTrue();
            assertThat(seen).hasSize(2 * jobs).containsOnly(fixed);
        }
    }

    @Test
    void byDefaultTheThreadsHaveTheBuildersLoader() throws Exception {
        Thread.currentThread().setContextClassLoader(fixed);
        try (PinnedScheduler scheduler = builder(2).build()) {
            Thread.currentThread().setContextClassLoader(other);
            int jobs = onEveryPath(scheduler, this::look);
            assertThat(seen).hasSize(jobs).containsOnly(fixed);
        }
    }

    @Test
    void aListenerThatTheClockCallsSeesTheSchedulersLoader() throws Exception {
        try (PinnedScheduler scheduler = builder(1).contextClassLoader(fixed).build()) {
            Thread.currentThread().setContextClassLoader(other); // whoever sets the first timer
            AtomicReference<Thread> thread = new AtomicReference<>();
            JobHandle<?> busy = scheduler.submit(() -> Stress.await(() -> thread.get() != null, scheduler::dump));
            JobHandle<Integer> late = scheduler.submitWithin(() -> 1, Duration.ofMillis(100));
            late.onComplete(outcome -> {
                look();
                thread.set(Thread.currentThread());
            });
            busy.join();
            assertThat(late.isCancelled()).isTrue();
            assertThat(seen).containsExactly(fixed);
        }
    }
}
