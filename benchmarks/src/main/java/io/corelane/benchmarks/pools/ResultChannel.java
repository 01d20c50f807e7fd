// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks.pools;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A job that sends its result through a channel of its own, with one place.
 *
 * <p><b>Thread safety:</b> any thread. <b>Memory effects:</b> those of the channel.
 */
final class ResultChannel<T extends @Nullable Object> implements RunnableFuture<T> {
    /*
     * How it works. The state decides who sends: the job when it ends, or whoever cancels before. So there is one message.
     * A reader takes it out and puts it back for the next reader; nobody else fills the place in between, so there is room.
     */
    private enum State {
        WAITING,
        RUNNING,
        ENDED,
        CANCELLED
    }

    /** What comes through the channel: a value, or what the job threw. */
    private record Message<T extends @Nullable Object>(
            @Nullable T value, @Nullable Throwable thrown) {}

    private final Callable<T> job;
    private final BlockingQueue<Message<T>> channel = new ArrayBlockingQueue<>(1);
    private final AtomicReference<State> state = new AtomicReference<>(State.WAITING);
    private volatile @Nullable Thread runner;

    ResultChannel(Callable<T> job) {
        this.job = job;
    }

    @Override
    public void run() {
        runner = Thread.currentThread();
        if (!state.compareAndSet(State.WAITING, State.RUNNING)) {
            return;
        }
        Message<T> message = call();
        runner = null;
        if (state.compareAndSet(State.RUNNING, State.ENDED)) {
            channel.add(message);
        }
    }

    private Message<T> call() {
        try {
            return new Message<>(job.call(), null);
        } catch (Throwable thrown) {
            return new Message<>(null, thrown);
        }
    }

    @Override
    public boolean cancel(boolean mayInterruptIfRunning) {
        if (!state.compareAndSet(State.WAITING, State.CANCELLED)
                && !state.compareAndSet(State.RUNNING, State.CANCELLED)) {
            return false;
        }
        Thread running = runner;
        if (mayInterruptIfRunning && running != null) {
            running.interrupt();
        }
        channel.add(new Message<>(null, new CancellationException("cancelled before it ended")));
        return true;
    }

    @Override
    public boolean isCancelled() {
        return state.get() == State.CANCELLED;
    }

    @Override
    public boolean isDone() {
        return state.get() == State.ENDED || isCancelled();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        return passOn(channel.take());
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        Message<T> message = channel.poll(timeout, unit);
        if (message == null) {
            throw new TimeoutException("no result within " + timeout + " " + unit);
        }
        return passOn(message);
    }

    @SuppressWarnings("NullAway") // a value is null if that is what the job returned
    private T passOn(Message<T> message) throws ExecutionException {
        channel.add(message);
        Throwable thrown = message.thrown;
        if (thrown instanceof CancellationException && isCancelled()) {
            throw new CancellationException("cancelled before it ended");
        }
        if (thrown != null) {
            throw new ExecutionException(thrown);
        }
        return message.value;
    }
}
