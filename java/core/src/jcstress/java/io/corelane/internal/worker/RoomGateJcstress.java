// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** Submitters that wait for room, on the shipped class; the place is a number. */
public class RoomGateJcstress {
    /** Longer than any wait but one whose wake-up was lost. */
    private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** A gate in front of so many places. */
    abstract static class Gate {
        final RoomGate gate = new RoomGate();
        final AtomicInteger room = new AtomicInteger();

        final boolean enter() {
            return room.getOpaque() > 0 && room.getAndDecrement() > 0;
        }

        final boolean await(long nanos) {
            try {
                return gate.await(this::enter, nanos);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        /** As a worker that takes a job: a release store, and then the look for submitters. */
        final void free(int places) {
            room.setRelease(places);
            gate.roomMade();
        }
    }

    /** G1 <> G2: a submitter that finds no room is seen by the worker that makes some. */
    @JCStressTest
    @Outcome(id = "true", expect = ACCEPTABLE, desc = "came in")
    @Outcome(expect = FORBIDDEN, desc = "lost wake-up")
    @State
    public static class AwaitAgainstRoomMade extends Gate {
        @Actor
        public void submitter(Z_Result result) {
            result.r1 = await(LONG_NANOS);
        }

        @Actor
        public void worker() {
            free(1);
        }
    }

    /** Both submitters come in, though the worker's signal is for one: who leaves wakes the next. */
    @JCStressTest
    @Outcome(id = "true, true", expect = ACCEPTABLE, desc = "both came in")
    @Outcome(expect = FORBIDDEN, desc = "the second was forgotten")
    @State
    public static class TwoWaitersAndTwoPlaces extends Gate {
        @Actor
        public void first(ZZ_Result result) {
            result.r1 = await(LONG_NANOS);
        }

        @Actor
        public void second(ZZ_Result result) {
            free(2);
            result.r2 = await(LONG_NANOS);
        }
    }

    /** A gate that opens for good sends the waiter away, or it was never held up. */
    @JCStressTest
    @Outcome(id = "false", expect = ACCEPTABLE, desc = "sent away")
    @Outcome(expect = FORBIDDEN, desc = "came in without room")
    @State
    public static class AwaitAgainstOpen extends Gate {
        @Actor
        public void submitter(Z_Result result) {
            result.r1 = await(Long.MAX_VALUE); // a lost wake-up hangs the test
        }

        @Actor
        public void closer() {
            gate.open();
        }
    }
}
