// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.corelane.internal.deque.WorkDeque;
import org.junit.jupiter.api.Test;

class LookoutTest {
    private static final long WOKEN = 1_000_000;

    private final WorkDeque chain = WorkDeque.create(false);
    private final Lookout lookout = new Lookout();

    private void hop() {
        chain.push("hop");
        assertThat(chain.pop()).isNotNull();
    }

    private void wakeOftenEnough() {
        for (int i = 0; i < Lookout.FRUITLESS; i++) {
            lookout.woken(chain, WOKEN);
        }
    }

    private boolean goesOnAt(long since, long after) {
        return lookout.goesOn(since + after, since);
    }

    @Test
    void aWorkerStaysAwakeWhileAFastChainThatHasWokenItGoesOn() {
        wakeOftenEnough();
        long since = WOKEN + Lookout.FAST_NANOS;
        for (long at = 0; at <= Lookout.LONGEST_NANOS; at += Lookout.FAST_NANOS) {
            hop();
            hop();
            assertThat(goesOnAt(since, at)).as("after %s ns", at).isTrue();
        }
        hop();
        hop();
        assertThat(goesOnAt(since, Lookout.LONGEST_NANOS + 1)).as("no longer").isFalse();
    }

    @Test
    void aChainThatStopsOrIsSlowIsNotWaitedFor() {
        wakeOftenEnough();
        long since = WOKEN;
        hop();
        assertThat(goesOnAt(since, 0)).isTrue();
        assertThat(goesOnAt(since, 1)).as("none since").isFalse();
        hop();
        assertThat(goesOnAt(since, 1 + Lookout.FAST_NANOS))
                .as("just fast enough")
                .isTrue();
        hop();
        assertThat(goesOnAt(since, 2 + 2 * Lookout.FAST_NANOS)).as("too slow").isFalse();
    }

    @Test
    void whoWasWokenOnceOrForAnotherReasonFollowsItsPolicy() {
        long since = WOKEN;
        assertThat(goesOnAt(since, 0)).as("never woken").isFalse();
        lookout.woken(chain, WOKEN);
        hop();
        assertThat(goesOnAt(since, 0)).as("woken once").isFalse();
        lookout.woken(null, WOKEN);
        lookout.woken(chain, WOKEN);
        hop();
        assertThat(goesOnAt(since, 0)).as("woken for something else between").isFalse();
    }

    @Test
    void findingOtherWorkEndsIt() {
        wakeOftenEnough();
        hop();
        lookout.foundOther();
        assertThat(goesOnAt(WOKEN, 0)).isFalse();
    }

    @Test
    void aLoneJobThatWasLeftAloneIsWhatItWasWokenForWhenNobodyElseSaysSo() {
        for (int i = 0; i < Lookout.FRUITLESS; i++) {
            lookout.leftAlone(chain);
            lookout.woken(null, WOKEN);
        }
        hop();
        assertThat(goesOnAt(WOKEN, 0)).isTrue();
    }
}
