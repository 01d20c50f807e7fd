// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.Stress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class RoomGateTest {
    private static final long FOR_EVER = Long.MAX_VALUE;

    private final RoomGate gate = new RoomGate();
    /** Places that are free, and what an offer takes one of. */
    private final AtomicInteger room = new AtomicInteger();

    private final List<String> entered = Collections.synchronizedList(new ArrayList<>());
    private final Stress.Threads threads = new Stress.Threads();

    private boolean enter(int places) {
        int free = room.get();
        while (free >= places) {
            if (room.compareAndSet(free, free - places)) {
                return true;
            }
            free = room.get();
        }
        return false;
    }

    private void free(int places) {
        for (int i = 0; i < places; i++) {
            room.incrementAndGet();
            gate.roomMade();
        }
    }

    /** Starts a thread and waits until it waits at the gate. */
    private Thread waiter(String name, int places, long nanos) {
        Thread thread = threads.start(name, () -> {
            try {
                if (gate.await(() -> enter(places), nanos)) {
                    entered.add(name);
                }
            } catch (InterruptedException e) {
                assertThat(entered).doesNotContain(name);
            }
        });
        awaitWaiting(thread);
        return thread;
    }

    private static void awaitWaiting(Thread thread) {
        Stress.await(
                () -> thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.TIMED_WAITING,
                () -> thread.getName() + " " + thread.getState());
    }

    private void awaitEntered(int count) {
        Stress.await(() -> entered.size() == count, entered::toString);
    }

    @Test
    void nobodyWaitsWhereThereIsRoom() throws Exception {
        room.set(1);
        assertThat(gate.await(() -> enter(1), FOR_EVER)).isTrue();
        assertThat(gate.isCrowded()).isFalse();
    }

    @Test
    void aWaitWithoutTimeTriesOnce() throws Exception {
        assertThat(gate.await(() -> enter(1), 0)).isFalse();
        room.set(1);
        assertThat(gate.await(() -> enter(1), 0)).isTrue();
        assertThat(gate.isCrowded()).isFalse();
    }

    @Test
    void waitersComeInInTheOrderOfTheirArrivalHoweverOftenTheyWereWoken() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            expected.add("waiter-" + i);
            waiter("waiter-" + i, 1, FOR_EVER);
        }
        for (int i = 1; i <= 8; i++) {
            gate.roomMade(); // in vain
            free(1);
            awaitEntered(i);
        }
        threads.join(entered::toString);
        assertThat(entered).isEqualTo(expected);
    }

    /** The first is interrupted while a place is made: the place is its own, or the second one's. */
    @Test
    void whoGivesUpPassesItsSignalOn() throws Exception {
        for (int round = 0; round < Stress.scaled(2_000); round++) {
            Thread first = waiter("first", 1, FOR_EVER);
            Thread second = waiter("second", 1, FOR_EVER);
            Stress.Threads race = new Stress.Threads();
            race.start("interrupter", first::interrupt);
            race.start("worker", () -> free(1));
            race.join(entered::toString);
            Stress.await(() -> !first.isAlive(), () -> "the first waits on");
            if (entered.remove("first")) {
                free(1);
            }
            Stress.await(() -> !second.isAlive(), () -> "the place was forgotten, room " + room);
            assertThat(entered).containsExactly("second");
            entered.clear();
        }
    }

    @Test
    void theFirstMayWaitForSeveralPlacesAndTheOthersWaitBehindIt() throws Exception {
        waiter("three", 3, FOR_EVER);
        waiter("one", 1, FOR_EVER);
        free(2);
        free(1);
        awaitEntered(1);
        free(1);
        awaitEntered(2);
        assertThat(entered).containsExactly("three", "one");
    }

    @Test
    void whenTheFirstGivesUpTheNextFindsTheRoomThatWasTooSmallForIt() throws Exception {
        Thread three = waiter("three", 3, FOR_EVER);
        waiter("one", 1, FOR_EVER);
        waiter("two", 1, FOR_EVER);
        free(2);
        awaitWaiting(three);
        three.interrupt();
        awaitEntered(2);
        assertThat(entered).containsExactlyInAnyOrder("one", "two"); // which of them says so first is up to the kernel
    }

    @Test
    void anInterruptEndsTheWait() throws Exception {
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> gate.await(() -> enter(1), FOR_EVER)).isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
        assertThat(gate.isCrowded()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {FOR_EVER, 3_600_000_000_000L})
    void anOpenGateSendsEveryoneAway(long nanos) throws Exception {
        for (int i = 0; i < 5; i++) {
            waiter("waiter-" + i, 1, nanos);
        }
        gate.open();
        threads.join(entered::toString);
        assertThat(entered).isEmpty();
        assertThat(gate.await(() -> enter(1), nanos)).isFalse();
    }

    /** The interleaving of G1 and G2, many times: a lost wake-up would hang. */
    @Test
    void noPlaceIsForgotten() throws Exception {
        int waiters = 4;
        int places = Stress.scaled(20_000);
        BooleanSupplier offer = () -> enter(1);
        AtomicInteger in = new AtomicInteger();
        for (int i = 0; i < waiters; i++) {
            threads.start("waiter-" + i, () -> {
                for (int k = 0; k < places / waiters; k++) {
                    while (!gate.await(offer, k % 4 == 0 ? TimeUnit.MICROSECONDS.toNanos(20) : FOR_EVER)) {
                        Thread.onSpinWait();
                    }
                    in.incrementAndGet();
                }
            });
        }
        threads.start("worker", () -> {
            for (int k = 0; k < places; k++) {
                int target = k;
                Stress.await(() -> in.get() >= target, () -> "in " + in + ", room " + room);
                free(1);
            }
        });
        threads.join(() -> "in " + in + ", room " + room);
        assertThat(in).hasValue(places);
        assertThat(gate.isCrowded()).isFalse();
    }
}
