// SPDX-License-Identifier: Apache-2.0
package io.corelane;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.BinaryOperator;
import java.util.function.LongBinaryOperator;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The kinds of {@link Range}. */
final class Loops {
    private Loops() {}

    /** Calls a body with each index. */
    static final class Each extends Range {
        private final LongConsumer body;
        private final @Nullable LongAdder done;

        Each(long from, long to, LongConsumer body, @Nullable LongAdder done) {
            super(from, to);
            this.body = body;
            this.done = done;
        }

        @Override
        void run(long chunkFrom, long chunkTo) {
            long i = chunkFrom;
            try {
                for (; i < chunkTo; i++) {
                    body.accept(i);
                }
            } finally {
                if (done != null) {
                    done.add(i - chunkFrom);
                }
            }
        }

        @Override
        Range upper(long middle, long end) {
            return new Each(middle, end, body, done);
        }
    }

    /** Combines objects, in the order of the indices. */
    static final class Objects<T extends @Nullable Object> extends Range {
        private final LongFunction<? extends T> map;
        private final BinaryOperator<T> combine;
        private final T identity;
        T result;

        Objects(long from, long to, T identity, LongFunction<? extends T> map, BinaryOperator<T> combine) {
            super(from, to);
            this.identity = identity;
            this.map = map;
            this.combine = combine;
            this.result = identity;
        }

        @Override
        void run(long chunkFrom, long chunkTo) {
            T sum = result;
            for (long i = chunkFrom; i < chunkTo; i++) {
                sum = combine.apply(sum, map.apply(i));
            }
            result = sum;
        }

        @Override
        Range upper(long middle, long end) {
            return new Objects<>(middle, end, identity, map, combine);
        }

        @Override
        @SuppressWarnings("unchecked") // made by upper
        void add(Range upper) {
            result = combine.apply(result, ((Objects<T>) upper).result);
        }
    }

    /** Combines longs, in the order of the indices. */
    static final class Longs extends Range {
        private final LongUnaryOperator map;
        private final LongBinaryOperator combine;
        private final long identity;
        long result;

        Longs(long from, long to, long identity, LongUnaryOperator map, LongBinaryOperator combine) {
            super(from, to);
            this.identity = identity;
            this.map = map;
            this.combine = combine;
            this.result = identity;
        }

        @Override
        void run(long chunkFrom, long chunkTo) {
            long sum = result;
            for (long i = chunkFrom; i < chunkTo; i++) {
                sum = combine.applyAsLong(sum, map.applyAsLong(i));
            }
            result = sum;
        }

        @Override
        Range upper(long middle, long end) {
            return new Longs(middle, end, identity, map, combine);
        }

        @Override
        void add(Range upper) {
            result = combine.applyAsLong(result, ((Longs) upper).result);
        }
    }
}
