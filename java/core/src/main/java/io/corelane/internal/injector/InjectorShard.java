// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.injector;

import io.corelane.internal.deque.WorkDeque;
import io.corelane.internal.stack.StackReserve;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import org.jctools.queues.atomic.SpscAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * One stripe of the injector: a FIFO of jobs, bounded or not, for many producers and, at any time, one consumer.
 *
 * <p><b>Thread safety:</b> any thread may call anything. <b>Memory effects:</b> what a producer did before
 * {@code offer(job)} is visible to whoever receives that job. <b>Cost:</b> an offer is one uncontended CAS.
 */
final class InjectorShard extends InjectorShardFields.Tail {
    /*
     * How it works. Jobs live in a list of chunks of CHUNK slots; job number i is in slot i % CHUNK of its chunk, and
     * the extra last slot of a chunk links the next one. A producer claims a number by a CAS of producerIndex, then
     * stores the job. The producer that claims the last slot of a chunk first sets LINKING, which holds the others back
     * while it links the next chunk. A consumer takes the lock or goes elsewhere, moves a run of filled slots to its
     * own deque, and gives an emptied chunk back through `spares`.
     *
     * A batch of offers claims all its numbers at once: by one CAS if they end inside the chunk, else under LINKING,
     * where it links as many chunks as it needs and fills them afterwards, like anyone with a claim. A bounded shard
     * compares the number with `limit` before each claim; `limit` lags behind what the consumer has freed, so it
     * refuses nothing and accepts nothing wrongly once it has been brought up to date.
     *
     * Why not a JCTools queue as the shard itself: accepting a job and closing the queue have to be one atomic decision
     * (a job is either rejected or will run), and a backlog has to cost no allocation when it comes again. The closed
     * bit in producerIndex gives the first, the spares the second; `spares` is a JCTools queue.
     *
     * Invariants
     *   I1  producerIndex only grows, except that its sign bit is set once, by close
     *   I2  producerChunk changes only while LINKING is set, and every such change moves producerIndex: a producer that
     *       read index and chunk and then wins its CAS has a chunk that still is the right one
     *   I3  a chunk is reused only after all its slots were taken, so no producer still has a claim in it
     *   I4  consumerIndex, consumerChunk and emptied change only under the lock
     *   I5  spares has one producer (the lock holder) and one consumer (who has set LINKING)
     *   I6  limit <= 2 * (consumerIndex + capacity), so at most `capacity` accepted jobs have not been taken
     *
     * Not guaranteed
     *   N1  that a claimed slot is filled: its producer may be descheduled in between. Consumers never wait for it,
     *       they report what is there; isEmpty() says false
     *
     * Ordering
     *   P1 -> C1  slot.release -> slot.acquire: a consumer that sees the job sees what its producer did before
     *   L1 -> L2  lock.release -> CAS of lock: one consumer continues where the last one stopped
     *   X1 -> X2  index.release after linking -> index.volatile: the next producers see the new chunk
     *   S1        the CAS that claims a number is a full fence before the submitter looks for parked workers, and pairs
     *             with isEmpty() in a worker that has announced itself (docs/sleep-and-wake.md)
     *
     * Sources: chunks and the index bit that holds producers back are as in JCTools' MpscUnboundedArrayQueue (Nitsan
     * Wakart and others). We differ: no wrap within a chunk, recycled chunks, the closed bit, batches under a lock.
     */

    /** Slots per chunk. 1024 references are one page with compressed pointers. */
    static final int CHUNK = 1024;

    /** The capacity of a shard that accepts any number of jobs. */
    static final long UNBOUNDED = Long.MAX_VALUE;

    private static final int MASK = CHUNK - 1;
    private static final int FILL_BLOCK = 64;

    /**
     * Of so many emptied chunks one is dropped instead of kept, so that none gets old: G1 up to JDK 25 adds a fence and
     * work for its refinement threads to each store of a young job into an old array. Measured here at one producer: 36
     * million jobs a second with old chunks, 50 with young ones. Prime, so that it meets each of a few chunks that go
     * round; it costs 0.03 bytes a job.
     */
    private static final int DROP_EVERY = 127;

    private static final long LINKING = 1;
    private static final long ONE_JOB = 2;
    private static final long CLOSED = Long.MIN_VALUE;

    private static final VarHandle PRODUCER_INDEX;
    private static final VarHandle LIMIT;
    private static final VarHandle CONSUMER_INDEX;
    private static final VarHandle LOCK;
    private static final VarHandle SLOT =
            MethodHandles.arrayElementVarHandle(Object[].class).withInvokeExactBehavior();

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            PRODUCER_INDEX = lookup.findVarHandle(InjectorShardFields.Producers.class, "producerIndex", long.class)
                    .withInvokeExactBehavior();
            LIMIT = lookup.findVarHandle(InjectorShardFields.Producers.class, "limit", long.class)
                    .withInvokeExactBehavior();
            CONSUMER_INDEX = lookup.findVarHandle(InjectorShardFields.Consumer.class, "consumerIndex", long.class)
                    .withInvokeExactBehavior();
            LOCK = lookup.findVarHandle(InjectorShardFields.Consumer.class, "lock", long.class)
                    .withInvokeExactBehavior();
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private static volatile boolean linked;

    private final SpscAtomicArrayQueue<@Nullable Object[]> spares;
    private final long capacity;

    /** Makes an unbounded shard as small as tests want it. */
    InjectorShard() {
        this(0, UNBOUNDED, 16);
    }

    /**
     * Makes a shard.
     *
     * @param firstJob the number of the first job: 0, or large in tests
     * @param capacity how many jobs may wait, or {@link #UNBOUNDED}
     * @param maxSpares how many emptied chunks are kept for reuse; what a burst needs beyond these is garbage afterwards
     */
    InjectorShard(long firstJob, long capacity, int maxSpares) {
        this.capacity = capacity;
        spares = new SpscAtomicArrayQueue<>(maxSpares);
        producerIndex = firstJob * ONE_JOB;
        consumerIndex = firstJob;
        limit = capacity == UNBOUNDED ? Long.MAX_VALUE : producerIndex + capacity * ONE_JOB;
        producerChunk = new Object[CHUNK + 1];
        consumerChunk = producerChunk;
    }

    /**
     * Goes through the steps of a shard once in the life of the process. The JVM links each access by a variable handle at its
     * first use, and needs memory for that: if it had none in the middle of an offer, the shard would stay as it is in the
     * middle of one, with LINKING set or a slot that nobody fills, and everybody would wait for ever.
     */
    static void linkAccesses() {
        if (linked) {
            return;
        }
        InjectorShard shard = new InjectorShard();
        WorkDeque deque = WorkDeque.create(false);
        Object[] jobs = new Object[CHUNK + 1];
        Arrays.fill(jobs, shard);
        for (Object job : jobs) {
            boolean ignored = shard.offer(job);
        }
        boolean ignored = shard.offerAll(jobs);
        Object first = shard.take(deque, 2);
        while (first != null && shard.moveTo(deque, CHUNK) > 0) {
            deque.drain(job -> {});
        }
        shard.close();
        linked = true;
    }

    /**
     * Adds a job unless the shard is closed or full.
     *
     * @param job the job
     * @return false if the shard is closed or full; then the job was not added
     * @throws OutOfMemoryError if a chunk was needed and could not be had; then the job was not added
     */
    boolean offer(Object job) {
        return offer(job, false);
    }

    /**
     * Adds a job whose acceptance was decided before, although the shard may be closed or full by now.
     *
     * @param job the job
     * @throws OutOfMemoryError if a chunk was needed and could not be had; then the job was not added
     */
    void offerEvenIfClosed(Object job) {
        boolean ignored = offer(job, true);
    }

    private boolean offer(Object job, boolean force) {
        while (true) {
            long index = indexVolatile();
            if (!force && (index < 0 || !hasRoom(index, 1))) {
                return false;
            }
            int slot = (int) (index >> 1) & MASK;
            @Nullable Object[] chunk = producerChunk; // plain: I2 makes the CAS below the judge
            if ((index & LINKING) != 0) {
                Thread.onSpinWait();
            } else if (slot == MASK) {
                StackReserve.require(); // the others wait as long as LINKING is set
                if (casIndex(index, index + LINKING)) { // [S1]
                    linkChunks(chunk, 1, index, ONE_JOB);
                    SLOT.setRelease(chunk, slot, job); // [P1] release, pairs C1
                    return true;
                }
            } else if (casIndex(index, index + ONE_JOB)) { // [S1]
                try {
                    SLOT.setRelease(chunk, slot, job); // [P1] release, pairs C1
                } catch (StackOverflowError overflow) {
                    chunk[slot] = job; // needs no stack; plain: the CAS before is a full fence
                }
                return true;
            }
        }
    }

    /**
     * Adds all jobs of an array, in order, or none.
     *
     * @param jobs the jobs
     * @return false if the shard is closed or has no room for all; then none was added
     * @throws OutOfMemoryError if chunks were needed and could not be had; then none was added
     */
    boolean offerAll(Object[] jobs) {
        StackReserve.require(); // the others wait until all claimed slots are filled
        while (true) {
            long index = indexVolatile();
            if (index < 0 || !hasRoom(index, jobs.length)) {
                return false;
            }
            int slot = (int) (index >> 1) & MASK;
            int furtherChunks = (slot + jobs.length) / CHUNK; // one that is filled to its end needs the next, too
            @Nullable Object[] chunk = producerChunk; // plain: I2 makes the CAS below the judge
            if ((index & LINKING) != 0) {
                Thread.onSpinWait();
            } else if (furtherChunks > 0) {
                if (casIndex(index, index + LINKING)) { // [S1]
                    linkChunks(chunk, furtherChunks, index, jobs.length * ONE_JOB);
                    fill(chunk, slot, jobs);
                    return true;
                }
            } else if (casIndex(index, index + jobs.length * ONE_JOB)) { // [S1]
                fill(chunk, slot, jobs);
                return true;
            }
        }
    }

    /**
     * Stores jobs into claimed slots, from the end of each block to its beginning: a consumer that waits at the first
     * slot of a block then finds all of it, instead of following the producer from slot to slot and taking the line from
     * it each time.
     */
    private static void fill(@Nullable Object[] firstChunk, int firstSlot, Object[] jobs) {
        @Nullable Object[] chunk = firstChunk;
        int slot = firstSlot;
        for (int done = 0; done < jobs.length; ) {
            @Nullable
            Object[] next = (Object[]) slotAcquire(chunk, CHUNK); // before the last slot: then it may be reused
            int count = Math.min(jobs.length - done, Math.min(CHUNK - slot, FILL_BLOCK));
            for (int i = count - 1; i >= 0; i--) {
                SLOT.setRelease(chunk, slot + i, jobs[done + i]); // [P1] release, pairs C1
            }
            done += count;
            slot += count;
            if (slot == CHUNK && next != null) {
                chunk = next;
                slot = 0;
            }
        }
    }

    private boolean hasRoom(long index, int jobs) {
        long end = index + jobs * ONE_JOB;
        if (end <= (long) LIMIT.getOpaque((InjectorShardFields.Producers) this)) { // opaque: too low is put right below
            return true;
        }
        long taken = (long) CONSUMER_INDEX.getAcquire((InjectorShardFields.Consumer) this);
        long limit = (taken + capacity) * ONE_JOB;
        LIMIT.setOpaque((InjectorShardFields.Producers) this, limit);
        return end <= limit;
    }

    /**
     * Links further chunks behind the full one and lets the others go on; called by the one producer that has set
     * LINKING. Leaves everything as it was if memory runs out.
     */
    private void linkChunks(@Nullable Object[] full, int count, long index, long claimed) {
        @Nullable Object[] first;
        @Nullable Object[] last;
        try {
            first = newChunk();
            last = first;
            for (int i = 1; i < count; i++) {
                @Nullable Object[] next = newChunk();
                last[CHUNK] = next; // plain: nobody sees it before the release below
                last = next;
            }
        } catch (Throwable outOfMemory) {
            indexRelease(index);
            throw outOfMemory;
        }
        SLOT.setRelease(
                full, CHUNK, (Object) first); // ordered before the job in the last slot, which the consumer sees
        producerChunk = last;
        indexRelease(index + claimed); // [X1] release, pairs X2
    }

    private @Nullable Object[] newChunk() {
        @Nullable Object[] spare = spares.poll();
        return spare != null ? spare : new Object[CHUNK + 1];
    }

    /**
     * Takes jobs: returns the oldest and appends up to {@code max - 1} more to the deque of the calling worker.
     *
     * @param own the deque of the calling owner
     * @param max the most to take, at least 1
     * @return a job, or null if none is there or another consumer has the lock
     */
    @Nullable
    Object take(WorkDeque own, int max) {
        if (!tryLock()) {
            return null;
        }
        try {
            own.reserve(max); // all allocation comes before a job leaves its slot
            @Nullable Object[] chunk = consumerChunk;
            int slot = (int) consumerIndex & MASK;
            Object first = slotAcquire(chunk, slot); // [C1] acquire, pairs P1
            if (first == null) {
                return null;
            }
            int count = filled(chunk, slot, max);
            chunk[slot] = null;
            if (count > 1) {
                own.pushAll(chunk, slot + 1, count - 1);
            }
            advance(chunk, slot, count);
            return first;
        } finally {
            unlock();
        }
    }

    /**
     * Moves up to {@code max} jobs to the deque of the calling worker.
     *
     * @param own the deque of the calling owner
     * @param max the most to move, at least 1
     * @return how many were moved; 0 also if another consumer has the lock
     */
    int moveTo(WorkDeque own, int max) {
        if (!tryLock()) {
            return 0;
        }
        try {
            own.reserve(max);
            @Nullable Object[] chunk = consumerChunk;
            int slot = (int) consumerIndex & MASK;
            int count = filled(chunk, slot, max);
            if (count > 0) {
                own.pushAll(chunk, slot, count);
                advance(chunk, slot, count);
            }
            return count;
        } finally {
            unlock();
        }
    }

    /**
     * Returns whether no job has been offered that was not taken. Read after the caller's full fence it overlooks no
     * offer whose claim [S1] came before that fence.
     *
     * @return false also while a producer has claimed a slot and not yet filled it
     */
    boolean isEmpty() {
        long taken = (long) CONSUMER_INDEX.getAcquire((InjectorShardFields.Consumer) this);
        long index = indexVolatile() & ~CLOSED;
        return index >> 1 == taken && (index & LINKING) == 0;
    }

    /**
     * Returns whether the next job seems to be there. For a thread that looks again and again: it reads the line that the
     * job will come with, and leaves the producers' index to them.
     *
     * @return a hint that may be wrong either way while others take jobs
     */
    boolean isFilled() {
        long taken = (long) CONSUMER_INDEX.getAcquire((InjectorShardFields.Consumer) this); // acquire, pairs advance
        @Nullable
        Object[] chunk = consumerChunk; // plain: not older than the index, so at worst one that is ahead of it
        return slotAcquire(chunk, (int) taken & MASK) != null;
    }

    /** Returns how many jobs were ever accepted. */
    long offered() {
        return (indexVolatile() & ~CLOSED) >> 1;
    }

    /** Returns about how many jobs are waiting. */
    long size() {
        long taken = (long) CONSUMER_INDEX.getAcquire((InjectorShardFields.Consumer) this);
        return Math.max(0, offered() - taken);
    }

    /** Rejects every offer from now on; one that is under way is either counted by {@link #isEmpty} or rejected. */
    void close() {
        while (true) {
            long index = indexVolatile();
            if (index < 0 || ((index & LINKING) == 0 && casIndex(index, index | CLOSED))) {
                return;
            }
            Thread.onSpinWait();
        }
    }

    private static int filled(@Nullable Object[] chunk, int slot, int max) {
        int limit = Math.min(max, CHUNK - slot);
        int count = 0;
        while (count < limit && slotAcquire(chunk, slot + count) != null) { // [C1] acquire, pairs P1
            count++;
        }
        return count;
    }

    private void advance(@Nullable Object[] chunk, int slot, int count) {
        if (slot + count == CHUNK) {
            @Nullable Object[] next = (Object[]) slotAcquire(chunk, CHUNK); // linked before the last slot was filled
            chunk[CHUNK] = null;
            consumerChunk = Objects.requireNonNull(next);
            if (++emptied % DROP_EVERY != 0) {
                spares.offer(chunk);
            }
        }
        CONSUMER_INDEX.setRelease((InjectorShardFields.Consumer) this, consumerIndex + count);
    }

    private boolean tryLock() {
        return (long) LOCK.getAcquire((InjectorShardFields.Consumer) this) == 0
                && LOCK.compareAndSet((InjectorShardFields.Consumer) this, 0L, 1L); // [L2]
    }

    private void unlock() {
        LOCK.setRelease((InjectorShardFields.Consumer) this, 0L); // [L1] release, pairs L2
    }

    private long indexVolatile() {
        return (long) PRODUCER_INDEX.getVolatile((InjectorShardFields.Producers) this); // [X2]
    }

    private boolean casIndex(long expected, long update) {
        return PRODUCER_INDEX.compareAndSet((InjectorShardFields.Producers) this, expected, update);
    }

    private void indexRelease(long value) {
        PRODUCER_INDEX.setRelease((InjectorShardFields.Producers) this, value);
    }

    private static @Nullable Object slotAcquire(@Nullable Object[] chunk, int slot) {
        return (Object) SLOT.getAcquire(chunk, slot);
    }
}
