// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

/**
 * Makes sure that some stack is left before something begins that must not end in the middle: a queue that an overflow
 * leaves half changed would stop everybody.
 */
final class StackRoom {
    private static final int FRAMES = 64;

    private StackRoom() {}

    /**
     * Overflows now if the stack is nearly at its end.
     *
     * @throws StackOverflowError if there is no room for some dozens of small frames
     */
    static void ensure() {
        int ignored = touch(FRAMES);
    }

    private static int touch(int frames) {
        return frames == 0 ? 0 : 1 + touch(frames - 1);
    }
}
