// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.Stress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class RoomGateTest {
    private final RoomGate gate = new RoomGate();
    private final AtomicInteger room = new AtomicInteger();
    private final AtomicInteger attempts = new AtomicInteger();
    private final List<String> served = new CopyOnWriteArrayList<>();
    private final Stress.Threads threads = new Stress.Threads();

    @Test
    void theFirstIsServedFirstThoughItNeedsMorePlacesThanTheNext() throws Exception {
        startWaiter("batch", 3);
        startWaiter("single", 1);
        for (int i = 0; i < 4; i++) {
            int before = attempts.get();
            room.incrementAndGet();
            gate.roomMade();
            Stress.await(() -> attempts.get() > before, () -> served + ", room " + room);
        }
        threads.join(() -> served + ", room " + room);
        assertThat(served).containsExactly("batch", "single");
    }

    @Test
    void whoGivesUpLeavesItsPlaceToTheNext() throws Exception {
        Thread first = startWaiter("first", 3);
        startWaiter("second", 1);
        room.incrementAndGet();
        gate.roomMade();
        first.interrupt();
        Stress.await(() -> served.size() == 2, served::toString);
        assertThat(served).containsExactlyInAnyOrder("first gave up", "second");
        assertThat(gate.isCrowded()).isFalse();
    }

    @Test
    void anOpenGateSendsEveryoneAway() throws Exception {
        startWaiter("first", 1);
        startWaiter("second", 1);
        gate.open();
        Stress.await(() -> served.size() == 2, served::toString);
        assertThat(served).containsExactlyInAnyOrder("first sent away", "second sent away");
        assertThat(gate.await(() -> false, TimeUnit.HOURS.toNanos(1))).isFalse();
    }

    @Test
    void aWaitEndsWithItsTime() throws Exception {
        assertThat(gate.await(() -> false, 1)).isFalse();
        assertThat(gate.isCrowded()).isFalse();
    }

    private Thread startWaiter(String name, int places) {
        Thread thread = threads.start(name, () -> {
            try {
                served.add(gate.await(() -> take(places), Long.MAX_VALUE) ? name : name + " sent away");
            } catch (InterruptedException e) {
                served.add(name + " gave up");
            }
        });
        Stress.await(() -> thread.getState() == Thread.State.WAITING, () -> name);
        return thread;
    }

    private boolean take(int places) {
        int free = room.get();
        attempts.incrementAndGet();
        return free >= places && room.compareAndSet(free, free - places);
    }
}
