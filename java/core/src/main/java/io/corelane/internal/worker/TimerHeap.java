// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A priority queue of timers from which any one can be removed in logarithmic time, because each knows its place.
 *
 * <p>A 4-ary heap: half as deep as a binary one, and the four children lie in one or two cache lines. The array shrinks
 * again when it is three quarters empty.
 *
 * <p><b>Thread safety:</b> none, the caller locks.
 */
final class TimerHeap {
    private static final int MIN_LENGTH = 64;
    private static final int ARITY = 4;

    private @Nullable Timer[] heap = new Timer[MIN_LENGTH];
    private int size;

    int size() {
        return size;
    }

    @Nullable
    Timer first() {
        return size == 0 ? null : heap[0];
    }

    Timer get(int place) {
        return Objects.requireNonNull(heap[place]);
    }

    void add(Timer timer) {
        if (size == heap.length) {
            heap = Arrays.copyOf(heap, 2 * size);
        }
        siftUp(timer, size++);
    }

    /** Removes a timer; returns false if it is not in the heap. */
    boolean remove(Timer timer) {
        int place = timer.place;
        if (place < 0) {
            return false;
        }
        timer.place = -1;
        Timer last = get(--size);
        heap[size] = null;
        if (last != timer) {
            siftDown(last, place);
            if (last.place == place) {
                siftUp(last, place);
            }
        }
        if (heap.length > MIN_LENGTH && size < heap.length / 4) {
            shrink();
        }
        return true;
    }

    private void shrink() {
        try {
            heap = Arrays.copyOf(heap, heap.length / 2);
        } catch (OutOfMemoryError noRoom) {
            // the next removal tries again; this one has been done
        }
    }

    private void siftUp(Timer timer, int from) {
        int place = from;
        while (place > 0) {
            Timer parent = get((place - 1) / ARITY);
            if (!timer.isBefore(parent)) {
                break;
            }
            set(place, parent);
            place = (place - 1) / ARITY;
        }
        set(place, timer);
    }

    private void siftDown(Timer timer, int from) {
        int place = from;
        while (true) {
            int least = leastChild(place);
            if (least < 0 || !get(least).isBefore(timer)) {
                break;
            }
            set(place, get(least));
            place = least;
        }
        set(place, timer);
    }

    private int leastChild(int place) {
        long firstChild = (long) ARITY * place + 1;
        if (firstChild >= size) {
            return -1;
        }
        int least = (int) firstChild;
        for (int child = least + 1; child < Math.min(size, firstChild + ARITY); child++) {
            least = get(child).isBefore(get(least)) ? child : least;
        }
        return least;
    }

    private void set(int place, Timer timer) {
        heap[place] = timer;
        timer.place = place;
    }
}
