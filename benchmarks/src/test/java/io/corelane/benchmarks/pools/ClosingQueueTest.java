// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class ClosingQueueTest {
    /** A queue in which the closing overtakes a submitter: it happens during its offer. */
    private static final class Overtaken extends ArrayDeque<Runnable> {
        private static final long serialVersionUID = 1;
        transient Runnable afterOffer = () -> {};

        @Override
        public boolean offer(Runnable job) {
            boolean there = super.offer(job);
            afterOffer.run();
            return there;
        }
    }

    private final Overtaken jobs = new Overtaken();
    private final ClosingQueue queue = new ClosingQueue(jobs, 1);

    @Test
    void aConsumerLeavesOnlyIfTheQueueIsClosedAndEmpty() {
        assertThat(queue.leave()).as("open").isFalse();
        assertThat(queue.offer(() -> {})).isTrue();
        queue.close();
        assertThat(queue.leave()).as("not empty").isFalse();
        assertThat(queue.poll()).isNotNull();
        assertThat(queue.leave()).isTrue();
    }

    @Test
    void aClosedQueueRefuses() {
        queue.close();
        assertThatThrownBy(() -> queue.offer(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void aJobOvertakenByTheClosingIsAcceptedAsLongAsAConsumerIsLeft() {
        jobs.afterOffer = queue::close;
        Runnable job = () -> {};
        assertThat(queue.offer(job)).isTrue();
        assertThat(queue.poll()).isSameAs(job);
    }

    @Test
    void aJobOvertakenByTheLastConsumerIsRefused() {
        jobs.afterOffer = () -> {
            Runnable job = jobs.poll();
            queue.close();
            assertThat(queue.leave()).isTrue();
            jobs.add(job);
        };
        assertThatThrownBy(() -> queue.offer(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(queue.isEmpty()).isTrue();
    }

    @Test
    void ofTwoOvertakenJobsTheServedOneIsAcceptedAndTheOtherRefused() {
        Runnable served = () -> {};
        Runnable late = () -> {};
        jobs.afterOffer = () -> {
            jobs.clear();
            queue.close();
            assertThat(queue.leave()).isTrue();
            jobs.add(late);
        };
        assertThat(queue.offer(served)).isTrue();
        assertThat(queue.isEmpty()).as("the late one was set aside").isTrue();
    }
}
