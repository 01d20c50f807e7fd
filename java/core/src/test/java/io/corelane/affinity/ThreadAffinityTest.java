// SPDX-License-Identifier: Apache-2.0
package io.corelane.affinity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class ThreadAffinityTest {
    @Test
    void pinMovesTheThreadAndClosingRestoresItsMask() throws Exception {
        onNewThread(() -> {
            CpuSet before = ThreadAffinity.get();
            for (int cpu : before.toArray()) {
                try (ThreadAffinity.Pin pin = ThreadAffinity.pin(cpu)) {
                    assertThat(pin.cpu()).isEqualTo(cpu);
                    assertThat(ThreadAffinity.get()).isEqualTo(CpuSet.of(cpu));
                    assertThat(ThreadAffinity.currentCpu()).isEqualTo(cpu);
                }
                assertThat(ThreadAffinity.get()).isEqualTo(before);
            }
            return null;
        });
    }

    @Test
    void closingAPinTwiceRestoresOnce() throws Exception {
        onNewThread(() -> {
            CpuSet before = ThreadAffinity.get();
            ThreadAffinity.Pin pin = ThreadAffinity.pin(before.last());
            pin.close();
            ThreadAffinity.set(CpuSet.of(before.first()));
            pin.close();
            assertThat(ThreadAffinity.get()).isEqualTo(CpuSet.of(before.first()));
            return null;
        });
    }

    @Test
    void onlyThePinnedThreadMayCloseItsPin() throws Exception {
        ThreadAffinity.Pin pin =
                onNewThread(() -> ThreadAffinity.pin(ThreadAffinity.get().first()));
        assertThatThrownBy(pin::close)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("expected the pinned thread itself");
    }

    @Test
    void anotherThreadsMaskIsReadAndSetByItsTid() throws Exception {
        int[] tid = new int[1];
        FutureTask<CpuSet> readLater = new FutureTask<>(ThreadAffinity::get);
        Thread other = new Thread(() -> {
            synchronized (tid) {
                tid[0] = ThreadAffinity.threadId();
                tid.notifyAll();
                while (tid[0] > 0) {
                    waitOn(tid);
                }
            }
            readLater.run();
        });
        other.start();
        synchronized (tid) {
            while (tid[0] == 0) {
                waitOn(tid);
            }
            CpuSet one = CpuSet.of(ThreadAffinity.get(tid[0]).last());
            ThreadAffinity.set(tid[0], one);
            assertThat(ThreadAffinity.get(tid[0])).isEqualTo(one);
            tid[0] = -1;
            tid.notifyAll();
        }
        other.join();
        assertThat(readLater.get().size()).isEqualTo(1);
    }

    @SuppressWarnings("WaitNotInLoop") // its callers loop
    private static void waitOn(Object monitor) {
        try {
            monitor.wait(10_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aRefusedPinNamesTheCpuAndWhy() throws Exception {
        onNewThread(() -> {
            CpuSet before = ThreadAffinity.get();
            assertThatThrownBy(() -> ThreadAffinity.pin(8191))
                    .isInstanceOfSatisfying(
                            AffinityException.class, e -> assertThat(e.errno()).isEqualTo(AffinityException.EINVAL))
                    .hasMessageContaining("set affinity of this thread to CPUs 8191 refused: EINVAL")
                    .hasMessageContaining("CPU 8191 absent on this machine");
            assertThat(ThreadAffinity.get()).isEqualTo(before);
            return null;
        });
    }

    @Test
    void aSetThatTheKernelWouldCutIsRefusedAndTheEarlierMaskIsInForceAgain() throws Exception {
        onNewThread(() -> {
            CpuSet before = ThreadAffinity.get();
            CpuSet wanted = CpuSet.of(before.first(), 8191);
            assertThatThrownBy(() -> ThreadAffinity.set(wanted))
                    .isInstanceOf(AffinityException.class)
                    .hasMessageContaining("the kernel gave only " + before.first())
                    .hasMessageContaining("CPU 8191 absent");
            assertThat(ThreadAffinity.get()).isEqualTo(before);
            return null;
        });
    }

    @Test
    void aThreadThatDoesNotExistGivesEsrch() {
        assertThatThrownBy(() -> ThreadAffinity.get(Integer.MAX_VALUE))
                .isInstanceOfSatisfying(
                        AffinityException.class, e -> assertThat(e.errno()).isEqualTo(AffinityException.ESRCH));
    }

    @Test
    void theEmptySetIsRefused() {
        assertThatThrownBy(() -> ThreadAffinity.set(CpuSet.empty())).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theKernelNameIsSetAndALongerOneRefused() throws Exception {
        onNewThread(() -> {
            ThreadAffinity.setKernelThreadName("fifteen-bytes-x");
            Path comm = Path.of("/proc/self/task/" + ThreadAffinity.threadId() + "/comm");
            assertThat(Files.readString(comm)).isEqualTo("fifteen-bytes-x\n");
            assertThatThrownBy(() -> ThreadAffinity.setKernelThreadName("sixteen-bytes-xx"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("sixteen-bytes-xx");
            return null;
        });
    }

    @Test
    void theCurrentNodeIsOneOfTheKernels() {
        assertThat(ThreadAffinity.currentNode()).isNotNegative();
    }

    private static <T> T onNewThread(Callable<T> body) throws Exception {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task);
        thread.start();
        try {
            return task.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Error error) {
                throw error;
            }
            throw e;
        }
    }
}
