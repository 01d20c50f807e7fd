// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.affinity.Pinning;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class JobHandleTest {
    private final AtomicReference<Throwable> told = new AtomicReference<>();
    private final AtomicInteger tellings = new AtomicInteger();
    private final PinnedScheduler scheduler = PinnedScheduler.builder()
            .name("handles")
            .workers(1)
            .pinning(Pinning.OFF)
            .failureHandler((job, failure) -> {
                told.set(failure);
                tellings.incrementAndGet();
            })
            .build();

    @AfterEach
    void close() {
        scheduler.close();
    }

    @Test
    void aDoneJobGivesItsValueInEveryForm() throws Exception {
        JobHandle<String> handle = scheduler.submit(() -> "value");
        assertThat(handle.join()).isEqualTo("value");
        assertThat(handle.get()).isEqualTo("value");
        assertThat(handle.get(1, TimeUnit.SECONDS)).isEqualTo("value");
        assertThat(handle.resultNow()).isEqualTo("value");
        assertThat(handle.outcome()).isEqualTo(new Outcome.Done<>("value"));
        assertThat(handle.isDone()).isTrue();
        assertThat(handle.isCancelled()).isFalse();
        assertThat(handle.cancel(true)).isFalse();
        assertThatThrownBy(handle::exceptionNow)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("completed with a result");
    }

    @Test
    void aRunnableJobGivesNullOrTheResultThatCameWithIt() {
        assertThat(scheduler.submit(() -> {}).join()).isNull();
        assertThat(scheduler.submit(() -> {}, "result").join()).isEqualTo("result");
    }

    @Test
    void aRunnableThatIsAlsoACallableIsRunAsTheRunnable() {
        class Both implements Runnable, Callable<String> {
            boolean ran;

            @Override
            public void run() {
                ran = true;
            }

            @Override
            public String call() {
                throw new AssertionError("submitted as a Runnable");
            }
        }
        Both both = new Both();
        assertThat(scheduler.submit((Runnable) both).join()).isNull();
        assertThat(both.ran).isTrue();
    }

    @Test
    void aChainOfJobsThatFailForOneReasonHasItsMessageOnce() {
        JobHandle<String> innermost = scheduler.submit(() -> {
            throw new IOException("broken");
        });
        JobHandle<String> middle = scheduler.submit(() -> innermost.join());
        JobHandle<String> outermost = scheduler.submit(() -> middle.join());
        assertThatThrownBy(outermost::join)
                .isInstanceOf(JobFailedException.class)
                .hasMessage("java.io.IOException: broken")
                .hasRootCauseMessage("broken");
    }

    @Test
    void aFailedJobGivesItsThrowableInEveryForm() {
        IOException cause = new IOException("broken");
        JobHandle<String> handle = scheduler.submit(() -> {
            throw cause;
        });
        assertThat(handle.outcome()).isEqualTo(new Outcome.Failed<>(cause));
        assertThatThrownBy(handle::join).isInstanceOf(JobFailedException.class).hasCause(cause);
        assertThatThrownBy(handle::get).isInstanceOf(ExecutionException.class).hasCause(cause);
        assertThat(handle.exceptionNow()).isSameAs(cause);
        assertThatThrownBy(handle::resultNow)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("completed with an exception");
        assertThat(tellings).as("the handle tells, not the handler").hasValue(0);
    }

    @Test
    void aVirtualMachineErrorGoesToTheHandleAndToTheHandler() {
        JobHandle<String> handle = scheduler.submit(() -> {
            throw new StackOverflowError();
        });
        assertThat(handle.outcome()).isInstanceOf(Outcome.Failed.class);
        scheduler.submit(() -> {}).join(); // the worker lives on, and has told by now
        assertThat(told.get()).isInstanceOf(StackOverflowError.class);
        assertThat(tellings).hasValue(1);
    }

    @Test
    void whatAnExecutedJobThrowsGoesToTheHandlerOnce() {
        scheduler.execute(() -> {
            throw new IllegalStateException("from execute");
        });
        scheduler.submit(() -> {}).join();
        assertThat(told.get()).hasMessage("from execute");
        assertThat(tellings).hasValue(1);
        assertThat(scheduler.stats().jobsFailed()).isEqualTo(1);
    }

    @Test
    void aJobThatIsCancelledBeforeItStartsNeverRuns() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        scheduler.execute(() -> Latches.uninterruptibly(gate));
        AtomicBoolean ran = new AtomicBoolean();
        JobHandle<?> handle = scheduler.submit(() -> ran.set(true));
        assertThat(handle.isDone()).isFalse();
        assertThatThrownBy(handle::resultNow).hasMessageContaining("has not ended");
        assertThatThrownBy(() -> handle.get(1, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(handle.cancel(false)).isTrue();
        assertThat(handle.cancel(false)).isFalse();
        assertThat(handle.isCancelled()).isTrue();
        assertThat(handle.isDone()).isTrue();
        assertThat(handle.outcome()).isEqualTo(new Outcome.Cancelled<>());
        assertThatThrownBy(handle::join).isInstanceOf(CancellationException.class);
        assertThatThrownBy(handle::get).isInstanceOf(CancellationException.class);
        gate.countDown();
        scheduler.submit(() -> {}).join();
        assertThat(ran).isFalse();
        assertThat(scheduler.stats().jobsCancelled()).isEqualTo(1);
    }

    @Test
    void cancelTrueInterruptsTheRunningJobAndNoOther() throws Exception {
        for (int round = 0; round < Stress.scaled(2_000); round++) {
            CountDownLatch running = new CountDownLatch(1);
            JobHandle<?> victim = scheduler.submit(() -> {
                running.countDown();
                while (!Thread.currentThread().isInterrupted()) {
                    Thread.onSpinWait();
                }
            });
            JobHandle<Boolean> next =
                    scheduler.submit(() -> Thread.currentThread().isInterrupted());
            running.await();
            assertThat(victim.cancel(true)).isTrue();
            assertThat(next.join()).isFalse();
        }
    }

    @Test
    @Timeout(1200) // for the long form
    void cancelRacingWithCompletionNeverInterruptsALaterJob() throws Exception {
        int rounds = Stress.scaled(100_000);
        AtomicInteger seen = new AtomicInteger();
        AtomicReference<JobHandle<?>> current = new AtomicReference<>(scheduler.submit(() -> {}));
        AtomicBoolean stop = new AtomicBoolean();
        Stress.Threads threads = new Stress.Threads();
        threads.start("canceller", () -> {
            while (!stop.get()) {
                current.get().cancel(true);
            }
        });
        threads.start("submitter", () -> {
            try {
                for (int i = 0; i < rounds; i++) {
                    JobHandle<?> victim = scheduler.submit(() -> {});
                    current.set(victim);
                    JobHandle<?> later = scheduler.submit(() -> {
                        if (Thread.currentThread().isInterrupted()) {
                            seen.incrementAndGet();
                        }
                    });
                    victim.outcome();
                    later.join();
                }
            } finally {
                stop.set(true);
            }
        });
        threads.join(() -> "");
        assertThat(seen).hasValue(0);
        SchedulerStats stats = scheduler.stats();
        assertThat(stats.jobsRun() + stats.jobsFailed() + stats.jobsCancelled()).isEqualTo(stats.jobsSubmitted());
    }

    @Test
    void anInterruptThatAJobSetsItselfDoesNotLeak() {
        scheduler.execute(() -> Thread.currentThread().interrupt());
        assertThat(scheduler
                        .submit(() -> Thread.currentThread().isInterrupted())
                        .join())
                .isFalse();
        scheduler.submit(() -> Thread.currentThread().interrupt()).join();
        assertThat(scheduler
                        .submit(() -> Thread.currentThread().isInterrupted())
                        .join())
                .isFalse();
    }

    @Test
    void aJoinOnTheOnlyWorkerRunsTheUnstartedJobItself() {
        JobHandle<String> outer = scheduler.submit(() -> {
            JobHandle<String> inner =
                    scheduler.submit(() -> Thread.currentThread().getName());
            return inner.join();
        });
        assertThat(outer.join()).isEqualTo("handles-worker-0");
    }

    @Test
    void aChainOfJoinsOnTheOnlyWorkerDoesNotDeadlock() {
        assertThat(scheduler.submit(() -> sum(200)).join()).isEqualTo(200 * 201 / 2);
    }

    private int sum(int n) {
        return n == 0 ? 0 : n + scheduler.submit(() -> sum(n - 1)).join();
    }

    @Test
    void anInterruptOfTheJoiningJobDoesNotReachTheJobItRunsInside() throws Exception {
        for (int round = 0; round < Stress.scaled(500); round++) {
            CountDownLatch innerRuns = new CountDownLatch(1);
            AtomicBoolean innerSaw = new AtomicBoolean();
            AtomicBoolean outerSaw = new AtomicBoolean();
            CountDownLatch outerEnded = new CountDownLatch(1);
            AtomicBoolean cancelled = new AtomicBoolean();
            JobHandle<?> outer = scheduler.submit(() -> {
                scheduler
                        .submit(() -> {
                            innerRuns.countDown();
                            Stress.await(cancelled::get, () -> "not cancelled");
                            innerSaw.set(Thread.currentThread().isInterrupted());
                        })
                        .join();
                outerSaw.set(Thread.currentThread().isInterrupted());
                outerEnded.countDown();
            });
            innerRuns.await();
            assertThat(outer.cancel(true)).isTrue();
            cancelled.set(true);
            outerEnded.await();
            assertThat(innerSaw).isFalse();
            assertThat(outerSaw).isTrue();
        }
    }

    @Test
    void getIsInterruptibleAndJoinKeepsTheFlag() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        JobHandle<?> handle = scheduler.submit(() -> Latches.uninterruptibly(gate));
        Thread.currentThread().interrupt();
        assertThatThrownBy(handle::get).isInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();

        Thread.currentThread().interrupt();
        new Thread(gate::countDown).start();
        handle.join();
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void manyWaitersAreAllWoken() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        JobHandle<String> handle = scheduler.submit(() -> {
            Latches.uninterruptibly(gate);
            return "x";
        });
        CountDownLatch timedOut = new CountDownLatch(8);
        Stress.Threads threads = new Stress.Threads();
        for (int i = 0; i < 16; i++) {
            int waiter = i;
            threads.start("waiter-" + i, () -> {
                if (waiter % 2 == 0) {
                    assertThatThrownBy(() -> handle.get(1, TimeUnit.MILLISECONDS))
                            .isInstanceOf(TimeoutException.class);
                    timedOut.countDown();
                }
                assertThat(handle.join()).isEqualTo("x");
            });
        }
        timedOut.await();
        gate.countDown();
        threads.join(() -> handle.toString());
    }

    @Test
    void invokeAllAndInvokeAnyWorkFromOutsideAndFromAJob() throws Exception {
        List<Callable<Integer>> jobs = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            int value = i;
            jobs.add(() -> value);
        }
        assertThat(scheduler.invokeAll(jobs))
                .extracting(future -> future.get())
                .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
        assertThat(scheduler.invokeAny(jobs)).isBetween(0, 9);
        assertThat(scheduler.submit(() -> scheduler.invokeAll(jobs).size()).join())
                .isEqualTo(10);
    }
}
