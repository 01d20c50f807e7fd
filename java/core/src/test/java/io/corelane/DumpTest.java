// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DumpTest {
    private final CountDownLatch end = new CountDownLatch(1);

    @AfterEach
    void end() {
        end.countDown();
    }

    private void aMethodThatRuns(CountDownLatch begun) {
        begun.countDown();
        Latches.uninterruptibly(end);
    }

    private static PinnedScheduler.Builder named(String name, int workers) {
        return PinnedScheduler.builder().name(name).workers(workers).pinning(Pinning.OFF);
    }

    @Test
    void anIdleSchedulerSaysSo() throws Exception {
        PinnedScheduler scheduler = named("idle", 2).build();
        assertThat(scheduler.awaitQuiescence(Duration.ofMinutes(1))).isTrue();
        Stress.await(() -> scheduler.dump().split("parked", -1).length == 3, scheduler::dump);
        String dump = scheduler.dump();
        assertThat(dump).startsWith("scheduler idle: running, injector 0, timers 0, threads away from their workers 0");
        assertThat(dump.lines()).hasSize(3);
        assertThat(dump).contains("idle-worker-0", "idle-worker-1");
        scheduler.close();
        assertThat(scheduler.dump()).contains("idle: terminated").contains("no thread");
    }

    @Test
    void itTellsWhatRunsOnWhichCpuAndWhatWaitsWhere() throws Exception {
        int cpu = ThreadAffinity.get().last();
        CountDownLatch begun = new CountDownLatch(1);
        PinnedScheduler scheduler =
                PinnedScheduler.builder().name("busy").cpus(CpuSet.of(cpu)).build();
        scheduler.execute(() -> {
            scheduler.execute(() -> {});
            scheduler.execute(() -> {});
            aMethodThatRuns(begun);
        });
        begun.await();
        for (int i = 0; i < 3; i++) {
            scheduler.execute(() -> {});
            scheduler.schedule(() -> {}, 1, TimeUnit.HOURS);
            scheduler.lane(0).execute(() -> {});
        }
        scheduler.lane(0).execute(() -> {});
        String dump = scheduler.dump();
        assertThat(dump).contains("scheduler busy: running, injector 3, timers 3,");
        assertThat(dump)
                .containsPattern("worker 0: CPU asked " + cpu + ", got " + cpu + ", busy for \\d+ ms.*deque 2, lane 4,")
                .contains("busy-worker-0")
                .contains("DumpTest.aMethodThatRuns");
        scheduler.shutdown();
        assertThat(scheduler.dump()).contains("busy: shut down");
        assertThat(scheduler.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        assertThat(scheduler.dump()).contains("DumpTest.aMethodThatRuns");
        scheduler.shutdownNow();
        assertThat(scheduler.dump()).contains("busy: stopping").contains("DumpTest.aMethodThatRuns");
        end.countDown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void itShowsTheFirstJobOfAWorkerThatWasNeverIdle() throws Exception {
        for (int round = 0; round < Stress.scaled(200); round++) {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch done = new CountDownLatch(1);
            try (PinnedScheduler scheduler = named("fresh", 1).build()) {
                scheduler.execute(() -> {
                    begun.countDown();
                    Latches.uninterruptibly(done);
                });
                begun.await();
                String dump = scheduler.dump();
                done.countDown(); // before what may fail: close waits for the job
                assertThat(dump).contains("busy for").contains("DumpTest");
            }
        }
    }

    @Test
    void itNamesThreadsInBlockingSectionsAndWhatTheyWaitIn() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        try (PinnedScheduler scheduler = named("away", 1).build()) {
            scheduler.execute(() -> {
                try {
                    scheduler.blocking(() -> {
                        aMethodThatRuns(begun);
                        return null;
                    });
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
            begun.await();
            String dump = scheduler.dump();
            end.countDown();
            assertThat(dump).contains("threads away from their workers 1");
            assertThat(dump.substring(dump.indexOf("  away: ")))
                    .contains("away")
                    .contains("DumpTest.aMethodThatRuns");
        }
    }

    @Test
    void itNamesAJobThatWaitsForAnother() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        try (PinnedScheduler scheduler = named("join", 2).build()) {
            JobHandle<?> awaited = scheduler.lane(0).submit(() -> aMethodThatRuns(begun));
            begun.await();
            scheduler.lane(1).execute(awaited::join);
            try {
                Stress.await(() -> scheduler.dump().contains("SubmittedJob.join"), scheduler::dump);
            } finally {
                end.countDown();
            }
        }
    }

    /** Taken all the time while jobs come and go, it never throws and always names every worker. */
    @Test
    void itMayBeTakenAtAnyTime() throws Exception {
        try (PinnedScheduler scheduler = named("any", 2).build()) {
            Stress.Threads threads = new Stress.Threads();
            threads.start("user", () -> {
                for (int i = 0; i < Stress.scaled(2_000); i++) {
                    JobHandle<?> handle = scheduler.submit(() -> scheduler.blocking(() ->
                            scheduler.schedule(() -> {}, 0, TimeUnit.SECONDS).get()));
                    handle.join();
                }
            });
            threads.start("looker", () -> {
                for (int i = 0; i < Stress.scaled(300); i++) {
                    assertThat(scheduler.dump()).contains("worker 0", "worker 1");
                }
            });
            threads.join(scheduler::dump);
        }
    }
}
