// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.parking;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.injector.Injector;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A1 <> S1: whoever submits while a worker goes to sleep wakes it, or is seen by its last look. */
public class SleepAndWakeJcstress {
    /** An outside job: the offer's CAS is the fence. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "lost wake-up")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or seen, or both")
    @State
    public static class OutsideJob {
        private final EventCount count = new EventCount(1);
        private final Injector injector = new Injector(1);

        @Actor
        public void submitter(ZZ_Result result) {
            injector.offer("job", 1);
            result.r1 = count.signal();
        }

        @Actor
        public void sleeper(ZZ_Result result) {
            count.announce(0, false);
            result.r2 = !injector.isEmpty();
        }
    }

    /** A job of a job: release store of bottom, full fence, look for sleepers. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "lost wake-up")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or seen, or both")
    @State
    public static class LocalJob {
        private final EventCount count = new EventCount(1);
        private final WorkDeque deque = WorkDeque.create(false);

        @Actor
        public void submitter(ZZ_Result result) {
            deque.push("job");
            VarHandle.fullFence();
            result.r1 = count.signal();
        }

        @Actor
        public void sleeper(ZZ_Result result) {
            count.announce(0, false);
            result.r2 = !deque.isEmpty();
        }
    }

    /** I3: a submitter that skips its signal because somebody searches is seen when that one gives its token back. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "lost wake-up")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or seen, or both")
    @State
    public static class SubmitAgainstSearcherThatSleeps {
        private final EventCount count = new EventCount(1);
        private final Injector injector = new Injector(1);

        public SubmitAgainstSearcherThatSleeps() {
            count.beginSearch(1);
        }

        @Actor
        public void submitter(ZZ_Result result) {
            injector.offer("job", 1);
            result.r1 = count.signal();
        }

        @Actor
        public void searcher(ZZ_Result result) {
            count.announce(0, true);
            result.r2 = !injector.isEmpty();
        }
    }

    /** I3: a searcher that has found a job gives its token back and looks for more, while slot 1 is parked. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "a job is left with a worker parked")
    @Outcome(expect = ACCEPTABLE, desc = "woken by the submitter or by the searcher")
    @State
    public static class SubmitAgainstSearcherThatFound {
        private final EventCount count = new EventCount(2);
        private final Injector injector = new Injector(1);

        public SubmitAgainstSearcherThatFound() {
            count.beginSearch(1);
            count.announce(1, false);
        }

        @Actor
        public void submitter(ZZ_Result result) {
            injector.offer("job", 1);
            result.r1 = count.signal();
        }

        @Actor
        public void searcher(ZZ_Result result) {
            result.r2 = count.endSearch() && !injector.isEmpty() && count.signal();
        }
    }

    /** Two submitters and one sleeper: one of them wakes it, and its token is given back by it alone. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "woken once")
    @Outcome(expect = FORBIDDEN, desc = "woken twice or not at all")
    @State
    public static class TwoSignalsOneSleeper {
        private final EventCount count = new EventCount(1);

        public TwoSignalsOneSleeper() {
            count.announce(0, false);
        }

        @Actor
        public void first(ZZ_Result result) {
            result.r1 = count.signal();
        }

        @Actor
        public void second(ZZ_Result result) {
            result.r2 = count.signal();
        }
    }

    /** A wake by name races with a pop: the slot is woken once, whoever comes first. */
    @JCStressTest
    @Outcome(
            id = {"true, false", "false, true"},
            expect = ACCEPTABLE,
            desc = "woken once")
    @Outcome(expect = FORBIDDEN, desc = "woken twice or not at all")
    @State
    public static class WakeAgainstSignal {
        private final EventCount count = new EventCount(1);

        public WakeAgainstSignal() {
            count.announce(0, false);
        }

        @Actor
        public void byName(ZZ_Result result) {
            result.r1 = count.wake(0);
        }

        @Actor
        public void signal(ZZ_Result result) {
            result.r2 = count.signal();
        }
    }
}
