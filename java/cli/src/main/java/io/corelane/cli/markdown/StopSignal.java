// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.markdown;

import java.util.concurrent.CountDownLatch;

/**
 * Tells a command to stop when the JVM is told to exit (SIGINT, SIGTERM, SIGHUP), and keeps the JVM up until it has.
 *
 * <p>The JVM then exits with the status of the signal by itself: 130 for SIGINT, 143 for SIGTERM.
 */
final class StopSignal implements AutoCloseable {
    private final CountDownLatch finished = new CountDownLatch(1);
    private final Thread hook = new Thread(this::stopAndWait, "corelane-stop");
    private final Thread command;
    private volatile boolean requested;

    /**
     * Makes a signal.
     *
     * @param command the thread to interrupt, so that it stops waiting
     */
    StopSignal(Thread command) {
        this.command = command;
    }

    /** Makes a signal for the calling thread that the JVM's exit requests. */
    static StopSignal install() {
        StopSignal stop = new StopSignal(Thread.currentThread());
        Runtime.getRuntime().addShutdownHook(stop.hook);
        return stop;
    }

    boolean requested() {
        return requested;
    }

    void request() {
        requested = true;
        command.interrupt();
    }

    private void stopAndWait() {
        request();
        boolean interrupted = true;
        while (interrupted) {
            try {
                finished.await();
                interrupted = false;
            } catch (InterruptedException e) {
                interrupted = true; // nobody may interrupt this thread; the report comes first
            }
        }
    }

    /** Says that the command has finished and reported. */
    @Override
    public void close() {
        finished.countDown();
        if (!requested) {
            try {
                Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                requested = true; // the exit has begun in this moment; the hook finds the latch open
            }
        }
    }
}
