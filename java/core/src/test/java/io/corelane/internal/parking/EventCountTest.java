// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.parking;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.corelane.Stress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventCountTest {
    @Test
    void aSignalWithNobodyParkedWakesNobody() {
        assertThat(new EventCount(2).signal()).isFalse();
    }

    @Test
    void theLastToParkIsWokenFirstAndHoldsTheToken() {
        EventCount count = new EventCount(3);
        count.announce(0, false);
        count.announce(1, false);
        count.announce(2, false);
        assertThat(count.signal()).isTrue();
        assertThat(count.isParked(2)).isFalse();
        assertThat(count.searching()).isEqualTo(1);
        assertThat(count.await(2, () -> {})).isTrue();
        assertThat(count.signal()).as("somebody searches").isFalse();
        assertThat(count.endSearch()).isTrue();
        assertThat(count.signal()).isTrue();
        assertThat(count.isParked(1)).isFalse();
    }

    @Test
    void announcingGivesTheTokenBack() {
        EventCount count = new EventCount(2);
        assertThat(count.beginSearch(1)).isTrue();
        assertThat(count.beginSearch(1)).isFalse();
        count.announce(0, true);
        assertThat(count.searching()).isZero();
        assertThat(count.beginSearch(1)).isTrue();
    }

    @Test
    void onlyTheLastSearcherHasToLookAgainAndOnlyForSleepers() {
        EventCount count = new EventCount(1);
        assertThat(count.beginSearch(2)).isTrue();
        assertThat(count.beginSearch(2)).isTrue();
        count.announce(0, false);
        assertThat(count.endSearch()).as("another searches").isFalse();
        assertThat(count.endSearch()).as("the last").isTrue();
        assertThat(count.signal()).isTrue();
        assertThat(count.endSearch()).as("nobody is parked").isFalse();
    }

    @Test
    void aSlotThatWasWokenByNameStaysStackedAndIsPassedOver() {
        EventCount count = new EventCount(2);
        count.announce(0, false);
        count.announce(1, false);
        assertThat(count.wake(1)).isTrue();
        assertThat(count.wake(1)).isFalse();
        assertThat(count.await(1, () -> {})).as("no token").isFalse();
        assertThat(count.signal()).isTrue();
        assertThat(count.isParked(0)).isFalse();
        assertThat(count.await(0, () -> {})).isTrue();
        assertThat(count.endSearch()).as("nobody is left to be woken").isFalse();
        count.announce(1, false);
        assertThat(count.signal()).as("it was pushed again").isTrue();
    }

    @Test
    void aSignalThatFindsOnlyAwakeSlotsGivesTheTokenBack() {
        EventCount count = new EventCount(1);
        count.announce(0, false);
        count.cancel(0);
        assertThat(count.signal()).isFalse();
        assertThat(count.searching()).isZero();
    }

    @Test
    void aSlotThatParksAgainWhileStillStackedIsNotLinkedTwice() {
        EventCount count = new EventCount(2);
        count.announce(0, false);
        count.announce(1, false);
        count.cancel(0);
        count.announce(0, false);
        assertThat(count.signal()).isTrue();
        assertThat(count.isParked(1)).isFalse();
        count.endSearch();
        assertThat(count.signal()).isTrue();
        assertThat(count.isParked(0)).isFalse();
        count.endSearch();
        assertThat(count.signal()).isFalse();
    }

    @Test
    void allParkedSinceNoticesEveryWakeAndAnnouncement() {
        EventCount count = new EventCount(2);
        count.announce(0, false);
        assertThat(count.allParkedSince(count.stamp())).isFalse();
        count.announce(1, false);
        long stamp = count.stamp();
        assertThat(count.allParkedSince(stamp)).isTrue();
        count.wake(0);
        count.await(0, () -> {});
        count.announce(0, false);
        assertThat(count.allParkedSince(stamp)).as("woken and parked again").isFalse();
    }

    @Test
    void theVersionMayWrap() {
        EventCount count = new EventCount(2, -2);
        for (int i = 0; i < 10; i++) {
            count.announce(0, false);
            count.announce(1, false);
            assertThat(count.signal()).isTrue();
            assertThat(count.await(1, () -> {})).isTrue();
            count.endSearch();
            assertThat(count.signal()).isTrue();
            assertThat(count.await(0, () -> {})).isTrue();
            count.endSearch();
            assertThat(count.searching()).isZero();
        }
    }

    @Test
    void anInterruptDoesNotEndTheWaitAndIsCleared() throws Exception {
        EventCount count = new EventCount(1);
        boolean[] flag = {true};
        Stress.Threads threads = new Stress.Threads();
        Thread sleeper = threads.start("sleeper", () -> {
            count.announce(0, false);
            count.await(0, () -> {});
            flag[0] = Thread.currentThread().isInterrupted();
        });
        count.assign(0, sleeper);
        Stress.await(() -> sleeper.getState() == Thread.State.WAITING, () -> "" + sleeper.getState());
        sleeper.interrupt();
        Stress.await(() -> !sleeper.isInterrupted(), () -> "flag still set");
        assertThat(count.isParked(0)).isTrue();
        count.signal();
        threads.join(() -> "");
        assertThat(flag[0]).isFalse();
    }

    @Test
    void refusesSlotsThatDoNotFitItsControlWord() {
        assertThatThrownBy(() -> new EventCount(0)).hasMessageContaining("slots=0");
        assertThatThrownBy(() -> new EventCount(EventCount.MAX_SLOTS + 1)).hasMessageContaining("slots=65535");
    }

    /** A counter as the work: a lost wake-up leaves it above zero with every consumer parked. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void noWakeUpIsLost(int sleepers) throws Exception {
        EventCount count = new EventCount(sleepers);
        AtomicLong work = new AtomicLong();
        AtomicLong done = new AtomicLong();
        int rounds = Stress.scaled(100_000);
        Stress.Threads threads = new Stress.Threads();
        for (int i = 0; i < sleepers; i++) {
            int slot = i;
            threads.start("sleeper-" + i, () -> {
                count.assign(slot, Thread.currentThread());
                sleepAndWork(count, slot, work, done, rounds);
            });
        }
        threads.start("submitter", () -> {
            for (int i = 0; i < rounds; i++) {
                work.incrementAndGet();
                count.signal();
                int target = i - 3; // almost one at a time: the sleepers park between most jobs
                Stress.await(() -> done.get() >= target, () -> "lost wake-up: work " + work + ", done " + done);
            }
            Stress.await(() -> done.get() == rounds, () -> "lost wake-up: work " + work + ", done " + done);
            count.wakeAll();
        });
        threads.join(() -> "work " + work + ", done " + done);
        assertThat(count.searching()).isZero();
    }

    private static void sleepAndWork(EventCount count, int slot, AtomicLong work, AtomicLong done, int rounds) {
        boolean searching = false;
        while (done.get() < rounds) {
            long seen = work.get();
            if (seen > 0 && work.compareAndSet(seen, seen - 1)) {
                if (searching && count.endSearch() && work.get() > 0) {
                    count.signal();
                }
                searching = false;
                if (done.incrementAndGet() == rounds) {
                    count.wakeAll();
                }
            } else if (seen == 0) {
                count.announce(slot, searching);
                if (work.get() > 0) {
                    count.signal();
                }
                searching = done.get() == rounds ? count.cancel(slot) : count.await(slot, () -> {});
            }
        }
        if (searching) {
            count.endSearch();
        }
    }
}
