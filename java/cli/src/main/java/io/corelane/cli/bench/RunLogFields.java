// SPDX-License-Identifier: Apache-2.0
package io.corelane.cli.bench;

/** Field layout of {@link RunLog}: what its thread writes for every job has 128 bytes on both sides for itself. */
@SuppressWarnings("unused") // the pads are there to take room
final class RunLogFields {
    private RunLogFields() {}

    abstract static class Head {
        long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, ha, hb, hc, hd, he;
    }

    abstract static class Owner extends Head {
        /** How many jobs the thread has run. */
        long runs;
        /** Takes the results of the work, so that it is not optimised away. */
        long sink;
        /** How much of the newest chunk is filled. */
        long used;
        /** The newest chunk: the indices of the jobs that ran last. */
        int[] chunk = new int[16];
    }

    abstract static class Tail extends Owner {
        long t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, ta, tb, tc, td, te;
    }
}
