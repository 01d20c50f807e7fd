// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.parking;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.injector.Injector;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.ZZI_Result;
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

    /** A1 <> S1 with a slot that was woken by name and is still on the stack: it is not pushed again. */
    @JCStressTest
    @Outcome(id = "false, false", expect = FORBIDDEN, desc = "lost wake-up")
    @Outcome(expect = ACCEPTABLE, desc = "woken, or seen, or both")
    @State
    public static class OutsideJobAndStackedSlot {
        private final EventCount count = new EventCount(1);
        private final Injector injector = new Injector(1);

        public OutsideJobAndStackedSlot() {
            count.announce(0, false);
            count.wake(0);
            count.cancel(0);
        }

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

    /** I1: a sleeper that its waker was too late for does not get the token, and the waker gives it back. */
    @JCStressTest
    @Outcome(
            id = {"true, true, 1", "false, false, 0"},
            expect = ACCEPTABLE,
            desc = "woken with the token, or awake before")
    @Outcome(expect = FORBIDDEN, desc = "a token is lost or given twice")
    @State
    public static class SignalAgainstCancel {
        private final EventCount count = new EventCount(1);

        public SignalAgainstCancel() {
            count.announce(0, false);
        }

        @Actor
        public void waker(ZZI_Result result) {
            result.r1 = count.signal();
        }

        @Actor
        public void sleeper(ZZI_Result result) {
            result.r2 = count.cancel(0);
        }

        @Arbiter
        public void arbiter(ZZI_Result result) {
            result.r3 = count.searching();
        }
    }

    /** I2: two threads push their slots; none is lost from the stack. */
    @JCStressTest
    @Outcome(id = "2", expect = ACCEPTABLE, desc = "both are woken")
    @Outcome(expect = FORBIDDEN, desc = "a sleeper is not on the stack")
    @State
    public static class AnnounceAgainstAnnounce {
        private final EventCount count = new EventCount(2);

        @Actor
        public void first() {
            count.announce(0, false);
        }

        @Actor
        public void second() {
            count.announce(1, false);
        }

        @Arbiter
        public void arbiter(I_Result result) {
            for (int i = 0; i < 2; i++) {
                result.r1 += count.signal() ? 1 : 0;
                count.endSearch();
            }
        }
    }

    /** The version: a pop that was overtaken by a pop and a push of the same slot fails its CAS. */
    @JCStressTest
    @Outcome(id = "2, 0", expect = ACCEPTABLE, desc = "both are woken, each once, and the stack is empty then")
    @Outcome(expect = FORBIDDEN, desc = "a sleeper is lost, or is on the stack twice")
    @State
    public static class PopAgainstPopAndPush {
        private final EventCount count = new EventCount(2);
        private int woken;
        private int wokenFirst;

        public PopAgainstPopAndPush() {
            count.announce(0, false);
            count.announce(1, false);
        }

        @Actor
        public void waker() {
            if (count.signal()) {
                wokenFirst++;
                count.endSearch();
            }
        }

        @Actor
        public void wakerAndSleepers() {
            for (int i = 0; i < 2; i++) {
                if (count.signal()) {
                    woken++;
                    count.endSearch();
                }
            }
            for (int slot = 1; slot >= 0; slot--) {
                if (!count.isParked(slot)) {
                    count.cancel(slot);
                    count.announce(slot, false);
                }
            }
        }

        @Arbiter
        public void arbiter(II_Result result) {
            result.r2 = count.searching();
            while (count.signal()) {
                count.endSearch();
            }
            result.r1 = (count.isParked(0) ? 0 : 1) + (count.isParked(1) ? 0 : 1);
        }
    }

    /** T1 -> T2: who was woken sees what was published before the signal. */
    @JCStressTest
    @Outcome(
            id = {"-1", "42"},
            expect = ACCEPTABLE,
            desc = "not woken yet, or woken with everything")
    @Outcome(expect = FORBIDDEN, desc = "woken without what was published")
    @State
    public static class WokenSeesPublication {
        private final EventCount count = new EventCount(1);
        private int published;

        public WokenSeesPublication() {
            count.announce(0, false);
        }

        @Actor
        public void waker() {
            published = 42;
            count.signal();
        }

        @Actor
        public void sleeper(I_Result result) {
            result.r1 = count.isParked(0) ? -1 : published;
        }
    }

    /** The same when woken by name. */
    @JCStressTest
    @Outcome(
            id = {"-1", "42"},
            expect = ACCEPTABLE,
            desc = "not woken yet, or woken with everything")
    @Outcome(expect = FORBIDDEN, desc = "woken without what was published")
    @State
    public static class WokenByNameSeesPublication {
        private final EventCount count = new EventCount(1);
        private int published;

        public WokenByNameSeesPublication() {
            count.announce(0, false);
        }

        @Actor
        public void waker() {
            published = 42;
            count.wake(0);
        }

        @Actor
        public void sleeper(I_Result result) {
            result.r1 = count.isParked(0) ? -1 : published;
        }
    }
}
