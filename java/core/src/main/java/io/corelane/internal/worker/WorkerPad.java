// SPDX-License-Identifier: Apache-2.0
package io.corelane.internal.worker;

/** 128 bytes in front of a worker's counters, so that they share no lines with the object before. */
@SuppressWarnings("unused") // it is there to take room
abstract class WorkerPad {
    long h0, h1, h2, h3, h4, h5, h6, h7, h8, h9, ha, hb, hc, hd, he, hf;
}
