// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.AffinityException;
import io.corelane.affinity.CpuSet;
import io.corelane.affinity.Pinning;
import io.corelane.affinity.ThreadAffinity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PinnedSchedulerTest {
    private static final CpuSet ALLOWED = ThreadAffinity.get();

    @Test
    void byDefaultEachAllowedCpuHasOneWorkerThatRunsThere() throws Exception {
        try (PinnedScheduler scheduler = PinnedScheduler.create()) {
            assertThat(scheduler.workers()).isEqualTo(ALLOWED.size());
            assertThat(scheduler.cpus()).isEqualTo(ALLOWED);
            CyclicBarrier all = new CyclicBarrier(ALLOWED.size()); // so that each worker takes one job
            List<JobHandle<CpuSet>> masks = new ArrayList<>();
            for (int i = 0; i < ALLOWED.size(); i++) {
                masks.add(scheduler.submit(() -> {
                    all.await();
                    assertThat(ThreadAffinity.get()).isEqualTo(CpuSet.of(ThreadAffinity.currentCpu()));
                    return ThreadAffinity.get();
                }));
            }
            CpuSet used = CpuSet.empty();
            for (JobHandle<CpuSet> mask : masks) {
                used = used.union(mask.join());
            }
            assertThat(used).isEqualTo(ALLOWED);
            for (WorkerStats worker : scheduler.stats().workers()) {
                assertThat(worker.cpu()).isEqualTo(worker.cpuAsked());
            }
        }
    }

    @Test
    void kernelThreadNamesAreShortAndTellWorkerAndCpu() throws Exception {
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("a-rather-long-scheduler-name")
                .workers(1)
                .build()) {
            String name = scheduler
                    .submit(() -> Files.readString(Path.of("/proc/self/task/" + ThreadAffinity.threadId() + "/comm")))
                    .join();
            assertThat(name).isEqualTo("a-rather-lo-0@" + ALLOWED.first() + "\n");
        }
    }

    @Test
    void theMaskOfTheThreadThatBuildsUsesAndClosesStaysAsItWas() {
        CpuSet before = ThreadAffinity.get();
        try (PinnedScheduler scheduler = PinnedScheduler.create()) {
            scheduler.submit(() -> {}).join();
            assertThat(ThreadAffinity.get()).isEqualTo(before);
        }
        assertThat(ThreadAffinity.get()).isEqualTo(before);
    }

    @Test
    void aPoolBuiltByAPinnedThreadUsesTheProcessesCpus() throws Exception {
        AtomicReference<CpuSet> cpus = new AtomicReference<>();
        Stress.Threads threads = new Stress.Threads();
        threads.start("pinned", () -> {
            try (ThreadAffinity.Pin pin = ThreadAffinity.pin(ALLOWED.last());
                    PinnedScheduler scheduler = PinnedScheduler.create()) {
                assertThat(pin.cpu()).isEqualTo(ALLOWED.last());
                cpus.set(scheduler.cpus());
            }
        });
        threads.join(() -> "");
        assertThat(cpus.get()).isEqualTo(ALLOWED);
    }

    @Test
    void moreWorkersThanCpusAreRefusedUnlessTheyMayShare() {
        int many = ALLOWED.size() + 1;
        assertThatThrownBy(() -> PinnedScheduler.builder().workers(many).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("workers=" + many)
                .hasMessageContaining("expected 1.." + ALLOWED.size() + ", CPUs " + ALLOWED);
        try (PinnedScheduler scheduler =
                PinnedScheduler.builder().workers(many).sharing(true).build()) {
            assertThat(scheduler.stats().workers()).extracting(WorkerStats::cpu).doesNotContain(-1);
        }
    }

    @Test
    void aRequiredPinThatIsRefusedLeavesNoThreadBehind() {
        CpuSet withAbsent = CpuSet.of(ALLOWED.first(), 8191);
        assertThatThrownBy(() -> PinnedScheduler.builder()
                        .name("refused")
                        .cpus(withAbsent)
                        .build())
                .isInstanceOf(AffinityException.class)
                .hasMessageContaining("CPU 8191 absent");
        assertThat(threadsNamed("refused")).isEmpty();
    }

    @Test
    void aPreferredPinThatIsRefusedRunsUnpinnedAndSaysSo() {
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("preferring")
                .cpus(CpuSet.of(8191))
                .pinning(Pinning.PREFERRED)
                .build()) {
            assertThat(RecordedLog.linesWith("scheduler preferring"))
                    .singleElement()
                    .asString()
                    .startsWith("WARNING scheduler preferring runs unpinned: ")
                    .contains("CPU 8191 absent");
            assertThat(scheduler.submit(() -> ThreadAffinity.get()).join()).isEqualTo(ALLOWED);
            SchedulerStats stats = scheduler.stats();
            assertThat(stats.note()).contains("CPU 8191 absent");
            assertThat(stats.workers().get(0).cpuAsked()).isEqualTo(8191);
            assertThat(stats.workers().get(0).cpu()).isEqualTo(-1);
        }
    }

    @Test
    void builderRefusesNonsense() {
        PinnedScheduler.Builder builder = PinnedScheduler.builder();
        assertThatThrownBy(() -> builder.workers(0)).hasMessageContaining("workers=0 (expected 1..");
        assertThatThrownBy(() -> builder.cpus(CpuSet.empty())).hasMessageContaining("cpus is empty");
        assertThatThrownBy(() -> builder.name("")).hasMessageContaining("name is empty");
        assertThatThrownBy(() -> PinnedScheduler.builder()
                        .cpus(ALLOWED)
                        .pinning(Pinning.OFF)
                        .build())
                .hasMessageContaining("cpus=" + ALLOWED + " with Pinning.OFF");
        assertThatThrownBy(() -> IdlePolicy.spinThenPark(Duration.ofNanos(-1))).hasMessageContaining("spin=");
    }

    @Test
    void aSpinLongerThanNanosecondsCountIsForEver() {
        Duration longest = Duration.ofNanos(Long.MAX_VALUE);
        assertThat(IdlePolicy.spinThenPark(longest)).isSameAs(IdlePolicy.busySpin());
        assertThat(IdlePolicy.spinThenPark(Duration.ofSeconds(Long.MAX_VALUE))).isSameAs(IdlePolicy.busySpin());
        assertThat(IdlePolicy.spinThenPark(longest.minusNanos(1)).spinNanos()).isEqualTo(Long.MAX_VALUE - 1);
    }

    @Test
    void nullJobsAreRefused() {
        try (PinnedScheduler scheduler = unpinned(1)) {
            assertThatThrownBy(() -> scheduler.execute(null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> scheduler.submit((Runnable) null)).isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> scheduler.submit((java.util.concurrent.Callable<Object>) null))
                    .isInstanceOf(NullPointerException.class);
        }
    }

    @Test
    void aHandlerThatThrowsChangesNothing() {
        try (PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("throwing")
                .workers(1)
                .pinning(Pinning.OFF)
                .failureHandler((job, failure) -> {
                    throw new IllegalStateException("from the handler");
                })
                .build()) {
            scheduler.execute(() -> {
                throw new IllegalStateException("from the job");
            });
            assertThat(scheduler.submit(() -> "alive").join()).isEqualTo("alive");
            assertThat(RecordedLog.linesWith("the failure handler of scheduler throwing threw"))
                    .singleElement()
                    .asString()
                    .contains("from the handler");
            assertThat(scheduler.stats().workers().get(0).threadsReplaced()).isZero();
        }
    }

    @Test
    void theDefaultHandlerIsTheThreadsUncaughtExceptionHandler() throws Exception {
        CountDownLatch told = new CountDownLatch(1);
        try (PinnedScheduler scheduler = unpinned(1)) {
            scheduler.execute(() -> {
                Thread.currentThread().setUncaughtExceptionHandler((thread, failure) -> told.countDown());
                throw new IllegalStateException("expected by this test");
            });
            assertThat(told.await(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void afterShutdownAcceptedJobsRunAndNewOnesAreRejected() throws Exception {
        PinnedScheduler scheduler = unpinned(1);
        CountDownLatch gate = new CountDownLatch(1);
        JobHandle<String> fromInside = scheduler.submit(() -> {
            gate.await();
            try {
                scheduler.execute(() -> {});
                return "accepted";
            } catch (RejectedExecutionException e) {
                return e.getMessage();
            }
        });
        JobHandle<String> queued = scheduler.submit(() -> "ran");
        scheduler.shutdown();
        scheduler.shutdown();
        assertThat(scheduler.isShutdown()).isTrue();
        assertThat(scheduler.isTerminated()).isFalse();
        assertThatThrownBy(() -> scheduler.execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessageContaining("is shut down");
        assertThat(scheduler.awaitTermination(1, TimeUnit.MILLISECONDS)).isFalse();
        gate.countDown();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(scheduler.isTerminated()).isTrue();
        assertThat(queued.join()).isEqualTo("ran");
        assertThat(fromInside.join()).isEqualTo("accepted");
        assertThat(scheduler.stats().jobsRejected()).isEqualTo(1);
        assertThatThrownBy(() -> scheduler.execute(() -> {})).hasMessageContaining("has terminated");
    }

    @Test
    void aJobThatWasRejectedIsNotCountedAsCancelled() throws Exception {
        PinnedScheduler scheduler = unpinned(1);
        scheduler.shutdown();
        assertThatThrownBy(() -> scheduler.invokeAll(List.of(() -> 1, () -> 2)))
                .isInstanceOf(RejectedExecutionException.class);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsSubmitted()).isZero();
        assertThat(stats.jobsCancelled()).isZero();
        assertThat(stats.jobsRejected()).isEqualTo(1);
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shutdownNowHandsBackWhatNeverRanAndInterruptsWhatRuns() throws Exception {
        PinnedScheduler scheduler = unpinned(1);
        CountDownLatch running = new CountDownLatch(1);
        JobHandle<String> interrupted = scheduler.submit(() -> {
            scheduler.submit(() -> "in the deque");
            running.countDown();
            try {
                Thread.sleep(60_000);
                return "slept";
            } catch (InterruptedException e) {
                return "interrupted";
            }
        });
        running.await();
        Runnable plain = () -> {};
        scheduler.execute(plain);
        JobHandle<String> handle = scheduler.submit(() -> "in the injector");
        JobHandle<String> cancelled = scheduler.submit(() -> "cancelled before");
        cancelled.cancel(false);
        List<Runnable> unstarted = scheduler.shutdownNow();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(unstarted).hasSize(3).contains(plain, (Runnable) handle);
        assertThat(handle.isCancelled()).isTrue();
        assertThat(interrupted.join()).isEqualTo("interrupted");
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsHandedBack()).isEqualTo(3);
        assertThat(stats.jobsSubmitted())
                .isEqualTo(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled() + stats.jobsHandedBack());
        assertThat(scheduler.shutdownNow()).isEmpty();
    }

    @Test
    void closeFromAJobShutsDownWithoutWaitingForItself() throws Exception {
        PinnedScheduler scheduler = unpinned(1);
        JobHandle<Boolean> handle = scheduler.submit(() -> {
            scheduler.close();
            return scheduler.awaitTermination(1, TimeUnit.DAYS);
        });
        assertThat(handle.join()).isFalse();
        assertThat(scheduler.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void closeThatIsInterruptedStopsAtOnceAndKeepsTheFlag() throws Exception {
        PinnedScheduler scheduler = unpinned(1);
        CountDownLatch running = new CountDownLatch(1);
        scheduler.submit(() -> {
            running.countDown();
            Thread.sleep(60_000);
            return null;
        });
        running.await();
        Thread.currentThread().interrupt();
        scheduler.close();
        assertThat(Thread.interrupted()).isTrue();
        assertThat(scheduler.isTerminated()).isTrue();
    }

    @Test
    void aWorkerThatFeedsItselfStillTakesJobsFromOutside() throws Exception {
        for (LocalOrder order : LocalOrder.values()) {
            try (PinnedScheduler scheduler = PinnedScheduler.builder()
                    .workers(1)
                    .pinning(Pinning.OFF)
                    .localOrder(order)
                    .build()) {
                AtomicReference<Boolean> stop = new AtomicReference<>(false);
                class Feeding implements Runnable {
                    @Override
                    public void run() {
                        if (!stop.get()) {
                            scheduler.execute(this);
                        }
                    }
                }
                scheduler.execute(new Feeding());
                scheduler.execute(new Feeding());
                for (int i = 0; i < 100; i++) {
                    scheduler.submit(() -> {}).get(30, TimeUnit.SECONDS);
                }
                stop.set(true);
            }
        }
    }

    @Test
    void itServesAsTheExecutorOfFuturesAndCompletionServices() throws Exception {
        try (PinnedScheduler scheduler = unpinned(2)) {
            assertThat(CompletableFuture.supplyAsync(() -> 20, scheduler)
                            .thenApplyAsync(x -> x + 1, scheduler)
                            .thenCombineAsync(
                                    CompletableFuture.supplyAsync(() -> 21, scheduler), Integer::sum, scheduler)
                            .get())
                    .isEqualTo(42);
            ExecutorCompletionService<Integer> service = new ExecutorCompletionService<>(scheduler);
            Set<Integer> results = ConcurrentHashMap.newKeySet();
            for (int i = 0; i < 50; i++) {
                int value = i;
                service.submit(() -> value);
            }
            for (int i = 0; i < 50; i++) {
                results.add(service.take().get());
            }
            assertThat(results).hasSize(50);
        }
    }

    @Test
    void toStringTellsTheState() {
        PinnedScheduler scheduler = PinnedScheduler.builder()
                .name("named")
                .workers(1)
                .pinning(Pinning.OFF)
                .build();
        assertThat(scheduler.toString()).contains("named", "1 workers", "running");
        scheduler.close();
        assertThat(scheduler.toString()).contains("terminated");
    }

    static PinnedScheduler unpinned(int workers) {
        return PinnedScheduler.builder().workers(workers).pinning(Pinning.OFF).build();
    }

    static List<String> threadsNamed(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith(prefix))
                .toList();
    }
}
