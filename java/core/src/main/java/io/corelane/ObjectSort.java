// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.Arrays;
import java.util.Comparator;

/**
 * Sorts a part of an array of objects, keeping the order of equal ones.
 *
 * @param <T> their type
 */
final class ObjectSort<T> extends ForkAction {
    /*
     * Mergesort; the upper half is a fork. Parts that would be sorted in less time than it takes to hand them over are
     * left to the JDK's sort. The lower half is moved aside before the merge, so half as much room is needed again.
     */
    private static final int SMALL = 1_024;

    private final T[] array;
    private final T[] room;
    private final int from;
    private final int to;
    private final Comparator<? super T> order;

    ObjectSort(T[] array, T[] room, int from, int to, Comparator<? super T> order) {
        this.array = array;
        this.room = room;
        this.from = from;
        this.to = to;
        this.order = order;
    }

    @Override
    protected void compute() {
        sort(from, to);
    }

    private void sort(int start, int end) {
        if (end - start <= SMALL) {
            Arrays.sort(array, start, end, order);
            return;
        }
        int middle = (start + end) >>> 1;
        ObjectSort<T> upper = new ObjectSort<>(array, room, middle, end, order);
        upper.fork();
        sort(start, middle);
        upper.join();
        if (order.compare(array[middle - 1], array[middle]) > 0) {
            merge(start, middle, end);
        }
    }

    private void merge(int start, int middle, int end) {
        System.arraycopy(array, start, room, start, middle - start);
        int lower = start;
        int upper = middle;
        int at = start;
        while (lower < middle && upper < end) {
            array[at++] = order.compare(room[lower], array[upper]) <= 0 ? room[lower++] : array[upper++];
        }
        System.arraycopy(room, lower, array, at, middle - lower);
    }
}
